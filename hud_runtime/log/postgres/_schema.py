"""The PostgreSQL store as text: its address, its tables, and its roles' rights. Only parsing an address
needs psycopg.
"""

from __future__ import annotations

import re
from contextlib import suppress
from hashlib import sha256
from typing import Literal, TypeAlias
from urllib.parse import quote

from hud_runtime._errors import StoreError
from hud_runtime.log.store._rows import DELIVERIES, ERASURES, IS_RARE, OUTPUTS
from hud_runtime.log.store._rows import TABLES as SQLITE_TABLES
from hud_runtime.log.store._rows import TRIGGERS as SQLITE_TRIGGERS

# The address, as the server gets it and as messages show it.

SHOWN_SETTINGS = ("user", "host", "port", "dbname")
"""The parts of an address that are shown. Others may be secret: passwords of three kinds."""

DEFAULT_SETTINGS: dict[str, str] = {
    "application_name": "ujsx",
    "connect_timeout": "5",
    "client_encoding": "utf8",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
}
"""Defaults of an address (postgresql.org/docs/current/libpq-connect.html)."""


def parsed_address(address: str) -> dict[str, str]:
    """Return the settings of an address, with our own.

    Raises :class:`StoreError` without repeating the address, which may contain a password.
    """
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    given: dict[str, object] | None = None
    with suppress(ProgrammingError, UnicodeEncodeError, ValueError):
        given = dict(conninfo_to_dict(address))
    # An invalid port may be a password, in an address without a host.
    if given is None or not set(str(given.get("port", ""))) <= set("0123456789,"):
        raise StoreError(
            "this is not an address of a PostgreSQL database; write postgresql://USER@HOST:PORT/DATABASE,"
            " with what is not a letter or digit in it percent-encoded, and the password in PGPASSWORD or"
            " in a password file"
        )
    return {
        **DEFAULT_SETTINGS,
        **{name: str(value) for name, value in given.items() if value is not None},
    }


NAMED_BY = ("host", "hostaddr", "port", "dbname", "service", "options")
"""The parts of an address that identify a store, rather than its user or the connection."""


def address_identity(settings: dict[str, str]) -> str:
    """Return a digest of the store's identity in an address.

    >>> one = {"host": "db.example", "dbname": "hud"}
    >>> address_identity({**one, "user": "ann"}) == address_identity(one) != address_identity({**one, "dbname": "other"})
    True
    """
    parts = (f"{name}={settings.get(name, '')}" for name in NAMED_BY)
    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def shown_address(settings: dict[str, str]) -> str:
    """Return an address for messages: without a password, or anything that may be one.

    >>> shown_address({"user": "ann", "password": "secret", "host": "db.example", "dbname": "hud"})
    'postgresql://ann@db.example/hud'
    """
    user, host, port, name = (quote(settings.get(each, ""), safe=",") for each in SHOWN_SETTINGS)
    return f"postgresql://{user}{'@' if user else ''}{host}{':' if port else ''}{port}/{name}"


# The tables, and the rights of roles on them. Those in common with SQLite, and the triggers that guard
# them, are derived from its scripts.

NOW = "extract(epoch FROM clock_timestamp())::bigint"

TYPES: dict[str, str] = {"INTEGER": "bigint", "TEXT": 'text COLLATE "C"', "BLOB": "bytea"}
"""SQLite's column types, and PostgreSQL's."""

OWN_TYPES: dict[str, str] = {
    "format": "integer",
    "is_sent": "smallint",
    "is_done": "smallint",
    "errors": "text",
    "fields": "text",
    "number": "bigint GENERATED ALWAYS AS IDENTITY",
}
"""Columns with another type."""


