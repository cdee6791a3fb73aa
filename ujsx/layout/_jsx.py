"""``jsx``: a tree from markup in Python, with values in braces.

A template is read once, like a layout document, into a plan with all parts that do not depend on values. With values,
the plan creates the rest. A value is never read as markup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, groupby, repeat
from types import FunctionType
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeGuard, cast

from pydantic import BaseModel

from ujsx._other_names import of_tag, prop_for
from ujsx.components._component import Component, Fragment, as_element
from ujsx.components._definition import FACTS, is_component_class
from ujsx.components._element import Children, Element, normalize_children
from ujsx.components._vocabulary import (
    ComponentClass,
    Interpolation,
    Vocabulary,
    interpolations_of,
    note_interpolations,
)
from ujsx.elements import TrustedMarkdown
from ujsx.errors import ChildError, LayoutError, PropError, shown
from ujsx.layout._documents import as_tree, in_universal_tree, too_deep
from ujsx.layout._nesting import (
    ComponentMaker,
    DataTag,
    GivenChildren,
    LayoutComment,
    Nesting,
    Unmade,
)
from ujsx.layout._tags import SPREAD, Hole, LayoutFaults, LineOrigin, Tag, how_to_pass
from ujsx.trees import class_of

LONGEST_KEPT = 20_000
"""The longest template whose plan is cached, in characters."""

MOST_KEPT = 256
"""The most plans in the cache, which evicts the least recently used."""

IN_CODE = (
    "values are not allowed in code or comments; write it as a prop, as in <InlineCode value={…}/>"
)
"""The message about a hole in a place for text only."""

_IN_ONE = frozenset({"components", "context", "data", "props", "scope", "values", "variables"})
"""Arguments that other libraries use for a mapping of values or components."""

Values: TypeAlias = Mapping[str, Any]
"""Values by the names of their holes."""


class ValueInBraces(Protocol):
    """A value in a t-string (PEP 750): ``string.templatelib.Interpolation``."""

    value: Any
    expression: str
    conversion: str | None
    format_spec: str


class TemplateString(Protocol):
    """A t-string of Python 3.14 (PEP 750): ``string.templatelib.Template``."""

    strings: tuple[str, ...]
    interpolations: tuple[ValueInBraces, ...]


def jsx(
    template: str | TemplateString,
    vocabulary: Vocabulary | Iterable[ComponentClass] | dict[str, Any] | None = None,
    /,
    **values: Any,
) -> Element:
    r"""Return the tree of a template: tags are components, attributes their props, and braces contain values.

    A component is a child, a text is literal and never read as Markdown, a list is several children, and ``None``,
    ``True`` and ``False`` render nothing. The text between values has the meaning that it has in a layout document
    (:func:`read_layout`): Markdown, ``{"…"}``, ``{/* … */}``, literals in braces.

    :param template: a t-string of Python 3.14, ``t"<Strong>{name}</Strong>"``, with any expression in its braces; or a
        text with names in braces, whose values are passed by keyword.
    :param vocabulary: the allowed components; the primitives and those of HUD layouts when ``None``.
    :param values: the values of all names in a text's braces, by keyword or as one mapping instead of a vocabulary; a
        class is the component of its tags. ``<Order {...order}/>`` takes props from a mapping.
    :raises LayoutError: with line, column and an excerpt of the template, as ``read_layout`` does; for a name without
        a value or a value without a name; for a value that is no prop or no child there; and for a value in code or
        in an address, where nothing but text can stand.

    >>> from ujsx import render
    >>> jsx('<Section title={title}>Use **{tool}**.</Section>', title="Notes", tool="make *all*")
    Section(title='Notes')['Use ', Strong()['make *all*'], '.']
    >>> print(render(jsx("<List>{rows}</List>", rows=[jsx("<Item>{n}</Item>", n=n) for n in "ab"])), end="")
    - a
    - b
    >>> jsx("<TaskSection task={state.task}/>")
    Traceback (most recent call last):
    ujsx.errors.LayoutError: line 1, column 19: a value is passed by name: write {task}, and pass task=state.task
      <TaskSection task={state.task}/>
                        ^
    """
    if vocabulary is not None:
        vocabulary, named = _apart(vocabulary)
        values = {**named, **values}
    for name in _IN_ONE.intersection(values):
        is_used = any(f"{{{before}{name}}}" in str(template) for before in ("", SPREAD))
        if isinstance(values[name], Mapping) and not is_used:
            values = {**values.pop(name), **values}
    if any(map(isinstance, values.values(), repeat((type, FunctionType)))):
        for name, each in [*values.items()]:
            if isinstance(each, FunctionType) and name[0].isupper():
                values[name] = class_of(each, name)
            elif isinstance(each, FunctionType):
                line = "write @component above it, from ujsx import component"
                raise LayoutError(f"{name} is a function; {line}")
        own = {name: each for name, each in values.items() if is_component_class(each)}
        vocabulary = _known(vocabulary) | own.values()
        for name, each in values.items():
            if isinstance(each, type) and not (name in own or _is_data_of(vocabulary, name, each)):
                line = f"write class {name}(Component), from ujsx import Component"
                if issubclass(each, BaseModel):
                    item = name[:1].lower() + name[1:]
                    line = (
                        f"as it holds data, write {{{item}}} for its tag, and pass {item}={name}(…)"
                    )
                raise LayoutError(f"{name} is a class, and not a component; {line}")
        values = {name: value for name, value in values.items() if not isinstance(value, type)}
    classes = None if vocabulary is None else tuple(Vocabulary.of(vocabulary).values())
    given: object = template
    if _is_template(given):
        if values:
            raise LayoutError(
                f"a t-string has its values in its braces; leave out {', '.join(values)}="
            )
        source, known = _of_template(given)
    elif isinstance(given, str):
        source, known = TemplateSource(given, given, None, frozenset(values)), values
    else:
        raise LayoutError(
            f'a template is a text or a t-string, not {type(given).__name__}; write jsx("<List/>")'
        )
    plan = _kept_plan if len(source.text) <= LONGEST_KEPT else _plan
    parts = plan(source, classes).made(known, vocabulary)
    return as_tree(normalize_children(parts, _NOBODY))


def _apart(
    given: Any,
) -> tuple[Vocabulary | Iterable[ComponentClass] | None, Mapping[str, Any]]:
    """Return the components that are given, and by name what is none: values, functions and models of data."""
    if isinstance(given, dict):
        return None, cast("dict[str, Any]", given)
    if not isinstance(given, list | tuple):
        return given, {}
    several: list[Any] = [*given]
    named = {
        each.__name__: each
        for each in several
        if isinstance(each, FunctionType)
        or (isinstance(each, type) and not is_component_class(each))
    }
    return [each for each in several if each not in named.values()], named


def _is_data_of(components: Vocabulary, name: str, model: type[Any]) -> bool:
    """Tell whether a model is the data of one of the components, between whose tags its own stand."""
    return any(each._model_of_data(name) is model for each in components.values())  # noqa: SLF001


class TemplateSource(NamedTuple):
    """The source of a template; equal sources share a plan."""

    text: str
    """Each expression of a t-string is replaced by a name of the same length, so that none is parsed."""
    written: str
    """The text as its author wrote it."""
    places: tuple[int, ...] | None
    """The offsets of a t-string's values, in order; ``None`` for a text."""
    names: frozenset[str]
    """The names of the passed values."""


