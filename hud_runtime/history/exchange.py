"""Exchange: sessions as files, for storing, moving, and importing from other tools.

In and out: a session's log as JSON lines, which loses nothing; and the JSON state files of HUD plugins
(``sessions/ID.json``, ``project/HASH.json``), which have the current state. In: the files of the plugin for
working memory (``memory-core/ID.json``, ``memory-working/ID.json``). A transcript or a log is replayed if it
is only to be viewed.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar, cast

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from hud_components import CODING, Domain, HudState, State, Text
from hud_components.declaring import Actor
from hud_components.memory import POOL, block_name, blocks_of, working_memory_of
from hud_runtime._errors import (
    EventError,
    ExchangeError,
    StoreFullError,
    StoreLockedError,
    StoreReadOnlyError,
)
from hud_runtime._limits import Limits
from hud_runtime.log.events import (
    AS_RECORDED,
    LARGEST,
    Event,
    EventDraft,
    Stored,
    explain,
    read_event,
)
from hud_runtime.log.store import FORMAT, At
from hud_runtime.session import HudSession, HudStore
from hud_runtime.session._hud_store import MOVED
from hud_runtime.session._parent import PROJECT
from ujsx.components import DocumentedModel, fields_of
from ujsx.errors import UjsxError, complaint, mistakes_of, shown
from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.context.delivery import TurnWords
    from hud_runtime.observe import Problem

__all__ = [
    "export_session",
    "import_session",
    "read_project_file",
    "read_session_file",
    "session_file",
]

on_demand(globals())


# A session's log as JSON lines: a header line, then one line for each event.
#
# The first line is ``{"ujsx": "session", "lines": 1, "format": 1}``: the version of this layout,
# and the format of the payloads, from which an older file's are upgraded. An event's line has its
# fields, and its payload as recorded, readable or not. Archived events are included; an export can
# be imported into any store.

StateT = TypeVar("StateT", bound=State)

LINES = 1
"""The version of the layout that is written, and the newest that is read."""


def export_session(session: HudSession[Any]) -> Iterator[str]:
    r"""Yield a session's log as lines, each with its line end.

    Raises :class:`StoreDamagedError` at a damaged event: in a file of its own it would look sound.

    >>> with HudStore.open(":memory:", clock=lambda: 0) as store:
    ...     lines = list(export_session(store.session("s")))
    >>> lines[0]
    '{"ujsx": "session", "lines": 1, "format": 1}\n'
    >>> len(lines)
    2
    """
    return _lines(session.log.read(session.id, checked=True, catalog=AS_RECORDED))


def export_log(store: HudStore[Any], session_id: str) -> Iterator[str]:
    """Yield a session's log as lines, even if its domain is not loaded.

    Raises :class:`StoreDamagedError` as :func:`export_session` does.
    """
    return _lines(store.events(session_id, checked=True, as_recorded=True))


def _lines(events: Iterable[Event]) -> Iterator[str]:
    yield json.dumps({"ujsx": "session", "lines": LINES, "format": FORMAT}) + "\n"
    for event in events:
        yield event.model_dump_json() + "\n"


def import_session(
    store: HudStore[Any], lines: Iterable[str], *, session_id: str | None = None
) -> HudSession[Any]:
    """Import an exported session into a store, and return it.

    The events keep their ids, versions and times; with ``session_id`` the session gets another name, and its
    events new ids. An existing session is extended if the lines are its own log, so an interrupted import can
    be repeated.

    Raises :class:`ExchangeError` with the line, and imports nothing, if a line cannot be read or breaks a law
    of the log: versions have no gap, turns never decrease, a session begins once, ids are unique. It does so
    too if the session in the store is another one. Raises :class:`StoreFullError`, :class:`StoreLockedError`
    or :class:`StoreReadOnlyError` if the store cannot store them.

    >>> with HudStore.open(":memory:") as one, HudStore.open(":memory:") as other:
    ...     session = one.session("s")
    ...     _ = session.record("note.add", content="Port 8080")
    ...     import_session(other, export_session(session)).state() == session.state()
    True
    """
    return _named(store, import_log(store, lines, session_id=session_id))


def _named(store: HudStore[Any], name: str) -> HudSession[Any]:
    """The session with an id, or the log of a project's defaults."""
    if name.startswith(PROJECT):
        return store.project(name.removeprefix(PROJECT))
    return store.session(name)


