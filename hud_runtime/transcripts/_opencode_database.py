"""OpenCode's database, or its former folder, in all versions."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from hud_runtime._errors import HistoryError, TranscriptError
from hud_runtime._limits import Limits
from hud_runtime.observe._observations import Record, mapping, sequence, string, whole
from hud_runtime.transcripts._source import loaded, mark_of, opened

if TYPE_CHECKING:
    from sqlite3 import Connection

# The names of OpenCode's tables and columns, in all versions whose migrations are known.
#
# The reader queries views of fixed names and columns; this table defines them. No version has
# renamed a column.
#
# The versions: OpenCode's migrations from ``20260127222353_familiar_lady_ursula``, the first one, to
# ``20260622202450_simplify_session_input``, as OpenCode 1.18.33 (September 2026) carries them; of forks those that drop
# a session's folder (``20260420200707_remove_session_directory``).

FIRST_KNOWN = "20260127222353_familiar_lady_ursula"
LAST_KNOWN = "20260622202450_simplify_session_input"
"""The last migration that this table was checked against."""


@dataclass(frozen=True, slots=True)
class TableView:
    """A view of ours, and its table."""

    table: str
    needed: Mapping[str, str]
    """The required columns, each with its name in the table."""

    others: Mapping[str, str]
    """The columns that are NULL in versions without them."""

    is_needed: bool = False
    """True if the table is required; any other missing table counts as empty."""


VIEWS: Mapping[str, TableView] = {
    "past_session": TableView(
        "session",
        {"id": "id"},
        {
            "title": "title", "project": "project_id", "parent": "parent_id", "slug": "slug", "directory": "directory",
            "version": "version", "agent": "agent", "model": "model", "cost": "cost", "tokens_input": "tokens_input",
            "tokens_output": "tokens_output", "tokens_reasoning": "tokens_reasoning",
            "tokens_cache_read": "tokens_cache_read", "tokens_cache_write": "tokens_cache_write",
            "additions": "summary_additions", "deletions": "summary_deletions", "files": "summary_files",
            "diffs": "summary_diffs", "share": "share_url", "permission": "permission", "metadata": "metadata",
            "revert": "revert", "created": "time_created", "updated": "time_updated", "archived": "time_archived",
            "compacting": "time_compacting", "workspace": "workspace_id", "path": "path",
        },
        is_needed=True,
    ),
    "past_message": TableView(
        "message",
        {"id": "id", "session": "session_id", "data": "data"},
        {"created": "time_created", "updated": "time_updated"},
        is_needed=True,
    ),
    "past_part": TableView(
        "part",
        {"id": "id", "message": "message_id", "session": "session_id", "data": "data"},
        {"created": "time_created", "updated": "time_updated"},
        is_needed=True,
    ),
    "past_project": TableView(
        "project",
        {"id": "id"},
        {"worktree": "worktree", "name": "name", "vcs": "vcs", "created": "time_created"},
    ),
    "past_todo": TableView(
        "todo",
        {"session": "session_id"},
        {"content": "content", "status": "status", "priority": "priority", "position": "position"},
    ),
}  # fmt: skip

JOURNALS: Mapping[str, str] = {"migration": "id", "__drizzle_migrations": "name"}
"""Tables in which OpenCode records its migrations, and their columns; its first versions had the second."""

NEXT = "session_message"
"""The table of messages in OpenCode's next architecture; 1.18.33 has it, and leaves it empty."""


def define_views(db: Connection) -> None:
    """Make the views in the connection's temporary schema: the database itself is not changed.

    Text of an invalid encoding is read as far as possible.

    :raises HistoryError: for tables that cannot be OpenCode's.
    """
    db.text_factory = partial(str, encoding="utf-8", errors="replace")
    # Do not run code that another program's database declares.
    db.execute("PRAGMA trusted_schema = OFF")
    there = {
        str(row[0])
        for row in db.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'")
    }
    for name, view in VIEWS.items():
        if view.is_needed and view.table not in there:
            raise HistoryError(
                f"it has no table {view.table}, so it is not a database of OpenCode's; {KNOWN}"
            )
        db.execute(f"CREATE TEMP VIEW {name} AS {_select(db, view, is_there=view.table in there)}")


