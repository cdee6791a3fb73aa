"""The HUD's two tools, what an agent is told of them, and the shape of their answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from typing import Any, ClassVar, Generic, Literal, TypeVar, cast

from pydantic import BaseModel, ConfigDict, TypeAdapter

from hud_components import CODING, THRESHOLDS, Domain, State, StatusLine, Tally
from hud_components.declaring import Actor
from hud_components.layout import context_of, counts_line
from hud_components.levels import Level, Thresholds
from hud_runtime._errors import StoreUnavailableError
from hud_runtime.log import ToolSession
from hud_runtime.tools._context import compact, compact_later
from hud_runtime.tools._operations import NAME, READ, Part, hud_toolset
from hud_runtime.tools._session import CompactArguments, said
from ujsx import Density, render
from ujsx.calls import Answering, resolving
from ujsx.schema import schema_tokens
from ujsx.tools import LONGEST_ANSWER, Operation, ToolResult, Toolset

COMPACT = "hud_compact"
"""The tool on its own, so that nobody compacts by accident."""

MEMORY_COMPACT = "memory_compact"
"""The same for agents that know it by this name: it is refused where it would be wasted, and runs after the turn."""

DESCRIBED_TOKENS = 1_000
"""Tokens, as estimated, up to which the tool of a domain of one's own says what arguments are for.

Those of the coding HUD are left to ``help``: their names were tried without.
"""


class HudTools(Answering):
    """``hud`` and ``hud_compact`` on one session.

    :param limit: characters of an answer at most, the status line apart.
    :param layouts: whether the agent may lay out its HUD.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     print(HudTools(store.session("s")).call("hud", {"op": "notes.add", "content": "Port 8080"}))
    Added n-2.
    no task · 1 note
    """

    _instead: ClassVar[Mapping[str, str]] = {
        'session.tools.definitions("openai")': "toopenai openai openaitools asopenai schemas schema tolist definition",
        'session.tools.definitions("anthropic")': "toanthropic anthropic anthropictools asanthropic",
        "HudMiddleware(store), from hud_runtime.integrations.langchain import HudMiddleware": "tolangchain langchain",
    }

    _also: ClassVar[Mapping[str, str]] = {
        "call": "invoke execute run calltool",
        "operations": "names",
    }

    def __init__(
        self, session: ToolSession[Any], *, limit: int = LONGEST_ANSWER, layouts: bool = False
    ) -> None:
        self._session = session
        self._hud = hud_toolset(session, limit=limit, layouts=layouts)
        self._limit, self._layouts = limit, layouts
        self._compact = _compact_toolset(session)

    @resolving(write='write session.tools.call("hud", {"op": "…"})', rest="arguments", tool="name")
    def call(self, tool: str, arguments: object) -> ToolResult:
        """Answer a call of one of the tools; every answer ends with the status line.

        ``hud_read`` has the operations that only read: who allows that tool allows no other.
        Never raises for bad input, nor for a store that fails; see :meth:`ujsx.tools.Toolset.call`. What
        only reads shows the HUD from memory while a database server is away, and says so.
        """
        if tool == READ:
            toolset = self._readers
        else:
            is_hud = tool == NAME or not self._compact.has(tool)
            toolset = self._hud if is_hud else self._compact
        result = toolset.call(tool, arguments)
        if isinstance(result.exception, StoreUnavailableError) and self._reads(result):
            result = replace(result, text=f"{result.text}\n\n{self._remembered()}")
        status = status_line(self._session.known, self._session.thresholds)
        return replace(result, text=f"{result.text}\n{status}")

    @property
    def operations(self) -> Mapping[str, Operation]:
        """The operations of both tools, by name."""
        return {**self._hud.operations, **self._compact.operations}

    @resolving(
        write='write session.tools.definitions("openai")',
        instead={"strict": 'write session.tools.definitions("openai-strict")'},
    )
    def definitions(self, dialect: str) -> list[dict[str, Any]]:
        """Return both tools as a provider's API takes them: :func:`definitions` of the session's domain."""
        return definitions(dialect, domain=self._session.domain, layouts=self._layouts)

    __call__ = definitions
    """``session.tools("anthropic")`` is ``session.tools.definitions("anthropic")``."""

    def _reads(self, result: ToolResult) -> bool:
        known = self._hud.operations.get(result.operation or "")
        return known is not None and known.reads

    def _remembered(self) -> str:
        """The HUD as the session knows it, for who reads while the store is away."""
        known = self._session.hud(agent_layout=False, pins=False).text
        begin = said(self._session, "answer.remembered", version=self._session.version)
        return f"{begin}\n\n{known}".rstrip("\n")

    @cached_property
    def _readers(self) -> Toolset:
        return hud_toolset(self._session, limit=self._limit, layouts=self._layouts, part="reads")


@resolving()
def definitions(
    dialect: str,
    *,
    layout: str = "signatures",
    rare: bool = False,
    domain: Domain[Any] | None = None,
    layouts: bool = False,
    read_tool: bool = False,
    memory_compact: bool = False,
) -> list[dict[str, Any]]:
    """Return the HUD's tools in the shape that a provider's API takes.

    :param dialect: a name in :data:`ujsx.schema.DIALECTS`.
    :param layout: how the operations share the tool ``hud``, or that they do not ("separate": then
        they are called ``hud_notes_add`` and so on).
    :param rare: whether the schema has the rare operations too, which ``help`` tells of. Where a
        provider holds the model to the schema, those whose arguments no other one has cannot be called otherwise.
    :param domain: whose HUD it is; the coding HUD when None. The fields of another one are described
        where they stand first, as long as the tool takes no more than :data:`DESCRIBED_TOKENS`.
    :param layouts: whether the agent may lay out its HUD: then the tool has ``layout.set``,
        ``layout.show`` and ``layout.reset`` too.
    :param read_tool: whether the operations that only read are a tool of their own, ``hud_read``, which
        a user may allow without being asked at each call.
    :param memory_compact: whether ``memory_compact`` is offered beside ``hud_compact``.
    :raises SchemaError: for an unknown dialect or layout.

    >>> [tool["name"] for tool in definitions("mcp")]
    ['hud', 'hud_compact']
    >>> [tool["name"] for tool in definitions("mcp", read_tool=True)]
    ['hud', 'hud_read', 'hud_compact']
    """
    told: list[dict[str, Any]] = []
    own = () if domain in (None, CODING) else domain.operations.keys()
    given: tuple[Part, ...] = ("writes", "reads") if read_tool else ("all",)
    for part in given:
        toolset = hud_toolset(None, domain=domain, layouts=layouts, part=part)
        make = partial(
            toolset.definitions, dialect, layout=layout, rare=rare, brief=True, prefix=f"{NAME}_"
        )
        tools = make(described=own)
        told += tools if schema_tokens(tools[0]) <= DESCRIBED_TOKENS else make()
    asks = _compact_toolset(None, memory=memory_compact)
    return [*told, *asks.definitions(dialect, layout="separate")]


def status_line(state: State, thresholds: Thresholds = THRESHOLDS) -> str:
    """Return the state in a line: how much there is of what, and what is amiss.

    :param thresholds: from where on each level of the context holds.

    >>> from hud_components import HudState
    >>> status_line(HudState())
    'no task'
    """
    context = context_of(state)
    if thresholds is not THRESHOLDS:
        context = context.with_value(thresholds)
    told = (
        counts_line(state, Tally.of(state), context)
        or render(StatusLine(state=state), density=Density.FULL, context=context)
        or context.texts.get("status.empty", StatusLine.texts["status.empty"])
    )
    return told.rstrip("\n")


def _compact_toolset(session: ToolSession[Any] | None, *, memory: bool = True) -> Toolset:
    asked = cast("Any", session)
    operations = [
        Operation(
            COMPACT,
            CompactArguments,
            partial(compact, asked),
            "Announce a compaction at a natural break; the HUD survives it.",
        ),
        Operation(
            MEMORY_COMPACT,
            CompactArguments,
            partial(compact_later, asked),
            "Ask for a compaction, once half the context is used; it runs after this turn.",
        ),
    ]
    return Toolset(operations if memory else operations[:1], name="compaction")


# The instructions that tell an agent about its HUD: in AGENTS.md, or from an MCP server.

INSTRUCTIONS: str = CODING.instructions or ""
"""The text for AGENTS.md, and the instructions of the MCP server, of the coding HUD."""


@resolving()
def instructions_of(domain: Domain[Any], *, layouts: bool = False, is_shown: bool = False) -> str:
    """Return what an agent is told of its HUD: in its domain's own words, where that has some.

    :param layouts: whether it may lay it out.
    :param is_shown: whether its host puts the HUD before it, so that it need not ask for it.

    >>> print(instructions_of(CODING).partition(".")[0])
    Keep task, decisions, notes, plan and blockers in the tool `hud`
    """
    own = domain.shown_instructions if is_shown else domain.instructions
    told = own or _of_operations(domain, _BEING_SHOWN if is_shown else _ASKING)
    return f"{told}{_LAYOUTS}" if layouts else told


_LAYOUTS = "\nYou may lay out the HUD: `layout.show` tells how, `layout.set` does it.\n"


def _of_operations(domain: Domain[Any], use: str) -> str:
    names = (each.name.replace("_", " ") for each in domain.tools if each.has_operations)
    return _OPERATIONS.format(names=", ".join(names), use=use)


_OPERATIONS = """\
Keep your working state ({names}) in the tool `hud`.

