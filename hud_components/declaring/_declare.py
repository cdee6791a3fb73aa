"""The consequences of a section's declaration, when its class is made."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import GenericAlias
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from pydantic import BaseModel, create_model
from pydantic.fields import FieldInfo

from hud_components._models import SOURCE, HudModel, PlainItem
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
from hud_components.declaring._form import OVER
from hud_components.declaring._values import TEXT, Faults, look_of
from hud_components.folding import VERBS, Mark, Verb
from hud_components.words._texts import with_plural
from ujsx import Component, DefinitionError, PropError
from ujsx.components import check_types, described_like, fields_of, unannotated
from ujsx.errors import did_you_mean, shown

# The attributes of a section's body: which there are, and what kind of value each is.
#
# What stands there is looked at before anything else is: an attribute of another kind would fail far from
# where it is written, or say something else. A text where several names belong is such a one: it would be
# taken for one name for each letter.


class _Sort(NamedTuple):
    """What an attribute's value has to be."""

    fits: Callable[[object], bool]
    is_what: str
    example: str
    """What to write; ``{}`` is what was written."""


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_field(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_by_name(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_model(value: object) -> bool:
    return value is None or (isinstance(value, type) and issubclass(value, BaseModel))


def _are_verbs(value: object) -> bool:
    """Tell whether they are several, or one alone, which is refused with what to write instead."""
    return isinstance(value, Verb | Iterable) and not isinstance(value, type)


def _are_texts(value: object) -> bool:
    return isinstance(value, tuple | list) and all(
        isinstance(each, str) for each in cast("Iterable[object]", value)
    )


def _are_texts_by_name(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(part, str)
        for pair in cast("Mapping[object, object]", value).items()
        for part in pair
    )


def _is_like(pattern: str) -> Callable[[object], bool]:
    like = re.compile(pattern)
    return lambda value: isinstance(value, str) and like.fullmatch(value) is not None


_TEXT = _Sort(_is_text, "a text", "'{}'")
_FLAG = _Sort(_is_flag, "yes or no", "True")
_NUMBER = _Sort(_is_number, "a whole number", "2")
_TEXTS = _Sort(_are_texts, "several texts", "('{}',)")
_WORDS = _Sort(_are_texts_by_name, "texts by their names", '{{"…": "…"}}')
_BY_NAME = _Sort(_is_by_name, "something by names", '{{"…": …}}')
_FIELD = _Sort(_is_field, "a field", '"…"')
_MODEL = _Sort(_is_model, "a class of items or values", "Item, a subclass of HudModel")
_VERBS = _Sort(_are_verbs, "several verbs", '("add", "update", "remove")')
_PREFIX = _Sort(
    _is_like(r"([^\W_][\w-]*)?"), "what ids begin with: letters, digits, - and _", '"…"'
)
_NAME = _Sort(
    _is_like("[a-z][a-z0-9_]*"), "a name of lower-case letters, digits and underscores", '"…"'
)
_EVENT = _Sort(
    _is_like(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*"),
    "what types of events begin with: lower-case letters, digits, underscores, dots between them",
    '"…"',
)

SORTS: Mapping[str, _Sort] = {
    **dict.fromkeys(("text", "key", "why_fixed"), _TEXT),
    **dict.fromkeys(("field", "prop"), _NAME),
    **dict.fromkeys(("done", "order"), _FIELD),
    **dict.fromkeys(("former", "opening", "columns"), _TEXTS),
    **dict.fromkeys(("texts", "texts_without_signs"), _WORDS),
    **dict.fromkeys(("on", "former_fields", "upcasts"), _BY_NAME),
    **dict.fromkeys(
        (
            *("is_reported", "has_operations", "is_cut", "is_sourced", "alerts", "stays_shown"),
            *(
                "from_project",
                "from_parent",
                "takes_results",
                "has_paragraphs",
                "can_replace",
                "shows_done",
                "in_line",
                "says_once",
                "keeps_lines",
            ),
        ),
        _FLAG,
    ),
    **dict.fromkeys(("draft", "value"), _MODEL),
    "verbs": _VERBS,
    "prefix": _PREFIX,
    "event": _EVENT,
    "revision": _NUMBER,
}
"""By attribute, what its value is; others are looked at where more is known of them."""

_ELSEWHERE: Mapping[str, str] = {
    "lines": "template templates format line row rows_template view text_template",
    "title": "heading header label caption",
    "noun": "singular plural item_name",
    "verbs": "operations actions ops methods",
    "value": "item model item_class item_type item_model value_class",
    "done": "done_field completed_field done_when",
    "aliases": "other_names synonyms",
}
"""By attribute, what others call it."""

_OF_DISCLOSURE = ("ladder", "weight", "floor", "layer")
"""Parts of the disclosure that are no attributes of their own; a budget is one."""


def faults_of_attributes(
    what: str, bases: tuple[type, ...], annotated: Iterable[str], own: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield each attribute that no section has, as it would say nothing, or of the wrong kind, and its fault."""
    typed = set(annotated)
    for name, value in own.items():
        if any(hasattr(base, name) for base in bases) or _is_prop(name, bases):
            sort = SORTS.get(name)
            if sort is not None and not sort.fits(value):
                example = sort.example.format(value)
                why = f"{shown(value)} is not {sort.is_what}"
                yield name, f"{what}.{name}: {why}; write {name} = {example}"
            elif name not in typed and _is_prop(name, bases):
                yield name, unannotated(what, name, value)
        elif name not in typed and isinstance(value, type) and name in _ELSEWHERE["value"].split():
            yield (
                name,
                f"{what}.{name}: write it in brackets: class {what}({bases[0].__name__}[{value.__name__}])",
            )
        elif not (
            name in typed or name.startswith("_") or callable(value) or hasattr(value, "__get__")
        ):
            yield name, _unknown(what, name, value, bases)


def _is_prop(name: str, bases: tuple[type, ...]) -> bool:
    return any(name in getattr(base, "__pydantic_fields__", ()) for base in bases)


def _unknown(what: str, name: str, value: object, bases: tuple[type, ...]) -> str:
    if name == "ladder":
        return f"{what}.ladder: it is part of the disclosure; write disclosure = Disclosure(…)"
    if name in _OF_DISCLOSURE:
        return (
            f"{what}.{name}: it is part of the disclosure; write "
            f"disclosure = Disclosure(ladder, {name}={shown(value)})"
        )
    for attribute, others in _ELSEWHERE.items():
        if name in others.split():
            return f"{what}.{name}: a section has no such attribute; write {attribute} = {shown(value)}"
    known = sorted({each for base in bases for each in _said_of(base)})
    return (
        f"{what}.{name}: a section has no such attribute; {did_you_mean(name, known)}; an attribute"
        f" of your own is annotated: {name}: ClassVar[{type(value).__name__}] = …"
    )


def _said_of(base: type) -> Iterable[str]:
    return (name for name in getattr(base, "__class_vars__", ()) if not name.startswith("_"))


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
                    f"{section.__name__}[{named}]: items are frozen and record their source; write class"
                    f" {named}({kind}) instead of {given.__base__.__name__}"
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
