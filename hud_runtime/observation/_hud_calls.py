"""Calls of the agent's own HUD tool, read as the tool itself reads them.

A toolset does the reading, so that every layout and every repair that the tool takes counts here
too. Its operations record nothing: each answers with what it would record.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from pydantic import BaseModel

from hud_components import CODING, Domain, HudSection
from hud_runtime.events import EventType, New, catalog_of
from hud_runtime.observation._operations import operations_of
from hud_runtime.tools._layouts import Layout, document
from hud_runtime.tools._operations import NAME, hud_toolset, meaning
from hud_runtime.tools._record import items_in
from hud_runtime.tools._standing import STANDINGS, Named
from ujsx.tools import Operation, ToolResult, Toolset

_ID = r"`?(?P<id>[\w.:-]+?)`?"
"""An id as an answer shows it."""


def recorded(
    name: str, given: Mapping[str, object], answer: str, domain: Domain[Any, Any] = CODING
) -> list[tuple[EventType, dict[str, Any]]]:
    """Return the events of an answered call, each with its payload; none for a call that only reads.

    A new item gets the id that the answer tells, by which later calls name it.

    Raises :class:`ValueError` for a call that the tool would not have understood.

    >>> recorded("hud", {"call": {"op": "notes.add", "content": "Port 8080"}}, "Added n-3.")
    [('note.add', {'content': 'Port 8080', 'id': 'n-3'})]
    """
    result = _calls(domain).call(_tool(name, domain), dict(given))
    if result.is_error:
        if result.operation is not None and operations_of(domain)[result.operation] is None:
            return []
        raise ValueError(f"{name}: {_why(result)}")
    several = result.operation is None
    one = {"op": result.operation, "data": result.data}
    calls: list[dict[str, Any]] = result.data if several else [one]
    lines = answer.splitlines() if several else [answer]
    told = lines if len(lines) in (len(calls), len(calls) + 1) else [""] * len(calls)  # the status
    events = (_event(each, line, domain) for each, line in zip(calls, told, strict=False))
    return [event for event in events if event is not None]


def _event(
    call: Mapping[str, Any], answer: str, domain: Domain[Any, Any]
) -> tuple[EventType, dict[str, Any]] | None:
    """The event of one call; None where it only reads."""
    operation = call["op"]
    event = operations_of(domain)[operation]
    if event is None:
        return None
    payload: dict[str, Any] = call["data"]
    told = _told_id(operation, answer, domain)
    if told is not None and issubclass(catalog_of(domain)[event], New):
        payload.setdefault("id", told)
    return event, payload


@lru_cache(maxsize=8)
def _calls(domain: Domain[Any, Any]) -> Toolset:
    own = hud_toolset(None, domain=domain, layouts=True).operations
    events = operations_of(domain)
    former = {name: event for name, event in events.items() if event and name not in own}
    return Toolset(
        [
            *(replace(each, handler=_handler(each, domain)) for each in own.values()),
            *(Operation(name, catalog_of(domain)[former[name]], _payload) for name in former),
        ],
        name=NAME,
        meant=meaning(domain, own.values()),
        transaction=nullcontext,
    )


def _handler(operation: Operation, domain: Domain[Any, Any]) -> Callable[[Any], ToolResult]:
    """The function that answers a call with the event that it records."""
    event = operations_of(domain).get(operation.name)
    if event == "layout.set":
        return partial(_document, domain)
    if event in STANDINGS:
        return _section
    section = _section_of(operation.name, domain) if event == "section.replace" else None
    return _payload if section is None else partial(_items, section.field)


def _payload(arguments: BaseModel) -> ToolResult:
    return ToolResult("", data=arguments.model_dump(mode="json", exclude_unset=True))


def _items(field: str, asked: BaseModel) -> ToolResult:
    return ToolResult("", data={field: items_in(asked)})


def _section_of(operation: str, domain: Domain[Any, Any]) -> type[HudSection] | None:
    name = operation.rpartition(".")[0]
    return next((each for each in domain.tools if each.name == name), None)


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
    problems: list[dict[str, Any]] = result.data["problems"]
    return "; ".join(
        ": ".join(each[name] for name in ("path", "problem") if name in each) for each in problems
    )
