"""The clients of a server: requests, sessions, news and metrics, and the log of one project that each may access."""

from __future__ import annotations

import asyncio
import logging
import re
import threading
import time
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import partial
from ipaddress import ip_address
from itertools import accumulate
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs, urlsplit
from weakref import WeakKeyDictionary, WeakSet

import anyio
from anyio import to_thread

from hud_runtime._errors import StoreError
from hud_runtime.log.events import PAYLOADS, Event, EventCatalog, EventType
from hud_runtime.log.store import At, EventStore, Hit, Snapshot, StoredDelivery, StoredOutput
from hud_runtime.log.store._protocol import Damage, Head, SweepRules, Swept, Transaction
from hud_runtime.serve.mcp._serve import Sessions
from hud_runtime.serve.mcp._server import Client
from hud_runtime.session import NO_LOOK, GivenLook, HudStore
from hud_runtime.session._parent import PROJECT
from ujsx.errors import shown

if TYPE_CHECKING:
    from starlette.types import Scope

    from hud_runtime.log.store._log_store import LogStore


SEPARATOR = "/"
"""Separates the name of a project from that of its session."""


class ProjectLog:
    """An :class:`EventStore` limited to a project's sessions: ``shop``, and all that begin with ``shop/``.

    Other sessions do not exist for it: reads find nothing, writes are refused.

    :param project: the project's name, without ``/``; None for all sessions of the log.
    :param recorded: called with the number of appended events.

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
        """Tell whether a session id belongs to the project, begun or not."""
        name = self._project
        return (
            name is None
            or session_id in {name, f"{PROJECT}{name}"}
            or session_id.startswith(f"{name}{SEPARATOR}")
        )

    def _check(self, session_id: str) -> None:
        if not self.holds(session_id):
            raise StoreError(
                f'session {shown(session_id)} does not belong to the project "{self._project}": its ids begin'
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
        """Lock out other writers of a session of the project."""
        self._check(session_id)
        return self._log.exclusive(session_id)

    def transaction(self) -> Transaction | None:
        """Return the caller's transaction, if any."""
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
        """Return nothing: event ids are shared by all projects."""
        if self._project is not None:
            raise StoreError("event ids are available for a whole store, not for a project")
        return self._log.known_ids(ids)

    def head(self, session_id: str) -> Head:
        """Return the end of a session of the project."""
        return self._log.head(session_id) if self.holds(session_id) else Head()

    def version_at(self, session_id: str, at: At) -> int:
        """Return the version of a moment; see :meth:`EventStore.version_at`."""
        return self._log.version_at(session_id, at) if self.holds(session_id) else 0

    def sessions(self) -> tuple[str, ...]:
        """Return the ids of the project's sessions, oldest first."""
        return tuple(each for each in self._log.sessions() if self.holds(each))

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Store the state of a session of the project."""
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
        """Store a delivery of a session of the project."""
        self._check(delivery.session_id)
        self._log.save_delivery(delivery)

    def deliveries(self, session_id: str, reader: str | None = None) -> list[StoredDelivery]:
        """Return the stored deliveries of a session of the project."""
        return self._log.deliveries(session_id, reader) if self.holds(session_id) else []

    def keep_output(self, output: StoredOutput) -> None:
        """Store a tool's output in a session of the project."""
        self._check(output.session_id)
        self._log.keep_output(output)

    def output(self, session_id: str, name: str) -> StoredOutput | None:
        """Return a stored output of a session of the project."""
        return self._log.output(session_id, name) if self.holds(session_id) else None

    def outputs(self, session_id: str) -> list[StoredOutput]:
        """Return the metadata of the outputs of a session of the project."""
        return self._log.outputs(session_id) if self.holds(session_id) else []

    def copy_outputs(self, origin: str, target: str) -> None:
        """Give a session of the project the outputs of another one."""
        self._check(origin)
        self._check(target)
        self._log.copy_outputs(origin, target)

    def sweep_outputs(self, rules: SweepRules, at: int, *, due: bool = False) -> Swept | None:
        """Delete the texts of old outputs in all projects, by the rules of the store's user."""
        return self._log.sweep_outputs(rules, at, due=due)

    def sweeps(self) -> list[Swept]:
        """Return nothing: sweeps are shared by all projects."""
        if self._project is not None:
            raise StoreError("sweeps are available for a whole store, not for a project")
        return self._log.sweeps()

    def search(
        self, query: str, *, session: str | None = None, limit: int = 20, after: int = 0
    ) -> list[Hit]:
        """Return a session's events with all words of ``query``, within the project; see :meth:`EventStore.search`.

        A session is required: hits of the whole log would be ranked with other projects' words.
        """
        if session is None and self._project is not None:
            raise StoreError("a project is searched session by session; name the session")
        if session is not None and not self.holds(session):
            return []
        return self._log.search(query, session=session, limit=limit, after=after)

    def archive(self, session_id: str) -> int:
        """Archive the events before the last compaction of a session of the project."""
        self._check(session_id)
        return self._log.archive(session_id)

    def purge(self, session_id: str) -> int:
        """Delete a session of the project, for good."""
        self._check(session_id)
        return self._log.purge(session_id)

    def verify(self) -> tuple[Damage, ...]:
        """Return the damage of the project's sessions."""
        return tuple(
            each
            for each in self._log.verify()
            if self._project is None or (each.session_id and self.holds(each.session_id))
        )

    def close(self) -> None:
        """Do nothing: the owner of the log closes it."""


