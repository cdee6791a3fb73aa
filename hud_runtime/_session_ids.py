"""The ids of a store's sessions, for who needs no more of it: a shell, while somebody types.

It imports nothing but what reads the file, and that as late as it can.
"""

from __future__ import annotations

from pathlib import Path

SESSIONS = """
SELECT position, session_id FROM hud_event
WHERE version = 1 AND session_id NOT IN (SELECT session_id FROM hud_tombstone)
UNION SELECT first_position, session_id FROM hud_archive
WHERE first = 1 AND session_id NOT IN (SELECT session_id FROM hud_tombstone)
ORDER BY 1"""
"""Asks for the ids of all sessions that have events, in the order of their beginning."""

PATIENCE = 1.0
"""Seconds to wait for a file that is locked."""


def session_ids(path: Path) -> list[str]:
    """Return the ids of a file's sessions, the last begun first; none where it cannot be read."""
    import sqlite3
    from contextlib import closing

    try:
        uri = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=PATIENCE)) as connection:
            return [str(found) for _, found in connection.execute(SESSIONS)][::-1]
    except (sqlite3.Error, OSError, ValueError):
        return []
