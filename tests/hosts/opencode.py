"""OpenCode, where it runs for real, and what a request of it holds."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from tests.hosts.model import Request
from tests.hosts.place import Place, fetched
from tests.hosts.told import missed

VERSION = "1.18.33"


def client() -> Path | None:
    """Return the client's program."""
    return fetched("opencode", f"opencode-ai@{VERSION}", "opencode-*-*/bin/opencode")


@dataclass(eq=False)
class OpenCode(Place):
    """Folders in which the client runs."""

    NAME: ClassVar[str] = "opencode"
    SHELL: ClassVar[str] = 'bash {"command": "COMMAND", "description": "x"}'
    TOOL: ClassVar[str] = "hud"

    mode: str = "append"
    neighbours: list[str] = field(default_factory=list[str])
    """Texts of other plugins, of which some come before ours and some behind it."""
    address: str = ""
    newest: str = ""
    """The id of the newest session."""

    def __post_init__(self) -> None:
        super().__post_init__()
        plugins = self.project / ".opencode" / "plugins"
        plugins.mkdir(parents=True, exist_ok=True)
        (self.project / "opencode.json").write_text(json.dumps(self._settings))
        for name, text in zip(("a.js", "z.js"), self.neighbours, strict=False):
            (plugins / name).write_text(text)
        for each in (self.project / ".opencode", self.folder / "xdg" / "config" / "opencode"):
            _without_fetching(each)

    @property
    def _settings(self) -> dict[str, Any]:
        played = {
            "npm": "@ai-sdk/anthropic",
            "name": "Played",
            "options": {"baseURL": f"{self.model.address}/v1", "apiKey": "for-loopback-only"},
            "models": {
                name: {
                    "name": name,
                    "tool_call": True,
                    "limit": {"context": 200_000, "output": 8_192},
                }
                for name in ("claude-large", "claude-small")
            },
        }
        return {
            "autoupdate": False, "share": "disabled", "snapshot": False, "permission": {"*": "allow"},
            "model": "played/claude-large", "small_model": "played/claude-small",
            "enabled_providers": ["played"], "provider": {"played": played},
        }  # fmt: skip

    @property
    def environment(self) -> dict[str, str]:
        kept_ = {key: value for key, value in os.environ.items() if not key.startswith("OPENCODE")}
        xdg = {
            f"XDG_{name.upper()}_HOME": str(self.folder / "xdg" / name)
            for name in ("data", "config", "cache", "state")
        }
        off = (
            "AUTOUPDATE",
            "MODELS_FETCH",
            "LSP_DOWNLOAD",
            "DEFAULT_PLUGINS",
            "SHARE",
            "CLAUDE_CODE",
        )
        return kept_ | xdg | {f"OPENCODE_DISABLE_{each}": "1" for each in off} | self.own

    @property
    def plugin(self) -> Path:
        """Where ours is put."""
        return self.project / ".opencode" / "plugins" / "ujsx.js"

    def install(self, *options: str) -> None:
        super().install("--project", str(self.project), "--mode", self.mode, *options)

    @contextmanager
    def running(self) -> Generator[None]:
        """Run the server of the client."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        call = [str(self.program), "serve", "--port", str(port), "--hostname", "127.0.0.1"]
        with (self.folder / "errors.txt").open("ab") as errors:
            self.process = subprocess.Popen(
                [*call, "--print-logs"], cwd=self.project, env=self.environment,
                stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, start_new_session=True,
            )  # fmt: skip
            self.address = f"http://127.0.0.1:{port}"
            try:
                health = "/global/health"
                if not waited(lambda: self.call("GET", health, timeout=2) is not None, 180):
                    raise TimeoutError(f"OpenCode does not start: {self.folder / 'errors.txt'}")
                yield
                self.call("POST", "/instance/dispose")  # the last events are told
            finally:
                self.process.terminate()
                self.process.wait(30)

    def call(self, method: str, path: str, body: object = None, *, timeout: float = 120) -> Any:
        """Ask the server; None where it does not answer."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return json.loads(answer.read() or b"null")
        except (OSError, ValueError):
            return None

    def begin(self) -> str:
        """Begin a session."""
        self.newest = str(self.call("POST", "/session", {})["id"])
        return self.newest

    def prompt(self, session: str, text: str) -> Any:
        """Let the user say something, and wait for the end of the turn."""
        model = {"providerID": "played", "modelID": "claude-large"}
        body = {"model": model, "parts": [{"type": "text", "text": self.filled(text)}]}
        return self.call("POST", f"/session/{session}/message", body)

    def compact(self, session: str) -> None:
        """Let the host make a summary."""
        model = {"providerID": "played", "modelID": "claude-large"}
        self.call("POST", f"/session/{session}/summarize", model)

    def turn(self, prompt: str, *, begins: bool = False) -> bool:
        told = self.prompt(self.begin() if begins else self.newest, prompt)
        return bool(told) and not told["info"].get("error")

    def said(self) -> list[str]:
        log = (self.folder / "errors.txt").read_text("utf-8", "replace")
        return [
            each for each in log.splitlines() if "level=WARN" in each and "ujsx could not" in each
        ]

    def wrong(self, request: Request, session: Any) -> set[str]:
        return wrong(request, session)


def _without_fetching(folder: Path) -> None:
    """Spare the client the package that it fetches wherever there are plugins."""
    (folder / "node_modules").mkdir(parents=True, exist_ok=True)
    wanted = {"@opencode-ai/plugin": "*"}
    lock = {"name": "none", "lockfileVersion": 3, "packages": {"": {"dependencies": wanted}}}
    (folder / "package.json").write_text(json.dumps({"dependencies": wanted}))
    (folder / "package-lock.json").write_text(json.dumps(lock))


def waited(is_so: Callable[[], object], seconds: float = 60) -> bool:
    """Wait until something is so, of which nobody tells; return whether it is."""
    end = time.monotonic() + seconds
    while not (found := is_so()) and time.monotonic() < end:
        time.sleep(0.1)
    return bool(found)


def huds(request: Request) -> list[str]:
    """Return what of the HUD stands in a request, in that order."""
    return [each for each in request.texts if each.startswith("# HUD")]


def wrong(request: Request, session: Any) -> set[str]:
    """Return what a request does not tell of the state that it was made from.

    Some events are told while a request is on its way, so that one of the newest versions before it counts.
    """
    return missed(request, session, huds(request), at_once=4, strictly=False)


def is_compacted(request: Request) -> bool:
    """Tell whether a summary stands in the place of what was said."""
    return any("What did we do so far?" in each for each in request.texts)
