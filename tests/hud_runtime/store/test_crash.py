"""What was acknowledged survives the sudden end of the processes that wrote it, and so do its copies.

``make crash`` is the long form: ``UJSX_KILLS`` rounds, each of which kills a process in every role.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from hud_runtime import HudStore, StoreDamagedError, StoreError
from tests.hud_runtime.store.crash import (
    OPERATIONS, ROLES, Place, check, compact, kill_under_load, new_name, purge, record,
)
from tests.hud_runtime.store.processes import Ledger, running
from tests.hud_runtime.store.stores import copy_of

KILLS = int(os.environ.get("UJSX_KILLS", "3"))
"""Rounds of killing all processes."""

ONE_FILE = 10
"""Rounds with one file; all of its events are checked after each."""

EACH_KILLS = max(2, KILLS // 8)
"""How often each operation is killed alone."""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and kill -9")


def restore_all(path: Path, ledger: Ledger, folders: Iterable[str]) -> int:
    """Restore backups to another place, over each other, and check each; return how many."""
    number = 0
    now = ledger.acknowledged()
    lines = ledger.backups()
    for number, name in enumerate(folders, start=1):
        restored = path.with_name("restored.db")
        HudStore.restore(path.with_name(name), restored, force=True)
        # A session that is being purged may be in the backup or not.
        check(restored, replace(ledger.acknowledged(lines[name]), purging=now.purging))
        drop_what_was_set_aside(restored)
    return number


def drop_what_was_set_aside(path: Path) -> None:
    for folder in path.parent.glob(f"{path.name}.*-*"):
        shutil.rmtree(folder)


class TestKill:
    def test_loses_nothing_that_was_acknowledged(self, tmp_path: Path) -> None:
        chance = random.Random()
        counts = dict.fromkeys(
            ("recorded", "imported", "purged", "backed up", "restored"), 0
        )
        for number in range(KILLS):
            if number % ONE_FILE == 0:
                shutil.rmtree(tmp_path / f"{number - ONE_FILE}", ignore_errors=True)
                folder = tmp_path / f"{number}"
                folder.mkdir()
                path, ledger = folder / "hud.db", Ledger(folder / "ledger")
            seen = len(ledger.lines())
            kill_under_load(path, ledger, chance)
            check(path, ledger.acknowledged())
            in_the_round = {line[1] for line in ledger.lines()[seen:] if line[0] == "backed up"}
            counts["restored"] += restore_all(path, ledger, in_the_round)
            OPERATIONS["restore"](Place(path, "kept", ledger))
            counts["restored"] += 1
            check(path, ledger.acknowledged())
            drop_what_was_set_aside(path)
            for kind, *_ in ledger.lines()[seen:]:
                if kind in counts:
                    counts[kind] += 1
        print(f"\n{KILLS} rounds, {KILLS * len(ROLES)} processes killed:", counts)  # noqa: T201
        assert all(counts.values())
