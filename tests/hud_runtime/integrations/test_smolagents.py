"""smolagents with a HUD: the client of OpenAI's SDK below it carries the HUD."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("smolagents", reason="smolagents is not installed")
pytest.importorskip("openai", reason="openai is not installed")

from smolagents import OpenAIServerModel, ToolCallingAgent, tool

from hud_runtime import HudStore
from hud_runtime.integrations.openai import Hud
from tests.hud_runtime.integrations import agents
from tests.hud_runtime.integrations.agents import ASK, Shell, play
from tests.hud_runtime.integrations.loopback import Call, Model

pytestmark = pytest.mark.filterwarnings("ignore")

SCRIPT = [
    Call("Read", '{"file_path": "src/login.py"}'),
    Call("Bash", '{"command": "pytest tests/test_login.py"}'),
    Call("Bash", '{"command": "pytest tests/test_login.py"}'),
    Call("final_answer", json.dumps({"answer": "The login is there."})),
]


def test_append() -> None:
    """The framework writes calls as texts, so that what the agent records is told, and what it runs is not."""
    shell, opened = Shell(), HudStore.open(":memory:", clock=lambda: 0)

    @tool
    def Bash(command: str) -> str:
        """Run a command.

        Args:
            command: The command.
        """
        opened.session("s").record("note.add", content=f"Port {len(shell.answers)}")
        return shell(command)

    @tool
    def Read(file_path: str) -> str:
        """Read a file.

        Args:
            file_path: Its path.
        """
        return agents.read_file(file_path)

    def run(model: Model, store: HudStore) -> None:
        hud = Hud(store.session("s"))
        llm = OpenAIServerModel(
            "gpt-5.1",
            api_base=f"{model.url}/v1",
            api_key="x",
            client_kwargs={"http_client": hud.http_client()},
        )
        agent = ToolCallingAgent(tools=[Bash, Read], model=llm, verbosity_level=0)
        assert agent.run(ASK) == "The login is there."

    played = play(run, SCRIPT, store=opened, check=False)
    first, *_, last = played.model.asked
    agents.check_append(played.model.asked)
    assert ASK in played.session.state().task.description
    assert not first.ours()
    told = "\n".join(block.text for block in last.ours())
    assert all(f"- Port {number}" in told for number in (2, 1)), told
