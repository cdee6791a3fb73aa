"""The public function: checks its arguments, then hands the text to an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ujsx._errors import MdastError, did_you_mean

if TYPE_CHECKING:
    from ujsx.mdast._nodes import Root

Engine = Literal["markdown-it", "mistune"]
"""Who splits the text into tokens."""


def from_markdown(
    text: str,
    *,
    engine: Engine = "markdown-it",
    gfm: bool = True,
    frontmatter: bool = True,
) -> Root:
    r"""Parse Markdown (CommonMark 0.31.2) into an mdast tree, the one that remark builds.

    ``engine`` is ``"markdown-it"``, exact, or ``"mistune"``, faster on plain text and off in the
    places that the documentation lists. ``gfm`` adds GitHub's tables, strikethrough, task lists,
    footnotes and autolink literals; ``frontmatter`` a first node ``Yaml`` for a block between
    ``---`` lines at the text's start.

    References and definitions stay in the tree, and URLs are as the author wrote them: whether a
    scheme may be followed is for a later step to say. Blocks have positions, which take no part
    in equality.

    Raises ``MdastError`` when ``text`` is no ``str``, for an engine that does not exist, and for
    a document that nests too deep (150 levels).

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
    if engine not in ENGINES:
        raise MdastError(
            f'unknown engine "{engine}": {did_you_mean(str(engine), ENGINES)}; '
            f"there are {' and '.join(ENGINES)}"
        )
    # A tokenizer is imported when it is needed.
    if engine == "mistune":
        from ._mistune import parse

        return parse(text, gfm=gfm, frontmatter=frontmatter)
    from ._flow import Builder

    return Builder(text, gfm=gfm, frontmatter=frontmatter).root()


ENGINES: tuple[Engine, ...] = ("markdown-it", "mistune")


def _wrong_type(value: object) -> str:
    message = f"from_markdown takes a str, not {type(value).__name__}"
    if isinstance(value, bytes | bytearray):
        return f'{message}: decode it first, e.g. data.decode("utf-8")'
    return message
