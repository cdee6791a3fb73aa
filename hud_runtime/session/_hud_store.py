"""``HudStore``: opens a store and its sessions."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NoReturn, Self, cast

from typing_extensions import TypeVar

from hud_components import CODING, THRESHOLDS, CodingEvent, Domain, HudState, State
from hud_components.declaring import milliseconds_of
from hud_components.levels import Threshold, Thresholds
from hud_components.words import NO_TEXTS
from hud_runtime._errors import DomainError, EventError, StoreDamagedError, StoreError
from hud_runtime._limits import Limits
from hud_runtime._location import MEMORY, default_path, is_address
from hud_runtime.log import SnapshotPolicy
from hud_runtime.log.events import AS_RECORDED, Event, EventCatalog, EventDraft, Stored, catalog_of
from hud_runtime.log.projection import HUD, Projection, ProjectionRegistry, projection_of
from hud_runtime.log.secrets import Mode, Secrets
from hud_runtime.log.store import EventIds, EventStore, Hit, SweepRules
from hud_runtime.session._keeping import (
    OpenSessions,
    StoreKeeping,
    check_characters,
    log_of,
    new_pages,
)
from hud_runtime.session._parent import (
    PROJECT,
    Parents,
    begun_from,
    check_resumed,
    checked_parents,
)
from hud_runtime.session._render_options import (
    AgentLayouts,
    GivenLook,
    LayoutSource,
    StoreSettings,
    WordsSource,
    check_components,
    check_look,
    checked,
    settings_beside,
)
from hud_runtime.session._session import HudSession, SessionOptions
from ujsx import Child
from ujsx.calls import Answering, AnsweringType, resolving
from ujsx.components import Displayable
from ujsx.errors import CallError, listed, shown
from ujsx.text import is_text

if TYPE_CHECKING:
    from hud_runtime.log.outbox import Outbox
    from hud_runtime.log.store import BackupResult, RepairResult
    from hud_runtime.log.store._log_store import LogStore
    from hud_runtime.observe import ModelLimit, ModelLimits
    from hud_runtime.session._offline_queue import OfflineQueue
    from ujsx import Component


class SessionId(Answering, str):
    """A session's id: a text, also in place of data about the session.

    >>> SessionId("s-1"), SessionId("s-1").id, SessionId("s-1")["id"]
    ('s-1', 's-1', 's-1')
    """

    __slots__ = ()

    if not TYPE_CHECKING:
        _instead: ClassVar[Mapping[str, str]] = {
            "store.session(session_id), which opens it": "hud state events record note call tools turn version deliver notes task"
        }

        id = session_id = name = property(str)

        def __getitem__(self, place: Any) -> str:
            return getattr(self, place) if isinstance(place, str) else super().__getitem__(place)


# The domain that a session belongs to, and whether it is available.

NO_SECTIONS = {
    "sections": 'write domain=Domain("…", sections=(…)), from hud_components import Domain'
}
"""The error for ``sections=``, which belongs to the domain."""

_GIVE = "give the Domain itself, such as domain=CODING"


MOVED = "session.domain"
"""The type of the event that moves a session to another domain."""


def domains_of(events: EventStore, session_id: str) -> Iterator[str]:
    """Yield the names of the domains that a session has belonged to, newest first.

    Few sessions have moved; the index of types finds their moves.
    """
    moves = [*events.read(session_id, types={MOVED})]
    yield from map(domain_named, reversed(moves))
    yield from map(domain_named, events.read(session_id, 0, 1))


def domain_named(event: Event) -> str:
    """Return the domain's name in an event: the first one of a session, or a move."""
    said = event.payload
    if isinstance(said, Stored):
        return str(said.model_dump().get("domain", CODING.name))
    return str(getattr(said, "domain", CODING.name))


def catalog_at(
    events: EventStore, domains: Mapping[str, Domain[Any]], session_id: str
) -> EventCatalog:
    """Return the catalog of a session's domain, or of the coding HUD where that domain is not loaded."""
    named = next(domains_of(events, session_id), CODING.name)
    return catalog_of(domains.get(named, CODING))


