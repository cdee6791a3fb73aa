"""Waiting for writers of other processes, and what is known of them."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path

SPELL = 10
"""Milliseconds that SQLite waits by itself. Its pauses grow to 100 ms, and who has waited long finds
the lock free least often: 16 busy writers starve one of them. So it is asked again and again."""

WRITER = "120"
"""The byte of the file ``-shm`` that the writer of a write-ahead log has locked
(sqlite.org/walformat.html, section 2.3.1)."""

LOCKS = Path("/proc/locks")
"""The file in which Linux tells who has locked what. The locked file must not be opened to ask: closing it again
would drop this process's own locks on it."""


def patiently(
    connection: sqlite3.Connection, query: str, values: Sequence[object], deadline: float
) -> sqlite3.Cursor:
    """Execute a statement; wait for others until the deadline, a time of ``time.monotonic``."""
    while True:
        try:
            return connection.execute(query, values)
        except UnicodeDecodeError as error:  # what SQLite says of a damaged schema quotes it
            raise sqlite3.DatabaseError(f"its own words cannot be decoded: {error}") from error
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.001)  # where SQLite does not wait by itself


def is_busy(error: sqlite3.DatabaseError) -> bool:
    """Tell whether somebody else's lock is the reason."""
    code = getattr(error, "sqlite_errorcode", 0)  # Python's own errors have none
    return code & 0xFF == sqlite3.SQLITE_BUSY  # without the extended code


def writer_of(store: Path) -> int | None:
    """Return the number of the process that is writing to a store, where the system tells."""
    try:
        found = Path(f"{store}-shm").stat()
        lines = LOCKS.read_text().splitlines()
    except OSError:
        return None
    place = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    for line in lines:
        match line.split():
            case [_, "POSIX", _, "WRITE", process, where, first, _]:
                if (where, first) == (place, WRITER) and int(process) > 0:
                    return int(process)
            case _:
                pass
    return None
