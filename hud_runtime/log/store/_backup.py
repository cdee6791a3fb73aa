"""Backups, and copies of whole stores to another engine."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import groupby, islice, zip_longest
from pathlib import Path

from hud_runtime._breaker import tried_again
from hud_runtime._errors import StoreDamagedError, StoreError
from hud_runtime._location import make_folder
from hud_runtime.log.store._database import Database
from hud_runtime.log.store._erase import Erasure, erasures, erasures_in
from hud_runtime.log.store._files import (
    folder_of,
    make_private,
    our_errors,
    our_file_errors,
    sync_folder,
)
from hud_runtime.log.store._identity import opened
from hud_runtime.log.store._log_store import LogStore
from hud_runtime.log.store._replace import (
    BESIDE_DATABASE,
    DATABASE,
    finished,
    is_store_at,
    put_in_place,
    set_aside,
    staging,
    unused,
)
from hud_runtime.log.store._rows import (
    DELIVERY,
    ERASURE,
    OUTPUT,
    OWNED,
    PURGED,
    SNAPSHOT,
    TOMBSTONE,
    Row,
    SessionTable,
)
from hud_runtime.log.store._sqlite import BUSY_TIMEOUT, Parts, SqliteEventStore

PARTS = frozenset({DATABASE, folder_of(Path(DATABASE)).name, f"{DATABASE}-lock"})
"""The files of a backup's folder, including those that remain after use as a store."""

WITH_ROWS = " UNION ".join(f"SELECT session_id FROM {table.name}" for table in OWNED)
"""The sessions with any rows, including partly purged ones."""


@dataclass(frozen=True, slots=True)
class BackupResult:
    """The content of a backup, or of a restored store."""

    path: Path
    """The backup's folder, or the restored store."""

    sessions: int
    events: int
    archive_files: int
    size: int
    """Bytes of the database and the archive."""

    set_aside: Path | None = None
    """The folder with the previous store; ``None`` if there was none."""

    still_purged: tuple[str, ...] = ()
    """Sessions of the backup that were purged since, and so are not restored."""


def back_up(parts: Parts, target: Path, *, overwrite: bool = False) -> BackupResult:
    """Write a backup of a store into the folder ``target``; see :meth:`StoreKeeping.backup`."""
    target = target.expanduser().absolute()
    _check_target(parts.database.path, target, overwrite=overwrite)
    with our_file_errors(target.parent):
        make_folder(target.parent)
    with staging(target) as folder:
        made = copy_of(parts, folder / DATABASE)
        with our_file_errors(target):
            if target.is_dir():
                # File by file, as a store is replaced: renaming two folders would leave a moment
                # without a backup.
                with unused(target / DATABASE, BUSY_TIMEOUT):
                    put_in_place(folder / DATABASE, target / DATABASE)
                (target / f"{DATABASE}-lock").unlink(missing_ok=True)
            else:
                finished(folder).rename(target)
                sync_folder(target.parent)
    return replace(made, path=target)


def restore(backup: Path, store: Path, *, force: bool = False) -> BackupResult:
    """Restore a backup over a store; see :meth:`HudStore.restore`."""
    store, source = store.expanduser().absolute(), store_in(backup.expanduser().absolute())
    if source == store:
        raise StoreError(f"{store} cannot be restored from itself; name a backup")
    if is_store_at(store) and not force:
        raise StoreError(
            f"{store} is there already; restore to another file, or use force (--force): then the store that is"
            " there is set aside"
        )
    with our_file_errors(store.parent):
        make_folder(store.parent)
    with staging(store) as folder, unused(store, BUSY_TIMEOUT) as old:
        made = folder / DATABASE
        with closing(SqliteEventStore(source, read_only=True)) as opened:
            again = [] if old is None else [*erasures_in(old)]
            copied = copy_of(opened.parts, made, purged=_purged(old), erased=again)
        _be_a_store(made)
        aside = set_aside(store, "replaced")
        put_in_place(made, store)
    return replace(copied, path=store, set_aside=aside)


def store_in(backup: Path) -> Path:
    """Return the database of a backup: in its folder, or the file itself.

    Raises :class:`StoreError` if there is none.
    """
    path = backup / DATABASE if backup.is_dir() else backup
    if not path.is_file() or not path.stat().st_size:
        raise StoreError(f"{backup} is not a backup: there is no store in it")
    return path


ATTEMPTS = 5
"""Attempts at a copy, each spoiled by an erasure in the archive."""


class _ArchiveChangedError(StoreDamagedError):
    """A file of the archive was replaced since the database was copied, so its name is outdated."""


