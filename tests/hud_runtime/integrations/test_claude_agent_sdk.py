"""The Claude Agent SDK with a HUD: the requests that the Claude Code which it brings along really sends."""

from __future__ import annotations

import asyncio
import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

pytest.importorskip("claude_agent_sdk", reason="claude-agent-sdk is not installed")

import claude_agent_sdk
from claude_agent_sdk import (
    AgentDefinition,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    ResultMessage,
)

from hud_runtime import DeliveryError, HudStore
from hud_runtime.integrations.claude_agent_sdk import Hud
from tests.hud_runtime.integrations import agents
from tests.hud_runtime.integrations.agents import ASK, FAULTS, Fault, play
from tests.hud_runtime.integrations.hosts import of_hooks
from tests.hud_runtime.integrations.loopback import Asked, Block, Call, Model, Reply

BUNDLED = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"

needs_claude = pytest.mark.skipif(
    not BUNDLED.exists(), reason="claude-agent-sdk has brought no Claude Code along"
)


def hud(op: str, **more: str) -> Call:
    return Call("mcp__hud__hud", json.dumps({"op": op, **more}))


def script(folder: Path) -> list[Reply]:
    (folder / "login.py").write_text("import jwt\n")
    (folder / "broken.py").write_text("raise ValueError('no key')\n")
    read = json.dumps({"file_path": str(folder / "login.py")})
    return [
        Call("Read", read),
        hud("notes.add", content="The worker retries three times"),
        Call("Bash", '{"command": "python3 broken.py", "description": "Run it"}'),
        hud("decisions.record", summary="Use RS256", details="keys rotate"),
        Call("mcp__hud__hud", '{"call": {"op": "notes.add", "content": 8080}}'),
        hud("no.such"),
        [Call("Read", read), hud("steps.add", description="Rotate keys")],
        "The login is there.",
    ]


def drive(
    model: Model,
    store: Any,
    folder: Path,
    prompts: Any = (ASK,),
    *,
    given: Any = MappingProxyType({}),
    **more: Any,
) -> list[Any]:
    home = folder / "home"
    home.mkdir(exist_ok=True)
    env = {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "x",
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    options = ClaudeAgentOptions(
        cwd=folder,
        model="claude-sonnet-4-5",
        env=env,
        tools=["Bash", "Read", "Agent"],
        allowed_tools=["Bash", "Read", "Agent"],
        setting_sources=[],
        stderr=lambda line: None,
        **more,
    )

    async def go() -> list[Any]:
        seen = []
        async with ClaudeSDKClient(Hud(store, **given).options(options)) as client:
            for prompt in prompts:
                await client.query(prompt)
                seen += [each async for each in client.receive_response()]
        return seen

    return asyncio.run(asyncio.wait_for(go(), 120))


@pytest.fixture(autouse=True)
def _no_inherited_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in os.environ if each.startswith(("CLAUDE", "ANTHROPIC"))]:
        monkeypatch.delenv(name)


def main_requests(model: Model) -> list[Any]:
    return [each for each in model.asked if "Read" in each.tools]


@needs_claude
def test_append(tmp_path: Path) -> None:
    played = play(lambda model, store: drive(model, store, tmp_path), script(tmp_path), check=False)
    asked = main_requests(played.model)
    assert len(asked) == 8
    assert "mcp__hud__hud" in asked[0].tools
    for each in asked[1:]:
        assert each.kept >= 0.999
    texts = "\n".join(block.text for block in asked[-1].blocks).replace("\\n", "\n")
    for said in ("# HUD", ASK, "login.py", "The worker retries three times", "Use RS256", "8080"):
        assert said in texts
    state = played.session.state()
    assert state.task.description == ASK
    assert [each.content for each in state.notes] == ["The worker retries three times", "8080"]
    assert [each.description for each in state.next_steps] == ["Rotate keys"]
    assert len(state.errors) == 1
    assert {Path(each.path).name for each in state.active_files} >= {"login.py"}
    refusals = [
        each for each in asked[-1].blocks if "no.such" in each.text and "is_error" in each.text
    ]
    assert '"is_error": true' in refusals[0].text


def huds(asked: Asked) -> list[Block]:
    """The HUDs in a request: Claude Code puts them into reminders, and those into results."""
    found = [re.findall(HUD_TEXT, each, re.DOTALL) for each in texts(asked)]
    return [Block("user", f"{each.strip()}\n") for one in found for each in one]


HUD_TEXT = r"# HUD.*?(?=</system-reminder>)"


def texts(asked: Asked) -> list[str]:
    return [each.text.replace("\\n", "\n").replace('\\"', '"') for each in asked.blocks]


