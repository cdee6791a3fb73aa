"""Codex, run for real: a session with a HUD, what each request holds, and what a step costs."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from hud_runtime import HudStore
from tests.hosts.place import NOT_THERE, Found, Place, fetched
from tests.hosts.responses import ResponsesModel, ResponsesRequest, texts_of
from tests.hosts.told import (
    look_at_bytes,
    look_at_state,
    look_at_steps,
    look_at_summaries,
    missed,
    step_time,
)

VERSION = "0.169.0"

FIRST = """\
Add a login with JWT to the shop, with tests.
!call exec_command {"cmd": "sleep 8; echo one"}
!call mcp__ujsx__hud {"call": {"op": "notes.add", "content": "The worker listens on port 8080"}}
!call mcp__ujsx__hud {"call": {"op": "decisions.record", "summary": "Use JWT", "details": "no table of its own"}}
!call exec_command {"cmd": "apply_patch <<'EOF'\\n*** Begin Patch\\n*** Add File: test_login.py\\n+def test_login():\\n+    assert 0\\n*** End Patch\\nEOF"}
!call exec_command {"cmd": "PYTHON -m pytest -q -p no:cacheprovider test_login.py"}
!call mcp__ujsx__hud {"call": {"op": "notes.remove", "id": "there is none"}}
!call exec_command {"cmd": "sed -i s/0/1/ test_login.py"}
!program await tools.exec_command({cmd: "PYTHON -m pytest -q -p no:cacheprovider test_login.py"}); await tools.mcp__ujsx__hud({call: {op: "steps.add", description: "Limit wrong attempts"}});
!call collaboration__spawn_agent {"task_name": "look", "fork_turns": "none", "message": "SUBAGENT\\n!call exec_command {\\"cmd\\": \\"echo inside\\"}\\n!call mcp__ujsx__hud {\\"call\\": {\\"op\\": \\"notes.add\\", \\"content\\": \\"The subagent was here\\"}}"}
!call collaboration__wait_agent {"timeout_ms": 20000}"""
SECOND = """\
Now limit the wrong attempts, please, with a test of its own.
!call exec_command {"cmd": "sleep 8; echo two"}
!call mcp__ujsx__hud {"call": {"op": "notes.add", "content": "Five attempts an hour"}}
!full call exec_command {"cmd": "echo three"}
!call exec_command {"cmd": "echo four"}"""
THIRD = """\
Go on with the rate limit of the other endpoints as well.
!call exec_command {"cmd": "sleep 8; echo five"}
!call mcp__ujsx__hud {"call": {"op": "notes.list"}}
!call exec_command {"cmd": "cat test_login.py"}"""

_ANNOUNCED = "- mcp__ujsx: "
"""How a server's tools are announced to the model."""

CONFIG = """\
# mine
model = "gpt-5.6-sol"
model_provider = "played"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
model_auto_compact_token_limit = 200000

[analytics]
enabled = false

[model_providers.played]
name = "played"
base_url = "ADDRESS/v1"
env_key = "PLAYED_KEY"
wire_api = "responses"
supports_websockets = false
"""


def client() -> Path | None:
    """Return the client's program."""
    return fetched("codex", f"@openai/codex@{VERSION}", "@openai/codex-*/vendor/*/bin/codex")


@dataclass(eq=False)
class Codex(Place):
    """Folders in which the client runs."""

    NAME: ClassVar[str] = "codex"
    SHELL: ClassVar[str] = 'exec_command {"cmd": "COMMAND"}'
    FOLDERS: ClassVar[tuple[str, ...]] = (*Place.FOLDERS, "codex")

    model: ResponsesModel

    def __post_init__(self) -> None:
        super().__post_init__()
        self.config.write_text(CONFIG.replace("ADDRESS", self.model.address))

    @property
    def config(self) -> Path:
        """The client's settings."""
        return self.folder / "codex" / "config.toml"

    @property
    def environment(self) -> dict[str, str]:
        return self.own | {
            "PATH": os.environ["PATH"], "CODEX_HOME": str(self.folder / "codex"),
            "PLAYED_KEY": "for-loopback-only", "SHELL": "/bin/sh",
        }  # fmt: skip

    def started(self, prompt: str, *, goes_on: bool = False) -> subprocess.Popen[bytes]:
        """Start the client for a turn."""
        call = [
            str(self.program), "exec", *(("resume", "--last") if goes_on else ()), "--json",
            "--skip-git-repo-check", "--dangerously-bypass-hook-trust", self.filled(prompt),
        ]  # fmt: skip
        with (self.folder / "errors.txt").open("ab") as errors:
            return subprocess.Popen(
                call, cwd=self.project, env=self.environment, stderr=errors,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True,
            )  # fmt: skip

    def run(self, prompt: str, *, goes_on: bool = False) -> int:
        """Run the client for a turn, and return its exit status."""
        self.process = process = self.started(prompt, goes_on=goes_on)
        process.communicate(timeout=180)
        return process.returncode

    def install(self, *options: str) -> None:
        super().install(*options)
        self._overhear()
        own = "".join(f"{name} = {json.dumps(value)}\n" for name, value in self.own.items())
        with self.config.open("a") as file:  # servers get few variables of the client's
            file.write(f"\n[mcp_servers.ujsx.env]\n{own}")

    def _overhear(self) -> None:
        """Keep what hooks tell the person: `codex exec` shows none of it."""
        hooks = self.folder / "codex" / "hooks.json"
        settings = json.loads(hooks.read_text())
        for group in (each for groups in settings["hooks"].values() for each in groups):
            for each in group["hooks"]:
                each["command"] += f" | tee -a {self._heard}"
        hooks.write_text(json.dumps(settings))

    @property
    def _heard(self) -> Path:
        return self.folder / "heard.jsonl"

    def turn(self, prompt: str, *, begins: bool = False) -> bool:
        return self.run(prompt, goes_on=not begins) == 0

    def said(self) -> list[str]:
        text = self._heard.read_text().replace("}{", "}\n{") if self._heard.exists() else ""
        told = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        return [each["systemMessage"] for each in told if "systemMessage" in each]

    def wrong(self, request: ResponsesRequest, session: Any) -> set[str]:
        return wrong(request, session)


