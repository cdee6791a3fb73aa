"""Claude Code, run for real: a session with a HUD, what each request holds, and what a step costs."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from hud_runtime import HudStore
from hud_runtime.integrations.bridge import place_of
from tests.hosts.model import Model, Request
from tests.hosts.told import kept, misses

VERSION = "2.1.330"
ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "hosts" / "claude-code"

FIRST = """\
Add a login with JWT to the shop, with tests.
!call Bash {"command": "echo one"}
!call mcp__ujsx__hud {"call": {"op": "notes.add", "content": "The worker listens on port 8080"}}
!call mcp__ujsx__hud {"call": {"op": "decisions.record", "summary": "Use JWT", "details": "no table of its own"}}
!call Write {"file_path": "FOLDER/test_login.py", "content": "def test_login():\\n    assert 0\\n"}
!call Bash {"command": "PYTHON -m pytest -q -p no:cacheprovider test_login.py"}
!call Bash {"command": "sed -i s/0/1/ test_login.py"}
!call Bash {"command": "PYTHON -m pytest -q -p no:cacheprovider test_login.py"}
!call Agent {"description": "look", "subagent_type": "general-purpose", "run_in_background": false, "prompt": "SUBAGENT\\n!call Bash {\\"command\\": \\"echo inside\\"}\\n!call mcp__ujsx__hud {\\"call\\": {\\"op\\": \\"notes.add\\", \\"content\\": \\"The subagent was here\\"}}"}
!call mcp__ujsx__hud {"call": {"op": "steps.add", "description": "Limit wrong attempts"}}"""
SECOND = """\
Now limit the wrong attempts, please, with a test of its own.
!call mcp__ujsx__hud {"call": {"op": "notes.add", "content": "Five attempts an hour"}}
!call Bash {"command": "echo two"}"""
THIRD = """\
Go on with the rate limit of the other endpoints as well.
!call mcp__ujsx__hud {"call": {"op": "notes.list"}}
!call Bash {"command": "echo three"}"""


def client() -> Path | None:
    """Return the client's program; it is fetched where it is not there, with npm alone."""
    found = [*CACHE.glob("node_modules/@anthropic-ai/claude-code-*/claude")]
    if not found and shutil.which("npm"):
        CACHE.mkdir(parents=True, exist_ok=True)
        wanted = f"@anthropic-ai/claude-code@{VERSION}"
        call = [
            "npm",
            "install",
            "--prefix",
            str(CACHE),
            wanted,
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
        ]
        subprocess.run(call, check=False, capture_output=True)
        found = [*CACHE.glob("node_modules/@anthropic-ai/claude-code-*/claude")]
    return found[0] if found else None


