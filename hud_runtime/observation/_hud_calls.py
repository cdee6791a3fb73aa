"""Calls of the agent's own HUD tool, read as the tool itself reads them.

A toolset does the reading, so that every layout and every repair that the tool takes counts here
too. Its operations record nothing: each answers with what it would record.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any

from pydantic import BaseModel

from hud_components import CODING, Domain
from hud_runtime.events import EventType, New, catalog_of
from hud_runtime.observation._operations import operations_of
from hud_runtime.tools._arguments import Nothing
from hud_runtime.tools._layouts import Layout, document
from hud_runtime.tools._operations import NAME
from hud_runtime.tools._record import arguments_of
from hud_runtime.tools._standing import ANSWERS, Named
from ujsx.tools import Operation, ToolResult, Toolset

_ID = r"`?(?P<id>[\w.:-]+?)`?"
"""An id as an answer shows it."""


def recorded(
    name: str, given: Mapping[str, object], answer: str, domain: Domain[Any, Any] = CODING
) -> tuple[EventType, dict[str, Any]] | None:
    """Return the event of an answered call and its payload, or None where the call only reads.

    A new item gets the id that the answer tells, by which later calls name it.

    Raises :class:`ValueError` for a call that the tool would not have understood.

    >>> recorded("hud", {"call": {"op": "notes.add", "content": "Port 8080"}}, "Added n-3.")
    ('note.add', {'content': 'Port 8080', 'id': 'n-3'})
    """
    result = _calls(domain).call(_tool(name, domain), dict(given))
    operation = result.operation
    event = None if operation is None else operations_of(domain)[operation]
    if event is None and operation is not None:
        return None
    if event is None or operation is None or result.is_error:
        raise ValueError(f"{name}: {_why(result)}")
    payload: dict[str, Any] = result.data
    told = _told_id(operation, answer, domain)
    if told is not None and issubclass(catalog_of(domain)[event], New):
        payload.setdefault("id", told)
    return event, payload


@lru_cache(maxsize=8)
def _calls(domain: Domain[Any, Any]) -> Toolset:
    return Toolset(
        [
            Operation(name, Layout, partial(_document, domain))
            if event == "layout.set"
            else Operation(name, Named, _section)
            if event in ANSWERS
            else Operation(name, _arguments(name, event, domain), _payload)
            for name, event in operations_of(domain).items()
        ],
        name=NAME,
    )


def _arguments(
    operation: str, event: EventType | None, domain: Domain[Any, Any]
) -> type[BaseModel]:
    """The tool's own arguments, but for a new item: a call of another's tool may bring its id."""
    if event is None:
        return Nothing
    happening, payload = domain.operations.get(operation), catalog_of(domain)[event]
    if happening is not None and not issubclass(payload, New):
        return arguments_of(domain, happening)
    return payload


def _payload(arguments: BaseModel) -> ToolResult:
    return ToolResult("", data=arguments.model_dump(mode="json", exclude_unset=True))


def _document(domain: Domain[Any, Any], asked: Layout) -> ToolResult:
    return ToolResult("", data={"layout": document(asked.layout, domain.state)})


def _section(asked: Named) -> ToolResult:
    return ToolResult("", data={"section": asked.section})


def _tool(name: str, domain: Domain[Any, Any]) -> str:
    """The tool's own name, without a server's before it; a user may call the tool otherwise."""
    bare = name.rpartition("__")[2]
    return bare if _calls(domain).has(bare) else NAME


def _told_id(operation: str, answer: str, domain: Domain[Any, Any]) -> str | None:
    happening = domain.operations.get(operation)
    if happening is None:
        return None
    pattern = re.escape(happening.verb.answer).replace(re.escape("{id}"), _ID)
    rest = "$" if happening.verb.also is None else r"(?: [^\n]*)?$"
    found = re.match(f"{pattern}{rest}", answer, re.MULTILINE)
    return None if found is None else found.groupdict().get("id")


def _why(result: ToolResult) -> str:
    problems: list[dict[str, str]] = result.data["problems"]
    return "; ".join(": ".join(each.values()) for each in problems)
