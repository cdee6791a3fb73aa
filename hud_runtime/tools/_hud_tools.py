"""The HUD's two tools, their instructions for agents, and the schemas of their answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, NoReturn, TypeVar, cast

from pydantic import BaseModel, ConfigDict, TypeAdapter

from hud_components import CODING, THRESHOLDS, Domain, State, StatusLine, Tally
from hud_components.declaring import Actor
from hud_components.layout import context_of, counts_line, value_line
from hud_components.levels import Level, Thresholds
from hud_runtime._errors import StoreUnavailableError
from hud_runtime.log import ToolSession
from hud_runtime.tools._context import compact, compact_later
from hud_runtime.tools._operations import NAME, READ, Part, hud_toolset
from hud_runtime.tools._session import CompactArguments, said
from ujsx import Density, render
from ujsx.calls import Answering, resolving
from ujsx.errors import CallError
from ujsx.schema import schema_tokens
from ujsx.tools import LONGEST_ANSWER, Operation, ToolResult, Toolset

COMPACT = "hud_compact"
"""A tool of its own, so that no agent compacts by accident."""

MEMORY_COMPACT = "memory_compact"
"""The same under another known name: it is refused while the context is small, and runs after the turn."""

DESCRIBED_TOKENS = 1_000
"""Estimated tokens up to which the tool of a custom domain describes its arguments.

Those of the coding HUD are in ``help``: agents were tested without their descriptions.
"""


class HudTools(Answering):
    """``hud`` and ``hud_compact`` on one session.

    :param limit: characters of an answer at most, without the status line.
    :param layouts: whether the agent may set its HUD's layout.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     print(HudTools(store.session("s")).call("hud", {"op": "notes.add", "content": "Port 8080"}))
    Added n-2.
    no task · 1 note
    """

    _instead: ClassVar[Mapping[str, str]] = {
        'session.tools("openai")': "toopenai openai openaitools asopenai schemas schema tolist definition",
        'session.tools("anthropic")': "toanthropic anthropic anthropictools asanthropic",
        'session.tools("gemini")': "togemini gemini geminitools asgemini",
        'session.tools("mcp")': "tomcp mcp mcptools asmcp",
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

        ``hud_read`` accepts only operations that read, so that a user can permit it alone. Never raises for
        bad input or a failing store; see :meth:`ujsx.tools.Toolset.call`. While a database server is away,
        reads show the HUD from memory, and say so.
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
        told, value = (each.replace("*", "").casefold() for each in (result.text, status))
        if status.startswith("**") and value in told:
            return result  # it has the value and its name
        return replace(result, text=f"{result.text}\n{status}")

    @property
    def operations(self) -> Mapping[str, Operation]:
        """The operations of both tools, by name."""
        return {**self._hud.operations, **self._compact.operations}

    @resolving(
        write='write session.tools("openai")',
        instead={
            "strict": 'write session.tools("openai-strict"), or "anthropic-strict"',
            "layout rare domain": "write definitions({dialect=openai}, session.domain, layout={layout=grouped}), from hud_runtime.tools import definitions",
        },
    )
    def definitions(self, dialect: str) -> list[dict[str, Any]]:
        """Return both tools in the format of a provider's API: :func:`definitions` of the session's domain."""
        return definitions(dialect, domain=self._session.domain, layouts=self._layouts)

    __call__ = definitions
    """``session.tools("anthropic")`` is short for ``session.tools.definitions("anthropic")``."""

    if not TYPE_CHECKING:  # type checkers know that they are no list

        def __getitem__(self, name: object) -> NoReturn:
            line = 'for tool in session.tools("openai")'
            raise CallError(f"each provider has tools in a form of its own; write {line}")

    def _reads(self, result: ToolResult) -> bool:
        known = self._hud.operations.get(result.operation or "")
        return known is not None and known.reads

    def _remembered(self) -> str:
        """Return the HUD from memory, for reads while the store is away."""
        known = self._session.hud(agent_layout=False, pins=False).text
        begin = said(self._session, "answer.remembered", version=self._session.version)
        return f"{begin}\n\n{known}".rstrip("\n")

    @cached_property
    def _readers(self) -> Toolset:
        return hud_toolset(self._session, limit=self._limit, layouts=self._layouts, part="reads")


@resolving()
def definitions(
    dialect: str,
    domain: Domain[Any] | None = None,
    *,
    layout: str = "signatures",
    rare: bool = False,
    layouts: bool = False,
    read_tool: bool = False,
    memory_compact: bool = False,
) -> list[dict[str, Any]]:
    """Return the HUD's tools in the format of a provider's API.

    :param dialect: a name in :data:`ujsx.schema.DIALECTS`.
    :param layout: the way in which operations share the tool ``hud``, or "separate" for a tool each,
        ``hud_notes_add`` and so on.
    :param rare: whether the schema has the rare operations, which ``help`` describes, too. Where a provider
        enforces the schema, operations with unique arguments cannot be called otherwise.
    :param domain: the HUD's domain; the coding HUD when None. The first use of each field of another domain is
        described, as long as the tool takes at most :data:`DESCRIBED_TOKENS`.
    :param layouts: whether to add ``layout.set``, ``layout.show`` and ``layout.reset``, for agents that may
        set their HUD's layout.
    :param read_tool: whether to add ``hud_read`` with the operations that only read, which a user can
        permit without a prompt for each call.
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
    """Return the status line: the counts of the state's items, and its problems.

    :param thresholds: the start of each context level.

    >>> from hud_components import HudState
    >>> status_line(HudState())
    'no task'
    """
    context = context_of(state)
    if thresholds is not THRESHOLDS:
        context = context.with_value(thresholds)
    tally = Tally.of(state)
    told = (
        counts_line(state, tally, context)
        or value_line(state, tally, context)
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


# The instructions about the HUD for AGENTS.md, or for an MCP server.

INSTRUCTIONS: str = CODING.instructions or ""
"""The instructions for the coding HUD, in AGENTS.md and in the MCP server."""


@resolving()
def instructions_of(domain: Domain[Any], *, layouts: bool = False, is_shown: bool = False) -> str:
    """Return an agent's instructions for its HUD: the domain's own, or generated ones.

    :param layouts: whether the agent may set the layout.
    :param is_shown: whether the host inserts the HUD, so that the agent need not request it.

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


# The data of the answers of operations that only read: as types, and as one schema.

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
"""The answer's type, by operation that every domain has."""


def outputs(domain: Domain[Any], *, layouts: bool = False) -> dict[str, Any]:
    """Return the type of the answer's data, by operation that reads; operations that answer only with text
    are left out.

    >>> from hud_components import CODING
    >>> outputs(CODING)["notes.list"].model_fields["items"].annotation
    list[hud_components.sections._plain_lists.Note]
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
    """Return the JSON Schema of the data that programs get from the tool ``hud_read``.

    >>> from hud_components import CODING
    >>> reading_schema(CODING)["required"]
    ['operation']
    """
    types = outputs(domain, layouts=layouts)
    mode: Literal["validation"] = "validation"  # fields with defaults may be omitted
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