def others(asked: Asked) -> list[Block]:
    """The rest of a request."""
    return [Block("user", re.sub(HUD_TEXT, "", each, flags=re.DOTALL)) for each in texts(asked)]


@needs_claude
def test_each_step_adds_up(tmp_path: Path) -> None:
    steps: list[int] = []

    def seen(asked: Asked) -> None:
        if "Read" in asked.tools:
            steps.append(len(huds(asked)))
            agents.adds_up(store.session(store.sessions()[0]), of_hooks(asked))

    with HudStore.open(":memory:") as store, Model(script(tmp_path), seen) as model:
        drive(model, store, tmp_path)
    assert [each.error for each in model.asked if each.error] == []
    assert steps[0] == 1
    assert steps == sorted(steps)
    assert steps[-1] > 4


@needs_claude
def test_a_subagent_is_a_child(tmp_path: Path) -> None:
    task = {"description": "d", "prompt": "Look it up.", "subagent_type": "helper"}
    played = play(
        lambda model, store: drive(
            model,
            store,
            tmp_path,
            agents={"helper": AgentDefinition(description="h", prompt="You help")},
        ),
        [
            Call("Agent", json.dumps(task | {"run_in_background": False})),
            hud("notes.add", content="RS256"),
            "found",
            "The login is there.",
        ],
        check=False,
    )
    parent, child = sorted(played.store.sessions(), key=len)
    assert child.startswith(f"{parent}/")
    assert [each.content for each in played.store.session(child).state().notes] == ["RS256"]
    assert played.store.session(parent).state().notes == ()


@needs_claude
def test_all_is_said_again_after_a_compaction(tmp_path: Path) -> None:
    played = play(
        lambda model, store: drive(
            model, store, tmp_path, (ASK, "/compact", "Go on with the next part.")
        ),
        [
            hud("notes.add", content="The worker retries three times"),
            "first",
            "<summary>So far.</summary>",
            "second",
        ],
        check=False,
    )
    last = "\n".join(each.text for each in played.model.asked[-1].blocks)
    assert "So far." in last
    assert "- The worker retries three times" in last
    [session] = [played.store.session(each) for each in played.store.sessions()]
    told = session.events(types=("compact.after",))
    assert [getattr(each.payload, "summary", None) for each in told] == ["So far."]


@needs_claude
def test_two_at_once_stay_apart(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two")]
    for each in folders:
        each.mkdir()

    def run(model: Model, store: HudStore) -> None:
        script = [hud("notes.add", content="x")]
        with Model(script) as one, Model(script) as other, ThreadPoolExecutor(2) as pool:
            asks = [(f"Mend part {each.name} of the ledger.",) for each in folders]
            list(pool.map(drive, [one, other], [store] * 2, folders, asks))

    played = play(run, [], check=False)
    assert len(played.store.sessions()) == 2
    asks = set()
    for name in played.store.sessions():
        state = played.store.session(name).state()
        asks.add(state.task.description)
        assert len(state.notes) == 1
    assert asks == {"Mend part one of the ledger.", "Mend part two of the ledger."}


@needs_claude
@pytest.mark.parametrize("fault", FAULTS[:2])
def test_no_fault_ends_a_run(fault: Fault, tmp_path: Path) -> None:
    def run(model: Model, store: HudStore) -> None:
        with fault(store) as source:
            seen = drive(model, source, tmp_path)
            [result] = [each for each in seen if isinstance(each, ResultMessage)]
            assert result.result == "The login is there."

    played = play(run, script(tmp_path), check=False)
    assert len(main_requests(played.model)) == 8


def test_what_is_there_is_kept() -> None:
    async def own(event: Any, call: Any, context: Any) -> Any:
        return {}

    given = ClaudeAgentOptions(
        hooks={"UserPromptSubmit": [HookMatcher(hooks=[own])]},
        mcp_servers={"mine": {"command": "true"}},
        allowed_tools=["Read"],
    )
    made = Hud(":memory:").options(given)
    assert len(made.hooks["UserPromptSubmit"]) == 2
    assert set(made.mcp_servers) == {"mine", "hud"}
    assert made.allowed_tools[0] == "Read"
    assert list(given.mcp_servers) == ["mine"]
    assert len(given.hooks["UserPromptSubmit"]) == 1


@pytest.mark.parametrize("mode", ["tail", "system"])
def test_other_modes_are_refused(mode: Any) -> None:
    with pytest.raises(
        DeliveryError, match='what a hook says stays in the history; use mode="append"'
    ):
        Hud(":memory:", mode=mode)


def test_a_session_is_refused() -> None:
    with HudStore.open(":memory:") as store, pytest.raises(DeliveryError, match="give a HudStore"):
        Hud(store.session("s"))  # type: ignore[arg-type]
