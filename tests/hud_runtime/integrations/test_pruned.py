"""N3: what tools do becomes events, and what they answer is pruned before the model gets it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import HudStore, PruningError
from hud_runtime.context.pruning import OldOutputs, Pruning, ToolOutput
from hud_runtime.integrations import HostSession, prune_messages
from hud_runtime.integrations.bodies import MESSAGES
from hud_runtime.integrations.bridge import place_of
from hud_runtime.integrations.claude_code import ClaudeCode
from hud_runtime.integrations.claude_code import install as install_claude
from hud_runtime.integrations.opencode import OpenCode, plugin_text
from tests.hud_runtime.integrations.inside import Wire

LISTING = "".join(f"src/module_{number}.py\n" for number in range(400))
NOTICE = "… 340 more lines: hud output o-09d9c63f 31-370\n"


@pytest.fixture
def store() -> Iterator[HudStore]:
    with HudStore.open(":memory:", clock=lambda: 0) as opened:
        yield opened


# --- The hooks of hosts ---


def test_n3_opencodes_tool_hooks_give_file_events_and_prune_the_output(store: HudStore) -> None:
    host = OpenCode(lambda: store)

    def ask(**event: Any) -> dict[str, Any]:
        answer = host.hook(json.dumps({"line": ["ses_1"], "directory": "/srv", **event}).encode())
        return json.loads(answer.text) if answer.text else {}

    output = {"output": LISTING, "content": None}
    seen = {"tool": "read", "callID": "c1", "args": {"filePath": "/srv/app.py"}}
    ask(type="tool.execute.after", output={"output": "import jwt"}, **seen)
    assert store.session("ses_1").state().active_files[0].path == "app.py"
    told = ask(type="prune", tool="glob", args={"pattern": "**"}, output=output)
    assert NOTICE in told["output"]
    assert store.session("ses_1").output("o-09d9c63f").text == LISTING  # type: ignore[union-attr]
    assert ask(type="prune", tool="glob", args={}, output={"output": "short"}) == {}
    blocks = [{"type": "text", "text": LISTING}, {"type": "image", "data": "x"}]
    told = ask(type="prune", tool="mcp__x__glob", args={}, output={"content": blocks})
    assert NOTICE in told["content"][0]["text"]
    assert told["content"][1] == blocks[1]


def test_n3_a_subagents_output_is_its_own(store: HudStore) -> None:
    host = OpenCode(lambda: store)
    event = {"line": ["ses_1", "ses_2"], "type": "prune", "tool": "glob", "output": {"output": LISTING}}  # fmt: skip
    host.hook(json.dumps(event).encode())
    call = {"tool": "hud", "arguments": {"op": "output", "id": "o-09d9c63f"}}
    answer = json.loads(host.call(json.dumps({"line": ["ses_1", "ses_2"], **call}).encode()).text)
    assert answer["text"].startswith(LISTING)
    assert json.loads(host.call(json.dumps({"line": ["ses_1"], **call}).encode()).text)["is_error"]


def test_n3_claude_codes_bash_keeps_its_form(store: HudStore) -> None:
    hooks = ClaudeCode(lambda: store)
    response = {"stdout": LISTING, "stderr": "", "interrupted": False, "isImage": False}
    event = {
        "hook_event_name": "PostToolUse",
        "session_id": "s",
        "tool_name": "Bash",
        "tool_input": {"command": "find src"},
        "tool_response": response,
    }
    for told in (
        event,
        {**event, "tool_input": '{"command": "find src"}', "tool_response": json.dumps(response)},
    ):
        said = json.loads(hooks.hook(json.dumps(told).encode()).text)["hookSpecificOutput"]
        assert said["hookEventName"] == "PostToolUse"
        made = said["updatedToolOutput"]
        assert NOTICE in made["stdout"]
        assert {**made, "stdout": LISTING} == response
    other = {**event, "tool_name": "Grep", "tool_response": {"content": LISTING}}
    assert hooks.hook(json.dumps(other).encode()).text == ""


@pytest.mark.parametrize("response", ["", "[]", None, 7, {"stdout": 7}, {"stdout": ""}, "{"])
def test_a_strange_response_is_left_alone(store: HudStore, response: object) -> None:
    event = {"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Bash", "tool_response": response}  # fmt: skip
    assert ClaudeCode(lambda: store).hook(json.dumps(event).encode()).text == ""


def test_a_fork_brings_back_its_origins_outputs(store: HudStore) -> None:
    HostSession(store.session("s"), prune=True).pruned(ToolOutput(text=LISTING, tool="Glob"))
    event = {"type": "session.forked", "line": ["fork"], "origin": ["s"]}
    OpenCode(lambda: store).hook(json.dumps(event).encode())
    found = store.session("fork").output("o-09d9c63f")
    assert found is not None
    assert found.text == LISTING


class TestInstall:
    def test_a_flag_adds_the_hook_and_without_it_the_hook_goes(self, tmp_path: Path) -> None:
        given: dict[str, Any] = {"store": tmp_path / "hud.db", "config": tmp_path}

        def hooks() -> Any:
            found = json.loads((tmp_path / "settings.json").read_text())["hooks"]
            return found.get("PostToolUse", [])

        install_claude(**given)
        assert hooks() == []
        install_claude(prune=True, **given)
        [group] = hooks()
        assert group["matcher"] == "Bash"
        assert group["hooks"][0]["input"]["tool_response"] == "${tool_response}"
        install_claude(**given)
        assert hooks() == []

    def test_the_plugin_is_told(self, tmp_path: Path) -> None:
        place = place_of(tmp_path / "hud.db")
        assert '"prune": true' in plugin_text(place, prune=True)
        assert '"prune": false' in plugin_text(place)


# --- Messages ---


def anthropic(*results: str) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = [{"role": "user", "content": "Look around."}]
    for number, text in enumerate(results):
        call = {
            "type": "tool_use",
            "id": f"{number}",
            "name": "Bash",
            "input": {"command": "ls -R"},
        }
        answer = {"type": "tool_result", "tool_use_id": f"{number}", "content": text}
        made += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [answer]}]
    return made


def chat(*results: str) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = [{"role": "user", "content": "Look around."}]
    for number, text in enumerate(results):
        call = {
            "id": f"{number}",
            "function": {"name": "Bash", "arguments": '{"command": "ls -R"}'},
        }
        made.append({"role": "assistant", "content": None, "tool_calls": [call]})
        made.append({"role": "tool", "tool_call_id": f"{number}", "content": text})
    return made


def responses(*results: str) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = [{"role": "user", "content": "Look around."}]
    for number, text in enumerate(results):
        call = {"type": "function_call", "call_id": f"{number}", "name": "Bash", "arguments": '{"command": "ls -R"}'}  # fmt: skip
        made += [call, {"type": "function_call_output", "call_id": f"{number}", "output": text}]
    return made


def gemini(*results: str) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = [{"role": "user", "parts": [{"text": "Look around."}]}]
    for text in results:
        call = {"functionCall": {"name": "Bash", "args": {"command": "ls -R"}}}
        answer = {"functionResponse": {"name": "Bash", "response": {"output": text}}}
        made += [{"role": "model", "parts": [call]}, {"role": "user", "parts": [answer]}]
    return made


FORMS: dict[str, Any] = {
    "anthropic": anthropic,
    "chat": chat,
    "responses": responses,
    "gemini": gemini,
}


@pytest.mark.parametrize("form", FORMS)
class TestMessages:
    def test_h6_outputs_are_kept_with_their_calls(self, form: str, store: HudStore) -> None:
        session = store.session("s")
        prune_messages(session, FORMS[form](LISTING, "short", f"x\n{LISTING}"), form)  # type: ignore[arg-type]
        assert [each.tool for each in session.outputs()] == ["Bash"]  # of the last, which is new

    def test_h6_only_texts_change(self, form: str, store: HudStore) -> None:
        messages = FORMS[form](LISTING, "short")
        before = deepcopy(messages)
        made = prune_messages(store.session("s"), messages, form)  # type: ignore[arg-type]
        assert messages == before
        assert len(made) == len(messages)
        assert "…" not in json.dumps(
            made[2], ensure_ascii=False
        )  # the model has read it whole already
        new = prune_messages(store.session("s"), FORMS[form](LISTING), form)  # type: ignore[arg-type]
        assert NOTICE.strip() in json.dumps(new, ensure_ascii=False)
        assert new[1] == messages[1]

    def test_the_history_keeps_its_beginning(self, form: str, store: HudStore) -> None:
        session = store.session("s")
        results: list[str] = []
        before: list[Any] = []
        for number in range(12):
            results.append(f"{number}/\n{LISTING}")
            if number == 6:
                session.record("context.snapshot", used=190_000, limit=200_000)
            now = prune_messages(session, FORMS[form](*results), form)  # type: ignore[arg-type]
            assert now[: len(before)] == before
            before = now

    def test_h6_old_outputs_go_together(self, form: str, store: HudStore) -> None:
        texts = [f"{number} " + "word " * 12_000 for number in range(8)]
        policy = Pruning(smart=None, old=OldOutputs(turns=0))
        made = prune_messages(store.session("s"), FORMS[form](*texts), form, prune=policy)  # type: ignore[arg-type]
        gone = json.dumps(made, ensure_ascii=False).count("… 1 lines of Bash")
        assert 0 < gone < 8


def test_blocks_of_a_result_are_outputs_of_their_own(store: HudStore) -> None:
    blocks = [
        {"type": "text", "text": LISTING},
        {"type": "text", "text": f"x{LISTING}", "synthetic": True},
        {"type": "image", "source": {}},
    ]
    messages = anthropic("")
    messages[2]["content"][0]["content"] = blocks
    made = prune_messages(store.session("s"), messages, "anthropic")[2]["content"][0]["content"]
    assert NOTICE in made[0]["text"]
    assert made[1:] == blocks[1:]


def test_a_form_that_is_none_is_refused(store: HudStore) -> None:
    with pytest.raises(PruningError, match="not a form of messages; did you mean"):
        prune_messages(store.session("s"), [], "antropic")  # type: ignore[arg-type]


@pytest.mark.parametrize("prune", [1, "yes", None, object()])
def test_a_policy_that_is_none_is_refused(store: HudStore, prune: Any) -> None:
    with pytest.raises(PruningError, match="prune is True, False or a Pruning"):
        HostSession(store.session("s"), prune=prune)


JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["role", "content", "type", "text", "tool_use_id", "parts", "functionResponse", "response", "output", "call_id"]
    ), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(st.sampled_from(sorted(FORMS)), st.lists(st.dictionaries(st.sampled_from(["role", "content", "type", "parts", "output"]), JSON, max_size=4), max_size=4))  # fmt: skip
def test_broken_messages_are_passed_on_as_they_are(form: str, messages: list[Any]) -> None:
    with HudStore.open(":memory:") as store:
        before = deepcopy(messages)
        assert prune_messages(store.session("s"), messages, form) == before  # type: ignore[arg-type]


# --- Requests on their way ---


def test_n3_a_request_on_its_way_is_pruned_and_stays_the_same(store: HudStore) -> None:
    wire = Wire(store.session("s"), prune=True)
    tools = [{"name": "Bash"}]
    sent: list[Any] = []
    for number in range(1, 4):
        results = [f"{each}/\n{LISTING}" for each in range(number)]
        body, _ = wire.request(MESSAGES, {"messages": anthropic(*results), "tools": tools})
        texts = [
            block["content"]
            for message in body["messages"]
            for block in message["content"]
            if isinstance(block, dict) and block.get("type") == "tool_result"
        ]
        assert all("hud output o-" in each for each in texts)
        assert texts[: len(sent)] == sent
        sent = texts
    # The session saw the whole: what it was told of is no notice.
    kept = store.session("s").outputs()
    assert len(kept) == 3


def test_without_the_argument_nothing_changes(store: HudStore) -> None:
    host = HostSession(store.session("s"))
    assert not host.prunes
    assert host.pruned(ToolOutput(text=LISTING, tool="Glob")) == LISTING
    assert store.session("s").outputs() == []


def test_a_subagent_prunes_as_its_parent_does(store: HudStore) -> None:
    host = HostSession.of(store, "s", prune=True).child("reviewer")
    assert NOTICE in host.pruned(ToolOutput(text=LISTING, tool="Glob"))
    assert len(store.session("s/reviewer").outputs()) == 1
