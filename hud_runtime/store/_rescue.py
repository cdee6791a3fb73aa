"""Saving what was acknowledged when a file of an open store was deleted, replaced or overwritten.

Our descriptors may be the last that lead to it. Where nobody else has the database open, or all who have
share our log, the log is copied into the database, which is whole then. Otherwise all that our connection
sees is copied into a folder beside the store. What cannot be trusted is left as it is.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from hud_runtime.store._failures import our_errors
from hud_runtime.store._files import open_private
from hud_runtime.store._identity import LOGS, FileIdentity
from hud_runtime.store._replace import keep_aside
from hud_runtime.store._set_up import TABLES

RESCUED = "rescued"
"""The middle of the name of a folder with what was saved: ``hud.db.rescued-20260101T090000Z``."""

IN_DATABASE = "all that was acknowledged is in the database; open the store again"

IN_FOLDER = (
    "all that was acknowledged is in {0}: `ujsx store restore {0} --store {1} --force` puts it back"
)

LOG_IN_FOLDER = (
    "what is there now was left as it is, and the write-ahead log of what was there is in {0}: `ujsx store"
    " repair --store {0}/hud.db` saves what can be read of it; restore a backup for the rest"
)

AS_IT_IS = (
    "no file was touched: close the store wherever it is open, and open it again; what was written over"
    " is in a backup, if anywhere"
)


def rescue(path: Path, identity: FileIdentity, writer: sqlite3.Connection) -> str:
    """Save what was acknowledged, close the connection, and return what was done.

    Raises :class:`StoreError` where there is no room for it; then the connection stays open.
    """
    identity.refill_index()
    with suppress(sqlite3.Error):
        writer.execute(TABLES).fetchone()  # SQLite makes an index anew whose header is gone
    is_sound = identity.holds_database()
    if not is_sound and not identity.is_log_empty():
        folder = keep_aside(path, RESCUED, lambda made: _copy_log(identity, made))
        done = LOG_IN_FOLDER.format(folder)
        _remove_logs(path, identity)
    elif not is_sound or not identity.holds_log():
        done = AS_IT_IS
    elif identity.is_ours("") and identity.is_copied():
        done = IN_DATABASE
    elif _settle(identity, writer):
        writer.close()
        return IN_DATABASE
    else:
        folder = keep_aside(path, RESCUED, lambda made: _copy(writer, made))
        done = IN_FOLDER.format(folder, path)
        if not identity.is_ours(""):
            _remove_logs(path, identity)
    if identity.is_ours(""):
        close_untouched(path, writer)
    else:
        writer.close()  # SQLite makes no checkpoint where the database has moved
    return done


def _settle(identity: FileIdentity, writer: sqlite3.Connection) -> bool:
    """Copy the log into the database; False where that is another one, or others may have begun a log."""
    log, index = (identity.is_ours(end) for end in LOGS)
    if not identity.is_ours("") or (log is False and not identity.is_empty(LOGS[0])):
        return False
    with suppress(sqlite3.OperationalError):
        # SQLite does so for the last connection alone, and keeps everybody out meanwhile.
        if writer.execute("PRAGMA journal_mode = DELETE").fetchone() == ("delete",):
            return True
    if log is False or index is False:
        return False
    with suppress(sqlite3.OperationalError):
        busy, frames, copied = writer.execute("PRAGMA wal_checkpoint(FULL)").fetchone()
        return not busy and frames == copied
    return False


def _copy(writer: sqlite3.Connection, made: Path) -> None:
    os.close(open_private(made, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    with our_errors(str(made)), closing(sqlite3.connect(made)) as copy:
        writer.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # as backups are


def _copy_log(identity: FileIdentity, made: Path) -> None:
    handle = open_private(made.with_name(f"{made.name}{LOGS[0]}"), os.O_CREAT | os.O_WRONLY)
    with identity.log() as log, os.fdopen(handle, "wb") as copy:
        shutil.copyfileobj(log, copy)
        copy.flush()
        os.fsync(copy.fileno())


def _remove_logs(path: Path, identity: FileIdentity) -> None:
    """Remove our log from beside another database, which it would spoil; others who have it open may as well."""
    for end in LOGS:
        if identity.is_ours(end):
            path.with_name(f"{path.name}{end}").unlink(missing_ok=True)


def close_untouched(path: Path, connection: sqlite3.Connection) -> None:
    """Close a connection without the checkpoint, and the end of the log, that SQLite makes with the last one.

    One that only reads is closed after it, and cannot make it.
    """
    reader = None
    with suppress(sqlite3.Error):
        reader = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
        reader.execute(TABLES).fetchone()
    connection.close()
    if reader is not None:
        reader.close()
