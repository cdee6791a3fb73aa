"""What the moments of a transcript mean: drafts of events, in the order of their happening."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import cast

from hud_runtime._errors import EventError
from hud_runtime.events import Actor, EventDraft, EventType, parse_payload
from hud_runtime.transcripts._effects import Effects, Workspace
from hud_runtime.transcripts._json import Record, sound
from hud_runtime.transcripts._moments import (
    AnyMoment,
    Background,
    Call,
    Compacted,
    Compacting,
    Prompt,
    Result,
    Speech,
    Title,
)
from hud_runtime.transcripts._source import Problem
from hud_runtime.transcripts._task import TaskMarker, cut, task_in
from hud_runtime.transcripts._tools import ToolTable
from ujsx.tokens import estimate_tokens


class Derivation:
    """Turns moments into drafts, one after the other.

    A turn is one message of the agent, with what its calls bring about; what comes before the
    first is turn 0. Every message brings a reading of the context: the transcript's own figure,
    or with ``estimates`` the tokens of all texts so far.
    """

    def __init__(
        self,
        *,
        table: ToolTable,
        markers: tuple[TaskMarker, ...],
        limit: int,
        estimates: bool,
        problems: list[Problem],
        skipped: Counter[str],
    ) -> None:
        self.turn = 0
        self._markers = markers
        self._limit = limit
        self._estimates = estimates
        self._problems = problems
        self._skipped = skipped
        self._workspace = Workspace()
        self._effects = Effects(table, self._workspace)
        self._waiting: list[Call] = []
        self._message: str | None = None
        self._has_task = False
        self._tokens = 0
        self._reading: EventDraft | None = None
        self._read: EventDraft | None = None
        self._now: int | None = None

    def feed(self, moment: AnyMoment) -> Iterator[EventDraft]:
        """Yield what one more moment means."""
        if not isinstance(moment, (Speech, Call)):
            yield from self.finish()
        self._now = moment.timestamp if moment.timestamp is not None else self._now
        match moment:
            case Speech():
                yield from self._speech(moment)
            case Call():
                if not moment.in_speech:
                    self._count(json.dumps(dict(moment.arguments), ensure_ascii=False))
                self._waiting.append(moment)
            case Result():
                self._count(moment.text)
                yield from self._result(moment)
            case Prompt():
                self._count(moment.text)
                self._workspace.enter(moment.directory)
                yield from self._prompt(moment)
            case Background():
                self._count(moment.text)
            case Title():
                yield from self._draft(
                    moment.line, "session.title", {"title": cut(moment.text)}, "host"
                )
            case Compacting():
                yield from self._draft(
                    moment.line, "compact.before", {"reason": moment.reason}, "host"
                )
            case Compacted():
                yield from self._draft(
                    moment.line, "compact.after", {"summary": moment.summary}, "host"
                )

    def finish(self) -> Iterator[EventDraft]:
        """Yield the reading of the message that ends here: its last part has the final figure."""
        if self._reading is not None:
            yield self._reading
            self._read, self._reading = self._reading, None

    def _speech(self, speech: Speech) -> Iterator[EventDraft]:
        if speech.message_id is None or speech.message_id != self._message:
            yield from self.finish()
            self.turn += 1
            self._message = speech.message_id
        if speech.message_id is None:
            # Such formats answer every call before the next message, and reuse their ids.
            self._waiting.clear()
        self._workspace.enter(speech.directory)
        self._count(speech.text)
        used = speech.used or (self._tokens if self._estimates else None)
        if used is not None:
            payload: dict[str, object] = {"used": used, "limit": self._limit}
            if speech.model is not None:
                payload["model"] = speech.model
            for draft in self._draft(speech.line, "context.snapshot", payload, "host"):
                read = self._read
                if read is None or (read.turn, read.payload) != (draft.turn, draft.payload):
                    self._reading = draft

    def _result(self, result: Result) -> Iterator[EventDraft]:
        call = self._called(result)
        if call is None:
            self._skipped["answer without a call"] += 1
            self._workspace.enter(result.directory)
            return
        try:
            for event_type, payload, actor in self._effects.of(call, result):
                yield from self._draft(call.line, event_type, payload, actor)
        except ValueError as error:
            self._problems.append(Problem(call.line, str(error)))

    def _called(self, result: Result) -> Call | None:
        for place, call in enumerate(self._waiting):
            if result.call_id is None or result.call_id == call.call_id:
                return self._waiting.pop(place)
        return None

    def _prompt(self, prompt: Prompt) -> Iterator[EventDraft]:
        task = None if self._has_task else task_in(prompt.text, self._markers)
        if task is not None:
            self._has_task = True
            yield from self._draft(prompt.line, "task.set", {"description": task}, "user")

    def _draft(
        self, line: int, event_type: EventType, payload: Record, actor: Actor
    ) -> Iterator[EventDraft]:
        """Yield the draft, or note why there can be none."""
        said = cast("Record", sound(payload))
        try:
            parse_payload(event_type, said)
        except EventError as error:
            self._problems.append(Problem(line, str(error)))
        else:
            yield EventDraft(event_type, said, self.turn, self._now, actor)

    def _count(self, text: str) -> None:
        if self._estimates:
            self._tokens += estimate_tokens(text)
