"""The demonstration: true, complete, and pleasant to read."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from contextlib import ExitStack, nullcontext, redirect_stdout
from functools import cache
from typing import Any

import pytest

from hud_components import Hud, parse
from hud_components.layout import SECTIONS
from hud_runtime.cli import COMMANDS, main
from hud_runtime.history.exchange import replayed
from ujsx import load, render
from ujsx.tokens import estimate_tokens


@pytest.fixture(scope="module", autouse=True)
def _the_session_is_replayed_once() -> Iterator[None]:
    """Have each form of the demonstration show the same session."""
    with ExitStack() as opened, pytest.MonkeyPatch.context() as patch:
        once = cache(lambda path: opened.enter_context(replayed(path)))
        name = "hud_runtime.history.exchange.replayed"
        patch.setattr(name, lambda path: nullcontext(once(path)))
        yield


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@cache
def in_terminal(*arguments: str, columns: int = 80, **environ: str) -> str:
    """Return what the demonstration shows in a terminal."""
    return _shown(Terminal(), *arguments, COLUMNS=str(columns), **environ)


@cache
def demo(*arguments: str) -> str:
    """Return what it shows in a pipe, whose reader has a terminal: it is run once for each form that is asked for."""
    return _shown(io.StringIO(), *arguments)


def _shown(out: io.StringIO, *arguments: str, **environ: str) -> str:
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out):
        patch.delenv("NO_COLOR", raising=False)
        for name, value in {"TERM": "xterm", **environ}.items():
            patch.setenv(name, value)
        assert main(["demo", *arguments]) == 0
    return out.getvalue()


def data(*arguments: str) -> Any:
    return json.loads(demo("--json", *arguments))


class TestDemo:
    def test_shows_the_hud_at_each_density_with_its_tokens(self):
        out = demo("--all")
        for density in ("full", "compact", "minimal"):
            [hud] = data("--density", density)["huds"]
            quoted = "".join(f"    {line}".rstrip() + "\n" for line in hud["text"].splitlines())
            assert f"\n{density} · {hud['tokens']} tokens\n\n{quoted}" in out

    def test_counts_tokens_truly(self):
        for hud in data()["huds"]:
            assert hud["tokens"] == estimate_tokens(hud["text"])

    def test_shows_less_at_each_smaller_density(self):
        tokens = [hud["tokens"] for hud in data()["huds"]]
        assert tokens[0] > 3 * tokens[1] > 4 * tokens[2]

    def test_shows_which_density_each_level_of_pressure_picks(self):
        picked = [(each["level"], each["density"]) for each in data()["pressures"]]
        assert picked == [("green", "full"), ("yellow", "compact"), ("red", "minimal")]

    def test_shows_the_hud_that_its_compact_text_is_read_back_into(self):
        shown = data()
        hud = load(shown["tree"], [Hud, *SECTIONS])
        text = render(hud, density="compact")
        assert render(parse(text), density="compact") == text
        names = [child["type"] for child in shown["tree"]["children"]]
        assert names[:2] == ["TaskSection", "DecisionsList"]

    def test_does_not_claim_a_round_trip_that_fails(self, ujsx, monkeypatch):
        monkeypatch.setattr("ujsx.mdast.from_markdown", _other_tree)
        assert "is not the one that was written" in ujsx("demo").refusal

    def test_shows_a_tool_as_schema_does(self, ujsx):
        tool = ujsx("schema", "DecisionsList", "--dialect", "openai").data
        assert data()["tool"] == tool

    def test_points_to_commands_that_are_there(self):
        named = re.findall(r"^    ujsx (\S+)", demo().partition("\nNext\n")[2], re.MULTILINE)
        assert len(named) > 3
        assert {*named} <= {*COMMANDS, "--help"}

    def test_is_the_same_each_time(self, ujsx):
        assert ujsx("demo").out == demo()

    def test_at_an_unknown_density_is_refused(self, ujsx):
        assert 'did you mean "compact"?' in ujsx("demo", "--density", "compct").refusal


class TestTerminal:
    @pytest.mark.parametrize("is_terminal", [True, False], ids=["terminal", "pipe"])
    def test_gets_it_on_one_screen(self, is_terminal):
        lines = (in_terminal() if is_terminal else demo()).splitlines()
        rows = sum(max(1, -(-len(re.sub(r"\x1b\[\dm", "", line)) // 80)) for line in lines)
        assert 24 <= rows < 40  # and a line for the prompt that comes after

    def test_gets_bold_headings(self):
        assert "\x1b[1mThe HUD after turn 34\x1b[0m" in in_terminal()

    @pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
    def test_gets_no_codes_when_it_wants_none(self, environ):
        assert "\x1b" not in in_terminal(**environ)

    def test_gets_the_same_words_as_a_pipe(self):
        plain = re.sub(r"\x1b\[\dm|[─│]", "", in_terminal("--all", columns=60))
        assert plain.split() == re.sub("[─│]", "", demo("--all")).split()

    def test_is_not_what_a_pipe_is_taken_for(self):
        assert "\x1b" not in demo()


def _other_tree(_: str):
    from ujsx.mdast import Paragraph, Root, Text

    return Root((Paragraph((Text("another"),)),))
