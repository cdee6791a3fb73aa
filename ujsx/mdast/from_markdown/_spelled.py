"""The source of blocks as the writer can use it again: a function for each kind of token."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from markdown_it.token import Token

from ujsx.mdast._nodes import Code, Node
from ujsx.mdast._spelling import is_disputed, spell

from ._characters import SPACES

if TYPE_CHECKING:
    from ._builder import Builder

_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*\Z")
_DELIMITERS = re.compile(r"[|:\- \t]*\Z")
_CLOSING_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*\Z")
_MARKER = re.compile(r"(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t]*\[[^\]]\](?=[ \t]|\Z)|[ \t]*)")


def spell_leaf(builder: Builder, token: Token, node: Node) -> None:
    """Note how a block without blocks in it was written, if that can be used again."""
    source = _LEAVES.get(token.type)
    text = source(builder, token, node) if source is not None else None
    if text and (builder.spelling is True or is_disputed(node, text)):
        spell(node, text, builder.extensions)


def spell_list(builder: Builder, token: Token, node: Node) -> None:
    """Note a list's bullet, or what stands behind its numbers."""
    spell(node, token.markup, builder.extensions)


def spell_item(builder: Builder, token: Token, node: Node) -> None:
    """Note an item's marker, with the white space behind it and a task's box."""
    start = token.meta["start"]
    match = _MARKER.match(builder.source.text, start)
    if match is not None:
        spell(node, match[0], builder.extensions)


def _paragraph(_builder: Builder, token: Token, _node: Node) -> str:
    return token.content


def _heading(builder: Builder, token: Token, _node: Node) -> str | None:
    assert token.map is not None
    source = builder.source
    if token.markup[0] == "#":
        start = token.meta["start"]
        return source.text[start : source.line_end(token.map[0])].rstrip(SPACES)
    underline = _UNDERLINE.search(source.line(token.map[1] - 1))
    return None if underline is None else f"{token.content}\n{underline[0].rstrip(SPACES)}"


def _line(builder: Builder, token: Token, _node: Node) -> str:
    assert token.map is not None
    source = builder.source
    return source.text[token.meta["start"] : source.line_end(token.map[0])].rstrip(SPACES)


def _fence(builder: Builder, token: Token, node: Any) -> str | None:
    assert token.map is not None
    source = builder.source
    closing = _CLOSING_FENCE.search(source.line(token.map[1] - 1))
    opening = _line(builder, token, node)
    if closing is None or token.map[1] - token.map[0] < 2 or closing[1][0] != opening[0]:
        return None
    lines = [opening, *([node.value] if node.value else []), closing[1]]
    text = "\n".join(lines)
    # A fence around one blank line, and one that the text's end closes, are written anew.
    is_whole = text.count("\n") == token.map[1] - token.map[0] - 1
    return text if is_whole and len(closing[1]) >= _run(opening) else None


def _run(line: str) -> int:
    return len(line) - len(line.lstrip(line[0]))


def _indented_code(_builder: Builder, _token: Token, node: Code) -> str:
    return "\n".join([f"    {line}" if line else "" for line in node.value.split("\n")])


def _definition(builder: Builder, token: Token, node: Node) -> str | None:
    assert token.map is not None
    return _line(builder, token, node) if token.map[1] == token.map[0] + 1 else None


def _table(builder: Builder, token: Token, _node: Node) -> str | None:
    assert token.map is not None
    source = builder.source
    delimiters = _DELIMITERS.search(source.line(token.map[0] + 1))
    rows: list[str] = []
    for cells in token.meta["rows"]:
        start = cells[0].start
        rows.append(source.text[start : source.line_end(source.line_number(start))].strip(SPACES))
    if delimiters is None:
        return None
    return "\n".join([rows[0], delimiters[0].strip(SPACES), *rows[1:]])


_LEAVES: dict[str, Callable[[Builder, Token, Any], str | None]] = {
    "paragraph": _paragraph,
    "heading": _heading,
    "hr": _line,
    "fence": _fence,
    "code_block": _indented_code,
    "html_block": lambda _builder, _token, node: node.value,
    "definition": _definition,
    "table": _table,
}
"""How a block's source is told, by its token."""
