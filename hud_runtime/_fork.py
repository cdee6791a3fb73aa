"""Locks that cannot deadlock after a fork or in a signal handler.

A forked child lacks the threads that held its parent's locks, so nothing would release them. A signal
handler interrupts the thread that may hold a lock, and would wait for itself.
"""

from __future__ import annotations

import os
import threading
from contextlib import AbstractContextManager
from typing import Any
from weakref import WeakSet

_locks: WeakSet[Any] = WeakSet()


def mutex() -> AbstractContextManager[bool]:
    """Return a lock for short work in memory, which is free in a forked child.

    The guarded data must be consistent between any two steps: a signal handler may enter, too, and do the
    same work.

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
