"""The files of a store: made, locked among processes, archived beside it; and the log read across database and archive."""

from __future__ import annotations

import errno
import gzip
import os
import sqlite3
import stat
import time
import zlib
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass, fields
from hashlib import sha256
from heapq import merge
from io import FileIO
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, Protocol
from uuid import uuid4

import msgspec

from hud_runtime._errors import (
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreReadOnlyError,
)
from hud_runtime._location import make_folder
from hud_runtime.log.events import PAYLOADS, Event, EventCatalog, EventType
from hud_runtime.log.store._protocol import At, Head
from hud_runtime.log.store._rows import (
    COLUMNS,
    FREQUENT,
    IS_RARE,
    OF_SESSION,
    PURGED,
    Engine,
    Row,
    from_row,
    verified,
)

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
            beside = path.with_name(f"{path.name}{end}")
            if beside.is_symlink():
                raise StoreError(
                    f"{beside} is a link; name the file that it leads to, or remove it"
                )
        refuse_what_is_no_database(path)
        make_folder(path.parent)
        # Of several that find nothing, one makes it; it is the same to the others whose it is.
        if not os.path.lexists(path):
            with suppress(FileExistsError):
                make_private(path)
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


def make_private(path: Path) -> None:
    """Make an empty file that is the owner's alone."""
    os.close(open_private(path, os.O_CREAT | os.O_EXCL | os.O_RDONLY))


@contextmanager
def private_file(path: Path) -> Generator[BinaryIO]:
    """Give a new file to write to, the owner's alone; the disk has it when the context ends."""
    with os.fdopen(open_private(path, os.O_CREAT | os.O_EXCL | os.O_RDWR), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def refuse_what_is_no_database(path: Path) -> None:
    """Raise :class:`StoreError` for what SQLite would overwrite or delete although it is not its own.

    SQLite refuses any other file that is not a database by itself. It takes a log that it does not know for
    an old one, and a log beside an empty database for a leftover; over an index it writes whatever it is. The logs may be opened: SQLite has no locks on them.
    """
    if is_one_byte(path):
        raise StoreDamagedError(f"{path} is not a database; name another file, or move it away")
    index = path.with_name(f"{path.name}{INDEX}")
    if size_of(index) % PART_OF_INDEX not in (0, NEW_INDEX):
        raise StoreError(
            f"{index} is not a log's index of {path.name}; move it away, or name another store"
        )
    for end, beginnings in BEGINNINGS.items():
        log = path.with_name(f"{path.name}{end}")
        if not size_of(log):
            continue
        with suppress(FileNotFoundError), log.open("rb") as file:
            begins = file.read(len(beginnings[0]))
            if not any(each.startswith(begins) for each in beginnings):
                raise StoreError(
                    f"{log} is not a log of {path.name}; move it away, or name another store"
                )
            if begins.strip(b"\0") and end == "-wal" and not size_of(path):
                raise StoreDamagedError(
                    f"{log} is there, but {path.name} is empty or missing: put {path.name} back to read"
                    f" what is in both, or move {log.name} away to begin anew"
                )


def is_one_byte(path: Path) -> bool:
    """Tell whether a file has a single byte: SQLite takes it for an empty database, and writes over it."""
    return size_of(path) == 1


def size_of(path: Path) -> int:
    """Return the bytes of a file; 0 for one that is not there."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


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


# The files of archived events: compressed, in a folder beside the store.
#
# A file is written as a whole, forced to the disk, and only then gets its name. Names are random: no
# id of a session is ever part of a path.

SUFFIX = ".jsonl.gz"


class ArchiveFiles(Protocol):
    """Keeps files by name."""

    def put(self, content: bytes) -> str:
        """Keep a content for good, and return its name."""
        name = f"{uuid4().hex}{SUFFIX}"
        self.keep(name, content)
        return name

    def keep(self, name: str, content: bytes) -> None:
        """Keep a content for good, under the name that it has in another shelf."""
        ...

    def get(self, name: str) -> bytes:
        """Return a content. Raises :class:`StoreDamagedError` when it is not there."""
        ...

    def drop(self, name: str) -> None:
        """Forget a content, if it is there."""
        ...

    def names(self) -> frozenset[str]:
        """Return the names of all that is kept, and of what was left half done."""
        ...


class FilesInFolder(ArchiveFiles):
    """A :class:`ArchiveFiles` that is a folder, made when something is put there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, name: str, content: bytes) -> None:
        """Write a file under a name, and return when the disk has it."""
        partial = self.folder / f"{name}.partial"
        with our_file_errors(self.folder):
            make_folder(self.folder)
            try:
                with private_file(partial) as file:
                    file.write(content)
                partial.replace(self.folder / name)
            except BaseException:
                partial.unlink(missing_ok=True)  # a full disk has no room for half of it either
                raise
            sync_folder(self.folder)

    def get(self, name: str) -> bytes:
        """Read a file."""
        try:
            return (self.folder / name).read_bytes()
        except OSError as error:
            raise StoreDamagedError(
                f"{self.folder / name}: archived events are in this file, and it cannot be read:"
                f" {error.strerror}; restore it from a backup"
            ) from error

    def drop(self, name: str) -> None:
        """Delete a file."""
        (self.folder / name).unlink(missing_ok=True)

    def names(self) -> frozenset[str]:
        """Return the names of the folder's files."""
        found = self.folder.iterdir() if self.folder.is_dir() else ()
        return frozenset(path.name for path in found)


