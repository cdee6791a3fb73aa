"""A store is read where nothing can be written, and nothing of it is passed over in silence."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import HudStore, StoreError, StoreReadOnlyError
from hud_runtime.log.store import SqliteEventStore
from tests.hud_runtime.store.stores import LAYOUT_1, SESSIONS, copy_of

ROOT = Path(__file__).parents[3]

LOOK = """
import sys
from hud_runtime.cli import main
store = sys.argv[1]
assert main(["session", "list", "--store", store]) == 0
assert main(["session", "tail", "archived", "--after", "0", "--store", store]) == 0
assert main(["session", "search", "note", "--store", store]) == 0
assert main(["store", "backup", sys.argv[2], "--store", store]) == 0
"""


@pytest.fixture
def path(filled: Path, tmp_path: Path) -> Path:
    (tmp_path / "disk").mkdir()
    return copy_of(filled, tmp_path / "disk" / "hud.db")


@pytest.fixture
def no_shared_memory(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a read-only disk: what SQLite says of a store that is not opened as immutable.

    The store was filled before, where it could be written.
    """
    real = sqlite3.connect

    class Refusing(sqlite3.Connection):
        def execute(self, *_arguments: object) -> sqlite3.Cursor:
            error = sqlite3.OperationalError("unable to open database file")
            error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
            error.sqlite_errorname = "SQLITE_CANTOPEN"
            raise error

    def connected(place: Any, **named: Any) -> sqlite3.Connection:
        if str(place).endswith("mode=ro"):
            return real(":memory:", factory=Refusing)
        return real(place, **named)

    monkeypatch.setattr(sqlite3, "connect", connected)


@pytest.mark.usefixtures("no_shared_memory")
class TestWithoutSharedMemory:
    def test_a_store_is_read(self, path: Path) -> None:
        with closing(SqliteEventStore(path, read_only=True)) as store:
            assert sorted(store.sessions()) == sorted(SESSIONS)
            assert len(list(store.read("archived"))) == 42
            assert len(store.search("note", limit=100)) == 70
            assert store.verify() == ()

    def test_what_is_written_beside_a_reader_is_read(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with closing(SqliteEventStore(path, read_only=True)) as reader:
            assert reader.head("archived").version == 42
            monkeypatch.undo()
            with HudStore.open(path) as store:
                event = store.session("archived").record("note.add", content="since then")
            assert reader.head("archived").version == event.version

    def test_a_write_ahead_log_is_not_passed_over(self, path: Path) -> None:
        path.with_name("hud.db-wal").write_bytes(b"\x37\x7f\x06\x82 was written last")
        with pytest.raises(StoreReadOnlyError, match=r"what was written last is in hud\.db-wal"):
            SqliteEventStore(path, read_only=True)

    def test_what_is_not_there_is_said(self, tmp_path: Path) -> None:
        with pytest.raises(StoreReadOnlyError, match="cannot be opened"):
            SqliteEventStore(tmp_path / "missing.db", read_only=True)


def mounted(script: str) -> subprocess.CompletedProcess[str]:
    """Run a script where it may mount what nobody else sees; skip where that is not permitted."""
    unshare = shutil.which("unshare")
    if unshare is None or os.geteuid() != 0:
        pytest.skip("needs a mount namespace")
    probe = [unshare, "-m", "sh", "-c", "mount -t tmpfs none /mnt"]
    if subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip("needs a mount namespace")
    return subprocess.run(
        [unshare, "-m", "sh", "-ec", script], cwd=ROOT, capture_output=True, text=True, check=False
    )


class TestMount:
    def test_that_is_read_only_is_read(self, path: Path, tmp_path: Path) -> None:
        script = f"""
            mount --bind {path.parent} {path.parent}
            mount -o remount,ro,bind {path.parent}
            if touch {path.parent}/x 2>/dev/null; then exit 9; fi
            {sys.executable} -c '{LOOK}' {path} {tmp_path / "backup"}
        """
        done = mounted(script)
        assert (done.returncode, done.stderr) == (0, "")
        assert "old note 7" in done.stdout
        assert "backed up 3 sessions" in done.stdout

    def test_with_a_log_beside_the_store_is_refused(self, path: Path, tmp_path: Path) -> None:
        with HudStore.open(path) as store:
            store.session("late")
            for end in ("", "-wal"):
                shutil.copy(f"{path}{end}", tmp_path / f"copy.db{end}")
        script = f"""
            mkdir {tmp_path}/ro; cp {tmp_path}/copy.db* {tmp_path}/ro
            mount --bind {tmp_path}/ro {tmp_path}/ro; mount -o remount,ro,bind {tmp_path}/ro
            {sys.executable} -m hud_runtime session list --store {tmp_path}/ro/copy.db
        """
        done = mounted(script)
        assert done.returncode == 2
        assert "what was written last is in copy.db-wal" in done.stderr


class TestOlderLayout:
    @pytest.fixture
    def older(self, tmp_path: Path) -> Path:
        """A store of the first layout, with a session."""
        new, old = tmp_path / "new.db", tmp_path / "old.db"
        with HudStore.open(new) as store:
            session = store.session("s")
            session.record("note.add", content="Port 8080")
            session.record("compact.after", summary="so far")
        with closing(sqlite3.connect(old)) as db:
            db.executescript(LAYOUT_1.read_text())
            db.execute(f"ATTACH '{new}' AS new")
            for table in ("hud_event", "hud_snapshot"):
                db.execute(f"INSERT INTO {table} SELECT * FROM new.{table} ORDER BY 1")
            db.commit()
        return old

    def test_is_read_as_it_is(self, older: Path) -> None:
        before = older.read_bytes()
        with closing(SqliteEventStore(older, read_only=True)) as store:
            assert store.layout == 1
            assert len(list(store.read("s"))) == 3
            assert [one.version for one in store.read("s", types=["note.add"])] == [2]
            assert store.deliveries("s") == []
        assert older.read_bytes() == before

    def test_is_brought_up_to_date_when_it_is_written(self, older: Path) -> None:
        with HudStore.open(older) as store:
            assert store.session("s").record("note.add", content="more").version == 4
            assert store.keeping.archive("s") == 2
            assert store.keeping.verify() == ()
        with closing(sqlite3.connect(older)) as db:
            assert db.execute("PRAGMA user_version").fetchone()[0] == 6
            names = {row[0] for row in db.execute("SELECT name FROM sqlite_schema")}
        assert "hud_event_by_type" in names


class TestWriting:
    def test_to_a_store_that_is_only_read_says_so(self, path: Path) -> None:
        with closing(SqliteEventStore(path, read_only=True)) as log:
            store = HudStore(log)
            with pytest.raises(StoreError, match="it was opened read-only"):
                store.session("new")
