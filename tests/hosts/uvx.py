"""``uvx ujsx install claude-code``, with the wheel of this tree: what is written works when the cache is gone.

The same with ``pipx run``. A program runs what the settings name, as the host does: the first hook, and the server.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.hosts.place import ROOT, Found


@dataclass
class Home:
    """A person's folders, and what fetches programs for that person."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """Variables of its own; the registry is the machine's."""
        off = ("CLAUDE", "PYTHONPATH", "UJSX", "VIRTUAL_ENV")
        kept = {key: value for key, value in os.environ.items() if not key.startswith(off)}
        programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        return kept | {
            "HOME": str(self.folder / "home"), "UV_CACHE_DIR": str(self.folder / "cache"),
            "PIPX_HOME": str(self.folder / "pipx"), "PATH": programs,
        }  # fmt: skip

    def run(self, *call: str, told: str = "") -> str:
        """Run a program, and return what it prints."""
        (self.folder / "home").mkdir(exist_ok=True)
        done = subprocess.run(
            call, input=told, env=self.environment, cwd=self.folder, check=True,
            stdout=subprocess.PIPE, stderr=(self.folder / "errors.txt").open("a"), text=True, timeout=300,
        )  # fmt: skip
        return done.stdout

    def settings(self, name: str) -> dict[str, Any]:
        """Return settings of the host."""
        found: dict[str, Any] = json.loads((self.folder / "home" / name).read_text())
        return found

    def first_hook(self) -> str:
        """Run the hook of a session that starts, and return what the model reads."""
        [group] = self.settings(".claude/settings.json")["hooks"]["SessionStart"]
        [entry] = group["hooks"]
        event = {"hook_event_name": "SessionStart", "source": "startup", "session_id": "s"}
        said = self.run(entry["command"], *entry["args"], told=json.dumps(event))
        return str(json.loads(said)["hookSpecificOutput"]["additionalContext"]) if said else ""

    def tools(self) -> list[str]:
        """Start the server, and return the names of its tools."""
        entry = self.settings(".claude.json")["mcpServers"]["ujsx"]
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        said = self.run(entry["command"], *entry["args"], told=json.dumps(asked) + "\n")
        return [each["name"] for each in json.loads(said)["result"]["tools"]]

    def end_bridge(self) -> None:
        """End the bridge, as installing again does."""
        from hud_runtime.integrations.bridge import END, place_of
        from hud_runtime.integrations.bridge import BridgeLink as Link

        place = place_of(self.folder / "home" / ".local" / "share" / "ujsx" / "hud.db")
        Link(place.socket, (), patience=2.0).ask(END, b"")


def rows(folder: Path, *, rounds: int = 5) -> Found:
    """Install with each program that fetches others, drop its cache, and return what was looked at."""
    found = Found()
    built = ["build", "--wheel", "--out-dir", str(folder / "dist"), str(ROOT)]
    _uv(folder, *built)
    [wheel] = (folder / "dist").glob("*.whl")
    fetching = {
        "uvx": ("uvx", "--from", str(wheel)),
        "pipx": ("pipx", "run", "--spec", str(wheel)),
    }
    for name, call in fetching.items():
        if shutil.which(name, path=Home(folder).environment["PATH"]) is None:
            found.row(f"{name} is there", "no: make .venv/.hosts", holds=False)
            continue
        (folder / name).mkdir()
        _fetched(found, name, Home(folder / name), (*call, "ujsx"))
    return found


def _fetched(found: Found, name: str, home: Home, ujsx: tuple[str, ...]) -> None:
    began = time.monotonic()
    home.run(*ujsx, "install", "claude-code")
    found.row(f"{name}: seconds until it is installed", f"{time.monotonic() - began:.1f}")
    server = home.settings(".claude.json")["mcpServers"]["ujsx"]
    text = json.dumps([home.settings(".claude/settings.json"), server])
    inside = [each for each in (home.folder / "cache", home.folder / "pipx") if str(each) in text]
    starts = " ".join([Path(server["command"]).name, *server["args"][:2]])
    found.row(f"{name}: what starts the server", starts, holds=not inside)
    for each in ("cache", "pipx"):
        shutil.rmtree(home.folder / each, ignore_errors=True)
    began = time.monotonic()
    told = home.first_hook()
    took = f"{time.monotonic() - began:.1f}"
    what = f"{name}: the first hook, when the cache is gone; seconds"
    found.row(what, took, holds=told.startswith("# HUD"))
    began = time.monotonic()
    tools = home.tools()
    took = f"{tools}, {time.monotonic() - began:.1f}"
    found.row(f"{name}: tools of the server, and seconds", took, holds=tools[:1] == ["hud"])
    home.end_bridge()
    home.run(*ujsx, "uninstall", "claude-code")
    left = [each for each in (".claude/settings.json", ".claude.json") if (home.folder / "home" / each).exists()]  # fmt: skip
    found.row(f"{name}: settings after taking it out", left or "gone", holds=not left)


def _uv(folder: Path, *arguments: str) -> None:
    (folder / "dist").mkdir(parents=True, exist_ok=True)
    program = shutil.which("uv", path=Home(folder).environment["PATH"])
    if program is None:
        raise SystemExit("uv is not there: make .venv/.hosts")
    subprocess.run([program, *arguments], check=True, capture_output=True)
