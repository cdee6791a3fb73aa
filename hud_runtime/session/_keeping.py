"""Maintenance of a store: backups, archives, purges, erasures, and imports from another log."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from pydantic import BaseModel, ValidationError

from hud_runtime._errors import EventError, StoreError
from hud_runtime._fork import mutex
from hud_runtime.log import ERASE, LogOptions
from hud_runtime.log.events import Event, EventCatalog, Stored, check_size, explain
from hud_runtime.log.secrets import Place, Secrets, place_name, replaced, texts_in
from hud_runtime.log.store import Damage, EventStore, SweepRules, Swept
from hud_runtime.session._parent import PROJECT
from ujsx.calls import Answering
from ujsx.errors import did_you_mean, quoted, shown
from ujsx.text import is_text

if TYPE_CHECKING:
    from hud_runtime.log.store import BackupResult, CheckpointResult, Figure, SqliteEventStore
    from hud_runtime.log.store._log_store import LogStore
    from hud_runtime.session._session import HudSession, SessionOptions


# An event's payload without its texts, as an erasure leaves it.
#
# Ids, sections and words of a fixed set stay, so that the event keeps its meaning and later events
# keep their references. ``[erased 12]``, with the event's version, replaces all other texts; where
# only secrets are meant, a mask replaces them.

IS_ERASED = re.compile(r"\[erased [0-9]+(?:\.[0-9]+)?\]")
"""The mark that an erasure leaves."""

NAMES = frozenset({"id", "ids", "section", "domain", "project", "parent"})
"""Fields that hold names; erased only on request."""

OF_FIXED_SETS = frozenset({"literal_error", "enum"})
"""Pydantic's errors for fields with a fixed set of words, which are not texts."""


@dataclass(frozen=True, slots=True)
class EraseResult:
    """The result of an erasure."""

    session_id: str
    version: int
    fields: tuple[str, ...]
    """Places of the erased texts; empty where there was nothing to erase."""

    elsewhere: tuple[tuple[str, int], ...] = ()
    """Other events, by session and version, that contain one of the texts, such as a child's inherited copy."""


@dataclass(frozen=True, slots=True)
class ErasureTarget:
    """The texts of an event to erase."""

    fields: Collection[str] = ()
    """Places of texts, or of their containers; empty for all texts."""

    secrets: Secrets | None = None
    """Patterns of secrets, where only secrets are to be erased."""

    def change(
        self, model: type[BaseModel] | None, version: int, payload: str
    ) -> tuple[str, dict[str, str]]:
        """Return an event's payload without the texts, and the erased texts by place.

        :param model: the payload's model; None for an unknown type.
        """
        from hud_runtime.log.store import as_json

        data: Any = json.loads(payload)
        made, gone = self._changed(data, version, frozenset())
        if kept := _of_fixed_sets(model, made) & gone.keys():  # once more, with those as they were
            made, gone = self._changed(data, version, kept)
        return as_json(made), {place_name(place): text for place, text in gone.items()}

    def _changed(
        self, data: Any, version: int, kept: Collection[Place]
    ) -> tuple[Any, dict[Place, str]]:
        from hud_runtime.log.store import erased_words

        gone: dict[Place, str] = {}
        return replaced(data, partial(self._left, kept, gone, erased_words(version))), gone

    def check(self, payload: str, what: str) -> None:
        """Check that the payload has all of the fields.

        :raises EventError: for a missing field, with the nearest name.
        """
        places = [place for place, _ in texts_in(json.loads(payload))]
        names = {place_name(place[: end + 1]) for place in places for end in range(len(place))}
        for field in sorted(set(self.fields) - names):
            hint = did_you_mean(field, map(place_name, places))
            raise EventError(f"{what}: there is no text at {quoted(field)}; {hint}")

    def _left(
        self,
        kept: Collection[Place],
        gone: dict[Place, str],
        words: Iterator[str],
        place: Place,
        text: str,
    ) -> str:
        if not text or place in kept or IS_ERASED.fullmatch(text) or not self._is_asked(place):
            return text
        left = next(words) if self.secrets is None else self.secrets.masked(text)
        if left != text:
            gone[place] = text
        return left

    def _is_asked(self, place: Place) -> bool:
        within = {place_name(place[:end]) for end in range(1, len(place))}
        if place_name(place) in self.fields:
            return True
        if self.fields and within.isdisjoint(self.fields):
            return False
        is_name = not NAMES.isdisjoint(each for each in place if isinstance(each, str))
        return self.secrets is not None or not is_name