def by_name(domains: Iterable[Domain[Any]]) -> dict[str, Domain[Any]]:
    """Return domains by their names.

    :raises DomainError: for a value that is not a domain, and for two domains of one name.
    """
    found: dict[str, Domain[Any]] = {}
    for domain in domains:
        given: object = domain
        if not isinstance(given, Domain):
            write = NO_SECTIONS["sections"]
            if not isinstance(given, list | tuple):
                is_other = isinstance(given, str) and given != CODING.name
                write = f"{_GIVE}; or {write}" if is_other else _GIVE
            raise DomainError(f"{shown(given)} is not a domain; {write}")
        if found.setdefault(domain.name, domain) is not domain:
            raise DomainError(f'there are two domains of the name "{domain.name}"; rename one')
    return found


# The log at a place: a file of SQLite, or the address of a PostgreSQL database.

BUSY_TIMEOUT = 5_000
"""Milliseconds that a writer waits for a lock."""


def open_log(
    place: str | Path | None = None,
    *,
    durable: bool = False,
    busy_timeout: int = BUSY_TIMEOUT,
    read_only: bool = False,
) -> LogStore:
    """Open the log at a path or an address; None opens the default one.

    Raises :class:`StoreError` where the log cannot be opened, or psycopg is not installed.
    """
    if place is None or not is_address(place):
        from hud_runtime.log.store._sqlite import SqliteEventStore

        path = default_path() if place is None else place
        return SqliteEventStore(
            path, durable=durable, busy_timeout=busy_timeout, read_only=read_only
        )
    try:
        from hud_runtime.log.postgres._store import PostgresEventStore
    except ImportError as error:
        raise StoreError(
            f'a store in PostgreSQL needs psycopg: pip install "ujsx[postgres]" ({error})'
        ) from error
    return PostgresEventStore(
        str(place), durable=durable, busy_timeout=busy_timeout, read_only=read_only
    )


StateT = TypeVar("StateT", bound=State, default=HudState)
EventT = TypeVar("EventT", bound=str, default=Any)
OpenedT = TypeVar("OpenedT", bound=State, default=HudState)
OpenedEventT = TypeVar("OpenedEventT", bound=str, default=CodingEvent)

NEWEST = 20
"""Sessions that a store lists in a notebook."""


_OPEN = 'write HudStore.open("hud.db"), or HudStore(":memory:")'
"""The line to write instead of a call that opens no store."""


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _table_of(rows: Iterable[ModelLimit] | None) -> ModelLimits | None:
    if rows is None:
        return None
    from hud_runtime.observe import model_limits_of

    return model_limits_of(rows)


def _milliseconds(clock: Callable[[], Any]) -> int:
    """Return the time of a caller's clock, which may return a datetime.

    :raises EventError: for seconds, and for a value that is not a time.
    """
    told = milliseconds_of(clock())
    if type(told) is int and told not in SECONDS_NOW:
        return told
    line = "clock=lambda: int(time.time() * 1000)"
    raise EventError(f"a clock gives milliseconds since the epoch, not {shown(told)}; write {line}")


SECONDS_NOW = range(1_400_000_000, 2_200_000_000)
"""Seconds since the epoch in the years 2014 to 2039; read as milliseconds, they would fall in January 1970."""


def now() -> int:
    """Return the milliseconds since the Unix epoch."""
    return time.time_ns() // 1_000_000