NAME = re.compile(r"(?!\s)[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{1,200}(?<!\s)")
"""A session's name in a request: up to 200 characters on one line, without white space at the ends."""


@dataclass(eq=False)
class Clients:
    """The sessions of requests; the most recently used ones are in memory."""

    log: EventStore
    store_of: Callable[[EventStore], HudStore[Any]]
    """Makes a store from a log."""
    news: News
    most: int
    """Sessions in memory at most."""
    recorded: Callable[[int], object]
    """Called with the number of appended events."""
    session: str | None = None
    """The default session, where there are no projects."""
    folder: Path | None = None
    """The project's folder, where there are no projects."""
    look: GivenLook = NO_LOOK
    """The layout and the words of the sessions."""
    _stores: dict[str | None, HudStore[Any]] = field(default_factory=dict[Any, Any], init=False)
    _known: OrderedDict[Any, Client] = field(default_factory=OrderedDict[Any, Client], init=False)

    def __len__(self) -> int:
        return len(self._known)

    def of(self, project: str | None, name: str | None) -> Client:
        """Return the client of a request.

        :param project: the token's project; None where there are no tokens, for access to all sessions.
        :param name: the session's name in the request: ``main`` and ``shop/main`` are the same in ``shop``.
            None for the project's own session.
        """
        session_id = self.session if name is None else name
        if project is not None:
            session_id = _within(project, name)
        key = project, session_id
        client = self._known.pop(key, None) or self._new_client(project, session_id)
        self._known[key] = client
        while len(self._known) > self.most:
            self._known.popitem(last=False)
        return client

    def _new_client(self, project: str | None, session_id: str | None) -> Client:
        store = self._stores.get(project)
        if store is None:
            log = ProjectLog(self.log, project, self.recorded)
            store = self._stores[project] = self.store_of(log)
        folder = self.folder if project is None else None
        sessions = Sessions(
            store, session_id=session_id, folder=folder, project=project, look=self.look
        )
        # The same object waits each time, so that no news is missed between two waits.
        return Client(sessions, partial(self.news.wait, sessions))


def _within(project: str, name: str | None) -> str:
    """Return the id of a project's session.

    >>> _within("shop", None), _within("shop", "main"), _within("shop", "shop/main")
    ('shop', 'shop/main', 'shop/main')
    """
    if name is None or name == project or name.startswith(f"{project}{SEPARATOR}"):
        return project if name is None else name
    return f"{project}{SEPARATOR}{name}"


# The head of a request: the host it addresses, its token, and its session.

SESSION = "ujsx-session"
"""The header with a session's name; in a URL it is the parameter ``session``."""

MCP_SESSION = "mcp-session-id"
"""The header of the protocol's own sessions, in its versions before 2026-07-28."""

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
"""The names of this machine for itself."""

FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")
"""Headers of proxies: a request with one of them may come from another machine."""

_MCP_ID = re.compile(r"[0-9a-f]{32}")


class RequestRefusal(NamedTuple):
    """The status and the text of a refusal."""

    status: int
    sentence: str


