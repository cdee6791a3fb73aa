"""The files of a store: creation, locks between processes, the archive, and reading across database and archive."""

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
from dataclasses import astuple, dataclass
from hashlib import sha256
from heapq import merge
from io import FileIO
from pathlib import Path
from typing import BinaryIO, Protocol
from uuid import uuid4

import msgspec

from hud_runtime import _errors
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
    ARCHIVED,
    COLUMNS,
    FREQUENT,
    IS_RARE,
    OF_SESSION,
    PURGED,
    Engine,
    Row,
    data_file,
    from_row,
    verified,
)

# SQLite's and the system's errors as ours: by code, a class and a remedy.

FAILURES: Mapping[str, tuple[str, str]] = {
    code: (kind, advice)
    for code, kind, advice in (
        line.split("\t")
        for line in data_file("store-errors.tsv").splitlines()
        if line and line[0] != "#"
    )
}
"""Our error and the remedy for the codes of SQLite and PostgreSQL."""

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
"""SQLite's primary result codes for files that other programs have changed."""

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""The system's error codes for a write without room."""


def failure(code: str, place: str, said: object) -> StoreError | None:
    """Return our error for the code of an engine's error, with its message, if the table has one."""
    begin = max(filter(code.startswith, FAILURES), key=len, default=None)
    if begin is None:
        return None
    kind, advice = FAILURES[begin]
    made: StoreError = getattr(_errors, kind)(f"{place}: {advice} ({said})")
    return made


def our_error(place: str, error: sqlite3.DatabaseError) -> StoreError:
    """Return an SQLite error as one of ours, with the store's name in front."""
    name = getattr(error, "sqlite_errorname", "") or ""
    if (known := failure(name, place, error)) is not None:
        return known
    if not name and "decode" in str(error):  # Python's own, for invalid UTF-8
        return StoreDamagedError(
            f"{place}: its contents are damaged; restore a backup, or repair it ({error})"
        )
    if not name and "closed database" in str(error):  # the sqlite3 module's own, too
        return StoreError(f"{place}: the store was closed; open it again")
    return StoreError(f"{place}: {error}")


def may_be_of_changed_files(error: sqlite3.DatabaseError) -> bool:
    """Tell whether another program's change of a file can be the cause of an error."""
    return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in CHANGED


@contextmanager
def our_errors(place: str) -> Generator[None]:
    """Convert SQLite's errors within the context to ours."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise our_error(place, error) from error


@contextmanager
def our_file_errors(place: object) -> Generator[None]:
    """Convert the system's errors about files beside the database to ours."""
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
"""The mode of new files."""

BESIDE = ("-wal", "-shm", "-journal", "-lock", "-archive")
"""Suffixes of the files and the folder beside a store, after its own name."""

