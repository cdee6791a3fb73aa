"""SQLite files of others, opened to be read and nothing else."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from hud_runtime._errors import TranscriptError

if TYPE_CHECKING:
    from sqlite3 import Connection


def database(path: Path) -> Connection:
    """Return a connection that reads.

    Raises :class:`TranscriptError` for a file that cannot be opened.
    """
    import sqlite3

    try:
        db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    except sqlite3.Error as error:
        raise TranscriptError(f"{path} cannot be read: {error}") from None
    db.row_factory = sqlite3.Row
    return db


def tables(path: Path) -> frozenset[str]:
    """Return the names of a database's tables; none where it cannot be read."""
    import sqlite3

    try:
        with closing(database(path)) as db:
            rows = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    except (sqlite3.Error, TranscriptError):
        return frozenset()
    return frozenset(str(name) for (name,) in rows)
