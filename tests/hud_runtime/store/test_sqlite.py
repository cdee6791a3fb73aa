"""The log in a file: what was acknowledged is there, and what is wrong has a name."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from hud_runtime import (
    HudStore,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreReadOnlyError,
    StoreVersionError,
)
from hud_runtime.store import EventStore, SqliteEventStore
from hud_runtime.store import _rows as rows
from hud_runtime.store._upcast import upcast
from hud_runtime.testing import EventStoreContract, ListEventStore
from hud_runtime.testing._contract import an_event

INTO = (
    "INTO hud_event (id, session_id, version, type, turn, timestamp, actor, format, payload,"
    " digest) VALUES"
)


class TestListStore(EventStoreContract):
    @pytest.fixture
    def store(self) -> EventStore:
        return ListEventStore()


class TestSqliteInMemory(EventStoreContract):
    @pytest.fixture
    def store(self) -> Iterator[EventStore]:
        store = SqliteEventStore(":memory:")
        yield store
        store.close()


class TestSqliteFile(EventStoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[EventStore]:
        store = SqliteEventStore(tmp_path / "hud.db")
        yield store
        store.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "folder" / "hud.db"
    with HudStore.open(path) as store:
        session = store.session("s")
        for number in range(20):
            session.record("note.add", content=f"note {number} {'x' * 200}")
    return path


class TestFile:
    def test_is_private(self, path: Path) -> None:
        store = HudStore.open(path)
        store.session("s").record("note.add", content="x")
        modes = {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
        assert modes == {0o600}
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        store.close()

    def test_keeps_its_events(self, path: Path) -> None:
        with HudStore.open(path) as store:
            assert len(store.session("s").state().notes) == 20
            assert store.verify() == ()


class TestRows:
    @pytest.mark.parametrize(
        ("statement", "message"),
        [
            ("UPDATE hud_event SET turn = 5", "never changed"),
            ("DELETE FROM hud_event", "only what is purged or archived is deleted"),
            (
                f"INSERT OR REPLACE {INTO} ('x', 's', 3, 'task.clear', 0, 0, 'user', 1, '{{}}', x'')",
                "no gaps",
            ),
            (
                f"INSERT {INTO} ('x', 's', 99, 'task.clear', 0, 0, 'user', 1, '{{}}', x'')",
                "no gaps",
            ),
            (
                f"INSERT {INTO} ('x', 't', 1, 'task.clear', 0, 0, 'user', 1, '{{', x'')",
                "json_valid",
            ),
        ],
    )
    def test_cannot_be_tampered_with(self, path: Path, statement: str, message: str) -> None:
        db = sqlite3.connect(path)
        with pytest.raises(sqlite3.IntegrityError, match=message):
            db.execute(statement)
        db.close()

    def test_that_changed_on_the_disk_are_named(self, path: Path) -> None:
        db = sqlite3.connect(path)
        db.execute("DROP TRIGGER hud_event_is_never_changed")
        db.execute("UPDATE hud_event SET turn = 9 WHERE version = 4")
        db.commit()
        db.close()
        with HudStore.open(path) as store:
            [damage] = store.verify()
        assert (damage.session_id, damage.version) == ("s", 4)
        assert "digest" in damage.what

    def test_that_are_missing_are_named(self, path: Path) -> None:
        db = sqlite3.connect(path)
        db.execute("DROP TRIGGER hud_event_is_never_deleted")
        db.execute("DELETE FROM hud_event WHERE version = 4")
        db.commit()
        db.close()
        with HudStore.open(path) as store:
            assert [damage.what for damage in store.verify()] == ["version 4 is missing"]

    def test_of_an_older_format_are_read_as_they_would_be_written_now(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        louder = {("note.add", 1): lambda old: {**old, "content": old["content"].upper()}}
        monkeypatch.setattr(rows, "upcast", partial(upcast, upcasts=louder, current=2))
        with HudStore.open(path) as store:
            session = store.session("s")
            assert session.state().notes[0].content.startswith("NOTE 0")
            assert store.verify() == ()

    def test_of_a_newer_format_ask_for_an_update(self, path: Path) -> None:
        db = sqlite3.connect(path)
        db.execute("DROP TRIGGER hud_event_is_never_changed")
        db.execute("UPDATE hud_event SET format = 9 WHERE version = 4")
        db.commit()
        db.close()
        with (
            HudStore.open(path) as store,
            pytest.raises(StoreVersionError, match="format 9, this library reads up to 1"),
        ):
            store.session("s")

    def test_that_cannot_be_read_are_an_error_with_their_place(self, path: Path) -> None:
        db = sqlite3.connect(path)
        db.execute("DROP TRIGGER hud_event_is_never_changed")
        db.execute("UPDATE hud_event SET payload = '{}' WHERE version = 4")
        db.commit()
        db.close()
        with (
            HudStore.open(path) as store,
            pytest.raises(StoreDamagedError, match='event 4 of session "s" cannot be read'),
        ):
            store.session("s")


class TestTrouble:
    """Each way in which a file cannot be used is one error, whose message names the file."""

    def test_no_database(self, tmp_path: Path) -> None:
        path = tmp_path / "notes.txt"
        path.write_text("My notes\n" * 200)
        with pytest.raises(StoreDamagedError, match=r"notes\.txt: it is no SQLite database"):
            HudStore.open(path)
        assert path.read_text().startswith("My notes")

    def test_a_flipped_page(self, path: Path) -> None:
        content = bytearray(path.read_bytes())
        content[4096:8192] = b"\xff" * 4096
        path.write_bytes(content)
        with (
            pytest.raises(StoreDamagedError, match=r"hud\.db: its contents are damaged"),
            HudStore.open(path) as store,
        ):
            store.session("s")

    def test_a_newer_layout(self, path: Path) -> None:
        db = sqlite3.connect(path)
        db.execute("PRAGMA user_version = 99")
        db.close()
        with pytest.raises(StoreVersionError, match="layout 99, this library knows up to 1"):
            HudStore.open(path)

    def test_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="is a folder; name a file in it"):
            HudStore.open(tmp_path)

    def test_a_locked_file(self, path: Path) -> None:
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        with closing(holder), closing(SqliteEventStore(path, busy_timeout=20)) as store:
            with pytest.raises(StoreLockedError, match="another process is writing"):
                store.append("t", 0, [an_event("t", 1)])
            holder.execute("ROLLBACK")
            store.append("t", 0, [an_event("t", 1)])
            assert store.head("t").version == 1

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write anything")
    def test_a_file_that_cannot_be_written(self, path: Path) -> None:
        path.chmod(0o400)
        with pytest.raises(StoreReadOnlyError), HudStore.open(path) as store:
            store.session("new")

    def test_a_folder_that_cannot_be_made(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        with pytest.raises(StoreReadOnlyError, match="cannot be made there"):
            HudStore.open(tmp_path / "file" / "hud.db")

    def test_a_full_disk(self, path: Path) -> None:
        big = [an_event("t", version) for version in range(1, 400)]
        with closing(SqliteEventStore(path)) as store:
            # SQLite's own limit stands for the disk's: both end in SQLITE_FULL.
            pages = store._db._connection.execute("PRAGMA page_count").fetchone()[0]
            store._db._connection.execute(f"PRAGMA max_page_count = {pages}")
            with pytest.raises(StoreFullError, match="nothing was kept"):
                store.append("t", 0, big)
            assert store.head("t").version == 0
            store._db._connection.execute("PRAGMA max_page_count = 100000")
            store.append("t", 0, big)
            assert store.head("t").version == 399
