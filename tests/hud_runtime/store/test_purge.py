"""A purged session leaves a tombstone, and not one of its words in any file."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hud_runtime import HudStore, SnapshotPolicy, StoreError, StoreLockedError
from hud_runtime.log.store import SqliteEventStore
from tests.hud_runtime.clock import Ticking
from tests.ids import looped

SECRETS = [f"{random.Random(number).randbytes(12).hex()}secret" for number in range(120)]


def bytes_of(folder: Path) -> bytes:
    """Return the bytes of all files in a folder, what is compressed as it was."""
    import gzip

    contents = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    plain = [gzip.decompress(one) for one in contents if one.startswith(b"\x1f\x8b")]
    return b"".join((*contents, *plain))


def fill(path: Path) -> HudStore:
    """Return a store with a session full of secrets in the middle of another one."""
    store = HudStore.open(path, clock=Ticking(), snapshots=SnapshotPolicy(every=10))
    other, secret = store.session("other"), store.session("s-secret")
    for number, word in enumerate(SECRETS):
        secret.record("note.add", content=f"{word} {number}")
        other.record("note.add", content=f"harmless {number}")
        if number in (40, 80):
            secret.record("compact.after", summary=f"{word} summary")
            assert store.keeping.archive("s-secret") > 0
            store.search("harmless")
    assert len(store.search("120secret", limit=500)) == 0
    assert len(store.search(SECRETS[5])) == 1
    return store


class TestPurge:
    def test_leaves_no_word_in_any_file(self, tmp_path: Path) -> None:
        with fill(tmp_path / "hud.db") as store:
            assert all(word.encode() in bytes_of(tmp_path) for word in SECRETS)
            assert store.keeping.purge("s-secret") == 123
            found = bytes_of(tmp_path)
            assert [word for word in SECRETS if word.encode() in found] == []
            assert len(list((tmp_path / "hud.db-archive").iterdir())) == 0
            assert len(store.session("other").state().notes) == 120
            assert store.search(SECRETS[5]) == []
            assert len(store.search("harmless", limit=500)) == 120
            assert store.keeping.verify() == ()

    def test_leaves_no_beginning_of_a_word_in_the_index(self, tmp_path: Path) -> None:
        # FTS5 stores words without what they share with the one before: their ends would be left.
        with fill(tmp_path / "hud.db") as store:
            store.keeping.purge("s-secret")
            found = bytes_of(tmp_path)
        assert [word for word in SECRETS if word[6:16].encode() in found] == []

    @looped("seed", [28, 113, 204, 294, 304, 312])
    def test_leaves_no_copy_of_a_row_that_was_moved_within_the_file(
        self, tmp_path: Path, seed: int
    ) -> None:
        # Rows of such lengths, in such an order, make SQLite move some from page to page; it does not
        # overwrite all of the places where they were.
        chance = random.Random(seed)
        with HudStore.open(tmp_path / "hud.db", clock=Ticking()) as store:
            other, secret = store.session("other"), store.session("gone")
            with other.exclusive():
                for number in range(60):
                    session, word, x = (
                        (secret, "secret", "x")
                        if chance.random() < 0.5
                        else (other, "harmless", "y")
                    )
                    space = " " if session is other else ""
                    content = f"{word}{space}{number} {x * chance.choice([0, 0, 50, 300, 900])}"
                    session.record("note.add", content=content)
            store.keeping.purge("gone")
            assert b"secret" not in bytes_of(tmp_path)
            assert store.keeping.verify() == ()

    def test_leaves_a_tombstone(self, tmp_path: Path) -> None:
        with fill(tmp_path / "hud.db") as store:
            store.keeping.purge("s-secret")
            with pytest.raises(StoreError, match='session "s-secret" was purged'):
                store.session("s-secret")
        with closing(sqlite3.connect(tmp_path / "hud.db")) as db:
            [(session_id, events)] = db.execute("SELECT session_id, events FROM hud_tombstone")
        assert (session_id, events) == ("s-secret", 123)

    def test_that_a_reader_holds_up_says_so_and_can_be_finished(self, tmp_path: Path) -> None:
        fill(tmp_path / "hud.db").close()
        with (
            closing(sqlite3.connect(tmp_path / "hud.db", isolation_level=None)) as reader,
            closing(SqliteEventStore(tmp_path / "hud.db", busy_timeout=20)) as store,
        ):
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM hud_event").fetchone()
            with pytest.raises(StoreLockedError, match="purge again when that process is done"):
                store.purge("s-secret")
            assert list(store.read("s-secret")) == []
            reader.execute("COMMIT")
            store.purge("s-secret")
            found = bytes_of(tmp_path)
            assert [word for word in SECRETS if word.encode() in found] == []

    def test_removes_what_a_killed_archiving_left(self, tmp_path: Path) -> None:
        with fill(tmp_path / "hud.db") as store:
            (tmp_path / "hud.db-archive" / "left.jsonl.gz.partial").write_bytes(b"secret")
            store.keeping.purge("nobody")
            assert len(list((tmp_path / "hud.db-archive").iterdir())) == 2
