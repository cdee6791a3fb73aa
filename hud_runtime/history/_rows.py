"""The rows of OpenCode's database as records; and the queries for them, over views of fixed names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hud_runtime.history._records import PastMessage, PastPart, PastSession
from hud_runtime.observation._json import Record, mapping, prose, string, whole
from hud_runtime.transcripts._json_text import loaded

if TYPE_CHECKING:
    from sqlite3 import Connection

LONGEST_PART = 4_000_000
"""Characters of a message or a part that are read; of a longer one no more than its length is told."""

MOST_PARTS = 500
"""Parts of a message that are read at most."""

ANY = 2**62
"""A number above all limits."""

SESSIONS = (
    "SELECT s.*, p.worktree AS worktree,"
    " (SELECT count(*) FROM past_message m WHERE m.session = s.id) AS messages"
    " FROM past_session s LEFT JOIN past_project p ON p.id = s.project"
)
MESSAGES = (
    "SELECT id, session, created, length(data) AS length,"
    " CASE WHEN length(data) <= :longest THEN data END AS data FROM past_message"
)
IN_ORDER = " ORDER BY created, id"
PARTS = (
    "SELECT id, length(data) AS length, CASE WHEN length(data) <= :longest THEN data END AS data"
    " FROM past_part WHERE message = :message ORDER BY id LIMIT :limit"
)


def record_in(text: object) -> Record:
    """Return the JSON object that a column holds; an empty one for what is none."""
    try:
        return mapping(loaded(text.encode("utf-8", "replace"))) if isinstance(text, str) else {}
    except (ValueError, RecursionError):
        return {}


def session_of(row: Mapping[str, Any]) -> PastSession:
    """Return the session that a row tells of."""
    model = record_in(row["model"])
    cost = row["cost"]
    return PastSession(
        id=str(row["id"]),
        title=prose(row["title"]),
        project=string(row["directory"]) or string(row["worktree"]) or "",
        created=whole(row["created"]),
        updated=whole(row["updated"]),
        messages=row["messages"],
        parent=string(row["parent"]),
        agent=string(row["agent"]),
        model=string(model.get("id")) or string(model.get("modelID")),
        cost=cost if isinstance(cost, int | float) else None,
        version=string(row["version"]),
    )


def about_of(row: Mapping[str, Any], number: int = 0) -> PastMessage:
    """Return the message that a row tells of, without its parts."""
    data = record_in(row["data"])
    created = row["created"] if isinstance(row["created"], int) else 0
    role = string(data.get("role")) or "unknown"
    return PastMessage(str(row["id"]), str(row["session"]), number, role, created, data=data)


def message_of(
    db: Connection, row: Mapping[str, Any], number: int, *, whole: bool = False
) -> PastMessage:
    """Return the message that a row tells of, with its parts."""
    about = about_of(row, number)
    given = {
        "message": about.id, "limit": ANY if whole else MOST_PARTS, "longest": ANY if whole else LONGEST_PART
    }  # fmt: skip
    parts = tuple(map(part_of, db.execute(PARTS, given)))
    left_out = 0
    if len(parts) == MOST_PARTS and not whole:
        query = "SELECT count(*) FROM past_part WHERE message = ?"
        left_out = db.execute(query, (about.id,)).fetchone()[0] - MOST_PARTS
    return PastMessage(
        about.id, about.session, number, about.role, about.created, parts, about.data, left_out
    )


def part_of(row: Mapping[str, Any]) -> PastPart:
    """Return the part that a row tells of."""
    data = record_in(row["data"])
    kind = string(data.get("type")) or ("too long" if row["data"] is None else "unreadable")
    return PastPart(str(row["id"]), kind, data, whole(row["length"]))