REFUSALS: Mapping[str, RequestRefusal] = MappingProxyType(
    {
        "host": RequestRefusal(
            421, "this server does not answer to that name; --allow-host adds it at its start"
        ),
        "origin": RequestRefusal(403, "a page of another site asks for this"),
        "token": RequestRefusal(
            401, "send a token that is valid: Authorization: Bearer ...; `ujsx token add` makes one"
        ),
        "tokens": RequestRefusal(
            503, "the file of tokens cannot be read, so nobody is let in; the server's log says why"
        ),
        "project": RequestRefusal(403, "this token is for /metrics alone; take one of a project"),
        "metrics": RequestRefusal(
            403, "figures are for this machine, or for a token of `ujsx token add --metrics`"
        ),
        "path": RequestRefusal(404, "there is /mcp, /health/live, /health/ready and /metrics"),
        "method": RequestRefusal(
            405, "send requests with POST; to listen, send subscriptions/listen (2026-07-28)"
        ),
        "session": RequestRefusal(
            400, "a session's name has 1 to 200 characters on one line, and stands in one place"
        ),
        "expired": RequestRefusal(
            404, "there is no such session of the protocol; initialize a new one"
        ),
        "rate": RequestRefusal(429, "this token sends more requests than {rate} a second; wait"),
        "at_once": RequestRefusal(
            503, "{at_once} requests, or {at_once_of_token} of this token, are under way; try again"
        ),
        "streams": RequestRefusal(
            503, "{streams} clients listen, or {streams_of_token} of this token; poll instead"
        ),
        "size": RequestRefusal(413, "a request has {body} bytes at most"),
        "slow": RequestRefusal(408, "a request is sent within {sending} seconds"),
        "left": RequestRefusal(400, "the connection was closed before the request was complete"),
        "stopping": RequestRefusal(503, "this server is stopping; another one may answer"),
    }
)
"""The refusals of requests, by their names in the metrics."""

RETRY_AFTER: Mapping[str, int] = MappingProxyType({"at_once": 1, "streams": 30, "stopping": 1})
"""Seconds before a retry, where nothing else sets them."""


class RequestRefusedError(Exception):
    """A request that is refused.

    :param why: a key of :data:`REFUSALS`.
    :param after: seconds before a retry.
    """

    def __init__(self, why: str, after: float | None = None) -> None:
        self.why = why
        self.after = RETRY_AFTER.get(why) if after is None else after


class RequestHead:
    """The head of a request."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            known = self._headers.setdefault(name.decode("latin-1").lower(), [])
            known.append(value.decode("latin-1"))

    def one(self, name: str) -> str | None:
        """Return a header that occurs exactly once, or None."""
        found = self._headers.get(name, [])
        return found[0] if len(found) == 1 else None

    def has(self, name: str) -> bool:
        """Tell whether a header is present."""
        return name in self._headers

    def check_host(self, hosts: Collection[str]) -> None:
        """Refuse a request for another server, and one from another site's page.

        A page that uses DNS rebinding to reach this machine sends its own host name.

        :param hosts: host names of this server; one without a port allows any port.
        """
        if not is_named(self.one("host") or "", hosts):
            raise RequestRefusedError("host")
        if self.has("origin"):
            try:
                parts = urlsplit(self.one("origin") or "")
            except ValueError:
                raise RequestRefusedError("origin") from None
            if parts.scheme not in {"http", "https"} or not is_named(parts.netloc, hosts):
                raise RequestRefusedError("origin")

    @property
    def token(self) -> str:
        """The request's token; empty for none, or several."""
        scheme, _, token = (self.one("authorization") or "").partition(" ")
        return token.strip() if scheme.lower() == "bearer" else ""

    @property
    def is_of_this_machine(self) -> bool:
        """True if the request came from this machine: no proxy header says otherwise."""
        peer = (self._scope.get("client") or ("",))[0]
        try:
            is_here = ip_address(peer).is_loopback
        except ValueError:
            is_here = False
        return is_here and not any(map(self.has, FORWARDED))

    @property
    def session(self) -> str | None:
        """The session that the request names, or None."""
        given = self._query().get("session", [])
        for value in self._headers.get(SESSION, []):
            try:
                given = [*given, value.encode("latin-1").decode()]
            except UnicodeDecodeError:
                raise RequestRefusedError("session") from None
        if not given:
            return self._of_protocol()
        if len({*given}) > 1 or not NAME.fullmatch(given[0]):
            raise RequestRefusedError("session")
        return given[0]

    def _query(self) -> dict[str, list[str]]:
        given: bytes = self._scope.get("query_string", b"")
        try:
            return parse_qs(
                given.decode(), keep_blank_values=True, errors="strict", max_num_fields=20
            )
        except ValueError:
            raise RequestRefusedError("session") from None

    def _of_protocol(self) -> str | None:
        if not self.has(MCP_SESSION):
            return None
        given = self.one(MCP_SESSION) or ""
        if not _MCP_ID.fullmatch(given):
            raise RequestRefusedError("expired")
        return f"mcp-{given}"