def as_in_sqlite(scripts: str) -> str:
    r"""Return the tables in SQLite's scripts for PostgreSQL.

    >>> as_in_sqlite("CREATE TABLE hud_sweep (\n    number  INTEGER PRIMARY KEY AUTOINCREMENT\n) STRICT;")
    'CREATE TABLE hud_sweep (\n    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY\n);'
    """

    def column(found: re.Match[str]) -> str:
        name, kind = found.groups()
        return f"{name} {OWN_TYPES.get(name) or TYPES[kind]}"

    tables = re.findall(r"^CREATE TABLE .*?^\)", scripts, re.MULTILINE | re.DOTALL)
    text = "\n".join(f"{each};" for each in tables)
    text = re.sub(r" CHECK \(json_valid\(\w+\)\)| AUTOINCREMENT", "", text)
    text = re.sub(r"(\w+) +(INTEGER|TEXT|BLOB)\b", column, text)
    return text.replace("(unixepoch())", NOW)


TABLES = f"""
CREATE SEQUENCE hud_position MINVALUE 0 START 0;
SELECT setval('hud_position', 0);  -- as if 0 had been given: then last_value is what was given last

{as_in_sqlite(SQLITE_TABLES + DELIVERIES + OUTPUTS + ERASURES)}
ALTER TABLE hud_event ALTER position SET DEFAULT nextval('hud_position');
ALTER SEQUENCE hud_position OWNED BY hud_event.position;
CREATE INDEX hud_event_begins ON hud_event (position) WHERE version = 1;
CREATE INDEX hud_event_by_type ON hud_event (session_id, type) WHERE {IS_RARE};
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
"""

FUNCTIONS = """
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
"""

TRIGGERS = """
CREATE FUNCTION hud_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: %', TG_TABLE_NAME, TG_ARGV[0];
END
$$;

CREATE TRIGGER hud_archive_file_is_never_changed BEFORE UPDATE ON hud_archive_file
FOR EACH ROW EXECUTE FUNCTION hud_refuse('a file is never changed');

CREATE TRIGGER hud_tombstone_stays BEFORE UPDATE OR DELETE ON hud_tombstone
FOR EACH ROW EXECUTE FUNCTION hud_refuse('a tombstone stays');
"""

KEPT = ("hud_event", "hud_archive", "hud_archive_file", "hud_tombstone")
"""Tables that are never emptied."""

NEVER_EMPTIED = "".join(
    f"""
CREATE TRIGGER {table}_is_never_emptied BEFORE TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION hud_refuse('it is never emptied');"""
    for table in KEPT
)

OWN_GUARDS = """
CREATE TRIGGER hud_archive_file_is_never_deleted BEFORE DELETE ON hud_archive_file
WHEN EXISTS (SELECT 1 FROM hud_archive WHERE file = OLD.file)
BEGIN
    SELECT RAISE(ABORT, 'hud_archive_file is append-only: an archive needs this file');
END;
"""
"""The guard of a table that SQLite's store lacks, in the form of SQLite's."""

GUARD = re.compile(
    r"^CREATE TRIGGER (?P<name>\w+) BEFORE (?P<action>\w+) ON (?P<table>\w+)\s+WHEN (?P<refused>[^;]*?)\sBEGIN"
    r"\s+SELECT RAISE\(ABORT, (?P<why>'[^';]*')\);",
    re.MULTILINE,
)
"""A trigger in SQLite's scripts that refuses some rows. One that refuses all was replaced later."""


def guards_as_in_sqlite(scripts: str) -> str:
    """Return the triggers in SQLite's scripts that refuse rows for PostgreSQL: one for each table and action."""
    guards: dict[tuple[str, str], list[re.Match[str]]] = {}
    for found in GUARD.finditer(scripts):
        guards.setdefault((found["table"], found["action"]), []).append(found)
    return "".join(_guard(*of, guard) for of, guard in guards.items())


def _guard(table: str, action: str, guard: list[re.Match[str]]) -> str:
    function = f"{table}_check_{action.lower()}"
    checks = "".join(
        f"    IF {each['refused'].rstrip()} THEN\n        RAISE EXCEPTION {each['why']};\n    END IF;\n"
        for each in guard
    )
    checks = checks.replace("IS NOT (", "IS DISTINCT FROM (").replace("NOT is_done", "is_done = 0")
    return f"""
CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
{checks}    RETURN {"OLD" if action == "DELETE" else "NEW"};
END
$$;
CREATE TRIGGER {guard[0]["name"]} BEFORE {action} ON {table}
FOR EACH ROW EXECUTE FUNCTION {function}();
"""


