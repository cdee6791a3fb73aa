"""Anthropic's SDK with a HUD: the requests that it really sends."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("anthropic.lib.tools", reason="anthropic is not installed")

import anthropic
from anthropic.lib.tools import BetaAsyncBuiltinFunctionTool, BetaBuiltinFunctionTool

from hud_runtime import DeliveryError, HudStore
from hud_runtime.integrations.anthropic import Hud
from tests.hud_runtime.integrations import agents
from tests.hud_runtime.integrations.agents import ASK, FAULTS, SCRIPT, Fault, Shell, hud, play
from tests.hud_runtime.integrations.loopback import Call, Model, Refusal

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

NAME = "claude-sonnet-4-5"


def own_tools() -> dict[str, Any]:
    return {"Read": agents.read_file, "Bash": Shell()}


def schema(name: str) -> dict[str, Any]:
    return {"name": name, "description": name, "input_schema": {"type": "object"}}


class Tool(BetaBuiltinFunctionTool):
    def __init__(self, named: str, work: Any) -> None:
        self.named, self.work = named, work

    def to_dict(self) -> Any:
        return schema(self.named)

    def call(self, input: Any) -> str:  # noqa: A002
        return str(self.work(**input))


class AsyncTool(BetaAsyncBuiltinFunctionTool):
    def __init__(self, named: str, work: Any) -> None:
        self.named, self.work = named, work

    def to_dict(self) -> Any:
        return schema(self.named)

    async def call(self, input: Any) -> str:  # noqa: A002
        return str(self.work(**input))


def arguments(ask: str = ASK, **more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": ask}]
    return {
        "model": NAME,
        "max_tokens": 99,
        "system": "You are a coder.",
        "messages": messages,
    } | more


def client(
    model: Model, *middleware: Any, kind: Any = anthropic.Anthropic, retries: int = 0
) -> Any:
    return kind(base_url=model.url, api_key="x", max_retries=retries, middleware=list(middleware))


def loop(client: Any, ours: Hud, *, streams: bool = False, **more: Any) -> list[Any]:
    """A loop of one's own: messages.create until no tool is called."""
    given, tools = arguments(**more), own_tools()
    given["tools"] = [*ours.definitions(), *(schema(each) for each in tools)]
    messages = given.pop("messages")
    while True:
        if streams:
            with client.messages.stream(messages=messages, **given) as stream:
                answer = stream.get_final_message()
        else:
            answer = client.messages.create(messages=messages, **given)
        messages.append({"role": "assistant", "content": answer.content})
        results = ours.results(answer)
        for each in answer.content:
            if each.type == "tool_use" and each.name in tools:
                text = tools[each.name](**each.input)
                result = {"type": "tool_result", "tool_use_id": each.id, "content": text}
                results.append(result)
        if not results:
            return messages
        messages.append({"role": "user", "content": results})


def runner(client: Any, ours: Hud, **more: Any) -> Any:
    tools = [*ours.tools(), *(Tool(name, work) for name, work in own_tools().items())]
    return client.beta.messages.tool_runner(**arguments(**more), tools=tools)


def looped(*, streams: bool = False, options: Any = {}, **more: Any) -> Any:  # noqa: B006
    def go(model: Model, store: HudStore) -> None:
        ours = Hud(store, **options)
        messages = loop(client(model, ours), ours, streams=streams, **more)
        assert messages[-1]["content"][0].text == "The login is there."
        assert "# HUD" not in str(messages)

    return go


def ran(options: Any = {}, **more: Any) -> Any:  # noqa: B006
    def go(model: Model, store: HudStore) -> None:
        ours = Hud(store, **options)
        result = runner(client(model, ours), ours, **more).until_done()
        assert result.content[0].text == "The login is there."

    return go


def ran_async(options: Any = {}, **more: Any) -> Any:  # noqa: B006
    async def go(model: Model, store: HudStore) -> None:
        ours = Hud(store, **options)
        tools = [*ours.async_tools(), *(AsyncTool(*each) for each in own_tools().items())]
        async with client(model, ours, kind=anthropic.AsyncAnthropic) as used:
            result = await used.beta.messages.tool_runner(
                **arguments(**more), tools=tools
            ).until_done()
        assert result.content[0].text == "The login is there."

    return lambda model, store: asyncio.run(go(model, store))


WAYS = {
    "create": looped(),
    "stream": looped(streams=True),
    "runner, own history": ran(thread=False),
    "runner, a thread": ran(),
    "async runner, own history": ran_async(thread=False),
    "async runner, a thread": ran_async(),
}


