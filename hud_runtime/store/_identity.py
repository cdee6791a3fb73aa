"""The identity of an open store's files, and of what its write-ahead log held when it was last seen.

SQLite keeps three files open: the database, its write-ahead log, and the log's index in shared memory. A
file that is deleted or replaced under its name stays open, and SQLite goes on writing to it, while the next
process makes new ones. So the files at the three paths are compared with those that this process has open,
and the end of the log with what its index says (sqlite.org/walformat.html, sections 1 and 2.1).

The database and the index are never opened to be compared: closing them again would drop the locks that
this process has on them (sqlite.org/howtocorrupt.html, section 2.2). SQLite's own descriptors are read,
which are found by their inodes. Where the system lists no descriptors, only the paths are compared.
"""

from __future__ import annotations

import os
import sys
import time
import zlib
from pathlib import Path
from struct import Struct, pack
from typing import BinaryIO, NamedTuple, TypeAlias

from hud_runtime._errors import StoreError, StoreLockedError

Inode: TypeAlias = tuple[int, int]
"""A file by its device and its number there."""

LOGS = ("-wal", "-shm")
"""The ends of the names of a write-ahead log and of its index."""

ENDS = ("", *LOGS)
"""The ends of the names of all three files."""

DESCRIPTORS = "/dev/fd"
"""The folder in which Linux and macOS list the descriptors of this process."""

INDEX = Struct("=14xHI4xII8s56xI28xI")
"""The index's header: bytes of a page, frames, the last one's checksum, the log's salt; then how many
frames are in the database, and how many a checkpoint has begun to copy (walformat.html, section 2.1)."""

COPIES = slice(0, 48), slice(48, 96)
"""The places of the index's header, which is there twice."""

IS_MADE = 12
"""The place of the byte that tells that the header was written."""

LOG_HEADER, FRAME_HEADER = 32, 24
"""Bytes before the first frame of a log, and before the page in each frame (sections 1.1 and 1.2)."""

LOOKS, PAUSE = 20, 0.001
"""Looks at a log that others may be writing to, and seconds between two, before it counts as overwritten."""

REGION, REGION_FRAMES = 32_768, 4_000
"""Bytes in which an index grows, and about the frames that it has room for in each (section 2.2)."""

SAMPLE = 65_536
"""Bytes at the beginning of a database of which a checksum is kept from one checkpoint to the next."""

SHARED_LOCKS, INDEX_LOCK = (0x40000002, 510), (128, 1)
"""The bytes, by place and number, that each user of a database, and of an index, has locked (os_unix.c)."""

LOCKS: dict[str, tuple[str, tuple[str, ...]]] = {
    "linux": ("hhqqi4x", ("type", "whence", "start", "length", "process")),
    "darwin": ("qqihh", ("start", "length", "process", "type", "whence")),
}
"""The layout of ``struct flock``, by system."""

MOVED, OVERWRITTEN = "deleted or replaced", "overwritten or cut"
"""What can happen to a file under an open store."""


class FileChangedError(StoreError):
    """A file of an open store is not the one that was opened, or is not as it was written."""

    def __init__(self, file: str, what: str) -> None:
        super().__init__(f"{file} was {what} while it was open")
        self.file = file
        self.is_moved = what == MOVED


class LogEnd(NamedTuple):
    """The end of a write-ahead log, as its index has it."""

    page_size: int
    frames: int
    mark: bytes
    """The salt and the checksum that its last frame begins with."""
    salt: bytes
    checkpointed: tuple[bytes, int, int]
    """The salt, and the frames that are in the database and that a checkpoint has begun to copy."""


