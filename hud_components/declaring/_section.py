"""The base of all sections: its metaclass, the consequences of a declaration, and a section as a tool."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import chain
from threading import RLock
from types import GenericAlias, MappingProxyType, NoneType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    Self,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    get_args,
    get_type_hints,
)

from msgspec.structs import replace
from pydantic import BaseModel, Field, ValidationError, create_model
from pydantic.fields import FieldInfo

from hud_components._models import (
    SOURCE,
    ContextUsage,
    HudItem,
    HudModel,
    HudValue,
    Origin,
    PlainItem,
    taking_texts,
)
from hud_components.declaring._checks import (
    CHECKS,
    adding,
    check_disclosure,
    check_draft,
    check_fields,
    check_name,
    classes_in,
    end_of,
    faults_of_attributes,
    is_kept,
    is_taken,
    name_like,
    respell,
)
from hud_components.declaring._form import OVER, Form, word_of
from hud_components.declaring._lines import LineOwner, SectionWarning, forms_of, usual_lines, warn
from hud_components.declaring._state import Standing, State, disclosed_as, no_state, standing_of
from hud_components.declaring._values import TEXT, Faults, look_of
from hud_components.folding import Kind, Moment, Payload, Verb, items_of
from hud_components.words._quoted import RequestWords
from hud_components.words._texts import Label, with_plural
from ujsx import (
    Child,
    Component,
    ContentModel,
    DefinitionError,
    Density,
    DensityLike,
    Disclosure,
    PropError,
    RenderContext,
    Renderer,
    Rung,
    fragment,
    mdast,
    to_mdast,
)
from ujsx.calls import resolving
from ujsx.components import (
    check_types,
    described_like,
    drop_class_variables,
    fields_of,
    own_annotations,
    with_value,
)
from ujsx.elements import Brief, Paragraph
from ujsx.errors import did_you_mean, listed, shown
from ujsx.trees import disclosed_context

# The metaclass of sections, and the consequences of a declaration when its class is created.

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass

    SectionType = ModelMetaclass
else:

    class SectionType(type(Component)):
        """The metaclass of sections, which adds the prop for the data, unless declared."""

        def __new__(mcs, name, bases, namespace, /, **kwargs):  # noqa: ANN001, ANN003, ANN204
            for each in kwargs.keys() & _FIXED:  # class Bugs(ItemsSection[Bug], title="Known bugs")
                namespace.setdefault(each, kwargs.pop(each))
            respell(namespace, bases, _annotated(namespace))
            shape = _shape_in(namespace, bases)
            wrong = dict(faults_of_attributes(name, bases, _annotated(namespace), namespace))
            faults = Faults(wrong.values())
            for attribute in wrong:  # the inherited one replaces it
                namespace.pop(attribute, None)
                namespace.get("__annotations__", {}).pop(attribute, None)
            made = None
            with faults:
                if shape:
                    own = namespace.get("disclosure") or getattr(bases[0], "disclosure", None)
                    namespace["disclosure"] = _reshaped(name, own, shape)
                model = declared_model(namespace.get("__orig_bases__", ()))
                is_written = "__qualname__" in namespace
                if model is None and is_written and _model_in(namespace, bases) is None:
                    kinds = chain.from_iterable(map(classes_in, _annotated(namespace).values()))
                    items = [each for each in kinds if issubclass(each, HudValue)]
                    model = items[0] if len(items) == 1 else None
                if model is not None and "value" not in namespace:
                    namespace["value"] = model
                lines = getattr(namespace.get("value"), "lines", None)
                if lines and not {"lines", "forms"} & namespace.keys():
                    namespace["lines"] = lines
                if _lacks_a_name(namespace, bases):
                    namespace["name"] = name_of(name)
                own = namespace.get("name")
                if own and (model := _model_in(namespace, bases)) is not None:
                    prop = namespace.get("prop") or namespace.get("field") or own
                    if "prop" not in namespace and prop not in _annotated(namespace):
                        declared = _props_of(model, namespace)
                        if len(declared) == 1:
                            faults.of(check_name, name, own, namespace, bases)
                            prop = namespace["prop"] = declared[0]
                    if not isinstance(prop, str) or prop not in _annotated(namespace):
                        faults.of(check_name, name, own, namespace, bases)
                        if faults or is_taken(prop, bases):
                            prop = namespace["prop"] = f"{name_like(prop) or 'data'}_shown"
                        bases = _with_prop(name, bases, prop, model, faults)
                made = super().__new__(mcs, name, bases, namespace, **kwargs)
            faults.check()
            type.__setattr__(made, "_declared", made)
            return made

        def __setattr__(cls, name, value):  # noqa: ANN001, ANN204
            if name in _FIXED and vars(cls).get("_declared") is cls:
                line = f"write class Mine({cls.__name__}): {name} = {shown(value)}"
                raise DefinitionError(f"{cls.__name__} is declared already; {line}")
            super().__setattr__(name, value)

        def __call__(cls, /, *positional, **props):  # noqa: ANN002, ANN003, ANN204
            if cls.value is not None and cls.prop not in cls.__pydantic_fields__:
                check_declared(cls)
            for name, given in props.items():
                if isinstance(given, Iterator):  # read once, and validated twice if refused
                    props[name] = tuple(given)
                elif isinstance(given, set | frozenset):
                    message = f"{shown(given)} has no order; write sorted(…)"
                    raise PropError(message, path=f"{cls.__name__}.{name}")
            return super().__call__(*positional, **props)


_FIXED = frozenset("name title noun lines verbs done prop field event key prefix budget".split())  # noqa: SIM905
"""Attributes from which others follow when the class is made."""


_SHAPES = ("ladder", "weight", "floor", "layer")
"""Parts of its disclosure that a section may declare as attributes of its own."""


def _shape_in(namespace: dict[str, Any], bases: tuple[type[Any], ...]) -> dict[str, Any]:
    """Take the parts of a disclosure out of a class body; a prop of such a name is none."""
    inherited = [getattr(each, "__pydantic_fields__", ()) for each in bases]
    props = {*_annotated(namespace), *chain.from_iterable(inherited)}
    return {each: namespace.pop(each) for each in _SHAPES if each in namespace.keys() - props}


def _reshaped(place: str, disclosure: Any, shape: Mapping[str, Any]) -> Any:
    """Return a disclosure in that shape; anything else unchanged, which is refused later."""
    if not isinstance(disclosure, Disclosure):
        return disclosure
    try:
        return dataclasses.replace(disclosure, **shape)
    except DefinitionError as error:
        raise DefinitionError(f"{place}: {error}") from None


def _model_in(namespace: Mapping[str, Any], bases: tuple[type[Any], ...]) -> Any:
    """Return the model of a class body, or else of a base that has no prop for it; None without one."""
    held = [each.value for each in bases if not getattr(each, "prop", True)]
    return next(filter(None, (namespace.get("value"), *held)), None)


def _lacks_a_name(namespace: Mapping[str, Any], bases: tuple[type[Any], ...]) -> bool:
    """Tell whether a class declares data, with lines or a prop, and neither it nor a base has a name."""
    if "name" in namespace or any(getattr(each, "name", "") for each in bases):
        return False
    model = _model_in(namespace, bases)
    is_written = namespace.get("lines") or namespace.get("forms") or "render" in namespace
    return model is not None and bool(is_written or len(_props_of(model, namespace)) == 1)


def name_of(section: str) -> str:
    """Return the default name of a section, from its class.

    >>> name_of("Orders"), name_of("HTTPCallsList"), name_of("TripSection")
    ('orders', 'http_calls', 'trip')
    """
    words = _WORD.sub("_", re.sub("(?<=.)(Section|List)$", "", section.strip("_")))
    return name_like(words) or "data"


def _annotated(namespace: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] | None = namespace.get("__annotations__")
    annotate = namespace.get("__annotate_func__") or namespace.get("__annotate__")
    if found is None and annotate is not None:
        found = annotate(2)  # the values themselves, since Python 3.14
    return found or {}


def _props_of(model: Any, namespace: Mapping[str, Any]) -> list[str]:
    """Return the props in a class body with a model's values, of any name."""
    named = re.compile(rf"\b{re.escape(model.__name__)}\b")
    return [
        name
        for name, kind in _annotated(namespace).items()
        if (isinstance(kind, str) and "ClassVar" not in kind and named.search(kind))
        or model in classes_in(kind)
    ]


