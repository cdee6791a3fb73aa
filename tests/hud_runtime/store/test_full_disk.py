"""A full disk costs nothing that was acknowledged, and a purge on one says what it needs."""

from __future__ import annotations

import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from hud_runtime import HudSession, HudStore, StoreFullError
from tests.hud_runtime.store.crash import ROLES, check, kill_under_load, record_long
from tests.hud_runtime.store.processes import Ledger
from tests.hud_runtime.store.statements import Statements, disk_is_full
from tests.hud_runtime.store.test_purge import bytes_of

ROOT = Path(__file__).parents[3]

DISKS = max(1, int(os.environ.get("UJSX_KILLS", "0")) // 10)
"""How many disks become full."""

WRITERS = tuple(replace(role, operations=(*role.operations, record_long)) for role in ROLES)
"""The processes of a round; each writes much, too."""


def fill(store: HudStore, *, archived: bool, notes: int = 500) -> None:
    chance, session = random.Random(1), store.session("secret")
    for _ in range(2):
        with session.exclusive():
            for number in range(notes // 2):
                session.record("note.add", content=f"secret {number} {chance.randbytes(400).hex()}")
        session.record("compact.after", summary="so far")
        if archived:
            store.keeping.archive("secret")
    store.search("secret")


def use_up(ballast: Path) -> None:
    handle = os.open(ballast, os.O_CREAT | os.O_WRONLY)
    try:
        while True:
            os.write(handle, b"x" * 4096)
    except OSError:
        os.close(handle)


def record_without_end(session: HudSession) -> None:
    while True:
        session.record("note.add", content="y" * 900)


def purge_in(folder: Path, kind: str) -> None:
    """Fill a small disk, and purge with as much room as the refusal has asked for."""
    with HudStore.open(folder / "hud.db") as store:
        fill(store, archived=kind == "archived")
        other = store.session("other")
        if kind == "in place":
            store._events.parts.database.checkpoint()
        use_up(folder / "ballast")
        if kind != "in place":
            with pytest.raises(StoreFullError):
                record_without_end(other)
            files = bytes_of(folder / "hud.db-archive")
            with pytest.raises(StoreFullError, match="the disk is full") as caught:
                store.keeping.purge("secret")
            assert store.sessions() == ("secret", "other")  # nothing was deleted
            assert bytes_of(folder / "hud.db-archive") == files
            assert len(store.search("secret", limit=1_000)) == 500
            assert store.keeping.verify() == ()
            needed = re.findall(r"free about ([\d,]+) KiB, and purge again", str(caught.value))
            size = (folder / "ballast").stat().st_size - 1024 * int(needed[0].replace(",", ""))
            os.truncate(folder / "ballast", size)
        store.keeping.purge("secret")
        assert b"secret " not in bytes_of_store(folder)
        for _ in range(20):
            other.record("note.add", content="there is room again")
        assert store.sessions() == ("other",)
        assert store.keeping.verify() == ()


def search_in(folder: Path) -> None:
    """Search for what the index of a full disk has no room for."""
    with HudStore.open(folder / "hud.db") as store:
        session = store.session("s")
        for number in range(5):
            session.record("note.add", content=f"needle {number}")
        use_up(folder / "ballast")
        with pytest.raises(StoreFullError):
            record_without_end(session)
        assert len(store.search("needle")) == 5


def bytes_of_store(folder: Path) -> bytes:
    parts = [each.read_bytes() for each in folder.glob("hud.db*") if each.is_file()]
    return b"".join(parts) + bytes_of(folder / "hud.db-archive")


def on_a_small_disk(work: str, *arguments: object) -> None:
    """Call a function of this module with a folder on a small disk; skip where none can be had."""
    unshare = shutil.which("unshare")
    if unshare is None or os.geteuid() != 0:
        pytest.skip("needs a mount namespace")
    mount = "mount -t tmpfs -o size=12m none /mnt"
    probe = [unshare, "-m", "sh", "-c", mount]
    if subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip("needs a mount namespace")
    script = (
        "from pathlib import Path, PosixPath\n"
        f"from tests.hud_runtime.store.test_full_disk import {work}\n"
        f"{work}(Path('/mnt'), {', '.join(map(repr, arguments))})"
    )
    done = subprocess.run(
        [unshare, "-m", "sh", "-ec", f'{mount}; exec "$@"', "sh", sys.executable, "-c", script],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    sys.stdout.write(done.stdout)


@pytest.mark.parametrize("kind", ["in place", "written full", "archived"])
def test_purge_of_a_session_needs_what_it_says(kind: str) -> None:
    on_a_small_disk("purge_in", kind)


def test_search_needs_no_room() -> None:
    on_a_small_disk("search_in")


def write_full(folder: Path, beside: Path, rounds: int, limit: int = 0) -> None:
    """Kill who writes on a disk that is full by then, make room, and look for what is missing.

    With a ``limit`` it is the system that lets no file become longer, on a disk of any size.
    """
    chance, recorded, refused = random.Random(), 0, 0
    for number in range(rounds):
        place, path = folder / f"{number}", folder / f"{number}" / "hud.db"
        place.mkdir()
        ledger = Ledger(beside / f"ledger-{number}")
        if not limit:
            use_up(folder / "ballast")
            size = (folder / "ballast").stat().st_size
            os.truncate(folder / "ballast", size - chance.randrange(500_000, 1_500_000))
        kill_under_load(
            path,
            ledger,
            chance,
            roles=WRITERS,
            until=partial(ledger.count, "full"),
            first=lambda: no_longer_than(limit),
        )
        (folder / "ballast").unlink(missing_ok=True)
        told = ledger.acknowledged()
        check(path, told)
        with HudStore.open(path) as store:
            for session_id in told.purging:  # done, half done, or refused for want of room
                store.keeping.purge(session_id)
        told = replace(told, purged=told.purging)
        check(path, told)
        recorded, refused = recorded + ledger.count("recorded"), refused + ledger.count("full")
        with HudStore.open(path) as store:
            store.keeping.backup(beside / "backup", overwrite=True)
        HudStore.restore(beside / "backup", beside / "restored.db", force=True)
        check(beside / "restored.db", told)
        shutil.rmtree(place)
    print(f"\n{rounds} full disks: {recorded} events acknowledged, {refused} refused")  # noqa: T201
    assert recorded
    assert refused


def no_longer_than(limit: int) -> None:
    if limit:
        import resource
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


def test_of_a_small_disk_nothing_is_lost_that_was_acknowledged(tmp_path: Path) -> None:
    on_a_small_disk("write_full", tmp_path, DISKS)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and a limit of file sizes")
def test_of_files_that_must_not_grow_nothing_is_lost_either(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    write_full(tmp_path / "disk", tmp_path, DISKS, limit=400_000)


def in_steps(statements: Statements, path: Path, rows: int) -> None:
    """Let the disk have room for the deletion of so many rows at once, and of no more."""

    def indexed() -> int:
        with closing(sqlite3.connect(path)) as db, suppress(sqlite3.OperationalError):
            return int(db.execute("SELECT count(*) FROM hud_search_texts").fetchone()[0])
        return 0

    def before(statement: str, *values: object) -> None:
        if statement.startswith("DELETE FROM hud_"):
            is_too_much = "LIMIT ?" not in statement or values[-1] > rows  # type: ignore[operator]
        else:
            is_too_much = statement.startswith("DROP TABLE") and indexed() > rows
        if is_too_much and "max(version)" not in statement:
            raise disk_is_full()

    statements.before = before


def test_purge_in_steps_leaves_what_a_purge_leaves(tmp_path: Path, statements: Statements) -> None:
    with HudStore.open(tmp_path / "hud.db") as store:
        fill(store, archived=True)
        store.session("other").record("note.add", content="harmless")
        in_steps(statements, tmp_path / "hud.db", 7)
        assert store.keeping.purge("secret") == 503
        statements.before = None
        assert b"secret " not in bytes_of(tmp_path)
        assert store.sessions() == ("other",)
        assert store.keeping.verify() == ()
        assert len(store.search("harmless")) == 1


def test_purge_in_steps_drops_an_index_that_has_lost_its_rows(
    tmp_path: Path, statements: Statements
) -> None:
    with HudStore.open(tmp_path / "hud.db") as store:
        fill(store, archived=False)
        store.session("other").record("note.add", content="harmless")
    with closing(sqlite3.connect(tmp_path / "hud.db")) as db:
        db.execute("DELETE FROM hud_search_config")  # as an interrupted purge may leave it
        db.commit()
    with HudStore.open(tmp_path / "hud.db") as store:
        in_steps(statements, tmp_path / "hud.db", 256)
        assert store.keeping.purge("secret") == 503
        statements.before = None
        assert store.keeping.verify() == ()
        assert len(store.search("harmless")) == 1
