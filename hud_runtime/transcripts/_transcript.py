"""A transcript as a value, read as a whole or recorded in a session; and a growing one, recorded while it
is written.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import entry_points
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, BinaryIO

from hud_components import CODING, Domain
from hud_components.words import RequestMessage
from hud_runtime._breaker import tried_again
from hud_runtime._errors import EventError, TranscriptError
from hud_runtime._limits import Limits
from hud_runtime._progress import WatchedWork, progress
from hud_runtime.log.events import Event, EventDraft, EventType
from hud_runtime.observe import _observations as observed
from hud_runtime.observe._observations import mapping, string
from hud_runtime.observe._reader import Reader
from hud_runtime.observe._tools import ToolTable
from hud_runtime.session import HudSession, HudStore
from hud_runtime.transcripts import _source
from hud_runtime.transcripts._source import Numbered, Source
from hud_runtime.transcripts.formats import (
    Format,
    RecordReader,
    _claude_code,
    _codex,
    _editors,
    _gemini,
    _messages,
    _opencode,
    _streams,
    _trajectories,
)
from ujsx.calls import resolving
from ujsx.errors import listed, quoted
from ujsx.text import one_line, visible
from ujsx.tokens import CalibratedCounter, estimate_tokens

if TYPE_CHECKING:
    from hud_runtime.context.delivery import TurnWords


# The known formats: those of installed packages first, then ours, the more specific ones first.

GROUP = "ujsx.transcripts"
"""The group of entry points with which a package adds formats: each is a :class:`Format`."""

FORMATS: tuple[Format, ...] = (
    _codex.ROLLOUT,
    _codex.EXEC,
    *_streams.FORMATS,
    _streams.COPILOT,
    _opencode.FORMAT,
    _gemini.FORMAT,
    _trajectories.OPENHANDS,
    _trajectories.OPENHANDS_V1,
    _trajectories.ATIF,
    _trajectories.INSPECT,
    _claude_code.FORMAT,
    _trajectories.MINI_SWE_AGENT,
    _trajectories.SWE_AGENT,
    _editors.AIDER,
    *_messages.SDKS,
    _editors.CLINE_UI,
    _editors.CLINE,
    _messages.RESPONSES,
    _messages.LINES,
    _messages.CHAT,
)
"""Our formats; the first that recognizes a file reads it."""


@cache
def installed() -> tuple[Format, ...]:
    """Return the formats of other packages.

    Raises :class:`TranscriptError` for an entry point that cannot be loaded, or is not a format.
    """
    found: list[Format] = []
    for point in entry_points(group=GROUP):
        try:
            form = point.load()
        except Exception as error:  # a package's module may raise anything
            raise TranscriptError(
                f"the format {point.name} of {point.value} cannot be loaded: {error}; remove the package, or repair it"
            ) from error
        if not isinstance(form, Format):
            raise TranscriptError(
                f"the entry point {point.name} of the group {GROUP} is not a Format, but {type(form).__name__}"
            )
        found.append(form)
    return tuple(found)


def all_formats() -> tuple[Format, ...]:
    """Return all known formats, in the order in which they are tried."""
    return (*installed(), *FORMATS)


OTHERS_SHOWN = 10
"""Maximum other sessions of a file that are named."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """The session in a file. Iterating it yields the drafts of its events."""

    path: Path
    format: str
    """The name of its format."""
    drafts: tuple[EventDraft, ...]
    turns: int
    """The number of the agent's messages."""
    problems: tuple[observed.Problem, ...]
    """Lines that could not be read, and calls that could not be parsed, each with its line."""
    skipped: Mapping[str, int]
    """The number of records without meaning for the session's state, by kind."""
    records: int = 0
    """The number of records; a message counts as its parts."""
    unread: Mapping[str, int] = field(default_factory=dict[str, int])
    """The number of records by unknown kind, the most frequent first."""
    reason: str = ""
    """The reason why the file is read in that format."""
    session_id: str = ""
    """The session's id when it was recorded; the file's name if there is none."""
    calls: int = 0
    """The number of tool calls."""
    unknown: Mapping[str, int] = field(default_factory=dict[str, int])
    """The number of calls of unknown tools, by name; these become no events."""
    children: tuple[Transcript, ...] = ()
    """The sessions of sub-agents in the same file."""
    others: Mapping[str, str] = field(default_factory=dict[str, str])
    """Other sessions in the same file: their titles by id."""
    calibration: CalibratedCounter | None = None
    """The token estimate, corrected by the host's figures; None if the host reported too few."""

    @property
    def started_at(self) -> int | None:
        """The time of its first event, in milliseconds since the epoch, if known."""
        return next((one.timestamp for one in self.drafts if one.timestamp is not None), None)

    @property
    def understood(self) -> float:
        """The share of its records that the format knows, from 0 to 1.

        >>> Transcript(Path("x"), "chat", (), 1, (), {}, records=120, unread={"foo": 14, "bar": 6}).understood
        0.8333333333333334
        """
        return 1 - min(1.0, sum(self.unread.values()) / max(1, self.records))

    @property
    def not_understood(self) -> str:
        """The unknown kinds of records, and the unknown tools, in a line; empty for none.

        >>> found = Transcript(
        ...     Path("x"), "chat", (), 1, (), {},
        ...     records=120, unread={"foo": 14, "bar": 6}, unknown={"browser_click": 3},
        ... )  # fmt: skip
        >>> found.not_understood
        'understood 83 % of 120 records; not understood: 14 × foo, 6 × bar; 3 tool calls not understood: browser_click'
        """
        said: list[str] = []
        if self.unread:
            # Rounded down: a remainder of unknown records is never shown as 0 %.
            kinds = listed(
                [f"{count:,} × {visible(one_line(kind))}" for kind, count in self.unread.items()]
            )
            share = math.floor(100 * self.understood)
            said.append(
                f"understood {share} % of {self.records:,} records; not understood: {kinds}"
            )
        if self.unknown:
            count = sum(self.unknown.values())
            names = listed(sorted(self.unknown, key=lambda name: (-self.unknown[name], name)))
            said.append(f"{count} tool call{'s' if count != 1 else ''} not understood: {names}")
        return "; ".join(said)

    @property
    def other_sessions(self) -> str:
        """The other sessions in the file, in a line; empty for none.

        >>> Transcript(Path("x"), "OpenCode", (), 1, (), {}, others={"ses_2": "Fix the login"}).other_sessions
        '1 other session in it: ses_2 (Fix the login)'
        """
        if not self.others:
            return ""
        count = len(self.others)
        told = [f"{name} ({title})" if title else name for name, title in self.others.items()]
        shown = ", ".join(visible(one) for one in told[:OTHERS_SHOWN])
        more = f", and {count - OTHERS_SHOWN} more" if count > OTHERS_SHOWN else ""
        return f"{count} other session{'s' if count != 1 else ''} in it: {shown}{more}"

    def __iter__(self) -> Iterator[EventDraft]:
        return iter(self.drafts)

    def __len__(self) -> int:
        return len(self.drafts)


