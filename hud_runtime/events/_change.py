"""Makes the payload that changes an item out of the draft that creates it.

The fields, their constraints and their descriptions are the draft's own; only none of them is
required. So what is valid for a new item is valid for a changed one, and nothing is written twice.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, create_model
from pydantic.fields import FieldInfo

BaseT = TypeVar("BaseT", bound=BaseModel)


def changeable(name: str, draft: type[BaseModel], base: type[BaseT], doc: str) -> type[BaseT]:
    """Return a subclass of ``base`` with all of ``draft``'s fields, none of them required.

    ``null`` is allowed only where the draft allows it: there it takes the value away.

    >>> from hud_components import NoteDraft
    >>> model = changeable("NoteUpdate", NoteDraft, BaseModel, "A note reads anew.")
    >>> model.model_json_schema()["properties"]["content"]["type"]
    'string'
    """
    fields: dict[str, Any] = {
        field: (_same(info), Field(default=None, json_schema_extra=_without_default))
        for field, info in draft.model_fields.items()
        if field not in base.model_fields
    }
    return create_model(name, __base__=base, __doc__=doc, __module__=base.__module__, **fields)


def _same(info: FieldInfo) -> Any:
    return Annotated[info.annotation, Field(description=info.description), *info.metadata]


def _without_default(schema: dict[str, Any]) -> None:
    # The default stands for "not given"; a schema that showed it would invite a null.
    schema.pop("default", None)