def _of_template(template: TemplateString) -> tuple[TemplateSource, Values]:
    """Return a t-string's source, and its values by their offsets."""
    text = written = _ends(template.strings[0]).removeprefix("\ufeff")
    places: list[int] = []
    values: dict[str, Any] = {}
    for one, behind in zip(template.interpolations, template.strings[1:], strict=True):
        conversion = f"!{one.conversion}" if one.conversion else ""
        spec = f":{one.format_spec}" if one.format_spec else ""
        braces = f"{{{_ends(one.expression)}{conversion}{spec}}}"
        places.append(len(text))
        values[str(len(text))] = _formatted(one)
        text += f"{{{'_' * (len(braces) - 2)}}}{_ends(behind)}"
        written += braces + _ends(behind)
    return TemplateSource(text, written, tuple(places), frozenset(values)), values


def _ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _formatted(one: ValueInBraces) -> Any:
    if not one.conversion and not one.format_spec:
        return one.value
    convert: dict[str | None, Callable[[Any], Any]] = {"r": repr, "s": str, "a": ascii}
    value = convert[one.conversion](one.value) if one.conversion else one.value
    return format(value, one.format_spec)


def _is_template(given: object) -> TypeGuard[TemplateString]:
    return type(given).__name__ == "Template" and hasattr(given, "interpolations")


