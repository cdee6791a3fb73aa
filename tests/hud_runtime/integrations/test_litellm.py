"""LiteLLM's proxy with a HUD: the requests that it really passes on."""

from __future__ import annotations

import json
import os
import secrets
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
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

FAULTY = """
from pathlib import Path
from hud_runtime import HudStore, StoreFullError, StoreLockedError
from hud_runtime.integrations.litellm import Hud
from hud_runtime.session import HudSession
from hud_runtime.log.store import SqliteEventStore
from itertools import count

def check(**errors):
    for name, error in errors.items():
        if Path(name).exists():
            raise error

class Disk(SqliteEventStore):
    def append(self, *args, **more):
        check(locked=StoreLockedError("the store is locked"), full=StoreFullError("the disk is full"))
        return super().append(*args, **more)

    def save_delivery(self, *args, **more):
        check(locked=StoreLockedError("the store is locked"), full=StoreFullError("the disk is full"))
        return super().save_delivery(*args, **more)

def shown(session, *args, own=HudSession.shown, **more):
    check(component=ZeroDivisionError())
    return own(session, *args, **more)

HudSession.shown = shown
hud = Hud(HudStore(Disk({path!r})), monotonic=count(0, 60).__next__)  # a minute is over at each look
"""
"""A hook with a store and a component that fail while there is a file that says so."""

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
        ("gpt-4o", "openai/gpt-4o", f"{model.url}/v1"),
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

        post.process = process  # type: ignore[attr-defined]  # so that a test can kill it
        post.address = address  # type: ignore[attr-defined]  # for a client of another's
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
        is_said = mode == "append"  # the prompt has all that there is to tell
        assert [len(each.ours()) > 0 for each in rest] == [not is_said, not is_said, False]
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


def test_what_goes_wrong_for_a_while_is_said_once_and_all_is_right_after_it(tmp_path: Path) -> None:
    path = tmp_path / "hud.db"
    faults = ("locked", "full", "component")  # a session each: a proxy takes long to start

    def seen(asked: Any) -> None:
        number, place = divmod(len(model.asked) - 1, len(SCRIPT))
        if place == 1:
            (tmp_path / faults[number]).touch()
        if place == 3:
            (tmp_path / faults[number]).unlink()

    hook = FAULTY.format(path=str(path))
    with Model([*SCRIPT] * len(faults), seen) as model, proxy(tmp_path, model, hook) as post:
        for number, fault in enumerate(faults, 1):
            chat(post, "gpt", fault)
            assert len(model.asked) == number * len(SCRIPT)
            is_right_at_the_end(path, model, fault)
    assert (tmp_path / "out").read_text().count("ujsx could not") == len(faults)


def is_right_at_the_end(path: Path, model: Model, session_id: str = "S1") -> None:
    with HudStore.open(path) as store:
        [name] = [each for each in store.sessions() if each.endswith(session_id)]
        session = store.session(name)
        assert {each.path for each in session.state().active_files} == {"src/login.py", "src/a.py"}
        assert [each.resolved for each in session.state().errors] == [True]
        agents.adds_up(session, model.asked[-1])


def test_killed_in_the_middle_of_a_run_another_process_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "hud.db"
    hook = HOOK.format(path=str(path), mode="append")
    with Model(list(SCRIPT)) as model:
        with ExitStack() as stack:
            running = [stack.enter_context(proxy(tmp_path, model, hook))]

            def post(*args: Any) -> str:
                if len(model.asked) == 3 and len(running) == 1:
                    running[0].process.kill()
                    running.append(stack.enter_context(proxy(tmp_path, model, hook)))
                return str(running[-1](*args))

            chat(post, "gpt")
        assert len(model.asked) == len(SCRIPT)
        assert [each.kept for each in model.asked[1:]] == [1.0] * (len(SCRIPT) - 1)
        is_right_at_the_end(path, model)


LOCKED = float(os.environ.get("UJSX_LOCKED", "0"))
"""Seconds of a real lock: ``make faults``."""


@pytest.mark.skipif(not LOCKED, reason="takes a minute: make faults")
def test_a_real_lock_of_a_minute_ends_no_request(tmp_path: Path) -> None:
    path = tmp_path / "hud.db"
    with ExitStack() as stack, Model(list(SCRIPT)) as model:
        post = stack.enter_context(
            proxy(tmp_path, model, HOOK.format(path=str(path), mode="append"))
        )
        other = stack.enter_context(
            closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False))
        )

        def seen(asked: Any) -> None:
            number = len(model.asked)
            if number == 1:
                other.execute("BEGIN EXCLUSIVE")
            if number in (2, 3):
                time.sleep(LOCKED / 2)
            if number == 3:
                other.execute("ROLLBACK")
                time.sleep(6)  # the longest pause after a lock is over

        model.seen = seen
        chat(post, "gpt")
        assert len(model.asked) == len(SCRIPT)
        is_right_at_the_end(path, model)
    assert (tmp_path / "out").read_text().count("ujsx could not") == 1
