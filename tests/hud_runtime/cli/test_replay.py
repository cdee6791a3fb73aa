"""Replaying transcripts: the HUD at any turn, and every line that could not be read."""

from __future__ import annotations

import json

import pytest

from hud_components import HudState, density_for
from hud_runtime import read_transcript
from tests.ids import looped
from ujsx.tokens import estimate_tokens

PROMPT = {"role": "user", "content": "Make uploads try three times."}


def calling(name: str, **arguments: object) -> dict[str, object]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "tool_calls": [{"id": "1", "function": function}]}


ANSWER = {"role": "tool", "tool_call_id": "1", "content": "done"}
READ = calling("read_file", path="src/upload.py")
EDIT = calling("edit_file", path="src/upload.py")

KEYS = {
    "turn",
    "turns",
    "density",
    "budget",
    "over_budget",
    "tokens",
    "text",
    "sections",
    "omitted",
    "state",
    "problems",
}


class TestHud:
    def test_goes_to_standard_output_and_its_turn_to_standard_error(self, ujsx, transcript):
        done = ujsx("replay", transcript(PROMPT, READ, ANSWER))
        assert done.status == 0
        assert done.out.startswith("# HUD\n\n## Task\n\nMake uploads try three times.\n")
        assert "- `src/upload.py` (reading)\n" in done.out
        assert done.err == "turn 1 of 1\n"

    def test_is_that_of_the_last_turn_unless_told(self, ujsx, transcript):
        path = transcript(PROMPT, READ, ANSWER, EDIT, ANSWER)
        assert ujsx("replay", path) == ujsx("replay", path, "--turn", 2)
        assert "(editing)" in ujsx("replay", path).out

    def test_of_an_earlier_turn_knows_nothing_of_what_came_later(self, ujsx, transcript):
        path = transcript(PROMPT, READ, ANSWER, EDIT, ANSWER)
        assert "(reading)" in ujsx("replay", path, "--turn", 1).out
        before = ujsx("replay", path, "--turn", 0)
        assert before.out == "# HUD\n\n## Task\n\nMake uploads try three times.\n"
        assert before.err == "turn 0 of 2\n"

    @pytest.mark.parametrize(("turn", "density"), [(23, "full"), (30, "compact"), (34, "minimal")])
    def test_has_the_density_that_the_pressure_picks(self, ujsx, demo, turn, density):
        data = ujsx("replay", demo, "--turn", turn, "--json").data
        used = 100 * data["state"]["usage"]["used"] / data["state"]["usage"]["limit"]
        assert data["density"] == density_for(used) == density

    def test_is_full_without_a_reading(self, ujsx, transcript):
        data = ujsx("replay", transcript(PROMPT), "--json").data
        assert (data["density"], data["state"]["usage"]) == ("full", None)

    @pytest.mark.parametrize("density", ["full", "compact", "minimal"])
    def test_has_the_density_that_was_asked_for(self, ujsx, demo, density):
        shown = ujsx("replay", demo, "--density", density)
        assert shown.out == ujsx("replay", demo, "--density", density, "--json").data["text"]
        assert shown.out.startswith("**Task:**") is (density == "minimal")


class TestBudget:
    @pytest.mark.parametrize("budget", [100, 200, 400])
    def test_is_never_exceeded(self, ujsx, demo, budget):
        data = ujsx("replay", demo, "--budget", budget, "--json").data
        assert (data["budget"], data["density"], data["over_budget"]) == (budget, None, False)
        assert data["tokens"] <= budget
        assert estimate_tokens(data["text"]) == data["tokens"]

    def test_below_the_floor_says_so(self, ujsx, demo):
        outcome = ujsx("replay", demo, "--budget", 1)
        assert outcome.status == 0
        assert "over the budget: the least that can be shown has" in outcome.err

    def test_goes_with_a_density_that_is_its_ceiling(self, ujsx, demo):
        done = ujsx("replay", demo, "--budget", 5000, "--density", "compact", "--json").data
        assert (done["density"], done["budget"]) == ("compact", 5000)
        assert "## Decisions" not in done["text"]

    def test_is_there_without_being_asked_for(self, ujsx, demo):
        tokens = {
            budget: ujsx("replay", demo, "--density", "full", *budget, "--json").data["tokens"]
            for budget in ((), ("--budget", "off"))
        }
        assert tokens[()] <= 500 < tokens["--budget", "off"]

    def test_of_what_is_no_number_is_refused(self, ujsx, demo):
        refusal = ujsx("replay", demo, "--budget", "much").refusal
        assert '"much" is not a number of tokens, and not "off"' in refusal


