"""An event store that is a list: the protocol with nothing else, for tests and as a model."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from hud_runtime import ConcurrencyError, SearchError, StoreError
from hud_runtime.log.events import PAYLOADS, Event, EventCatalog, EventType
from hud_runtime.log.store import (
    At,
    Damage,
    Head,
    Hit,
    Snapshot,
    StoredDelivery,
    StoredOutput,
    SweepRules,
    Swept,
    Transaction,
    WriteLock,
)
from tests.hud_runtime.inside import search as searching

BUSY_TIMEOUT = 5_000
"""Milliseconds that a writer waits for another one."""


@dataclass
class Content:
    """All that a store holds."""

    log: list[tuple[int, Event]] = field(default_factory=list[tuple[int, Event]])
    snapshots: list[Snapshot] = field(default_factory=list[Snapshot])
    deliveries: list[StoredDelivery] = field(default_factory=list[StoredDelivery])
    outputs: list[StoredOutput] = field(default_factory=list[StoredOutput])
    sweeps: list[tuple[int, Swept]] = field(default_factory=list[tuple[int, Swept]])
    purged: set[str] = field(default_factory=set[str])
    archived: dict[str, int] = field(default_factory=dict[str, int])
    position: int = 0

    def copy(self) -> Content:
        """Return a content of its own with the same in it."""
        return Content(
            [*self.log],
            [*self.snapshots],
            [*self.deliveries],
            [*self.outputs],
            [*self.sweeps],
            {*self.purged},
            {**self.archived},
            self.position,
        )


class ListEventStore:
    """An :class:`hud_runtime.EventStore` in plain Python.

    >>> ListEventStore().head("nobody")
    Head(version=0, turn=0)
    """

    def __init__(self, *, busy_timeout: int = BUSY_TIMEOUT) -> None:
        self._lock = WriteLock("the list")
        self._busy_timeout = busy_timeout
        self._committed = Content()
        self._written: list[Content] = []

    def append(self, session_id: str, expected_version: int, events: Sequence[Event]) -> None:
        """Append all the events or none."""
        with self._writing("a record") as content:
            if session_id in content.purged:
                raise StoreError(
                    f'session "{session_id}" was purged: its id is not used again; use another name'
                )
            actual = self.head(session_id).version
            if actual != expected_version:
                raise ConcurrencyError(session_id, expected=expected_version, actual=actual)
            for version, event in enumerate(events, start=expected_version + 1):
                if event.session_id != session_id:
                    raise StoreError(
                        f'the event is of session "{event.session_id}", not "{session_id}"'
                    )
                if event.version != version:
                    raise StoreError(f'session "{session_id}" has no gaps: {version} belongs here')
            for event in events:
                content.position += 1
                content.log.append((content.position, event))

    @contextmanager
    def exclusive(self, session_id: str) -> Generator[None]:
        """Keep other threads and tasks from writing."""
        with self._writing(f'exclusive() of session "{session_id}"'):
            yield

    def transaction(self) -> Transaction | None:
        """Return the transaction that the caller is in."""
        return self._lock.current()

    @property
    def _content(self) -> Content:
        """What the caller may see: its own transaction's content, or the last committed one."""
        return self._committed if self._lock.current() is None else self._written[-1]

    @contextmanager
    def _writing(self, what: str) -> Generator[Content]:
        """Give a copy to write to; it becomes the content at the end, and is dropped by an error."""
        transaction = self._lock.enter(what, self._busy_timeout)
        before = self._committed if transaction.parent is None else self._written[-1]
        self._written.append(before.copy())
        try:
            yield self._written[-1]
        except BaseException:
            self._written.pop()
            raise
        else:
            after = self._written.pop()
            if transaction.parent is None:
                self._committed = after
            else:
                self._written[-1] = after
            transaction.committed()
        finally:
            self._lock.leave(transaction)

    def read(
        self,
        session_id: str,
        after: int = 0,
        up_to: int | None = None,
        *,
        types: Collection[EventType] | None = None,
        checked: bool = False,
        catalog: EventCatalog = PAYLOADS,
    ) -> Iterator[Event]:
        """Yield a session's events with ``after < version <= up_to``, in order."""
        for _, event in list(self._content.log):
            within = event.version > after and (up_to is None or event.version <= up_to)
            if event.session_id == session_id and within and (types is None or event.type in types):
                yield event

    def read_all(self, after: int = 0) -> Iterator[tuple[int, Event]]:
        """Yield all sessions' events with their positions."""
        yield from [entry for entry in self._content.log if entry[0] > after]

    def known_ids(self, ids: Collection[str]) -> frozenset[str]:
        """Return those of the ids that events have."""
        return frozenset(ids) & {event.id for _, event in self._content.log}

    def head(self, session_id: str) -> Head:
        """Return where the session's log ends."""
        last = None
        for last in self.read(session_id):  # noqa: B007  (the last one is what counts)
            pass
        return Head() if last is None else Head(last.version, last.turn)

    def version_at(self, session_id: str, at: At) -> int:
        """Return the version of the last event before the first one that is later than ``at``."""
        for event in self.read(session_id):
            if getattr(event, at.measure) > at.value:
                return event.version - 1
        return self.head(session_id).version

    def sessions(self) -> tuple[str, ...]:
        """Return the ids of all sessions, in the order of their beginning."""
        return tuple(dict.fromkeys(event.session_id for _, event in self._content.log))

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep a session's state as of a version."""
        with self._writing("a record") as content:
            content.snapshots.append(snapshot)

    def snapshot(
        self, session_id: str, projection: str, revision: int, up_to: int
    ) -> Snapshot | None:
        """Return the newest snapshot of this projection with ``version <= up_to``, if any."""
        fitting = [
            one
            for one in self._content.snapshots
            if one.session_id == session_id
            and (one.projection, one.revision) == (projection, revision)
            and one.version <= up_to
        ]
        return max(fitting, key=lambda one: one.version, default=None)

    def save_delivery(self, delivery: StoredDelivery) -> None:
        """Keep a delivery."""
        whose = delivery.session_id, delivery.reader
        if delivery.session_id in self._content.purged:
            return
        with self._writing("a delivery") as content:
            mine, others = [delivery], [*content.deliveries]
            for one in content.deliveries:
                if (one.session_id, one.reader) == whose:
                    others.remove(one)
                    replaced = delivery.is_sent and (one.is_sent or one.id < delivery.id)
                    if one.id != delivery.id and not replaced:
                        mine.append(one)
            mine.sort(key=lambda one: one.id)
            made = [one for one in mine if not one.is_sent][-16:]
            content.deliveries = [*others, *(one for one in mine if one.is_sent or one in made)]

    def deliveries(self, session_id: str, reader: str | None = None) -> list[StoredDelivery]:
        """Return what is kept for a reader, or for all of them, in the order of its making."""
        kept = [one for one in self._content.deliveries if one.session_id == session_id]
        return sorted((one for one in kept if reader in (None, one.reader)), key=lambda one: one.id)

    def keep_output(self, output: StoredOutput) -> None:
        """Keep a tool's output."""
        whose = output.session_id, output.id
        with self._writing("an output") as content:
            if output.text is None or not self.head(output.session_id).version:
                raise StoreError(
                    f'there is no session "{output.session_id}" to keep the output of a tool for'
                )
            known = next(
                (one for one in content.outputs if (one.session_id, one.id) == whose), None
            )
            if known is not None and known.text not in (None, output.text):
                raise StoreError(
                    f'session "{whose[0]}" has another output {output.id}; this one is not kept'
                )
            others = [one for one in content.outputs if one is not known]
            content.outputs = [*others, output]

    def output(self, session_id: str, name: str) -> StoredOutput | None:
        """Return a kept output with its text."""
        kept = (one for one in self._content.outputs if one.session_id == session_id)
        return next((one for one in kept if one.id == name), None)

    def outputs(self, session_id: str) -> list[StoredOutput]:
        """Return what is told of a session's outputs, oldest first, without their texts."""
        kept = [one for one in self._content.outputs if one.session_id == session_id]
        return [replace(one, text=None) for one in sorted(kept, key=lambda one: one.kept_at)]

    def copy_outputs(self, origin: str, target: str) -> None:
        """Let a session that begins as a copy of another one have its outputs, too."""
        with self._writing("outputs") as content:
            there = {one.id for one in content.outputs if one.session_id == target}
            kept = [one for one in content.outputs if one.session_id == origin]
            content.outputs += [
                replace(one, session_id=target) for one in kept if one.id not in there
            ]

    def sweep_outputs(self, rules: SweepRules, at: int, *, due: bool = False) -> Swept | None:
        """Take the texts of outputs that are old."""
        with self._writing("a sweep of outputs") as content:
            last = content.sweeps[0][0] if content.sweeps else 0
            if due and content.position - last < rules.events:
                return None
            whole = [one for one in content.outputs if one.text is not None]
            old: set[int] = {id(one) for one in whole if one.kept_at < at - rules.days * 86_400_000}
            for session_id in {one.session_id for one in whole}:
                own = [one for one in whole if one.session_id == session_id]
                own.sort(key=lambda one: one.kept_at)
                old |= {id(one) for one in own[: -rules.newest]}
            size = sum(one.characters for one in whole if id(one) in old)
            content.outputs = [
                replace(one, text=None) if id(one) in old else one for one in content.outputs
            ]
            swept = Swept(at, len(whole), len(old), size)
            content.sweeps = [(content.position, swept), *content.sweeps]
        return swept

    def sweeps(self) -> list[Swept]:
        """Return the log of sweeps, newest first."""
        return [swept for _, swept in self._content.sweeps]

    def search(
        self, query: str, *, session: str | None = None, limit: int = 20, after: int = 0
    ) -> list[Hit]:
        """Return the events that say all words of ``query``; see :meth:`EventStore.search`.

        It is the rank of the other stores said plainly: each text is looked at.
        """
        if not 1 <= limit <= 1_000 or after < 0:
            raise SearchError(f"limit is {limit} and after {after}: give a limit from 1 to 1000")
        asked = searching.Query.of(query)
        entries = [
            entry
            for position, event in reversed(self._content.log)
            if session in (None, event.session_id)
            and (entry := searching.SearchedEvent.of(position, event)) is not None
            and asked.phrases
            and all(text in entry.words for text in asked.texts)
        ]
        ranked = sorted(
            enumerate(entries),
            key=lambda one: (one[0] // searching.RANKED, -_rank(one[1], asked)),
        )
        return [asked.hit(entry.told()[1:-1]) for _, entry in ranked[after : after + limit]]

    def archive(self, session_id: str) -> int:
        """Count what would move: a list has no cheaper place."""
        with self._writing("archiving") as content:
            types = {one.version: one.type for one in self.read(session_id)}
            compactions = [version for version, type_ in types.items() if type_ == "compact.after"]
            before = compactions[-1] - 1 if compactions else 0
            moved = before - content.archived.get(session_id, 0)
            content.archived[session_id] = before
            return moved

    def purge(self, session_id: str) -> int:
        """Delete all that belongs to a session."""
        with self._writing("a purge") as content:
            events = self.head(session_id).version
            content.purged.add(session_id)
            content.log = [entry for entry in content.log if entry[1].session_id != session_id]
            content.snapshots = [one for one in content.snapshots if one.session_id != session_id]
            content.deliveries = [one for one in content.deliveries if one.session_id != session_id]
            content.outputs = [one for one in content.outputs if one.session_id != session_id]
            return events

    def verify(self) -> tuple[Damage, ...]:
        """Return nothing: memory is not checked."""
        return ()

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


def _rank(entry: searching.SearchedEvent, asked: searching.Query) -> float:
    """Return how well a text fits: how often it has each phrase, less for each more and for its length."""
    share = 1.2 * (0.25 + 0.75 * len(entry.words.encode()) / 300)
    counts = [entry.words.count(text) for text in asked.texts]
    return sum(count / (count + share) for count in counts)
