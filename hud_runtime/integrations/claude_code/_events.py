"""What each of Claude Code's events means for its session, and what is said to it."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from hud_components import ContextUsage, State
from hud_runtime.delivery import Delivery
from hud_runtime.integrations._host_session import HostSession
from hud_runtime.integrations._lifecycle import SessionBegan, SessionEnded, Source
from hud_runtime.integrations.bridge import Answer
from hud_runtime.integrations.claude_code._texts import GUIDANCE, LONGEST, context, filled
from hud_runtime.integrations.claude_code._transcript import (
    origin_of,
    reading_in,
    summary_in,
)
from hud_runtime.integrations.claude_code._windows import window_of
from hud_runtime.observation import (
    AgentMessage,
    Compacted,
    ContextUsed,
    Observation,
    ToolCall,
    ToolResult,
    UserMessage,
    usage_in,
)
from hud_runtime.observation._json import Record, mapping, sequence, string, whole
from hud_runtime.session import HudStore
from hud_runtime.transcripts.formats._blocks import results
from ujsx.text import visible
from ujsx.tools import ToolResult as CallResult

KEPT = 64
"""Sessions that are kept in mind; one that comes back later is read from the store."""

JOINED = 1_000
"""Calls of the HUD's tool whose session is kept in mind until the server asks for it."""

SOURCES: Mapping[str, Source] = {
    "startup": "startup",
    "resume": "resume",
    "clear": "clear",
    "fork": "fork",
    "compact": "compact",
}


