"""A user's own code trims what the model reads: the HUD is in every request, in no summary, and in no stream.

Each SDK is run with each kind of trimming, before the HUD and behind it; those that are not installed are left out.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from hud_runtime import HudStore
from tests.hud_runtime.integrations import agents
from tests.hud_runtime.integrations.agents import ASK, Shell, hud
from tests.hud_runtime.integrations.loopback import Asked, Call, Model, Reply
from tests.hud_runtime.integrations.test_compacting_sdks import needs
from tests.ids import looped

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

Trim = Callable[[list[Any]], list[Any]]

SUMMARIZE = "Sum up this conversation"
"""The beginning of a request for a summary."""

READS: tuple[Reply, ...] = tuple(Call("Read", f'{{"file_path": "src/{n}.py"}}') for n in range(4))
SCRIPT: tuple[Reply, ...] = (
    READS[0],
    hud("decisions.record", summary="Use RS256", details="keys rotate"),
    *READS[1:3],
    Call("Bash", '{"command": "pytest tests/test_login.py"}'),
    READS[3],
    hud("notes.add", content="Port 8080 is taken"),
    "The login is there.",
)


def newest(messages: list[Any]) -> list[Any]:
    """A sliding window."""
    return messages[-2:]


def ends(messages: list[Any]) -> list[Any]:
    """The first message and the newest ones."""
    return messages if len(messages) < 5 else [messages[0], *messages[-3:]]


def in_steps(messages: list[Any]) -> list[Any]:
    """A window that moves at every fifth message, to spare the cache."""
    return messages[len(messages) // 5 * 5 - 5 if len(messages) > 5 else 0 :]


class Sometimes:
    """A window that is there in every other request only."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, messages: list[Any]) -> list[Any]:
        self.asked += 1
        return messages[-3:] if self.asked % 2 else messages


def without_huds(messages: list[Any]) -> list[Any]:
    """What looks like a HUD goes."""
    return [each for each in messages if "# HUD" not in str(each)]


def alone(messages: list[Any]) -> list[Any]:
    """The newest message alone."""
    return [messages[-1]]


TRIMS: list[Any] = [
    pytest.param(lambda trim=each: trim() if isinstance(trim, type) else trim, id=each.__name__)
    for each in (newest, ends, in_steps, Sometimes, without_huds, alone)
]
MODES: list[Any] = [
    pytest.param(*each.values, mode, id=f"{each.id}-{mode}")
    for mode, some in (("append", TRIMS), ("tail", TRIMS[:1]))
    for each in some
]
"""A tail is made anew for each request, whatever there is of the others."""


def check(
    run: Callable[[Model, HudStore], object], script: Sequence[Reply] = SCRIPT
) -> list[Asked]:
    """Run an agent, and check what the model reads of the HUD in each of its requests."""
    store = HudStore.open(":memory:", clock=lambda: 0)
    summaries: list[Asked] = []

    def seen(asked: Asked) -> None:
        if any(SUMMARIZE in each.text for each in asked.blocks):
            summaries.append(asked)
            assert "# HUD" not in json.dumps(asked.body)
        else:
            agents.adds_up(store.session(store.sessions()[0]), asked)

    with Model(script, seen) as model:
        run(model, store)
    for each in model.asked:
        if each.error is not None:
            raise each.error
    assert len(model.asked) >= len(script)
    assert len(store.sessions()) == 1
    state = store.session(store.sessions()[0]).state()
    assert state.task.description == ASK
    assert [each.summary for each in state.decisions] == ["Use RS256"]
    assert [each.content for each in state.notes] == ["Port 8080 is taken"]
    return summaries


def texts(asked: Asked) -> list[str]:
    """What the model reads of the HUD."""
    return [each.text for each in asked.ours()]


# --- Pydantic AI ---

PYDANTIC_WAYS = ("history", "each request", "innermost")


