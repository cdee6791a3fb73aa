"""Whole trees: created by name, dumped to data and loaded, and resolved into primitives."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from inspect import (
    BoundArguments,
    Parameter,
    Signature,
    isawaitable,
    iscoroutine,
    iscoroutinefunction,
    signature,
)
from typing import Any, TypeAlias, TypeVar, cast, overload

from pydantic import BaseModel

from ujsx.components._component import (
    OF_CONTEXT,
    PLAIN,
    Component,
    Fragment,
    as_element,
    component_line,
    fragment,
)
from ujsx.components._context import ContextRecord, RenderContext
from ujsx.components._definition import FACTS, fields_of, is_component_class
from ujsx.components._element import (
    MAX_DEPTH,
    Child,
    Children,
    Element,
    Node,
    normalize_children,
    refusal,
)
from ujsx.components._vocabulary import ComponentClass, Vocabulary, interpolations_of
from ujsx.elements import CodeBlock, ForEach, InlineCode, Section, TrustedMarkdown
from ujsx.errors import (
    ChildError,
    DefinitionError,
    LoadError,
    PropError,
    RenderError,
    SchemaError,
    UjsxError,
    did_you_mean,
    shown,
)
from ujsx.on_demand import on_demand

on_demand(globals())


# Trees as data: JSON, loaded with the components of a vocabulary only.

TOLD = 3
"""The most mistakes that an error lists; it counts the rest."""

_FIELDS = ("type", "props", "children", "key")


def dump(node: Node) -> dict[str, Any]:
    """Return a tree as JSON data: ``{"type": …, "props": …, "children": […]}``, text as strings.

    Props with their default value are left out. A key is written if set. A bare text is wrapped in a ``Fragment``.

    :raises RenderError: for a tree that is nested too deeply.

    >>> from ujsx.elements import Section
    >>> dump(Section(title="Notes")["a"])
    {'type': 'Section', 'props': {'title': 'Notes'}, 'children': ['a']}
    """
    return _dump(Element.of(Fragment(), node) if isinstance(node, str) else as_element(node), 0)


def _dump(element: Element, level: int) -> dict[str, Any]:
    if level > MAX_DEPTH:
        raise RenderError(f"nested more than {MAX_DEPTH} deep")
    component = element.component
    data: dict[str, Any] = {
        "type": type(component).__name__,
        "props": component.model_dump(mode="json", exclude_defaults=True),
        "children": [
            child if isinstance(child, str) else _dump(as_element(child), level + 1)
            for child in element.children
        ],
    }
    if element.key is not None:
        data["key"] = element.key
    return data


def load(
    data: Mapping[str, Any], vocabulary: Vocabulary | Iterable[ComponentClass] | None = None
) -> Element:
    """Return the tree of its data.

    :param data: the output of :func:`dump` (parse JSON text with ``json.loads`` first), or a model's output for the
        schema of ``ujsx.schema.tree_schema``: null for a prop with a default is the default.
    :param vocabulary: the allowed components; the primitives when ``None``. ``Fragment`` is always allowed,
        ``TrustedMarkdown`` never.
    :raises LoadError: for an unknown type or prop, a wrong value, a wrong shape, or too deep a tree; its path is the
        place in the data. It lists several mistakes in their order.

    >>> load({"type": "Section", "props": {"titel": "Notes"}})
    Traceback (most recent call last):
    ujsx.errors.LoadError: $.props.titel: no such prop (got 'Notes'); did you mean "title"?
    """
    reader = _TreeReader(Vocabulary.of(vocabulary))
    tree = reader.node(data, "$", 0)
    if reader.mistakes:
        raise _all(reader.mistakes)
    return tree


class _TreeReader:
    """A reader of one tree that continues after a mistake, so that the sender can fix all at once."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.mistakes: list[LoadError] = []

    def node(self, data: object, path: str, level: int) -> Element:
        """Return the node, or a placeholder after a mistake."""
        try:
            return self._node(data, path, level)
        except LoadError as error:
            self.mistakes.append(error)
            return _NOTHING

    def _node(self, data: object, path: str, level: int) -> Element:
        if level > MAX_DEPTH:
            raise LoadError(f"nested more than {MAX_DEPTH} deep", path=path)
        fields = _object(data, path, 'a node is an object with a "type"')
        for name in fields:
            if name not in _FIELDS:
                hint = did_you_mean(str(name), _FIELDS)
                raise LoadError(f"a node has no {shown(name)}; {hint}", path=path)
        if "type" not in fields:
            raise LoadError("required, but not given", path=f"{path}.type")
        key, children = fields.get("key"), fields.get("children", [])
        cls = _class(fields["type"], self.vocabulary, f"{path}.type")
        if not isinstance(children, list | tuple):
            raise LoadError(f"children are a list, not {shown(children)}", path=f"{path}.children")
        if not isinstance(key, str | None):
            raise LoadError(f"a key is a string, not {shown(key)}", path=f"{path}.key")
        if children and not cls.takes_children:
            raise LoadError(f"{cls.__name__}: {refusal(cls)}", path=f"{path}.children")
        component = self._component(cls, fields.get("props", {}), path)
        nodes = [
            child
            if isinstance(child, str)
            else self.node(child, f"{path}.children[{place}]", level + 1)
            for place, child in enumerate(cast("list[object]", children))
        ]
        if component is None:
            return _NOTHING
        element = Element.of(component, nodes)
        return element if key is None else element.keyed(key)

    def _component(self, cls: type[Component], given: object, path: str) -> Component | None:
        """Return the component, or ``None`` after a mistake in its props."""
        props = _object(given, f"{path}.props", "props are an object")
        for name in props:
            if not isinstance(name, str):
                message = f"the name of a prop is a string, not {shown(name)}"
                raise LoadError(message, path=f"{path}.props")
        try:
            return _component(cls, props)
        except PropError as error:
            message = error.message.replace(f"; {cls.__name__}.", "; ")
            prop = (error.path or "").partition(".")[2]
            mistake = LoadError(message, path=f"{path}.props{'.' if prop else ''}{prop}")
            mistake.__cause__ = error
            self.mistakes.append(mistake)
            return None


