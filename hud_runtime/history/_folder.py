"""The folder of JSON files that OpenCode kept before it had a database, as the tables that came after it.

So there is one way to read sessions. The tables are in a temporary database, on disk where they are large, and go
with the connection.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from hud_runtime._errors import HistoryError
from hud_runtime._limits import Limits
from hud_runtime.observation._json import Record, mapping, sequence, string, whole
from hud_runtime.transcripts._json_text import loaded

if TYPE_CHECKING:
    from sqlite3 import Connection

Row = tuple[object, ...]

FILES: Mapping[str, tuple[str, ...]] = {
    "project": ("project/*.json",),
    "session": ("session/*/*.json",),
    "message": ("message/*/*.json", "session/message/*/*.json"),
    "part": ("part/*/*.json", "session/part/*/*/*.json"),
    "todo": ("todo/*.json",),
}
"""Where the files of each table lie, by all versions; the second place is that of versions before 0.6."""

TABLES = """
CREATE TABLE project (id TEXT PRIMARY KEY, worktree TEXT, vcs TEXT, time_created INTEGER);
CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT,
    version TEXT, revert TEXT, time_created INTEGER, time_updated INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);
CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
CREATE TABLE todo (session_id TEXT, content TEXT, status TEXT, priority TEXT, position INTEGER);
"""

INDEXES = """
CREATE INDEX session_parent ON session (parent_id);
CREATE INDEX message_session ON message (session_id, time_created, id);
CREATE INDEX part_id ON part (id);
CREATE INDEX part_message ON part (message_id, id);
CREATE INDEX part_session ON part (session_id);
CREATE INDEX todo_session ON todo (session_id);
UPDATE part SET session_id = (SELECT session_id FROM message WHERE message.id = part.message_id)
    WHERE session_id = '';
"""


def folder_as_database(folder: Path, limits: Limits) -> Connection:
    """Return a connection to the tables that a folder of JSON files makes.

    :raises HistoryError: where the folder cannot be read.
    """
    import sqlite3

    db = sqlite3.connect("", check_same_thread=False)
    db.row_factory = sqlite3.Row
    try:
        db.executescript(TABLES)
        for table, patterns in FILES.items():
            rows = (
                row
                for pattern in patterns
                for path in sorted(folder.glob(pattern))
                for row in ROWS[table](path, _read(path, limits))
            )
            _fill(db, table, rows)
        db.executescript(INDEXES)
        db.commit()
    except OSError as error:
        raise HistoryError(f"{folder} cannot be read: {error.strerror or error}") from None
    return db


def _fill(db: Connection, table: str, rows: Iterator[Row]) -> None:
    first = next(rows, None)
    if first is None:
        return
    statement = f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(first))})"
    db.execute(statement, first)
    db.executemany(statement, rows)


def _read(path: Path, limits: Limits) -> object:
    """What a file says; nothing for one that cannot be read, as for one that is being written."""
    try:
        with path.open("rb") as file:
            data = limits.whole(file)
        return None if data is None else loaded(data)
    except (OSError, ValueError, RecursionError):
        return None


def _projects(path: Path, said: object) -> Iterator[Row]:
    about = mapping(said)
    if said is not None:
        yield (
            path.stem,
            string(about.get("worktree")),
            string(about.get("vcs")),
            _time(about, "created"),
        )


def _sessions(_path: Path, said: object) -> Iterator[Row]:
    about = mapping(said)
    if string(about.get("id")):
        texts = [
            string(about.get(each))
            for each in ("projectID", "parentID", "directory", "title", "version")
        ]
        revert = about.get("revert")
        yield (
            about["id"], *texts, json.dumps(revert) if mapping(revert) else None,
            _time(about, "created"), _time(about, "updated"),
        )  # fmt: skip


def _messages(path: Path, said: object) -> Iterator[Row]:
    about = mapping(said)
    if about:
        yield path.stem, path.parent.name, _time(about, "created"), json.dumps(said)


def _parts(path: Path, said: object) -> Iterator[Row]:
    about = mapping(said)
    owner, session = (
        string(about.get("messageID")) or path.parent.name,
        string(about.get("sessionID")),
    )
    if about:
        yield path.stem, owner, session or "", _time(about, "start"), json.dumps(said)


def _todos(path: Path, said: object) -> Iterator[Row]:
    for number, one in enumerate(map(mapping, sequence(said))):
        yield (
            path.stem,
            *(string(one.get(each)) for each in ("content", "status", "priority")),
            number,
        )


def _time(about: Record, name: str) -> int:
    return whole(mapping(about.get("time")).get(name))


ROWS: Mapping[str, Callable[[Path, object], Iterator[Row]]] = {
    "project": _projects,
    "session": _sessions,
    "message": _messages,
    "part": _parts,
    "todo": _todos,
}
"""What each file is in its table."""
