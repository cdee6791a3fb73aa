"""The files that this process has open, each once; and what a fork does to them."""

from __future__ import annotations

import os
import threading
from contextlib import nullcontext, suppress
from pathlib import Path
from weakref import WeakValueDictionary

from hud_runtime._errors import StoreError, StoreReadOnlyError
from hud_runtime.store._files import prepare, refuse_what_is_no_database
from hud_runtime.store._identity import Inode, inode_of
from hud_runtime.store._open_file import OpenFile
from hud_runtime.store._own_log import own_log

_opening = threading.RLock()
"""Held while a file is made, opened or given up: a new file is closed once before SQLite opens it."""

_open: WeakValueDictionary[Inode, OpenFile] = WeakValueDictionary()
"""By inode, so that two names of one file are one. A file that no store uses any more goes."""


def open_file(path: Path | None, *, read_only: bool, durable: bool, deadline: float) -> OpenFile:
    """Return the file at a path, or one in memory, for one store more to use.

    Raises a :class:`StoreError` that says why the file cannot be used.
    """
    if path is None:
        file = OpenFile(None)
        file.connect(deadline)
        return _used(file, durable)
    with _opening:
        for other in _all():
            if other.place == str(path):  # what was there before and is not any more goes first
                with suppress(StoreError):
                    other.check_everything()
        if read_only:
            refuse_what_is_no_database(path)
        else:
            prepare(path)
        inode = inode_of(path)
        if inode is None:
            raise StoreReadOnlyError(
                f"{path}: it cannot be opened; check that it is a file you may read and write"
            )
        known = _open.get(inode)
        file = OpenFile(path) if known is None or known.moved is not None else known
        file.check_usable()
        try:
            with nullcontext() if file is known else own_log(path):
                if read_only:
                    file.layout(deadline)
                else:
                    file.connect(deadline)
        except BaseException:
            with suppress(StoreError):  # what was wrong first is told
                file.close_if_unused()
            raise
        _open[inode] = file
        return _used(file, durable)


def give_up(file: OpenFile, *, durable: bool) -> None:
    """Take one store away from a file; without any, it is closed."""
    with _opening:
        file.users -= 1
        file.durable_users -= durable
        if not file.users and file.inode is not None and _open.get(file.inode) is file:
            del _open[file.inode]
    file.close_if_unused()


def _used(file: OpenFile, durable: bool) -> OpenFile:
    file.users += 1
    file.durable_users += durable
    return file


# A fork copies SQLite's memory, which says that this process has locked the file, and not the locks.
# So whatever a child opened of the same file would be without them, and another process could delete
# the write-ahead log under it. Nothing of a file may be open while the process forks.

_paused: list[OpenFile] = []
_inherited: list[object] = []


def _before_fork() -> None:
    _opening.acquire()
    _paused.extend(file for file in _all() if file.pause())


def _in_parent() -> None:
    for file in _paused:
        file.resume()
    _paused.clear()
    _opening.release()


def _in_child() -> None:
    global _opening  # noqa: PLW0603  (the thread that held it is not in the child)
    _opening = threading.RLock()
    for file in _all():
        if file in _paused:
            file.inherit()
        else:
            _leave_alone(file)
    _paused.clear()


def _all() -> list[OpenFile]:
    return list(_open.values())


def _leave_alone(file: OpenFile) -> None:
    """Keep what was open for ever: to close it would undo what the parent is doing."""
    import ctypes

    file.is_inherited = True
    _inherited.append(file)
    for connection in file.connections():
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_in_parent, after_in_child=_in_child)
