"""Whatever happens to the files of an open store, nothing that is acknowledged afterwards is lost.

``make crash`` plays all cases of :mod:`tests.hud_runtime.store.hands`, the ordinary run a few of them.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import stat
import subprocess
from contextlib import ExitStack, closing, suppress
from functools import partial
from itertools import product
from pathlib import Path

import pytest

from hud_runtime import (
    HudStore,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreLockedError,
)
from hud_runtime.cli import main
from hud_runtime.log.store import SqliteEventStore
from tests.hud_runtime.store.hands import (
    CASES,
    MOVES,
    OTHER,
    Case,
    Gate,
    make_other,
    opened,
    overwrite_with_other,
    play,
    versions_in,
    versions_repaired,
)
from tests.hud_runtime.store.processes import running
from tests.hud_runtime.store.statements import (
    COPY,
    Statements,
    disk_is_full,
    fails,
    failure,
    watched,
)
from tests.hud_runtime.store.stores import copy_of, of_twenty_notes

FEW = 24
"""Cases of the ordinary run: each takes a third of a second."""

PLAYED = CASES if os.environ.get("UJSX_KILLS") else random.Random(5).sample(CASES, FEW)

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and kill -9")


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another store, whose process was killed, so that all three files are there."""
    path, gate = tmp_path_factory.mktemp("other") / OTHER, Gate()
    with running(partial(make_other, path, gate)):
        assert gate.is_reached()
    return path


def record_theirs(path: Path, *gates: Gate) -> None:
    store = opened(path)
    for gate in gates:
        store.session("s").record("note.add", content="theirs")
        gate.wait()


@pytest.mark.parametrize("case", PLAYED, ids=str)
def test_nothing_that_is_acknowledged_is_lost(other: Path, tmp_path: Path, case: Case) -> None:
    for each in other.parent.glob(f"{OTHER}*"):
        shutil.copyfile(each, tmp_path / each.name)
    ledger = play(tmp_path, case)
    ledger.close()
    lines = ledger.lines()
    changed = [kind for kind, *_ in lines].index("changed")
    before, after = (
        {(name, version) for kind, name, version in part if kind == "recorded"}
        for part in (lines[:changed], lines[changed:])
    )
    told = [name for kind, name, _ in lines if kind == "refused"]
    found: set[tuple[str, int]] = set()
    for folder in (tmp_path, *tmp_path.glob("hud.db.rescued-*")):
        try:
            found |= versions_in(folder / "hud.db")
        except StoreError as error:
            told.append(str(error))
            if folder != tmp_path:  # a log alone, which a repair reads
                found |= versions_repaired(folder / "hud.db")
    assert not after - found, told
    # What is acknowledged before is in the hand's power: of what is moved away, whoever has it open saves
    # it at the next use; what is written over is named, unless the process had no next use.
    had_no_use = case.end == "killed at once" or -signal.SIGBUS in [
        number for kind, _, number in lines if kind == "ended"
    ]
    if case.hand in MOVES and not had_no_use:
        assert not before - found, told
    elif not had_no_use and not is_while_copied(case):
        assert told or not before - found


def is_while_copied(case: Case) -> bool:
    """Tell whether the log is written over while SQLite copies it, which nobody can notice in time."""
    return case.step == "in a checkpoint" and case.hand is overwrite_with_other


ENDS = ("", "-wal", "-shm")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hud.db"


def remove_logs(path: Path) -> None:
    for end in ("-wal", "-shm"):
        path.with_name(f"hud.db{end}").unlink()


def notes_in(path: Path) -> list[str]:
    with HudStore.open(path) as store:
        assert store.keeping.verify() == ()
        return [
            note.content for name in store.sessions() for note in store.session(name).state().notes
        ]


WHAT_OTHERS_DO = (
    "SELECT 1",
    "INSERT INTO theirs VALUES (1)",
    *(f"PRAGMA wal_checkpoint({how})" for how in ("PASSIVE", "FULL", "RESTART", "TRUNCATE")),
)