def _known(given: Vocabulary | Iterable[ComponentClass] | None) -> Vocabulary:
    """Return the allowed components, by default the usual ones."""
    known = Vocabulary.of(given)
    return known | known.wider().values() if given is None else known


# --- The plan ---


@dataclass(frozen=True, slots=True)
class _Parts:
    """Sibling nodes, some of which depend on values."""

    runs: tuple[tuple[Any, ...] | _Value | _Tag | _SpreadTag, ...]
    """The nodes that depend on no value, and the makers of the others."""

    def made(self, values: Values, vocabulary: Any) -> tuple[Any, ...]:
        nodes: list[Any] = []
        for run in self.runs:
            nodes += run if isinstance(run, tuple) else run.made(values, vocabulary)
        return tuple(nodes)


@dataclass(frozen=True, slots=True)
class _Value:
    """A hole among children."""

    name: str
    at: int
    faults: LayoutFaults
    place: Interpolation

    def made(self, values: Values, vocabulary: Any) -> Sequence[Any]:
        value = given = values[self.name]
        if type(value) is str:
            return (value,)
        try:
            if isinstance(value, Iterator):
                given = tuple(given)
            nodes = normalize_children(_as_node(given, vocabulary), _NOBODY)
        except ChildError as error:
            said = error.message
            if type(values[self.name]) in {int, float}:
                expression = self.place.expression
                is_named = expression == self.name
                line = (
                    f"pass {self.name}=str({values[self.name]})"
                    if is_named
                    else f"write {{str({expression})}}"
                )
                said = f"{said.partition('; ')[0]}; to show it, {line}"
            self.faults.add(said, self.at, error)
            return ()
        return [node if type(node) is str else self._noted(node) for node in nodes]

    def _noted(self, node: Any) -> Any:
        """Return a node with this place recorded for its component, unless it renders nothing of its own."""
        component: Any = node.component if type(node) is Element else node
        if component.is_leaf:
            return node
        own = [each for each in interpolations_of(component) if each.prop is not None]
        if component is FACTS[type(component)].bare:
            component = component.model_copy()  # it is shared by all nodes of its class
            given = as_element(node)
            node = Element(component, given.children, given.key, given.is_resolved)
        note_interpolations(component, (self.place, *own))
        return node


@dataclass(frozen=True, slots=True)
class _Spread:
    """A mapping of props among the attributes of a tag: ``{...name}``."""

    name: str
    later: frozenset[str]
    """The attributes after it, which win, as in JSX."""
    at: int
    faults: LayoutFaults

    def props(self, values: Values) -> dict[str, Any]:
        value: object = values[self.name]
        given = cast("Mapping[Any, Any]", value)
        if isinstance(value, Mapping) and all(isinstance(each, str) for each in given):
            return {each: given[each] for each in given if each not in self.later}
        self.faults.add(f"{{...{self.name}}} is a mapping of props, not {shown(given)}", self.at)
        return {}


