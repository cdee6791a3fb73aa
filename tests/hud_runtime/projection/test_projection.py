"""Other projections: folds of one's own over the same log, with snapshots like the HUD's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import ContextUsage, HudState
from hud_runtime import (
    At,
    Codec,
    Event,
    EventDraft,
    HudStore,
    Projection,
    ProjectionError,
    ProjectionRegistry,
    SnapshotPolicy,
    state_of,
)
from hud_runtime.log.projection import HUD
from hud_runtime.log.store import Snapshot
from tests.hud_runtime.clock import Ticking
from tests.hud_runtime.drafts import event_drafts
from tests.hud_runtime.store.list_store import ListEventStore

Counts = Mapping[str, int]


def count(counts: Counts, event: Event) -> Counts:
    return MappingProxyType({**counts, event.type: counts.get(event.type, 0) + 1})


def dump(counts: Counts) -> str:
    return json.dumps(dict(counts))


COUNTS: Projection[Counts] = Projection(
    "counts", MappingProxyType({}), count, codec=Codec(dump, json.loads)
)
"""How many events there are of each type."""

OFTEN = SnapshotPolicy(every=3)


class TestProjection:
    def test_is_asked_for_by_name_or_as_it_is(self) -> None:
        with HudStore.open(":memory:", projections=[COUNTS]) as store:
            session = store.session("s")
            session.record("task.clear")
            assert store.options.projections.names() == ("hud", "counts")
            assert session.projected("counts") == {"session.start": 1, "task.clear": 1}
            assert session.projected(COUNTS, at=1) == {"session.start": 1}
            assert session.projected("hud") is session.state()

    def test_follows_what_is_recorded(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            for number in range(1, 5):
                session.record("note.add", content=f"{number}", turn=number)
                assert session.projected(COUNTS)["note.add"] == number
            assert session.projected(COUNTS, at=At.turn(2))["note.add"] == 2

    def test_with_the_name_of_another_is_another(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            session.projected(COUNTS)
            other: Projection[int] = Projection("counts", 0, lambda total, _: total + 1, revision=2)
            assert session.projected(other) == 1

    @given(drafts=st.lists(event_drafts, max_size=25), cut=st.integers(0, 25))
    def test_from_snapshots_and_an_archive_is_the_fold_of_all(
        self, drafts: list[EventDraft], cut: int
    ) -> None:
        with HudStore.open(":memory:", clock=Ticking(), snapshots=OFTEN) as store:
            session = store.session("s")
            for number, draft in enumerate(drafts):
                session.record_all([draft], refused=lambda *_: None)
                session.projected(COUNTS)
                if number == cut:
                    store.keeping.archive("s")
            store.keeping.archive("s")
            again = HudStore(store._events, snapshots=OFTEN).session("s")
            events = tuple(session.events())
            assert dict(again.projected(COUNTS)) == dict(fold_counts(events))
            assert again.state() == session.state() == state_of(events)
            for version in range(len(events) + 1):
                assert again.state(at=version) == state_of(events[:version])
                assert dict(again.projected(COUNTS, at=version)) == dict(
                    fold_counts(events[:version])
                )


def fold_counts(events: tuple[Event, ...]) -> Counts:
    counts = COUNTS.initial
    for event in events:
        counts = count(counts, event)
    return counts


class TestSnapshots:
    def test_spare_a_cold_session_the_replay(self) -> None:
        events = ListEventStore()
        session = HudStore(events, snapshots=OFTEN).session("s")
        for number in range(20):
            session.record("note.add", content=f"{number}")
        seen: list[int] = []

        def watched(counts: Counts, event: Event) -> Counts:
            seen.append(event.version)
            return count(counts, event)

        watching = Projection("counts", COUNTS.initial, watched, codec=COUNTS.codec)
        session.projected(COUNTS)
        assert HudStore(events).session("s").projected(watching)["note.add"] == 20
        assert seen == []

    def test_of_an_older_revision_are_not_used(self) -> None:
        events = ListEventStore()
        session = HudStore(events, snapshots=SnapshotPolicy(every=1)).session("s")
        assert session.projected(COUNTS) == {"session.start": 1}
        newer = Projection("counts", COUNTS.initial, lambda _, event: {"new": event.version},
                           revision=2, codec=COUNTS.codec)  # fmt: skip
        assert HudStore(events).session("s").projected(newer) == {"new": 1}

    def test_of_the_hud_that_an_older_fold_made_are_not_used(self) -> None:
        events = ListEventStore()
        HudStore(events).session("s").record("compact.after", summary="so far")
        stale = HudState(usage=ContextUsage(used=190_000))
        events.save_snapshot(
            Snapshot("s", 2, 0, HUD.name, HUD.revision - 1, stale.model_dump_json())
        )
        assert HudStore(events).session("s").state().usage is None

    def test_of_a_former_revision_stand_in_for_events_that_are_lost(self, tmp_path: Path) -> None:
        path, [*_, former] = tmp_path / "hud.db", HUD.former_revisions
        with HudStore.open(path) as store:
            session = store.session("s")
            session.record("note.add", content="Port 8080")
            session.record("note.add", content="Port 9090")
            state = session.state(2).model_dump_json()
            store._events.save_snapshot(Snapshot("s", 2, 0, HUD.name, former, state))
        said = b'{"content":"Port 8080","id":"n-2"}'
        path.write_bytes(path.read_bytes().replace(said, said.replace(b"8080", b"8X80")))
        assert [one.missing for one in HudStore.repair(path).lost]
        with HudStore.open(path) as store:
            said = [note.content for note in store.session("s").state().notes]
        assert said == ["Port 8080", "Port 9090"]

    def test_that_cannot_be_read_are_passed_over(self) -> None:
        events = ListEventStore()
        HudStore(events).session("s").record("note.add", content="a")
        strange = Snapshot("s", 2, 0, HUD.name, HUD.revision, '{"from": "another version"}')
        events.save_snapshot(strange)
        assert len(HudStore(events).session("s").state().notes) == 1

    def test_are_taken_after_a_compaction(self) -> None:
        events = ListEventStore()
        session = HudStore(events).session("s")
        session.record("compact.after", summary="so far")
        saved = events.snapshot("s", HUD.name, HUD.revision, 99)
        assert saved is not None
        assert saved.version == 2


class TestRegistry:
    def test_refuses_a_name_twice(self) -> None:
        with pytest.raises(ProjectionError, match='the projection "counts" is there'):
            ProjectionRegistry(COUNTS, Projection("counts", 0, lambda total, _: total))

    def test_takes_the_same_one_twice(self) -> None:
        assert ProjectionRegistry(COUNTS, COUNTS).names() == ("counts",)

    def test_names_the_nearest(self) -> None:
        with (
            HudStore.open(":memory:", projections=[COUNTS]) as store,
            pytest.raises(ProjectionError, match='there is no projection "count"; did you mean'),
        ):
            store.session("s").projected("count")
