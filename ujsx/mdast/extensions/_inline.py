"""Inline extensions: wiki links, formulas and directives; the last two may be blocks as well."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

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
from ujsx.mdast.util import to_string, unpadded, walk

# Wiki links: ``[[page]]`` and ``[[page|words]]``; in a table's cell a backslash precedes the bar.

_PART = r"(?![ \t])[^\[\]|\n\r\x00]++(?<![ \t])"
_LINK = re.compile(rf"\[\[(?!\^)({_PART})(?:\|({_PART}))?\]\]")
_PART_ALONE = re.compile(_PART)
_IMPOSSIBLE = re.compile(r"[\[\]|\n\r\x00]+")


class WikiLink(Node, frozen=True):
    """A link to a page by name; ``alias`` is shown instead of it."""

    value: str
    alias: str | None = None


def read_wiki_link(state: Any, silent: bool) -> bool:
    """Parse ``[[page]]``."""
    match = _LINK.match(state.src, state.pos)
    if match is None:
        return False
    value = match[1] if match[2] is None else match[1].removesuffix("\\")
    if _PART_ALONE.fullmatch(value) is None:
        return False
    state.push("wiki_link", "", 0).meta = {"value": value, "alias": match[2]}
    state.pos = match.end()
    return True


def write_wiki_link(node: WikiLink, writing: Any) -> str:
    """Write ``[[page|words]]``; its content has no escapes."""
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


def canonical_wiki_link(node: WikiLink) -> WikiLink | None:
    """Return a link whose parts can be written; ``None`` if nothing is left of its page."""
    value = _IMPOSSIBLE.sub(" ", node.value).strip(" \t").lstrip("^ \t")
    alias = None if node.alias is None else _IMPOSSIBLE.sub(" ", node.alias).strip(" \t") or None
    if alias is not None:
        value = value.rstrip("\\ \t")
    return WikiLink(value, alias, position=node.position, data=node.data) if value else None


WIKI_LINKS = Extension(
    name="wiki-links",
    inline={"[": read_wiki_link},
    build={"wiki_link": lambda token, _: WikiLink(**token.meta)},
    phrasing={WikiLink: write_wiki_link},
    canonical={WikiLink: canonical_wiki_link},
    unsafe=(Unsafe("[", "opens a wiki link", after=r"\[|\Z"),),
)
"""``[[page]]`` in a line."""


# Formulas:
#
# ``$…$`` in a line, and blocks between lines of ``$$``. As in micromark-extension-math, runs of dollars work like runs
# of backticks: the text between two of the same length is the formula, without escapes. A single dollar opens only
# before a character other than white space, and closes only after one, so that prices stay text.

_RUN = re.compile(r"\$+")
_DOLLAR_OPENING = re.compile(r"(\${2,})[ \t]*([^$\n]*?)[ \t]*\Z")
_DOLLAR_FENCES = re.compile(r"^[ \t]*(\$+)", re.MULTILINE)
_SPACES = " \t\n"


class InlineMath(Node, frozen=True):
    """A formula in a line, in TeX."""

    value: str
    are_one: ClassVar[bool] = True


class Math(Node, frozen=True):
    """A formula as a block; ``meta`` is the text after the opening dollars."""

    value: str
    meta: str | None = None


def read_formula(state: Any, silent: bool) -> bool:
    """Parse a run of dollars: a formula up to a run of the same length, or text."""
    src = state.src
    opening = _RUN.match(src, state.pos)
    assert opening is not None
    size = opening.end() - opening.start()
    known, last = state.env.get("dollars", (None, {}))
    if known is not src:  # the last place of a run of each length: nothing after it is closed
        last = {len(run[0]): run.start() for run in _RUN.finditer(src)}
        state.env["dollars"] = src, last
    if last.get(size, -1) > opening.start() and not (size == 1 and src[opening.end()] in _SPACES):
        closing = next(
            run for run in _RUN.finditer(src, opening.end()) if run.end() - run.start() == size
        )
        value = src[opening.end() : closing.start()]
        if size > 1 or value[-1] not in _SPACES:
            state.push("math_inline", "", 0).content = unpadded(value) if size > 1 else value
            state.pos = closing.end()
            return True
    state.append_pending(opening[0])
    state.pos = opening.end()
    return True


def read_formula_block(state: Any, start_line: int, end_line: int, silent: bool) -> bool:
    """Parse the lines between ``$$`` and ``$$``, or to the end of the container."""
    start = state.bMarks[start_line] + state.tShift[start_line]
    if state.src[start] != "$" or state.is_code_block(start_line):
        return False
    opening = _DOLLAR_OPENING.match(state.src[start : state.eMarks[start_line]])
    if opening is None:
        return False
    if silent:
        return True
    line, behind = _closing_lines(state, start_line, end_line, opening[1])
    token = state.push("math_block", "", 0)
    token.info = opening[2]
    token.content = state.getLines(start_line + 1, line, state.sCount[start_line], True)
    state.line = behind
    token.map = [start_line, behind]
    return True


def _closing_lines(state: Any, start_line: int, end_line: int, fence: str) -> tuple[int, int]:
    """Return the end of a fence's content, and the line after the block, which may include a closing fence."""
    for line in range(start_line + 1, end_line):
        at = state.bMarks[line] + state.tShift[line]
        text = state.src[at : state.eMarks[line]].rstrip(" \t")
        indent = state.sCount[line] - state.blkIndent
        if text and indent < 0:
            return line, line
        if indent < 4 and text.startswith(fence) and not text.strip(fence[0]):
            return line, line + 1
    return end_line, end_line


