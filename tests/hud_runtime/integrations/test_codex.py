"""Codex's hooks: what each event means, and what is said to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import HudSession, HudStore
from hud_runtime.integrations.codex import Codex, Rollout
from hud_runtime.observe import ContextUsed, ToolAnswer, ToolCall
from tests.hosts.told import misses
from tests.hud_runtime.integrations.codex_player import Clock, Player, recorded

MAIN = recorded()[0]["rollout"]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(clock: Clock) -> Iterator[HudStore]:
    with HudStore.open(":memory:", clock=clock) as opened:
        yield opened


@pytest.fixture
def player(tmp_path: Path, store: HudStore, clock: Clock) -> Player:
    return Player(tmp_path, lambda: store, clock)


def gap(player: Player, store: HudStore, event: dict[str, Any]) -> set[str]:
    """What the model of a hook's thread does not know of its session, or knows wrongly."""
    agent = event.get("agent_id")
    name = f"{event['session_id']}/{agent}" if agent else str(event["session_id"])
    session = store.session(name)
    thread = str(agent or event["session_id"])
    said = player.conversation[thread]
    wrong = misses(player.read[thread], session, session.version, said)
    # The hint goes with the second reading after a compaction, and readings are no news. Commands, and what
    # was done since the newest request, stand with the last finding, and are left out with it where the request has it.
    known = ("- The history was compacted", "- ran:", "- since asked:")
    return {each for each in wrong if not each.startswith(known)}


def is_calm(player: Player, store: HudStore, event: dict[str, Any]) -> bool:
    """Whether a request follows in which the HUD is as long as usual.

    Where the context is nearly full it shows the same in fewer words, which is no news; a summary is asked for.
    """
    usage = store.session(str(event["session_id"])).state().usage
    is_before_a_prompt = event["hook_event_name"] in ("SessionStart", "SessionEnd")
    return (not is_before_a_prompt or event.get("source") == "compact") and (
        usage is None or usage.used < 0.7 * usage.limit
    )


def add_note(store: HudStore, name: str, text: str) -> None:
    store.session(name).call("hud", {"call": {"op": "notes.add", "content": text}})


def session(store: HudStore) -> Any:
    return store.session(MAIN).state()


def check(store: HudStore) -> None:
    """Whether a session's state is what happened in the recorded one."""
    state = session(store)
    assert [each.content for each in state.notes] == [
        "The worker listens on port 8080",
        "Five attempts an hour",
    ]
    assert [each.description for each in state.next_steps] == ["Limit wrong attempts"]
    assert [each.summary for each in state.decisions] == ["Use JWT"]
    assert [each.path for each in state.active_files] == ["test_login.py"]
    assert [each.resolved for each in state.errors] == [True]
    assert [each.result for each in state.checks] == ["pass"]
    assert state.session.compactions == 1
    assert state.usage.limit == 258_400
    assert state.usage.model == "gpt-5.6-sol"
    assert state.task.description.startswith("Go on with the rate limit")


def test_append_tells_the_state_after_each_hook(player: Player, store: HudStore) -> None:
    for event in player.play(recorded()):
        if is_calm(player, store, event):
            assert not gap(player, store, event), event["hook_event_name"]
    check(store)
    assert player.news == []
    texts = player.read[MAIN]
    assert texts[0].startswith("# HUD\n")
    assert "- Five attempts an hour" in texts[0]
    assert "The login was begun." not in texts[0]  # the request has the summary
    assert sum(each.startswith("# HUD\n") for each in texts) == 2  # the compaction, and the resume


def test_a_failing_check_is_told_with_the_step_that_it_fails_in(player: Player) -> None:
    """Its hook is told of no exit status; the rollout has it already."""
    lines = recorded()
    for event in player.play(lines):
        if "pytest" in str(event.get("tool_input")):
            assert "test_login.py::test_login" in player.read[MAIN][-1]
            return
    pytest.fail("there is none")


