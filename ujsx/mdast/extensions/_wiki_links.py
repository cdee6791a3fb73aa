"""Wiki links: ``[[page]]`` and ``[[page|words]]``; in a table's cell a backslash stands before the bar."""

from __future__ import annotations

import re
from typing import Any

from ujsx.mdast._nodes import Extension, Node
from ujsx.mdast.to_markdown._phrasing import Unwritable
from ujsx.mdast.to_markdown._unsafe import Unsafe

_PART = r"(?![ \t])[^\[\]|\n\r\x00]++(?<![ \t])"
_LINK = re.compile(rf"\[\[(?!\^)({_PART})(?:\|({_PART}))?\]\]")
_PART_ALONE = re.compile(_PART)
_IMPOSSIBLE = re.compile(r"[\[\]|\n\r\x00]+")


class WikiLink(Node, frozen=True):
    """A link to a page by its name; ``alias`` is what is shown in place of it."""

    value: str
    alias: str | None = None


def read(state: Any, silent: bool) -> bool:
    """Take ``[[page]]``."""
    match = _LINK.match(state.src, state.pos)
    if match is None:
        return False
    value = match[1] if match[2] is None else match[1].removesuffix("\\")
    if _PART_ALONE.fullmatch(value) is None:
        return False
    state.push("wiki_link", "", 0).meta = {"value": value, "alias": match[2]}
    state.pos = match.end()
    return True


def write(node: WikiLink, writing: Any) -> str:
    """``[[page|words]]``; what stands in it has no escapes."""
    parts = [part for part in (node.value, node.alias) if part is not None]
    for part in parts:
        if _PART_ALONE.fullmatch(part) is None:
            raise Unwritable(
                node, f"{part!r} has a bracket, a bar, a line end or an edge space in it"
            )
    if node.value[0] == "^":
        raise Unwritable(node, "in brackets of a link it would be a footnote's mark")
    if node.alias is not None and node.value[-1] == "\\":
        raise Unwritable(node, "the backslash at its end would belong to the bar")
    return f"[[{'|'.join(parts)}]]"


def canonical(node: WikiLink) -> WikiLink | None:
    """Return a link whose parts can be written; ``None`` if nothing is left of its page."""
    value = _IMPOSSIBLE.sub(" ", node.value).strip(" \t").lstrip("^ \t")
    alias = None if node.alias is None else _IMPOSSIBLE.sub(" ", node.alias).strip(" \t") or None
    if alias is not None:
        value = value.rstrip("\\ \t")
    return WikiLink(value, alias, position=node.position, data=node.data) if value else None


EXTENSION = Extension(
    name="wiki-links",
    inline={"[": read},
    build={"wiki_link": lambda token, _: WikiLink(**token.meta)},
    phrasing={WikiLink: write},
    canonical={WikiLink: canonical},
    unsafe=(Unsafe("[", "opens a wiki link", after=r"\[|\Z"),),
)
"""``[[page]]`` in a line."""
