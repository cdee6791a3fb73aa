"""What was acknowledged survives the sudden end of the process that wrote it."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from hud_runtime import HudStore

ROOT = Path(__file__).parents[3]
ROUNDS = int(os.environ.get("UJSX_KILLS", "3"))
"""How often a writer is killed; ``UJSX_KILLS=200`` is the long form."""

WRITER = """
import sys
from hud_runtime import HudStore
with HudStore.open(sys.argv[1]) as store:
    session = store.session("s")
    print(session.version, flush=True)
    while True:
        print(session.record("note.add", content=f"note {session.version}").version, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
class TestKill:
    def test_loses_nothing_that_was_acknowledged(self, tmp_path: Path) -> None:
        path, acknowledged = tmp_path / "hud.db", 0
        for _ in range(ROUNDS):
            acknowledged = max(acknowledged, self.write_and_kill(path))
            with HudStore.open(path) as store:
                versions = [event.version for event in store.session("s").events()]
                assert versions == list(range(1, len(versions) + 1))
                assert len(versions) >= acknowledged
                assert store.verify() == ()
        assert acknowledged > ROUNDS

    def write_and_kill(self, path: Path) -> int:
        """Let a process write, kill it somewhere, and return the last version it told."""
        arguments = [sys.executable, "-c", WRITER, str(path)]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, cwd=ROOT, text=True) as writer:
            assert writer.stdout is not None
            told = [writer.stdout.readline() for _ in range(random.randrange(2, 60))]
            writer.kill()
            told += writer.stdout.readlines()
        # The last line may be cut off in its middle: then it is a smaller number.
        return max(int(line) for line in told if line.strip())
