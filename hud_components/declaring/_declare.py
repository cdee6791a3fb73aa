"""The parts that follow from a section's declaration when its class is made: its model, names and props."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import GenericAlias
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import BaseModel, create_model
from pydantic.fields import FieldInfo

from hud_components._models import SOURCE, HudModel, PlainItem
from hud_components.declaring._attributes import faults_of_attributes
from hud_components.declaring._checks import (
    check_draft,
    check_fields,
    check_name,
    check_roles,
    check_sources,
    check_texts,
    check_verbs,
    given_verbs,
    is_flag,
    is_kept,
    is_taken,
    name_like,
)
from hud_components.declaring._faults import Faults
from hud_components.declaring._omission import OVER
from hud_components.declaring._values import TEXT, look_of
from hud_components.folding import VERBS, Mark
from hud_components.words._plurals import with_plural
from ujsx import Component, DefinitionError, PropError
from ujsx.components import check_types, described_like, fields_of
from ujsx.errors import did_you_mean, shown

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass

    SectionType = ModelMetaclass
else:

    class SectionType(type(Component)):
        """The class of section classes: gives each the prop for its data, unless it declares one."""

        def __new__(mcs, name, bases, namespace, **kwargs):  # noqa: ANN001, ANN003, ANN204
            wrong = dict(faults_of_attributes(name, bases, _annotated(namespace), namespace))
            faults = Faults(wrong.values())
            for attribute in wrong:  # the inherited one stands in for it
                del namespace[attribute]
            made = None
            with faults:
                model = declared_model(namespace.get("__orig_bases__", ()))
                if model is not None and "value" not in namespace:
                    namespace["value"] = model
                if _lacks_a_name(namespace, bases):
                    namespace["name"] = name_of(name)
                own = namespace.get("name")
                if own and (model := namespace.get("value")) is not None:
                    prop = namespace.get("prop") or namespace.get("field") or own
                    if not isinstance(prop, str) or prop not in _annotated(namespace):
                        with faults:
                            check_name(name, own, namespace, bases)
                        if faults or is_taken(prop, bases):
                            prop = namespace["prop"] = f"{name_like(prop) or 'data'}_shown"
                        bases = _with_prop(name, bases, prop, model, faults)
                made = super().__new__(mcs, name, bases, namespace, **kwargs)
            faults.check()
            return made

        def __call__(cls, /, *positional, **props):  # noqa: ANN002, ANN003, ANN204
            for name, given in props.items():
                if isinstance(
                    given, Iterator
                ):  # read once, and validated twice where it is refused
                    props[name] = tuple(given)
                elif isinstance(given, set | frozenset):
                    message = f"{shown(given)} has no order; write sorted(…)"
                    raise PropError(message, path=f"{cls.__name__}.{name}")
            return super().__call__(*positional, **props)


def _lacks_a_name(namespace: Mapping[str, Any], bases: tuple[type[Any], ...]) -> bool:
    """Tell whether a class says what it holds and how that is written, and neither it nor a base has a name."""
    if "name" in namespace or any(getattr(each, "name", "") for each in bases):
        return False
    held = (namespace.get("value"), *(getattr(each, "value", None) for each in bases))
    is_written = namespace.get("lines") or namespace.get("forms") or "render" in namespace
    return bool(is_written) and any(each is not None for each in held)


def name_of(section: str) -> str:
    """Return the name of a section whose body has none: that of its class.

    >>> name_of("Orders"), name_of("HTTPCallsList"), name_of("TripSection")
    ('orders', 'http_calls', 'trip')
    """
    words = _WORD.sub("_", re.sub("(?<=.)(Section|List)$", "", section.strip("_")))
    return name_like(words) or "data"


def _annotated(namespace: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] | None = namespace.get("__annotations__")
    annotate = namespace.get("__annotate_func__") or namespace.get("__annotate__")
    if found is None and annotate is not None:
        found = annotate(2)  # the values as they stand, from Python 3.14 on
    return found or {}


def _with_prop(
    name: str, bases: tuple[type[Any], ...], prop: str, model: type[BaseModel], faults: Faults
) -> tuple[type[Any], ...]:
    """The bases with the prop for the section's data in the first of them that is a section."""
    if any(prop in getattr(base, "__pydantic_fields__", ()) for base in bases):
        return bases
    known = len(faults)
    with faults:  # in the author's words, before the prop is refused in ours
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
            if isinstance(model, type) and issubclass(model, PlainItem) and not section.holds_items:
                raise DefinitionError(
                    f"{section.__name__}[{model.__name__}]: an item has an id, and one value has none;"
                    f" make {model.__name__} a HudValue"
                )
            if isinstance(model, type) and issubclass(model, HudModel):
                return model
            given = cast("Any", model)
            named = str(getattr(given, "__name__", shown(given)))
            kind = "HudItem" if section.holds_items else "HudValue"
            if isinstance(model, type) and issubclass(model, BaseModel):
                raise DefinitionError(
                    f"{section.__name__}[{named}]: what a section holds is frozen, and knows who said it; write class"
                    f" {named}({kind}), in place of {given.__base__.__name__}"
                )
            raise DefinitionError(
                f"{section.__name__}[{named}]: in the brackets stands a subclass of {kind}; write a class of your own,"
                f" class Facts({kind}), with a docstring and a field, such as text: Line"
            )
    return None


