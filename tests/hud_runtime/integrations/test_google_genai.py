"""Google's GenAI SDK with a HUD: the requests that it really sends."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("google.genai", reason="google-genai is not installed")

from google import genai
from google.genai import types

from hud_runtime import HudStore
from hud_runtime.integrations.google_genai import Hud
from tests.hud_runtime.integrations import agents
from tests.hud_runtime.integrations.agents import ASK, FAULTS, Fault, Shell, hud, play
from tests.hud_runtime.integrations.loopback import Call, Model, Reply

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

NAME = "gemini-3-pro"


def own_tools() -> dict[str, Any]:
    return {"Read": agents.read_file, "Bash": Shell()}


def client(model: Model, ours: Hud) -> genai.Client:
    return genai.Client(api_key="x", http_options=ours.http_options(base_url=model.url))


def config(ours: Hud, **more: Any) -> types.GenerateContentConfig:
    made = [
        types.FunctionDeclaration(name=each, parameters_json_schema={"type": "object"})
        for each in own_tools()
    ]
    return types.GenerateContentConfig(
        system_instruction="You are a coder.",
        tools=[ours.tool(), types.Tool(function_declarations=made)],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        **more,
    )


def loop(used: genai.Client, ours: Hud, ask: str = ASK, *, streams: bool = False) -> list[Any]:
    """A loop of one's own."""
    tools = own_tools()
    contents: list[Any] = [types.Content(role="user", parts=[types.Part(text=ask)])]
    while True:
        given: Any = {"model": NAME, "contents": contents, "config": config(ours)}
        if streams:
            [answer] = used.models.generate_content_stream(**given)
        else:
            answer = used.models.generate_content(**given)
        contents.append(answer.candidates[0].content)
        new = ours.results(answer)
        for each in answer.function_calls or ():
            if each.name in tools:
                result = {"result": tools[each.name](**each.args)}
                response = types.FunctionResponse(id=each.id, name=each.name, response=result)
                new.append(types.Part(function_response=response))
        if not new:
            return contents
        contents.append(types.Content(role="user", parts=new))


def ran(options: Any = {}, **more: Any) -> Any:  # noqa: B006
    def go(model: Model, store: HudStore) -> None:
        ours = Hud(store, **options)
        used = client(model, ours)
        contents = loop(used, ours, **more)
        assert contents[-1].parts[0].text == "The login is there."
        assert "# HUD" not in str(contents)

    return go


def ran_async(model: Model, store: HudStore) -> None:
    async def go() -> None:
        ours = Hud(store)
        used = client(model, ours)
        tools = own_tools()
        contents: list[Any] = [types.Content(role="user", parts=[types.Part(text=ASK)])]
        while True:
            answer = await used.aio.models.generate_content(
                model=NAME, contents=contents, config=config(ours)
            )
            contents.append(answer.candidates[0].content)
            new = await ours.aresults(answer)
            for each in answer.function_calls or ():
                if each.name in tools:
                    result = {"result": tools[each.name](**each.args)}
                    response = types.FunctionResponse(id=each.id, name=each.name, response=result)
                    new.append(types.Part(function_response=response))
            if not new:
                await used.aio.aclose()
                return
            contents.append(types.Content(role="user", parts=new))

    asyncio.run(go())


@pytest.mark.parametrize(
    "way", [ran(), ran(streams=True), ran_async], ids=["whole", "stream", "async"]
)
def test_append(way: Any) -> None:
    played = play(way)
    agents.check_append(played.model.asked)
    agents.check_session(played.session)
    agents.check_usage(played.session, played.model.asked)
    assert {"hud", "Read", "Bash"} <= played.model.asked[0].tools


def test_tail() -> None:
    played = play(ran({"mode": "tail"}))
    agents.check_tail(played.model.asked, marked=False)
    agents.check_session(played.session)


def test_system() -> None:
    agents.check_system(play(ran({"mode": "system"})).model.asked)


def automatic(reply: Reply) -> Reply:
    """What a model says that has the HUD's tools as functions of one argument."""
    if isinstance(reply, list):
        return [each if isinstance(each, str) else automatic(each) for each in reply]  # type: ignore[misc]
    if isinstance(reply, Call) and reply.name == "hud":
        return Call("hud", json.dumps({"arguments": reply.arguments}))
    return reply


def test_automatic_function_calling_has_the_hud_in_each_request() -> None:
    """It is one call for the caller, and raw arguments for the HUD's tools: broken ones are mended."""

    def go(model: Model, store: HudStore) -> None:
        ours = Hud(store)
        shell = Shell()

        def Read(file_path: str) -> str:
            """Read."""
            return agents.read_file(file_path)

        def Bash(command: str) -> str:
            """Run."""
            return shell(command)

        settings = types.GenerateContentConfig(
            system_instruction="You are a coder.",
            tools=[*ours.functions(), Read, Bash],
            automatic_function_calling=types.AutomaticFunctionCallingConfig(
                maximum_remote_calls=20
            ),
        )
        used = client(model, ours)
        answer = used.models.generate_content(model=NAME, contents=ASK, config=settings)
        assert answer.text == "The login is there."

    played = play(go, [automatic(each) for each in agents.WITH_BROKEN])
    agents.check_append(played.model.asked)
    agents.check_session(played.session)


def test_a_chat_keeps_its_history_to_itself() -> None:
    def go(model: Model, store: HudStore) -> None:
        ours = Hud(store)
        used = client(model, ours)
        chat = used.chats.create(model=NAME, config=config(ours))
        chat.send_message(ASK)
        chat.send_message("Now rename it, please, to sign-in.")
        assert "# HUD" not in str(chat.get_history())

    played = play(go, ["one", "two"])
    agents.check_append(played.model.asked)


def test_a_refusal_is_an_error_and_ends_nothing() -> None:
    played = play(ran(), [*[hud("no.such")] * 3, "The login is there."])
    [*_, last] = [each for each in played.model.asked[-1].blocks if "functionResponse" in each.text]
    assert '"error"' in last.text
    assert "no.such" in last.text


def test_conversations_and_subagents_stay_apart() -> None:
    def go(model: Model, store: HudStore) -> None:
        ours = Hud(store)
        used = client(model, ours)
        for name in ("a", "b"):
            with ours.running(name):
                loop(used, ours, f"Mend part {name} of the ledger.")
        with ours.running("a"), ours.subagent("reviewer"):
            loop(used, ours, "Review what was done there.")

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
        ran({"mode": mode, "on_warning": tell})(model, source)

    agents.check_fault(run, fault)
