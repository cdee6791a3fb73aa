-- The tables of the SQLite store, as migrations: one for each user_version. A released one never changes.
-- Every index costs a page for each event, so there are few; rare queries scan.

-- Layout 1: the tables, and their guards.

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

-- Layout 2: an index for reads of the rare types; searches compare with the same words (IS_RARE).

CREATE INDEX hud_event_by_type ON hud_event (session_id, type) WHERE type <> 'context.snapshot' AND type <> 'file.close' AND type <> 'file.edit' AND type <> 'file.open' AND type <> 'note.add';

-- Layout 3: deliveries.

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

-- Layout 4: outputs of tools, and their sweeps.

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

-- Layout 5: erasures.

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

-- Layout 6: another search index.

-- The search index has other tables from here on. A library that does not know them would leave words of a
-- purged session in them; so it does not open the file. The next search makes the index anew.
DROP TABLE IF EXISTS hud_searched;