_NOTHING = Element(Fragment())


def _all(mistakes: list[LoadError]) -> LoadError:
    """Return the first mistake, whose message lists the others."""
    first, *rest = mistakes
    told = [f"{each.path}: {each.message}" for each in rest[: TOLD - 1]]
    more = [f"{len(rest) - len(told)} more"] if len(rest) > len(told) else []
    first.message = "; ".join([first.message, *told, *more])
    return first


def _class(kind: object, vocabulary: Vocabulary, path: str) -> type[Component]:
    """Return the component of that name. A fragment is just its children."""
    if kind == Fragment.__name__ and Fragment.__name__ not in vocabulary:
        return Fragment
    if not isinstance(kind, str) or kind not in vocabulary:
        hint = vocabulary.hint(str(kind))
        raise LoadError(f"{shown(kind)} is not a known component; {hint}", path=path)
    if issubclass(vocabulary[kind], TrustedMarkdown):
        raise LoadError(f'"{kind}" is for your own code and not allowed in data', path=path)
    return vocabulary[kind]


def _component(cls: type[Component], props: Mapping[str, Any]) -> Component:
    try:
        return cls(**props)
    except PropError:
        given = _read_back(props, cls)
        if given == props:
            raise
    return cls(**given)


def _read_back(props: Mapping[str, Any], cls: type[Component]) -> Mapping[str, Any]:
    """Return the props as the class accepts them: strict dialects write nulls for omitted props, and entries for
    dictionaries.
    """
    from ujsx.schema import from_dialect  # only mistakes and strict dialects need it

    try:
        return cast("dict[str, Any]", from_dialect(dict(props), cls))
    except SchemaError:  # no dialect has a component without a schema
        return props


def _object(data: object, path: str, rule: str) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        is_markup = isinstance(data, str) and data.lstrip()[:1] == "<"
        hint = "; if it is JSON text, json.loads it first" if isinstance(data, str | bytes) else ""
        hint = "; write jsx(text), from ujsx import jsx" if is_markup else hint
        raise LoadError(f"{rule}, not {shown(data)}{hint}", path=path)
    return cast("Mapping[str, Any]", data)


# ``h``: a node from a class, a function or a name, in the form that JSX compiles to.

C = TypeVar("C", bound=Component)

OWN = "give a component of your own as its class, h({name}, …), or name it in vocabulary="


@overload
def h(
    kind: type[C],
    props: Mapping[str, Any] | Child = None,
    /,
    *children: Child,
    vocabulary: Vocabulary | Iterable[ComponentClass] | None = None,
    **named: Any,
) -> Element[C]: ...


