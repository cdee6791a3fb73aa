"""An outbox whose file is damaged, cut, emptied or another thing altogether: it is named, the store works, and no letter
is delivered twice, altered, or lost without a word.

``UJSX_DAMAGES`` is the number of bytes that are changed, and of places where the file is cut; "all" is every one.
"""

from __future__ import annotations

import logging
import os
import random
import shutil
import signal
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from hud_runtime import HudStore, StoreReadOnlyError, outbox
from hud_runtime.cli import main
from hud_runtime.log.events import EventDraft
from hud_runtime.log.outbox import EventQueue, Outbox
from hud_runtime.log.store import SqliteEventStore
from tests.hud_runtime.outbox.test_outbox import Distant, contents, letters
from tests.hud_runtime.store.processes import running

DAMAGES = os.environ.get("UJSX_DAMAGES", "60")

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has neither modes nor fork")


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Distant]:
    with closing(Distant(tmp_path / "hud.db")) as log:
        yield log


@pytest.fixture
def box(tmp_path: Path) -> Outbox:
    return Outbox(tmp_path / "box")


@pytest.fixture
def quick() -> Iterator[Path]:
    """A folder in memory, where there is such a place: each commit waits for the disk."""
    place = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=place) as folder:
        yield Path(folder)


def note(content: str) -> EventDraft:
    return EventDraft("note.add", {"content": content}, turn=3, timestamp=5)


def put(box: Outbox, session: str, *texts: str) -> None:
    for text in texts:
        letters(box).put(session, [{f"id-{text}": note(text)}], after=1, at=7)


def altered(box: Outbox, column: str = "body", *, number: int = 2) -> None:
    """Damage one letter, and nothing beside it."""
    with closing(sqlite3.connect(box.path)) as db, db:
        db.execute(
            f"UPDATE letter SET {column} = replace({column}, 'two', 'ten') WHERE number = ?",
            (number,),
        )


# --- A file as a whole ---


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:300])


def cut_at_a_page(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:8192])


def overwritten(path: Path) -> None:
    path.write_bytes(b"no database at all, and long enough to be looked at" * 20)


def another_database(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE t (a)")
        db.execute("PRAGMA user_version = 2")


def a_store(path: Path) -> None:
    path.unlink()
    SqliteEventStore(path).close()


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "file").write_text("kept")


def a_link(path: Path) -> None:
    there = path.with_name("elsewhere.db")
    path.rename(there)
    path.symlink_to(there)


