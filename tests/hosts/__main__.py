"""Run real clients, and print what was found: ``python -m tests.hosts [ROUNDS] [CLIENT]``."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from tests.hosts import claude_code, codex, history, opencode, typescript

CLIENTS = {
    "claude-code": ("Claude Code", claude_code),
    "codex": ("Codex", codex),
    "opencode": ("OpenCode", opencode),
    "history": ("The history of OpenCode", history),
    "typescript": ("MCP client for TypeScript", typescript),
}


def main(rounds: int, wanted: list[str]) -> int:
    """Print the tables, and return 1 where something is not as it should be."""
    is_well = True
    for name in wanted:
        title, host = CLIENTS[name]
        folder = Path(tempfile.mkdtemp(prefix="ujsx-hosts-"))
        found = host.rows(folder, rounds=rounds)
        width = max(len(what) for what, _, _ in found)
        print(f"{title} {host.VERSION}")
        for what, value, holds in found:
            print(f"  {'' if holds else '✗ ':<2}{what:<{width}}  {value}")
        if all(holds for *_, holds in found):
            shutil.rmtree(folder)
        else:
            is_well = False
            print(f"what was sent and said: {folder}")
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 5, sys.argv[2:] or [*CLIENTS]))
