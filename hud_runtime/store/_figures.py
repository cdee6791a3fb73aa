"""The amount of each kind of data in a store, and what bounds it.

Tables are read as they are found, so that one that came later is counted as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from hud_runtime.store._archive import Archive, folder_of
from hud_runtime.store._database import Database

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Bound:
    """The bound that keeps a kind of data from growing without end."""

    limit: str
    """The bound in words."""
    near: int
    """Bytes from which on something should be done."""
    advice: str
    """The advice from then on."""


@dataclass(frozen=True, slots=True)
class Figure:
    """The amount of data of one kind."""

    kind: str
    rows: int
    size: int
    """Bytes of what is in the rows, or of the files."""
    bound: Bound

    @property
    def is_near(self) -> bool:
        """True if something should be done about it."""
        return self.size >= self.bound.near


SWEEP = "`ujsx store expire --older-than 90d` deletes sessions that nobody has used for so long"

BOUNDS: Mapping[str, Bound] = MappingProxyType(
    {
        "events": Bound(
            "1,000,000 characters of one text (UJSX_MAX_TEXT); as many events as are recorded",
            512 * MIB,
            f"`ujsx session archive` compresses what a compaction has left behind; {SWEEP}",
        ),
        "archive": Bound("what was archived, compressed; it goes with its session", 1024 * MIB, SWEEP),
        "snapshots": Bound(
            "32 for each session and projection", 256 * MIB, f"they go with their sessions: {SWEEP}"
        ),
        "deliveries": Bound(
            "17 for each reader, and 64 readers for each session", 64 * MIB,
            f"they go with their sessions: {SWEEP}",
        ),
        "search index": Bound(
            "the texts of all events and their words, once more", 1024 * MIB,
            f"it is made of the log and goes with its sessions: {SWEEP}",
        ),
        "tombstones": Bound("a row for each purged session, without its texts", 16 * MIB, "nothing"),
        "erasures": Bound("a row for each erased event, without its texts", 16 * MIB, "nothing"),
        "write-ahead log": Bound(
            "what was written since the last checkpoint, which comes by itself at 1,000 pages",
            64 * MIB,
            "`ujsx store checkpoint` empties it, unless a process reads all the time",
        ),
        "unused pages": Bound(
            "what was deleted, until it is written over", 256 * MIB,
            "a purge, a sweep or an erasure writes the file anew, without them",
        ),
    }
)  # fmt: skip
"""The bound of each kind; a table of yours may take its place."""

OTHER = Bound("what the table's own sweep leaves", 512 * MIB, SWEEP)
"""For tables that are not named above."""

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "hud_event": "events",
        "hud_snapshot": "snapshots",
        "hud_delivery": "deliveries",
        "hud_tombstone": "tombstones",
        "hud_erasure": "erasures",
    }
)
"""The names of the rows of each table."""

INDEX = "hud_search"
"""The beginning of the names of the index's tables; the first of them is none of its own."""

NO_TABLES = frozenset({"hud_archive", INDEX})
"""The archive's rows name files, and those are counted."""


def figures(
    database: Database, archive: Archive, bounds: Mapping[str, Bound] = BOUNDS
) -> tuple[Figure, ...]:
    """Return how much there is of each kind, of which there is any."""
    found: dict[str, tuple[int, int]] = {}
    with database.at_one_moment():
        for table, columns in tables(database):
            if table in NO_TABLES:
                continue
            is_index = table.startswith(INDEX)
            kind = "search index" if is_index else KINDS.get(table, _named(table))
            rows, size = _counted(database, table, columns)
            if is_index:  # its texts are rows, the rest is how they are found
                rows = rows if table == f"{INDEX}_texts" else 0
            before = found.get(kind, (0, 0))
            found[kind] = before[0] + rows, before[1] + size
        found |= _files(database, archive)
    return tuple(
        Figure(kind, rows, size, bounds.get(kind, OTHER))
        for kind, (rows, size) in found.items()
        if rows or size
    )


def tables(database: Database) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the store's tables, each with its columns."""
    names = database.rows(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'hud_*' ORDER BY rootpage"
    )
    for (name,) in names:
        columns = database.rows("SELECT name FROM pragma_table_info(?)", name)
        yield str(name), tuple(str(column) for (column,) in columns)


OF_EVENTS = frozenset({"hud_event", "hud_snapshot", "hud_delivery", "hud_tombstone", "hud_erasure"})
"""Tables that hold events, or what is made of them."""


def other_texts(database: Database) -> Iterator[tuple[str, str, str, str]]:
    """Yield the texts of all other tables with sessions: table, column, session and text."""
    for table, columns in tables(database):
        if table in OF_EVENTS | NO_TABLES or table.startswith(INDEX) or "session_id" not in columns:
            continue
        for column in columns:
            if column == "session_id":
                continue
            name = quoted_name(column)
            rows = database.rows(
                f"SELECT session_id, CAST({name} AS TEXT) FROM {quoted_name(table)}"
                f" WHERE typeof({name}) IN ('text', 'blob')"
            )
            for session_id, text in rows:
                yield table, column, str(session_id), str(text)


def quoted_name(name: str) -> str:
    """Return the name of a table or a column as it stands in a query.

    >>> quoted_name('a"b')
    '"a""b"'
    """
    return '"' + name.replace('"', '""') + '"'


def _counted(database: Database, table: str, columns: tuple[str, ...]) -> tuple[int, int]:
    size = " + ".join(f"coalesce(length(CAST({quoted_name(each)} AS BLOB)), 0)" for each in columns)
    [(rows, bytes_)] = database.rows(
        f"SELECT count(*), coalesce(sum({size or '0'}), 0) FROM {quoted_name(table)}"
    )
    return int(rows), int(bytes_)


def _files(database: Database, archive: Archive) -> Mapping[str, tuple[int, int]]:
    """The data in files beside the database, and the unused room of the database."""
    volumes = archive.everything()
    events = sum(each.last - each.first + 1 for each in volumes)
    found: dict[str, tuple[int, int]] = {}
    if database.path is not None:
        folder = folder_of(database.path)
        found["archive"] = events, sum(_size(folder / each.file) for each in volumes)
        log = database.path.with_name(f"{database.path.name}-wal")
        found["write-ahead log"] = 0, _size(log)
    [(unused,)] = database.rows("PRAGMA freelist_count")
    [(page,)] = database.rows("PRAGMA page_size")
    found["unused pages"] = int(unused), int(unused) * int(page)
    return found


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _named(table: str) -> str:
    return table.removeprefix("hud_").replace("_", " ")
