"""Agno with a HUD: the client of OpenAI's SDK below it carries the HUD."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("agno", reason="agno is not installed")
pytest.importorskip("openai", reason="openai is not installed")

from agno.agent import Agent
from agno.models.openai import OpenAIChat
from openai import OpenAI

from hud_runtime import HudStore
from hud_runtime.integrations.openai import Hud
from tests.hud_runtime.integrations import agents
from tests.hud_runtime.integrations.agents import ASK, Shell, play
from tests.hud_runtime.integrations.loopback import Model

pytestmark = pytest.mark.filterwarnings("ignore")


def own_tools() -> list[Any]:
    shell = Shell()

    def Bash(command: str) -> str:
        """Run a command."""
        return shell(command)

    def Read(file_path: str) -> str:
        """Read a file."""
        return agents.read_file(file_path)

    return [Bash, Read]


def test_append() -> None:
    def run(model: Model, store: HudStore) -> None:
        hud = Hud(store.session("s"))
        client = OpenAI(base_url=f"{model.url}/v1", api_key="x", http_client=hud.http_client())
        agent = Agent(model=OpenAIChat("gpt-5.1", client=client), tools=own_tools())
        assert str(agent.run(ASK).content).endswith("The login is there.")

    played = play(run, [each for each in agents.SCRIPT if "hud" not in str(each)])
    agents.check_append(played.model.asked)
    state = played.session.state()
    assert state.task.description == ASK
    assert [each.resolved for each in state.errors] == [True]
