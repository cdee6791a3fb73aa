"""Where a real client runs, apart from all else, and what was found out there."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from tests.hosts.model import Model, Request

ROOT = Path(__file__).parents[2]
CACHES = ROOT / ".cache" / "hosts"


class Found(list[tuple[str, str, bool]]):
    """What was looked at, what was found, and whether it is as it should be."""

    def row(self, what: str, value: object, *, holds: bool = True) -> None:
        """Add a row; one without a verdict tells a figure."""
        self.append((what, str(value), bool(holds)))


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

    FOLDERS: ClassVar[tuple[str, ...]] = ("project", "home", "tmp", "hud")

    folder: Path
    program: Path
    model: Model

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

    def bridges(self) -> list[int]:
        """Return the processes that answer for the store."""
        found: list[int] = []
        for each in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = each.read_bytes().split(b"\0")
            except OSError:
                continue
            if (
                words[2:5] == [b"-m", b"hud_runtime", b"bridge"]
                and str(self.store).encode() in words
            ):
                found.append(int(each.parent.name))
        return found

    def kill_bridge(self) -> bool:
        """Kill the bridge, and return whether there was one."""
        found = self.bridges()
        for each in found:
            os.kill(each, signal.SIGKILL)
        return bool(found)
