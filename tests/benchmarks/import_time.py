"""What an import costs in a fresh process, and what it does not pull in."""

from __future__ import annotations

import subprocess
import sys
from time import perf_counter

STATEMENTS = (
    "pass",
    "import pydantic",
    "import ujsx",
    "from ujsx import Component",
    "from ujsx import render",
    "import hud_components",
    "from hud_runtime import HudStore",
)

RUNS = 15


def main() -> None:
    """Measure and print."""
    print("Imports in a fresh process, milliseconds (the best of", RUNS, "runs)")
    base = 0.0
    for statement in STATEMENTS:
        milliseconds = 1000 * min(_run(statement) for _ in range(RUNS))
        base = base or milliseconds
        print(
            f"{statement:36} {milliseconds:7.1f}  {milliseconds - base:+7.1f} over an empty process"
        )
    print()


def _run(statement: str) -> float:
    start = perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return perf_counter() - start


if __name__ == "__main__":
    main()