class StoredSessions(Answering, Displayable, Generic[StateT, EventT], metaclass=AnsweringType):
    """The sessions in a store's log: listed, read and searched, even where their domains are not loaded."""

    def __init__(
        self, events: EventStore, domain: Domain[StateT, EventT], domains: Iterable[Domain[Any]]
    ) -> None:
        self._events = events
        self.domains = by_name((CODING, *domains, domain))
        """The loaded domains by name: that of new sessions, those passed beside it, and the coding HUD."""
        self.domain = domain
        self._catalog_of = partial(catalog_at, events, self.domains)

    def __repr__(self) -> str:
        place = getattr(self._events, "place", MEMORY)
        return f"<HudStore {'in memory' if place == MEMORY else repr(place)}, domain {self.domain.name!r}>"

    def _as_document(self) -> Child:
        from ujsx.elements import Item, List, Paragraph, code

        ids = self.sessions()
        rows = (
            Item()[code(one), f": {_counted(self._events.head(one).version, 'event')}"]
            for one in ids[-NEWEST:]
        )
        told = f"{_counted(len(ids), 'session')} of the domain {self.domain.name}"
        more = f", the newest {NEWEST}" if len(ids) > NEWEST else ""
        return [Paragraph()[f"{told}{more}"], List()[rows] if ids else None]

    def sessions(self) -> tuple[str, ...]:
        """Return the ids of all sessions, oldest first."""
        return tuple(
            SessionId(one) for one in self._events.sessions() if not one.startswith(PROJECT)
        )

    def __contains__(self, session_id: object) -> bool:
        """Tell whether a session of this id has begun; False for an invalid id.

        >>> with HudStore.open(":memory:") as store:
        ...     _ = store.session("s")
        ...     "s" in store, "t" in store
        (True, False)
        """
        return (
            isinstance(session_id, str)
            and is_text(session_id)
            and not session_id.startswith(PROJECT)
            and self._events.head(session_id).version > 0
        )

    @resolving()
    def search(
        self, query: str, *, session: str | None = None, limit: int = 20, after: int = 0
    ) -> list[Hit]:
        """Return the events of all sessions, or of one, that contain all words of ``query``.

        :meth:`EventStore.search` describes queries and paging.
        """
        if session is not None:
            check_characters("session id", session)
        return self._events.search(query, session=session, limit=limit, after=after)

    def events(
        self,
        session_id: str,
        after: int = 0,
        up_to: int | None = None,
        *,
        types: Collection[str] | None = None,
        checked: bool = False,
        as_recorded: bool = False,
    ) -> Iterator[Event]:
        """Yield a session's events from the log, even where its domain is not loaded.

        Events that the session's domain cannot read are yielded as :class:`Stored`; with ``as_recorded``,
        all are.
        """
        check_characters("session id", session_id)
        catalog = AS_RECORDED if as_recorded else self._catalog_of(session_id)
        return self._events.read(
            session_id, after, up_to, types=types, checked=checked, catalog=catalog
        )

    def known_ids(self, ids: Collection[str]) -> frozenset[str]:
        """Return the ids that belong to events in the store. Scans all events."""
        return self._events.known_ids(ids)

    def version_of(self, session_id: str) -> int:
        """Return the version of a session's last event; 0 for an unknown session."""
        check_characters("session id", session_id)
        return self._events.head(session_id).version

    @property
    def place(self) -> str:
        """The store's path, or its address without the password, for messages."""
        return log_of(self._events, "tell of").place

    def wait(self, session_id: str, after: int, *, timeout: float) -> int:
        """Wait up to ``timeout`` seconds for events after a version; return the session's last version.

        A database server notifies at once; a file is polled.

        >>> with HudStore.open(":memory:") as store:
        ...     store.wait(store.session("s").id, 0, timeout=1)
        1
        """
        check_characters("session id", session_id)
        return log_of(self._events, "wait for").wait(session_id, after, timeout=timeout)

    def domain_name(self, session_id: str) -> str:
        """Return the name of a session's domain, loaded or not.

        For a session that has not begun, it is the domain of new sessions.
        """
        return next(self._names_of_domain(session_id), self.domain.name)

    def _names_of_domain(self, session_id: str) -> Iterator[str]:
        """Yield the name of a session's domain, if the session has begun.

        Where the first event is lost, as after a repair, a snapshot names the domain.
        """
        try:
            yield from domains_of(self._events, session_id)
        except StoreDamagedError:
            newest = 2**62
            for name, each in self.domains.items():
                for revision in (each.revision, *each.former_revisions):
                    if self._events.snapshot(session_id, HUD.name, revision, newest) is not None:
                        yield name
                        return
            raise

    def _domain_of(self, session_id: str) -> Domain[Any]:
        """Return the domain that a session's first event names, or that of new sessions.

        :raises DomainError: for a domain that is not loaded.
        """
        name = self.domain_name(session_id)
        if name not in self.domains:
            raise DomainError(
                f'session "{session_id}" belongs to the domain "{name}", which is not loaded',
                f"open the store with domain= or domains=; there are {listed([*self.domains])}",
            )
        return self.domains[name]


