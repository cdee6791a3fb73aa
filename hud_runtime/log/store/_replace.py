"""Replacing a store, and saving acknowledged events of a store whose files changed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

from hud_runtime._errors import StoreDamagedError, StoreError, StoreLockedError
from hud_runtime._location import FOLDER, make_folder
from hud_runtime.log.store._files import (
    FILE,
    folder_of,
    is_one_byte,
    make_private,
    our_errors,
    our_file_errors,
    private_file,
    process_lock,
    sync_folder,
)
from hud_runtime.log.store._identity import LOGS, FileIdentity, opened, own_log
from hud_runtime.log.store._rows import COUNT_TABLES

BESIDE_DATABASE = ("-wal", "-shm", "-journal")
"""Suffixes of SQLite's files beside a database."""

STAGING = "staging"
"""The name from which the lock in a staging folder gets its own."""

PARTIAL = ".partial"
"""The suffix of a staging folder's name."""

CLAIMS = 20
"""Attempts to make a staging folder before another process counts as active there."""

DATABASE = "hud.db"
"""The database's name in a folder with one store."""


@contextmanager
def staging(place: Path) -> Generator[Path]:
    """Yield an empty folder beside ``place`` for building its new content.

    It is removed at the end unless renamed; leftovers of killed processes, here and in others beside it,
    are removed first. Raises :class:`StoreLockedError` while another process is building for the same
    place.
    """
    folder = place.with_name(f".{place.name}{PARTIAL}")
    with ExitStack() as held:
        _claim(place, folder, held)
        _empty(folder)
        try:
            yield folder
        except BaseException:
            with suppress(OSError):  # incomplete content may fill the disk
                _empty(folder)
            raise
        if folder.is_dir():  # leftovers are removed before the lock
            _empty(folder)
    shutil.rmtree(folder, ignore_errors=True)


def _claim(place: Path, folder: Path, held: ExitStack) -> None:
    """Make the folder and take its lock; retry if another process removes it in between as empty."""
    for _ in range(CLAIMS):
        clear_abandoned(place)
        with our_file_errors(folder):
            make_folder(folder)
        try:
            held.enter_context(process_lock(folder / STAGING, timeout=0))
        except StoreLockedError:
            break
        except StoreError:
            if folder.is_dir():
                raise
        else:
            return
    raise StoreLockedError(
        f"{place}: another process is writing a store there; try again when it is done"
    )


def finished(folder: Path) -> Path:
    """Return a staging folder ready for its final name: synced, without our lock file."""
    folder.joinpath(f"{STAGING}-lock").unlink(missing_ok=True)
    sync_folder(folder)
    return folder


def clear_abandoned(place: Path) -> None:
    """Remove the staging folders of killed processes, whose locks are free.

    Only an existing lock is opened: a folder without one is about to get its name. That of ``place`` itself
    may be empty, if a process was killed before or after it had the lock.
    """
    with suppress(OSError):
        place.with_name(f".{place.name}{PARTIAL}").rmdir()
    for folder in sorted(place.parent.glob(f".*{PARTIAL}")):
        with suppress(OSError, StoreError):
            if _is_ours(folder):
                with process_lock(folder / STAGING, timeout=0, make=False):
                    _empty(folder)
                    folder.joinpath(f"{STAGING}-lock").unlink()
                folder.rmdir()


def _is_ours(folder: Path) -> bool:
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and (os.name == "nt" or found.st_uid == os.geteuid())


def _empty(folder: Path) -> None:
    for each in folder.iterdir():
        if each.is_dir():
            shutil.rmtree(each)
        elif each.name != f"{STAGING}-lock":
            each.unlink()


def is_store_at(path: Path) -> bool:
    """Tell whether there are files of a store; an empty file does not count."""
    logs = [path.with_name(f"{path.name}{end}") for end in BESIDE_DATABASE]
    return any(each.exists() and each.stat().st_size for each in (path, *logs))


@contextmanager
def unused(store: Path, timeout: int) -> Generator[sqlite3.Connection | None]:
    """Lock everybody out of a store, and yield a connection; ``None`` where SQLite cannot open it.

    The write-ahead log is in the database by then. Raises :class:`StoreLockedError` when the store is open
    anywhere, even in this process.
    """
    with process_lock(store, timeout):
        if not is_store_at(store):
            yield None
            return
        db = None if is_one_byte(store) else _locked(store, timeout)
        try:
            yield db
        finally:
            if db is not None:
                db.close()


def _locked(store: Path, timeout: int) -> sqlite3.Connection | None:
    db = None
    try:
        with own_log(store):  # its log, which SQLite would apply below
            pass
        uri = f"{store.absolute().as_uri()}?mode=rw"
        db = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=timeout / 1_000)
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("PRAGMA journal_mode = DELETE")  # only succeeds while nobody else has it open
        db.execute("BEGIN EXCLUSIVE")
    except sqlite3.DatabaseError as error:
        if db is not None:
            db.close()
        if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreLockedError(
                f"{store} is in use; close what has it open, such as `ujsx serve`, and try again"
            ) from error
        return None
    except StoreDamagedError:
        return None
    return db


def set_aside(store: Path, why: str) -> Path | None:
    """Keep all files of a store unchanged in a folder beside it, and return the folder.

    The store must be unused. Files that SQLite writes are copied: the old store can be opened until it is
    replaced, and two names for one file would make SQLite corrupt it (sqlite.org/howtocorrupt.html, 2.5).
    Files of the archive never change, and are hard-linked.
    """
    if not is_store_at(store):
        return None

    return keep_aside(store, why, lambda made: copy_database(store, made))


