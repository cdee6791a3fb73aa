"""Qwen Code, run for real: a session with a HUD, what each request holds, and what a step costs."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from hud_runtime import HudStore
from tests.hosts.chat import ChatModel
from tests.hosts.model import Request
from tests.hosts.place import NOT_THERE, Found, Place, fetched
from tests.hosts.told import (
    kept,
    look_at_state,
    look_at_steps,
    look_at_summaries,
    missed,
    step_time,
)
from tests.hud_runtime.integrations.inside import HOOK_HOSTS

VERSION = "0.24.4"

FIRST = """\
Add a login with JWT to the shop, with tests.
!call SHELL {"command": "echo one"}
!call TOOL {"call": {"op": "notes.add", "content": "The worker listens on port 8080"}}
!call TOOL {"call": {"op": "decisions.record", "summary": "Use JWT", "details": "no table of its own"}}
!call write_file {"file_path": "FOLDER/test_login.py", "content": "def test_login():\\n    assert 0\\n"}
!call SHELL {"command": "PYTHON -m pytest -q -p no:cacheprovider test_login.py"}
!call SHELL {"command": "sed -i s/0/1/ test_login.py"}
!call SHELL {"command": "PYTHON -m pytest -q -p no:cacheprovider test_login.py"}
!call TOOL {"call": {"op": "steps.add", "description": "Limit wrong attempts"}}"""
AGENT = """
!call agent {"description": "look", "subagent_type": "general-purpose", "run_in_background": false, "prompt": "SUBAGENT\\n!call run_shell_command {\\"command\\": \\"echo inside\\"}\\n!call mcp__ujsx__hud {\\"call\\": {\\"op\\": \\"notes.add\\", \\"content\\": \\"The subagent was here\\"}}"}
!full call SHELL {"command": "echo full"}
!call SHELL {"command": "echo behind"}"""
SECOND = """\
Now limit the wrong attempts, please, with a test of its own.
!call TOOL {"call": {"op": "notes.add", "content": "Five attempts an hour"}}
!call SHELL {"command": "echo two"}"""
THIRD = """\
Go on with the rate limit of the other endpoints as well.
!call TOOL {"call": {"op": "notes.list"}}
!call SHELL {"command": "echo three"}"""

SETTINGS: Mapping[str, Any] = {
    "model": {
        "name": "qwen3-coder-plus",
        "generationConfig": {"contextWindowSize": 200_000},
    },
    "security": {"auth": {"selectedType": "openai"}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False},
    "$version": 4,
}


def client() -> Path | None:
    """Return the client's program."""
    wanted = f"@qwen-code/qwen-code@{VERSION}"
    return fetched("qwen-code", wanted, "@qwen-code/qwen-code/cli-entry.js")


