"""The tables of the SQLite store, as migrations: one entry for each ``user_version``.

An entry never changes once it is released; a new layout is a new entry at the end.
"""

from __future__ import annotations

EVENTS = """
CREATE TABLE hud_event (
    position    INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT    NOT NULL UNIQUE,
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
CREATE INDEX hud_event_by_time ON hud_event (session_id, timestamp);
CREATE INDEX hud_event_by_type ON hud_event (session_id, type);
CREATE INDEX hud_event_by_turn ON hud_event (session_id, turn);

-- A purged session leaves one row here, and that row is what allows its events to be deleted.
CREATE TABLE hud_tombstone (
    session_id  TEXT    PRIMARY KEY,
    events      INTEGER NOT NULL,
    purged_at   INTEGER NOT NULL DEFAULT (unixepoch())
) STRICT;

CREATE TABLE hud_snapshot (
    session_id  TEXT    NOT NULL,
    version     INTEGER NOT NULL,
    projection  INTEGER NOT NULL,
    state       TEXT    NOT NULL CHECK (json_valid(state)),
    PRIMARY KEY (session_id, projection, version)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER hud_event_is_never_changed BEFORE UPDATE ON hud_event
BEGIN
    SELECT RAISE(ABORT, 'hud_event is append-only: a row is never changed');
END;

CREATE TRIGGER hud_event_is_never_deleted BEFORE DELETE ON hud_event
WHEN NOT EXISTS (SELECT 1 FROM hud_tombstone WHERE session_id = OLD.session_id)
BEGIN
    SELECT RAISE(ABORT, 'hud_event is append-only: only a purged session is deleted');
END;

-- Also stands before INSERT OR REPLACE, which would delete rows without asking their trigger.
CREATE TRIGGER hud_event_has_no_gap BEFORE INSERT ON hud_event
WHEN NEW.version <> 1 + coalesce(
    (SELECT max(version) FROM hud_event WHERE session_id = NEW.session_id), 0)
BEGIN
    SELECT RAISE(ABORT, 'hud_event has no gaps: the version is not the next one');
END;

CREATE TRIGGER hud_event_stays_purged BEFORE INSERT ON hud_event
WHEN EXISTS (SELECT 1 FROM hud_tombstone WHERE session_id = NEW.session_id)
BEGIN
    SELECT RAISE(ABORT, 'this session was purged: its id is not used again');
END;
"""

MIGRATIONS: tuple[str, ...] = (EVENTS,)
"""The script that leads from each ``user_version`` to the next, beginning with 0."""

PRAGMAS: tuple[str, ...] = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA recursive_triggers = ON",
    "PRAGMA secure_delete = ON",
)
"""What every connection is set to, apart from its time-out and its durability."""

OLDEST_SQLITE = (3, 38, 0)
"""STRICT tables came with 3.37, ``unixepoch`` with 3.38."""