def test_it_goes_on_after_the_process_was_killed_at_any_hook(tmp_path: Path, clock: Clock) -> None:
    lines = recorded()
    hooks = [number for number, each in enumerate(lines) if "hook" in each]
    for place in hooks[2::6]:
        folder = tmp_path / str(place)
        folder.mkdir()
        with HudStore.open(":memory:", clock=clock) as store:
            player = Player(folder, lambda opened=store: opened, clock)
            for _ in player.play(lines[:place]):
                pass
            player.begin()
            for event in player.play(lines[place:]):
                if is_calm(player, store, event):
                    assert not gap(player, store, event), (place, event["hook_event_name"])
            check(store)


def test_it_goes_on_without_rollouts(player: Player, store: HudStore) -> None:
    """An ephemeral session writes none: what hooks are told is what there is."""
    player.has_rollouts = False
    for _ in player.play(recorded()):
        pass
    state = session(store)
    assert [each.path for each in state.active_files] == ["test_login.py"]
    assert state.session.compactions == 1
    assert len(state.notes) == 2
    assert state.usage is None


def test_a_subagent_is_a_child_with_calls_of_its_own(player: Player, store: HudStore) -> None:
    for _ in player.play(recorded()):
        pass
    [name] = [each for each in store.sessions() if "/" in each]
    child = store.session(name).state()
    assert [each.content for each in child.notes] == ["The subagent was here"]
    first = player.read[name.partition("/")[2]][0]
    assert first.startswith("# HUD\n")
    assert "Use JWT" in first


def test_a_refusal_reaches_the_model_and_changes_nothing(player: Player) -> None:
    for _ in player.play(recorded()):
        pass
    [text] = [text for text, is_error in player.answers if is_error]
    assert "there is none" in text


def test_a_call_of_nobodys_is_refused(player: Player) -> None:
    told = json.loads(player.ask("codex-call", {"tool": "hud", "arguments": {}}))
    assert told["is_error"]
    assert "send a message first" in told["text"]


def test_two_sessions_stay_apart(player: Player, store: HudStore) -> None:
    for name in ("a", "b"):
        start = {"session_id": name, "hook_event_name": "SessionStart", "source": "startup"}
        player.hook({**start, "transcript_path": name, "cwd": "/srv/shop"})
        given = {"call": {"op": "notes.add", "content": f"Note of {name}"}}
        call = {"tool": "hud", "arguments": given, "session_id": name, "thread_id": name}
        player.ask("codex-call", call)
    notes = {name: [each.content for each in store.session(name).state().notes] for name in "ab"}
    assert notes == {"a": ["Note of a"], "b": ["Note of b"]}


def test_a_fork_begins_with_what_its_origin_had(player: Player, store: HudStore) -> None:
    add_note(store, "origin", "Port 8080")
    meta = {"id": "copy", "forked_from_id": "origin"}
    record = {"timestamp": "2026-11-23T01:00:00.000Z", "type": "session_meta", "payload": meta}
    player.write("copy", record)
    start = {"session_id": "copy", "hook_event_name": "SessionStart", "source": "startup"}
    text = player.hook({**start, "transcript_path": "copy", "cwd": "/srv/shop"})
    assert "Port 8080" in text


def test_turns_that_are_taken_back_take_our_words_with_them(player: Player) -> None:
    common = {"session_id": "s", "transcript_path": "s", "cwd": "/srv/shop"}
    player.hook({**common, "hook_event_name": "SessionStart", "source": "startup"})
    prompt = {**common, "hook_event_name": "UserPromptSubmit", "prompt": "Add a login."}
    player.hook(prompt)
    back = {"type": "thread_rolled_back", "num_turns": 1}
    record = {"timestamp": "2026-11-23T01:00:00.000Z", "type": "event_msg", "payload": back}
    player.write("s", record)
    text = player.hook({**prompt, "prompt": "Add a logout."})
    assert text.startswith("# HUD\n")
    assert "Add a login." not in text


