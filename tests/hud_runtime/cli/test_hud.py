"""``ujsx hud``, and ``--session`` wherever a command shows one."""

from __future__ import annotations

import json

import pytest

from hud_components import Hud, HudState
from hud_runtime import At, HudStore
from tests.hud_runtime.cli.test_replay import ANSWER, EDIT, PROMPT, READ
from ujsx import render


@pytest.fixture
def layout(tmp_path):
    path = tmp_path / "hud.md"
    path.write_text("<Hud>\n\n<TaskSection/>\n\n<SessionLine/>\n\n</Hud>\n", encoding="utf-8")
    return path


class TestHud:
    def test_is_that_of_the_present_with_its_age(self, ujsx, store):
        done = ujsx("hud", "--session", "shop", "--store", store, "--density", "full")
        assert (done.status, done.err) == (0, "turn 3 of 3\n")
        assert done.out.startswith("# HUD\n\n## Task\n\nAdd a login\n")
        assert " days" in done.out

    def test_takes_the_session_by_its_place_too(self, ujsx, store):
        named = ujsx("hud", "--session", "shop", "--store", store, "--turn", 1)
        assert ujsx("hud", "shop", "--store", store, "--turn", 1) == named
        assert ujsx("hud", "--store", store, "--turn", 1, "shop") == named

    def test_takes_one_session(self, ujsx, store):
        assert "not allowed with" in ujsx("hud", "shop", "--session", "shop").refusal
        assert "one of the arguments FILE_OR_ID --session is required" in ujsx("hud").refusal

    def test_as_data_has_the_time_that_it_was_told(self, ujsx, store):
        given = ("hud", "--session", "shop", "--store", store, "--density", "full", "--json")
        data = ujsx(*given).data
        state = HudState.model_validate_json(json.dumps(data["state"]))
        assert data["text"] == render(Hud.of(state, now=data["now"]), density="full")
        assert ujsx(*given, "--turn", 3).data["now"] is None

    @pytest.mark.parametrize("turn", [0, 1, 2, 3])
    def test_of_a_turn_is_the_same_whenever_it_is_asked_for(self, ujsx, store, turn):
        done = ujsx(
            "hud", "--session", "shop", "--store", store, "--turn", turn, "--density", "full"
        )
        with HudStore.open(store) as opened:
            state = opened.session("shop").state(at=At.turn(turn))
        assert done.out == render(Hud.of(state), density="full")
        assert done.err == f"turn {turn} of 3\n"

    def test_has_the_density_that_the_pressure_picks(self, ujsx, store):
        data = ujsx("hud", "--session", "shop", "--store", store, "--json").data
        assert (data["density"], data["session"], data["turns"]) == ("compact", "shop", 3)
        assert data["state"]["task"]["description"] == "Add a login"

    def test_keeps_to_a_budget_or_says_that_it_cannot(self, ujsx, store):
        data = ujsx("hud", "--session", "shop", "--store", store, "--budget", 60, "--json").data
        assert data["tokens"] <= 60
        assert (
            "over the budget"
            in ujsx("hud", "--session", "shop", "--store", store, "--budget", 1).err
        )

    def test_of_a_transcript_is_its_replay(self, ujsx, transcript):
        path = transcript(PROMPT, READ, ANSWER, EDIT, ANSWER)
        assert ujsx("hud", "--session", path, "--turn", 1) == ujsx("replay", path, "--turn", 1)

    def test_is_found_in_your_own_store(self, ujsx, store, monkeypatch):
        monkeypatch.setenv("UJSX_HOME", str(store.parent))
        assert "Add a login" in ujsx("hud", "--session", "shop").out

    def test_of_a_project_is_found_by_its_folder(self, ujsx, store, tmp_path, monkeypatch):
        monkeypatch.setenv("UJSX_HOME", str(store.parent))
        folder = tmp_path / "my.shop"  # which looks like a file
        folder.mkdir()
        with HudStore.open(store) as opened:
            opened.session(str(folder)).record("task.set", description="Sell")
        assert "Sell" in ujsx("hud", "--session", folder).out
        folder.rmdir()
        assert "Sell" in ujsx("hud", "--session", folder).out

    def test_keeps_what_steers_a_terminal_from_it(self, ujsx, store):
        with HudStore.open(store) as opened:
            opened.session("shop").record("task.set", description="a\x1b[2J\x9b\u202e")
        out = ujsx("hud", "--session", "shop", "--store", store).out
        assert not {"\x1b", "\x9b", "\u202e"} & set(out)


