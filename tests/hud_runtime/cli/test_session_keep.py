"""``ujsx session archive`` and ``purge``: what is kept, and where."""

from __future__ import annotations

import sys

import pytest

from hud_runtime import HudStore


@pytest.fixture
def long_past(store):
    with HudStore.open(store) as opened:
        opened.session("shop").record("compact.after", summary="A login is being added")
        opened.session("other")
    return store


class Terminal:
    """Somebody who sits there and answers."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.asked = ""

    def isatty(self) -> bool:
        return True

    def readline(self) -> str:
        return self.answer

    def write(self, text: str) -> None:
        self.asked += text

    def flush(self) -> None:
        pass


@pytest.fixture
def answer(monkeypatch):
    def sit_down(text):
        terminal = Terminal(text)
        monkeypatch.setattr(sys, "stdin", terminal)
        monkeypatch.setattr(sys, "stderr", terminal)
        return terminal

    return sit_down


class TestArchive:
    def test_moves_what_is_past_and_keeps_it_readable(self, ujsx, long_past):
        before = ujsx("session", "export", "shop", "--store", long_past).out
        done = ujsx("session", "archive", "shop", "other", "--store", long_past)
        assert (done.status, done.err) == (0, "")
        assert done.out == (
            'archived 4 events of "shop"\nnothing to archive of "other": it was never compacted\n'
        )
        assert ujsx("session", "archive", "shop", "--store", long_past).out == (
            'nothing to archive of "shop": what came before its last compaction is archived already\n'
        )
        assert ujsx("session", "export", "shop", "--store", long_past).out == before

    def test_as_data(self, ujsx, long_past):
        data = ujsx("session", "archive", "shop", "--store", long_past, "--json").data
        assert data == [{"session": "shop", "events": 4}]

    def test_touches_none_when_one_is_unknown(self, ujsx, long_past):
        assert (
            "has no session"
            in ujsx("session", "archive", "shop", "x", "--store", long_past).refusal
        )
        assert "archived 4" in ujsx("session", "archive", "shop", "--store", long_past).out


class TestPurge:
    def test_deletes_what_was_confirmed(self, ujsx, long_past):
        done = ujsx("session", "purge", "shop", "--yes", "--store", long_past)
        assert (done.status, done.out) == (0, 'purged "shop": 5 events\n')
        assert b"Port 8080" not in long_past.read_bytes()
        assert ujsx("session", "show", "shop", "--store", long_past).refusal == (
            'ujsx session: session "shop" was purged; its id is not used again'
        )

    def test_asks_whoever_sits_at_the_terminal(self, ujsx, long_past, answer):
        terminal = answer("y\n")
        assert ujsx("session", "purge", "shop", "--store", long_past).out.startswith("purged")
        assert terminal.asked == 'Delete "shop" for good, 5 events? [y/N] '

    @pytest.mark.parametrize("said", ["n\n", "\n", "", "yep\n"])
    def test_deletes_nothing_without_a_yes(self, ujsx, long_past, answer, said):
        terminal = answer(said)
        assert ujsx("session", "purge", "shop", "--store", long_past).status == 1
        assert terminal.asked.endswith("nothing was deleted\n")
        assert "archived 4" in ujsx("session", "archive", "shop", "--store", long_past).out

    def test_deletes_nothing_where_nobody_can_be_asked(self, ujsx, long_past, piped):
        piped("y\n")
        assert ujsx("session", "purge", "shop", "other", "--store", long_past).refusal == (
            'ujsx session: this deletes "shop", "other" for good, 6 events; confirm it with --yes'
        )

    def test_touches_none_when_one_is_unknown(self, ujsx, long_past):
        done = ujsx("session", "purge", "shop", "shpo", "--yes", "--store", long_past)
        assert 'did you mean "shop"?' in done.refusal
        assert ujsx("session", "show", "shop", "--store", long_past).status == 0

    def test_again_finishes_what_was_interrupted(self, ujsx, long_past):
        ujsx("session", "purge", "shop", "--yes", "--store", long_past)
        data = ujsx("session", "purge", "shop", "--yes", "--store", long_past, "--json").data
        assert data == [{"session": "shop", "events": 0}]
