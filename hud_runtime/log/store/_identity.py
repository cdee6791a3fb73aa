"""The identity of an open store's files and of its write-ahead log."""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
import time
import zlib
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from struct import Struct, pack
from typing import BinaryIO, TypeAlias

from hud_runtime._errors import StoreDamagedError, StoreError, StoreLockedError
from hud_runtime.log.store._rows import COLUMNS, connected_to_read, digest

if sys.platform != "win32":
    import fcntl  # here, because an unclosed store needs it while Python shuts down

Inode: TypeAlias = tuple[int, int]
"""A file by its device and inode number."""

Event: TypeAlias = tuple[str, int, bytes]
"""An event by its session, its version and its digest."""

LOGS = ("-wal", "-shm")
"""Suffixes of a write-ahead log and its index."""

Place: TypeAlias = tuple[int, int]
"""A range of a file: offset and length."""

ENDS = ("", *LOGS)
"""Suffixes of all three files."""

DESCRIPTORS = "/dev/fd"
"""The folder in which Linux and macOS list the descriptors of this process."""

INDEX = 140
"""Bytes read from an index: its header (walformat.html, section 2.1), whose first 48 are there twice, and
the page number of the log's first frame.
"""

CHANGES_AT, IS_MADE, PAGE_SIZE_AT, FRAMES_AT, SUMS_AT = 8, 12, 14, 16, 24
"""Offsets in it: commits, initialized flag, page size, frames, the last frame's checksum."""

PAGE_SIZE, FRAMES, SUMS = Struct("=H"), Struct("=I"), Struct("=II")

SALT, COPIED = slice(32, 40), (slice(32, 40), slice(96, 100), slice(128, 132))
"""The log's salt; then salt, frames in the database, and frames that a checkpoint has begun to copy."""

FIRST_PAGE = slice(136, 140)
"""The offset of the first frame's page number, which stays while the log grows: commits append."""

LOG_HEADER, FRAME_HEADER = 32, 24
"""Bytes of a log's header, and of each frame's (sections 1.1 and 1.2)."""

LOOKS, PAUSE = 20, 0.001
"""Reads of a log that others may be writing, and seconds between two, before it counts as overwritten."""

REGION, PLACES, FIRST_PLACES = 32_768, 4_096, 4_062
"""The growth step of an index in bytes, and the page numbers in each step, and in the first one, which also
has the header (section 2.2).
"""

RESETS = 2**16
"""The number of restarts that a log may have between two checks."""

SAMPLE = 65_536
"""Bytes at the start of a database in the checksum kept between checkpoints, which also has the last page copied."""

SHARED_LOCKS, INDEX_LOCK = (0x40000002, 510), (128, 1)
"""The byte ranges, by offset and length, that each user of a database, and of an index, locks (os_unix.c)."""

LOCKS: dict[str, tuple[str, tuple[str, ...]]] = {
    "linux": ("hhqqi4x", ("type", "whence", "start", "length", "process")),
    "darwin": ("qqihh", ("start", "length", "process", "type", "whence")),
}
"""The layout of ``struct flock``, by system."""

MOVED, OVERWRITTEN = "deleted or replaced", "overwritten or cut"
"""The two kinds of changes to files of an open store."""


class FileChangedError(StoreError):
    """A file of an open store was replaced, or has changed content."""

    def __init__(self, file: str, what: str, others: Sequence[str] = ()) -> None:
        names = [file, *(Path(each).name for each in others)]
        files = " and ".join([", ".join(names[:-1]), names[-1]] if others else names)
        super().__init__(f"{files} {'were' if others else 'was'} {what} while the store was open")
        self.file, self.what = file, what


