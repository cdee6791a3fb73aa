"""The names of OpenCode's tables and columns, in all versions whose migrations are known.

The browser asks views of fixed names and columns; this table says what each is made of. A version that renames
a column takes a name more here, and nothing else.

The versions: OpenCode's migrations from ``20260127222353_familiar_lady_ursula``, the first one, to
``20260622202450_simplify_session_input``, as OpenCode 1.18.33 (September 2026) carries them; of forks those that drop
a session's folder (``20260420200707_remove_session_directory``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hud_runtime._errors import HistoryError

if TYPE_CHECKING:
    from sqlite3 import Connection

FIRST_KNOWN = "20260127222353_familiar_lady_ursula"
LAST_KNOWN = "20260622202450_simplify_session_input"
"""The last migration that this table was compared with."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a view, and what it is made of."""

    names: tuple[str, ...]
    """What it has been called, the newest name first."""

    is_needed: bool = False
    """Whether nothing can be read without it; any other one is NULL where no version has it."""


@dataclass(frozen=True, slots=True)
class View:
    """A view of ours, and the table that it shows."""

    table: str
    columns: Mapping[str, Column]
    is_needed: bool = False
    """Whether nothing can be read without the table; any other one is empty where it is not there."""


def _columns(needed: Mapping[str, str], **others: str) -> Mapping[str, Column]:
    made = {name: Column(tuple(said.split()), is_needed=True) for name, said in needed.items()}
    return made | {name: Column(tuple(said.split())) for name, said in others.items()}


VIEWS: Mapping[str, View] = {
    "past_session": View(
        "session",
        _columns(
            {"id": "id"},
            title="title", project="project_id", parent="parent_id", slug="slug", directory="directory",
            version="version", agent="agent", model="model", cost="cost", tokens_input="tokens_input",
            tokens_output="tokens_output", tokens_reasoning="tokens_reasoning",
            tokens_cache_read="tokens_cache_read", tokens_cache_write="tokens_cache_write",
            additions="summary_additions", deletions="summary_deletions", files="summary_files",
            diffs="summary_diffs", share="share_url", permission="permission", metadata="metadata",
            revert="revert", created="time_created", updated="time_updated", archived="time_archived",
            compacting="time_compacting", workspace="workspace_id", path="path",
        ),
        is_needed=True,
    ),
    "past_message": View(
        "message",
        _columns(
            {"id": "id", "session": "session_id", "data": "data"},
            created="time_created", updated="time_updated",
        ),
        is_needed=True,
    ),
    "past_part": View(
        "part",
        _columns(
            {"id": "id", "message": "message_id", "session": "session_id", "data": "data"},
            created="time_created", updated="time_updated",
        ),
        is_needed=True,
    ),
    "past_project": View(
        "project",
        _columns({"id": "id"}, worktree="worktree", name="name", vcs="vcs", created="time_created"),
    ),
    "past_todo": View(
        "todo",
        _columns(
            {"session": "session_id"},
            content="content", status="status", priority="priority", position="position",
        ),
    ),
}  # fmt: skip

JOURNALS: Mapping[str, str] = {"migration": "id", "__drizzle_migrations": "name"}
"""Tables in which OpenCode notes its migrations, and their columns; its first versions had the second."""

NEXT = "session_message"
"""The table in which OpenCode's next architecture keeps messages; 1.18.33 has it, and leaves it empty."""


def define_views(db: Connection) -> None:
    """Make the views, in the connection's own schema: the database itself stays as it is.

    :raises HistoryError: for tables that cannot be OpenCode's.
    """
    there = {
        str(row[0])
        for row in db.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'")
    }
    for name, view in VIEWS.items():
        if view.is_needed and view.table not in there:
            raise HistoryError(
                f"it has no table {view.table}, so it is no database of OpenCode's; {KNOWN}"
            )
        db.execute(f"CREATE TEMP VIEW {name} AS {_select(db, view, is_there=view.table in there)}")


KNOWN = f"known are those of its migrations {FIRST_KNOWN[:8]} to {LAST_KNOWN[:8]}"


def _select(db: Connection, view: View, *, is_there: bool) -> str:
    """The query of a view; every name in it stands in the table above."""
    if not is_there:
        return f"SELECT {', '.join(f'NULL AS {name}' for name in view.columns)} WHERE 0"
    has = {str(row[1]) for row in db.execute(f'PRAGMA main.table_info("{view.table}")')}
    shown: list[str] = []
    for name, column in view.columns.items():
        found = next((f'"{each}"' for each in column.names if each in has), None)
        if found is None and column.is_needed:
            raise HistoryError(
                f"its table {view.table} has no column {column.names[0]}, so it is no database of OpenCode's that"
                f" can be read; {KNOWN}"
            )
        shown.append(f"{found or 'NULL'} AS {name}")
    return f'SELECT rowid AS position, {", ".join(shown)} FROM main."{view.table}"'


def version_of(db: Connection) -> str | None:
    """Return the last migration that OpenCode notes in its database; None where it notes none."""
    import sqlite3

    for table, column in JOURNALS.items():
        try:
            [(version,)] = db.execute(f'SELECT max("{column}") FROM main."{table}"')
        except sqlite3.OperationalError:  # it has no such table
            continue
        if isinstance(version, str):
            return version
    return None


def remarks(db: Connection) -> Iterable[str]:
    """Yield what a reader has to know: that the database is newer than what is known here."""
    import sqlite3

    version = version_of(db)
    if version is not None and version > LAST_KNOWN:
        yield (
            f"made by a newer OpenCode (migration {version[:100]}; {LAST_KNOWN} is the last one that is known):"
            " it is read as far as it is as before"
        )
    try:
        [(count,)] = db.execute(f"SELECT count(*) FROM (SELECT 1 FROM main.{NEXT} LIMIT 1)")
    except sqlite3.OperationalError:
        return
    if count:
        yield f"some messages are in the table {NEXT}, which is not read"