def import_log(store: HudStore[Any], lines: Iterable[str], *, session_id: str | None = None) -> str:
    """Import an exported session into a store, and return its id; its domain need not be loaded.

    Raises as :func:`import_session` does.
    """
    numbered = enumerate(lines, start=1)
    _check_header(next(numbered, (1, "")))
    read = [*_events(numbered, store.domains)]
    if not read:
        raise ExchangeError("line 2: there are no events; a session has at least its beginning")
    events = [
        event
        if session_id is None
        else event.model_copy(update={"session_id": session_id, "id": ""})
        for _, event in read
    ]
    name = events[0].session_id
    try:
        if session_id is None:
            _check_ids(store, read)
        store.import_events(name, events)
    except (ExchangeError, StoreFullError, StoreLockedError, StoreReadOnlyError):
        raise  # the last three are not errors of the lines
    except UjsxError as error:
        raise ExchangeError(f"lines {read[0][0]} and following: {error}") from error
    return name


def _check_header(first: tuple[int, str]) -> None:
    header = _object(*first)
    if header.get("ujsx") != "session":
        raise ExchangeError('line 1: an exported session begins with {"ujsx": "session", …}')
    lines, written = header.get("lines"), header.get("format")
    if not isinstance(lines, int) or not isinstance(written, int):
        raise ExchangeError('line 1: "lines" and "format" are whole numbers')
    if lines > LINES or written > FORMAT:
        raise ExchangeError("line 1: this file is from a newer version; update ujsx")


def _events(
    lines: Iterable[tuple[int, str]], domains: Mapping[str, Domain[Any]]
) -> Iterator[tuple[int, Event]]:
    """Yield the events with their line numbers, and check the laws that a file can break."""
    expected, name, turn = 1, None, 0
    domain: Domain[Any] | None = CODING
    first_lines: dict[str, int] = {}
    for number, line in lines:
        if not line.strip():
            continue
        try:
            data = _object(number, line)
            if expected == 1 or data.get("type") == MOVED:
                domain = domains.get(_domain_in(data))
            event = _event(data, domain)
        except ExchangeError:
            raise
        except UjsxError as error:
            raise ExchangeError(f"line {number}: {error}") from error
        name = name or event.session_id
        before = first_lines.setdefault(event.id, number)
        problem = ""
        if event.session_id != name:
            problem = f'an event of session "{event.session_id}" is in the file of session "{name}"'
        elif event.version != expected:
            problem = f"version {event.version} is where {expected} belongs"
        elif expected == 1 and event.type != "session.start":
            problem = "a session begins with session.start"
        elif expected > 1 and event.type == "session.start":
            problem = "a session begins only once"
        elif event.turn < turn:
            problem = f"turn {event.turn} comes after turn {turn}"
        elif before != number:
            problem = f'line {before} has the id "{event.id}" too; an id is one event\'s'
        if problem:
            raise ExchangeError(f"line {number}: {problem}")
        expected, turn = expected + 1, event.turn
        yield number, event


def _check_ids(store: HudStore[Any], read: Sequence[tuple[int, Event]]) -> None:
    """Raise :class:`ExchangeError` for an id that another session's event has."""
    there = store.version_of(read[0][1].session_id)
    lines = {event.id: number for number, event in read if event.version > there}
    taken = sorted(store.known_ids(lines), key=lambda one: lines[one])
    if taken:
        raise ExchangeError(
            f'line {lines[taken[0]]}: an event of another session has the id "{taken[0]}" already;'
            " import under another name"
        )


