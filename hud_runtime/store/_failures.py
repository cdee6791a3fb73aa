"""SQLite's errors and the system's as ours: from their codes to a class and what to do about it."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from types import MappingProxyType

from hud_runtime._errors import (
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreReadOnlyError,
)

FAILURES: Mapping[str, tuple[type[StoreError], str]] = MappingProxyType(
    {
        "SQLITE_BUSY": (
            StoreLockedError,
            "another process is writing and did not finish in time; try again",
        ),
        "SQLITE_LOCKED": (StoreLockedError, "it is in use by this very process; try again"),
        "SQLITE_READONLY": (
            StoreReadOnlyError,
            "it cannot be written; check who owns the file and its folder",
        ),
        "SQLITE_PERM": (StoreReadOnlyError, "the system refuses access; check its mode"),
        "SQLITE_CANTOPEN": (
            StoreReadOnlyError,
            "it cannot be opened; check that it is a file you may read and write",
        ),
        "SQLITE_FULL": (StoreFullError, "the disk is full; nothing was kept of this write"),
        "SQLITE_IOERR": (
            StoreFullError,
            "the disk refused the write; nothing of it was kept. Is there space left?",
        ),
        "SQLITE_CORRUPT": (
            StoreDamagedError,
            "its contents are damaged; restore a backup, or repair it: `ujsx store repair`",
        ),
        "SQLITE_NOTADB": (StoreDamagedError, "it is no SQLite database; name another file"),
    }
)
"""By the name of SQLite's primary result code."""

CHANGED = frozenset(
    {
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_READONLY,
    }
)
"""SQLite's primary result codes for files that are not as it has left them."""

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""The system's codes for a write that found no room."""


def our_error(place: str, error: sqlite3.DatabaseError) -> StoreError:
    """Return what SQLite has raised as one of our errors, with the store's name in front."""
    name = getattr(error, "sqlite_errorname", "") or ""
    for code, (kind, advice) in FAILURES.items():
        if name.startswith(code):
            return kind(f"{place}: {advice} ({error})")
    if not name and "decode" in str(error):  # Python's own, of bytes that are no UTF-8
        return StoreDamagedError(
            f"{place}: its contents are damaged; restore a backup, or repair it ({error})"
        )
    if not name and "closed database" in str(error):  # the sqlite3 module's own, too
        return StoreError(f"{place}: the store was closed; open it again")
    return StoreError(f"{place}: {error}")


def may_be_of_changed_files(error: sqlite3.DatabaseError) -> bool:
    """Tell whether an error can come of files that another program has changed."""
    return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in CHANGED


@contextmanager
def our_errors(place: str) -> Generator[None]:
    """Turn what SQLite raises within into one of our errors."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise our_error(place, error) from error


@contextmanager
def our_file_errors(place: object) -> Generator[None]:
    """Turn what the system raises of the files beside the database into one of our errors."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in FULL:
            raise StoreFullError(
                f"{place}: the disk is full, nothing was moved: {reason}"
            ) from error
        raise StoreReadOnlyError(f"{place}: it cannot be written: {reason}") from error