def _with_prop(
    name: str, bases: tuple[type[Any], ...], prop: str, model: type[BaseModel], faults: Faults
) -> tuple[type[Any], ...]:
    """Return the bases, with the prop for the section's data in the first section among them."""
    if any(prop in getattr(base, "__pydantic_fields__", ()) for base in bases):
        return bases
    known = len(faults)
    with faults:  # with the author's names, before the prop is refused
        check_types(model)
    [first, *others] = bases
    item: Any = model if len(faults) == known else Any
    kind: Any = tuple[item, ...] if first.holds_items else item
    props: dict[str, Any] = {prop: (kind | None, None)}
    made = create_model(f"{name}Props", __base__=first, **props)
    return (made, *others)


def declared_model(bases: tuple[Any, ...]) -> type[BaseModel] | None:
    """Return the model in the brackets of ``ItemsSection[…]`` or ``ValueSection[…]``."""
    for base in bases:
        if isinstance(base, GenericAlias):
            section: Any = base.__origin__
            [model] = base.__args__
            if isinstance(model, TypeVar):
                return None
            is_data = "__dataclass_fields__" in vars(model) if isinstance(model, type) else False
            if isinstance(model, type) and issubclass(model, HudModel) and not is_data:
                return model
            given = cast("Any", model)
            named = str(getattr(given, "__name__", shown(given)))
            if isinstance(model, type) and not issubclass(model, HudModel):
                own = HudItem if section.holds_items else HudValue
                if issubclass(model, BaseModel):
                    return create_model(named, __base__=(model, own), __module__=model.__module__)
                if is_data and not hasattr(given, "__post_init__"):
                    return _like_dataclass(given, own)
            kind = "HudItem" if section.holds_items else "HudValue"
            line = f"class Facts({kind}), with a docstring and a field, such as text: Line"
            why = f"the brackets take a subclass of {kind}; write a class of your own, {line}"
            if is_data:
                line = f"class {named}({kind}) instead of @dataclass"
                why = f"items are frozen and record their source; write {line}"
            raise DefinitionError(f"{section.__name__}[{named}]: {why}")
    return None