def _domain_in(event: Mapping[str, Any]) -> str:
    """The name of the domain in an event: a session's first one, or one that changes it."""
    said: Any = event.get("payload")
    return str(said.get("domain", CODING.name)) if said.__class__ is dict else CODING.name


def _event(data: Mapping[str, Any], domain: Domain[Any] | None) -> Event:
    """The event of a line; if its domain is not loaded, the payload stays unparsed."""
    if domain is not None:
        return read_event(data, domain)
    text = json.dumps(data.get("payload"), ensure_ascii=False, separators=(",", ":"))
    try:
        return Event.model_validate({**data, "payload": Stored(text=text)})
    except ValidationError as error:
        raise EventError(explain(str(data.get("type")), Event, error)) from None


def _object(number: int, line: str) -> dict[str, Any]:
    try:
        data: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ExchangeError(f"line {number}: it is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise ExchangeError(f"line {number}: it is not a JSON object")
    return cast("dict[str, Any]", data)


# The JSON state files of HUD plugins: a session's current state, and a project's defaults.
#
# The founding document on the HUD's architecture (section 3.2 and 3.5) describes them:
# ``sessions/ID.json`` and ``project/HASH.json``. They have only texts, no ids and no history; other
# data, such as an error or a decision's details, stays in the log. A file is read into drafts of
# events, which become part of a session's log.

ModelT = TypeVar("ModelT", bound=BaseModel)

Texts = tuple[str, ...]


class StateFile(DocumentedModel):
    """What the files have in common: camelCase names, and fields that we do not know are left."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        alias_generator=to_camel,
        validate_by_name=True,
        serialize_by_alias=True,
        cache_strings="keys",
    )

    project_path: str = ""
    """The folder of the project."""

    last_updated: Annotated[int, Field(ge=0, le=LARGEST)] = 0
    """When the file was written, in milliseconds since the epoch."""

    def text(self) -> str:
        """Return the file's content."""
        return json.dumps(self.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"

    def drafts(self) -> tuple[EventDraft, ...]:
        """Return the events that make a session, or a project's log, say what the file says.

        Empty texts say nothing and are left out; a text that the session has already is none too
        many, since a duplicate changes nothing.

        >>> [draft.type for draft in SessionFile(session_id="s", current_task="Ship it").drafts()]
        ['task.set']
        """
        return tuple(_dated(self._drafts(), self.last_updated))

    @abstractmethod
    def _drafts(self) -> Iterator[EventDraft]:
        """Yield them without a time."""


class SessionFile(StateFile):
    """``sessions/ID.json``: what is current in a session."""

    session_id: Annotated[str, Field(min_length=1)]
    """The session."""

    current_task: str | None = None
    """What the agent is working on."""

    key_decisions: Texts = ()
    """Decisions, oldest first."""

    active_files: Texts = ()
    """Paths, the last used one last."""

    notes: Texts = ()
    """Notes, oldest first."""

    blockers: Texts = ()
    """What is in the way."""

    next_steps: Texts = ()
    """What is planned, in order."""

    compacted_context: str | None = None
    """The summary of the last compaction."""

    def _drafts(self) -> Iterator[EventDraft]:
        if _says(self.current_task):
            yield EventDraft("task.set", {"description": self.current_task})
        elif "current_task" in self.model_fields_set:
            yield EventDraft("task.clear", {})
        yield from _each("decision.record", "summary", self.key_decisions)
        yield from _each("file.open", "path", self.active_files)
        yield from _each("note.add", "content", self.notes)
        yield from _each("blocker.add", "description", self.blockers)
        yield from _each("step.add", "description", self.next_steps)
        if _says(self.compacted_context):
            yield EventDraft("compact.after", {"summary": self.compacted_context}, actor="host")


class ProjectFile(StateFile):
    """``project/HASH.json``: what new sessions of a project start with."""

    project_notes: Texts = ()
    """Notes that every session gets."""

    key_files: Texts = ()
    """Files that every session is pointed to."""

    conventions: Texts = ()
    """What holds in the project; sessions inherit it as decisions."""

    def _drafts(self) -> Iterator[EventDraft]:
        yield from _each("note.add", "content", self.project_notes, "host")
        yield from _each("file.open", "path", self.key_files, "host", status="referenced")
        yield from _each("decision.record", "summary", self.conventions, "host")


ONLY_PROJECTS = frozenset(
    to_camel(name) for name in fields_of(ProjectFile).keys() - fields_of(SessionFile).keys()
)
"""Fields that only a project's file has."""


def session_file(
    state: HudState, *, session_id: str, project_path: str = "", last_updated: int = 0
) -> SessionFile:
    """Return the file of a state's open items, each as its text.

    A decision's details follow its summary after a dash, as the files have one text for each.

    >>> from hud_components import Note
    >>> state = HudState(notes=(Note(id="n-2", content="Port 8080"),))
    >>> session_file(state, session_id="s").notes
    ('Port 8080',)
    """
    return SessionFile(
        session_id=session_id,
        project_path=project_path,
        last_updated=last_updated,
        current_task=None if state.task is None else state.task.description,
        key_decisions=_decisions(state),
        active_files=tuple(file.path for file in state.active_files),
        notes=tuple(note.content for note in state.notes),
        blockers=tuple(one.description for one in state.blockers if not one.resolved),
        next_steps=tuple(step.description for step in state.next_steps if not step.completed),
        compacted_context=state.compacted_context,
    )


def project_file(state: HudState, *, project_path: str = "", last_updated: int = 0) -> ProjectFile:
    """Return the file of a project's log (:meth:`HudStore.project`)."""
    return ProjectFile(
        project_path=project_path,
        last_updated=last_updated,
        project_notes=tuple(note.content for note in state.notes),
        key_files=tuple(file.path for file in state.active_files),
        conventions=_decisions(state),
    )


def read_session_file(path: str | Path, *, limits: Limits | None = None) -> SessionFile:
    """Read ``sessions/ID.json``; ``limits`` are by default those of the environment.

    Raises :class:`ExchangeError` that names the file and the field.
    """
    return as_model(path, SessionFile, content_of(path, limits))


def read_project_file(path: str | Path, *, limits: Limits | None = None) -> ProjectFile:
    """Read ``project/HASH.json``; ``limits`` are by default those of the environment.

    Raises :class:`ExchangeError` that names the file and the field.
    """
    return as_model(path, ProjectFile, content_of(path, limits))


def content_of(path: str | Path, limits: Limits | None) -> bytes:
    """Return the content of a file.

    Raises :class:`ExchangeError` for one that cannot be read, or is too large.
    """
    limits = Limits.of_environment() if limits is None else limits
    try:
        with Path(path).open("rb") as file:
            data = limits.whole(file)
    except OSError as error:
        raise ExchangeError(f"{path}: it cannot be read: {error.strerror}") from error
    if data is None:
        raise ExchangeError(f"{path} {limits.refusal('read')}")
    return data


def as_model(path: str | Path, model: type[ModelT], data: bytes) -> ModelT:
    """Return a file's content as a model.

    Raises :class:`ExchangeError` that names the file and the field.
    """
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        first = mistakes_of(error)[0]
        said = complaint(first)
        place = ".".join(map(str, first["loc"])) or "the file"
        raise ExchangeError(f"{path}: {place}: {said[:1].lower()}{said[1:]}") from error


def _says(text: str | None) -> bool:
    return text is not None and bool(text.strip())


def _each(
    event_type: str, field: str, texts: Texts, actor: Actor = "agent", **more: object
) -> Iterator[EventDraft]:
    for text in filter(_says, texts):
        yield EventDraft(event_type, {field: text, **more}, actor=actor)


def _dated(drafts: Iterator[EventDraft], at: int) -> Iterator[EventDraft]:
    for draft in drafts:
        yield EventDraft(draft.type, draft.payload, timestamp=at or None, actor=draft.actor)


def _decisions(state: HudState) -> Texts:
    return tuple(
        f"{one.summary} — {one.details}" if one.details else one.summary for one in state.decisions
    )


# The JSON files of the founding plugin for working memory.
#
# The founding document on working memory describes them: ``memory-core/ID.json`` has the blocks,
# and ``memory-working/ID.json`` the slots and the pool; older files, without slots, have ``items``
# alone. The plugin writes some fields under other names than the document's: both are read. A file
# becomes events of a session whose domain has memory.

SOURCES: tuple[tuple[str, Actor], ...] = (("tool:", "tool"), ("manual", "agent"))
"""The prefixes of an item's source, and its author; else the host, which stored the file."""

_IN_TURN: tuple[Actor, ...] = ("tool", "host", "agent")
"""The order in which authors' items are recorded: the last is the newest."""


def _said(value: object) -> object:
    """Return an item that is only a text as an object."""
    return {"content": value} if isinstance(value, str) else value


class _MemoryPart(DocumentedModel):
    model_config = ConfigDict(frozen=True, extra="ignore", cache_strings="keys")


class FileBlock(_MemoryPart):
    """A block of core memory."""

    content: Annotated[Text, Field(validation_alias=AliasChoices("content", "value"))] = ""
    """What it says."""


class FileItem(_MemoryPart):
    """Something that is remembered."""

    content: Text
    """What it is."""

    type: Text = ""
    """What kind of thing it is."""

    source: Text = ""
    """Who said it: "manual", or "tool:" and a tool's name."""

    timestamp: Annotated[float, Field(ge=0, le=LARGEST)] = 0
    """When it was heard, in milliseconds since the epoch."""

    event: Annotated[
        int,
        Field(
            ge=0,
            le=LARGEST,
            validation_alias=AliasChoices("eventNumber", "lastEventCounter", "event"),
        ),
    ] = 0
    """In which of the plugin's events it was last heard."""


Items: TypeAlias = tuple[Annotated[FileItem, BeforeValidator(_said)], ...]


class MemoryFile(_MemoryPart):
    """What the files have in common."""

    session_id: Annotated[
        str, Field(min_length=1, validation_alias=AliasChoices("sessionID", "sessionId"))
    ]
    """The session."""

    updated_at: Annotated[datetime | None, Field(validation_alias="updatedAt")] = None
    """When the file was written."""

    @property
    def last_updated(self) -> int:
        """The time at which the file was written, in milliseconds since the epoch; 0 where it does not say."""
        return 0 if self.updated_at is None else max(int(self.updated_at.timestamp() * 1_000), 0)

    def drafts(self, domain: Domain[Any, Any]) -> tuple[EventDraft, ...]:
        """Return the events that make a session of a domain remember what the file says.

        :raises ExchangeError: for a domain that has no place for it.
        """
        return tuple(_dated(self._drafts(domain), self.last_updated))

    @abstractmethod
    def _drafts(self, domain: Domain[Any, Any]) -> Iterator[EventDraft]:
        """Yield them without a time."""


class CoreMemoryFile(MemoryFile):
    """``memory-core/ID.json``: the blocks.

    >>> from hud_components.memory import CODING_MEMORY
    >>> file = CoreMemoryFile.model_validate(
    ...     {"sessionID": "s", "blocks": {"goal": {"content": "Ship it"}, "progress": {"value": ""}}}
    ... )
    >>> [(draft.type, draft.payload) for draft in file.drafts(CODING_MEMORY)]
    [('core_goal.set', {'content': 'Ship it'})]
    """

    blocks: Mapping[Text, FileBlock]
    """The blocks by name."""

    def _drafts(self, domain: Domain[Any, Any]) -> Iterator[EventDraft]:
        known = {block_name(each): each for each in blocks_of(domain)}
        for name, block in self.blocks.items():
            if not block.content.strip():
                continue
            if name not in known:
                raise ExchangeError(
                    f"blocks.{shown(name)}: the domain {shown(domain.name)} has no such block; it has"
                    f" {', '.join(known) or 'none'}"
                )
            yield EventDraft(f"{known[name].event}.set", {"content": block.content})


class WorkingMemoryFile(MemoryFile):
    """``memory-working/ID.json``: the slots and the pool, or ``items`` alone.

    >>> from hud_components.memory import CODING_MEMORY
    >>> file = WorkingMemoryFile.model_validate(
    ...     {"sessionID": "s", "items": [{"type": "error", "content": "It fails"}, {"content": "a.py"}]}
    ... )
    >>> file.drafts(CODING_MEMORY)[0].payload["found"]
    [{'content': 'It fails', 'slot': 'error'}, {'content': 'a.py', 'slot': 'pool'}]
    """

    slots: Mapping[Text, Items] = Field(default_factory=dict[Text, Items])
    """What is in each slot."""

    pool: Items = ()
    """What is in none."""

    items: Items = ()
    """All of it, in files from before there were slots."""

    def _drafts(self, domain: Domain[Any, Any]) -> Iterator[EventDraft]:
        section = working_memory_of(domain)
        if section is None:
            raise ExchangeError(f"the domain {shown(domain.name)} has no working memory")
        kinds = {each.name for each in section.slots}
        told: list[tuple[str, FileItem]] = [(each.type, each) for each in self.items]
        told += [(POOL, each) for each in self.pool]
        told += [(slot, each) for slot, several in self.slots.items() for each in several]
        told = [(slot, each) for slot, each in told if each.content.strip()]
        told.sort(key=lambda one: (one[1].event, one[1].timestamp))
        for actor in _IN_TURN:
            found = [
                {"content": item.content, "slot": slot if slot in kinds else POOL}
                for slot, item in told
                if _speaker(item) == actor
            ]
            if found:
                yield EventDraft(f"{section.event}.notice", {"found": found}, actor=actor)


def _speaker(item: FileItem) -> Actor:
    for start, actor in SOURCES:
        if item.source.startswith(start):
            return actor
    return "host"


OTHER_FILES: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"interventionsSent"}), "readings of the pressure"),
    (frozenset({"thresholds", "current"}), "readings of the pressure"),
    (frozenset({"compactionCount"}), "a log of compactions"),
    (frozenset({"results", "eventCounter"}), "a log of sweeps"),
    (frozenset({"fullOutput"}), "a tool's output"),
)
"""Fields of the plugin's other files, which have no memories, and their content."""


