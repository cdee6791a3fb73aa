"""The contract of an event store, as a class of tests to inherit from."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import replace

import pytest

from hud_runtime import ConcurrencyError, SearchError, StoreError
from hud_runtime.log.events import Event, read_event
from hud_runtime.log.store import (
    At,
    EventStore,
    Head,
    Hit,
    Snapshot,
    StoredDelivery,
    StoredOutput,
    SweepRules,
)


def an_event(
    session_id: str,
    version: int,
    *,
    turn: int = 0,
    timestamp: int = 0,
    content: str | None = None,
) -> Event:
    """Return an event with this place in its session: a note."""
    return read_event(
        {
            "id": f"{session_id}/{version}",
            "session_id": session_id,
            "version": version,
            "turn": turn,
            "timestamp": timestamp,
            "actor": "agent",
            "type": "note.add",
            "payload": {"content": content or f"note {version}", "id": f"n-{version}"},
        }
    )


def say(store: EventStore, session_id: str, *contents: str) -> None:
    """Begin a session with notes."""
    store.append(
        session_id,
        0,
        [
            an_event(session_id, version, content=content)
            for version, content in enumerate(contents, start=1)
        ],
    )


def an_output(name: str, text: str, *, session: str = "s", at: int = 0) -> StoredOutput:
    """Return a tool's output to keep."""
    return StoredOutput(session, name, "Bash", "normal", 1, at, 1, len(text), text)


