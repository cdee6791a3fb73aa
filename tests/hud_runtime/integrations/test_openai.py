"""OpenAI's SDK with a HUD: the requests that it really sends."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("openai.lib.responses_tool_runner", reason="openai is not installed")

import openai
from openai.lib.responses_tool_runner import (
    AsyncRegisteredFunction,
    AsyncResponsesToolRunner,
    RegisteredFunction,
    ResponsesToolRunner,
)

from hud_runtime import HudStore
from hud_runtime.integrations.openai import Hud
from tests.hud_runtime.integrations import agents
from tests.hud_runtime.integrations.agents import (
    ASK,
    FAULTS,
    SCRIPT,
    WITH_BROKEN,
    Fault,
    Shell,
    hud,
    play,
)
from tests.hud_runtime.integrations.loopback import Call, Model, Refusal


def function(name: str) -> Any:
    parameters = {"type": "object", "properties": {}, "additionalProperties": True}
    more = {"parameters": parameters, "strict": False, "description": name}
    return {"type": "function", "name": name, **more}


def own_tools() -> dict[str, Any]:
    return {"Read": agents.read_file, "Bash": Shell()}


def client(model: Model, ours: Hud, retries: int = 0) -> openai.OpenAI:
    return openai.OpenAI(
        base_url=f"{model.url}/v1",
        api_key="x",
        max_retries=retries,
        http_client=ours.http_client(),
    )


def responses(
    used: openai.OpenAI,
    ours: Hud,
    ask: str = ASK,
    *,
    served_by: str = "gpt-5.1",
    holds: bool = False,
    streams: bool = False,
) -> list[Any]:
    """A loop of one's own with Responses."""
    tools = own_tools()
    given: dict[str, Any] = {
        "model": served_by,
        "instructions": "You are a coder.",
        "tools": [*ours.definitions(), *(function(each) for each in tools)],
    }
    items: list[Any] = [{"role": "user", "content": ask}]
    while True:
        if streams:
            with used.responses.stream(input=items, **given) as stream:
                answer = stream.get_final_response()
        else:
            answer = used.responses.create(input=items, **given)
        new = ours.results(answer)
        for each in answer.output:
            if each.type == "function_call" and each.name in tools:
                output = tools[each.name](**json.loads(each.arguments))
                result = {"type": "function_call_output", "call_id": each.call_id, "output": output}
                new.append(result)
        if holds:
            given["previous_response_id"] = answer.id
            items = new
        else:
            items = [*items, *(each.model_dump(exclude_none=True) for each in answer.output), *new]
        if not new:
            assert answer.output_text in ("The login is there.", "done", "ok")
            return items


def chat(
    used: openai.OpenAI,
    ours: Hud,
    ask: str = ASK,
    *,
    served_by: str = "gpt-5.1",
    streams: bool = False,
) -> list[Any]:
    """A loop of one's own with Chat Completions."""
    tools = own_tools()
    offered = [
        *ours.definitions(chat=True),
        *(
            {"type": "function", "function": {"name": each, "parameters": {"type": "object"}}}
            for each in tools
        ),
    ]
    messages: list[Any] = [
        {"role": "system", "content": "You are a coder."},
        {"role": "user", "content": ask},
    ]
    while True:
        given: Any = {"model": served_by, "messages": messages, "tools": offered}
        if streams:
            more = {"stream_options": {"include_usage": True}}
            with used.chat.completions.stream(**given, **more) as stream:
                answer = stream.get_final_completion()
        else:
            answer = used.chat.completions.create(**given)
        message = answer.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        new = ours.results(answer)
        for each in message.tool_calls or ():
            if each.function.name in tools:
                text = tools[each.function.name](**json.loads(each.function.arguments))
                new.append({"role": "tool", "tool_call_id": each.id, "content": text})
        if not new:
            return messages
        messages += new


def runner(used: openai.OpenAI, ours: Hud, *, store: bool = False) -> None:
    own = [
        RegisteredFunction(function(name), lambda given, work=work: work(**given))
        for name, work in own_tools().items()
    ]
    given: Any = {
        "model": "gpt-5.1",
        "instructions": "You are a coder.",
        "input": [{"role": "user", "content": ASK}],
        "store": store,
    }
    turns = ResponsesToolRunner(functions=[*ours.functions(), *own]).iterate(
        used, given, max_steps=20
    )
    assert [each.final for each in turns][-1]


def ran(loop: Any = responses, options: Any = {}, **more: Any) -> Any:  # noqa: B006
    def go(model: Model, store: HudStore) -> None:
        ours = Hud(store, **options)
        with client(model, ours) as used:
            kept = loop(used, ours, **more)
        assert "# HUD" not in str(kept)

    return go


def ran_async(model: Model, store: HudStore) -> None:
    async def go() -> None:
        ours = Hud(store)
        shell = Shell()

        async def read(given: Any) -> str:
            return agents.read_file(**given)

        async def run(given: Any) -> str:
            return shell(**given)

        own = [
            AsyncRegisteredFunction(function("Read"), read),
            AsyncRegisteredFunction(function("Bash"), run),
        ]
        given: Any = {
            "model": "gpt-5.1",
            "instructions": "You are a coder.",
            "input": [{"role": "user", "content": ASK}],
            "store": False,
        }
        async with openai.AsyncOpenAI(
            base_url=f"{model.url}/v1", api_key="x", http_client=ours.async_http_client()
        ) as used:
            turns = AsyncResponsesToolRunner(functions=[*ours.async_functions(), *own])
            async for _ in turns.iterate(used, given, max_steps=20):
                pass

    asyncio.run(go())


