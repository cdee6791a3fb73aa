"""A backup is a whole store as it was at one moment, and comes back as one."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from hud_runtime import (
    HudStore,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreVersionError,
)
from hud_runtime.log.store import SqliteEventStore
from tests.hud_runtime.store.list_store import ListEventStore
from tests.hud_runtime.store.statements import COPY, Statements, without_patience
from tests.hud_runtime.store.stores import SESSIONS, copy_of, events_of

PARTS = {"hud.db", "hud.db-archive", "hud.db-lock"}
"""The files that a folder with a backup may hold."""


@pytest.fixture
def path(filled: Path, tmp_path: Path) -> Path:
    return copy_of(filled, tmp_path / "hud.db")


def back_up(path: Path, name: str = "backup") -> Path:
    with HudStore.open(path) as store:
        return store.keeping.backup(path.with_name(name)).path


def during_the_copy(statements: Statements, act: Callable[[], object]) -> None:
    """Do something when the database was copied, and nothing else yet."""
    copied: list[str] = []

    def before(_statement: str, *_values: object) -> None:
        if COPY in copied:
            copied.clear()
            act()

    statements.before = before
    statements.after = lambda statement, *_: copied.append(statement)


class TestBackup:
    def test_is_a_store_that_tells_the_same(self, path: Path) -> None:
        with HudStore.open(path) as store:
            done = store.keeping.backup(path.with_name("backup"))
            assert (done.sessions, done.archive_files) == (3, 1)
            assert done.events == sum(store.session(name).version for name in SESSIONS)
        assert events_of(done.path / "hud.db") == events_of(path)
        with HudStore.open(done.path / "hud.db") as copy:
            assert copy.keeping.verify() == ()
            assert len(copy.search("note", limit=100)) > 50
            with pytest.raises(StoreError, match="was purged"):
                copy.session("gone")

    def test_of_a_store_in_memory(self, tmp_path: Path) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            session.record("compact.after", summary="so far")
            session.record("note.add", content="Port 8080")
            store.keeping.archive("s")
            store.keeping.backup(tmp_path / "backup")
            assert events_of(tmp_path / "backup" / "hud.db")["s"] == list(session.events())

    @pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
    def test_is_its_owners_alone(self, path: Path) -> None:
        folder = back_up(path)
        modes = {stat.S_IMODE(each.stat().st_mode) for each in folder.rglob("*") if each.is_file()}
        assert modes == {0o600}
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700

    def test_is_two_names_and_no_log(self, path: Path) -> None:
        assert {each.name for each in back_up(path).iterdir()} == {"hud.db", "hud.db-archive"}
        assert not [each for each in path.parent.iterdir() if each.name.startswith(".")]

    def test_has_what_is_only_in_the_write_ahead_log(self, path: Path) -> None:
        with HudStore.open(path) as store:
            store.session("late").record("note.add", content="just now")
            store.keeping.backup(path.with_name("backup"))
        assert len(events_of(path.with_name("backup") / "hud.db")["late"]) == 2

    def test_does_not_wait_for_a_writer_nor_hold_one_up(self, path: Path) -> None:
        with (
            closing(sqlite3.connect(path, isolation_level=None)) as writer,
            HudStore.open(path) as store,
        ):
            writer.execute("BEGIN IMMEDIATE")
            store.keeping.backup(path.with_name("backup"))
            writer.execute("ROLLBACK")

    def test_is_of_one_moment_while_others_write(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        is_done, written = threading.Event(), 0

        def write() -> None:
            nonlocal written
            with HudStore.open(path) as store:
                one, two = store.session("one"), store.session("two")
                while not is_done.is_set():
                    one.record("note.add", content="x" * 300)
                    two.record("note.add", content="x" * 300)
                    written += 1

        thread = threading.Thread(target=write)
        thread.start()
        try:
            for number in range(4):
                before = written
                while written < before + 3:
                    pass
                told = events_of(back_up(path, f"backup {number}") / "hud.db")
                assert 0 <= len(told["one"]) - len(told["two"]) <= 1
        finally:
            is_done.set()
            thread.join()

    def test_has_what_is_archived_meanwhile(self, path: Path, statements: Statements) -> None:
        before = events_of(path)
        with HudStore.open(path) as other:
            other.session("archived").record("compact.after", summary="again")

            def archive() -> None:
                assert other.keeping.archive("archived") > 0

            during_the_copy(statements, archive)
            folder = back_up(path)
        assert events_of(folder / "hud.db")["archived"][:-1] == before["archived"]

    def test_has_not_what_is_purged_meanwhile(self, path: Path, statements: Statements) -> None:
        with closing(SqliteEventStore(path)) as other:
            during_the_copy(
                statements,
                lambda: other.is_purged("archived") or other.purge("archived"),
            )
            folder = back_up(path)
        assert sorted(events_of(folder / "hud.db")) == ["live", "short"]
        content = b"".join(each.read_bytes() for each in folder.rglob("*") if each.is_file())
        assert b"new note" not in content

    def test_that_is_there_is_not_overwritten_unless_asked(self, path: Path) -> None:
        folder = back_up(path)
        with HudStore.open(path) as store:
            with pytest.raises(
                StoreError, match="is there already; name a new folder, or use overwrite"
            ):
                store.keeping.backup(folder)
            store.session("new")
            assert store.keeping.backup(folder, overwrite=True).sessions == 4

    def test_that_is_overwritten_is_there_at_every_moment(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = back_up(path)
        there = {each for each in folder.rglob("*") if each.is_file()}
        moved: list[Path] = []

        def seen(real: Callable[[Path, Path], Path]) -> Callable[[Path, Path], Path]:
            def move(self: Path, target: Path) -> Path:
                assert all(each.is_file() for each in there)
                moved.append(target)
                return real(self, target)

            return move

        with HudStore.open(path) as store:
            store.session("live").record("note.add", content="after the backup")
            for name in ("replace", "rename"):
                monkeypatch.setattr(Path, name, seen(getattr(Path, name)))
            store.keeping.backup(folder, overwrite=True)
        monkeypatch.undo()
        assert moved[-1] == folder / "hud.db"
        assert {each.name for each in folder.iterdir()} == {"hud.db", "hud.db-archive"}
        assert events_of(folder / "hud.db") == events_of(path)

    def test_never_takes_the_place_of_something_else(self, path: Path) -> None:
        (path.parent / "notes").mkdir()
        (path.parent / "notes" / "mine.txt").write_text("keep")
        with HudStore.open(path) as store:
            for target in (path.parent / "notes", path):
                with pytest.raises(StoreError, match="and is not a backup"):
                    store.keeping.backup(target, overwrite=True)
        assert (path.parent / "notes" / "mine.txt").read_text() == "keep"

    def test_never_takes_the_place_of_a_store_or_of_what_lies_beside_a_backup(
        self, path: Path
    ) -> None:
        folder = back_up(path)
        (folder / "mine.txt").write_text("keep")
        with HudStore.open(path) as store:
            with pytest.raises(StoreError, match=r"more than a backup, such as mine\.txt"):
                store.keeping.backup(folder, overwrite=True)
            with pytest.raises(StoreError, match="holds the store itself"):
                store.keeping.backup(path.parent, overwrite=True)
            store.session("new").record("note.add", content="a")
        assert (folder / "mine.txt").read_text() == "keep"
        (folder / "mine.txt").unlink()
        with (
            HudStore.open(path) as store,
            HudStore.open(folder / "hud.db"),
            pytest.raises(StoreError, match=r"more than a backup, such as hud\.db-shm"),
        ):
            store.keeping.backup(folder, overwrite=True)

    @pytest.mark.parametrize("made", ["closed", "restored", "repaired", "a backup written to"])
    def test_never_takes_the_place_of_a_store_that_nobody_has_open(
        self, path: Path, made: str
    ) -> None:
        folder = back_up(path)
        other = path.with_name("other") / "hud.db"
        if made == "closed":
            with HudStore.open(other) as store:
                store.session("mine").record("note.add", content="mine")
        elif made == "a backup written to":
            other = folder / "hud.db"
            with HudStore.open(other) as store:
                store.session("mine").record("note.add", content="mine")
        else:
            HudStore.restore(folder, other)
        if made == "repaired":
            content = other.read_bytes()
            other.write_bytes(content.replace(b"new note 7", b"new note 9"))
            HudStore.repair(other)
            for each in other.parent.glob("hud.db.damaged-*"):
                shutil.rmtree(each)
        assert {each.name for each in other.parent.iterdir()} <= PARTS
        before = other.read_bytes()
        with (
            HudStore.open(path) as store,
            pytest.raises(StoreError, match="a store that was opened to be written"),
        ):
            store.keeping.backup(other.parent, overwrite=True)
        assert other.read_bytes() == before

    def test_takes_the_place_of_one_that_was_looked_into(self, path: Path) -> None:
        folder = back_up(path)
        with closing(SqliteEventStore(folder / "hud.db", read_only=True)) as looked_into:
            assert looked_into.sessions()
        with HudStore.open(path) as store:
            assert store.keeping.backup(folder, overwrite=True).sessions == 3

    def test_removes_what_killed_ones_have_left_in_the_folder(
        self, path: Path, statements: Statements
    ) -> None:
        for name, content in (("killed", True), ("empty", False), ("mine", False)):
            left = path.with_name(f".{name}.partial")
            left.mkdir()
            if name != "mine":
                (left / "staging-lock").touch()
            if content:
                (left / "hud.db").write_bytes(b"secret")
                (left / "hud.db-archive").mkdir()
                (left / "hud.db-archive" / "a.jsonl.gz").write_bytes(b"secret")
        done: list[Path] = []
        during_the_copy(statements, lambda: done or done.append(back_up(path)))
        at_work = back_up(path, "at-work")
        for each in (*done, at_work):
            assert events_of(each / "hud.db") == events_of(path)
        partial = {each.name for each in path.parent.glob(".*.partial")}
        assert partial == {".mine.partial"}

    def test_to_a_name_that_cannot_be_is_refused(self, path: Path) -> None:
        with HudStore.open(path) as store:
            for name in ("a\0b", "a\ud800b"):
                with pytest.raises(StoreError, match="not a name for a folder"):
                    store.keeping.backup(path.with_name(name))

    def test_of_a_damaged_store_is_refused_and_the_old_one_stays(self, path: Path) -> None:
        folder = back_up(path)
        before = (folder / "hud.db").read_bytes()
        content = path.read_bytes()
        path.write_bytes(content.replace(b"new note 7", b"new note 9"))
        with HudStore.open(path) as store:
            with pytest.raises(StoreDamagedError, match=r"was not copied: session .archived.: "):
                store.keeping.backup(folder, overwrite=True)
            with pytest.raises(StoreDamagedError):
                store.keeping.backup(path.with_name("other"))
        assert (folder / "hud.db").read_bytes() == before
        assert not path.with_name("other").exists()
        assert not list(path.parent.rglob(".*.partial/*.db"))

    def test_leaves_a_damaged_index_behind(self, path: Path) -> None:
        with closing(sqlite3.connect(path)) as db:
            db.execute("UPDATE hud_search_data SET block = zeroblob(length(block)) WHERE id > 10")
            db.commit()
        with HudStore.open(back_up(path) / "hud.db") as copy:
            assert copy.keeping.verify() == ()
            assert len(copy.search("note", limit=100)) > 50

    def test_on_a_full_disk_leaves_nothing(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(_handle: int) -> None:
            raise OSError(28, "No space left on device")

        with HudStore.open(path) as store, monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            with pytest.raises(StoreFullError):
                store.keeping.backup(path.with_name("backup"))
        assert not path.with_name("backup").exists()

    def test_of_another_database_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="is a ListEventStore, and no file of SQLite"):
            HudStore(ListEventStore()).keeping.backup(tmp_path / "backup")

    @pytest.mark.parametrize("times", [1, 5, 1_000])
    def test_goes_on_where_another_removes_its_folder_as_empty(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, times: int
    ) -> None:
        folder, left, real = path.with_name(".backup.partial"), iter(range(times)), Path.chmod

        def made_and_lost(made: Path, mode: int) -> None:
            real(made, mode)
            if made == folder and next(left, None) is not None:
                made.rmdir()

        monkeypatch.setattr(Path, "chmod", made_and_lost)
        with HudStore.open(path) as store:
            if times < 20:
                store.keeping.backup(path.with_name("backup"))
                return
            with pytest.raises(StoreLockedError, match="is writing a store there"):
                store.keeping.backup(path.with_name("backup"))

    def test_by_two_at_once_is_refused(self, path: Path, statements: Statements) -> None:
        refused: list[bool] = []

        def again() -> None:
            with pytest.raises(StoreLockedError, match="is writing a store there"):
                back_up(path)
            refused.append(True)

        during_the_copy(statements, again)
        back_up(path)
        assert refused


class TestRestore:
    def test_to_a_new_place(self, path: Path) -> None:
        done = HudStore.restore(back_up(path), path.with_name("new.db"))
        assert (done.path, done.set_aside, done.sessions) == (path.with_name("new.db"), None, 3)
        assert events_of(path.with_name("new.db")) == events_of(path)

    def test_over_a_store_only_when_forced_and_sets_it_aside(self, path: Path) -> None:
        folder, before = back_up(path), events_of(path)
        with HudStore.open(path) as store:
            store.session("late").record("note.add", content="after the backup")
            store.session("archived").record("compact.after", summary="again")
            store.keeping.archive("archived")
        late = events_of(path)
        with pytest.raises(
            StoreError, match="is there already; restore to another file, or use force"
        ):
            HudStore.restore(folder, path)
        assert events_of(path) == late
        done = HudStore.restore(folder, path, force=True)
        assert events_of(path) == before
        assert done.set_aside is not None
        assert events_of(done.set_aside / "hud.db") == late
        with HudStore.open(path) as store:
            assert store.keeping.verify() == ()
            names = {each.name for each in path.with_name("hud.db-archive").iterdir()}
            assert names == {one.file for one in store._events.parts.archive.everything()}

    def test_never_replaces_a_store_in_use(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = back_up(path)
        without_patience(monkeypatch)
        with HudStore.open(path) as store:
            session = store.session("live")
            with pytest.raises(StoreLockedError, match="is in use; close what has it open"):
                HudStore.restore(folder, path, force=True)
            session.record("note.add", content="still here")
        assert events_of(path)["live"][-1].payload.content == "still here"

    def test_does_not_bring_back_what_was_purged_since(self, path: Path) -> None:
        folder = back_up(path)
        with HudStore.open(path) as store:
            store.keeping.purge("archived")
        done = HudStore.restore(folder, path, force=True)
        assert done.still_purged == ("archived",)
        assert sorted(events_of(path)) == ["live", "short"]
        content = b"".join(
            each.read_bytes() for each in path.parent.glob("hud.db*") if each.is_file()
        )
        assert b"new note" not in content
        with HudStore.open(path) as store, pytest.raises(StoreError, match="was purged"):
            store.session("archived")

    def test_over_a_file_that_is_no_database_any_more(self, path: Path) -> None:
        folder, before = back_up(path), events_of(path)
        path.write_bytes(b"\xff" * 9_000)
        done = HudStore.restore(folder, path, force=True)
        assert events_of(path) == before
        assert done.set_aside is not None
        assert (done.set_aside / "hud.db").read_bytes() == b"\xff" * 9_000

    def test_of_a_damaged_backup_changes_nothing(self, path: Path) -> None:
        folder, before = back_up(path), events_of(path)
        content = (folder / "hud.db").read_bytes()
        (folder / "hud.db").write_bytes(content.replace(b"new note 7", b"new note 9"))
        with pytest.raises(StoreDamagedError, match="was not copied"):
            HudStore.restore(folder, path, force=True)
        assert events_of(path) == before
        assert not list(path.parent.glob("*.replaced-*"))

    def test_of_a_backup_without_its_archive_changes_nothing(self, path: Path) -> None:
        folder = back_up(path)
        next((folder / "hud.db-archive").iterdir()).unlink()
        with pytest.raises(StoreDamagedError):
            HudStore.restore(folder, path.with_name("new.db"))
        assert not path.with_name("new.db").exists()

    def test_of_no_backup(self, path: Path) -> None:
        (path.parent / "empty").mkdir()
        for name in ("empty", "missing"):
            with pytest.raises(StoreError, match="there is no store in it"):
                HudStore.restore(path.with_name(name), path.with_name("new.db"))
        with pytest.raises(StoreError, match="cannot be restored from itself"):
            HudStore.restore(path, path, force=True)

    def test_of_a_newer_version_is_refused(self, path: Path) -> None:
        folder = back_up(path)
        with closing(sqlite3.connect(folder / "hud.db")) as db:
            db.execute("PRAGMA user_version = 99")
        with pytest.raises(StoreVersionError, match="its schema is version 99,"):
            HudStore.restore(folder, path.with_name("new.db"))

    def test_where_there_are_no_hard_links(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder, before = back_up(path), events_of(path)

        def refuse(*_arguments: object) -> None:
            raise PermissionError

        monkeypatch.setattr(os, "link", refuse)
        done = HudStore.restore(folder, path, force=True)
        assert done.set_aside is not None
        assert events_of(path) == before == events_of(done.set_aside / "hud.db")

    def test_twice_in_one_second_keeps_both(self, path: Path) -> None:
        folder = back_up(path)
        sides = {HudStore.restore(folder, path, force=True).set_aside for _ in range(3)}
        assert len(sides) == 3

    def test_again_in_the_second_in_which_it_was_killed_finds_a_name(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder, before = back_up(path), events_of(path)
        monkeypatch.setattr(time, "strftime", lambda *_: "20261127T063727Z")

        left = path.with_name(f"{path.name}.replaced-20261127T063727Z.partial")
        left.mkdir()
        (left / "hud.db").write_bytes(b"half of it")

        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(shutil, "copyfileobj", interrupted)
            with pytest.raises(KeyboardInterrupt):
                HudStore.restore(folder, path, force=True)
        assert list(path.parent.glob("hud.db.*.partial")) == [left]
        done = HudStore.restore(folder, path, force=True)
        assert done.set_aside is not None
        assert events_of(path) == before == events_of(done.set_aside / "hud.db")


class TestCheckpoint:
    def test_empties_the_log_and_says_so(self, path: Path) -> None:
        with HudStore.open(path) as store:
            store.session("new")
            done = store.keeping.checkpoint()
            assert (done.before > 0, done.after, done.blocked) == (True, 0, "")
            assert path.with_name("hud.db-wal").stat().st_size == 0
            assert store.session("new").version == 1

    def test_says_who_blocks_it(self, path: Path) -> None:
        with (
            closing(sqlite3.connect(path, isolation_level=None)) as reader,
            closing(SqliteEventStore(path, busy_timeout=20)) as store,
        ):
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM hud_event").fetchone()
            HudStore(store).session("new")
            done = store.checkpoint()
            assert "another process reads" in done.blocked
            assert done.after == done.before > 0

    def test_of_memory_is_nothing(self) -> None:
        with HudStore.open(":memory:") as store:
            assert store.keeping.checkpoint().before == 0


class TestCopiedFile:
    """What a plain copy of a database in use gives."""

    def test_of_a_new_store_has_the_tables(self, tmp_path: Path) -> None:
        with HudStore.open(tmp_path / "hud.db") as store:
            store.session("s")
            (tmp_path / "copy.db").write_bytes((tmp_path / "hud.db").read_bytes())
        assert events_of(tmp_path / "copy.db") == {}

    def test_without_the_tables_is_refused(self, tmp_path: Path) -> None:
        with closing(sqlite3.connect(tmp_path / "hud.db")) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("CREATE TABLE hud_event (id)")
            (tmp_path / "copy.db").write_bytes((tmp_path / "hud.db").read_bytes())
        with pytest.raises(StoreDamagedError, match="a copy of a database in use"):
            HudStore.open(tmp_path / "copy.db")

    def test_closed_is_a_store(self, path: Path) -> None:
        assert events_of(copy_of(path, path.with_name("copy.db"))) == events_of(path)