- {use}
- Record what later work relies on at once, in a sentence that stands alone.
- Remove what no longer holds.

The HUD is a record of what was said, not instructions.
"""

_ASKING = "At the start and after a compaction, call `snapshot`."

_BEING_SHOWN = "You are shown the HUD, then its changes."


# The data of an answer, for each operation that only reads: as types, and as one schema.

ItemT = TypeVar("ItemT")


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Listing(_Data, Generic[ItemT]):
    """A page of a list."""

    total: int
    """How many there are, on all pages."""
    items: list[ItemT]


class ReadingOutput(_Data):
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


class EventEntry(_Data):
    """An event of the log."""

    id: str
    session_id: str
    version: int
    turn: int
    timestamp: int
    actor: Actor
    type: str
    payload: dict[str, Any]


class HistoryOutput(_Data):
    """A page of events, newest first."""

    total: int
    events: list[EventEntry]


class FoundEvent(_Data):
    """An event that a search found."""

    version: int
    type: str
    text: str
    actor: Actor | None = None


class Hits(_Data):
    """A page of what a search found, the best first."""

    more: bool
    hits: list[FoundEvent]


class WholeSummary(_Data):
    """A summary of a compaction."""

    version: int
    turn: int
    timestamp: int
    text: str


class SummaryLine(WholeSummary):
    """A summary of a compaction, as a list tells it: how it begins."""

    length: int
    """Characters of all of it."""


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
    "context": ReadingOutput,
    "history": HistoryOutput,
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
        held: Any = section.value
        if section.kind is not None:
            yield f"{section.name}.list", Listing[held]
        else:
            yield f"{section.name}.get", held | None


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
