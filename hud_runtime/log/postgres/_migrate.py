"""The tables of a store are made, or brought up to date, by one process while the others wait."""

from __future__ import annotations

from hud_runtime._errors import StoreError, StoreVersionError
from hud_runtime.log.postgres._connections import Connections, Link
from hud_runtime.log.postgres._schema import LAYOUT, MIGRATIONS, OLDEST_SERVER

ALONE = "SELECT pg_advisory_xact_lock(hashtextextended('layout of ujsx', 0))"
"""One at a time makes tables in a database."""

# By a query of the catalog, which sees what another process has made a moment ago: to_regclass may not.
IS_THERE = (
    "SELECT EXISTS (SELECT FROM pg_catalog.pg_class WHERE relname = 'hud_layout' AND relkind = 'r'"
    " AND pg_table_is_visible(oid))"
)


def migrate(link: Link, connections: Connections, *, read_only: bool) -> int:
    """Bring a database's tables to the newest layout, and return it.

    :param read_only: then nothing is made.

    Raises :class:`StoreVersionError` for a newer layout, or for an older one that may only be read;
    :class:`StoreError` for a server that will not do.
    """
    place = connections.place
    if link.info.server_version < 10_000 * OLDEST_SERVER:
        raise StoreError(
            f"{place}: this is PostgreSQL {link.info.server_version // 10_000}; the store needs"
            f" {OLDEST_SERVER}"
        )
    [(encoding,)] = link.execute("SELECT current_setting('server_encoding')").fetchall()
    if encoding != "UTF8":
        raise StoreError(
            f"{place}: the database's encoding is {encoding}, and texts of agents need UTF8; make it"
            " with createdb --encoding=UTF8 --template=template0"
        )
    layout = _layout(link)
    if layout < len(MIGRATIONS) and not read_only:
        with link.transaction():
            link.execute(ALONE)
            layout = _layout(link)
            _make(link, layout)
            layout = max(layout, len(MIGRATIONS))
    if layout > len(MIGRATIONS):
        raise StoreVersionError(
            f"{place}: its tables have layout {layout}, this library knows up to {len(MIGRATIONS)}:"
            " update ujsx"
        )
    if layout == 0:
        raise StoreError(f"{place}: there is no store in this database yet; record something")
    if layout < len(MIGRATIONS):
        raise StoreVersionError(f"{place}: its tables have layout {layout}; open it once to write")
    return layout


def _layout(link: Link) -> int:
    if link.execute(IS_THERE).fetchall() == [(False,)]:
        return 0
    [(layout,)] = link.execute("SELECT layout FROM hud_layout").fetchall()
    return int(str(layout))


def _make(link: Link, layout: int) -> None:
    if layout == 0:
        link.execute(LAYOUT)
        link.execute("INSERT INTO hud_layout VALUES (0)")
    for number, script in enumerate(MIGRATIONS[layout:], layout + 1):
        link.execute(script.encode())
        link.execute("UPDATE hud_layout SET layout = %s", (number,))
