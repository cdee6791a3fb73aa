"""One file, opened several times in one process: nothing is lost, whoever closes what."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import HudStore, StoreError, StoreLockedError, StoreReadOnlyError
from hud_runtime.cli import main
from hud_runtime.log.store import SqliteEventStore
from tests.hud_runtime.store.contract import an_event
from tests.hud_runtime.store.processes import running

ELSEWHERE = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("INSERT INTO hud_tombstone (session_id, events, position) VALUES (?, 0, 0)", sys.argv[2:])
db.commit()
print(db.execute("SELECT count(*) FROM hud_event").fetchone()[0])
db.close()
"""


def elsewhere(path: Path, name: str) -> int:
    """Write in another process, which then closes the file: a session of this name was purged.

    Returns how many events it has seen.
    """
    command = [sys.executable, "-S", "-c", ELSEWHERE, str(path), name]
    return int(subprocess.run(command, check=True, capture_output=True).stdout)


def was_elsewhere(store: HudStore, name: str) -> bool:
    """Tell whether that was kept."""
    return bool(store._events.is_purged(name))  # type: ignore[attr-defined]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hud.db"


def open_and_close(path: Path) -> None:
    HudStore.open(path).close()


def look(path: Path) -> None:
    with closing(SqliteEventStore(path, read_only=True)) as store:
        assert store.verify() == ()


def ask_the_command(path: Path) -> None:
    main(["session", "list", "--store", str(path)])
    main(["doctor", str(path.parent)])


def in_a_thread(path: Path) -> None:
    thread = threading.Thread(target=open_and_close, args=(path,))
    thread.start()
    thread.join()


class TestSecondOpen:
    @pytest.mark.parametrize("use", [open_and_close, look, ask_the_command, in_a_thread])
    def test_costs_the_first_one_nothing(self, path: Path, use: Callable[[Path], None]) -> None:
        with HudStore.open(path) as store:
            session = store.session("s")
            for number in range(3):
                session.record("note.add", content=f"before {number}")
                use(path)
                # Who closes last empties the log, and deletes it.
                assert elsewhere(path, f"t-{number}") == session.version
                session.record("note.add", content=f"after {number}")
                assert elsewhere(path, f"u-{number}") == session.version
        with HudStore.open(path) as store:
            assert len(store.session("s").state().notes) == 6
            assert all(was_elsewhere(store, f"t-{number}") for number in range(3))
            assert store.keeping.verify() == ()

    @pytest.mark.skipif(not Path("/proc/locks").exists(), reason="asks Linux for its locks")
    def test_keeps_the_locks_of_the_first_one(self, path: Path) -> None:
        def locks() -> set[str]:
            inodes = [f":{path.with_name(f'hud.db{end}').stat().st_ino} " for end in ("", "-shm")]
            lines = Path("/proc/locks").read_text().splitlines()
            return {
                line.split(":", 1)[1]
                for line in lines
                if f" {os.getpid()} " in line and any(inode in line for inode in inodes)
            }

        with HudStore.open(path) as store:
            store.session("s").record("task.clear")
            before = locks()
            assert len(before) >= 2
            for use in (open_and_close, look, ask_the_command, in_a_thread):
                use(path)
                assert locks() == before

    def test_under_another_name_of_the_same_folder(self, path: Path) -> None:
        (path.parent / "other").symlink_to(path.parent)
        with HudStore.open(path) as one, HudStore.open(path.parent / "other" / "hud.db") as two:
            with one.session("s").exclusive():
                two.session("s").record("note.add", content="a")
            assert len(one.session("s").state().notes) == 1
            assert one._events._db.file is two._events._db.file  # type: ignore[attr-defined]

    def test_that_makes_the_file_with_others(self, path: Path) -> None:
        gate, failed = threading.Barrier(8), []

        def begin(number: int) -> None:
            gate.wait()
            try:
                with HudStore.open(path) as store:
                    store.session(f"s-{number}").record("note.add", content="a")
            except BaseException as error:  # noqa: BLE001
                failed.append(error)

        in_threads([lambda number=number: begin(number) for number in range(8)])
        assert failed == []
        with HudStore.open(path) as store:
            assert len(store.sessions()) == 8
            assert store.keeping.verify() == ()

    def test_is_closed_by_the_last_store(self, path: Path) -> None:
        one, two = HudStore.open(path), HudStore.open(path)
        session = two.session("s")
        one.close()
        session.record("note.add", content="a")
        assert path.with_name("hud.db-wal").exists()
        two.close()
        assert not path.with_name("hud.db-wal").exists()

    def test_is_closed_when_nobody_holds_it_any_more(self, path: Path) -> None:
        HudStore.open(path).session("s").record("note.add", content="a")
        assert not path.with_name("hud.db-wal").exists()

    def test_that_is_closed_within_its_transaction_commits(self, path: Path) -> None:
        store = HudStore.open(path)
        session = store.session("s")
        with session.exclusive():
            session.record("note.add", content="a")
            store.close()
        assert not path.with_name("hud.db-wal").exists()
        with HudStore.open(path) as again:
            assert len(again.session("s").state().notes) == 1


