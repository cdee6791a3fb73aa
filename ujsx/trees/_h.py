"""``h``: a node by class, by function or by name, in the form that JSX compiles to."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from inspect import BoundArguments, Parameter, Signature, iscoroutinefunction, signature
from typing import Any, TypeVar, overload

from ujsx.components._component import Component, as_element
from ujsx.components._component_type import is_component_class
from ujsx.components._documented import fields_of
from ujsx.components._element import Child, Element
from ujsx.components._fragment import Fragment, fragment
from ujsx.components._vocabulary import ComponentClass, Vocabulary
from ujsx.errors import ChildError, DefinitionError, LoadError, PropError, did_you_mean, shown

C = TypeVar("C", bound=Component)

OWN = "give a component of your own as its class, h({name}, …), or name it in vocabulary="


@overload
def h(
    kind: type[C],
    props: Mapping[str, Any] | None = None,
    /,
    *children: Child,
    vocabulary: Vocabulary | Iterable[ComponentClass] | None = None,
    **named: Any,
) -> Element[C]: ...


@overload
def h(
    kind: str | Callable[..., Child] | None,
    props: Mapping[str, Any] | None = None,
    /,
    *children: Child,
    vocabulary: Vocabulary | Iterable[ComponentClass] | None = None,
    **named: Any,
) -> Element: ...


def h(
    kind: str | type[Component] | Callable[..., Child] | None,
    props: Mapping[str, Any] | None = None,
    /,
    *children: Child,
    vocabulary: Vocabulary | Iterable[ComponentClass] | None = None,
    **named: Any,
) -> Element:
    """Return the element that JSX's ``h`` makes of the same arguments.

    :param kind: a component class, its name, or ``None`` for a fragment. A plain function is called with
        its props by name, and with the children where it has a parameter ``children`` (``props`` holds all of them).
    :param props: the props; ``key`` and ``children`` among them name the element and stand for the arguments behind.
    :param named: more props, as a call in Python names them.
    :param vocabulary: the components that a name may mean, such as a domain; the primitives and the HUD's
        components when ``None``.
    :raises LoadError: for a name that the vocabulary does not have, with the nearest one.
    :raises PropError: for a wrong prop; of a function, with the props that it takes.
    :raises ChildError: for a child that is no node, such as a number.

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
    if isinstance(kind, str):
        kind, usual = _named(kind, vocabulary)
    component: Any = Fragment if kind is None else kind
    is_class = _is_class(component)
    if not isinstance(props, dict | Mapping | None):
        message = f"props are a mapping or None, not {shown(props)}; children stand behind them"
        raise PropError(message, path=_name(component))
    given = {**usual, **(props or {}), **named}
    own = fields_of(component) if is_class else {*_form(component).parameters} - {"children"}
    key = None if "key" in own else given.pop("key", None)
    among_props = None if "children" in own else given.pop("children", None)
    if not isinstance(key, str | int | None) or isinstance(key, bool):
        raise PropError(f"a key is a text or a number, not {shown(key)}", path=_name(component))
    if children and among_props is not None:
        message = "children stand among the props and behind them; keep one of both"
        raise ChildError(message, path=_name(component))
    inside: Child = children or among_props
    element = (_made if is_class else _called)(component, given, inside)
    return element if key is None else element.keyed(str(key))


def _made(component: type[Component], props: dict[str, Any], inside: Child) -> Element:
    """The element of a class. Where that takes no children, a text stands for its own: ``<code>x</code>``."""
    if not component.takes_children and any(
        each.is_required() for each in fields_of(component).values()
    ):
        text = fragment(inside).children
        if len(text) == 1 and isinstance(text[0], str):
            return component(text[0], **props)[()]
    return component(**props)[inside]


def _is_class(component: Any) -> bool:
    """Tell whether it is a component's class; a function otherwise."""
    if isinstance(component, type):
        kind: type[Any] = component
        if is_component_class(kind):
            return True
    elif callable(component):
        return False
    raise LoadError(
        f"{shown(component)} is no component; give a class, a function, a name, or None for a fragment"
    )


def _name(component: Any) -> str:
    name: str = getattr(component, "__name__", type(component).__name__)
    return name


def _named(
    name: str, vocabulary: Vocabulary | Iterable[ComponentClass] | None
) -> tuple[type[Component], Mapping[str, Any]]:
    """The component of a name, and the props that the name says: ``h2`` is a heading of depth 2."""
    known = Vocabulary.of(vocabulary)
    if vocabulary is None and name not in known:
        known = _of_the_hud()
    if name in known:
        return known[name], {}
    from ujsx._other_names import founding, line_for, of_tag  # only other names need them

    name = founding(name)
    name = next((each for each in known if each.casefold() == name.casefold()), name)
    if name not in known:
        component, props = of_tag(name)
        if component in known:
            return known[component], props
        is_meant = known.is_near(name) or name in _of_the_hud()  # which these words may lack
        line = None if is_meant else line_for(name, known)
        hint = f"write {line}" if line else known.hint(name)
        raise LoadError(f"{shown(name)} is no known component; {hint}")
    return known[name], {}


@cache
def _of_the_hud() -> Vocabulary:
    """The primitives and the HUD's components: their package stands above this one, so it is asked by name."""
    known = Vocabulary(Fragment, *Vocabulary.of(None).values(), own=OWN)
    if find_spec("hud_components") is None:
        return known
    hud: Any = import_module("hud_components")
    return known | [*hud.layout_vocabulary().values(), *hud.MEMORY]


def _form(function: Callable[..., Child]) -> Signature:
    try:
        return signature(function)
    except ValueError:
        message = f"{_name(function)} does not say what it takes; call it in a function of your own"
        raise LoadError(message) from None


def _called(function: Callable[..., Child], props: dict[str, Any], inside: Child) -> Element:
    """What a function makes of its props and children."""
    name, form = _name(function), _form(function)
    takes = form.parameters
    if iscoroutinefunction(function):
        message = "it is asynchronous; fetch what it needs first and pass it as a prop"
        raise DefinitionError(message, path=name)
    children = fragment(inside).children
    named = [each for each, parameter in takes.items() if parameter.kind not in _STARRED]
    stars = {parameter.kind: each for each, parameter in takes.items() if each not in named}
    rest = stars.get(Parameter.VAR_KEYWORD)
    holder = "children" if "children" in named else stars.get(Parameter.VAR_POSITIONAL)
    if "props" in named and "props" not in props:  # as a function of JSX has them
        props = {"props": {**props, "children": children}}
    elif children and rest and not holder:
        props = {**props, "children": children}
    elif children and not holder:
        raise ChildError("it takes no children; give it a parameter children", path=name)
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


def _wrong(name: str, prop: str, message: str, takes: Iterable[str]) -> PropError:
    return PropError(f"{message}; {name} takes {', '.join(takes)}", path=f"{name}.{prop}")