@overload
def h(
    kind: str | Callable[..., Child] | None,
    props: Mapping[str, Any] | Child = None,
    /,
    *children: Child,
    vocabulary: Vocabulary | Iterable[ComponentClass] | None = None,
    **named: Any,
) -> Element: ...


def h(
    kind: str | type[Component] | Callable[..., Child] | None,
    props: Mapping[str, Any] | Child = None,
    /,
    *children: Child,
    vocabulary: Vocabulary | Iterable[ComponentClass] | None = None,
    **named: Any,
) -> Element:
    """Return the element that JSX's ``h`` returns for the same arguments.

    :param kind: a component class, its name, or ``None`` for a fragment. A plain function is called with its props by
        name, and with the children if it has a parameter ``children`` (``props`` gets all of them). A model of data, such
        as the class of an item, is made with its fields: a child of the component that takes it.
    :param props: the props; ``key`` names the element, and ``children`` replaces the arguments after it. A child in
        their place is the first one.
    :param named: more props, as keyword arguments.
    :param vocabulary: the components that names refer to, such as a domain; the primitives and the HUD's components
        when ``None``.
    :raises LoadError: for an unknown name, with the nearest one.
    :raises PropError: for a wrong prop; for a function, with its props.
    :raises ChildError: for a child that is not a node, such as a number.

    >>> h("Section", {"title": "Decisions", "key": "d"}, "JWT")
    Section(title='Decisions')['JWT'].keyed('d')
    >>> def Card(title, children):
    ...     return h("Section", {"title": title}, children)
    >>> h(Card, {"title": "Notes"}, "Port 8080", h(None, None, "!"))
    Section(title='Notes')['Port 8080', '!']
    >>> h(Card, {"titel": "Notes"})
    Traceback (most recent call last):
    ujsx.errors.PropError: Card.titel: no such prop (got 'Notes'); did you mean "title"?; Card takes title, children
    """
    usual: Mapping[str, Any] = {}
    at_first: Any = props
    if not isinstance(at_first, dict | Mapping | None):  # a node, a text or a list
        at_first, children = None, (at_first, *children)
    passed: dict[str, Any] = {**(at_first or {}), **named}
    if isinstance(kind, str):
        kind, usual = _named(kind, vocabulary)
        if kind is InlineCode and not _LANGUAGES.isdisjoint(passed):
            kind = CodeBlock
    component: Any = Fragment if kind is None else kind
    if isinstance(component, type) and _is_data(component):
        data: Any = component(*children, **passed)
        return cast("Element", data)  # a child of the component that takes it as data
    is_class = _is_class(component)
    given: dict[str, Any] = {**usual, **passed}
    own = fields_of(component) if is_class else {*_form(component).parameters} - {"children"}
    key = None if "key" in own else given.pop("key", None)
    among_props = None if "children" in own else given.pop("children", None)
    if not isinstance(key, str | int | None) or isinstance(key, bool):
        raise PropError(f"a key is a text or a number, not {shown(key)}", path=_name(component))
    if children and among_props is not None:
        message = "children are given as a prop and as arguments; keep one"
        raise ChildError(message, path=_name(component))
    inside: Child = children or among_props
    element = (_made if is_class else _called)(component, given, inside)
    return element if key is None else element.keyed(str(key))


def _made(component: type[Component], props: dict[str, Any], inside: Child) -> Element:
    """Return the element of a class. Where it takes no children, a text becomes its own text: ``<code>x</code>``; and
    code in a block of code is the block: ``<pre><code>x</code></pre>``.
    """
    if not component.takes_children and any(
        each.is_required() for each in fields_of(component).values()
    ):
        text = fragment(inside).children
        if len(text) == 1 and isinstance(text[0], str):
            return component(text[0], **props)[()]
        only: Any = text[0] if len(text) == 1 else None
        code: object = getattr(only, "component", only)
        if component is CodeBlock and isinstance(code, InlineCode | CodeBlock):
            return CodeBlock(**{**dict(code), **props})[()]
    return component(**props)[inside]


_LANGUAGES = frozenset({"lang", "language"})
"""The props of code that make it a block."""


def _is_data(kind: type[Any]) -> bool:
    return issubclass(kind, BaseModel) and not is_component_class(kind)


