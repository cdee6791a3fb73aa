"""Waiting for new events: the server tells of them, and now and then one looks for what was not told."""

from __future__ import annotations

import time
from collections.abc import Callable

from psycopg.sql import SQL, Identifier

from hud_runtime.postgres._database import PostgresDatabase, in_psycopg
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
    with database.connections.alone() as link, our_errors(database.place):
        query = "SELECT hud_key('listen', ''), hud_key('session', ?)"
        [(listen, session)] = link.execute(in_psycopg(query), (session_id,)).fetchall()
        link.execute("SELECT pg_advisory_lock_shared(%s)", (listen,))
        link.execute(SQL("LISTEN {}").format(Identifier(f"ujsx_{listen}")))
        while (version := look()) <= after and (left := deadline - time.monotonic()) > 0:
            for notice in link.notifies(timeout=min(left, LOOK_EVERY)):
                if notice.payload == str(session):
                    break
    return version
