"""The log at a place: a file of SQLite, or the address of a PostgreSQL database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hud_runtime._errors import StoreError
from hud_runtime._location import default_path, is_address

if TYPE_CHECKING:
    from hud_runtime.store._log_store import LogStore

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
        from hud_runtime.store._sqlite import SqliteEventStore

        path = default_path() if place is None else place
        return SqliteEventStore(
            path, durable=durable, busy_timeout=busy_timeout, read_only=read_only
        )
    try:
        from hud_runtime.postgres._store import PostgresEventStore
    except ImportError as error:
        raise StoreError(
            f'a store in PostgreSQL needs psycopg: pip install "ujsx[postgres]" ({error})'
        ) from error
    return PostgresEventStore(
        str(place), durable=durable, busy_timeout=busy_timeout, read_only=read_only
    )
