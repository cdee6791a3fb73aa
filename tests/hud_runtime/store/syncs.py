"""Counting how often SQLite forces a file to the disk, in this very process.

SQLite reaches the system through a table of functions, its VFS (sqlite.org/vfs.html). Here, whatever
file the default one opens gets a copy of its methods in which ``xSync`` counts.
"""

from __future__ import annotations

import _sqlite3
import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_void_p, cast
from typing import Any

METHODS = 19
"""Slots of ``sqlite3_io_methods`` up to version 3, after the version."""

SYNC = 4
"""The slot of ``xSync``."""

XOpen = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, POINTER(c_int))
XSync = CFUNCTYPE(c_int, c_void_p, c_int)


class Methods(Structure):
    """``sqlite3_io_methods``."""

    _fields_ = (("version", c_int), ("slots", c_void_p * (METHODS - 1)))


class File(Structure):
    """``sqlite3_file``."""

    _fields_ = (("methods", POINTER(Methods)),)


class Vfs(Structure):
    """``sqlite3_vfs``, as far as its first method."""

    _fields_ = (
        ("version", c_int), ("size", c_int), ("longest", c_int), ("next", c_void_p),
        ("name", c_char_p), ("data", c_void_p), ("open", c_void_p),
    )  # fmt: skip


def default_vfs() -> Any:
    """Return the VFS in use, or None where SQLite's functions cannot be reached."""
    try:
        library = ctypes.CDLL(_sqlite3.__file__)
        library.sqlite3_vfs_find.restype = POINTER(Vfs)
        return library.sqlite3_vfs_find(None)
    except (AttributeError, OSError):
        return None


_kept: list[object] = []
"""Files that outlive a count still point to these."""


@contextmanager
def counted_syncs(vfs: Any) -> Iterator[Callable[[], int]]:
    """Give a function that returns how often a file was forced to the disk since it was opened here."""
    count = 0
    original = vfs.contents.open
    really_open = cast(original, XOpen)
    copies: dict[int, Any] = {}

    def copy_of(methods: Any) -> Any:
        address = ctypes.addressof(methods.contents)
        if address not in copies:
            really_sync = cast(methods.contents.slots[SYNC], XSync)

            def sync(file: int, flags: int) -> int:
                nonlocal count
                count += 1
                return int(really_sync(file, flags))

            made, counting = Methods(), XSync(sync)
            ctypes.pointer(made)[0] = methods.contents
            made.slots[SYNC] = cast(counting, c_void_p).value
            _kept.extend((made, counting))
            copies[address] = ctypes.pointer(made)
        return copies[address]

    def opened(vfs: int, name: int | None, file: int, flags: int, out: Any) -> int:
        result = int(really_open(vfs, name, file, flags, out))
        if result == 0 and file:
            found = cast(file, POINTER(File))
            if found.contents.methods:
                found.contents.methods = copy_of(found.contents.methods)
        return result

    # The name is passed as an address: bytes of Python's own would be freed, and SQLite keeps it.
    opening = XOpen(opened)
    _kept.append(opening)
    vfs.contents.open = cast(opening, c_void_p).value
    try:
        yield lambda: count
    finally:
        vfs.contents.open = original
