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
from hud_runtime.log.store._rows import MIGRATIONS as SQLITE_MIGRATIONS
from hud_runtime.log.store._rows import data_file

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


SQLITE = "".join(SQLITE_MIGRATIONS)

TABLES = data_file("postgres.sql").replace("-- The tables of SQLite.", as_in_sqlite(SQLITE))

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


MIGRATIONS: tuple[str, ...] = (TABLES + guards_as_in_sqlite(SQLITE),)
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