class TestRefusal:
    def test_of_an_unknown_session_names_the_nearest(self, ujsx, store):
        assert ujsx("hud", "--session", "shpo", "--store", store).refusal == (
            f'ujsx hud: {store} has no session "shpo"; did you mean "shop"?'
        )

    @pytest.mark.parametrize("turn", [-1, 4])
    def test_of_a_turn_that_is_not_there_says_which_are(self, ujsx, store, turn):
        assert ujsx("hud", "--session", "shop", "--store", store, "--turn", turn).refusal == (
            f"ujsx hud: there is no turn {turn}; this session has turns 0 to 3"
        )

    def test_of_a_file_that_is_no_session(self, ujsx, store, monkeypatch):
        monkeypatch.setenv("UJSX_HOME", str(store.parent))
        assert "there is no file shop.jsonl" in ujsx("hud", "--session", "shop.jsonl").refusal


class TestOfALayout:
    def test_shows_the_session_at_a_turn(self, ujsx, store, layout):
        named = ("--session", "shop", "--store", store)
        assert "Add a login" not in ujsx("render", layout, *named, "--turn", 0).out
        assert "Add a login" in ujsx("render", layout, *named, "--turn", 1).out

    def test_is_told_what_time_it_is(self, ujsx, store, layout):
        named = ("--session", "shop", "--store", store, "--density", "full")
        assert " days" in ujsx("render", layout, *named).out
        assert " days" not in ujsx("render", layout, *named, "--turn", 3).out

    @pytest.mark.parametrize("option", ["--store", "--turn"])
    def test_needs_a_session_for_what_is_about_one(self, ujsx, store, layout, option):
        refusal = ujsx("render", layout, option, 1).refusal
        assert refusal.endswith(f"{option} needs --session, a transcript or the id of a session")


class TestExplain:
    def test_explains_the_hud_of_a_session(self, ujsx, store):
        named = ("--session", "shop", "--store", store, "--turn", 2, "--budget", 60, "--json")
        explained, shown = ujsx("explain", *named).data, ujsx("hud", *named).data
        assert explained["tokens"] == shown["tokens"]

    def test_explains_a_layout_of_a_session(self, ujsx, store, layout):
        done = ujsx("explain", layout, "--session", "shop", "--store", store, "--budget", 60)
        assert (done.status, done.err) == (0, "turn 3 of 3\n")

    def test_needs_one_or_the_other(self, ujsx):
        assert ujsx("explain", "--budget", 60).refusal == (
            "ujsx explain: name a SUBJECT, or a session: --session FILE_OR_ID"
        )


class TestStandardInput:
    def test_is_replayed(self, ujsx, transcript, piped):
        path = transcript(PROMPT, READ, ANSWER)
        piped(path.read_bytes())
        assert ujsx("replay", "-") == ujsx("replay", path)

    def test_is_named_where_it_is_refused(self, ujsx, piped):
        piped("")
        assert ujsx("replay", "-").refusal == (
            "ujsx replay: standard input is empty: there is no session in it"
        )

    def test_that_is_closed_is_refused(self, ujsx, monkeypatch):
        monkeypatch.setattr("sys.stdin", None)
        for command in ("replay", "parse"):
            assert ujsx(command, "-").refusal.endswith("there is no standard input to read")