class FilesInMemory(ArchiveFiles):
    """A :class:`ArchiveFiles` for a store in memory."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}

    def keep(self, name: str, content: bytes) -> None:
        """Keep a content under a name."""
        self._contents[name] = content

    def get(self, name: str) -> bytes:
        """Return a content."""
        return self._contents[name]

    def drop(self, name: str) -> None:
        """Forget a content."""
        self._contents.pop(name, None)

    def names(self) -> frozenset[str]:
        """Return all names."""
        return frozenset(self._contents)


def sync_folder(folder: Path) -> None:
    """Return when the disk has a folder's new names: a file's own ``fsync`` does not say so."""
    if os.name != "nt":  # which has no such handle
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def packed(lines: Iterable[bytes]) -> bytes:
    r"""Return lines, compressed; the same lines give the same bytes.

    >>> gzip.decompress(packed([b"1", b"2"]))
    b'1\n2\n'
    """
    return gzip.compress(b"".join(line + b"\n" for line in lines), mtime=0)


def fingerprint(content: bytes) -> bytes:
    """Return the SHA-256 of a content."""
    return sha256(content).digest()


@dataclass(frozen=True, slots=True)
class Volume:
    """An archived range of a session's events: a row of ``hud_archive``."""

    file: str
    session_id: str
    first: int
    last: int
    first_position: int
    last_position: int
    latest_turn: int
    latest_time: int
    sha256: bytes


VOLUME = ", ".join(field.name for field in fields(Volume))


VOLUME_SIZE = 20_000
"""Events in one file at most: it is read as a whole, some megabytes at a time."""

BEFORE_COMPACTION = (
    f"SELECT position, {COLUMNS}, digest FROM hud_event WHERE session_id = ?"
    " AND version < (SELECT max(version) FROM hud_event"
    " WHERE session_id = ? AND type = 'compact.after') ORDER BY version LIMIT ?"
)


class ArchiveLine(msgspec.Struct, frozen=True):
    """One line of an archive file: an event's row, its place in the log, and its digest in hex."""

    position: int
    id: str
    session_id: str
    version: int
    type: str
    turn: int
    timestamp: int
    actor: str
    format: int
    payload: msgspec.Raw
    digest: str

    @classmethod
    def of(cls, position: int, row: Row) -> ArchiveLine:
        """Return the line of a row with its digest; the payload keeps its very bytes."""
        id_, session_id, version, type_, turn, timestamp, actor, format_, payload, digest = row
        return cls(
            position, id_, session_id, version, type_, turn, timestamp, actor, format_,
            msgspec.Raw(payload.encode()), digest.hex(),
        )  # fmt: skip

    def row(self) -> Row:
        """Return the row as it was, with its digest."""
        return (
            self.id, self.session_id, self.version, self.type, self.turn, self.timestamp,
            self.actor, self.format, bytes(self.payload).decode(), bytes.fromhex(self.digest),
        )  # fmt: skip