def write_formula(node: InlineMath, writing: Any) -> str:
    """Write a formula between runs of dollars that are longer or shorter than any within."""
    value = node.value
    if not value:
        raise Unwritable(node, "it is empty")
    if not _is_inline(value, writing):
        raise Unwritable(node, "a line end in it, or a pipe in a cell, would be read as another")
    size = _size(value)
    if size == 1:
        return f"${value}$"
    run = "$" * size
    is_padded = value[0] in " \n" and value[-1] in " \n" and value.strip(" \n")
    pad = " " if value[0] == "$" or value[-1] == "$" or is_padded else ""
    return f"{run}{pad}{value}{pad}{run}"


def _is_inline(value: str, writing: Any) -> bool:
    if writing.in_cell and "\\|" in value:
        return False
    if "\n" not in value and "\r" not in value:
        return True
    # Two dollars before a line end would open a block.
    return not (
        writing.one_line
        or "\r" in value
        or _size(value) > 1
        or any(line != line.strip(" \t") or not line for line in value.split("\n"))
        or writing.line_starts.in_lines(f"${value}$")
    )


def _size(value: str) -> int:
    runs = set(map(len, _RUN.findall(value)))
    if value[0] in " \t\n$" or value[-1] in " \t\n$":
        runs.add(1)
    size = 1
    while size in runs:
        size += 1
    return size


def write_formula_block(node: Math, writing: Any) -> str:
    """Lines between fences longer than any within."""
    value, meta = node.value, node.meta or ""
    if "\r" in value:
        raise Unwritable(node, "a carriage return in it would be read as a line end")
    if meta and (meta != meta.strip(" \t") or "$" in meta or "\n" in meta or "\r" in meta):
        raise Unwritable(node, "its meta has a dollar, a line end, or white space at an edge")
    fence = "$" * max(2, 1 + max(map(len, _DOLLAR_FENCES.findall(value)), default=0))
    return f"{fence}{meta}\n{value}\n{fence}" if value else f"{fence}{meta}\n{fence}"


def canonical_formula(node: InlineMath) -> InlineMath | None:
    """Return a formula in one line."""
    value = " ".join(node.value.replace("\0", "\ufffd").splitlines()) if node.value else ""
    return InlineMath(value, position=node.position, data=node.data) if value else None


def canonical_formula_block(node: Math) -> Math:
    """Return a formula whose meta can be written."""
    value = node.value.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    meta = re.sub(r"[$\n\r\0]+", " ", node.meta or "").strip(" \t") or None
    return Math(value, meta, position=node.position, data=node.data)