def a_compaction(session_id: str, version: int) -> Event:
    """Return an event with this place in its session: the end of a compaction."""
    event = an_event(session_id, version, timestamp=version, turn=version // 3)
    data = {"type": "compact.after", "payload": {"summary": f"what was said before {version}"}}
    return read_event(event.model_dump() | data)


def a_long_session(session_id: str, *compactions: int, events: int = 12) -> list[Event]:
    """Return a session's events; at these versions it is compacted, elsewhere there are notes."""
    return [
        a_compaction(session_id, version)
        if version in compactions
        else an_event(session_id, version, timestamp=version, turn=version // 3)
        for version in range(1, events + 1)
    ]


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
        assert len(list(store.read("s", -(2**70), 2**70))) == 4
        assert [*store.read("s", 2**70), *store.read("s", 3, 2), *store.read_all(2**70)] == []

    def test_events_of_some_types_are_read_wherever_they_lie(self, store: EventStore) -> None:
        events = a_long_session("s", 4, 8)
        store.append("s", 0, events)
        store.archive("s")
        compactions = list(store.read("s", types=["compact.after"]))
        assert [event.version for event in compactions] == [4, 8]
        both = store.read("s", types={"compact.after", "note.add"}, checked=True)
        assert list(both) == events
        notes = store.read("s", 2, 10, types=["note.add"])
        assert [event.version for event in notes] == [3, 5, 6, 7, 9, 10]
        assert list(store.read("s", types=["task.set"])) == list(store.read("s", types=[])) == []

    def test_ids_that_are_taken_are_known(self, store: EventStore) -> None:
        store.append("s", 0, a_long_session("s", 4))
        store.append("t", 0, [an_event("t", 1)])
        store.archive("s")
        assert store.known_ids(["s/2", "s/12", "t/1", "t/2"]) == {"s/2", "s/12", "t/1"}
        assert store.known_ids([]) == frozenset()

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

    def test_events_of_another_session_are_refused(self, store: EventStore) -> None:
        with pytest.raises(StoreError, match='the event is of session "t", not "s"'):
            store.append("s", 0, [an_event("t", 1)])
        assert store.sessions() == ()

    def test_nobody_else_appends_during_an_exclusive_append(self, store: EventStore) -> None:
        store.append("s", 0, [an_event("s", 1)])
        with store.exclusive("s"):
            assert [event.version for event in store.read("s")] == [1]
            store.append("s", 1, [an_event("s", 2)])
        assert store.head("s").version == 2

    def test_another_thread_waits_for_an_exclusive_append(self, store: EventStore) -> None:
        with ThreadPoolExecutor(1) as pool:
            with store.exclusive("s"):
                late = pool.submit(store.append, "s", 0, [an_event("s", 1)])
                wait([late], timeout=0.1)
                assert store.head("s") == Head()
                store.append("s", 0, [an_event("s", 1, content="first")])
            assert isinstance(late.exception(30), ConcurrencyError)
        [event] = store.read("s")
        assert event.payload.model_dump()["content"] == "first"

    def test_an_error_takes_back_all_of_an_exclusive_append(self, store: EventStore) -> None:
        store.append("s", 0, [an_event("s", 1)])
        with pytest.raises(KeyError), store.exclusive("s"):  # noqa: PT012
            store.append("s", 1, [an_event("s", 2)])
            store.append("t", 0, [an_event("t", 1)])
            store.save_snapshot(Snapshot("s", 2, 0, "hud", 1, "{}"))
            assert store.head("s").version == 2
            raise KeyError
        assert (store.head("s"), store.sessions()) == (Head(1), ("s",))
        assert store.snapshot("s", "hud", 1, 9) is None
        store.append("s", 1, [an_event("s", 2)])

    def test_an_error_in_a_part_takes_back_that_part(self, store: EventStore) -> None:
        with store.exclusive("s"):
            store.append("s", 0, [an_event("s", 1)])
            with suppress(KeyError), store.exclusive("t"):
                store.append("t", 0, [an_event("t", 1)])
                raise KeyError
            store.append("s", 1, [an_event("s", 2)])
        assert (store.sessions(), store.head("s").version) == (("s",), 2)

    def test_tells_who_is_in_a_transaction(self, store: EventStore) -> None:
        class Heard:
            def __init__(self) -> None:
                self.known: list[object] = []

            def publish(self, known: object) -> None:
                self.known.append(known)

        heard = Heard()
        assert store.transaction() is None
        with ThreadPoolExecutor(1) as pool, store.exclusive("s"):
            whole = store.transaction()
            assert whole is not None
            whole.keep(heard, 1)
            with suppress(KeyError), store.exclusive("s"):
                part = store.transaction()
                assert part is not None
                assert part.known(heard) == 1
                part.keep(heard, 2)
                raise KeyError
            assert store.transaction() is whole
            assert pool.submit(store.transaction).result() is None
            assert (whole.known(heard), heard.known) == (1, [])
        assert (store.transaction(), heard.known) == (None, [1])

    def test_an_exclusive_append_that_is_refused_keeps_nothing(self, store: EventStore) -> None:
        with pytest.raises(ConcurrencyError), store.exclusive("s"):
            store.append("s", 4, [an_event("s", 5)])
        assert store.head("s") == Head()
        store.append("s", 0, [an_event("s", 1)])

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

    def test_a_moment_ends_before_the_first_later_event(self, store: EventStore) -> None:
        versions = {
            At.version(2): 2,
            At.version(99): 4,
            At.version(-1): 0,
            At.turn(0): 0,
            At.turn(1): 2,
            At.turn(2): 4,
            At.time(10): 1,
            At.time(25): 2,
            At.turn(2**70): 4,
            At.time(-(2**70)): 0,
            At.version(2**70): 4,
        }
        turns = (1, 1, 2, 1)
        events = [
            an_event("s", place, turn=turn, timestamp=place * 10)
            for place, turn in enumerate(turns, start=1)
        ]
        store.append("s", 0, events)
        assert {at: store.version_at("s", at) for at in versions} == versions

    def test_the_newest_fitting_snapshot_is_found(self, store: EventStore) -> None:
        store.append("s", 0, [an_event("s", version) for version in (1, 2, 3)])
        old, new = (Snapshot("s", version, 0, "hud", 1, "{}") for version in (1, 3))
        later, other = Snapshot("s", 2, 0, "hud", 2, "{}"), Snapshot("s", 2, 0, "files", 1, "{}")
        for snapshot in (old, new, later, other):
            store.save_snapshot(snapshot)
        assert store.snapshot("s", "hud", 1, 3) == new
        assert store.snapshot("s", "hud", 1, 2) == old
        assert store.snapshot("s", "hud", 1, 0) is None

    def test_a_delivery_that_is_sent_takes_the_place_of_those_before(
        self, store: EventStore
    ) -> None:
        store.append("s", 0, [an_event("s", 1)])
        made = [StoredDelivery("s", "main", str(n), is_sent=False, body="{}") for n in range(4)]
        other = StoredDelivery("s", "child", "0", is_sent=True, body="{}")
        for each in (*made, other, replace(made[1], is_sent=True), replace(made[2], is_sent=True)):
            store.save_delivery(each)
        assert store.deliveries("s", "main") == [replace(made[2], is_sent=True), made[3]]
        assert store.deliveries("s", "child") == [other]
        assert {each.id for each in store.deliveries("s")} == {"0", "2", "3"}
        assert store.deliveries("t") == []

    def test_deliveries_that_were_never_sent_do_not_pile_up(self, store: EventStore) -> None:
        store.append("s", 0, [an_event("s", 1)])
        for number in range(40):
            made = StoredDelivery("s", "main", f"{number:02}", is_sent=number == 3, body="{}")
            store.save_delivery(made)
        kept = store.deliveries("s", "main")
        assert [each.id for each in kept] == ["03", *map(str, range(24, 40))]

    def test_a_purge_takes_deliveries_along(self, store: EventStore) -> None:
        store.append("s", 0, [an_event("s", 1)])
        made = StoredDelivery("s", "main", "1", is_sent=True, body="{}")
        store.save_delivery(made)
        store.purge("s")
        store.save_delivery(made)
        assert store.deliveries("s") == []

    def test_an_output_is_kept_whole_for_its_session(self, store: EventStore) -> None:
        say(store, "s", "one")
        say(store, "t", "two")
        made = an_output("o-1", "\ud800 \x00\r\n 日本")
        store.keep_output(made)
        assert store.output("s", "o-1") == made
        assert store.output("t", "o-1") is None
        assert store.outputs("s") == [replace(made, text=None)]
        with pytest.raises(StoreError, match="another output o-1"):
            store.keep_output(an_output("o-1", "other"))
        store.keep_output(replace(made, mode="old", kept_at=7))
        assert [(each.mode, each.kept_at) for each in store.outputs("s")] == [("old", 7)]

    def test_an_output_needs_its_session(self, store: EventStore) -> None:
        with pytest.raises(StoreError, match='no session "s"'):
            store.keep_output(an_output("o-1", "text"))

    def test_m2_a_sweep_takes_texts_beyond_the_newest_and_those_that_are_old(
        self, store: EventStore
    ) -> None:
        day = 86_400_000
        for name in ("s", "t"):
            say(store, name, "one")
            for number in range(6):
                text = f"text {number} of {name}"
                store.keep_output(an_output(f"o-{number}", text, session=name, at=number * day))
        swept = store.sweep_outputs(SweepRules(newest=3, days=2), 6 * day)
        assert swept is not None
        assert (swept.scanned, swept.deleted, swept.errors) == (12, 8, ())
        assert swept.bytes > 0
        for name in ("s", "t"):
            kept = [store.output(name, f"o-{number}") for number in range(6)]
            assert [each is not None and each.text is not None for each in kept] == (
                [False] * 4 + [True] * 2
            )
        assert store.sweeps() == [swept]

    def test_m2_a_sweep_comes_after_so_many_events(self, store: EventStore) -> None:
        rules = SweepRules(events=5)
        say(store, "s", *("note" for _ in range(4)))
        assert store.sweep_outputs(rules, 0, due=True) is None
        say(store, "t", "note")
        assert store.sweep_outputs(rules, 0, due=True) is not None
        assert store.sweep_outputs(rules, 0, due=True) is None
        assert len(store.sweeps()) == 1

    def test_a_swept_output_can_be_kept_again(self, store: EventStore) -> None:
        say(store, "s", "one")
        store.keep_output(an_output("o-1", "text"))
        store.sweep_outputs(SweepRules(days=1), 9 * 86_400_000)
        made = an_output("o-1", "text", at=9 * 86_400_000)
        store.keep_output(made)
        assert store.output("s", "o-1") == made

    def test_a_copy_has_the_outputs_of_its_origin(self, store: EventStore) -> None:
        say(store, "s", "one")
        say(store, "t", "one")
        store.keep_output(an_output("o-1", "text"))
        store.keep_output(an_output("o-2", "own", session="t"))
        for _ in range(2):
            store.copy_outputs("s", "t")
        assert {each.id for each in store.outputs("t")} == {"o-1", "o-2"}
        store.purge("s")
        found = store.output("t", "o-1")
        assert found is not None
        assert found.text == "text"

    def test_m1_a_purge_takes_outputs_along(self, store: EventStore) -> None:
        say(store, "s", "one")
        store.keep_output(an_output("o-1", "text"))
        store.purge("s")
        assert store.outputs("s") == []
        assert store.output("s", "o-1") is None
        with pytest.raises(StoreError):
            store.keep_output(an_output("o-2", "text"))

    def test_what_is_kept_in_vain_is_not_there(self, store: EventStore) -> None:
        say(store, "s", "one")
        with suppress(KeyError), store.exclusive("s"):
            store.keep_output(an_output("o-1", "text"))
            raise KeyError
        assert store.outputs("s") == []

    def test_a_search_finds_all_words_in_any_order(self, store: EventStore) -> None:
        say(store, "s", "The worker listens on port 8080", "Port 9090 is free", "Use JWT")
        assert [hit.version for hit in store.search("8080 PORT")] == [1]
        assert {hit.version for hit in store.search("port")} == {1, 2}
        assert store.search("port jwt") == []

    def test_a_search_finds_words_by_their_beginning(self, store: EventStore) -> None:
        say(store, "s", "Authentication in src/auth/jwt.py")
        for query in ("authent", "jwt.py", "src/auth/j", "AUTH jwt"):
            assert [hit.version for hit in store.search(query)] == [1]

    def test_a_search_finds_words_of_scripts_without_spaces(self, store: EventStore) -> None:
        say(store, "s", "東京タワーの設計", "Zürich")
        assert [hit.version for hit in store.search("タワー")] == [1]
        assert [hit.version for hit in store.search("Zürich")] == [2]

    def test_a_hit_says_where_it_is_from(self, store: EventStore) -> None:
        say(store, "s", "Port 8080")
        assert store.search("port") == [Hit("s", 1, 0, 0, "agent", "note.add", "Port 8080")]

    def test_a_search_may_keep_to_a_session(self, store: EventStore) -> None:
        say(store, "s", "Port 8080")
        say(store, "t", "Port 9090")
        assert [hit.session_id for hit in store.search("port", session="t")] == ["t"]
        assert store.search("port", session="nobody") == []

    def test_a_search_comes_in_pages(self, store: EventStore) -> None:
        say(store, "s", *(f"port {number}" for number in range(7)))
        pages = [store.search("port", limit=3, after=after) for after in (0, 3, 6, 9, 2**70)]
        assert [len(page) for page in pages] == [3, 3, 1, 0, 0]
        assert [hit.version for page in pages for hit in page] == [7, 6, 5, 4, 3, 2, 1]

    def test_a_search_finds_what_came_after_the_last_one(self, store: EventStore) -> None:
        say(store, "s", "Port 8080")
        assert len(store.search("port")) == 1
        store.append("s", 1, [an_event("s", 2, content="Port 9090")])
        assert len(store.search("port")) == 2

    def test_nothing_in_a_query_is_an_operator(self, store: EventStore) -> None:
        say(store, "s", "Port 8080")
        for query in (
            "", " ", "++", '"', '"port', "port*", "NEAR(port 1)", "text : port", "a\0b", "^ port -8080",
            "port OR jwt", "(", "'; DROP TABLE hud_event; --", "\ud83d", "\u200b", "-", "{port}",
        ):  # fmt: skip
            assert {hit.version for hit in store.search(query)} <= {1}, query
        assert len(list(store.read("s"))) == 1

    @pytest.mark.parametrize(("limit", "after"), [(0, 0), (-1, 0), (1, -1), (1_001, 0)])
    def test_a_page_that_cannot_be_is_refused(
        self, store: EventStore, limit: int, after: int
    ) -> None:
        with pytest.raises(SearchError, match=f"limit is {limit} and after {after}"):
            store.search("port", limit=limit, after=after)

    def test_a_query_of_very_many_words_is_refused(self, store: EventStore) -> None:
        with pytest.raises(SearchError, match="has 65 words; give at most 64"):
            store.search(" ".join(f"w{number}" for number in range(65)))

    def test_what_is_purged_is_not_found(self, store: EventStore) -> None:
        say(store, "s", "Port 8080")
        say(store, "t", "Port 9090")
        assert len(store.search("port")) == 2
        store.purge("s")
        assert [hit.session_id for hit in store.search("port")] == ["t"]

    def test_an_archived_past_is_read_as_before(self, store: EventStore) -> None:
        events = a_long_session("s", 4, 9)
        store.append("s", 0, events)
        assert store.archive("s") == 8
        assert list(store.read("s")) == events
        for after in range(-1, 13):
            for up_to in (None, *range(13)):
                last = 12 if up_to is None else up_to
                read = [event.version for event in store.read("s", after, up_to)]
                assert read == list(range(max(after, 0) + 1, last + 1))
        assert store.head("s") == Head(12, 4)
        assert store.sessions() == ("s",)
        assert store.verify() == ()

    def test_a_moment_in_the_archived_past_is_found(self, store: EventStore) -> None:
        moments = [make(n) for n in range(-1, 14) for make in (At.version, At.turn, At.time)]
        store.append("s", 0, a_long_session("s", 4, 9))
        before = [store.version_at("s", at) for at in moments]
        store.archive("s")
        assert [store.version_at("s", at) for at in moments] == before

    def test_a_session_is_archived_bit_by_bit(self, store: EventStore) -> None:
        events = a_long_session("s", 4, 9)
        store.append("s", 0, events[:5])
        assert [store.archive("s"), store.archive("s")] == [3, 0]
        store.append("s", 5, events[5:])
        assert store.archive("s") == 5
        assert list(store.read("s")) == events

    def test_a_session_without_a_compaction_stays(self, store: EventStore) -> None:
        store.append("s", 0, a_long_session("s"))
        assert [store.archive("s"), store.archive("nobody")] == [0, 0]

    def test_archived_events_keep_their_order_among_all(self, store: EventStore) -> None:
        one, two, three = (a_long_session(name, 8) for name in "abc")
        for place in range(12):
            for session in (one, two, three):
                event = session[place]
                store.append(event.session_id, place, [event])
        before = list(store.read_all())
        for name in "ca":
            store.archive(name)
        assert list(store.read_all()) == before
        for start in (0, 5, 20, 35):
            assert list(store.read_all(before[start][0])) == before[start + 1 :]

    def test_an_archived_past_is_found_by_a_search(self, store: EventStore) -> None:
        store.append("s", 0, [an_event("s", 1, content="Port 8080"), a_compaction("s", 2)])
        assert store.archive("s") == 1
        assert [hit.version for hit in store.search("8080")] == [1]

    def test_an_archived_past_is_purged(self, store: EventStore) -> None:
        store.append("s", 0, a_long_session("s", 4))
        store.archive("s")
        assert store.purge("s") == 12
        assert [*store.read("s"), *store.read_all(), *store.search("note")] == []
        assert store.sessions() == ()

    def test_a_purge_does_not_give_positions_again(self, store: EventStore) -> None:
        store.append("s", 0, [an_event("s", 1)])
        [(before, _)] = store.read_all()
        store.purge("s")
        store.append("t", 0, [an_event("t", 1)])
        [(after, _)] = store.read_all()
        assert after > before

    def test_a_session_that_is_not_there_can_be_purged(self, store: EventStore) -> None:
        assert [store.purge("s"), store.purge("s")] == [0, 0]

    def test_a_purged_session_is_gone_and_stays_gone(self, store: EventStore) -> None:
        store.append("s", 0, [an_event("s", 1), an_event("s", 2)])
        store.append("t", 0, [an_event("t", 1)])
        store.save_snapshot(Snapshot("s", 2, 0, "hud", 1, "{}"))
        assert store.purge("s") == 2
        assert store.sessions() == ("t",)
        assert store.snapshot("s", "hud", 1, 9) is None
        with pytest.raises(StoreError, match="purged"):
            store.append("s", 0, [an_event("s", 1)])

    def test_no_name_is_more_than_a_name(self, store: EventStore) -> None:
        for name in ("'; DROP TABLE hud_event; --", "../../x", "日本", "%", "a\0b"):
            store.append(name, 0, [an_event(name, 1)])
            assert store.sessions() == (name,)
            assert store.purge(name) == 1

    def test_a_sound_store_has_no_damage(self, store: EventStore) -> None:
        store.append("s", 0, [an_event("s", 1)])
        assert store.verify() == ()

    def test_closing_twice_is_no_error(self, store: EventStore) -> None:
        store.close()
        store.close()
