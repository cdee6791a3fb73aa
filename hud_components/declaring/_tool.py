"""A section as a tool: what a model fills in is the data alone.

Ids, times and origins are the store's; densities, limits and what is left out the renderer's. None of
them is in the schema of the tool, and a call that has one is refused.
"""

from __future__ import annotations

from functools import lru_cache
from types import NoneType
from typing import Any, Union, get_args

from pydantic import BaseModel, create_model
from pydantic.fields import FieldInfo

from hud_components._models import HudModel
from hud_components.declaring._checks import check_declared
from hud_components.declaring._declare import declared_texts, noun_of

SETTINGS = frozenset(
    {
        "after",
        "age",
        "as_list",
        "density",
        "first",
        "keep",
        "limit",
        "now",
        "refresh",
        "recalled",
        "show_ids",
        "unconfirmed",
        "standing",
        "state",
        "step",
        "unlisted",
        "unlisted_at",
        "unlisted_done",
        "updated_at",
    }
)
"""Props that say how a section shows what it has, or when."""


@lru_cache(maxsize=256)
def tool_model(section: Any) -> type[BaseModel]:
    """Return the model of what a section's tool takes: its data, which it requires.

    :raises DefinitionError: for a base of sections, which has no data.
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
    """The type of a prop that has to be given: a draft in place of an item, and never None."""
    if name == section.prop and section.draft is not None:
        draft: Any = section.draft
        return tuple[draft, ...] if section.kind is not None else draft
    given = tuple(each for each in get_args(info.annotation) if each is not NoneType)
    has_none = NoneType in get_args(info.annotation)
    union: Any = Union  # for type checkers, which know it only in annotations
    return union[given] if has_none and given else info.annotation


def _required(section: Any, name: str, info: FieldInfo) -> FieldInfo:
    """A prop without a default, and without what its description says of one."""
    said = (info.description or "").partition("; ")[0].strip().removesuffix(".")
    if not said and name == section.prop and hasattr(section, "holds_items"):
        noun = declared_texts(section)[f"{section.name}.noun"]
        words = section.name.replace("_", " ")
        is_named = section.noun or noun != noun_of(section.value, words)  # else the name says more
        said = f"The {noun.rpartition('|')[-1] if is_named else words}"
    return FieldInfo(description=f"{said}." if said else None)


def of_tool(section: Any, said: BaseModel) -> Any:
    """Return the section that shows what a call of its tool says."""
    given: dict[str, Any] = dict(said)
    prop = section.prop
    if prop in given and section.draft is not None:
        value: Any = given[prop]
        is_list = section.kind is not None
        made = [_of_draft(section, draft) for draft in (value if is_list else (value,))]
        given[prop] = tuple(made) if is_list else made[0]
    return section(**given)


def _of_draft(section: Any, draft: BaseModel) -> Any:
    return section.value(**{name: value for name, value in draft if name in draft.model_fields_set})
