"""Elements: nodes with children, and their display in notebooks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from datetime import date, datetime, time
from functools import lru_cache
from importlib import import_module
from inspect import signature, unwrap
from types import MappingProxyType, NoneType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    NoReturn,
    TypeAlias,
    TypeGuard,
    overload,
)

import msgspec
from pydantic import BaseModel

from ujsx.calls import Answering
from ujsx.components._definition import FACTS, Facts, fields_of, is_component_class, is_mentioned
from ujsx.errors import (
    CallError,
    ChildError,
    RenderError,
    UjsxError,
    did_you_mean,
    quoted,
    shown,
)
from ujsx.mdast._nodes import CONTENT_MODELS, HOLDERS, TAKES, Content, ContentModel, Text, named

if TYPE_CHECKING:
    from ujsx.components._component import Component

# The display of a value in notebooks and terminals: its document, rendered.


class Displayable:
    r"""A value displayed as a document in notebooks, and in terminals by ``rich``.

    A document that cannot be rendered is displayed as its error, so that the notebook cell shows the mistake. All text
    in it stays text.

    >>> from ujsx.elements import Paragraph, strong
    >>> Paragraph()["Port ", strong("8080")]._repr_markdown_()
    'Port **8080**\n'
    """

    __slots__ = ()

    def _as_document(self) -> Any:
        """Return the node or the Markdown to display."""
        return self

    def _document(self) -> Any:
        """Return the document, or the reason that there is none, such as a closed store."""
        try:
            return self._as_document()
        except UjsxError as error:
            return _why_not(error)

    def _repr_markdown_(self) -> str | None:
        from ujsx.rendering._render import render

        shown = self._document()
        return (shown if isinstance(shown, str) else _made(render, shown)) or None

    def _repr_html_(self) -> str | None:
        if self._repr_markdown_() is None:  # a document without text may still have tags
            return None
        shown = self._document()
        if isinstance(shown, str):
            return _html(shown)
        from ujsx.rendering._render import render_html

        return _made(render_html, shown)

    def __rich__(self) -> Any:
        # The caller has rich, which is not a dependency.
        markdown = self._repr_markdown_()
        if markdown is None:
            return import_module("rich.text").Text(repr(self))
        return import_module("rich.markdown").Markdown(markdown)


def _html(markdown: str) -> str:
    from ujsx.hast import to_html
    from ujsx.mdast import from_markdown
    from ujsx.transforms import registry

    return to_html(registry.transform("mdast -> hast", from_markdown(markdown)))


def _made(make: Callable[[Any], str], shown: Any) -> str:
    try:
        return make(shown)
    except UjsxError as error:
        return make(_why_not(error))


def _why_not(error: UjsxError) -> Any:
    from ujsx.elements import CodeBlock

    return CodeBlock(value=f"{type(error).__name__}: {error}")


# Misplaced nodes: an error names them as the author wrote them.
#
# The author wrote an ``Item``, a ``Section`` or their own component, and not the ``ListItem`` or ``<h1>`` that it
# became. Only the content model defines the allowed places.

FORMS: Mapping[Content, str] = MappingProxyType(
    {"list": "Item()[{}]", "table": "TableRow()[TableCell()[{}]]", "row": "TableCell()[{}]"}
)
"""The way to put other content into a list, a table and a row."""


def barred_from(model: ContentModel) -> frozenset[Content]:
    """Return the places that do not allow a content model.

    >>> sorted(barred_from(CONTENT_MODELS[Text]))
    ['list', 'row', 'table']
    """
    return frozenset(place for place in TAKES if not model.fits(place))


TEXT_BARRED_FROM = barred_from(CONTENT_MODELS[Text])
"""The places that do not allow text."""

FACTS[str] = Facts(is_leaf=True, barred_from=TEXT_BARRED_FROM)


def misplaced(place: Content, child: str | Component, parent: Component) -> RenderError:
    """Return the message about a child that its parent does not allow, as in a rendering."""
    if place in HOLDERS:
        error = no_member(place, child)
    elif place == "phrasing" or isinstance(child, str) or child.content_model is None:
        error = no_line(child)
    else:
        error = no_part(next(kind for kind in child.content_model.stands_as if kind in HOLDERS))
    error.within(type(parent).__name__)
    return error


def no_member(place: Content, child: str | Component) -> RenderError:
    """Return the message about a child that is not a member of its list, table or row."""
    holder, part = HOLDERS[place]
    written = FORMS[place].format(shown(child, width=30) if isinstance(child, str) else "…")
    return RenderError(f"a {holder} holds {part}s, not {described(child)}; write {written}")


def as_rendered(error: RenderError, child: str | Component) -> RenderError:
    """Return an error about a rendered child: a component's output is its author's."""
    if isinstance(child, str) or child.is_primitive:
        return error
    kind = type(child)
    if "render" in vars(kind):
        return error.made_by(child.render)
    place: tuple[str, int] | None = vars(kind).get("_written_at")
    if place is not None:  # a render of another author, such as a section's
        error.add_note(f"{kind.__name__} is written at {place[0]}:{place[1]}")
    return error


def no_part(content: Content) -> RenderError:
    """Return the message about a part of a list, a table or a row outside of one."""
    holder, part = HOLDERS[content]
    message = f"it stands in a {holder} only; write {holder}()[{part}()[…]]"
    return RenderError(message, path=part)


def no_line(child: str | Component) -> RenderError:
    """Return the message about a block among inline content."""
    return RenderError(
        f"{described(child)} is a block and cannot go inside inline text; put it next to the paragraph"
    )


def described(child: str | Component) -> str:
    """Return the name of a child in an error: its class, or its text.

    >>> from ujsx.elements import Item
    >>> described(Item()), described("hello")
    ('an Item', "the text 'hello'")
    """
    if isinstance(child, str):
        return f"the text {shown(child, width=30)}"
    name = type(child).__name__
    return named(name) if child.is_primitive else f"what {name} renders"


if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from ujsx.components._component import Component
    from ujsx.mdast._nodes import Content

    C = TypeVar("C", bound=Component)
    C_co = TypeVar("C_co", bound=Component, covariant=True, default=Component)
else:
    from typing import TypeVar

    C = TypeVar("C")
    C_co = TypeVar("C_co", covariant=True)

Node: TypeAlias = "str | Component | Element"
"""A node of a tree: text, or a component with or without children."""

Children: TypeAlias = "tuple[Node, ...]"
"""Normalised children."""

Child: TypeAlias = "Node | Collection[Child] | Iterator[Child] | bool | None"
"""A value accepted as a child: a node, nothing, or a collection or generator of such values."""


MAX_DEPTH = 150
"""The maximum nesting of nodes. A deeper tree is a component that renders itself, or an attack. A level takes at most
four frames, which leaves 400 of Python's 1,000 to the caller.
"""


TREE_FUNCTIONS: Mapping[str, str] = {
    "ujsx.render": "render tomarkdown rendertostring",
    "ujsx.render_html": "tohtml renderhtml",
    "ujsx.to_mdast": "tomdast toast",
    "ujsx.dump": "todict asdict dump",
}
"""Functions of trees, each with the node attributes that people try for it."""


class Element(msgspec.Struct, Answering, Displayable, Generic[C_co], frozen=True, eq=False):
    """A component with its children, and optionally a key that identifies it among its siblings.

    Created by ``component[children]``. Immutable, hashable, and compared by value; without children and key it equals
    its component.

    >>> from ujsx.elements import Paragraph
    >>> Paragraph()["a", None, ["b", False]].children
    ('a', 'b')
    """

    _instead: ClassVar[Mapping[str, str]] = {
        "element.component.model_dump_json()": "modeldumpjson json tojson",
        "element.component.model_dump()": "modeldump",
        "element.component": "props type tag node name attributes attrs",
        "next(iter(element.find_all(Section)), None)": "find findone select query first",
        "for node in element.find_all(): …": "visit traverse map",
        "print(element)": "prettyprint pprint pretty print tostring show debug",
        "render(element), from ujsx import render": "markdown text content output",
        'render(element, density="compact"), from ujsx import render': "full compact minimal",
        "render_document(element).tokens, from ujsx import render_document": "tokens tokencount",
    }

    _also: ClassVar[Mapping[str, str]] = {
        "_all": "findall selectall queryall walk iter descendants",
        "_copied": "modelcopy copy clone replace cloneelement",
        **TREE_FUNCTIONS,
    }

    component: C_co
    children: tuple[Node, ...] = ()
    key: str | None = None
    is_resolved: bool = False
    """True if it is known to contain primitives and text only; not part of its value. Never true for fragments, which a
    parent dissolves, nor for components with a ladder, whose rung depends on their place.
    """

    @classmethod
    def of(cls, component: C, children: Child, place: Content | None = None) -> Element[C]:
        """Return ``component`` with ``children`` normalized.

        :param place: the content model of the parent, where an author attaches them; misplaced children are refused
            then. Trees from outside report them later, with their place.
        :raises ChildError: for a child that is not a node, and for a component that takes none; its path is the
            component and the place.
        :raises RenderError: for a text or a primitive that ``place`` does not allow.
        """
        facts = FACTS[type(component)]
        remembers = facts.takes_children and place is facts.child_place
        known = facts.known_children if remembers else set[type[Any]]()
        nodes, resolved = _normalized(children, component, place, known)
        if nodes and not facts.takes_children:
            raise ChildError(refusal(component), path=type(component).__name__)
        return Element(component, nodes, None, resolved and facts.is_leaf)

    if not TYPE_CHECKING:  # to a type checker, the props are those of ``element.component``

        def __getattr__(self, name: str) -> Any:
            if name in fields_of(type(self.component)):
                return getattr(self.component, name)
            return super().__getattr__(name)

    def _stands_for(self, name: str) -> str | None:
        own = self.component._stands_for(name)  # noqa: SLF001
        return own and f"component.{own}"

    def _all(self, *kinds: type[Any]) -> list[Node]:
        """Return the nodes of these kinds in document order, the element included; without a kind, all but texts."""
        if not all(isinstance(kind, type) for kind in kinds):
            kinds = tuple(self._kind_called(kind) for kind in kinds)
        data = [
            kind for kind in kinds if issubclass(kind, BaseModel) and not is_component_class(kind)
        ]
        if data:
            raise CallError(f"{data[0].__name__} is not a component; write hud[{data[0].__name__}]")
        found: list[Node] = [self] if isinstance(self.component, kinds or object) else []
        for child in self.children:
            if isinstance(child, Element):
                found += child._all(*kinds)  # noqa: SLF001
            elif not isinstance(child, str) and isinstance(child, kinds or object):
                found.append(child)
        return found

    def _kind_called(self, kind: object) -> type[Any]:
        """Return a class, or the class of this name in the tree."""
        if isinstance(kind, type):
            return kind
        nodes: list[Any] = [getattr(node, "component", node) for node in self._all()]
        known: dict[str, type[Any]] = {type(node).__name__: type(node) for node in nodes}
        if not isinstance(kind, str):
            raise CallError("write find_all(Section), a class, from ujsx import Section")
        if kind not in known:
            why = f"no node of the tree is called {quoted(kind)}; {did_you_mean(kind, known)}"
            raise CallError(why if why.endswith("?") else f"{why}; for items, write hud[{kind}]")
        return known[kind]

    def _copied(
        self, update: Mapping[str, Any] = MappingProxyType({}), **props: Any
    ) -> Element[C_co]:
        """Return the element with other props, or other children."""
        props = {**update, **props}
        children = props.pop("children", self.children)
        component = self.component.model_copy(update=props)
        made = Element.of(component, children, component.child_place)
        return made if self.key is None else made.keyed(self.key)

    def _line_for(self, name: str) -> str:
        places = dict[str, Any]()
        for place, child in enumerate(self.children):
            if isinstance(child, Element):
                places[f".children[{place}].component"] = child.component
            else:
                places[f".children[{place}]"] = child
        for at, component in places.items():
            kind: type[Any] = component.__class__
            if is_component_class(kind) and name in fields_of(kind):
                return f"element{at or '.component'}.{name}"
        own = self.component.__class__
        return f"element.children; a {own.__name__} has {', '.join(fields_of(own)) or 'no props'}"

    @overload
    def __getitem__(self, children: type[Any]) -> Any: ...

    @overload
    def __getitem__(self, children: Any) -> Element[C_co]: ...

    def __getitem__(self, children: Any) -> Any:
        name = type(self.component).__name__
        if self.key is not None and not self.children:  # Item(key="a")["text"]
            return Element.of(self.component, children, self.component.child_place).keyed(self.key)
        given, own = children, self.children
        if isinstance(children, type) or (own and isinstance(children, str)):
            return self.component._data_in(self, children)  # noqa: SLF001
        if own and given.__class__ is tuple and given[: len(own)] == own:
            made = Element.of(self.component, given, self.component.child_place)
            return made if self.key is None else made.keyed(self.key)
        raise ChildError(HAS_CHILDREN, path=name)

    def keyed(self, key: str) -> Element[C_co]:
        """Return the element with a key, which identifies it among its siblings."""
        return Element(self.component, self.children, key, self.is_resolved)

    def __format__(self, spec: str) -> str:
        raise no_text(self.component)

    if not TYPE_CHECKING:  # type checkers know that texts are only added to texts

        def __radd__(self, other: object) -> NoReturn:
            raise no_text(self.component)

        __add__ = __radd__

    def __repr__(self) -> str:
        key = "" if self.key is None else f".keyed({self.key!r})"
        return f"{self.component!r}[{', '.join(map(repr, self.children)) or '()'}]{key}"

    def __eq__(self, other: object) -> bool:
        if type(other) is Element:
            return self is other or (
                self.children == other.children
                and self.key == other.key
                and (self.component is other.component or self.component == other.component)
            )
        return not self.children and self.key is None and self.component == other

    def __ne__(self, other: object) -> bool:
        return not self == other  # a struct's own differs

    def __hash__(self) -> int:
        if not self.children and self.key is None:
            return hash(self.component)
        return hash((self.component, self.children, self.key))


HAS_CHILDREN = (
    "it has its children already; put all of them in one pair of brackets, "
    "or write element[*element.children, …]"
)
"""The answer to another child."""


def frozen(component: Component, name: str, value: object = ...) -> str:
    """Return the error for a change of a node, with the line that makes another one."""
    cls = type(component)
    said = "…" if value is ... else shown(value)
    if name in fields_of(cls):
        return f"a node is frozen; make another: node.model_copy(update={{{name!r}: {said}}})"
    if name in dir(cls):
        return f"it is the same for all {cls.__name__}; write class Mine({cls.__name__}): {name} = {said}"
    return f"no such prop, and a node is frozen; {did_you_mean(name, fields_of(cls))}"


def _refuse_change(element: Element, name: str, value: object = ...) -> NoReturn:
    if name in element.__struct_fields__:
        raise AttributeError("an Element is immutable; make another: element.component[…]")
    raise AttributeError(frozen(element.component, name, value))


for _name in ("__setattr__", "__delattr__"):  # a frozen struct has its own methods
    type.__setattr__(Element, _name, _refuse_change)


def refusal(component: Component | type[Component]) -> str:
    """Return the error for children of a component that takes none.

    >>> from ujsx.elements import LineBreak
    >>> refusal(LineBreak)
    'it takes no children; put them beside it'
    """
    cls: Any = component if isinstance(component, type) else type(component)
    if "children" in fields_of(cls):
        return "children are no prop; write def render(self, ctx, children), and leave the prop out"
    if hint := cls._hint_for("children"):
        return f"it takes no children; {hint}"
    props = ", ".join(fields_of(cls))
    beside = f"put them beside it{props and f', or into a prop: {props}'}"
    if not (cls.is_primitive or cls.__module__.startswith(("ujsx.", "hud_components."))):
        takes = dict.fromkeys((*signature(cls.render).parameters, "children"))
        reads_them = is_mentioned("children", {"render": unwrap(cls.render)})
        use = "children where it has self.children" if reads_them else "return them in it"
        beside += f"; to show them, write def render({', '.join(takes)}), and {use}"
    return f"it takes no children; {beside}"


def no_text(component: Component) -> ChildError:
    """Return the error for a node inside a text: in an f-string, or by ``+``.

    A text cannot keep what the node means, and would show a reader its ``repr``. ``str(node)`` is the
    ``repr``, for print and logs.
    """
    return ChildError(
        'a node is not a string; pass it as a child: ["see ", code("x")], '
        "or use render(node) or {node!r}",
        path=type(component).__name__,
    )


def is_node(child: Child) -> TypeGuard[Node]:
    """Tell whether ``child`` is itself a node, and so immutable; a list or generator is not."""
    return isinstance(child, str | Element) or is_component_class(type(child))


def normalize_children(child: Child, parent: Component) -> Children:
    """Return ``child`` as the flat tuple of nodes that it stands for.

    :raises ChildError: for anything that is no node.
    """
    one: Any = child
    node: object = one.component if type(child) is Element else child
    facts = FACTS.get(type(node))
    is_node = facts is not None and not facts.is_fragment
    return (one,) if is_node else _normalized(child, parent, None, set())[0]


def _normalized(
    children: Child, parent: Component, place: Content | None, known: set[type[Any]]
) -> tuple[Children, bool]:
    """Return the flat children, checked against their place, and whether they are known to contain primitives and text
    only.

    If all are nodes, as nearly always, they are returned unchanged.

    :param known: the leaf classes that were checked there, to which others are added.
    """
    many: Any = children
    is_several = many.__class__ is tuple or _sort_of(many.__class__) == _SEVERAL
    given: tuple[Any, ...] = tuple(many) if is_several else (many,)
    resolved = is_whole = True
    for child in given:
        node: Any = child.component if type(child) is Element else child
        kind: type[Any] = type(node)  # pyright: ignore[reportUnknownVariableType]
        if kind not in known:
            facts = FACTS.get(kind) or (FACTS[kind] if is_component_class(kind) else None)
            if facts is None or (facts.is_fragment and (node is child or child.key is None)):
                if kind not in _NO_NODES:
                    break  # a fragment is replaced by its children
                is_whole = False
                continue
            # The places that a class is barred from hold for each of its nodes.
            if place is not None and place in facts.barred_from:
                raise misplaced(place, node, parent)
            if facts.is_leaf:
                known.add(kind)
            elif node is child:
                resolved = False
        resolved = resolved and (node is child or child.is_resolved)
    else:
        if is_whole:
            return given, resolved
        return tuple([child for child in given if type(child) not in _NO_NODES]), resolved
    collected: list[Any] = []
    for index, child in enumerate(given):
        _collect(child, collected, parent, index)
    return _normalized(tuple(collected), parent, place, known)


_NO_NODES = frozenset({NoneType, bool})
"""The classes of children that are dropped."""

_TEXT, _ELEMENT, _COMPONENT, _NOTHING, _SEVERAL, _NO_CHILD = range(6)


@lru_cache(maxsize=512)
def _sort_of(kind: type[Any]) -> int:
    """Return how a parent treats a child of a class; cached, as the checks are slow."""
    if issubclass(kind, str):
        return _TEXT
    if issubclass(kind, Element):
        return _ELEMENT
    if kind in _NO_NODES:
        return _NOTHING
    if issubclass(kind, BaseModel):  # before iterables: a model iterates over its fields
        return _COMPONENT if hasattr(kind, "is_fragment") else _NO_CHILD
    if issubclass(kind, Iterator) or (
        issubclass(kind, Collection) and not issubclass(kind, _NO_CHILDREN)
    ):
        return _SEVERAL
    return _NO_CHILD


def _collect(child: Any, into: list[Any], parent: Component, place: int, level: int = 0) -> None:
    sort = _sort_of(child.__class__)
    if sort == _SEVERAL:
        if level > MAX_DEPTH:
            raise ChildError(
                f"iterables nested more than {MAX_DEPTH} deep; does one hold itself?",
                path=f"{type(parent).__name__}[{place}]",
            )
        for each in child:
            _collect(each, into, parent, place, level + 1)
    elif sort == _TEXT:
        into.append(child if type(child) is str else str.__str__(child))
    elif sort == _NO_CHILD:
        _collect(_meant_by(child, parent, place), into, parent, place, level + 1)
    elif sort != _NOTHING:
        node = child.component if sort == _ELEMENT else child
        if not node.is_fragment or (sort == _ELEMENT and child.key is not None):
            into.append(child)
        elif sort == _ELEMENT:
            into.extend(child.children)


_NO_CHILDREN = (Mapping, AbstractSet, bytes, bytearray, memoryview)

_CHILD = "a child is text, a component, an element, or an iterable of them"

_ADVICE: tuple[tuple[Any, str], ...] = (
    ((int, float), "to show it, write str({shown})"),
    (BaseModel, "it is data; pass it to a component as a prop"),
    (AbstractSet, "it has no order; use sorted(…)"),
    (Mapping, "it is data; pass its values, or a component that shows them"),
    ((bytes, bytearray, memoryview), "decode it to str"),
    (datetime, 'to show it, write f"{at:%Y-%m-%d %H:%M}"'),
    (date, 'to show it, write f"{day:%Y-%m-%d}"'),
    (time, 'to show it, write f"{at:%H:%M}"'),
    (Awaitable, "write await before it"),
    (Callable, f"call it, and pass the result; {_CHILD}"),
)
"""Remedies by the class of the refused value."""


def _meant_by(child: Any, parent: Component, place: int) -> Node:
    """Return the node that a child must mean: of a component's class, or of a value that has one.

    :raises ChildError: for any other child.
    """
    if is_component_class(child):
        made: Node = child()
        return made
    as_node: Any = getattr(child.__class__, "_as_node", None)
    node: Node | None = as_node and as_node(child)
    if node is None:
        raise _child_error(child, parent, place)
    return node


def _child_error(child: Any, parent: Component, place: int) -> ChildError:
    own: Any = child.__class__
    advice: str = getattr(own, "_as_child", None) or next(
        (text for cls, text in _ADVICE if isinstance(child, cls)),
        f"{_CHILD}; to show it, write str(…)",
    )
    kind: str = type(child).__name__
    if "{element}" in advice:
        value = shown(getattr(child, "value", None))
        advice = advice.format(element=_element_for(child), value=value)
    else:
        advice = advice.replace("{name}", getattr(child, "__name__", kind))
        advice = advice.replace("{shown}", shown(child, width=30))
        if isinstance(child, int | float) and not child:
            advice += '; if it came from "n and X", write "n > 0 and X"'
    return ChildError(
        f"{shown(child)} ({kind}) is not a valid child; {advice}",
        path=f"{type(parent).__name__}[{place}]",
    )


def _element_for(node: Any) -> str:
    """Return the line for the element of an mdast node, or of its document if that is long."""
    with suppress(Exception):  # a node of an extension without a rule, or with a wrong field
        read = import_module("ujsx").registry.transform("mdast -> ujsx", node)
        line = repr(read) if isinstance(read, str) else f"{read!r}, from ujsx.elements"
        if len(line) <= 80:
            return line
    return "from_mdast(mdast.Root((node,)))"
