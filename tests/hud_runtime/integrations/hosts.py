"""Each SDK's shortest agent, by one signature: what it takes to run one in a process that may be killed.

``python -m tests.hud_runtime.integrations.hosts HOST URL STORE CONVERSATION FOLDER`` runs one, and prints what it answers.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from hud_runtime import HudStore
from tests.hud_runtime.integrations.agents import ASK
from tests.hud_runtime.integrations.loopback import Asked

# What needs an SDK is imported where it is there.


class At(NamedTuple):
    """Where the model answers, as far as an SDK's client needs to know."""

    url: str


class Run(NamedTuple):
    """A run of an agent."""

    at: Any
    store: HudStore[Any]
    conversation: str
    folder: Path
    options: Mapping[str, Any] = MappingProxyType({})
    """Those of the adapter."""


@dataclass(frozen=True, slots=True)
class Host:
    """An SDK that runs agents."""

    needs: tuple[str, ...]
    """The modules that are there when it is installed."""

    run: Callable[[Run], str]
    """Runs an agent in a conversation whose history is new, and returns what it says in the end."""

    tool: str = "hud"
    """What the model calls the HUD's tool."""

    shown: Callable[[Asked], Asked] = replace
    """Parts a request's texts, where the host puts the HUD's into others."""

    logs: int = 1
    """How often the log tells of a fault; 0 where the host itself tells the person."""

    @property
    def is_there(self) -> bool:
        try:
            return all(find_spec(each) is not None for each in self.needs)
        except ModuleNotFoundError:
            return False


def pydantic_ai(run: Run) -> str:
    from hud_runtime.integrations.pydantic_ai import Hud
    from tests.hud_runtime.integrations.test_pydantic_ai import agent, ran_by

    made = agent(run.at, "gpt-5.1", Hud(run.store, **run.options))
    return str(ran_by(made, ASK, conversation_id=run.conversation).output)


def openai_agents(run: Run) -> str:
    from agents import Runner

    from hud_runtime.integrations.openai_agents import Hud
    from tests.hud_runtime.integrations.test_openai_agents import coder

    given = Hud(run.store, **run.options).run(
        coder(run.at), conversation=run.conversation, max_turns=20
    )
    return str(asyncio.run(Runner.run(input=ASK, **given)).final_output)


def langchain(run: Run) -> str:
    from hud_runtime.integrations.langchain import HudMiddleware
    from tests.hud_runtime.integrations.test_langchain import coder, given, thread

    agent = coder(run.at, "gpt-5.1", HudMiddleware(run.store, **run.options))
    return str(agent.invoke(given(), thread(run.conversation))["messages"][-1].text)


def anthropic(run: Run) -> str:
    from hud_runtime.integrations.anthropic import Hud
    from tests.hud_runtime.integrations.test_anthropic import client, loop

    ours = Hud(run.store, **run.options)
    with ours.running(run.conversation):
        return str(loop(client(run.at, ours), ours)[-1]["content"][0].text)


def openai(run: Run) -> str:
    from hud_runtime.integrations.openai import Hud
    from tests.hud_runtime.integrations.test_openai import chat, client

    ours = Hud(run.store, **run.options)
    with ours.running(run.conversation):
        return str(chat(client(run.at, ours), ours)[-1]["content"])


def google_genai(run: Run) -> str:
    from hud_runtime.integrations.google_genai import Hud
    from tests.hud_runtime.integrations.test_google_genai import client, loop

    ours = Hud(run.store, **run.options)
    with ours.running(run.conversation):
        return str(loop(client(run.at, ours), ours)[-1].parts[0].text)


def claude_agent_sdk(run: Run) -> str:
    from tests.hud_runtime.integrations.test_claude_agent_sdk import drive

    # The host has kept what it had said before it was killed.
    has_begun = run.store.version_of(run.conversation) > 0
    more = {"resume" if has_begun else "session_id": run.conversation}
    done = drive(run.at, run.store, run.folder, given=run.options, **more)
    return str(done[-1].result)


def of_hooks(asked: Asked) -> Asked:
    from tests.hud_runtime.integrations.test_claude_agent_sdk import huds, others

    return replace(asked, blocks=[*others(asked), *huds(asked)])


HOSTS: Mapping[str, Host] = {
    "pydantic-ai": Host(("pydantic_ai", "anthropic", "openai"), pydantic_ai),
    "openai-agents": Host(("agents",), openai_agents),
    "langchain": Host(("langchain.agents.middleware",), langchain),
    "anthropic": Host(("anthropic",), anthropic),
    "openai": Host(("openai",), openai),
    "google-genai": Host(("google.genai",), google_genai),
    "claude-agent-sdk": Host(("claude_agent_sdk",), claude_agent_sdk, "mcp__hud__hud", of_hooks, 0),
}


def main(host: str, url: str, store: str, conversation: str, folder: str) -> None:
    with HudStore.open(store) as opened:
        sys.stdout.write(HOSTS[host].run(Run(At(url), opened, conversation, Path(folder))))


if __name__ == "__main__":
    main(*sys.argv[1:])
