"""The figures of a store in PostgreSQL: how much it holds of each kind, and what bounds it."""

from __future__ import annotations

from collections.abc import Iterator

from hud_runtime.postgres._database import PostgresDatabase
from hud_runtime.store._figures import BOUNDS, KINDS, OTHER, Figure

TABLES: dict[str, str] = {
    **KINDS,
    "hud_archive_file": "archive",
    "hud_output": "output",
    "hud_sweep": "sweep",
    "hud_search": "search index",
}
"""What the rows of a table are called."""


def figures(database: PostgresDatabase) -> tuple[Figure, ...]:
    """Return how much there is of each kind, of which there is any; indexes count."""
    found: list[Figure] = []
    for table, kind in TABLES.items():
        [(rows, size)] = database.rows(
            f"SELECT (SELECT count(*) FROM {table}), pg_total_relation_size('{table}')"
        )
        if rows:
            found.append(Figure(kind, int(rows), int(size), BOUNDS.get(kind, OTHER)))
    return tuple(found)


def other_texts(database: PostgresDatabase) -> Iterator[tuple[str, str, str, str]]:
    """Yield the texts that stand beside the log: table, column, session and text."""
    for session_id, name, tool in database.rows("SELECT session_id, id, tool FROM hud_output"):
        yield "hud_output", "id", str(session_id), str(name)
        yield "hud_output", "tool", str(session_id), str(tool)
