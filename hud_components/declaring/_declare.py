"""What follows from a section's declaration when its class is made: its model, names and props."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import GenericAlias
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, PydanticUserError, create_model
from pydantic.fields import FieldInfo

from hud_components._models import KEPT, HudItem, HudModel
from hud_components.folding import (
    VERBS,
    Add,
    Append,
    Mark,
    Remove,
    Reorder,
    Replace,
    Set,
    Verb,
)
from hud_components.words._texts import HANDLES, TEXTS
from ujsx import Component, DefinitionError
from ujsx.errors import did_you_mean, shown

RESERVED = frozenset({"turn", "timestamp", "actor", "type", "payload", "section", "op", "call"})
"""Names that no field of an item can have: an event, or a call, has them already."""

NAME = re.compile(r"[a-z][a-z0-9_]*")
"""What the name of a section, a verb or an event may look like."""

OF_ITEMS = (Add, Mark, Remove, Reorder, Append, Replace)
OF_VALUES = (Set,)
"""Verbs that only lists have, and only values."""


if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass as SectionType
else:

    class SectionType(type(Component)):
        """The class of section classes: gives each the prop for its data, unless it declares one."""

        def __new__(mcs, name, bases, namespace, **kwargs):  # noqa: ANN001, ANN003, ANN204
            model = declared_model(namespace.get("__orig_bases__", ()))
            if model is not None and "value" not in namespace:
                namespace["value"] = model
            own = namespace.get("name")
            if own and (model := namespace.get("value")) is not None:
                prop = namespace.get("prop") or namespace.get("field") or own
                if prop not in _annotated(namespace):
                    bases = _with_prop(name, bases, prop, model)
            try:
                return super().__new__(mcs, name, bases, namespace, **kwargs)
            except PydanticUserError as error:
                raise _explained(name, bases, namespace, error) from None


def _explained(
    name: str, bases: tuple[type[Any], ...], namespace: Mapping[str, Any], error: PydanticUserError
) -> Exception:
    """What is said of an attribute that neither a section has nor a type makes a prop."""
    for attribute in namespace:
        if error.code == "model-field-missing-annotation" and f"`{attribute} = " in error.message:
            known = {each for base in bases for each in dir(base) if each[:1] != "_"}
            return DefinitionError(
                f"{name}.{attribute}: a section has no such attribute;"
                f" {did_you_mean(attribute, known)}; a prop of your own has a type"
            )
    return error


def _annotated(namespace: Mapping[str, Any]) -> Mapping[str, Any]:
    if "__annotations__" in namespace:
        return namespace["__annotations__"]
    annotate = namespace.get("__annotate_func__") or namespace.get("__annotate__")
    return {} if annotate is None else annotate(2)  # the values as they stand, from Python 3.14 on


def _with_prop(
    name: str, bases: tuple[type[Any], ...], prop: str, model: type[BaseModel]
) -> tuple[type[Any], ...]:
    """The bases with the prop for the section's data in the first of them that is a section."""
    if any(prop in getattr(base, "model_fields", ()) for base in bases):
        return bases
    [first, *others] = bases
    kind: Any = tuple[model, ...] if first.holds_items else model
    made = create_model(f"{name}Props", __base__=first, **{prop: (kind | None, None)})
    return (made, *others)


def declared_model(bases: tuple[Any, ...]) -> type[BaseModel] | None:
    """Return the model in the brackets of ``ItemsSection[…]`` or ``ValueSection[…]``."""
    for base in bases:
        if isinstance(base, GenericAlias):
            [model] = base.__args__
            if isinstance(model, TypeVar):
                return None
            if not (isinstance(model, type) and issubclass(model, HudModel)):
                raise DefinitionError(
                    f"{base.__origin__.__name__}[{shown(model)}]: in the brackets stands a class of "
                    f"items, a subclass of {'HudItem' if base.__origin__.holds_items else 'HudModel'}"
                )
            return model
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
        for name, info in model.model_fields.items()
        if name not in HudItem.model_fields and not is_kept(info)
    }
    return create_model(
        f"{model.__name__}Draft", __base__=HudModel, __doc__=model.__doc__, **fields
    )


def is_kept(info: FieldInfo) -> bool:
    """Tell whether only verbs set a field."""
    return KEPT in info.metadata


def _annotation(info: FieldInfo) -> Any:
    return info.annotation


