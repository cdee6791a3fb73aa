"""Run real clients, and print what was found: ``python -m tests.hosts [ROUNDS] [CLIENT]``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.hosts import (
    claude_code,
    cline,
    codex,
    copilot,
    gemini_cli,
    history,
    looks,
    opencode,
    opencode_sessions,
    qwen_code,
    typescript,
    uvx,
)

CLIENTS = {
    "claude-code": (f"Claude Code {claude_code.VERSION}", claude_code.rows),
    "codex": (f"Codex {codex.VERSION}", codex.rows),
    "opencode": (f"OpenCode {opencode.VERSION}", opencode_sessions.rows),
    "qwen-code": (f"Qwen Code {qwen_code.VERSION}", qwen_code.rows),
    "gemini-cli": (f"Gemini CLI {gemini_cli.VERSION}", gemini_cli.rows),
    "copilot": (f"Copilot CLI {copilot.VERSION}", copilot.rows),
    "cline": (f"Cline {cline.VERSION}", cline.rows),
    "history": (f"The history of OpenCode {opencode.VERSION}", history.rows),
    "looks": ("One's own domain, layout, words and components", looks.rows),
    "typescript": (f"MCP client for TypeScript {typescript.VERSION}", typescript.rows),
    "uvx": ("Fetched for one run", uvx.rows),
}


def main(rounds: int, wanted: list[str]) -> int:
    """Print the tables, and return 1 where something is not as it should be."""
    is_well = True
    for name in wanted:
        title, rows = CLIENTS[name]
        folder = Path(tempfile.mkdtemp(prefix="ujsx-hosts-"))
        found = rows(folder, rounds=rounds)
        is_well &= found.told(title, folder)
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 5, sys.argv[2:] or [*CLIENTS]))
