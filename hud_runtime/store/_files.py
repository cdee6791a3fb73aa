"""The making of a store's files: private from their first byte, and nobody else's.

A store may be put into a folder where others may write, such as the one for temporary files. So a
link that waits there under its name is not followed, and a file of somebody else is not filled.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from hud_runtime._errors import StoreDamagedError, StoreError, StoreReadOnlyError
from hud_runtime._location import make_folder

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
        raise StoreError(f"{path} is no file; name another one")
    if os.name != "nt" and os.geteuid() not in (0, found.st_uid):
        raise StoreError(f"{path} belongs to another user; name a file of your own")
