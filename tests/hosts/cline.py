"""Cline, run for real: a session with a HUD, what each request holds, and what a step costs."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import termios
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from select import select
from typing import Any, ClassVar

from hud_runtime import HudStore
from tests.hosts import qwen_code
from tests.hosts.chat import ChatModel, ChatRequest
from tests.hosts.place import NOT_THERE, Found, fetched
from tests.hosts.qwen_code import FIRST, THIRD, QwenCode, huds, is_compacted, wrong
from tests.hosts.told import kept

VERSION = "3.0.65"

WRITES = """\
!call SHELL {"command": "printf 'def test_login():\\\\n    assert 0\\\\n' > test_login.py"}"""
AGENT = """
!call spawn_agent {"systemPrompt": "You look.", "task": "SUBAGENT\\n!call run_commands {\\"commands\\": [\\"echo inside\\"]}\\n!call run_commands {\\"commands\\": [\\"echo behind\\"]}"}"""
LONG = "".join(f'\n!full call SHELL {{"command": "seq {n}0000 {n}9999"}}' for n in range(1, 9))
"""A context is full by what the client estimates, of which claims change a part alone."""

BEHIND = (
    ("run_commands", '{"commands": ["echo first"]}'),
    ("ujsx__hud", '{"call": {"op": "notes.add", "content": "Behind the summary"}}'),
    *(("run_commands", f'{{"commands": ["echo {n}"]}}') for n in range(4)),
)
"""The calls behind the compaction, which keeps some of those before it."""


def client() -> Path | None:
    """Return the client's program."""
    return fetched("cline", f"cline@{VERSION}", "@cline/cli-*/bin/cline")


def is_summary(request: ChatRequest) -> bool:
    """Return whether a request asks for a summary."""
    return "Summarize this session" in str(request.body["messages"][-1]["content"])


def is_resumed(request: ChatRequest) -> bool:
    """Return whether the session goes on in another process."""
    return any(THIRD.partition("\n")[0] in each for each in request.texts)


class ClineModel(ChatModel):
    """A model that goes on behind a summary."""

    def message(self, request: ChatRequest) -> tuple[dict[str, Any], bool]:
        if is_summary(request):
            return {"role": "assistant", "content": "The login was begun."}, False
        behind = sum(is_compacted(each) and not is_summary(each) for each in self.requests)
        if not behind or request.kind != "main" or is_resumed(request):
            return super().message(request)
        if behind > len(BEHIND):
            return {"role": "assistant", "content": "Done."}, False
        name, given = BEHIND[behind - 1]
        call = {"id": f"call_{len(self.requests)}", "index": 0, "type": "function"}
        call["function"] = {"name": name, "arguments": given}
        return {"role": "assistant", "content": None, "tool_calls": [call]}, False


