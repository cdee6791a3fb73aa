"""Each way in which a file cannot be used is one error, whose message names the file."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from hud_runtime import (
    HudSession,
    HudStore,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreReadOnlyError,
    StoreVersionError,
)
from hud_runtime.history.exchange import export_session
from hud_runtime.log.store import SqliteEventStore
from tests.hud_runtime.store.contract import a_long_session, an_event
from tests.hud_runtime.store.processes import running
from tests.hud_runtime.store.stores import of_twenty_notes
from tests.ids import looped

NOBODY = 65_534
"""A user who owns nothing."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return of_twenty_notes(tmp_path / "folder" / "hud.db")


class TestWrongFile:
    def test_no_database(self, tmp_path: Path) -> None:
        path = tmp_path / "notes.txt"
        path.write_text("My notes\n" * 200)
        with pytest.raises(StoreDamagedError, match=r"notes\.txt: it is not an SQLite database"):
            HudStore.open(path)
        assert path.read_text().startswith("My notes")

    @looped(
        ("end", "content"),
        [
            ("", b"x"),
            ("", b"\n"),
            ("-wal", b"My notes\n" * 200),
            ("-wal", b"x"),
            ("-journal", b"My notes\n" * 200),
            ("-shm", b"My notes\n" * 200),
        ],
    )
    @looped("has_database", [False, True])
    def test_that_sqlite_would_write_over_is_not_touched(
        self, tmp_path: Path, end: str, content: bytes, *, has_database: bool
    ) -> None:
        path = tmp_path / "hud.db"
        if has_database and end:
            of_twenty_notes(path)
        beside = path.with_name(f"hud.db{end}")
        beside.write_bytes(content)
        for read_only in (False, True):
            with pytest.raises(
                StoreError, match=r"not a (database|log of hud|log's index)|cannot be opened"
            ):
                SqliteEventStore(path, read_only=read_only)
        assert beside.read_bytes() == content
        assert {each.name for each in tmp_path.iterdir()} <= {beside.name, "hud.db"}

    @looped("replace", ["repair", "restore"])
    def test_of_one_byte_is_kept_by_what_replaces_stores(
        self, tmp_path: Path, replace: str
    ) -> None:
        path, other = tmp_path / "hud.db", of_twenty_notes(tmp_path / "other.db")
        path.write_bytes(b"x")
        if replace == "repair":
            with pytest.raises(StoreDamagedError, match="not one event"):
                HudStore.repair(path)
            assert path.read_bytes() == b"x"
        else:
            restored = HudStore.restore(other, path, force=True)
            assert restored.set_aside is not None
            assert (restored.set_aside / "hud.db").read_bytes() == b"x"

    def test_an_empty_file_is_a_new_store(self, tmp_path: Path) -> None:
        (tmp_path / "hud.db").touch()
        of_twenty_notes(tmp_path / "hud.db")

    def test_a_log_that_is_gone_when_it_is_read_is_no_other_one(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store:
            store.session("s")
            shutil.copyfile(f"{path}-wal", tmp_path / "kept-wal")
        (tmp_path / "kept-wal").rename(f"{path}-wal")
        real = os.listdir

        def gone(place: str) -> list[str]:
            path.with_name("hud.db-wal").unlink(missing_ok=True)
            return real(place)

        monkeypatch.setattr(os, "listdir", gone)
        with suppress(StoreError), closing(SqliteEventStore(path, busy_timeout=50)) as store:
            assert store.sessions() == ("s",)

    def test_a_log_whose_database_is_gone_is_not_deleted(self, tmp_path: Path) -> None:
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store:
            store.session("s")
            shutil.copyfile(f"{path}-wal", tmp_path / "kept-wal")
        path.unlink()
        log = (tmp_path / "kept-wal").rename(f"{path}-wal")
        content = log.read_bytes()
        with pytest.raises(StoreError, match=r"put hud\.db back to read what is in both, or move"):
            HudStore.open(path)
        assert (log.read_bytes(), path.exists()) == (content, False)

    @looped(
        "statement",
        [
            "CREATE TABLE message (id TEXT)",
            "PRAGMA user_version = 1",
            "PRAGMA user_version = 99",
            "PRAGMA application_id = 7",
        ],
    )
    def test_a_database_of_another_program_is_not_touched(
        self, tmp_path: Path, statement: str
    ) -> None:
        path = tmp_path / "other.db"
        with closing(sqlite3.connect(path)) as other:
            other.execute(statement)
        before = path.read_bytes()
        with pytest.raises(StoreError, match=r"other\.db: this database belongs to another"):
            HudStore.open(path)
        assert path.read_bytes() == before

    def test_a_newer_layout(self, path: Path) -> None:
        with closing(sqlite3.connect(path)) as db:
            db.execute("PRAGMA user_version = 99")
        with pytest.raises(StoreVersionError, match="version 99, this ujsx knows up to 6"):
            HudStore.open(path)

    def test_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="is a folder; name a file in it"):
            HudStore.open(tmp_path)

    def test_a_folder_that_cannot_be_made(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        with pytest.raises(StoreReadOnlyError, match="cannot be made there"):
            HudStore.open(tmp_path / "file" / "hud.db")

    def test_nothing_to_read(self, tmp_path: Path) -> None:
        with pytest.raises(StoreReadOnlyError, match="cannot be opened"):
            SqliteEventStore(tmp_path / "missing.db", read_only=True)
        assert list(tmp_path.iterdir()) == []


class TestClosed:
    @looped("place", [":memory:", "hud.db"])
    @looped(
        "use",
        [
            lambda store, session: session.record("note.add", content="Port 8080"),
            lambda store, session: session.exclusive().__enter__(),
            lambda store, session: session.state(),
            lambda store, session: store.session("t"),
            lambda store, session: store.search("port"),
            lambda store, session: store.keeping.purge("s"),
        ],
    )
    def test_says_so(
        self, tmp_path: Path, place: str, use: Callable[[HudStore, HudSession], object]
    ) -> None:
        with HudStore.open(place if place == ":memory:" else tmp_path / place) as store:
            session = store.session("s")
        with pytest.raises(StoreError, match=rf"{place}: the store was closed; open it again"):
            use(store, session)


class TestLocked:
    def test_for_too_long(self, path: Path) -> None:
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        with closing(holder), closing(SqliteEventStore(path, busy_timeout=20)) as store:
            with pytest.raises(StoreLockedError, match="is writing and did not finish within"):
                store.append("t", 0, [an_event("t", 1)])
            holder.execute("ROLLBACK")
            store.append("t", 0, [an_event("t", 1)])
            assert store.head("t").version == 1


def as_nobody(work: Callable[[Path], None], path: Path) -> int:
    """Do something as a user without rights, in a process of its own; return its exit status."""

    def do() -> None:
        if os.geteuid() == 0:
            os.setuid(NOBODY)
        work(path)

    with running(do) as process:
        return process.wait()


def refused_to_record(path: Path) -> None:
    with pytest.raises(StoreReadOnlyError) as caught, HudStore.open(path) as store:
        store.session("new")
    assert str(path) in str(caught.value)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
class TestReadOnly:
    @pytest.fixture
    def path(self) -> Iterator[Path]:
        """A store in a folder that others may enter: pytest takes that from its own, whenever it is started."""
        with TemporaryDirectory() as folder:
            Path(folder).chmod(0o711)
            yield of_twenty_notes(Path(folder) / "folder" / "hud.db")

    def test_a_file_that_cannot_be_written(self, path: Path) -> None:
        self.give_away(path, 0o400)
        assert as_nobody(refused_to_record, path) == 0

    def test_a_folder_that_cannot_be_written(self, path: Path) -> None:
        self.give_away(path, 0o600)
        path.parent.chmod(0o500)
        assert as_nobody(refused_to_record, path) == 0

    def give_away(self, path: Path, mode: int) -> None:
        path.chmod(mode)
        if os.geteuid() == 0:
            for one in (path, path.parent):
                os.chown(one, NOBODY, NOBODY)


class TestFullDisk:
    def test_in_sqlites_own_words(self, path: Path) -> None:
        big = [an_event("t", version) for version in range(1, 400)]
        with closing(SqliteEventStore(path)) as store:
            pages = store._db.file._writer.execute("PRAGMA page_count").fetchone()[0]
            store._db.file._writer.execute(f"PRAGMA max_page_count = {pages}")
            with pytest.raises(StoreFullError, match="nothing was kept"):
                store.append("t", 0, big)
            assert store.head("t").version == 0
            store._db.file._writer.execute("PRAGMA max_page_count = 100000")
            store.append("t", 0, big)
            assert store.head("t").version == 399


class TestFlippedByte:
    """Wherever a disk changes a bit of what we wrote, it is found, or it did no harm."""

    @pytest.fixture
    def whole(self, tmp_path: Path) -> Path:
        path = tmp_path / "whole.db"
        with HudStore.open(path) as store:
            session = store.session("s")
            for number in range(40):
                session.record("note.add", content=f"note {number} {'words ' * 20}")
            session.record("compact.after", summary="so far")
            for number in range(20):
                session.record("note.add", content=f"later {number}")
        return path

    @pytest.mark.parametrize("seed", range(6))
    def test_is_found_or_does_no_harm(self, whole: Path, tmp_path: Path, seed: int) -> None:
        with closing(SqliteEventStore(whole)) as store:
            events = list(store.read("s"))
        chance, content = random.Random(seed), whole.read_bytes()
        for number in range(25):
            changed = bytearray(content)
            changed[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
            damaged = tmp_path / f"{number}.db"
            damaged.write_bytes(changed)
            if self.damages(damaged) == ():
                with closing(SqliteEventStore(damaged)) as store:
                    assert list(store.read("s")) == events

    def damages(self, path: Path) -> object:
        try:
            with closing(SqliteEventStore(path)) as store:
                return store.verify()
        except StoreError as error:
            return error

    def test_in_a_row_is_named(self, whole: Path) -> None:
        content = whole.read_bytes()
        assert content.count(b"note 17 words") >= 1
        whole.write_bytes(content.replace(b"note 17 words", b"note 17 wordz", 1))
        with HudStore.open(whole) as store:
            [damage] = store.keeping.verify()
        assert (damage.session_id, damage.version) in {("s", 19), ("s", 42)}
        assert "does not match its digest" in damage.what

    def test_in_a_row_stops_who_would_pass_it_on_as_sound(self, whole: Path) -> None:
        content = whole.read_bytes()
        whole.write_bytes(content.replace(b'"note 17 words', b'"note 17 wordz'))
        named = r'event 19 of session "s" is not as it was written; `ujsx doctor`'
        with HudStore.open(whole) as store:
            session = store.session("s")
            assert len(list(session.events())) == session.version
            with pytest.raises(StoreDamagedError, match=named):
                list(session.events(checked=True))
            with pytest.raises(StoreDamagedError, match=named):
                list(export_session(session))
            with pytest.raises(StoreDamagedError, match=named):
                store.keeping.archive("s")
            assert not list(whole.with_name("whole.db-archive").glob("*"))

    def test_in_a_snapshot_does_not_reach_the_state(self, whole: Path) -> None:
        with HudStore.open(whole) as store:
            state = store.session("s").state()
        with closing(sqlite3.connect(whole)) as db:
            db.execute("UPDATE hud_snapshot SET state = replace(state, 'note 17', 'note 99')")
            db.commit()
        with HudStore.open(whole) as store:
            assert store.session("s").state() == state
            assert ["snapshot" in damage.what for damage in store.keeping.verify()] == [True]

    def test_that_makes_text_unreadable_is_found(self, whole: Path) -> None:
        content = whole.read_bytes()
        whole.write_bytes(content.replace(b'"later 11"', b'"later \xff1"'))
        with closing(SqliteEventStore(whole)) as store:
            assert store.verify() != ()
            with pytest.raises(StoreDamagedError, match=r"whole\.db: its contents are damaged"):
                list(store.read("s"))

    def test_in_a_whole_page(self, path: Path) -> None:
        content = bytearray(path.read_bytes())
        content[4096:8192] = b"\xff" * 4096
        path.write_bytes(content)
        with closing(SqliteEventStore(path)) as store:
            assert any("its contents are damaged" in damage.what for damage in store.verify())
            with pytest.raises(StoreDamagedError, match=r"hud\.db: its contents are damaged"):
                list(store.read("s"))


class TestArchiveOnAFullDisk:
    def test_moves_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(_handle: int) -> None:
            raise OSError(28, "No space left on device")

        with closing(SqliteEventStore(tmp_path / "hud.db")) as store:
            store.append("s", 0, a_long_session("s", 8))
            with monkeypatch.context() as patch:
                patch.setattr(os, "fsync", full)
                with pytest.raises(StoreFullError, match="No space left on device"):
                    store.archive("s")
            assert store.archive("s") == 7