def _is_class(component: Any) -> bool:
    """Tell whether this is a component class, not a function."""
    if isinstance(component, type):
        if is_component_class(component):
            return True
    elif callable(component) and not isinstance(component, Component):
        return False
    raise LoadError(
        f"{shown(component)} is not a component; give a class, a function, a name, or None for a fragment"
    )


def _name(component: Any) -> str:
    name: str = getattr(component, "__name__", type(component).__name__)
    return name


def _named(
    name: str, vocabulary: Vocabulary | Iterable[ComponentClass] | None
) -> tuple[type[Component], Mapping[str, Any]]:
    """Return the component of a name, and the props that the name implies: ``h2`` is a heading of depth 2."""
    known = Vocabulary.of(vocabulary)
    if vocabulary is None and name not in known:
        known = _of_the_hud()
    if name in known:
        return known[name], {}
    from ujsx._other_names import founding, line_for, of_tag  # only other names need them

    name = founding(name, known)
    name = next((each for each in known if each.casefold() == name.casefold()), name)
    if name not in known:
        component, props = of_tag(name)
        if component in known:
            return known[component], props
        is_meant = known.is_near(name) or name in _of_the_hud()  # which these words may lack
        line = None if is_meant else line_for(name, known)
        hint = f"write {line}" if line else known.hint(name)
        raise LoadError(f"{shown(name)} is not a known component; {hint}")
    return known[name], {}


@cache
def _of_the_hud() -> Vocabulary:
    """Return the primitives and the HUD's components, imported by name as their package is above this one."""
    known = Vocabulary(Fragment, *Vocabulary.of(None).values(), own=OWN)
    if find_spec("hud_components") is None:
        return known
    hud: Any = import_module("hud_components")
    return known | [
        *hud.layout_vocabulary().values(),
        *import_module("hud_components.memory").MEMORY,
    ]


def _form(function: Callable[..., Child]) -> Signature:
    try:
        return signature(function)
    except ValueError:
        message = f"{_name(function)} does not say what it takes; call it in a function of your own"
        raise LoadError(message) from None


def _called(function: Callable[..., Child], props: dict[str, Any], inside: Child) -> Element:
    """Return the function's result for its props and children."""
    name, form = _name(function), _form(function)
    takes = form.parameters
    if iscoroutinefunction(function):
        message = "it is async; fetch the data first and pass it as a prop"
        raise DefinitionError(message, path=name)
    children = fragment(inside).children
    named = [each for each, parameter in takes.items() if parameter.kind not in _STARRED]
    stars = {parameter.kind: each for each, parameter in takes.items() if each not in named}
    rest = stars.get(Parameter.VAR_KEYWORD)
    holder = "children" if "children" in named else stars.get(Parameter.VAR_POSITIONAL)
    for each in OF_CONTEXT.difference(props).intersection(named):
        if takes[each].default is Parameter.empty:
            more = ["children"] if children else []
            line = component_line(function, *more, values=props)
            message = "the context has it; write @component, from ujsx import component, above"
            raise PropError(f"{message} {line}", path=f"{name}.{each}")
    if "props" in named and "props" not in props:  # as a JSX function gets them
        props = {"props": {**props, "children": children}}
    elif children and rest and not holder:
        props = {**props, "children": children}
    elif children and not holder:
        last = Parameter("children", Parameter.KEYWORD_ONLY)
        line = f"write def {name}{form.replace(parameters=[*takes.values(), last])}"
        raise ChildError(f"it takes no children; {line}", path=name)
    others = {each: value for each, value in props.items() if each not in named}
    for each in others if not rest else ():
        hint = did_you_mean(each, named)
        raise _wrong(name, each, f"no such prop (got {shown(props[each])}); {hint}", takes)
    for each in named:
        if takes[each].default is Parameter.empty and each not in {*props, "children"}:
            raise _wrong(name, each, "required, but not given", takes)
    given = {each: props[each] for each in named if each in props}
    call = BoundArguments(form, OrderedDict({**given, **({rest: others} if rest else {})}))
    call.apply_defaults()
    if holder:
        call.arguments[holder] = children
    try:
        nodes = fragment(function(*call.args, **call.kwargs)).children
    except ChildError as error:
        raise error.made_by(function) from None
    if len(nodes) == 1 and not isinstance(nodes[0], str):
        return as_element(nodes[0])
    return fragment(nodes)


