"""Archiving moves the past without losing any of it, wherever it is interrupted."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import At, HudStore, StoreDamagedError, StoreLockedError, state_of
from hud_runtime.log.store import SqliteEventStore
from tests.hud_runtime.clock import Ticking
from tests.hud_runtime.inside import lessen
from tests.hud_runtime.store.contract import a_long_session
from tests.hud_runtime.store.statements import Statements


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "hud.db"
    with closing(SqliteEventStore(path)) as store:
        store.append("s", 0, a_long_session("s", 8))
    return path


@pytest.fixture
def file(path: Path) -> Path:
    """The archive's file, after archiving."""
    with closing(SqliteEventStore(path)) as store:
        assert store.archive("s") == 7
    [file] = (path.parent / "hud.db-archive").iterdir()
    return file


class TestFile:
    def test_has_one_event_a_line(self, file: Path) -> None:
        lines = [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
        assert [line["version"] for line in lines] == list(range(1, 8))
        assert lines[0]["payload"] == {"content": "note 1", "id": "n-1"}

    def test_has_a_name_that_says_nothing(self, file: Path) -> None:
        assert set(file.name.removesuffix(".jsonl.gz")) <= set("0123456789abcdef")

    @pytest.mark.parametrize("place", [0, 4, 20, -9, -1])
    def test_that_a_disk_has_changed_is_named(self, path: Path, file: Path, place: int) -> None:
        content = bytearray(file.read_bytes())
        content[place] ^= 1
        file.write_bytes(content)
        with closing(SqliteEventStore(path)) as store:
            [damage] = store.verify()
            assert damage.session_id == "s"
            assert f"{file.name} is not as it was written" in damage.what
            with pytest.raises(StoreDamagedError, match="restore it from a backup"):
                list(store.read("s"))
            assert [event.version for event in store.read("s", 7)] == [8, 9, 10, 11, 12]

    def test_that_is_gone_is_named(self, path: Path, file: Path) -> None:
        file.unlink()
        with closing(SqliteEventStore(path)) as store:
            assert "cannot be read: No such file" in store.verify()[0].what
            with pytest.raises(StoreDamagedError, match="No such file or directory"):
                list(store.read("s"))


class TestVolumes:
    def test_are_many_for_a_long_past(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        lessen(monkeypatch, "VOLUME_SIZE", 3)
        with closing(SqliteEventStore(path)) as store:
            assert store.archive("s") == 7
            assert len(store._archive.shelf.names()) == 3
            assert list(store.read("s")) == a_long_session("s", 8)
            assert [event.version for event in store.read("s", 2, 7)] == [3, 4, 5, 6, 7]
            assert len(list(store.read_all())) == 12
            assert store.verify() == ()


class Killed(BaseException):
    """Stands for the sudden end of the process."""


class TestInterrupted:
    """At every step, what there was is still there, and the next archiving does the rest."""

    STEPS: tuple[tuple[Any, str, int], ...] = (
        (os, "open", 1),  # the lock
        (os, "open", 2),  # the file
        (os, "fsync", 1),
        (Path, "replace", 1),
        (os, "fsync", 2),  # the folder
    )

    @pytest.mark.parametrize("step", STEPS, ids=[f"{name} {at}" for _, name, at in STEPS])
    @pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
    def test_writing_of_the_file_loses_nothing(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, step: tuple[Any, str, int], after: bool
    ) -> None:
        where, name, at = step
        real: Callable[..., Any] = getattr(where, name)
        calls = count(1)

        def stop(*arguments: Any, **named: Any) -> Any:
            is_last = next(calls) >= at
            done = real(*arguments, **named) if after or not is_last else None
            if is_last:
                raise Killed
            return done

        with closing(SqliteEventStore(path)) as store:
            with monkeypatch.context() as patch:
                patch.setattr(where, name, stop)
                with pytest.raises(Killed):
                    store.archive("s")
            self.check(store)

    def test_transaction_loses_nothing(self, path: Path) -> None:
        with closing(SqliteEventStore(path)) as store, closing(sqlite3.connect(path)) as other:
            other.execute(
                "CREATE TRIGGER stop BEFORE DELETE ON hud_event WHEN OLD.version = 5"
                " BEGIN SELECT RAISE(ABORT, 'stop'); END"
            )
            other.commit()
            with pytest.raises(Exception, match="stop"):
                store.archive("s")
            other.execute("DROP TRIGGER stop")
            other.commit()
            self.check(store)

    def check(self, store: SqliteEventStore) -> None:
        assert list(store.read("s")) == a_long_session("s", 8)
        assert store.verify() == ()
        assert store.archive("s") == 7
        assert list(store.read("s")) == a_long_session("s", 8)
        assert store.verify() == ()
        assert len(store._archive.shelf.names()) == 1


class TestOthers:
    def test_a_reader_in_the_middle_reads_on(self, path: Path) -> None:
        with closing(SqliteEventStore(path)) as store, closing(SqliteEventStore(path)) as other:
            events = [event for version, event in enumerate(a_long_session("s", 8), 1) if version]
            reader: Iterator[Any] = store.read("s")
            everything = store.read_all()
            read = [next(reader) for _ in range(3)]
            positioned = [next(everything)[1] for _ in range(3)]
            other.archive("s")
            assert [*read, *reader] == events
            assert [*positioned, *(event for _, event in everything)] == events

    def test_two_at_once_take_turns(self, path: Path) -> None:
        fcntl = pytest.importorskip("fcntl")
        path.with_name("hud.db-lock").touch(mode=0o600)
        with (
            closing(SqliteEventStore(path, busy_timeout=20)) as store,
            path.with_name("hud.db-lock").open() as lock,
        ):
            fcntl.flock(lock, fcntl.LOCK_EX)
            with pytest.raises(StoreLockedError, match="another process or thread is archiving"):
                store.archive("s")

    def test_rows_cannot_be_deleted_by_the_way(self, path: Path, file: Path) -> None:
        with closing(sqlite3.connect(path)) as db:
            for statement in ("DELETE FROM hud_archive", "UPDATE hud_archive SET last = 12"):
                with pytest.raises(sqlite3.IntegrityError, match="hud_archive is append-only"):
                    db.execute(statement)
            with pytest.raises(sqlite3.IntegrityError, match="purged or archived"):
                db.execute("DELETE FROM hud_event WHERE version = 9")


class TestSession:
    def test_rebuilds_any_moment_of_its_archived_past(self, tmp_path: Path) -> None:
        with HudStore.open(tmp_path / "hud.db", clock=Ticking()) as store:
            session = store.session("s")
            for number in range(30):
                session.record("note.add", content=f"note {number}", turn=number)
                if number in (9, 19):
                    session.record("compact.after", summary=f"summary {number}")
            events = tuple(session.events())
            assert store.keeping.archive("s") == 22
            for version in range(len(events) + 1):
                assert session.state(at=version) == state_of(events[:version])
            assert len(session.state(at=At.turn(4)).notes) == 5
        with HudStore.open(tmp_path / "hud.db") as store:
            assert store.session("s").state() == state_of(events)

    def test_stays_beside_its_store_wherever_the_process_goes(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        with HudStore.open("hud.db") as store:
            session = store.session("s")
            session.record("note.add", content="Port 8080")
            session.record("compact.after")
            (tmp_path / "elsewhere").mkdir()
            monkeypatch.chdir(tmp_path / "elsewhere")
            assert store.keeping.archive("s") == 2
            assert store.keeping.backup(tmp_path / "backup").events == 3
        assert not list(Path.cwd().iterdir())
        with HudStore.open(tmp_path / "hud.db") as store:
            assert len(list(store.session("s").events())) == 3


def test_a_check_is_of_one_moment_while_another_archives(
    tmp_path: Path, statements: Statements
) -> None:
    path, done = tmp_path / "hud.db", list[int]()
    with HudStore.open(path) as one, HudStore.open(path) as two:
        session = one.session("s")
        session.record("note.add", content="a")
        session.record("compact.after", summary="so far")

        def archive_before_its_files_are_listed(statement: str, *_values: object) -> None:
            if "FROM hud_archive" in statement and not done:
                done.append(two.keeping.archive("s"))

        statements.before = archive_before_its_files_are_listed
        assert one.keeping.verify() == ()
        assert done == [2]
        assert one.keeping.verify() == ()
