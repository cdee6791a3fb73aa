"""``ujsx session search``: what was recorded, found by its words."""

from __future__ import annotations

import pytest

from hud_runtime import HudStore


@pytest.fixture
def searched(store):
    """The store with a second session that says the same."""
    with HudStore.open(store, clock=lambda: 0) as opened:
        opened.session("other").record("note.add", content="Port\n9090 \x1b[2J", turn=1)
    return store


@pytest.fixture
def search(ujsx, searched):
    return lambda *given: ujsx("session", "search", *given, "--store", searched)


class TestSearch:
    def test_says_where_each_word_stands(self, search):
        done = search("login", "ADD")
        assert (done.status, done.err) == (0, "")
        assert done.out == (
            "shop      2  1970-01-01T02:00:00Z  turn 1  agent  task.set  Add a login\n"
        )

    def test_looks_through_all_sessions_or_one(self, search):
        assert {each["session_id"] for each in search("port", "--json").data} == {"shop", "other"}
        [hit] = search("port", "--session", "shop", "--json").data
        assert hit == {
            "session_id": "shop", "version": 3, "turn": 2, "timestamp": 10_800_000,
            "actor": "agent", "type": "note.add", "snippet": "Port 8080",
        }  # fmt: skip

    def test_has_as_many_as_are_asked_for(self, search):
        assert len(search("port", "--limit", 1, "--json").data) == 1

    def test_cannot_steer_the_terminal(self, search):
        [line] = search("9090").out.splitlines()
        assert line.endswith("note.add  Port 9090 ␛[2J")

    def test_of_what_nobody_says_finds_nothing(self, search):
        done = search("nowhere")
        assert (done.status, done.out, done.err) == (0, "", 'nothing says "nowhere"\n')
        assert search("nowhere", "--json").data == []

    def test_records_nothing(self, search, searched):
        search("port")
        with HudStore.open(searched) as opened:
            assert (opened.session("shop").version, opened.session("other").version) == (4, 2)

    @pytest.mark.parametrize(
        ("given", "why"),
        [
            (("port", "--session", "shpo"), 'did you mean "shop"?'),
            (("port", "--limit", 0), "give a limit from 1 to"),
            ((), "WORDS"),
        ],
    )
    def test_refuses_what_cannot_be(self, search, given, why):
        assert why in search(*given).refusal
