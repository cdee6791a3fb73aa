"""OpenHands' trajectories of the first kind: actions and observations, each an event.

An edit that failed has the message "I edited the file" and begins with "ERROR:". A prompt is wrapped in elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hud_runtime.observe._observations import (
    AnyObservation,
    Failed,
    Record,
    is_list,
    mapping,
    prose,
    sequence,
    string,
    whole,
)
from hud_runtime.observe.messages import Status
from hud_runtime.transcripts import _format as rows
from hud_runtime.transcripts._format import Format, Getter, Table, at, reader
from hud_runtime.transcripts._source import Source

TOOLS: dict[str, str] = {
    "run": "execute_bash",
    "run_ipython": "execute_ipython_cell",
    "edit": "str_replace_editor",
    "write": "write_file",
    "read": "read_file",
    "task_tracking": "task_tracker",
    "think": "think",
    "browse": "browse",
    "browse_interactive": "browse",
    "delegate": "delegate",
    "finish": "finish",
    "call_tool_mcp": "mcp",
}
"""The tools that actions stand for."""

SILENT = frozenset({"agent_state_changed", "null", "recall", "agent_think", "think"})
"""Observations that tell nothing."""

_RECORD = frozenset({"instance_id", "git_patch"})
_ERROR = re.compile(r"\AERROR:\s*")
_ANSWERED = "observation"
QUIET_ANSWER = "an observation of nothing"

KNOWN = {
    *TOOLS,
    "error",
    "mcp",
    "success",
    "user_rejected",
    "agent_state_changed",
    "system",
    "message",
}
"""Observations that answer nothing where they name no cause."""


def recognises(source: Source) -> str | None:
    """Tell why a file is such a trajectory."""
    for one in source.head:
        if "source" in one and ("action" in one or "observation" in one) and "kind" not in one:
            return "its events are actions and observations of a source"
        if isinstance(one.get("history"), list) and _RECORD.intersection(one):
            return "its record has an instance and a history"
    if isinstance(source.first.get("history"), list) and _RECORD.intersection(source.first):
        return "its record has an instance and a history"
    return None


def observations(source: Source) -> Iterator[AnyObservation]:
    """Yield what the events tell."""
    is_whole = source.kind == "value" and "history" in source.first
    read = reader(source, EVENTS, _kind_of)
    for line, record in [(1, source.first)] if is_whole else source.records():
        history = record.get("history")
        if is_list(history):
            events = [event for one in sequence(history) for event in sequence(one) or [one]]
            for _, event in source.listed(events):
                yield from read(line, event)
            if error := string(record.get("error")):
                yield Failed(line=line, message=error.strip().rpartition("\n")[2])
        else:
            yield from read(line, record)


def _kind_of(event: Record) -> str | None:
    if "action" not in event:
        kind = string(event.get("observation"))
        if kind in SILENT or (kind in KNOWN and _is_alone(event)):
            return QUIET_ANSWER
        return kind if kind is None or _is_alone(event) else _ANSWERED
    kind = string(event.get("action"))
    # The oldest records have no sources: there a message is the user's.
    by_agent = event.get("source") == "agent" or ("source" not in event and kind != "message")
    return f"{kind} of the agent" if by_agent and kind in SPOKEN else kind


def _is_alone(event: Record) -> bool:
    is_old = "source" not in event and "args" not in event
    return _key("cause")(event) is None and not is_old


def _key(path: str) -> Getter:
    return at(path, lambda one: str(one) if isinstance(one, int | str) and not isinstance(one, bool) else None)  # fmt: skip


def _arguments(event: Record) -> Record:
    return mapping(event.get("args")) or event


def _of(name: str) -> Getter:
    return lambda event: prose(_arguments(event).get(name))


def _is_other(event: Record) -> bool:
    """Whether it calls a tool of another server, by its name."""
    return event.get("action") == "call_tool_mcp" and bool(string(_arguments(event).get("name")))


def _name(event: Record) -> str:
    return str(_arguments(event)["name"]) if _is_other(event) else TOOLS[str(event.get("action"))]


def _given(event: Record) -> Record:
    given = _arguments(event)
    return mapping(given.get("arguments")) if _is_other(event) else given


def _message_id(event: Record) -> str | None:
    meta = mapping(event.get("tool_call_metadata"))
    is_one_of_many = whole(meta.get("total_calls_in_response")) > 1
    return string(mapping(meta.get("model_response")).get("id")) if is_one_of_many else None


def _status(event: Record) -> Status:
    failed = event.get("observation") == "error" or _ERROR.match(prose(event.get("content")))
    refused = event.get("observation") == "user_rejected"
    return "refused" if refused else "failed" if failed else "unknown"


RESPONSE = "tool_call_metadata.model_response"
TURN = rows.agent(
    text=lambda event: _of("thought")(event) or _of("content")(event),
    message_id=_message_id,
    model=f"{RESPONSE}.model",
    used=f"{RESPONSE}.usage.total_tokens",
    usage=f"{RESPONSE}.usage",
)
CALL = rows.call(name=_name, arguments=_given, call_id=_key("id"))
SPOKEN = {"message", "recall", *TOOLS}

EVENTS: Table = {
    **dict.fromkeys(TOOLS, CALL),
    **{f"{each} of the agent": (TURN, CALL) for each in TOOLS},
    "recall of the agent": TURN,
    "message": rows.user(text=_of("content")),
    "message of the agent": TURN,
    "system": rows.background(text=_of("content")),
    "condensation": rows.compacted(summary=_of("summary")),
    _ANSWERED: rows.result(
        directory="extras.metadata.working_dir",
        text=lambda event: _ERROR.sub("", prose(event.get("content"))),
        call_id=_key("cause"),
        status=_status,
        exit_code="extras.metadata.exit_code|extras.exit_code",
    ),
}

FORMAT = Format(
    "OpenHands trajectory",
    recognises,
    observations,
    quiet={QUIET_ANSWER, "recall", "change_agent_state", "pause", "resume"},
)