def memory_file_kind(data: Mapping[str, Any]) -> type[MemoryFile] | None:
    """Return the kind of the file, according to its fields; None for another file.

    :raises ExchangeError: for a file of the plugin without memories.
    """
    for fields, what in OTHER_FILES:
        if fields <= data.keys():
            raise ExchangeError(
                f"it holds {what}, and no memory; import memory-core/ID.json and memory-working/ID.json"
            )
    if "blocks" in data:
        return CoreMemoryFile
    return WorkingMemoryFile if data.keys() & {"slots", "pool", "items"} else None


def read_memory_file(path: str | Path, *, limits: Limits | None = None) -> MemoryFile:
    """Read one of the files; ``limits`` are by default those of the environment.

    Raises :class:`ExchangeError` that names the file and the field.
    """
    content = content_of(path, limits)
    try:
        data: object = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ExchangeError(f"{path}: it is not JSON: {error}") from None
    known = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    try:
        kind = memory_file_kind(known)
    except ExchangeError as error:
        raise ExchangeError(f"{path}: {error}") from None
    if kind is None:
        raise ExchangeError(f'{path}: it has neither "blocks" nor "slots", "pool" or "items"')
    return as_model(path, kind, content)


# A recorded file as a session at any of its turns: a transcript, or an exported session.


