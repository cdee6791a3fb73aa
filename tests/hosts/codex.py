"""Codex, run for real: a session with a HUD, what each request holds, and what a step costs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from hud_runtime import HudStore
from hud_runtime.integrations.bridge import place_of
from tests.hosts.responses import ResponsesModel, ResponsesRequest, texts_of
from tests.hosts.told import kept, misses

VERSION = "0.169.0"
ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "hosts" / "codex"

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
    """Return the client's program; it is fetched where it is not there, with npm alone."""
    pattern = "node_modules/@openai/codex-*/vendor/*/bin/codex"
    found = [*CACHE.glob(pattern)]
    if not found and shutil.which("npm"):
        CACHE.mkdir(parents=True, exist_ok=True)
        call = ["npm", "install", "--prefix", str(CACHE), f"@openai/codex@{VERSION}"]
        call += ["--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run(call, check=False, capture_output=True)
        found = [*CACHE.glob(pattern)]
    return found[0] if found else None


@dataclass
class Place:
    """Folders in which the client runs apart from all else."""

    folder: Path
    program: Path
    model: ResponsesModel

    def __post_init__(self) -> None:
        for name in ("project", "codex", "home", "tmp", "hud"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "init", "-q", str(self.folder / "project")], check=False)
        self.config.write_text(CONFIG.replace("ADDRESS", self.model.address))

    @property
    def config(self) -> Path:
        """The client's settings."""
        return self.folder / "codex" / "config.toml"

    @property
    def environment(self) -> dict[str, str]:
        """Variables of its own: none of another client's."""
        return {
            "HOME": str(self.folder / "home"), "TMPDIR": str(self.folder / "tmp"), "PATH": os.environ["PATH"],
            "CODEX_HOME": str(self.folder / "codex"), "UJSX_HOME": str(self.folder / "hud"),
            "PLAYED_KEY": "for-loopback-only", "SHELL": "/bin/sh", "PYTHONPATH": str(ROOT),
        }  # fmt: skip

    def ujsx(self, *arguments: str) -> None:
        """Run the command."""
        call = [sys.executable, "-P", "-m", "hud_runtime", *arguments]
        subprocess.run(call, check=True, env=self.environment, capture_output=True)

    def run(self, prompt: str, *, goes_on: bool = False) -> int:
        """Run the client for a turn, and return its exit status."""
        call = [
            str(self.program), "exec", *(("resume", "--last") if goes_on else ()), "--json",
            "--skip-git-repo-check", "--dangerously-bypass-hook-trust", prompt.replace("PYTHON", sys.executable),
        ]  # fmt: skip
        done = subprocess.run(
            call,
            cwd=self.folder / "project",
            env=self.environment,
            check=False,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=180,
        )
        (self.folder / "errors.txt").open("ab").write(done.stderr)
        return done.returncode

    @contextmanager
    def overheard(self) -> Generator[list[str]]:
        """What hooks tell the person meanwhile: `codex exec` shows none of it."""
        hooks, heard = self.folder / "codex" / "hooks.json", self.folder / "heard.jsonl"
        before, told = hooks.read_text(), list[str]()
        settings = json.loads(before)
        for group in (each for groups in settings["hooks"].values() for each in groups):
            for each in group["hooks"]:
                each["command"] += f" | tee -a {heard}"
        hooks.write_text(json.dumps(settings))
        yield told
        hooks.write_text(before)
        text = heard.read_text().replace("}{", "}\n{") if heard.exists() else ""
        said = [json.loads(line) for line in text.splitlines() if line]
        told += [each["systemMessage"] for each in said if "systemMessage" in each]

    def kill_bridge(self) -> bool:
        """Kill the bridge, and return whether there was one."""
        name = str(place_of(self.folder / "hud" / "hud.db").socket).encode()
        killed = False
        for each in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = each.read_bytes().split(b"\0")
            except OSError:
                continue
            if name in words and b"bridge" in words:
                os.kill(int(each.parent.name), signal.SIGKILL)
                killed = True
        return killed


