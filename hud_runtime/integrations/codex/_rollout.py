"""A session's rollout while Codex writes it: what has come since the last look.

A hook is told of calls that went well, and of no exit status. The rollout has all of them, and it has the end of a call
before the hook runs that comes behind it. So the file is what is read, and hooks say when.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hud_runtime.delivery import RequestMessage
from hud_runtime.integrations._session_file import lines_of
from hud_runtime.observation import (
    AgentMessage,
    AnyObservation,
    Compacted,
    ContextUsed,
    ToolCall,
    ToolResult,
    Undone,
    UserMessage,
)
from hud_runtime.observation._json import Record, mapping, milliseconds, sequence, string, whole
from hud_runtime.transcripts._json_text import record_of
from hud_runtime.transcripts._source import Source
from hud_runtime.transcripts.formats._codex import begin

TAIL = 1024 * 1024
"""Bytes at the end of a rollout that are read when it is seen for the first time."""

KEPT_ENDS = 64
"""And of these, those that another process is told of."""

REMEMBERED = 1_000
"""Calls whose end is kept in mind, so that it is told once."""


class Rollout:
    """Reads a rollout on from where it was.

    :param path: the file; it may not be there yet.
    :param since: milliseconds since the epoch; what was written until then is known. 0 for nothing, None
        where nobody can say: then what is there is not told, but hooks may tell it.
    :param known: where another one stood that read it before, as :attr:`known` tells; then this goes on from there.
    """

    def __init__(self, path: Path, since: int | None, known: Record | None = None) -> None:
        self.path = path
        self._since = since
        self._place: int | None = None
        self._known_to: int | None = whole(mapping(known).get("place")) or None
        """Where what is known ends, if that is known to the byte."""
        self._number = 0
        self._told = begin(Source(path, "lines"))
        self.conversation: list[RequestMessage] = []
        """The messages that the next request goes on from, oldest first, as far as the file was read."""
        self._ended: OrderedDict[str, None] = OrderedDict()
        for each in sequence(mapping(known).get("ended")):
            self.end(str(each))

    @property
    def known(self) -> dict[str, object]:
        """The place of the reader, for one that continues in another process."""
        newest = [*self._ended][-KEPT_ENDS:]
        return {"path": str(self.path), "place": self._place or 0, "ended": newest}

    def has_ended(self, call_id: str) -> bool:
        """Tell whether a call's end was told."""
        return call_id in self._ended

    def end(self, call_id: str) -> None:
        """Take a call's end as told: by a hook, because the file does not have it yet."""
        self._ended[call_id] = None
        while len(self._ended) > REMEMBERED:
            self._ended.popitem(last=False)

    def read_on(self) -> list[AnyObservation]:
        """Return what the file tells beyond the last look; prompts only where nobody has heard them."""
        is_first, goes_on = self._place is None, self._known_to is not None
        hears_prompts = is_first and self._since == 0 and not goes_on
        before: ContextUsed | None = None
        begun: list[ToolCall] = []
        seen: list[AnyObservation] = []
        for end, record in self._records():
            is_known = is_first and self._is_known(end, record)
            for each in self._told(self._number, record):
                self._hear(each)
                if isinstance(each, ToolCall | ToolResult) and each.call_id in self._ended:
                    continue
                is_sure = goes_on or self._since is not None or not is_known
                if is_sure and isinstance(each, ToolResult) and each.is_final and each.call_id:
                    self.end(each.call_id)
                if is_known and isinstance(each, ToolCall):
                    begun += [each] if is_sure else []
                elif is_known and isinstance(each, ContextUsed) and not goes_on:
                    before = each
                elif not (is_known or (isinstance(each, UserMessage) and not hears_prompts)):
                    seen.append(each)
        # A call may be known, and its end news; a reading is no news, but nobody else may have told it.
        known = [each for each in begun if each.call_id not in self._ended or _ends(each, seen)]
        told = [*known, *([] if before is None else [before]), *seen]
        return [replace(each, timestamp=None, line=0) for each in told]

    def _hear(self, seen: AnyObservation) -> None:
        said = self.conversation
        match seen:
            case UserMessage(text=text):
                said.append(RequestMessage(text))
            case AgentMessage(text=text) if text:
                said.append(RequestMessage(text, is_answer=True))
            case Compacted(summary=summary):
                said[:] = [RequestMessage(summary)] if summary else []
            case Undone(turns=turns):
                asked = [place for place, each in enumerate(said) if not each.is_answer]
                del said[asked[-turns] if turns <= len(asked) else 0 :]
            case _:
                pass  # pyright wants every match to say that it leaves others alone

    def _is_known(self, end: int, record: Record) -> bool:
        if self._known_to is not None:
            return end <= self._known_to
        if self._since is None:
            return True
        return (milliseconds(record.get("timestamp")) or 0) <= self._since

    def _records(self) -> Iterator[tuple[int, Record]]:
        """The records of the whole lines from here on, each with where it ends; the place moves along."""
        found = lines_of(self.path, self._start)
        if found is None:
            return
        self._place = end = found.start
        for line in found.lines:
            end += len(line) + 1
            record = record_of(line)
            if record is not None:  # no line that begins in its middle
                self._number += 1
                yield end, record
        self._place = found.end

    def _start(self, size: int) -> int:
        """Where the file is read on, which has this size."""
        if self._known_to is not None and self._known_to > size:
            self._known_to = None
        if self._place is not None and self._place <= size:
            return self._place
        self.conversation.clear()  # it is seen for the first time, or was written anew
        return (self._known_to or size) - TAIL


def _ends(call: ToolCall, seen: list[AnyObservation]) -> bool:
    return any(isinstance(each, ToolResult) and each.call_id == call.call_id for each in seen)


def origin_of(path: str | None) -> str | None:
    """Return the session that a rollout was forked from, if it was."""
    if path is None:
        return None
    try:
        with Path(path).open("rb") as file:
            record = record_of(file.readline(TAIL))
    except OSError:
        return None
    return string(mapping(mapping(record).get("payload")).get("forked_from_id"))
