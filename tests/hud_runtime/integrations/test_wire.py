"""Requests with a HUD, as JSON: the four APIs, without any SDK."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from hud_runtime import DeliveryError, HudStore
from hud_runtime.integrations import HostSession
from hud_runtime.integrations.bodies import CHAT, GEMINI, MESSAGES, RESPONSES, Api
from hud_runtime.observe import Usage
from hud_runtime.observe.messages import MessagePart
from tests.hud_runtime.integrations import agents
from tests.hud_runtime.integrations.agents import ASK, FAULTS, SCRIPT, WITH_BROKEN, Fault, play
from tests.hud_runtime.integrations.inside import Wire, client_of, dialogue
from tests.hud_runtime.integrations.loopback import Model, Reply
from tests.ids import looped
from ujsx.tokens import estimate_tokens

Record = dict[str, Any]


class Client:
    """The smallest client that there can be: a loop around one request, with a HUD on its way."""

    path = ""

    def __init__(self, model: Model, wire: Wire, api: Api, name: str, *, streams: bool) -> None:
        self.model, self.wire, self.api, self.name = model, wire, api, name
        self.streams = streams
        self.tools = {each.name: each for each in wire.conversations.tools()}
        self.work: dict[str, Callable[..., str]] = {
            "Read": agents.read_file,
            "Bash": agents.Shell(),
        }

    def post(self, body: Record) -> Record:
        made, exchange = self.wire.request(self.api, body)
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(
            self.model.url + self.path, json.dumps(made).encode(), headers
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            data: bytes = answer.read()
        if exchange is not None and self.streams:
            half = len(data) // 2
            exchange.feed(data[:half])
            exchange.feed(data[half:])
            exchange.ended()
        elif exchange is not None:
            exchange.answered(json.loads(data))
        if self.streams:
            lines = [line[5:] for line in data.split(b"\n") if line.startswith(b"data: {")]
            return self.joined([json.loads(line) for line in lines])
        whole: Record = json.loads(data)
        return whole

    def joined(self, events: Sequence[Record]) -> Record:
        return next(each["response"] for each in events if each["type"] == "response.completed")

    def answer(self, name: str, given: Any) -> tuple[str, bool]:
        if name in self.tools:
            result = self.tools[name].call(given)
            return result.text, result.is_error
        given = json.loads(given) if isinstance(given, str) else given
        return self.work[name](**given), False


class Messages(Client):
    path = "/v1/messages"

    def run(self, ask: str) -> None:
        messages: list[Any] = [{"role": "user", "content": ask}]
        while messages[-1]["role"] == "user":
            body = {
                "model": self.name,
                "system": "S",
                "messages": messages,
                "tools": [{"name": "hud"}],
            }
            answer = self.post(body)
            messages.append({"role": "assistant", "content": answer["content"]})
            results = []
            for each in answer["content"]:
                if each["type"] == "tool_use":
                    text, is_error = self.answer(each["name"], each["input"])
                    result = {"type": "tool_result", "tool_use_id": each["id"], "content": text}
                    results.append(result | {"is_error": is_error})
            if results:
                messages.append({"role": "user", "content": results})


class Responses(Client):
    path = "/v1/responses"
    holds = False

    def run(self, ask: str) -> None:
        items: Any = ask
        more: Record = {}
        while items:
            body = {
                "model": self.name,
                "instructions": "S",
                "input": items,
                "tools": [{"name": "hud"}],
            }
            answer = self.post(body | more | {"stream": self.streams})
            results = []
            for each in answer["output"]:
                if each["type"] == "function_call":
                    text, _ = self.answer(each["name"], each["arguments"])
                    result = {"type": "function_call_output", "call_id": each["call_id"]}
                    results.append(result | {"output": text})
            if self.holds:
                more, items = {"previous_response_id": answer["id"]}, results
            else:
                before = [{"role": "user", "content": ask}] if isinstance(items, str) else items
                items = [*before, *answer["output"], *results] if results else []


class Held(Responses):
    holds = True


class Chat(Client):
    path = "/v1/chat/completions"

    def run(self, ask: str) -> None:
        messages: list[Any] = [
            {"role": "system", "content": "S"},
            {"role": "user", "content": ask},
        ]
        while messages[-1]["role"] != "assistant":
            answer = self.post(
                {"model": self.name, "messages": messages, "tools": [{"name": "hud"}]}
            )
            messages.append(answer["choices"][0]["message"])
            for each in messages[-1].get("tool_calls") or ():
                text, _ = self.answer(each["function"]["name"], each["function"]["arguments"])
                messages.append({"role": "tool", "tool_call_id": each["id"], "content": text})


class Gemini(Client):
    path = "/v1beta/models/gemini-3-pro:generateContent"

    def run(self, ask: str) -> None:
        contents: list[Any] = [{"role": "user", "parts": [{"text": ask}]}]
        while contents[-1]["role"] == "user":
            more = {"systemInstruction": {"parts": [{"text": "S"}]}, "tools": [{"name": "hud"}]}
            answer = self.post({"contents": contents} | more)
            contents.append(answer["candidates"][0]["content"])
            parts = []
            for each in contents[-1]["parts"]:
                if "functionCall" in each:
                    call = each["functionCall"]
                    text, is_error = self.answer(call["name"], call["args"])
                    said = {"error" if is_error else "result": text}
                    told = {"name": call["name"], "id": call["id"], "response": said}
                    parts.append({"functionResponse": told})
            if parts:
                contents.append({"role": "user", "parts": parts})


CLIENTS: list[tuple[type[Any], Api, str]] = [
    (Messages, MESSAGES, "claude-sonnet-4-5"),
    (Responses, RESPONSES, "gpt-5.1"),
    (Responses, RESPONSES, "gpt-5.6-sol"),
    (Held, RESPONSES, "gpt-5.1"),
    (Chat, CHAT, "gpt-5.1"),
    (Chat, CHAT, "gpt-5.6-sol"),
    (Gemini, GEMINI, "gemini-3-pro"),
]
IDS = [f"{kind.__name__} {name}" for kind, _, name in CLIENTS]
OWN = [each for each in CLIENTS if each[0] is not Held]


def ran(kind: type[Any], api: Api, name: str, *, streams: bool = False, **options: Any) -> Any:
    def go(model: Model, store: Any) -> None:
        kind(model, Wire(store, **options), api, name, streams=streams).run(ASK)

    return go


def script_for(api: Api) -> Sequence[Reply]:
    return WITH_BROKEN if api in (RESPONSES, CHAT) else SCRIPT


@pytest.mark.parametrize(("kind", "api", "name"), CLIENTS, ids=IDS)
def test_append(kind: Any, api: Api, name: str) -> None:
    played = play(ran(kind, api, name), script_for(api))
    agents.check_append(played.model.asked)
    agents.check_session(played.session)
    agents.check_usage(played.session, played.model.asked)


@pytest.mark.parametrize("kind", [Responses, Held])
def test_a_stream_is_read_along(kind: Any) -> None:
    played = play(ran(kind, RESPONSES, "gpt-5.1", streams=True), WITH_BROKEN)
    agents.check_append(played.model.asked)
    agents.check_session(played.session)
    agents.check_usage(played.session, played.model.asked)


@pytest.mark.parametrize(("kind", "api", "name"), OWN)
def test_tail(kind: Any, api: Api, name: str) -> None:
    played = play(ran(kind, api, name, mode="tail"), script_for(api))
    agents.check_tail(played.model.asked, marked="claude" in name or "5.6" in name)
    if "5.1" in name:
        assert not any(block.is_marked for each in played.model.asked for block in each.blocks)


@pytest.mark.parametrize(("kind", "api", "name"), OWN)
def test_system(kind: Any, api: Api, name: str) -> None:
    agents.check_system(play(ran(kind, api, name, mode="system"), script_for(api)).model.asked)


def test_a_tail_is_appended_where_the_provider_holds_the_history() -> None:
    told: list[str] = []
    play(ran(Held, RESPONSES, "gpt-5.1", mode="tail", on_warning=told.append), check=False)
    assert len(told) == 1
    assert "would pile up" in told[0]


@looped("fault", FAULTS)
@looped(("kind", "api", "name"), CLIENTS[:4], ids=IDS[:4])
def test_no_fault_ends_a_run(kind: Any, api: Api, name: str, fault: Fault) -> None:
    told: list[str] = []

    def run(model: Model, store: HudStore) -> None:
        with fault(store) as source:
            ran(kind, api, name, on_warning=told.append)(model, source)

    played = play(run, check=False)
    assert len(played.model.asked) == len(SCRIPT)
    assert told
    assert len(told) == len(set(told))


@looped(
    ("api", "body"),
    [
        (MESSAGES, {"messages": 7}),
        (MESSAGES, {"messages": [{"role": "user"}]}),
        (RESPONSES, {"input": [{"type": "function_call"}]}),
        (CHAT, {"messages": [None]}),
        (GEMINI, {"contents": ["x"]}),
    ],
)
def test_what_no_request_looks_like_is_left_alone(api: Api, body: Any) -> None:
    told: list[str] = []
    with HudStore.open(":memory:") as store:
        made, _ = Wire(store, on_warning=told.append).request(api, body)
    assert made == body or "# HUD" in json.dumps(made)


def test_an_answer_that_is_to_be_gone_on_with_has_nothing_behind_it() -> None:
    body = {
        "messages": [
            {"role": "user", "content": ASK},
            {"role": "assistant", "content": "The answer is"},
        ]
    }
    with HudStore.open(":memory:") as store:
        assert Wire(store).request(MESSAGES, body) == (body, None)


class TestTransport:
    """Requests and answers on their way: whatever is in them, they go on."""

    URL = "https://host/v1/messages"

    def sent(self, content: bytes, answer: bytes = b"{}") -> tuple[bytes, bytes]:
        """Send a request, and return what arrives, and what comes back."""
        httpx2 = pytest.importorskip("httpx2", reason="no SDK is installed: make sdks")
        arrived: list[bytes] = []

        def respond(request: Any) -> Any:
            arrived.append(request.read())
            return httpx2.Response(200, content=answer)

        with HudStore.open(":memory:") as store:
            store.session("s").record("note.add", content="Port 8080")
            wire = Wire(store.session("s"))
            transport = httpx2.MockTransport(respond)
            with client_of(httpx2.Client, wire, transport=transport) as client:
                came_back = client.post(self.URL, content=content).content
        return arrived[0], came_back

    def test_half_a_surrogate_pair_stays_what_it_is(self) -> None:
        body = b'{"model": "m", "messages": [{"role": "user", "content": "a\\ud800"}]}'
        arrived, _ = self.sent(body)
        assert b"Port 8080" in arrived
        assert b"a\\ud800" in arrived

    def test_what_is_nested_too_deeply_is_left_alone(self) -> None:
        deep = b'{"messages": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
        assert self.sent(deep, deep) == (deep, deep)


class TestDialogue:
    """What is new in a history is told once."""

    def messages(self) -> list[dialogue.HostMessage]:
        call = MessagePart("call", {"file_path": "a.py"}, "Read", "1")
        return [
            dialogue.HostMessage(text="u", said=ASK),
            dialogue.HostMessage(text="a", is_answer=True, parts=(call,)),
            dialogue.HostMessage(text="r", parts=(MessagePart("result", "x", id="1"),)),
        ]

    def test_each_message_once(self) -> None:
        with HudStore.open(":memory:") as store:
            told = dialogue.Dialogue(HostSession(store.session("s")))
            for count in (1, 3, 3):
                told.request(self.messages()[:count])
            types = [each.type for each in store.session("s").events()]
            assert types.count("task.set") == types.count("file.open") == 1

    def test_half_a_surrogate_pair_hides_nothing_that_follows(self) -> None:
        """A program printed it, and it stays in the history from then on."""
        first, *others = self.messages()
        with HudStore.open(":memory:") as store:
            told = dialogue.Dialogue(HostSession(store.session("s")))
            told.request([first._replace(text="\ud800")])
            told.request([first._replace(text="\ud800"), *others])
            types = [each.type for each in store.session("s").events()]
            assert types.count("task.set") == types.count("file.open") == 1

    def test_an_answer_is_one_turn_told_early_or_late(self) -> None:
        with HudStore.open(":memory:") as store:
            told = dialogue.Dialogue(HostSession(store.session("s")))
            told.request(self.messages()[:1])
            told.answered(Usage(input=10, output=1))
            told.request(self.messages())
            assert store.session("s").turn == 1

    @pytest.mark.parametrize(("share", "most"), [(1.5, 200), (1.0, 300), (9.0, 300)])
    def test_a_budget_is_held_in_the_tokens_that_the_provider_counts(
        self, share: float, most: int
    ) -> None:
        """What no tokenizer makes of a text says nothing, such as a request with pictures."""
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            for number in range(60):
                session.record("note.add", content=f"Endpoint {number} listens on {8000 + number}")
            told = dialogue.Dialogue(HostSession(session, budget=300))
            history: list[dialogue.HostMessage] = []
            sizes: list[int] = []
            for number in range(4):
                text = f"{ASK} {number} " + "Then read the ledger. " * 120
                history += [dialogue.HostMessage(text=text, said=text)]
                sizes.append(estimate_tokens(told.request(history).text))
                sent = sum(estimate_tokens(each.text) for each in history) + sizes[0]
                told.answered(Usage(input=7_000 + round(share * sent), output=9))
                history.append(dialogue.HostMessage(text=f"Done {number}.", is_answer=True))
            whole = told.request(
                [dialogue.HostMessage(text="s", summary="All is done."), *history[-1:]]
            )
        assert 250 < sizes[0] <= 300
        assert most * 0.8 < estimate_tokens(whole.text) <= most

    def test_a_summary_is_a_compaction_and_no_ask(self) -> None:
        with HudStore.open(":memory:") as store:
            told = dialogue.Dialogue(HostSession(store.session("s")))
            told.request(self.messages())
            summary = dialogue.HostMessage(text="so far", summary="so far")
            made, again = (told.request([summary, *self.messages()[1:]]) for _ in range(2))
            state = store.session("s").state()
            assert state.session is not None
            assert state.session.compactions == 1
            assert state.task is not None
            assert state.task.description == ASK
            assert made.why is not None
            assert again.replay[-1:] == made.parts

    def test_another_process_hears_what_is_new_to_the_log(self) -> None:
        with HudStore.open(":memory:") as store:
            first = dialogue.Dialogue(HostSession(store.session("s")))
            first.request(self.messages()[:1])
            again = dialogue.Dialogue(HostSession(store.session("s")))
            again.request(self.messages())
            types = [each.type for each in store.session("s").events()]
            assert types.count("task.set") == types.count("file.open") == 1


class TestRepeatedMessages:
    """What is said a second time in the same words, to a model that reads a part of the history."""

    @staticmethod
    def asked(requests: Sequence[Sequence[str]]) -> list[str]:
        """The task after each request of prompts with an answer behind each but the last."""
        tasks: list[str] = []
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            wire = Wire(store)
            for prompts in requests:
                messages: list[Any] = []
                for each in prompts:
                    messages += [
                        {"role": "user", "content": each},
                        {"role": "assistant", "content": f"I did it: {each}"},
                    ]
                wire.request(CHAT, {"messages": messages[:-1]})
                task = store.session(store.sessions()[0]).state().task
                tasks.append("" if task is None else task.description)
        return tasks

    @looped("window", [1, 2, 3, 9])
    def test_prompts_are_asked_again(self, window: int) -> None:
        said = ["Add a login.", "Mend the tests.", "Deploy it all.", "Mend the tests."]
        requests = [said[: n + 1][-window:] for n in range(len(said))]
        assert self.asked(requests) == said

    def test_prompts_to_which_a_user_goes_back_are_asked_again(self) -> None:
        said = ["Add a login.", "Mend the tests.", "Deploy it all."]
        requests = [said[:1], said[:2], said, said[:2], said[:2]]
        assert self.asked(requests) == [*said, said[1], said[1]]

    @looped("window", [2, 3, 4, 99])
    def test_equal_results_of_other_calls_are_heard(self, window: int) -> None:
        messages: list[Any] = [{"role": "user", "parts": [{"text": "Split the module."}]}]
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            wire = Wire(store)
            for number in range(4):
                given = {"file_path": f"src/{number}.py", "content": "x"}
                result = {"functionResponse": {"name": "Write", "response": {"output": "ok"}}}
                messages += [
                    {
                        "role": "model",
                        "parts": [{"functionCall": {"name": "Write", "args": given}}],
                    },
                    {"role": "user", "parts": [result]},
                ]
                wire.request(GEMINI, {"contents": messages[-window:]})
            files = store.session(store.sessions()[0]).state().active_files
        assert sorted(each.path for each in files) == [f"src/{number}.py" for number in range(4)]

    @looped("window", [2, 3, 5, 99])
    def test_calls_without_ids_have_their_results(self, window: int) -> None:
        failed, passed = (
            "FAILED tests/a.py::test_x - assert 0\n1 failed in 0.1s",
            "1 passed in 0.1s",
        )
        call = {"functionCall": {"name": "Bash", "args": {"command": "pytest -q"}}}
        messages: list[Any] = [{"role": "user", "parts": [{"text": "Mend the tests."}]}]
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            wire = Wire(store)
            for text in (failed, passed, failed, passed, passed, failed):
                result = {"functionResponse": {"name": "Bash", "response": {"output": text}}}
                messages += [
                    {"role": "model", "parts": [call]},
                    {"role": "user", "parts": [result]},
                ]
                wire.request(GEMINI, {"contents": messages[-window:]})
                [check] = store.session(store.sessions()[0]).state().checks
                assert check.result == ("fail" if text == failed else "pass")


class TestConversations:
    def test_each_has_a_session(self) -> None:
        with HudStore.open(":memory:") as store:
            ours = dialogue.Conversations(store)
            assert ours.of("a") is ours.of("a")
            assert [ours.of(each).host.session.id for each in "ab"] == ["a", "b"]
            with ours.running("a") as host, ours.running("child", is_child=True) as child:
                assert (host.session.id, child.session.id) == ("a", "a/child")

    def test_one_that_begins_in_a_tool_of_another_is_a_child(self) -> None:
        with HudStore.open(":memory:") as store:
            parent, nested = dialogue.Conversations(store), dialogue.Conversations(store)
            with parent.of("c").host.running():
                assert nested.of("1234567890", "helper").host.session.id == "c/helper-12345678"
                assert nested.here().host.session.id.startswith("c/agent-")

    def test_a_mode_that_is_none_is_refused_at_once(self) -> None:
        with pytest.raises(DeliveryError, match="did you mean"):
            dialogue.checked_mode("A host", "appand", ("append",), "it is so")  # type: ignore[arg-type]