def _like_dataclass(given: Any, base: type[HudModel]) -> type[BaseModel]:
    """Return a model with the fields of a dataclass."""
    types, fields = get_type_hints(given, include_extras=True), dict[str, Any]()
    for each in dataclasses.fields(given):
        made: Any = each.default_factory
        has_factory = made is not dataclasses.MISSING
        usual = FieldInfo(default_factory=made) if has_factory else each.default
        fields[each.name] = (types[each.name], ... if usual is dataclasses.MISSING else usual)
    name, doc, module = given.__name__, given.__doc__, given.__module__
    return create_model(name, __base__=base, __doc__=doc, __module__=module, **fields)


def _drafted(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields for authors."""
    return {
        name: info
        for name, info in fields_of(model).items()
        if name not in fields_of(PlainItem) and not is_kept(info)
    }


def draft_of(model: type[HudModel]) -> type[HudModel]:
    """Return the model of the author's fields: all but those that the store or a verb sets.

    >>> from hud_components import HudItem, Kept
    >>> class Remedy(HudItem):
    ...     what: str
    ...     worked: Kept[bool] = False
    >>> list(draft_of(Remedy).model_fields)
    ['what']
    """
    fields: dict[str, Any] = {
        name: (info.annotation, info) for name, info in _drafted(model).items()
    }
    name = f"{model.__name__}Draft"
    made = create_model(name, __base__=HudModel, __doc__=model.__doc__, **fields)
    return described_like(made, model)


def declare(section: Any, faults: Faults) -> None:
    """Fill in the defaults of a section with data, and record invalid settings.

    :raises DefinitionError: for a fault that prevents further checks.
    """
    what = section.__name__
    own = section.__dict__
    if "name" in own:
        for attribute in ("field", "event"):
            if attribute not in own:
                setattr(section, attribute, section.name)
        if "prop" not in own and (section.field in fields_of(section) or not section.prop):
            section.prop = (
                section.field
            )  # otherwise the inherited one is of a section with another name
        if "texts" not in own:
            section.texts = _under_todays_name(section)
    if section.prop not in fields_of(section):
        hint = did_you_mean(section.prop, fields_of(section))
        faults.append(f'{what}.prop: it has no prop "{section.prop}"; {hint}')
    check_fields(section, faults)
    if section.draft is None or ("value" in own and "draft" not in own):
        section.draft = draft_of(section.value)
    elif not fields_of(section.draft).keys().isdisjoint(SOURCE):  # set by the store
        section.draft = draft_of(section.draft)
    check_draft(section)
    if section.holds_items and "text" not in own and section.text not in fields_of(section.draft):
        section.text = _says_what(section.draft)
    if section.holds_items:
        with faults:
            section._end = end_of(section)  # noqa: SLF001 - derived from its declaration
    for check in CHECKS:
        faults.of(check, section)


def check_declared(section: Any) -> None:
    """Refuse a section whose data have no model, or no lines.

    Without lines and a name, a class may be a base of others. As a section, it has the usual ones.
    """
    what, model = section.__name__, section.value
    if model is None:
        base = "ItemsSection" if section.holds_items else "ValueSection"
        if section.__module__.startswith("hud_components."):
            own, base, what = "Mine", what, f"{what} itself"
        else:
            own = what
        line = f"class {own}({base}[…]), with a model in the brackets"
        given = own_annotations(section)
        if own == what and given and not section.holds_items:
            known = {each: fields_of(section)[each] for each in given if each in fields_of(section)}
            usual = {each: info.default for each, info in known.items() if not info.is_required()}
            line = with_value(what, usual, given)
        raise DefinitionError(f"{what} has no model; write {line}")
    with _FIRST_USE:
        if section.prop not in fields_of(section):
            _declare_as_usual(section)


_FIRST_USE = RLock()
"""Held by the thread that declares a section."""


def _declare_as_usual(section: Any) -> None:
    """Give a section without lines the usual name, prop and lines."""
    what, model = section.__name__, section.value
    lines, name = _usual_lines_of(section), name_of(what)
    prop = f"{name}_shown" if is_taken(name, section.__mro__) else name
    check_types(model)
    kind: Any = GenericAlias(tuple, (model, ...)) if section.holds_items else model
    kind |= None
    annotated = _annotated(cast("dict[str, Any]", section.__dict__))
    section.__annotations__ = {**annotated, prop: kind}  # for subclasses
    section.__pydantic_fields__[prop] = FieldInfo(annotation=kind, default=None)
    section.model_rebuild(force=True)
    section._declared = None  # noqa: SLF001 - it is declared anew
    section.name, section.prop, section.lines = name, prop, lines
    section.__pydantic_init_subclass__()
    section._declared = section  # noqa: SLF001


def _usual_lines_of(section: Any) -> dict[str, str]:
    """Return the usual lines of a section. A mark tells that an item is over, and not its line."""
    fields = [each for each in _drafted(section.value) if each != getattr(section, "done", None)]
    return usual_lines(section.__name__, section.value, fields)


def lines_owner(section: Any) -> type[Any]:
    """Return the class whose body has a section's lines: its items' class, or the section."""
    item: type[Any] = section.value
    return item if section.lines is getattr(item, "lines", None) else section


def _says_what(draft: type[HudModel]) -> str:
    """Return an item's main field: the first text, or else the first field."""
    fields = fields_of(draft)
    texts = (name for name, info in fields.items() if look_of(info.annotation) is TEXT)
    return next(texts, next(iter(fields)))


def declared_texts(section: Any) -> Mapping[str, str]:
    """Return the fixed texts of a section: the declared and the derived ones."""
    name = section.name
    reading = "list" if section.holds_items else "get"
    words = name.replace("_", " ")
    noun = section.noun or words
    if section.holds_items:
        noun = with_plural(section.noun) if section.noun else noun_of(section.value, words)
    texts = {
        f"{name}.title": section.title or words.capitalize(),
        f"{name}.noun": noun,
        f"{name}.handle": f"hud {name}.{reading}" if section.has_operations else "hud snapshot",
    }
    if section.holds_items and section._end and section.shows_done:  # noqa: SLF001
        word = word_of(section._end)  # noqa: SLF001
        texts |= {f"{name}.{each}": text.format(over=word) for each, text in OVER.items()}
    own: Mapping[str, Any] = section.__dict__
    anew = {f"{name}.{each}" for each in ("title", "noun") if each in own} - {*own.get("texts", ())}
    return {**texts, **{key: text for key, text in section.texts.items() if key not in anew}}


def noun_of(item: type[Any], words: str) -> str:
    """Return the default noun of items: the name of their class, in the words of a section's name if that is its
    plural.

    >>> class HTTPCall: ...
    >>> noun_of(HTTPCall, "timeline"), noun_of(HTTPCall, "lost http calls")
    ('http call|http calls', 'lost http call|lost http calls')
    """
    noun = with_plural(_WORD.sub(" ", item.__name__.strip("_")).replace("_", " ").lower())
    one, many = noun.split("|")
    before = words.removesuffix(many)
    is_plural = before != words and before[-1:] in ("", " ")
    return f"{before}{one}|{words}" if is_plural else noun


_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""The boundary between words of a class's name."""


def _under_todays_name(section: Any) -> Mapping[str, str]:
    """Return the texts inherited from bases, without texts derived from another name."""
    others = {getattr(base, "name", "") for base in section.__mro__[1:]} - {"", section.name}
    found: dict[str, str] = {}
    for key, text in section.texts.items():
        name, _, rest = key.partition(".")
        if name not in others:
            found[key] = text
        elif rest not in _THAT_FOLLOW:
            found[f"{section.name}.{rest}"] = text
    return found if others else section.texts


_THAT_FOLLOW = ("title", "noun", "handle", *OVER)
"""Texts derived from a section's name, and from the field for items that are over."""


# Types of props that accept more than they store: a text for an item, a list for a tuple, a name for a density.
#
# Pydantic sees the stored type. Type checkers also see the accepted types.

HeldT = TypeVar("HeldT")
GivenT = TypeVar("GivenT")
ItemT = TypeVar("ItemT", bound=HudModel)

if TYPE_CHECKING:

    class Prop(Generic[HeldT, GivenT]):
        """A prop that stores the first type and accepts the second."""

        def __get__(self, node: object, section: object, /) -> HeldT: ...

        def __set__(self, node: object, given: GivenT, /) -> None: ...

else:

    class Prop:
        """The stored type of a prop."""

        def __class_getitem__(cls, types):  # noqa: ANN001, ANN204
            return types[0]


ItemsProp: TypeAlias = Prop[
    tuple[ItemT, ...] | None, Iterable[ItemT | Mapping[str, Any] | str] | None
]
"""The type of a prop that holds items: ``remedies: ItemsProp[Remedy] = UNSET``.

Each may be passed as an item, its fields, or a text for its only required field.
"""

ValueProp: TypeAlias = Prop[ItemT | None, ItemT | Mapping[str, Any] | str | None]
"""The type of a prop with one value, passed in the same ways: ``ticket: ValueProp[TicketInfo]``."""

UsageProp: TypeAlias = Prop[ContextUsage | None, ContextUsage | Mapping[str, Any] | str | None]
"""The type of a prop with a context usage, which also accepts a share such as "67%"."""

UNSET: Any = None
"""The default of such props: None, which type checkers accept for any type."""


# A section as a tool: a model fills in only the data.
#
# Ids, times and origins belong to the store; densities, limits and omissions to the renderer. None of them is in the
# tool's schema, and a call with one is refused.

_SETTINGS = (
    "after age as_list checked_commands density first keep limit now refresh recalled "
    "show_ids unconfirmed is_old standing state step unlisted unlisted_at unlisted_done updated_at"
)
SETTINGS = frozenset(_SETTINGS.split())
"""Props for the presentation of a section."""


@lru_cache(maxsize=256)
def tool_model(section: Any) -> type[BaseModel]:
    """Return the model of a section's tool arguments: its data, which are required.

    :raises DefinitionError: for a base of sections, without data.
    """
    if hasattr(section, "holds_items"):
        check_declared(section)
    fields: dict[str, Any] = {}
    for name, info in section.model_fields.items():
        if name not in SETTINGS:
            fields[name] = (_needed(section, name, info), _required(section, name, info))
    return create_model(
        section.__name__, __base__=HudModel, __doc__=section.__doc__, __module__=__name__, **fields
    )


def _needed(section: Any, name: str, info: FieldInfo) -> Any:
    """Return the type of a required prop: a draft instead of an item, and never None."""
    if name == section.prop and section.draft is not None:
        draft: Any = section.draft
        return tuple[draft, ...] if section.kind is not None else draft
    given = tuple(each for each in get_args(info.annotation) if each is not NoneType)
    has_none = NoneType in get_args(info.annotation)
    union: Any = Union  # for type checkers, which know it only in annotations
    return union[given] if has_none and given else info.annotation


def _required(section: Any, name: str, info: FieldInfo) -> FieldInfo:
    """Return a prop without a default, and without the part of its description about one."""
    said = (info.description or "").partition("; ")[0].strip().removesuffix(".")
    if not said and name == section.prop and hasattr(section, "holds_items"):
        noun = declared_texts(section)[f"{section.name}.noun"]
        words = section.name.replace("_", " ")
        is_named = section.noun or noun != noun_of(
            section.value, words
        )  # otherwise the name is more informative
        said = f"The {noun.rpartition('|')[-1] if is_named else words}"
    return FieldInfo(description=f"{said}." if said else None)


_OF_DATA = ("items", "item", "value", "data", "children", "str", "list", "tuple", "dict")
"""Names that callers use for a section's data; the last ones are classes of unnamed data."""

Telling: TypeAlias = Literal["always", "missing", "never"]
"""The changes to deliver: all; those of a section not delivered before, nor in the request; or none."""


_NOTHING: Mapping[str, object] = MappingProxyType({})


@drop_class_variables
class HudSection(Component, metaclass=SectionType):
    """A part of the HUD. Its data come with its props, or from the state bound to the context.

    :class:`ItemsSection` lists items, :class:`ValueSection` has one value: both are what verbs make
    of them. A :class:`View` has neither; it shows what others have.
    """

    content_model = ContentModel(("flow",))
    takes_children: ClassVar[bool] = False

    _instead: ClassVar[Mapping[str, str]] = {
        "Orders(orders=[*section.orders, …]), or session.record(…)": "add append extend insert push put remove pop",
        'class Orders(ItemsSection[Order]): name = "orders"': "named define make build create subclass",
    }

    _of_class: ClassVar[Mapping[str, str]] = {
        **Component._of_class,  # noqa: SLF001
        "parse": "frommarkdown fromtext read loads",
    }

    name: ClassVar[str] = ""
    """The beginning of its operations and texts: "notes" for "notes.add" and "notes.title"."""

    field: ClassVar[str] = ""
    """The field of the state that holds its value; by default its name. Empty for a view."""

    prop: ClassVar[str] = ""
    """The prop that holds its value; by default its field."""

    aliases: ClassVar[tuple[str, ...]] = ()
    """Other names that agents use for it, such as "plan", in operations and events."""

    other_tools: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Names of other systems' tools for its items, in their exact spelling, each with its verb here."""

    event: ClassVar[str] = ""
    """The beginning of its events' types; by default its name."""

    budget: ClassVar[int | None] = None
    """The most tokens that it may take, whatever the budget of the whole HUD."""

    verbs: ClassVar[tuple[str | Verb, ...]] = ()
    """Its changes: verbs by name (:data:`VERBS`), or your own."""

    on: ClassVar[Mapping[str, Callable[[Any, Any, Any], Any]]] = MappingProxyType({})
    """The effects of other events, by their type: a pure function of its value, the event's payload and the
    :class:`Moment`."""

    host_reported: ClassVar[bool] = False
    """True if hosts report it; then its changes do not make a HUD fresh."""

    has_operations: ClassVar[bool] = True
    """False if only hosts and transcripts change it; then the tool has no operation of it."""

    reads_back: ClassVar[bool] = True
    """False if its text is not read back. Then a hole of its lines holds any value as text, the section stays
    Markdown when a HUD is read, and its text cannot be edited."""

    read_only_reason: ClassVar[str] = ""
    """The reason why its text cannot be edited, as a sentence without a full stop. Empty if it can be, and if
    the reason follows: hosts report it, it is not read back, or it has no verbs for an edit."""

    texts: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """More fixed texts by name, and the call that shows all: ``"risks.handle"``."""

    texts_without_signs: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Words for the signs in its texts and lines, by their names."""

    opening: ClassVar[tuple[str, ...]] = ()
    """The names of more fixed texts that it may begin with, beside its title and the lines of its value:
    what a label stands before."""

    other_forms: ClassVar[tuple[Form, ...]] = ()
    """The ways to write what is neither an item nor its value."""

    lone_forms: ClassVar[tuple[Form, ...]] = ()
    """The ways to write an item as a paragraph of its own, where the HUD is dense."""

    is_cut: ClassVar[bool] = True
    """True if a dense HUD may show a count in place of its items."""

    is_sourced: ClassVar[bool] = True
    """True if its items, or its value, have a source: actor, turn and event. The HUD then marks those that are
    not the agent's own."""

    alerts: ClassVar[bool] = False
    """True if its content is an alert, which the status line shows."""

    stays_shown: ClassVar[bool] = False
    """True if a layout that the agent sets must show it: it is added if it is missing."""

    told_in_changes: ClassVar[Telling] = "always"
    """The deltas of a delivery that tell of it. Words of the conversation are in the history that the delta goes into: it
    tells them where the request has none of them and no delivery told them."""

    revision: ClassVar[int] = 1
    """A number that you raise when the same events give another value; older snapshots are then not used."""

    former: ClassVar[tuple[str, ...]] = ()
    """Its former names, under which old events and states are read."""

    former_fields: ClassVar[Mapping[str, str | None]] = MappingProxyType({})
    """The former names of fields, each with today's: ``{"what": "summary"}``; None for one that is gone."""

    upcasts: ClassVar[Mapping[str, Callable[[dict[str, Any]], Mapping[str, Any]]]] = (
        MappingProxyType({})
    )
    """Functions by an event's type that turn a recorded payload into one that today's model reads. They are
    called only for payloads that the model does not read."""

    kind: ClassVar[Kind | None] = None
    """The identity of its items; None if it has no items."""

    value: ClassVar[Any] = None
    """The model of its items, or of its value."""

    draft: ClassVar[Any] = None
    """The model of the fields that an author fills in."""

    _is_shown_empty: ClassVar[bool] = True
    """False if a HUD leaves the section out while it has no items."""

    kept: ClassVar[type[Payload] | None] = None
    """The payload for an item when all items are replaced; that of a new one if None."""

    from_project: ClassVar[bool] = False
    """True if a new session starts with its project's items."""

    from_parent: ClassVar[bool] = False
    """True if a new session starts with its parent's open items."""

    accepts_child_results: ClassVar[bool] = False
    """True if results of child sessions become its items; a domain's first such section gets them."""

    @classmethod
    def _hint_for(cls, name: str) -> str | None:
        from hud_components.declaring._spellings import names_of  # only mistakes need it
        from ujsx.tools._names import folded

        names = (*_OF_DATA, getattr(cls.value, "__name__", ""), *names_of(cls))
        if cls.prop and folded(name) in map(folded, names):
            return f"write {cls.__name__}({cls.prop}=…)"
        return super()._hint_for(name)

    @classmethod
    def _model_of_data(cls, tag: str) -> type[BaseModel] | None:
        from hud_components.declaring._spellings import names_of  # few layouts have such tags
        from ujsx.tools._names import folded

        if not cls.takes_data or cls.value is None:
            return None
        model: type[BaseModel] = cls.value
        of_lists = () if cls.kind is None else ("Item", "li")
        names = map(folded, (model.__name__, *names_of(cls), *of_lists))
        return model if folded(tag) in names else None

    @classmethod
    def inherited(cls, value: Any, origin: Origin) -> Any:
        """Return an item, or a value, as inherited by a new session, with its origin."""
        if cls.kind is not None and cls.kind.key == "id":
            return value.model_copy(update={"id": f"{origin}:{value.id}"})
        model: type[BaseModel] = value.__class__
        knows_it = "origin" in fields_of(model)
        return value.model_copy(update={"origin": origin}) if knows_it else value

    has_paragraphs: ClassVar[bool] = False
    """True if an item may have several lines and paragraphs."""

    has_props_of_state: ClassVar[bool] = False
    """True if :meth:`told_by` returns props; derived."""

    can_replace: ClassVar[bool] = False
    """True if an event can replace all items at once: one verb adds an item, and a budget may omit them."""

    @classmethod
    def beyond(cls, value: Any, request: RequestWords) -> Any:
        """Return the part of a value to deliver, beside the words in the request: by default all of it.

        An agent's records are always delivered.
        """
        return value

    @classmethod
    def cleared(cls, value: Any, moment: Moment) -> Any:
        """Return the rest of a value when the section is cleared: by default nothing."""
        return None if cls.kind is None else ()

    @classmethod
    def replaced(cls, items: Any, drafts: Any, moment: Moment) -> Any:
        """Return the items of drafts; known ones keep the store's fields."""
        return items_of(cls, adding(cls), items, drafts, moment)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        says_so = "budget" in vars(cls) or cls.budget is not None
        faults = Faults()
        with faults:
            if says_so:
                place, within = f"{cls.__name__}.budget", {"budget": cls.budget}
                cls.disclosure = _reshaped(place, cls.disclosure, within)
        super().__pydantic_init_subclass__(**kwargs)
        faults.of(check_disclosure, cls)
        faults.of(cls._declare, faults)
        faults.check()
        own: Any = cls
        parse: Any = vars(cls).get("parse")
        if parse is not None:  # Orders.parse(text) means the function
            own.parse = classmethod(resolving(otherwise=_read)(getattr(parse, "__func__", parse)))
        if not cls.reads_back and not cls.read_only_reason:
            cls.read_only_reason = "its lines are not read back: reads_back = False"
        cls.has_props_of_state = cls.has_props_of_state or "told_by" in vars(cls)
        _check_render(cls)

    @classmethod
    def _declare(cls, faults: Faults) -> None:
        """Fill in the derived settings of the declaration, and record its faults."""
        own: Any = cls
        if not hasattr(cls, "holds_items") or not cls.name or cls.value is None:
            return
        declare(own, faults)
        if not own.lines and not own.forms:
            own.lines = _usual_lines_of(cls)
        if own.lines:
            place, done = lines_owner(cls).__name__, getattr(own, "done", None)
            owner = LineOwner(place, cls.value, cls.reads_back, own.holds_items, done)
            cls._take_lines(forms_of(owner, cls.name, own.lines))

    @classmethod
    def _take_lines(cls, lines: Mapping[Density, tuple[Form, ...]]) -> None:
        """Set the forms of its lines, each distinguishable from the others when read back."""

    density: Prop[Density | None, DensityLike | None] = UNSET
    """How dense this section is, whatever the HUD is."""

    limit: Annotated[int, Field(ge=0)] | None = None
    """How many items it shows at most, whatever the HUD's density allows."""

    standing: Annotated[Standing | None, Field(repr=False)] = None
    """Whether it is pinned open, folded, or as usual; what the bound state says when None."""

    def _stands_for(self, name: str) -> str | None:
        return self.prop if name == "items" and getattr(self, "holds_items", False) else None

    def __init__(self, /, *positional: Any, **props: Any) -> None:
        try:
            super().__init__(*positional, **props)
        except PropError as error:
            refused = error
        else:
            return
        from hud_components.declaring._repairs import repaired_props  # only what is refused

        if hasattr(type(self), "holds_items") and not self.prop:
            check_declared(type(self))
        meant = repaired_props(type(self), positional, props)
        if meant == props:
            raise refused
        super().__init__(**meant)

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # it adds nothing but what is refused

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """Return the section of data, whose names may be those that a call understands, such as ``items``."""
        if cls.value is not None and cls.prop not in cls.__pydantic_fields__:
            check_declared(cls)
        try:
            return super().model_validate(obj, **options)
        except ValidationError:
            from hud_components.declaring._repairs import repaired_props  # only what is refused

            given = cast("dict[str, Any]", obj) if type(obj) is dict else {}
            meant = repaired_props(cls, (), given)
            if meant == given:
                raise
            return super().model_validate(meant, **options)

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        """Return the section with its data from a state, or ``None`` without any.

        :param usage: the use of the context.
        :param now: the current time, in milliseconds since the Unix epoch.
        """
        if not cls._is_shown_empty and not getattr(state, cls.field, ()):
            return None
        value = getattr(state, cls.field) if cls.field else None
        return None if value is None else cls.model_construct(**{cls.prop: value})

    @classmethod
    def forms_at(cls, density: Density) -> tuple[Form, ...]:
        """Return the forms of an item, or a value, at a density."""
        return ()

    @classmethod
    def with_texts(cls, ctx: RenderContext) -> RenderContext:
        """Return a context with the section's own texts, unless the caller replaced them."""
        if not cls.texts:
            return ctx
        label = ctx.values.get(Label)
        own = cls.texts if label is None else {**cls.texts, **cls._labelled(label)}
        return replace(ctx, texts={**own, **ctx.texts} if ctx.texts else own)

    @classmethod
    def _labelled(cls, label: Label) -> Mapping[str, str]:
        """Return its beginning, with a label before it."""
        lines = {form.text: form.source for form in (*cls.lone_forms, *cls.other_forms)}
        own = {**cls.texts, **lines}
        begins = (f"{cls.name}.title", *cls.opening)
        return {name: label.before(own[name]) for name in begins if name in own}

    @classmethod
    def listing(cls, item: Any, ctx: RenderContext) -> Child:
        """Return an item as in a list of all items: with its id and all fields; ``ctx`` has the texts."""
        raise DefinitionError(f"{cls.__name__} has no items to list")

    @classmethod
    def told(cls, value: Any, ctx: RenderContext) -> Child:
        """Return a value for an answer, with all fields; ``ctx`` has the texts."""
        raise DefinitionError(f"{cls.__name__} has no value to tell")

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any, /) -> Any:
        return taking_texts(cls, super().__get_pydantic_core_schema__(source, handler))

    @classmethod
    def tool_model(cls) -> type[BaseModel]:
        return tool_model(cls)

    @classmethod
    def of_tool(cls, said: Any) -> Self:
        given: dict[str, Any] = dict(said)
        if cls.prop in given and cls.draft is not None:
            drafts = given[cls.prop] if cls.kind is not None else (given[cls.prop],)
            made = [
                cls.value(
                    **{name: value for name, value in draft if name in draft.model_fields_set}
                )
                for draft in drafts
            ]
            given[cls.prop] = tuple(made) if cls.kind is not None else made[0]
        return cls(**given)

    def disclosed(self) -> Disclosure:
        """Return the class's disclosure, narrowed by ``density`` and ``limit``, pinned or folded."""
        own = None
        if self.density is not None or self.limit is not None:
            own = narrowed(self.disclosure, self.density, self.limit)
        if self.standing in ("pinned", "folded"):
            return disclosed_as(type(self), self.standing, own)
        return self.disclosure if own is None else own

    def brief(self) -> Component:
        """Return the container of its text at minimal density: a shared line, if it is read back."""
        return Brief() if self.reads_back else Paragraph()

    def in_context(self, ctx: RenderContext) -> Self:
        """Return the section as pinned or folded in the bound state, or unchanged."""
        state = None if self.standing is not None else ctx.get(State)
        return self if state is None else self.as_set(state)

    def as_set(self, state: State) -> Self:
        """Return the section as pinned or folded in a state, with the state's other props for it."""
        told = self.told_by(state)
        made = self.model_copy(update=told) if told else self
        if not (state.pinned_sections or state.folded_sections):
            return made
        standing = standing_of(type(self), state)
        return made if standing is None else made.standing_as(standing)

    @classmethod
    def told_by(cls, state: State) -> Mapping[str, object]:
        """Return a state's props for the section beside its value: by default none."""
        return _NOTHING

    def standing_as(self, standing: Standing) -> Self:
        """Return the section pinned, folded, or as usual, whatever the state."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        return self.model_construct(None, **{**given, "standing": standing})

    def as_shown(
        self, density: DensityLike = Density.FULL, context: RenderContext | None = None
    ) -> Self | None:
        r"""Return the section cut to the content of its rendering, or ``None`` if that is empty.

        It renders to the same text, from which ``parse`` reads it: ids, times and other hidden fields are unset.

        :param density: the density of the rendering.
        :param context: the context of the rendering, with the density if ``density`` is not passed.

        >>> from hud_components import Note, NotesSection
        >>> notes = NotesSection(notes=(Note(id="n-1", content="Port\n8080"), Note(content="b")))
        >>> notes.as_shown("compact").notes[0].content
        'Port 8080'
        """
        ctx = (context or RenderContext()).with_density(density)
        if self.disclosed().budget is not None:
            [piece] = Renderer(context=ctx).pieces(self)
            if piece.is_hidden:
                return None
            ctx = piece.context
        return self.as_shown_in(disclosed_context(self, ctx))

    def as_shown_in(self, ctx: RenderContext) -> Self | None:
        """Return the section cut to its content on the context's rung: by default as its parser reads it there."""
        if not self.is_parsed():
            why = f"{type(self).__name__} does not say what it shows"
            raise DefinitionError(f"{why}; define as_shown_in(ctx), and lift")
        shown = to_mdast(fragment(self.render(ctx, ())), ctx)
        blocks = mdast.normalize(shown).children
        read = self.parse(blocks, ctx) if blocks else None
        return None if read is None else read[0]

    @classmethod
    def is_parsed(cls) -> bool:
        """Tell whether the class has a parser of its own."""
        return is_overridden(cls, HudSection, "parse")

    @classmethod
    def shows_alike(cls, before: Any, now: Any, *, in_full: bool) -> bool:
        """Tell quickly whether two values of the state render the same; False if in doubt.

        Not used for subclasses of the defining class, which may show more.

        :param in_full: whether to consider a HUD without omissions.
        """
        return bool(before == now)

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        """Return the section at the start of blocks and its number of blocks, or ``None``.

        A section without it is not read back: it stays Markdown in a lifted HUD.

        :param blocks: mdast blocks, at least one; later ones may belong to other sections.
        :param ctx: the fixed texts; its depth is the number of sections around.
        """
        return None


