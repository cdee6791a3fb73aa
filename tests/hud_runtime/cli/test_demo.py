"""The demonstration: true, complete, and pleasant to read."""

from __future__ import annotations

import io
import json
import re
import sys

import pytest

from hud_components import SECTIONS, Hud, parse
from hud_runtime.cli import COMMANDS, _demo, main
from hud_runtime.cli._terminal import style_for
from ujsx import load, render
from ujsx.tokens import estimate_tokens


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def in_terminal(monkeypatch):
    """Run the demonstration in a terminal, and return what it shows."""

    def show(*arguments: str, columns: int = 80, **environ: str) -> str:
        terminal = Terminal()
        with monkeypatch.context() as patch:
            patch.delenv("NO_COLOR", raising=False)
            for name, value in {"TERM": "xterm", "COLUMNS": str(columns), **environ}.items():
                patch.setenv(name, value)
            patch.setattr(sys, "stdout", terminal)
            assert main(["demo", *arguments]) == 0
        return terminal.getvalue()

    return show


class TestDemo:
    def test_shows_the_hud_at_each_density_with_its_tokens(self, ujsx):
        out = ujsx("demo", "--all").out
        for density in ("full", "compact", "minimal"):
            [hud] = ujsx("demo", "--json", "--density", density).data["huds"]
            quoted = "".join(f"    {line}".rstrip() + "\n" for line in hud["text"].splitlines())
            assert f"\n{density} · {hud['tokens']} tokens\n\n{quoted}" in out

    def test_counts_tokens_truly(self, ujsx):
        for hud in ujsx("demo", "--json").data["huds"]:
            assert hud["tokens"] == estimate_tokens(hud["text"])

    def test_shows_less_at_each_smaller_density(self, ujsx):
        tokens = [hud["tokens"] for hud in ujsx("demo", "--json").data["huds"]]
        assert tokens[0] > 3 * tokens[1] > 4 * tokens[2]

    def test_shows_which_density_each_level_of_pressure_picks(self, ujsx):
        picked = [
            (each["level"], each["density"]) for each in ujsx("demo", "--json").data["pressures"]
        ]
        assert picked == [("green", "full"), ("yellow", "compact"), ("red", "minimal")]

    def test_shows_the_hud_that_its_compact_text_is_read_back_into(self, ujsx):
        data = ujsx("demo", "--json").data
        hud = load(data["tree"], [Hud, *SECTIONS])
        text = render(hud, density="compact")
        assert render(parse(text), density="compact") == text
        names = [child["type"] for child in data["tree"]["children"]]
        assert names[:2] == ["TaskSection", "DecisionsList"]

    def test_does_not_claim_a_round_trip_that_fails(self, ujsx, monkeypatch):
        monkeypatch.setattr("ujsx.mdast.from_markdown", _other_tree)
        assert "is not the one that was written" in ujsx("demo").refusal

    def test_shows_a_tool_as_schema_does(self, ujsx):
        tool = ujsx("schema", "DecisionsList", "--dialect", _demo.DIALECT).data
        assert ujsx("demo", "--json").data["tool"] == tool
        shown = ujsx("demo", "--all").out.partition("A component is a tool")[2]
        assert json.loads(shown[shown.index("{") : shown.rindex("}") + 1]) == tool

    def test_shows_the_tree_and_the_tool_only_when_all_is_asked_for(self, ujsx):
        short, whole = ujsx("demo").out, ujsx("demo", "--all").out
        for heading in ("read back from its text", "A component is a tool"):
            assert (heading in short, heading in whole) == (False, True)

    def test_points_to_commands_that_are_there(self, ujsx):
        for call in _demo.NEXT:
            name = call.split()[1]
            assert name == "--help" or name in COMMANDS
            assert call in ujsx("demo").out

    def test_is_the_same_each_time(self, ujsx):
        assert ujsx("demo").out == ujsx("demo").out

    def test_at_an_unknown_density_is_refused(self, ujsx):
        assert 'did you mean "compact"?' in ujsx("demo", "--density", "compct").refusal


class TestTerminal:
    @pytest.mark.parametrize("is_terminal", [True, False], ids=["terminal", "pipe"])
    def test_gets_it_on_one_screen(self, in_terminal, ujsx, is_terminal):
        lines = (in_terminal() if is_terminal else ujsx("demo").out).splitlines()
        rows = sum(max(1, -(-len(re.sub(r"\x1b\[\dm", "", line)) // 80)) for line in lines)
        assert 24 <= rows < 40  # and a line for the prompt that comes after

    def test_gets_bold_headings(self, in_terminal):
        assert "\x1b[1mThe HUD after turn 34\x1b[0m" in in_terminal()

    @pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
    def test_gets_no_codes_when_it_wants_none(self, in_terminal, environ):
        assert "\x1b" not in in_terminal(**environ)

    @pytest.mark.parametrize("columns", [60, 100])
    def test_gets_the_huds_within_its_width(self, in_terminal, columns):
        plain = re.sub(r"\x1b\[\dm", "", in_terminal("--all", columns=columns))
        quoted = [line for line in plain.splitlines() if line.startswith("  │")]
        assert len(quoted) > 50
        assert max(map(len, quoted)) <= columns

    def test_gets_the_same_words_as_a_pipe(self, in_terminal, ujsx):
        def words(text: str) -> list[str]:  # of the HUDs: the outline is cut at the width
            plain = re.sub(r"\x1b\[\dm|[─│]", "", text)
            return plain.partition("The compact HUD")[0].split()

        assert words(in_terminal("--all", columns=60)) == words(ujsx("demo", "--all").out)

    def test_is_not_what_a_pipe_is_taken_for(self):
        assert style_for(io.StringIO(), {"TERM": "xterm"}).colour is False


def _other_tree(_: str):
    from ujsx.mdast import Paragraph, Root, Text

    return Root((Paragraph((Text("another"),)),))