def recognised(source: Source) -> tuple[Format, str]:
    """Return the format of a file, and the reason; from here on, the format's tables count its records.

    Raises :class:`TranscriptError` for a file in no known format, with its description and advice.
    """
    for form in all_formats():
        reason = form.recognises(source)
        if reason is not None:
            source.quiet = form.quiet
            return form, reason
    path = source.path
    _source.refuse_exported(path, source.first)
    words = _source.refusal(source)
    if words is not None:
        raise TranscriptError(f"{path} is {words}")
    if source.kind == "folder":
        raise TranscriptError(f"{path} is a folder; name a file in it")
    names = ", ".join(form.name for form in all_formats())
    if source.kind == "value" and mapping(source.value) and len(mapping(source.value)) < 200:
        raise TranscriptError(
            f"{path} is not a transcript in a known format: it has no list of messages, neither itself nor as"
            f" history or messages; known formats: {names}"
        )
    if source.kind == "text" and (words := _before_json(source.text)):
        raise TranscriptError(
            f"{path} is JSON after other text ({quoted(words)}): delete the text before the JSON"
        )
    raise TranscriptError(f"{path} is not a transcript in a known format; known formats: {names}")


def _before_json(text: str) -> str:
    """The words before a JSON value at the end of a text; empty for none."""
    start = min((place for mark in "{[" if (place := text.find(mark)) > 0), default=0)
    words = " ".join(text[:start].split())
    return words[:80] if start and _source.record_of(text[start:].encode()) is not None else ""