_STARRED = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


@lru_cache(maxsize=256)
def class_of(function: Callable[..., Child], name: str) -> type[Component]:
    """Return the component class of a function without ``@component``, which gets its props as from :func:`h`."""
    props = [
        each
        for each, parameter in _form(function).parameters.items()
        if parameter.kind not in _STARRED and each != "children"
    ]

    def render(self: Component, ctx: RenderContext, children: Children) -> Child:
        given = {each: getattr(self, each) for each in self.model_fields_set}
        return _called(function, given, children)

    namespace: dict[str, Any] = {
        "__module__": function.__module__,
        "__annotations__": dict.fromkeys(props, Any),
        **dict.fromkeys(props),
        "model_config": {"extra": "allow"},
        "render": render,
    }
    make: Any = type(Component)
    made: type[Component] = make(name, (Component,), namespace)
    made._open_props = ()  # noqa: SLF001 - a caller's value may be a list
    return made


def _wrong(name: str, prop: str, message: str, takes: Iterable[str]) -> PropError:
    return PropError(f"{message}; {name} takes {', '.join(takes)}", path=f"{name}.{prop}")


# Resolution: composed components are expanded into primitives, and nothing else changes.
#
# A component with a ladder gets the rung that the context's density picks; others pass the context on unchanged. An
# error has its place in the tree.


def resolve(node: Child, context: RenderContext | None = None) -> Node:
    """Return the resolved tree of ``node``: primitives and text only.

    Several nodes, or none, are returned in a ``Fragment``.

    :raises RenderError: for a component that cannot be resolved, with its path.

    >>> from ujsx import component
    >>> from ujsx.elements import strong
    >>> @component
    ... def Loud(ctx, children):
    ...     return strong(children, "!")
    >>> resolve(Loud()["hey"]) == strong("hey", "!")
    True
    """
    roots = normalize_children(node, Fragment())
    nodes = resolve_all(roots, context or RenderContext(), first=first_place(roots))
    return nodes[0] if len(nodes) == 1 else Element.of(Fragment(), nodes)


def resolve_all(
    nodes: Children,
    ctx: RenderContext,
    level: int = 0,
    first: int = 0,
    cache: RenderCache | None = None,
) -> Children:
    """Return the primitives and texts that ``nodes`` resolve to, in order.

    ``first`` is the place of the first node among its siblings.
    """
    out: list[Node] = []
    for place, node in enumerate(nodes, first):
        if type(node) is str:
            out.append(node)
            continue
        element = as_element(cast("Component | Element", node))
        if element.is_resolved:
            out.append(node)
            continue
        try:
            if level > MAX_DEPTH:
                raise RenderError(f"nested more than {MAX_DEPTH} deep; does it render itself?")
            if element.component.is_primitive:
                inner = ctx
                if element.component.discloses:
                    inner = disclosed_context(element.component, inner)
                if isinstance(element.component, Section):
                    inner = inner.deeper()
                children = resolve_all(element.children, inner, level + 1, cache=cache)
                resolved = not element.component.is_fragment
                out.append(Element(element.component, children, element.key, resolved))
            else:
                children, inner = expand(element, ctx, cache)
                out.extend(resolve_all(children, inner, level + 1, cache=cache))
        except UjsxError as error:
            error.within(place_of(element, place))
            raise
    return tuple(out)