def _of_fixed_sets(model: type[BaseModel] | None, data: Any) -> set[Place]:
    if model is None:
        return set()
    try:
        model.model_validate(data)
    except ValidationError as error:
        return {each["loc"] for each in error.errors() if each["type"] in OF_FIXED_SETS}
    return set()


PAGE = 1_000
"""Events that are appended in one transaction."""


def new_pages(
    session_id: str, stored: Iterable[Event], events: Sequence[Event], options: LogOptions
) -> Iterator[tuple[int, list[Event]]]:
    """Yield the events that a session lacks, masked, in pages, each with the version before it.

    :param stored: the session's events.
    :raises EventError: for a text above the limits, and for events that differ from the session's.
    """
    given, events = events, [_masked(event, options.secrets) for event in events]
    known = 0
    within = range(events[0].version, events[-1].version + 1) if events else ()
    there_already = (each for each in stored if each.version in within)
    for raw, event, there in zip(given, events, there_already, strict=False):
        # A stored event may predate the masking of secrets.
        if not _is_same(event, there) and not _is_same(raw, there):
            raise EventError(
                f'session "{session_id}" is there, and its event {event.version} is another'
                " one; import under another name"
            )
        known += 1
    for event in events[known:]:
        check_size(event.type, event.payload, options.limits)
    for start in range(known, len(events), PAGE):
        page = events[start : start + PAGE]
        yield page[0].version - 1, page


def _masked(event: Event, secrets: Secrets) -> Event:
    """Return an event of another log with its secrets masked, unless they are refused."""
    if isinstance(event.payload, Stored):
        said: Any = json.loads(event.payload.text)
        whole: Mapping[str, object] = {"payload": said}
        taken = secrets.taken(event.type, whole)
        if taken is whole:
            return event
        text = json.dumps(taken["payload"], ensure_ascii=False)
        return event.model_copy(update={"payload": event.payload.model_copy(update={"text": text})})
    given = vars(event.payload)
    taken = secrets.taken(event.type, given)
    if taken is given:
        return event
    model = type(event.payload)
    try:
        payload = model.model_validate(
            {k: v for k, v in taken.items() if k in event.payload.model_fields_set}
        )
    except ValidationError as error:
        raise EventError(explain(event.type, model, error)) from None
    return event.model_copy(update={"payload": payload})


def _is_same(one: Event, other: Event) -> bool:
    """Tell whether two events are equal but for their ids."""
    return one.model_copy(update={"id": other.id}) == other


class OpenSessions:
    """The sessions of a store that are in use, by id. Safe to share between threads."""

    def __init__(self) -> None:
        self._held: WeakValueDictionary[str, HudSession[Any]] = WeakValueDictionary()
        self._lock = mutex()

    def get(self, session_id: str) -> HudSession[Any] | None:
        """Return a session in use, or None."""
        with self._lock:
            return self._held.get(session_id)

    def add(self, session: HudSession[Any]) -> HudSession[Any]:
        """Return the session in use under this id: this one, or another thread's earlier one."""
        with self._lock:
            return self._held.setdefault(session.id, session)

    def forget(self, *session_ids: str) -> list[HudSession[Any]]:
        """Drop sessions that were purged or moved, and return those in use."""
        with self._lock:
            held = [self._held.pop(each, None) for each in session_ids]
        return [each for each in held if each is not None]


