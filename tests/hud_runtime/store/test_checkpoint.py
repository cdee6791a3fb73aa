"""Where SQLite has the WAL-reset bug, checkpoints run only while nobody can commit."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hud_runtime.log.store import SqliteEventStore
from tests.hud_runtime.store.contract import an_event
from tests.hud_runtime.store.statements import Statements, failure

AFFECTED, SOUND = (3, 45, 0), (3, 51, 3)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hud.db"


def automatic(store: SqliteEventStore) -> int:
    writer = store._db.file._writer
    assert writer is not None
    return int(writer.execute("PRAGMA wal_autocheckpoint").fetchone()[0])


class TestCheckpoints:
    def test_are_sqlites_own_where_it_is_sound(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sqlite3, "sqlite_version_info", SOUND)
        with closing(SqliteEventStore(path)) as store:
            assert automatic(store) == 1_000

    def test_are_ours_where_it_is_not(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sqlite3, "sqlite_version_info", AFFECTED)
        with closing(SqliteEventStore(path)) as store:
            assert automatic(store) == 0

    def test_keep_the_log_small(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sqlite3, "sqlite_version_info", AFFECTED)
        log = path.with_name("hud.db-wal")
        with closing(SqliteEventStore(path)) as store:
            sizes = []
            for version in range(1, 61):
                store.append("s", version - 1, [an_event("s", version, content="x" * 200_000)])
                sizes.append(log.stat().st_size)
            assert 4_000_000 < max(sizes) < 6_000_000
            assert len(list(store.read("s"))) == 60

    def test_that_fail_do_not_fail_what_was_committed(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, statements: Statements
    ) -> None:
        monkeypatch.setattr(sqlite3, "sqlite_version_info", AFFECTED)
        tried: list[str] = []

        def fail(statement: str, *_values: object) -> None:
            if statement.startswith("PRAGMA wal_checkpoint"):
                tried.append(statement)
                raise failure("SQLITE_IOERR", "disk I/O error")

        with closing(SqliteEventStore(path)) as store:
            statements.before = fail
            store.append("s", 0, [an_event("s", 1, content="x" * 5_000_000)])
            assert store.head("s").version == 1
        assert tried

    def test_do_not_run_while_somebody_writes(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sqlite3, "sqlite_version_info", AFFECTED)
        with (
            closing(SqliteEventStore(path)) as store,
            closing(sqlite3.connect(path, isolation_level=None)) as writer,
        ):
            made: list[str] = []
            store._db.file._writer.set_trace_callback(made.append)
            writer.execute("BEGIN IMMEDIATE")
            store._db.file._checkpoints.guarded()
            assert made == []
            writer.execute("ROLLBACK")
            store._db.file._checkpoints.guarded()
            assert made == ["PRAGMA wal_checkpoint(PASSIVE)"]

    def test_keep_writers_out_while_they_run(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sqlite3, "sqlite_version_info", AFFECTED)
        with (
            closing(SqliteEventStore(path)) as store,
            closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as writer,
        ):
            refused: list[str] = []

            def during(statement: str) -> None:
                if "wal_checkpoint" in statement:
                    with pytest.raises(sqlite3.OperationalError, match="locked") as caught:
                        writer.execute("BEGIN IMMEDIATE")
                    refused.append(str(caught.value))

            store._db.file._writer.set_trace_callback(during)
            store._db.file._checkpoints.guarded()
            assert refused == ["database is locked"]