_to_line = msgspec.json.Encoder().encode
_from_line = msgspec.json.Decoder(ArchiveLine).decode


class Archive:
    """The archived part of a store."""

    def __init__(self, database: Engine, shelf: ArchiveFiles) -> None:
        self._db = database
        self.shelf = shelf

    def move(self, session_id: str) -> int:
        """Archive what came before the session's last compaction; return how many events.

        Raises :class:`StoreDamagedError` for an event that is not as it was written.
        """
        moved = 0
        with self._db.alone():
            self.sweep()
            while rows := self._db.rows(BEFORE_COMPACTION, session_id, session_id, VOLUME_SIZE):
                self._move([ArchiveLine.of(row[0], verified(row[1:])) for row in rows])
                moved += len(rows)
        return moved

    def put(self, lines: list[ArchiveLine]) -> Volume:
        """Write a file with these lines, and return the row that is to name it."""
        content = packed(map(_to_line, lines))
        first, last = lines[0], lines[-1]
        return Volume(
            self.shelf.put(content),
            first.session_id,
            first.version,
            last.version,
            first.position,
            last.position,
            max(line.turn for line in lines),
            max(line.timestamp for line in lines),
            fingerprint(content),
        )

    def _move(self, lines: list[ArchiveLine]) -> None:
        volume = self.put(lines)
        with self._db.writing("archiving") as db:
            db.execute(
                f"INSERT INTO hud_archive ({VOLUME}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                astuple(volume),
            )
            db.execute(
                "DELETE FROM hud_event WHERE session_id = ? AND version BETWEEN ? AND ?",
                (volume.session_id, volume.first, volume.last),
            )

    def sweep(self) -> None:
        """Delete the files that no row names, and those of purged sessions. To be called alone."""
        known = {volume.file for volume in self._volumes("")}
        for name in self.shelf.names() - known:
            self.shelf.drop(name)

    def volume(self, session_id: str, version: int) -> Volume | None:
        """Return the volume that holds the event with this version, if it is archived."""
        found = self._volumes(
            "AND session_id = ? AND first <= ? ORDER BY first DESC LIMIT 1", session_id, version
        )
        return next((volume for volume in found if version <= volume.last), None)

    def of_session(self, session_id: str) -> list[Volume]:
        """Return the session's volumes, in the order of its events."""
        return self._volumes("AND session_id = ? ORDER BY first", session_id)

    def between(self, after: int, up_to: int) -> list[Volume]:
        """Return the volumes with events at ``after < position <= up_to``, or around there."""
        return self._volumes("AND last_position > ? AND first_position <= ?", after, up_to)

    def everything(self) -> list[Volume]:
        """Return all volumes, session by session."""
        return self._volumes("ORDER BY session_id, first")

    def lines(self, volume: Volume) -> Iterator[ArchiveLine]:
        """Yield the events of a volume, in their order; none of a session that was just purged.

        Raises :class:`StoreDamagedError` for a file that is not as it was written.
        """
        try:
            content = self.shelf.get(volume.file)
        except StoreDamagedError:
            if self._db.rows(f"{PURGED} WHERE session_id = ?", volume.session_id):
                return  # since its row was read
            raise
        if fingerprint(content) != volume.sha256:
            raise StoreDamagedError(
                f"{self._db.place}: the archive file {volume.file} is not as it was written;"
                " restore it from a backup"
            )
        try:
            yield from map(_from_line, gzip.decompress(content).split(b"\n")[:-1])
        except (OSError, zlib.error, msgspec.DecodeError) as error:
            raise StoreDamagedError(
                f"{self._db.place}: the archive file {volume.file} cannot be read: {error}"
            ) from error

    def _volumes(self, rest: str, *values: object) -> list[Volume]:
        rows = self._db.rows(
            f"SELECT {VOLUME} FROM hud_archive WHERE session_id NOT IN ({PURGED}) {rest}",
            *values,
        )
        return [Volume(*row) for row in rows]


def archive_beside(database: Engine, path: Path | None) -> Archive:
    """Return the archive of a store in a file, or in memory."""
    return Archive(database, FilesInMemory() if path is None else FilesInFolder(folder_of(path)))