@dataclass(eq=False)
class QwenCode(Place):
    """Folders in which the client runs."""

    NAME: ClassVar[str] = "qwen-code"
    SHELL: ClassVar[str] = 'run_shell_command {"command": "COMMAND"}'
    SHOWS: ClassVar[bool] = False
    SETTINGS: ClassVar[Mapping[str, Any]] = SETTINGS
    GOES_ON: ClassVar[tuple[str, ...]] = ("--continue",)

    model: ChatModel

    def __post_init__(self) -> None:
        super().__post_init__()
        self.settings.parent.mkdir(parents=True, exist_ok=True)
        self.settings.write_text(json.dumps(self.SETTINGS, indent=4))

    @property
    def settings(self) -> Path:
        """The client's settings."""
        return self.folder / "qwen" / "settings.json"

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that an installation changes."""
        return (self.settings,)

    @property
    def texts(self) -> list[bytes | None]:
        """What stands in these files; None for one that is not there."""
        return [each.read_bytes() if each.exists() else None for each in self.files]

    @property
    def environment(self) -> dict[str, str]:
        return self.own | {
            "PATH": os.environ["PATH"], "QWEN_HOME": str(self.folder / "qwen"), "SHELL": "/bin/sh",
            "OPENAI_API_KEY": "for-loopback-only", "OPENAI_BASE_URL": f"{self.model.address}/v1",
            "OPENAI_MODEL": "qwen3-coder-plus",
        }  # fmt: skip

    def run(self, prompt: str, *, goes_on: bool = False) -> int:
        """Run the client for a turn, and return its exit status."""
        call = self.call(prompt.replace("TOOL", self.TOOL), goes_on=goes_on)
        with (self.folder / "errors.txt").open("ab") as out:
            self.process = process = subprocess.Popen(
                call, cwd=self.project, env=self.environment, stdin=subprocess.DEVNULL, stdout=out,
                stderr=out, start_new_session=True,
            )  # fmt: skip
        return process.wait(timeout=180)

    def call(self, prompt: str, *, goes_on: bool) -> list[str]:
        """Return what starts the client for a turn."""
        prompt = prompt.replace("SHELL", "run_shell_command")
        return [
            "node", str(self.program), *(self.GOES_ON if goes_on else ()), "--yolo",
            "--output-format", "stream-json", "-p", self.filled(prompt),
        ]  # fmt: skip

    def turn(self, prompt: str, *, begins: bool = False) -> bool:
        return self.run(prompt, goes_on=not begins) == 0

    def said(self) -> list[str]:
        path = self.folder / "errors.txt"
        text = path.read_text() if path.exists() else ""
        # Gemini CLI's start may have a session of its own, which is told as well.
        return [*dict.fromkeys(re.findall(r"ujsx could not [^\"\\\n]*", text))]

    def wrong(self, request: Any, session: Any) -> set[str]:
        return wrong(request, session)


def huds(request: Request) -> list[str]:
    """Return what of the HUD stands in a request, in that order."""
    found: list[str] = []
    for text in request.texts:
        at = text.find("# HUD")
        if at >= 0:
            own = re.split(
                "\n?</(?:qwen:user-prompt-submit-context|hook_context|system_reminder)>", text[at:]
            )[0]
            found.append(own.replace("&lt;", "<").replace("&gt;", ">"))
    return found


def wrong(request: Request, session: Any) -> set[str]:
    """Return what a request does not tell of the state at its time, or tells, and is not so."""
    return missed(request, session, huds(request))


def is_compacted(request: Request) -> bool:
    """Tell whether a summary stands in the place of what was said."""
    return any("The login was begun" in each for each in request.texts)


def rows(folder: Path, *, rounds: int = 5) -> Found:
    """Run a session, and return what was looked at."""
    program = client()
    if program is None:
        return NOT_THERE
    with ChatModel() as model:
        made = lambda name: QwenCode(folder / name, program, model)  # noqa: E731
        return looked_at(made, [FIRST + AGENT, SECOND, THIRD], rounds=rounds, guided=1)


def looked_at(
    made: Callable[[str], QwenCode], prompts: Sequence[str], *, rounds: int, guided: int
) -> Found:
    """Run a session of a client, and return what was looked at.

    :param made: makes the folders that the client runs in.
    :param prompts: one for each run; before the last one the bridge is killed.
    :param guided: how many summaries hooks have guided.
    """
    found = Found()
    place = made("hud")
    model = place.model
    before = place.texts
    place.install()
    statuses, ends = list[int](), list[int]()
    for number, prompt in enumerate(prompts):
        if number == len(prompts) - 1:
            was = place.kill_bridge()
            found.row("the bridge is killed between two runs", was, holds=was)
        statuses.append(place.run(prompt, goes_on=number > 0))
        ends.append(len(model.requests))
    found.row("exit statuses of the runs", statuses, holds=not any(statuses))
    requests = [*model.requests]
    place.keep(requests)
    main = [each for each in requests if each.kind == "main"]
    found.row("requests of the main agent", len(main), holds=len(main) >= 14)
    with HudStore.open(place.store) as store:
        # Where a hook's text at a subagent's start does not reach it, it reads its HUD with its first results.
        begun = next((n for n, each in enumerate(requests) if each.kind == "subagent"), None)
        is_read = HOOK_HOSTS[place.NAME].subagents_read
        told_of = [each for n, each in enumerate(requests) if is_read or n != begun]
        look_at_state(found, store, told_of, wrong, subagents=0 if begun is None else 1)
    at = next(n for n, each in enumerate(main) if is_compacted(each))
    _look_at_prefixes(found, requests, ends, main[at])
    ours = sum(len(text.encode()) for text in huds(main[at - 1]))
    share = ours / sum(len(block.encode()) for block in main[at - 1].blocks())
    found.row("the HUD's share of the bytes", f"{share:.1%}", holds=share < 0.1)
    again = any(each.startswith("# HUD\n") for each in huds(main[at]))
    found.row("all of it again right behind the compaction", again, holds=again)
    summaries = [each for each in requests if each.kind == "summary"]
    told = [each for each in summaries if "Do not repeat it" in json.dumps(each.body)]
    what = "summaries that were guided"
    found.row(what, f"{len(told)} of {len(summaries)}", holds=len(told) == guided)
    if HOOK_HOSTS[place.NAME].compacts_at is None:  # elsewhere all of it is told right before
        look_at_summaries(found, requests, huds)
    small = [each for each in requests if each.kind == "small" and huds(each)]
    found.row("small requests with a HUD", len(small), holds=not small)
    place.ujsx("uninstall", place.NAME)
    is_same = place.texts == before
    found.row("settings after taking it out", "as before" if is_same else "changed", holds=is_same)
    place.kill_bridge()
    steps(found, made("plain"), made("timed"), rounds)
    return found


def _look_at_prefixes(
    found: Found, requests: Sequence[Request], ends: Sequence[int], behind: Request
) -> None:
    """Look at what requests kept of each other in a run; the client itself lays out its history anew when it goes on.

    :param ends: how many requests there were after each run.
    :param behind: the main agent's first one after the compaction.
    """
    runs = [[*requests[start:end]] for start, end in pairwise([0, *ends])]
    mains = [[each for each in run if each.kind == "main"] for run in runs]
    shares = [
        share
        for run in mains
        for share, (_, after) in zip(kept(run), pairwise(run), strict=True)
        if after is not behind
    ]
    found.row("prefix kept within a run, the least", f"{min(shares):.1%}", holds=min(shares) == 1.0)
    resumed = [kept([before[-1], after[0]])[0] for before, after in pairwise(mains)]
    told = ", ".join(f"{each:.1%}" for each in resumed)
    found.row("prefix kept when it goes on", told)


def steps(found: Found, without: QwenCode, resident: QwenCode, rounds: int) -> None:
    """Compare steps with hooks to steps without, turn by turn."""
    resident.install()
    times = [(_step(without), _step(resident)) for _ in range(rounds)]
    resident.kill_bridge()
    look_at_steps(found, "a step with hooks beside one without", times)


def _step(place: QwenCode, count: int = 12) -> float:
    place.model.requests.clear()
    # Equal calls would be taken for a loop.
    calls = "\n".join(f'!call SHELL {{"command": "true {n}"}}' for n in range(count))
    place.run(f"Run these, please, one after the other.\n{calls}")
    return step_time(place.model.requests)
