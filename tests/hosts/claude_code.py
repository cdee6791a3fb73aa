"""Claude Code, run for real: a session with a HUD, what each request holds, and what a step costs."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from hud_runtime import HudStore
from tests.hosts.model import Model, Request
from tests.hosts.place import NOT_THERE, Found, Place, fetched
from tests.hosts.told import (
    kept,
    look_at_bytes,
    look_at_state,
    look_at_steps,
    look_at_summaries,
    missed,
    step_time,
)

VERSION = "2.1.330"

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

FILES = ("settings.json", ".claude.json")
OWN = '{\n    "permissions": {"allow": ["Bash(ls:*)"]},\n    "cleanupPeriodDays": 7}\n'
"""The person's own settings."""


def client() -> Path | None:
    """Return the client's program."""
    wanted = f"@anthropic-ai/claude-code@{VERSION}"
    return fetched("claude-code", wanted, "@anthropic-ai/claude-code-*/claude")


@dataclass(eq=False)
class ClaudeCode(Place):
    """Folders in which the client runs."""

    NAME: ClassVar[str] = "claude-code"
    SHELL: ClassVar[str] = 'Bash {"command": "COMMAND"}'
    FOLDERS: ClassVar[tuple[str, ...]] = (*Place.FOLDERS, "claude")

    more: dict[str, str] = field(default_factory=dict[str, str])
    """Variables beyond those that keep it apart."""
    news: list[str] = field(default_factory=list[str], init=False)
    """What hooks have told the person."""

    @property
    def environment(self) -> dict[str, str]:
        kept_ = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("CLAUDE", "ANTHROPIC"))
        }
        return kept_ | self.own | {
            "CLAUDE_CONFIG_DIR": str(self.folder / "claude"),
            "ANTHROPIC_BASE_URL": self.model.address, "ANTHROPIC_API_KEY": "sk-ant-for-loopback-only",
            **self.more, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1", "IS_SANDBOX": "1",
        }  # fmt: skip

    def started(self, *more: str) -> subprocess.Popen[bytes]:
        """Start the client; it is told prompts as lines, and says what happens."""
        call = [
            str(self.program), "-p", "--dangerously-skip-permissions", "--input-format", "stream-json",
            "--output-format", "stream-json", "--verbose", "--include-hook-events", *more,
        ]  # fmt: skip
        with (self.folder / "errors.txt").open("ab") as errors:
            return subprocess.Popen(
                call, cwd=self.project, env=self.environment, stderr=errors,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
            )  # fmt: skip

    def run(self, prompts: list[str], *more: str) -> list[dict[str, Any]]:
        """Run the client over some turns, and return what it says."""
        process = self.started(*more)
        self.process = process
        said: list[dict[str, Any]] = []
        for prompt in prompts:
            said += self.turn_of(process, prompt)
        process.communicate(timeout=60)
        return said

    def turn(self, prompt: str, *, begins: bool = False) -> bool:
        said = self.run([prompt], *(() if begins else ("--continue",)))
        return bool(said) and said[-1].get("subtype") == "success"

    def said(self) -> list[str]:
        return self.news

    def wrong(self, request: Request, session: Any) -> set[str]:
        return wrong(request, session)

    def turn_of(self, process: subprocess.Popen[bytes], prompt: str) -> list[dict[str, Any]]:
        """Let the user say something, and return what a client says until its turn is over."""
        assert process.stdin is not None
        assert process.stdout is not None
        message = {"type": "user", "message": {"role": "user", "content": self.filled(prompt)}}
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        said: list[dict[str, Any]] = []
        for line in process.stdout:
            said.append(json.loads(line))
            if said[-1].get("subtype") == "hook_response":
                self.news += _news_in(said[-1]["output"])
            if said[-1].get("type") == "result":
                break
        return said


def _news_in(output: str) -> list[str]:
    """Return what the output of a hook tells the person."""
    told = json.loads(output) if output.startswith("{") else {}
    return [told["systemMessage"]] if "systemMessage" in told else []


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


def wrong(request: Request, session: Any) -> set[str]:
    """Return what a request does not tell of the state at its time, or tells, and is not so."""
    return missed(request, session, huds(request))


def is_compacted(request: Request) -> bool:
    """Tell whether a summary stands in the place of what was said."""
    return any("continued from a previous conversation" in each for each in request.texts)