MATH = Extension(
    name="math",
    inline={"$": read_formula},
    blocks=(BlockReader("math", read_formula_block),),
    build={
        "math_inline": lambda token, _: InlineMath(token.content),
        "math_block": lambda token, _: Math(token.content.removesuffix("\n"), token.info or None),
    },
    phrasing={InlineMath: write_formula},
    flow={Math: write_formula_block},
    canonical={InlineMath: canonical_formula, Math: canonical_formula_block},
    unsafe=(
        Unsafe("$", "delimits a formula, but not between two spaces", before=r"(?<!\S )"),
        Unsafe("$", "delimits a formula, but not between two spaces", after=r"(?! \S)"),
    ),
    line_starts=(LineStart("$", "a formula", r"\${2,}(?=[^$\n]*$)"),),
)
"""``$…$`` in a line, ``$$`` around lines."""


# Directives: ``:name[text]{key=value}`` in a line, ``::name`` as a block, ``:::name`` around blocks.
#
# The generic syntax of CommonMark's forum as micromark-extension-directive reads it, and the nodes of
# mdast-util-directive. The text behind a container's name is its first paragraph, which says so in its
# ``data``: ``{"directiveLabel": True}``.

LABEL = "directiveLabel"
"""The key in the ``data`` of a container's first paragraph if it is the text after its name."""

_NAME = r"[A-Za-z](?:[A-Za-z0-9_-]*[A-Za-z0-9])?(?![A-Za-z0-9_-])"
_TEXT = re.compile(rf":({_NAME})(?!:)")
_BLOCK = re.compile(rf"(:{{2,}})({_NAME})")
_COLON_FENCES = re.compile(r"^[ \t>]*(:{3,})", re.MULTILINE)
_VALUE = r"\"[^\"\n]*+\"|'[^'\n]*+'|[^\s\"'<=>`{}]++"
_KEY = r"[A-Za-z_:][A-Za-z0-9_.:-]*+"
_ATTRIBUTE = re.compile(
    rf"[ \t]*+(?:#([^\s#.{{}}=\"'<>`]++)|\.([^\s#.{{}}=\"'<>`]++)|({_KEY})(?:=({_VALUE}))?)"
)
_KEY_ALONE = re.compile(_KEY)
_ESCAPES = {"&amp;": "&", "&quot;": '"', "&#x7C;": "|", "&#xA;": "\n", "&#xD;": "\r"}
"""The escapes in an attribute's value for characters that would end it, its line or its cell."""

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


def read_text_directive(state: Any, silent: bool) -> bool:
    """Parse ``:name``; a label after it is its content once its bracket closes."""
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
        state.open_bracket(on_close=_close)
    elif found := match_attributes(src, end):
        token.meta["attributes"], state.pos = found
    else:
        state.pos = end
    return True


def _is_behind_colon(src: str, start: int) -> bool:
    """Return whether an unescaped colon precedes."""
    if not start or src[start - 1] != ":":
        return False
    before = src[: start - 1] if start < 64 else src[start - 64 : start - 1]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 0


def _close(state: Any, opener: Any, end: int) -> bool:
    """Add the content to a directive whose label's bracket closes."""
    bracket, directive = state.tokens[opener.token], state.tokens[opener.token - 1]
    meta, state.pos = directive.meta, end + 1
    if found := match_attributes(state.src, end + 1):
        meta["attributes"], state.pos = found
    bracket.type, bracket.nesting, bracket.content = "text_directive_open", 1, ""
    bracket.meta, bracket.map = meta, directive.map
    directive.type, directive.content = "text", ""
    state.push("text_directive_close", "", 0).nesting = -1
    return True


def read_directive_block(state: Any, start_line: int, end_line: int, silent: bool) -> bool:
    """Parse ``::name`` on a line, or the lines between ``:::name`` and ``:::``."""
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
        _read_content(state, start_line, end_line, match[1])
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


def _read_content(state: Any, start_line: int, end_line: int, fence: str) -> None:
    """Read the blocks up to a line of as many colons, or to the end of the container."""
    line, behind = _closing_lines(state, start_line, end_line, fence)
    outer = state.parentType, state.lineMax
    state.parentType, state.lineMax = "directive", line
    state.md.block.tokenize(state, start_line + 1, line)
    state.parentType, state.lineMax = outer
    state.line = behind