class FileIdentity:
    """The three open files of a store's connection.

    Create it after the connection's first read, when all three are open. Raises :class:`FileChangedError`
    for a file at its path that is not among this process's open ones.

    :param has: tells whether an event is in the store.
    """

    def __init__(self, path: Path, has: Callable[[Event], bool] = lambda _: True) -> None:
        self.event: Event | None = None
        """The last event that the connection committed."""
        self._has = has
        self._paths = tuple(f"{path}{end}" for end in ENDS)
        self._database, self._log, self._index = self._paths
        self._at = [os.fsencode(each) for each in self._paths]  # encoded once, not at each commit
        self._inodes = [inode_of(each) for each in self._paths]
        self._descriptors: list[int] = []
        self._find()
        self._end, self._before = (b"", 0), b""
        self._base, self._known = (0, 0), (0, 0, b"", (0, 0))
        self._last: Place | None = None
        self._comparing = threading.RLock()
        """Held by the thread that checks the files and updates their known state."""
        if not any(self._read_index() for _ in range(LOOKS)):
            self._descriptors = []  # a system on which reads do not see writes to mapped memory
        if self._descriptors:
            index = self._whole()
            self._end = index[SALT], frames_of(index)
            self._look_at_database()

    def before_use(self) -> None:
        """Check the index before SQLite uses its mapped memory: a truncated one would kill the process."""
        found = found_at(self._at[2])
        if found is None or (found.st_dev, found.st_ino) != self._inodes[2]:
            raise FileChangedError(self._index, MOVED)
        if found.st_size < REGION:
            raise FileChangedError(self._index, OVERWRITTEN)

    def before_commit(self) -> None:
        """Compare the index with the known state of the log, under the write lock.

        SQLite writes at the end of the log by the index. An overwritten index, such as an older copy, would
        make it overwrite commits.
        """
        if not self._descriptors:
            return
        with self._comparing:
            index, (salt, frames) = self._read_index(), self._end
            if index[SALT] != salt or not index:  # the log was restarted
                index = self._whole()
                if self.event is not None and not self._has(self.event):
                    raise FileChangedError(self._database, OVERWRITTEN)
            elif frames_of(index) < frames or self._begins_otherwise(index):
                raise FileChangedError(self._index, OVERWRITTEN)
            elif frames_of(index) and not self._begins(index):
                self._whole()  # finds our descriptors again, or raises
            if has_all_copied(index):  # our commit restarts it
                self._look_at_database()
            self._before = index

    def after_commit(self, event: Event | None) -> int:
        """Check database and log after a commit, before it is acknowledged; return the log's size.

        The next process must find the commit: the log at its path is the one that was written to, and
        earlier commits still precede it.

        :param event: the last committed event; if None, perhaps nothing was committed, and the next frame
            belongs to a failed commit.
        """
        self.event = event or self.event
        database, log = found_at(self._at[0]), found_at(self._at[1])
        if database is None or (database.st_dev, database.st_ino) != self._inodes[0]:
            raise FileChangedError(self._database, MOVED)
        if log is None or (log.st_dev, log.st_ino) != self._inodes[1]:
            raise FileChangedError(self._log, MOVED)
        if self._descriptors:
            with self._comparing:
                before = self._before
                if self._is_followed(before):
                    self._end = before[SALT], frames_of(before) + (event is not None)
                else:
                    self._look_at_log(before)
                if (database.st_size, database.st_mtime_ns) != self._base:
                    self._look_at_database()
        return log.st_size

    def everything(self, *, before_copy: bool) -> None:
        """Check everything known of all files. Raises :class:`FileChangedError`.

        :param before_copy: whether to check each frame of the log, which is about to be copied.
        """
        for path, inode in zip(self._paths, self._inodes, strict=True):
            if inode_of(path) != inode:
                raise FileChangedError(path, MOVED)
        self.before_use()
        if self._descriptors:
            with self._comparing:
                self._whole(to_last=before_copy)
                self._look_at_database()

    def named(self, change: FileChangedError) -> FileChangedError:
        """Return a change with all moved files: the first finding may be the least of them."""
        pairs = zip(self._paths, self._inodes, strict=True)
        moved = [path for path, inode in pairs if inode_of(path) != inode]
        return FileChangedError(moved[0], MOVED, moved[1:]) if moved else change

    def holds_log(self) -> bool:
        """Tell whether our descriptors have the complete log, wherever its file is now."""
        try:
            with self._comparing:
                return not self._descriptors or bool(self._whole(to_last=True))
        except FileChangedError:
            return False

    def holds_database(self) -> bool:
        """Tell whether nobody else has written to our open database, wherever it is now."""
        try:
            if self._descriptors:
                with self._comparing:
                    self._find_again()
                    self._look_at_database()
        except FileChangedError:
            return False
        return True

    def is_copied(self) -> bool:
        """Tell whether the database has all acknowledged events; any others in the log were never acknowledged."""
        if not self._descriptors:
            return False
        index, before, (salt, frames) = self._read_index(), self._before, self._end
        if before[SALT] == salt:
            frames = max(frames, frames_of(before))
        return index[SALT] == salt and FRAMES.unpack(index[COPIED[1]])[0] >= frames

    def is_log_empty(self) -> bool:
        """Tell whether our open log is empty."""
        return os.fstat(self._descriptors[1]).st_size == 0

    def log(self) -> BinaryIO:
        """Open our log for reading, wherever its file is now."""
        return _over(self._descriptors[1])

    def refill_index(self) -> None:
        """Restore the size of a truncated index, without which its mapped memory could not even be closed."""
        size = (1 + self._end[1] // FIRST_PLACES) * REGION
        if self._descriptors and os.fstat(self._descriptors[2]).st_size < size:
            os.ftruncate(self._descriptors[2], size)

    def is_ours(self, end: str) -> bool | None:
        """Tell whether the file at a path is our open one; None if there is none."""
        number = ENDS.index(end)
        found = inode_of(self._paths[number])
        return None if found is None else found == self._inodes[number]

    def is_empty(self, end: str) -> bool:
        """Tell whether the file at a path is empty."""
        found = found_at(self._paths[ENDS.index(end)])
        return found is None or found.st_size == 0

    def is_alone(self) -> bool:
        """Tell whether no other process has our log open; then SQLite copies it on closing."""
        return not self._descriptors or locked_by(self._descriptors[2], *INDEX_LOCK) is None

    def check_company(self) -> None:
        """Raise :class:`StoreLockedError` where another process has the database open without our log.

        Each process with an open database has locked its index as well.
        """
        if not self._descriptors:
            return
        database = locked_by(self._descriptors[0], *SHARED_LOCKS)
        index = locked_by(self._descriptors[2], *INDEX_LOCK)
        if (database is None) != (index is None):
            raise StoreLockedError(
                f"{self._database}: process {database or index or 'unknown'} has it open, but not with the"
                f" files that are beside it: {self._log} or {self._index} was deleted or replaced, or that"
                " process has opened and closed the database as a file. Close the store there, which saves"
                " what was recorded, and try again"
            )

    def _find(self) -> None:
        """Find our descriptors of the three files."""
        known = descriptors()
        if known is None:
            return
        for path, inode in zip(self._paths, self._inodes, strict=True):
            if inode not in known:
                raise FileChangedError(path, MOVED)
        self._descriptors = [known[inode] for inode in self._inodes if inode is not None]

    def _find_again(self) -> None:
        """Find our descriptors again where one has been reused for another file, after its connection closed."""
        if [inode_of(each) for each in self._descriptors] != self._inodes:
            self._find()

    def _whole(self, *, to_last: bool = False) -> bytes:
        """Return the index, if the log matches it and continues the known state.

        :param to_last: whether to check each frame, not only the last one.
        """
        index, looks = b"", 0
        while looks < LOOKS:
            if index := self._read_index():
                last = self._read_last_frame(index)
                if not mark_of(index) or (
                    self._begins(index)
                    and last[8:24] == mark_of(index)
                    and (not to_last or self._has_each_page(index))
                ):
                    self._check_goes_on(index)
                    self._last = page_of(last, index) if last else self._last
                    return index
            looks += self._read_index()[SALT] == index[SALT]  # else it was restarted meanwhile
            time.sleep(PAUSE)
            self._find_again()
        raise FileChangedError(self._log if index else self._index, OVERWRITTEN)

    def _begins(self, index: bytes) -> bool:
        """Tell whether the log's start matches its index: salt, and page of the first frame."""
        begin = self._read(1, 0, LOG_HEADER + FRAMES.size)
        page = int.from_bytes(index[FIRST_PAGE], sys.byteorder)
        return begin[16:24] == index[SALT] and int.from_bytes(begin[LOG_HEADER:]) == page

    def _begins_otherwise(self, index: bytes) -> bool:
        """Tell whether the index of the same log has another first page than before our last commit.

        It was then overwritten during a transaction, whose end rewrote the header: SQLite finds no page in
        it.
        """
        before = self._before
        is_same_log = bool(before) and before[SALT] == index[SALT] and frames_of(before) > 0
        return is_same_log and before[FIRST_PAGE] != index[FIRST_PAGE]

    def _is_followed(self, index: bytes) -> bool:
        """Tell whether the log has the index's last frame, and a frame after it."""
        found = self._read_last_frame(index, and_next=True)
        return found[8:24] == mark_of(index) and found[-16:-8] == index[SALT]

    def _look_at_log(self, before: bytes) -> None:
        """Check a log that was empty before our commit, was restarted since, or got nothing from it."""
        self._find_again()
        index, mark = self._whole(), mark_of(before)
        if mark and index[SALT] == before[SALT] and not self._stands(before, index):
            index = self._whole()
            if index[SALT] == before[SALT]:  # else others have restarted it meanwhile
                raise FileChangedError(self._log, OVERWRITTEN)
        self._end = index[SALT], frames_of(index)
        size, sample, when, page = self._known
        changes = changes_of(index) - changes_of(before)
        # An empty log was copied and restarted by another process after our commit.
        is_ours_alone = changes == 1 and frames_of(index) > 0
        if is_ours_alone and when == copied_of(
            before
        ):  # our commit restarted it, without a checkpoint
            self._known = size, sample, index[SALT] + bytes(8), page

    def _stands(self, before: bytes, index: bytes) -> bool:
        """Tell whether the log's content before our commit is there, followed by our commit if it wrote."""
        got_nothing = frames_of(index) == frames_of(before)
        is_there = self._read_last_frame(before)[8:24] == mark_of(before)
        return is_there and (got_nothing or self._is_followed(before))

    def _has_each_page(self, index: bytes) -> bool:
        """Tell whether each frame's page matches the index, on which checkpoints rely."""
        size, frames = frame_size(index), frames_of(index)
        pages = self._read(2, 0, (1 + (frames + PLACES - FIRST_PLACES) // PLACES) * REGION)
        for frame in range(frames):
            region, place = divmod(frame + PLACES - FIRST_PLACES, PLACES)
            named = region * REGION + place * FRAMES.size
            page = int.from_bytes(pages[named : named + FRAMES.size], sys.byteorder)
            head = self._read(1, LOG_HEADER + frame * size, FRAME_HEADER)
            if head[8:16] != index[SALT] or int.from_bytes(head[:4]) != page:
                return False
        return True

    def _check_goes_on(self, index: bytes) -> None:
        """Compare the log with its known state: it grows, or restarts with another salt.

        SQLite restarts it when all of it is in the database, mostly with the next salt. The salt is random
        after others have emptied it, and for a truncated log, from which our last event is then missing.
        """
        salt, frames = self._end
        anew = (int.from_bytes(index[SALT][:4]) - int.from_bytes(salt[:4])) % 2**32
        is_by_lot = not 0 < anew < RESETS
        if index[SALT] == salt:
            if frames_of(index) < frames:
                raise FileChangedError(self._index, OVERWRITTEN)
        elif frames and self.event is not None and is_by_lot and not self._has(self.event):
            raise FileChangedError(self._log, OVERWRITTEN)

    def _look_at_database(self) -> None:
        """Check a database that was written to: only checkpoints do so, and they leave a trace in the index.

        Each commit writes a page with new content. So after a complete checkpoint, the log's last page is
        in the database, and it stays there until the next one, as does the database's start.
        """
        index = self._read_index()
        self._find_again()
        found = found_at(self._descriptors[0])
        if found is None or not index:
            return
        size, known, when, page = self._known
        is_same = found.st_size >= size and self._sample(page) == known
        is_there = True
        if has_all_copied(index) and frames_of(index):
            frame = self._read(1, *last_frame(index))
            page = page_of(frame, index)
            is_there = self._read(0, *page) == frame[FRAME_HEADER:]
        elif not frames_of(index):  # only the place of the former last page is known
            page = self._last or (max(0, found.st_size - SAMPLE), SAMPLE)
        sample = self._sample(page)
        # Read last: a checkpoint marks the index before it writes, and so does a restart of the
        # log.
        now = self._read_index() or bytes(INDEX)
        copied = copied_of(now)
        is_running = copied != copied_of(index) or index[COPIED[1]] != index[COPIED[2]]
        is_there = is_there or frames_of(now) != frames_of(index)
        if not is_running and not (is_there and (is_same or copied != when)):
            raise FileChangedError(self._database, OVERWRITTEN)
        self._base = found.st_size, found.st_mtime_ns
        self._known = found.st_size, sample, b"" if is_running else copied, page

    def _sample(self, page: Place) -> int:
        """Return a checksum of a database's start and one of its pages."""
        return zlib.crc32(self._read(0, *page), zlib.crc32(self._read(0, 0, SAMPLE)))

    def _read_index(self) -> bytes:
        """Return the index's header; empty where it is incomplete."""
        found = self._read(2, 0, INDEX)
        is_whole = len(found) == INDEX and found[:48] == found[48:96] and found[IS_MADE]
        return found if is_whole else b""

    def _read_last_frame(self, index: bytes, *, and_next: bool = False) -> bytes:
        """Return the header of the log's last frame, or everything up to the next header."""
        place, size = last_frame(index)
        count = (and_next and size) + FRAME_HEADER
        return self._read(1, place, count) if frames_of(index) else b""

    def _read(self, which: int, place: int, count: int) -> bytes:
        try:
            return os.pread(self._descriptors[which], count, place)
        except (OSError, IndexError):
            return b""


def frame_size(index: bytes) -> int:
    """Return the bytes of a frame: a page, and its header."""
    [size] = PAGE_SIZE.unpack_from(index, PAGE_SIZE_AT)
    return (65_536 if size == 1 else int(size)) + FRAME_HEADER


def frames_of(index: bytes) -> int:
    """Return the number of a log's frames."""
    return int(FRAMES.unpack_from(index, FRAMES_AT)[0])


def changes_of(index: bytes) -> int:
    """Return the number of commits in an index."""
    return int(FRAMES.unpack_from(index, CHANGES_AT)[0])


def last_frame(index: bytes) -> Place:
    """Return the range of a log's last frame."""
    size = frame_size(index)
    return LOG_HEADER + (frames_of(index) - 1) * size, size


def page_of(frame: bytes, index: bytes) -> Place:
    """Return the range in the database of a frame's page, given the frame's header."""
    size = frame_size(index) - FRAME_HEADER
    return (int.from_bytes(frame[:4]) - 1) * size, size


def has_all_copied(index: bytes) -> bool:
    """Tell whether the whole log is in the database, so that the next commit restarts it."""
    return index[COPIED[1]] == index[FRAMES_AT : FRAMES_AT + FRAMES.size]


def copied_of(index: bytes) -> bytes:
    """Return a value that differs after each checkpoint."""
    return b"".join(index[at] for at in COPIED)


def mark_of(index: bytes) -> bytes:
    """Return the salt and the checksum of a log's last frame; empty for an empty log."""
    if not frames_of(index):
        return b""
    return index[SALT] + pack(">II", *SUMS.unpack_from(index, SUMS_AT))


def has_log(path: Path) -> bool:
    """Tell whether this process has the index of a database's log open."""
    return inode_of(f"{path}{LOGS[1]}") in (descriptors() or {})


def found_at(path: str | bytes | Path | int) -> os.stat_result | None:
    """Return the system's data on a file, by path or descriptor; None if there is none."""
    try:
        return os.stat(path)  # noqa: PTH116  (several times a commit; a Path takes longer)
    except OSError:
        return None


def inode_of(path: str | Path | int) -> Inode | None:
    """Return the inode of a name, or None.

    >>> inode_of("/no/such/file") is None
    True
    """
    found = found_at(path)
    return None if found is None else (found.st_dev, found.st_ino)


def descriptors() -> dict[Inode, int] | None:
    """Return a descriptor of each open file of this process; None where the system cannot list them."""
    try:
        numbers = [int(name) for name in os.listdir(DESCRIPTORS)]  # noqa: PTH208
    except (OSError, ValueError):
        return None
    found: dict[Inode, int] = {}
    for number in sorted(numbers):  # of several, the one that was opened first and stays longest
        try:
            about = os.fstat(number)
        except OSError:  # that of the listing, closed by now
            continue
        found.setdefault((about.st_dev, about.st_ino), number)
    return found if max(numbers, default=0) > 2 else None


def locked_by(descriptor: int, start: int, length: int) -> int | None:
    """Return the process that has locked a range of a file, 0 if unknown, None if unlocked."""
    if sys.platform not in LOCKS:
        return None
    layout, names = LOCKS[sys.platform]
    lock = Struct(layout)
    asked = dict(zip(names, [0] * 5, strict=True), type=fcntl.F_WRLCK, start=start, length=length)
    answer = fcntl.fcntl(descriptor, fcntl.F_GETLK, lock.pack(*asked.values()))
    told = dict(zip(names, lock.unpack(answer), strict=True))
    return None if told["type"] == fcntl.F_UNLCK else max(int(told["process"]), 0)


def opened(database: Path) -> BinaryIO:
    """Open a database as bytes for reading, through our own descriptor if there is one.

    Closing a second one would drop this process's locks on it.
    """
    inode = inode_of(database)
    own = None if inode is None else (descriptors() or {}).get(inode)
    return database.open("rb") if own is None else _over(own)


def _over(descriptor: int) -> BinaryIO:
    file = open(descriptor, "rb", closefd=False)  # noqa: SIM115  (it has no path)
    file.seek(0)
    return file


# The check that a write-ahead log belongs to its database.
#
# SQLite applies any log with valid checksums, and nothing in it names its database. If a process is
# killed, and its database or log is replaced, opening the store would mix the pages of two
# databases, and the next checkpoint would write them. So the log is compared with the database
# before the first connection that can write. The last event in the database must be there with the
# log, too; and where nobody uses the log, its pages must fill the database's gaps. A kill during a
# checkpoint leaves matching files.

FRAMES_AND_PAGES = Struct("=II")
"""The format of the frame count and the database's page count in an index."""

UNUSED_PAGES_FROM = 2**30
"""The offset of the one page that SQLite never writes (sqlite.org/fileformat2.html, section 1.4)."""

LAST_EVENT = f"SELECT {COLUMNS}, digest FROM hud_event ORDER BY position DESC LIMIT 1"

STILL_THERE = """
SELECT EXISTS (SELECT 1 FROM hud_event WHERE (session_id, version, digest) = (?1, ?2, ?3))
    OR EXISTS (SELECT 1 FROM hud_tombstone WHERE session_id = ?1)
    OR EXISTS (SELECT 1 FROM hud_archive WHERE session_id = ?1 AND ?2 BETWEEN first AND last)
"""
"""Events never change; they leave the log by a purge or to the archive."""

ERASED = "SELECT 1 FROM hud_erasure WHERE session_id = ? AND version = ?"


@contextmanager
def own_log(path: Path) -> Generator[None]:
    """Hold a log in use, after checking that it is the database's own, for the duration of the context.

    Raises :class:`StoreDamagedError` for another database's log. Nothing is changed.
    """
    log = path.with_name(f"{path.name}-wal")
    found = found_at(log)
    if found is None or found.st_size == 0:
        yield
        return
    _check_header(path, log)
    # A read-only connection makes no checkpoint on closing.
    with closing(connected_to_read(path)) as connection:
        index = _unused_index(path)
        if index is not None and not _fits(path, log, index):
            raise _refused(path, log, "pages of the database are in neither of the two")
        _check_last_event(connection, path, log)
        yield


def _unused_index(path: Path) -> int | None:
    """Return our descriptor of the log's index; None where another process uses it, or the system lists none."""
    found = inode_of(f"{path}-shm")
    index = None if found is None else (descriptors() or {}).get(found)
    return None if index is None or locked_by(index, *INDEX_LOCK) is not None else index


def _check_header(path: Path, log: Path) -> None:
    from hud_runtime.log.store._repair import checksum

    with suppress(FileNotFoundError), log.open("rb") as file:
        header = file.read(LOG_HEADER)
        if len(header) < LOG_HEADER or not header.strip(b"\0"):
            return  # its writer failed
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
    if (
        row is None or digest(row[:-1]) != row[-1]
    ):  # after half a checkpoint, any content is possible
        return
    session_id, version = row[1:3]
    if not has_event(connection, (session_id, version, row[-1])):
        raise _refused(path, log, f'with it, version {version} of session "{session_id}" is gone')


def has_event(connection: sqlite3.Connection, event: Event) -> bool:
    """Tell whether an event is in a store, or was purged, archived or erased."""
    [(is_there,)] = connection.execute(STILL_THERE, event).fetchall()
    if not is_there:
        with suppress(sqlite3.OperationalError):  # older layouts have no erasures
            return connection.execute(ERASED, event[:2]).fetchone() is not None
    return bool(is_there)


def _fits(path: Path, log: Path, index: int) -> bool:
    """Tell whether the log has all pages that the database lacks, or every page where it shrinks.

    :param index: our descriptor of the log's index, which SQLite has built from the intact part of the log.
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
