"""Targets other than Markdown, for :func:`ujsx.fold`.

A target converts primitives and texts, and adds children to their parents; see
:class:`ujsx.HostConfig`. ``XmlTarget`` writes tags, ``GraphTarget`` builds a networkx graph.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from itertools import groupby
from typing import Any, Protocol, TypeVar, cast

from ujsx import elements
from ujsx.components._component import Component, Fragment, as_element
from ujsx.components._context import RenderContext
from ujsx.components._element import MAX_DEPTH, Child, Element, Node
from ujsx.errors import RenderError, TargetError, shown
from ujsx.on_demand import on_demand
from ujsx.text import escaped, joined
from ujsx.trees import resolve

__all__ = ["GraphTarget", "XmlTarget"]

on_demand(globals())


# The protocol of a target, into which any resolved tree can be folded.

T = TypeVar("T")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


METHODS = ("create_instance", "create_text", "append", "finish")
"""The methods of a target."""


class HostConfig(Protocol[T, R_co]):
    """The construction of a target. ``T`` is the type of its parts, ``R_co`` that of the result."""

    def create_instance(self, element: Element) -> T:
        """Return the part for a primitive, without its children."""
        ...

    def create_text(self, text: str) -> T:
        """Return the part for a text."""
        ...

    def append(self, parent: T, child: T) -> None:
        """Add a finished child to its parent; called in the order of the children."""
        ...

    def finish(self, root: T) -> R_co:
        """Return the result for the root's part."""
        ...


def fold(node: Child, target: HostConfig[T, R], context: RenderContext | None = None) -> R:
    """Resolve a tree and build a target from it.

    Several roots arrive as the children of a ``Fragment``.

    :raises TargetError: for a target that lacks one of its methods.
    :raises RenderError: for a tree that cannot be resolved.

    >>> from ujsx.elements import Section, strong
    >>> class Outline:
    ...     def create_instance(self, element): return [type(element.component).__name__]
    ...     def create_text(self, text): return text
    ...     def append(self, parent, child): parent.append(child)
    ...     def finish(self, root): return root
    >>> fold(Section(title="Notes")["a", strong("b")], Outline())
    ['Section', 'a', ['Strong', 'b']]
    """
    missing = [name for name in METHODS if not hasattr(target, name)]
    if missing:
        raise TargetError(
            f"{shown(target)} is not a target: it has no {missing[0]}; the tree comes first, then the target"
        )
    return target.finish(_build(resolve(node, context), target, 0))


def _build(node: Node, target: HostConfig[T, R], level: int) -> T:
    if isinstance(node, str):
        return target.create_text(node)
    element = as_element(node)
    if level > MAX_DEPTH:
        raise RenderError(f"nested more than {MAX_DEPTH} deep")
    part = target.create_instance(element)
    for child in element.children:
        target.append(part, _build(child, target, level + 1))
    return part


# A networkx graph: a tree for queries, measurements and drawings.

TEXT = "text"
"""The type of text nodes, which alone have the attribute ``text``."""


class GraphTarget:
    """Folds a tree into a ``networkx.DiGraph`` whose edges lead from parents to children.

    Nodes are numbered from 0, the root, in the order of the text. A component's node has ``type`` (the class's name),
    ``props`` (JSON data without those at their default) and ``key``; a text's has the type ``"text"``, and ``text``. An
    edge has ``order``, the child's place among its siblings, and successors come in that order.

    Use a new target for each tree. Requires ``pip install "ujsx[graph]"``.

    :raises TargetError: without networkx, and for a second tree.

    >>> from ujsx import fold
    >>> from ujsx.elements import Section, strong
    >>> graph = fold(Section(title="Notes")["a", strong("b")], GraphTarget())
    >>> graph.nodes[0]
    {'type': 'Section', 'props': {'title': 'Notes'}, 'key': None}
    >>> [graph.nodes[child]["type"] for child in graph.successors(0)]
    ['text', 'Strong']
    """

    def __init__(self) -> None:
        try:
            networkx: Any = import_module("networkx")
        except ImportError:
            raise TargetError('networkx is not installed; pip install "ujsx[graph]"') from None
        self._graph: Any = networkx.DiGraph()
        self._is_finished = False

    def create_instance(self, element: Element) -> int:
        """Add a component, and return its number."""
        component = element.component
        return self._add(
            type=type(component).__name__,
            props=component.model_dump(mode="json", exclude_defaults=True),
            key=element.key,
        )

    def create_text(self, text: str) -> int:
        """Add a text, and return its number."""
        return self._add(type=TEXT, text=text)

    def append(self, parent: int, child: int) -> None:
        """Add the edge from a parent to its next child."""
        self._graph.add_edge(parent, child, order=self._graph.out_degree(parent))

    def finish(self, root: int) -> Any:
        """Return the graph; it is a ``networkx.DiGraph``."""
        self._is_finished = True
        return self._graph

    def _add(self, **attributes: Any) -> int:
        if self._is_finished:
            raise TargetError("this target has built its graph; make a GraphTarget for each tree")
        number: int = self._graph.number_of_nodes()
        self._graph.add_node(number, **attributes)
        return number


