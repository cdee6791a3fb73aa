"""What a host's hook costs: the small program beside a bare interpreter, and a step of Claude Code with hooks.

All that is compared has its turn in each round, so that a change of the machine's speed hits it alike; the
ratio is the median of the rounds'. Time that passes counts, as a host waits for it, and not the processor's.

A step is what the host does between two requests: a program that it starts for a tool, which takes as long as a
bare interpreter, and the step's hook, for a file that is read again. *Resident*: the MCP server, which is there already,
asks the bridge. *With another file*: the same, for seven files in turn, so that another one is the newest each time. *Of
one's own HUD*: the same in a domain with a section of one's own. *By command*: the host starts the small program, which asks
the bridge. No step of a host is shorter, so that its own ratios are lower.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter_ns
from typing import Any

from hud_runtime.integrations.bridge import END, BridgeLink, client_call, place_of
from tests.benchmarks._inside import CLIENT, interpreter
from tests.benchmarks._timing import headed

ROUNDS = 31
"""Rounds in which every way has its turn."""

BARE = (interpreter(), "-I", "-S", "-c", "pass")

AIMS: Mapping[str, tuple[str, float]] = {
    "the small program": ("a bare interpreter", 2.0),
    "a step, its hook resident": ("a step without hooks", 1.3),
    "a step with another file": ("a step without hooks", 1.3),
    "a step of one's own HUD": ("a step without hooks", 1.3),
    "a step, its hook a command": ("a step without hooks", 2.5),
}
"""What each way is held against, and what the ratio is to be at most."""

OWN = """
from docs.examples.minute.desk import Remedies
from hud_components import CODING

DOMAIN = CODING.with_sections(Remedies, name="desk")
"""
"""The file of a domain of one's own."""

EVENT: dict[str, Any] = {
    "hook_event_name": "PostToolBatch",
    "session_id": "s",
    "cwd": "/srv/shop",
    "tool_calls": [
        {
            "tool_name": "Read",
            "tool_use_id": "1",
            "tool_input": {"file_path": "/srv/shop/login.py"},
            "tool_response": "import jwt",
        }
    ],
}


def main() -> None:
    """Measure and print."""
    with TemporaryDirectory() as folder:
        domain = Path(folder, "own.py")
        domain.write_text(OWN, "utf-8")
        resident, socket = _bridge(Path(folder, "hud.db"))
        own, _ = _bridge(Path(folder, "own.db"), "--domain", f"{domain}:DOMAIN")
        try:
            print(_table(_rounds(_ways(resident, socket, own))))
        finally:
            for each in (resident, own):
                each.ask(END, b"")


def _bridge(store: Path, *options: str) -> tuple[BridgeLink, Path]:
    """Return a bridge of a store, and its socket."""
    socket = place_of(store).socket
    program = [sys.executable, "-m", "hud_runtime", "bridge", "--store", str(store)]
    program += ["--socket", str(socket), *options]
    return BridgeLink(socket, program, patience=30.0), socket


def _ways(resident: BridgeLink, socket: Path, own: BridgeLink) -> dict[str, Callable[[], object]]:
    given = json.dumps(EVENT).encode()
    call = [*client_call(CLIENT.parent, socket), "10", "claude-code"]
    bare, command = partial(_run, BARE, b""), partial(_run, call, given)
    hook = partial(resident.ask, "claude-code", given)
    others = cycle([_event_of(f"/srv/shop/{name}.py") for name in "abcdefg"])
    return {
        "a bare interpreter": bare,
        "the small program": command,
        "a step without hooks": bare,
        "a step, its hook resident": lambda: (bare(), hook()),
        "a step with another file": lambda: (bare(), resident.ask("claude-code", next(others))),
        "a step of one's own HUD": lambda: (bare(), own.ask("claude-code", next(others))),
        "a step, its hook a command": lambda: (bare(), command()),
    }


def _event_of(path: str) -> bytes:
    """Return the event of a session of its own in which a file is read."""
    [call] = EVENT["tool_calls"]
    calls = [{**call, "tool_input": {"file_path": path}}]
    return json.dumps({**EVENT, "session_id": "t", "tool_calls": calls}).encode()


def _rounds(ways: Mapping[str, Callable[[], object]]) -> dict[str, list[float]]:
    """Return the milliseconds that each way takes in each round."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for way in [*ways.values()][::-1]:  # the bridge starts, and has a session
        way()
    order = deque(ways.items())
    for _ in range(ROUNDS):
        for name, way in order:
            start = perf_counter_ns()
            way()
            times[name].append((perf_counter_ns() - start) / 1e6)
        order.rotate()
    return times


def _table(times: Mapping[str, list[float]]) -> str:
    width = max(map(len, times))
    title = "A hook of Claude Code: milliseconds that pass, in turn"
    lines = [headed(title), f"{'':{width}}  {'ms':>7}  {'ratio':>7}  {'aim':>7}"]
    for name, each in times.items():
        line = f"{name:{width}}  {statistics.median(each):7.1f}"
        if name in AIMS:
            other, most = AIMS[name]
            ratio = statistics.median(a / b for a, b in zip(each, times[other], strict=True))
            missed = "  missed" if ratio > most else ""
            line += f"  {ratio:7.2f}  {f'≤ {most:g}':>7}{missed}"
        lines.append(line)
    return "\n".join([*lines, ""])


def _run(call: list[str] | tuple[str, ...], given: bytes) -> None:
    subprocess.run(call, input=given, stdout=subprocess.DEVNULL, check=True, env=os.environ)


if __name__ == "__main__":
    main()
