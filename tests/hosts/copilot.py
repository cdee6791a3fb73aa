"""Copilot CLI, run for real: a session with a HUD, what each request holds, and what a step costs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from tests.hosts import qwen_code
from tests.hosts.chat import ChatModel
from tests.hosts.model import texts_of
from tests.hosts.place import CACHES, NOT_THERE, Found, fetched
from tests.hosts.qwen_code import AGENT, FIRST, SECOND, THIRD, QwenCode

VERSION = "1.0.102"

TOOLS = {
    'write_file {"file_path"': 'create {"path"',
    '"content": "def test_login()': '"file_text": "def test_login()',
    'agent {"description": "look", "subagent_type": "general-purpose", "run_in_background": false': (
        'task {"description": "look", "agent_type": "general-purpose", "name": "looker", "mode": "sync"'
    ),
    "run_shell_command": "bash",
    "mcp__ujsx__hud": "ujsx-hud",
    '{\\"command\\": \\"echo inside\\"': '{\\"description\\": \\"x\\", \\"command\\": \\"echo inside\\"',
    'SHELL {"command"': 'bash {"description": "x", "command"',
}
"""The script's calls as this client's tools take them."""


def client() -> Path | None:
    """Return the client's program."""
    return fetched("copilot", f"@github/copilot@{VERSION}", "@github/copilot-*/copilot")


class CopilotModel(ChatModel):
    """A model whose script is over once the client has put a summary in its place."""

    CLAIMED: ClassVar[int] = 55_000
    """Of the 64,000 tokens that the client lets a model it does not know have read."""

    @staticmethod
    def script_in(message: Mapping[str, Any]) -> str:
        said = "\n".join(texts_of(message["content"]))
        return "" if "Here is a summary of the prior context" in said else said


@dataclass(eq=False)
class Copilot(QwenCode):
    """Folders in which the client runs."""

    NAME: ClassVar[str] = "copilot"
    TOOL: ClassVar[str] = "ujsx-hud"
    SETTINGS: ClassVar[Mapping[str, Any]] = {"mcpServers": {}}
    GOES_ON: ClassVar[tuple[str, ...]] = ("--continue",)

    @property
    def settings(self) -> Path:
        return self.folder / "copilot" / "mcp-config.json"

    @property
    def files(self) -> tuple[Path, ...]:
        return (self.settings, self.folder / "copilot" / "hooks" / "ujsx.json")

    @property
    def environment(self) -> dict[str, str]:
        return self.own | {
            "PATH": os.environ["PATH"], "SHELL": "/bin/sh", "COPILOT_HOME": str(self.settings.parent),
            "COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": f"{self.model.address}/v1",
            "COPILOT_MODEL": "gpt-4.1", "COPILOT_AUTO_UPDATE": "false",
            "XDG_CACHE_HOME": str(CACHES / "copilot" / "unpacked"),
        }  # fmt: skip

    def call(self, prompt: str, *, goes_on: bool) -> list[str]:
        for name, own in TOOLS.items():
            prompt = prompt.replace(name, own)
        return [
            str(self.program), *(self.GOES_ON if goes_on else ()), "--allow-all-tools",
            "--allow-all-paths", "--output-format", "json", "-p", self.filled(prompt),
        ]  # fmt: skip


def rows(folder: Path, *, rounds: int = 5) -> Found:
    """Run a session, and return what was looked at."""
    program = client()
    if program is None:
        return NOT_THERE
    with CopilotModel() as model:
        made = lambda name: Copilot(folder / name, program, model)  # noqa: E731
        return qwen_code.looked_at(made, [FIRST + AGENT, SECOND, THIRD], rounds=rounds, guided=0)
