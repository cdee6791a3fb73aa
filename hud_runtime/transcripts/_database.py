"""SQLite files of others, opened to be read and nothing else: no file changes, and none comes to be beside them.

A plain read-only connection is not enough. To a database with a write-ahead log it makes the files ``-wal`` and
``-shm`` where they are not there, and writes to the second where it is (measured with SQLite 3.40). So what lies
beside the file says how it is opened (sqlite.org/wal.html, "Read-Only Databases"). The file itself is not looked
into first: closing it would drop the locks that this process has on it (sqlite.org/howtocorrupt.html, section 2.2).
"""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from hud_runtime._errors import TranscriptError

if TYPE_CHECKING:
    from sqlite3 import Connection

LOG, SHARED, JOURNAL = "-wal", "-shm", "-journal"
"""What comes after the database's name in those of its write-ahead log, of the log's index, and of a journal."""

PATIENCE = 5.0
"""Seconds that a reader waits for somebody who writes."""


def database(path: Path) -> Connection:
    """Return a connection that reads, as :func:`opened` has it."""
    return opened(path)[0]


def opened(path: Path) -> tuple[Connection, bool]:
    """Return a connection that reads, and whether it takes the file as one that nobody changes.

    If it does, what is read is right only if the file has not changed meanwhile; otherwise what somebody else
    writes is seen by the next transaction.

    Raises :class:`TranscriptError` for a file that cannot be opened.
    """
    import sqlite3

    try:
        place = path.resolve(strict=True)
        how = _how(place)
        db = _copied(place) if how is None else _connected(place, how)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise TranscriptError(f"{path} cannot be read: {reason}") from None
    db.row_factory = sqlite3.Row
    return db, how == STILL


STILL = "&immutable=1"
"""Opens a file without what lies beside it, and without a lock."""


def _how(path: Path) -> str | None:
    """How a database is opened; None where only a copy can be.

    Where a write-ahead log and its index are there, somebody may be writing, or was stopped in the middle of it;
    so it is with a journal, which has locks that are kept to. Where neither is there, all is in the file; who begins
    to write makes one of them first.
    """
    log, shared, journal = beside(path)
    if log.exists() and shared.exists():
        return "&readonly_shm=1"
    if log.exists() and log.stat().st_size:
        return None
    return "" if journal.exists() else STILL


def beside(path: Path) -> tuple[Path, ...]:
    """Return what may lie beside a database: its write-ahead log, the log's index, a journal."""
    return tuple(path.with_name(f"{path.name}{each}") for each in (LOG, SHARED, JOURNAL))


def mark_of(path: Path) -> object:
    """Return what is another value once a database that was taken as still has been written.

    :raises OSError: where it is gone.
    """
    about = path.stat()
    log, _, journal = beside(path)
    return about.st_mtime_ns, about.st_size, about.st_ino, log.exists(), journal.exists()


def _connected(path: Path, how: str, **settings: Any) -> Connection:
    import sqlite3

    db: Connection = sqlite3.connect(
        f"{path.as_uri()}?mode=ro{how}",
        uri=True,
        timeout=PATIENCE,
        check_same_thread=False,
        **settings,
    )
    return db


def _copied(path: Path) -> Connection:
    """Read a log that came without its index, as copies of a database do, in a folder that goes again."""
    import sqlite3

    class Copy(sqlite3.Connection):
        folder: TemporaryDirectory[str]

        def close(self) -> None:
            super().close()
            self.folder.cleanup()

    folder = TemporaryDirectory(prefix="ujsx-")
    copy = Path(folder.name, path.name)
    for end in ("", LOG):
        shutil.copyfile(path.with_name(f"{path.name}{end}"), copy.with_name(f"{copy.name}{end}"))
    db: Any = _connected(copy, "", factory=Copy)
    db.folder = folder
    return db  # type: ignore[no-any-return]  # its class is made here


def tables(path: Path) -> frozenset[str]:
    """Return the names of a database's tables; none where it cannot be read."""
    import sqlite3

    try:
        with closing(database(path)) as db:
            rows = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    except (sqlite3.Error, TranscriptError):
        return frozenset()
    return frozenset(str(name) for (name,) in rows)