def is_named(host: str, hosts: Collection[str]) -> bool:
    """Tell whether a host, with or without its port, is one of these.

    >>> is_named("localhost:8080", LOOPBACK), is_named("localhost.evil.example", LOOPBACK)
    (True, False)
    """
    name = host.lower()
    if name in hosts:
        return True
    bare, _, port = name.rpartition(":")
    return port.isascii() and port.isdecimal() and bare in hosts


# A server's metrics in Prometheus' text format: counts and times, without users' texts.
#
# The format is that of version 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats).

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the histogram's buckets, in seconds."""

METHODS = frozenset(
    {
        "completion/complete", "initialize", "notifications/initialized", "ping", "prompts/get",
        "prompts/list", "resources/list", "resources/read", "resources/templates/list",
        "server/discover", "subscriptions/listen", "tools/call", "tools/list",
    }
)  # fmt: skip
"""Methods with their own label; clients' invented ones count as "other"."""

HELP: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "ujsx_requests_total": ("counter", "Requests of the protocol, by method and HTTP status."),
        "ujsx_refused_total": ("counter", "Requests that were refused, by why."),
        "ujsx_errors_total": ("counter", "Requests that broke inside the server."),
        "ujsx_events_recorded_total": ("counter", "Events that were recorded."),
        "ujsx_request_seconds": ("histogram", "Time to answer a request, by method."),
        "ujsx_requests_now": ("gauge", "Requests that are being answered."),
        "ujsx_connections_now": ("gauge", "Connections that are open."),
        "ujsx_streams_now": ("gauge", "Clients that listen."),
        "ujsx_sessions_now": ("gauge", "Sessions that are kept in memory."),
        "ujsx_store_away": (
            "gauge",
            "1 while the database was not reached the last time that it was asked.",
        ),
    }
)
"""Each metric's type and description."""

Labels = tuple[tuple[str, str], ...]


class Metrics:
    """The metrics; any thread may count.

    >>> metrics = Metrics()
    >>> metrics.count("ujsx_refused_total", why="rate")
    >>> [line for line in metrics.text().splitlines() if line.startswith("ujsx_refused")]
    ['ujsx_refused_total{why="rate"} 1']
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts: dict[str, dict[Labels, int]] = {
            name: {} for name, (kind, _) in HELP.items() if kind == "counter"
        }
        for name in ("ujsx_errors_total", "ujsx_events_recorded_total"):
            self._counts[name][()] = 0
        self._times: dict[str, tuple[list[int], float]] = {}
        self.gauges: dict[str, Callable[[], int]] = {}
        """Metrics that are computed on request."""

    def count(self, name: str, number: int = 1, **labels: str) -> None:
        """Increase a counter."""
        key = tuple(sorted(labels.items()))
        with self._lock:
            self._counts[name][key] = self._counts[name].get(key, 0) + number

    def answered(self, method: str, status: int, seconds: float) -> None:
        """Count an answered request; the time of a stream is not recorded."""
        method = method if method in METHODS else "other"
        self.count("ujsx_requests_total", method=method, status=str(status))
        if method == "subscriptions/listen":
            return
        with self._lock:
            counts, total = self._times.get(method, ([0] * (len(BUCKETS) + 1), 0.0))
            counts[bisect_left(BUCKETS, seconds)] += 1
            self._times[method] = counts, total + seconds

    def text(self) -> str:
        """Return the present values of all metrics."""
        with self._lock:
            lines = [*self._lines()]
        return "\n".join(lines) + "\n"

    def _lines(self) -> Iterator[str]:
        for name, (kind, about) in HELP.items():
            yield f"# HELP {name} {about}"
            yield f"# TYPE {name} {kind}"
            if kind == "counter":
                for labels, number in sorted(self._counts[name].items()):
                    yield f"{name}{_shown(labels)} {number}"
            elif kind == "gauge":
                if name in self.gauges:
                    yield f"{name} {int(self.gauges[name]())}"
            else:
                for method, (counts, total) in sorted(self._times.items()):
                    yield from _histogram(name, method, counts, total)


def _histogram(name: str, method: str, counts: list[int], total: float) -> Iterator[str]:
    bounds = (*map(str, BUCKETS), "+Inf")
    for bound, number in zip(bounds, accumulate(counts), strict=True):
        yield f"{name}_bucket{_shown((('method', method), ('le', bound)))} {number}"
    yield f"{name}_sum{_shown((('method', method),))} {total:.6f}"
    yield f"{name}_count{_shown((('method', method),))} {sum(counts)}"


def _shown(labels: Labels) -> str:
    """Return labels in the text format; all values are from our own tables."""
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels) + "}" if labels else ""


# Clients that wait for news of a session: notified by the database server if it supports that, and
# by polling.

LOOK_EVERY = 1.0
"""Seconds between polls of a store without notifications."""

NET = 5.0
"""Seconds between polls of a store with notifications, for those missed while connecting."""

GATHERED = 0.05
"""Seconds in which a busy session's events are reported together."""

