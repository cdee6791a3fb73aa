"""What was acknowledged survives the sudden end of the processes that wrote it.

``make crash`` is the long form: ``UJSX_KILLS`` rounds, each of which kills four processes.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from hud_runtime import HudStore, fold
from tests.hud_runtime.store.crash import Tell, kill_under_load, running

ROUNDS = int(os.environ.get("UJSX_KILLS", "8"))
ONE_FILE = 20
"""Rounds with one file; all of its events are checked after each."""

EACH = int(os.environ.get("UJSX_WRITES", "25"))
"""How many events each of the many writers records."""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and kill -9")


class TestKill:
    def test_loses_nothing_that_was_acknowledged(self, tmp_path: Path) -> None:
        chance = random.Random()
        acknowledged: dict[str, int] = {}
        for number in range(ROUNDS):
            if number % ONE_FILE == 0:
                path, acknowledged = tmp_path / f"{number}.db", {"shared": 0, "alone": 0}
            for session_id, version in kill_under_load(path, chance).items():
                acknowledged[session_id] = max(version, acknowledged[session_id])
            self.check(path, acknowledged)
        assert min(acknowledged.values()) > 0

    def check(self, path: Path, acknowledged: dict[str, int]) -> None:
        with HudStore.open(path) as store:
            for session_id, last in acknowledged.items():
                session = store.session(session_id)
                events = list(session.events())
                assert [event.version for event in events] == list(range(1, len(events) + 1))
                assert len(events) >= last
                assert session.state() == fold(events)
                assert not any("never" in str(event.payload) for event in events)
            assert store.verify() == ()


def record_some(path: Path, name: str, tell: Tell) -> None:
    with HudStore.open(path) as store:
        own, shared = store.session(name), store.session("shared")
        for number in range(EACH):
            tell(own.id, own.record("note.add", content=f"{name} {number}").version)
            shared.record("note.add", content=f"{name} {number}")


class TestManyWriters:
    def test_of_one_file_lose_nothing_and_fail_never(self, tmp_path: Path) -> None:
        path, names = tmp_path / "hud.db", [f"writer-{number}" for number in range(16)]
        self.work(path, names)
        with HudStore.open(path) as store:
            said = {f"{name} {number}" for name in names for number in range(EACH)}
            notes = [note.content for note in store.session("shared").state().notes]
            assert len(notes) == len(said)
            assert set(notes) == said
            for name in names:
                assert len(store.session(name).state().notes) == EACH
            assert store.verify() == ()

    def work(self, path: Path, names: list[str]) -> None:
        if names:
            with running(record_some, path, names[0]) as process:
                self.work(path, names[1:])
                assert process.wait() == 0