_ELSEWHERE = {
    "count_tokens counter tokenizer token_counter": "write session.hud(count_tokens=…), and session.deliver(count_tokens=…)",
    "budget density max_tokens": "write session.hud(density=…, budget=…)",
    "read_only readonly": "leave it out: nothing is written until a session begins or records",
    "create exist_ok mkdir": "leave it out: a store that is not there is made",
    "model": 'write session.record("context.snapshot", used=…, model="…")',
}
"""Remedies for arguments that belong to each HUD or to a session, or that a store does not need."""


class HudStore(StoredSessions[StateT, EventT]):
    """All sessions of one event store.

    >>> with HudStore.open(":memory:", clock=lambda: 0) as store:
    ...     session = store.session("s")
    ...     _ = session.record("task.set", description="Add a login")
    ...     session.state().task
    Task(description='Add a login', updated_at=0, goal=None, origin=None)
    """

    _instead: ClassVar[Mapping[str, str]] = {
        'HudStore.open("hud.db"), or HudStore.open(":memory:")': "create connect memory inmemory frompath fromfile fromurl sqlite",
        'store.session("s-1").hud()': "hud render",
        'store.session("s-1").record("…", …)': "record append add emit",
        'store.session("s-1").state()': "state",
        'store.keeping.purge("s-1")': "purge delete remove drop deletesession removesession",
        'store.keeping.backup("backups")': "copy copyto snapshot",
        "store.wait(session_id, after, timeout=…)": "onevent subscribe watch listen follow",
        "HudStore.open(path), and of its sessions await session.acall(…)": "openasync aopen",
        'store.keeping.archive("s-1")': "archive compact",
        '"s-1" in store': "exists has hassession contains sessionexists",
        "store.close()": "flush commit sync save isclosed closed",
        "store.domain.sections": "sections",
    }

    _also: ClassVar[Mapping[str, str]] = {
        "session": "get getsession load loadsession opensession createsession newsession startsession",
        "keeping.backup": "backup",
        "keeping.figures": "stats info figures",
        "keeping.verify": "verify check",
        "sessions": "list all listsessions getsessions ids sessionids listids",
        "place": "path file filename url location db database",
    }

    @resolving(
        write=_OPEN,
        instead={**NO_TEXTS, **NO_SECTIONS, **_ELSEWHERE},
        events="path db file filename url database",
    )
    def __init__(
        self,
        events: EventStore | str | Path,
        *,
        clock: Callable[[], int] = now,
        entropy: Callable[[int], bytes] = os.urandom,
        projections: Iterable[Projection[Any]] = (),
        snapshots: SnapshotPolicy | None = None,
        limits: Limits | None = None,
        domain: Domain[StateT, EventT] = CODING,  # type: ignore[assignment]
        domains: Iterable[Domain[Any]] = (),
        agent_layouts: AgentLayouts = "show",
        thresholds: Iterable[Threshold] | None = None,
        model_limits: Iterable[ModelLimit] | None = None,
        secrets: Secrets | Mode | None = None,
        parents: Parents = "live",
        sweeps: SweepRules | None = None,
        settings: StoreSettings | None = None,
        outbox: str | Path | Outbox | None = None,
        layout: LayoutSource = None,
        words: WordsSource | None = None,
        components: Iterable[type[Component]] = (),
    ) -> None:
        """Use any event store, or open the one at a path as :meth:`open` does.

        ``clock`` returns milliseconds since the epoch.

        New sessions belong to ``domain``. Sessions of ``domains`` and of the coding HUD can be resumed.

        ``limits`` bound the length of texts; the default is those of the environment.

        ``agent_layouts`` controls layouts that agents set: ``"offer"`` gives their tool the operations for
        it, ``"show"`` only renders layouts already set, ``"off"`` does neither.

        ``thresholds`` set the start of each context level and its effects. The default is those of
        ``settings``, or :data:`hud_components.THRESHOLDS`. ``model_limits`` are context sizes by model
        name, for hosts that do not report them. Invalid ones raise :class:`PropError`.

        ``secrets`` controls keys, tokens and passwords in recorded texts: ``"mask"``, ``"refuse"``,
        ``"off"``, or :class:`hud_runtime.log.secrets.Secrets` with your own table. The default is
        the environment's mode, or to mask them.

        ``parents`` controls a child's view of its parent's later decisions and notes: ``"live"`` as they
        are now, ``"start"`` as they were when the child began, ``"off"`` none.

        ``sweeps`` set when the texts of kept tool outputs are deleted. ``settings`` are the user's, from
        the file beside the store.

        ``outbox`` is a folder, or an :class:`hud_runtime.log.outbox.Outbox` with its own bounds, that holds
        events of :meth:`HudSession.post` while the database server is unreachable; the default is that of
        the settings. Events that wait there for this store are recorded now. Raises :class:`StoreError` for
        a store in a file.

        ``layout`` and ``words`` are the look of new sessions: a tree and a mapping, or paths of files. Each
        session stores them when it starts. An unusable one is logged with its place, and the domain's is
        used instead.

        ``components`` are your own components that a layout's text may use beside the domain's sections.
        Raises :class:`PropError` for one that has the name of another.
        """
        if isinstance(events, str | Path):
            settings = settings or settings_beside(events)
            events = open_log(events)
        elif not hasattr(events, "append"):
            raise StoreError(f"{shown(events)} is not an event store; {_OPEN}")
        if clock is not now:
            clock = partial(_milliseconds, clock)
        check_look(layout, words)
        look = GivenLook(layout, words, tuple(components))
        check_components((*look.components, *domain.components), domain.state)
        settings = settings or StoreSettings()
        if secrets is None:
            secrets = Secrets.of_environment()
        self.options = SessionOptions(
            clock=clock,
            ids=EventIds(clock, entropy),
            projections=ProjectionRegistry(projection_of(domain), *projections),
            snapshots=snapshots or SnapshotPolicy(),
            limits=Limits.of_environment() if limits is None else limits,
            secrets=secrets if isinstance(secrets, Secrets) else Secrets(secrets),
            sweeps=sweeps or SweepRules(),
            thresholds=(
                settings.thresholds or THRESHOLDS if thresholds is None else Thresholds(thresholds)
            ),
            settings=settings,
            model_limits=_table_of(model_limits),
            agent_layouts=checked(agent_layouts),
            parents=checked_parents(parents),
            look=look,
        )
        """Options that all sessions of the store share."""
        super().__init__(events, domain, domains)
        self._opened = OpenSessions()
        self.keeping = StoreKeeping(events, self.options, self._opened, self._catalog_of)
        """Backups, archives, purges and checks of the store."""
        self._posting: OfflineQueue | None = None
        self._posting = _posting_of(events, outbox, settings.outbox, self._session)
        if self._posting is not None:
            self._posting.begin()

    @classmethod
    @resolving(
        instead={**NO_TEXTS, **NO_SECTIONS, **_ELSEWHERE},
        path="db file filename url database dsn location uri",
        clock="now time_source time_fn get_time timer",
    )
    def open(
        cls,
        path: str | Path | None = None,
        *,
        clock: Callable[[], int] = now,
        entropy: Callable[[int], bytes] = os.urandom,
        durable: bool = False,
        projections: Iterable[Projection[Any]] = (),
        snapshots: SnapshotPolicy | None = None,
        limits: Limits | None = None,
        domain: Domain[OpenedT, OpenedEventT] = CODING,  # type: ignore[assignment]
        domains: Iterable[Domain[Any]] = (),
        agent_layouts: AgentLayouts = "show",
        thresholds: Iterable[Threshold] | None = None,
        model_limits: Iterable[ModelLimit] | None = None,
        secrets: Secrets | Mode | None = None,
        parents: Parents = "live",
        sweeps: SweepRules | None = None,
        outbox: str | Path | Outbox | None = None,
        layout: LayoutSource = None,
        words: WordsSource | None = None,
        components: Iterable[type[Component]] = (),
    ) -> HudStore[OpenedT, OpenedEventT]:
        """Open a store: SQLite at ``path``, in memory for ``":memory:"``, or in PostgreSQL for an address
        such as ``"postgresql://user@host/database"``, which needs ``ujsx[postgres]``.

        The default path is ``hud.db`` in the platform's folder for user data, or in ``$UJSX_HOME``. A missing
        file is created, readable by its owner alone. Settings in ``context.toml`` beside the file apply where an
        argument is omitted; invalid ones raise :class:`SettingsError`.

        ``projections`` can be requested by name, beside "hud". ``snapshots`` sets how often they are kept,
        ``limits`` the length of texts. New sessions belong to ``domain``; sessions of ``domains`` can be resumed.
        ``agent_layouts="offer"`` lets agents lay out their own HUDs; ``"off"`` ignores their layouts.
        ``thresholds`` set the start of each context level, as in ``THRESHOLDS.at(red=80)``. ``model_limits`` are
        context sizes by model name, where a host does not report them, as in
        ``(ModelLimit("in-house", 32_768), *MODEL_LIMITS)``. ``secrets`` masks keys and passwords in recorded
        texts, unless it is "refuse" or "off". ``parents`` is the children's view of their parents: "live", as of
        their "start", or "off". ``outbox`` is a folder where :meth:`HudSession.post` queues events while the
        database server is away. ``layout`` and ``words`` are the look of new sessions. Layouts that are text may
        use your own ``components``.

        An event is safe from a crash of the process once its record call returns. With ``durable``, each
        call also waits for the disk (about ten times slower), so that events survive a power cut. While one
        store of a process is durable, so are all its stores on that file.

        Any number of processes, threads and asyncio tasks may open a file; those of one process share its
        connections. A forked child may continue to use the store. If the parent was in the middle of a
        call, the child gets a :class:`StoreError` instead; so does every user of a file that is deleted or
        replaced while open. *What is stored where* has the details.

        Raises :class:`StoreError` with the reason where the file cannot be used.
        """
        given: object = path
        if not isinstance(given, str | os.PathLike | None):
            raise StoreError(f"{shown(given)} is not a path; {_OPEN}")
        # Before a file is opened.
        table = None if thresholds is None else Thresholds(thresholds)
        sizes = _table_of(model_limits)
        settings = settings_beside(path)
        at_hand = by_name((CODING, *domains, domain))
        # Called on the class, type checkers see the default state, whatever the domain.
        opened = cast("type[HudStore[OpenedT, OpenedEventT]]", cls)
        return opened(
            open_log(path, durable=durable),
            clock=clock,
            entropy=entropy,
            projections=projections,
            snapshots=snapshots,
            limits=limits,
            domain=domain,
            domains=at_hand.values(),
            agent_layouts=agent_layouts,
            thresholds=table,
            model_limits=sizes,
            secrets=secrets,
            parents=parents,
            sweeps=sweeps,
            settings=settings,
            outbox=outbox,
            layout=layout,
            words=words,
            components=components,
        )

    @resolving(
        write='write store.session("…"), where any text names a session; of a domain, HudStore.open(path, domain=…)',
        instead={
            "title": 'write session.record("session.title", title="…")',
            "domain": "write HudStore.open(path, domain=…)",
            "clock": "write HudStore.open(path, clock=…)",
            "words": "write session.set_look(words=…), or HudStore.open(path, words=…)",
        },
        id="session_id name key",
    )
    def session(
        self,
        id: str,  # noqa: A002  (the word that callers know it by)
        project: str | None = None,
        parent: str | HudSession[Any] | None = None,
        *,
        as_begun: bool = False,
        started_at: int | None = None,
        thresholds: Iterable[Threshold] | None = None,
        layout: LayoutSource = None,
    ) -> HudSession[StateT, EventT]:
        """Return the session with this id: resume it, or start it if it is new.

        A new session inherits its project's notes, decisions and files, and its parent's current task,
        decisions and open blockers; its first event, ``session.start``, holds a copy. It inherits nothing
        else from the parent, not even its project. It starts now, or at ``started_at`` (milliseconds since
        the epoch), as for a past transcript.

        ``thresholds`` replace the store's for this session. ``layout`` is that of its HUD, as for
        :meth:`HudSession.set_look`.

        Raises :class:`EventError` for an invalid id or project, for an unknown parent, and for a session
        that was started with another project or parent. With ``as_begun``, an existing session is resumed
        with the project and parent that it has.
        """
        parent_id = parent.id if isinstance(parent, HudSession) else parent
        names: dict[str, object] = {"id": id, "project": project, "parent": parent_id}
        for what, name in names.items():
            if not isinstance(name, str) and (name is not None or what == "id"):
                raise EventError(
                    f'a session\'s {what} is a text, not {shown(name)}; write "{name}"'
                )
            if isinstance(name, str) and what != "id":
                check_characters(what, name)
        if id.startswith(PROJECT):
            raise EventError(
                f'"{id}" is the log of a project\'s defaults: use store.project('
                f'"{id.removeprefix(PROJECT)}"), or another id'
            )
        table = None if thresholds is None else Thresholds(thresholds)
        session = self._session(id)
        if table is not None:
            session.thresholds = table
        if session.version == 0:
            self._start(session, project, parent_id, started_at)
        if not as_begun:
            check_resumed(session, project, parent_id)
        if layout is not None:
            session.set_look(layout)
        return session

    def project(self, name: str) -> HudSession[StateT, EventT]:
        """Return the log of a project's defaults, which new sessions inherit.

        >>> with HudStore.open(":memory:", clock=lambda: 0) as store:
        ...     _ = store.project("shop").record("note.add", content="Tests run with make")
        ...     store.session("s", project="shop").state().notes
        (Note(content='Tests run with make', id='project:n-2', updated_at=0),)
        """
        session = self._session(f"{PROJECT}{name}")
        if session.version == 0:
            self._start(session, name, None, None)
        return session

    if not TYPE_CHECKING:  # mistakes, each with the line to write

        def __getitem__(self, session_id: object) -> HudSession[Any]:
            if isinstance(session_id, str) and session_id in self:
                return self.session(session_id)
            line = "a store is not a list"
            if isinstance(session_id, str):
                line = f"write store.session({shown(session_id)})"
            raise CallError(f"{line}; store.sessions() has the ids")

        def __len__(self) -> int:
            return self[0]

        def __bool__(self) -> bool:
            return True

        async def __aenter__(self) -> NoReturn:
            raise CallError(
                'a store is not asynchronous; write with HudStore.open("hud.db") as store:'
            )

        async def __aexit__(self, *error: object) -> None: ...

    def import_events(self, session_id: str, events: Sequence[Event]) -> None:
        """Append events from another log, with their ids, versions and times.

        Events without an id get one. Events that the session already has must be identical.

        Raises :class:`EventError` for an invalid name, a text above the limit, or events that differ from
        the session's; :class:`StoreError` when the store cannot append them.
        """
        _check_name("session id", session_id)

        new_id = self.options.ids.next
        for before, page in new_pages(session_id, self.events(session_id), events, self.options):
            named = [one if one.id else one.model_copy(update={"id": new_id()}) for one in page]
            self._events.append(session_id, before, named)

    @staticmethod
    def restore(
        backup: str | Path, path: str | Path | None = None, *, force: bool = False
    ) -> BackupResult:
        """Restore a backup to ``path``, or to the default place.

        The copy is checked before anything changes. With ``force`` it replaces an existing store, which is
        set aside in a folder; sessions purged there since the backup stay purged. A store in use is never
        replaced.

        Raises :class:`StoreError` for an existing store or a missing backup; :class:`StoreLockedError` for
        a store in use; :class:`StoreDamagedError` for a damaged backup.
        """
        from hud_runtime.log.store._backup import restore

        return restore(Path(backup), _file(path, "restored"), force=force)

    @staticmethod
    def repair(path: str | Path | None = None) -> RepairResult:
        """Repair a damaged store, and return what is lost.

        Snapshots and the search index are rebuilt from the log. If the log itself is damaged, all intact
        events are copied to a new file. A session keeps its events up to the first lost one; later ones are
        written as JSON lines. Where a snapshot covers all lost events, the session continues from it, with
        a gap in its past. The damaged files and those lines are set aside in a folder.

        Raises :class:`StoreLockedError` for a damaged store in use, :class:`StoreVersionError` for one of a
        newer version, :class:`StoreDamagedError` where nothing can be read.
        """
        from hud_runtime.log.store._repair import repair

        revisions = HUD.revision, *HUD.former_revisions
        return repair(_file(path, "mended"), projection=(HUD.name, revisions))

    def close(self) -> None:
        """Release the store. Closing twice is safe. Events in an outbox stay there."""
        if self._posting is not None:
            self._posting.close()
        self._events.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _session(self, session_id: str) -> HudSession[Any]:
        _check_name("session id", session_id)
        known = self._opened.get(session_id)
        if known is not None:
            return known
        # Reading the log may block, so it happens outside of any lock.
        domain = self._domain_of(session_id)
        made = HudSession(
            session_id,
            self._events,
            domain,
            self.options,
            open_session=self._session,
            posting=self._posting,
        )
        return self._opened.add(made)

    def move(self, session_id: str, domain: Domain[Any, Any] | str) -> HudSession[Any]:
        """Move a session to a domain that has all of its sections, and return it.

        The new domain reads the whole log, so the sections keep their content. The event ``session.domain``
        records the move. Existing session objects keep the former domain's sections and count events of
        other sections as unreadable. Another store needs the domain to open the session; without it, it can
        only list and export it.

        :param domain: a loaded domain, or its name.
        :raises DomainError: for a domain that is not loaded, or lacks one of the session's sections.
        :raises EventError: for a session that has not begun.

        >>> from hud_components import CODING, Domain, NotesSection
        >>> desk = Domain("desk", sections=(NotesSection,))
        >>> with HudStore.open(":memory:", domain=desk, domains=[desk | CODING]) as store:
        ...     _ = store.session("s").record("note.add", content="Port 8080")
        ...     moved = store.move("s", desk | CODING)
        ...     _ = moved.record("task.set", description="Fix the login")
        ...     moved.domain.name, len(moved.state().notes), store.session("s") is moved
        ('coding', 1, True)
        """
        name = domain if isinstance(domain, str) else domain.name
        target = self.domains.get(name)
        if target is None or domain not in (name, target):
            raise DomainError(
                f'the domain "{name}" is not loaded',
                f"open the store with domains=; there are {listed([*self.domains])}",
            )
        if session_id not in self:
            raise EventError(f'there is no session "{session_id}" to be moved')
        with self._events.exclusive(session_id):
            today = self._domain_of(session_id)
            if lacks := [each.__name__ for each in today.sections if each not in target.sections]:
                raise DomainError(
                    f'"{name}" lacks sections of "{today.name}", the domain of the session: {listed(lacks)}',
                    f"move it to both: {today.name} | {name}",
                )
            if target is not today:
                head = self._events.head(session_id)
                made, at = self.options.ids.next(), self.options.clock()
                stamp = made, session_id, head.version, head.turn, at
                event = catalog_of(target).of_store(MOVED, {"domain": name}, stamp)
                self._events.append(session_id, head.version, [event])
        self._opened.forget(session_id)
        return self._session(session_id)

    def _start(
        self, session: HudSession[Any], project: str | None, parent: str | None, at: int | None
    ) -> None:
        payload = begun_from(session, self._session, project, parent)
        start = EventDraft("session.start", payload, turn=0, timestamp=at, actor="host")
        has_look = any(each.is_given for each in session.usual_looks) and not (
            session.id.startswith(PROJECT)
        )
        try:
            with session.exclusive() if has_look else nullcontext():
                session.record_all([start])
                if has_look:
                    session.set_look()
        except EventError:
            # Another process may have started it meanwhile: then nothing remains to do.
            session.refresh()
            if session.version == 0:
                raise


