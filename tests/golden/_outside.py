"""Texts outside of a session: answers to recorded hooks, requests to models, and what the command prints.

In: hooks with the files that hosts wrote, requests, and command lines. Out: the answers, refusals included.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import partial
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any
from unittest import mock

from hud_runtime import HudStore
from hud_runtime.cli import main
from hud_runtime.integrations import bodies
from hud_runtime.integrations.claude_code import ClaudeCode
from hud_runtime.integrations.codex import Codex
from tests.golden._texts import Texts
from tests.hud_runtime.integrations.inside import HOOK_HOSTS, HookedHost, Wire

RECORDED = "tests/hud_runtime/integrations/recorded"
"""Sessions of real hosts: what their hooks were given, what their agents called, and what they wrote to files."""

OWN = {"claude-code": ClaudeCode, "codex": Codex}
"""Hosts with a class of their own."""

BEFORE_CALLS = {"PreToolUse", "BeforeTool"}
"""Hooks before a call: where calls were not recorded, the call follows."""

DRAWN = re.compile(r"\b[0-9a-f]{8}-[0-9a-f-]{27}\b")
"""Ids with random bytes of the machine's, which the command draws."""


def hosts(texts: Texts, name: str, path: Path, store: HudStore[Any], folder: Path) -> None:
    """Add a host's answers to its hooks, and to calls of its agents."""
    host: Any = OWN.get(name, lambda opened: HookedHost(opened, HOOK_HOSTS[name]))(lambda: store)
    for number, line in enumerate(map(json.loads, path.read_text("utf-8").splitlines()), 1):
        if "record" in line:
            _write(folder / line.get("file", f"{line.get('rollout')}.jsonl"), line["record"])
            continue
        for kind, given in line.items():
            heading = f"{number} {given.get('hook_event_name', given.get('tool'))}"
            texts.add("hosts", name, heading, _answer, getattr(host, kind), given, folder)
        tool = line.get("hook", {}).get("tool_name", "")
        of_hud = tool.removeprefix(HOOK_HOSTS[name].tool_prefix)
        if of_hud != tool and name not in OWN and line["hook"]["hook_event_name"] in BEFORE_CALLS:
            call = {"tool": of_hud, "arguments": line["hook"]["tool_input"]}
            texts.add("hosts", name, f"{number} {of_hud}", _answer, host.call, call, folder)


def _write(path: Path, record: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def _answer(ask: Callable[[bytes], Any], given: dict[str, Any], folder: Path) -> str:
    if given.get("transcript_path"):
        path = folder / given["transcript_path"]
        given = {**given, "transcript_path": f"{path}{'' if path.suffix else '.jsonl'}"}
    answer = ask(json.dumps(given).encode())
    if answer.arrived is not None:
        answer.arrived()
    return str(answer.text).replace(str(folder), "FOLDER")


def requests(texts: Texts, api: str, given: list[dict[str, Any]], store: HudStore[Any]) -> None:
    """Add the requests of a conversation with the HUD in them, at each place for it."""
    for mode in ("append", "tail", "system"):
        session = store.session(f"{api} {mode}")
        wire = Wire(session, mode=mode)
        for body in given:
            session.record("note.add", content="Port <b>8080</b>\n# is taken")
            ask = partial(wire.request, getattr(bodies, api))
            texts.add("requests", api, f"{mode} {json.dumps(body)}", _requested, ask, body)


def _requested(ask: Callable[[dict[str, Any]], tuple[Any, Any]], body: dict[str, Any]) -> str:
    return json.dumps(ask(body)[0], indent=1, ensure_ascii=False)


def commands(texts: Texts, lines: list[str], folder: Path, now: int) -> None:
    """Add what the command answers in the folder of the stores, with its exit status and its refusals."""
    time_is = mock.patch.object(time, "time_ns", return_value=now * 1_000_000)
    home = mock.patch.dict(os.environ, {"UJSX_HOME": str(folder), "HOME": str(folder)})
    with chdir(folder), time_is, home:
        for line in lines:
            texts.add("commands", line.split()[0], line, _printed, line.split(), folder)


def _printed(arguments: list[str], folder: Path) -> str:
    out, errors = TextIOWrapper(BytesIO(), "utf-8"), TextIOWrapper(BytesIO(), "utf-8")
    with redirect_stdout(out), redirect_stderr(errors):
        status = main(arguments)
    said = []
    for each in (out, errors):
        each.flush()
        said.append(each.buffer.getvalue().decode())
    text = f"exit status {status}\n{said[0]}{said[1]}"
    return DRAWN.sub("ID", text.replace(str(folder), "FOLDER"))