def copy_of(
    parts: Parts,
    target: Path,
    *,
    purged: frozenset[str] = frozenset(),
    erased: Sequence[Erasure] = (),
) -> BackupResult:
    """Copy a store as of this moment, without the ``purged`` sessions and ``erased`` texts.

    Raises :class:`StoreDamagedError` for a damaged copy.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return _copy_of(parts, target, purged, erased)
        except _ArchiveChangedError:
            if attempt == ATTEMPTS:
                raise
            for path in (
                target,
                *(target.with_name(f"{target.name}{end}") for end in BESIDE_DATABASE),
            ):
                path.unlink(missing_ok=True)
            shutil.rmtree(folder_of(target), ignore_errors=True)
    raise AssertionError


def _copy_of(
    parts: Parts, target: Path, purged: frozenset[str], erased: Sequence[Erasure]
) -> BackupResult:
    with our_file_errors(target):
        make_private(target)
    database = parts.database
    with our_errors(str(target)), closing(sqlite3.connect(target)) as copy:
        database.copy_into(copy)
    with closing(SqliteEventStore(target, durable=True)) as made:
        _copy_archive(parts, made.parts)
        gone = _sessions_purged_in(database) | purged
        again = tuple(each for each in made.sessions() if each in gone)
        for (session_id,) in made.parts.database.rows(WITH_ROWS):
            if session_id in gone:
                made.purge(session_id)
        made.erase_again([*erasures(database), *erased])
        made.make_derived_anew()
        if gone:  # an interrupted purge may have left copies of deleted data
            made.parts.database.rewrite()
        damages = made.verify()
        if damages:
            first = damages[0]
            where = f'session "{first.session_id}": ' if first.session_id else ""
            raise StoreDamagedError(
                f"{database.place}: it is damaged, and was not copied: {where}{first.what};"
                " `ujsx doctor` tells all, `ujsx store repair` saves what can be read"
            )
        made.checkpoint()
        sessions = made.sessions()
        events = sum(made.head(each).version for each in sessions)
    with our_errors(str(target)), closing(sqlite3.connect(target)) as copy:
        copy.execute("PRAGMA journal_mode = DELETE")  # a single file that can be read on any disk
    target.with_name(f"{target.name}-lock").unlink(missing_ok=True)
    files = [*folder_of(target).iterdir()] if folder_of(target).is_dir() else []
    size = sum(each.stat().st_size for each in (target, *files))
    return BackupResult(target.parent, len(sessions), events, len(files), size, None, again)


def _be_a_store(made: Path) -> None:
    """Make a database use a write-ahead log, so that no backup ever overwrites it.

    It drops the state of its readers, which is outdated: they are sent everything again.
    """
    with our_errors(str(made)), closing(sqlite3.connect(made)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("DELETE FROM hud_delivery")
        db.commit()


def _copy_archive(source: Parts, made: Parts) -> None:
    for volume in made.archive.everything():
        try:
            content = source.archive.shelf.get(volume.file)
        except StoreDamagedError as error:
            now = source.archive.volume(volume.session_id, volume.first)
            if now is not None and now.file != volume.file:
                raise _ArchiveChangedError(*error.args) from error
            if volume.session_id in _sessions_purged_in(source.database):
                continue  # purged since the database was copied, and so in the copy
            raise
        made.archive.shelf.keep(volume.file, content)


def _sessions_purged_in(database: Database) -> frozenset[str]:
    return frozenset(row[0] for row in database.rows(PURGED))


def _purged(old: sqlite3.Connection | None) -> frozenset[str]:
    """Return the sessions purged in the store that is replaced, as far as it can be read."""
    try:
        return frozenset(row[0] for row in old.execute(PURGED)) if old else frozenset()
    except sqlite3.DatabaseError:
        return frozenset()


def _check_target(store: Path | None, target: Path, *, overwrite: bool) -> None:
    """Check that a target is free, or is a backup to overwrite with nothing beside it.

    A closed store looks like a backup, except for its header.
    """
    try:
        os.lstat(target)
    except ValueError as error:  # a null character, or an unpaired surrogate
        raise StoreError(f"{str(target)!r} is not a name for a folder: {error}") from error
    except OSError:
        return
    is_backup = target.is_dir() and not target.is_symlink() and (target / DATABASE).is_file()
    if not is_backup:
        raise StoreError(f"{target} is there already, and is not a backup; name a new folder")
    if not overwrite:
        raise StoreError(
            f"{target} is there already; name a new folder, or use overwrite (--overwrite)"
        )
    if store is not None and target.resolve() in store.resolve().parents:
        raise StoreError(f"{target} holds the store itself; name another folder")
    others = sorted(each.name for each in target.iterdir() if each.name not in PARTS)
    if others:
        raise StoreError(
            f"{target} holds more than a backup, such as {others[0]}, which would be lost with it;"
            " name another folder"
        )
    if _has_write_ahead_log(target / DATABASE):
        raise StoreError(
            f"{target} holds a store that was opened to be written to, and no backup as it was made;"
            " what is in it would be lost: name another folder"
        )


def _has_write_ahead_log(database: Path) -> bool:
    """Tell by its header whether a store ever opened a database for writing.

    Backups have no write-ahead log (sqlite.org/fileformat2.html, section 1.3.3: 1 is a rollback journal, 2
    a write-ahead log), and reading does not change that.
    """
    with our_file_errors(database), opened(database) as file:
        return b"\x02" in file.read(20)[18:]


# Copying a whole store into another one, of any engine, and comparing the two.
#
# Events are copied in order of appending, with their ids, versions, times and digests. Existing
# ones are skipped, so that an interrupted copy can be resumed. The data beside the log follows.
# Finally each event is compared in both stores, digests included.

PAGE = 500
"""Events copied in one transaction."""

BESIDE = (SNAPSHOT, DELIVERY, OUTPUT, ERASURE)
"""The tables beside the log."""


@dataclass(frozen=True, slots=True)
class StoreCopy:
    """The result of a copy."""

    sessions: int
    """Sessions in both stores."""
    events: int
    """Events in both stores, all compared."""
    copied: int
    """Events that were copied now."""
    archived: int
    """Events in the copy's archive, among those in both."""


