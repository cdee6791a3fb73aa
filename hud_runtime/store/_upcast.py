"""Payloads that an older version of this library wrote, as this one reads them.

Rows are never changed, so what they hold is brought up to date when it is read. When a
payload's fields change, :data:`FORMAT` is raised and :data:`UPCASTS` gets a row for each type
concerned; the function takes the payload in the format of its key and returns it in the next.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from hud_runtime._errors import StoreVersionError

Upcast: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]

FORMAT = 1
"""The format in which payloads are written now."""

UPCASTS: Mapping[tuple[str, int], Upcast] = MappingProxyType({})
"""By the event's type and the format that its payload was written in."""


def upcast(
    event_type: str,
    written: int,
    payload: str,
    upcasts: Mapping[tuple[str, int], Upcast] = UPCASTS,
    current: int = FORMAT,
) -> str:
    """Return a payload's JSON in the current format.

    Raises :class:`StoreVersionError` for one that is newer than this library.

    >>> longer = {("note.add", 1): lambda old: {"content": old["text"]}}
    >>> upcast("note.add", 1, '{"text": "Port 8080"}', longer, current=2)
    '{"content": "Port 8080"}'
    """
    if written == current:
        return payload
    if written > current:
        raise StoreVersionError(
            f"a {event_type} event has format {written}, this library reads up to {current}:"
            " update ujsx"
        )
    steps = [upcasts.get((event_type, number)) for number in range(written, current)]
    if not any(steps):
        return payload
    data = json.loads(payload)
    for step in filter(None, steps):
        data = step(data)
    return json.dumps(data)
