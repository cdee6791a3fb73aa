"""Codex: its hooks, and their answers.

In: a hook's standard input, and the rollout, Codex's session file. Out: the hook's standard output. Hooks and
the MCP server are entries of Codex's settings, which :func:`install` adds and :func:`uninstall` removes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hud_runtime.context.delivery import RequestMessage
from hud_runtime.integrations import _hooked
from hud_runtime.integrations._hook_events import CallOwner, HookedHost, lines_of
from hud_runtime.integrations._host_session import HostObservation, HostSession, SessionBegan
from hud_runtime.integrations._installing import HookInstaller
from hud_runtime.integrations.bridge import Answer
from hud_runtime.observe import _observations as observed
from hud_runtime.observe._observations import Record, mapping, string, whole
from hud_runtime.session import NO_LOOK, GivenLook, HudStore
from hud_runtime.transcripts._source import Source
from hud_runtime.transcripts._source import record_of as line_record
from hud_runtime.transcripts.formats._codex import begin_rollout as begin
from ujsx.on_demand import on_demand

__all__ = ["Codex", "install", "programs", "uninstall"]

on_demand(globals())


# A session's rollout while Codex writes it: the news since the last read.
#
# A hook reports only successful calls, and no exit status. The rollout has all of them, and it has
# the end of a call before the hook after it runs. So the file is read whenever a hook runs.

TAIL = 1024 * 1024
"""Maximum bytes that are read at the end of a new rollout."""

KEPT_ENDS = 64
"""Maximum ended calls that another process receives."""

REMEMBERED = 1_000
"""Maximum calls whose end is remembered, so that it is reported once."""


class Rollout:
    """Reads a rollout incrementally.

    :param path: the file; it may not be there yet.
    :param since: milliseconds since the epoch; records until then are known. 0 for none, None if the time is
        unknown: then existing records are not reported, but hooks may report them.
    :param known: the position of an earlier reader, as its :attr:`known` has it; then this one continues from
        there.
    """

    def __init__(self, path: Path, since: int | None, known: Record | None = None) -> None:
        self.path = path
        self._since = since
        self._place: int | None = None
        self._known_to: int | None = whole(mapping(known).get("place")) or None
        """The end of the known part, if it is known to the byte."""
        self._number = 0
        self._told = begin(Source(path, "lines"))
        self.conversation: list[RequestMessage] = []
        """The messages before the next request, oldest first, as far as the file was read."""
        self._ended: OrderedDict[str, None] = OrderedDict()
        for each in observed.sequence(mapping(known).get("ended")):
            self.end(str(each))

    @property
    def known(self) -> dict[str, object]:
        """The place of the reader, for one that continues in another process."""
        newest = [*self._ended][-KEPT_ENDS:]
        return {"path": str(self.path), "place": self._place or 0, "ended": newest}

    def has_ended(self, call_id: str) -> bool:
        """Return whether a call's end was reported."""
        return call_id in self._ended

    def end(self, call_id: str) -> None:
        """Note a call's end that a hook reports before the file has it."""
        self._ended[call_id] = None
        _hooked.bound(self._ended, REMEMBERED)

    def read_on(self) -> list[observed.AnyObservation]:
        """Return the new observations in the file; prompts only if nobody has reported them."""
        is_first, goes_on = self._place is None, self._known_to is not None
        hears_prompts = is_first and self._since == 0 and not goes_on
        before: observed.ContextUsed | None = None
        begun: list[observed.ToolCall] = []
        seen: list[observed.AnyObservation] = []
        for end, record in self._records():
            is_known = is_first and self._is_known(end, record)
            for each in self._told(self._number, record):
                self._hear(each)
                if (
                    isinstance(each, observed.ToolCall | observed.ToolAnswer)
                    and each.call_id in self._ended
                ):
                    continue
                is_sure = goes_on or self._since is not None or not is_known
                if (
                    is_sure
                    and isinstance(each, observed.ToolAnswer)
                    and each.is_final
                    and each.call_id
                ):
                    self.end(each.call_id)
                if is_known and isinstance(each, observed.ToolCall):
                    begun += [each] if is_sure else []
                elif is_known and isinstance(each, observed.ContextUsed) and not goes_on:
                    before = each
                elif not (
                    is_known or (isinstance(each, observed.UserMessage) and not hears_prompts)
                ):
                    seen.append(each)
        # A known call may have a new end; a reading is never new, but nobody else may have reported
        # it.
        known = [each for each in begun if each.call_id not in self._ended or _ends(each, seen)]
        told = [*known, *([] if before is None else [before]), *seen]
        return [replace(each, timestamp=None, line=0) for each in told]

    def _hear(self, seen: observed.AnyObservation) -> None:
        said = self.conversation
        match seen:
            case observed.UserMessage(text=text):
                said.append(RequestMessage(text))
            case observed.AgentMessage(text=text) if text:
                said.append(RequestMessage(text, is_answer=True))
            case observed.Compacted(summary=summary):
                said[:] = [RequestMessage(summary)] if summary else []
            case observed.Undone(turns=turns):
                asked = [place for place, each in enumerate(said) if not each.is_answer]
                del said[asked[-turns] if turns <= len(asked) else 0 :]
            case _:
                pass  # pyright wants every match to have a default

    def _is_known(self, end: int, record: Record) -> bool:
        if self._known_to is not None:
            return end <= self._known_to
        if self._since is None:
            return True
        return (observed.milliseconds(record.get("timestamp")) or 0) <= self._since

    def _records(self) -> Iterator[tuple[int, Record]]:
        """The records of the whole lines from here on, each with its end; the position advances."""
        found = lines_of(self.path, self._start)
        if found is None:
            return
        self._place = end = found.start
        for line in found.lines:
            end += len(line) + 1
            record = line_record(line)
            if record is not None:  # not from the middle of a line
                self._number += 1
                yield end, record
        self._place = found.end

    def _start(self, size: int) -> int:
        """The position from which a file of this size is read."""
        if self._known_to is not None and self._known_to > size:
            self._known_to = None
        if self._place is not None and self._place <= size:
            return self._place
        self.conversation.clear()  # the file is new, or was rewritten
        return (self._known_to or size) - TAIL