class StoreKeeping(Answering):
    """A store's backups, archives, purges and checks: ``store.keeping``.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     _ = store.session("s")
    ...     store.keeping.verify(), store.keeping.purge("s"), store.sessions()
    ((), 1, ())
    """

    def __init__(
        self,
        events: EventStore,
        options: SessionOptions,
        opened: OpenSessions,
        catalog_of: Callable[[str], EventCatalog],
    ) -> None:
        self._events = events
        self._options = options
        self._opened = opened
        self._catalog_of = catalog_of

    def backup(self, folder: str | Path, *, overwrite: bool = False) -> BackupResult:
        """Write a backup of the whole store, and return a summary of it.

        The new folder holds a complete store: ``hud.db`` and its archive, as of one moment; other processes
        may write meanwhile. The folder gets its name only when it is complete and on disk, and each event
        has matched its digest. ``overwrite`` replaces an older backup.

        Raises :class:`StoreError` for an existing folder and for a store that is not SQLite's;
        :class:`StoreDamagedError` for a damaged store; :class:`StoreFullError`. After an error there is no
        new backup, and an older one stays.

        >>> from hud_runtime import HudStore
        >>> import tempfile
        >>> with HudStore.open(":memory:") as store, tempfile.TemporaryDirectory() as folder:
        ...     _ = store.session("s").record("note.add", content="Port 8080")
        ...     done = store.keeping.backup(Path(folder, "backup"))
        ...     with HudStore.open(done.path / "hud.db") as copy:
        ...         done.events, copy.session("s").known.notes[0].content
        (2, 'Port 8080')
        """
        from hud_runtime.log.store._backup import back_up

        return back_up(self._sqlite("back up").parts, Path(folder), overwrite=overwrite)

    def checkpoint(self) -> CheckpointResult:
        """Copy the write-ahead log into the database, truncate it, and return the result.

        SQLite does so by itself from time to time. Call it before other programs read the files, or to free
        space.
        """
        return self._sqlite("checkpoint").checkpoint()

    def archive(self, session_id: str) -> int:
        """Move the events before a session's last compaction to a compressed file; return their number.

        They stay readable and searchable; only past states take longer to rebuild. Raises
        :class:`StoreError` when the file cannot be written; events not moved by then stay in place.
        """
        check_characters("session id", session_id)
        return self._events.archive(session_id)

    def purge(self, session_id: str) -> int:
        """Delete a session and all its data for good; return the number of events deleted.

        Existing objects of the session become empty.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     _ = session.record("note.add", content="Port 8080")
        ...     store.keeping.purge("s"), session.state().notes
        (2, ())
        """
        check_characters("session id", session_id)
        held = self._opened.forget(session_id)
        count = self._events.purge(session_id)
        for session in held:
            session.forget()
        return count

    def figures(self) -> tuple[Figure, ...]:
        """Return the rows and bytes that the store holds of each kind, and their bounds.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     _ = store.session("s")
        ...     [(each.kind, each.rows, each.is_near) for each in store.keeping.figures()]
        [('events', 1, False)]
        """
        return log_of(self._events, "count in").figures()

    def purge_all(self, session_ids: Sequence[str]) -> dict[str, int]:
        """Purge these sessions at once, and return the number of events of each."""
        for each in session_ids:
            check_characters("session id", each)
        held = self._opened.forget(*session_ids)
        counts = log_of(self._events, "sweep").purge_all(session_ids) if session_ids else {}
        for session in held:
            session.forget()
        return counts

    def unused_for(self, age: int, *, now: int | None = None) -> tuple[str, ...]:
        """Return the sessions unused for at least ``age`` milliseconds, longest unused first.

        The last use is the recording of the last event, or its own time, whichever is later. Projects'
        defaults are not listed.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     _ = store.session("s")
        ...     day = 24 * 60 * 60 * 1_000
        ...     store.keeping.unused_for(90 * day), store.keeping.unused_for(90 * day, now=2**45)
        ((), ('s',))
        """
        used = log_of(self._events, "sweep").last_used()
        before = (self._options.clock() if now is None else now) - age
        old = [each for each in used if used[each] < before and not each.startswith(PROJECT)]
        return tuple(sorted(old, key=lambda each: used[each]))

    def erase(
        self,
        session_id: str,
        version: int,
        *,
        fields: Collection[str] = (),
        only_secrets: bool = False,
    ) -> EraseResult:
        """Erase the texts of one event for good; return their places, and other events that contain them.

        The event itself stays, with its version, time and names. A mark such as ``[erased 12]`` replaces
        its texts in the log, all past states, and future exports and backups. An ``event.erase`` event
        records the erasure. Later snapshots, what readers were sent, and the search index are rebuilt. Like
        a purge, it rewrites the file, and can be repeated after an interruption.

        ``fields`` are places of texts, or of their containers, as
        :func:`hud_runtime.log.secrets.place_name` names them: ``inherited.notes.2.content``.
        ``only_secrets`` masks texts that look like secrets, and keeps the rest.

        Raises :class:`EventError` for a missing event or field; :class:`StoreLockedError` when another
        process reads so long that bytes remain: then repeat the call.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:", clock=lambda: 0) as store:
        ...     session = store.session("s")
        ...     note = session.record("note.add", content="Ann Lee, 5 Elm Street")
        ...     store.keeping.erase("s", note.version).fields, session.state().notes
        (('content',), (Note(content='[erased 2]', id='n-2', updated_at=0),))
        """
        check_characters("session id", session_id)
        asked = ErasureTarget(frozenset(fields), self._looked_for if only_secrets else None)
        log, catalog = log_of(self._events, "erase from"), self._catalog_of(session_id)
        gone: dict[str, str] = {}

        def change(event_type: str, payload: str) -> tuple[str, tuple[str, ...]]:
            model = catalog.get(event_type)
            if event_type == ERASE:
                raise EventError(f"event {version} tells of an erasure, and holds no text")
            changed, texts = asked.change(model, version, payload)
            asked.check(payload, f"event {version}, {event_type}")
            gone.update(texts)
            return changed, tuple(texts)

        def note(last: int, turn: int, names: tuple[str, ...]) -> Event:
            made, at = self._options.ids.next(), self._options.clock()
            said = {"version": version, "fields": names}
            return catalog.of_store(ERASE, said, (made, session_id, last, turn, at))

        names = log.erase(session_id, version, change, note)
        opened = self._opened.get(session_id)
        if opened is not None:
            opened.refresh()
        secrets = [
            text[each.start : each.end]
            for text in gone.values()
            for each in self._looked_for.find(text)
        ]
        return EraseResult(
            session_id, version, names, log.saying(secrets if only_secrets else gone.values())
        )

    @property
    def _looked_for(self) -> Secrets:
        """The patterns of secrets, also where secrets are not masked."""
        return Secrets("mask", self._options.secrets.patterns)

    def sweep(self, rules: SweepRules | None = None) -> Swept:
        """Delete the texts of old tool outputs, and return a summary.

        It runs by itself when an output is kept and enough events have come since the last sweep. Swept
        texts cannot be restored; a call for one gets an explanation.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:", clock=lambda: 0) as store:
        ...     store.keeping.sweep()
        Swept(at=0, scanned=0, deleted=0, bytes=0, errors=())
        """
        done = self._events.sweep_outputs(rules or self._options.sweeps, self._options.clock())
        return Swept(self._options.clock(), 0, 0, 0) if done is None else done

    def copy_outputs(self, origin: str, target: str) -> None:
        """Give a session that began as a copy of another one access to that one's tool outputs."""
        check_characters("session id", target)
        self._events.copy_outputs(origin, target)

    def sweeps(self) -> list[Swept]:
        """Return the log of the last sweeps, newest first."""
        return self._events.sweeps()

    def verify(self) -> tuple[Damage, ...]:
        """Return all damage found in the store; empty for a sound store."""
        return self._events.verify()

    def _sqlite(self, what: str) -> SqliteEventStore:
        from hud_runtime.log.store import SqliteEventStore

        if not isinstance(self._events, SqliteEventStore):
            raise StoreError(
                f"this store is a {type(self._events).__name__}, and no file of SQLite to {what};"
                " a database server has tools of its own for that"
            )
        return self._events


def log_of(events: EventStore, what: str) -> LogStore:
    """Return a store as one of our own logs.

    :raises StoreError: for another kind of store, which does not support ``what``.
    """
    from hud_runtime.log.store._log_store import LogStore

    if not isinstance(events, LogStore):
        raise StoreError(f"this store is a {type(events).__name__}, and no log to {what}")
    return events


def check_characters(what: str, name: str) -> None:
    """Check that a name can be written.

    :raises EventError: for half of a surrogate pair.
    """
    given: object = name
    if not isinstance(given, str):
        raise EventError(f"the {what} is a text, not {shown(given)}; write session.id")
    if not is_text(name):
        raise EventError(f"the {what} {name!r} has half of a surrogate pair in it")
