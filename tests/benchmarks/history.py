"""Past sessions at size: the seconds and the memory of each question, over databases of OpenCode's that are made here.

Each question is asked in a process of its own, so that its memory is told apart. ``python -m tests.benchmarks.history
400000`` asks a database of so many messages; without a figure, databases of 25,000 and 100,000.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hud_runtime.history import OpenCodeHistory, compare, exported
from tests.hud_runtime.history.databases import large

SESSIONS = 200
SIZES = (25_000, 100_000)

Ask = Callable[[OpenCodeHistory], object]

QUESTIONS: dict[str, Ask] = {
    "open and close": lambda _history: None,
    "summary": lambda history: history.counts(),
    "sessions, 20 of them": lambda history: history.sessions(),
    "messages, the last 20": lambda history: history.messages("ses_0007"),
    "context": lambda history: history.context("ses_0007"),
    "compactions": lambda history: history.compactions("ses_0007"),
    "compare two sessions": lambda history: compare(history, "ses_0007", "ses_0008"),
    "export a session": lambda history: sum(map(len, exported(history, "ses_0007"))),
    "search, of something that is there": lambda history: history.search("port 42"),
    "search, of nothing": lambda history: history.search("nowhere"),
}


def measure(name: str, database: Path) -> dict[str, float]:
    """Return the seconds of a question, as this process was given them, and the memory in MB that its process had at most."""
    begun = time.process_time()
    with OpenCodeHistory(database) as history:
        QUESTIONS[name](history)
    done = time.process_time()
    return {
        "seconds": done - begun,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024,
    }


def main(*sizes: int) -> None:
    """Make databases, ask, and print."""
    sizes = sizes or SIZES
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in QUESTIONS}
    with TemporaryDirectory() as folder:
        for size in sizes:
            database = large(Path(folder, f"{size}.db"), size, sessions=SESSIONS)
            for name in QUESTIONS:
                call = [
                    sys.executable,
                    "-m",
                    "tests.benchmarks.history",
                    "--of",
                    name,
                    str(database),
                ]
                done = subprocess.run(call, capture_output=True, text=True, check=True)
                found[name].append(json.loads(done.stdout))
            megabytes = database.stat().st_size / 1e6
            print(f"\n{size:,} messages in {SESSIONS} sessions: {megabytes:.0f} MB")
    heads = "".join(f"{f'{size:,}':>22}" for size in sizes)
    print(f"\n{'Past sessions':38}{heads}")
    for name, told in found.items():
        print(
            f"  {name:36}"
            + "".join(f"{each['seconds']:12.3f} s {each['memory']:5.0f} MB" for each in told)
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--of"]:
        print(json.dumps(measure(sys.argv[2], Path(sys.argv[3]))))
    else:
        main(*map(int, sys.argv[1:]))