# Names and texts, fit for XML 1.0 (fifth edition).

_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NO_NAME_CHARACTER = re.compile(r"[^A-Za-z0-9_]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")

_CONTENT: dict[int, str] = {
    ord("&"): "&amp;",
    ord("<"): "&lt;",
    ord(">"): "&gt;",
    ord("\r"): "&#13;",
}
"""A literal carriage return would be read as a line feed (section 2.11)."""

_ATTRIBUTE: dict[int, str] = {**_CONTENT, ord('"'): "&quot;", ord("\t"): "&#9;", ord("\n"): "&#10;"}
"""Literal white space would be read as spaces (section 3.3.3)."""


def content_text(text: str) -> str:
    r"""Return a text escaped for the place between tags, with invisible characters written visibly.

    So are characters that XML cannot represent, even as references (section 2.2).

    >>> content_text("a < b\x00")
    'a &lt; b␀'
    """
    return xml_references(escaped(text))


def xml_references(text: str) -> str:
    """Return a text with only the characters escaped that could open or close a tag.

    >>> xml_references("a < b & </goal>")
    'a &lt; b &amp; &lt;/goal&gt;'
    """
    return text.translate(_CONTENT)


def attribute_text(text: str) -> str:
    r"""Return a text escaped for an attribute's quotes.

    >>> attribute_text('say "hi"\n')
    'say &quot;hi&quot;&#10;'
    """
    return escaped(text).translate(_ATTRIBUTE)


def element_name(name: str) -> str:
    """Return the name of a class or a field in snake case.

    A character that some parsers do not accept as a letter is written as its number.

    >>> element_name("DecisionsList"), element_name("HTMLBlock"), element_name("Größe")
    ('decisions_list', 'html_block', 'gr_xf6__xdf_e')
    """
    snake = _WORD_START.sub("_", name).lower()
    return _NO_NAME_CHARACTER.sub(lambda match: f"_x{ord(match[0]):x}_", snake)


def is_name(text: object) -> bool:
    """Tell whether a text is a name of plain letters, valid for any parser."""
    return isinstance(text, str) and _NAME.fullmatch(text) is not None


# XML text: a tree as tags, which many prompts use.

CONTENT: dict[type[Component], str] = {
    elements.InlineCode: "value",
    elements.CodeBlock: "value",
    elements.Html: "value",
    elements.FrontMatter: "value",
    elements.TrustedMarkdown: "source",
}
"""Primitives with a prop that is written between the tags, as their content."""

UNWRITTEN: dict[type[Component], set[str]] = {elements.Omitted: {"ids"}}
"""Props that are not written: an omission marker must be shorter than the omitted items."""

KEY = "key"


