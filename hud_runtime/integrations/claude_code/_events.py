"""The meaning of Claude Code's events for its session, and the answers to them."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_components import THRESHOLDS, State, Thresholds
from hud_runtime.delivery import Delivery
from hud_runtime.integrations._hook_events import GUIDANCE, RETELLS, HookedHost, is_known, window_of
from hud_runtime.integrations._hook_hosts import CLAUDE_CODE
from hud_runtime.integrations._hooked import KEPT, SOURCES, bound, filled, record_of, session_id_in
from hud_runtime.integrations._host_outputs import pruned_answer
from hud_runtime.integrations._host_session import HostSession
from hud_runtime.integrations._lifecycle import HostObservation, SessionBegan
from hud_runtime.integrations._session_file import Reading
from hud_runtime.integrations.bridge import Answer
from hud_runtime.integrations.claude_code._history import History
from hud_runtime.integrations.claude_code._scope import Scope
from hud_runtime.integrations.claude_code._transcript import (
    origin_beside,
    origin_of,
    subagents_file,
)
from hud_runtime.messages import parts_of
from hud_runtime.observation import (
    AnyObservation,
    Compacted,
    ContextUsed,
    ToolCall,
    ToolResult,
    UserMessage,
    usage_in,
)
from hud_runtime.observation._json import Record, is_list, json_of, mapping, sequence, string, whole
from hud_runtime.session import NO_LOOK, GivenLook, HudStore
from hud_runtime.transcripts._answers import answers_in, is_not_run
from ujsx.text import visible

if TYPE_CHECKING:
    from hud_runtime.compaction import CompactionPolicy

FAILED = "failed"
"""What is kept in mind of a session under this name: the ids of calls that have failed, until their step is over."""

MOST_FAILED = 64

SUMMARY = "summary"
"""And under this one: what the summarizer has said, until the session goes on behind it."""


class ClaudeCode(HookedHost):
    """Answers the hooks of Claude Code, for all its sessions of a store.

    :param store: opens the store; it is tried again after it failed.
    :param policy: how a summary is asked for.
    :param socket: of the bridge, where one answers: then sessions of projects with a HUD of their own are not told of.
    :param look: the layout and the words of its sessions.

    >>> import json
    >>> with HudStore.open(":memory:", clock=lambda: 0) as store:
    ...     claude = ClaudeCode(lambda: store)
    ...     event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "Add a login."}
    ...     "Add a login." in claude.hook(json.dumps(event).encode()).text
    True
    """

    def __init__(
        self,
        store: Callable[[], HudStore[Any]],
        *,
        policy: CompactionPolicy | None = None,
        socket: Path | None = None,
        look: GivenLook = NO_LOOK,
    ) -> None:
        super().__init__(store, CLAUDE_CODE, policy=policy, look=look)
        self._scope = None if socket is None else Scope(socket)
        self._histories: OrderedDict[str, History] = OrderedDict()

    def _is_ours(self, event: Record) -> bool:
        return self._scope is None or self._scope.has(
            session_id_in(event), filled(event.get("cwd"))
        )

    def _key_of(self, told: Record, tool: str, arguments: object) -> str:
        return filled(told.get("tool_use_id")) or ""

    def status(self, given: bytes) -> Answer:
        """Answer the command of the status line, which alone is told how much the context holds."""
        told = record_of(given)
        if not session_id_in(told):
            return Answer()
        host = self._sessions.of(told)
        window = mapping(told.get("context_window"))
        model = string(mapping(told.get("model")).get("id"))
        usage = usage_in(mapping(window.get("current_usage")))
        limit = whole(window.get("context_window_size"))
        seen: list[HostObservation] = []
        if limit and usage is not None and not is_known(host, usage, model, limit):
            seen.append(ContextUsed(usage=usage, model=model, limit=limit))
        # No hook tells of a rewind, and the file shows it once the next request is over.
        history = self._history(told) if window else None
        is_rewound = history and history.is_rewound(None if usage is None else usage.total)
        keep = {RETELLS: True} if is_rewound else None
        if seen or keep:
            host.observe(*seen, keep=keep)
        session = host.opened
        return Answer(
            "" if session is None else f"{status_of(session.known, session.thresholds)}\n"
        )

    # --- Events ---

    def _began(self, event: Record) -> Answer:
        source = SOURCES.get(string(event.get("source")) or "", "startup")
        path, name = string(event.get("transcript_path")), session_id_in(event)
        keep: dict[str, object] = {}
        if source == "fork":
            origin = origin_of(path, name) or origin_beside(
                path,
                whole(event.get("context_tokens")),
                whole(event.get("seconds_since_last_response")),
            )
            if origin is not None:
                self._sessions.copy(origin, name)
        host = self._sessions.of(event)
        seen: list[HostObservation] = [SessionBegan(source=source)]
        summary = string(host.kept(SUMMARY)) or ""
        if source == "compact":
            seen.append(Compacted(summary=summary))
            keep[SUMMARY] = ""
        elif source != "startup":
            keep[RETELLS] = True
        used = whole(event.get("context_tokens"))
        if used:
            seen.append(ContextUsed(used=used, limit=window_of(host, None)))
        host.observe(*seen, keep=keep)
        history = self._history(event)
        if history is not None:
            history.branches()
            if source == "compact":
                history.heard(summary)
        if source != "compact":  # a prompt comes first, and some starts drop what is told here
            return self._silent(event)
        return self._delivered(event, host, fresh=True)

    def _prompted(self, event: Record) -> Answer:
        host = self._sessions.reader(event)
        said = UserMessage(text=string(event.get("prompt")) or "")
        reading = self._reading(event, host)
        host.observe(*(() if reading is None else (reading,)), said)
        history = self._history(event)
        if history is not None:
            history.heard(said.text)
        return self._delivered(event, host)

    def _used(self, event: Record) -> Answer:
        """What the model gets of a tool's output, in the form that the tool has; nothing to leave it as it is."""
        tool, given, told = (
            event.get(name) for name in ("tool_name", "tool_input", "tool_response")
        )
        given, told = (json_of(each) if isinstance(each, str) else each for each in (given, told))
        made = pruned_answer(self._sessions.reader(event), string(tool) or "", given, mapping(told))
        if made is None:
            return Answer()
        said = {"hookEventName": "PostToolUse", "updatedToolOutput": made}
        text = json.dumps({"hookSpecificOutput": said}, ensure_ascii=False, separators=(",", ":"))
        return Answer(text)

    def _call_failed(self, event: Record) -> Answer:
        call = filled(event.get("tool_use_id"))
        if call is not None:
            host = self._sessions.reader(event)
            with host.undisturbed():
                failed = [*sequence(host.kept(FAILED)), call][-MOST_FAILED:]
                host.observe(keep={FAILED: failed})
        return Answer()

    def _worked(self, event: Record) -> Answer:
        host = self._sessions.reader(event)
        message = self._message_of(event, self._reading(event, host))
        with host.undisturbed():
            failed = frozenset(map(str, sequence(host.kept(FAILED))))
            done = [*_done(event, failed)]
            left = failed.difference(
                each.call_id or "" for each in done if isinstance(each, ToolResult)
            )
            host.observe(message, *done, keep={FAILED: sorted(left)} if left != failed else None)
        return self._delivered(event, host)

    def _compacts(self, event: Record) -> Answer:
        """What is added to the prompt for a summary: Claude Code's own stays, so the policy's stands behind it."""
        host = self._sessions.of(event)
        reading = self._reading(event, host)  # the last one of the history that goes
        host.observe(*(() if reading is None else (reading,)))
        return Answer(host.policy.guidance(GUIDANCE)[: self._host.guidance])

    def _subagent_ended(self, event: Record) -> Answer:
        """Keep in mind what the summarizer said, a subagent without a type: the compaction is told of right after."""
        said = filled(event.get("last_assistant_message"))
        if filled(event.get("agent_type")) is None and said is not None:
            self._sessions.of(event).observe(keep={SUMMARY: said})
        return Answer()

    def _task_changed(self, event: Record) -> Answer:
        task, subject = filled(event.get("task_id")), filled(event.get("task_subject"))
        if task is None or subject is None:
            return Answer()
        made = ToolCall(name="TaskCreate", arguments={"subject": subject}, call_id=f"+{task}")
        result = ToolResult(
            call_id=f"+{task}", status="done", data={"task": {"id": task, "subject": subject}}
        )
        seen: list[HostObservation] = [made, result]
        if event.get("hook_event_name") == "TaskCompleted":
            done = {"taskId": task, "status": "completed"}
            seen.append(ToolCall(name="TaskUpdate", arguments=done, call_id=f"={task}"))
            seen.append(ToolResult(call_id=f"={task}", status="done"))
        self._sessions.reader(event).observe(*seen)
        return Answer()

    # --- What the model is told ---

    def _delivered(self, event: Record, host: HostSession, *, fresh: bool = False) -> Answer:
        """What the model has yet to be told, beside what stands in the messages that it is going to read."""
        name = string(event.get("hook_event_name")) or ""
        history, retells = self._history(event), bool(host.kept(RETELLS))
        fresh = fresh or retells
        texts = None if fresh or history is None else history.texts()
        conversation = None if history is None else history.conversation(newest=fresh)

        def arrived(made: Delivery) -> None:
            if history is not None:
                history.told(made.text)
            if retells:
                host.observe(keep={RETELLS: False})

        return self._sessions.delivered(
            name, host, fresh=fresh, texts=texts, conversation=conversation, arrived=arrived
        )

    def _newest_reading(self, event: Record) -> Reading | None:
        history = self._history(event)
        return None if history is None else history.reading()

    def _history(self, event: Record) -> History | None:
        path, agent = filled(event.get("transcript_path")), filled(event.get("agent_id"))
        if path is None:
            return None
        if agent is not None:
            path = str(subagents_file(Path(path), agent))
        with self._lock:
            found = self._histories.get(path)
            if found is None:
                found = self._histories[path] = History(Path(path), is_subagents=agent is not None)
                bound(self._histories, KEPT)
            self._histories.move_to_end(path)
            return found