@dataclass(frozen=True, slots=True)
class _Tag:
    """A component with values among its props or its children."""

    component: Component
    """:class:`Unmade` if a prop is a value."""
    key: str | None
    props: Mapping[str, Any]
    """The props that are literals."""
    holes: tuple[tuple[str, str], ...]
    """The props that are values, each with the name of its hole."""
    places: tuple[Interpolation, ...]
    """The places of the holes."""
    parts: _Parts
    make: ComponentMaker

    def made(self, values: Values, vocabulary: Any) -> Sequence[Any]:
        component, key = self.component, self.key
        if type(component) is Unmade:
            given = {**self.props, **{n: _as_node(values[of], vocabulary) for n, of in self.holes}}
            component, key = self.make.made(component.kind, given, component.tag, component.origin)
            note_interpolations(component, self.places)
        if not self.parts.runs:
            return (component if key is None else as_element(component).keyed(key),)
        if component.takes_children and not component.takes_data:
            element = Element.of(component, self.parts.made(values, vocabulary))
        else:
            element = self._with_data(component, values, vocabulary)
        return (element if key is None else element.keyed(key),)

    def _with_data(self, component: Component, values: Values, vocabulary: Any) -> Element:
        """Return a component with the texts and values between its tags, which are its data, or nodes in its place."""
        try:
            if component.takes_children:
                return component[self.parts.made(values, vocabulary)]
            return component[tuple(self._data(values, vocabulary))]
        except (PropError, ChildError) as error:
            self.make.refuse(error, cast("Unmade", self.component))
            return Element(component)

    def _data(self, values: Values, vocabulary: Any) -> list[Any]:
        """Return the texts, the values, and the fields of the tags between its tags."""
        given: list[Any] = []
        for run in self.parts.runs:
            if isinstance(run, _Value):
                given.append(values[run.name])
            else:
                given += run if isinstance(run, tuple) else run.made(values, vocabulary)
        return given


class _DataTag(_Tag):
    """A tag of data, with values among its fields or in its text."""

    __slots__ = ()

    def made(self, values: Values, vocabulary: Any) -> Sequence[Any]:
        given = {**self.props, **{name: values[of] for name, of in self.holes}}
        tag = cast("DataTag", self.component)
        return (tag.fields(given, self._data(values, vocabulary)),)


@dataclass(frozen=True, slots=True)
class _SpreadTag:
    """A tag with mappings of props among its attributes."""

    tag: _Tag
    spreads: tuple[_Spread, ...]

    def made(self, values: Values, vocabulary: Any) -> Sequence[Any]:
        given: dict[str, Any] = {}
        for spread in self.spreads:
            given |= spread.props(values)
        given = {name: _as_node(given[name], vocabulary) for name in given}
        holes = tuple(each for each in self.tag.holes if each[0] not in given)
        tag = replace(self.tag, props={**self.tag.props, **given}, holes=holes)
        return tag.made(values, vocabulary)


_NOBODY = Fragment()
"""The parent of a value that is checked by itself."""


def _as_node(value: Any, vocabulary: Any) -> Any:
    """Return a value, with the t-strings in it as trees."""
    if _is_template(value):
        return jsx(value, vocabulary)
    if type(value) in (list, tuple):
        of_each_class: dict[Any, Any] = {type(each): each for each in value}
        if any(map(_is_template, of_each_class.values())):
            return [_as_node(each, vocabulary) for each in value]
    return value


def _plan(source: TemplateSource, classes: tuple[type[Component], ...] | None) -> _Parts:
    """Return the plan of a template.

    :raises LayoutError: for a mistake that does not depend on the values.
    """
    from ujsx.layout._parser import parse  # the tokenizer is imported when it is needed

    known = _known(classes)
    if source.places is None:
        known = Vocabulary(
            *known.values(), own="for one of your own, pass {name}={name}, its class"
        )
    try:
        root, found, faults = parse(source.text, holes=True, written=source.written)
        make = TemplateMaker(known.without(TrustedMarkdown), faults)
        nodes = in_universal_tree(Nesting(found, faults, make).blocks(root.children))
        planner = _Planner(source, make, faults)
        parts = planner.parts(nodes)
    except RecursionError:
        raise too_deep() from None
    hidden = [
        range(origin.offset(piece.at), origin.offset(piece.end))
        for piece, origin in found
        if isinstance(piece, LayoutComment)
    ]
    planner.check_all_are_used(hidden)
    return parts


_kept_plan = lru_cache(maxsize=MOST_KEPT)(_plan)


class TemplateMaker(ComponentMaker):
    """The maker of one template's components. An HTML tag means the equivalent primitive, as in :func:`ujsx.h`."""

    def made(
        self, cls: type[Component], props: dict[str, Any], tag: Tag, origin: LineOrigin
    ) -> tuple[Component, str | None]:
        if tag.name in self.vocabulary:
            return super().made(cls, props, tag, origin)
        meant = {prop_for(cls.__name__, name): value for name, value in props.items()}
        return super().made(cls, {**of_tag(tag.name)[1], **meant}, tag, origin)

    def class_of(self, tag: Tag, origin: LineOrigin) -> type[Component] | None:
        name, _ = of_tag(tag.name)
        meant = None if tag.name in self.vocabulary else self.vocabulary.get(name)
        return super().class_of(tag, origin) if meant is None else meant

    def refusal_of(self, braces: str) -> str:
        return f"{how_to_pass(braces[1:-1])}; or write \\{braces[0]} for a brace"


