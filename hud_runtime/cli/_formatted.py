"""Markdown in canonical form, if that changes nothing that a reader sees."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

from hud_runtime.cli._errors import UsageError
from ujsx._errors import MdastError

if TYPE_CHECKING:
    from ujsx.mdast import Writer

BYTE_ORDER_MARK = "\ufeff"

_LINE_END = re.compile(r"\r\n?|\n")
_LITERAL = re.compile(r'<a href="(?:http://|mailto:)?([^"]*)">\1</a>')
"""A link that shows where it leads. GitHub makes one of a bare address too; markdown-it-py does
not, so that the two are compared without the link."""


def formatted(text: str, name: str, writer: Writer) -> str:
    r"""Return a Markdown text in canonical form, with its first line's end at all lines.

    :param name: what the text is called in an error.
    :raises UsageError: if markdown-it-py would make other HTML of the result, or if a reader would
        make another tree of it.

    >>> from ujsx.mdast import Writer
    >>> formatted("* a\r\n* b\r\n", "a.md", Writer())
    '- a\r\n- b\r\n'
    """
    from ujsx.mdast import from_markdown

    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    source = text.removeprefix(mark)
    try:
        result = writer.write(from_markdown(source))
    except MdastError as error:
        raise UsageError(f"{name} is left as it is: {error}") from None
    if _html(result) != _html(source):
        raise UsageError(
            f"{name} is left as it is: its HTML would change, as readers disagree about "
            f"{_first_difference(source, result)}; write that in another way first"
        )
    line_end = _LINE_END.search(source)
    if line_end is not None and line_end[0] != "\n":
        result = result.replace("\n", line_end[0])
    return f"{mark}{result}"


class _Parser(MarkdownIt):
    """Shows where links lead as it is written, whatever their scheme."""

    def validateLink(self, url: str) -> bool:  # noqa: N802
        return True

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        return link


@cache
def _parser() -> _Parser:
    parser = _Parser("commonmark")
    parser.enable(["table", "strikethrough"])
    for plugin in (footnote_plugin, front_matter_plugin, tasklists_plugin):
        parser.use(plugin)
    return parser


def _html(text: str) -> str:
    html: str = _parser().render(text)
    return _LITERAL.sub(r"\1", html).rstrip("\n")


def _first_difference(source: str, result: str) -> str:
    """Return the first line of the HTML that is not the same, shortened."""
    old, new = _html(source).split("\n"), _html(result).split("\n")
    line = next((a for a, b in zip(old, new, strict=False) if a != b), old[-1])
    return f'"{line[:60]}{"…" if len(line) > 60 else ""}"'