@pytest.mark.parametrize("way", WAYS)
def test_append(way: str) -> None:
    played = play(WAYS[way])
    agents.check_append(played.model.asked)
    agents.check_session(played.session)
    agents.check_usage(played.session, played.model.asked)
    assert {"hud", "Read", "Bash"} <= played.model.asked[0].tools


@pytest.mark.parametrize("automatic", [False, True])
@pytest.mark.parametrize("streams", [False, True])
def test_tail(*, streams: bool, automatic: bool) -> None:
    more = {"cache_control": {"type": "ephemeral"}} if automatic else {}
    played = play(looped(streams=streams, options={"mode": "tail"}, **more))
    agents.check_tail(played.model.asked, marked=True)
    assert not any(each.ours()[0].is_marked for each in played.model.asked)
    agents.check_session(played.session)


def test_system() -> None:
    agents.check_system(play(looped(options={"mode": "system"})).model.asked)


@pytest.mark.parametrize("ran", [ran, ran_async])
def test_a_tail_in_a_thread_is_cleared_where_the_model_can(ran: Any) -> None:
    played = play(ran({"mode": "tail"}, model="claude-opus-5"))
    for each in played.model.asked:
        assert len(each.ours()) == 1
        assert "clear-at" in each.headers["anthropic-beta"]
        assert "message-threads" in each.headers["anthropic-beta"]
    agents.check_session(played.session)


def test_a_tail_in_a_thread_is_appended_where_the_model_cannot() -> None:
    told: list[str] = []
    played = play(ran({"mode": "tail", "on_warning": told.append}))
    agents.check_append(played.model.asked)
    assert len(told) == 1
    assert "appended instead" in told[0]


def test_a_refusal_is_an_error_and_ends_nothing() -> None:
    for way in (looped(), ran(thread=False)):
        played = play(way, [*[hud("no.such")] * 3, "The login is there."])
        [*_, last] = [each for each in played.model.asked[-1].blocks if "tool_result" in each.text]
        assert '"is_error": true' in last.text
        assert "no.such" in last.text


@pytest.mark.parametrize("way", ["create", "runner, a thread"])
def test_a_retry_says_the_same(way: str) -> None:
    def go(model: Model, store: HudStore) -> None:
        ours = Hud(store)
        used = client(model, ours, retries=2)
        if way == "create":
            loop(used, ours)
        else:
            runner(used, ours).until_done()

    script = [Refusal(503), SCRIPT[0], Refusal(503), *SCRIPT[1:]]
    played = play(go, script)
    first, again = played.model.asked[2:4]
    assert [each.text for each in first.blocks] == [each.text for each in again.blocks]
    agents.check_session(played.session)


def test_a_second_thread_is_told_all() -> None:
    def go(model: Model, store: HudStore) -> None:
        ours = Hud(store)
        used = client(model, ours)
        runner(used, ours).until_done()
        runner(used, ours, ask="Now rename it, please, to sign-in.").until_done()

    played = play(go, [Call("Read", '{"file_path": "a.py"}'), "read", hud("notes.list"), "renamed"])
    whole, _ = agents.said_in([each.text for each in played.model.asked[2].ours()])
    assert "a.py" in whole


def test_requests_for_titles_are_left_alone() -> None:
    def go(model: Model, store: HudStore) -> None:
        ours = Hud(store)
        used = client(model, ours)
        messages = loop(used, ours)
        used.messages.create(**arguments("Give this a title."))
        messages.append({"role": "user", "content": "Go on with the next part, please."})
        given = arguments() | {"messages": messages, "tools": ours.definitions()}
        used.messages.create(**given)

    played = play(
        go, [Call("Read", '{"file_path": "a.py"}'), "read", "A title", "done"], check=False
    )
    assert [len(each.ours()) > 0 for each in played.model.asked] == [False, True, False, True]
    assert played.session.state().task.description.startswith("Go on with")
    assert played.model.asked[3].blocks[2].text == played.model.asked[1].blocks[2].text


def test_a_history_goes_on_in_another_process() -> None:
    def go(model: Model, store: HudStore) -> None:
        first = Hud(store.session("s"))
        messages = loop(client(model, first), first)
        messages.append({"role": "user", "content": "Now rename it, please, to sign-in."})
        again = Hud(store.session("s"))
        given = arguments() | {"messages": messages, "tools": again.definitions()}
        given["tools"] += [schema("Read"), schema("Bash")]
        client(model, again).messages.create(**given)

    played = play(go, [Call("Read", '{"file_path": "a.py"}'), "read", "renamed"])
    agents.check_append(played.model.asked)
    assert [each.path for each in played.session.state().active_files] == ["a.py"]
    assert played.session.state().task.description == "Now rename it, please, to sign-in."


