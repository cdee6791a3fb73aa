"""A transcript as a value: read as a whole, or recorded in a session."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from hud_components import CODING, Domain
from hud_components.words import RequestMessage
from hud_runtime._errors import EventError, TranscriptError
from hud_runtime._limits import Limits
from hud_runtime.log.events import Event, EventDraft
from hud_runtime.observe._asks import TASK_MARKERS, TaskMarker
from hud_runtime.observe._observations import (
    AgentMessage,
    AnyObservation,
    Background,
    Compacted,
    OfChild,
    Problem,
    ToolAnswer,
    ToolCall,
    UserMessage,
    mapping,
)
from hud_runtime.observe._reader import Reader
from hud_runtime.observe._tools import ToolTable
from hud_runtime.session import HudSession
from hud_runtime.transcripts._format import Format
from hud_runtime.transcripts._source import (
    HISTORIES,
    Source,
    open_source,
    record_of,
    refusal,
    refuse_exported,
    session_id_in,
)
from hud_runtime.transcripts.formats import (
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
from ujsx.tokens import Calibrated, estimate_tokens

if TYPE_CHECKING:
    from hud_runtime.context.delivery import TurnWords

# The formats that are known: those of installed packages first, then ours, the more particular ones before.

GROUP = "ujsx.transcripts"
"""The entry points with which a package adds formats: each is a :class:`Format`."""

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
    _messages.PYDANTIC_AI,
    _messages.LANGCHAIN,
    _messages.VERCEL,
    _messages.BEDROCK,
    _messages.GEMINI,
    _editors.CLINE_UI,
    _editors.CLINE,
    _messages.RESPONSES,
    _messages.LINES,
    _messages.CHAT,
)
"""Ours; the first that recognises a file reads it."""


@cache
def installed() -> tuple[Format, ...]:
    """Return the formats that other packages add.

    Raises :class:`TranscriptError` for an entry point that cannot be loaded, or is no format.
    """
    found: list[Format] = []
    for point in entry_points(group=GROUP):
        try:
            form = point.load()
        except Exception as error:  # what a package's module raises may be anything
            raise TranscriptError(
                f"the format {point.name} of {point.value} cannot be loaded: {error}; remove the package, or"
                " mend it"
            ) from error
        if not isinstance(form, Format):
            raise TranscriptError(
                f"the entry point {point.name} of the group {GROUP} is not a Format, but {type(form).__name__}"
            )
        found.append(form)
    return tuple(found)


def all_formats() -> tuple[Format, ...]:
    """Return all formats that are known, in the order in which they are asked."""
    return (*installed(), *FORMATS)


OTHERS_SHOWN = 10
"""How many other sessions of a file are named."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """The session in a file. Iterating it yields the drafts of its events."""

    path: Path
    format: str
    """The name of the format it is in."""
    drafts: tuple[EventDraft, ...]
    turns: int
    """How many messages the agent has written."""
    problems: tuple[Problem, ...]
    """Lines that could not be read, and calls that made no sense, each with its line."""
    skipped: Mapping[str, int]
    """How many records of which kind tell nothing of the session's state."""
    records: int = 0
    """The number of records; a message counts as its parts."""
    unread: Mapping[str, int] = field(default_factory=dict[str, int])
    """The number of records of each kind that the format does not know, the most frequent first."""
    reason: str = ""
    """Why the file is taken to be of that format."""
    session_id: str = ""
    """The id that the session has where it was recorded; the file's name where none is told."""
    calls: int = 0
    """How many calls of tools there are."""
    unknown: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many calls there are of which tool that is not known, so that nothing is made of them."""
    children: tuple[Transcript, ...] = ()
    """The sessions of sub-agents that stand in the same file."""
    others: Mapping[str, str] = field(default_factory=dict[str, str])
    """Other sessions in the same file, by their ids, with what they are called."""
    calibration: Calibrated | None = None
    """The estimate of tokens, corrected by the figures that the host reported; None where it reported too little."""

    @property
    def started_at(self) -> int | None:
        """The time of its first event, in milliseconds since the epoch, if it says so."""
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
        """The kinds of records, and the tools, that are not known, in a line; empty for none.

        >>> found = Transcript(
        ...     Path("x"), "chat", (), 1, (), {},
        ...     records=120, unread={"foo": 14, "bar": 6}, unknown={"browser_click": 3},
        ... )  # fmt: skip
        >>> found.not_understood
        'understood 83 % of 120 records; not understood: 14 × foo, 6 × bar; 3 tool calls not understood: browser_click'
        """
        said: list[str] = []
        if self.unread:
            # Rounded down: what is not understood is never 0 %.
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
    """Return the format of a file, and why it is taken to be of it; from here on the file is counted by its tables.

    Raises :class:`TranscriptError` for one that is in none, with what it is and what to do.
    """
    for form in all_formats():
        reason = form.recognises(source)
        if reason is not None:
            source.quiet = form.quiet
            return form, reason
    path = source.path
    refuse_exported(path, source.first)
    words = refusal(source)
    if words is not None:
        raise TranscriptError(f"{path} is {words}")
    if source.kind == "folder":
        raise TranscriptError(f"{path} is a folder; name a file in it")
    names = ", ".join(form.name for form in all_formats())
    if source.kind == "value" and mapping(source.value) and len(mapping(source.value)) < 200:
        raise TranscriptError(
            f"{path} is not a transcript in a known format: it has no list of messages, neither itself nor as"
            f" {' or '.join(HISTORIES)}; known formats: {names}"
        )
    if source.kind == "text" and (words := _before_json(source.text)):
        raise TranscriptError(
            f"{path} is JSON behind other words ({quoted(words)}): delete what stands before the JSON"
        )
    raise TranscriptError(f"{path} is not a transcript in a known format; known formats: {names}")


def _before_json(text: str) -> str:
    """The words before a JSON value that a text ends with; empty where there is none."""
    start = min((place for mark in "{[" if (place := text.find(mark)) > 0), default=0)
    words = " ".join(text[:start].split())
    return words[:80] if start and record_of(text[start:].encode()) is not None else ""


def check_wanted(source: Source) -> None:
    """Refuse a session that was asked for, and that a file has not.

    :raises TranscriptError: with the sessions that there are.
    """
    wanted = source.wanted
    if wanted is None or wanted == session_id_in(source):
        return
    there = [session_id_in(source), *source.others]
    raise TranscriptError(
        f"{source.path} has no session {quoted(wanted)}; it has {listed(there[:OTHERS_SHOWN])}"
    )


# A file's observations read: into the session's own drafts, and into those of its sub-agents.


class FileReading:
    """The part of a file that has been read.

    :param estimates: whether nobody tells the context's size.
    :param options: those of :class:`~hud_runtime.observe.Reader`: a table, markers, a limit, a domain.
    """

    def __init__(self, *, estimates: bool, **options: Any) -> None:
        self.drafts: list[EventDraft] = []
        self.reader = Reader(estimates=estimates, **options)
        self._children: dict[str, FileReading] = {}
        self._options = options

    def take(self, seen: AnyObservation) -> None:
        """Read one more observation."""
        if not isinstance(seen, OfChild):
            self.drafts.extend(self.reader.feed(seen))
            return
        child = self._children.get(seen.child)
        if child is None:
            child = self._children[seen.child] = FileReading(estimates=False, **self._options)
        child.take(seen.seen)

    def finish(self) -> None:
        """Take the last messages as complete."""
        self.drafts.extend(self.reader.finish())
        for child in self._children.values():
            child.finish()

    def transcript(
        self, path: Path, source: Source, form: Format, reason: str, child: str = ""
    ) -> Transcript:
        """Return what was read, as a value.

        :param child: the id of the sub-agent that this is; empty for the session itself.
        """
        reader = self.reader
        problems = (*source.problems, *reader.problems)
        nothing = Source(path, source.kind)  # its records are the session's
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
            session_id=child or session_id_in(source),
            unknown=MappingProxyType(dict(reader.unknown)),
            children=tuple(
                each.transcript(path, nothing, form, reason, name)
                for name, each in self._children.items()
            ),
            others=MappingProxyType(dict(source.others)),
            calibration=reader.calibration,
        )


# A transcript read as a whole.


def read_transcript(
    path: str | Path,
    *,
    table: ToolTable | None = None,
    markers: tuple[TaskMarker, ...] = TASK_MARKERS,
    limit: int | None = None,
    limits: Limits | None = None,
    is_whole: bool = True,
    session: str | None = None,
    domain: Domain[Any, Any] = CODING,
) -> Transcript:
    """Read a session's transcript.

    The formats that are known stand in the documentation; a package can add others. ``table`` and
    ``markers`` say what tools and prompts mean; ``limit`` is the size of the context in tokens, which else
    follows from the model. ``limits`` say how much is read at once: those of the environment when they are not
    given. ``is_whole`` says that the file is not being written any more, so that its last message is complete.
    ``session`` is the id of one, in a file that has several; else the newest is read. ``domain``
    is that of the session that it becomes: what is remembered goes by that.

    Raises :class:`TranscriptError` for a file that is no transcript, is in no format that is read, or says nothing
    that is understood.

    >>> import json, tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    ...     json.dump([{"role": "user", "content": "Add a login."}], file)
    ...     file.flush()
    ...     transcript = read_transcript(file.name)
    >>> [(draft.type, draft.payload) for draft in transcript]
    [('task.set', {'description': 'Add a login.'})]
    """
    path = Path(path)
    source = open_source(path, limits or Limits.of_environment(), session)
    form, reason = recognised(source)
    reading = FileReading(
        estimates=form.estimates, table=table, markers=markers, limit=limit, domain=domain
    )
    for seen in form.observations(source):
        reading.take(seen)
    check_wanted(source)
    if not is_whole:
        return reading.transcript(path, source, form, reason)
    reading.finish()
    transcript = reading.transcript(path, source, form, reason)
    counts = {**transcript.unread, **transcript.skipped}
    if counts and not (transcript.drafts or transcript.turns or transcript.children):
        kinds = listed([f"{count} {visible(one_line(kind))}" for kind, count in counts.items()])
        raise TranscriptError(
            f"{path} is taken for {form.name} ({reason}), and nothing that it says is understood: {kinds}"
        )
    return transcript


def turn_words(path: str | Path, session: str | None = None) -> dict[int, TurnWords]:
    """Return what each turn of a transcript adds to the conversation, by the turn.

    :param session: the id of one, in a file that has several; else the newest is read.
    :raises TranscriptError: for a file that is no transcript.

    >>> import json, tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    ...     json.dump([{"role": "user", "content": "Add a login."}], file)
    ...     file.flush()
    ...     turn_words(file.name)[0].messages
    (RequestMessage(text='Add a login.', is_answer=False, shown=''),)
    """
    from hud_runtime.context.delivery import TurnWords

    source = open_source(Path(path), Limits.of_environment(), session)
    form, _ = recognised(source)
    reader = Reader()
    found: dict[int, TurnWords] = {}
    for seen in form.observations(source):
        if isinstance(seen, OfChild):
            continue
        for _draft in reader.feed(seen):
            pass  # what it means counts the turns
        text, is_said = _text_of(seen)
        if isinstance(seen, Compacted):
            found[reader.turn] = TurnWords(begins=True)
        if not text:
            continue
        tokens, messages, begins = found.get(reader.turn, TurnWords())
        if is_said:
            messages += (RequestMessage(text, isinstance(seen, AgentMessage)),)
        found[reader.turn] = TurnWords(tokens + estimate_tokens(text), messages, begins)
    return found


def _text_of(seen: AnyObservation) -> tuple[str, bool]:
    """The words of an observation that the model reads, and whether somebody says it in the conversation."""
    match seen:
        case UserMessage() | AgentMessage():
            return seen.text, True
        case Compacted():
            return seen.summary, True
        case ToolAnswer() | Background():
            return seen.text, False
        case ToolCall(in_text=False):
            return json.dumps(dict(seen.arguments), ensure_ascii=False, default=str), False
        case _:
            return "", False


# Recording a transcript in a session, as if it happened there.


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of replaying a transcript."""

    events: tuple[Event, ...]
    """As they stand in the log."""
    problems: tuple[Problem, ...]
    """What could not be read, and what the session refused."""


@resolving(write='write replay("session.jsonl", store.session("s-1"))')
def replay(source: str | Path | Iterable[EventDraft], session: HudSession[Any]) -> Replay:
    """Record a transcript, or any drafts, in one transaction.

    A draft that the session refuses, such as the removal of a note that is not there, is left
    out and told as a problem.

    Raises :class:`TranscriptError` for a file that is no transcript.

    >>> from hud_runtime import EventDraft, HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     done = replay([EventDraft("note.remove", {"id": "n-1"})], store.session("s"))
    >>> print(done.problems[0])
    turn 0: note.remove: there is no "n-1" in notes; there are none
    """
    drafts = read_transcript(source) if isinstance(source, (str, Path)) else source
    problems = list(drafts.problems) if isinstance(drafts, Transcript) else []

    def refused(draft: EventDraft, error: EventError) -> None:
        problems.append(Problem(None, f"turn {draft.turn or 0}: {error}"))

    return Replay(session.record_all(drafts, refused=refused), tuple(problems))