def _ends(call: observed.ToolCall, seen: list[observed.AnyObservation]) -> bool:
    return any(
        isinstance(each, observed.ToolAnswer) and each.call_id == call.call_id for each in seen
    )


def origin_of(path: str) -> str | None:
    """Return the session from which a rollout was forked, if any."""
    try:
        with Path(path).open("rb") as file:
            record = line_record(file.readline(TAIL))
    except OSError:
        return None
    return string(mapping(mapping(record).get("payload")).get("forked_from_id"))


# The meaning of Codex's events, and the answers to them.

ROLLOUT = "rollout"
"""The key of the end of the known part of a session's rollout."""


class Codex(HookedHost):
    """Answers the hooks of Codex, for all its sessions of a store, by reading their rollouts.

    :param store: opens the store; retried after a failure.
    :param look: the layout and the words of its sessions.

    >>> import json
    >>> with HudStore.open(":memory:", clock=lambda: 0) as store:
    ...     codex = Codex(lambda: store)
    ...     event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "Add a login."}
    ...     "Add a login." in codex.hook(json.dumps(event).encode()).text
    True
    """

    def __init__(self, store: Callable[[], HudStore[Any]], *, look: GivenLook = NO_LOOK) -> None:
        super().__init__(store, _hooked.CODEX, look=look)
        self._rollouts: OrderedDict[str, Rollout] = OrderedDict()

    def _caller(self, asked: Record, tool: str, arguments: object) -> CallOwner:
        """The owner of a call: a subagent is a thread of its own in the session of its parent."""
        session, thread = _hooked.session_id_in(asked), string(asked.get("thread_id"))
        return CallOwner(session, None if thread == session else thread)

    # --- Events ---

    def _began(self, event: Record) -> Answer:
        source = _hooked.SOURCES.get(string(event.get("source")) or "", "startup")
        path = _hooked.filled(event.get("transcript_path"))
        origin = origin_of(path) if path and source in ("startup", "fork") else None
        if origin is not None:
            self._sessions.copy(origin, _hooked.session_id_in(event))
        host = self._sessions.of(event)
        seen: list[HostObservation] = [SessionBegan(source=source), *self._read(event, host)]
        if source == "compact" and path is None:
            seen.append(observed.Compacted(summary=""))
        host.observe(*seen, keep=self._kept(event))
        if _has_just_begun(host):  # the first prompt delivers the whole HUD
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
        return self._asked(event, string(event.get("prompt")) or "")

    def _worked(self, event: Record) -> Answer:
        return self._answered(event, "", lambda _: ())

    def _in_file(
        self, event: Record, host: HostSession
    ) -> tuple[tuple[observed.AnyObservation, ...], dict[str, object]]:
        """New observations in the rollout, and the call that a hook reports before it; and the note of the position."""
        seen = (*self._read(event, host), *self._told_by_hook(event))
        return seen, self._kept(event)

    def _delivered(self, event: Record, host: HostSession, *, fresh: bool = False) -> Answer:
        """The delivery for a hook, given the words of its request: a prompt is not in the rollout yet."""
        name, prompt = string(event.get("hook_event_name")) or "", string(event.get("prompt"))
        heard = () if prompt is None else (RequestMessage(prompt),)
        with self._lock:
            found = self._rollouts.get(_reader_in(event))
            said = None if found is None else [*found.conversation, *heard]
        return self._sessions.delivered(name, host, fresh=fresh, conversation=said)

    # --- What happened ---

    def _read(self, event: Record, host: HostSession) -> list[observed.AnyObservation]:
        """The rollout's unreported observations."""
        path = _hooked.filled(event.get("transcript_path"))
        if path is None:
            return []
        name = _reader_in(event)
        with self._lock:
            found = self._rollouts.get(name)
            if found is None or found.path != Path(path):
                kept = mapping(host.kept(ROLLOUT))
                known = kept if kept.get("path") == path else None
                found = self._rollouts[name] = Rollout(Path(path), _known_until(host), known)
                _hooked.bound(self._rollouts, _hooked.KEPT)
            self._rollouts.move_to_end(name)
            return found.read_on()

    def _kept(self, event: Record) -> dict[str, object]:
        """The data to store with the rollout's observations."""
        with self._lock:
            found = self._rollouts.get(_reader_in(event))
        return {} if found is None else {ROLLOUT: found.known}

    def _told_by_hook(self, event: Record) -> list[observed.AnyObservation]:
        """The call that a hook reports, if the rollout lacks its end, or is missing."""
        call_id, name = _hooked.filled(event.get("tool_use_id")), string(event.get("tool_name"))
        with self._lock:
            rollout = self._rollouts.get(_reader_in(event))
            if name is None or (rollout and call_id and rollout.has_ended(call_id)):
                return []
            if rollout is not None and call_id is not None:
                rollout.end(call_id)
        given, answer = mapping(event.get("tool_input")), event.get("tool_response")
        if name == "apply_patch":
            given = {"input": given.get("command")}
        text = answer if isinstance(answer, str) else observed.prose(mapping(answer).get("content"))
        return [
            observed.ToolCall(name=name, arguments=given, call_id=call_id),
            observed.ToolAnswer(text=text, call_id=call_id),
        ]


def _reader_in(event: Record) -> str:
    return f"{_hooked.session_id_in(event)}/{_hooked.filled(event.get('agent_id')) or ''}"


def _has_just_begun(host: HostSession) -> bool:
    """Whether only the session's beginning is recorded."""

    def is_first() -> bool:
        host.session.refresh()
        return host.session.version <= 1

    return host.attempt("read the session", is_first, lambda: False)


def _known_until(host: HostSession) -> int | None:
    """The time until which a session's log is complete: 0 if it has just begun, None if it cannot be read."""

    def last() -> int | None:
        session = host.session
        session.refresh()
        times = [each.timestamp for each in session.events(after=session.version - 1)]
        return max(times) if session.version > 1 else 0

    return host.attempt("read the session", last, lambda: None)


_INSTALLER = HookInstaller(_hooked.CODEX)
install, uninstall = _INSTALLER.install, _INSTALLER.uninstall
programs = _INSTALLER.programs