class ClaudeCode:
    """Answers the hooks of Claude Code, for all its sessions of a store.

    :param store: opens the store; it is tried again after it failed.

    >>> with HudStore.open(":memory:", clock=lambda: 0) as store:
    ...     claude = ClaudeCode(lambda: store)
    ...     event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "Add a login."}
    ...     "Add a login." in claude.hook(json.dumps(event).encode()).text
    True
    """

    def __init__(self, store: Callable[[], HudStore[Any]]) -> None:
        self._store = store
        self._sessions: OrderedDict[str, HostSession] = OrderedDict()
        self._owners: OrderedDict[str, tuple[str, str | None]] = OrderedDict()
        self._failed: OrderedDict[str, None] = OrderedDict()
        self._news: list[str] = []
        self._lock = threading.RLock()
        self._events: Mapping[str, Callable[[Record], Answer]] = {
            "SessionStart": self._began,
            "SessionEnd": self._ended,
            "UserPromptSubmit": self._prompted,
            "PreToolUse": self._calls_hud,
            "PostToolUseFailure": self._call_failed,
            "PostToolBatch": self._worked,
            "PreCompact": self._compacts,
            "SubagentStart": self._subagent_began,
            "TaskCreated": self._task_changed,
            "TaskCompleted": self._task_changed,
        }

    def hook(self, given: bytes) -> Answer:
        """Answer a hook: what it was given on its standard input, or by its template."""
        event = _record(given)
        name = string(event.get("hook_event_name")) or ""
        answer = self._events.get(name)
        return Answer() if answer is None or not _session_id(event) else answer(event)

    def status(self, given: bytes) -> Answer:
        """Answer the command of the status line, which alone is told how much the context holds."""
        told = _record(given)
        if not _session_id(told):
            return Answer()
        host = self._session(told)
        window = mapping(told.get("context_window"))
        model = string(mapping(told.get("model")).get("id"))
        usage = usage_in(mapping(window.get("current_usage")))
        limit = whole(window.get("context_window_size"))
        if limit and usage is not None:
            host.observe(ContextUsed(usage=usage, model=model, limit=limit))
        session = host.opened
        return Answer("" if session is None else f"{status_of(session.known)}\n")

    def call(self, given: bytes) -> Answer:
        """Answer a call of the HUD's tool: ``{"tool", "arguments", "tool_use_id", "session_id"}``."""
        asked = _record(given)
        tool = string(asked.get("tool")) or "hud"
        with self._lock:
            owner = self._owners.pop(string(asked.get("tool_use_id")) or "", None)
        session_id, agent = owner or (string(asked.get("session_id")) or "", None)
        if not session_id:
            result = CallResult("no session is known here yet; send a message first", is_error=True)
        else:
            event = {"session_id": session_id, "agent_id": agent, "cwd": asked.get("cwd")}
            result = self._reader(event).call(tool, asked.get("arguments"))
        host = {"ujsx": result.data} if result.operation == "hud_compact" else None
        told = {"text": result.text, "is_error": result.is_error, "meta": host}
        return Answer(json.dumps(told, ensure_ascii=False, default=str))

    # --- Events ---

    def _began(self, event: Record) -> Answer:
        source = SOURCES.get(string(event.get("source")) or "", "startup")
        path, name = string(event.get("transcript_path")), _session_id(event)
        if source == "fork":
            self._copy(origin_of(path, name), name)
        host = self._session(event)
        seen: list[Observation] = [SessionBegan(source=source)]
        if source == "compact":
            seen.append(Compacted(summary=summary_in(path)))
        used = whole(event.get("context_tokens"))
        if used:
            seen.append(ContextUsed(used=used, limit=self._window(host, None)))
        host.observe(*seen)  # type: ignore[arg-type]
        return self._delivered("SessionStart", host, fresh=True)

    def _ended(self, event: Record) -> Answer:
        with self._lock:
            host = self._sessions.get(_session_id(event))
            if host is not None:
                host.observe(SessionEnded(reason=string(event.get("reason")) or ""))
                if not host.flush():
                    del self._sessions[_session_id(event)]
        return Answer()

    def _prompted(self, event: Record) -> Answer:
        host = self._reader(event)
        self._measure(event, host)
        host.observe(UserMessage(text=string(event.get("prompt")) or ""))
        return self._delivered("UserPromptSubmit", host)

    def _calls_hud(self, event: Record) -> Answer:
        call = filled(event.get("tool_use_id"))
        if call is not None:
            with self._lock:
                self._owners[call] = (_session_id(event), filled(event.get("agent_id")))
                _bound(self._owners, JOINED)
        return Answer()

    def _call_failed(self, event: Record) -> Answer:
        call = filled(event.get("tool_use_id"))
        if call is not None:
            with self._lock:
                self._failed[call] = None
                _bound(self._failed, JOINED)
        return Answer()

    def _worked(self, event: Record) -> Answer:
        host = self._reader(event)
        reading = None if filled(event.get("agent_id")) else reading_in(_path(event))
        message = AgentMessage(directory=filled(event.get("cwd")))
        if reading is not None:
            limit = self._window(host, reading.model)
            message = AgentMessage(
                usage=reading.usage, model=reading.model, limit=limit, directory=message.directory
            )
        host.observe(message, *self._done(event))  # type: ignore[arg-type]
        return self._delivered("PostToolBatch", host)

    def _compacts(self, event: Record) -> Answer:
        return Answer(GUIDANCE)

    def _subagent_began(self, event: Record) -> Answer:
        host = self._reader(event)
        host.observe(SessionBegan())
        return self._delivered("SubagentStart", host, fresh=True)

    def _task_changed(self, event: Record) -> Answer:
        task, subject = filled(event.get("task_id")), filled(event.get("task_subject"))
        if task is None or subject is None:
            return Answer()
        made = ToolCall(name="TaskCreate", arguments={"subject": subject}, call_id=f"+{task}")
        result = ToolResult(
            call_id=f"+{task}", status="done", data={"task": {"id": task, "subject": subject}}
        )
        seen: list[Observation] = [made, result]
        if event.get("hook_event_name") == "TaskCompleted":
            done = {"taskId": task, "status": "completed"}
            seen.append(ToolCall(name="TaskUpdate", arguments=done, call_id=f"={task}"))
            seen.append(ToolResult(call_id=f"={task}", status="done"))
        self._reader(event).observe(*seen)  # type: ignore[arg-type]
        return Answer()

    def _done(self, event: Record) -> Iterator[Observation]:
        """The calls of a step with their results, as they stand in a session file."""
        batch = event.get("tool_calls")
        if isinstance(batch, str):
            batch = _json(batch)
        for call in map(mapping, sequence(batch)):
            name, call_id = string(call.get("tool_name")), string(call.get("tool_use_id"))
            if name is None:
                continue
            given = mapping(call.get("tool_input"))
            yield ToolCall(name=name, arguments=given, call_id=call_id)
            with self._lock:
                has_failed = self._failed.pop(call_id or "", "") is None
            block = {
                "type": "tool_result",
                "content": call.get("tool_response"),
                "is_error": has_failed,
                "tool_use_id": call_id,
            }
            yield from results([block], 0, None)

    # --- Sessions ---

    def _session(self, event: Record) -> HostSession:
        name = _session_id(event)
        with self._lock:
            found = self._sessions.get(name)
            if found is None:
                project = filled(event.get("cwd"))
                found = HostSession.of(
                    self._store, name, project=project, tell=self._news.append, longest=LONGEST
                )
                self._sessions[name] = found
                for old in [*self._sessions][:-KEPT]:
                    if not self._sessions[old].flush():
                        del self._sessions[old]
            self._sessions.move_to_end(name)
            return found

    def _reader(self, event: Record) -> HostSession:
        """The session of the event, or that of the subagent that it happens in."""
        agent = filled(event.get("agent_id"))
        host = self._session(event)
        return host if agent is None else host.child(agent)

    def _copy(self, origin: str | None, name: str) -> None:
        if origin is not None:
            self._guarded(partial(copy, self._store, origin, name))

    def _guarded(self, work: Callable[[], object]) -> None:
        from hud_runtime.integrations._guard import Guard

        Guard(self._news.append).run("copy a session", work, lambda: None)

    def _measure(self, event: Record, host: HostSession) -> None:
        reading = reading_in(_path(event))
        if reading is not None:
            host.observe(reading.seen(self._window(host, reading.model)))

    def _window(self, host: HostSession, model: str | None) -> int | None:
        """What the status line has told of this model's context, or the table."""
        session = host.opened
        usage: ContextUsage | None = None if session is None else session.known.usage
        if usage is not None and model in (None, usage.model):
            return usage.limit
        return window_of(model)

    def _delivered(self, event: str, host: HostSession, *, fresh: bool = False) -> Answer:
        made = host.before_request(fresh=fresh, sent=False)
        with self._lock:
            news, self._news[:] = " ".join(self._news), []
        return Answer(context(event, made.text, news), partial(_arrived, host, made))


