"""The tables of the SQLite store, as migrations: one entry for each ``user_version``.

An entry never changes once it is released; a new layout is a new entry at the end. Every index is
one more page to write for each event, so there are few: what is asked seldom is scanned.
"""

from __future__ import annotations

TABLES = """
CREATE TABLE hud_event (
    position    INTEGER PRIMARY KEY,
    id          TEXT    NOT NULL,
    session_id  TEXT    NOT NULL,
    version     INTEGER NOT NULL CHECK (version > 0),
    type        TEXT    NOT NULL,
    turn        INTEGER NOT NULL CHECK (turn >= 0),
    timestamp   INTEGER NOT NULL CHECK (timestamp >= 0),
    actor       TEXT    NOT NULL CHECK (actor IN ('agent', 'user', 'tool', 'host')),
    format      INTEGER NOT NULL CHECK (format > 0),
    payload     TEXT    NOT NULL CHECK (json_valid(payload)),
    digest      BLOB    NOT NULL,
    created_at  INTEGER NOT NULL DEFAULT (unixepoch()),
    UNIQUE (session_id, version)
) STRICT;

-- Partial indexes: only the first event of a session, and its compactions, pay for them.
CREATE INDEX hud_event_begins ON hud_event (position) WHERE version = 1;
CREATE INDEX hud_event_compacts ON hud_event (session_id, version) WHERE type = 'compact.after';

-- A purged session leaves one row here, and that row is what allows its events to be deleted.
-- Its position keeps the positions of the events that went from being given again.
CREATE TABLE hud_tombstone (
    session_id  TEXT    PRIMARY KEY,
    events      INTEGER NOT NULL,
    position    INTEGER NOT NULL,
    purged_at   INTEGER NOT NULL DEFAULT (unixepoch())
) STRICT;
CREATE INDEX hud_tombstone_by_position ON hud_tombstone (position);

-- A file with a session's events from the version first to the version last. A row here is what
-- allows those events to be deleted from hud_event.
CREATE TABLE hud_archive (
    file            TEXT    PRIMARY KEY,
    session_id      TEXT    NOT NULL,
    first           INTEGER NOT NULL,
    last            INTEGER NOT NULL CHECK (last >= first),
    first_position  INTEGER NOT NULL,
    last_position   INTEGER NOT NULL,
    latest_turn     INTEGER NOT NULL,
    latest_time     INTEGER NOT NULL,
    sha256          BLOB    NOT NULL,
    archived_at     INTEGER NOT NULL DEFAULT (unixepoch())
) STRICT;
CREATE UNIQUE INDEX hud_archive_by_version ON hud_archive (session_id, first);

CREATE TABLE hud_snapshot (
    session_id  TEXT    NOT NULL,
    projection  TEXT    NOT NULL,
    revision    INTEGER NOT NULL,
    version     INTEGER NOT NULL,
    turn        INTEGER NOT NULL,
    state       TEXT    NOT NULL CHECK (json_valid(state)),
    digest      BLOB    NOT NULL,
    PRIMARY KEY (session_id, projection, revision, version)
) STRICT, WITHOUT ROWID;
"""

