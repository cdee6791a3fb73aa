"""What an HTML parser sees in a page, and what the tree meant it to see."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any, TypeAlias

from ujsx import hast
from ujsx.hast import VOID, attributes

Event: TypeAlias = tuple[str, Any]
"""``("text", …)``, ``("start", (name, attributes))`` or ``("end", name)``."""


def add(events: list[Event], kind: str, value: Any) -> None:
    """Add an event; texts that meet are one."""
    if kind == "text" and events and events[-1][0] == "text":
        events[-1] = ("text", events[-1][1] + value)
    elif kind != "text" or value:
        events.append((kind, value))


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.events: list[Event] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        add(self.events, "start", (tag, tuple(attrs)))

    def handle_endtag(self, tag: str) -> None:
        add(self.events, "end", tag)

    def handle_data(self, data: str) -> None:
        add(self.events, "text", data)

    def handle_comment(self, data: str) -> None:
        add(self.events, "comment", data)

    def handle_decl(self, decl: str) -> None:
        add(self.events, "declaration", decl)

    def handle_pi(self, data: str) -> None:
        add(self.events, "instruction", data)


def read(html: str) -> list[Event]:
    """What a parser sees."""
    parser = _Parser()
    parser.feed(html)
    parser.close()
    return parser.events


def meant(root: hast.AnyNode) -> list[Event]:
    """What a tree means: its elements, and its text, raw HTML shown as text too."""
    events: list[Event] = []

    def visit(node: Any) -> None:
        if isinstance(node, hast.Text | hast.Raw):
            add(events, "text", node.value.replace("\0", "\ufffd"))
            return
        is_element = isinstance(node, hast.Element)
        if is_element:
            given = tuple(
                (name, value.replace("\0", "\ufffd"))
                for name, value in attributes(node, allow_dangerous_urls=False)
            )
            add(events, "start", (node.tag_name, given))
        for child in node.children:
            visit(child)
        if is_element and node.tag_name not in VOID:
            add(events, "end", node.tag_name)

    visit(root)
    return events
