"""A database of somebody else is read, whatever state it is in, and no file of it changes."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import HistoryError
from hud_runtime.cli import main
from hud_runtime.history import OpenCodeHistory, compare, exported
from tests.hud_runtime.history import databases as db_of
from tests.hud_runtime.store.statements import without_patience
from tests.ids import looped

State = Callable[[Path], object]


def files(folder: Path) -> dict[str, tuple[str, int]]:
    """All files of a folder, by what is in them and when they were last written."""
    return {
        each.name: (sha256(each.read_bytes()).hexdigest(), each.stat().st_mtime_ns)
        for each in folder.iterdir()
        if each.is_file()
    }


def closed(path: Path) -> None:
    db_of.small(path)


def with_a_journal(path: Path) -> None:
    db_of.small(path, wal=False)


def killed(path: Path) -> None:
    """Leave a write-ahead log that nobody has brought into the file."""
    code = (
        "import os, sys; from pathlib import Path; from tests.hud_runtime.history import databases as db_of\n"
        "db = db_of.made(Path(sys.argv[1])); db_of.shop(db); db.commit(); os._exit(9)"
    )
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", code, str(path)], cwd=root, check=False)
    assert path.with_name(f"{path.name}-wal").stat().st_size


def without_index(path: Path) -> None:
    """Copy a database with its log, and without what lies beside the log."""
    killed(path)
    path.with_name(f"{path.name}-shm").unlink()


def open_elsewhere(path: Path) -> object:
    """Let another process have it open."""
    code = (
        "import sys; from pathlib import Path; from tests.hud_runtime.history import databases as db_of\n"
        "db = db_of.made(Path(sys.argv[1])); db_of.shop(db); db.commit(); print('there', flush=True); input()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        cwd=Path(__file__).parents[3],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"there\n"
    return process


STATES: tuple[State, ...] = (closed, with_a_journal, killed, without_index, open_elsewhere)


@looped("made", STATES)
def test_i1_no_file_of_the_database_changes(tmp_path: Path, made: State) -> None:
    folder = tmp_path / "opencode"
    folder.mkdir()
    path = folder / "opencode.db"
    kept: Any = made(path)
    before = files(folder)
    with OpenCodeHistory(path) as history:
        assert [each.id for each in history.sessions()] == ["ses_login", "ses_docs"]
        assert [each.message for each in history.search("attempts hour").found] == [
            "msg_ses_login_000007"
        ]
        (
            history.counts(),
            history.messages("last"),
            history.compactions("last"),
            history.context("last"),
        )
        compare(history, "ses_login", "ses_docs")
        "".join(exported(history, "ses_login"))
    assert files(folder) == before
    if kept is not None:
        kept.communicate(b"\n")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="rights do not bind this user")
def test_a_folder_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    path = db_of.small(tmp_path / "opencode.db")
    tmp_path.chmod(0o500)
    try:
        with OpenCodeHistory(path) as history:
            assert len(history.sessions()) == 2
    finally:
        tmp_path.chmod(0o700)


def test_what_is_written_meanwhile_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with closing(db_of.made(path)) as db:
        db_of.shop(db)
        with OpenCodeHistory(path) as history:
            assert history.session("ses_docs").messages == 2
            db_of.message(db, "ses_docs", 3, "user", [db_of.said("Go on")])
            assert history.session("ses_docs").messages == 2  # not committed
            db.commit()
            assert history.session("ses_docs").messages == 3
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            assert history.session("ses_docs").messages == 3


def test_who_begins_to_write_is_noticed(tmp_path: Path) -> None:
    path = db_of.small(tmp_path / "opencode.db")
    with OpenCodeHistory(path) as history:
        assert history.session("ses_docs").messages == 2
        with closing(sqlite3.connect(path)) as db:
            db_of.message(db, "ses_docs", 3, "user", [db_of.said("Go on")])
            db.commit()
        assert history.session("ses_docs").messages == 3


def test_readers_and_a_writer_at_once(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    wrong: list[BaseException] = []
    with closing(db_of.made(path)) as db:
        db_of.shop(db)
        done = threading.Event()

        def read() -> None:
            try:
                while not done.is_set():
                    with OpenCodeHistory(path) as history:
                        page = history.messages("ses_docs", limit=500)
                        assert (
                            len(page.messages) == page.session.messages or len(page.messages) <= 500
                        )
                        assert [each.number for each in page.messages] == [
                            *range(1, len(page.messages) + 1)
                        ]
                        history.search("step")
            except BaseException as error:  # noqa: BLE001 - told where the test is
                wrong.append(error)

        threads = [threading.Thread(target=read) for _ in range(2)]
        for each in threads:
            each.start()
        for number in range(3, 60):
            db_of.message(db, "ses_docs", number, "user", [db_of.said(f"step {number}")])
            db.commit()
        done.set()
        for each in threads:
            each.join()
    assert not wrong
    with OpenCodeHistory(path) as history:
        assert len(history.search("step", limit=100).found) == 57


class TestDamaged:
    """Whatever is wrong with a database, it is said in one sentence."""

    @looped(
        "content", [b"", b"no database", b"SQLite format 3\0", b"SQLite format 3\0" + b"\2" * 5_000]
    )
    def test_what_is_no_database(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "opencode.db"
        path.write_bytes(content)
        with pytest.raises(HistoryError) as error, OpenCodeHistory(path):
            pass
        assert str(path) in str(error.value)

    def test_pages_that_are_overwritten(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = db_of.large(tmp_path / "opencode.db", 400)
        data = bytearray(path.read_bytes())
        for place in range(3 * 4_096, len(data), 3 * 4_096):
            data[place : place + 2_000] = b"\xff" * 2_000
        path.write_bytes(data)
        statuses = set[int]()
        for arguments in (
            ["summary"],
            ["sessions"],
            ["messages", "last"],
            ["search", "step"],
            ["compare", "ses_0001", "ses_0002"],
        ):
            statuses.add(main(["history", *arguments, "--database", str(path)]))
            said = capsys.readouterr().err
            assert said.count("\n") <= 1
            assert "Traceback" not in said
        assert statuses <= {0, 2}
        assert 2 in statuses

    def test_one_that_is_locked(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = db_of.small(tmp_path / "opencode.db", wal=False)
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("BEGIN EXCLUSIVE")
            db.execute("UPDATE session SET title = 'x'")
            without_patience(monkeypatch)
            with pytest.raises(HistoryError, match="being written, and stays locked"):
                OpenCodeHistory(path)

    def test_one_that_changes_all_the_time(self, tmp_path: Path) -> None:
        path = db_of.small(tmp_path / "opencode.db")
        count = iter(range(1_000_000))
        with (
            OpenCodeHistory(path) as history,
            pytest.raises(HistoryError, match="changes while it is read"),
        ):
            history.ask(lambda _: os.utime(path, (0, next(count))))

    def test_a_view_in_place_of_a_table(self, tmp_path: Path) -> None:
        path = db_of.small(tmp_path / "opencode.db")
        with closing(sqlite3.connect(path)) as db:
            db.executescript(
                "ALTER TABLE part RENAME TO other; CREATE VIEW part AS SELECT * FROM other"
            )
        with pytest.raises(HistoryError, match="no table part"):
            OpenCodeHistory(path)
