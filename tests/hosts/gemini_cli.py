"""Gemini CLI, run for real: a session with a HUD, what each request holds, and what a step costs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from tests.hosts import qwen_code
from tests.hosts.gemini import GeminiModel
from tests.hosts.place import NOT_THERE, Found, fetched
from tests.hosts.qwen_code import FIRST, SECOND, THIRD, QwenCode

VERSION = "0.61.0"

FULL = '\n!full call SHELL {"command": "echo full"}'
"""It compacts at the next prompt: within a turn it has nothing that it could cut."""

SETTINGS: Mapping[str, Any] = {
    "model": {"name": "gemini-2.5-pro"},
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False},
}


def client() -> Path | None:
    """Return the client's program."""
    wanted = f"@google/gemini-cli@{VERSION}"
    return fetched("gemini-cli", wanted, "@google/gemini-cli/bundle/gemini.js")


@dataclass(eq=False)
class GeminiCli(QwenCode):
    """Folders in which the client runs."""

    NAME: ClassVar[str] = "gemini-cli"
    TOOL: ClassVar[str] = "mcp_ujsx_hud"
    SHOWS: ClassVar[bool] = True
    SETTINGS: ClassVar[Mapping[str, Any]] = SETTINGS
    GOES_ON: ClassVar[tuple[str, ...]] = ("--resume", "latest")

    model: GeminiModel  # type: ignore[assignment]

    @property
    def settings(self) -> Path:
        return self.folder / "home" / ".gemini" / "settings.json"

    @property
    def environment(self) -> dict[str, str]:
        return self.own | {
            "PATH": os.environ["PATH"], "SHELL": "/bin/sh", "GEMINI_API_KEY": "for-loopback-only",
            "GOOGLE_GEMINI_BASE_URL": self.model.address, "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }  # fmt: skip


def rows(folder: Path, *, rounds: int = 5) -> Found:
    """Run a session, and return what was looked at."""
    program = client()
    if program is None:
        return NOT_THERE
    with GeminiModel() as model:
        made = lambda name: GeminiCli(folder / name, program, model)  # noqa: E731
        return qwen_code.looked_at(made, [FIRST, SECOND + FULL, THIRD], rounds=rounds, guided=0)