@dataclass(eq=False)
class Cline(QwenCode):
    """Folders in which the client runs."""

    NAME: ClassVar[str] = "cline"
    TOOL: ClassVar[str] = "ujsx__hud"
    SETTINGS: ClassVar[Mapping[str, Any]] = {"mcpServers": {}}

    def __post_init__(self) -> None:
        super().__post_init__()
        own = {
            "provider": "openai-compatible", "apiKey": "for-loopback-only", "model": "gpt-x",
            "baseUrl": f"{self.model.address}/v1",
        }  # fmt: skip
        told = {"version": 1, "lastUsedProvider": "openai-compatible", "modes": {}}
        entry = {"settings": own, "updatedAt": "2026-11-28T00:00:00.000Z", "tokenSource": "manual"}
        told["providers"] = {"openai-compatible": entry}
        (self.settings.parent / "providers.json").write_text(json.dumps(told))

    @property
    def home(self) -> Path:
        """The client's folder."""
        return self.folder / "home" / ".cline"

    @property
    def settings(self) -> Path:
        return self.home / "data" / "settings" / "cline_mcp_settings.json"

    @property
    def files(self) -> tuple[Path, ...]:
        names = ("PreToolUse.py", "PostToolUse.py", "TaskComplete.py")
        return (self.settings, *(self.home / "hooks" / name for name in names))

    @property
    def environment(self) -> dict[str, str]:
        return self.own | {"PATH": os.environ["PATH"], "SHELL": "/bin/sh"}

    def call(self, prompt: str, *, goes_on: bool) -> list[str]:
        return [str(self.program), "--json", "-P", "openai-compatible", self.filled(prompt)]

    def filled(self, prompt: str) -> str:
        words = r'SHELL \{"command": ("(?:[^"\\]|\\.)*")\}'
        return super().filled(re.sub(words, r'run_commands {"commands": [\1]}', prompt))

    def resume(self, prompt: str) -> None:
        """Let the user go on with the newest session, which the client does in a terminal alone."""
        sessions = (self.home / "data" / "sessions").glob("*")
        newest = max(sessions, key=lambda each: each.stat().st_mtime)
        terminal, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (50, 160))
        self.process = subprocess.Popen(
            [str(self.program), "-P", "openai-compatible", "--id", newest.name],
            cwd=self.project, env=self.environment | {"TERM": "xterm-256color"},
            stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        shown_on(terminal, b"Done.")  # what was said last
        pasted = self.filled(prompt.replace("TOOL", self.TOOL))
        os.write(terminal, b"\x1b[200~" + pasted.encode() + b"\x1b[201~")
        shown_on(terminal)
        os.write(terminal, b"\r")
        (self.folder / "screen.txt").write_bytes(shown_on(terminal, b"Done."))
        self.stop()
        self.process.wait()
        os.close(terminal)


def shown_on(terminal: int, wanted: bytes = b"", quiet: float = 3.0) -> bytes:
    """Return what a terminal shows until that is among it and nothing more comes for some seconds, of a minute at most."""
    shown, end = b"", time.monotonic() + 60
    while time.monotonic() < end:
        if select([terminal], [], [], quiet)[0]:
            shown += os.read(terminal, 65_536)
        elif wanted in shown:
            break
    return shown


def rows(folder: Path, *, rounds: int = 5) -> Found:
    """Run a session, and return what was looked at."""
    program = client()
    if program is None:
        return NOT_THERE
    with ClineModel() as model:
        made = lambda name: Cline(folder / name, program, model)  # noqa: E731
        found = looked_at(made("hud"))
        qwen_code.steps(found, made("plain"), made("timed"), rounds)
        end_hub(folder)
        return found


def end_hub(folder: Path) -> None:
    """End the process that the client leaves behind for its next session."""
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = each.read_bytes()
            if b"--cline-hub-daemon" in words and os.fsencode(folder) in words:
                os.kill(int(each.parent.name), signal.SIGKILL)


def looked_at(place: Cline) -> Found:
    """Run a session, and look at each request that follows results: no hook is waited for before a run's first one."""
    found = Found()
    before = place.texts
    place.install()
    first = re.sub("!call write_file .*", lambda _: WRITES, FIRST)
    status = place.run(first + AGENT + LONG)
    found.row("exit status", status, holds=not status)
    was, told = place.kill_bridge(), len(place.model.requests)
    place.resume(THIRD)
    requests = [*place.model.requests]
    place.keep(requests)
    found.row(
        "requests behind a killed bridge and a resume",
        again := len(requests) - told,
        holds=was and again == 3,
    )
    of_kind = {
        kind: [each for each in requests if each.kind == kind] for kind in ("main", "subagent")
    }
    main = of_kind["main"]
    found.row("requests of the main agent", len(main), holds=len(main) >= 18)
    behind = [after for before, after in pairwise(requests) if is_summary(before)]
    cuts = [main.index(each) for each in behind]
    resumed = next(each for each in main if is_resumed(each))
    with HudStore.open(place.store) as store:
        [child, name] = sorted(store.sessions(), key=lambda each: "/" not in each)
        of_main, of_child = (
            [each for each in main[1:] if each not in (*behind, resumed)],
            of_kind["subagent"][1:],
        )
        for who, one, asked in (("the agent", name, of_main), ("a subagent", child, of_child)):
            gaps = [gap for each in asked if (gap := wrong(each, store.session(one)))]
            what = f"requests of {who} behind results that tell another state, of {len(asked)}"
            found.row(what, gaps or "none", holds=bool(asked) and not gaps)
        state = store.session(name).state()
        notes = [each.content for each in state.notes]
        holds = notes == ["The worker listens on port 8080", "Behind the summary"]
        found.row("notes, decisions, errors that are over", (notes, len(state.decisions), [each.resolved for each in state.errors]), holds=holds)  # fmt: skip
    runs = [main[start:end] for start, end in pairwise([0, *cuts, len(main)])]
    shares = [share for run in runs for share in kept(run)]
    found.row("prefix kept, the least", f"{min(shares):.1%}", holds=min(shares) == 1.0)
    again = any(each.startswith("# HUD\n") for each in huds(main[cuts[-1] + 1]))
    what = f"all of it again with the next results behind {len(cuts)} compactions"
    found.row(what, again, holds=again)
    again = [each.startswith("# HUD\n") for each in huds(main[main.index(resumed) + 1])]
    found.row("all of it again with the next results behind a resume", again[-1], holds=again[-1])
    place.ujsx("uninstall", place.NAME)
    is_same = place.texts == before
    found.row("settings after taking it out", "as before" if is_same else "changed", holds=is_same)
    place.kill_bridge()
    return found
