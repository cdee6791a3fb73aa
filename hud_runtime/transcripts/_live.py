"""A transcript that grows, kept in a session."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

from hud_components import CODING, Domain
from hud_runtime._breaker import tried_again
from hud_runtime._errors import EventError, TranscriptError
from hud_runtime._limits import Limits
from hud_runtime._watched import WatchedWork, watched
from hud_runtime.log.events import Event, EventDraft, EventType
from hud_runtime.observe._observations import Problem
from hud_runtime.observe._reader import Reader
from hud_runtime.observe._tools import ToolTable
from hud_runtime.session import HudSession, HudStore
from hud_runtime.transcripts._format import Format, RecordReader
from hud_runtime.transcripts._source import Numbered, Source, is_record, open_source, parsed
from hud_runtime.transcripts._transcript import FileReading, Transcript, check_wanted, recognised
from ujsx.errors import quoted

# A transcript that may be written while it is read: what is new in it is told, and nothing is read twice.
#
# A file of lines is read on behind its last whole line. It is begun anew where it is another file than before:
# shorter, replaced, or with other bytes where it ended. Files that are written as a whole are read as a whole.

MARK = 256
"""Bytes at the beginning, and behind which the reading ended, by which a file is known again."""


class GrowingTranscript:
    r"""The events of a growing file so far; :meth:`look` reads what was added.

    :param path: the file, or a folder in a form that is read.
    :param session: the id of one, in a file that has several; the newest when None.
    :param watch: is told of the records that are read.
    :param domain: that of the session that it becomes.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
    ...     growing = GrowingTranscript(Path(file.name))
    ...     told = []
    ...     for ask in ("Add a login.", "Now add a logout, too."):
    ...         _ = [file.write('{"role": "user", "content": "' + ask + '"}\n') for _ in range(2)]
    ...         file.flush()
    ...         told.append(len(growing.look().drafts))
    >>> told
    [1, 3]
    """

    def __init__(
        self,
        path: Path,
        *,
        limits: Limits | None = None,
        table: ToolTable | None = None,
        session: str | None = None,
        watch: WatchedWork = watched,
        domain: Domain[Any, Any] = CODING,
    ) -> None:
        self.restarts = 0
        """How often the file turned out to be another one."""
        self.lines_read = 0
        """How many lines were read, all looks together."""
        self._path = path
        self._limits = limits or Limits.of_environment()
        self._table = table
        self._domain = domain
        self._session = session
        self._watch = watch
        self._told: RecordReader | None = None
        self._place = 0
        self._number = 0
        self._marks = (b"", b"")
        self._file: tuple[int, int] | None = None

    @property
    def reads_on(self) -> bool:
        """True if the next look begins where the last one ended."""
        return self._told is not None

    def look(self) -> Transcript:
        """Return what the file tells now.

        The last figure of a message that may go on is left out: it is not sure until the next one begins.

        :raises TranscriptError: for a file that is no transcript.
        """
        if self._told is None or self._is_another():
            self._begin()
        if self._told is not None:
            self._read_on(self._told)
        return self._reading.transcript(self._path, self._source, self._form, self._reason)

    def _begin(self) -> None:
        if self._file is not None:
            self.restarts += 1
        self._source: Source = open_source(self._path, self._limits, self._session)
        self._form: Format
        self._form, self._reason = recognised(self._source)
        self._reading = FileReading(
            estimates=self._form.estimates, table=self._table, domain=self._domain
        )
        self._told, self._file = None, None
        self._place = self._number = 0
        if self._source.kind == "lines" and self._form.begin is not None:
            self._source.problems.clear()  # of the lines that were looked at
            self._told = self._form.begin(self._source)
            return
        self._source.numbered = iter(self._watch(self._source.numbered, "reading messages"))
        for seen in self._form.observations(self._source):
            self._reading.take(seen)
        check_wanted(self._source)

    def _read_on(self, told: RecordReader) -> None:
        with self._path.open("rb") as file:
            status = os.fstat(file.fileno())
            self._file = (status.st_dev, status.st_ino)
            file.seek(self._place)
            for number, record in self._watch(
                self._source.counted(self._records(file)), "reading lines"
            ):
                for seen in told(number, record):
                    self._reading.take(seen)
            self._marks = self._marks_of(file)

    def _records(self, file: BinaryIO) -> Iterator[Numbered]:
        """Yield the records of the whole lines from here on; the place moves along."""
        problems = self._source.problems
        for number in count(self._number + 1):
            line = self._limits.line(file)
            if not line and line is not None:
                return
            if line is not None and not line.endswith(b"\n") and not is_record(line):
                return  # it is being written
            self._place, self._number = file.tell(), number
            self.lines_read += 1
            if line is None:
                problems.append(Problem(number, f"the line {self._limits.refusal('read')}"))
            elif (record := parsed(number, line, problems)) is not None:
                yield number, record

    def _is_another(self) -> bool:
        """Tell whether the file is not the one, grown, that was read."""
        try:
            with self._path.open("rb") as file:
                status = os.fstat(file.fileno())
                if (status.st_dev, status.st_ino) != self._file or status.st_size < self._place:
                    return True
                return self._marks_of(file) != self._marks
        except OSError:
            return True

    def _marks_of(self, file: BinaryIO) -> tuple[bytes, bytes]:
        """The bytes at the beginning, and those before the place, of what was read."""
        file.seek(0)
        first = file.read(min(MARK, self._place))
        file.seek(max(self._place - MARK, 0))
        return first, file.read(min(MARK, self._place))


# The share of a session's decisions and steps that its agent recorded itself.
#
# What a session shows is told by other tools: answered questions, approved plans, to-do lists. What the agent
# recorded is told by the calls of its HUD's tool. The two are compared by their words.

SHOWN: Mapping[EventType, tuple[str, frozenset[str]]] = MappingProxyType(
    {
        "decision.record": ("decision", frozenset({"decision.record", "note.add", "note.update"})),
        "step.add": ("step", frozenset({"step.add", "step.update", "step.complete"})),
    }
)
"""The events that show something to keep, what it is, and the events by which an agent keeps it."""

KINDS: tuple[str, ...] = tuple(dict.fromkeys(what for what, _ in SHOWN.values()))
"""What is shown, in the order in which it is told."""

ALIKE = 0.5
"""The share of the words of the shorter text that both have, from which on they say the same."""

_WORD = re.compile(r"[^\W_]{3,}")


@dataclass(frozen=True, slots=True)
class ShownItem:
    """A decision or a step that the session shows."""

    what: str
    """Which of the two: ``decision`` or ``step``."""

    text: str
    turn: int
    is_kept: bool
    """Whether the agent recorded it itself."""


@dataclass(frozen=True, slots=True)
class HudKeeping:
    """The contents of a session, and which of them the agent recorded itself."""

    shown: tuple[ShownItem, ...]
    recorded: int
    """How many events the agent recorded through its HUD's tool."""

    has_tool: bool
    """Whether it called that tool at all; where it never did, nobody knows whether it had it."""

    def of(self, what: str) -> tuple[ShownItem, ...]:
        """Return the decisions, or the steps."""
        return tuple(one for one in self.shown if one.what == what)


