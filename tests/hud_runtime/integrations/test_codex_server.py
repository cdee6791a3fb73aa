"""The server that Codex starts: each call says whose it is, and is answered by the bridge."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path
from typing import Any

from hud_runtime import HudStore
from hud_runtime.integrations.bridge import Bridge, place_of
from hud_runtime.integrations.codex import Codex
from tests.warm import python


def messages(*calls: dict[str, Any]) -> list[dict[str, Any]]:
    begun: dict[str, Any] = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "codex-mcp-client", "version": "0.169.0"},
    }
    return [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": begun},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        *({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": each} for n, each in enumerate(calls, 2)),
    ]  # fmt: skip


def call(thread: str | None, operation: str, **given: str) -> dict[str, Any]:
    turn = {"session_id": "s", "thread_id": thread, "turn_id": "t", "model": "gpt-5.6-sol"}
    meta = {} if thread is None else {"x-codex-turn-metadata": turn}
    return {"name": "hud", "arguments": {"call": {"op": operation, **given}}, "_meta": meta}


def test_calls_are_joined_to_sessions_and_subagents_by_the_turns_metadata(tmp_path: Path) -> None:
    place = place_of(tmp_path / "hud.db")
    with HudStore.open(place.store) as store:
        codex = Codex(lambda: store)
        bridge = Bridge(place.socket, {"codex": codex.hook, "codex-call": codex.call})
        assert bridge.begin()
        threading.Thread(target=bridge.run, daemon=True).start()
        program = [*python(), "-P", "-m", "hud_runtime", "serve", "--host", "codex"]
        process = subprocess.Popen(
            [*program, "--bridge", str(place.socket), "--store", str(place.store)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        answers: dict[int, dict[str, Any]] = {}
        for message in messages(
            call("s", "notes.add", content="Of the session"),
            call("inner", "notes.add", content="Of the subagent"),
            call("s", "notes.remove", id="n-none"),
            call(None, "notes.list"),
        ):
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            if "id" in message:
                answer = json.loads(process.stdout.readline())
                answers[answer["id"]] = answer["result"]
        process.communicate(timeout=30)
        bridge.end()
        assert [each["name"] for each in answers[1]["tools"]] == ["hud", "hud_compact"]
        assert [bool(answers[n].get("isError")) for n in (2, 3, 4, 5)] == [False, False, True, True]
        notes = {
            name: [each.content for each in store.session(name).state().notes]
            for name in store.sessions()
        }
        assert notes == {"s": ["Of the session"], "s/inner": ["Of the subagent"]}