def check_wanted(source: Source) -> None:
    """Refuse a requested session that the file lacks.

    :raises TranscriptError: with the existing sessions.
    """
    wanted = source.wanted
    if wanted is None or wanted == _source.session_id_in(source):
        return
    there = [_source.session_id_in(source), *source.others]
    raise TranscriptError(
        f"{source.path} has no session {quoted(wanted)}; it has {listed(there[:OTHERS_SHOWN])}"
    )


# A file's observations, read into drafts of the session, and of its sub-agents' sessions.


class FileReading:
    """The part of a file that was read.

    :param estimates: whether to estimate the context's size.
    :param options: options of :class:`~hud_runtime.observe.Reader`: a table, a limit, a domain.
    """

    def __init__(self, *, estimates: bool, **options: Any) -> None:
        self.drafts: list[EventDraft] = []
        self.reader = Reader(estimates=estimates, **options)
        self._children: dict[str, FileReading] = {}
        self._options = options

    def take(self, seen: observed.AnyObservation) -> None:
        """Read one more observation."""
        if not isinstance(seen, observed.OfChild):
            self.drafts.extend(self.reader.feed(seen))
            return
        child = self._children.get(seen.child)
        if child is None:
            child = self._children[seen.child] = FileReading(estimates=False, **self._options)
        child.take(seen.seen)

    def finish(self) -> None:
        """Complete the last messages."""
        self.drafts.extend(self.reader.finish())
        for child in self._children.values():
            child.finish()

    def transcript(
        self, path: Path, source: Source, form: Format, reason: str, child: str = ""
    ) -> Transcript:
        """Return the result as a transcript.

        :param child: the id of its sub-agent; empty for the session itself.
        """
        reader = self.reader
        problems = (*source.problems, *reader.problems)
        nothing = Source(path, source.kind)  # its records are counted for the session
        return Transcript(
            path=path,
            format=form.name,
            drafts=tuple(self.drafts),
            turns=reader.turn,
            problems=tuple(sorted(problems, key=lambda one: one.line or 0)),
            skipped=MappingProxyType(dict(sorted((source.skipped + reader.skipped).items()))),
            records=source.seen,
            unread=MappingProxyType(dict(source.unread.most_common())),
            reason=reason,
            calls=reader.calls,
            session_id=child or _source.session_id_in(source),
            unknown=MappingProxyType(dict(reader.unknown)),
            children=tuple(
                each.transcript(path, nothing, form, reason, name)
                for name, each in self._children.items()
            ),
            others=MappingProxyType(dict(source.others)),
            calibration=reader.calibration,
        )


# A transcript read as a whole.

ABOUT: Mapping[EventType, str] = {
    "context.snapshot": "figures of the context",
    "fact.set": "facts of the repository",
}
"""Events from records about a session: a file with no others has nothing of it."""


def read_transcript(
    path: str | Path,
    *,
    table: ToolTable | None = None,
    limit: int | None = None,
    limits: Limits | None = None,
    session: str | None = None,
    domain: Domain[Any, Any] = CODING,
) -> Transcript:
    """Read a session's transcript.

    The documentation lists the known formats; a package can add others. ``table`` has the meaning of tools.
    ``limit`` is the size of the context in tokens; by default that of the model. ``limits`` bound what is
    read at once; by default those of the environment. ``session`` is a session's id, in a file with several;
    by default the newest. ``domain`` is the domain of the resulting session, which determines its memory.

    Raises :class:`TranscriptError` for a file that is not a transcript, is in no known format, or has no
    known content.

    >>> import json, tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    ...     json.dump([{"role": "user", "content": "Add a login."}], file)
    ...     file.flush()
    ...     transcript = read_transcript(file.name)
    >>> [(draft.type, draft.payload) for draft in transcript]
    [('task.set', {'description': 'Add a login.'})]
    """
    path = Path(path)
    source = _source.open_source(path, limits or Limits.of_environment(), session)
    form, reason = recognised(source)
    reading = FileReading(estimates=form.estimates, table=table, limit=limit, domain=domain)
    for seen in form.observations(source):
        reading.take(seen)
    check_wanted(source)
    reading.finish()
    transcript = reading.transcript(path, source, form, reason)
    about = Counter(ABOUT[each.type] for each in transcript.drafts if each.type in ABOUT)
    counts = {**transcript.unread, **transcript.skipped, **about}
    is_said = about.total() < len(transcript.drafts) or transcript.turns or transcript.children
    if counts and not is_said:
        kinds = listed([f"{count} {visible(one_line(kind))}" for kind, count in counts.items()])
        raise TranscriptError(
            f"{path} was recognized as {form.name} ({reason}), but it has no message that is understood: {kinds}"
        )
    return transcript