def rows(folder: Path, *, rounds: int = 5) -> Found:
    """Run a session, and return what was looked at."""
    program = client()
    if program is None:
        return NOT_THERE
    found = Found()
    with Model() as model:
        place = ClaudeCode(folder / "hud", program, model)
        settings, servers = (place.folder / "claude" / name for name in FILES)
        settings.write_text(OWN)
        place.install()
        place.run([FIRST, "/compact", SECOND])
        first = len(model.requests)
        found.row("the bridge is killed between two runs", was := place.kill_bridge(), holds=was)
        place.run([THIRD], "--continue")
        requests = [*model.requests]
        place.keep(requests)
        main = [each for each in requests if each.kind == "main"]
        found.row("requests of the main agent", len(main), holds=len(main) >= 14)
        with HudStore.open(place.store) as store:
            session = look_at_state(found, store, requests, wrong)
            told = [each.payload.summary for each in session.events(types=("compact.after",))]
            is_kept = ["The login was begun" in each for each in told]
            found.row("the summary is kept", is_kept, holds=is_kept == [True])
        at = next(n for n, each in enumerate(main) if is_compacted(each))
        look_at_bytes(found, main, huds, at)
        summaries = [each for each in requests if each.kind == "summary"]
        guided = [
            each for each in summaries if any("Do not repeat it" in one for one in each.texts)
        ]
        what = "summaries that were guided"
        found.row(what, f"{len(guided)} of {len(summaries)}", holds=len(guided) == 1)
        look_at_summaries(found, requests, huds)
        small = [each for each in requests if each.kind == "small" and huds(each)]
        found.row("small requests with a HUD", len(small), holds=not small)
        found.row("requests before and after the resume", f"{first}, {len(requests) - first}")
        _tasks(
            found, ClaudeCode(folder / "older", program, model, {"CLAUDE_CODE_ENABLE_TASKS": "1"})
        )
        _copies(found, ClaudeCode(folder / "copies", program, model))
        _steps(found, folder, program, model, rounds)
        place.ujsx("uninstall", "claude-code")
        is_same = settings.read_text() == OWN
        is_out = not json.loads(servers.read_text()).get("mcpServers")  # the client writes there
        what = "settings after taking it out, and the server"
        found.row(what, ("as before" if is_same else "changed", is_out), holds=is_same and is_out)
        place.kill_bridge()
    return found


PLAN = """\
Plan it first, please, and then do it.
!call TaskCreate {"subject": "Write the middleware", "description": "x"}
!call TaskCreate {"subject": "Write tests", "description": "x"}
!call TaskUpdate {"taskId": "1", "status": "completed"}
!call Bash {"command": "echo done"}"""


def _tasks(found: Found, place: ClaudeCode) -> None:
    """Run a model whose messages are laid out in the older way, with a list of tasks."""
    place.install()
    place.model.requests.clear()
    place.run([PLAN], "--model", "claude-sonnet-4-5")
    main = [each for each in place.model.requests if each.kind == "main"]
    with HudStore.open(place.store) as store:
        [name] = store.sessions()
        session = store.session(name)
        plan = [(each.description, each.completed) for each in session.state().next_steps]
        gaps = [gap for each in main if (gap := wrong(each, session))]
    place.kill_bridge()
    wanted = [("Write the middleware", True), ("Write tests", False)]
    found.row("tasks are the plan", plan, holds=plan == wanted)
    what = "older layout: requests that tell another state"
    found.row(what, gaps or "none", holds=not gaps)
    least = min(kept(main))
    found.row("older layout: prefix kept, the least", f"{least:.1%}", holds=least == 1.0)


NOTED = """\
{prompt}
!call mcp__ujsx__hud {{"call": {{"op": "notes.add", "content": "{note}"}}}}"""


def _copies(found: Found, place: ClaudeCode) -> None:
    """Go on in a copy of a session, and behind an earlier answer: each request tells the state of its session."""
    place.install()
    place.model.requests.clear()
    first = NOTED.format(prompt="Add a login, please.", note="Port 8080")
    place.run([first, NOTED.format(prompt="Now the limit.", note="Five attempts")])
    place.run(
        [NOTED.format(prompt="Another way.", note="Of the copy")], "--continue", "--fork-session"
    )
    file = _oldest(place)
    answers = [
        each
        for each in map(json.loads, file.read_text().splitlines())
        if each["type"] == "assistant"
    ]
    at = ["--resume", file.stem, "--resume-session-at", answers[1]["uuid"]]
    place.run([NOTED.format(prompt="Once more from there.", note="Behind")], *at)
    with HudStore.open(place.store) as store:
        notes = sorted(len(store.session(each).state().notes) for each in store.sessions())
        gaps = [
            gap
            for each in place.model.requests
            if each.kind == "main" and (gap := wrong(each, store.session(each.session)))
        ]
    place.kill_bridge()
    found.row("notes of a session and of its copy", notes, holds=notes == [3, 3])
    what = "copy, and behind an earlier answer: requests that tell another state"
    found.row(what, gaps or "none", holds=not gaps)


def _oldest(place: ClaudeCode) -> Path:
    return min(
        place.folder.glob("claude/projects/*/*.jsonl"), key=lambda each: each.stat().st_mtime
    )


def _steps(found: Found, folder: Path, program: Path, model: Model, rounds: int) -> None:
    """Measure a step with hooks, one with the server alone, and one of a client that has neither, in turns."""
    bare = ClaudeCode(folder / "plain", program, model)
    served = ClaudeCode(folder / "served", program, model)
    resident = ClaudeCode(folder / "timed", program, model)
    for each in (served, resident):
        each.install()
    settings = served.folder / "claude" / "settings.json"
    kept_ = json.loads(settings.read_text())
    del kept_["hooks"]
    settings.write_text(json.dumps(kept_))
    times = [(_step(bare), _step(served), _step(resident)) for _ in range(rounds)]
    for each in (served, resident):
        each.kill_bridge()
    what = "a step with hooks beside one with the server alone, at most 1.3 on a calm machine"
    look_at_steps(found, what, [(server, hooked) for _, server, hooked in times])
    what = "a step with hooks beside one without ujsx"
    look_at_steps(found, what, [(plain, hooked) for plain, _, hooked in times])


def _step(place: ClaudeCode, count: int = 12) -> float:
    place.model.requests.clear()
    calls = "\n".join('!call Bash {"command": "true"}' for _ in range(count))
    place.run([f"Run these, please, one after the other.\n{calls}"])
    return step_time(place.model.requests)