class TestJson:
    def test_has_the_hud_with_its_account(self, ujsx, demo):
        done = ujsx("replay", demo, "--density", "compact", "--json")
        assert (done.status, done.err) == (0, "")
        data = done.data
        assert data.keys() == KEYS
        assert (data["turn"], data["turns"], data["density"]) == (34, 34, "compact")
        assert data["tokens"] == estimate_tokens(data["text"])
        left_out = {mark["section"] for mark in data["omitted"] if mark["what"] == "items"}
        assert {"DecisionsList", "NotesSection", "ActiveFiles", "ChecksList"} <= left_out

    def test_says_where_each_section_stands(self, ujsx, demo):
        data = ujsx("replay", demo, "--density", "full", "--budget", "off", "--json").data
        [decisions] = [each for each in data["sections"] if each["name"] == "DecisionsList"]
        text = data["text"][decisions["start"] : decisions["end"]]
        assert text.startswith("\n\n## Decisions\n\n- **Using JWT")
        assert decisions["tokens"] == estimate_tokens(text)
        assert decisions["rung"] == "full/10"

    def test_has_the_state_that_was_shown(self, ujsx, demo):
        data = ujsx("replay", demo, "--turn", 4, "--json").data
        state = HudState.model_validate_json(json.dumps(data["state"]))
        assert [decision.label for decision in state.decisions] == [
            "JWT, no sessions",
            "bcrypt, cost 12",
        ]

    @pytest.mark.parametrize("dated", [True, False])
    def test_is_the_same_each_time(self, ujsx, demo, transcript, dated):
        path = demo if dated else transcript(PROMPT, READ, ANSWER)
        assert ujsx("replay", path, "--json").out == ujsx("replay", path, "--json").out


class TestProblems:
    def test_one_is_told_with_its_line(self, ujsx, transcript):
        done = ujsx("replay", transcript(PROMPT, READ, '{"role', ANSWER))
        assert done.status == 0
        assert done.err.startswith("turn 1 of 1, 1 problem: line 3: not JSON")
        assert done.err.count("\n") == 1

    def test_several_are_counted_and_told_line_by_line(self, ujsx, transcript):
        broken = ["[1"] * 7
        done = ujsx("replay", transcript(PROMPT, READ, *broken, ANSWER))
        first, *told, rest = done.err.splitlines()
        assert first == "turn 1 of 1, 7 problems:"
        assert [line.partition(":")[0] for line in told] == [f"  line {n}" for n in range(3, 8)]
        assert rest == "  … 2 more; --json has them all"

    def test_are_all_in_the_data(self, ujsx, transcript):
        data = ujsx("replay", transcript(PROMPT, *["[1"] * 7), "--json").data
        assert [problem["line"] for problem in data["problems"]] == [*range(2, 9)]

    def test_in_what_the_session_refuses_are_told_too(self, ujsx, transcript):
        removal = calling("hud", tool="notes.remove", args={"id": "n-9"})
        done = ujsx("replay", transcript(PROMPT, removal, ANSWER))
        assert done.status == 0
        assert 'there is no "n-9" in notes' in done.err