def turn_words(path: str | Path, session: str | None = None) -> dict[int, TurnWords]:
    """Return the words that each turn of a transcript adds to the conversation, by turn.

    :param session: a session's id, in a file with several; by default the newest.
    :raises TranscriptError: for a file that is not a transcript.

    >>> import json, tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    ...     json.dump([{"role": "user", "content": "Add a login."}], file)
    ...     file.flush()
    ...     turn_words(file.name)[0].messages
    (RequestMessage(text='Add a login.', is_answer=False, shown=''),)
    """
    from hud_runtime.context.delivery import TurnWords

    source = _source.open_source(Path(path), Limits.of_environment(), session)
    form, _ = recognised(source)
    reader = Reader()
    found: dict[int, TurnWords] = {}
    for seen in form.observations(source):
        if isinstance(seen, observed.OfChild):
            continue
        for _draft in reader.feed(seen):
            pass  # only its turns are counted
        if isinstance(seen, observed.Compacted):
            found[reader.turn] = TurnWords(begins=True)
        message = _message_of(seen)
        text = f"{message.text}{message.shown}"
        if not text:
            continue
        tokens, messages, begins = found.get(reader.turn, TurnWords())
        found[reader.turn] = TurnWords(tokens + estimate_tokens(text), (*messages, message), begins)
    return found


def _message_of(seen: observed.AnyObservation) -> RequestMessage:
    """The words of an observation that the model reads, as a message of the request; empty for none."""
    match seen:
        case observed.UserMessage() | observed.AgentMessage():
            return RequestMessage(seen.text, isinstance(seen, observed.AgentMessage))
        case observed.Compacted():
            return RequestMessage(seen.summary)
        case observed.ToolAnswer(is_read=True) | observed.Background():
            return RequestMessage("", shown=seen.text)
        case observed.ToolCall(in_text=False):
            told = json.dumps(dict(seen.arguments), ensure_ascii=False, default=str)
            return RequestMessage("", is_answer=True, shown=told)
        case _:
            return RequestMessage("")