@dataclass(frozen=True, slots=True)
class SessionReplay:
    """A replayed session, with its state at any turn."""

    session: HudSession[Any]
    turns: int
    """The number of the agent's messages; turn 0 comes before the first."""
    events: int
    problems: tuple[Problem, ...] = ()
    """Parts that could not be read or recorded."""
    not_understood: str = ""
    """Known parts that were not understood, in a line."""
    others: str = ""
    """The other sessions in the file."""
    transcript: tuple[Path, str | None] | None = None
    """The file, and the id of the requested session in it; None for an exported session."""

    def state(self, turn: int) -> HudState:
        """Return the state after a turn, rebuilt from the log."""
        state: HudState = self.session.state(at=At.turn(turn))
        return state

    def words(self) -> Mapping[int, TurnWords] | None:
        """Return the words that each turn adds to the conversation; None for an exported session, which
        has no messages.
        """
        from hud_runtime.transcripts._transcript import turn_words

        return None if self.transcript is None else turn_words(*self.transcript)


@contextmanager
def replayed(
    path: Path, session: str | None = None, *, domain: Domain[Any] = CODING
) -> Generator[SessionReplay]:
    """Record a file in a store in a temporary folder, which is removed at the end.

    :param session: a session's id, in a transcript with several; None for the newest.
    :param domain: the domain of an exported session; by default the coding HUD's, as for transcripts.
    :raises TranscriptError: for a file that is neither a transcript nor an exported session.
    :raises ExchangeError: for an exported session that cannot be read, with the line.
    :raises DomainError: for an exported session of a domain that is not loaded.
    """
    with TemporaryDirectory(prefix="ujsx-") as folder:
        place = Path(folder, "session.db")
        if is_log(path):
            yield from _of_log(path, place, session, domain)
        else:
            yield from _of_transcript(path, place, session)