def copy_store(source: LogStore, target: LogStore) -> StoreCopy:
    """Copy a store's content into another one, and compare them.

    Raises :class:`StoreError` for a session that the target purged, or has with other or more events; what
    was copied before stays.
    """
    _copy_tombstones(source, target)
    copied = sum(_copy_page(target, page) for page in _pages(source))
    _copy_beside(source, target)
    archived = 0
    for session_id in source.sessions():
        if source.archived(session_id):
            target.archive(session_id)
        archived += target.archived(session_id)
    events = sum(_compare(source, target, session_id) for session_id in source.sessions())
    return StoreCopy(len(source.sessions()), events, copied, archived)


@tried_again
def _copy_page(target: LogStore, page: list[Row]) -> int:
    copied = 0
    with target.exclusive(page[0][1]):
        for session_id, rows in groupby(page, key=lambda row: row[1]):
            new = _new_rows(target, session_id, [*rows])
            if new:
                target.append_rows(session_id, new[0][2] - 1, new)
                copied += len(new)
    return copied


def _pages(source: LogStore) -> Iterator[list[Row]]:
    rows = (row for _, row in source.all_rows(0))
    while page := [*islice(rows, PAGE)]:
        yield page


def _new_rows(target: LogStore, session_id: str, rows: list[Row]) -> list[Row]:
    """Return a session's rows that the target lacks; existing ones must be identical."""
    version = target.head(session_id).version
    known = [row for row in rows if row[2] <= version]
    if known:
        there = target.session_rows(session_id, known[0][2] - 1, known[-1][2])
        for mine, its in zip_longest(known, there):
            if mine != its:
                raise _differs(session_id, (mine or its)[2])
    return rows[len(known) :]


def _copy_tombstones(source: LogStore, target: LogStore) -> None:
    for row in TOMBSTONE.rows(source.database):
        if target.head(row[0]).version:
            raise StoreError(
                f'session "{row[0]}" was purged in {source.place}, and is in {target.place}: purge it there'
                " as well, and copy again"
            )
        _add(target, TOMBSTONE, [row])


@tried_again
def _add(target: LogStore, table: SessionTable, rows: list[Row]) -> None:
    with target.database.writing("a copy") as db:
        db.executemany(table.adding("WHERE TRUE ON CONFLICT DO NOTHING"), rows)


def _copy_beside(source: LogStore, target: LogStore) -> None:
    there = set(target.sessions())
    for table in BESIDE:
        for session_id in source.sessions():
            order = f"WHERE session_id = ? ORDER BY {table.key}"
            rows = table.rows(source.database, order, session_id)
            if rows and session_id in there:
                _add(target, table, rows)


def _compare(source: LogStore, target: LogStore, session_id: str) -> int:
    """Return the number of a session's events, identical in both. Raises :class:`StoreError` for a difference."""
    count = 0
    both = zip_longest(source.session_rows(session_id), target.session_rows(session_id))
    for count, (mine, its) in enumerate(both, 1):  # noqa: B007  (the last one is what counts)
        if mine != its:
            raise _differs(session_id, (mine or its)[2])
    return count


def _differs(session_id: str, version: int) -> StoreError:
    return StoreError(
        f'session "{session_id}" is not the same in both stores: its event {version} is another one, or only'
        " in one of them; where somebody has recorded meanwhile, copy again"
    )
