"""Front matter in TOML: lines between ``+++`` and ``+++`` at a document's start."""

from __future__ import annotations

import re
from typing import Any

from ujsx.mdast._nodes import BlockReader, Extension, LineStart, Node
from ujsx.mdast.to_markdown._phrasing import Unwritable

_FRONT_MATTER = re.compile(r"\+\+\+[ \t]*\n(?:(.*?)\n)??\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_FENCE = re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE)


class Toml(Node, frozen=True):
    """Front matter in TOML, without its fences."""

    value: str


def read(state: Any, start_line: int, end_line: int, silent: bool) -> bool:
    """Take front matter, which stands first in a text."""
    if silent or start_line or state.src[:3] != "+++" or state.depth > 1:
        return False
    match = _FRONT_MATTER.match(state.src)
    if match is None:
        return False
    token = state.push("front_matter_toml", "", 0)
    token.content = match[1] or ""
    state.line = match[0].count("\n", 0, -1) + 1
    token.map = [0, state.line]
    return True


def write(node: Toml, writing: Any) -> str:
    """Front matter within its fences."""
    if not writing.is_first:
        raise Unwritable(node, "front matter stands first in a document, and nowhere else")
    if "\r" in node.value or _FENCE.search(node.value):
        raise Unwritable(node, "a line of it would end it, or a carriage return in it a line")
    return f"+++\n{node.value}\n+++" if node.value else "+++\n+++"


def canonical(node: Toml) -> Toml:
    """Return front matter with the line ends and characters that are read."""
    value = node.value.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return Toml(_FENCE.sub("", value), position=node.position, data=node.data)


EXTENSION = Extension(
    name="toml",
    blocks=(BlockReader("front_matter_toml", read, "code", ()),),
    build={"front_matter_toml": lambda token, _: Toml(token.content)},
    flow={Toml: write},
    canonical={Toml: canonical},
    line_starts=(LineStart("+", "front matter", r"\A\+\+\+(?=[ \t]*$)"),),
)
"""``+++`` around the first lines of a document."""