class RenderCache:
    """The results of components' ``render``, each with a record of what it read of its context.

    Where all of that is the same, as on another rung, the component is not called again.

    >>> from ujsx import component
    >>> @component
    ... def Sized(ctx, children):
    ...     calls.append(ctx.limit)
    ...     return f"at most {ctx.limit}"
    >>> calls, cache, sized = [], RenderCache(), Sized()
    >>> for ctx in (RenderContext("full", 3), RenderContext("compact", 3), RenderContext("full", 4)):
    ...     children, _ = expand(sized, ctx, cache)
    >>> children, calls
    (('at most 4',), [3, 4])
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[tuple[int, ...], list[_Known]] = {}

    def rendered(
        self, component: Component, ctx: RenderContext, children: Children
    ) -> Children | None:
        """Return what a component renders to; None for nothing."""
        if type(ctx) is not RenderContext:  # another class notes what it is asked
            return _rendered(component, ctx, children)
        known = self._known.setdefault((id(component), *map(id, children)), [])
        for _, _, record, made in known:
            if record.holds_in(ctx):
                return made
        record, reading = ContextRecord.of(ctx)
        made = _rendered(component, reading, children)
        known.append((component, children, record, made))
        return made


_Known: TypeAlias = "tuple[Component, Children, ContextRecord, Children | None]"
"""A component and its children, which are kept so that their ids stay their own; what it read, and its result."""


def expand(
    node: Component | Element, ctx: RenderContext, cache: RenderCache | None = None
) -> tuple[Children, RenderContext]:
    """Return the rendering of a composite, and the context for it.

    :raises RenderError: when ``render`` is asynchronous, it or ``provide`` raises, or the result is not a node.
    """
    component: Component
    component, children = (node.component, node.children) if type(node) is Element else (node, ())  # type: ignore[assignment]
    facts = FACTS[type(component)]
    if facts.discloses:
        component = component.in_context(ctx) if ctx.values else component
        ctx = disclosed_context(component, ctx)
    made = (_rendered if cache is None else cache.rendered)(component, ctx, children)
    if made is None:
        return (), ctx
    if not facts.provides:
        return made, ctx
    try:
        return made, component.provide(ctx)
    except UjsxError:
        raise
    except Exception as error:
        raise _error_of(component, error) from error


def _rendered(component: Component, ctx: RenderContext, children: Children) -> Children | None:
    """The result of a component's ``render``; None for nothing."""
    try:
        made: Any = component.render(ctx, children)
    except UjsxError:
        raise
    except Exception as error:
        raise _error_of(component, error) from error
    if made is None:
        return None
    of: type[Any] = made.__class__
    if of not in _PLAIN and not is_component_class(of):
        if iscoroutine(made):
            made.close()
        if isawaitable(made) or hasattr(of, "__aiter__"):
            raise RenderError(
                "render must not be async; fetch the data first and pass it as a prop"
            ).made_by(component.render)
    try:
        return normalize_children(made, component)
    except UjsxError as error:
        raise error.made_by(component.render) from None


def _error_of(component: Component, error: Exception) -> RenderError:
    """The error to raise for one in a method that its author wrote."""
    name = type(error).__name__
    places = "".join(f"; of a template: {each}" for each in interpolations_of(component))
    return RenderError(f"render raised {name}: {error}{places}")


def disclosed_context(component: Component, ctx: RenderContext) -> RenderContext:
    """Return ``ctx`` with the rung that a budget or the density picks from the component's ladder."""
    disclosure = component.disclosed()
    if disclosure is PLAIN:
        return ctx
    rung = ctx.rung or disclosure.at(ctx.inner_density or ctx.density)
    if ctx.rung is not None or rung.width is not None:
        return ctx.on_rung(rung)
    asked = rung.density, rung.limit, rung.detailed_items, rung.inner_density
    is_there = asked == (ctx.density, ctx.limit, ctx.detailed_items, ctx.inner_density)
    return ctx if is_there else ctx.on_rung(rung)


def holds_ladders(nodes: Children, ctx: RenderContext, cache: RenderCache | None = None) -> bool:
    """Tell whether resolvable nodes are or contain components with ladders."""
    for node in nodes:
        if type(node) is str:
            continue
        element = as_element(cast("Component | Element", node))
        if element.is_resolved:
            continue
        component = element.component
        if component.discloses and component.disclosed() is not PLAIN:
            return True
        rows: Any = component
        if type(component) is ForEach and rows.each is None:  # a template holds none
            inner = tuple([row for row in rows.rows if type(row) is not tuple]), ctx
        else:
            is_primitive = component.is_primitive
            inner = (element.children, ctx) if is_primitive else expand(element, ctx, cache)
        if holds_ladders(*inner, cache):
            return True
    return False


def place_of(element: Element, place: int) -> str:
    """Return a node's name in a path: its key, or else its place."""
    name = type(element.component).__name__
    if element.key is not None:
        return f"{name}[{element.key}]"
    return name if place == ALONE else f"{name}[{place}]"


def first_place(roots: Children) -> int:
    """Return the place of the first root: a single root has no siblings to count."""
    return ALONE if len(roots) == 1 else 0


ALONE = -1

_PLAIN: frozenset[type] = frozenset({str, tuple, list, Element, type(None)})
"""The usual types of a ``render`` result, which are never awaitable."""
