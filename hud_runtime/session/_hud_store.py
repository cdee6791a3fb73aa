"""``HudStore``: the door to the log."""

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
    check_resumed,
    checked_parents,
    inherited,
    shared,
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

# The domain that a session belongs to, and whether it is available.

NO_SECTIONS = {
    "sections": 'write domain=Domain("…", sections=(…)), from hud_components import Domain'
}
"""The refusal of sections where their domain belongs."""

_GIVE = "give the Domain itself, such as domain=CODING"


MOVED = "session.domain"
"""The type of the event that moves a session to another domain."""


def domains_of(events: EventStore, session_id: str) -> Iterator[str]:
    """Yield the names of the domains that a session has belonged to, the newest first.

    Few sessions have moved: those that have are found by the index of types.
    """
    moves = [*events.read(session_id, types={MOVED})]
    yield from map(domain_named, reversed(moves))
    yield from map(domain_named, events.read(session_id, 0, 1))


def domain_named(event: Event) -> str:
    """Return the name of the domain that an event names: a session's first one, or one that moved it."""
    said = event.payload
    if isinstance(said, Stored):
        return str(said.model_dump().get("domain", CODING.name))
    return str(getattr(said, "domain", CODING.name))


def catalog_at(
    events: EventStore, domains: Mapping[str, Domain[Any]], session_id: str
) -> EventCatalog:
    """Return the catalog of the domain that a session belongs to; that of the coding HUD where it is not loaded."""
    named = next(domains_of(events, session_id), CODING.name)
    return catalog_of(domains.get(named, CODING))


def by_name(domains: Iterable[Domain[Any]]) -> dict[str, Domain[Any]]:
    """Return domains by their names.

    :raises DomainError: for what is no domain, and for two of one name.
    """
    found: dict[str, Domain[Any]] = {}
    for domain in domains:
        given: object = domain
        if not isinstance(given, Domain):
            write = NO_SECTIONS["sections"] if isinstance(given, list | tuple) else _GIVE
            raise DomainError(f"{shown(given)} is not a domain; {write}")
        if found.setdefault(domain.name, domain) is not domain:
            raise DomainError(f'there are two domains of the name "{domain.name}"; rename one')
    return found


# The log at a place: a file of SQLite, or the address of a PostgreSQL database.

BUSY_TIMEOUT = 5_000
"""Milliseconds that a writer waits for another one."""