def huds(request: ResponsesRequest) -> list[str]:
    """Return what of the HUD stands in a request, in that order."""
    return [
        text
        for each in request.items
        if each.get("role") == "developer"
        for text in texts_of(each)
        if text.startswith("# HUD")
    ]


def missed(request: ResponsesRequest, session: Any) -> set[str]:
    """Return what a request does not tell of the state at its time, or tells, and is not so."""
    recorded = [each.version for each in session.events() if each.timestamp < request.time]
    gap = misses(huds(request), session, max(recorded))
    # The hint goes with the second reading after a compaction, and readings are no news.
    return {each for each in gap if not each.startswith("- The history was compacted")}


def is_compacted(request: ResponsesRequest) -> bool:
    """Tell whether a summary stands in the place of what was said."""
    return any("summary produced by the other language model" in each for each in request.texts)


def step(place: Place, count: int = 12) -> float:
    """Return the milliseconds between an answer of the model and its next request, of the quicker ones."""
    place.model.requests.clear()
    place.model.done.clear()
    calls = "\n".join('!call exec_command {"cmd": "true"}' for _ in range(count))
    place.run(f"Run these, please, one after the other.\n{calls}")
    requests = [each for each in place.model.requests if each.kind == "main"]
    gaps = [1_000 * (after.began - before.answered) for before, after in pairwise(requests[2:])]
    return statistics.quantiles(gaps, n=4)[0]


def rows(folder: Path, *, rounds: int = 5) -> list[tuple[str, str, bool]]:
    """Run a session, and return what was looked at, what was found, and whether it is as it should be."""
    program = client()
    if program is None:
        return [("client", "not there, and npm could not fetch it", False)]
    found: list[tuple[str, str, bool]] = []

    def row(what: str, value: object, *, holds: bool) -> None:
        found.append((what, str(value), bool(holds)))

    with ResponsesModel() as model:
        place = Place(folder / "hud", program, model)
        before = place.config.read_bytes()
        place.ujsx("install", "codex")
        killed: list[bool] = []
        model.meanwhile[6] = lambda: killed.append(place.kill_bridge())
        statuses = [place.run(FIRST), place.run(SECOND, goes_on=True)]
        first = len(model.requests)
        killed.append(place.kill_bridge())
        row("the bridge is killed in a run, and between two", killed, holds=all(killed))
        statuses.append(place.run(THIRD, goes_on=True))
        row("exit statuses of the runs", statuses, holds=not any(statuses))
        requests = [each for each in model.requests if isinstance(each, ResponsesRequest)]
        (folder / "requests.json").write_text(json.dumps([each.body for each in requests]))
        main = [each for each in requests if each.kind == "main"]
        row("requests of the main agent", len(main), holds=len(main) >= 18)
        with HudStore.open(folder / "hud" / "hud" / "hud.db") as store:
            [name] = [each for each in store.sessions() if "/" not in each]
            session = store.session(name)
            wrong = [gap for each in main if (gap := missed(each, session))]
            state = session.state()
            children = [each for each in store.sessions() if "/" in each]
            inner = [
                note.content for each in children for note in store.session(each).state().notes
            ]
            row("requests that tell another state", wrong or "none", holds=not wrong)
            notes = [each.content for each in state.notes]
            row("tools of the model reach its session", notes, holds=len(notes) == 2)
            steps = [each.description for each in state.next_steps]
            row("and those of its programs", steps, holds=steps == ["Limit wrong attempts"])
            row("a subagent has its own", inner, holds=inner == ["The subagent was here"])
            failing = [each.message for each in state.errors]
            resolved = [each.resolved for each in state.errors]
            row("the failed check, and its mending", failing, holds=resolved == [True])
            compactions = 0 if state.session is None else state.session.compactions
            row("compactions", compactions, holds=compactions == 1)
            limit = state.usage.limit if state.usage else None
            row("the window", limit, holds=limit == 258_400)
        at = next(n for n, each in enumerate(main) if is_compacted(each))
        shares = kept(list(main))
        others = [share for n, share in enumerate(shares) if n != at - 1]
        row("prefix kept, the least", f"{min(others):.1%}", holds=min(others) == 1.0)
        row("prefix kept, first after the compaction", f"{shares[at - 1]:.1%}", holds=True)
        ours = sum(len(text.encode()) for text in huds(main[at - 1]))
        whole = sum(len(block.encode()) for block in main[at - 1].blocks())
        row("the HUD's share of the bytes", f"{ours / whole:.1%}", holds=ours / whole < 0.1)
        again = any(each.startswith("# HUD\n") for each in huds(main[at]))
        row("all of it again after the compaction", again, holds=again)
        row("requests before and after the resume", f"{first}, {len(requests) - first}", holds=True)
        found += faults(place)
        found += together(folder, program, model)
        place.ujsx("uninstall", "codex")
        is_same = place.config.read_bytes() == before
        is_out = not (folder / "hud" / "codex" / "hooks.json").exists()
        row("settings after taking it out", "as before", holds=is_same and is_out)
        place.kill_bridge()
        found += costs(folder, program, model, rounds)
    return found