class TestProblems:
    """What could not be read of a transcript is told wherever its state is shown."""

    @pytest.fixture
    def broken(self, transcript):
        return transcript(PROMPT, READ, ANSWER, '{"role": "assist')

    def test_are_told_as_replay_tells_them(self, ujsx, broken, layout):
        told = ujsx("replay", broken).err
        assert told.startswith("turn 1 of 1, 1 problem: line 4: not JSON")
        for given in (
            ("hud", "--session", broken),
            ("render", layout, "--session", broken),
            ("explain", broken, "--budget", 900),
            ("explain", layout, "--session", broken, "--budget", 900),
        ):
            done = ujsx(*given)
            assert (done.status, done.err) == (0, told), given

    def test_are_part_of_the_data(self, ujsx, broken, layout):
        problems = ujsx("replay", broken, "--json").data["problems"]
        assert [each["line"] for each in problems] == [4]
        for given in (
            ("hud", "--session", broken),
            ("render", layout, "--session", broken),
            ("explain", broken, "--budget", 900),
        ):
            assert ujsx(*given, "--json").data["problems"] == problems, given


def test_the_data_of_a_replay_and_of_a_hud_have_the_same_account(ujsx, store, transcript):
    replay = json.loads(ujsx("replay", transcript(PROMPT), "--json").out)
    hud = json.loads(ujsx("hud", "--session", "shop", "--store", store, "--json").out)
    assert set(hud) - {"session", "now"} == set(replay)


class TestAgentLayouts:
    @pytest.fixture
    def laid_out(self, store):
        with HudStore.open(store) as opened:
            layout = '<Hud title="Mine">\n<TaskSection/>\n</Hud>'
            opened.session("shop").record("layout.set", layout=layout, turn=4)
        return store

    def test_are_shown_unless_they_are_off(self, ujsx, laid_out):
        named = ("hud", "shop", "--store", laid_out, "--density", "full")
        assert ujsx(*named).out.startswith("# Mine")
        assert ujsx(*named, "--agent-layouts", "show").out.startswith("# Mine")
        assert ujsx(*named, "--agent-layouts", "off").out.startswith("# HUD")
        assert ujsx(*named, "--turn", 3).out.startswith("# HUD")

    def test_give_way_to_one_that_is_named(self, ujsx, laid_out, tmp_path):
        (tmp_path / "ours.md").write_text('<Hud title="Ours">\n<TaskSection/>\n</Hud>')
        named = ("hud", "shop", "--store", laid_out, "--density", "full")
        assert ujsx(*named, "--layout", tmp_path / "ours.md").out.startswith("# Ours")

    def test_come_before_what_the_session_was_given(self, ujsx, laid_out, tmp_path):
        theirs = tmp_path / "theirs.md"
        theirs.write_text('<Hud title="Theirs">\n<TaskSection/>\n</Hud>')
        with HudStore.open(laid_out) as opened:
            opened.session("shop").set_look(theirs)
        named = ("hud", "shop", "--store", laid_out, "--density", "full")
        assert ujsx(*named).out.startswith("# Mine")
        assert ujsx(*named, "--agent-layouts", "off").out.startswith("# Theirs")

    def test_that_cannot_be_shown_are_told_of(self, ujsx, laid_out):
        named = ("hud", "shop", "--store", laid_out)
        usual = ujsx(*named, "--budget", 3, "--agent-layouts", "off")
        done = ujsx(*named, "--budget", 3)
        assert (done.status, done.out) == (0, usual.out)
        assert "the agent's layout is not shown: its own text takes" in done.err

    def test_have_no_other_way(self, ujsx, laid_out):
        refusal = ujsx("hud", "shop", "--store", laid_out, "--agent-layouts", "offer").refusal
        assert '"offer" is no way with agents\' layouts; did you mean "off"?' in refusal
        assert '"of" is no way' in ujsx("serve", "--agent-layouts", "of").refusal

    def test_are_recorded_and_taken_back_at_the_shell(self, ujsx, store):
        named = ("--store", store)
        done = ujsx("record", "shop", "layout.set", "--layout", "<Hud title='Mine'/>", *named)
        assert done.status == 0
        assert ujsx("hud", "shop", *named, "--density", "full").out.startswith("# Mine")
        wrong = ujsx("record", "shop", "layout.set", "--layout", "<Nope/>", *named)
        assert "line 1, column 1: <Nope> is not a known component" in wrong.refusal
        assert ujsx("record", "shop", "layout.reset", *named).status == 0
        assert ujsx("hud", "shop", *named, "--density", "full").out.startswith("# HUD")