def test_words_that_the_request_has_are_not_told_again(player: Player) -> None:
    common = {"session_id": "s", "transcript_path": "s", "cwd": "/srv/shop"}
    player.hook({**common, "hook_event_name": "SessionStart", "source": "startup"})
    prompt = {**common, "hook_event_name": "UserPromptSubmit", "prompt": "Add a login, please."}
    assert "Add a login" not in player.hook(prompt)
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": prompt["prompt"]}]}  # fmt: skip
    said = {"type": "compacted", "payload": {"message": "It was begun."}}
    for record in ({"type": "response_item", "payload": item}, said):
        player.write("s", {"timestamp": "2026-11-23T01:00:00.000Z", **record})
    text = player.hook({**common, "hook_event_name": "SessionStart", "source": "compact"})
    assert "Add a login, please." in text  # the summary does not have it
    assert "It was begun." not in text


def test_a_new_session_is_told_nothing_empty(player: Player) -> None:
    common = {"session_id": "s", "transcript_path": "s", "cwd": "/srv/shop"}
    start = {**common, "hook_event_name": "SessionStart", "source": "startup"}
    assert player.hook(start) == ""
    prompt = {**common, "hook_event_name": "UserPromptSubmit", "prompt": "Add a login."}
    assert player.hook(prompt).startswith("# HUD\n\n**Session:** project")


def test_texts_are_no_longer_than_the_host_takes_in_bytes(player: Player, store: HudStore) -> None:
    for number in range(120):
        add_note(store, "s", f"{number}: " + "долгая записка " * 8)
    common = {"session_id": "s", "transcript_path": "s", "cwd": "/srv/shop"}
    text = player.hook({**common, "hook_event_name": "SessionStart", "source": "startup"})
    assert 2_000 < len(text.encode()) <= 9_600


def test_no_fault_of_ours_ends_a_turn(tmp_path: Path, clock: Clock) -> None:
    """The store cannot be opened for a while; then it can, and what happened is there."""
    lines, broken = recorded(), [True]
    with HudStore.open(":memory:", clock=clock) as store:

        def opened() -> HudStore:
            if broken[0]:
                raise OSError(28, "No space left on device")
            return store

        player = Player(tmp_path, opened, clock)
        half = next(n for n, each in enumerate(lines) if "pytest" in json.dumps(each)) + 6
        for _ in player.play(lines[:half]):
            pass
        assert player.read[MAIN] == []
        assert len([each for each in player.news if "No space left" in each]) == 1
        assert all(is_error for _, is_error in player.answers)
        broken[0] = False
        told = len(player.news)
        for _ in player.play(lines[half:]):
            pass
        assert len(player.news) == told
        state = session(store)
        assert [each.path for each in state.active_files] == ["test_login.py"]
        assert state.task.goal == "Add a login with JWT to the shop, with tests."


