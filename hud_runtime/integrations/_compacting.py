"""A host's compactions: whether one is due, and one that is run for a host that has none of its own."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack, cast

if TYPE_CHECKING:
    from hud_runtime.compaction import (
        Ask,
        Compacted,
        CompactionPolicy,
        Decision,
        ModelWindow,
        Write,
    )
    from hud_runtime.session import HudSession
    from ujsx.tools import ToolResult

T = TypeVar("T")
MessageT = TypeVar("MessageT")


class CompactingHost(ABC):
    """What :class:`HostSession` has of compactions. Like all of it, it never raises for what a store does."""

    _policy: CompactionPolicy | None

    @property
    @abstractmethod
    def session(self) -> HudSession[Any]:
        """The session in the log."""

    @property
    @abstractmethod
    def opened(self) -> HudSession[Any] | None:
        """The session in the log, where it can be used."""

    @abstractmethod
    def flush(self) -> int:
        """Record what waits for the store."""

    @abstractmethod
    def say(self, sentence: str) -> None:
        """Tell the person a sentence, once."""

    @abstractmethod
    def attempt(self, what: str, work: Callable[[], T], otherwise: Callable[[], T]) -> T:
        """Return what ``work`` gives, or ``otherwise``."""

    @property
    def policy(self) -> CompactionPolicy:
        """The policy of compaction for the conversation."""
        if self._policy is not None:
            return self._policy
        session = self.opened
        if session is not None:
            return session.compaction_policy
        from hud_runtime.compaction import CompactionPolicy

        return CompactionPolicy()

    def compaction(self, window: ModelWindow | None = None, *, error: object = None) -> Decision:
        """Return whether to compact the conversation before the next request; "not", where that fails.

        What is asked for "now" is noted in the log, and asked for once: until a summary comes
        (:class:`~hud_runtime.observation.Compacted`, or :meth:`compact`), or it has failed.

        :param window: what the model takes; where None, the limit of the last reading.
        :param error: what the provider answered to the last request, where that failed.

        >>> from hud_runtime import HudStore
        >>> from hud_runtime.integrations import HostSession
        >>> from hud_runtime.observation import ContextUsed
        >>> with HudStore.open(":memory:") as store:
        ...     host = HostSession(store.session("s"))
        ...     host.observe(ContextUsed(used=195_000, limit=200_000))
        ...     [host.compaction().verdict for _ in range(2)]
        ['now', 'not']
        """
        from hud_runtime.compaction import Decision, decided

        def decide() -> Decision:
            self.flush()
            return decided(self.session, self.policy, window, error=error)

        def nothing() -> Decision:
            return Decision(verdict="not", why="the store cannot be used")

        return self.attempt("decide on a compaction", decide, nothing)

    def compact(
        self,
        messages: Sequence[MessageT],
        ask: Ask | Sequence[Ask],
        *,
        decision: Decision | None = None,
        window: ModelWindow | None = None,
        write: Write | None = None,
    ) -> Compacted[MessageT]:
        """Put a summary in the place of a history: see :func:`hud_runtime.compaction.compact`.

        It is recorded where the store can be used; where it cannot, the history is compacted all the same.

        :param decision: what led to it; from an error, the user's last request stands at the end once more.
        """
        from hud_runtime.compaction import compact

        made = compact(messages, ask, window=window, write=write, **self._compacting(decision))
        return self._compacted(made)

    async def acompact(
        self,
        messages: Sequence[MessageT],
        ask: Ask | Sequence[Ask],
        *,
        decision: Decision | None = None,
        window: ModelWindow | None = None,
        write: Write | None = None,
    ) -> Compacted[MessageT]:
        """Do as :meth:`compact` does, where those that are asked may be coroutine functions."""
        from hud_runtime.compaction import acompact

        options = await asyncio.to_thread(self._compacting, decision)
        return self._compacted(await acompact(messages, ask, window=window, write=write, **options))

    def _compacting(self, decision: Decision | None) -> dict[str, Any]:
        from hud_runtime.observation._summary import summary_in

        self.flush()
        options: dict[str, Any] = {
            "session": self.opened,
            "policy": self.policy,
            "clean": summary_in,
        }
        if decision is not None:
            options |= {
                "trigger": decision.trigger,
                "reason": decision.why,
                "replay": decision.replay,
            }
        return options

    def _compacted(self, made: Compacted[MessageT]) -> Compacted[MessageT]:
        if made.error is not None:
            self.say(
                f"could not compact the conversation, and goes on with all of it: {made.error}"
            )
        elif made.unrecorded is not None:
            self.say(f"could not record a compaction: {made.unrecorded}")
        return made


def asks_to_compact(result: ToolResult) -> bool:
    """Tell whether an agent has asked its host for a compaction by a call, and was not refused.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     asks_to_compact(store.session("s").call("hud_compact", {}))
    True
    """
    data: Any = result.data
    asked = cast("dict[str, object]", data) if isinstance(data, dict) else {}
    return not result.is_error and asked.get("action") == "compact"


class ToCompact(TypedDict, total=False):
    """What :meth:`CompactingHost.compact` is told beside the history and who is asked."""

    decision: Decision | None
    window: ModelWindow | None
    write: Write | None


class CompactingAgent(ABC):
    """What an adapter of a client's has of compactions, for the conversation that runs where it is asked."""

    @abstractmethod
    def _compacting(self) -> CompactingHost:
        """The session of the conversation that runs here."""

    def compaction(self, window: ModelWindow | None = None, *, error: object = None) -> Decision:
        """Return whether to compact the conversation: see :meth:`HostSession.compaction`."""
        return self._compacting().compaction(window, error=error)

    def compact(
        self, messages: Sequence[MessageT], ask: Ask | Sequence[Ask], **options: Unpack[ToCompact]
    ) -> Compacted[MessageT]:
        """Put a summary in the place of your list of messages: see :meth:`HostSession.compact`.

        :param options: ``decision``, ``window`` and ``write`` of :meth:`HostSession.compact`.
        """
        return self._compacting().compact(messages, ask, **options)

    async def acompact(
        self, messages: Sequence[MessageT], ask: Ask | Sequence[Ask], **options: Unpack[ToCompact]
    ) -> Compacted[MessageT]:
        """Do as :meth:`compact` does, where those that are asked may be coroutine functions."""
        return await self._compacting().acompact(messages, ask, **options)
