"""Several schemas that all hold, as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ujsx.schema._keywords import Schema, is_object


def merged(schemas: Sequence[Any]) -> Schema | None:
    """Return one schema that says what all of them say, or ``None`` if there is no simple one.

    Properties and required names are put together; what two of them say differently has no simple
    form, unless it is a text: then the last one counts.

    >>> merged([{"minLength": 1}, {"maxLength": 9}])
    {'minLength': 1, 'maxLength': 9}
    >>> merged([{"minLength": 1}, {"minLength": 2}]) is None
    True
    """
    whole: Schema = {}
    for schema in schemas:
        if not is_object(schema):
            return None
        for keyword, value in schema.items():
            joined = _joined(keyword, whole[keyword], value) if keyword in whole else value
            if joined is None:
                return None
            whole[keyword] = joined
    closed = [each for each in schemas if each.get("additionalProperties") is False]
    names = whole.get("properties", {}).keys()
    if any(each.get("properties", {}).keys() != names for each in closed):
        return None  # each of them refuses what another declares
    return whole


def _joined(keyword: str, first: Any, second: Any) -> Any:
    if first == second or keyword in {"description", "title"}:
        return second
    if keyword == "required":
        return [*first, *(name for name in second if name not in first)]
    if keyword == "properties" and all(
        second[name] == schema for name, schema in first.items() if name in second
    ):
        return {**first, **second}
    return None