TRIGGERS = """
CREATE TRIGGER hud_event_is_never_changed BEFORE UPDATE ON hud_event
BEGIN
    SELECT RAISE(ABORT, 'hud_event is append-only: a row is never changed');
END;

CREATE TRIGGER hud_event_is_never_deleted BEFORE DELETE ON hud_event
WHEN NOT EXISTS (SELECT 1 FROM hud_tombstone WHERE session_id = OLD.session_id)
 AND NOT EXISTS (SELECT 1 FROM hud_archive WHERE session_id = OLD.session_id
                 AND OLD.version BETWEEN first AND last)
BEGIN
    SELECT RAISE(ABORT, 'hud_event is append-only: only what is purged or archived is deleted');
END;

-- Also stands before INSERT OR REPLACE, which would delete rows without asking their trigger.
-- The last event of a session is never archived, so the table alone knows the next version.
CREATE TRIGGER hud_event_has_no_gap BEFORE INSERT ON hud_event
WHEN NEW.version <> 1 + coalesce(
    (SELECT max(version) FROM hud_event WHERE session_id = NEW.session_id), 0)
BEGIN
    SELECT RAISE(ABORT, 'hud_event has no gaps: the version is not the next one');
END;

CREATE TRIGGER hud_archive_is_never_changed BEFORE UPDATE ON hud_archive
BEGIN
    SELECT RAISE(ABORT, 'hud_archive is append-only: a row is never changed');
END;

CREATE TRIGGER hud_archive_is_never_deleted BEFORE DELETE ON hud_archive
WHEN NOT EXISTS (SELECT 1 FROM hud_tombstone WHERE session_id = OLD.session_id)
BEGIN
    SELECT RAISE(ABORT, 'hud_archive is append-only: only a purged session is deleted');
END;

CREATE TRIGGER hud_event_stays_purged BEFORE INSERT ON hud_event
WHEN NEW.version = 1
 AND EXISTS (SELECT 1 FROM hud_tombstone WHERE session_id = NEW.session_id)
BEGIN
    SELECT RAISE(ABORT, 'this session was purged: its id is not used again');
END;
"""

APPLICATION_ID = int.from_bytes(b"ujsx")
"""Written into the file's header, so that a database of somebody else is known for one."""

FREQUENT: tuple[str, ...] = (
    "context.snapshot", "file.close", "file.edit", "file.open", "note.add",
)  # fmt: skip
"""Types that fill logs. An index of them costs each append a page more, and finds little faster what
is most of a session; so they have none."""

IS_RARE = " AND ".join(f"type <> {name!r}" for name in FREQUENT)
"""Stands in the index, and in each query that is to use it: SQLite compares the words.

Comparisons, and no ``NOT IN``: for a list SQLite makes a table of its own, at each append."""

BY_TYPE = f"""
CREATE INDEX hud_event_by_type ON hud_event (session_id, type) WHERE {IS_RARE};
"""

DELIVERIES = """
-- What was made for a reader of a session's HUD to be told, and what was told last: one row is sent.
CREATE TABLE hud_delivery (
    session_id  TEXT    NOT NULL,
    reader      TEXT    NOT NULL,
    id          TEXT    NOT NULL,
    is_sent     INTEGER NOT NULL CHECK (is_sent IN (0, 1)),
    body        TEXT    NOT NULL CHECK (json_valid(body)),
    digest      BLOB    NOT NULL,
    PRIMARY KEY (session_id, reader, id)
) STRICT, WITHOUT ROWID;
"""

WITH_DELIVERIES = 3
"""The first layout with a table of deliveries; who reads an older one finds none."""

OUTPUTS = """
-- What a tool has answered, where the model was shown a part of it. A sweep takes the body, and leaves the row.
CREATE TABLE hud_output (
    number      INTEGER PRIMARY KEY,
    session_id  TEXT    NOT NULL,
    id          TEXT    NOT NULL,
    tool        TEXT    NOT NULL,
    mode        TEXT    NOT NULL,
    turn        INTEGER NOT NULL,
    kept_at     INTEGER NOT NULL,
    lines       INTEGER NOT NULL,
    characters  INTEGER NOT NULL,
    sha256      BLOB    NOT NULL,
    body        BLOB,
    UNIQUE (session_id, id)
) STRICT;

-- What sweeps have done; position is the last event's then.
CREATE TABLE hud_sweep (
    number      INTEGER PRIMARY KEY AUTOINCREMENT,
    swept_at    INTEGER NOT NULL,
    position    INTEGER NOT NULL,
    scanned     INTEGER NOT NULL,
    deleted     INTEGER NOT NULL,
    bytes       INTEGER NOT NULL,
    errors      TEXT    NOT NULL CHECK (json_valid(errors))
) STRICT;
"""

