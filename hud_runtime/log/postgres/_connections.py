"""Connections to a PostgreSQL server, its errors and texts."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import TypeAlias, TypeVar

import psycopg
from psycopg import sql
from psycopg.adapt import Dumper, Loader
from psycopg_pool import ConnectionPool, PoolTimeout

from hud_runtime._breaker import SERVER, Breaker
from hud_runtime._errors import StoreError, StoreLockedError, StoreUnavailableError
from hud_runtime._fork import mutex
from hud_runtime.log.postgres._schema import address_identity, parsed_address, shown_address
from hud_runtime.log.store._files import failure

# PostgreSQL's errors as ours.

REFUSALS = re.compile(
    r"does not exist|authentication failed|no password supplied|not permitted to log in"
    r"|no pg_hba\.conf entry|permission denied|does not support SSL|unrecognized configuration parameter"
    r'|definition of service "[^"]*" not found'
)
"""Messages of a server, or of libpq, for errors that a retry cannot fix; the same password again may even
lock the user out. A failed connection has no code, only a message. Messages in other languages than English
are not recognized, and are retried like all others.
"""


def our_error(place: str, error: psycopg.Error, secret: str | None = None) -> StoreError:
    """Convert an error of PostgreSQL to one of ours.

    :param secret: a text to remove from the message, wherever the server or its library repeats it.
    """
    said = " ".join(str(error).split())
    if secret:
        said = said.replace(secret, "***")
    code = error.sqlstate or ""
    if (known := failure(code, place, said)) is not None:
        return known
    if not code and isinstance(error, psycopg.OperationalError):
        what = "no connection was free in time" if isinstance(error, PoolTimeout) else (
            "the database cannot be reached, or went away"
        )  # fmt: skip
        return StoreUnavailableError(f"{place}: {what}; nothing was recorded ({said})")
    return StoreError(f"{place}: {said}")


@contextmanager
def our_errors(place: str, secret: str | None = None) -> Generator[None]:
    """Convert PostgreSQL's errors within the context to ours."""
    try:
        yield
    except psycopg.Error as error:
        raise our_error(place, error, secret) from _without_secret(error, secret)


def _without_secret(error: psycopg.Error, secret: str | None) -> psycopg.Error | None:
    """Return an error as a cause, unless its traceback would show the secret."""
    return None if secret and secret in str(error) else error


def is_broken(error: BaseException) -> bool:
    """Tell whether an error may mean a lost or unavailable connection, so that another one may work."""
    if not isinstance(error, psycopg.OperationalError) or isinstance(error, PoolTimeout):
        return False
    code = error.sqlstate or ""
    if not code:
        return REFUSALS.search(str(error)) is None
    return code[:2] == "08" or code in {"53300", "57P01", "57P02", "57P03"}


# Text for PostgreSQL: all of Unicode but the null character, which is escaped as two characters.
#
# Ids and texts of agents may contain one. Every text is converted both ways. Text without a null or
# the escape character, which is nearly all, stays unchanged, for SQL and for people.

STANDS_FOR = "\x1a"
"""SUBSTITUTE, the escape character, which marks an unwritable one."""

NULL, ITSELF = f"{STANDS_FOR}0", f"{STANDS_FOR}1"

Raw: TypeAlias = "bytes | bytearray | memoryview[int]"


def without_nulls(text: str) -> str:
    r"""Return a text in its stored form.

    >>> without_nulls("a\0b"), without_nulls("\x1a"), without_nulls("Port 8080")
    ('a\x1a0b', '\x1a1', 'Port 8080')
    """
    if STANDS_FOR in text:
        text = text.replace(STANDS_FOR, ITSELF)
    return text.replace("\0", NULL) if "\0" in text else text


def with_nulls(text: str) -> str:
    r"""Return the original of a stored text.

    >>> with_nulls(without_nulls("\0\x1a01\x1a")) == "\0\x1a01\x1a"
    True
    """
    if STANDS_FOR not in text:
        return text
    return text.replace(NULL, "\0").replace(ITSELF, STANDS_FOR)