def keeping(
    path: str | Path, *, table: ToolTable | None = None, limits: Limits | None = None
) -> HudKeeping:
    r"""Return how well the agent of a transcript kept its HUD.

    :raises TranscriptError: for a file that is no transcript.

    >>> import json, tempfile
    >>> call = {"id": "1", "function": {"name": "ask_user", "arguments": '{"question": "Which store?"}'}}
    >>> with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    ...     messages = [{"role": "assistant", "tool_calls": [call]},
    ...         {"role": "tool", "tool_call_id": "1", "content": "SQLite"}]
    ...     json.dump(messages, file)
    ...     file.flush()
    ...     kept = keeping(file.name)
    >>> kept.has_tool, [(one.what, one.text, one.is_kept) for one in kept.shown]
    (False, [('decision', 'SQLite Which store?', False)])
    """
    source = open_source(Path(path), limits or Limits.of_environment())
    form, _ = recognised(source)
    reader = Reader(table, estimates=form.estimates)
    drafts = [draft for seen in form.observations(source) for draft in reader.feed(seen)]
    own = {id(draft) for draft in reader.recorded}
    kept = [(draft.type, _words(_text(draft))) for draft in reader.recorded]
    shown = [
        ShownItem(
            SHOWN[draft.type][0],
            _text(draft),
            draft.turn or 0,
            any(
                of in SHOWN[draft.type][1] and _are_alike(_words(_text(draft)), said)
                for of, said in kept
            ),
        )
        for draft in drafts
        if draft.type in SHOWN and id(draft) not in own
    ]
    return HudKeeping(tuple(shown), len(reader.recorded), reader.has_hud)


