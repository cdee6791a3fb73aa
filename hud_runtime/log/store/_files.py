"""The making of a store's files, locks among processes, and errors as ours."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from types import MappingProxyType

from hud_runtime._errors import (
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreReadOnlyError,
)
from hud_runtime._location import make_folder

# SQLite's errors and the system's as ours: from their codes to a class and what to do about it.

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
        "SQLITE_NOTADB": (StoreDamagedError, "it is not an SQLite database; name another file"),
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


FILE = 0o600
"""The mode of what is made here."""

BESIDE = ("-wal", "-shm", "-journal", "-lock", "-archive")
"""The ends of the names of the files and the folder beside a store, which begin with its own."""

BEGINNINGS: dict[str, tuple[bytes, ...]] = {
    "-wal": (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83", bytes(4)),
    "-journal": (b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", bytes(8)),
}
"""The first bytes of SQLite's logs (sqlite.org/fileformat2.html, sections 3 and 4.1), by the ends of their names;
with zeros before they are on the disk."""

INDEX, PART_OF_INDEX, NEW_INDEX = "-shm", 4_096, 3
"""The end of the name of a log's index, the bytes by which it grows, and those of a new one (os_unix.c)."""

NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""Refuses to open a symbolic link, where the system knows how to."""


def prepare(path: Path) -> None:
    """Make sure that there is a file at ``path`` that is ours.

    A new folder gets mode 0700, a new file 0600, whatever the umask; what exists keeps its mode.
    SQLite gives the files that it puts beside it the same mode.

    A file that is there is looked at and never opened: a process that closes any handle of a
    database drops all the locks that it has on it (sqlite.org/howtocorrupt.html, section 2.2).
    To be called while nobody else of this process opens the same file, for a new one is closed.

    Raises :class:`StoreReadOnlyError` when the system refuses, :class:`StoreError` for a folder, a
    link, a file of another user, or one that SQLite would overwrite although it is not a database.
    """
    try:
        if path.is_dir():
            raise StoreError(f"{path} is a folder; name a file in it, such as {path / 'hud.db'}")
        for end in ("", *BESIDE):
            _refuse_a_link(path.with_name(f"{path.name}{end}"))
        refuse_what_is_no_database(path)
        make_folder(path.parent)
        # Of several that find nothing, one makes it; it is the same to the others whose it is.
        if not os.path.lexists(path):
            with suppress(FileExistsError):
                os.close(open_private(path, os.O_CREAT | os.O_EXCL | os.O_RDONLY))
        _refuse_a_strangers(path)
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise StoreReadOnlyError(f"{path}: the store cannot be made there: {reason}") from error


def open_private(path: Path, flags: int) -> int:
    """Open a file without following a link; a new one is the owner's alone. Return its handle."""
    is_new = not path.exists()
    handle = os.open(path, flags | NO_LINK, FILE)
    if is_new and os.name != "nt":
        os.fchmod(handle, FILE)
    return handle


def refuse_what_is_no_database(path: Path) -> None:
    """Raise :class:`StoreError` for what SQLite would overwrite or delete although it is not its own.

    SQLite refuses any other file that is not a database by itself. It takes a log that it does not know for
    an old one, and a log beside an empty database for a leftover; over an index it writes whatever it is. The logs may be opened: SQLite has no locks on them.
    """
    if is_one_byte(path):
        raise StoreDamagedError(f"{path} is not a database; name another file, or move it away")
    index = path.with_name(f"{path.name}{INDEX}")
    if _size(index) % PART_OF_INDEX not in (0, NEW_INDEX):
        raise StoreError(
            f"{index} is not a log's index of {path.name}; move it away, or name another store"
        )
    for end, beginnings in BEGINNINGS.items():
        log = path.with_name(f"{path.name}{end}")
        if not _size(log):
            continue
        with suppress(FileNotFoundError), log.open("rb") as file:
            begins = file.read(len(beginnings[0]))
            if not any(each.startswith(begins) for each in beginnings):
                raise StoreError(
                    f"{log} is not a log of {path.name}; move it away, or name another store"
                )
            if begins.strip(b"\0") and end == "-wal" and not _size(path):
                raise StoreDamagedError(
                    f"{log} is there, but {path.name} is empty or missing: put {path.name} back to read"
                    f" what is in both, or move {log.name} away to begin anew"
                )


def is_one_byte(path: Path) -> bool:
    """Tell whether a file has a single byte: SQLite takes it for an empty database, and writes over it."""
    return _size(path) == 1


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _refuse_a_link(path: Path) -> None:
    if path.is_symlink():
        raise StoreError(f"{path} is a link; name the file that it leads to, or remove it")


def _refuse_a_strangers(path: Path) -> None:
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):
        raise StoreError(f"{path} is not a file; name another one")
    if os.name != "nt" and os.geteuid() not in (0, found.st_uid):
        raise StoreError(f"{path} belongs to another user; name a file of your own")


# A lock among processes for what is not one transaction: archiving and purging.
#
# Both touch the database and files beside it. While one of them holds the lock, a file in the archive
# that the database does not know was left by a process that was killed, and can go.

WAIT = 0.01
"""Seconds between two tries. SQLite waits in the same way."""


@contextmanager
def process_lock(
    store: Path | None, timeout: int, *, make: bool = True, shared: bool = False
) -> Generator[None]:
    """Hold the lock of the store at this path, or of none in memory.

    The system releases it when the process ends, however it ends. Those who hold it ``shared`` hold it together,
    where the system knows how to. Raises :class:`StoreLockedError` when it is not to be had within ``timeout`` milliseconds,
    :class:`StoreReadOnlyError` when its file is not there and we do not ``make`` it.
    """
    if store is None:
        yield
        return
    lock = store.with_name(f"{store.name}-lock")
    flags, deadline = os.O_RDWR | (os.O_CREAT if make else 0), time.monotonic() + timeout / 1_000
    while True:
        with our_file_errors(lock):
            file = FileIO(open_private(lock, flags), "r+")
        # Closing unlocks it, also where an interrupt comes before the unlocking.
        with file:
            try:
                while not _locked(file.fileno(), shared=shared):
                    if time.monotonic() > deadline:
                        raise StoreLockedError(
                            f"{store}: another process or thread is archiving or purging; try again"
                        )
                    time.sleep(WAIT)
                if _is_at(file, lock):
                    yield
                    return
            finally:
                _unlock(file.fileno())


def _is_at(file: FileIO, lock: Path) -> bool:
    """Tell whether the file still has its name: who had the lock before may have deleted it."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), lock.stat())
    except OSError:
        return False


def _unlock(handle: int) -> None:
    # Closing is not enough where a child that was forked in the meantime has the handle, too.
    if os.name != "nt":
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_UN)


def _locked(handle: int, *, shared: bool) -> bool:
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
