"""The statements that SQLite says in words of its own."""

from __future__ import annotations

from hud_runtime.store._engine import Statements
from hud_runtime.store._rows import COLUMNS
from hud_runtime.store._schema import IS_RARE, OF_SESSION, PURGED

_OF_TYPES = (
    f"SELECT {COLUMNS}, digest FROM hud_event WHERE {OF_SESSION} AND version > ?"
    " AND version <= ? AND type IN (SELECT value FROM json_each(?))"
    " ORDER BY version LIMIT ?"
)

SQLITE = Statements(
    append=(
        f"INSERT INTO hud_event (position, {COLUMNS}, digest) VALUES (1 + max("
        "coalesce((SELECT max(position) FROM hud_event), 0),"
        " coalesce((SELECT max(position) FROM hud_tombstone), 0)), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    ),
    of_types=_OF_TYPES,
    # With a plus, a column is none that SQLite would look up by: else it goes through all versions.
    of_rare_types=(
        _OF_TYPES.replace("version >", "+version >")
        .replace("version <=", f"{IS_RARE} AND +version <=")
        .replace("BY version", "BY +version")
    ),
    known_ids=(
        "SELECT id FROM hud_event WHERE id IN (SELECT value FROM json_each(?))"
        f" AND session_id NOT IN ({PURGED})"
    ),
    add_erasure=(
        "INSERT INTO hud_erasure (session_id, version, recorded_at, fields) VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET recorded_at = excluded.recorded_at, fields = excluded.fields,"
        " erased_at = unixepoch(), is_done = 0"
    ),
    last_used=(
        "SELECT session_id, max(timestamp, 1000 * created_at), max(version) FROM hud_event"
        f" WHERE session_id NOT IN ({PURGED}) GROUP BY session_id"
    ),
)