def _posting_of(
    events: EventStore,
    outbox: str | Path | Outbox | None,
    usual: Outbox | None,
    open_session: Callable[[str], HudSession[Any]],
) -> OfflineQueue | None:
    """Return the outbox of a store in a database server: the one passed, or that of the settings.

    :raises StoreError: for an outbox of another store.
    """
    identity: str | None = getattr(events, "identity", None)
    if identity is None and outbox is not None:
        raise StoreError(
            "an outbox is for a store in a database server, which may be away: this one is on this machine"
        )
    given = usual if outbox is None else outbox
    if identity is None or given is None:
        return None
    from hud_runtime.log.outbox import EventQueue, Outbox
    from hud_runtime.session._offline_queue import OfflineQueue

    log = cast("LogStore", events)
    box = given if isinstance(given, Outbox) else Outbox(given)
    return OfflineQueue(EventQueue(box, log.place, identity), log, open_session)


def _file(place: str | Path | None, done: str) -> Path:
    if place is None:
        return default_path()
    if is_address(place):
        raise StoreError(
            f"a store in a database server is {done} with that server's own tools, such as pg_restore;"
            " `ujsx store copy` moves a whole store into another one"
        )
    return Path(place)


def _check_name(what: str, name: str) -> None:
    if not name.strip() or name != name.strip():
        raise EventError(f'the {what} "{name}" is empty, or has white space at its edges')
    check_characters(what, name)
