"""Markdown to mdast: ``from_markdown`` checks its arguments, then hands the text to an engine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from ujsx.errors import MdastError
from ujsx.mdast._nodes import Extension, Root, resolved

Engine = Literal["markdown-it", "mistune"]
"""Who splits the text into tokens."""

Positions = Literal["blocks", "all"]
"""What gets a position: blocks, or what stands in a line as well."""

Units = Literal["characters", "utf-16"]
"""What columns and offsets count."""


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

    ``engine`` is ``"markdown-it"``, exact, or ``"mistune"``, an independent witness that is off
    in the places that ``docs/look-up/mistune.md`` lists. ``gfm`` adds GitHub's tables,
    strikethrough, task lists, footnotes and autolink literals; ``frontmatter`` a first node
    ``Yaml`` for a block between ``---`` lines at the text's start.

    References and definitions stay in the tree, and URLs are as the author wrote them: whether a
    scheme may be followed is for a later step to say.

    Blocks have positions, which take no part in equality; with ``positions="all"`` so has what stands
    in a line. ``units`` is what their columns and offsets count: ``"characters"``, or ``"utf-16"``
    code units, as editors do. mistune tells no positions.

    ``extensions`` add Markdown beyond that: names of those in ``ujsx.mdast.extensions``, or
    extensions of your own. mistune knows ``"math"`` and ``"definition-lists"``.

    Raises ``MdastError`` when ``text`` is no ``str``, for an option's value that does not exist, and
    for a document that nests too deep (150 levels).

    >>> root = from_markdown("A *dog* [link][].\n\n[link]: <my url>")
    >>> [type(child).__name__ for child in root.children[0].children]
    ['Text', 'Emphasis', 'Text', 'LinkReference', 'Text']
    >>> root.children[1].url
    'my url'
    >>> from_markdown("- [x] done").children[0].children[0].checked
    True
    """
    if not isinstance(text, str):
        raise MdastError(_wrong_type(text))
    _check("engine", engine, ("markdown-it", "mistune"))
    _check("positions", positions, ("blocks", "all"))
    _check("units", units, ("characters", "utf-16"))
    found = resolved(extensions)
    try:
        if engine == "mistune":
            return _by_mistune(text, found, gfm=gfm, frontmatter=frontmatter)
        root = _by_markdown_it(
            text,
            found,
            gfm=gfm,
            frontmatter=frontmatter,
            places=positions == "all",
        )
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


def _by_markdown_it(text: str, extensions: tuple[Extension, ...], **options: Any) -> Root:
    from ujsx.mdast.from_markdown._markdown_it import (
        Builder,
    )  # a tokenizer is imported when it is needed

    return Builder(text, extensions=extensions, **options).root()


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


def _wrong_type(value: object) -> str:
    message = f"from_markdown takes a str, not {type(value).__name__}"
    if isinstance(value, bytes | bytearray):
        return f'{message}: decode it first, e.g. data.decode("utf-8")'
    return message
