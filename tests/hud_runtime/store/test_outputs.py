"""Kept outputs in a file: safe from others' eyes, from damage, from a full disk; and swept."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from hud_runtime import EventError, HudStore, Limits, StoreDamagedError, StoreError
from hud_runtime.context.pruning import Pruning, ToolOutput
from hud_runtime.log.store import SqliteEventStore, SweepRules
from tests.hud_runtime.store.processes import running
from tests.hud_runtime.store.statements import Statements, disk_is_full, fails
from tests.hud_runtime.store.stores import LAYOUT_1, LAYOUT_3
from tests.hud_runtime.store.test_purge import bytes_of
from tests.ids import looped

LISTING = "".join(f"secret/module_{number}.py\n" for number in range(400))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hud.db"


def keep(path: Path, name: str = "o-1", text: str = LISTING) -> None:
    with HudStore.open(path, clock=lambda: 0) as store:
        store.session("s").keep_output(name, text, tool="Bash")


def test_only_the_owner_can_read_it(path: Path) -> None:
    keep(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_names_are_values(path: Path) -> None:
    hostile = "o'; DROP TABLE hud_output; --"
    with HudStore.open(path) as store:
        session = store.session(hostile)
        session.keep_output(hostile, "text", tool=hostile, mode=hostile)
        found = session.output(hostile)
        assert found is not None
        assert (found.text, found.tool, found.mode) == ("text", hostile, hostile)


def test_an_older_store_gets_the_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        for script in (LAYOUT_1, LAYOUT_3):
            db.executescript(script.read_text())
        db.commit()
    with closing(SqliteEventStore(path, read_only=True)) as store:
        assert store.outputs("s") == []
        assert store.output("s", "o-1") is None
        assert store.sweeps() == []
    keep(path)


def test_m1_a_purge_leaves_no_byte_of_it(path: Path) -> None:
    with HudStore.open(path) as store:
        store.session("s").keep_output("o-1", "hardly compressible 8f3a")
        store.session("t").keep_output("o-1", "another one")
        store.keeping.purge("s")
        with closing(sqlite3.connect(path)) as db:
            assert db.execute("SELECT session_id FROM hud_output").fetchall() == [("t",)]
    assert b"8f3a" not in bytes_of(path.parent)


def test_a_damaged_one_is_told_and_the_others_stay(path: Path) -> None:
    keep(path)
    keep(path, "o-2", "sound")
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE hud_output SET body = zeroblob(9) WHERE id = 'o-1'")
        db.commit()
    with HudStore.open(path) as store:
        session = store.session("s")
        with pytest.raises(StoreDamagedError, match="o-1 is not as it was written; call the tool"):
            session.output("o-1")
        [damage] = store.keeping.verify()
        assert damage.is_derived
    assert "kept outputs" in " ".join(HudStore.repair(path).made_anew)
    with HudStore.open(path) as store:
        assert store.keeping.verify() == ()
        found = store.session("s").output("o-2")
        assert found is not None
        assert found.text == "sound"


def test_a_backup_has_them_and_an_export_does_not(path: Path, tmp_path: Path) -> None:
    from hud_runtime.history.exchange import export_session

    keep(path)
    with HudStore.open(path) as store:
        copied = store.keeping.backup(tmp_path / "backup")
        assert "secret" not in repr([*export_session(store.session("s"))])
    HudStore.restore(copied.path, tmp_path / "again" / "hud.db")
    with HudStore.open(tmp_path / "again" / "hud.db") as store:
        found = store.session("s").output("o-1")
        assert found is not None
        assert found.text == LISTING


def test_they_are_no_events(path: Path) -> None:
    keep(path)
    with HudStore.open(path) as store:
        assert [each.type for each in store.session("s").events()] == ["session.start"]
        assert store.search("secret") == []


def test_a_text_above_the_limit_is_refused(path: Path) -> None:
    with HudStore.open(path, limits=Limits(read=100)) as store:
        session = store.session("s")
        with pytest.raises(EventError, match="100 is the limit"):
            session.keep_output("o-1", "x" * 101)
        assert session.outputs() == []


def test_m2_it_is_swept_every_so_many_events(path: Path) -> None:
    with HudStore.open(path, clock=lambda: 0, sweeps=SweepRules(events=10, newest=2)) as store:
        session = store.session("s")
        for number in range(30):
            session.record("note.add", content=f"note {number}")
            session.keep_output(f"o-{number}", f"text {number}")
        assert [each.deleted for each in store.keeping.sweeps()] == [10, 10, 7]
        assert [each.scanned for each in store.keeping.sweeps()] == [12, 12, 9]
        assert sum(session.output(each.id).text is not None for each in session.outputs()) == 3  # type: ignore[union-attr]


@looped("rules", [{"events": 0}, {"newest": 0}, {"days": -1}])
def test_m2_figures_that_cannot_be_are_refused(rules: dict[str, int]) -> None:
    with pytest.raises(StoreError, match="positive integers"):
        SweepRules(**rules)


def test_m2_what_stands_in_the_way_is_logged(path: Path) -> None:
    keep(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute(
            "CREATE TRIGGER broken BEFORE UPDATE ON hud_output BEGIN SELECT RAISE(ABORT, 'a bad disk'); END"
        )
        db.commit()
    with HudStore.open(path, clock=lambda: 10**12) as store:
        swept = store.keeping.sweep()
        assert (swept.deleted, swept.bytes) == (0, 0)
        assert "a bad disk" in swept.errors[0]
        assert store.keeping.sweeps() == [swept]
        found = store.session("s").output("o-1")
        assert found is not None
        assert found.text == LISTING


def test_the_log_of_sweeps_is_bounded(path: Path) -> None:
    with HudStore.open(path) as store:
        for _ in range(104):
            store.keeping.sweep()
        assert len(store.keeping.sweeps()) == 100


def test_two_processes_keep_at_once(path: Path) -> None:
    keep(path, "o-start", "text")

    def work(first: int) -> Callable[[], None]:
        def keep_many() -> None:
            with HudStore.open(path) as store:
                session = store.session("s")
                for number in range(first, first + 20):
                    session.keep_output(f"o-{number}", f"text {number}")
                    session.keep_output("o-same", "the same")

        return keep_many

    with running(work(0)) as one, running(work(100)) as other:
        assert (one.wait(), other.wait()) == (0, 0)
    with HudStore.open(path) as store:
        assert len(store.session("s").outputs()) == 42
        assert store.keeping.verify() == ()


def test_threads_keep_at_once(path: Path) -> None:
    with HudStore.open(path) as store, ThreadPoolExecutor(4) as pool:
        session = store.session("s")
        list(pool.map(lambda n: session.keep_output(f"o-{n}", f"text {n}"), range(40)))
        assert len(session.outputs()) == 40


def test_a_process_that_dies_in_the_middle_leaves_all_or_nothing(path: Path) -> None:
    keep(path, "o-start", "text")

    def keep_for_ever() -> None:
        with HudStore.open(path) as store:
            session = store.session("s")
            for number in range(10**6):
                session.keep_output(f"o-{number}", f"{number} {LISTING}")

    for _ in range(3):
        with running(keep_for_ever):
            before = 0
            while before < 3:
                with HudStore.open(path) as store:
                    before = len(store.session("s").outputs())
        with HudStore.open(path) as store:
            session = store.session("s")
            assert store.keeping.verify() == ()
            texts = [session.output(each.id) for each in session.outputs()]
            assert all(each is not None and each.text for each in texts)


def test_on_a_full_disk_the_model_gets_the_whole(path: Path, statements: Statements) -> None:
    from hud_runtime.integrations import HostSession

    told: list[str] = []
    with HudStore.open(path) as store:
        host = HostSession(store.session("s"), prune=True, on_warning=told.append)
        output = ToolOutput(text=LISTING, tool="Glob")
        statements.before = fails(lambda one: "INTO hud_output" in one, disk_is_full())
        assert host.pruned(output) == LISTING
        assert host.pruned_history([output], new=0) == (LISTING,)
        statements.before = None
        assert host.pruned(output) == Pruning().new(store.session("t"), output)
    assert len(told) >= 1
    assert "disk is full" in told[0]


def test_its_secrets_are_masked_or_refused(path: Path) -> None:
    key = "ghp_" + "".join("0a1B2c3D4e5F6g7H8i9J"[number % 20] for number in range(7, 43))
    with HudStore.open(path, clock=lambda: 0) as store:
        session = store.session("s")
        session.keep_output("o-1", f"token {key}\n")
        kept = session.output("o-1")
        assert kept is not None
        assert kept.text == "token [secret: github-token]\n"
    with HudStore.open(path, clock=lambda: 0, secrets="refuse") as store:
        with pytest.raises(EventError, match="seems to contain a secret"):
            store.session("s").keep_output("o-2", key)
        assert [each.id for each in store.session("s").outputs()] == ["o-1"]
