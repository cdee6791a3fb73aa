"""Progress is told to a terminal, and to nobody else."""

from __future__ import annotations

import io
import sys

import pytest

from hud_runtime import HudStore
from hud_runtime._watched import watched, watching
from hud_runtime.cli import _terminal
from hud_runtime.cli._terminal import remark, told


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on by a second each time that it is looked at."""
    ticks = iter(range(1_000))
    monkeypatch.setattr(_terminal.time, "monotonic", lambda: next(ticks))


@pytest.mark.usefixtures("clock")
class TestTold:
    def test_shows_how_many_are_left_after_a_while(self):
        terminal = Terminal()
        assert list(told("abc", "reading", 3, terminal)) == ["a", "b", "c"]
        assert "reading  [" in terminal.getvalue()
        assert "2/2" in terminal.getvalue()

    def test_shows_that_something_is_done_where_nobody_knows_how_much(self):
        terminal = Terminal()
        assert list(told(iter("abc"), "reading", stream=terminal)) == ["a", "b", "c"]
        assert "reading" in terminal.getvalue()

    def test_ends_its_line_when_the_task_fails(self):
        def failing():
            yield 1
            yield 2
            raise ValueError

        terminal = Terminal()
        with pytest.raises(ValueError):
            list(told(failing(), "reading", stream=terminal))
        assert terminal.getvalue().endswith("\n")

    def test_says_nothing_to_what_is_no_terminal(self):
        pipe = io.StringIO()
        assert list(told("abc", "reading", 3, pipe)) == ["a", "b", "c"]
        assert pipe.getvalue() == ""

    def test_clears_its_line_before_anything_else_is_written(self, monkeypatch):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        for each in told("abc", "reading"):
            if each == "b":
                remark("a file is broken")
        assert "\r\x1b[Ka file is broken\n" in terminal.getvalue()
        remark("the end")
        assert terminal.getvalue().endswith("\nthe end\n")


class TestWatched:
    """What takes long says so where its loop is, and only to who watches."""

    @pytest.fixture
    def doings(self):
        """What is done while the fixture is there, with how many things."""
        found: dict[str, int] = {}

        def watch(things, doing):
            for each in things:
                found[doing] = found.get(doing, 0) + 1
                yield each

        with watching(watch):
            yield found

    def test_loops_tell_how_many_things_they_have_done(self, doings, tmp_path, demo):
        from hud_runtime.transcripts import LiveTranscript

        with HudStore.open(tmp_path / "hud.db") as store:
            LiveTranscript(store, demo, name="demo").update()
            assert store.search("login")
            assert store.keeping.verify() == ()
            store.keeping.backup(tmp_path / "backup")
            events = store.session("demo").version
        assert doings["reading lines"] > 100
        assert doings["recording hundreds of events"] == 2
        assert doings["indexing events, 1,000 at a time"] == 1
        assert doings["comparing events with their digests"] == events * 2  # the backup's, too
        assert doings["copying the store, in steps"] >= 1

    def test_files_are_told_of(self, doings, tmp_path, ujsx, monkeypatch):
        for name in "abc":
            (tmp_path / f"{name}.md").write_text("# A\n", "utf-8")
        seen = []

        def watch(things, doing, **_):
            for each in things:
                seen.append(doing)
                yield each

        monkeypatch.setattr("hud_runtime.cli.told", watch)
        assert ujsx("format", "--check", tmp_path).status == 0
        assert seen == ["formatting files"] * 3

    def test_nothing_is_told_where_nobody_watches(self):
        things = iter("ab")
        assert watched(things, "reading") is things


class TestPatience:
    def test_says_nothing_of_what_is_soon_done(self):
        terminal = Terminal()
        assert list(told("abc", "reading", 3, terminal)) == ["a", "b", "c"]
        assert terminal.getvalue() == ""
