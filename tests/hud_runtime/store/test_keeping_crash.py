"""Who keeps a store may be killed at any moment: no event is missing, and no half of a copy passes.

``UJSX_KILLS`` is how many times each operation is killed.
"""

from __future__ import annotations

import os
import random
import time
from contextlib import suppress
from pathlib import Path

import pytest

from hud_runtime import HudStore, StoreError
from tests.hud_runtime.store.crash import Tell, running
from tests.hud_runtime.store.keeping import OPERATIONS
from tests.hud_runtime.store.stores import copy_of, events_of, fill

KILLS = int(os.environ.get("UJSX_KILLS", "3"))

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and kill -9")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("crash") / "hud.db"
    fill(path)
    with HudStore.open(path) as store:
        session = store.session("work")
        for number in range(60):
            session.record("note.add", content=f"note {number} {'word ' * 60}")
            if number % 20 == 0:
                store.session(f"purge {number}").record("note.add", content="to be purged")
    return path


def damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[:100] = bytes(100)
    path.write_bytes(content)


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("seed", range(KILLS))
def test_kill_loses_nothing(whole: Path, tmp_path: Path, name: str, seed: int) -> None:
    chance = random.Random(f"{name} {seed}")
    path = copy_of(whole, f"{name}-{seed}.db")
    before = events_of(path)
    if name == "repair":
        damage(path)

    def work(target: Path, _name: str, tell: Tell) -> None:
        tell("begun", 0)
        OPERATIONS[name](target, seed)
        tell("done", 1)

    with running(work, path, name) as process:
        os.read(process._readable, 100)
        time.sleep(chance.uniform(0, 0.12))
        process.kill()
    if name == "repair":
        with suppress(StoreError):  # it is whole already
            HudStore.repair(path)
    after = events_of(path)
    for session_id, events in before.items():
        if not (name == "purge" and session_id.startswith("purge")):
            assert after[session_id][: len(events)] == events
    with HudStore.open(path) as store:
        assert store.verify() == ()
    for folder in path.parent.glob("backup*"):
        told = events_of(folder / "hud.db")
        assert told.keys() == before.keys()
        with HudStore.open(folder / "hud.db") as copy:
            assert copy.verify() == ()
    for folder in path.parent.glob(f"{path.name}.replaced-*"):
        if not folder.name.endswith(".partial"):
            assert events_of(folder / "hud.db") == before
    # What was killed is in nobody's way.
    OPERATIONS[name](path, seed + 1_000)
    with HudStore.open(path) as store:
        assert store.verify() == ()
    assert not list(path.parent.glob(f".{path.name}.partial"))
