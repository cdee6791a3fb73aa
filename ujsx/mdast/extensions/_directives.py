"""Directives: ``:name[text]{key=value}`` in a line, ``::name`` as a block, ``:::name`` around blocks.

The generic syntax of CommonMark's forum as micromark-extension-directive reads it, and the nodes of
mdast-util-directive. The text behind a container's name is its first paragraph, which says so in its
``data``: ``{"directiveLabel": True}``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from ujsx.mdast._nodes import (
    BlockReader,
    Build,
    Extension,
    FlowContent,
    LineStart,
    Node,
    Paragraph,
    Parent,
    PhrasingContent,
    Text,
)
from ujsx.mdast.to_markdown._phrasing import Unwritable
from ujsx.mdast.to_markdown._unsafe import Unsafe
from ujsx.mdast.util import to_string, walk

LABEL = "directiveLabel"
"""The key in the ``data`` of a container's first paragraph that stands behind its name."""

_NAME = r"[A-Za-z](?:[A-Za-z0-9_-]*[A-Za-z0-9])?(?![A-Za-z0-9_-])"
_TEXT = re.compile(rf":({_NAME})(?!:)")
_BLOCK = re.compile(rf"(:{{2,}})({_NAME})")
_FENCES = re.compile(r"^[ \t>]*(:{3,})", re.MULTILINE)
_VALUE = r"\"[^\"\n]*+\"|'[^'\n]*+'|[^\s\"'<=>`{}]++"
_KEY = r"[A-Za-z_:][A-Za-z0-9_.:-]*+"
_ATTRIBUTE = re.compile(
    rf"[ \t]*+(?:#([^\s#.{{}}=\"'<>`]++)|\.([^\s#.{{}}=\"'<>`]++)|({_KEY})(?:=({_VALUE}))?)"
)
_KEY_ALONE = re.compile(_KEY)
_ESCAPES = {"&amp;": "&", "&quot;": '"', "&#x7C;": "|", "&#xA;": "\n", "&#xD;": "\r"}
"""What is written in an attribute's value for a character that would end it, its line or its cell."""

_PIECE = re.compile(r"\\[\s\S]|[\[\]]")


class TextDirective(Parent, frozen=True):
    """A directive in a line."""

    name: str
    attributes: dict[str, str] = {}  # noqa: RUF012 - a struct's field: each node has its own
    children: tuple[PhrasingContent, ...] = ()


class LeafDirective(Parent, frozen=True):
    """A directive that is a block without blocks in it."""

    name: str
    attributes: dict[str, str] = {}  # noqa: RUF012 - a struct's field: each node has its own
    children: tuple[PhrasingContent, ...] = ()


class ContainerDirective(Parent, frozen=True):
    """A directive around blocks."""

    name: str
    attributes: dict[str, str] = {}  # noqa: RUF012 - a struct's field: each node has its own
    children: tuple[FlowContent, ...] = ()


# --- Read -----------------------------------------------------------------------------------


def read_text(state: Any, silent: bool) -> bool:
    """Take ``:name``; a label behind it is its content once its bracket closes."""
    src, start = state.src, state.pos
    match = _TEXT.match(src, start)
    if match is None or _is_behind_colon(src, start):
        return False
    end = match.end()
    token = state.push("text_directive", "", 0)
    given: dict[str, str] = {}
    token.meta = {"name": match[1], "attributes": given}
    if src.startswith("[", end):
        token.map = [start, end]
        state.pos = end
        state.open_bracket(_close)
    elif found := match_attributes(src, end):
        token.meta["attributes"], state.pos = found
    else:
        state.pos = end
    return True


def _is_behind_colon(src: str, start: int) -> bool:
    """Return whether a colon stands in front that no backslash makes a text of its own."""
    if not start or src[start - 1] != ":":
        return False
    before = src[: start - 1] if start < 64 else src[start - 64 : start - 1]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 0


def _close(state: Any, opener: Any, end: int) -> bool:
    """Make a directive with content of one without, whose label's bracket closes."""
    bracket, directive = state.tokens[opener.token], state.tokens[opener.token - 1]
    meta, state.pos = directive.meta, end + 1
    if found := match_attributes(state.src, end + 1):
        meta["attributes"], state.pos = found
    bracket.type, bracket.nesting, bracket.content = "text_directive_open", 1, ""
    bracket.meta, bracket.map = meta, directive.map
    directive.type, directive.content = "text", ""
    state.push("text_directive_close", "", 0).nesting = -1
    return True