WAYS = {
    "responses": ran(),
    "responses, streamed": ran(streams=True),
    "responses, gpt-5.6": ran(served_by="gpt-5.6-sol"),
    "previous_response_id": ran(holds=True),
    "chat": ran(chat),
    "chat, streamed": ran(chat, streams=True),
    "runner": ran(runner),
    "async runner": ran_async,
}


@pytest.mark.parametrize("way", WAYS)
def test_append(way: str) -> None:
    played = play(WAYS[way], WITH_BROKEN)
    agents.check_append(played.model.asked)
    agents.check_session(played.session)
    agents.check_usage(played.session, played.model.asked)
    assert {"hud", "Read", "Bash"} <= played.model.asked[0].tools


@pytest.mark.parametrize("served_by", ["gpt-5.1", "gpt-5.6-sol"])
@pytest.mark.parametrize("loop", [responses, chat])
def test_tail(loop: Any, served_by: str) -> None:
    played = play(ran(loop, {"mode": "tail"}, served_by=served_by), WITH_BROKEN)
    agents.check_tail(played.model.asked, marked="5.6" in served_by)
    if "5.6" not in served_by:
        assert not any(block.is_marked for each in played.model.asked for block in each.blocks)
    agents.check_session(played.session)


@pytest.mark.parametrize("loop", [responses, chat])
def test_system(loop: Any) -> None:
    agents.check_system(play(ran(loop, {"mode": "system"}), WITH_BROKEN).model.asked)


def test_a_tail_is_appended_where_the_provider_holds_the_history() -> None:
    told: list[str] = []
    options = {"mode": "tail", "on_warning": told.append}
    played = play(ran(responses, options, holds=True), check=False)
    assert len(told) == 1
    assert "would pile up" in told[0]
    agents.check_session(played.session)


def test_another_branch_of_a_held_history_is_told_all() -> None:
    def go(model: Model, store: HudStore) -> None:
        ours = Hud(store)
        with client(model, ours) as used:
            first = used.responses.create(model="gpt-5.1", input=ASK)
            for number in range(2):
                store.session(store.sessions()[0]).record("note.add", content=f"note {number}")
                used.responses.create(
                    model="gpt-5.1",
                    input=f"Try way {number} of doing it.",
                    previous_response_id=first.id,
                )

    played = play(go)
    assert "note 0" in played.model.asked[2].ours()[-1].text


@pytest.mark.parametrize("loop", [responses, chat, runner])
def test_a_refusal_is_told_and_ends_nothing(loop: Any) -> None:
    script = [*[hud("no.such")] * 3, Call("hud", '{"op": "no'), "The login is there."]
    played = play(ran(loop), script)
    assert len(played.model.asked) == 5
    answers = [each.text for each in played.model.asked[-1].blocks if "no.such" in each.text]
    assert len(answers) >= 6


def test_a_retry_says_the_same() -> None:
    def go(model: Model, store: HudStore) -> None:
        ours = Hud(store)
        with client(model, ours, retries=2) as used:
            responses(used, ours, holds=True)

    played = play(go, [SCRIPT[0], Refusal(503), *SCRIPT[1:]])
    first, again = played.model.asked[1:3]
    assert [each.text for each in first.blocks] == [each.text for each in again.blocks]


def test_other_requests_are_left_alone() -> None:
    def go(model: Model, store: HudStore) -> None:
        ours = Hud(store)
        with client(model, ours) as used:
            responses(used, ours)
            used.responses.create(model="gpt-5.1", input="Give this a title.")
            used.models.list()

    played = play(go, [hud("notes.add", content="x"), "done", "A title"], check=False)
    assert [len(each.ours()) for each in played.model.asked] == [0, 1, 0]


def test_conversations_and_subagents_stay_apart() -> None:
    def go(model: Model, store: HudStore) -> None:
        ours = Hud(store)
        with client(model, ours) as used:
            for name in ("a", "b"):
                with ours.running(name):
                    responses(used, ours, f"Mend part {name} of the ledger.")
            with ours.running("a"), ours.subagent("reviewer"):
                responses(used, ours, "Review what was done there.")

    played = play(go, [hud("notes.add", content="x"), "done"] * 3, check=False)
    assert set(played.store.sessions()) == {"a", "a/reviewer", "b"}
    for name in "ab":
        state = played.store.session(name).state()
        assert state.task.description == f"Mend part {name} of the ledger."
        assert len(state.notes) == 1


@pytest.mark.parametrize("mode", ["append", "tail", "system"])
@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_ends_a_run(fault: Fault, mode: Any) -> None:
    def run(model: Model, source: Any, tell: Any) -> None:
        ran(options={"mode": mode, "on_warning": tell})(model, source)

    agents.check_fault(run, fault)