def is_copy(statement: str) -> bool:
    return statement == COPY


class TestRefusal:
    def test_two_processes_never_have_two_logs(self, path: Path) -> None:
        gate = Gate()

        def work() -> None:
            gate.wait()
            with pytest.raises(StoreLockedError):
                opened(path)
            gate.wait()
            with opened(path) as store:
                store.session("second").record("note.add", content="second")

        with running(work) as process, HudStore.open(path) as store:
            session = store.session("first")
            session.record("note.add", content="one")
            remove_logs(path)
            assert gate.is_reached()
            gate.let_go()
            assert gate.is_reached()
            with pytest.raises(StoreError, match="all that was acknowledged is in the database"):
                session.record("note.add", content="never")
            gate.let_go()
            assert process.wait() == 0
            with pytest.raises(StoreError, match=r"hud\.db-wal and hud\.db-shm were deleted"):
                session.state()
        assert notes_in(path) == ["one", "second"]

    def test_names_the_process_that_has_other_files(self, path: Path, tmp_path: Path) -> None:
        gate = Gate()

        def work() -> None:
            with HudStore.open(path) as store:
                store.session("first")
                gate.wait()
                gate.wait()

        with running(work) as process:
            assert gate.is_reached()
            remove_logs(path)
            named = rf"process {process.number} has it open, but not with the files"
            with pytest.raises(StoreLockedError, match=named):
                opened(path)
            with pytest.raises(StoreLockedError, match=named):
                SqliteEventStore(path, read_only=True, busy_timeout=0)
            gate.let_go()
            assert gate.is_reached()
        assert HudStore.open(path).session("first").version == 1

    @pytest.mark.parametrize("ends", [("",), ("-wal",), ("-wal", "-shm")])
    def test_does_without_a_list_of_descriptors(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, ends: tuple[str, ...]
    ) -> None:
        def no_list(_folder: object) -> list[str]:
            raise FileNotFoundError

        monkeypatch.setattr(os, "listdir", no_list)
        with HudStore.open(path) as store:
            session = store.session("s")
            session.record("note.add", content="one")
            for end in ends:
                path.with_name(f"hud.db{end}").unlink()
            with pytest.raises(StoreError, match="all that was acknowledged is in"):
                session.record("note.add", content="two")
        folders = [*path.parent.glob("hud.db.rescued-*")]
        [kept] = [folder / "hud.db" for folder in folders] or [path]
        assert notes_in(kept)[0] == "one"

    def test_is_refused_where_others_went_on_behind_a_log_that_was_overwritten(
        self, path: Path
    ) -> None:
        """Their last commit is whole, and all before it is gone."""
        log, first, then = path.with_name("hud.db-wal"), Gate(), Gate()
        with HudStore.open(path) as store:
            session = store.session("s")
            session.record("note.add", content="one")
            with running(partial(record_theirs, path, first, then)):
                assert first.is_reached()
                session.record("note.add", content="two")  # in the log that they have begun
                first.let_go()
                assert then.is_reached()
                written = log.read_bytes()
                frames = range(32, len(written), 4_096 + 24)
                commits = [at for at in frames if any(written[at + 4 : at + 8])]
                with log.open("r+b") as file:
                    file.write(bytes(commits[-2] + 4_096 + 24))
                with pytest.raises(StoreError, match=r"hud\.db-wal was overwritten or cut"):
                    session.record("note.add", content="three")

    def test_is_refused_where_an_index_lost_its_pages_and_has_a_header(self, path: Path) -> None:
        """SQLite would read what the database had before the log, and go on from there."""
        index = path.with_name("hud.db-shm")
        with HudStore.open(path) as store:
            session = store.session("s")
            session.record("note.add", content="one")
            session.record("note.add", content="two")
            with index.open("r+b") as file:
                file.seek(136)
                file.write(bytes(index.stat().st_size - 136))
            with pytest.raises(StoreError, match=r"hud\.db-shm was overwritten or cut"):
                session.record("note.add", content="three")

    def test_whose_logs_others_remove_meanwhile_is_saved(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real, removed = Path.unlink, list[Path]()

        def unlink(self: Path, *, missing_ok: bool = False) -> None:
            if self.name.startswith("hud.db-"):
                real(self)
                removed.append(self)
            real(self, missing_ok=missing_ok)

        with HudStore.open(path) as store:
            session = store.session("s")
            shutil.copyfile(path, path.with_name("other.db"))
            path.with_name("other.db").replace(path)
            monkeypatch.setattr(Path, "unlink", unlink)
            with pytest.raises(StoreError, match=r"ujsx store restore .*/hud\.db\.rescued-"):
                session.record("task.clear")
        assert removed

    def test_that_has_no_room_to_save_saves_later(self, path: Path, statements: Statements) -> None:
        with HudStore.open(path) as store:
            session = store.session("s")
            path.unlink()
            statements.before = fails(is_copy, disk_is_full())
            told = r"hud\.db was deleted or replaced .* not saved yet, .* the disk is full"
            with pytest.raises(StoreError, match=told):
                session.record("task.clear")
            statements.before = None
            with pytest.raises(StoreError, match=r"ujsx store restore .*/hud\.db\.rescued-"):
                session.record("task.clear")
        [folder] = path.parent.glob("hud.db.rescued-*")
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE((folder / "hud.db").stat().st_mode) == 0o600
        assert [each.name for each in path.parent.iterdir()] == [folder.name]
        HudStore.restore(folder, path)
        assert HudStore.open(path).session("s").version >= 1

    def test_that_could_save_nothing_until_the_end_says_so_when_it_is_closed(
        self, path: Path, statements: Statements
    ) -> None:
        store = HudStore.open(path)
        store.session("s").record("note.add", content="one")
        path.unlink()
        statements.before = fails(is_copy, disk_is_full())
        with pytest.raises(StoreFullError, match=r"hud\.db was deleted or replaced"):
            store.close()
        assert not list(path.parent.glob("*.partial"))

    @pytest.mark.parametrize("end", ["", "-wal"])
    @pytest.mark.parametrize("hand", ["truncate --size=0 {}", "dd if=/dev/zero conv=notrunc of={}"])
    def test_names_the_file_where_sqlite_names_another_cause(
        self, path: Path, end: str, hand: str
    ) -> None:
        with HudStore.open(path) as store:
            for number in range(30):
                store.session("s").record("note.add", content=f"{number} {'x' * 300}")
            file = f"{path}{end}"
            size = f" bs={Path(file).stat().st_size} count=1" if "dd" in hand else ""
            other_program(*f"{hand.format(file)}{size}".split())
            with pytest.raises(StoreError, match=rf"hud\.db{end} was overwritten or cut"):
                list(store.session("s").events())
            with pytest.raises(StoreError, match=rf"hud\.db{end} was overwritten or cut"):
                store.session("s").record("note.add", content="after")

    def test_is_tried_again_when_the_store_is_closed(
        self, path: Path, statements: Statements
    ) -> None:
        store = HudStore.open(path)
        session = store.session("s")
        session.record("note.add", content="one")
        path.unlink()
        statements.before = fails(is_copy, failure("SQLITE_IOERR", "disk I/O error"))
        with pytest.raises(StoreError, match=r"hud\.db was deleted .*disk I/O error"):
            session.record("note.add", content="two")
        statements.before = None
        store.close()
        [folder] = path.parent.glob("hud.db.rescued-*")
        assert notes_in(folder / "hud.db")[0] == "one"

    @pytest.mark.parametrize(
        ("owner", "name", "is_late"), [(Path, "mkdir", False), (os.path, "lexists", True)]
    )
    def test_of_two_processes_in_one_moment_has_two_folders(
        self, path: Path, owner: object, name: str, is_late: bool
    ) -> None:
        gate, at_claim = Gate(), Gate()
        real = getattr(owner, name)

        def work() -> None:
            def waits(place: Path, **mode: int) -> object:
                setattr(owner, name, real)
                done = real(place, **mode) if is_late else None
                at_claim.wait()
                return done if is_late else real(place, **mode)

            store = opened(path, timeout=5_000)
            session = store.session("second")
            session.record("note.add", content="second")
            gate.wait()
            setattr(owner, name, waits)
            with pytest.raises(StoreError, match="all that was acknowledged is in /"):
                session.record("note.add", content="never")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("time.strftime", lambda *_: "20260101T000000Z")
            with running(work) as process, opened(path, timeout=5_000) as store:
                session = store.session("first")
                session.record("note.add", content="first")
                assert gate.is_reached()
                path.unlink()
                gate.let_go()
                assert at_claim.is_reached()
                with pytest.raises(StoreError, match="all that was acknowledged is in /"):
                    session.record("note.add", content="never")
                at_claim.let_go()
                assert process.wait() == 0
        folders = sorted(each.name for each in path.parent.glob("hud.db.rescued-*"))
        assert folders == [f"hud.db.rescued-20260101T000000Z{end}" for end in ("", "-2")]
        for each in folders:
            assert {"first", "second"} <= set(notes_in(path.parent / each / "hud.db"))

    def test_leaves_another_log_that_has_taken_the_place(self, path: Path, other: Path) -> None:
        content = other.with_name(f"{OTHER}-wal").read_bytes()
        with HudStore.open(path) as store:
            session = store.session("s")
            session.record("note.add", content="one")
            remove_logs(path)
            path.with_name("hud.db-wal").write_bytes(content)
            with pytest.raises(StoreError, match="all that was acknowledged is in /"):
                session.record("note.add", content="never")
        assert path.with_name("hud.db-wal").read_bytes() == content
        [folder] = path.parent.glob("hud.db.rescued-*")
        assert notes_in(folder / "hud.db") == ["one"]

    def test_is_not_for_a_descriptor_that_somebody_closed(self, path: Path, tmp_path: Path) -> None:
        of_twenty_notes(path)
        raw = sqlite3.connect(path)
        raw.execute("SELECT count(*) FROM hud_event").fetchall()
        with HudStore.open(path) as store:
            session = store.session("s")
            session.record("note.add", content="before")
            raw.close()
            with ExitStack() as files:  # which get the numbers that are free now
                for number in range(8):
                    file = files.enter_context((tmp_path / f"{number}").open("w+b"))
                    file.write(bytes(70_000))
                for _ in range(3):
                    session.record("note.add", content="after")
                    store.keeping.checkpoint()
            assert store.keeping.verify() == ()

    def test_is_not_for_what_is_left_of_a_commit_that_came_to_nothing(self, path: Path) -> None:
        with HudStore.open(path) as store:
            session = store.session("s")
            session.record("note.add", content="one")
            log = path.with_name("hud.db-wal")
            salt = log.read_bytes()[16:24]
            with log.open("ab") as file:
                file.write(bytes(8) + salt + bytes(8 + 4_096))
            with session.exclusive():
                pass
            for number in range(3):
                session.record("note.add", content=f"{number}")
            assert store.keeping.verify() == ()

    @pytest.mark.parametrize("seed", range(8))
    def test_is_not_for_what_others_do_around_our_commit(
        self, path: Path, statements: Statements, seed: int
    ) -> None:
        """Others copy the log, empty it and record: before we begin, while we write, and after our commit."""
        chance = random.Random(seed)

        def play(statement: str = "COMMIT", *_values: object) -> None:
            if statement not in {"BEGIN IMMEDIATE", "COMMIT"}:
                return
            for what in chance.choices(WHAT_OTHERS_DO, k=2):
                with suppress(sqlite3.OperationalError):  # we are writing
                    other.execute(what).fetchall()

        with HudStore.open(path) as store, closing(sqlite3.connect(path)) as other:
            other.isolation_level = None
            other.execute("PRAGMA busy_timeout = 0")
            other.execute("CREATE TABLE theirs (number)")
            statements.before = statements.after = play
            for number in range(100):
                content = "note " * (1 + number)
                play()
                store.session(f"s{number % 3}").record("note.add", content=content)
            statements.before = statements.after = None
            assert store.keeping.verify() == ()

    def test_comes_before_a_checkpoint_and_before_the_store_is_closed(self, path: Path) -> None:
        store = HudStore.open(path)
        session = store.session("s")
        for number in range(5):
            session.record("note.add", content=f"{number}")
        database = path.read_bytes()
        log = path.with_name("hud.db-wal")
        with log.open("r+b") as file:  # in the middle, where no append looks
            file.seek(32 + 24 + 4_096 + 8)
            file.write(b"another!")
        with pytest.raises(StoreError, match=r"hud\.db-wal was overwritten or cut"):
            store.keeping.checkpoint()
        store.close()
        assert path.read_bytes() == database


def other_program(*lines: object) -> None:
    """Run a program: whoever opens and closes the database in this process drops its locks, and a fork
    closes the store."""
    subprocess.run(list(map(str, lines)), check=True)


def copy_over(source: Path, target: Path) -> None:
    other_program("cp", source, target)


def copied(store: HudStore) -> None:
    """Copy the log into the database, and leave the log as it is."""
    store._events._db.checkpoint()  # type: ignore[attr-defined]


def check_alike(path: Path, old: Path) -> None:
    """Check that two files are as large, and begin with the same bytes, but are not the same."""
    assert path.stat().st_size == old.stat().st_size
    other_program("cmp", "--bytes=65536", path, old)
    with pytest.raises(subprocess.CalledProcessError):
        other_program("cmp", path, old)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which some short notes change few pages, and none of the first ones."""
    path = tmp_path_factory.mktemp("made") / "hud.db"

    def pages(store: HudStore) -> object:
        return store._events._db.rows("PRAGMA page_count")  # type: ignore[attr-defined]

    with HudStore.open(path) as store, store.session("s00").exclusive():
        for number in range(900):
            store.session(f"s{number * 7 % 60:02}").record("note.add", content=f"{number}" * 40)
        before = pages(store)
        while pages(store) == before:  # then its last page has room for what the tests record
            store.session("s59").record("note.add", content="x" * 99)
    return path


class TestOlderCopy:
    """An older copy of the database that is as large, and begins as it does, is written over it."""

    @pytest.fixture
    def old(self, path: Path, made: Path) -> Path:
        shutil.copyfile(made, path)
        old = path.with_name("old.db")
        shutil.copyfile(path, old)
        return old

    @pytest.mark.parametrize("empties", [True, False])
    @pytest.mark.parametrize("goes_on", [0, 1, 3])
    def test_is_noticed_after_a_checkpoint(
        self, path: Path, old: Path, empties: bool, goes_on: int
    ) -> None:
        with HudStore.open(path) as store:
            for number in range(3):
                store.session("s00").record("note.add", content=f"victim {number}")
            store.keeping.checkpoint() if empties else copied(store)
            for number in range(goes_on):
                store.session("s01").record("note.add", content=f"{number}")
            check_alike(path, old)
            copy_over(old, path)
            with pytest.raises(StoreError, match=r"hud\.db was overwritten or cut"):
                store.session("s02").record("note.add", content="after")

    @pytest.mark.parametrize("empties", [True, False])
    @pytest.mark.parametrize("records", [True, False])
    def test_is_noticed_after_a_checkpoint_of_another_process(
        self, path: Path, old: Path, empties: bool, records: bool
    ) -> None:
        gate = Gate()

        def work() -> None:
            with opened(path) as store:
                gate.wait()
                store.keeping.checkpoint() if empties else copied(store)
                if records:
                    store.session("s59").record("note.add", content="second")
                gate.wait()

        with running(work), HudStore.open(path) as store:
            assert gate.is_reached()
            for number in range(3):
                store.session("s00").record("note.add", content=f"victim {number}")
            gate.let_go()
            assert gate.is_reached()
            check_alike(path, old)
            copy_over(old, path)
            with pytest.raises(StoreError, match=r"hud\.db was overwritten or cut"):
                store.session("s02").record("note.add", content="after")
            gate.let_go()

    def test_is_noticed_in_a_store_that_has_not_recorded_yet(self, path: Path, old: Path) -> None:
        with HudStore.open(path) as store:
            store.session("s00").record("note.add", content="victim")
        with HudStore.open(path) as store:
            check_alike(path, old)
            copy_over(old, path)
            with pytest.raises(StoreError, match=r"hud\.db was overwritten or cut"):
                store.session("s02").record("note.add", content="after")

    def test_that_is_the_same_is_let_be(self, path: Path, old: Path) -> None:
        with HudStore.open(path) as store:
            for empties in (True, False):
                store.session("s00").record("note.add", content="one")
                store.keeping.checkpoint() if empties else copied(store)
                copy_over(path, old)
                copy_over(old, path)
                for number in range(3):
                    store.session("s01").record("note.add", content=f"{number}")
            store.keeping.checkpoint()
            assert store.keeping.verify() == ()


def last_event(path: Path) -> object:
    """Return what SQLite takes for the last event of a database, or None."""
    with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.DatabaseError):
        return connection.execute(
            "SELECT * FROM hud_event ORDER BY position DESC LIMIT 1"
        ).fetchone()
    return None


def pages_of(content: bytes) -> list[bytes]:
    return [content[at : at + 4_096] for at in range(0, len(content), 4_096)]


class TestKilled:
    """What a killed process leaves is compared before it is used."""

    @pytest.fixture
    def killed(self, path: Path) -> Path:
        gate = Gate()
        of_twenty_notes(path)

        def work() -> None:
            store = HudStore.open(path)
            store.session("late").record("note.add", content="late")
            gate.wait()

        with running(work):
            assert gate.is_reached()
        return path

    def test_as_it_was_is_read(self, killed: Path) -> None:
        assert notes_in(killed)[-1] == "late"

    def test_with_another_log_is_refused(
        self, killed: Path, other: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        log, database = killed.with_name("hud.db-wal"), killed.read_bytes()
        shutil.copyfile(other.with_name(f"{OTHER}-wal"), log)
        content = log.read_bytes()
        for use in (SqliteEventStore, partial(SqliteEventStore, read_only=True)):
            with pytest.raises(StoreDamagedError, match=r"is not the write-ahead log of hud\.db"):
                use(killed)
        main(["doctor", str(killed.parent)])
        assert "hud.db-wal is not the write-ahead log of hud.db" in capsys.readouterr().out
        assert (killed.read_bytes(), log.read_bytes()) == (database, content)
        log.unlink()
        assert len(notes_in(killed)) == 20

    def test_with_another_log_is_replaced_and_kept(self, killed: Path, other: Path) -> None:
        backup = killed.parent / "backup"
        with HudStore.open(killed) as store:
            store.keeping.backup(backup)
        log = killed.with_name("hud.db-wal")
        shutil.copyfile(other.with_name(f"{OTHER}-wal"), log)
        database, content = killed.read_bytes(), log.read_bytes()
        aside = HudStore.restore(backup, killed, force=True).set_aside
        assert aside is not None
        assert (aside / "hud.db").read_bytes() == database
        assert (aside / "hud.db-wal").read_bytes() == content

    def test_in_the_middle_of_a_checkpoint_is_read(self, killed: Path) -> None:
        """A page that the log has may hold anything: here each page of the database stands in its place."""
        content = {end: killed.with_name(f"hud.db{end}").read_bytes() for end in ENDS}
        with closing(
            sqlite3.connect(copied := copy_of(killed, killed.with_name("copied.db")))
        ) as whole:
            shutil.copyfile(f"{killed}-wal", f"{copied}-wal")
            known = {None, *whole.execute("SELECT * FROM hud_event")}
            whole.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        before, after = pages_of(content[""]), pages_of(copied.read_bytes())
        before += [bytes(4_096)] * (len(after) - len(before))
        others = [number for number, page in enumerate(after) if before[number] != page]
        misread, half = 0, killed.with_name("half.db")
        for place, wrong in product(others, before):
            half.write_bytes(b"".join([*before[:place], wrong, *before[place + 1 :]]))
            if last_event(half) not in known:
                content[""] = half.read_bytes()
                misread += 1
                for end in ENDS:
                    killed.with_name(f"hud.db{end}").write_bytes(content[end])
                assert notes_in(killed)[-1] == "late"
        assert misread

    def test_with_a_damaged_head_of_the_log_is_refused(self, killed: Path) -> None:
        log = killed.with_name("hud.db-wal")
        content = bytearray(log.read_bytes())
        content[18] ^= 1
        log.write_bytes(content)
        with pytest.raises(StoreDamagedError, match="its header is damaged, and SQLite would pass"):
            HudStore.open(killed)
        assert log.read_bytes() == content

    def test_with_a_cut_database_is_refused(self, killed: Path) -> None:
        os.truncate(killed, 8 * 4_096)
        with pytest.raises(StoreDamagedError, match=r"neither of the two|contents are damaged"):
            HudStore.open(killed)
        assert killed.stat().st_size == 8 * 4_096

    def test_with_what_is_left_of_a_commit_that_came_to_nothing_is_read(self, killed: Path) -> None:
        log = killed.with_name("hud.db-wal")
        salt = log.read_bytes()[16:24]
        with log.open("ab") as file:  # it was to have 900 pages
            file.write((7).to_bytes(4) + (900).to_bytes(4) + salt + bytes(8 + 4_096))
        assert notes_in(killed)[-1] == "late"

    def test_whose_last_event_was_purged_or_erased_since_is_read(self, killed: Path) -> None:
        gate = Gate()

        def work() -> None:
            store = HudStore.open(killed)
            with store._events.parts.database.writing() as db:  # type: ignore[attr-defined]
                db.execute(
                    "INSERT INTO hud_tombstone (session_id, events, position)"
                    " SELECT 's', count(*), max(position) FROM hud_event"
                )
                db.execute("DELETE FROM hud_event WHERE session_id = 's'")
            gate.wait()

        with running(work):
            assert gate.is_reached()
        assert notes_in(killed) == ["late"]


class TestDoctor:
    def test_names_what_was_set_aside(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        with HudStore.open(path) as store:
            session = store.session("s")
            session.record("note.add", content="one")
            path.rename(path.with_name("away"))
            with pytest.raises(StoreError, match=r"hud\.db was deleted or replaced"):
                session.record("note.add", content="two")
        assert main(["doctor", str(path.parent)]) == 1
        told = " ".join(capsys.readouterr().out.split())
        assert "store hud.db damaged: rescued: hud.db.rescued-" in told
        assert "ujsx store restore FOLDER" in told

    @pytest.mark.parametrize("is_empty", [True, False])
    def test_names_a_log_that_is_alone(
        self, path: Path, capsys: pytest.CaptureFixture[str], is_empty: bool
    ) -> None:
        gate = Gate()

        def work() -> None:
            store = HudStore.open(path)
            store.session("s").record("note.add", content="one")
            gate.wait()

        with running(work):
            assert gate.is_reached()
            path.unlink()
        if is_empty:
            path.touch()
        path.with_name("away.db-wal").symlink_to("nowhere")
        assert main(["doctor", str(path.parent)]) == 1
        told = " ".join(capsys.readouterr().out.split())
        assert "store hud.db damaged" in told
        assert "hud.db is empty or missing: put hud.db back to read what is in both" in told
        assert "ujsx can work here" not in told

    def test_names_a_rescue_whose_process_was_killed(
        self, path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        gate = Gate()

        def work() -> None:
            with pytest.MonkeyPatch.context() as patch:
                statements = watched(patch)
                store = opened(path)
                session = store.session("s")
                session.record("note.add", content="one")
                gate.wait()
                statements.after = lambda statement, *_: is_copy(statement) and gate.wait()
                session.record("note.add", content="two")

        with running(work) as process, opened(path):
            assert gate.is_reached()
            path.unlink()
            gate.let_go()
            assert gate.is_reached()
            process.kill()
        of_twenty_notes(path)
        for place in (path.parent, path):
            assert main(["doctor", str(place)]) == 1
            told = " ".join(capsys.readouterr().out.split())
            assert "store hud.db damaged: half rescued: hud.db.rescued-" in told
            assert "ujsx store repair --store FOLDER/hud.db" in told
        [folder] = path.parent.glob("hud.db.rescued-*.partial")
        HudStore.repair(folder / "hud.db")
        assert notes_in(folder / "hud.db")[0] == "one"


class TestRepair:
    def test_reads_a_log_without_its_database(self, path: Path, other: Path) -> None:
        of_twenty_notes(path)
        with HudStore.open(path) as store:
            session = store.session("late")
            session.record("note.add", content="one")
            shutil.copyfile(other, path)
            with pytest.raises(StoreError, match=r"repair --store .*/hud\.db` saves what can be"):
                session.record("note.add", content="two")
        assert path.read_bytes() == other.read_bytes()
        [folder] = path.parent.glob("hud.db.rescued-*")
        assert [each.name for each in folder.iterdir()] == ["hud.db-wal"]
        HudStore.repair(folder / "hud.db")
        assert "one" in notes_in(folder / "hud.db")


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="asks Linux for its locks")
class TestLocks:
    """Reading a database as bytes leaves the locks that this process has on it."""

    def locks(self, path: Path) -> int:
        inode = f":{path.stat().st_ino} "
        lines = Path("/proc/locks").read_text().splitlines()
        return sum(f" {os.getpid()} " in line and inode in line for line in lines)

    def test_of_a_store_that_is_being_replaced_stay(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        of_twenty_notes(path)
        backup, seen = path.parent / "backup", list[int]()
        with HudStore.open(path) as store:
            store.keeping.backup(backup)
        real = Path.replace

        def put(made: Path, place: Path) -> Path:
            if place == path:
                seen.append(self.locks(path))
            return real(made, place)

        monkeypatch.setattr(Path, "replace", put)
        HudStore.restore(backup, path, force=True)
        assert seen[0] > 0


class TestLostLocks:
    """A program that opens ``hud.db`` itself and closes it drops the locks of its process on it."""

    def test_keep_others_out(self, path: Path) -> None:
        gate = Gate()

        def work() -> None:
            gate.wait()
            with pytest.raises(StoreLockedError, match="opened and closed the database as a file"):
                opened(path)

        with running(work) as process, HudStore.open(path) as store:
            session = store.session("s")
            path.read_bytes()
            assert gate.is_reached()
            gate.let_go()
            assert process.wait() == 0
            session.record("note.add", content="one")
        assert notes_in(path) == ["one"]

    def test_let_other_programs_remove_the_log_and_lose_nothing(self, path: Path) -> None:
        of_twenty_notes(path)
        gate = Gate()

        def work() -> None:
            gate.wait()
            for statement in ("SELECT 1", "INSERT INTO hud_tombstone VALUES ('gone', 0, 0, 0)"):
                with closing(sqlite3.connect(path, isolation_level=None)) as program:
                    program.execute("SELECT count(*) FROM hud_event").fetchall()
                    program.execute(statement)

        with running(work) as process, HudStore.open(path) as store:
            session = store.session("s")
            session.record("note.add", content="first")
            path.read_bytes()
            assert gate.is_reached()

            def during(statement: str) -> None:
                if statement == "COMMIT":
                    gate.let_go()
                    assert process.wait() == 0

            store._events._db.file._writer.set_trace_callback(during)  # type: ignore[attr-defined]
            with pytest.raises(StoreError, match="deleted or replaced"):
                session.record("note.add", content="never")
        with HudStore.open(path) as store:
            assert store.keeping.verify() == ()
            assert [note.content for note in store.session("s").state().notes][-1] == "first"
            assert store._events.is_purged("gone")  # type: ignore[attr-defined]
