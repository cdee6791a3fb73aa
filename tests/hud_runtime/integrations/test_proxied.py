"""DSPy and LlamaIndex with a HUD, by LiteLLM's proxy as the base URL."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("dspy", reason="dspy is not installed")
pytest.importorskip("llama_index.llms.openai", reason="llama-index-llms-openai is not installed")

import dspy
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai import OpenAI

from hud_runtime import HudStore
from tests.hud_runtime.integrations import agents
from tests.hud_runtime.integrations.agents import ASK, Shell
from tests.hud_runtime.integrations.loopback import Call, Model
from tests.hud_runtime.integrations.test_litellm import HOOK, KEY, SCRIPT, proxy

pytestmark = pytest.mark.filterwarnings("ignore")  # these leave connections open

SESSION = {"x-litellm-session-id": "S1"}


def test_llama_index(tmp_path: Path) -> None:
    shell, path = Shell(), tmp_path / "hud.db"

    def Bash(command: str) -> str:
        """Run a command."""
        return shell(command)

    def Read(file_path: str) -> str:
        """Read a file."""
        return agents.read_file(file_path)

    async def run(address: str) -> str:
        llm = OpenAI(model="gpt-4o", api_base=f"{address}/v1", api_key=KEY, default_headers=SESSION)
        return str(await FunctionAgent(tools=[Bash, Read], llm=llm, streaming=False).run(ASK))

    with (
        Model([*SCRIPT]) as model,
        proxy(tmp_path, model, HOOK.format(path=str(path), mode="append")) as post,
    ):
        assert asyncio.run(run(post.address)) == "The login is there."
    agents.check_append(model.asked)
    check_state(path, model)


def test_dspy(tmp_path: Path) -> None:
    """Its templates are nobody's words, so what the agent records is told, and what they say is not."""
    shell, path = Shell(), tmp_path / "hud.db"

    class Work(dspy.Signature):
        """Work as a coder."""

        history: dspy.History = dspy.InputField()
        request: str = dspy.InputField()
        tools: list[dspy.Tool] = dspy.InputField()
        calls: dspy.ToolCalls = dspy.OutputField()

    def Bash(command: str) -> str:
        """Run a command."""
        return shell(command)

    def work(address: str) -> None:
        lm = dspy.LM(
            "openai/gpt-4o",
            api_base=f"{address}/v1",
            api_key=KEY,
            extra_headers=SESSION,
            cache=False,
        )
        adapter = dspy.ChatAdapter(use_native_function_calling=True)
        with dspy.context(lm=lm, adapter=adapter):
            predict, said = dspy.Predict(Work), list[Any]()
            for number in range(3):
                history = dspy.History(messages=[*said])
                made = predict(history=history, request=ASK, tools=[dspy.Tool(Bash)])
                [call] = made.calls.tool_calls
                said.append({"request": ASK, "calls": shell(**call.args)})
                with HudStore.open(path) as store:
                    [name] = store.sessions()
                    store.session(name).record("note.add", content=f"Port {number}")

    script = [Call("Bash", '{"command": "pytest tests/test_login.py"}')] * 3
    with (
        Model(script) as model,
        proxy(tmp_path, model, HOOK.format(path=str(path), mode="append")) as post,
    ):
        work(post.address)
    agents.check_append(model.asked)
    told = [[block.text for block in each.ours()] for each in model.asked]
    assert ["Port 0" in "".join(each) for each in told] == [False, True, True]
    assert ["Port 1" in "".join(each) for each in told] == [False, False, True]


def check_state(path: Path, model: Model) -> None:
    with HudStore.open(path) as store:
        [name] = store.sessions()
        state = store.session(name).state()
        assert state.task.description == ASK
        assert {each.path for each in state.active_files} == {"src/a.py", "src/login.py"}
        assert [each.resolved for each in state.errors] == [True]
        agents.adds_up(store.session(name), model.asked[-1])