def folder_of(store: Path) -> Path:
    """Return the folder of a store's archive.

    >>> folder_of(Path("data/hud.db")).name
    'hud.db-archive'
    """
    return store.with_name(f"{store.name}-archive")


# Reading the log: what is in the database and what is in the archive, as one sequence.
#
# Events move from the database to the archive while somebody reads, never back. So a page of the
# database is read first, and the archive is asked for what is not there any more.

PAGE = 1_000
"""Rows that a reader takes at a time, so that nothing is locked while they are used."""

BEYOND = 2**62
"""Greater than any version and any position."""

VERSION, TYPE = 2, 3
"""The places of the version and the type among :data:`COLUMNS`."""

ONE_SESSION = (
    f"SELECT {COLUMNS}, digest FROM hud_event WHERE {OF_SESSION} AND version > ?"
    " ORDER BY version LIMIT ?"
)

OF_TYPES = (
    f"SELECT {COLUMNS}, digest FROM hud_event WHERE {OF_SESSION} AND version > ?"
    " AND version <= ? AND {among} ORDER BY version LIMIT ?"
)

# With a plus, a column is none that SQLite would look up by: else it goes through all versions.
OF_RARE_TYPES = (
    OF_TYPES.replace("version >", "+version >")
    .replace("version <=", f"{IS_RARE} AND +version <=")
    .replace("BY version", "BY +version")
)

EVERYTHING = (
    f"SELECT position, {COLUMNS}, digest FROM hud_event WHERE position > ?"
    f" AND session_id NOT IN ({PURGED}) ORDER BY position LIMIT ?"
)


