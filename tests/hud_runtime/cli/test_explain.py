"""Explaining a budget: of a transcript at a turn, of a layout, as a table and as data."""

from __future__ import annotations

import json

import pytest

from hud_runtime import HudStore
from hud_runtime.projects import load_components
from tests.hud_runtime.cli.test_replay import ANSWER, EDIT, PROMPT, READ

LAYOUT = "<Hud>\n\n<TaskSection/>\n\n<ActiveFiles/>\n\n</Hud>\n"


@pytest.fixture
def session(transcript):
    return transcript(PROMPT, READ, ANSWER, EDIT, ANSWER)


@pytest.fixture
def layout(tmp_path):
    path = tmp_path / "hud.md"
    path.write_text(LAYOUT, encoding="utf-8")
    return path


class TestTable:
    def test_has_the_rungs_of_the_hud_of_a_transcript(self, ujsx, session):
        done = ujsx("explain", session, "--budget", 500)
        assert done.status == 0
        assert done.out.splitlines()[0].endswith("3 are for what has no ladder")
        assert done.out.splitlines()[1] == "  Section: 3"
        assert "\nTaskSection    full" in done.out
        assert done.err == "turn 2 of 2\n"

    def test_is_that_of_the_turn_that_was_asked_for(self, ujsx, session):
        done = ujsx("explain", session, "--budget", 500, "--turn", 0)
        (row,) = (line for line in done.out.splitlines() if line.startswith("ActiveFiles"))
        assert row.endswith(" 0  nothing to show")
        assert done.err == "turn 0 of 2\n"

    def test_of_a_layout_shows_the_state_of_a_session(self, ujsx, layout, session):
        empty = ujsx("explain", layout, "--budget", 500)
        full = ujsx("explain", layout, "--budget", 500, "--session", session)
        assert "ActiveFiles  full       0  nothing to show" in empty.out
        assert empty.err == ""
        assert "ActiveFiles  full" in full.out
        assert full.out != empty.out
        assert full.err == "turn 2 of 2\n"

    def test_looks_ahead_as_far_as_it_is_told(self, ujsx, session):
        done = ujsx("explain", session, "--budget", 0, "--more", 0)
        assert "0 more tokens buy nothing" in done.out


class TestOfItsOwnLook:
    LAYOUT = """<Hud>\n<Banner text="Ask first."/>\n<NotesSection/>\n</Hud>\n"""

    @pytest.fixture
    def store(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "hud.md").write_text(self.LAYOUT, "utf-8")
        (tmp_path / "own.py").write_text(
            "from ujsx import Component\n\n\nclass Banner(Component):\n    text: str\n\n"
            "    def render(self, ctx, children):\n        return self.text\n",
            "utf-8",
        )
        path = tmp_path / "hud.db"
        layout, own = tmp_path / "hud.md", load_components("own.py", folder=tmp_path)
        words = {"notes.title": "Notizen und alles, was sonst noch dazugehört"}
        with HudStore.open(path, layout=layout, words=words, components=own) as store:
            store.session("s").record("note.add", content="Port 8080")
        return path

    @pytest.mark.parametrize("command", ["explain", "cost"])
    def test_is_counted(self, ujsx, store, command):
        given = ("s", "--store", store, "--with", "own.py", "--json")
        shown = json.loads(ujsx("hud", *given).out)
        assert shown["text"].startswith("# HUD\n\nAsk first.\n\n## Notizen und")
        told = json.loads(ujsx(command, *given).out)
        if command == "explain":
            assert [each["name"] for each in told["sections"]] == ["NotesSection"]
            assert told["tokens"] == shown["tokens"]
        else:
            assert [each["tokens"] for each in told["turns"]] == [shown["tokens"]]

    def test_that_cannot_be_shown_is_told(self, ujsx, store):
        done = ujsx("explain", "s", "--store", store)
        assert "SessionLine" in done.out
        assert "the session's layout is not shown" in done.err
        assert "--with MODULE" in done.err


class TestJson:
    def test_agrees_with_the_replay(self, ujsx, session):
        told = json.loads(ujsx("explain", session, "--budget", 30, "--json").out)
        shown = json.loads(ujsx("replay", session, "--budget", 30, "--json").out)
        assert told["tokens"] == shown["tokens"]
        assert told["over_budget"] == shown["over_budget"]
        assert [(each["name"], each["rung"]) for each in told["sections"]] == [
            (each["name"], each["rung"]) for each in shown["sections"]
        ]

    def test_names_rungs_as_the_ladder_does(self, ujsx, session):
        told = json.loads(ujsx("explain", session, "--budget", 20, "--json").out)
        files = next(each for each in told["sections"] if each["name"] == "ActiveFiles")
        assert [each["rung"] for each in files["rungs"]][:2] == [None, "minimal/0"]
        assert {type(each["after"]) for each in told["next"]} == {str}


class TestMistakes:
    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (("--budget", "many"), '"many" is not a number of tokens'),
            (("--budget", 9, "--turn", 7), "there is no turn 7; this session has turns 0 to 2"),
            (("--budget", 9, "--density", "ful"), 'did you mean "full"?'),
            (("--budget", 9, "--session", "x.jsonl"), "--session is for layouts"),
        ],
    )
    def test_of_a_transcripts_options_are_told(self, ujsx, session, arguments, says):
        done = ujsx("explain", session, *arguments)
        assert (done.status, done.out) == (2, "")
        assert says in done.err

    def test_of_a_layouts_options_are_told(self, ujsx, layout):
        done = ujsx("explain", layout, "--budget", 9, "--turn", 1)
        assert (done.status, done.out) == (2, "")
        assert "--turn needs --session, a transcript or the id of a session" in done.err