def _done(event: Record, failed: frozenset[object]) -> Iterator[AnyObservation]:
    """The calls of a step with their results, as they stand in a session file.

    :param failed: the ids of those that have failed.
    """
    batch = event.get("tool_calls")
    if isinstance(batch, str):
        batch = json_of(batch)
    for call in map(mapping, sequence(batch)):
        name, call_id = string(call.get("tool_name")), string(call.get("tool_use_id"))
        if name is None:
            continue
        given, said = mapping(call.get("tool_input")), call.get("tool_response")
        yield ToolCall(name=name, arguments=given, call_id=call_id)
        block: Record = {
            "type": "tool_result",
            "content": said if isinstance(said, str) or is_list(said) else None,
            "is_error": call_id in failed or is_not_run(said),
            "tool_use_id": call_id,
        }
        for result in answers_in(parts_of(block)):
            # What a command prints may be anything: its words are nobody's wish.
            yield replace(result, wish="") if name == "Bash" else result


def status_of(state: State, thresholds: Thresholds = THRESHOLDS) -> str:
    """Return a state in a line for a terminal: its words, without any marks.

    :param thresholds: from where on each level of the context holds.

    >>> from hud_components import HudState, Task
    >>> status_of(HudState(task=Task(description="Mend *all* of it")))
    'Mend *all* of it'
    """
    from hud_components import StatusLine
    from ujsx import RenderContext, to_mdast
    from ujsx.mdast.util import to_string

    line = to_mdast(StatusLine(state=state), RenderContext().with_value(thresholds))
    return visible(" ".join(to_string(line).split()))