class TestRefusal:
    @pytest.mark.parametrize("turn", [-1, 35])
    def test_of_a_turn_beyond_the_session_says_which_there_are(self, ujsx, demo, turn):
        assert ujsx("replay", demo, "--turn", turn).refusal == (
            f"ujsx replay: there is no turn {turn}; this session has turns 0 to 34"
        )

    def test_of_a_turn_that_is_no_number_quotes_it(self, ujsx, demo):
        assert '"last" is not an integer' in ujsx("replay", demo, "--turn", "last").refusal

    def test_of_an_unknown_density_names_the_nearest(self, ujsx, demo):
        assert 'did you mean "minimal"?' in ujsx("replay", demo, "--density", "minmal").refusal

    def test_of_a_file_that_is_not_there_names_its_neighbour(self, ujsx, transcript):
        path = transcript(PROMPT)
        asked = path.with_name("sesion.jsonl")
        assert ujsx("replay", asked).refusal == (
            f'ujsx replay: there is no file {asked}; did you mean "{path}"?'
        )

    @looped(
        ("content", "why"),
        [
            (b"", "is empty"),
            (b"\x7fELF\0\0\n", "is a binary file"),
            (b"# Notes\n\nNo session.\n", "is not a transcript"),
            (b'{"name": "x"}', "not a transcript"),
        ],
    )
    def test_of_a_file_that_is_no_transcript_says_why(self, ujsx, tmp_path, content, why):
        path = tmp_path / "file"
        path.write_bytes(content)
        assert why in ujsx("replay", path).refusal

    def test_of_a_folder_says_so(self, ujsx, tmp_path):
        assert ujsx("replay", tmp_path).refusal == (
            f"ujsx replay: {tmp_path} is a folder; name a file in it"
        )


class TestRealSessions:
    @pytest.mark.parametrize(
        ("name", "turns", "task"),
        [
            ("swe-agent-marshmallow-1867.traj", 11, "TimeDelta serialization precision"),
            ("swe-agent-ctf-katy.traj", 18, "cryptography problem"),
            ("claude-code-representative.jsonl", 5, "Python decorators"),
            ("claude-code-todos.jsonl", 6, "task management"),
        ],
    )
    def test_have_a_hud_at_each_turn(self, ujsx, corpora, name, turns, task):
        path = corpora / "sessions" / name
        assert read_transcript(path).turns == turns
        for turn in range(1, turns + 1):
            done = ujsx("replay", path, "--turn", turn)
            assert (done.status, done.err) == (0, f"turn {turn} of {turns}\n")
            assert task in done.out


class TestNotUnderstood:
    @pytest.mark.parametrize("command", [["replay"], ["session", "import"]])
    def test_kinds_are_said(self, ujsx, transcript, monkeypatch, tmp_path, command):
        monkeypatch.setenv("UJSX_STORE", str(tmp_path / "s.db"))
        done = ujsx(*command, transcript(PROMPT, {"role": "oracle", "content": "Hm."}))
        assert "understood 50 % of 2 records; not understood: 1 × oracle" in done.err


class TestKept:
    def test_says_what_the_agent_did_not_record(self, ujsx, transcript):
        asked = calling("ask_user", question="Which \x1b[31mstore?")
        path = transcript(PROMPT, asked, ANSWER | {"content": "SQLite"})
        done = ujsx("replay", path, "--kept")
        assert done.out.splitlines() == [
            "decisions: 0 of 1 recorded by the agent itself",
            "  - not recorded, turn 1: SQLite Which ␛[31mstore?",
            "steps: 0 of 0 recorded by the agent itself",
        ]
        assert "never called the tool of a HUD" in done.err

    def test_is_data_too(self, ujsx, transcript):
        done = json.loads(ujsx("replay", transcript(PROMPT), "--kept", "--json").out)
        assert done == {"shown": [], "recorded": 0, "has_tool": False}

    def test_is_about_the_whole_session(self, ujsx, transcript):
        assert "omit --turn" in ujsx("replay", transcript(PROMPT), "--kept", "--turn", "1").refusal
