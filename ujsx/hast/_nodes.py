"""The hast node classes: an abstract syntax tree of HTML, as the hast specification has it.

Names and fields are those of hast (https://github.com/syntax-tree/hast), with ``Raw`` as
mdast-util-to-hast has it; ``tag_name`` is ``tagName`` in JSON. Nodes are made as those of
:mod:`ujsx.mdast` are: frozen structs, compared by value, ``children`` a tuple, ``position`` and
``data`` by keyword.
"""

from __future__ import annotations

from typing import TypeAlias

from ujsx.mdast import Node, Parent

PropertyValue: TypeAlias = str | int | float | bool | tuple[str | int | float, ...] | None
"""What an element says of itself. ``True`` is an attribute without a value, ``False`` and ``None``
are no attribute, a tuple is a list of words."""


class Text(Node, frozen=True):
    """Literal text."""

    value: str


class Comment(Node, frozen=True):
    """What only a reader of the source sees."""

    value: str


class Doctype(Node, frozen=True):
    """``<!doctype html>``."""


class Raw(Node, frozen=True):
    """HTML that somebody wrote and nobody parsed."""

    value: str


class Element(Parent, frozen=True):
    """An element; ``properties`` go by their names in the DOM (``className``, ``dataFoot``).

    >>> Element("a", {"href": "/"}, (Text("home"),))
    Element(tag_name='a', properties={'href': '/'}, children=(Text(value='home'),))
    """

    tag_name: str
    properties: dict[str, PropertyValue] = {}  # noqa: RUF012 - msgspec gives each its own
    children: tuple[Content, ...] = ()

    def __hash__(self) -> int:
        # a dict has no hash; equal elements have equal children and so equal hashes all the same
        return hash((self.tag_name, self.children))


class Root(Parent, frozen=True):
    """A document, or a part of one."""

    children: tuple[Content, ...] = ()


Content: TypeAlias = Text | Element | Comment | Doctype | Raw
"""What may stand in a root; in an element too, but for a doctype."""

AnyNode: TypeAlias = Root | Content
"""Every node kind."""
