"""Where a real client runs, apart from all else, and what was found out there."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from hud_runtime import HudStore
from tests.hosts.model import Model, Request

ROOT = Path(__file__).parents[2]
CACHES = ROOT / ".cache" / "hosts"


class Found(list[tuple[str, str, bool]]):
    """What was looked at, what was found, and whether it is as it should be."""

    def row(self, what: str, value: object, *, holds: bool = True) -> None:
        """Add a row; one without a verdict tells a figure."""
        self.append((what, str(value), bool(holds)))

    def told(self, title: str, folder: Path) -> bool:
        """Print the rows, and return whether all is as it should be; what was sent is kept where it is not."""
        width = max(len(what) for what, _, _ in self)
        sys.stdout.write(f"{title}\n")
        for what, value, holds in self:
            sys.stdout.write(f"  {'' if holds else '✗ ':<2}{what:<{width}}  {value}\n")
        is_well = all(holds for *_, holds in self)
        if is_well:
            shutil.rmtree(folder)
        else:
            sys.stdout.write(f"what was sent and said: {folder}\n")
        sys.stdout.flush()
        return is_well


NOT_THERE = Found([("client", "not there, and npm could not fetch it", False)])


def fetched(name: str, package: str, pattern: str) -> Path | None:
    """Return a client's program; it is fetched where it is not there, with npm alone.

    :param name: the folder that it is kept in.
    :param package: its name in the registry, with the version.
    :param pattern: where in the folder of packages its program lies; the shortest path counts.
    """
    folder = CACHES / name

    def found() -> list[Path]:
        return sorted(folder.glob(f"node_modules/{pattern}"), key=lambda each: len(str(each)))

    if not found() and shutil.which("npm"):
        folder.mkdir(parents=True, exist_ok=True)
        call = ["npm", "install", "--prefix", str(folder), package]
        call += ["--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run(call, check=False, capture_output=True)
    return next(iter(found()), None)


@dataclass(eq=False)
class Place:
    """Folders of a client, and the model that it asks."""

    NAME: ClassVar[str]
    """The client, as `ujsx install` calls it."""

    SHELL: ClassVar[str]
    """A call of its tool that runs commands."""

    TOOL: ClassVar[str] = "mcp__ujsx__hud"
    """What it calls the HUD's tool."""

    SHOWS: ClassVar[bool] = True
    """Whether it shows the person what a hook says to them, as it is run here."""

    FOLDERS: ClassVar[tuple[str, ...]] = ("project", "home", "tmp", "hud")

    folder: Path
    program: Path
    model: Model
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    """The client, while it runs."""
    heard: int = field(default=0, init=False)
    """How much of what the person was told is known."""

    def __post_init__(self) -> None:
        for name in self.FOLDERS:
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "init", "-q", str(self.project)], check=False)

    @property
    def project(self) -> Path:
        """The folder in which the agent works."""
        return self.folder / "project"

    @property
    def store(self) -> Path:
        """The store of its HUDs."""
        return self.folder / "hud" / "hud.db"

    @property
    def own(self) -> dict[str, str]:
        """Variables that keep any client apart."""
        return {
            "HOME": str(self.folder / "home"), "TMPDIR": str(self.folder / "tmp"),
            "UJSX_HOME": str(self.folder / "hud"), "PYTHONPATH": str(ROOT),
        }  # fmt: skip

    @property
    def environment(self) -> dict[str, str]:
        """The client's variables: none of another client's."""
        return self.own

    def ujsx(self, *arguments: str) -> None:
        """Run the command."""
        call = [sys.executable, "-P", "-m", "hud_runtime", *arguments]
        subprocess.run(call, check=True, env=self.environment, capture_output=True)

    def filled(self, prompt: str) -> str:
        """Return a prompt with this place's folder and interpreter in it."""
        return prompt.replace("FOLDER", str(self.project)).replace("PYTHON", sys.executable)

    def keep(self, requests: Iterable[Request]) -> None:
        """Keep what was sent, to be read by a person."""
        text = json.dumps([each.body for each in requests], indent=1, ensure_ascii=False)
        (self.folder / "requests.json").write_text(text)

    # --- Turns, however the client is run ---

    def install(self, *options: str) -> None:
        """Give the client a HUD."""
        self.ujsx("install", self.NAME, *options)

    @contextmanager
    def running(self) -> Generator[None]:
        """Run what turns need beside themselves: nothing, unless the client says otherwise."""
        yield

    def turn(self, prompt: str, *, begins: bool = False) -> bool:
        """Let the user say something in the newest session, or in a new one; return whether the turn ended well."""
        raise NotImplementedError

    def stop(self) -> None:
        """Kill the client, so that it says nothing more."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)

    def hear(self) -> list[str]:
        """Return what the person was told of faults since this was asked last."""
        said = self.said()
        new, self.heard = said[self.heard :], len(said)
        return new

    def said(self) -> list[str]:
        """Return all that the person was told of faults."""
        raise NotImplementedError

    def wrong(self, request: Any, session: Any) -> set[str]:
        """Return what a request does not tell of the state that it was made from, or tells, and is not so."""
        raise NotImplementedError

    def session_in(self, store: HudStore[Any]) -> str:
        """Return the one session that is no subagent's."""
        [name] = [each for each in store.sessions() if "/" not in each]
        return name

    def work(self, command: str) -> str:
        """Return a line of a script that runs a command."""
        return f"!call {self.SHELL.replace('COMMAND', command if ' ' in command else f'echo {command}')}"

    def note(self, content: str) -> str:
        """Return a line of a script that writes into the HUD."""
        call = json.dumps({"call": {"op": "notes.add", "content": content}})
        return f"!call {self.TOOL} {call}"

    # --- Our processes ---

    def bridges(self) -> list[int]:
        """Return the processes that answer for the store."""
        return self._ours(b"bridge")

    def servers(self) -> list[int]:
        """Return the processes that the client has started as its servers."""
        return self._ours(b"serve")

    def _ours(self, command: bytes) -> list[int]:
        found: list[int] = []
        for each in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = each.read_bytes().split(b"\0")
            except OSError:
                continue
            is_it = words[2:5] == [b"-m", b"hud_runtime", command]
            if is_it and str(self.store).encode() in words:
                found.append(int(each.parent.name))
        return found

    def kill(self, *processes: int) -> int:
        """Kill processes, and return how many."""
        for each in processes:
            os.kill(each, signal.SIGKILL)
        return len(processes)

    def kill_bridge(self) -> bool:
        """Kill the bridge, and return whether there was one."""
        return self.kill(*self.bridges()) > 0
