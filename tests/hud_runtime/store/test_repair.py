"""Whatever a disk does to a store, a repair keeps what can be read and says what is missing."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from hud_runtime import (
    Event,
    HudStore,
    SnapshotPolicy,
    StoreDamagedError,
    StoreError,
    StoreLockedError,
    StoreVersionError,
    state_of,
)
from hud_runtime.log.store import RepairResult
from tests.hud_runtime.store.statements import without_patience
from tests.hud_runtime.store.stores import copy_of, events_of
from tests.ids import looped

SEEDS = int(os.environ.get("UJSX_DAMAGES", "24"))
"""How many stores are damaged."""


@pytest.fixture(scope="module")
def told(filled: Path) -> dict[str, list[Event]]:
    """What the sessions tell."""
    return events_of(copy_of(filled, filled.with_name("told.db")))


@pytest.fixture
def path(filled: Path, tmp_path: Path) -> Path:
    """A copy of the store that may be damaged."""
    return copy_of(filled, tmp_path / "hud.db")


def zeroed(content: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 2, 5))):
        start = chance.randrange(len(content) // 512) * 512
        content[start : start + 512] = bytes(512)


def flipped(content: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 3, 30))):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)


def garbled_page(content: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(content) // 4096) * 4096
    content[start : start + 4096] = chance.randbytes(4096)


def cut_off(content: bytearray, chance: random.Random) -> None:
    del content[chance.randrange(len(content) // 2, len(content)) :]


DAMAGES = (zeroed, flipped, garbled_page, cut_off)


def lines_beside(repaired: RepairResult) -> list[dict[str, object]]:
    assert repaired.set_aside is not None
    file = repaired.set_aside / "not-in-the-log.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def check(repaired: RepairResult, told: dict[str, list[Event]]) -> None:
    """Nothing is invented, nothing that is kept is out of order, and what is missing is told."""
    lost = {one.session_id: one for one in repaired.lost}
    holes = {one.session_id for one in repaired.remaining}
    with HudStore.open(repaired.path) as store:
        assert {*store.sessions()} <= told.keys()
        for session_id, whole in told.items():
            behind = lost[session_id].missing[-1][1] if session_id in holes else 0
            kept = [*store._events.read(session_id, behind)]
            assert kept == whole[behind : behind + len(kept)]
            if session_id in holes:
                assert kept[-1] == whole[-1]
                assert store.session(session_id).version == len(whole)
            elif len(kept) < len(whole) and session_id in lost:
                assert lost[session_id].kept == len(kept)
                assert lost[session_id].missing[0][0] == len(kept) + 1
            elif len(kept) == len(whole):
                assert session_id not in lost
        assert store.keeping.verify() == repaired.remaining
        assert holes <= lost.keys()
        assert store.search("nothing says this") == []
        for session_id in {*store.sessions()} - holes:
            session = store.session(session_id)
            assert session.state() == state_of(session.events())
        assert "gone" not in store.sessions()
        if repaired.set_aside is None:
            with pytest.raises(StoreError, match="was purged"):
                store.session("gone")


class TestDamagedDatabase:
    @pytest.mark.parametrize("damage", DAMAGES, ids=lambda one: one.__name__)
    @pytest.mark.parametrize("seed", range(SEEDS // len(DAMAGES)))
    def test_keeps_what_can_be_read_and_invents_nothing(
        self, path: Path, told: dict[str, list[Event]], damage: object, seed: int
    ) -> None:
        content = bytearray(path.read_bytes())
        damage(content, random.Random(seed))  # type: ignore[operator]
        path.write_bytes(content)
        try:
            repaired = HudStore.repair(path)
        except (StoreVersionError, StoreDamagedError):
            # Its version itself, or not one event that is left.
            with pytest.raises(
                (StoreVersionError, StoreDamagedError), match=r"layout|not one event"
            ):
                HudStore.repair(path)
            return
        check(repaired, told)

    @pytest.mark.parametrize("seed", range(6))
    def test_loses_no_event_that_sqlite_can_still_read(
        self, path: Path, told: dict[str, list[Event]], seed: int
    ) -> None:
        content = bytearray(path.read_bytes())
        zeroed(content, random.Random(seed))
        path.write_bytes(content)
        readable: set[tuple[str, int]] = set()
        with closing(sqlite3.connect(path)) as db:
            for position in range(400):
                try:
                    found = db.execute(
                        # With the payload: a long one lies on pages of its own, which may be gone.
                        "SELECT id, session_id, version, payload FROM hud_event WHERE position = ?",
                        (position,),
                    ).fetchall()
                except sqlite3.DatabaseError:
                    continue
                for event_id, session_id, version, _ in found:
                    if session_id in told and told[session_id][version - 1].id == event_id:
                        readable.add((session_id, version))
        repaired = HudStore.repair(path)
        kept = {(name, one.version) for name, each in events_of(path).items() for one in each}
        beside = (
            {(one["session_id"], one["version"]) for one in lines_beside(repaired)}
            if repaired.set_aside
            else set()
        )
        assert readable <= kept | beside

    def test_that_spares_the_events_costs_none(
        self, path: Path, told: dict[str, list[Event]]
    ) -> None:
        content = bytearray(path.read_bytes())
        content[:100] = bytes(100)
        path.write_bytes(content)
        repaired = HudStore.repair(path)
        assert repaired.is_whole
        assert repaired.set_aside is not None
        assert (repaired.set_aside / "hud.db").read_bytes() == content
        check(repaired, told)

    def test_in_an_event_ends_its_session_there_and_puts_the_rest_beside(
        self, path: Path, told: dict[str, list[Event]]
    ) -> None:
        content = path.read_bytes()
        assert content.count(b'"new note 4') == 1
        path.write_bytes(content.replace(b'"new note 4', b'"new note X'))
        repaired = HudStore.repair(path)
        [lost] = repaired.lost
        version = next(one.version for one in told["archived"] if "new note 4" in str(one.payload))
        assert (lost.session_id, lost.missing) == ("archived", ((version, version),))
        assert lost.kept == version - 1
        assert lost.put_beside == len(told["archived"]) - version
        beside = lines_beside(repaired)
        assert [one["why"] for one in beside] == ["behind what is missing"] * 5 + [
            "not as it was written"
        ]
        assert beside[0]["id"] == told["archived"][version].id
        assert beside[0]["payload"] == told["archived"][version].payload.model_dump()
        assert repaired.not_as_written == 1
        check(repaired, told)

    def test_tells_of_events_that_only_an_index_knows(
        self, path: Path, told: dict[str, list[Event]]
    ) -> None:
        content, last = bytearray(path.read_bytes()), len(told["short"])
        pages = {at: content[at : at + 4096] for at in range(0, len(content), 4096)}
        leaf = 13
        at = next(
            at
            for at, page in pages.items()
            if page[0] == leaf and b"Ship it" in page and b"task.set" in page
        )
        content[at : at + 4096] = bytes(4096)
        path.write_bytes(content)
        repaired = HudStore.repair(path)
        missing = {one.session_id: one.missing for one in repaired.lost}
        assert missing["short"][-1][1] == last

    def test_of_a_long_session_goes_on_from_a_snapshot(self, tmp_path: Path) -> None:
        path = tmp_path / "hud.db"
        with HudStore.open(path, snapshots=SnapshotPolicy(every=20)) as store:
            session = store.session("s")
            for number in range(50):
                session.record("note.add", content=f"note {number}")
            state = session.state()
        content = path.read_bytes()
        payload = b'{"content":"note 7","id":"n-9"}'
        assert content.count(payload) == 1
        path.write_bytes(content.replace(payload, payload.replace(b"7", b"X")))
        repaired = HudStore.repair(path)
        [lost] = repaired.lost
        assert (lost.missing, lost.kept, lost.put_beside) == (((9, 9),), 50, 0)
        [damage] = repaired.remaining
        assert damage.what == "version 9 is missing"
        with HudStore.open(path) as store:
            session = store.session("s")
            assert session.state() == state
            assert len(session.state(at=8).notes) == 7
            session.record("note.add", content="and on")
            with pytest.raises(StoreDamagedError, match='event 9 of session "s" is missing'):
                list(session.events())

    def test_merges_what_is_in_the_write_ahead_log(self, tmp_path: Path) -> None:
        path = tmp_path / "hud.db"
        store = HudStore.open(path)
        session = store.session("s")
        for number in range(30):
            session.record("note.add", content=f"note {number}")
        content = path.read_bytes(), path.with_name("hud.db-wal").read_bytes()
        copy = tmp_path / "copy.db"
        copy.write_bytes(bytes(100) + content[0][100:])
        copy.with_name("copy.db-wal").write_bytes(content[1])
        HudStore.repair(copy)
        assert events_of(copy)["s"] == list(session.events())
        store.close()


class TestDamagedArchive:
    @pytest.mark.parametrize("seed", range(4))
    def test_keeps_the_present_where_a_snapshot_knows_it(
        self, path: Path, told: dict[str, list[Event]], seed: int
    ) -> None:
        with HudStore.open(path) as store:
            state = store.session("archived").state()
        [file] = path.with_name(f"{path.name}-archive").iterdir()
        content = bytearray(file.read_bytes())
        content[random.Random(seed).randrange(100, len(content) - 8)] ^= 0xFF
        file.write_bytes(content)
        repaired = HudStore.repair(path)
        with HudStore.open(path) as store:
            session = store.session("archived")
            assert session.state() == state
            session.record("note.add", content="and on")
            readable = (
                [*session.events(after=repaired.lost[0].missing[-1][1])] if repaired.lost else []
            )
            assert set(readable[:-1]) <= set(told["archived"])
            assert [damage.what for damage in store.keeping.verify()] == [
                damage.what for damage in repaired.remaining
            ]

    def test_that_is_gone_is_told(self, path: Path) -> None:
        [file] = path.with_name(f"{path.name}-archive").iterdir()
        file.unlink()
        repaired = HudStore.repair(path)
        assert [(one.session_id, one.missing) for one in repaired.lost] == [
            ("archived", ((1, 31),))
        ]
        assert not repaired.is_whole


class TestSoundLog:
    def test_is_left_where_it_is(self, path: Path, told: dict[str, list[Event]]) -> None:
        repaired = HudStore.repair(path)
        assert (repaired.set_aside, repaired.made_anew, repaired.lost) == (None, (), ())
        assert events_of(path) == told

    def test_gets_what_is_derived_anew(self, path: Path) -> None:
        with closing(sqlite3.connect(path)) as db:
            db.execute("UPDATE hud_search_data SET block = zeroblob(length(block)) WHERE id > 10")
            db.execute("UPDATE hud_snapshot SET state = replace(state, 'old note', 'new note')")
            db.commit()
        with HudStore.open(path) as store:
            assert [one.is_derived for one in store.keeping.verify()] == [True] * len(
                store.keeping.verify()
            )
            assert len(store.keeping.verify()) >= 2
        repaired = HudStore.repair(path)
        assert repaired.made_anew == ("search index", "snapshots")
        assert (repaired.set_aside, repaired.is_whole) == (None, True)
        with HudStore.open(path) as store:
            assert store.keeping.verify() == ()
            assert len(store.search("note", limit=100)) > 50


class TestRefusal:
    def test_of_a_damaged_store_in_use(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        content = path.read_bytes()
        path.write_bytes(content.replace(b'"new note 4', b'"new note X'))
        without_patience(monkeypatch)
        with HudStore.open(path) as store:
            store.session("live")
            with pytest.raises(StoreLockedError, match="is in use"):
                HudStore.repair(path)

    def test_of_what_is_no_store(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="there is no store at"):
            HudStore.repair(tmp_path / "hud.db")
        (tmp_path / "notes.txt").write_text("My notes\n" * 900)
        with pytest.raises(StoreDamagedError, match="not one event of a store can be read"):
            HudStore.repair(tmp_path / "notes.txt")
        assert (tmp_path / "notes.txt").read_text().startswith("My notes")
        assert [each.name for each in tmp_path.iterdir() if "damaged" in each.name] == []

    def test_of_a_database_of_another_program(self, tmp_path: Path) -> None:
        with closing(sqlite3.connect(tmp_path / "other.db")) as db:
            db.execute("CREATE TABLE message (id TEXT)")
        before = (tmp_path / "other.db").read_bytes()
        with pytest.raises(StoreDamagedError, match="not one event"):
            HudStore.repair(tmp_path / "other.db")
        assert (tmp_path / "other.db").read_bytes() == before


class TestPages:
    """Where SQLite can read nothing, the pages are read one by one."""

    @looped("content", [b"", b"x", bytes(9_000), b"\xff" * 9_000, b"SQLite format 3\0"])
    def test_of_anything_are_no_error(self, tmp_path: Path, content: bytes) -> None:
        for end in ("", "-wal"):
            (tmp_path / f"hud.db{end}").write_bytes(content)
        with pytest.raises(StoreError):
            HudStore.repair(tmp_path / "hud.db")

    def test_of_a_log_end_at_the_last_commit(self, tmp_path: Path) -> None:
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store:
            session = store.session("s")
            session.record("note.add", content="one")
            log = path.with_name("hud.db-wal").read_bytes()

        def versions(left: bytes) -> set[int]:
            alone = tmp_path / f"{len(list(tmp_path.iterdir()))}" / "hud.db"
            alone.parent.mkdir()
            alone.with_name("hud.db-wal").write_bytes(left)
            with suppress(StoreDamagedError):
                HudStore.repair(alone)
                return {one.version for one in events_of(alone)["s"]}
            return set()

        assert versions(log) == {1, 2}
        for end in (len(log) - 100, len(log) // 2, 40):
            assert versions(log[:end]) in ({1, 2}, {1}, set())
        broken = bytearray(log)
        broken[60] ^= 1
        assert versions(bytes(broken)) == set()