WITH_OUTPUTS = 4
"""The first layout with tables of kept outputs and of their sweeps."""

ERASURES = """
-- An event whose texts were erased. A row here, until it is done, is what allows the payload of that
-- event, or the archive file that holds it, to be changed; nothing else of either ever is.
CREATE TABLE hud_erasure (
    session_id  TEXT    NOT NULL,
    version     INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL CHECK (recorded_at > version),
    fields      TEXT    NOT NULL CHECK (json_valid(fields)),
    erased_at   INTEGER NOT NULL DEFAULT (unixepoch()),
    is_done     INTEGER NOT NULL DEFAULT 0 CHECK (is_done IN (0, 1)),
    PRIMARY KEY (session_id, version)
) STRICT, WITHOUT ROWID;

DROP TRIGGER hud_event_is_never_changed;
CREATE TRIGGER hud_event_is_never_changed BEFORE UPDATE ON hud_event
WHEN (NEW.position, NEW.id, NEW.session_id, NEW.version, NEW.type, NEW.turn, NEW.timestamp, NEW.actor,
      NEW.format, NEW.created_at)
 IS NOT (OLD.position, OLD.id, OLD.session_id, OLD.version, OLD.type, OLD.turn, OLD.timestamp, OLD.actor,
      OLD.format, OLD.created_at)
 OR NOT EXISTS (SELECT 1 FROM hud_erasure WHERE session_id = OLD.session_id
                AND version = OLD.version AND NOT is_done)
BEGIN
    SELECT RAISE(ABORT, 'hud_event is append-only: a row is never changed');
END;

DROP TRIGGER hud_archive_is_never_changed;
CREATE TRIGGER hud_archive_is_never_changed BEFORE UPDATE ON hud_archive
WHEN (NEW.session_id, NEW.first, NEW.last, NEW.first_position, NEW.last_position, NEW.latest_turn,
      NEW.latest_time, NEW.archived_at)
 IS NOT (OLD.session_id, OLD.first, OLD.last, OLD.first_position, OLD.last_position, OLD.latest_turn,
      OLD.latest_time, OLD.archived_at)
 OR NOT EXISTS (SELECT 1 FROM hud_erasure WHERE session_id = OLD.session_id
                AND version BETWEEN OLD.first AND OLD.last AND NOT is_done)
BEGIN
    SELECT RAISE(ABORT, 'hud_archive is append-only: a row is never changed');
END;
"""

OLD_INDEX = """
-- The search index has other tables from here on. A library that does not know them would leave words of a
-- purged session in them; so it does not open the file. The next search makes the index anew.
DROP TABLE IF EXISTS hud_searched;
"""

MIGRATIONS: tuple[str, ...] = (
    TABLES + TRIGGERS, BY_TYPE, DELIVERIES, OUTPUTS, ERASURES, OLD_INDEX,
)  # fmt: skip
"""The script that leads from each ``user_version`` to the next, beginning with 0."""

WITH_ERASURES = MIGRATIONS.index(ERASURES) + 1
"""The first layout that knows of erasures; in an older one there are none."""

READABLE = 1
"""The oldest layout that can be read as it is: what came since then are indexes, and tables whose rows may be lost."""

PURGED = "SELECT session_id FROM hud_tombstone"
"""The ids of purged sessions. From the moment that one is here, no reader sees anything of the session:
what a purge that was interrupted has left of it may be there in part."""

# NOT EXISTS, of one session, is asked once for all rows; NOT IN, of many, once for each.
IS_THERE = f"NOT EXISTS ({PURGED} WHERE session_id = ?)"
"""Tells whether a session was not purged."""

OF_SESSION = f"session_id = ? AND {IS_THERE}"
"""Stands first in each query for one session, which is the first two values."""

PRAGMAS: tuple[str, ...] = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA recursive_triggers = ON",
    "PRAGMA secure_delete = ON",
)
"""The settings of every connection, apart from its time-out and its durability."""
