"""The supported versions of SQLite: the oldest one, and those with a relevant bug.

It imports nothing, so that the doctor works where dependencies are missing.
"""

from __future__ import annotations

from typing import TypeAlias

Version: TypeAlias = tuple[int, ...]

OLDEST_SQLITE: Version = (3, 38, 0)
"""STRICT tables came with 3.37, ``unixepoch`` with 3.38."""

WAL_RESET: tuple[Version, Version] = ((3, 7, 0), (3, 51, 2))
"""The first and the last SQLite with the "WAL-reset bug" (sqlite.org/wal.html): a checkpoint while another
connection restarts the write-ahead log may leave commits out of the file.
"""

WAL_RESET_FIXED: tuple[Version, ...] = ((3, 44, 6), (3, 50, 7))
"""Versions of older branches from which on the fix is present."""


def has_wal_reset_bug(sqlite: Version) -> bool:
    """Tell whether this version of SQLite can lose commits in WAL mode.

    >>> [has_wal_reset_bug(each) for each in ((3, 40, 1), (3, 50, 7), (3, 51, 2), (3, 51, 3))]
    [True, False, True, False]
    """
    first, last = WAL_RESET
    if not first <= sqlite <= last:
        return False
    return not any(fixed[:2] == sqlite[:2] and sqlite >= fixed for fixed in WAL_RESET_FIXED)
