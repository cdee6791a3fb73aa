"""Whatever a stranger's hand does to the files of an open store, nothing that is acknowledged is lost."""

from __future__ import annotations

import os
import random
import shutil
import signal
from pathlib import Path

import pytest

from hud_runtime import StoreError
from tests.hud_runtime.store.hands import (
    CASES,
    FILES,
    MOVES,
    OTHER,
    Case,
    Gate,
    make_other,
    play,
    rename,
    texts_in,
)
from tests.hud_runtime.store.processes import running

CHOSEN = CASES if os.environ.get("UJSX_KILLS") else random.Random(7).sample(CASES, 30)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path, gate = tmp_path_factory.mktemp("other") / OTHER, Gate()
    from functools import partial

    with running(partial(make_other, path, gate)):
        assert gate.is_reached()
    return path


@pytest.mark.parametrize("case", CHOSEN, ids=str)
def test_nothing_that_is_acknowledged_is_lost(other: Path, tmp_path: Path, case: Case) -> None:
    for each in other.parent.glob(f"{OTHER}*"):
        shutil.copyfile(each, tmp_path / each.name)
    path, ledger = play(tmp_path, case)
    lines = ledger.lines()
    changed = [kind for kind, *_ in lines].index("changed")
    refusals = [name for kind, name, _ in lines if kind == "refused"]
    recorded = {(name, version) for kind, name, version in lines[:changed] if kind == "recorded"}
    later = {(name, version) for kind, name, version in lines[changed:] if kind == "recorded"}
    status = [number for kind, _, number in lines if kind == "ended"]
    found: set[tuple[str, int]] = set()
    named = list(refusals)
    for store in (path, *path.parent.glob("hud.db.rescued-*/hud.db")):
        try:
            found |= {(name, version) for name, version, _ in texts_in(store)}
        except (StoreError, AssertionError) as error:
            named.append(str(error))
    print(case, "|", "later", sorted(later - found), "before", sorted(recorded - found), "status", status, named)
    assert not later - found
    killed = case.end == "killed at once" or -signal.SIGBUS in status
    if case.hand in MOVES and not killed:
        assert not recorded - found
    elif recorded - found and not killed:
        assert named
