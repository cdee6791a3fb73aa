"""The log in a PostgreSQL database, for agents on many machines. It needs ``ujsx[postgres]``.

In: an address, ``postgresql://user@host/database``. Out: an event store, as SQLite's is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.log.postgres._schema import role_script
    from hud_runtime.log.postgres._store import PostgresEventStore

__all__ = ["PostgresEventStore", "role_script"]

on_demand(globals())
