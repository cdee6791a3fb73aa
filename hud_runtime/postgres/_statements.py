"""The statements that PostgreSQL says in words of its own."""

from __future__ import annotations

from hud_runtime.store._engine import Statements
from hud_runtime.store._rows import COLUMNS
from hud_runtime.store._schema import IS_RARE, OF_SESSION, PURGED

_OF_TYPES = (
    f"SELECT {COLUMNS}, digest FROM hud_event WHERE {OF_SESSION} AND version > ?"
    " AND version <= ? AND type = ANY(?) ORDER BY version LIMIT ?"
)

POSTGRES = Statements(
    append="SELECT hud_append_row(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    of_types=_OF_TYPES,
    of_rare_types=_OF_TYPES.replace("AND type", f"AND {IS_RARE} AND type"),
    known_ids=f"SELECT id FROM hud_event WHERE id = ANY(?) AND session_id NOT IN ({PURGED})",
    add_erasure=(
        "INSERT INTO hud_erasure (session_id, version, recorded_at, fields) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (session_id, version) DO UPDATE SET recorded_at = excluded.recorded_at,"
        " fields = excluded.fields, is_done = 0,"
        " erased_at = extract(epoch FROM clock_timestamp())::bigint"
    ),
    last_used=(
        "SELECT DISTINCT ON (session_id) session_id, greatest(timestamp, 1000 * created_at)"
        f" FROM hud_event WHERE session_id NOT IN ({PURGED}) ORDER BY session_id, version DESC"
    ),
)

APPEND = "SELECT hud_append(?, ?, ?, ?)"
"""Appends events, given as JSON; see ``_schema.FUNCTIONS``."""

LOCK = "SELECT pg_advisory_xact_lock(hud_key(?, ?))"
"""Waits for a lock, which is held until the transaction ends."""

OWN_NUMBER = "SELECT pg_current_xact_id_if_assigned()::text"
"""The number of the transaction, by which the server tells later what became of it; null where nothing was written."""

IS_THERE = "SELECT 1 FROM hud_event WHERE session_id = %s AND version = %s AND id = %s"
"""Finds an event by its place and its id."""

HOLDERS = """
SELECT pid, application_name, extract(epoch FROM clock_timestamp() - xact_start)
FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND granted AND objsubid = 1
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND ((classid::bigint << 32) | objid::bigint) = hud_key(?, ?)
"""
"""Who holds a lock."""