def check_fields(section: str, model: type[HudModel]) -> None:
    """Refuse fields of an item that an event could not tell from its own, or nobody could fill in."""
    for name, info in model.model_fields.items():
        if name in RESERVED:
            raise DefinitionError(
                f"{section}: {model.__name__}.{name} has the name of something that every event or "
                "call has; use another one"
            )
        if is_kept(info) and info.is_required():
            raise DefinitionError(
                f"{section}: {model.__name__}.{name} is set by verbs only, so it needs a default"
            )


def declare(section: Any) -> None:
    """Fill in what a section with data does not say of itself, and refuse what cannot be.

    :raises DefinitionError: with what to write instead.
    """
    what = section.__name__
    if not NAME.fullmatch(section.name):
        raise DefinitionError(
            f"{what}.name: {shown(section.name)} is no name; use lower-case letters, digits and "
            "underscores, a letter first"
        )
    own = section.__dict__
    if "name" in own:
        for attribute in ("field", "event"):
            if attribute not in own:
                setattr(section, attribute, section.name)
        if "prop" not in own:
            section.prop = section.field
    if section.prop not in section.model_fields:
        hint = did_you_mean(section.prop, section.model_fields)
        raise DefinitionError(f'{what}.prop: it has no prop "{section.prop}"; {hint}')
    check_fields(what, section.value)
    if section.holds_items and section.key not in section.value.model_fields:
        raise DefinitionError(
            f"{what}: {section.value.__name__} has no field {shown(section.key)}, by which its items are"
            " named; make it a HudItem, or name another field: key = …"
        )
    if section.draft is None or ("value" in own and "draft" not in own):
        section.draft = draft_of(section.value)
    if not section.draft.model_fields:
        raise DefinitionError(f"{what}: an author can fill in nothing of {section.value.__name__}")
    for attribute in ("done", "text", "order"):
        name = getattr(section, attribute, None)
        if name and name not in section.value.model_fields:
            raise DefinitionError(
                f"{what}.{attribute}: {section.value.__name__} has no field {shown(name)};"
                f" {did_you_mean(name, section.value.model_fields)}"
            )
    seen: set[str] = set()
    for verb in verbs_of(section):
        if verb.name in seen:
            raise DefinitionError(f'{what}.verbs: there are two of the name "{verb.name}"')
        if not NAME.fullmatch(verb.name):
            raise DefinitionError(f"{what}.verbs: {shown(verb.name)} is no name; use letters only")
        seen.add(verb.name)
        _check_verb(section, verb)


def _check_verb(section: Any, verb: Verb) -> None:
    """Refuse a verb that could do nothing here, or that does not say what it is told."""
    where = f"{section.__name__}.verbs: {shown(verb.name)}"
    if isinstance(verb, OF_ITEMS) and not section.holds_items:
        raise DefinitionError(f"{where} is for items, and this section has one value; leave it out")
    if isinstance(verb, OF_VALUES) and section.holds_items:
        raise DefinitionError(f"{where} is for one value, and this section has items; leave it out")
    if isinstance(verb, Mark) and not section.done:
        raise DefinitionError(
            f"{where} says that an item is over, and nothing says which field that is; give it a"
            ' bool: done = "…"'
        )
    if type(verb) is Verb and verb.payload is None:
        verb.payload_of(section)  # which refuses a function that does not say what it is told


def verbs_of(section: Any) -> tuple[Verb, ...]:
    """Return a section's verbs: those asked for by name, and its own.

    :raises DefinitionError: for a name that no verb has.
    """
    found: list[Verb] = []
    if isinstance(section.verbs, str):
        raise DefinitionError(
            f'{section.__name__}.verbs: {shown(section.verbs)} is no tuple; write ("{section.verbs}",)'
        )
    for each in section.verbs:
        if isinstance(each, Verb):
            found.append(each)
        elif each in VERBS:
            found.append(VERBS[each])
        else:
            raise DefinitionError(
                f"{section.__name__}.verbs: there is no verb {shown(each)};"
                f" {did_you_mean(str(each), VERBS)}; or give a function: Verb({shown(each)}, function)"
            )
    return tuple(found)


def declared_texts(section: Any) -> Mapping[str, str]:
    """Return the fixed texts of a section that the table of texts does not have."""
    name = section.name
    texts: dict[str, str] = {}
    if section.title or f"{name}.title" not in TEXTS:
        texts[f"{name}.title"] = section.title or name.replace("_", " ").capitalize()
    if section.noun or f"{name}.noun" not in TEXTS:
        texts[f"{name}.noun"] = section.noun or name.replace("_", " ")
    if name not in HANDLES and "list" not in section.texts:
        texts[f"{name}.handle"] = f"hud {name}.list"
    return {**texts, **section.texts}
