"""Waiting for new events: the server tells of them, and now and then one looks for what was not told."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager

from psycopg.sql import SQL, Identifier

from hud_runtime._errors import StoreUnavailableError
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
    with closing(notices(database, lambda: min(deadline - time.monotonic(), LOOK_EVERY))) as told:
        for each in told:
            if each in {None, number} and (version := look()) > after:
                break
    return version


def number_of(database: PostgresDatabase, session_id: str) -> int:
    """Return the number by which notices name a session."""
    [(number,)] = database.rows("SELECT hud_key('session', ?)", session_id)
    return int(number)


def notices(database: PostgresDatabase, patience: Callable[[], float]) -> Generator[int | None]:
    """Yield the number of a session each time that one goes on, and None where others may have gone on untold.

    That is when the listening begins, also anew after a connection broke, and when its patience was over.

    :param patience: gives the seconds to wait for the next notice; none are left where it is over.
    """
    while patience() > 0:
        try:
            with _listening(database) as link:
                yield None
                while (left := patience()) > 0:
                    for notice in link.notifies(timeout=left):
                        yield int(notice.payload)
                    yield None
        except StoreUnavailableError as error:
            if not error.tries_until:
                raise


@contextmanager
def _listening(database: PostgresDatabase) -> Generator[Link]:
    """Give a connection that is told of new events: appends tell of them while somebody listens."""
    connections = database.connections

    def listen(link: Link, is_again: bool) -> Link:
        [(number,)] = link.execute("SELECT hud_key('listen', '')").fetchall()
        link.execute("SELECT pg_advisory_lock_shared(%s)", (number,))
        link.execute(SQL("LISTEN {}").format(Identifier(f"ujsx_{number}")))
        return link

    link = connections.again(listen, "nothing was read", alone=True, keeps=True)
    try:
        with connections.taken_back(link), our_errors(database.place):
            yield link
    finally:
        connections.give_back(link)
