"""The search index is derived: its damage is found, costs nothing, and keeps no purged word."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from hud_runtime import HudStore, StoreError
from hud_runtime.log.store import SqliteEventStore
from tests.hud_runtime.store.statements import Statements
from tests.hud_runtime.store.stores import SESSIONS, copy_of
from tests.hud_runtime.store.test_purge import bytes_of

Damaging = Callable[[Path], None]


def run(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()


def a_zeroed_block(path: Path) -> None:
    run(path, "UPDATE hud_search_data SET block = zeroblob(length(block)) WHERE id > 10")


def a_zeroed_structure(path: Path) -> None:
    run(path, "UPDATE hud_search_data SET block = zeroblob(length(block)) WHERE id = 10")


def a_lost_text(path: Path) -> None:
    last = "SELECT max(position) FROM hud_search_texts"
    run(path, f"DELETE FROM hud_search_texts WHERE position = ({last})")


def another_text(path: Path) -> None:
    run(path, "UPDATE hud_search_texts SET text = 'other ' || text")


def other_words(path: Path) -> None:
    run(path, "UPDATE hud_search_texts SET words = ' other' || words")


def words_that_are_not_found(path: Path) -> None:
    run(
        path,
        "INSERT INTO hud_search (hud_search, rowid, words) SELECT 'delete', position, words"
        " FROM hud_search_texts ORDER BY position DESC LIMIT 1",
    )


def no_settings(path: Path) -> None:
    run(path, "DELETE FROM hud_search_config")


def not_known_how_far(path: Path) -> None:
    run(path, "DELETE FROM hud_searched")


def too_far(path: Path) -> None:
    run(path, "UPDATE hud_searched SET position = position - 5")


def root_pages(path: Path, *tables: str) -> list[int]:
    with closing(sqlite3.connect(path)) as db:
        marks = ", ".join("?" * len(tables))
        query = f"SELECT rootpage FROM sqlite_schema WHERE name IN ({marks})"
        return [row[0] for row in db.execute(query, tables)]


def zeroed_pages(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for number in root_pages(path, "hud_search_data", "hud_search_texts"):
        content[(number - 1) * 4096 : number * 4096] = bytes(4096)
    path.write_bytes(content)


DAMAGES = (
    a_zeroed_block, a_zeroed_structure, a_lost_text, another_text, other_words, words_that_are_not_found,
    no_settings, not_known_how_far, too_far, zeroed_pages,
)  # fmt: skip


@pytest.fixture
def path(filled: Path, tmp_path: Path) -> Path:
    return copy_of(filled, tmp_path / "hud.db")


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda one: one.__name__)
class TestDamagedIndex:
    def test_is_found_and_made_anew_by_a_repair(self, path: Path, damage: Damaging) -> None:
        damage(path)
        with closing(SqliteEventStore(path, read_only=True)) as store:
            assert any(one.is_derived or "SQLite" in one.what for one in store.verify())
        repaired = HudStore.repair(path)
        assert repaired.is_whole
        assert "search index" in repaired.made_anew
        with HudStore.open(path) as store:
            assert store.keeping.verify() == ()
            assert len(store.search("note", limit=100)) == 70
            assert store.keeping.verify() == ()

    def test_does_not_hold_up_a_purge_and_keeps_no_word(self, path: Path, damage: Damaging) -> None:
        damage(path)
        with HudStore.open(path) as store:
            assert store.keeping.purge("live") == 32
            assert store.sessions() == ("archived", "short")
            assert len(store.search("note", limit=100)) == 40
            assert store.keeping.verify() == ()
            store.keeping.checkpoint()
        assert b"word word word" not in bytes_of(path.parent)
        assert b"text text text" not in bytes_of(path.parent)

    def test_answers_or_is_made_anew_by_a_search(self, path: Path, damage: Damaging) -> None:
        damage(path)
        with HudStore.open(path) as store:
            found = {(hit.session_id, hit.version) for hit in store.search("note", limit=100)}
            there = {
                (name, event.version)
                for name in SESSIONS
                for event in store.session(name).events(types=["note.add"])
            }
            assert found <= there
            assert store.search("purged") == []


class TestSoundIndex:
    def test_is_not_touched_by_a_look(self, path: Path) -> None:
        before = path.read_bytes()
        with closing(SqliteEventStore(path, read_only=True)) as store:
            assert store.verify() == ()
        assert path.read_bytes() == before

    def test_of_memory_is_checked(self) -> None:
        with HudStore.open(":memory:") as store:
            store.session("s").record("note.add", content="Port 8080")
            assert len(store.search("port")) == 1
            assert store.keeping.verify() == ()
            database = store._events.parts.database
            with database.writing() as db:
                db.execute("UPDATE hud_search_texts SET words = ' other' WHERE text LIKE 'Port%'")
            [damage] = store.keeping.verify()
            assert damage.is_derived
            assert "the search index is damaged" in damage.what

    def test_is_searched_while_it_is_behind_in_a_store_that_is_only_read(self, path: Path) -> None:
        with HudStore.open(path) as store:
            store.session("late").record("note.add", content="brand new words")
        with closing(SqliteEventStore(path, read_only=True)) as store:
            for _ in range(2):
                assert [hit.session_id for hit in store.search("brand new")] == ["late"]
                assert len(store.search("note", limit=100)) == 70


class TestOfALostFile:
    """An error that says nothing of the index is raised at once."""

    @pytest.mark.parametrize(
        ("lose", "error"),
        [
            (lambda path, _: path.rename(path.with_name("other.db")), "deleted or replaced"),
            (lambda _, store: store.close(), "was closed"),
        ],
        ids=["moved", "closed"],
    )
    def test_is_not_thrown_away(
        self,
        path: Path,
        statements: Statements,
        lose: Callable[[Path, SqliteEventStore], object],
        error: str,
    ) -> None:
        asked: list[str] = []
        with closing(SqliteEventStore(path)) as store:
            store.search("note")
            lose(path, store)
            statements.before = lambda statement, *_: asked.append(statement)
            for _ in ("noticed", "known"):
                with pytest.raises(StoreError, match=error):
                    store.search("note")
        assert not [each for each in asked if each.startswith(("DROP", "CREATE", "DELETE"))]


class TestThrownAway:
    """By somebody else who purges, at any moment between two reads."""

    @pytest.fixture
    def goes(self, path: Path, statements: Statements) -> Iterator[list[str]]:
        """Give a list: the index goes before each statement that has a text of it, or its number.

        Statements are counted from when the list was emptied; within a transaction of ours nobody else can write.
        """
        before: list[str] = []
        done = 0

        def act(statement: str, *_values: object) -> None:
            nonlocal done
            done = done + 1 if before else 0
            if any(one == f"{done}" if one.isdigit() else one in statement for one in before):
                with (
                    closing(sqlite3.connect(path, timeout=0)) as other,
                    suppress(sqlite3.OperationalError),
                ):
                    other.execute("BEGIN IMMEDIATE")
                    for name in ("hud_search", "hud_search_texts", "hud_searched"):
                        other.execute(f"DROP TABLE {name}")
                    other.commit()

        statements.before = act
        yield before
        before.clear()

    def test_does_not_keep_a_search_from_its_answer(self, path: Path, goes: list[str]) -> None:
        with HudStore.open(path) as store:
            for number in range(1, 25):
                goes[:] = [f"{number}"]
                assert len(store.search("note", limit=100)) == 70
                goes.clear()
                store.search("note")

    def test_always_before_the_answer_does_not_either(self, path: Path, goes: list[str]) -> None:
        with HudStore.open(path) as store:
            goes[:] = ["MATCH"]
            assert len(store.search("note", limit=100)) == 70

    def test_while_it_is_checked_is_no_damage(self, path: Path, goes: list[str]) -> None:
        with HudStore.open(path) as store:
            for number in range(1, 25):
                goes[:] = [f"{number}"]
                assert store.keeping.verify() == ()
                goes.clear()
                store.search("note")