def _of_log(
    path: Path, place: Path, session: str | None, domain: Domain[Any]
) -> Iterator[SessionReplay]:
    with HudStore.open(place, domain=domain) as store:
        try:
            name = import_log(store, log_lines(path))
        except ExchangeError as error:
            raise ExchangeError(f"{path}: {error}") from error
        if session is not None and session != name:
            raise ExchangeError(f'{path} has no session "{session}": it is that of "{name}" alone')
        found = _named(store, name)
        yield SessionReplay(found, found.turn, found.version)


def _of_transcript(path: Path, place: Path, session: str | None) -> Iterator[SessionReplay]:
    from hud_runtime.transcripts._transcript import read_transcript, replay

    transcript = read_transcript(path, session=session)
    begun = transcript.started_at or 0
    # A transcript without times gets the same ones each time: same input, same bytes.
    with HudStore.open(place, clock=lambda: begun) as store:
        recorded = store.session("replay", started_at=transcript.started_at)
        done = replay(transcript, recorded)
        yield SessionReplay(
            recorded,
            transcript.turns,
            len(done.events),
            done.problems,
            transcript.not_understood,
            transcript.other_sessions,
            (path, session),
        )


def is_log(path: Path) -> bool:
    """Return whether a file's first line is an exported log's."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        first = Limits.of_environment().line(file)
    try:
        header: object = json.loads((first or b"").decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    return isinstance(header, dict) and "ujsx" in header


def log_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file, each with its line end.

    :raises ExchangeError: for a line that is too long, or not text, with its number.
    """
    limits = Limits.of_environment()
    with path.open("rb") as file:
        for number in count(1):
            line = limits.line(file)
            if line is None:
                raise ExchangeError(f"line {number} {limits.refusal('read')}")
            if not line:
                return
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                raise ExchangeError(f"line {number} is not UTF-8 text") from None
