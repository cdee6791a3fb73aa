"""Markdown to mdast: ``from_markdown`` validates its arguments and passes the text to an engine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from ujsx.calls import WithText
from ujsx.errors import MdastError
from ujsx.mdast._nodes import Extension, Root, resolved

Engine = Literal["markdown-it", "mistune"]
"""The tokenizer of the text."""

Positions = Literal["blocks", "all"]
"""The nodes with positions: blocks, or inline nodes as well."""

Units = Literal["characters", "utf-16"]
"""The unit of columns and offsets."""


def from_markdown(
    text: str,
    *,
    engine: Engine = "markdown-it",
    gfm: bool = True,
    frontmatter: bool = True,
    positions: Positions = "blocks",
    units: Units = "characters",
    extensions: Iterable[Extension | str] = (),
) -> Root:
    r"""Parse Markdown (CommonMark 0.31.2) into an mdast tree, the one that remark builds.

    ``engine`` is ``"markdown-it"``, exact, or ``"mistune"``, an independent second opinion with the deviations in
    ``docs/look-up/mistune.md``. ``gfm`` adds GitHub's tables, strikethrough, task lists, footnotes and autolink
    literals; ``frontmatter`` adds a first node ``Yaml`` for a block between ``---`` lines at the text's start.

    References and definitions stay in the tree, and URLs are unchanged: a later step decides whether a scheme may be
    followed.

    Blocks have positions, which do not affect equality; with ``positions="all"`` inline nodes have them too. ``units``
    is the unit of columns and offsets: ``"characters"``, or ``"utf-16"`` code units, as in editors. mistune has no
    positions.

    ``extensions`` add Markdown beyond that: names in ``ujsx.mdast.extensions``, or your own. mistune supports
    ``"math"`` and ``"definition-lists"``.

    Raises ``MdastError`` if ``text`` is not a ``str``, for an invalid option, and for a document that nests too deeply
    (150 levels).

    >>> root = from_markdown("A *dog* [link][].\n\n[link]: <my url>")
    >>> [type(child).__name__ for child in root.children[0].children]
    ['Text', 'Emphasis', 'Text', 'LinkReference', 'Text']
    >>> root.children[1].url
    'my url'
    >>> from_markdown("- [x] done").children[0].children[0].checked
    True
    """
    given: object = text
    if isinstance(given, WithText):
        text = str(given)
    if not isinstance(text, str):
        is_binary = isinstance(given, bytes | bytearray)
        advice = ': decode it first, e.g. data.decode("utf-8")' if is_binary else ""
        raise MdastError(f"from_markdown takes a str, not {type(given).__name__}{advice}")
    _check("engine", engine, ("markdown-it", "mistune"))
    _check("positions", positions, ("blocks", "all"))
    _check("units", units, ("characters", "utf-16"))
    found = resolved(extensions)
    try:
        if engine == "mistune":
            return _by_mistune(text, found, gfm=gfm, frontmatter=frontmatter)
        from ujsx.mdast.from_markdown._markdown_it import Builder  # imported on demand

        options = {"gfm": gfm, "frontmatter": frontmatter, "places": positions == "all"}
        root = Builder(text, extensions=found, **options).root()
    except RecursionError:
        raise MdastError(
            "the text is nested too deep for the remaining call stack; call from_markdown from fewer nested calls, or flatten the text"
        ) from None
    if units == "utf-16":
        from ujsx.mdast.from_markdown._source import count_in_utf16

        count_in_utf16(root, text.removeprefix("\ufeff"))
    return root


def _check(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        choices = " or ".join([f'"{each}"' for each in known])
        raise MdastError(f'unknown {name} "{value}": choose {choices}')


def _by_mistune(
    text: str, extensions: tuple[Extension, ...], *, gfm: bool, frontmatter: bool
) -> Root:
    from ujsx.mdast.from_markdown._mistune import PLUGINS, parse

    names = tuple([each.name for each in extensions])
    for name in names:
        if name not in PLUGINS:
            raise MdastError(
                f'mistune has no extension "{name}"; leave it out, or read with engine="markdown-it"'
            )
    try:
        return parse(text, gfm=gfm, frontmatter=frontmatter, extensions=names)
    except UnicodeEncodeError as error:  # mistune encodes URLs
        line = text.count("\n", 0, text.find(error.object[error.start])) + 1
        raise MdastError(
            f"line {line}: mistune reads no lone surrogate ({error.object[error.start]!r}) in a URL; "
            'replace it, or read with engine="markdown-it"'
        ) from None