def _text(draft: EventDraft) -> str:
    return " ".join(_texts(draft.payload)).strip()


def _texts(payload: Mapping[str, object]) -> Iterator[str]:
    for name in ("summary", "description", "content", "details"):
        if isinstance(said := payload.get(name), str) and said:
            yield said


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    shorter = min(len(one), len(other))
    return shorter > 0 and len(one & other) >= ALIKE * shorter


CHILD = "/"
"""What stands between the ids of a session and of its sub-agent's."""

BATCH = 100
"""Events that are recorded between two words to who waits."""


@dataclass(frozen=True, slots=True)
class TranscriptUpdate:
    """The result of one look at a transcript."""

    session: HudSession[Any]
    transcript: Transcript
    events: int
    """How many events were recorded, beside the session's beginning."""
    problems: tuple[Problem, ...]
    """What could not be read, and what the session refused."""
    children: tuple[TranscriptUpdate, ...] = ()
    """The same of the sessions of its sub-agents."""


class LiveTranscript:
    """A transcript that is kept in a session of a store, also while it is being written.

    :param store: the store; the session is made where it is not there.
    :param path: the transcript.
    :param name: the session's id; the transcript's own when None.
    :param session: the id of one, in a file that has several; the newest when None.
    :param parent: the id of the session that this one was begun by.
    :raises TranscriptError: for a file that is no transcript.

    >>> import json, tempfile
    >>> with HudStore.open(":memory:") as store, tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    ...     json.dump([{"role": "user", "content": "Add a login."}], file)
    ...     file.flush()
    ...     live = LiveTranscript(store, file.name, name="s")
    ...     (live.update().events, live.update().events)
    (1, 0)
    """

    def __init__(
        self,
        store: HudStore[Any],
        path: str | Path,
        *,
        name: str | None = None,
        session: str | None = None,
        parent: str | None = None,
        limits: Limits | None = None,
        watch: WatchedWork = watched,
    ) -> None:
        self._store = store
        self._path = Path(path)
        self._name = name
        self._parent = parent
        self._limits = limits
        self._watch = watch
        self._growing = GrowingTranscript(
            self._path, limits=limits, session=session, watch=watch, domain=store.domain
        )
        self._begun = 0
        self._kept: dict[str, _SessionProgress] = {}
        self._files: dict[Path, LiveTranscript] = {}

    @property
    def lines_read(self) -> int:
        """The number of lines read so far, in all looks together."""
        return self._growing.lines_read

    @property
    def reads_on(self) -> bool:
        """True if the file is read on where it ended, and not as a whole whenever it changes: of formats in
        which a record can change what an earlier one told, and of files that are written as a whole, it is
        not. Known after the first look.
        """
        return self._growing.reads_on

    def update(self) -> TranscriptUpdate:
        """Record what is new in the file, and in the sessions of its sub-agents.

        Whoever else has recorded some of it meanwhile, such as another process that follows the same
        file, is noticed: nothing is recorded twice.

        :raises TranscriptError: for a file that is no transcript any more, or a session that has other
            events than the file tells.
        """
        transcript = self._growing.look()
        if self._growing.restarts != self._begun:
            self._begun = self._growing.restarts
            self._kept.clear()
        own = self._bring("", transcript)
        children = [
            self._bring(f"{CHILD}{one.session_id}", transcript) for one in transcript.children
        ]
        for path in child_files(self._path):
            if path not in self._files:
                name = f"{own.session.id}{CHILD}{path.stem}"
                self._files[path] = LiveTranscript(
                    self._store,
                    path,
                    name=name,
                    parent=own.session.id,
                    limits=self._limits,
                    watch=self._watch,
                )
            children.append(self._files[path].update())
        return replace(own, children=tuple(children))

    @tried_again
    def _bring(self, place: str, transcript: Transcript) -> TranscriptUpdate:
        """Record what is new of the session, or of the one of a sub-agent in the same file."""
        kept = self._kept.get(place)
        if kept is None:
            name = self._name or transcript.session_id
            parent = name if place else self._parent
            told = _at(place, transcript)
            session = self._store.session(
                f"{name}{place}", parent=parent, started_at=told.started_at
            )
            kept = self._kept[place] = _SessionProgress(session)
        told = _at(place, transcript)
        problems = list(told.problems)
        if kept.version and kept.done == len(told.drafts):
            return TranscriptUpdate(kept.session, told, 0, tuple(problems))

        def refused(draft: EventDraft, error: EventError) -> None:
            problems.append(Problem(None, f"turn {draft.turn or 0}: {error}"))

        session = kept.session
        with session.exclusive():
            before = session.version
            if before != kept.version:
                # Who was quicker may have seen more of the file: nobody can write to the session now.
                told = _at(place, self._growing.look())
                kept.done = self._recorded(session, told)
            new = told.drafts[kept.done :]
            for begin in self._watch(range(0, len(new), BATCH), "recording hundreds of events"):
                session.record_all(new[begin : begin + BATCH], refused=refused)
            version = session.version
        kept.done, kept.version = len(told.drafts), version
        return TranscriptUpdate(session, told, kept.version - before, tuple(problems))

    def _recorded(self, session: HudSession[Any], transcript: Transcript) -> int:
        """Return how many of the drafts the session has; raise where it has something else."""
        known = [_told(event) for event in session.events() if event.type != "session.start"]
        taken = 0
        with HudStore.open(":memory:", domain=session.domain) as scratch:
            copy = scratch.session(session.id, started_at=transcript.started_at)
            for number, draft in enumerate(transcript.drafts):
                if taken == len(known):
                    return number
                events = copy.record_all([draft], refused=_is_left_out)
                told = [_told(event) for event in events]
                if told != known[taken : taken + len(told)]:
                    break
                taken += len(told)
        if taken == len(known):
            return len(transcript.drafts)
        raise TranscriptError(
            f"session {quoted(session.id)} has other events than {self._path} tells, from its event"
            f" {taken + 2} on: the file is another one, was written anew, or was imported by a version that"
            f" read it otherwise; import it under another name (`--name`, or `name`)"
        )


@dataclass(slots=True)
class _SessionProgress:
    """The progress of a session."""

    session: HudSession[Any]
    done: int = 0
    version: int = 0


def _at(place: str, transcript: Transcript) -> Transcript:
    """The session's own transcript, or that of a sub-agent."""
    children = (one for one in transcript.children if f"{CHILD}{one.session_id}" == place)
    return next(children) if place else transcript


def child_files(path: Path) -> list[Path]:
    """Return the files of a session's sub-agents, which lie in a folder of its name."""
    folder = path.with_suffix("") / "subagents"
    return sorted(folder.glob("agent-*.jsonl")) if path.suffix == ".jsonl" else []


def _is_left_out(draft: EventDraft, error: EventError) -> None:
    """What a session refuses is told by who records it for good."""


def _told(event: Event) -> tuple[object, ...]:
    """What an event is known again by. How a summary is laid out differs between versions of this package."""
    return event.type, event.turn, None if event.type == "compact.after" else event.payload