def keep_aside(store: Path, why: str, write: Callable[[Path], object]) -> Path:
    """Make a folder beside a store with a file from ``write``, and with the archive's files."""
    moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    with our_file_errors(store.parent):
        folder, partial = _claimed(store.with_name(f"{store.name}.{why}-{moment}"))
    with our_file_errors(partial):
        try:
            write(partial / DATABASE)
        except BaseException:  # incomplete content may fill the disk
            with suppress(OSError):
                shutil.rmtree(partial)
            raise
        archive, kept = folder_of(store), folder_of(partial / DATABASE)
        if archive.is_dir():
            make_folder(kept)
            for each in sorted(archive.iterdir()):
                _second_name(each, kept / each.name)
            sync_folder(kept)
        sync_folder(partial)
        partial.rename(folder)
        sync_folder(folder.parent)
    return folder


def _claimed(place: Path) -> tuple[Path, Path]:
    """Return an unused name, and the folder that will be renamed to it.

    Making that folder reserves the name. Of several processes one succeeds, and the others try the next
    number; numbers of killed processes are skipped.
    """
    make_folder(place.parent)
    folder, number = place, 1
    while True:
        partial = folder.with_name(f"{folder.name}{PARTIAL}")
        with suppress(FileExistsError):
            partial.mkdir(mode=FOLDER)
            if not os.path.lexists(folder):  # another process may have got this name just before
                partial.chmod(FOLDER)  # whatever the umask
                return folder, partial
            partial.rmdir()
        number += 1
        folder = place.with_name(f"{place.name}-{number}")


def _second_name(file: Path, name: Path) -> None:
    try:
        os.link(file, name)
    except OSError:
        file.rename(name)


def copy_database(database: Path, target: Path) -> None:
    """Copy a database and SQLite's files beside it as they are."""
    for end in ("", *BESIDE_DATABASE):
        file = database.with_name(f"{database.name}{end}")
        if file.exists():
            name = target.with_name(f"{target.name}{end}")
            with opened(file) as source, private_file(name) as copy:
                shutil.copyfileobj(source, copy)


def put_in_place(made: Path, store: Path) -> None:
    """Move the database ``made``, and its archive, to the place of ``store``.

    The store must be unused, and set aside already.
    """
    archive = folder_of(store)
    with our_file_errors(store):
        new = {each.name for each in _files(folder_of(made))}
        if new:
            make_folder(archive)
            for name in sorted(new):
                (folder_of(made) / name).replace(archive / name)
            sync_folder(archive)
        # Logs of a file that SQLite could not open would corrupt another database.
        for end in BESIDE_DATABASE:
            store.with_name(f"{store.name}{end}").unlink(missing_ok=True)
        made.chmod(FILE)
        made.replace(store)
        sync_folder(store.parent)
        for each in _files(archive):
            if each.name not in new:
                with suppress(FileNotFoundError):
                    each.unlink()


def _files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


# Saving acknowledged events when a file of an open store was deleted, replaced or overwritten.
#
# Our descriptors may be the last access to it. Where nobody else has the database open, or all
# share our log, the log is copied into the database, which completes it. Otherwise everything that
# our connection sees is copied to a folder beside the store. Untrusted files are left unchanged.

RESCUED = "rescued"
"""The infix in the name of a folder with saved events: ``hud.db.rescued-20260101T090000Z``."""

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
    """Save the acknowledged events, close the connection, and return a report.

    Raises :class:`StoreError` where there is no room; then the connection stays open.
    """
    identity.refill_index()
    with suppress(sqlite3.Error):
        writer.execute(COUNT_TABLES).fetchone()  # SQLite rebuilds an index without its header
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
        folder = keep_aside(path, RESCUED, lambda made: _copy_rescued(writer, made))
        done = IN_FOLDER.format(folder, path)
        if not identity.is_ours(""):
            _remove_logs(path, identity)
    if identity.is_ours(""):
        close_untouched(path, writer)
    else:
        writer.close()  # without a checkpoint where the database has moved
    return done


def _settle(identity: FileIdentity, writer: sqlite3.Connection) -> bool:
    """Copy the log into the database; return False for another database, or where others may have begun a log."""
    log, index = (identity.is_ours(end) for end in LOGS)
    if not identity.is_ours("") or (log is False and not identity.is_empty(LOGS[0])):
        return False
    with suppress(sqlite3.OperationalError):
        # SQLite does so only for the last connection, and locks out others meanwhile.
        if writer.execute("PRAGMA journal_mode = DELETE").fetchone() == ("delete",):
            return True
    if log is False or index is False:
        return False
    with suppress(sqlite3.OperationalError):
        busy, frames, copied = writer.execute("PRAGMA wal_checkpoint(FULL)").fetchone()
        return not busy and frames == copied
    return False


def _copy_rescued(writer: sqlite3.Connection, made: Path) -> None:
    make_private(made)
    with our_errors(str(made)), closing(sqlite3.connect(made)) as copy:
        writer.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # as backups are


def _copy_log(identity: FileIdentity, made: Path) -> None:
    with identity.log() as log, private_file(made.with_name(f"{made.name}{LOGS[0]}")) as copy:
        shutil.copyfileobj(log, copy)


def _remove_logs(path: Path, identity: FileIdentity) -> None:
    """Remove our log from beside another database, which it would corrupt; other users of that one may, too."""
    for end in LOGS:
        if identity.is_ours(end):
            path.with_name(f"{path.name}{end}").unlink(missing_ok=True)


def close_untouched(path: Path, connection: sqlite3.Connection) -> None:
    """Close a connection without the final checkpoint and the deletion of the log.

    A read-only connection, which cannot do either, is closed after it.
    """
    reader = None
    with suppress(sqlite3.Error):
        reader = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
        reader.execute(COUNT_TABLES).fetchone()
    connection.close()
    if reader is not None:
        reader.close()