@dataclass
class Place:
    """Folders in which the client runs apart from all else."""

    folder: Path
    program: Path
    model: Model
    more: dict[str, str] = field(default_factory=dict[str, str])
    """Variables beyond those that keep it apart."""

    def __post_init__(self) -> None:
        for name in ("project", "claude", "home", "tmp", "hud"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "init", "-q", str(self.folder / "project")], check=False)

    @property
    def environment(self) -> dict[str, str]:
        """Variables of its own: none of another client's."""
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("CLAUDE", "ANTHROPIC"))
        }
        return kept | {
            "HOME": str(self.folder / "home"), "TMPDIR": str(self.folder / "tmp"),
            "CLAUDE_CONFIG_DIR": str(self.folder / "claude"), "UJSX_HOME": str(self.folder / "hud"),
            "ANTHROPIC_BASE_URL": self.model.address, "ANTHROPIC_API_KEY": "sk-ant-for-loopback-only",
            **self.more, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1", "IS_SANDBOX": "1", "PYTHONPATH": str(ROOT),
        }  # fmt: skip

    def ujsx(self, *arguments: str) -> None:
        """Run the command."""
        call = [sys.executable, "-P", "-m", "hud_runtime", *arguments]
        subprocess.run(call, check=True, env=self.environment, capture_output=True)

    def run(self, prompts: list[str], *more: str) -> list[dict[str, Any]]:
        """Run the client over some turns, and return what it says."""
        call = [
            str(self.program), "-p", "--dangerously-skip-permissions", "--input-format", "stream-json",
            "--output-format", "stream-json", "--verbose", *more,
        ]  # fmt: skip
        folder = self.folder / "project"
        errors = (self.folder / "errors.txt").open("ab")
        process = subprocess.Popen(
            call,
            cwd=folder,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        said: list[dict[str, Any]] = []
        for prompt in prompts:
            text = prompt.replace("FOLDER", str(folder)).replace("PYTHON", sys.executable)
            message = {"type": "user", "message": {"role": "user", "content": text}}
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            for line in process.stdout:
                said.append(json.loads(line))
                if said[-1].get("type") == "result":
                    break
        process.stdin.close()
        process.wait(60)
        errors.close()
        return said

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


def huds(request: Request) -> list[str]:
    """Return what of the HUD stands in a request, in that order."""
    found: list[str] = []
    for text in request.texts:
        parts = text.split("hook additional context: ")[1:]
        # The host's own words follow in the same message, behind two empty lines or a closing tag.
        found += (
            re.split("\n\n\n|\n*</system-reminder>", each)[0]
            for each in parts
            if each.startswith("# HUD")
        )
    return found


def missed(request: Request, session: Any) -> set[str]:
    """Return what a request does not tell of the state at its time, or tells, and is not so."""
    recorded = [each.version for each in session.events() if each.timestamp < request.time]
    return misses(huds(request), session, max(recorded))


def is_compacted(request: Request) -> bool:
    """Tell whether a summary stands in the place of what was said."""
    return any("continued from a previous conversation" in each for each in request.texts)


def step(place: Place, count: int = 12) -> float:
    """Return the milliseconds between an answer of the model and its next request, of the quicker ones."""
    place.model.requests.clear()
    calls = "\n".join('!call Bash {"command": "true"}' for _ in range(count))
    place.run([f"Run these, please, one after the other.\n{calls}"])
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

    with Model() as model:
        place = Place(folder / "hud", program, model)
        place.ujsx("install", "claude-code")
        place.run([FIRST, "/compact", SECOND])
        first = len(model.requests)
        row("the bridge is killed between two runs", was := place.kill_bridge(), holds=was)
        place.run([THIRD], "--continue")
        requests = list(model.requests)
        main = [each for each in requests if each.kind == "main"]
        row("requests of the main agent", len(main), holds=len(main) >= 14)
        with HudStore.open(folder / "hud" / "hud" / "hud.db") as store:
            [name] = [each for each in store.sessions() if "/" not in each]
            session = store.session(name)
            wrong = [found_wrong for each in main if (found_wrong := missed(each, session))]
            state = session.state()
            children = [each for each in store.sessions() if "/" in each]
            inner = [
                note.content for each in children for note in store.session(each).state().notes
            ]
            failing = [each.message for each in state.errors]
            row("requests that tell another state", wrong or "none", holds=not wrong)
            notes = [each.content for each in state.notes]
            row("tools of the model reach its session", notes, holds=len(notes) == 2)
            row("a subagent has its own", inner, holds=inner == ["The subagent was here"])
            resolved = [each.resolved for each in state.errors]
            row("the failed check, and its mending", failing, holds=resolved == [True])
            compactions = 0 if state.session is None else state.session.compactions
            row("compactions", compactions, holds=compactions == 1)
        at = next(n for n, each in enumerate(main) if is_compacted(each))
        shares = kept(main)
        others = [share for n, share in enumerate(shares) if n != at - 1]
        row("prefix kept, the least", f"{min(others):.1%}", holds=min(others) == 1.0)
        row("prefix kept, first after the compaction", f"{shares[at - 1]:.1%}", holds=True)
        ours = sum(len(text.encode()) for text in huds(main[at - 1]))
        whole = sum(len(block.encode()) for block in main[at - 1].blocks())
        row("the HUD's share of the bytes", f"{ours / whole:.1%}", holds=ours / whole < 0.1)
        summaries = [each for each in requests if each.kind == "summary"]
        guided = [
            each for each in summaries if any("Do not repeat it" in text for text in each.texts)
        ]
        row(
            "summaries that were guided",
            f"{len(guided)} of {len(summaries)}",
            holds=len(guided) == 1,
        )
        small = [each for each in requests if each.kind == "small" and huds(each)]
        row("small requests with a HUD", len(small), holds=not small)
        again = any("# HUD\n" in each for each in huds(main[at]))
        row("all of it again after the compaction", again, holds=again)
        row("requests before and after the resume", f"{first}, {len(requests) - first}", holds=True)
        found += tasks(folder, program, model)
        found += steps(folder, program, model, rounds)
        place.ujsx("uninstall", "claude-code")
        settings = folder / "hud" / "claude" / "settings.json"
        row(
            "settings after taking it out",
            "gone" if not settings.exists() else "there",
            holds=not settings.exists(),
        )
        place.kill_bridge()
    return found


PLAN = """\
Plan it first, please, and then do it.
!call TaskCreate {"subject": "Write the middleware", "description": "x"}
!call TaskCreate {"subject": "Write tests", "description": "x"}
!call TaskUpdate {"taskId": "1", "status": "completed"}
!call Bash {"command": "echo done"}"""


def tasks(folder: Path, program: Path, model: Model) -> list[tuple[str, str, bool]]:
    """Run a model whose messages are laid out in the older way, with a list of tasks."""
    place = Place(folder / "older", program, model, {"CLAUDE_CODE_ENABLE_TASKS": "1"})
    place.ujsx("install", "claude-code")
    model.requests.clear()
    place.run([PLAN], "--model", "claude-sonnet-4-5")
    main = [each for each in model.requests if each.kind == "main"]
    with HudStore.open(folder / "older" / "hud" / "hud.db") as store:
        [name] = store.sessions()
        session = store.session(name)
        plan = [(each.description, each.completed) for each in session.state().next_steps]
        wrong = [found_wrong for each in main if (found_wrong := missed(each, session))]
    place.kill_bridge()
    least = min(kept(main))
    return [
        (
            "tasks are the plan",
            str(plan),
            plan == [("Write the middleware", True), ("Write tests", False)],
        ),
        ("older layout: requests that tell another state", str(wrong or "none"), not wrong),
        ("older layout: prefix kept, the least", f"{least:.1%}", least == 1.0),
    ]


def steps(folder: Path, program: Path, model: Model, rounds: int) -> list[tuple[str, str, bool]]:
    """Measure a step with hooks and without, in turns."""
    without, resident = (
        Place(folder / "plain", program, model),
        Place(folder / "timed", program, model),
    )
    resident.ujsx("install", "claude-code")
    ratios: list[float] = []
    times: list[tuple[float, float]] = []
    for _ in range(rounds):
        times.append((step(without), step(resident)))
        ratios.append(times[-1][1] / times[-1][0])
    resident.kill_bridge()
    ratio = statistics.median(ratios)
    plain, hooked = (statistics.median(each) for each in zip(*times, strict=True))
    what = "a step with hooks beside one without, at most 1.3 on a calm machine"
    # No verdict: beside other programs it tells more of them.
    return [(what, f"{ratio:.2f} ({hooked:.0f} ms beside {plain:.0f} ms)", True)]