KNOWN = f"known are those of its migrations {FIRST_KNOWN[:8]} to {LAST_KNOWN[:8]}"


def _select(db: Connection, view: TableView, *, is_there: bool) -> str:
    """The query of a view; all its names are in the table above."""
    columns = {**view.needed, **view.others}
    if not is_there:
        return f"SELECT {', '.join(f'NULL AS {name}' for name in columns)} WHERE 0"
    has = {str(row[1]) for row in db.execute(f'PRAGMA main.table_info("{view.table}")')}
    shown = {"position": "rowid"}  # unless the table has positions of its own
    for name, column in columns.items():
        if column not in has and name in view.needed:
            raise HistoryError(
                f"its table {view.table} has no column {column}, so it is not a database of OpenCode's that"
                f" can be read; {KNOWN}"
            )
        shown[name] = f'"{column}"' if column in has else "NULL"
    said = ", ".join(f"{found} AS {name}" for name, found in shown.items())
    return f'SELECT {said} FROM main."{view.table}"'


def version_of(db: Connection) -> str | None:
    """Return the last migration recorded in OpenCode's database; None for none."""
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
    """Yield the warnings for a reader: the database may be newer than this code."""
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


# The folder of JSON files that OpenCode used before its database, as the later tables, so that
# sessions are read in one way. The tables are in a temporary database, on disk if they are large,
# which the connection removes.

Row = tuple[object, ...]

FILES: Mapping[str, tuple[str, ...]] = {
    "project": ("project/*.json",),
    "session": ("session/*/*.json",),
    "message": ("message/*/*.json", "session/message/*/*.json"),
    "part": ("part/*/*.json", "session/part/*/*/*.json"),
    "todo": ("todo/*.json",),
}
"""The files of each table, in all versions; the second pattern is for versions before 0.6."""

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
    """Return a connection to the tables of a folder of JSON files.

    :raises HistoryError: if the folder cannot be read.
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
    """The content of a file; None for one that cannot be read, for instance while it is written."""
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
            time_of(about, "created"),
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
            time_of(about, "created"), time_of(about, "updated"),
        )  # fmt: skip


def _messages(path: Path, said: object) -> Iterator[Row]:
    about = mapping(said)
    if about:
        yield path.stem, path.parent.name, time_of(about, "created"), json.dumps(said)


def _parts(path: Path, said: object) -> Iterator[Row]:
    about = mapping(said)
    owner, session = (
        string(about.get("messageID")) or path.parent.name,
        string(about.get("sessionID")),
    )
    if about:
        yield path.stem, owner, session or "", time_of(about, "start"), json.dumps(said)


def _todos(path: Path, said: object) -> Iterator[Row]:
    for number, one in enumerate(map(mapping, sequence(said))):
        yield (
            path.stem,
            *(string(one.get(each)) for each in ("content", "status", "priority")),
            number,
        )


def time_of(about: Record, name: str) -> int:
    """Return a time of a session, a message or a part by its name; 0 for none."""
    return whole(mapping(about.get("time")).get(name))


ROWS: Mapping[str, Callable[[Path, object], Iterator[Row]]] = {
    "project": _projects,
    "session": _sessions,
    "message": _messages,
    "part": _parts,
    "todo": _todos,
}
"""The rows of each file in its table."""


# The place of OpenCode's sessions: its database, or its former folder.

NAME = "opencode.db"
"""The database of released versions; a build from a branch has ``opencode-BRANCH.db``."""

FOLDER = "storage"
"""The folder of JSON files that OpenCode used before its database (until January 2026)."""

VARIABLE = "OPENCODE_DB"
"""OpenCode's own variable: the database's path, or its name in the folder of data."""


def data_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Return the folder of OpenCode's data, from XDG's variables on every system.

    >>> data_folder({"XDG_DATA_HOME": "/data"}).as_posix()
    '/data/opencode'
    """
    environ = os.environ if environ is None else environ
    base = environ.get("XDG_DATA_HOME")
    return Path(base) / "opencode" if base else Path.home() / ".local" / "share" / "opencode"