def read_block(state: Any, start_line: int, end_line: int, silent: bool) -> bool:
    """Take ``::name`` in a line, or the lines between ``:::name`` and ``:::``."""
    start = state.bMarks[start_line] + state.tShift[start_line]
    if state.src[start] != ":" or state.is_code_block(start_line):
        return False
    line = state.src[start : state.eMarks[start_line]].rstrip(" \t")
    match = _BLOCK.match(line)
    if match is None:
        return False
    at = match.end()
    label: str | None = None
    attributes: dict[str, str] = {}
    if line.startswith("[", at):
        close = closing_bracket(line, at)
        if close < 0:
            return False
        label, at = line[at + 1 : close], close + 1
    if found := match_attributes(line, at):
        attributes, at = found
    if line[at:].strip(" \t"):
        return False
    if silent:
        return True
    meta = {"name": match[2], "attributes": attributes, "start": start}
    label_start = start + match.end() + 1
    kind = "leaf_directive" if len(match[1]) == 2 else "container_directive"
    opening = state.push(f"{kind}_open", "", 1)
    opening.meta = meta
    if kind == "leaf_directive":
        _push_label(state, label, start_line, label_start)
        state.line = start_line + 1
    else:
        if label is not None:
            _push_label_block(state, label, start_line, label_start)
        _read_content(state, start_line, end_line, len(match[1]))
    opening.map = [start_line, state.line]
    state.push(f"{kind}_close", "", -1)
    return True


def _push_label_block(state: Any, label: str, line: int, start: int) -> None:
    opening = state.push("directive_label_open", "", 1)
    opening.meta, opening.map = {"start": start - 1}, [line, line + 1]
    _push_label(state, label, line, start)
    state.push("directive_label_close", "", -1)


def _push_label(state: Any, label: str | None, line: int, start: int) -> None:
    if label:
        token = state.push("inline", "", 0)
        token.content, token.map = label, [line, line + 1]
        token.meta = {"start": start, "label": True}


def _read_content(state: Any, start_line: int, end_line: int, fence: int) -> None:
    """Read the blocks up to a line of as many colons, or to the end of what holds them."""
    line, is_closed = start_line + 1, False
    while line < end_line:
        at = state.bMarks[line] + state.tShift[line]
        indent = state.sCount[line] - state.blkIndent
        if indent < 0 and not state.isEmpty(line):
            break
        text = state.src[at : state.eMarks[line]].rstrip(" \t")
        if 0 <= indent < 4 and len(text) >= fence and not text.strip(":"):
            is_closed = True
            break
        line += 1
    outer = state.parentType, state.lineMax
    state.parentType, state.lineMax = "directive", line
    state.md.block.tokenize(state, start_line + 1, line)
    state.parentType, state.lineMax = outer
    state.line = line + is_closed


def closing_bracket(line: str, start: int) -> int:
    """Return where the bracket at a place closes; -1 if it does not.

    >>> closing_bracket("[a [b] c] d", 0)
    8
    """
    depth = 0
    for piece in _PIECE.finditer(line, start):
        depth += (piece[0] == "[") - (piece[0] == "]")
        if not depth and piece[0] == "]":
            return piece.start()
    return -1


def match_attributes(text: str, at: int) -> tuple[dict[str, str], int] | None:
    """Match ``{#id .class key=value}``: the attributes, and where they end.

    >>> match_attributes('{#a .b .c d="e f" g}', 0)
    ({'id': 'a', 'class': 'b c', 'd': 'e f', 'g': ''}, 20)
    """
    if not text.startswith("{", at):
        return None
    found: dict[str, str] = {}
    at += 1
    while match := _ATTRIBUTE.match(text, at):
        key, value = match[3], match[4] or ""
        if match[1] is not None:
            key, value = "id", match[1]
        elif match[2] is not None:
            key, value = "class", f"{found.get('class', '')} {match[2]}".strip()
        found[key] = _decoded(value[1:-1] if value[:1] in {'"', "'"} else value)
        at = match.end()
    while text[at : at + 1] in {" ", "\t"}:
        at += 1
    return (found, at + 1) if text.startswith("}", at) else None


def _decoded(value: str) -> str:
    for escaped, character in reversed(_ESCAPES.items()):
        value = value.replace(escaped, character)
    return value


# --- Write ----------------------------------------------------------------------------------


def write_text(node: TextDirective, writing: Any) -> str:
    """``:name[text]{key="value"}``; the brackets are there in any case, as a letter may follow."""
    writing.enter(node)
    label = writing.run(node.children, "label")
    writing.leave()
    return f":{_name(node)}[{label}]{attributes(node)}"


def write_leaf(node: LeafDirective, writing: Any) -> str:
    """``::name[text]{key="value"}``."""
    label = _label(node, node.children, writing) if node.children else ""
    return f"::{_name(node)}{label}{attributes(node)}"


