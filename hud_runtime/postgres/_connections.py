"""Connections to a server: a few that are open, each for one caller at a time, and others when they break."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import TypeVar

import psycopg
from psycopg import sql
from psycopg_pool import ConnectionPool, PoolTimeout

from hud_runtime._breaker import SERVER, Breaker
from hud_runtime._errors import StoreError, StoreLockedError, StoreUnavailableError
from hud_runtime._fork import mutex
from hud_runtime.postgres._address import identity, parsed, shown
from hud_runtime.postgres._failures import is_broken, our_error, our_errors
from hud_runtime.postgres._text import TextDumper, TextLoader

Link = psycopg.Connection[tuple[object, ...]]
ResultT = TypeVar("ResultT")

VARIABLE = "UJSX_POSTGRES_CONNECTIONS"
"""The environment's variable with the most connections of a store."""

CONNECTIONS = 8
"""Connections of a store at most, where nobody says otherwise: each is a process of the server."""

LOOK_EVERY, IN_TURN = 0.3, 2.0
"""Seconds that the pool is waited for at a time: while it lacks connections, and while all of them are at work. Who
asks again lets the pool look for the server, and stands at the end of those who wait."""

AGAIN = 0.1
"""Seconds between two tries to reach a server that went away."""


class Connections:
    """The connections of a store. They are made when they are needed, and anew in a forked child."""

    def __init__(
        self, address: str, *, timeout: int, durable: bool, read_only: bool, most: int | None
    ) -> None:
        self._settings = parsed(address)
        self.place = shown(self._settings)
        self.identity = identity(self._settings)
        self.key = frozenset(self._settings.items())
        """What makes the store another one: the server, the database, and the schema, among others."""
        self._secret = self._settings.get("password")
        self._timeout = timeout / 1_000
        self._durable = durable
        self._read_only = read_only
        self._most = _most() if most is None else most
        self._pool: ConnectionPool[Link] | None = None
        self._process = os.getpid()
        self._lock = mutex()
        self._is_closed = False
        self.breaker = Breaker(SERVER)
        """Whether the server can be reached: where it cannot, all but one are told at once."""

    def again(
        self,
        work: Callable[[Link, bool], ResultT],
        failed: str,
        *,
        insists: bool = False,
        alone: bool = False,
        keeps: bool = False,
    ) -> ResultT:
        """Do what may be done twice, with another connection each time that one breaks, for as long as is promised.

        Every use of the server passes here: a statement by itself, the begin of a transaction, opening, listening.
        ``work`` is told whether it may have been done already. What it raises is ours.

        :param failed: what is said where the server does not come back in time, after a first try.
        :param insists: whether the server is asked for as long as there is time, though others have found it away:
            something may have been done, and only the server knows.
        :param alone: whether the connection is one beside the pool's.
        :param keeps: whether the connection stays open for the caller, who gives it back.
        """
        deadline = time.monotonic() + self._timeout
        is_again = is_kept = False
        while True:
            try:
                connection = self._taken(deadline, insists=insists or is_again, alone=alone)
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
        """Note on an error within that a connection broke before a commit, so that all may be done again."""
        try:
            yield
        except StoreUnavailableError as error:
            if connection.closed:
                error.tries_until = time.monotonic() + self._timeout
            raise

    def our_error(self, error: psycopg.Error) -> StoreError:
        """Return an error of the server as one of ours."""
        return our_error(self.place, error, self._secret)

    def close(self) -> None:
        """Close all. Twice is no error."""
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
        """Raise at once where the server is known to be away, unless it is time to look again."""

        def reach() -> None:
            with our_errors(self.place, self._secret):
                self._made().close()

        self.breaker.look(reach)

    def _taken(self, deadline: float, *, insists: bool, alone: bool) -> Link:
        """Take a connection; where the pool has none in time, say what it says to somebody who asks.

        :param insists: whether it is tried though the server is known to be away.
        :param alone: whether a new one is made, beside the pool.
        """
        if alone:
            if not insists:
                self._look()
            return self._made()
        pool, spell = self._opened(), LOOK_EVERY
        while True:
            if not insists:
                self._look()
            try:
                return pool.getconn(min(self._timeout, spell))
            except PoolTimeout:
                if time.monotonic() > deadline:
                    try:
                        self._made().close()
                    except psycopg.OperationalError as error:
                        self.breaker.failed(self.our_error(error))
                        raise
                    raise
                pool = self._opened()
                is_whole = pool.get_stats().get("pool_size", 0) >= self._most
                spell = IN_TURN if is_whole else LOOK_EVERY

    def give_back(self, connection: Link) -> None:
        """Give back a connection; one that is broken, or that is not the pool's, is closed."""
        pool = self._pool
        try:
            if pool is not None:
                pool.putconn(connection)
                return
        except (psycopg.Error, ValueError):  # of a store that was closed meanwhile, or made alone
            pass
        with suppress(psycopg.Error):
            connection.close()

    def _opened(self) -> ConnectionPool[Link]:
        with self._lock:
            if self._is_closed:
                raise StoreError(f"{self.place}: the store was closed; open it again")
            if self._pool is None or self._process != os.getpid():
                # A child leaves its parent's connections as they are: to close one would say so to the server.
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

    def _made(self) -> Link:
        connection: Link = psycopg.connect(**self._settings, autocommit=True)  # type: ignore[arg-type]  # the settings are libpq's, as texts
        self._configure(connection)
        return connection

    def _configure(self, connection: Link) -> None:
        connection.adapters.register_dumper(str, TextDumper)
        connection.adapters.register_loader("text", TextLoader)
        wanted = {"lock_timeout": f"{int(self._timeout * 1_000)}", "tcp_keepalives_idle": "30"}
        if self._read_only:
            wanted["default_transaction_read_only"] = "on"
        settings: list[sql.Composable] = [
            sql.SQL("set_config({}, {}, false)").format(name, value)
            for name, value in wanted.items()
        ]
        if self._durable:  # what is stronger than "on" stays
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
        raise StoreError(f'{VARIABLE} is "{text}"; give a whole number above 0')
    return int(text)
