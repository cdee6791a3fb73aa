"""Rights: the SQL that lets a role record and read, and nothing else."""

from __future__ import annotations

from typing import Literal, TypeAlias

from hud_runtime._errors import StoreError
from hud_runtime.postgres._schema import APPENDED, DERIVED, TABLE_NAMES

Work: TypeAlias = Literal["record", "read"]

LONGEST = 63
"""Bytes of a name in PostgreSQL (postgresql.org/docs/current/sql-syntax-lexical.html)."""


def role_script(role: str, work: Work = "record", schema: str = "public") -> str:
    """Return SQL that gives a role what it needs for its work; its owner, or a superuser, runs it.

    A role that records appends to the log and cannot change or delete what is there: the server refuses it,
    whatever asks. What is made of the log, and what stands beside it, it writes over. Archiving, purging,
    erasing and new layouts are left to the owner of the tables.

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
    """Return a statement for tables of ours; others of the schema are none of our business."""
    order = [table for table in TABLE_NAMES if table in tables]
    return [f"{verb} ON {', '.join(f'{schema}.{table}' for table in order)} {whom};"]


def _quoted(name: str) -> str:
    """Return a name as SQL takes it, whatever is in it. Raises :class:`StoreError` for none."""
    if not name or "\0" in name or len(name.encode("utf-8", "replace")) > LONGEST:
        raise StoreError(f"a role or a schema has a name of 1 to {LONGEST} bytes, not {name!r}")
    return '"' + name.replace('"', '""') + '"'