def write_container(node: ContainerDirective, writing: Any) -> str:
    """``:::name`` and ``:::`` around blocks, with more colons than any fence within."""
    children: tuple[Any, ...] = node.children
    label = ""
    if children and is_label(children[0]):
        label, children = _label(node, children[0].children, writing), children[1:]
    writing.enter(node)
    must_end, writing.must_end = writing.must_end, True
    written = writing.flow(node, children) if children else ""
    writing.must_end = must_end
    writing.leave()
    fence = ":" * max(3, 1 + max(map(len, _FENCES.findall(written)), default=0))
    opening = f"{fence}{_name(node)}{label}{attributes(node)}"
    if not written:
        return f"{opening}\n{fence}"
    return f"{opening}\n{written}\n{fence}"


def is_label(node: Node) -> bool:
    """Return whether a container's first block stands behind its name."""
    return isinstance(node, Paragraph) and LABEL in (node.data or ())


def _name(node: Any) -> str:
    if re.fullmatch(_NAME, node.name) is None:
        raise Unwritable(
            node, f"{node.name!r} is not a name: letters, digits and dashes, a letter first"
        )
    return str(node.name)


def _label(node: Node, children: Any, writing: Any) -> str:
    writing.one_line = True
    label = f"[{writing.run(children, 'label')}]"
    writing.one_line = False
    if closing_bracket(label, 0) != len(label) - 1:
        raise Unwritable(node, "a bracket in its text, where no backslash can stand, would end it")
    return label


def attributes(node: Any) -> str:
    """Return a directive's attributes in braces; nothing if it has none."""
    given: Mapping[str, str] = node.attributes or {}
    for key in given:
        if _KEY_ALONE.fullmatch(key) is None:
            raise Unwritable(node, f"{key!r} is not a valid attribute name")
    return "{" + " ".join([_attribute(*pair) for pair in given.items()]) + "}" if given else ""


def _attribute(key: str, value: str) -> str:
    if key == "id" and re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", value):
        return f"#{value}"
    for escaped, character in _ESCAPES.items():
        value = value.replace(character, escaped)
    return f'{key}="{value}"'


# --- Canonical form ---------------------------------------------------------------------------


def canonical(node: Any) -> Any:
    """Return a directive whose name and attributes can be written."""
    name = re.sub(r"[^A-Za-z0-9_-]", "", node.name).lstrip("0123456789_-").rstrip("_-") or "x"
    given: Mapping[str, str] = node.attributes or {}
    kept = {
        key: value.replace("\0", "\ufffd")
        for key, value in given.items()
        if _KEY_ALONE.fullmatch(key)
    }
    return replace(node, name=name, attributes=kept)


def canonical_leaf(node: Any) -> Any:
    """Return a leaf whose label can be written: else its words."""
    return replace(canonical(node), children=_balanced(node.children))


def canonical_container(node: Any) -> Any:
    """Do the same for a container, whose label is its first paragraph if that says so."""
    children = tuple(
        [
            replace(child, data=None) if place and is_label(child) else child
            for place, child in enumerate(node.children)
        ]
    )
    if children and is_label(children[0]):
        label = replace(children[0], children=_balanced(children[0].children))
        children = (label, *children[1:])
    return replace(canonical(node), children=children)


def _balanced(children: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a label without what has brackets, or a line end, that no backslash can help: as words."""
    if all(isinstance(node, Text) or _is_plain(node) for node in children):
        return children
    words = " ".join(to_string(children).split())
    return (Text(words),) if words else ()


def _is_plain(node: Node) -> bool:
    own = [getattr(each, name) for each in walk(node) for name in each.__struct_fields__]
    texts = [f"{value}" for value in own if isinstance(value, (str, dict))]
    return set("[]\\\n").isdisjoint("".join(texts))


def _built(kind: type[Any]) -> Build:
    def build(token: Any, children: tuple[Any, ...]) -> Node:
        meta = token.meta
        node: Node = kind(name=meta["name"], attributes=meta["attributes"], children=children)
        return node

    return build


EXTENSION = Extension(
    name="directives",
    inline={":": read_text},
    blocks=(BlockReader("directive", read_block),),
    build={
        "text_directive": _built(TextDirective),
        "text_directive_close": _built(TextDirective),
        "leaf_directive_close": _built(LeafDirective),
        "container_directive_close": _built(ContainerDirective),
        "directive_label_close": lambda _, children: Paragraph(children, data={LABEL: True}),
    },
    phrasing={TextDirective: write_text},
    flow={LeafDirective: write_leaf, ContainerDirective: write_container},
    holds={TextDirective: "phrasing", LeafDirective: "line", ContainerDirective: "flow"},
    canonical={
        TextDirective: canonical,
        LeafDirective: canonical_leaf,
        ContainerDirective: canonical_container,
    },
    unsafe=(
        Unsafe(":", "names a directive", after=r"[A-Za-z]"),
        Unsafe("{", "gives a directive attributes", before=r"\A"),
    ),
    line_starts=(LineStart(":", "a directive", r":(?=:+(?:[A-Za-z]|:*[ \t]*$))"),),
)
"""``:name``, ``::name`` and ``:::name``."""
