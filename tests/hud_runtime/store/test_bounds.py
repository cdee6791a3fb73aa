"""What a store holds is counted, and what grows has a bound."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import HudStore, SnapshotPolicy
from hud_runtime.log.store import BOUNDS, Figure, Snapshot, SqliteEventStore, StoredDelivery
from tests.hud_runtime.clock import Ticking
from tests.hud_runtime.store.contract import an_event
from tests.ids import looped


def figures(store: HudStore) -> dict[str, Figure]:
    return {each.kind: each for each in store.keeping.figures()}


class TestFigures:
    def test_count_rows_and_bytes_of_every_kind(self, tmp_path: Path) -> None:
        with HudStore.open(tmp_path / "hud.db", snapshots=SnapshotPolicy(every=5)) as store:
            session = store.session("s")
            for number in range(20):
                session.record("note.add", content=f"note {number}" * 50)
            session.record("compact.after", summary="so far")
            session.record("note.add", content="behind it")
            session.delivered(session.deliver().id)
            store.search("note")
            before = figures(store)
            assert before["events"].rows == 23
            assert before["events"].size > 20 * 300
            assert (before["snapshots"].rows, before["deliveries"].rows) == (5, 1)
            assert before["search index"].rows == 22
            assert before["search index"].size > before["events"].size // 2
            assert before["write-ahead log"].size > 0
            assert store.keeping.archive("s") == 21
            after = figures(store)
            assert (after["events"].rows, after["archive"].rows) == (2, 21)
            assert after["archive"].size == sum(
                path.stat().st_size for path in (tmp_path / "hud.db-archive").iterdir()
            )
            assert before.keys() | after.keys() <= set(BOUNDS)
            store.keeping.purge("s")
            left = figures(store)
            assert left.keys() <= {"tombstones", "write-ahead log", "search index"}

    def test_count_tables_that_they_do_not_know(self, tmp_path: Path) -> None:
        with HudStore.open(tmp_path / "hud.db") as store:
            database = store.keeping._sqlite("ask").parts.database
            with database.writing() as db:
                db.execute('CREATE TABLE hud_kept_things (session_id TEXT, "od d" TEXT, n INTEGER)')
                db.execute("INSERT INTO hud_kept_things VALUES ('s', 'é', 7)")
            one = figures(store)["kept things"]
            assert (one.rows, one.size, one.is_near) == (1, 4, False)

    def test_say_where_one_is_near_its_bound(self) -> None:
        bound = BOUNDS["events"]
        assert Figure("events", 1, bound.near, bound).is_near
        assert not Figure("events", 1, bound.near - 1, bound).is_near
        assert all(each.limit and each.advice for each in BOUNDS.values())


class TestSnapshots:
    def test_are_bounded_and_the_past_can_be_rebuilt(self, tmp_path: Path) -> None:
        with HudStore.open(tmp_path / "hud.db", snapshots=SnapshotPolicy(every=2)) as store:
            session = store.session("s")
            for number in range(120):
                session.record("note.add", content=f"note {number}")
            rows = store.keeping._sqlite("ask").parts.database.rows(
                "SELECT version FROM hud_snapshot ORDER BY version"
            )
            versions = [version for (version,) in rows]
            assert len(versions) == 16
            assert versions[-1] == 120
            gaps = [1 - a / b for a, b in pairwise(versions)]
            assert max(gaps) <= 1 / 2
            assert sum(versions) <= 6 * versions[-1]  # a state is as large as its session is long
            for version in (1, 2, 40, 77, 121):
                assert len(session.state(at=version).notes) == version - 1

    @given(st.sets(st.integers(1, 10_000), max_size=40))
    def test_the_newest_stays(self, versions: set[int]) -> None:
        with closing(SqliteEventStore(":memory:")) as store:
            store.append("s", 0, [an_event("s", 1)])
            for version in sorted(versions):
                store.save_snapshot(Snapshot("s", version, 0, "hud", 1, "{}"))
            found = [store.snapshot("s", "hud", 1, version) for version in versions]
        kept = {one.version for one in found if one is not None}
        assert len(kept) == min(len(versions), 16)
        assert max(kept, default=0) == max(versions, default=0)


def test_readers_are_bounded(tmp_path: Path) -> None:
    with HudStore.open(tmp_path / "hud.db", clock=Ticking()) as store:
        session = store.session("s")
        log = store._events
        one = StoredDelivery("s", "", "", is_sent=True, body="{}")
        for number in range(74):
            log.save_delivery(replace(one, reader=f"agent-{number}", id=f"{number:04}"))
        readers = {each.reader for each in log.deliveries("s")}
        assert readers == {f"agent-{number}" for number in range(10, 74)}
        # Who was forgotten is told everything again.
        session.record("note.add", content="Port 8080")
        assert "Port 8080" in session.deliver(reader="agent-0").text


@looped("age", [0, 10**15])
def test_unused_sessions_are_told_by_their_age(age: int) -> None:
    with HudStore.open(":memory:") as store:
        store.session("s", project="shop")
        store.project("shop")
        assert store.keeping.unused_for(age, now=2**45) == (("s",) if not age else ())
