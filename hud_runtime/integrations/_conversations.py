"""The session that a conversation of a host belongs to."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, Unpack
from uuid import uuid4

from hud_runtime._errors import DeliveryError
from hud_runtime.delivery import Mode
from hud_runtime.integrations._dialogue import HEADS, Dialogue
from hud_runtime.integrations._host_session import HostSession, SentOptions, current
from hud_runtime.integrations._tools import HostTool, name_of
from hud_runtime.session import HudSession, HudStore
from hud_runtime.session._heard import heard
from hud_runtime.tools import definitions
from ujsx.errors import did_you_mean, shown
from ujsx.tools import ToolResult

T = TypeVar("T")

Source: TypeAlias = HudStore[Any] | HudSession[Any] | HostSession | str | Path | None
"""Where sessions come from: a store, which has one for each conversation; the path of one, or None for the
usual place; or the one session that all belongs to."""

SEARCHED = 200
"""Sessions in which a provider's answer is looked for, the newest ones."""

KEPT = 1_000
"""Conversations that are kept in mind; what is forgotten is read from the log again."""


def checked_mode(host: str, mode: Mode, allowed: tuple[Mode, ...], why: str) -> Mode:
    """Return a mode that a host allows.

    Raises :class:`DeliveryError`, which says why, for another one.

    >>> checked_mode("Codex", "append", ("append",), "its hooks' texts stay")
    'append'
    """
    if mode in allowed:
        return mode
    if mode not in ("append", "tail", "system"):
        raise DeliveryError(f"{shown(mode)} is no mode; {did_you_mean(str(mode), allowed)}")
    ways = " or ".join(f'mode="{each}"' for each in allowed)
    raise DeliveryError(f'{host} has no place for mode="{mode}": {why}; use {ways}')


class Conversations:
    """The conversations that an adapter has a part in, each with its session.

    :param source: where the sessions come from.
    :param options: those of :class:`HostSession`.
    """

    def __init__(self, source: Source = None, **options: Unpack[SentOptions]) -> None:
        self._source = source
        self._options = options
        self._kept: OrderedDict[str, Dialogue] = OrderedDict()
        self._lock = threading.Lock()
        self._name = f"agent-{uuid4().hex[:12]}"
        # The mode and all else is checked at once, and not in the middle of a run.
        HostSession(self._never, **options)

    @cached_property
    def _store(self) -> HudStore[Any]:
        source = self._source
        if isinstance(source, HudStore):
            return source
        return HudStore.open(source if isinstance(source, str | Path) else None)

    @cached_property
    def _only(self) -> HostSession | None:
        """The one session, where there is one."""
        source = self._source
        if isinstance(source, HostSession):
            return source
        return HostSession(source, **self._options) if isinstance(source, HudSession) else None

    @property
    def is_one(self) -> bool:
        """True if all belongs to one session."""
        return self._only is not None

    def of(self, conversation: str, agent: str | None = None) -> Dialogue:
        """Return the conversation with this id. Nothing is opened yet.

        An agent that begins while another one's tool runs is its child.

        :param agent: its name, for the child's session.
        """
        with self._lock:
            kept = self._kept.get(conversation)
            if kept is None:
                kept = self._kept[conversation] = Dialogue(self._host(conversation, agent))
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(conversation)
            return kept

    def with_answer(self, answer: str) -> str | None:
        """Return the conversation that a provider's answer belongs to, in this process or an earlier one.

        None if it is not among the newest answers of the newest sessions.

        :raises StoreError: if the store cannot be read.
        """
        with self._lock:
            kept = [*self._kept.items()]
        for name, dialogue in reversed(kept):
            if dialogue.made(answer):
                return name
        store = self._store
        for name in reversed(store.sessions()[-SEARCHED:]):
            if answer in (heard(store.session(name)).kept.get(HEADS) or ()):
                return name
        return None

    def here(self) -> Dialogue:
        """Return the conversation that is :meth:`running`, else the adapter's own.

        Within a tool of another host's agent that is a child of its session.
        """
        entered = _entered.get()
        if entered is not None and entered[0] is self:
            return entered[1]
        parent = current()
        is_alone = parent is None or self._only is not None
        return self.of(self._name if is_alone else f"{self._name}-in-{id(parent)}")

    def _host(self, name: str, agent: str | None) -> HostSession:
        if self._only is not None:
            return self._only
        parent = current()
        if parent is not None:
            return parent.child(f"{agent or 'agent'}-{name[:8]}")
        return HostSession.of(lambda: self._store, name, **self._options)

    def tools(self, dialect: str = "json-schema") -> tuple[HostTool, ...]:
        """Return the tools to register; a call belongs to the session that runs, else to :meth:`here`."""
        source = self._source
        domain = source.domain if isinstance(source, HudStore) else None
        if self._only is not None:
            return self._only.tools(dialect)
        asks = bool(self._options.get("memory_compact"))
        found = list(definitions(dialect, domain=domain, memory_compact=asks))
        for each in self._options.get("toolsets", ()):
            found += each.definitions(dialect)
        return tuple(self._tool(each) for each in found)

    def _tool(self, definition: dict[str, Any]) -> HostTool:
        name = name_of(definition)

        def call(arguments: object) -> ToolResult:
            return (current() or self.here().host).call(name, arguments)

        async def acall(arguments: object) -> ToolResult:
            return await (current() or self.here().host).acall(name, arguments)

        return HostTool(name, definition, call, acall)

    @contextmanager
    def running(self, conversation: str, *, is_child: bool = False) -> Generator[HostSession]:
        """Let all that is asked within be part of a conversation, for hosts that name none.

        :param is_child: whether it is that of a subagent of the conversation that is running.
        """
        dialogue = self._child(conversation) if is_child else self.of(conversation)
        token = _entered.set((self, dialogue))
        try:
            with dialogue.host.running() as host:
                yield host
        finally:
            _entered.reset(token)

    def _child(self, name: str) -> Dialogue:
        parent = self.here().host
        with self._lock:
            return self._kept.setdefault(f"{id(parent)}/{name}", Dialogue(parent.child(name)))

    def _never(self) -> HudSession[Any]:
        raise AssertionError


_entered: ContextVar[tuple[Conversations, Dialogue] | None] = ContextVar("entered", default=None)
"""The conversation that was entered by :meth:`Conversations.running`."""