@dataclass(slots=True)
class XmlPart:
    """An element under construction: its parts are escaped texts, and elements."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict[str, str])
    parts: list[XmlPart | str] = field(default_factory=list["XmlPart | str"])


class XmlTarget:
    """Folds a tree into XML text (XML 1.0, fifth edition), well-formed for any tree.

    Elements are named after classes, in snake case, so that no text can open or close one; ``<``, ``>``, ``&`` and
    quotes are written as references. A prop at its default is left out. A string, number or boolean is an attribute;
    anything else is an element of the prop's name before the children, with ``<item>`` and ``<entry name="…">`` inside.
    No white space is added to an element with text; in others, each child has its own line.

    Invisible characters, and those that XML cannot represent, are written visibly, as in Markdown: ``␀`` for U+0000,
    ``⟦U+200B⟧`` for a zero-width space. All other text is read back unchanged.

    :param root: the name of the element around several roots, or around a lone text.
    :param indent: the number of spaces of indentation; ``None`` writes a single line.
    :raises TargetError: for an invalid root name or indent.

    >>> from ujsx import fold
    >>> from ujsx.elements import Section, strong
    >>> print(fold(Section(title="Notes")["a < b, ", strong("</section>")], XmlTarget()))
    <section title="Notes">a &lt; b, <strong>&lt;/section&gt;</strong></section>
    """

    def __init__(self, *, root: str = "fragment", indent: int | None = 2) -> None:
        if not is_name(root):
            raise TargetError(
                f"{shown(root)} is not a valid name for an element; take letters, digits, _ . and -, "
                "a letter first"
            )
        spaces: object = indent
        if spaces is not None and (type(spaces) is not int or spaces < 0):
            raise TargetError(f"an indent is a number of spaces, or None, not {shown(spaces)}")
        self._root = root
        self._indent = indent

    def create_instance(self, element: Element) -> XmlPart:
        """Return the element of a primitive, with its props."""
        component = element.component
        cls = type(component)
        is_group = isinstance(component, Fragment)
        part = XmlPart(self._root if is_group else element_name(cls.__name__))
        if element.key is not None:
            name = f"_{KEY}" if KEY in cls.model_fields else KEY
            part.attributes[name] = attribute_text(element.key)
        content = CONTENT.get(cls)
        unwritten = UNWRITTEN.get(cls)
        props = component.model_dump(mode="json", exclude_defaults=True, exclude=unwritten)
        for name, value in props.items():
            if name == content:
                part.parts.append(content_text(value))
            else:
                _add(part, element_name(name), value)
        return part

    def create_text(self, text: str) -> XmlPart:
        """Return a text: an element without a name, replaced by its content."""
        return XmlPart("", parts=[content_text(text)])

    def append(self, parent: XmlPart, child: XmlPart) -> None:
        """Append a child to its parent."""
        if child.name:
            parent.parts.append(child)
        else:
            parent.parts += child.parts

    def finish(self, root: XmlPart) -> str:
        """Return the text of the document, without a final line end."""
        if not root.name:
            root.name = self._root
        if self._indent is None:
            return "".join(_inline(root))
        return "\n".join(_lines(root, " " * self._indent))


def _add(part: XmlPart, name: str, value: Any) -> None:
    """Add a value under a name: as an attribute if it is a scalar, else as an element."""
    if isinstance(value, str):
        part.attributes[name] = attribute_text(value)
    elif isinstance(value, bool):
        part.attributes[name] = "true" if value else "false"
    elif isinstance(value, int | float):
        part.attributes[name] = repr(value)
    else:
        part.parts.append(_filled(XmlPart(name), value))


def _filled(part: XmlPart, value: Any) -> XmlPart:
    """Put a value between an element's tags; null is written as nothing."""
    if isinstance(value, list):
        part.parts += [_filled(XmlPart("item"), each) for each in value]  # pyright: ignore[reportUnknownVariableType]
    elif isinstance(value, dict):
        for name, each in value.items():  # pyright: ignore[reportUnknownVariableType]
            entry = XmlPart("entry", {"name": attribute_text(str(name))})  # pyright: ignore[reportUnknownArgumentType]
            part.parts.append(_filled(entry, each))
    elif isinstance(value, bool):
        part.parts.append("true" if value else "false")
    elif value is not None:
        part.parts.append(content_text(str(value)))
    return part


def _opening(part: XmlPart) -> str:
    attributes = "".join(f' {name}="{value}"' for name, value in part.attributes.items())
    return f"<{part.name}{attributes}" + (">" if part.parts else "/>")


def _inline(part: XmlPart) -> Iterator[str]:
    yield _opening(part)
    for is_text, parts in groupby(part.parts, lambda each: isinstance(each, str)):
        if is_text:
            yield joined(cast("list[str]", list(parts)))
        else:
            for each in cast("Iterator[XmlPart]", parts):
                yield from _inline(each)
    if part.parts:
        yield f"</{part.name}>"


def _lines(part: XmlPart, indent: str) -> Iterator[str]:
    inner = [each for each in part.parts if isinstance(each, XmlPart)]
    if not inner or len(inner) < len(part.parts):
        yield "".join(_inline(part))
        return
    yield _opening(part)
    for each in inner:
        for line in _lines(each, indent):
            yield f"{indent}{line}"
    yield f"</{part.name}>"
