"""What every event store must do, as a class of tests to inherit from."""

from __future__ import annotations

import pytest

from hud_runtime._errors import ConcurrencyError, StoreError
from hud_runtime.events import Event, read_event
from hud_runtime.store import At, EventStore, Head, Snapshot


def an_event(session_id: str, version: int, *, turn: int = 0, timestamp: int = 0) -> Event:
    """Return an event with this place in its session."""
    return read_event(
        {
            "id": f"{session_id}/{version}",
            "session_id": session_id,
            "version": version,
            "turn": turn,
            "timestamp": timestamp,
            "actor": "agent",
            "type": "note.add",
            "payload": {"content": f"note {version}", "id": f"n-{version}"},
        }
    )


class EventStoreContract:
    """Inherit, and say in a fixture ``store`` how an empty store is made.

    ::

        class TestMyStore(EventStoreContract):
            @pytest.fixture
            def store(self):
                return MyStore()
    """

    def test_what_is_appended_is_read_in_order(self, store: EventStore) -> None:
        events = [an_event("s", version) for version in (1, 2, 3)]
        store.append("s", 0, events[:2])
        store.append("s", 2, events[2:])
        assert list(store.read("s")) == events

    def test_a_range_is_read_without_its_first_version(self, store: EventStore) -> None:
        store.append("s", 0, [an_event("s", version) for version in (1, 2, 3, 4)])
        assert [event.version for event in store.read("s", after=1, up_to=3)] == [2, 3]

    def test_an_append_to_another_version_changes_nothing(self, store: EventStore) -> None:
        store.append("s", 0, [an_event("s", 1)])
        with pytest.raises(ConcurrencyError, match="is at version 1, not 0") as caught:
            store.append("s", 0, [an_event("s", 1)])
        assert (caught.value.expected, caught.value.actual) == (0, 1)
        assert store.head("s") == Head(1, 0)

    def test_an_append_is_whole_or_not_at_all(self, store: EventStore) -> None:
        with pytest.raises(StoreError):
            store.append("s", 0, [an_event("s", 1), an_event("s", 3)])
        assert list(store.read("s")) == []

    def test_sessions_do_not_see_each_other(self, store: EventStore) -> None:
        store.append("b", 0, [an_event("b", 1, turn=4)])
        store.append("a", 0, [an_event("a", 1)])
        assert store.sessions() == ("b", "a")
        assert [event.session_id for event in store.read("a")] == ["a"]
        assert store.head("b") == Head(1, 4)

    def test_all_events_come_in_the_order_of_their_appending(self, store: EventStore) -> None:
        store.append("b", 0, [an_event("b", 1)])
        store.append("a", 0, [an_event("a", 1)])
        store.append("b", 1, [an_event("b", 2)])
        found = list(store.read_all())
        assert [event.id for _, event in found] == ["b/1", "a/1", "b/2"]
        assert list(store.read_all(after=found[0][0])) == found[1:]

    @pytest.mark.parametrize(
        ("at", "version"),
        [
            (At.version(2), 2),
            (At.version(99), 4),
            (At.version(-1), 0),
            (At.turn(0), 0),
            (At.turn(1), 2),
            (At.turn(2), 4),
            (At.time(10), 1),
            (At.time(25), 2),
        ],
    )
    def test_a_moment_ends_before_the_first_later_event(
        self, store: EventStore, at: At, version: int
    ) -> None:
        turns = (1, 1, 2, 1)
        events = [
            an_event("s", place, turn=turn, timestamp=place * 10)
            for place, turn in enumerate(turns, start=1)
        ]
        store.append("s", 0, events)
        assert store.version_at("s", at) == version

    def test_the_newest_fitting_snapshot_is_found(self, store: EventStore) -> None:
        store.append("s", 0, [an_event("s", version) for version in (1, 2, 3)])
        old, new = Snapshot("s", 1, 1, "{}"), Snapshot("s", 3, 1, "{}")
        for snapshot in (old, new, Snapshot("s", 2, 2, "{}")):
            store.save_snapshot(snapshot)
        assert store.snapshot("s", 1, 3) == new
        assert store.snapshot("s", 1, 2) == old
        assert store.snapshot("s", 1, 0) is None

    def test_a_purged_session_is_gone_and_stays_gone(self, store: EventStore) -> None:
        store.append("s", 0, [an_event("s", 1), an_event("s", 2)])
        store.append("t", 0, [an_event("t", 1)])
        store.save_snapshot(Snapshot("s", 2, 1, "{}"))
        assert store.purge("s") == 2
        assert store.sessions() == ("t",)
        assert store.snapshot("s", 1, 9) is None
        with pytest.raises(StoreError, match="purged"):
            store.append("s", 0, [an_event("s", 1)])

    @pytest.mark.parametrize(
        "name", ["'; DROP TABLE hud_event; --", "../../x", "日本", "%", "a\0b"]
    )
    def test_no_name_is_more_than_a_name(self, store: EventStore, name: str) -> None:
        store.append(name, 0, [an_event(name, 1)])
        assert store.sessions() == (name,)
        assert store.purge(name) == 1

    def test_a_sound_store_has_no_damage(self, store: EventStore) -> None:
        store.append("s", 0, [an_event("s", 1)])
        assert store.verify() == ()

    def test_closing_twice_is_no_error(self, store: EventStore) -> None:
        store.close()
        store.close()