def closing_bracket(line: str, start: int) -> int:
    """Return the closing bracket of the one at a place; -1 if there is none.

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
    """Match ``{#id .class key=value}``: the attributes, and their end.

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


def write_text_directive(node: TextDirective, writing: Any) -> str:
    """Write ``:name[text]{key="value"}``, always with brackets, as a letter may follow."""
    writing.enter(node)
    label = writing.run(node.children, "label")
    writing.leave()
    return f":{_name(node)}[{label}]{attributes(node)}"


def write_leaf_directive(node: LeafDirective, writing: Any) -> str:
    """``::name[text]{key="value"}``."""
    label = _label(node, node.children, writing) if node.children else ""
    return f"::{_name(node)}{label}{attributes(node)}"


def write_container_directive(node: ContainerDirective, writing: Any) -> str:
    """``:::name`` and ``:::`` around blocks, with more colons than any fence within."""
    children: tuple[Any, ...] = node.children
    label = ""
    if children and is_label(children[0]):
        label, children = _label(node, children[0].children, writing), children[1:]
    writing.enter(node)
    written = writing.contained(node, children)
    writing.leave()
    fence = ":" * max(3, 1 + max(map(len, _COLON_FENCES.findall(written)), default=0))
    opening = f"{fence}{_name(node)}{label}{attributes(node)}"
    if not written:
        return f"{opening}\n{fence}"
    return f"{opening}\n{written}\n{fence}"


def is_label(node: Node) -> bool:
    """Return whether a container's first block is the text after its name."""
    return isinstance(node, Paragraph) and LABEL in (node.data or ())


def _name(node: Any) -> str:
    if re.fullmatch(_NAME, node.name) is None:
        raise Unwritable(
            node, f"{node.name!r} is not a name: letters, digits and dashes, a letter first"
        )
    return str(node.name)


def _label(node: Node, children: Any, writing: Any) -> str:
    label = f"[{writing.line(children, 'label')}]"
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


def canonical_directive(node: Any) -> Any:
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
    """Return a leaf whose label can be written, or else its words."""
    return replace(canonical_directive(node), children=_balanced(node.children))


def canonical_container(node: Any) -> Any:
    """Return a container likewise; its label is a first paragraph marked as one."""
    children = tuple(
        replace(child, data=None) if place and is_label(child) else child
        for place, child in enumerate(node.children)
    )
    if children and is_label(children[0]):
        label = replace(children[0], children=_balanced(children[0].children))
        children = (label, *children[1:])
    return replace(canonical_directive(node), children=children)


def _balanced(children: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a label with nodes as words if they have brackets, or a line end, that cannot be escaped."""
    if all(isinstance(node, Text) or _is_plain(node) for node in children):
        return children
    words = " ".join(to_string(children).split())
    return (Text(words),) if words else ()


def _is_plain(node: Node) -> bool:
    own = [getattr(each, name) for each in walk(node) for name in each.__struct_fields__]
    texts = [f"{value}" for value in own if isinstance(value, (str, dict))]
    return set("[]\\\n").isdisjoint("".join(texts))


def _built(kind: type[Any]) -> Build:
    return lambda token, children: kind(
        name=token.meta["name"], attributes=token.meta["attributes"], children=children
    )


DIRECTIVES = Extension(
    name="directives",
    inline={":": read_text_directive},
    blocks=(BlockReader("directive", read_directive_block),),
    build={
        "text_directive": _built(TextDirective),
        "text_directive_close": _built(TextDirective),
        "leaf_directive_close": _built(LeafDirective),
        "container_directive_close": _built(ContainerDirective),
        "directive_label_close": lambda _, children: Paragraph(children, data={LABEL: True}),
    },
    phrasing={TextDirective: write_text_directive},
    flow={LeafDirective: write_leaf_directive, ContainerDirective: write_container_directive},
    holds={TextDirective: "phrasing", LeafDirective: "line", ContainerDirective: "flow"},
    canonical={
        TextDirective: canonical_directive,
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