class TestPromises:
    """Each store keeps its own, whoever else has the file open."""

    def test_to_read_only(self, path: Path) -> None:
        with HudStore.open(path) as store:
            store.session("s")
            with closing(SqliteEventStore(path, read_only=True)) as reader:
                with pytest.raises(StoreReadOnlyError, match="opened read-only"):
                    reader.append("s", 1, [an_event("s", 2)])
                with pytest.raises(StoreReadOnlyError), reader.exclusive("s"):
                    pass
                store.session("s").record("task.clear")
                assert reader.head("s").version == 2

    def test_to_read_before_somebody_writes(self, path: Path) -> None:
        open_and_close(path)
        with closing(SqliteEventStore(path, read_only=True)) as reader:
            with HudStore.open(path) as store:
                store.session("s")
            assert reader.head("s").version == 1

    def test_to_wait_for_the_disk(self, path: Path) -> None:
        def level(store: HudStore) -> int:
            store.session("s").record("task.clear")
            writer = store._events._db.file._writer  # type: ignore[attr-defined]
            return int(writer.execute("PRAGMA synchronous").fetchone()[0])

        with HudStore.open(path) as quick:
            assert level(quick) == 1
            with HudStore.open(path, durable=True) as durable:
                assert (level(durable), level(quick)) == (2, 2)
            assert level(quick) == 1

    def test_to_wait_no_longer_than_asked(self, path: Path) -> None:
        with (
            closing(SqliteEventStore(path, busy_timeout=60_000)) as patient,
            closing(SqliteEventStore(path, busy_timeout=1)) as other,
        ):
            failed: list[StoreError] = []

            def append() -> None:
                try:
                    other.append("s", 0, [an_event("s", 1)])
                except StoreError as error:
                    failed.append(error)

            with patient.exclusive("s"):
                in_threads([append])
            assert [type(error) for error in failed] == [StoreLockedError]


