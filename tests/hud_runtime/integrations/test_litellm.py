"""LiteLLM's proxy with a HUD: the requests that it really passes on."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("litellm", reason="litellm is not installed")

from hud_runtime import HudStore
from tests.hud_runtime.integrations import agents
from tests.hud_runtime.integrations.agents import ASK
from tests.hud_runtime.integrations.loopback import Call, Model

KEY = "sk-" + secrets.token_hex(24)
ROOT = Path(__file__).parents[3]

HOOK = """
from hud_runtime.integrations.litellm import Hud
hud = Hud({path!r}, mode={mode!r})
"""

BROKEN = """
from hud_runtime.integrations.litellm import Hud
hud = Hud("/dev/null/there/is/no/such/folder.db")
"""

TOOLS = [
    {"type": "function", "function": {"name": each, "parameters": {"type": "object"}}}
    for each in ("Read", "Bash")
]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def proxy(folder: Path, model: Model, hook: str) -> Iterator[Any]:
    """A proxy with a hook, and what posts to it."""
    port = free_port()
    entries = [
        ("sonnet", "anthropic/claude-sonnet-4-5", model.url),
        ("gpt", "openai/gpt-5.1", f"{model.url}/v1"),
    ]
    config = {
        "model_list": [
            {"model_name": name, "litellm_params": {"model": at, "api_base": base, "api_key": "x"}}
            for name, at, base in entries
        ],
        "litellm_settings": {"callbacks": "hook.hud"},
        "general_settings": {"master_key": KEY},
    }
    (folder / "config.yaml").write_text(json.dumps(config))
    (folder / "hook.py").write_text(hook)
    env = os.environ | {
        "HOME": str(folder),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_TELEMETRY": "False",
        "PYTHONPATH": f"{folder}:{ROOT}",
    }
    program = [str(Path(sys.executable).parent / "litellm"), "--config", "config.yaml"]
    with (folder / "out").open("w") as out:
        process = subprocess.Popen(
            [*program, "--port", str(port), "--host", "127.0.0.1"],
            cwd=folder, env=env, stdout=out, stderr=subprocess.STDOUT,
        )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            assert process.poll() is None, (folder / "out").read_text()[-2000:]
            try:
                urllib.request.urlopen(f"{address}/health/liveliness", timeout=1).close()
                break
            except OSError:
                time.sleep(0.5)

        def post(path: str, body: Any, session: str | None = "S1") -> str:
            headers = {"content-type": "application/json", "authorization": f"Bearer {KEY}"}
            headers |= {"x-api-key": KEY}
            headers |= {"x-litellm-session-id": session} if session else {}
            request = urllib.request.Request(address + path, json.dumps(body).encode(), headers)
            with urllib.request.urlopen(request, timeout=60) as answer:
                return str(answer.read().decode())

        yield post
    finally:
        process.terminate()
        process.wait(30)


def chat(post: Any, model: str, session: str = "S1", **more: Any) -> None:
    """A client's loop with Chat Completions."""
    messages: list[Any] = [
        {"role": "system", "content": "You are a coder."},
        {"role": "user", "content": ASK},
    ]
    shell = agents.Shell()
    while True:
        body = {"model": model, "messages": messages, "tools": TOOLS, **more}
        answer = post("/chat/completions", body, session)
        assert "# HUD" not in answer
        message = json.loads(answer)["choices"][0]["message"]
        kept = ("role", "content", "tool_calls")
        messages.append({key: message[key] for key in kept if message.get(key) is not None})
        calls = message.get("tool_calls") or []
        for each in calls:
            given = json.loads(each["function"]["arguments"])
            work = agents.read_file if each["function"]["name"] == "Read" else shell
            content = work(**given)
            messages.append({"role": "tool", "tool_call_id": each["id"], "content": content})
        if not calls:
            return


SCRIPT = [
    Call("Read", '{"file_path": "src/login.py"}'),
    Call("Bash", '{"command": "pytest tests/test_login.py"}'),
    Call("Read", '{"file_path": "src/a.py"}'),
    Call("Bash", '{"command": "pytest tests/test_login.py"}'),
    "The login is there.",
]


@pytest.mark.parametrize("mode", ["append", "tail", "system"])
def test_all_routes(mode: str, tmp_path: Path) -> None:
    path = tmp_path / "hud.db"
    with Model([*SCRIPT, *SCRIPT, "one", "two", "three"]) as model:
        with proxy(tmp_path, model, HOOK.format(path=str(path), mode=mode)) as post:
            chat(post, "sonnet", "S1")
            chat(post, "gpt", "S2")
            hello = [{"role": "user", "content": ASK}]
            body = {"model": "sonnet", "max_tokens": 9, "system": "S", "messages": hello}
            post("/v1/messages", body, "S3")
            post("/v1/responses", {"model": "gpt", "input": ASK}, "S4")
            post("/chat/completions", {"model": "gpt", "messages": hello}, None)
            time.sleep(2)  # usage is logged beside the answers
        sonnet, gpt, rest = model.asked[:5], model.asked[5:10], model.asked[10:]
        for asked in (sonnet, gpt):
            if mode == "append":
                agents.check_append(asked)
            elif mode == "tail":
                agents.check_tail(asked, marked=asked is sonnet)
            else:
                agents.check_system(asked)
        assert not any(block.is_marked for each in gpt for block in each.blocks)
        assert [len(each.ours()) > 0 for each in rest] == [True, True, False]
        assert [each.api for each in rest] == ["messages", "responses", "chat"]
        with HudStore.open(path) as store:
            names = sorted(store.sessions(), key=lambda name: name[-2:])
            assert [name[-2:] for name in names] == ["S1", "S2", "S3", "S4"]
            for name, asked in zip(names, (sonnet, gpt), strict=False):
                session = store.session(name)
                state = session.state()
                assert {each.path for each in state.active_files} == {"src/login.py", "src/a.py"}
                assert [each.resolved for each in state.errors] == [True]
                agents.adds_up(session, asked[-1])
                agents.check_usage(session, asked)


def test_a_store_that_cannot_be_opened_ends_no_request(tmp_path: Path) -> None:
    with Model(list(SCRIPT)) as model:
        with proxy(tmp_path, model, BROKEN) as post:
            chat(post, "gpt")
        assert len(model.asked) == len(SCRIPT)
    assert (tmp_path / "out").read_text().count("and goes on without") <= 2