def is_overridden(section: Any, base: Any, name: str) -> bool:
    """Tell whether a class has a class method of its own in place of its base's."""
    return bool(getattr(section, name).__func__ is not getattr(base, name).__func__)


def _read(section: type[HudSection], text: str) -> HudSection:
    read: HudSection = import_module("hud_components").parse(text, section, foreign=True)
    return read


@lru_cache(maxsize=256)
def narrowed(disclosure: Disclosure, density: Density | None, limit: int | None) -> Disclosure:
    """Return a disclosure restricted to one density, and to a number of items."""
    rungs = [disclosure.at(each) for each in (Density if density is None else (density,))]
    ladder: dict[Density, Rung] = {}
    for rung in rungs:
        limits = [each for each in (rung.limit, limit) if each is not None]
        if rung.density is Density.FULL or density is not None:
            limits = limits[-1:]  # the author's limit counts, even above the default
        ladder[rung.density] = Rung(rung.density, min(limits, default=None))
    return dataclasses.replace(disclosure, ladder=tuple(ladder.values()))


def _check_render(section: type[HudSection]) -> None:
    """Warn once about the lines of a section with its own ``render``, which have no effect."""
    own = vars(section)
    if (
        "render" not in own
        or not section.reads_back
        or not hasattr(section, "holds_items")
        or not {"parse", "read"}.isdisjoint(own)
        or section.__module__.startswith("hud_components.")
    ):
        return
    fields = fields_of(section.value).keys() - fields_of(HudItem).keys()
    field = next((name for name in fields_of(section.value) if name in fields), "what")
    lines = getattr(section, "lines", None) or {"full": f"{{{field}}}"}
    why = f"{section.__name__}.render: with it, the text cannot be read back, edited or shortened"
    line = f"lines = {dict(lines)} instead"
    warn(f"{why}; write {line}, define parse, too, or set reads_back = False")


def bound(ctx: RenderContext) -> Any:
    """Return the bound state for sections without their own data; an empty one if none."""
    return ctx.get(State) or no_state()


def of_bound(section: HudSection, ctx: RenderContext, nothing: Any = None) -> Any:
    """Return the bound state's value of a section, or ``nothing`` if no state is bound.

    Warns with a :class:`LayoutWarning` if the section is not in the state's domain.
    """
    state = ctx.get(State)
    if state is None:
        return nothing
    found = getattr(state, section.field, _LACKS)
    if found is not _LACKS:
        return found
    name, has = type(section).__name__, [each.__name__ for each in state.sections]
    bound_to = f"the {type(state).__name__} that is bound, which has {listed(has) or 'none'}"
    why = f"{name} shows nothing: it is not a section of the domain of {bound_to}"
    line = f"take it out of the layout, or give it its data: {name}({section.prop}=…)"
    warn(f"{why}; add it to the sections of that Domain, {line}", SectionWarning)
    return nothing


_LACKS = object()