def huds(request: ResponsesRequest) -> list[str]:
    """Return what of the HUD stands in a request, in that order."""
    return [
        text
        for each in request.items
        if each.get("role") == "developer"
        for text in texts_of(each)
        if text.startswith("# HUD")
    ]


def wrong(request: ResponsesRequest, session: Any) -> set[str]:
    """Return what a request does not tell of the state at its time, or tells, and is not so."""
    return missed(request, session, huds(request))


def is_compacted(request: ResponsesRequest) -> bool:
    """Tell whether a summary stands in the place of what was said."""
    return any("summary produced by the other language model" in each for each in request.texts)


def rows(folder: Path, *, rounds: int = 5) -> Found:
    """Run a session, and return what was looked at."""
    program = client()
    if program is None:
        return NOT_THERE
    found = Found()
    with ResponsesModel() as model:
        place = Codex(folder / "hud", program, model)
        before = place.config.read_bytes()
        Place.install(place)
        killed: list[bool] = []
        model.meanwhile[6] = lambda: killed.append(place.kill_bridge())
        statuses = [place.run(FIRST), place.run(SECOND, goes_on=True)]
        first = len(model.requests)
        killed.append(place.kill_bridge())
        what = "the bridge is killed in a run, and between two"
        found.row(what, killed, holds=len(killed) == 2 and all(killed))
        statuses.append(place.run(THIRD, goes_on=True))
        found.row("exit statuses of the runs", statuses, holds=not any(statuses))
        requests = [each for each in model.requests if isinstance(each, ResponsesRequest)]
        place.keep(requests)
        main = [each for each in requests if each.kind == "main"]
        found.row("requests of the main agent", len(main), holds=len(main) >= 18)
        with HudStore.open(place.store) as store:
            state = look_at_state(found, store, requests, wrong).state()
            steps = [each.description for each in state.next_steps]
            what = "tools of its programs reach it, too"
            found.row(what, steps, holds=steps == ["Limit wrong attempts"])
            limit = state.usage.limit if state.usage else None
            found.row("the window", limit, holds=limit == 258_400)
        at = next(n for n, each in enumerate(main) if is_compacted(each))
        look_at_bytes(found, main, huds, at)
        _tools(found, main)
        summaries = [each for each in requests if each.kind == "summary"]
        found.row("summaries", len(summaries), holds=len(summaries) == 1)
        look_at_summaries(found, requests, huds)
        found.row("requests before and after the resume", f"{first}, {len(requests) - first}")
        place.ujsx("uninstall", "codex")
        is_same = place.config.read_bytes() == before
        is_out = not (folder / "hud" / "codex" / "hooks.json").exists()
        found.row("settings after taking it out", "as before", holds=is_same and is_out)
        place.kill_bridge()
        _steps(found, folder, program, model, rounds)
    return found


def _tools(found: Found, main: list[ResponsesRequest]) -> None:
    """Tell which requests could not call the HUD's tool: it is announced in a message, once its server has started."""
    without = [n for n, each in enumerate(main) if not any(_ANNOUNCED in one for one in each.texts)]
    found.row("requests without the HUD's tool", without or "none", holds=not without)


def _steps(found: Found, folder: Path, program: Path, model: ResponsesModel, rounds: int) -> None:
    """Compare steps with hooks to steps without, turn by turn."""
    without = Codex(folder / "plain", program, model)
    resident = Codex(folder / "timed", program, model)
    Place.install(resident)
    times = [(_step(without), _step(resident)) for _ in range(rounds)]
    resident.kill_bridge()
    look_at_steps(found, "a step with hooks beside one without", times)


def _step(place: Codex, count: int = 12) -> float:
    place.model.requests.clear()
    place.model.done.clear()
    calls = "\n".join('!call exec_command {"cmd": "true"}' for _ in range(count))
    place.run(f"Run these, please, one after the other.\n{calls}")
    return step_time(place.model.requests)