EVERY = 0.5
"""Seconds after which the listening thread checks whether anybody waits."""

_log = logging.getLogger("ujsx.serving")


class _Waiter:
    """A client that waits for sessions. Events between two waits end the next one."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.woken = anyio.Event()


class News:
    """New events of a log, for clients that wait for some of its sessions.

    While clients wait, one thread with its own connection listens to the database server.
    """

    def __init__(self, log: LogStore) -> None:
        self._log = log
        self._waiters: WeakKeyDictionary[object, _Waiter] = WeakKeyDictionary()
        self._by_number: dict[int, WeakSet[_Waiter]] = {}
        self._wanted_until = 0.0
        self._thread: threading.Thread | None = None

    async def wait(self, who: object, ids: list[str]) -> None:
        """Return when one of these sessions may have new events since the last wait, or after a while."""
        if not ids:  # unknown sessions have no news
            await anyio.sleep(NET)
            return
        waiter = self._waiters.setdefault(who, _Waiter())
        try:
            tells = await self._know(waiter, ids)
        except StoreError:  # the store is away; the next read reports that
            tells = False
        if not tells:
            await anyio.sleep(LOOK_EVERY)
            return
        self._hear()
        with anyio.move_on_after(NET):
            await waiter.woken.wait()
            await anyio.sleep(GATHERED)
        waiter.woken = anyio.Event()

    async def _know(self, waiter: _Waiter, ids: list[str]) -> bool:
        """Look up the sessions' numbers in notifications; return whether there are any."""
        for each in ids:
            if each not in waiter.numbers:
                number = await to_thread.run_sync(self._log.number_of, each)
                if number is None:
                    return False
                waiter.numbers[each] = number
                self._forget()
                self._by_number.setdefault(number, WeakSet()).add(waiter)
        return True

    def _forget(self) -> None:
        """Drop sessions for which no client waits."""
        for number in [number for number, who in self._by_number.items() if not who]:
            del self._by_number[number]

    def _hear(self) -> None:
        """Keep the thread running while clients wait, and a little longer."""
        self._wanted_until = time.monotonic() + 2 * NET
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(
                target=self._listen,
                args=(asyncio.get_running_loop(),),
                name="ujsx notices",
                daemon=True,
            )
            self._thread.start()

    def end(self) -> None:
        """Stop listening."""
        self._wanted_until = 0.0

    def _is_over(self) -> bool:
        return time.monotonic() > self._wanted_until

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        while not self._is_over():
            try:
                for number in self._log.notices(self._is_over, every=EVERY):
                    if number is not None and number in self._by_number:
                        with suppress(RuntimeError):  # the server has ended
                            loop.call_soon_threadsafe(self._wake, number)
            except StoreError as error:
                _log.info("notices are not heard: %s", type(error).__name__)
                time.sleep(EVERY)

    def _wake(self, number: int) -> None:
        for waiter in self._by_number.get(number, ()):
            waiter.woken.set()