# Recording a transcript in a session, as if its events happened there.


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of replaying a transcript."""

    events: tuple[Event, ...]
    """The events in the log."""
    problems: tuple[observed.Problem, ...]
    """Unreadable records, and drafts that the session refused."""


@resolving(write='write replay("session.jsonl", store.session("s-1"))')
def replay(source: str | Path | Iterable[EventDraft], session: HudSession[Any]) -> Replay:
    """Record a transcript, or any drafts, in one transaction.

    A draft that the session refuses, such as the removal of a missing note, is omitted and reported as a
    problem.

    Raises :class:`TranscriptError` for a file that is not a transcript.

    >>> from hud_runtime import EventDraft, HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     done = replay([EventDraft("note.remove", {"id": "n-1"})], store.session("s"))
    >>> print(done.problems[0])
    turn 0: note.remove: there is no "n-1" in notes; there are none
    """
    drafts = read_transcript(source) if isinstance(source, (str, Path)) else source
    problems = list(drafts.problems) if isinstance(drafts, Transcript) else []

    def refused(draft: EventDraft, error: EventError) -> None:
        problems.append(observed.Problem(None, f"turn {draft.turn or 0}: {error}"))

    return Replay(session.record_all(drafts, refused=refused), tuple(problems))


# A transcript that may be written while it is read: additions are reported, and nothing is read
# twice. A file of lines is read from the end of its last whole line. It is read again from the
# start if it was replaced: if it is shorter, another file, or has other bytes at that position.
# Files that are written as a whole are read as a whole.

MARK = 256
"""The number of bytes, at the start and before the end of the read part, that identify a file."""


class GrowingTranscript:
    r"""The events of a growing file so far; :meth:`look` reads what was added.

    :param path: the file, or a folder in a known format.
    :param session: a session's id, in a file with several; None for the newest.
    :param watch: receives the records.
    :param domain: the domain of the resulting session.

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
        watch: WatchedWork = progress,
        domain: Domain[Any, Any] = CODING,
    ) -> None:
        self.restarts = 0
        """How often the file was replaced."""
        self.lines_read = 0
        """The number of lines that all looks have read."""
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
        """True if the next look continues at the end of the last one."""
        return self._told is not None

    def look(self) -> Transcript:
        """Return the file's current transcript.

        The last figure of an unfinished message is left out: it is final only once the next message begins.

        :raises TranscriptError: for a file that is not a transcript.
        """
        if self._told is None or self._is_another():
            self._begin()
        if self._told is not None:
            self._read_on(self._told)
        return self._reading.transcript(self._path, self._source, self._form, self._reason)

    def _begin(self) -> None:
        if self._file is not None:
            self.restarts += 1
        self._source: Source = _source.open_source(self._path, self._limits, self._session)
        self._form: Format
        self._form, self._reason = recognised(self._source)
        self._reading = FileReading(
            estimates=self._form.estimates, table=self._table, domain=self._domain
        )
        self._told, self._file = None, None
        self._place = self._number = 0
        if self._source.kind == "lines" and self._form.begin is not None:
            self._source.problems.clear()  # of the lines that were examined for the format
            self._source.numbered = iter(())  # their file is closed with them
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
        """Yield the records of the whole lines from here on; the position advances."""
        problems = self._source.problems
        for number in count(self._number + 1):
            line = self._limits.line(file)
            if not line and line is not None:
                return
            if line is not None and not line.endswith(b"\n") and _source.record_of(line) is None:
                return  # it is being written
            self._place, self._number = file.tell(), number
            self.lines_read += 1
            if line is None:
                problems.append(
                    observed.Problem(number, f"the line {self._limits.refusal('read')}")
                )
            elif (record := _source.parsed(number, line, problems)) is not None:
                yield number, record

    def _is_another(self) -> bool:
        """Return whether the file was replaced, and did not just grow."""
        try:
            with self._path.open("rb") as file:
                status = os.fstat(file.fileno())
                if (status.st_dev, status.st_ino) != self._file or status.st_size < self._place:
                    return True
                return self._marks_of(file) != self._marks
        except OSError:
            return True

    def _marks_of(self, file: BinaryIO) -> tuple[bytes, bytes]:
        """The bytes at the start and at the end of the read part."""
        file.seek(0)
        first = file.read(min(MARK, self._place))
        file.seek(max(self._place - MARK, 0))
        return first, file.read(min(MARK, self._place))


# The share of a session's decisions and steps that its agent recorded itself. Other tools reveal a
# session's decisions and steps: answered questions, approved plans, to-do lists. The calls of the
# HUD's tool have what the agent recorded. The two are compared by their words.

SHOWN: Mapping[EventType, tuple[str, frozenset[str]]] = MappingProxyType(
    {
        "decision.record": ("decision", frozenset({"decision.record", "note.add", "note.update"})),
        "step.add": ("step", frozenset({"step.add", "step.update", "step.complete"})),
    }
)
"""The events that reveal a decision or a step, its kind, and the events with which an agent records it."""

KINDS: tuple[str, ...] = tuple(dict.fromkeys(what for what, _ in SHOWN.values()))
"""The kinds, in the order in which they are reported."""

ALIKE = 0.5
"""The minimum share of common words, of the shorter text, at which two texts count as equal."""

_WORD = re.compile(r"[^\W_]{3,}")


@dataclass(frozen=True, slots=True)
class ShownItem:
    """A decision or a step that the session reveals."""

    what: str
    """The kind: ``decision`` or ``step``."""

    text: str
    turn: int
    is_kept: bool
    """True if the agent recorded it itself."""


@dataclass(frozen=True, slots=True)
class HudKeeping:
    """The decisions and steps of a session, and whether the agent recorded each itself."""

    shown: tuple[ShownItem, ...]
    recorded: int
    """The number of events that the agent recorded with its HUD's tool."""

    has_tool: bool
    """True if it called that tool at all; if it never did, it may not have had the tool."""

    def of(self, what: str) -> tuple[ShownItem, ...]:
        """Return the decisions, or the steps."""
        return tuple(one for one in self.shown if one.what == what)


