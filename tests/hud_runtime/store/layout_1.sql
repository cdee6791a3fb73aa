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
PRAGMA application_id = 1969910648;
PRAGMA user_version = 1;