def a_link_to_nothing(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def said_to_be_newer(path: Path) -> None:
    """By a header that is damaged."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 131")


KINDS = [emptied, cut, cut_at_a_page, overwritten, another_database, a_store, said_to_be_newer]
if os.name != "nt":
    KINDS += [a_folder, a_link, a_link_to_nothing, a_pipe]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
class TestFile:
    def test_is_set_aside_and_named_and_the_store_works(
        self, log: Distant, box: Outbox, kind: Callable[[Path], None],
        caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str],
    ) -> None:  # fmt: skip
        HudStore(log).session("s")
        put(box, "s", *(f"{number} {'x' * 500}" for number in range(9)))
        kind(box.path)
        found = box.path.read_bytes() if box.path.is_file() else None
        command = ["--folder", str(box.folder)]

        assert main(["doctor", str(box.folder)]) == 1  # which changes nothing
        assert letters(box).set_aside() == []
        assert "outbox.db: it" in capsys.readouterr().out

        with caplog.at_level(logging.WARNING):
            session = HudStore(log, outbox=box).session("s")
        [aside] = letters(box).set_aside()
        assert str(aside) in caplog.text
        if found is not None:
            assert aside.read_bytes() == found
            if os.name != "nt" and not aside.is_symlink():
                assert aside.stat().st_mode & 0o777 == 0o600

        log.is_away = True
        session.post("note.add", content="later")
        log.is_away = False
        session.record("note.add", content="now")
        assert contents(log)[-2:] == ["later", "now"]
        assert letters(box).fault() is None
        capsys.readouterr()
        assert main(["store", "outbox", *command]) == 0
        assert str(aside) in capsys.readouterr().err
        assert main(["doctor", str(box.folder)]) == 1
        assert aside.name in capsys.readouterr().out.replace("\n", "").replace(" ", "")

    def test_is_met_in_the_middle_of_a_session(
        self, log: Distant, box: Outbox, kind: Callable[[Path], None]
    ) -> None:
        session = HudStore(log, outbox=box).session("s")
        log.is_away = True
        session.post("note.add", content="before")
        kind(box.path)
        session.post("note.add", content="one")
        log.is_away = False
        session.record("note.add", content="two")
        assert contents(log)[-2:] == ["one", "two"]
        assert len(letters(box).set_aside()) == 1


def test_a_file_that_was_cut_gives_the_letters_that_are_left(log: Distant, box: Outbox) -> None:
    HudStore(log).session("s")
    texts = [f"{number} {'x' * 1_500}" for number in range(20)]
    put(box, "s", *texts)
    content = box.path.read_bytes()
    box.path.write_bytes(content[: len(content) * 2 // 3])
    HudStore(log, outbox=box)
    assert 5 < len(contents(log)) < 20
    assert contents(log) == [each for each in texts if each in contents(log)]


def test_folders_are_the_owner_s_alone_whatever_the_umask(tmp_path: Path) -> None:
    box = Outbox(tmp_path / "box")
    before = os.umask(0)
    try:
        put(box, "s", "one")
        box.path.write_bytes(b"")
        letters(box).check()
    finally:
        os.umask(before)
    if os.name != "nt":
        assert box.path.parent.stat().st_mode & 0o777 == 0o700
        assert {each.stat().st_mode & 0o777 for each in box.path.parent.iterdir()} == {0o600}


# --- One letter ---


class TestLetter:
    def test_that_is_damaged_is_named_and_the_others_are_delivered(
        self, log: Distant, box: Outbox, capsys: pytest.CaptureFixture[str]
    ) -> None:
        HudStore(log).session("s")
        put(box, "s", "one", "two", "three")
        altered(box)
        session = HudStore(log, outbox=box).session("s")
        session.record("note.add", content="four")
        assert contents(log) == ["one", "three", "four"]
        assert letters(box).set_aside() == []
        [letter] = letters(box).all()
        assert letter.number == 2
        assert "damaged" in str(letter.refusal)
        assert main(["doctor", str(box.folder)]) == 1
        assert "letter 2" in capsys.readouterr().out
        command = ["store", "outbox", "--folder", str(box.folder)]
        assert main(command) == 0
        assert "damaged" in capsys.readouterr().out
        assert main([*command, "--forget", "2"]) == 0
        assert letters(box).all() == []

    def test_that_is_damaged_while_a_session_is_open_is_known_when_it_is_delivered(
        self, log: Distant, box: Outbox
    ) -> None:
        session = HudStore(log, outbox=box).session("s")
        put(box, "s", "one", "two", "three")
        altered(box)
        session.record("note.add", content="four")
        assert contents(log) == ["one", "three", "four"]
        assert [each.number for each in letters(box).all()] == [2]

    @pytest.mark.parametrize(
        "column", ["store", "session_id", "after", "posted_at", "body", "taken"]
    )
    def test_is_covered_as_a_whole(self, log: Distant, box: Outbox, column: str) -> None:
        HudStore(log).session("s")
        letters(box).put("s", [{"a": note("one")}], after=1, at=7, taken="{}")
        with closing(sqlite3.connect(box.path)) as db, db:
            db.execute(f"UPDATE letter SET {column} = CAST({column} || '0' AS TEXT)")
        HudStore(log, outbox=box)
        assert contents(log) == []
        [letter] = letters(box).all()
        assert "damaged" in str(letter.refusal)

    def test_that_is_damaged_goes_to_no_other_address(self, box: Outbox) -> None:
        put(box, "s", "one", "two")
        altered(box)
        moved = EventQueue(box, "there", "two")
        assert moved.adopt("") == 1
        assert [each.ids for each in moved.first("s", 9)] == [("id-one",)]
        moved.check()
        assert ["damaged" in str(each.refusal) for each in moved.all()] == [False, True]

    def test_of_a_new_file_is_not_dropped_for_an_old_one_with_its_number(self, box: Outbox) -> None:
        """Who delivers has read a letter of the file that another process sets aside meanwhile."""
        put(box, "s", "old")
        [old] = letters(box).first("s", 1)
        emptied(box.path)
        put(box, "s", "new")
        [new] = letters(box).first("s", 1)
        assert new.number == old.number
        letters(box).settle([old], [("refused", old)])
        assert letters(box).all() == [new]


# --- Every byte, and every length ---


def trial(content: bytes, folder: Path, expected: dict[str, EventDraft]) -> None:
    """Deliver all that a damaged file gives, and account for the rest."""
    box = Outbox(folder)
    folder.mkdir()
    box.path.write_bytes(content)
    letters(box).check()
    given: dict[str, EventDraft] = {}
    for store in ("one", "two"):
        own = EventQueue(box, "", store)
        for session in own.sessions():
            done = own.first(session, 99)
            assert all(each.refusal is None for each in done)
            for each in done:
                assert not given.keys() & set(each.ids), "delivered twice"
                given |= dict(zip(each.ids, each.drafts, strict=True))
            own.settle(done, [])
    assert given.items() <= expected.items(), "delivered altered"
    left = letters(box).all()
    assert all(each.refusal is not None for each in left), "waits for ever"
    named = {name for each in left for name in each.ids}
    damaged = sum(not each.ids for each in left)
    aside = letters(box).set_aside()
    assert aside or len(expected.keys() - given.keys() - named) <= damaged, "lost without a word"
    put(box, "new", "new")
    assert [each.ids for each in letters(box).first("new", 9)] == [("id-new",)]
    assert letters(box).fault() is None
    shutil.rmtree(folder)


@pytest.mark.parametrize("kind", ["changed", "cut"])
def test_whatever_byte_is_damaged_all_letters_are_accounted_for(
    quick: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    box = Outbox(quick / "first")
    sizes = [5, 300, 40, 6_000]
    expected = {f"id-{number}": note(f"{number}é" + "x" * sizes[number % 4]) for number in range(8)}
    for number, (name, draft) in enumerate(expected.items()):
        own = EventQueue(box, "", "two" if number == 7 else "one")
        own.put(f"s{number % 3}", [{name: draft}], after=1, at=7, taken="{}")
    [refused] = letters(box).first("s1", 1)
    letters(box).settle([], [("refused by the state", refused)])
    content = box.path.read_bytes()
    every = range(len(content))
    chance = random.Random(kind)
    places = every if DAMAGES == "all" else sorted(
        {*chance.sample(every, int(DAMAGES)), *chance.sample(every[:120], int(DAMAGES) // 4)}
    )  # fmt: skip
    for place in places:
        other = content[place] ^ chance.randrange(1, 256)
        damaged = content[:place] + bytes([other]) + content[place + 1 :]
        try:
            trial(content[:place] if kind == "cut" else damaged, quick / "box", expected)
        except BaseException as error:
            error.add_note(f"{kind} at {place} of {len(content)}: {other}")
            raise


# --- Two at once, and a kill in the middle ---


@posix
def test_of_two_processes_that_meet_a_damaged_file_one_sets_it_aside(box: Outbox) -> None:
    """And each letter that either was told of is there, once."""
    for round_ in range(6):
        box.path.parent.mkdir(exist_ok=True)
        box.path.write_bytes(b"damaged" * 200)

        def post(name: str, round_: int = round_) -> None:
            put(box, name, *(f"{round_}-{name}-{number}" for number in range(4)))

        with running(partial(post, "a")) as one, running(partial(post, "b")) as other:
            assert (one.wait(), other.wait()) == (0, 0)
        found = [name for each in letters(box).all() for name in each.ids]
        assert sorted(found) == sorted(
            f"id-{round_}-{name}-{number}" for name in "ab" for number in range(4)
        )
        assert len(letters(box).set_aside()) == round_ + 1


@posix
@pytest.mark.parametrize("is_done", [False, True], ids=["before", "behind"])
def test_who_is_killed_while_setting_aside_loses_nothing(quick: Path, *, is_done: bool) -> None:
    """At each of its steps: the next process finds one file, with all letters that could be read."""
    first = Outbox(quick / "first")
    put(first, "s", *(f"{number} {'x' * 1_500}" for number in range(12)))
    content = first.path.read_bytes()
    damaged = content[: len(content) * 2 // 3]
    first.path.write_bytes(damaged)
    letters(first).check()
    expected = letters(first).all()
    assert 2 < len(expected) < 12

    def killed(step: int, box: Outbox) -> None:
        left = [step]

        def around(real: Callable[..., object]) -> Callable[..., object]:
            def asks(*values: object, **named: object) -> object:
                left[0] -= 1
                if left[0] == 0 and is_done:
                    real(*values, **named)
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(*values, **named)

            return asks

        for owner, name in STEPS:
            setattr(owner, name, around(getattr(owner, name)))
        letters(box).check()

    status, step = -signal.SIGKILL, 0
    while status:
        step += 1
        box = Outbox(quick / f"{step}")
        box.path.parent.mkdir()
        box.path.write_bytes(damaged)
        with running(partial(killed, step, box)) as process:
            status = process.wait()
        assert status in (0, -signal.SIGKILL)
        letters(box).check()
        assert letters(box).all() == expected
        assert len(letters(box).set_aside()) == 1
        put(box, "t", "new")
        assert len(letters(box).all()) == len(expected) + 1
    assert step > 8


STEPS = [
    (outbox, "make_folder"), (outbox, "open_private"), (outbox, "_lay_out"),
    (outbox, "sync_folder"), (os, "link"), (Path, "chmod"), (Path, "replace"), (Path, "unlink"),
]  # fmt: skip
"""What is done on the way, by whom it is asked for."""


# --- One that may not be read ---


@posix
def test_one_that_may_not_be_read_is_passed_over_and_named(
    log: Distant, caplog: pytest.LogCaptureFixture
) -> None:
    """It is not damaged, so it stays where it is; what is to wait meanwhile is refused."""
    HudStore(log).session("s")
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        box = Outbox(Path(name) / "box")
        put(box, "s", "one")
        Path(name).chmod(0o755)
        if os.geteuid() == 0:  # whom no mode keeps out
            for each in (box.path.parent, *box.path.parent.iterdir()):
                os.chown(each, NOBODY, NOBODY)
        box.path.chmod(0)

        def work() -> None:
            if os.geteuid() == 0:
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            own = letters(box)
            assert not own.waits("s")
            assert own.first("s", 9) == []
            for refused in (own.check, own.fault, partial(put, box, "s", "two")):
                with pytest.raises(StoreReadOnlyError, match="cannot be opened"):
                    refused()
            assert own.set_aside() == []
            with caplog.at_level(logging.WARNING):
                assert letters(box).sessions() == ()
            assert "recorded when it can be read" in caplog.text

        with running(work) as process:
            assert process.wait() == 0
        box.path.chmod(0o600)
        session = HudStore(log, outbox=box).session("s")
        session.record("note.add", content="two")
        assert contents(log) == ["one", "two"]


NOBODY = 65534