def test_conversations_of_one_client_stay_apart() -> None:
    async def one(used: Any, ours: Hud, ask: str) -> None:
        with ours.running(ask):
            tools = ours.async_tools()
            await used.beta.messages.tool_runner(
                **arguments(ask), tools=tools, thread=False
            ).until_done()

    async def go(model: Model, store: HudStore) -> None:
        ours = Hud(store)
        async with client(model, ours, kind=anthropic.AsyncAnthropic) as used:
            asks = [f"Mend part {number} of the ledger." for number in range(4)]
            await asyncio.gather(*(one(used, ours, each) for each in asks))

    script = [hud("notes.add", content="x")] * 4
    played = play(lambda model, store: asyncio.run(go(model, store)), script, check=False)
    assert len(played.store.sessions()) == 4
    for name in played.store.sessions():
        state = played.store.session(name).state()
        assert state.task.description == name
        assert len(state.notes) == 1
    for each in played.model.asked:
        told = "\n".join(block.text for block in each.ours())
        assert not any(
            name in told for name in played.store.sessions() if name != each.blocks[1].text
        )


def test_a_subagent_is_a_child() -> None:
    def go(model: Model, store: HudStore) -> None:
        ours = Hud(store)
        used = client(model, ours)
        with ours.running("c"):
            loop(used, ours)
            with ours.subagent("reviewer"):
                loop(used, ours, ask="Review what was done there.")

    played = play(go, ["done", hud("notes.add", content="RS256"), "ok"], check=False)
    assert set(played.store.sessions()) == {"c", "c/reviewer"}
    assert [each.content for each in played.store.session("c/reviewer").state().notes] == ["RS256"]
    assert played.store.session("c").state().notes == ()


@pytest.mark.parametrize("mode", ["append", "tail", "system"])
@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_ends_a_run(fault: Fault, mode: Any) -> None:
    def run(model: Model, source: Any, tell: Any) -> None:
        looped(options={"mode": mode, "on_warning": tell})(model, source)

    agents.check_fault(run, fault)


def voices(asked: Any) -> list[str]:
    """The roles of a request's messages."""
    return [each["role"] for each in asked.body["messages"]]


@pytest.mark.parametrize("model", ["claude-opus-4-8", "claude-sonnet-5", "claude-opus-5-5"])
def test_a_system_voice_speaks_in_the_middle_of_the_conversation(model: str) -> None:
    played = play(looped(options={"voice": "system"}, model=model))
    agents.check_append(played.model.asked)
    agents.check_session(played.session)
    assert all(each.role == "system" for one in played.model.asked for each in one.ours())
    for asked in played.model.asked:
        roles = ["", *voices(asked), "assistant"]
        for before, role, after in zip(roles, roles[1:], roles[2:], strict=False):
            assert role != "system" or (before, after) == ("user", "assistant")


def test_a_tail_in_a_system_voice_has_its_breakpoint_before_it() -> None:
    options = {"voice": "system", "mode": "tail"}
    played = play(looped(options=options, model="claude-opus-5"))
    agents.check_tail(played.model.asked, marked=True)
    assert voices(played.model.asked[-1])[-2:] == ["user", "system"]


def test_a_model_without_system_messages_hears_the_users_voice_and_is_told_of_once() -> None:
    told: list[str] = []
    options = {"voice": "system", "on_warning": told.append}
    played = play(looped(options=options))
    assert all("system" not in voices(each) for each in played.model.asked)
    [sentence] = (each for each in told if "voice" in each)
    assert sentence == (
        "claude-sonnet-4-5 takes no system message in the middle of a conversation: the HUD goes into the user's"
        ' messages; use Claude Opus 4.8 or newer, or voice="user"'
    )


def test_a_system_message_never_stands_before_one_of_the_user() -> None:
    """The API refuses it there."""
    with HudStore.open(":memory:") as store, Model(["done", "done"]) as model:
        ours = Hud(store.session("s"), voice="system")
        store.session("s").call("hud", {"call": {"op": "notes.add", "content": "Port 8080"}})
        used = client(model, ours)
        given = arguments(model="claude-opus-5")
        used.messages.create(**given)
        given["messages"].append({"role": "user", "content": "And a logout."})
        used.messages.create(**given)
        assert [voices(each) for each in model.asked] == [
            ["user", "system"],
            ["user", "user", "system"],
        ]
        assert "Port 8080" in model.asked[1].ours()[0].text


def test_another_voice_is_refused() -> None:
    with pytest.raises(DeliveryError, match='use voice="user" or voice="system"'):
        Hud(HudStore.open(":memory:"), voice="loud")  # type: ignore[arg-type]