def copy(store: Callable[[], HudStore[Any]], origin: str, name: str) -> None:
    """Begin a session as a copy of another one, with all its events, if it has not begun yet."""
    opened = store()
    if opened.version_of(name) or not opened.version_of(origin):
        return
    events = [
        each.model_copy(update={"session_id": name, "id": ""}) for each in opened.events(origin)
    ]
    opened.import_events(name, events)


def status_of(state: State) -> str:
    """Return a state in a line for a terminal: its words, without any marks.

    >>> from hud_components import HudState, Task
    >>> status_of(HudState(task=Task(description="Mend *all* of it")))
    'Mend *all* of it'
    """
    from hud_components import StatusLine
    from ujsx import to_mdast
    from ujsx.mdast.util import to_string

    return visible(" ".join(to_string(to_mdast(StatusLine(state=state))).split()))


def _arrived(host: HostSession, delivery: Delivery) -> None:
    if delivery.parts:
        host.sent(delivery)


def _session_id(event: Record) -> str:
    return filled(event.get("session_id")) or ""


def _path(event: Record) -> str | None:
    return filled(event.get("transcript_path"))


def _record(given: bytes) -> Record:
    return mapping(_json(given.decode("utf-8", "replace")))


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _bound(kept: OrderedDict[Any, Any], most: int) -> None:
    while len(kept) > most:
        kept.popitem(last=False)
