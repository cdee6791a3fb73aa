"""The meaning of Codex's events for its session, and the answers to them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hud_runtime.delivery import RequestMessage
from hud_runtime.integrations._hook_events import HookedHost
from hud_runtime.integrations._hook_hosts import CODEX
from hud_runtime.integrations._hooked import KEPT, SOURCES, bound, filled, record_of, session_id_in
from hud_runtime.integrations._host_session import HostSession
from hud_runtime.integrations._lifecycle import HostObservation, SessionBegan
from hud_runtime.integrations.bridge import Answer
from hud_runtime.integrations.codex._rollout import Rollout, origin_of
from hud_runtime.observation import (
    AnyObservation,
    Compacted,
    ToolCall,
    ToolResult,
    Undone,
    UserMessage,
)
from hud_runtime.observation._json import Record, mapping, prose, string
from hud_runtime.session import NO_LOOK, GivenLook, HudStore

ROLLOUT = "rollout"
"""What is kept in mind of a session under this name: where in its rollout what is known ends."""


class Codex(HookedHost):
    """Answers the hooks of Codex, for all its sessions of a store: by the rollout that it writes.

    :param store: opens the store; it is tried again after it failed.
    :param look: the layout and the words of its sessions.

    >>> import json
    >>> with HudStore.open(":memory:", clock=lambda: 0) as store:
    ...     codex = Codex(lambda: store)
    ...     event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "Add a login."}
    ...     "Add a login." in codex.hook(json.dumps(event).encode()).text
    True
    """

    def __init__(self, store: Callable[[], HudStore[Any]], *, look: GivenLook = NO_LOOK) -> None:
        super().__init__(store, CODEX, look=look)
        self._rollouts: OrderedDict[str, Rollout] = OrderedDict()

    def call(self, given: bytes) -> Answer:
        """Answer a call of the HUD's tool: ``{"tool", "arguments", "session_id", "thread_id"}``.

        A subagent is a thread of its own in the session of the agent that has begun it.
        """
        asked = record_of(given)
        thread = string(asked.get("thread_id"))
        event: dict[str, object] = {"session_id": asked.get("session_id"), "cwd": asked.get("cwd")}
        if thread != session_id_in(event):
            event["agent_id"] = thread
        return self._sessions.called(
            event, string(asked.get("tool")) or "hud", asked.get("arguments")
        )

    # --- Events ---

    def _began(self, event: Record) -> Answer:
        source = SOURCES.get(string(event.get("source")) or "", "startup")
        path = filled(event.get("transcript_path"))
        origin = origin_of(path) if source in ("startup", "fork") else None
        if origin is not None:
            self._sessions.copy(origin, session_id_in(event))
        host = self._sessions.of(event)
        seen: list[HostObservation] = [SessionBegan(source=source), *self._read(event, host)]
        if source == "compact" and path is None:
            seen.append(Compacted(summary=""))
        host.observe(*seen, keep=self._kept(event))
        if _has_just_begun(host):  # the first prompt has all
            return self._silent(event)
        return self._delivered(event, host, fresh=True)

    def _ended(self, event: Record) -> Answer:
        host = self._sessions.of(event)
        host.observe(*self._read(event, host), keep=self._kept(event))
        self._sessions.end(event)
        with self._lock:
            self._rollouts.pop(_reader_in(event), None)
        return Answer()

    def _prompted(self, event: Record) -> Answer:
        host = self._sessions.reader(event)
        seen = self._read(event, host)
        said = UserMessage(text=string(event.get("prompt")) or "")
        host.observe(*seen, said, keep=self._kept(event))
        return self._delivered(event, host, fresh=_is_cut(seen))

    def _worked(self, event: Record) -> Answer:
        host = self._sessions.reader(event)
        seen = [*self._read(event, host), *self._told_by_hook(event)]
        host.observe(*seen, keep=self._kept(event))
        return self._delivered(event, host, fresh=_is_cut(seen))

    def _delivered(self, event: Record, host: HostSession, *, fresh: bool = False) -> Answer:
        """The delivery for a hook, beside the words of its request: a prompt is not in the rollout yet."""
        name, prompt = string(event.get("hook_event_name")) or "", string(event.get("prompt"))
        heard = () if prompt is None else (RequestMessage(prompt),)
        with self._lock:
            found = self._rollouts.get(_reader_in(event))
            said = None if found is None else [*found.conversation, *heard]
        return self._sessions.delivered(name, host, fresh=fresh, conversation=said)

    # --- What happened ---

    def _read(self, event: Record, host: HostSession) -> list[AnyObservation]:
        """What the rollout has that nobody has told yet."""
        path = filled(event.get("transcript_path"))
        if path is None:
            return []
        name = _reader_in(event)
        with self._lock:
            found = self._rollouts.get(name)
            if found is None or found.path != Path(path):
                kept = mapping(host.kept(ROLLOUT))
                known = kept if kept.get("path") == path else None
                found = self._rollouts[name] = Rollout(Path(path), _known_until(host), known)
                bound(self._rollouts, KEPT)
            self._rollouts.move_to_end(name)
            return found.read_on()

    def _kept(self, event: Record) -> dict[str, object]:
        """What is to be kept in mind with what the rollout has told."""
        with self._lock:
            found = self._rollouts.get(_reader_in(event))
        return {} if found is None else {ROLLOUT: found.known}

    def _told_by_hook(self, event: Record) -> list[AnyObservation]:
        """The call that a hook tells of, where the rollout does not have its end, or is not there."""
        call_id, name = filled(event.get("tool_use_id")), string(event.get("tool_name"))
        with self._lock:
            rollout = self._rollouts.get(_reader_in(event))
            if name is None or (rollout and call_id and rollout.has_ended(call_id)):
                return []
            if rollout is not None and call_id is not None:
                rollout.end(call_id)
        given, answer = mapping(event.get("tool_input")), event.get("tool_response")
        if name == "apply_patch":
            given = {"input": given.get("command")}
        text = answer if isinstance(answer, str) else prose(mapping(answer).get("content"))
        return [
            ToolCall(name=name, arguments=given, call_id=call_id),
            ToolResult(text=text, call_id=call_id),
        ]


def _reader_in(event: Record) -> str:
    return f"{session_id_in(event)}/{filled(event.get('agent_id')) or ''}"


def _has_just_begun(host: HostSession) -> bool:
    """Whether nothing is recorded but the session's beginning."""

    def is_first() -> bool:
        host.session.refresh()
        return host.session.version <= 1

    return host.attempt("read the session", is_first, lambda: False)


def _known_until(host: HostSession) -> int | None:
    """Until when a session's log knows what happened: 0 where it has just begun, None where it cannot be read."""

    def last() -> int | None:
        session = host.session
        session.refresh()
        times = [each.timestamp for each in session.events(after=session.version - 1)]
        return max(times) if session.version > 1 else 0

    return host.attempt("read the session", last, lambda: None)


def _is_cut(seen: list[AnyObservation]) -> bool:
    """Whether turns were taken back, and what hooks had said in them."""
    return any(isinstance(each, Undone) for each in seen)
