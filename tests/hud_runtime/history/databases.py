"""Databases as OpenCode makes them, of any of its versions, and as large as is wanted."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any

FIRST = """
CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL, vcs text, name text, icon_url text,
    time_created integer NOT NULL, time_updated integer NOT NULL, sandboxes text NOT NULL);
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text NOT NULL,
    directory text NOT NULL, title text NOT NULL, version text NOT NULL, share_url text, summary_additions integer,
    summary_deletions integer, summary_files integer, summary_diffs text, revert text, permission text,
    time_created integer NOT NULL, time_updated integer NOT NULL, time_compacting integer, time_archived integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
    time_updated integer NOT NULL, data text NOT NULL,
    FOREIGN KEY (session_id) REFERENCES session(id) ON DELETE CASCADE);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
    time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL,
    FOREIGN KEY (message_id) REFERENCES message(id) ON DELETE CASCADE);
CREATE TABLE todo (session_id text NOT NULL, content text NOT NULL, status text NOT NULL, priority text NOT NULL,
    position integer NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL,
    PRIMARY KEY (session_id, position));
CREATE INDEX message_session_idx ON message (session_id);
CREATE INDEX part_message_idx ON part (message_id);
CREATE INDEX part_session_idx ON part (session_id);
CREATE INDEX session_parent_idx ON session (parent_id);
"""
"""The tables of the first version that had a database, as far as anything of them is read."""

MIGRATIONS: dict[str, str] = {
    "20260127222353_familiar_lady_ursula": FIRST,
    "20260211171708_add_project_commands": "ALTER TABLE project ADD commands text;",
    "20260227213759_add_session_workspace_id": "ALTER TABLE session ADD workspace_id text;",
    "20260312043431_session_message_cursor": """
        DROP INDEX message_session_idx; DROP INDEX part_message_idx;
        CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
        CREATE INDEX part_message_id_id_idx ON part (message_id, id);""",
    "20260428004200_add_session_path": "ALTER TABLE session ADD path text;",
    "20260501142318_next_venus": "ALTER TABLE session ADD agent text; ALTER TABLE session ADD model text;",
    "20260510033149_session_usage": "".join(
        f"ALTER TABLE session ADD {name} DEFAULT 0 NOT NULL;"
        for name in (
            "cost real", "tokens_input integer", "tokens_output integer", "tokens_reasoning integer",
            "tokens_cache_read integer", "tokens_cache_write integer",
        )
    ),
    "20260511173437_session-metadata": "ALTER TABLE session ADD metadata text;",
    "20260603040000_session_message_projection_order": """
        CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL,
            seq integer NOT NULL, time_created integer NOT NULL, data text NOT NULL);""",
    "20260622202450_simplify_session_input": "",
}  # fmt: skip
"""What OpenCode's migrations do to these tables, in their order, by their names."""

NEWEST = [*MIGRATIONS][-1]

NOW = 1_760_000_000_000
"""The time of the first session, in milliseconds since the epoch."""


def made(path: Path, *, version: str = NEWEST, wal: bool = True) -> sqlite3.Connection:
    """Return a connection to an empty database of a version; who asks closes it."""
    db = sqlite3.connect(path)
    if wal:
        db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("CREATE TABLE migration (id text PRIMARY KEY, time_completed integer NOT NULL)")
    for name, script in MIGRATIONS.items():
        db.executescript(script)
        db.execute("INSERT INTO migration VALUES (?, 0)", (name,))
        if name == version:
            break
    insert(
        db,
        "project",
        id="p1",
        worktree="/srv/shop",
        name="shop",
        time_created=NOW,
        time_updated=NOW,
        sandboxes="[]",
    )
    db.commit()
    return db


@lru_cache(maxsize=8)
def columns(db: sqlite3.Connection, table: str) -> frozenset[str]:
    """Return the names of a table's columns, which stay what they are once a database is made."""
    return frozenset(row[1] for row in db.execute(f"PRAGMA table_info({table})"))


def insert(db: sqlite3.Connection, table: str, **values: object) -> None:
    """Insert a row; what the table has no column for is left out."""
    has = columns(db, table)
    given = {name: value for name, value in values.items() if name in has}
    names, marks = ", ".join(given), ", ".join("?" * len(given))
    db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", [*given.values()])


def session(db: sqlite3.Connection, name: str, title: str = "A session", **more: object) -> str:
    """Insert a session."""
    usual: dict[str, object] = {
        "project_id": "p1", "slug": f"slug-{name}", "directory": "/srv/shop", "version": "1.18.33",
        "time_created": NOW, "time_updated": NOW, "agent": "build",
        "model": json.dumps({"id": "claude-large", "providerID": "played"}), "cost": 0.5,
    }  # fmt: skip
    insert(db, "session", **{**usual, "id": name, "title": title, **more})
    return name


def message(
    db: sqlite3.Connection, owner: str, number: int, role: str, parts: Iterable[object], **data: Any
) -> str:
    """Insert a message with parts, which are data, or texts as they stand in the table."""
    name, at = f"msg_{owner}_{number:06}", NOW + 1_000 * number
    told = {"role": role, "time": {"created": at}, **data}
    insert(
        db,
        "message",
        id=name,
        session_id=owner,
        time_created=at,
        time_updated=at,
        data=json.dumps(told),
    )
    for place, part in enumerate(parts):
        text = part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)
        insert(
            db, "part", id=f"prt_{owner}_{number:06}_{place:03}", message_id=name, session_id=owner,
            time_created=at, time_updated=at, data=text,
        )  # fmt: skip
    return name


def said(text: str, **more: object) -> dict[str, object]:
    """A part that says something."""
    return {"type": "text", "text": text, **more}


