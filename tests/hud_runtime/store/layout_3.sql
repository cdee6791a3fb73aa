CREATE INDEX hud_event_by_type ON hud_event (session_id, type) WHERE type <> 'context.snapshot' AND type <> 'file.close' AND type <> 'file.edit' AND type <> 'file.open' AND type <> 'note.add';

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
PRAGMA user_version = 3;
