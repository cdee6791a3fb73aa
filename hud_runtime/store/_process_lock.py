"""A lock among processes for what is not one transaction: archiving and purging.

Both touch the database and files beside it. While one of them holds the lock, a file in the archive
that the database does not know was left by a process that was killed, and can go.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

from hud_runtime._errors import StoreLockedError
from hud_runtime.store._failures import our_file_errors
from hud_runtime.store._files import open_private

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