def ran(
    tool: str, given: dict[str, object], output: str, *, status: str = "completed"
) -> dict[str, object]:
    """A part that is a call, and how it ended."""
    state: dict[str, object] = {"status": status, "input": given, "metadata": {}}
    state |= {"error" if status == "error" else "output": output}
    return {"type": "tool", "callID": "c1", "tool": tool, "state": state}


def answered(used: int, **more: object) -> dict[str, object]:
    """What a message of the model tells of itself."""
    tokens = {
        "total": used,
        "input": 2_000,
        "output": 100,
        "cache": {"read": used - 2_100, "write": 0},
    }
    return {"modelID": "claude-large", "tokens": tokens, **more}


def shop(db: sqlite3.Connection) -> None:
    """Insert a few sessions: a login that was compacted, its subagent, and another one."""
    session(db, "ses_login", "Add a login", time_updated=NOW + 9_000)
    message(db, "ses_login", 1, "user", [said("Add a login with *JWT*.\n\n| no | table |")])
    message(
        db, "ses_login", 2, "assistant",
        [
            {"type": "step-start"}, {"type": "reasoning", "text": "Where is the middleware?"},
            ran("bash", {"command": "pytest -q"}, "1 failed: test_login"), said("The test fails. `assert 0`"),
            {"type": "step-finish", "reason": "stop"},
        ],
        **answered(50_000),
    )  # fmt: skip
    message(
        db,
        "ses_login",
        3,
        "assistant",
        [ran("edit", {"filePath": "/srv/shop/login.py"}, "done")],
        **answered(60_000),
    )
    asked = message(
        db, "ses_login", 4, "user", [{"type": "compaction", "auto": True, "overflow": False}]
    )
    message(
        db, "ses_login", 5, "assistant", [said("# Goal\nA login with JWT.\n\n- the *test* fails")],
        summary=True, parentID=asked, mode="compaction", **answered(61_000),
    )  # fmt: skip
    message(db, "ses_login", 6, "user", [said("Now limit wrong attempts.")])
    message(db, "ses_login", 7, "assistant", [said("Five attempts an hour.")], **answered(20_000))
    insert(
        db, "todo", session_id="ses_login", content="Limit attempts", status="pending", priority="high",
        position=0, time_created=NOW, time_updated=NOW,
    )  # fmt: skip
    session(
        db,
        "ses_sub",
        "Look for it (@general subagent)",
        parent_id="ses_login",
        time_updated=NOW + 3_000,
    )
    message(db, "ses_sub", 1, "user", [said("Look for the middleware")])
    session(db, "ses_docs", "Write the docs", directory="/srv/shop/docs", time_updated=NOW + 5_000)
    message(db, "ses_docs", 1, "user", [said("Write the docs of the login")])
    message(db, "ses_docs", 2, "assistant", [ran("write", {"filePath": "/srv/shop/docs/login.md"}, "", status="error")],
            **answered(30_000, error={"name": "UnknownError", "data": {"message": "it broke"}}))  # fmt: skip
    db.commit()


def small(path: Path, **settings: Any) -> Path:
    """Make a database with the sessions of :func:`shop`."""
    with closing(made(path, **settings)) as db:
        shop(db)
    return path


def large(path: Path, messages: int, *, sessions: int = 10) -> Path:
    """Make a database of many messages, shared by some sessions."""
    with closing(made(path)) as db:
        for number in range(sessions):
            session(db, f"ses_{number:04}", f"Session {number}", time_updated=NOW + number)
        for number in range(messages):
            owner = f"ses_{number % sessions:04}"
            if number // sessions % 2:
                part = ran(
                    "bash",
                    {"command": f"make step-{number}"},
                    f"step {number} of the build is done",
                )
                message(
                    db,
                    owner,
                    number,
                    "assistant",
                    [part, said(f"Step {number} is done.")],
                    **answered(9_000),
                )
            else:
                message(
                    db,
                    owner,
                    number,
                    "user",
                    [said(f"Do step {number}, please, of the port {number % 97}.")],
                )
        db.commit()
    return path


def as_folder(database: Path, folder: Path) -> Path:
    """Write the sessions of a database as the folder of JSON files that came before it."""

    def put(place: str, value: object) -> None:
        path = folder / f"{place}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), "utf-8")

    with closing(sqlite3.connect(database)) as db:
        db.row_factory = sqlite3.Row
        for name, value in _files(db):
            put(name, value)
    return folder


def _files(db: sqlite3.Connection) -> Iterator[tuple[str, object]]:
    for row in db.execute("SELECT * FROM project"):
        yield (
            f"project/{row['id']}",
            {"id": row["id"], "worktree": row["worktree"], "time": {"created": NOW}},
        )
    for row in db.execute("SELECT * FROM session"):
        yield f"session/p1/{row['id']}", {
            "id": row["id"], "projectID": "p1", "parentID": row["parent_id"], "directory": row["directory"],
            "title": row["title"], "version": "0.6.4",
            "time": {"created": row["time_created"], "updated": row["time_updated"]},
        }  # fmt: skip
    for row in db.execute("SELECT * FROM message"):
        yield (
            f"message/{row['session_id']}/{row['id']}",
            json.loads(row["data"]) | {"id": row["id"], "sessionID": row["session_id"]},
        )
    for row in db.execute("SELECT * FROM part"):
        owner = {"id": row["id"], "messageID": row["message_id"], "sessionID": row["session_id"]}
        yield f"part/{row['message_id']}/{row['id']}", json.loads(row["data"]) | owner
    for row in db.execute("SELECT * FROM todo"):
        yield (
            f"todo/{row['session_id']}",
            [{each: row[each] for each in ("content", "status", "priority")}],
        )
