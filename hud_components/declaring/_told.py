"""A model made of what a line tells of it, and of nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from hud_components._models import HudModel
from hud_components.declaring._values import TEXT, Partial, look_of
from ujsx.components import fields_of

ModelT = TypeVar("ModelT", bound=HudModel)


def as_told(model: type[ModelT], said: Mapping[str, Any]) -> ModelT | None:
    """Return an item, or a value, that says what a line told of it; ``None`` where that cannot be.

    What the line did not tell is unset, though it be required: nothing is invented. A text that was
    cut, so that it breaks a rule of its field, stays what was shown. Such a model is good to show
    and to compare; it is not what a store would take.

    >>> from hud_components import HudItem, Line
    >>> class Remedy(HudItem):
    ...     what: Line
    ...     tries: int
    >>> as_told(Remedy, {"what": "Restart"})
    Remedy(id='', what='Restart')
    """
    if any(isinstance(each, Partial) for each in said.values()):
        return _in_part(model, said)
    try:
        return model(**said)
    except ValidationError:
        return _in_part(model, said)


def _in_part(model: type[ModelT], said: Mapping[str, Any]) -> ModelT | None:
    values: dict[str, Any] = {}
    for name, told in said.items():
        if name not in fields_of(model):
            return None
        values[name] = told
        if isinstance(told, Partial):  # "2026" would be read as a moment of 1970
            continue
        try:
            values[name] = _adapter(model, name).validate_python(told)
        except ValidationError:
            is_text = look_of(fields_of(model)[name].annotation) is TEXT
            if isinstance(told, str) and not (is_text and (told.strip() or not told)):
                return None
    return model.model_construct(**values)


@lru_cache(maxsize=1024)
def _adapter(model: type[HudModel], name: str) -> TypeAdapter[Any]:
    info = fields_of(model)[name]
    kind: Any = Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation
    return TypeAdapter(kind)
