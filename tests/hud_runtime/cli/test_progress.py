"""Progress is told to a terminal, and to nobody else."""

from __future__ import annotations

import io
import re
import sys
from itertools import count

import pytest

from hud_runtime import HudStore
from hud_runtime.cli import main
from ujsx.mdast import Document


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on by a second each time that it is looked at."""
    ticks = count()
    monkeypatch.setattr("time.monotonic", lambda: float(next(ticks)))


@pytest.fixture
def told(monkeypatch):
    """Run a command; return what standard error got, which is a terminal or not."""

    def run(*arguments, to=Terminal):
        stream = to()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", stream)
            main([str(each) for each in arguments])
        return stream.getvalue()

    return run


@pytest.fixture
def pages(tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.md").write_text("# A\n", "utf-8")
    return folder


@pytest.mark.usefixtures("clock")
class TestTold:
    def test_shows_how_many_are_left_after_a_while(self, told, tmp_path):
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store:
            for name in "abc":
                store.session(name).record("note.add", content="Port 8080")
        shown = told("session", "list", "--store", path)
        assert "reading sessions  [" in shown
        assert "2/2" in shown

    def test_shows_that_something_is_done_where_nobody_knows_how_much(self, told, pages):
        assert "formatting files" in told("format", "--check", pages)

    def test_ends_its_line_when_the_task_fails(self, told, pages, monkeypatch):
        def failing(text, **options):
            if text == "# B\n":
                raise OSError(28, "No space left on device")
            return Document(text, **options)

        (pages / "b.md").write_text("# B\n", "utf-8")
        monkeypatch.setattr("ujsx.mdast.Document", failing)
        monkeypatch.setattr(sys, "stdout", io.StringIO())  # a full disk closes it
        shown = told("format", "--check", pages)
        assert "formatting files" in shown
        assert shown.endswith("\n")

    def test_says_nothing_to_what_is_no_terminal(self, told, pages):
        assert "formatting files" not in told("format", "--check", pages, to=io.StringIO)

    def test_clears_its_line_before_anything_else_is_written(self, told, pages):
        (pages / "b.md").write_text(f"{'>' * 200} b\n")
        shown = told("format", "--check", pages)
        assert re.search(r"formatting files[^\n]*\r\x1b\[Kujsx format:", shown)
        assert shown.endswith("\n")


class TestWatched:
    """What takes long says so where its loop is."""

    @pytest.fixture
    def doings(self, monkeypatch):
        """What is done by commands, with how many things."""
        found: dict[str, int] = {}

        def watch(things, doing, *_, **__):
            for each in things:
                found[doing] = found.get(doing, 0) + 1
                yield each

        monkeypatch.setattr("hud_runtime.cli.told", watch)
        return found

    def test_loops_tell_how_many_things_they_have_done(self, doings, ujsx, tmp_path, demo):
        to = ("--store", tmp_path / "hud.db")
        for call in (
            ("session", "import", demo, "--name", "demo", *to),
            ("session", "search", "login", *to),
            ("store", "backup", tmp_path / "backup", *to),
            ("doctor", tmp_path / "hud.db"),
        ):
            assert ujsx(*call).status == 0, call
        with HudStore.open(tmp_path / "hud.db") as store:
            events = store.session("demo").version
        assert doings["reading lines"] > 100
        assert doings["recording hundreds of events"] == 2
        assert doings["indexing events, 1,000 at a time"] >= 1
        assert doings["comparing events with their digests"] >= events
        assert doings["copying the store, in steps"] >= 1


class TestPatience:
    def test_says_nothing_of_what_is_soon_done(self, told, pages):
        assert "formatting files" not in told("format", "--check", pages)