def open_log(
    place: str | Path | None = None,
    *,
    durable: bool = False,
    busy_timeout: int = BUSY_TIMEOUT,
    read_only: bool = False,
) -> LogStore:
    """Open the log at a path or an address; the default one for None.

    Raises :class:`StoreError` where it cannot be used, or where psycopg is not installed.
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
"""Sessions that a notebook lists of a store."""


_OPEN = 'write HudStore.open("hud.db"), or HudStore(":memory:")'
"""The line to write for what opens no store."""


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _table_of(rows: Iterable[ModelLimit] | None) -> ModelLimits | None:
    if rows is None:
        return None
    from hud_runtime.observe import model_limits_of

    return model_limits_of(rows)


def _milliseconds(clock: Callable[[], Any]) -> int:
    """The time of somebody's clock, which may give a moment.

    :raises EventError: for seconds, and for what is no time.
    """
    told = milliseconds_of(clock())
    if type(told) is int and told not in SECONDS_NOW:
        return told
    line = "clock=lambda: int(time.time() * 1000)"
    raise EventError(f"a clock gives milliseconds since the epoch, not {shown(told)}; write {line}")


SECONDS_NOW = range(1_400_000_000, 2_200_000_000)
"""Times of these years in seconds: as milliseconds, they would be of January 1970."""


def now() -> int:
    """Return the milliseconds since the Unix epoch."""
    return time.time_ns() // 1_000_000


class StoredSessions(Answering, Displayable, Generic[StateT, EventT], metaclass=AnsweringType):
    """The sessions of a store as they stand in its log: listed, read and searched, whether their domains are at hand or not."""

    def __init__(
        self, events: EventStore, domain: Domain[StateT, EventT], domains: Iterable[Domain[Any]]
    ) -> None:
        self._events = events
        self.domains = by_name((CODING, *domains, domain))
        """The domains that are at hand, by name: that of new sessions, those given beside it, and the coding HUD."""
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
        """Return the ids of all sessions, in the order of their beginning."""
        return tuple(one for one in self._events.sessions() if not one.startswith(PROJECT))

    def __contains__(self, session_id: object) -> bool:
        """Tell whether a session of this id has begun; what can be no id is none.

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
        """Return the events of all sessions, or of one, that say all words of ``query``.

        What a query may be, and how its answers page: :meth:`EventStore.search`.
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
        """Yield a session's events as they stand in the log, whether its domain is at hand or not.

        What the session's domain would read is read; all else is :class:`Stored`, and so is everything
        with ``as_recorded``.
        """
        check_characters("session id", session_id)
        catalog = AS_RECORDED if as_recorded else self._catalog_of(session_id)
        return self._events.read(
            session_id, after, up_to, types=types, checked=checked, catalog=catalog
        )

    def known_ids(self, ids: Collection[str]) -> frozenset[str]:
        """Return those of the ids that events in the store have. All events are looked at."""
        return self._events.known_ids(ids)

    def version_of(self, session_id: str) -> int:
        """Return the version of a session's last event; 0 for a session that is not there."""
        check_characters("session id", session_id)
        return self._events.head(session_id).version

    @property
    def place(self) -> str:
        """The place of the store, for messages: a path, or an address without its password."""
        return log_of(self._events, "tell of").place

    def wait(self, session_id: str, after: int, *, timeout: float) -> int:
        """Wait until a session goes on behind a version, for so many seconds at most; return its last one.

        A database server tells of it at once; a file is looked at now and then.

        >>> with HudStore.open(":memory:") as store:
        ...     store.wait(store.session("s").id, 0, timeout=1)
        1
        """
        check_characters("session id", session_id)
        return log_of(self._events, "wait for").wait(session_id, after, timeout=timeout)

    def domain_name(self, session_id: str) -> str:
        """Return the name of the domain that a session belongs to, whether it is at hand or not.

        One that has not begun will belong to that of new sessions.
        """
        return next(self._names_of_domain(session_id), self.domain.name)

    def _names_of_domain(self, session_id: str) -> Iterator[str]:
        """The name of the domain that a session belongs to, if it has begun.

        Of one whose beginning is lost, as after a repair, a snapshot tells it.
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
        """The domain that a session's first event names; that of new sessions where there is none.

        :raises DomainError: for one that is not loaded.
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
"""The refusal of what each HUD is given, a session records, or a store does by itself."""


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
        'store.session("s-1")': "get getsession loadsession opensession createsession startsession newsession load",
        'store.keeping.purge("s-1")': "purge delete remove drop deletesession removesession",
        'store.keeping.backup("backups")': "backup copy copyto snapshot",
        "store.wait(session_id, after, timeout=…)": "onevent subscribe watch listen follow",
        "store.keeping.verify()": "verify check",
        "HudStore.open(path), and of its sessions await session.acall(…)": "openasync aopen",
        'store.keeping.archive("s-1")': "archive compact",
        '"s-1" in store': "exists has hassession contains sessionexists",
        "store.close()": "flush commit sync save isclosed closed",
        "store.keeping.figures()": "stats size info figures",
        "store.domain.sections": "sections",
    }

    _also: ClassVar[Mapping[str, str]] = {
        "session": "getsession opensession createsession newsession startsession",
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
        """Stand on any event store, or open the one at a path as :meth:`open` does. ``clock`` gives milliseconds since the epoch.

        ``domain`` is that of new sessions; those of ``domains``, and the coding HUD, are at hand for
        sessions that belong to them.

        ``limits`` say how much text is taken in: those of the environment when they are not given.

        ``agent_layouts`` says what becomes of layouts that agents set: ``"offer"`` gives their tool
        the operations for it, ``"show"`` shows what was set, ``"off"`` neither.

        ``thresholds`` say from where on each level of a context holds, and what follows from it: those of
        ``settings``, or of :data:`hud_components.THRESHOLDS`, when they are not given. ``model_limits`` are the sizes of contexts by the
        names of models, for hosts that do not tell them. A :class:`PropError` says what is wrong with them.

        ``secrets`` says what becomes of keys, tokens and passwords in what is recorded: ``"mask"``,
        ``"refuse"``, ``"off"``, or :class:`hud_runtime.log.secrets.Secrets` with a table of your own; what
        the environment asks for when it is not given, which is to mask them.

        ``parents`` says what a child sees of its parent's later decisions and notes when it asks:
        ``"live"`` how they are now, ``"start"`` how they were when it began, ``"off"`` nothing.

        ``sweeps`` say when the texts of kept tool outputs go. ``settings`` are what a user has set beside the store.

        ``outbox`` is a folder, or an :class:`hud_runtime.log.outbox.Outbox` with bounds of its own, for what
        :meth:`HudSession.post` keeps while a database server cannot be reached; that of the settings when it is not
        given. What waits there for this store is recorded now. :class:`StoreError` for a store that is in a file.

        ``layout`` and ``words`` are what new sessions are shown with, a tree and a mapping or the paths of files: they are
        kept with each when it starts. What cannot be used is logged with its place, and that of the domain stands in.

        ``components`` are components of your own that may stand in a layout's text, beside the domain's sections.
        :class:`PropError` for one that has the name of another.
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
        """What it gives to all its sessions."""
        super().__init__(events, domain, domains)
        self._opened = OpenSessions()
        self.keeping = StoreKeeping(events, self.options, self._opened, self._catalog_of)
        """Its backups, archives, purges and checks."""
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
        """Open the SQLite store at ``path``, or one in memory for ``":memory:"``; or the store in a PostgreSQL
        database, ``"postgresql://user@host/database"``, which needs ``ujsx[postgres]``.

        Without a path it is ``hud.db`` in the platform's folder for a user's data, or in
        ``$UJSX_HOME``. A missing file is made, readable by its owner alone. ``projections`` can be
        asked for by name, beside "hud"; ``snapshots`` says how often they are kept, ``limits`` how
        long a text may be. New sessions belong to ``domain``; sessions of other ``domains`` can be
        resumed where those are given. With ``agent_layouts="offer"`` an agent may lay out its own
        HUD, with ``"off"`` nothing that one has set is shown. ``thresholds`` are from where on each level of a
        context holds, as in ``THRESHOLDS.at(red=80)``; ``model_limits`` the sizes of contexts by the names of models,
        where a host does not say, as in ``(ModelLimit("in-house", 32_768), *MODEL_LIMITS)``.
        ``secrets`` says what becomes of keys and
        passwords in what is recorded: they are masked, unless it is "refuse" or "off". ``parents`` is
        what children see of their parents: "live", as of their "start", or nothing, "off". What its user has set in
        ``context.toml`` beside the file holds where nothing else is given: :class:`SettingsError` says what is wrong there.
        ``outbox`` is a folder where :meth:`HudSession.post` keeps what a database server that is away cannot take.
        ``layout`` and ``words`` are what new sessions are shown with; ``components`` of your own may stand in layouts that are text.

        What a record has returned from survives the end of the process, however it ends. With
        ``durable``, each record waits until the disk has it (about ten times slower): then not even
        a power cut costs anything. While one store of a process is durable, all that it has open on
        the same file are.

        A file may be opened as often as you like, by any number of processes, threads and asyncio
        tasks; those of one process share its connections. A forked child goes on with the store,
        unless the parent was in the middle of something with it: then the child gets a
        :class:`StoreError`. So does everybody once the file was deleted or replaced while it was
        open. The details are in *What is stored where*.

        Raises a :class:`StoreError` that says why the file cannot be used.
        """
        given: object = path
        if not isinstance(given, str | os.PathLike | None):
            raise StoreError(f"{shown(given)} is not a path; {_OPEN}")
        # Before a file is opened.
        table = None if thresholds is None else Thresholds(thresholds)
        sizes = _table_of(model_limits)
        settings = settings_beside(path)
        at_hand = by_name((CODING, *domains, domain))
        # A class reached by its name has the default state for type checkers, whatever the domain.
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
        """Return the session with this id; a new one is started, an old one resumed.

        A new session inherits its project's notes, decisions and files, and its parent's task,
        decisions and open blockers, as they are now; its first event, ``session.start``, holds a
        copy. Nothing else of the parent is taken over, and not its project. The session began now,
        or at ``started_at`` (milliseconds since the epoch), as for a transcript from the past.

        ``thresholds`` are those of this session from now on, in place of the store's. ``layout`` is that of its HUD, as
        :meth:`HudSession.set_look` takes it.

        Raises :class:`EventError` for an id or a project that cannot be, for a parent that does
        not exist, and for a session that was started in another project or by another parent, unless
        it is to be resumed ``as_begun``: ``project`` and ``parent`` are then of a new session alone.
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
        """Return the log of a project's defaults: what is recorded there, new sessions inherit.

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
        """Append events as they stand in another log: with their ids, versions and times.

        An event whose id is empty gets one. Those that the session has already must be the same.

        Raises :class:`EventError` for a name that cannot be, a text above the limit, or a session
        that tells another story; :class:`StoreError` when the store cannot take them.
        """
        _check_name("session id", session_id)

        new_id = self.options.ids.next
        for before, page in new_pages(self, session_id, events, self.options.limits):
            named = [one if one.id else one.model_copy(update={"id": new_id()}) for one in page]
            self._events.append(session_id, before, named)

    @staticmethod
    def restore(
        backup: str | Path, path: str | Path | None = None, *, force: bool = False
    ) -> BackupResult:
        """Put a backup where a store is to be: at ``path``, or in the default place.

        It is copied and checked before anything is changed. With ``force`` it takes the place of a
        store that is there; that one is set aside in a folder, and what was purged in it since the
        backup stays purged. A store that anybody has open is never replaced.

        Raises :class:`StoreError` for a store that is there, or for no backup;
        :class:`StoreLockedError` for a store in use; :class:`StoreDamagedError` for a damaged backup.
        """
        from hud_runtime.log.store import default_path
        from hud_runtime.log.store._backup import restore

        place = default_path() if path is None else _file(path, "restored")
        return restore(Path(backup), place, force=force)

    @staticmethod
    def repair(path: str | Path | None = None) -> RepairResult:
        """Mend a damaged store, and return what is missing.

        What is derived from the log, snapshots and the search index, is made anew. If the log itself
        is damaged, all events that can be read and are as they were written go into a new file. A
        session keeps what stands before the first event that is lost; what stands behind it is
        written as JSON lines. Where a snapshot tells the state behind all that is lost, the session
        goes on from there, and its past has a hole. The damaged files, and those lines, are set
        aside in a folder.

        Raises :class:`StoreLockedError` for a damaged store in use, :class:`StoreVersionError` for one of
        a newer version, :class:`StoreDamagedError` where nothing can be read.
        """
        from hud_runtime.log.store import default_path
        from hud_runtime.log.store._repair import repair

        place = default_path() if path is None else _file(path, "mended")
        return repair(place, projection=(HUD.name, (HUD.revision, *HUD.former_revisions)))

    def close(self) -> None:
        """Release the store. Closing twice is no error. What waits in an outbox waits on."""
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
        # It reads the log, and that may have to wait: so nobody else waits for it here.
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
        """Move a session to a domain that has all sections of its own, and return it.

        Its whole log is read by that domain from now on: what the former sections hold stays. The event
        ``session.domain`` records it. A session object that was made before goes on with the former domain's sections
        and counts other sections' events as unreadable; a store elsewhere needs the domain to open the session, and without it
        lists and exports it.

        :param domain: one that is at hand, or its name.
        :raises DomainError: for a domain that is not loaded, or lacks a section of the session's.
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
        payload: dict[str, object] = {}
        defaults = parents = None
        if project is not None:
            payload["project"] = project
            defaults = self._defaults(session, project)
        if parent is not None:
            if self._events.head(parent).version == 0:
                raise EventError(f'there is no session "{parent}" to be the parent')
            origin = self._session(parent)
            parents = shared(session.domain, origin.domain, origin.refresh())
            payload |= {"parent": parent, "parent_version": origin.version}
        payload["inherited"] = inherited(session.domain, defaults, parents)
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
            # Another process may have started it in the meantime: then there is nothing to do.
            session.refresh()
            if session.version == 0:
                raise

    def _defaults(self, session: HudSession[Any], project: str) -> Any:
        log = f"{PROJECT}{project}"
        if not self._events.head(log).version:
            return None
        found = self._session(log)
        return shared(session.domain, found.domain, found.refresh())


def _posting_of(
    events: EventStore,
    outbox: str | Path | Outbox | None,
    usual: Outbox | None,
    open_session: Callable[[str], HudSession[Any]],
) -> OfflineQueue | None:
    """The outbox of a store in a database server: the one given, or that of the settings.

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


def _file(place: str | Path, done: str) -> Path:
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