def found_database(environ: Mapping[str, str] | None = None) -> Path | None:
    """Return the database that OpenCode uses, else its folder of JSON files; None if neither exists.

    >>> found_database({"XDG_DATA_HOME": "/nowhere"}) is None
    True
    """
    environ = os.environ if environ is None else environ
    folder = data_folder(environ)
    if (named := environ.get(VARIABLE)) and named != ":memory:":
        path = folder / named  # an absolute name replaces the folder
        return path if path.is_file() else None
    if (folder / NAME).is_file():
        return folder / NAME
    others = sorted(folder.glob("opencode-*.db"), key=lambda each: each.stat().st_mtime_ns)
    if others:
        return others[-1]
    return folder / FOLDER if (folder / FOLDER / "session").is_dir() else None


def database_at(path: str | Path | None) -> Path:
    """Return the database to read: the named one, a folder's, or the environment's.

    :raises HistoryError: if there is none.
    """
    if path is None:
        found = found_database()
        if found is None:
            raise HistoryError(
                f"there is no {data_folder() / NAME}: OpenCode has not been used here, or its data lie"
                " elsewhere; name the database, or set XDG_DATA_HOME"
            )
        return found
    given = Path(path).expanduser()
    if given.is_dir():
        inside = [given / NAME, given / "opencode" / NAME, given / FOLDER, given]
        for each in inside:
            if each.is_file() or (each / "session").is_dir():
                return each
        raise HistoryError(f"{given} has no {NAME} in it, and no folder of sessions")
    if not given.exists():
        raise HistoryError(f'there is no file "{given}"')
    return given


T = TypeVar("T")

TRIES = 3
"""The number of times that a query is repeated if the file has changed meanwhile."""


class OpenCodeDatabase:
    """A database of OpenCode, or its former folder, as views of fixed names.

    :param path: the database, or its folder; None for OpenCode's own.
    :param limits: the limits of what is read at once.
    :raises HistoryError: if there is none, or it cannot be read.
    """

    def __init__(self, path: str | Path | None = None, *, limits: Limits | None = None) -> None:
        self.path = database_at(path)
        self._limits = Limits.of_environment() if limits is None else limits
        self._mark: object = None
        self._db = self._opened()

    def _opened(self) -> Connection:
        import sqlite3

        if self.path.is_dir():
            db = folder_as_database(self.path, self._limits)
        else:
            try:
                mark = self._marked()
                db, is_still = opened(self.path)
                self._mark = mark if is_still else None
            except TranscriptError as error:
                raise HistoryError(str(error)) from None
        try:
            db.isolation_level = None
            define_views(db)
            db.execute("PRAGMA query_only = ON")
        except sqlite3.Error as error:
            db.close()
            raise self._refusal(error) from None
        except HistoryError as error:
            db.close()
            raise HistoryError(f"{self.path} cannot be read: {error}") from None
        return db

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # --- Asking ---

    def ask(self, work: Callable[[Connection], T]) -> T:
        """Return a query's result, all from the same moment.

        :raises HistoryError: if the database is damaged, or locked.
        """
        import sqlite3

        for _ in range(TRIES):
            if self._has_changed():
                self._db.close()
                self._db = self._opened()
            try:
                self._db.execute("BEGIN")
                try:
                    found = work(self._db)
                finally:
                    self._db.execute("ROLLBACK")
            except sqlite3.Error as error:
                if not self._has_changed():
                    raise self._refusal(error) from None
            else:
                if not self._has_changed():
                    return found
        raise HistoryError(f"{self.path} changes while it is read; try again")

    def rows(self, query: str, given: Mapping[str, object]) -> list[Any]:
        """Return the rows of one query, with bound parameters."""
        return self.ask(lambda db: [*db.execute(query, given)])

    def _has_changed(self) -> bool:
        """Whether a file that is read without locks has changed."""
        return self._mark is not None and self._mark != self._marked()

    def _marked(self) -> object:
        try:
            return mark_of(self.path)
        except OSError as error:
            raise HistoryError(f"{self.path} cannot be read: {error.strerror}") from None

    def _refusal(self, error: Exception) -> HistoryError:
        said = str(error)
        if "locked" in said or "busy" in said:
            return HistoryError(
                f"{self.path} is being written, and stays locked ({said}); try again"
            )
        if "malformed" in said or "not a database" in said or "disk I/O" in said:
            return HistoryError(
                f"{self.path} is damaged ({said}); `sqlite3 FILE .recover` saves what it has"
            )
        return HistoryError(f"{self.path} cannot be read: {said}")
