"""A store knows which sessions were purged: their ids are not used again."""

from __future__ import annotations

from hud_runtime import HudStore
from hud_runtime.log.store import SqliteEventStore


def test_a_session_is_purged_when_it_was_and_not_before() -> None:
    log = SqliteEventStore(":memory:")
    with HudStore(log) as store:
        store.session("s")
        store.session("t")
        assert not log.is_purged("s")
        store.keeping.purge("s")
        assert [log.is_purged(each) for each in ("s", "t", "nobody")] == [True, False, False]
