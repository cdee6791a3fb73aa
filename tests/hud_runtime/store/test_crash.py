"""What was acknowledged survives the sudden end of the processes that wrote it, and so do its copies.

``make crash`` is the long form: ``UJSX_KILLS`` rounds, each of which kills a process in every role.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from hud_runtime import HudStore, StoreError
from tests.hud_runtime.store.crash import (
    OPERATIONS,
    ROLES,
    Place,
    back_up_again,
    bring_in,
    check,
    compact,
    kill_under_load,
    look,
    purge,
    record,
    record_long,
    record_several,
)
from tests.hud_runtime.store.processes import Ledger, running

KILLS = int(os.environ.get("UJSX_KILLS", "2"))
"""Rounds of killing all processes."""

MORE = 3
"""Rounds that may follow where a busy machine has not come to do everything in so few: each lasts until it has."""

ONE_FILE = 10
"""Rounds with one file; all of its events are checked after each."""

EACH_KILLS = max(1, KILLS // 20)
"""How often each operation is killed alone."""

EACH = 200 if KILLS > 100 else 25
"""How many events each of many writers records, in its session and in the one of all."""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and kill -9")


def restore_all(path: Path, ledger: Ledger, folders: Iterable[str]) -> None:
    """Restore backups to another place, over each other, and check each."""
    now = ledger.acknowledged()
    lines = ledger.backups()
    for name in folders:
        restored = path.with_name("restored.db")
        HudStore.restore(path.with_name(name), restored, force=True)
        # A session that is being purged may be in the backup or not.
        check(restored, replace(ledger.acknowledged(lines[name]), purging=now.purging))
        drop_what_was_set_aside(restored)


def drop_what_was_set_aside(path: Path) -> None:
    for folder in path.parent.glob(f"{path.name}.*-*"):
        shutil.rmtree(folder)


class TestKill:
    def test_loses_nothing_that_was_acknowledged(self, tmp_path: Path) -> None:
        chance = random.Random()
        counts = dict.fromkeys(("recorded", "imported", "purged", "backed up", "restored"), 0)
        for number in range(KILLS + MORE):
            if number >= KILLS and all(counts.values()):
                break
            if number % ONE_FILE == 0:
                shutil.rmtree(tmp_path / f"{number - ONE_FILE}", ignore_errors=True)
                folder = tmp_path / f"{number}"
                folder.mkdir()
                path, ledger = folder / "hud.db", Ledger(folder / "ledger")
            seen, missing = len(ledger.lines()), {kind for kind in counts if not counts[kind]}

            def has_done_everything() -> bool:
                return number < KILLS or missing <= {kind for kind, *_ in ledger.lines()[seen:]}  # noqa: B023

            kill_under_load(path, ledger, chance, until=has_done_everything)
            check(path, ledger.acknowledged())
            in_the_round = {line[1] for line in ledger.lines()[seen:] if line[0] == "backed up"}
            restore_all(path, ledger, in_the_round)
            OPERATIONS["restore"](Place(path, "kept", ledger))
            counts["restored"] += len(in_the_round) + 1
            check(path, ledger.acknowledged())
            drop_what_was_set_aside(path)
            for kind, *_ in ledger.lines()[seen:]:
                if kind in counts:
                    counts[kind] += 1
        print(f"\n{KILLS} rounds, {KILLS * len(ROLES)} processes killed:", counts)  # noqa: T201
        assert all(counts.values())


class TestManyWriters:
    def test_of_one_file_lose_nothing_and_fail_never(self, tmp_path: Path) -> None:
        path, ledger = tmp_path / "hud.db", Ledger(tmp_path / "ledger")

        def write(name: str) -> None:
            with HudStore.open(path) as store:
                for _ in range(EACH):
                    record(Place(path, name, ledger, store))
                    record(Place(path, "shared", ledger, store))

        with ExitStack() as stack:
            names = [f"writer-{number}" for number in range(16)]
            for process in [stack.enter_context(running(partial(write, name))) for name in names]:
                assert process.wait() == 0
        told = ledger.acknowledged()
        assert told.events == {**dict.fromkeys(names, EACH + 1), "shared": 16 * EACH + 1}
        check(path, told)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "hud.db"
    ledger = Ledger(path.with_name("ledger"))
    with HudStore.open(path) as store:
        for number in range(9):
            at = Place(path, f"session-{number % 3}", ledger, store)
            for operation in (record_several, record_long):
                operation(at)
            if number == 3:
                for operation in (compact, bring_in, purge, look, back_up_again):
                    operation(at)
    return path


class TestEachOperation:
    """Alone, and killed at any moment of its own."""

    @pytest.mark.parametrize("name", OPERATIONS)
    def test_killed_loses_nothing(self, whole: Path, tmp_path: Path, name: str) -> None:
        chance, longest = random.Random(), 0.0
        for number in range(1 + EACH_KILLS):
            folder = tmp_path / f"{number}"
            shutil.copytree(whole.parent, folder)
            path, ledger = folder / "hud.db", Ledger(folder / "ledger")
            if name == "repair":
                path.write_bytes(bytes(100) + path.read_bytes()[100:])
            begun = time.perf_counter()
            with running(partial(OPERATIONS[name], Place(path, "session-0", ledger))) as process:
                if number == 0:
                    assert process.wait() == 0
                    longest = time.perf_counter() - begun
                else:
                    time.sleep(chance.uniform(0, longest))
            if name == "repair":
                with suppress(StoreError):  # it is whole already
                    HudStore.repair(path)
            self.check(path, ledger)
            # What was killed is in nobody's way.
            at = Place(path, "session-0", ledger)
            OPERATIONS[name](at)
            at.store.close()
            self.check(path, ledger)
            assert not list(folder.glob(f".{path.name}.*"))
            shutil.rmtree(folder)

    def check(self, path: Path, ledger: Ledger) -> None:
        told = ledger.acknowledged()
        check(path, told)
        for folder in path.parent.glob(f"{path.name}.replaced-*"):
            if not folder.name.endswith(".partial"):
                check(folder / "hud.db", told)
        done = ledger.backups()
        assert done.keys() <= {folder.name for folder in path.parent.glob("backup-*")}
        restore_all(path, ledger, done)
