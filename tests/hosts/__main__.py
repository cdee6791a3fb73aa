"""Run real clients, and print what was found: ``python -m tests.hosts [ROUNDS]``."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from tests.hosts import claude_code


def main(rounds: int) -> int:
    """Print the table, and return 1 where something is not as it should be."""
    folder = Path(tempfile.mkdtemp(prefix="ujsx-hosts-"))
    found = claude_code.rows(folder, rounds=rounds)
    width = max(len(what) for what, _, _ in found)
    print(f"Claude Code {claude_code.VERSION}")
    for what, value, holds in found:
        print(f"  {'' if holds else '✗ ':<2}{what:<{width}}  {value}")
    if all(holds for *_, holds in found):
        shutil.rmtree(folder)
        return 0
    print(f"what was sent and said: {folder}")
    return 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 5))
