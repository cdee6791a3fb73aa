"""Locks that cannot deadlock after a fork or in a signal handler.

A forked child has none of the threads that held its parent's locks, so nobody would release them there. A
signal handler interrupts the very thread that may hold a lock, and would wait for itself.
"""

from __future__ import annotations

import os
import threading
from contextlib import AbstractContextManager
from typing import Any
from weakref import WeakSet

_locks: WeakSet[Any] = WeakSet()


def mutex() -> AbstractContextManager[bool]:
    """Return a lock for a moment's work on memory alone, free in a forked child.

    What it guards must be sound between any two steps of the work: a signal handler may come there,
    too, and do the same work.

    >>> with mutex():
    ...     pass
    """
    made = threading.RLock()
    _locks.add(made)
    return made


def _free() -> None:
    for lock in _locks:
        lock._at_fork_reinit()  # noqa: SLF001  (as the standard library does with its own)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free)
