"""Locks that a forked child does not find taken: the threads that would let go are not in it."""

from __future__ import annotations

import os
import threading
from typing import Any
from weakref import WeakSet

_locks: WeakSet[Any] = WeakSet()


def mutex() -> threading.Lock:
    """Return a lock for a moment's work on memory alone, free in a forked child.

    What it guards must be sound between any two steps of the work.

    >>> with mutex():
    ...     pass
    """
    made = threading.Lock()
    _locks.add(made)
    return made


def _free() -> None:
    for lock in _locks:
        lock._at_fork_reinit()  # noqa: SLF001  (as the standard library does with its own)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free)
