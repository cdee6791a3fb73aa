"""Inline and block content of HTML."""

from __future__ import annotations

from typing import Any, Final

from ujsx import hast
from ujsx.components._element import Children
from ujsx.components._misplaced import as_rendered, no_line
from ujsx.transforms._hast_layout import is_element
from ujsx.transforms._misplaced import first_misplaced
from ujsx.transforms._spaces import merged, trimmed
from ujsx.transforms._transform import Transform

PHRASING_TAGS: Final = frozenset(
    {"a", "abbr", "audio", "b", "bdi", "bdo", "button", "br", "canvas", "cite", "code", "data", "del",
     "dfn", "em", "embed", "font", "i", "iframe", "img", "input", "ins", "kbd", "label", "mark",
     "math", "meter", "object", "output", "picture", "progress", "q", "ruby", "s", "samp", "select",
     "slot", "small", "span", "strike", "strong", "sub", "sup", "svg", "textarea", "time", "tt", "u",
     "var", "video", "wbr"}
)  # fmt: skip
"""Elements that stand in a line (HTML, 3.2.5.2.5); custom elements, with a hyphen, do too."""

WHITE_SPACE: Final = " \t\r\n\f"
"""What HTML collapses."""


def is_phrasing(node: Any) -> bool:
    """Tell whether a hast node stands in a line. ``Raw`` does where it follows what does."""
    if type(node) is hast.Text:
        return True
    return is_element(node) and is_phrasing_tag(node.tag_name)


def is_phrasing_tag(name: str) -> bool:
    """Tell whether elements of that name stand in a line."""
    return name.lower() in PHRASING_TAGS or "-" in name


def flow(children: Children, transform: Transform) -> list[Any]:
    """Return children as blocks; each run of inline content among them becomes a paragraph."""
    return to_blocks(transform.all(children), trusts_text=transform.context.trusts_text)


def to_blocks(nodes: list[Any], *, trusts_text: bool) -> list[Any]:
    """Return hast nodes with each run of inline ones in a paragraph."""
    blocks: list[Any] = []
    line: list[Any] = []
    for node in nodes:
        if is_phrasing(node) or (line and type(node) is hast.Raw):
            line.append(node)
        else:
            _end_paragraph(line, blocks, trusts_text)
            blocks.append(node)
    _end_paragraph(line, blocks, trusts_text)
    return blocks


def phrasing(children: Children, transform: Transform) -> list[Any]:
    """Return children as the content of a line.

    :raises RenderError: for a block, which cannot stand in one.
    """
    line = transform.all(children)
    if not all(map(_fits_in_line, line)):
        wrong = first_misplaced(children, transform, _fits_in_line)
        raise as_rendered(no_line(wrong), wrong)
    return merged(line, hast.Text, trusts_text=transform.context.trusts_text)


def _fits_in_line(node: Any) -> bool:
    return not is_element(node) or is_phrasing(node)


def _end_paragraph(line: list[Any], blocks: list[Any], trusts_text: bool) -> None:
    if any(type(node) is not hast.Text or node.value.strip(WHITE_SPACE) for node in line):
        whole = merged(line, hast.Text, trusts_text=trusts_text)
        blocks.append(hast.Element("p", {}, trimmed(whole, hast.Text)))
    line.clear()