def faults(place: Place) -> list[tuple[str, str, bool]]:
    """Run a turn while somebody else holds the store; then one more."""
    place.kill_bridge()
    locked = sqlite3.connect(place.folder / "hud" / "hud.db", isolation_level=None)
    locked.execute("BEGIN EXCLUSIVE")
    prompt = 'Look around.\n!call exec_command {"cmd": "cat test_login.py"}\n!call exec_command {"cmd": "echo six"}'
    with place.overheard() as news:
        status = place.run(prompt, goes_on=True)
    locked.execute("ROLLBACK")
    locked.close()
    after = place.run("And on.", goes_on=True)
    with HudStore.open(place.folder / "hud" / "hud.db") as store:
        [name] = [each for each in store.sessions() if "/" not in each]
        last = place.model.requests[-1]
        assert isinstance(last, ResponsesRequest)
        gap = missed(last, store.session(name))
    return [
        ("a turn with the store locked", f"exit status {status}", status == 0),
        ("what the person was told of it", news, len(news) == 1),
        ("the next turn tells", gap or "the state", after == 0 and not gap),
    ]


def together(folder: Path, program: Path, model: ResponsesModel) -> list[tuple[str, str, bool]]:
    """Run two clients at once, in two projects of one store."""
    place = Place(folder / "two", program, model)
    place.ujsx("install", "codex")
    model.requests.clear()
    script = '!call exec_command {"cmd": "sleep 8"}\n!call mcp__ujsx__hud {"call": {"op": "notes.add", "content": "NOTE"}}'
    runs = [
        threading.Thread(target=place.run, args=[f"{name} work.\n{script.replace('NOTE', name)}"])
        for name in ("Mend", "Build")
    ]
    for each in runs:
        each.start()
    for each in runs:
        each.join()
    with HudStore.open(folder / "two" / "hud" / "hud.db") as store:
        states = [store.session(each).state() for each in store.sessions()]
    place.kill_bridge()
    notes = sorted((each.task.description.split()[0], *(n.content for n in each.notes)) for each in states if each.task)  # fmt: skip
    return [("two clients at once", str(notes), notes == [("Build", "Build"), ("Mend", "Mend")])]


def costs(
    folder: Path, program: Path, model: ResponsesModel, rounds: int
) -> list[tuple[str, str, bool]]:
    """Compare steps with hooks to steps without, turn by turn."""
    without = Place(folder / "plain", program, model)
    resident = Place(folder / "timed", program, model)
    resident.ujsx("install", "codex")
    times = [(step(without), step(resident)) for _ in range(rounds)]
    resident.kill_bridge()
    ratio = statistics.median(hooked / plain for plain, hooked in times)
    plain, hooked = (statistics.median(each) for each in zip(*times, strict=True))
    # No verdict: beside other programs it tells more of them.
    what = "a step with hooks beside one without"
    return [(what, f"{ratio:.2f} ({hooked:.0f} ms beside {plain:.0f} ms)", True)]