class TestMovedFile:
    """What happens to the file under its name is noticed before anything is written or read."""

    @pytest.fixture
    def store(self, path: Path) -> Iterator[HudStore]:
        with HudStore.open(path) as store:
            store.session("s").record("note.add", content="a")
            yield store

    @pytest.mark.parametrize("ends", [("",), ("", "-wal", "-shm")])
    @pytest.mark.parametrize(
        "use",
        [
            lambda session: session.record("task.clear"),
            lambda session: session.state(),
            lambda session: session.exclusive().__enter__(),
        ],
    )
    def test_deleted(
        self, store: HudStore, path: Path, ends: tuple[str, ...], use: Callable[..., object]
    ) -> None:
        session = store.session("s")
        for end in ends:
            path.with_name(f"hud.db{end}").unlink()
        with pytest.raises(StoreError, match=r"hud\.db.* deleted or replaced while the store was"):
            use(session)
        assert session.version == 2
        with HudStore.open(path) as again:
            assert again.sessions() == ()
            again.session("new").record("note.add", content="b")
            with pytest.raises(StoreError, match="deleted or replaced"):
                use(session)
            store.close()
            elsewhere(path, "t")
            assert was_elsewhere(again, "t")
            assert again.session("new").record("task.clear").version == 3
            assert again.keeping.verify() == ()

    def test_replaced_by_a_copy(self, store: HudStore, path: Path, tmp_path: Path) -> None:
        session = store.session("s")
        other = tmp_path / "other.db"
        with HudStore.open(other) as another:
            another.session("other")
        for end in ("-wal", "-shm"):
            path.with_name(f"hud.db{end}").unlink()
        other.replace(path)
        with pytest.raises(StoreError, match="were deleted or replaced"):
            session.record("task.clear")
        with HudStore.open(path) as again:
            assert again.sessions() == ("other",)

    def test_costs_six_calls_of_the_system_a_record(
        self, store: HudStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        session, calls = store.session("s"), list[str]()
        for name in ("stat", "pread", "fstat", "listdir"):
            real = getattr(os, name)

            def counted(
                *values: object, made: str = name, real: Any = real, **more: object
            ) -> object:
                calls.append(made)
                return real(*values, **more)

            monkeypatch.setattr(os, name, counted)
        for _ in range(80):
            session.record("task.clear")
        assert (calls.count("stat"), calls.count("pread"), len(calls)) == (240, 240, 480)


class TestLogSize:
    """The write-ahead log is bounded, whoever writes and however little at a time."""

    @pytest.mark.parametrize("version", [(3, 45, 0), sqlite3.sqlite_version_info])
    def test_with_an_idle_process_and_many_short_ones(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, version: tuple[int, ...]
    ) -> None:
        monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
        with closing(sqlite3.connect(path, isolation_level=None)) as idle:
            open_and_close(path)
            idle.execute("SELECT count(*) FROM hud_event").fetchone()
            sizes = []
            for number in range(60):
                with HudStore.open(path) as store:
                    store.session(f"s-{number}").record("note.add", content="x" * 200_000)
                sizes.append(path.with_name("hud.db-wal").stat().st_size)
            assert max(sizes) < 6_000_000

    def test_with_a_reader_who_reads_for_long(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 45, 0))
        log = path.with_name("hud.db-wal")
        with (
            HudStore.open(path) as store,
            closing(sqlite3.connect(path, isolation_level=None)) as reader,
        ):
            session = store.session("s")
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM hud_event").fetchone()
            for _ in range(50):
                session.record("note.add", content="x" * 200_000, id=None)
                session.record("section.clear")
            grown = log.stat().st_size
            assert grown > 8_000_000
            reader.execute("COMMIT")
            for _ in range(10):
                session.record("note.add", content="x" * 200_000)
                session.record("section.clear")
            assert log.stat().st_size < 6_000_000

    def test_that_a_process_left_large_is_taken_up_by_the_next(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 45, 0))
        log = path.with_name("hud.db-wal")
        with closing(sqlite3.connect(path, isolation_level=None)) as idle:
            open_and_close(path)
            idle.execute("PRAGMA wal_autocheckpoint = 0").fetchone()
            idle.execute("CREATE TABLE theirs AS SELECT zeroblob(6000000) AS content")
            assert log.stat().st_size > 6_000_000
            for _ in range(2):
                with HudStore.open(path) as store:
                    store.session("s").record("task.clear")
            assert log.stat().st_size <= 4 * 2**20


def in_threads(works: list[Callable[[], object]]) -> None:
    """Do things at the same time, and wait for all of them."""
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def in_a_child(work: Callable[[], object]) -> int:
    """Do something in a forked child, and return its exit status."""
    with running(work) as process:
        return process.wait()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
