"""The log in a file: what was acknowledged is there, and what is wrong has a name."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from hud_runtime import (
    HudStore,
    StoreDamagedError,
    StoreVersionError,
)
from hud_runtime.log.store import EventStore, SqliteEventStore
from tests.hud_runtime.store.contract import EventStoreContract
from tests.hud_runtime.store.list_store import ListEventStore
from tests.hud_runtime.store.stores import of_twenty_notes

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
    return of_twenty_notes(tmp_path / "folder" / "hud.db")


class TestFile:
    def test_keeps_its_events(self, path: Path) -> None:
        with HudStore.open(path) as store:
            assert len(store.session("s").state().notes) == 20
            assert store.keeping.verify() == ()


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
            [damage] = store.keeping.verify()
        assert (damage.session_id, damage.version) == ("s", 4)
        assert "digest" in damage.what

    def test_that_are_missing_are_named(self, path: Path) -> None:
        db = sqlite3.connect(path)
        db.execute("DROP TRIGGER hud_event_is_never_deleted")
        db.execute("DELETE FROM hud_event WHERE version = 4")
        db.commit()
        db.close()
        with HudStore.open(path) as store:
            assert [damage.what for damage in store.keeping.verify()] == ["version 4 is missing"]

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
            pytest.raises(
                StoreDamagedError, match='event 4 of session "s" is not as it was written'
            ),
        ):
            store.session("s")