@needs("anthropic")
@needs("openai")
@needs("pydantic_ai")
@looped("order", ["before", "behind"])
@looped("way", PYDANTIC_WAYS)
@looped(("trim", "mode"), MODES)
def test_pydantic_ai(trim: Callable[[], Trim], mode: Any, way: str, order: str) -> None:
    from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering, ProcessHistory

    from hud_runtime.integrations.pydantic_ai import Hud
    from tests.hud_runtime.integrations.test_pydantic_ai import agent

    trimmed = trim()

    class Trims(AbstractCapability[Any]):
        def get_ordering(self) -> Any:
            return CapabilityOrdering(position="innermost") if way == "innermost" else None

        async def prepare_model_request(self, ctx: Any, request_context: Any) -> Any:
            request_context.messages = trimmed(list(request_context.messages))
            return request_context

    def run(model: Model, store: HudStore) -> None:
        trims = ProcessHistory(trimmed) if way == "history" else Trims()
        ours = Hud(store, mode=mode)
        both = [trims, ours] if order == "before" else [ours, trims]
        result = asyncio.run(agent(model, "chat:gpt-5.1", *both).run(ASK))
        assert result.output == "The login is there."
        assert b"# HUD" not in result.all_messages_json()

    check(run)


# --- LangChain ---


@needs("langchain.agents.middleware")
@looped("order", ["before", "behind"])
@looped("way", ["state", "request", "model"])
@looped(("trim", "mode"), MODES)
def test_langchain(trim: Callable[[], Trim], mode: Any, way: str, order: str) -> None:
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.messages import RemoveMessage
    from langgraph.graph.message import REMOVE_ALL_MESSAGES

    from hud_runtime.integrations.langchain import HudMiddleware
    from tests.hud_runtime.integrations.test_langchain import coder, given, served, thread

    trimmed = trim()

    class State(AgentMiddleware):  # type: ignore[type-arg]
        def before_model(self, state: Any, runtime: Any) -> dict[str, Any]:
            kept = trimmed(list(state["messages"]))
            return {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES), *kept]}

    class Request(AgentMiddleware):  # type: ignore[type-arg]
        model: Any = None

        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            more = {} if self.model is None else {"model": self.model}
            return handler(request.override(messages=trimmed(list(request.messages)), **more))

    def run(model: Model, store: HudStore) -> None:
        trims = State() if way == "state" else Request()
        if way == "model":
            trims.model = served(model, "chat:gpt-5.6-sol")
        ours = HudMiddleware(store, mode=mode, on_warning=lambda _: None)
        both = [trims, ours] if order == "before" else [ours, trims]
        result = coder(model, "chat:gpt-5.1", *both).invoke(given(), thread())
        assert result["messages"][-1].text == "The login is there."
        assert "# HUD" not in str(result)

    check(run)


@needs("langchain.agents.middleware")
@looped("order", ["before", "behind"])
@looped("way", ["invoke", "ainvoke"])
def test_langchains_own_editing(way: str, order: str) -> None:
    from langchain.agents.middleware import ClearToolUsesEdit, ContextEditingMiddleware

    from hud_runtime.integrations.langchain import HudMiddleware
    from tests.hud_runtime.integrations.test_langchain import coder, given, thread

    def run(model: Model, store: HudStore) -> None:
        edits = ContextEditingMiddleware(
            edits=[ClearToolUsesEdit(trigger=10, keep=1, clear_tool_inputs=True)]
        )
        ours = HudMiddleware(store)
        both = [edits, ours] if order == "before" else [ours, edits]
        agent = coder(model, "chat:gpt-5.1", *both)
        if way == "invoke":
            agent.invoke(given(), thread())
        else:
            asyncio.run(agent.ainvoke(given(), thread()))
        assert "[cleared]" in json.dumps(model.asked[-1].body)

    check(run)


@needs("langchain.agents.middleware")
@looped("order", ["before", "behind"])
@looped("streamed", ["messages", "updates", "values", ["messages", "custom"]])
def test_no_hud_in_langchains_summaries_and_streams(streamed: Any, order: str) -> None:
    from langchain.agents.middleware import SummarizationMiddleware
    from langgraph.checkpoint.memory import InMemorySaver

    from hud_runtime.integrations.langchain import HudMiddleware
    from tests.hud_runtime.integrations.test_langchain import coder, given, served, thread

    def run(model: Model, store: HudStore) -> None:
        with Model(["The user wants a login."] * 9) as other:
            summary = SummarizationMiddleware(
                model=served(other, "chat:gpt-5.1"), trigger=("messages", 5), keep=("messages", 2)
            )
            ours = HudMiddleware(store)
            both = [summary, ours] if order == "before" else [ours, summary]
            agent = coder(model, "chat:gpt-5.1", *both, checkpointer=InMemorySaver())
            shown = str([*agent.stream(given(), thread(), stream_mode=streamed)])
        assert "The login is there." in shown
        assert "# HUD" not in shown
        assert len(other.asked) > 2
        assert "# HUD" not in str([each.body for each in other.asked])

    check(run)


