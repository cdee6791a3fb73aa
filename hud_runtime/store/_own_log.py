"""The check that the write-ahead log beside a database is its own.

SQLite applies any log whose checksums are right, and nothing in it names its database. After a process was
killed, whose database or log was replaced meanwhile, opening the store would mix the pages of two, and the
next checkpoint would write them. So before the first connection that can write, the log is compared with the
database: the last event in the database is there with the log, too, and where nobody has it in use, its pages
fill what the database lacks. A process that was killed in the middle of a checkpoint leaves files that fit.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from struct import Struct

from hud_runtime._errors import StoreDamagedError
from hud_runtime.store._identity import (
    FRAME_HEADER,
    FRAMES_AT,
    INDEX_LOCK,
    LOG_HEADER,
    Event,
    descriptors,
    found_at,
    inode_of,
    locked_by,
)
from hud_runtime.store._rows import COLUMNS, digest
from hud_runtime.store._set_up import connected_to_read

FRAMES_AND_PAGES = Struct("=II")
"""The layout in which an index tells the frames of its log, and the pages of the database with them."""

UNUSED_PAGES_FROM = 2**30
"""The place of the one page that SQLite never writes (sqlite.org/fileformat2.html, section 1.4)."""

LAST_EVENT = f"SELECT {COLUMNS}, digest FROM hud_event ORDER BY position DESC LIMIT 1"

STILL_THERE = """
SELECT EXISTS (SELECT 1 FROM hud_event WHERE (session_id, version, digest) = (?1, ?2, ?3))
    OR EXISTS (SELECT 1 FROM hud_tombstone WHERE session_id = ?1)
    OR EXISTS (SELECT 1 FROM hud_archive WHERE session_id = ?1 AND ?2 BETWEEN first AND last)
"""
"""An event is never changed; it leaves the log when it is purged or archived."""

ERASED = "SELECT 1 FROM hud_erasure WHERE session_id = ? AND version = ?"


@contextmanager
def own_log(path: Path) -> Generator[None]:
    """Keep a log that was found to be the database's own in use while the context lasts.

    Raises :class:`StoreDamagedError` for another one. Nothing is changed.
    """
    log = path.with_name(f"{path.name}-wal")
    found = found_at(log)
    if found is None or found.st_size == 0:
        yield
        return
    _check_header(path, log)
    # A connection that only reads makes no checkpoint when it is closed.
    with closing(connected_to_read(path)) as connection:
        index = _unused_index(path)
        if index is not None and not _fits(path, log, index):
            raise _refused(path, log, "pages of the database are in neither of the two")
        _check_last_event(connection, path, log)
        yield


def _unused_index(path: Path) -> int | None:
    """Return our descriptor of the log's index; None where another process uses it, or none is listed."""
    found = inode_of(f"{path}-shm")
    index = None if found is None else (descriptors() or {}).get(found)
    return None if index is None or locked_by(index, *INDEX_LOCK) is not None else index


def _check_header(path: Path, log: Path) -> None:
    from hud_runtime.store._pages import checksum

    with suppress(FileNotFoundError), log.open("rb") as file:
        header = file.read(LOG_HEADER)
        if len(header) < LOG_HEADER or not header.strip(b"\0"):
            return  # its writer came to nothing
        told = int.from_bytes(header[24:28]), int.from_bytes(header[28:])
        if checksum(header[:24], "big" if header[3] & 1 else "little", (0, 0)) != told:
            raise _refused(path, log, "its header is damaged, and SQLite would pass over all of it")


def _check_last_event(connection: sqlite3.Connection, path: Path, log: Path) -> None:
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(uri, uri=True)) as database:
        row = None
        # A checkpoint was interrupted, or there are no tables.
        with suppress(sqlite3.DatabaseError):
            row = database.execute(LAST_EVENT).fetchone()
    if row is None or digest(row[:-1]) != row[-1]:  # half a checkpoint may be read as anything
        return
    session_id, version = row[1:3]
    if not has_event(connection, (session_id, version, row[-1])):
        raise _refused(path, log, f'with it, version {version} of session "{session_id}" is gone')


def has_event(connection: sqlite3.Connection, event: Event) -> bool:
    """Tell whether an event is in a store, or left it as events may."""
    [(is_there,)] = connection.execute(STILL_THERE, event).fetchall()
    if not is_there:
        with suppress(sqlite3.OperationalError):  # an older layout has no erasures
            return connection.execute(ERASED, event[:2]).fetchone() is not None
    return bool(is_there)


def _fits(path: Path, log: Path, index: int) -> bool:
    """Tell whether the log has what the database lacks of its pages, or all where there are fewer.

    :param index: our descriptor of the log's index, which SQLite has made of what is whole in the log.
    """
    frames, count = FRAMES_AND_PAGES.unpack(os.pread(index, FRAMES_AND_PAGES.size, FRAMES_AT))
    try:
        with log.open("rb", buffering=0) as file:
            size = int.from_bytes(file.read(LOG_HEADER)[8:12])
            stride = FRAME_HEADER + size
            starts = range(LOG_HEADER, LOG_HEADER + frames * stride, stride)
            pages = {int.from_bytes(os.pread(file.fileno(), 4, start)) for start in starts}
    except FileNotFoundError:  # its last user has copied all of it meanwhile
        return True
    if not frames:
        return True
    there = -(-path.stat().st_size // size)
    wanted = range(there + 1, count + 1) if count >= there else range(1, count + 1)
    return all(page in pages or (page - 1) * size == UNUSED_PAGES_FROM for page in wanted)


def _refused(path: Path, log: Path, why: str) -> StoreDamagedError:
    return StoreDamagedError(
        f"{log} is not the write-ahead log of {path.name}: {why}. Nothing was changed; put the file back"
        f" that was replaced, or move {log.name} away to go on without it"
    )
