"""What a store promises and no answer of it shows: the disk has it, the bytes are gone, nobody else."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import HudStore, StoreError
from hud_runtime.log.store import SqliteEventStore
from tests.hud_runtime.store.contract import a_long_session, an_event
from tests.hud_runtime.store.statements import Statements, fails
from tests.hud_runtime.store.syncs import counted_syncs, default_vfs

VFS = default_vfs()
RECORDS = 10


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hud.db"


@pytest.fixture
def forced(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The inodes of what was forced to the disk, and of what got a new name, in their order."""
    inodes: list[int] = []
    fsync = os.fsync

    def force(handle: int) -> None:
        inodes.append(os.fstat(handle).st_ino)
        fsync(handle)

    replace = Path.replace

    def rename(self: Path, target: Path) -> Path:
        inodes.append(self.stat().st_ino)
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", force)
    monkeypatch.setattr(Path, "replace", rename)
    return inodes


@pytest.mark.skipif(not VFS, reason="SQLite's functions cannot be reached in this Python")
class TestDisk:
    @pytest.fixture
    def syncs(self) -> Iterator[Callable[[], int]]:
        with counted_syncs(VFS) as syncs:
            yield syncs

    def of_records(self, store: HudStore, syncs: Callable[[], int]) -> int:
        session = store.session("s")
        before = syncs()
        for number in range(RECORDS):
            session.record("note.add", content=f"note {number}")
        return syncs() - before

    def test_has_each_record_of_a_durable_store(self, path: Path, syncs: Callable[[], int]) -> None:
        with HudStore.open(path, durable=True) as store:
            assert self.of_records(store, syncs) >= RECORDS

    def test_has_them_from_a_second_store_as_well(
        self, path: Path, syncs: Callable[[], int]
    ) -> None:
        with HudStore.open(path) as quick:
            assert self.of_records(quick, syncs) == 0
            with HudStore.open(path, durable=True) as durable:
                assert self.of_records(durable, syncs) >= RECORDS

    def test_has_the_log_before_the_log_is_taken_into_the_file(
        self, path: Path, syncs: Callable[[], int]
    ) -> None:
        with HudStore.open(path) as store:
            assert self.of_records(store, syncs) == 0
            before = syncs()
        assert syncs() - before >= 2  # the log, then the file

    @pytest.mark.skipif(os.name == "nt", reason="Windows has no handle of a folder")
    def test_has_an_archive_and_its_name_before_its_events_go(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        done: list[str] = []
        fsync, replace = os.fsync, Path.replace

        def forced(handle: int) -> None:
            found = os.fstat(handle)
            folder = path.parent / "hud.db-archive"
            done.extend(
                "folder" if one.is_dir() else f"file {one.suffix}"
                for one in (folder, *folder.iterdir())
                if one.stat().st_ino == found.st_ino
            )
            fsync(handle)

        def renamed(self: Path, target: Path) -> Path:
            done.append("name")
            return replace(self, target)

        with closing(SqliteEventStore(path)) as store:
            store.append("s", 0, a_long_session("s", 8))
            monkeypatch.setattr(os, "fsync", forced)
            monkeypatch.setattr(Path, "replace", renamed)
            move = store._archive._db.writing

            def writing(what: str) -> Any:
                done.append("rows")
                return move(what)

            monkeypatch.setattr(store._archive._db, "writing", writing)
            assert store.archive("s") == 7
        assert done == ["file .partial", "name", "folder", "rows"]

    @pytest.mark.skipif(os.name == "nt", reason="Windows has no handle of a folder")
    def test_has_a_restored_database_and_what_it_replaced(
        self, path: Path, forced: list[int]
    ) -> None:
        with HudStore.open(path) as store:
            store.session("s").record("note.add", content="kept")
            store.keeping.backup(path.with_name("backup"))
        forced.clear()
        done = HudStore.restore(path.with_name("backup"), path, force=True)
        assert done.set_aside is not None
        copied = [each.stat().st_ino for each in done.set_aside.iterdir() if each.is_file()]
        assert copied
        assert {*copied, done.set_aside.stat().st_ino} <= {*forced}
        assert path.parent.stat().st_ino in forced[forced.index(path.stat().st_ino) :]


class TestDeletedBytes:
    def test_are_overwritten_whatever_sqlite_does_by_itself(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, statements: Statements
    ) -> None:
        # Some builds of SQLite overwrite by default; this is one that does not.
        connect = sqlite3.connect

        def careless(*arguments: Any, **named: Any) -> sqlite3.Connection:
            connection = connect(*arguments, **named)
            connection.execute("PRAGMA secure_delete = OFF").fetchall()
            return connection

        monkeypatch.setattr(sqlite3, "connect", careless)
        # A purge that is killed has not come to write the file anew.
        statements.before = fails(lambda one: one == "VACUUM", KeyboardInterrupt())
        with closing(SqliteEventStore(path)) as store:
            for name in ("s", "t"):
                for version in range(1, 60):
                    event = an_event(name, version, content=f"{name}-secret-{version}")
                    store.append(name, version - 1, [event])
            with pytest.raises(KeyboardInterrupt):
                store.purge("s")
            store.checkpoint()
            content = b"".join(one.read_bytes() for one in path.parent.iterdir() if one.is_file())
        assert b"t-secret-1" in content
        assert b"s-secret-" not in content


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such links")
class TestLinks:
    def test_that_come_after_the_opening_are_not_followed(self, path: Path) -> None:
        victim = path.with_name("victim")
        victim.write_text("mine")
        with closing(SqliteEventStore(path)) as store:
            store.append("s", 0, a_long_session("s", 8))
            path.with_name("hud.db-lock").symlink_to(victim)
            with pytest.raises(StoreError, match=r"hud\.db-lock: it cannot be written"):
                store.archive("s")
            assert victim.read_text() == "mine"
            assert store.head("s").version == 12

    def test_that_lead_nowhere_make_nothing(self, path: Path) -> None:
        target = path.with_name("made")
        with closing(SqliteEventStore(path)) as store:
            store.append("s", 0, a_long_session("s", 8))
            path.with_name("hud.db-lock").symlink_to(target)
            with pytest.raises(StoreError):
                store.archive("s")
        assert not target.exists()


class TestExclusive:
    def test_keeps_other_processes_out(self, path: Path) -> None:
        with (
            closing(SqliteEventStore(path)) as store,
            closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as other,
        ):
            with (
                store.exclusive("s"),
                pytest.raises(sqlite3.OperationalError, match="database is locked"),
            ):
                other.execute("BEGIN IMMEDIATE")
            other.execute("BEGIN IMMEDIATE")
            other.execute("ROLLBACK")

    @pytest.mark.skipif(not Path("/proc/locks").exists(), reason="asks Linux for its locks")
    def test_tells_which_process_is_inside(self, path: Path) -> None:
        with (
            closing(SqliteEventStore(path, busy_timeout=50)) as store,
            closing(sqlite3.connect(path, isolation_level=None)) as other,
        ):
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match=rf"process {os.getpid()} is writing"):
                store.append("s", 0, [an_event("s", 1)])
