"""Frameworks with OpenAI's SDK below them: the client that they use carries the HUD."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("openai", reason="openai is not installed")

from openai import OpenAI

from hud_runtime import HudStore
from hud_runtime.integrations.openai import Hud
from tests.hud_runtime.integrations import agents
from tests.hud_runtime.integrations.agents import ASK, FAILED, play
from tests.hud_runtime.integrations.loopback import Call, Model

pytestmark = pytest.mark.filterwarnings("ignore")

NAME = "gpt-5.1"


def asked_of_smolagents(model: Model, hud: Hud) -> str:
    smolagents = pytest.importorskip("smolagents", reason="smolagents is not installed")

    @smolagents.tool
    def Bash(command: str) -> str:  # noqa: N802
        """Run a command.

        Args:
            command: The command.
        """
        return FAILED

    client = {"http_client": hud.http_client()}
    served = smolagents.OpenAIModel(
        NAME, api_base=f"{model.url}/v1", api_key="x", client_kwargs=client
    )
    return str(smolagents.ToolCallingAgent(tools=[Bash], model=served).run(ASK))


def asked_of_agno(model: Model, hud: Hud) -> str:
    agno = pytest.importorskip("agno.agent", reason="agno is not installed")
    from agno.models.openai import OpenAIChat

    def Bash(command: str) -> str:  # noqa: N802
        """Run a command."""
        return FAILED

    client = OpenAI(base_url=f"{model.url}/v1", api_key="x", http_client=hud.http_client())
    served = OpenAIChat(NAME, client=client)
    return str(agno.Agent(model=served, tools=[Bash]).run(ASK).content)


@pytest.mark.parametrize(
    ("ran", "last"),
    [
        (asked_of_smolagents, Call("final_answer", '{"answer": "The login is there."}')),
        (asked_of_agno, "The login is there."),
    ],
)
def test_append(ran: Callable[[Model, Hud], str], last: Any) -> None:
    def run(model: Model, store: HudStore) -> None:
        hud = Hud(store.session("s"))
        store.session("s").call("hud", {"call": {"op": "notes.add", "content": "Port 8080"}})
        assert ran(model, hud) == "The login is there."

    script = [Call("Bash", '{"command": "pytest"}'), Call("Bash", '{"command": "ls"}'), last]
    played = play(run, script, check=False)  # smolagents breaks the line before the task
    agents.check_append(played.model.asked)
    assert [len(each.ours()) > 0 for each in played.model.asked] == [True] * 3
    assert played.session.state().task.description.endswith(ASK)
