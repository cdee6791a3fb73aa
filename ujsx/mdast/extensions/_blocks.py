"""Extensions whose nodes are blocks: alerts, definition lists, and front matter in TOML."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, ClassVar

from msgspec.structs import replace

from ujsx.mdast._nodes import (
    ALERT,
    MARK,
    Blockquote,
    BlockReader,
    Extension,
    FlowContent,
    LineStart,
    Node,
    Paragraph,
    Parent,
    PhrasingContent,
    Text,
)
from ujsx.mdast.to_markdown._handlers import indented, quoted
from ujsx.mdast.to_markdown._phrasing import Unwritable

# Alerts as separate nodes: a quote whose first line names a kind, such as ``[!NOTE]``.
#
# Without the extension such a quote is a ``Blockquote`` with the kind in its ``data``. So is one whose first line has
# more than the kind.


class Alert(Parent, frozen=True):
    """A quote drawn as a box; ``kind`` is its name, such as ``NOTE``."""

    kind: str
    children: tuple[FlowContent, ...] = ()


def alert(node: Blockquote) -> Node:
    """Return a quote as an alert, without the line of its kind, or else the quote."""
    if ALERT not in (node.data or ()):
        return node
    first: Any = node.children[0]
    text, *rest = first.children
    mark = MARK.match(text.value)
    if mark is None:
        return node
    behind = text.value[mark.end() :]
    if behind and not behind.startswith("\n"):
        return node
    if not behind and rest:
        return node
    inline = (*([Text(behind[1:])] if behind[1:] else []), *rest)
    if behind == "\n" and not rest:
        return node
    children = ((Paragraph(inline, position=first.position),) if inline else ()) + node.children[1:]
    return Alert(kind=mark[1], children=children, position=node.position)


def write_alert(node: Alert, writing: Any) -> str:
    """Write ``> [!NOTE]`` and the blocks, each line after ``>``."""
    mark = f"[!{node.kind}]"
    if MARK.fullmatch(mark) is None:
        raise Unwritable(node, f"{node.kind!r} is not a word of letters, digits and dashes")
    if f"!{node.kind}".casefold() in (writing.labels() or ()):
        raise Unwritable(node, f"{mark} leads to a definition in this document")
    writing.enter(node)
    written = writing.flow(node, node.children)
    writing.leave()
    if not written:
        return quoted(mark)
    tight = isinstance(node.children[0], Paragraph) and goes_on(f"{mark}\n{written}", writing)
    return quoted(f"{mark}\n{written}" if tight else f"{mark}\n\n{written}")


def goes_on(text: str, writing: Any) -> bool:
    """Return whether a paragraph's text remains one after the line before it."""
    second = text.index("\n") + 1
    return text[second] not in "<[:|=-" and writing.line_starts.escape(text) == text


def canonical_alert(node: Alert) -> Node:
    """Return an alert whose kind can be written; a quote if it cannot."""
    if MARK.fullmatch(f"[!{node.kind}]") is None:
        return Blockquote(node.children, position=node.position)
    return node


ALERTS = Extension(
    name="alerts",
    change={Blockquote: alert},
    flow={Alert: write_alert},
    holds={Alert: "flow"},
    canonical={Alert: canonical_alert},
)
"""Quotes that begin with ``[!NOTE]`` or the like."""


# Definition lists: a term in a line, and descriptions after colons.
#
# They are those of markdown-it-deflist and mdit-py-plugins, with one exception: a line that starts another block, such
# as a code fence, is not a term, even after a description.


class DefListTerm(Parent, frozen=True):
    """A term of a definition list."""

    children: tuple[PhrasingContent, ...] = ()


class DefListDescription(Parent, frozen=True):
    """A description; ``spread``: a blank line precedes it, or separates its blocks."""

    spread: bool = False
    children: tuple[FlowContent, ...] = ()


class DefList(Parent, frozen=True):
    """Terms, each followed by its descriptions."""

    children: tuple[DefListTerm | DefListDescription, ...] = ()
    are_one: ClassVar[bool] = True


INDENT = 2
"""The indent of a description's lines after its first, in columns."""

_MARKER = re.compile(r"[:~](?=[ \t]+[^ \t])")


