"""The data of an answer, for each operation that only reads: as types, and as one schema."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter

from hud_components import Actor, Domain, HudSection, Level
from hud_runtime.tools._operations import hud_toolset

ItemT = TypeVar("ItemT")


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Listing(_Data, Generic[ItemT]):
    """A page of a list."""

    total: int
    """How many there are, on all pages."""
    items: list[ItemT]


class Figures(_Data):
    """The last reading of the context, in tokens; without one, the HUD's alone."""

    hud: int
    used: int | None = None
    limit: int | None = None
    remaining: int | None = None
    percentage: float | None = None
    level: Level | None = None
    input: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output: int | None = None
    model: str | None = None
    version: int | None = None
    turn: int | None = None
    timestamp: int | None = None


class Happened(_Data):
    """An event of the log."""

    id: str
    session_id: str
    version: int
    turn: int
    timestamp: int
    actor: Actor
    type: str
    payload: dict[str, Any]


class History(_Data):
    """A page of events, newest first."""

    total: int
    events: list[Happened]


class Found(_Data):
    """An event that a search found."""

    version: int
    type: str
    text: str
    actor: Actor | None = None


class Hits(_Data):
    """A page of what a search found, the best first."""

    more: bool
    hits: list[Found]


class SummaryLine(_Data):
    """A summary of a compaction, as a list tells it."""

    version: int
    turn: int
    timestamp: int
    text: str
    """How it begins."""
    length: int
    """Characters of all of it."""


class WholeSummary(_Data):
    """A summary of a compaction."""

    version: int
    turn: int
    timestamp: int
    text: str


class WholeOutput(_Data):
    """A tool's output that was pruned, whole or some lines of it."""

    session_id: str
    id: str
    tool: str
    mode: str
    turn: int
    kept_at: int
    lines: int
    characters: int
    text: str
    lines_shown: list[int] | None = None
    """The first and the last line that are told, where not all are."""


class Layouts(_Data):
    """The layout that the agent has set, and the one that its HUD has without."""

    layout: str | None
    default: str


OF_ALL: dict[str, Any] = {
    "context": Figures,
    "history": History,
    "search": Hits,
    "summaries.list": Listing[SummaryLine],
    "summaries.get": WholeSummary,
    "output": WholeOutput,
    "layout.show": Layouts,
}
"""By the operation, the data of those that every domain has."""


def outputs(domain: Domain[Any], *, layouts: bool = False) -> dict[str, Any]:
    """Return, by the operation that only reads, the type of an answer's data; those of words have none.

    >>> from hud_components import CODING
    >>> outputs(CODING)["notes.list"].model_fields["items"].annotation
    list[hud_components.sections._notes_section.Note]
    """
    reads = hud_toolset(None, domain=domain, layouts=layouts, part="reads").operations
    types = {**OF_ALL, "snapshot": domain.state, **dict(_of_sections(domain))}
    return {name: types[name] for name in reads if name in types}


def _of_sections(domain: Domain[Any]) -> Iterator[tuple[str, Any]]:
    for section in domain.tools:
        if section.kind is not None:
            yield f"{section.name}.list", Listing[_held(section)]  # type: ignore[misc]
        else:
            yield f"{section.name}.get", _held(section) | None


def _held(section: type[HudSection]) -> Any:
    return section.value


@lru_cache(maxsize=8)
def reading_schema(domain: Domain[Any], *, layouts: bool = False) -> dict[str, Any]:
    """Return the JSON Schema of what programs get of the tool ``hud_read``: the operation, and its data.

    >>> from hud_components import CODING
    >>> reading_schema(CODING)["required"]
    ['operation']
    """
    types = outputs(domain, layouts=layouts)
    mode: Literal["validation"] = "validation"  # what is not said is left out
    schemas, shared = TypeAdapter.json_schemas(
        [(name, mode, TypeAdapter(each)) for name, each in types.items()], by_alias=False
    )
    shapes = [
        {"properties": {"operation": {"const": name}, "data": schemas[name, mode]}}
        for name in types
    ]
    others: dict[str, Any] = {"properties": {"operation": {"not": {"enum": [*types]}}}}
    return {
        "type": "object",
        "properties": {"operation": {"type": "string"}, "data": {}},
        "required": ["operation"],
        "anyOf": [*shapes, others],
        **shared,
    }
