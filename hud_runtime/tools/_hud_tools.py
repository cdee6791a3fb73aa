"""The HUD's two tools: their definitions, and the answers to calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, cast

from hud_components import CODING, THRESHOLDS, Domain, State, StatusLine, Tally, Thresholds
from hud_components.layout import context_of, counts_line
from hud_runtime._errors import StoreUnavailableError
from hud_runtime.tools._arguments import Compact
from hud_runtime.tools._compact import compact, compact_later
from hud_runtime.tools._lists import said
from hud_runtime.tools._operations import NAME, READ, Part, hud_toolset
from hud_runtime.tools._session import SessionLike
from ujsx import Density, render
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


class HudTools:
    """``hud`` and ``hud_compact`` on one session.

    :param limit: characters of an answer at most, the status line apart.
    :param layouts: whether the agent may lay out its HUD.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     print(HudTools(store.session("s")).call("hud", {"op": "notes.add", "content": "Port 8080"}))
    Added n-2.
    no task · 1 note
    """

    def __init__(
        self, session: SessionLike, *, limit: int = LONGEST_ANSWER, layouts: bool = False
    ) -> None:
        self._session = session
        self._hud = hud_toolset(session, limit=limit, layouts=layouts)
        self._limit, self._layouts = limit, layouts
        self._compact = _compact_toolset(session)

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

    def definitions(self, dialect: str) -> list[dict[str, Any]]:
        """Return both tools as a provider's API takes them: :func:`definitions` of the session's domain."""
        return definitions(dialect, domain=self._session.domain, layouts=self._layouts)

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


def _compact_toolset(session: SessionLike | None, *, memory: bool = True) -> Toolset:
    asked = cast("Any", session)
    operations = [
        Operation(
            COMPACT,
            Compact,
            partial(compact, asked),
            "Announce a compaction at a natural break; the HUD survives it.",
        ),
        Operation(
            MEMORY_COMPACT,
            Compact,
            partial(compact_later, asked),
            "Ask for a compaction, once half the context is used; it runs after this turn.",
        ),
    ]
    return Toolset(operations if memory else operations[:1], name="compaction")