class FileIdentity:
    """The three files of a store that a connection of this process has open.

    To be made when the connection has read, so that all three are open. Raises :class:`FileChangedError`
    when a file at its path is not among those that this process has open.
    """

    def __init__(self, path: Path) -> None:
        self._paths = tuple(f"{path}{end}" for end in ENDS)
        self._database, self._log, self._index = self._paths
        self._inodes = [inode_of(each) for each in self._paths]
        self._descriptors: list[int] = []
        self._find()
        self._end = self._before = self._whole() if self._descriptors else None
        self._base: tuple[int, int] | None = None
        self._sum, self._checkpointed = 0, (b"", 0, 0)
        if self._descriptors:
            self._look_at_database(os.stat(path))  # noqa: PTH116

    def before_use(self) -> None:
        """Compare the index before SQLite touches its memory, which would kill us where it was cut."""
        found = found_at(self._index)
        if found is None or (found.st_dev, found.st_ino) != self._inodes[2]:
            raise FileChangedError(self._index, MOVED)
        if self._descriptors and found.st_size < INDEX.size:
            raise FileChangedError(self._index, OVERWRITTEN)

    def before_commit(self) -> None:
        """Compare the index with what was known of the log, while we hold the write lock.

        SQLite writes where the index says that the log ends. An index that was overwritten, by an older
        copy say, would let it write over commits.
        """
        if self._end is None:
            return
        end = self._read_index()
        if end is None:
            raise FileChangedError(self._index, OVERWRITTEN)
        known = self._end
        if end.salt != known.salt or end.page_size != known.page_size:  # it has begun anew
            end = self._whole()
        elif end.frames < known.frames:
            raise FileChangedError(self._index, OVERWRITTEN)
        self._before = end

    def after_commit(self) -> int:
        """Compare database and log after a commit, before it is acknowledged; return the log's size.

        What was committed is where the next process looks for it: the log at its path is the one that
        was written to, and what stood there before the commit is still in front of it.
        """
        database, log = found_at(self._database), found_at(self._log)
        if database is None or (database.st_dev, database.st_ino) != self._inodes[0]:
            raise FileChangedError(self._database, MOVED)
        if log is None or (log.st_dev, log.st_ino) != self._inodes[1]:
            raise FileChangedError(self._log, MOVED)
        before = self._before
        if before is not None:
            step = before.page_size + FRAME_HEADER
            last = self._read_frame(before, step + FRAME_HEADER)
            if before.frames and last[8:24] == before.mark and last[-16:-8] == before.salt:
                self._end = before._replace(frames=before.frames + 1)
            else:
                self._end = self._whole()
            if (database.st_size, database.st_mtime_ns) != self._base:
                self._look_at_database(database)
        return log.st_size

    def everything(self) -> None:
        """Compare all that is known of all files. Raises :class:`FileChangedError`."""
        for path, inode in zip(self._paths, self._inodes, strict=True):
            if inode_of(path) != inode:
                raise FileChangedError(path, MOVED)
        self.before_use()
        if self._descriptors:
            self._end = self._whole()
            self._look_at_database(os.stat(self._database))  # noqa: PTH116

    def holds_log(self) -> bool:
        """Tell whether our descriptors hold all that was known of the log, wherever its file is now."""
        if self._end is None:
            return False
        try:
            end = self._whole()
        except FileChangedError:
            return False
        return end.salt != self._end.salt or end.frames >= self._end.frames

    def refill_index(self) -> None:
        """Give an index that was cut its size again: its memory could not even be closed without."""
        if self._end is not None:
            size = (1 + self._end.frames // REGION_FRAMES) * REGION
            if os.fstat(self._descriptors[2]).st_size < size:
                os.ftruncate(self._descriptors[2], size)

    def is_ours(self, end: str) -> bool | None:
        """Tell whether the file at a path is the one that we have open; None where there is none."""
        number = ENDS.index(end)
        found = inode_of(self._paths[number])
        return None if found is None else found == self._inodes[number]

    def is_empty(self, end: str) -> bool:
        """Tell whether the file at a path holds nothing."""
        found = found_at(self._paths[ENDS.index(end)])
        return found is None or found.st_size == 0

    def check_company(self) -> None:
        """Raise :class:`StoreLockedError` where another process has the database open, but not our log.

        Each process that has a database open has locked its index as well.
        """
        if not self._descriptors:
            return
        database = locked_by(self._descriptors[0], *SHARED_LOCKS)
        index = locked_by(self._descriptors[2], *INDEX_LOCK)
        if (database is None) != (index is None):
            raise StoreLockedError(
                f"{self._database}: process {database or index or 'unknown'} has it open, but with other"
                f" files beside it: {self._log} or {self._index} was deleted or replaced meanwhile. It"
                " saves what it has recorded when it uses or closes its store; then open it again"
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
        """Find our descriptors anew where one is another file's by now: its connection was closed."""
        if [inode_of(each) for each in self._descriptors] != self._inodes:
            self._find()

    def _whole(self) -> LogEnd:
        """Return the end of the log, if its beginning and its last frame are as the index says."""
        for _ in range(LOOKS):
            end = self._read_index()
            if end is not None:
                if end.frames == 0:
                    return end
                begin = self._read(1, 0, LOG_HEADER)
                if begin[16:24] == end.salt and self._read_frame(end, 24)[8:24] == end.mark:
                    return end
            time.sleep(PAUSE)
            self._find_again()
        raise FileChangedError(self._log, OVERWRITTEN)

    def _look_at_database(self, found: os.stat_result) -> None:
        """Look at a database that was written to: only checkpoints do, and they leave a trace in the index."""
        end = self._read_index()
        if end is None:
            return
        self._find_again()
        content = zlib.crc32(self._read(0, 0, SAMPLE))
        was_at_rest = self._checkpointed[1] >= self._checkpointed[2]
        if self._base is not None and was_at_rest and end.checkpointed == self._checkpointed:
            if found.st_size < self._base[0] or content != self._sum:
                raise FileChangedError(self._database, OVERWRITTEN)
        self._base = found.st_size, found.st_mtime_ns
        self._sum, self._checkpointed = content, end.checkpointed

    def _read_index(self) -> LogEnd | None:
        """Return what the index says of the log; None where it is not whole."""
        found = self._read(2, 0, INDEX.size)
        if len(found) < INDEX.size or found[COPIES[0]] != found[COPIES[1]] or not found[IS_MADE]:
            return None
        size, frames, one, two, salt, copied, begun = INDEX.unpack(found)
        return LogEnd(
            65_536 if size == 1 else size,
            frames,
            salt + pack(">II", one, two),
            salt,
            (salt, copied, begun),
        )

    def _read_frame(self, end: LogEnd, count: int) -> bytes:
        step = end.page_size + FRAME_HEADER
        return self._read(1, LOG_HEADER + max(end.frames - 1, 0) * step, count)

    def _read(self, which: int, place: int, count: int) -> bytes:
        try:
            return os.pread(self._descriptors[which], count, place)
        except OSError:
            return b""


def found_at(path: str | Path | int) -> os.stat_result | None:
    """Return what the system says of a file, by its path or our descriptor; None where there is none."""
    try:
        return os.stat(path)  # noqa: PTH116  (several times a commit; a Path takes longer)
    except OSError:
        return None


def inode_of(path: str | Path | int) -> Inode | None:
    """Return what is under a name; None for nothing.

    >>> inode_of("/no/such/file") is None
    True
    """
    found = found_at(path)
    return None if found is None else (found.st_dev, found.st_ino)


def descriptors() -> dict[Inode, int] | None:
    """Return a descriptor of each file that this process has open; None where the system lists none."""
    try:
        numbers = [int(name) for name in os.listdir(DESCRIPTORS)]  # noqa: PTH208
    except (OSError, ValueError):
        return None
    found: dict[Inode, int] = {}
    for number in sorted(numbers):  # of several, the one that was opened first and stays longest
        try:
            about = os.fstat(number)
        except OSError:  # the listing's own, which is closed by now
            continue
        found.setdefault((about.st_dev, about.st_ino), number)
    return found if max(numbers, default=0) > 2 else None


def locked_by(descriptor: int, start: int, length: int) -> int | None:
    """Return the process that has locked bytes of a file, 0 for one that cannot be named, None for none."""
    if sys.platform not in LOCKS:
        return None
    import fcntl

    layout, names = LOCKS[sys.platform]
    lock = Struct(layout)
    asked = dict(zip(names, [0] * 5, strict=True), type=fcntl.F_WRLCK, start=start, length=length)
    answer = fcntl.fcntl(descriptor, fcntl.F_GETLK, lock.pack(*asked.values()))
    told = dict(zip(names, lock.unpack(answer), strict=True))
    return None if told["type"] == fcntl.F_UNLCK else max(int(told["process"]), 0)


def opened(database: Path) -> BinaryIO:
    """Open a database as bytes to be read, over our own descriptor of it where there is one.

    Closing another one would drop the locks that this process has on it.
    """
    inode = inode_of(database)
    own = None if inode is None else (descriptors() or {}).get(inode)
    if own is None:
        return database.open("rb")
    file = open(own, "rb", closefd=False)  # noqa: PTH123, SIM115  (a descriptor has no path)
    file.seek(0)
    return file