def read_list(state: Any, start_line: int, end_line: int, silent: bool) -> bool:
    """Parse terms with their descriptions."""
    if silent:  # within a description, a marker of the next one ends a paragraph
        start = state.bMarks[start_line] + state.tShift[start_line]
        return (
            state.ddIndent >= 0
            and state.sCount[start_line] < state.blkIndent
            and _MARKER.match(state.src, start, state.eMarks[start_line]) is not None
        )
    line = _description_after(state, start_line, end_line)
    if line is None:
        return False
    state.push("dl_open", "dl", 1).map = lines = [start_line, 0]
    term: int | None = start_line
    while term is not None and line is not None:
        _push_term(state, term)
        while line is not None:
            _push_description(state, line, end_line)
            line = state.line if _is_marked(state, state.line, end_line, state.blkIndent) else None
        term = state.line if state.line < end_line and not state.isEmpty(state.line) else None
        if term is not None:
            is_term = not _starts_block(state, term, end_line)
            line = _description_after(state, term, end_line) if is_term else None
    state.push("dl_close", "dl", -1)
    lines[1] = state.line
    return True


def _is_marked(state: Any, line: int, end_line: int, indent: int) -> bool:
    """Return whether a description starts in a line, at the current indent."""
    if line >= end_line or indent < 0 or not 0 <= state.sCount[line] - indent < 4:
        return False
    start = state.bMarks[line] + state.tShift[line]
    return _MARKER.match(state.src, start, state.eMarks[line]) is not None


def _description_after(state: Any, term: int, end_line: int) -> int | None:
    """Return the first line of a term's description, possibly after a blank one."""
    if state.is_code_block(term) or state.sCount[term] < state.blkIndent:
        return None
    line = term + 1
    if line < end_line and state.isEmpty(line):
        line += 1
    return line if _is_marked(state, line, end_line, state.blkIndent) else None


def _starts_block(state: Any, line: int, end_line: int) -> bool:
    rules = state.md.block.ruler.getRules("paragraph")
    return any(rule(state, line, end_line, True) for rule in rules)


def _push_term(state: Any, line: int) -> None:
    state.push("dt_open", "dt", 1).map = [line, line + 1]
    token = state.push("inline", "", 0)
    start = state.bMarks[line] + state.tShift[line]
    token.content = state.src[start : state.eMarks[line]].rstrip(" \t")
    token.map, token.meta = [line, line + 1], {"start": start}
    state.push("dt_close", "dt", -1)


def _push_description(state: Any, line: int, end_line: int) -> None:
    state.push("dd_open", "dd", 1).map = lines = [line, 0]
    place = state.bMarks[line], state.tShift[line], state.sCount[line]
    outer = state.blkIndent, state.ddIndent, state.parentType
    at = place[0] + place[1] + 1
    column = place[2] + 1
    while state.src[at] in " \t":
        column += 4 - (column + state.bsCount[line]) % 4 if state.src[at] == "\t" else 1
        at += 1
    state.blkIndent, state.ddIndent = place[2] + INDENT, outer[0]
    state.tShift[line], state.sCount[line] = at - place[0], column
    state.parentType = "deflist"
    state.md.block.tokenize(state, line, end_line)
    state.bMarks[line], state.tShift[line], state.sCount[line] = place
    state.blkIndent, state.ddIndent, state.parentType = outer
    state.push("dd_close", "dd", -1)
    lines[1] = max(state.line, line + 1)
    state.line = lines[1]


def build_list(token: Any, children: tuple[Any, ...]) -> DefList:
    """Return a list, with the lines between its parts known."""
    parts: list[Any] = []
    for part in children:
        if isinstance(part, DefListDescription):
            pairs: Any = pairwise((parts[-1], *part.children))
            gaps = [after.position.start.line - before.position.end.line for before, after in pairs]
            parts.append(replace(part, spread=max(gaps, default=0) > 1))
        else:
            parts.append(part)
    return DefList(children=tuple(parts))


def write_list(node: DefList, writing: Any) -> str:
    """Write terms on separate lines, and descriptions after a colon."""
    if not node.children or not isinstance(node.children[0], DefListTerm):
        raise Unwritable(node, "it does not begin with a term")
    if isinstance(writing.behind, DefList):
        raise Unwritable(node, "right behind another one it would be one with it")
    writing.enter(node)
    parts: list[str] = []
    before: Node | None = None
    for child in node.children:
        if isinstance(child, DefListTerm):
            if isinstance(before, DefListTerm):
                raise Unwritable(before, "no description follows it")
            parts.append(f"\n\n{_term(child, writing)}" if parts else _term(child, writing))
        else:
            parts.append(f"\n\n{_description(child, writing)}"[not child.spread :])
        before = child
    writing.leave()
    if isinstance(before, DefListTerm):
        raise Unwritable(before, "no description follows it")
    return "".join(parts)