def draft_of(model: type[HudModel]) -> type[HudModel]:
    """Return the model of what an author fills in: all fields but those that the store or a verb sets.

    >>> from hud_components import HudItem, Kept
    >>> class Remedy(HudItem):
    ...     what: str
    ...     worked: Kept[bool] = False
    >>> list(draft_of(Remedy).model_fields)
    ['what']
    """
    fields: dict[str, Any] = {
        name: (_annotation(info), info)
        for name, info in fields_of(model).items()
        if name not in fields_of(PlainItem) and not is_kept(info)
    }
    name = f"{model.__name__}Draft"
    made = create_model(name, __base__=HudModel, __doc__=model.__doc__, **fields)
    return described_like(made, model)


def _annotation(info: FieldInfo) -> Any:
    return info.annotation


def declare(section: Any, faults: Faults) -> None:
    """Fill in what a section with data does not say of itself, and note what cannot be.

    :raises DefinitionError: where nothing else can be told of it.
    """
    what = section.__name__
    own = section.__dict__
    if "name" in own:
        for attribute in ("field", "event"):
            if attribute not in own:
                setattr(section, attribute, section.name)
        if "prop" not in own and (section.field in fields_of(section) or not section.prop):
            section.prop = section.field  # else the inherited one, of a section of another name
        if "texts" not in own:
            section.texts = _under_todays_name(section)
    if section.prop not in fields_of(section):
        hint = did_you_mean(section.prop, fields_of(section))
        faults.append(f'{what}.prop: it has no prop "{section.prop}"; {hint}')
    check_fields(section, faults)
    if section.draft is None or ("value" in own and "draft" not in own):
        section.draft = draft_of(section.value)
    elif not fields_of(section.draft).keys().isdisjoint(SOURCE):  # the store's to tell
        section.draft = draft_of(section.draft)
    check_draft(section)
    if section.holds_items and "text" not in own and section.text not in fields_of(section.draft):
        section.text = _says_what(section.draft)
    if section.holds_items and not section.done:
        section.done = _done_by(section)
    check_roles(section, faults)
    with faults:
        check_sources(section)
    check_texts(section, faults)
    check_verbs(section, faults)


def _done_by(section: Any) -> str | None:
    """The field that a verb marks an item by: the one that it names, or the only one that is yes or no."""
    verbs = [VERBS.get(each) if isinstance(each, str) else each for each in given_verbs(section)]
    marks = [each.done for each in verbs if isinstance(each, Mark)]
    flags = [name for name, info in fields_of(section.value).items() if is_flag(info)]
    return next(filter(None, marks), flags[0] if marks and len(flags) == 1 else None)


def _says_what(draft: type[HudModel]) -> str:
    """The field in which an item says what it is: the first text, or else the first field."""
    fields = fields_of(draft)
    texts = (name for name, info in fields.items() if look_of(info.annotation) is TEXT)
    return next(texts, next(iter(fields)))


def declared_texts(section: Any) -> Mapping[str, str]:
    """Return the fixed texts of a section: those that it says, and those that follow."""
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
    if section.holds_items and section.done and section.shows_done:
        word = section.done.replace("_", " ").strip()
        texts |= {f"{name}.{each}": text.format(over=word) for each, text in OVER.items()}
    own: Mapping[str, Any] = section.__dict__
    anew = {f"{name}.{each}" for each in ("title", "noun") if each in own} - {*own.get("texts", ())}
    return {**texts, **{key: text for key, text in section.texts.items() if key not in anew}}


def noun_of(item: type[Any], words: str) -> str:
    """Return the noun of items whose section has none: the name of their class, in the words of a section's
    name that is its plural.

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
"""Where another word of a class's name begins."""


def _under_todays_name(section: Any) -> Mapping[str, str]:
    """The texts that a section has of its bases, those of another name without what follows from that."""
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
"""Texts that follow from a section's name, and from the field that says what is over."""