BEGINNINGS: dict[str, tuple[bytes, ...]] = {
    "-wal": (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83", bytes(4)),
    "-journal": (b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", bytes(8)),
}
"""The first bytes of SQLite's logs (sqlite.org/fileformat2.html, sections 3 and 4.1) by suffix; zeros until
they are on disk.
"""

INDEX, PART_OF_INDEX, NEW_INDEX = "-shm", 4_096, 3
"""The suffix of a log's index, its growth step in bytes, and the bytes of a new one (os_unix.c)."""

NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""The flag against opening symbolic links, where the system has it."""


def prepare(path: Path) -> None:
    """Ensure that there is a file of ours at ``path``.

    New folders get mode 0700, new files 0600, whatever the umask; existing ones keep theirs. SQLite gives
    its files beside it the same mode.

    An existing file is examined but never opened: closing any handle of a database drops all of the
    process's locks on it (sqlite.org/howtocorrupt.html, section 2.2). Call this while nothing else in the
    process opens the file, because a new one is closed.

    Raises :class:`StoreReadOnlyError` when the system refuses; :class:`StoreError` for a folder, a link,
    another user's file, or a file that SQLite would overwrite although it is not a database.
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
        # One of several processes creates it, no matter which.
        if not os.path.lexists(path):
            with suppress(FileExistsError):
                make_private(path)
        _refuse_a_strangers(path)
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise StoreReadOnlyError(f"{path}: the store cannot be made there: {reason}") from error


def open_private(path: Path, flags: int) -> int:
    """Open a file without following links, and return its handle; a new one is private to the owner."""
    is_new = not path.exists()
    handle = os.open(path, flags | NO_LINK, FILE)
    if is_new and os.name != "nt":
        os.fchmod(handle, FILE)
    return handle


def make_private(path: Path) -> None:
    """Create an empty file that is private to the owner."""
    os.close(open_private(path, os.O_CREAT | os.O_EXCL | os.O_RDONLY))


@contextmanager
def private_file(path: Path) -> Generator[BinaryIO]:
    """Yield a new private file to write to; it is on disk when the context ends."""
    with os.fdopen(open_private(path, os.O_CREAT | os.O_EXCL | os.O_RDWR), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def refuse_what_is_no_database(path: Path) -> None:
    """Raise :class:`StoreError` for a file that SQLite would overwrite or delete although it is not its own.

    SQLite itself refuses other files that are not databases. But it takes an unknown log for an old one, a
    log beside an empty database for a leftover, and overwrites any index. Logs may be opened, as SQLite has
    no locks on them.
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
    """Tell whether a file has a single byte: SQLite treats it as an empty database, and overwrites it."""
    return size_of(path) == 1


def size_of(path: Path) -> int:
    """Return the size of a file; 0 for a missing one."""
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


# A lock between processes for archiving and purging, which are more than one transaction.
#
# Both change the database and files beside it. Under the lock, an archive file unknown to the
# database is a leftover of a killed process, and can be deleted.

WAIT = 0.01
"""Seconds between two attempts, as SQLite waits."""


@contextmanager
def process_lock(
    store: Path | None, timeout: int, *, make: bool = True, shared: bool = False
) -> Generator[None]:
    """Hold the lock of the store at this path, or of one in memory.

    The system releases it when the process ends. ``shared`` holders share it, where the system supports
    that. Raises :class:`StoreLockedError` after ``timeout`` milliseconds; :class:`StoreReadOnlyError` if
    its file is missing and ``make`` is false.
    """
    if store is None:
        yield
        return
    lock = store.with_name(f"{store.name}-lock")
    flags, deadline = os.O_RDWR | (os.O_CREAT if make else 0), time.monotonic() + timeout / 1_000
    while True:
        with our_file_errors(lock):
            file = FileIO(open_private(lock, flags), "r+")
        # Closing unlocks it, even if an interrupt precedes the unlocking.
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
    """Tell whether the file still has its name: the previous holder may have deleted it."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), lock.stat())
    except OSError:
        return False


def _unlock(handle: int) -> None:
    # Closing is not enough if a forked child has the handle, too.
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
# Each file is written completely and synced before it gets its name. Names are random, so that no
# session id is part of a path.

SUFFIX = ".jsonl.gz"


class ArchiveFiles(Protocol):
    """Stores content by name."""

    def put(self, content: bytes) -> str:
        """Store content, and return its name."""
        name = f"{uuid4().hex}{SUFFIX}"
        self.keep(name, content)
        return name

    def keep(self, name: str, content: bytes) -> None:
        """Store content under the name that it has in another instance."""
        ...

    def get(self, name: str) -> bytes:
        """Return content. Raises :class:`StoreDamagedError` if it is missing."""
        ...

    def drop(self, name: str) -> None:
        """Delete content, if present."""
        ...

    def names(self) -> frozenset[str]:
        """Return the names of all content, and of unfinished files."""
        ...


class FilesInFolder(ArchiveFiles):
    """An :class:`ArchiveFiles` in a folder, which is created on demand."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, name: str, content: bytes) -> None:
        """Write a file under a name; it is on disk on return."""
        partial = self.folder / f"{name}.partial"
        with our_file_errors(self.folder):
            make_folder(self.folder)
            try:
                with private_file(partial) as file:
                    file.write(content)
                partial.replace(self.folder / name)
            except BaseException:
                partial.unlink(missing_ok=True)  # a full disk has no room for half a file either
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
    """An :class:`ArchiveFiles` for a store in memory."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}

    def keep(self, name: str, content: bytes) -> None:
        """Store content under a name."""
        self._contents[name] = content

    def get(self, name: str) -> bytes:
        """Return content."""
        return self._contents[name]

    def drop(self, name: str) -> None:
        """Delete content."""
        self._contents.pop(name, None)

    def names(self) -> frozenset[str]:
        """Return all names."""
        return frozenset(self._contents)


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that its new names are on disk: a file's own ``fsync`` does not cover them."""
    if os.name != "nt":  # Windows has no handles of folders
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def packed(lines: Iterable[bytes]) -> bytes:
    r"""Compress lines; the same lines give the same bytes.

    >>> gzip.decompress(packed([b"1", b"2"]))
    b'1\n2\n'
    """
    return gzip.compress(b"".join(line + b"\n" for line in lines), mtime=0)


def fingerprint(content: bytes) -> bytes:
    """Return the SHA-256 of content."""
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


VOLUME_SIZE = 20_000
"""Events of a file at most: it is read as a whole, some megabytes at a time."""

BEFORE_COMPACTION = (
    f"SELECT position, {COLUMNS}, digest FROM hud_event WHERE session_id = ?"
    " AND version < (SELECT max(version) FROM hud_event"
    " WHERE session_id = ? AND type = 'compact.after') ORDER BY version LIMIT ?"
)


class ArchiveLine(msgspec.Struct, frozen=True):
    """A line of an archive file: an event's row, its position in the log, and its digest in hex."""

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
        """Return the line of a row with its digest; the payload's bytes stay identical."""
        *envelope, payload, digest = row
        values: Row = (position, *envelope, msgspec.Raw(payload.encode()), digest.hex())
        return cls(*values)

    def row(self) -> Row:
        """Return the original row with its digest."""
        _, *envelope, payload, digest = msgspec.structs.astuple(self)
        return (*envelope, bytes(payload).decode(), bytes.fromhex(digest))


_to_line = msgspec.json.Encoder().encode
_from_line = msgspec.json.Decoder(ArchiveLine).decode


class Archive:
    """The archived part of a store."""

    def __init__(self, database: Engine, shelf: ArchiveFiles) -> None:
        self._db = database
        self.shelf = shelf

    def move(self, session_id: str) -> int:
        """Archive the events before the session's last compaction; return their number.

        Raises :class:`StoreDamagedError` for a damaged event.
        """
        moved = 0
        with self._db.alone():
            self.sweep()
            while rows := self._db.rows(BEFORE_COMPACTION, session_id, session_id, VOLUME_SIZE):
                self._move([ArchiveLine.of(row[0], verified(row[1:])) for row in rows])
                moved += len(rows)
        return moved

    def put(self, lines: list[ArchiveLine]) -> Volume:
        """Write a file with these lines, and return its row for the table."""
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
            db.execute(ARCHIVED.adding(), astuple(volume))
            db.execute(
                "DELETE FROM hud_event WHERE session_id = ? AND version BETWEEN ? AND ?",
                (volume.session_id, volume.first, volume.last),
            )

    def sweep(self) -> None:
        """Delete files that no row names, and those of purged sessions. Requires the lock."""
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
        """Return the volumes that may have events at ``after < position <= up_to``."""
        return self._volumes("AND last_position > ? AND first_position <= ?", after, up_to)

    def everything(self) -> list[Volume]:
        """Return all volumes, session by session."""
        return self._volumes("ORDER BY session_id, first")

    def lines(self, volume: Volume) -> Iterator[ArchiveLine]:
        """Yield the events of a volume in order; none for a session that was just purged.

        Raises :class:`StoreDamagedError` for a damaged file.
        """
        try:
            content = self.shelf.get(volume.file)
        except StoreDamagedError:
            if self._db.rows(f"{PURGED} WHERE session_id = ?", volume.session_id):
                return  # purged since its row was read
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
        rows = ARCHIVED.rows(self._db, f"WHERE session_id NOT IN ({PURGED}) {rest}", *values)
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


# Reading the log: database and archive as one sequence.
#
# Events only move from the database to the archive, even during a read. So a page of the database
# is read first, and missing events are looked up in the archive.

PAGE = 1_000
"""Rows that a reader fetches at once, so that nothing stays locked while they are used."""

BEYOND = 2**62
"""Greater than any version and any position."""

VERSION, TYPE = 2, 3
"""The indexes of version and type in :data:`COLUMNS`."""

ONE_SESSION = (
    f"SELECT {COLUMNS}, digest FROM hud_event WHERE {OF_SESSION} AND version > ?"
    " ORDER BY version LIMIT ?"
)

OF_TYPES = (
    f"SELECT {COLUMNS}, digest FROM hud_event WHERE {OF_SESSION} AND version > ?"
    " AND version <= ? AND {among} ORDER BY version LIMIT ?"
)

# A unary plus keeps SQLite from using the column's index, and from scanning all versions.
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
    """Reads events from database and archive."""

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
                # Rows are missing; the archive has all before a present one.
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
        """Yield the rows of some types: archived ones, then those found by an index."""
        after, last = max(after, 0), BEYOND if up_to is None else min(up_to, BEYOND)
        query = OF_RARE_TYPES if types.isdisjoint(FREQUENT) else OF_TYPES
        query = query.format(among=self._db.statements.among.format("type"))
        named = self._db.many(sorted(types))
        while after < last:
            rows = self._db.rows(query, session_id, session_id, after, last, named, PAGE)
            end = rows[-1][VERSION] if len(rows) == PAGE else last
            # Read after the rows: events missing among them have been archived by then.
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
        """Return the ids that are in use; see :meth:`EventStore.known_ids`."""
        wanted = frozenset(ids)
        is_wanted = self._db.statements.among.format("id")
        query = f"SELECT id FROM hud_event WHERE {is_wanted} AND session_id NOT IN ({PURGED})"
        found = {row[0] for row in self._db.rows(query, self._db.many(wanted))}
        for volume in self._archive.everything():
            found.update(line.id for line in self._archive.lines(volume) if line.id in wanted)
        return frozenset(found)

    def head(self, session_id: str) -> Head:
        """Return the end of a session's log."""
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
        """Yield all rows with their digests and positions, in order of appending."""
        after = min(max(after, 0), BEYOND)
        while True:
            rows = self._db.rows(EVERYTHING, after, PAGE)
            last = rows[-1][0] if len(rows) == PAGE else BEYOND
            volumes = self._archive.between(after, last)
            sources = [self._positions(volume, after, last) for volume in volumes]
            for position, row in merge(((row[0], row[1:]) for row in rows), *sources):
                # An event may have moved between the two reads, and then it is in both.
                if position > after:
                    after = position
                    yield position, row
            if last == BEYOND:
                return

    def version_at(self, session_id: str, at: At) -> int:
        """Return the version of a moment; see :meth:`EventStore.version_at`."""
        head = self.head(session_id).version
        if at.measure == "version":
            return max(0, min(at.value, head))
        at = At(at.measure, max(-1, min(at.value, BEYOND)))
        later = self._db.rows(
            # The column's name is a literal of At.measure, never a caller's text.
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
        """Return the volume of an event; ``None`` for a session that was just purged."""
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