def _term(node: DefListTerm, writing: Any) -> str:
    writing.one_line = True
    written = writing.lines(node.children)
    writing.one_line = False
    if not written or written != written.strip():
        raise Unwritable(node, "it is empty, or has white space at an edge that no reader keeps")
    return str(written)


def _description(node: DefListDescription, writing: Any) -> str:
    if len(node.children) > 1 and not node.spread:
        raise Unwritable(node, "blank lines part its blocks, so that it is spread")
    written = writing.contained(node, node.children)
    if not written or written[0] in " \t":
        raise Unwritable(node, "it does not begin with words")
    return f": {indented(written, '  ')}"


def canonical_term(node: DefListTerm) -> DefListTerm:
    """Return a term without the white space at its edges that Python knows, and Markdown does not."""
    children: list[Any] = [*node.children]
    for edge, stripped in ((0, str.lstrip), (-1, str.rstrip)):
        while children and isinstance(children[edge], Text):
            value = stripped(children[edge].value)
            if value:
                children[edge] = replace(children[edge], value=value)
                break
            del children[edge]
    return replace(node, children=tuple(children))


def canonical_description(node: DefListDescription) -> DefListDescription | None:
    """Return a description with its ``spread`` set."""
    if not node.children:
        return None
    first: Any = node.children[0]
    if getattr(first, "value", "")[:1] in {" ", "\t"}:
        first = replace(first, value=first.value.lstrip(" \t"))
        node = replace(node, children=(first, *node.children[1:]))
    return node if node.spread or len(node.children) == 1 else replace(node, spread=True)


def canonical_list(node: DefList) -> DefList | None:
    """Return a list in which each term has a description."""
    parts: list[Any] = []
    for child in node.children:
        if isinstance(child, DefListTerm):
            if parts and isinstance(parts[-1], DefListTerm):
                parts.pop()
            if child.children:
                parts.append(child)
        elif parts:
            parts.append(child)
    if parts and isinstance(parts[-1], DefListTerm):
        parts.pop()
    return replace(node, children=tuple(parts)) if parts else None


DEFINITION_LISTS = Extension(
    name="definition-lists",
    blocks=(
        BlockReader("deflist", read_list, "paragraph", ("paragraph", "reference", "blockquote")),
    ),
    build={
        "dt_close": lambda _, children: DefListTerm(children=children),
        "dd_close": lambda _, children: DefListDescription(children=children),
        "dl_close": build_list,
    },
    flow={DefList: write_list, DefListTerm: _term, DefListDescription: _description},
    holds={DefList: "flow", DefListTerm: "line", DefListDescription: "flow"},
    canonical={
        DefList: canonical_list,
        DefListTerm: canonical_term,
        DefListDescription: canonical_description,
    },
    line_starts=(LineStart(":~", "a description", r"[:~](?=[ \t])"),),
)
"""Terms, and descriptions after ``:``."""


# Front matter in TOML: lines between ``+++`` and ``+++`` at a document's start.

_FRONT_MATTER = re.compile(r"\+\+\+[ \t]*\n(?:(.*?)\n)??\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML_FENCE = re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE)


class Toml(Node, frozen=True):
    """Front matter in TOML, without its fences."""

    value: str


def read_toml(state: Any, start_line: int, end_line: int, silent: bool) -> bool:
    """Parse front matter, at the start of a text."""
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


def write_toml(node: Toml, writing: Any) -> str:
    """Front matter within its fences."""
    if not writing.is_first:
        raise Unwritable(node, "front matter is only allowed at the start of a document")
    if "\r" in node.value or _TOML_FENCE.search(node.value):
        raise Unwritable(node, "a line of it would end it, or a carriage return in it a line")
    return f"+++\n{node.value}\n+++" if node.value else "+++\n+++"


def canonical_toml(node: Toml) -> Toml:
    """Return front matter with the line ends and characters that a reader returns."""
    value = node.value.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return Toml(_TOML_FENCE.sub("", value), position=node.position, data=node.data)


TOML = Extension(
    name="toml",
    blocks=(BlockReader("front_matter_toml", read_toml, "code", ()),),
    build={"front_matter_toml": lambda token, _: Toml(token.content)},
    flow={Toml: write_toml},
    canonical={Toml: canonical_toml},
    line_starts=(LineStart("+", "front matter", r"\A\+\+\+(?=[ \t]*$)"),),
)
"""``+++`` around the first lines of a document."""