@needs("langchain.agents.middleware")
@looped("order", ["before", "behind"])
def test_other_calls_of_langchains_model_are_left_alone(order: str) -> None:
    """Middleware asks the request's model itself: plainly, in a chain, and for a structure."""
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.output_parsers import StrOutputParser

    from hud_runtime.integrations.langchain import HudMiddleware
    from tests.hud_runtime.integrations.test_langchain import coder, given, thread

    class Asks(AgentMiddleware):  # type: ignore[type-arg]
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            if len(request.messages) == 1:
                request.model.invoke(SUMMARIZE)
                (request.model | StrOutputParser()).invoke(SUMMARIZE)
                request.model.with_structured_output(
                    {"title": "x", "description": "A title.", "type": "object", "properties": {}}
                ).invoke(SUMMARIZE)
            return handler(request)

    def run(model: Model, store: HudStore) -> None:
        ours = HudMiddleware(store)
        both = [Asks(), ours] if order == "before" else [ours, Asks()]
        coder(model, "chat:gpt-5.1", *both).invoke(given(), thread())

    assert len(check(run, ["a", "b", "{}", *SCRIPT])) == 3


# --- OpenAI Agents ---


@needs("agents")
@looped("way", ["filter", "session"])
@looped(("trim", "mode"), MODES)
def test_openai_agents(trim: Callable[[], Trim], way: str, mode: Any) -> None:
    from agents import RunConfig, Runner, SQLiteSession
    from agents.run import ModelInputData

    from hud_runtime.integrations.openai_agents import Hud
    from tests.hud_runtime.integrations.test_openai_agents import coder

    trimmed = trim()

    def filtered(data: Any) -> Any:
        given = data.model_data
        return ModelInputData(trimmed(list(given.input)), given.instructions)

    def run(model: Model, store: HudStore) -> None:
        ways: Any = {
            "filter": {"call_model_input_filter": filtered},
            "session": {"session_input_callback": lambda old, new: [*trimmed([*old, *new])]},
        }
        session = {"session": SQLiteSession("c-1")} if way == "session" else {}
        given = Hud(store, mode=mode).run(
            coder(model), run_config=RunConfig(**ways[way]), max_turns=20, **session
        )
        assert asyncio.run(Runner.run(input=ASK, **given)).final_output == "The login is there."

    check(run)


HELD: list[Any] = [
    pytest.param("conversation_id", id="conversation"),
    pytest.param("previous_response_id", id="response"),
    pytest.param("auto_previous_response_id", id="chain"),
]


@needs("agents")
@looped("process", ["same", "other"])
@looped("way", HELD)
def test_runs_of_one_history_that_the_provider_holds_are_one_session(
    way: str, process: str
) -> None:
    from agents import Runner

    from hud_runtime.integrations.openai_agents import Hud
    from tests.hud_runtime.integrations.test_openai_agents import coder

    def run(model: Model, store: HudStore) -> None:
        ours = Hud(store)
        given: dict[str, Any] = {way: "conv_1"} if way == "conversation_id" else {}
        for count, ask in enumerate([ASK, "Go on.", "And on."]):
            if count and process == "other":
                ours = Hud(store)
            result = asyncio.run(Runner.run(input=ask, **ours.run(coder(model), **given)))
            if way != "conversation_id":
                given = {"previous_response_id": result.last_response_id}
                given |= {way: True} if way.startswith("auto") else {}
        told = [sum(text.count("# HUD\n") for text in texts(each)) for each in model.asked]
        # The first request has no more to tell than its prompt.
        once = [min(number, 1) for number in range(len(told))]
        assert told == once, "it is told once, and stands in what the provider holds"

    script = [SCRIPT[1], "Decided.", SCRIPT[0], "Read.", SCRIPT[-2], "The login is there."]
    check(run, script)


