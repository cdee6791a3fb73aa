"""The files of archived events: compressed, in a folder beside the store.

A file is written as a whole, forced to the disk, and only then gets its name. Names are random: no
id of a session is ever part of a path.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from hud_runtime._errors import StoreDamagedError
from hud_runtime._location import make_folder
from hud_runtime.store._failures import our_file_errors
from hud_runtime.store._files import open_private

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
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
        with our_file_errors(self.folder):
            make_folder(self.folder)
            try:
                with os.fdopen(open_private(partial, flags), "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
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
