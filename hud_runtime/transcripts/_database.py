"""SQLite files of others, opened to be read and nothing else: no file changes, and none comes to be beside them.

A plain read-only connection is not enough. To a database with a write-ahead log it makes the files ``-wal`` and
``-shm`` where they are not there, and writes to the second where it is (measured with SQLite 3.40). So the file's
header and what lies beside it say how it is opened (sqlite.org/wal.html, "Read-Only Databases").
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

MAGIC = b"SQLite format 3\0"
"""What a database begins with."""

READ_VERSION = 19
"""The place of the byte that says whether a write-ahead log may hold what is newest: 2 if so."""

LOG, SHARED = "-wal", "-shm"
"""What comes after the database's name in those of its write-ahead log, and of the log's index."""

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
        with place.open("rb") as file:
            head = file.read(READ_VERSION + 1)
        if not head.startswith(MAGIC):
            raise TranscriptError(f"{path} cannot be read: it is no SQLite database")
        how = _how(place) if head[READ_VERSION:] == b"\2" else ""
        db = _copied(place) if how is None else _connected(place, how)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise TranscriptError(f"{path} cannot be read: {reason}") from None
    db.row_factory = sqlite3.Row
    return db, how == STILL


STILL = "&immutable=1"
"""Opens a file without its write-ahead log, and without a lock."""


def _how(path: Path) -> str | None:
    """How a database with a write-ahead log is opened; None where only a copy can be.

    Where the log and its index are there, somebody may be writing, or was stopped in the middle of it. Where there
    is no log, all is in the file, and who begins to write leaves it as it is until a checkpoint.
    """
    log, shared = (path.with_name(f"{path.name}{each}") for each in (LOG, SHARED))
    if log.exists() and shared.exists():
        return "&readonly_shm=1"
    return None if log.exists() and log.stat().st_size else STILL


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
