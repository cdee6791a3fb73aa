"""A purge that stops anywhere: others see the session whole or not at all, and another one finishes it."""

from __future__ import annotations

import itertools
import os
import shutil
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from hud_runtime import HudStore, StoreError
from hud_runtime.log.projection import HUD
from hud_runtime.log.store import At, SqliteEventStore
from tests.hud_runtime.store.statements import Statements
from tests.hud_runtime.store.test_full_disk import fill, in_steps
from tests.hud_runtime.store.test_purge import bytes_of

STRIDE = 1 if int(os.environ.get("UJSX_KILLS", "0")) else 2
"""Each step in ``make crash``, each second one ordinarily."""

NOTES = 100
"""Of the session that is purged."""

EVENTS = NOTES + 3
"""Its notes, its beginning and two compactions."""


class Stopped(BaseException):
    """Where a process was killed."""


def stop_at(patch: pytest.MonkeyPatch, statements: Statements, last: int) -> list[str]:
    """Let nothing be done after so many steps of a purge: each begins or ends here. Return them."""
    done: list[str] = []
    real, before = Path.unlink, statements.before

    def step(what: str) -> None:
        if len(done) == last:
            raise Stopped
        done.append(what)

    def unlink(self: Path, *, missing_ok: bool = False) -> None:
        if not self.name.endswith(".gz"):
            return real(self, missing_ok=missing_ok)
        step("before a file goes")
        real(self, missing_ok=missing_ok)
        return step("after a file went")

    def begin(statement: str, *values: object) -> None:
        if before is not None:
            before(statement, *values)
        if statement == "COMMIT":
            step("before a commit")

    def end(statement: str, *_values: object) -> None:
        if statement == "COMMIT":
            step("after a commit")

    patch.setattr(Path, "unlink", unlink)
    patch.setattr(statements, "before", begin)
    patch.setattr(statements, "after", end)
    return done


def look_at_half_a_purge(folder: Path) -> None:
    """Whoever comes between two steps sees the session as it was, or nothing of it."""
    path = folder / "hud.db"
    with HudStore.open(path) as store:
        is_purged = store.keeping._sqlite("ask").is_purged("secret")
        assert store.keeping.verify() == ()
        assert store.sessions() == (("other",) if is_purged else ("other", "secret"))
        assert store.version_of("secret") == (0 if is_purged else EVENTS)
        log = store._events
        assert len(list(log.read("secret"))) == (0 if is_purged else EVENTS)
        assert len(list(log.read("secret", types=["note.add"]))) == (0 if is_purged else NOTES)
        assert len(list(log.read_all())) == (2 if is_purged else EVENTS + 2)
        assert log.version_at("secret", At("turn", 0)) == (0 if is_purged else EVENTS)
        assert (log.snapshot("secret", HUD.name, HUD.revision, EVENTS) is None) == is_purged
        store.keeping.backup(folder / "backup")
        assert (b"secret " in bytes_of(folder / "backup")) != is_purged
        assert len(store.search("secret", limit=1_000)) == (0 if is_purged else NOTES)
        assert len(store.search("harmless")) == 1
        if is_purged:
            with pytest.raises(StoreError, match="was purged"):
                store.session("secret")
        else:
            assert len(store.session("secret").state().notes) == NOTES
        shutil.rmtree(folder / "backup")


def finish(folder: Path) -> None:
    with HudStore.open(folder / "hud.db") as store:
        assert store.keeping.purge("secret") in {0, EVENTS}
        assert b"secret " not in bytes_of(folder)
        assert store.sessions() == ("other",)
        assert store.keeping.verify() == ()
        assert len(store.search("harmless")) == 1
    assert len(list((folder / "hud.db-archive").iterdir())) == 0


@pytest.mark.parametrize("is_full", [True, False], ids=["in steps", "at once"])
def test_a_purge_that_stops_anywhere_is_whole_to_others_and_can_be_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statements: Statements, *, is_full: bool
) -> None:
    whole, half, seen = tmp_path / "whole", tmp_path / "half", tmp_path / "seen"
    with HudStore.open(whole / "hud.db") as store:
        store.session("other").record("note.add", content="harmless")
        fill(store, archived=True, notes=NOTES)
    for last in itertools.count(step=STRIDE):
        shutil.copytree(whole, half)
        with HudStore.open(half / "hud.db") as store, monkeypatch.context() as patched:
            opened = store.session("secret")
            saved = store._events.snapshot("secret", HUD.name, HUD.revision, EVENTS)
            assert saved is not None
            if is_full:
                in_steps(statements, half / "hud.db", 60)
            done = stop_at(patched, statements, last)
            with suppress(Stopped):
                store.keeping.purge("secret")
                break
            patched.undo()
            statements.before = None
            if store.keeping._sqlite("ask").is_purged("secret"):
                with pytest.raises(StoreError, match="was purged"):
                    opened.record("note.add", content="secret again")
                store._events.save_snapshot(replace(saved, state='"secret again"'))
        shutil.copytree(half, seen)
        look_at_half_a_purge(seen)
        finish(seen)
        finish(half)
        shutil.rmtree(seen)
        shutil.rmtree(half)
    assert done.count("after a commit") >= (8 if is_full else 2)
    assert done.count("after a file went") == 2


def test_a_purge_finishes_those_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statements: Statements
) -> None:
    for at_once in (False, True):
        folder = tmp_path / f"{at_once}"
        with HudStore.open(folder / "hud.db") as store, monkeypatch.context() as patched:
            statements.before = None
            store.session("other").record("note.add", content="harmless")
            fill(store, archived=True)
            in_steps(statements, folder / "hud.db", 50)
            done = stop_at(patched, statements, 12)
            with pytest.raises(Stopped):
                store.keeping.purge("secret")
            assert done.count("after a commit") > 2
            assert b"secret " in bytes_of(folder)
            patched.undo()
            if at_once:
                statements.before = None
            assert store.keeping.purge("nobody") == 0
            assert b"secret " not in bytes_of(folder)
            assert len(store.search("harmless")) == 1


def test_a_search_in_memory_finds_nothing_that_was_purged(tmp_path: Path) -> None:
    with HudStore.open(tmp_path / "hud.db") as store:
        fill(store, archived=True)
        with closing(SqliteEventStore(tmp_path / "hud.db", read_only=True)) as reader:
            store.keeping._sqlite("ask")._index.drop()
            assert len(reader.search("secret")) == 20
            store.keeping.purge("secret")
            assert reader.search("secret") == []
