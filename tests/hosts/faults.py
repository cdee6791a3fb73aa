"""What goes wrong for real clients, at length: ``python -m tests.hosts.faults [SECONDS] [CLIENT ...]``.

With each of them our processes are killed in a turn, the database is locked for a minute, the disk is full, a component raises, the client
never says that a session is over, two clients run at once. Each turn ends as ever, the next request tells the state, and
the person is told once, where the client shows that.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from hud_runtime import HudStore
from tests.hosts import claude_code, codex, copilot, gemini_cli, opencode, qwen_code
from tests.hosts.broken import BROKEN
from tests.hosts.chat import ChatModel
from tests.hosts.gemini import GeminiModel
from tests.hosts.model import Model
from tests.hosts.place import NOT_THERE, Found, Place
from tests.hosts.responses import ResponsesModel
from tests.hud_runtime.store.test_full_disk import use_up


class Client(NamedTuple):
    """A client, where it runs, and the model that it asks."""

    fetched: Callable[[], Path | None]
    place: type[Place]
    model: type[Model]


CLIENTS = {
    "claude-code": Client(claude_code.client, claude_code.ClaudeCode, Model),
    "codex": Client(codex.client, codex.Codex, ResponsesModel),
    "opencode": Client(opencode.client, opencode.OpenCode, Model),
    "qwen-code": Client(qwen_code.client, qwen_code.QwenCode, ChatModel),
    "gemini-cli": Client(gemini_cli.client, gemini_cli.GeminiCli, GeminiModel),
    "copilot": Client(copilot.client, copilot.Copilot, copilot.CopilotModel),
}

APART = "UJSX_MOUNTS_APART"
"""Set where what is mounted goes with the process."""


def rows(folder: Path, client: Client, seconds: float) -> Found:
    """Let one thing after the other go wrong, and return what was looked at."""
    program = client.fetched()
    if program is None:
        return NOT_THERE
    found = Found()
    with client.model() as model:
        place = client.place(folder / "one", program, model)
        with small_disk(place.store.parent) as is_small:
            place.install("--domain", "tests.hosts.broken:BROKEN")
            with place.running():
                begun = f"Mend the shop.\n{place.work('sleep 8')}\n{place.note('Port 8080')}"  # it has servers then
                place.turn(begun, begins=True)
                _killed(found, place)
                _locked(found, place, seconds)
                _component(found, place)
                if is_small:
                    _full(found, place)
                else:
                    found.row("a full disk", "not tried: it takes a mount, and so root")
            _cut(found, place)
            place.kill_bridge()
        _together(found, client.place(folder / "two", program, model))
    return found


# --- What goes wrong ---


def _killed(found: Found, place: Place) -> None:
    """Kill the bridge, and in a later step the server, while the model answers."""
    killed: list[int] = []
    at = len(place.model.requests)
    place.model.meanwhile[at + 2] = lambda: killed.append(place.kill(*place.bridges()))
    place.model.meanwhile[at + 3] = lambda: killed.append(place.kill(*place.servers()))
    is_well = place.turn(f"Go on.\n{place.work('one')}\n{place.work('two')}\n{place.work('three')}")
    found.row("killed in a turn: bridges, servers; the turn ends", (killed, is_well), holds=is_well)
    _after(found, place, "killed", told=0)


def _locked(found: Found, place: Place, seconds: float) -> None:
    """Hold the database for a while, and let one turn after the other be made meanwhile."""
    place.kill_bridge()
    times: list[float] = []
    ends: list[bool] = []
    with closing(sqlite3.connect(place.store, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            began = time.monotonic()
            ends.append(
                place.turn(f"Look at {len(ends)}.\n{place.work('one')}\n{place.work('two')}")
            )
            times.append(time.monotonic() - began)
        other.execute("ROLLBACK")
    what = f"locked for {seconds:g} seconds: turns that ended, and the longest"
    found.row(what, f"{sum(ends)} of {len(ends)}, {max(times):.1f} s", holds=all(ends))
    _after(found, place, "locked", told=1)


def _component(found: Found, place: Place) -> None:
    """Let a section of the HUD raise."""
    place.kill_bridge()
    fault = place.store.parent / "broken"
    fault.touch()
    is_well = place.turn(f"Go on.\n{place.work('one')}\n{place.note('meanwhile')}")
    fault.unlink()
    found.row("a component raises: the turn ends", is_well, holds=is_well)
    _after(found, place, "a component", told=1)


def _full(found: Found, place: Place) -> None:
    """Fill the disk of the store."""
    place.kill_bridge()
    with closing(sqlite3.connect(place.store)) as store:
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # no room is left in the log
    ballast = place.store.parent / "ballast"
    use_up(ballast)
    is_well = place.turn(f"Go on.\n{place.work('one')}\n{place.work('two')}")
    ballast.unlink()
    found.row("a full disk: the turn ends", is_well, holds=is_well)
    _after(found, place, "a full disk", told=1)


def _cut(found: Found, place: Place) -> None:
    """Kill the client in a turn, so that it never says that the session is over; another one goes on."""
    place.hear()
    with place.running():
        place.model.meanwhile[len(place.model.requests) + 2] = place.stop
        place.turn(f"Go on.\n{place.note('before it was killed')}\n{place.work('one')}")
    with place.running():
        _after(found, place, "the client is killed", told=0)
    with HudStore.open(place.store, domains=[BROKEN]) as store:
        notes = [each.content for each in store.session(place.session_in(store)).state().notes]
    holds = notes.count("before it was killed") == 1
    found.row("the client is killed: what it had recorded", notes, holds=holds)


def _together(found: Found, place: Place) -> None:
    """Run two clients at once, in one project with one store."""
    other = type(place)(place.folder, place.program, place.model)
    place.install("--domain", "tests.hosts.broken:BROKEN")
    names = {place: "Mend", other: "Build"}

    def run(one: Place) -> bool:
        prompt = f"{names[one]} it.\n{one.work('sleep 8')}\n{one.note(names[one])}"
        with one.running():
            return one.turn(prompt, begins=True)

    with ThreadPoolExecutor(2) as pool:
        ends = [*pool.map(run, names)]
    with HudStore.open(place.store, domains=[BROKEN]) as store:
        states = [store.session(each).state() for each in store.sessions()]
    place.kill_bridge()
    told = sorted((each.task.description.split()[0], *(one.content for one in each.notes)) for each in states if each.task)  # fmt: skip
    apart = told == [("Build", "Build"), ("Mend", "Mend")] and all(ends)
    found.row("two clients at once", told, holds=apart)


def _after(found: Found, place: Place, what: str, *, told: int) -> None:
    """Let one more turn be made, and look at its last request, and at what the person was told."""
    is_well = place.turn(f"And on.\n{place.work('sleep 5')}\n{place.work('true')}")
    last = [each for each in place.model.requests if each.kind == "main"][-1]
    with HudStore.open(place.store, domains=[BROKEN]) as store:
        gap = place.wrong(last, store.session(place.session_in(store)))
    found.row(f"{what}: after it, a request tells", gap or "the state", holds=is_well and not gap)
    news = place.hear()
    holds = len(news) == (told if place.SHOWS else 0)
    found.row(f"{what}: the person was told", news, holds=holds)


# --- A disk ---


@contextmanager
def small_disk(folder: Path) -> Generator[bool]:
    """Have a folder on a disk that can be filled; tell whether one is to be had."""
    if APART not in os.environ:
        yield False
        return
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m,mode=700", "none", str(folder)]
    subprocess.run(mount, check=True)
    try:
        yield True
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def main(seconds: float, wanted: list[str]) -> int:
    """Print the tables, and return 1 where something is not as it should be."""
    unshare = shutil.which("unshare")
    if APART not in os.environ and unshare is not None and os.geteuid() == 0:
        own = [unshare, "-m", sys.executable, "-m", "tests.hosts.faults", f"{seconds:g}", *wanted]
        return subprocess.run(own, check=False, env={**os.environ, APART: "1"}).returncode
    is_well = True
    for name in wanted:
        folder = Path(tempfile.mkdtemp(prefix="ujsx-faults-"))
        is_well &= rows(folder, CLIENTS[name], seconds).told(name, folder)
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if sys.argv[1:] else 60, sys.argv[2:] or [*CLIENTS]))
