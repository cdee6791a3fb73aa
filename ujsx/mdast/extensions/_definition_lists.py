"""Definition lists: a term in a line, and descriptions behind colons. Read by mdit-py-plugins."""

from __future__ import annotations

from typing import Any

from mdit_py_plugins.deflist import deflist_plugin
from msgspec.structs import replace

from ujsx.mdast._extension import Extension, LineStart
from ujsx.mdast._nodes import FlowContent, Node, Parent, PhrasingContent
from ujsx.mdast.to_markdown._errors import Unwritable
from ujsx.mdast.to_markdown._flow import indented


class DefListTerm(Parent, frozen=True):
    """What is described."""

    children: tuple[PhrasingContent, ...] = ()


class DefListDescription(Parent, frozen=True):
    """A description; ``spread``: a blank line stands before it, or between its blocks."""

    spread: bool = False
    children: tuple[FlowContent, ...] = ()


class DefList(Parent, frozen=True):
    """Terms, each with the descriptions behind it."""

    children: tuple[DefListTerm | DefListDescription, ...] = ()


def build(token: Any, children: tuple[Any, ...]) -> DefList:
    """Return a list, now that it is known which lines are between its parts."""
    parts: list[Any] = []
    for part in children:
        if isinstance(part, DefListDescription):
            ends = [parts[-1], *part.children]
            starts = part.children
            spread = any(
                after.position.start.line - before.position.end.line > 1
                for before, after in zip(ends, starts, strict=False)
            )
            parts.append(replace(part, spread=spread))
        else:
            parts.append(part)
    return DefList(children=tuple(parts))


def write(node: DefList, writing: Any) -> str:
    """Terms in lines of their own, descriptions behind a colon."""
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
    must_end, writing.must_end = writing.must_end, True
    written = writing.flow(node, node.children) if node.children else ""
    writing.must_end = must_end
    if not written or written[0] in " \t":
        raise Unwritable(node, "it does not begin with words")
    return f": {indented(written, '  ')}"


def canonical_description(node: DefListDescription) -> DefListDescription | None:
    """Return a description that says whether it is spread."""
    if not node.children:
        return None
    first: Any = node.children[0]
    if getattr(first, "value", "")[:1] in {" ", "\t"}:
        first = replace(first, value=first.value.lstrip(" \t"))
        node = replace(node, children=(first, *node.children[1:]))
    return node if node.spread or len(node.children) == 1 else replace(node, spread=True)


def canonical(node: DefList) -> DefList | None:
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


EXTENSION = Extension(
    name="definition-lists",
    plugin=deflist_plugin,
    build={
        "dt_close": lambda _, children: DefListTerm(children=children),
        "dd_close": lambda _, children: DefListDescription(children=children),
        "dl_close": build,
    },
    flow={DefList: write, DefListTerm: _term, DefListDescription: _description},
    holds={DefList: "flow", DefListTerm: "line", DefListDescription: "flow"},
    canonical={DefList: canonical, DefListDescription: canonical_description},
    line_starts=(LineStart(":~", "a description", r"[:~](?=[ \t])"),),
)
"""Terms, and descriptions behind ``:``."""