class TestFork:
    def test_a_child_goes_on_with_the_store(self, path: Path) -> None:
        with HudStore.open(path) as store:
            session = store.session("s")
            session.record("note.add", content="parent")
            assert session.hud().text

            def work() -> None:
                session.record("note.add", content="child")
                store.session("c").record("note.add", content="child")
                assert "child" in session.hud().text

            assert [in_a_child(work) for _ in range(3)] == [0, 0, 0]
            session.record("note.add", content="parent again")
            assert len(session.state().notes) == 3
            assert store.session("c").version == 4
            assert store.keeping.verify() == ()

    @pytest.mark.skipif(not Path("/proc/locks").exists(), reason="asks Linux for its locks")
    def test_a_child_has_locks_of_its_own(self, path: Path) -> None:
        with HudStore.open(path) as store:
            session = store.session("s")

            def work() -> None:
                session.record("note.add", content="child")
                wanted = f":{path.stat().st_ino} "
                lines = Path("/proc/locks").read_text().splitlines()
                assert any(f" {os.getpid()} " in line and wanted in line for line in lines)

            assert in_a_child(work) == 0

    def test_a_child_outlives_the_parents_store(self, path: Path) -> None:
        # The last one who closes deletes the log: the child must count as one who has it open.
        with HudStore.open(path) as store:
            session = store.session("s")
            ready, go = os.pipe(), os.pipe()

            def work() -> None:
                session.record("note.add", content="child")
                os.write(ready[1], b"1")
                os.read(go[0], 1)
                for number in range(20):
                    session.record("note.add", content=f"child {number}")

            with running(work) as process:
                os.read(ready[0], 1)
                store.close()
                elsewhere(path, "t")
                os.write(go[1], b"1")
                assert process.wait() == 0
        with HudStore.open(path) as again:
            assert len(again.session("s").state().notes) == 21
            assert again.keeping.verify() == ()

    def test_a_child_closes_nothing_of_the_parents(self, path: Path) -> None:
        with HudStore.open(path) as store:
            session = store.session("s")

            def work() -> None:
                store.close()

            assert in_a_child(work) == 0
            session.record("note.add", content="a")
            elsewhere(path, "t")
            session.record("note.add", content="b")
            assert store.keeping.verify() == ()

    def test_while_threads_write_and_render(self, path: Path) -> None:
        with HudStore.open(path) as store:
            session, over = store.session("s"), threading.Event()

            def write() -> None:
                while not over.is_set():
                    session.record("note.add", content="again", id=None)
                    session.record("section.clear")
                    session.hud()

            threads = [threading.Thread(target=write) for _ in range(4)]
            for thread in threads:
                thread.start()
            try:

                def work() -> None:
                    session.record("note.add", content="child")
                    assert session.hud().text
                    store.session("c").record("note.add", content="child")

                assert [in_a_child(work) for _ in range(10)] == [0] * 10
            finally:
                over.set()
                for thread in threads:
                    thread.join()
            assert store.session("c").version == 11
            assert store.keeping.verify() == ()

    def test_in_the_middle_of_a_transaction_is_said(self, path: Path) -> None:
        with HudStore.open(path) as store:
            session = store.session("s")

            def work() -> None:
                uses: list[Callable[[], object]] = [
                    lambda: session.record("task.clear"),
                    session.state,
                    lambda: HudStore.open(path),
                    lambda: SqliteEventStore(path, read_only=True),
                ]
                for use in uses:
                    with pytest.raises(StoreError, match="forked while the store was in use"):
                        use()
                with suppress(StoreError):
                    store.close()

            with session.exclusive():
                session.record("note.add", content="a")
                assert in_a_child(work) == 0
                session.record("note.add", content="b")
            assert len(session.state().notes) == 2
            assert store.keeping.verify() == ()

    def test_a_store_in_memory_is_copied(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")

            def work() -> None:
                assert session.record("note.add", content="child").version == 2

            assert in_a_child(work) == 0
            assert session.record("note.add", content="parent").version == 2

    def test_a_child_that_ends_as_a_program_does(self, tmp_path: Path) -> None:
        script = tmp_path / "forks.py"
        script.write_text(
            "import os, sys\n"
            "from hud_runtime import HudStore\n"
            "store = HudStore.open(sys.argv[1])\n"
            "session = store.session('s')\n"
            "with session.exclusive():\n"
            "    session.record('note.add', content='a')\n"
            "    if os.fork() == 0:\n"
            "        sys.exit()\n"
            "    os.wait()\n"
            "    session.record('note.add', content='b')\n"
            "if os.fork() == 0:\n"
            "    session.record('note.add', content='c')\n"
            "    sys.exit()\n"
            "os.wait()\n"
            "session.record('note.add', content='d')\n"
        )
        path = tmp_path / "hud.db"
        subprocess.run([sys.executable, str(script), str(path)], check=True)
        with HudStore.open(path) as store:
            assert len(store.session("s").state().notes) == 4
            assert store.keeping.verify() == ()


def test_a_copy_is_another_file(path: Path, tmp_path: Path) -> None:
    with HudStore.open(path) as store:
        store.session("s")
    shutil.copy(path, tmp_path / "copy.db")
    with HudStore.open(path) as one, HudStore.open(tmp_path / "copy.db") as two:
        one.session("s").record("task.clear")
        assert two.session("s").version == 1