def test_no_fault_in_a_component_ends_a_turn(
    player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raises(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    lines = recorded()
    half = next(n for n, each in enumerate(lines) if "call" in each) + 2
    for _ in player.play(lines[:half]):
        pass
    monkeypatch.setattr(HudSession, "deliver", raises)
    before = len(player.read[MAIN])
    for event in player.play(lines[half:]):
        if event["hook_event_name"] == "SessionEnd":
            break
    assert len(player.read[MAIN]) == before
    assert len([each for each in player.news if "ZeroDivisionError" in each]) == 1


def test_no_fault_follows_from_a_session_that_never_ends(player: Player, store: HudStore) -> None:
    lines = [each for each in recorded() if each.get("hook", {}).get("hook_event_name") != "SessionEnd"]  # fmt: skip
    for _ in player.play(lines):
        pass
    check(store)


@pytest.mark.parametrize("given", [b"", b"{", b"[]", b'{"hook_event_name":"Stop"}', b"\xff"])
def test_what_is_no_event_says_nothing(store: HudStore, given: bytes) -> None:
    assert Codex(lambda: store).hook(given).text == ""


class TestARollout:
    def test_is_read_on_from_its_last_whole_line(self, tmp_path: Path) -> None:
        path = tmp_path / "r.jsonl"
        rollout = Rollout(path, since=0)
        assert rollout.read_on() == []
        lines = [json.dumps(each["record"]) for each in recorded() if each.get("rollout") == MAIN]
        text = "\n".join(lines) + "\n"
        seen = []
        for begin in range(0, len(text), 1_000):
            with path.open("a") as file:
                file.write(text[begin : begin + 1_000])
            seen += rollout.read_on()
        path.rename(tmp_path / "whole.jsonl")
        whole = Rollout(tmp_path / "whole.jsonl", since=0).read_on()
        kinds = [type(each) for each in whole if type(each).__name__ != "UserMessage"]
        assert [type(each) for each in seen if type(each).__name__ != "UserMessage"] == kinds

    def test_tells_a_calls_end_once(self, tmp_path: Path) -> None:
        path = tmp_path / "r.jsonl"
        records = [each["record"] for each in recorded() if each.get("rollout") == MAIN]
        path.write_text("".join(json.dumps(each) + "\n" for each in records))
        ended = [each.call_id for each in Rollout(path, since=0).read_on() if isinstance(each, ToolAnswer)]  # fmt: skip
        assert len(ended) == len(set(ended)) > 12

    def test_tells_of_what_is_known_the_newest_reading_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "r.jsonl"
        records = [each["record"] for each in recorded() if each.get("rollout") == MAIN]
        path.write_text("".join(json.dumps(each) + "\n" for each in records))
        [reading] = Rollout(path, since=2**62).read_on()
        assert isinstance(reading, ContextUsed)
        assert reading.limit == 258_400

    def test_another_process_goes_on_where_one_stood(self, tmp_path: Path) -> None:
        """At any line, what both tell is what one tells; a call whose end is still to come is told to the other, too."""
        path = tmp_path / "r.jsonl"
        lines = [json.dumps(each["record"]) + "\n" for each in recorded() if each.get("rollout") == MAIN]  # fmt: skip
        path.write_text("".join(lines))
        whole = Rollout(path, since=1).read_on()
        assert any(isinstance(each, ToolCall) for each in whole)
        for cut in range(0, len(lines), 3):
            path.write_text("".join(lines[:cut]))
            one = Rollout(path, since=1)
            first = one.read_on()
            path.write_text("".join(lines))
            then = Rollout(path, since=2**62, known=one.known if cut else None)
            if not cut:
                continue
            second = then.read_on()
            again = [each for each in second if isinstance(each, ToolCall) and each in first]
            ends = {each.call_id for each in second if isinstance(each, ToolAnswer)}
            assert {each.call_id for each in again} <= ends
            assert [*first, *(each for each in second if each not in again)] == whole

    def test_leaves_to_hooks_what_nobody_can_say_is_known(self, tmp_path: Path) -> None:
        path = tmp_path / "r.jsonl"
        records = [each["record"] for each in recorded() if each.get("rollout") == MAIN]
        path.write_text("".join(json.dumps(each) + "\n" for each in records))
        calls = [each.call_id or "" for each in Rollout(path, since=0).read_on() if isinstance(each, ToolAnswer)]  # fmt: skip
        rollout, known = Rollout(path, since=None), Rollout(path, since=2**62)
        assert [type(each) for each in rollout.read_on()] == [ContextUsed]
        known.read_on()
        assert not any(map(rollout.has_ended, calls))
        assert all(map(known.has_ended, calls))


def test_a_call_in_a_broken_store_is_not_lost_to_a_new_process(
    tmp_path: Path, clock: Clock
) -> None:
    lines, broken = recorded(), [False]
    with HudStore.open(":memory:", clock=clock) as store:

        def opened() -> HudStore:
            if broken[0]:
                raise OSError(28, "No space left on device")
            return store

        player = Player(tmp_path, opened, clock)
        hooks = (n for n, each in enumerate(lines) if "tool_input" in each.get("hook", {}))
        at = next(n for n in hooks if "pytest" in json.dumps(lines[n]["hook"]["tool_input"]))
        for _ in player.play(lines[:at]):
            pass
        player.begin()
        broken[0] = True
        for _ in player.play(lines[at : at + 1]):
            pass
        broken[0] = False
        next(player.play(lines[at + 1 :]))
        assert [each.result for each in session(store).checks] == ["fail"]
