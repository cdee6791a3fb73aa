"""Progress is told to a terminal, and to nobody else."""

from __future__ import annotations

import io

import pytest

from hud_runtime.cli import _terminal
from hud_runtime.cli._terminal import told


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
    def test_says_how_many_have_been_and_clears_its_line(self):
        terminal = Terminal()
        assert list(told("abc", "reading", 3, terminal)) == ["a", "b", "c"]
        words = terminal.getvalue().split("\r\x1b[K")
        assert words == ["", "reading: 1 of 3", "reading: 2 of 3", "reading: 3 of 3", ""]

    def test_clears_its_line_when_the_task_fails(self):
        def failing():
            yield 1
            raise ValueError

        terminal = Terminal()
        with pytest.raises(ValueError):
            list(told(failing(), "reading", stream=terminal))
        assert terminal.getvalue() == "\r\x1b[Kreading: 1\r\x1b[K"

    def test_says_nothing_to_what_is_no_terminal(self):
        pipe = io.StringIO()
        assert list(told("abc", "reading", 3, pipe)) == ["a", "b", "c"]
        assert pipe.getvalue() == ""


class TestPatience:
    def test_says_nothing_of_what_is_soon_done(self):
        terminal = Terminal()
        assert list(told("abc", "reading", 3, terminal)) == ["a", "b", "c"]
        assert terminal.getvalue() == ""