@needs("agents")
def test_a_run_from_an_older_answer_is_told_all() -> None:
    from agents import Runner

    from hud_runtime.integrations.openai_agents import Hud
    from tests.hud_runtime.integrations.test_openai_agents import coder

    def run(model: Model, store: HudStore) -> None:
        ours, heads = Hud(store), [None]
        for count in (
            0,
            1,
            1,
            3,
        ):  # the third run goes on from the first one's answer, as the second does
            given = {"previous_response_id": heads[count]} if count else {}
            result = asyncio.run(Runner.run(input=ASK, **ours.run(coder(model), **given)))
            heads.append(result.last_response_id)

    check(run, ["Begun.", SCRIPT[1], "Decided.", SCRIPT[-2], "Noted.", "The login is there."])


@needs("agents")
def test_an_answer_that_nobody_knows_begins_a_session_and_that_is_said() -> None:
    from agents import Runner

    from hud_runtime.integrations.openai_agents import Hud
    from tests.hud_runtime.integrations.test_openai_agents import coder

    told: list[str] = []
    with HudStore.open(":memory:") as store, Model(["one", "two"]) as model:
        result = asyncio.run(Runner.run(input=ASK, **Hud(store).run(coder(model))))
        with HudStore.open(":memory:") as other:
            given = Hud(other, on_warning=told.append).run(
                coder(model), previous_response_id=result.last_response_id
            )
            asyncio.run(Runner.run(input="Go on.", **given))
            assert len(other.sessions()) == 1
    assert len(told) == 1
    assert str(result.last_response_id) in told[0]


# --- Clients whose users keep the list ---


@needs("openai")
@looped("api", ["responses", "chat"])
@looped("trim", TRIMS)
def test_openai(trim: Callable[[], Trim], api: str) -> None:
    import openai

    from hud_runtime.integrations.openai import Hud

    trimmed = trim()

    def run(model: Model, store: HudStore) -> None:
        ours, shell = Hud(store), Shell()
        used = openai.OpenAI(
            base_url=f"{model.url}/v1", api_key="x", http_client=ours.http_client(), max_retries=0
        )
        work = {"Read": agents.read_file, "Bash": shell}
        messages: list[Any] = [{"role": "user", "content": ASK}]
        tools: Any = ours.definitions(chat=api == "chat")
        given: Any = {"model": "gpt-5.1", "tools": tools}
        for _ in SCRIPT:
            if api == "chat":
                answer: Any = used.chat.completions.create(messages=trimmed([*messages]), **given)
                message = answer.choices[0].message
                messages.append(message.model_dump(exclude_none=True))
                calls = [
                    (each.id, each.function.name, each.function.arguments)
                    for each in message.tool_calls or ()
                ]
            else:
                answer = used.responses.create(input=trimmed([*messages]), **given)
                messages += [each.model_dump(exclude_none=True) for each in answer.output]
                calls = [
                    (each.call_id, each.name, each.arguments)
                    for each in answer.output
                    if each.type == "function_call"
                ]
            messages += ours.results(answer)
            for call, name, arguments in calls:
                if name in work:
                    text = work[name](**json.loads(arguments))
                    kinds: Any = {
                        "chat": {"role": "tool", "tool_call_id": call, "content": text},
                        "responses": {
                            "type": "function_call_output",
                            "call_id": call,
                            "output": text,
                        },
                    }
                    messages.append(kinds[api])
        used.close()

    check(run)


@needs("openai")
def test_another_conversation_of_openais_is_told_all() -> None:
    import openai

    from hud_runtime.integrations.openai import Hud

    with HudStore.open(":memory:") as store, Model(["a", "b", "c", "d"]) as model:
        session = store.session("s")
        session.record("note.add", content="Port 8080 is taken")
        for _ in range(2):  # two processes
            ours = Hud(session)
            with openai.OpenAI(
                base_url=f"{model.url}/v1", api_key="x", http_client=ours.http_client()
            ) as used:
                for name in ("conv_1", "conv_1"):
                    used.responses.create(model="gpt-5.1", input="Go on.", conversation=name)
        told = [sum(text.count("# HUD\n") for text in texts(each)) for each in model.asked]
        assert told == [1, 1, 1, 1], "it is told once, and stands in what the provider holds"
        with openai.OpenAI(
            base_url=f"{model.url}/v1", api_key="x", http_client=ours.http_client()
        ) as used:
            used.responses.create(model="gpt-5.1", input="Go on.", conversation="conv_2")
        assert "Port 8080" in json.dumps(model.asked[-1].body)
