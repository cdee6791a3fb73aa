"""What an import costs in a fresh process, with all bytecode there and with none.

Where bytecode is looked for is said, so that what other runs left behind does not count. *Warm*:
every module's is there. *Without*: no module has any, the standard library's included, and none is
written (``PYTHONDONTWRITEBYTECODE``), as in an image that was made without it; all is compiled.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from tempfile import TemporaryDirectory

from tests.benchmarks._timing import headed

STATEMENTS = (
    "pass",
    "import pydantic",
    "import ujsx",
    "from ujsx import Component",
    "from ujsx import render",
    "import hud_components",
    "from hud_runtime import HudStore",
)

RUNS = {"warm": 15, "without": 3}
"""How often each statement is run; the best counts."""


def main() -> None:
    """Measure and print."""
    title = (
        "Imports in a fresh process, beyond those of an empty one: milliseconds of processor time"
    )
    print(headed(title))
    with TemporaryDirectory() as warm, TemporaryDirectory() as empty:
        kept = {**os.environ, "PYTHONPYCACHEPREFIX": warm}
        kept.pop("PYTHONDONTWRITEBYTECODE", None)
        none = {**os.environ, "PYTHONPYCACHEPREFIX": empty, "PYTHONDONTWRITEBYTECODE": "1"}
        for statement in STATEMENTS:
            _run(statement, kept)  # writes the bytecode
        times = {
            name: {each: min(_run(each, env) for _ in range(RUNS[name])) for each in STATEMENTS}
            for name, env in (("warm", kept), ("without", none))
        }
    print(f"{'':34}" + "".join(f"{name:>10}" for name in times))
    for statement in STATEMENTS:
        costs = [each[statement] - each["pass"] * (statement != "pass") for each in times.values()]
        label = "an empty process" if statement == "pass" else statement
        print(f"{label:34}" + "".join(f"{1000 * cost:10.1f}" for cost in costs))
    print()


def _run(statement: str, env: Mapping[str, str]) -> float:
    """Return the seconds of processor time that a process takes for a statement."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", statement], check=True, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