class TextDumper(Dumper):
    """Writes texts. Their type is left open, as for a literal; the statement determines it."""

    oid = 0

    def dump(self, obj: str) -> bytes:
        """Encode a text for PostgreSQL. Raises UnicodeEncodeError for an unpaired surrogate."""
        return without_nulls(obj).encode()


class TextLoader(Loader):
    """Reads texts."""

    def load(self, data: Raw) -> str:
        """Decode a text."""
        return with_nulls(bytes(data).decode())


Link = psycopg.Connection[tuple[object, ...]]
ResultT = TypeVar("ResultT")

VARIABLE = "UJSX_POSTGRES_CONNECTIONS"
"""The environment variable for a store's maximum of connections."""

CONNECTIONS = 8
"""The default maximum of a store's connections: each is a process of the server."""

LOOK_EVERY, IN_TURN = 0.3, 2.0
"""Seconds of one wait for the pool: while it lacks connections, and while all are busy. Asking again lets
the pool check the server, and moves the caller to the end of the queue.
"""

AGAIN = 0.1
"""Seconds between attempts to reach a lost server."""


class Connections:
    """The connections of a store, opened on demand, and again in a forked child."""

    def __init__(
        self, address: str, *, busy_timeout: int, durable: bool, read_only: bool, most: int | None
    ) -> None:
        self._settings = parsed_address(address)
        self.place = shown_address(self._settings)
        self.identity = address_identity(self._settings)
        self.key = frozenset(self._settings.items())
        """The identity of the store: server, database and schema, among others."""
        self._secret = self._settings.get("password")
        self.busy_timeout = busy_timeout
        self._timeout = busy_timeout / 1_000
        self._durable = durable
        self.read_only = read_only
        self._most = _most() if most is None else most
        self._pool: ConnectionPool[Link] | None = None
        self._process = os.getpid()
        self._lock = mutex()
        self._is_closed = False
        self.breaker = Breaker(SERVER)
        """The breaker for an unreachable server: all callers but one fail at once."""

    def again(
        self,
        work: Callable[[Link, bool], ResultT],
        failed: str,
        *,
        insists: bool = False,
        alone: bool = False,
        keeps: bool = False,
    ) -> ResultT:
        """Run work that may be repeated, on another connection each time one breaks, within the promised time.

        Every use of the server passes here: a single statement, the begin of a transaction, opening,
        listening. ``work`` is told whether it may have run before. It raises our errors.

        :param failed: the message where the server does not return in time, after a first attempt.
        :param insists: whether to keep trying although the breaker is open: the work may have been done,
            and only the server knows.
        :param alone: whether to use a connection outside of the pool.
        :param keeps: whether the connection stays open for the caller, who gives it back.
        """
        deadline = time.monotonic() + self._timeout
        is_again = is_kept = False
        while True:
            try:
                connection = self._take(deadline, insists=insists or is_again, alone=alone)
            except psycopg.Error as error:
                if time.monotonic() < deadline and is_broken(error):
                    time.sleep(AGAIN)
                    continue
                raise self._our_error(error, failed if is_again else "") from None
            try:
                done = work(connection, is_again)
                is_kept = keeps
            except psycopg.Error as error:
                is_gone = connection.closed or is_broken(error)
                if not is_gone or time.monotonic() > deadline:
                    raise self._our_error(error, failed if is_gone else "") from None
                connection.close()
                is_again = True
            else:
                self.breaker.worked()
                return done
            finally:
                if not is_kept:
                    self.give_back(connection)

    @contextmanager
    def taken_back(self, connection: Link) -> Generator[None]:
        """Note on errors within the context that the connection broke before the commit, so that all may be retried."""
        try:
            yield
        except StoreUnavailableError as error:
            if connection.closed:
                error.tries_until = time.monotonic() + self._timeout
            raise

    def our_error(self, error: psycopg.Error) -> StoreError:
        """Convert an error of the server to one of ours."""
        return our_error(self.place, error, self._secret)

    def close(self) -> None:
        """Close all connections. Closing twice is safe."""
        with self._lock:
            pool, self._pool = self._pool, None
            self._is_closed = True
        if pool is not None and self._process == os.getpid():
            pool.close()

    def _our_error(self, error: psycopg.Error, failed: str) -> StoreError:
        made = self.our_error(error)
        if is_broken(error):
            self.breaker.failed(made)
        if not failed or isinstance(made, StoreLockedError):
            return made
        return type(made)(str(made).replace("nothing was recorded", failed))

    def _look(self) -> None:
        """Raise at once while the server is known to be away, unless an attempt is due."""

        def reach() -> None:
            with our_errors(self.place, self._secret):
                self._connect().close()

        self.breaker.look(reach)

    def _take(self, deadline: float, *, insists: bool, alone: bool) -> Link:
        """Take a connection; if the pool has none in time, raise its error.

        :param insists: whether to try although the server is known to be away.
        :param alone: whether to open a new one outside of the pool.
        """
        if alone:
            if not insists:
                self._look()
            return self._connect()
        pool, spell = self._opened(), LOOK_EVERY
        while True:
            if not insists:
                self._look()
            try:
                return pool.getconn(min(self._timeout, spell))
            except PoolTimeout:
                if time.monotonic() > deadline:
                    try:
                        self._connect().close()
                    except psycopg.OperationalError as error:
                        self.breaker.failed(self.our_error(error))
                        raise
                    raise
                pool = self._opened()
                is_whole = pool.get_stats().get("pool_size", 0) >= self._most
                spell = IN_TURN if is_whole else LOOK_EVERY

    def give_back(self, connection: Link) -> None:
        """Give back a connection; a broken one, or one from outside of the pool, is closed."""
        pool = self._pool
        try:
            if pool is not None:
                pool.putconn(connection)
                return
        except (
            psycopg.Error,
            ValueError,
        ):  # from a store that was closed meanwhile, or outside of the pool
            pass
        with suppress(psycopg.Error):
            connection.close()

    def _opened(self) -> ConnectionPool[Link]:
        with self._lock:
            if self._is_closed:
                raise StoreError(f"{self.place}: the store was closed; open it again")
            if self._pool is None or self._process != os.getpid():
                # A child leaves its parent's connections open: closing one would notify the server.
                self._process = os.getpid()
                self._pool = ConnectionPool(
                    kwargs={**self._settings, "autocommit": True},
                    min_size=0,
                    max_size=self._most,
                    timeout=self._timeout,
                    configure=self._configure,
                    max_idle=60,
                    reconnect_timeout=AGAIN,
                    num_workers=1,
                    open=True,
                )
            return self._pool

    def _connect(self) -> Link:
        connection: Link = psycopg.connect(**self._settings, autocommit=True)  # type: ignore[arg-type]  # the settings are libpq's, as texts
        self._configure(connection)
        return connection

    def _configure(self, connection: Link) -> None:
        connection.adapters.register_dumper(str, TextDumper)
        connection.adapters.register_loader("text", TextLoader)
        wanted = {"lock_timeout": f"{int(self._timeout * 1_000)}", "tcp_keepalives_idle": "30"}
        if self.read_only:
            wanted["default_transaction_read_only"] = "on"
        settings: list[sql.Composable] = [
            sql.SQL("set_config({}, {}, false)").format(name, value)
            for name, value in wanted.items()
        ]
        if self._durable:  # a level above "on" stays
            settings.append(
                sql.SQL(
                    "CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')"
                    " THEN set_config('synchronous_commit', 'on', false) END"
                )
            )
        connection.execute(sql.SQL("SELECT {}").format(sql.SQL(", ").join(settings)))


def _most() -> int:
    text = os.environ.get(VARIABLE, "") or str(CONNECTIONS)
    if not text.isdecimal() or not int(text):
        raise StoreError(f'{VARIABLE} is "{text}"; give a positive integer')
    return int(text)
