"""A log that has the sessions of one project, and no other.

Who is given it can ask for nothing else: whatever an operation, a resource or a tool does, it does it with this
log. So there is one place that keeps projects apart, and it looks at nothing but the id.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager

from hud_runtime._errors import StoreError
from hud_runtime.log.events import PAYLOADS, Event, EventCatalog, EventType
from hud_runtime.log.store import At, EventStore, Hit, Snapshot, StoredDelivery, StoredOutput
from hud_runtime.log.store._protocol import Damage, Head, SweepRules, Swept, Transaction
from hud_runtime.session._parent import PROJECT
from ujsx.errors import shown

SEPARATOR = "/"
"""Stands between a project's name and that of one of its sessions."""


class ProjectLog:
    """An :class:`EventStore` with the sessions of a project: ``shop``, and all that begin with ``shop/``.

    Those of others are not there: what reads finds nothing, what writes is refused.

    :param project: the project's name, without ``/``; None for all sessions of the log.
    :param recorded: told of how many events were appended.

    >>> from hud_runtime import HudStore
    >>> from hud_runtime.log.store import SqliteEventStore
    >>> log = SqliteEventStore(":memory:")
    >>> shop, till = HudStore(ProjectLog(log, "shop")), HudStore(ProjectLog(log, "till"))
    >>> _ = shop.session("shop/main"), till.session("till/main")
    >>> shop.sessions(), log.sessions()
    (('shop/main',), ('shop/main', 'till/main'))
    >>> log.close()
    """

    def __init__(
        self,
        log: EventStore,
        project: str | None,
        recorded: Callable[[int], object] = lambda _: None,
    ) -> None:
        if project is not None and (not project or SEPARATOR in project or ":" in project):
            raise StoreError(
                f'{shown(project)} is not a valid name for a project: it has no "/" and no ":"'
            )
        self._log = log
        self._project = project
        self._recorded = recorded

    def holds(self, session_id: str) -> bool:
        """Tell whether a session of this id is one of the project's, begun or not."""
        name = self._project
        return (
            name is None
            or session_id in {name, f"{PROJECT}{name}"}
            or session_id.startswith(f"{name}{SEPARATOR}")
        )

    def _check(self, session_id: str) -> None:
        if not self.holds(session_id):
            raise StoreError(
                f'session {shown(session_id)} is none of the project "{self._project}": its ids begin'
                f' with "{self._project}{SEPARATOR}"'
            )

    def append(self, session_id: str, expected_version: int, events: Sequence[Event]) -> None:
        """Append to a session of the project; see :meth:`EventStore.append`."""
        self._check(session_id)
        for event in events:
            self._check(event.session_id)
        self._log.append(session_id, expected_version, events)
        self._recorded(len(events))

    def exclusive(self, session_id: str) -> AbstractContextManager[None]:
        """Keep everybody else from appending to a session of the project."""
        self._check(session_id)
        return self._log.exclusive(session_id)

    def transaction(self) -> Transaction | None:
        """Return the transaction that the caller is in, if any."""
        return self._log.transaction()

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
        """Yield the events of a session of the project; see :meth:`EventStore.read`."""
        if not self.holds(session_id):
            return iter(())
        return self._log.read(
            session_id, after, up_to, types=types, checked=checked, catalog=catalog
        )

    def read_all(self, after: int = 0) -> Iterator[tuple[int, Event]]:
        """Yield the events of all sessions of the project, each with its position in the whole log."""
        return (each for each in self._log.read_all(after) if self.holds(each[1].session_id))

    def known_ids(self, ids: Collection[str]) -> frozenset[str]:
        """Tell nothing of ids of events, which are those of all projects."""
        if self._project is not None:
            raise StoreError("which ids events have is told of a whole store, and not of a project")
        return self._log.known_ids(ids)

    def head(self, session_id: str) -> Head:
        """Return where a session of the project ends."""
        return self._log.head(session_id) if self.holds(session_id) else Head()

    def version_at(self, session_id: str, at: At) -> int:
        """Return the version at a moment; see :meth:`EventStore.version_at`."""
        return self._log.version_at(session_id, at) if self.holds(session_id) else 0

    def sessions(self) -> tuple[str, ...]:
        """Return the ids of the project's sessions, in the order of their beginning."""
        return tuple(each for each in self._log.sessions() if self.holds(each))

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep the state of a session of the project."""
        self._check(snapshot.session_id)
        self._log.save_snapshot(snapshot)

    def snapshot(
        self, session_id: str, projection: str, revision: int, up_to: int
    ) -> Snapshot | None:
        """Return the newest snapshot of a session of the project."""
        if not self.holds(session_id):
            return None
        return self._log.snapshot(session_id, projection, revision, up_to)

    def save_delivery(self, delivery: StoredDelivery) -> None:
        """Keep a delivery of a session of the project."""
        self._check(delivery.session_id)
        self._log.save_delivery(delivery)

    def deliveries(self, session_id: str, reader: str | None = None) -> list[StoredDelivery]:
        """Return what is kept for a reader of a session of the project."""
        return self._log.deliveries(session_id, reader) if self.holds(session_id) else []

    def keep_output(self, output: StoredOutput) -> None:
        """Keep a tool's output in a session of the project."""
        self._check(output.session_id)
        self._log.keep_output(output)

    def output(self, session_id: str, name: str) -> StoredOutput | None:
        """Return a kept output of a session of the project."""
        return self._log.output(session_id, name) if self.holds(session_id) else None

    def outputs(self, session_id: str) -> list[StoredOutput]:
        """Return what is told of the outputs of a session of the project."""
        return self._log.outputs(session_id) if self.holds(session_id) else []

    def copy_outputs(self, origin: str, target: str) -> None:
        """Let a session of the project have the outputs of another one."""
        self._check(origin)
        self._check(target)
        self._log.copy_outputs(origin, target)

    def sweep_outputs(self, rules: SweepRules, at: int, *, due: bool = False) -> Swept | None:
        """Take the texts of old outputs, those of all projects: the store's user says how old."""
        return self._log.sweep_outputs(rules, at, due=due)

    def sweeps(self) -> list[Swept]:
        """Tell nothing of sweeps, which are those of all projects."""
        if self._project is not None:
            raise StoreError("sweeps are told of a whole store, and not of a project")
        return self._log.sweeps()

    def search(
        self, query: str, *, session: str | None = None, limit: int = 20, after: int = 0
    ) -> list[Hit]:
        """Return the events of a session of the project that say all words of ``query``; see :meth:`EventStore.search`.

        A session is named: the words of others are counted in the order of a whole log's hits.
        """
        if session is None and self._project is not None:
            raise StoreError("a project is searched session by session; name the session")
        if session is not None and not self.holds(session):
            return []
        return self._log.search(query, session=session, limit=limit, after=after)

    def archive(self, session_id: str) -> int:
        """Move what came before the last compaction of a session of the project."""
        self._check(session_id)
        return self._log.archive(session_id)

    def purge(self, session_id: str) -> int:
        """Delete a session of the project, for good."""
        self._check(session_id)
        return self._log.purge(session_id)

    def verify(self) -> tuple[Damage, ...]:
        """Return what of the project's sessions is not as it was written."""
        return tuple(
            each
            for each in self._log.verify()
            if self._project is None or (each.session_id and self.holds(each.session_id))
        )

    def close(self) -> None:
        """Do nothing: who opened the log closes it."""
