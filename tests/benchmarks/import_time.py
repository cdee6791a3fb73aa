"""What a start costs in a fresh process, with all bytecode there and with none: imports, a first HUD.

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

FIRST_HUD = """
import tempfile
from hud_runtime import HudStore
with tempfile.TemporaryDirectory() as folder, HudStore.open(f"{folder}/hud.db") as store:
    session = store.session("s")
    session.record("note.add", content="Port 8080")
    str(session.hud())
"""

SCHEMA = """
from ujsx.schema import tool_schema
from hud_components import NotesSection
tool_schema(NotesSection)
"""

STATEMENTS = {
    "an empty process": "pass",
    "import pydantic": "import pydantic",
    "import ujsx": "import ujsx",
    "from ujsx import Component": "from ujsx import Component",
    "from ujsx import render": "from ujsx import render",
    "import hud_components": "import hud_components",
    "from hud_components import CODING, Hud": "from hud_components import CODING, Hud",
    "from hud_components import *": "from hud_components import *",
    "import hud_runtime": "import hud_runtime",
    "from hud_runtime import HudStore": "from hud_runtime import HudStore",
    "a store, an event, its HUD": FIRST_HUD,
    "a section's schema": SCHEMA,
}
"""What is run, by its name. The last two use what the imports before them load."""

RUNS = {"warm": 15, "without": 3}
"""How often each statement is run; the best counts."""


def main() -> None:
    """Measure and print."""
    title = (
        "Starts in a fresh process, beyond those of an empty one: milliseconds of processor time"
    )
    print(headed(title))
    with TemporaryDirectory() as warm, TemporaryDirectory() as empty:
        kept = {**os.environ, "PYTHONPYCACHEPREFIX": warm}
        kept.pop("PYTHONDONTWRITEBYTECODE", None)
        none = {**os.environ, "PYTHONPYCACHEPREFIX": empty, "PYTHONDONTWRITEBYTECODE": "1"}
        for statement in STATEMENTS.values():
            _run(statement, kept)  # writes the bytecode
        times = {
            name: {
                each: min(_run(statement, env) for _ in range(RUNS[name]))
                for each, statement in STATEMENTS.items()
            }
            for name, env in (("warm", kept), ("without", none))
        }
    print(f"{'':40}" + "".join(f"{name:>10}" for name in times) + f"{'× empty':>10}")
    empty_times = {name: each["an empty process"] for name, each in times.items()}
    for label in STATEMENTS:
        own = label == "an empty process"
        costs = [each[label] - empty_times[name] * (not own) for name, each in times.items()]
        ratio = times["warm"][label] / empty_times["warm"]
        print(f"{label:40}" + "".join(f"{1000 * cost:10.1f}" for cost in costs) + f"{ratio:10.1f}")
    print()


def _run(statement: str, env: Mapping[str, str]) -> float:
    """Return the seconds of processor time that a process takes for a statement."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", statement], check=True, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