class _Planner:
    def __init__(self, source: TemplateSource, make: ComponentMaker, faults: LayoutFaults) -> None:
        self._source = source
        self._make = make
        self._faults = faults
        self._used: set[str] = set()

    def parts(self, nodes: Children) -> _Parts:
        made: list[Any] = [self._part(node) or (node,) for node in nodes]
        runs: list[Any] = []
        for kind, run in groupby(made, type):
            if kind is tuple:
                runs.append(tuple(chain.from_iterable(run)))
            else:
                runs += run
        return _Parts(tuple(runs))

    def _part(self, node: Any) -> _Value | _Tag | _SpreadTag | None:
        """Return the maker of a node; None if it depends on no value."""
        if isinstance(node, str):
            return None
        element = as_element(node)
        component = element.component
        if isinstance(component, GivenChildren):
            name, at = component.name, component.at
            return _Value(self._name(name, at), at, self._faults, self._place(name, at, None))
        parts = self.parts(element.children)
        if not isinstance(component, Unmade):
            if all(type(run) is tuple for run in parts.runs):
                return None
            return _Tag(component, element.key, {}, (), (), parts, self._make)
        props: dict[str, Any] = {}
        holes: list[tuple[str, str]] = []
        spreads: list[_Spread] = []
        places: list[Interpolation] = []
        attributes = component.tag.attributes
        for number, each in enumerate(attributes):
            if not isinstance(each.value, Hole):
                props[each.name] = each.value
                continue
            name, at = each.value.name, component.origin.offset(each.value.at)
            if each.name.startswith(SPREAD):
                later = frozenset(other.name for other in attributes[number:])
                spreads.append(_Spread(self._name(name, at), later, at, self._faults))
                places.append(self._place(each.name, at, ""))
            else:
                holes.append((each.name, self._name(name, at)))
                places.append(self._place(name, at, each.name))
        kind = _DataTag if type(component) is DataTag else _Tag
        tag = kind(component, None, props, tuple(holes), tuple(places), parts, self._make)
        return _SpreadTag(tag, tuple(spreads)) if spreads else tag

    def _place(self, name: str, at: int, prop: str | None) -> Interpolation:
        """Return the place of a hole, and the text that its author wrote in it."""
        is_expression = self._source.places is not None
        inside = self._source.written[at + 1 : at + 1 + len(name)] if is_expression else name
        point = self._faults.source.point(at)
        return Interpolation(inside.strip(), point.line, point.column, prop)

    def _name(self, written: str, at: int) -> str:
        """Return the name of a hole's value."""
        name = written if self._source.places is None else str(at)
        if name in self._source.names:
            self._used.add(name)
        elif self._source.places is not None:
            self._faults.add(self._make.refusal_of(f"{{{written}}}"), at)
        else:
            rows = ""
            if "<Each" in self._source.text[:at]:
                rows = f", or rows that are made before: [Item()[{written}] for {written} in …], from ujsx.elements import Item"
            self._faults.add(f"there is no value for {{{written}}}; pass {written}=…{rows}", at)
        return name

    def check_all_are_used(self, hidden: Iterable[range]) -> None:
        """Refuse unused values, except in comments."""
        parts = [*hidden]
        if self._source.places is None:
            if unused := sorted(self._source.names - self._used):
                at = self._source.text.find(f"{{{unused[0]}}}")
                if at >= 0:
                    self._faults.add(IN_CODE, at)
                some = ", ".join(f"{{{name}}}" for name in unused)
                raise LayoutError(f"the template does not use {some}; leave out {unused[0]}=")
            return
        for place in self._source.places:
            if str(place) not in self._used and not any(place in part for part in parts):
                self._faults.add(IN_CODE, place)
