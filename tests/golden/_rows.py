"""Stored rows and tables as text, from SQLite and from PostgreSQL."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from typing import Any

from tests.golden._texts import Texts

TIMES_OF_THE_DATABASE = "unixepoch", "clock_timestamp"
"""Functions in the defaults of columns that the golden clock does not reach."""

Tables = Mapping[str, Iterable[tuple[str, str | None]]]
"""Tables with their columns, each with its default."""

BREAKS = re.compile(r"""(\\n)+|,(?=["{[])""")
"""Where JSON text is broken into lines, so that a difference is not one long line."""

IN_POSTGRES = "tables in PostgreSQL", "rows in PostgreSQL"


def in_lines(text: str) -> str:
    """Return JSON text with a line for each key, item and line of a text; other text as it is."""
    return BREAKS.sub(r"\g<0>\n", text) if text[:1] in {"{", "["} else text


def sqlite(texts: Texts, group: str, path: str) -> None:
    """Add the tables and rows of a store's file."""
    with closing(sqlite3.connect(path)) as db:
        made = db.execute(
            "SELECT name, sql FROM sqlite_master WHERE sql > '' ORDER BY name"
        ).fetchall()
        # FTS5 adds tables to each virtual one, in a layout that is SQLite's.
        virtual = tuple(f"{name}_" for name, sql in made if sql.startswith("CREATE VIRTUAL"))
        made = [(name, sql) for name, sql in made if not name.startswith(virtual)]
        for name in ("application_id", "user_version"):
            texts.add("tables", group, name, repr, db.execute(f"PRAGMA {name}").fetchone())
        for name, sql in made:
            texts.add("tables", group, name, str, sql)
        tables = {
            name: [(each[1], each[4]) for each in db.execute(f"PRAGMA table_info({name})")]
            for name, sql in made
            if sql.startswith("CREATE TABLE")
        }
        _add_rows(texts, "rows", group, tables, db)


TABLES_OF_POSTGRES = {
    "column": """
        SELECT table_name || '.' || column_name, concat_ws(' ', data_type, collation_name,
            CASE is_nullable WHEN 'NO' THEN 'NOT NULL' END, 'DEFAULT ' || column_default)
        FROM information_schema.columns WHERE table_schema = current_schema()""",
    "constraint": """
        SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = current_schema()::regnamespace AND contype <> 'n'""",
    "index": "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()",
    "function": "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = current_schema()::regnamespace",
    "trigger": """
        SELECT tgname, pg_get_triggerdef(pg_trigger.oid) FROM pg_trigger JOIN pg_class ON tgrelid = pg_class.oid
        WHERE relnamespace = current_schema()::regnamespace AND NOT tgisinternal""",
}  # fmt: skip
"""What the catalog tells of tables, as a name and a text."""


def postgres(texts: Texts, group: str, address: str) -> None:
    """Add the tables and rows of a store in a PostgreSQL server."""
    import psycopg

    with psycopg.connect(address) as db:
        schema = db.execute("SELECT current_schema()").fetchone()
        for kind, query in TABLES_OF_POSTGRES.items():
            for name, text in sorted(db.execute(query).fetchall()):
                texts.add(
                    "tables in PostgreSQL",
                    group,
                    f"{kind} {name}",
                    text.replace,
                    f"{schema[0]}.",
                    "",
                )
        columns = db.execute(
            "SELECT table_name, array_agg(ARRAY[column_name, column_default] ORDER BY ordinal_position)"
            " FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)"
            " WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' GROUP BY 1 ORDER BY 1"
        ).fetchall()
        # What is searched for is stored as the server's version cuts it into words.
        tables = {table: each for table, each in columns if "search" not in table}
        _add_rows(texts, "rows in PostgreSQL", group, tables, db)


def _add_rows(texts: Texts, topic: str, group: str, tables: Tables, db: Any) -> None:
    for table, columns in tables.items():
        names = [name for name, default in columns
                 if not any(word in (default or "") for word in TIMES_OF_THE_DATABASE)]  # fmt: skip
        query = f"SELECT {', '.join(names)} FROM {table} ORDER BY {', '.join(names[:4])}"
        for row in db.execute(query).fetchall():
            told = dict(zip(names, row, strict=True))
            texts.add(topic, str(told.get("session_id", group)), table, _row, told)


def _row(told: dict[str, Any]) -> str:
    return "\n".join(f"{name}: {_value(value)}" for name, value in told.items())


def _value(value: Any) -> str:
    if isinstance(value, bytes):
        return value.hex()
    return in_lines(value) if isinstance(value, str) else repr(value)


@contextmanager
def postgres_server(texts: Texts) -> Iterator[Any]:
    """Start a PostgreSQL server; where there is none, give None, and say which topics are skipped."""
    server, reason = None, ""
    with ExitStack() as stack:
        with texts.errors("rows in PostgreSQL", "the server"):
            try:
                import pytest  # it says where there is no server

                from tests.hud_runtime.postgres.servers import serving

                server = stack.enter_context(serving())
            except ImportError as error:
                reason = str(error)
            except pytest.skip.Exception as skipped:
                reason = str(skipped)
        if reason:
            texts.skipped |= dict.fromkeys(IN_POSTGRES, reason)
        yield server
