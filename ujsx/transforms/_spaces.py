"""White space in lines of mdast or of hast: where no reader shows it, it is left out or moved.

Markdown has no form but references for white space at the edge of a block or of a mark, and for a
blank line in a paragraph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ujsx import hast, mdast
from ujsx.text._hidden import joined
from ujsx.text._lines import without_blank_lines
from ujsx.transforms._hast_layout import is_element

_SPACES = " \t\n\r"
"""White space in a line of Markdown."""


def merged(
    line: list[Any], text: type[Any] = mdast.Text, *, trusts_text: bool = False
) -> list[Any]:
    """Return a line in which texts that meet are one text, and codes one code, as mdast has it.

    An empty text parts nothing. Texts that are not trusted make no token together.
    """
    before: type[Any] | None = None
    for node in line:
        if node.__class__ is before or (node.__class__ is text and not node.value):
            break
        before = node.__class__
    else:  # as mostly
        return line
    groups: list[list[Any]] = []
    before = None
    for node in line:
        kind: type[Any] | None = node.__class__
        if kind is text:
            if not node.value:
                continue
        elif kind is not mdast.InlineCode and not is_element(node, "code"):
            kind = None
        if kind is not None and kind is before:
            groups[-1].append(node)
        else:
            groups.append([node])
        before = kind
    join = "".join if trusts_text else joined
    return [
        _joined(group[0].__class__, group, join) if len(group) > 1 else group[0] for group in groups
    ] or line[:1]


def _joined(leaf: type[Any], met: list[Any], join: Callable[[Sequence[str]], str]) -> Any:
    if leaf is hast.Element:
        inner = [each.children[0] for each in met]
        return hast.Element("code", {}, (_joined(hast.Text, inner, join),))
    value = join([node.value for node in met])
    return leaf(value if leaf is mdast.InlineCode else without_blank_lines(value))


def has_spaces_at_edges(line: Sequence[Any], text: type[Any] = mdast.Text) -> bool:
    """Tell whether a line starts or ends with white space."""
    if not line:
        return False
    first, last = line[0], line[-1]
    return (first.__class__ is text and first.value[:1] in _SPACES) or (
        last.__class__ is text and last.value[-1:] in _SPACES
    )


def split_edges(
    line: Sequence[Any], text: type[Any] = mdast.Text
) -> tuple[str, tuple[Any, ...], str]:
    """Return the white space at the start of a line, what is between, and that at its end."""
    inner = [*line]
    before = behind = ""
    if inner and type(inner[0]) is text:
        value = inner[0].value
        rest = value.lstrip(_SPACES)
        before = value[: len(value) - len(rest)]
        inner[:1] = [text(rest)] if rest else []
    if inner and type(inner[-1]) is text:
        value = inner[-1].value
        own = int(value[:1] == "\n" and len(inner) > 1 and is_element(inner[-2], "br"))
        rest = value[:own] + value[own:].rstrip(_SPACES)  # a <br> has a line end of its own
        behind = value[len(rest) :]
        inner[-1:] = [text(rest)] if rest else []
    return before, tuple(inner), behind


def trimmed(line: Sequence[Any], text: type[Any] = mdast.Text) -> tuple[Any, ...]:
    """Return a block's line without the white space at its edges."""
    return split_edges(line, text)[1] if has_spaces_at_edges(line, text) else tuple(line)


def set_apart(line: Sequence[Any], mark: Any, text: type[Any] = mdast.Text) -> Any:
    """Return what a mark makes of a line; the white space at its edges stands outside.

    No mark of Markdown begins or ends with white space.
    """
    if not has_spaces_at_edges(line, text):
        return mark(tuple(line))
    before, inner, behind = split_edges(line, text)
    nodes = [text(before) if before else None, mark(inner) if inner else None]
    return [node for node in (*nodes, text(behind) if behind else None) if node is not None]