class LogReader:
    """Reads events, wherever they are."""

    def __init__(self, database: Engine, archive: Archive) -> None:
        self._db = database
        self._archive = archive

    def read(
        self,
        session_id: str,
        after: int = 0,
        up_to: int | None = None,
        *,
        types: Collection[EventType] | None = None,
        checked: bool = False,
        catalog: EventCatalog = PAYLOADS,
    ) -> Iterator[Event]:
        """Yield a session's events; see :meth:`EventStore.read`."""
        if types is None:
            rows = self.session_rows(session_id, after, up_to)
        else:
            rows = self._of_types(session_id, after, up_to, frozenset(types))
        rows = map(verified, rows) if checked else rows
        return (from_row(row, catalog) for row in rows)

    def session_rows(
        self, session_id: str, after: int = 0, up_to: int | None = None
    ) -> Iterator[Row]:
        """Yield a session's rows with their digests, in order: ``after < version <= up_to``."""
        after, last = max(after, 0), BEYOND if up_to is None else min(up_to, BEYOND)
        while after < last:
            rows = self._db.rows(
                ONE_SESSION, session_id, session_id, after, min(PAGE, last - after)
            )
            if not rows:
                return
            if rows[-1][VERSION] != after + len(rows):
                # Something is missing; a row in its place has all others before it.
                rows = [row for place, row in enumerate(rows, after + 1) if row[VERSION] == place]
            if rows:
                yield from rows
                after = rows[-1][VERSION]
            else:
                volume = self._volume(session_id, after + 1)
                if volume is None:
                    return
                yield from self._of_volume(volume, after, last)
                after = volume.last

    def _of_types(
        self, session_id: str, after: int, up_to: int | None, types: frozenset[str]
    ) -> Iterator[Row]:
        """Yield the rows of some types: those that are archived, then those that an index finds."""
        after, last = max(after, 0), BEYOND if up_to is None else min(up_to, BEYOND)
        query = OF_RARE_TYPES if types.isdisjoint(FREQUENT) else OF_TYPES
        query = query.format(among=self._db.statements.among.format("type"))
        named = self._db.many(sorted(types))
        while after < last:
            rows = self._db.rows(query, session_id, session_id, after, last, named, PAGE)
            end = rows[-1][VERSION] if len(rows) == PAGE else last
            # Asked for after the rows: what is missing among them has been archived by then.
            if volume := self._archived_between(session_id, after, end):
                rows = [row for row in self._of_volume(volume, after, last) if row[TYPE] in types]
                end = volume.last
            yield from rows
            after = end

    def _archived_between(self, session_id: str, after: int, last: int) -> Volume | None:
        """Return the first of a session's volumes with events at ``after < version <= last``."""
        volumes = self._archive.of_session(session_id)
        return next((one for one in volumes if one.last > after and one.first <= last), None)

    def known_ids(self, ids: Collection[str]) -> frozenset[str]:
        """Return those of the ids that are taken; see :meth:`EventStore.known_ids`."""
        wanted = frozenset(ids)
        is_wanted = self._db.statements.among.format("id")
        query = f"SELECT id FROM hud_event WHERE {is_wanted} AND session_id NOT IN ({PURGED})"
        found = {row[0] for row in self._db.rows(query, self._db.many(wanted))}
        for volume in self._archive.everything():
            found.update(line.id for line in self._archive.lines(volume) if line.id in wanted)
        return frozenset(found)

    def head(self, session_id: str) -> Head:
        """Return where a session's log ends."""
        rows = self._db.rows(
            f"SELECT version, turn FROM hud_event WHERE {OF_SESSION} ORDER BY version DESC LIMIT 1",
            *(session_id, session_id),
        )
        return Head(*rows[0]) if rows else Head()

    def last_position(self) -> int:
        """Return the position of the newest event; 0 for an empty log."""
        [(last,)] = self._db.rows("SELECT coalesce(max(position), 0) FROM hud_event")
        return int(last)

    def read_all(self, after: int = 0) -> Iterator[tuple[int, Event]]:
        """Yield all events with their positions; see :meth:`EventStore.read_all`."""
        return ((position, from_row(row)) for position, row in self.all_rows(after))

    def all_rows(self, after: int) -> Iterator[tuple[int, Row]]:
        """Yield all rows with their digests, each with its position, in the order of their appending."""
        after = min(max(after, 0), BEYOND)
        while True:
            rows = self._db.rows(EVERYTHING, after, PAGE)
            last = rows[-1][0] if len(rows) == PAGE else BEYOND
            volumes = self._archive.between(after, last)
            sources = [self._positions(volume, after, last) for volume in volumes]
            for position, row in merge(((row[0], row[1:]) for row in rows), *sources):
                # An event may have moved between the two looks, and then it is in both.
                if position > after:
                    after = position
                    yield position, row
            if last == BEYOND:
                return

    def version_at(self, session_id: str, at: At) -> int:
        """Return a moment's version; see :meth:`EventStore.version_at`."""
        head = self.head(session_id).version
        if at.measure == "version":
            return max(0, min(at.value, head))
        at = At(at.measure, max(-1, min(at.value, BEYOND)))
        later = self._db.rows(
            # The column's name comes from the literals of At.measure, never from a caller's text.
            f"SELECT version FROM hud_event WHERE {OF_SESSION} AND {at.measure} > ?"
            " ORDER BY version LIMIT 1",
            *(session_id, session_id, at.value),
        )
        archived = self._archived_after(session_id, at)
        if archived is not None:
            return archived - 1
        return int(later[0][0]) - 1 if later else head

    def _archived_after(self, session_id: str, at: At) -> int | None:
        for volume in self._archive.of_session(session_id):
            latest = volume.latest_turn if at.measure == "turn" else volume.latest_time
            if latest > at.value:
                lines = self._archive.lines(volume)
                later = (one.version for one in lines if getattr(one, at.measure) > at.value)
                return next(later, None)
        return None

    def _volume(self, session_id: str, version: int) -> Volume | None:
        """Return the volume with an event; ``None`` when the session has just been purged."""
        volume = self._archive.volume(session_id, version)
        if volume is None and not self._db.rows(f"{PURGED} WHERE session_id = ?", session_id):
            raise StoreDamagedError(
                f'event {version} of session "{session_id}" is missing from {self._db.place};'
                " restore a backup, or repair the store: `ujsx store repair`"
            )
        return volume

    def _of_volume(self, volume: Volume, after: int, last: int) -> Iterator[Row]:
        lines = self._archive.lines(volume)
        return (line.row() for line in lines if after < line.version <= last)

    def _positions(self, volume: Volume, after: int, last: int) -> Iterator[tuple[int, Row]]:
        lines = self._archive.lines(volume)
        return ((each.position, each.row()) for each in lines if after < each.position <= last)