def keeping(
    path: str | Path, *, table: ToolTable | None = None, limits: Limits | None = None
) -> HudKeeping:
    r"""Return the share of a transcript's decisions and steps that its agent recorded.

    :raises TranscriptError: for a file that is not a transcript.

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
    source = _source.open_source(Path(path), limits or Limits.of_environment())
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
    names = ("summary", "description", "content", "details")
    return " ".join(filter(None, (string(draft.payload.get(name)) for name in names))).strip()


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    shorter = min(len(one), len(other))
    return shorter > 0 and len(one & other) >= ALIKE * shorter


CHILD = "/"
"""The separator between the ids of a session and its sub-agent's."""

BATCH = 100
"""The number of events that are recorded between two reports of progress."""


@dataclass(frozen=True, slots=True)
class TranscriptUpdate:
    """The result of one look at a transcript."""

    session: HudSession[Any]
    transcript: Transcript
    events: int
    """The number of recorded events, without the session's start."""
    problems: tuple[observed.Problem, ...]
    """Unreadable records, and drafts that the session refused."""
    children: tuple[TranscriptUpdate, ...] = ()
    """The results for its sub-agents' sessions."""


class LiveTranscript:
    """A transcript that is recorded in a session of a store, even while it is being written.

    :param store: the store; a missing session is created.
    :param path: the transcript.
    :param name: the session's id; None for the transcript's own.
    :param session: a session's id, in a file with several; None for the newest.
    :param parent: the id of the parent session.
    :raises TranscriptError: for a file that is not a transcript.

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
        watch: WatchedWork = progress,
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
        """The number of lines that all looks have read so far."""
        return self._growing.lines_read

    @property
    def reads_on(self) -> bool:
        """True if the file is read from its last position, and not as a whole whenever it changes. False
        for formats whose records can change earlier ones, and for files that are written as a whole.
        Known after the first look.
        """
        return self._growing.reads_on

    def update(self) -> TranscriptUpdate:
        """Record the additions of the file, and of its sub-agents' sessions.

        If another process follows the same file, its events are recognized: nothing is recorded twice.

        :raises TranscriptError: for a file that is no longer a transcript, or a session with other events
            than the file.
        """
        transcript = self._growing.look()
        if self._growing.restarts != self._begun:
            self._begun = self._growing.restarts
            self._kept.clear()
        own = self._bring("", transcript)
        files = child_files(self._path)
        own_files = {path.stem for path in files}  # these are not recorded twice
        children = [
            self._bring(f"{CHILD}{one.session_id}", transcript)
            for one in transcript.children
            if one.session_id not in own_files
        ]
        for path in files:
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
        """Record the additions of the session, or of a sub-agent in the same file."""
        told = _at(place, transcript)
        kept = self._kept.get(place)
        if kept is None:
            name = self._name or transcript.session_id
            parent = name if place else self._parent
            session = self._store.session(
                f"{name}{place}", parent=parent, started_at=told.started_at
            )
            kept = self._kept[place] = _SessionProgress(session)
        problems = list(told.problems)
        if kept.version and kept.done == len(told.drafts):
            return TranscriptUpdate(kept.session, told, 0, tuple(problems))

        def refused(draft: EventDraft, error: EventError) -> None:
            problems.append(observed.Problem(None, f"turn {draft.turn or 0}: {error}"))

        session = kept.session
        with session.exclusive():
            before = session.version
            if before != kept.version:
                # A faster process may have seen more of the file: nobody can write to the session
                # now.
                told = _at(place, self._growing.look())
                kept.done = self._recorded(session, told)
            new = told.drafts[kept.done :]
            for begin in self._watch(range(0, len(new), BATCH), "recording hundreds of events"):
                session.record_all(new[begin : begin + BATCH], refused=refused)
            version = session.version
        kept.done, kept.version = len(told.drafts), version
        return TranscriptUpdate(session, told, kept.version - before, tuple(problems))

    def _recorded(self, session: HudSession[Any], transcript: Transcript) -> int:
        """Return the number of drafts that the session already has; raise if it has other events."""
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
                    if draft.type == "fact.set":
                        continue  # an earlier version did not tell of it
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
    """Return the files of a session's sub-agents, in a folder of its name."""
    folder = path.with_suffix("") / "subagents"
    return sorted(folder.glob("agent-*.jsonl")) if path.suffix == ".jsonl" else []


def _is_left_out(draft: EventDraft, error: EventError) -> None:
    """Ignore a refused draft here: the final recording reports it."""


def _told(event: Event) -> tuple[object, ...]:
    """The identity of an event. Versions of this package lay out summaries differently."""
    return event.type, event.turn, None if event.type == "compact.after" else event.payload
