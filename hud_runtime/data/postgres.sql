-- The tables of the PostgreSQL store. Those in common with SQLite, and the triggers that guard them, are
-- derived from the scripts in store.sql.

CREATE SEQUENCE hud_position MINVALUE 0 START 0;
SELECT setval('hud_position', 0);  -- as if 0 had been given: then last_value is what was given last

-- The tables of SQLite.
ALTER TABLE hud_event ALTER position SET DEFAULT nextval('hud_position');
ALTER SEQUENCE hud_position OWNED BY hud_event.position;
CREATE INDEX hud_event_begins ON hud_event (position) WHERE version = 1;
CREATE INDEX hud_event_by_type ON hud_event (session_id, type) WHERE type <> 'context.snapshot' AND type <> 'file.close' AND type <> 'file.edit' AND type <> 'file.open' AND type <> 'note.add';
CREATE UNIQUE INDEX hud_archive_by_version ON hud_archive (session_id, first);
ALTER TABLE hud_output ALTER body SET STORAGE EXTERNAL;  -- it is compressed

CREATE TABLE hud_archive_file (
    file        text     COLLATE "C" PRIMARY KEY,
    content     bytea    NOT NULL
);
ALTER TABLE hud_archive_file ALTER content SET STORAGE EXTERNAL;  -- it is compressed


-- What events say, for the search: their words as they are compared, and the text itself. Lexemes are
-- NULL where there are more than a tsvector holds: such a text is always looked through.
CREATE TABLE hud_search (
    position    bigint   NOT NULL PRIMARY KEY,
    session_id  text     COLLATE "C" NOT NULL,
    version     bigint   NOT NULL,
    turn        bigint   NOT NULL,
    timestamp   bigint   NOT NULL,
    actor       text     COLLATE "C" NOT NULL,
    type        text     COLLATE "C" NOT NULL,
    text        text     COLLATE "C" NOT NULL,
    words       text     COLLATE "C" NOT NULL,
    lexemes     tsvector
);
CREATE INDEX hud_search_lexemes ON hud_search USING gin (lexemes);
CREATE INDEX hud_search_long ON hud_search (position) WHERE lexemes IS NULL;
CREATE INDEX hud_search_session ON hud_search (session_id);

-- Up to which position all events are in the index.
CREATE TABLE hud_searched (position bigint NOT NULL);
INSERT INTO hud_searched VALUES (0);

-- The number of an advisory lock. Stores in other schemas of the database have others.
CREATE FUNCTION hud_key(kind text, name text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT hashtextextended(name, hashtextextended(kind || ' of ' || current_schema(), 0))
$$;

-- Appends events to a session, all or none, and returns the version at which it was. It is what the
-- caller has expected, or nothing was appended. Asked once more, after a connection has broken, it knows by
-- their ids whether they are there: then it is what was expected, too. An event is an array: its id, type,
-- turn, time, actor, format, payload as text, and its digest in hex.
CREATE FUNCTION hud_append(session text, expected bigint, events json, again boolean)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    actual bigint;
    given bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hud_key('session', session));
    SELECT max(version) INTO actual FROM hud_event WHERE session_id = session;
    actual := coalesce(actual, 0);
    IF actual <> expected THEN
        IF again AND json_array_length(events) = (
            SELECT count(*) FROM hud_event
            JOIN json_array_elements(events) WITH ORDINALITY AS new (event, place)
            ON session_id = session AND version = expected + place AND id = event ->> 0
        ) THEN
            RETURN expected;
        END IF;
        RETURN actual;
    END IF;
    IF expected = 0 AND EXISTS (SELECT FROM hud_tombstone WHERE session_id = session) THEN
        RETURN -1;
    END IF;
    -- From here to the end of the transaction others know that positions above this one may still come.
    SELECT last_value INTO given FROM hud_position;
    PERFORM pg_advisory_xact_lock_shared(
        hashtext('append of ' || current_schema()),
        (((given + 2147483648) & 4294967295) - 2147483648)::integer
    );
    INSERT INTO hud_event (id, session_id, version, type, turn, timestamp, actor, format, payload, digest)
    SELECT event ->> 0, session, expected + place, event ->> 1, (event ->> 2)::bigint,
        (event ->> 3)::bigint, event ->> 4, (event ->> 5)::integer, event ->> 6,
        decode(event ->> 7, 'hex')
    FROM json_array_elements(events) WITH ORDINALITY AS new (event, place)
    ORDER BY place;
    -- Whoever listens holds this lock. A notice makes the commits of all sessions queue up, so none is
    -- given where nobody does.
    IF pg_try_advisory_lock(hud_key('listen', '')) THEN
        PERFORM pg_advisory_unlock(hud_key('listen', ''));
    ELSE
        PERFORM pg_notify('ujsx_' || hud_key('listen', ''), hud_key('session', session)::text);
    END IF;
    RETURN expected;
END
$$;

-- The position up to which nothing will be appended any more: all that is below it was committed, or never
-- will be. The last position is read first: who begins after that appends above it.
CREATE FUNCTION hud_settled() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    given bigint;
    pending bigint;
BEGIN
    SELECT last_value INTO given FROM hud_position;
    SELECT min(given - (((given - objid::bigint + 2147483648) & 4294967295) - 2147483648)) INTO pending
    FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 2 AND pid <> pg_backend_pid()
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND classid::bigint = (hashtext('append of ' || current_schema())::bigint & 4294967295);
    RETURN least(given, pending);
END
$$;

CREATE FUNCTION hud_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: %', TG_TABLE_NAME, TG_ARGV[0];
END
$$;

CREATE TRIGGER hud_archive_file_is_never_changed BEFORE UPDATE ON hud_archive_file
FOR EACH ROW EXECUTE FUNCTION hud_refuse('a file is never changed');

CREATE TRIGGER hud_tombstone_stays BEFORE UPDATE OR DELETE ON hud_tombstone
FOR EACH ROW EXECUTE FUNCTION hud_refuse('a tombstone stays');

CREATE TRIGGER hud_event_is_never_emptied BEFORE TRUNCATE ON hud_event
FOR EACH STATEMENT EXECUTE FUNCTION hud_refuse('it is never emptied');
CREATE TRIGGER hud_archive_is_never_emptied BEFORE TRUNCATE ON hud_archive
FOR EACH STATEMENT EXECUTE FUNCTION hud_refuse('it is never emptied');
CREATE TRIGGER hud_archive_file_is_never_emptied BEFORE TRUNCATE ON hud_archive_file
FOR EACH STATEMENT EXECUTE FUNCTION hud_refuse('it is never emptied');
CREATE TRIGGER hud_tombstone_is_never_emptied BEFORE TRUNCATE ON hud_tombstone
FOR EACH STATEMENT EXECUTE FUNCTION hud_refuse('it is never emptied');

CREATE FUNCTION hud_archive_file_check_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM hud_archive WHERE file = OLD.file) THEN
        RAISE EXCEPTION 'hud_archive_file is append-only: an archive needs this file';
    END IF;
    RETURN OLD;
END
$$;
CREATE TRIGGER hud_archive_file_is_never_deleted BEFORE DELETE ON hud_archive_file
FOR EACH ROW EXECUTE FUNCTION hud_archive_file_check_delete();