GUARDS = guards_as_in_sqlite(SQLITE_TRIGGERS + ERASURES + OWN_GUARDS)

MIGRATIONS: tuple[str, ...] = (TABLES + FUNCTIONS + TRIGGERS + GUARDS + NEVER_EMPTIED,)
"""The migration from each layout to the next, from 0."""

LAYOUT = "CREATE TABLE hud_layout (layout integer NOT NULL)"
"""The table with the layout's number."""

OLDEST_SERVER = 13
"""The first major version with ``pg_current_xact_id`` and its ``pg_xact_status``."""

TABLE_NAMES: tuple[str, ...] = (
    "hud_event", "hud_archive", "hud_archive_file", "hud_snapshot", "hud_delivery", "hud_output",
    "hud_sweep", "hud_erasure", "hud_tombstone", "hud_search", "hud_searched", "hud_layout",
)  # fmt: skip
"""All tables of a store."""

APPENDED: frozenset[str] = frozenset({"hud_event"})
"""Tables to which a recording role may append, without changing rows."""

DERIVED: frozenset[str] = frozenset(
    {"hud_snapshot", "hud_delivery", "hud_output", "hud_sweep", "hud_search", "hud_searched"}
)
"""Tables that a recording role may change: derived from the log, or beside it."""


# Rights: the SQL that lets a role only record and read.

Work: TypeAlias = Literal["record", "read"]

LONGEST = 63
"""Bytes of a name in PostgreSQL (postgresql.org/docs/current/sql-syntax-lexical.html)."""


def role_script(role: str, work: Work = "record", schema: str = "public") -> str:
    """Return SQL that grants a role the rights for its work, to be run by the owner or a superuser.

    A recording role appends to the log, and the server refuses its changes and deletions there. It may
    change derived data and data beside the log. Archiving, purging, erasing and migrations are reserved for
    the tables' owner.

    >>> print(role_script("fleet", "read"))  # doctest: +ELLIPSIS
    -- Run it in the store's database, as the owner of its tables. The role is made with: CREATE ROLE "fleet" LOGIN
    GRANT USAGE ON SCHEMA "public" TO "fleet";
    ...
    GRANT SELECT ON SEQUENCE "public".hud_position TO "fleet";
    """
    name, place = _quoted(role), _quoted(schema)
    head = "-- Run it in the store's database, as the owner of its tables. The role is made with:"
    lines = [
        f"{head} CREATE ROLE {name} LOGIN",
        f"GRANT USAGE ON SCHEMA {place} TO {name};",
        *_on(place, TABLE_NAMES, "REVOKE ALL", f"FROM {name}"),
        *_on(place, TABLE_NAMES, "GRANT SELECT", f"TO {name}"),
        f"GRANT SELECT ON SEQUENCE {place}.hud_position TO {name};",
    ]
    if work == "record":
        lines += [
            *_on(place, APPENDED, "GRANT INSERT", f"TO {name}"),
            *_on(place, DERIVED, "GRANT INSERT, UPDATE, DELETE", f"TO {name}"),
            f"GRANT USAGE ON SEQUENCE {place}.hud_position TO {name};",
        ]
    return "\n".join(lines)


def _on(schema: str, tables: tuple[str, ...] | frozenset[str], verb: str, whom: str) -> list[str]:
    """Return a statement for our tables; others in the schema are not touched."""
    order = [table for table in TABLE_NAMES if table in tables]
    return [f"{verb} ON {', '.join(f'{schema}.{table}' for table in order)} {whom};"]


def _quoted(name: str) -> str:
    """Return a quoted name for SQL. Raises :class:`StoreError` for an invalid one."""
    if not name or "\0" in name or len(name.encode("utf-8", "replace")) > LONGEST:
        raise StoreError(f"a role or a schema has a name of 1 to {LONGEST} bytes, not {name!r}")
    return '"' + name.replace('"', '""') + '"'
