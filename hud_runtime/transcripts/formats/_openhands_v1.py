"""OpenHands' events of the second kind: each names its kind; in lines, or in a folder of files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from hud_runtime.observe._observations import AnyObservation, Record, mapping, prose, string
from hud_runtime.transcripts import _format as rows
from hud_runtime.transcripts._format import Format, RecordReader, Table, at, each, reader, status
from hud_runtime.transcripts._source import Numbered, Source

STATE = "ConversationStateUpdateEvent"
CALL_ID = "tool_call_id"


def _given(event: Record) -> Record:
    action = mapping(event.get("action"))
    return {key: value for key, value in action.items() if key != "kind"}


EVENTS: Table = {
    "MessageEvent of the user": rows.user(text="llm_message.content"),
    "MessageEvent": rows.agent(text="llm_message.content"),
    "ActionEvent": (
        rows.agent(text="thought", message_id="llm_response_id"),
        rows.call(name="tool_name|action.kind|=action", arguments=_given, call_id=f"{CALL_ID}|id"),
    ),
    "ObservationEvent": rows.result(
        text="observation.content|observation.output", call_id=f"{CALL_ID}|action_id",
        status=status("observation.is_error", {True: "failed"}), exit_code="observation.exit_code",
        directory="observation.metadata.working_dir",
    ),
    "UserRejectObservation": rows.result(call_id=CALL_ID, status="=refused", wish="rejection_reason"),
    "AgentErrorEvent": rows.result(text="error", call_id=CALL_ID, status="=failed"),
    "ConversationErrorEvent": rows.failed(message="detail|=failed"),
    "SystemPromptEvent": rows.background(text=at("system_prompt", lambda said: prose(said) or prose([said]))),
    "CondensationRequest": rows.compacting(),
    "Condensation": rows.compacted(summary="summary"),
    STATE: each(
        "value.usage_to_metrics.default|value.usage_to_metrics.agent",
        rows.used(
            used="accumulated_token_usage.per_turn_token", limit="accumulated_token_usage.context_window",
            model="model_name",
        ),
    ),
}  # fmt: skip


def recognises(source: Source) -> str | None:
    """Tell why a file, or a folder, holds such events."""
    if source.kind == "folder":
        return "it has files of events" if _event_files(source.path) else None
    return (
        "its events name their kinds"
        if any(string(one.get("kind")) in EVENTS for one in source.head)
        else None
    )


def observations(source: Source) -> Iterator[AnyObservation]:
    """Yield what the events tell."""
    read = begin(source)
    for line, event in (
        source.counted(_files(source)) if source.kind == "folder" else source.records()
    ):
        yield from read(line, event)


def begin(source: Source) -> RecordReader:
    """Begin a file of events."""
    return reader(source, EVENTS, _kind_of)


def _kind_of(event: Record) -> str | None:
    kind = string(event.get("kind"))
    if kind == "MessageEvent" and event.get("source") == "user":
        return "MessageEvent of the user"
    return "state" if kind == STATE and event.get("key") != "stats" else kind


def _event_files(folder: Path) -> list[Path]:
    try:
        return sorted([*folder.glob("event-*.json"), *folder.glob("events/event-*.json")])
    except OSError:  # it went while it was looked at
        return []


def _files(source: Source) -> Iterator[Numbered]:
    for number, path in enumerate(_event_files(source.path), start=1):
        try:
            yield number, mapping(json.loads(path.read_text("utf-8", "replace")))
        except (OSError, ValueError, RecursionError):
            source.skip("file that cannot be read")


FORMAT = Format(
    "OpenHands events",
    recognises,
    observations,
    begin=begin,
    quiet=frozenset([
        "state", "PauseEvent", "InterruptEvent", "TokenEvent", "CondensationSummaryEvent", "HookExecutionEvent",
    ]),
)  # fmt: skip
