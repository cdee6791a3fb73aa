"""Waiting for new events: the server tells of them, and now and then one looks for what was not told."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager

from psycopg.sql import SQL, Identifier

from hud_runtime.postgres._connections import Link
from hud_runtime.postgres._database import PostgresDatabase
from hud_runtime.postgres._failures import our_errors

LOOK_EVERY = 2.0
"""Seconds between two looks by oneself."""


def wait_for(
    database: PostgresDatabase, look: Callable[[], int], session_id: str, after: int, timeout: float
) -> int:
    """Wait until ``look`` gives more than ``after``; return what it gives then, or after the time."""
    deadline = time.monotonic() + timeout
    version = look()
    if version > after or timeout <= 0:
        return version
    number = number_of(database, session_id)
    with _listening(database) as link:
        while (version := look()) <= after and (left := deadline - time.monotonic()) > 0:
            for notice in link.notifies(timeout=min(left, LOOK_EVERY)):
                if notice.payload == str(number):
                    break
    return version


def number_of(database: PostgresDatabase, session_id: str) -> int:
    """Return the number by which notices name a session."""
    [(number,)] = database.rows("SELECT hud_key('session', ?)", session_id)
    return int(number)


def notices(
    database: PostgresDatabase, is_over: Callable[[], bool], every: float
) -> Iterator[int | None]:
    """Yield the number of a session each time that one goes on, and None every so many seconds."""
    with _listening(database) as link:
        while not is_over():
            for notice in link.notifies(timeout=every):
                yield int(notice.payload)
            yield None


@contextmanager
def _listening(database: PostgresDatabase) -> Generator[Link]:
    """Give a connection that is told of new events: appends tell of them while somebody listens."""
    with database.connections.alone() as link, our_errors(database.place):
        [(listen,)] = link.execute("SELECT hud_key('listen', '')").fetchall()
        link.execute("SELECT pg_advisory_lock_shared(%s)", (listen,))
        link.execute(SQL("LISTEN {}").format(Identifier(f"ujsx_{listen}")))
        yield link
