"""The full-text index follows the log, and never stands in its way."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import HudStore, SearchError
from hud_runtime.log.store import EventStore, SqliteEventStore
from tests.hud_runtime.inside import lessen
from tests.hud_runtime.store.contract import an_event, say
from tests.hud_runtime.store.list_store import ListEventStore
from tests.hud_runtime.store.statements import Statements, fails
from tests.hud_runtime.store.stores import of_twenty_notes
from tests.work import steps

QUERIES = st.text(max_size=30) | st.text(alphabet='"*^-+(){}:,.\\ \0\u200bNEAROTD 東a', max_size=30)

WORDS = st.text(st.characters(categories=["Ll", "Nd"], max_codepoint=0x24F), min_size=1)


class TestIndex:
    def test_catches_up_in_pages(self, monkeypatch: pytest.MonkeyPatch) -> None:
        lessen(monkeypatch, "INDEXED", 3)
        with closing(SqliteEventStore(":memory:")) as store:
            say(store, "s", *(f"port {number}" for number in range(10)))
            assert len(store.search("port")) == 10

    def test_follows_what_other_processes_write(self, tmp_path: Path) -> None:
        with (
            closing(SqliteEventStore(tmp_path / "hud.db")) as one,
            closing(SqliteEventStore(tmp_path / "hud.db")) as two,
        ):
            say(one, "s", "Port 8080")
            assert len(two.search("port")) == 1
            two.append("s", 1, [an_event("s", 2, content="Port 9090")])
            assert len(one.search("port")) == len(two.search("port")) == 2

    def test_is_not_needed_to_write(self, statements: Statements) -> None:
        statements.before = fails(
            lambda one: "USING fts5" in one, sqlite3.OperationalError("no such module: fts5")
        )
        with HudStore.open(":memory:") as store:
            store.session("s").record("note.add", content="Port 8080")
            with pytest.raises(SearchError, match=r"has no full-text search \(FTS5\)"):
                store.search("port")
            assert store.keeping.purge("s") == 2

    def test_that_cannot_be_written_does_not_answer_with_less(self, tmp_path: Path) -> None:
        with closing(SqliteEventStore(tmp_path / "hud.db", busy_timeout=20)) as store:
            say(store, "s", "Port 8080")
            with closing(sqlite3.connect(tmp_path / "hud.db", isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                with pytest.raises(Exception, match=r"process \d+ is writing"):
                    store.search("port")

    def test_finds_every_text_of_an_event_and_nothing_else(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s", project="garden")
            session.record("decision.record", summary="Apple", details="Pear", label="Plum")
            session.record("file.edit", path="src/cherry.py")
            session.record("step.add", description="Fig", id="quince")
            for word in ("apple", "pear", "plum", "cherry", "src/che", "fig", "garden"):
                assert len(session.search(word)) == 1, word
            for word in ("quince", "reading", "agent"):
                assert session.search(word) == []


class TestOlderIndex:
    """The index of a layout before: other tables, with texts in FTS5's own."""

    TABLES = (
        "CREATE TABLE hud_searched (position INTEGER NOT NULL) STRICT",
        """CREATE VIRTUAL TABLE hud_search USING fts5(
        text, session_id UNINDEXED, version UNINDEXED, turn UNINDEXED, timestamp UNINDEXED,
        actor UNINDEXED, type UNINDEXED, tokenize = 'unicode61 remove_diacritics 2')""",
        "INSERT INTO hud_searched VALUES (40)",
        """INSERT INTO hud_search (text, session_id, version, turn, timestamp, actor, type)
        VALUES ('a word that was purged since', 's', 1, 0, 0, 'agent', 'note.add')""",
    )

    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        path = of_twenty_notes(tmp_path / "hud.db")
        with closing(sqlite3.connect(path)) as db:
            for statement in self.TABLES:
                db.execute(statement)
            db.execute("PRAGMA user_version = 5")
            db.commit()
        return path

    def test_is_made_anew_by_a_search_and_not_before(self, path: Path) -> None:
        with closing(SqliteEventStore(path)) as store:
            assert store.verify() == ()
            assert {"hud_search", "hud_search_content"} <= tables_of(path)
            assert len(store.search("note", limit=100)) == 20
            assert store.search("purged") == []
            assert store.verify() == ()
        assert "hud_search_content" not in tables_of(path)

    def test_is_not_asked_where_it_can_only_be_read(self, path: Path) -> None:
        before = path.read_bytes()
        with closing(SqliteEventStore(path, read_only=True)) as store:
            assert store.verify() == ()
            assert len(store.search("note", limit=100)) == 20
            assert store.search("purged") == []
        assert path.read_bytes() == before

    @pytest.mark.parametrize("at", range(1, 6))
    def test_is_made_anew_by_the_next_after_one_that_was_interrupted(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, statements: Statements, at: int
    ) -> None:
        lessen(monkeypatch, "INDEXED", 6)
        pages = count(1)

        def interrupted(statement: str, *_values: object) -> None:
            if statement.startswith("UPDATE hud_searched") and next(pages) == at:
                raise KeyboardInterrupt

        statements.after = interrupted
        with closing(SqliteEventStore(path)) as store, suppress(KeyboardInterrupt):
            store.search("note")
        statements.after = None
        with closing(SqliteEventStore(path)) as store:
            assert len(store.search("note", limit=100)) == 20
            assert store.verify() == ()

    def test_is_made_anew_once_by_two_at_once(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lessen(monkeypatch, "INDEXED", 3)

        def found(_: int) -> int:
            with closing(SqliteEventStore(path)) as store:
                return len(store.search("note", limit=100))

        with ThreadPoolExecutor(4) as pool:
            assert [*pool.map(found, range(4))] == [20] * 4
        with closing(SqliteEventStore(path)) as store:
            assert store.verify() == ()

    def test_leaves_nothing_of_a_session_that_is_purged(self, path: Path) -> None:
        with closing(SqliteEventStore(path)) as store:
            store.purge("s")
        assert b"purged since" not in path.read_bytes()

    def test_goes_with_a_repair(self, path: Path) -> None:
        assert "search index" in HudStore.repair(path).made_anew
        assert not any(name.startswith("hud_search") for name in tables_of(path))


def tables_of(path: Path) -> set[str]:
    """Return the names of a file's tables."""
    with closing(sqlite3.connect(path)) as db:
        return {name for (name,) in db.execute("SELECT name FROM sqlite_schema")}


class TestOrder:
    """The best come first, then the newest; of very many the newest are ranked."""

    def test_of_few_hits_is_that_of_their_ranks(self) -> None:
        with closing(SqliteEventStore(":memory:")) as store:
            say(store, "s", "port", "a port and much that is said beside it", "port port", "port")
            assert [hit.version for hit in store.search("port")] == [3, 4, 1, 2]

    def test_of_very_many_begins_with_the_newest(self, monkeypatch: pytest.MonkeyPatch) -> None:
        lessen(monkeypatch, "RANKED", 2)
        with closing(SqliteEventStore(":memory:")) as store:
            say(store, "s", "port port", "port", "port port", "port", "port")
            assert [hit.version for hit in store.search("port")] == [5, 4, 3, 2, 1]
            assert [hit.version for hit in store.search("port", limit=2, after=1)] == [4, 3]

    @given(data=st.data())
    def test_is_that_of_a_look_at_each_text(self, data: st.DataObject) -> None:
        with closing(SqliteEventStore(":memory:")) as store, pytest.MonkeyPatch.context() as patch:
            found_as_listed(store, data, patch)


SAID = st.lists(
    st.sampled_from(
        ["port", "Port", "8080", "ports", "src/a", "src a", "Café", "cafe", "東京", "京", "x" * 70, "é", "ß", "٣"]
    ),
    min_size=1,
    max_size=9,
).map(" ".join) | st.text(min_size=1, max_size=12).filter(str.strip)  # fmt: skip


def found_as_listed(
    store: EventStore, data: st.DataObject, patch: pytest.MonkeyPatch, name: str = "s"
) -> None:
    """Compare what an empty store finds with what a store that is a list does.

    :param name: what the names of its sessions begin with; those of purged ones are not used again.
    """
    lessen(patch, "RANKED", data.draw(st.integers(1, 9), label="ranked"))
    plain = ListEventStore()
    texts = data.draw(st.lists(SAID, min_size=1, max_size=14), label="texts")
    for each, half in ((f"{name}-a", texts[::2]), (f"{name}-b", texts[1::2])):
        for one in (plain, store):
            say(one, each, *half)
    query = data.draw(st.lists(SAID, min_size=1, max_size=2).map(" ".join), label="query")
    limit, after = data.draw(st.tuples(st.integers(1, 20), st.integers(0, 12)), label="page")
    for session in (f"{name}-a", f"{name}-b", None):
        found, expected = (
            one.search(query, session=session, limit=limit, after=after) for one in (store, plain)
        )
        assert found == expected


class TestWork:
    """In steps of SQLite's machine, which do not depend on this one."""

    @staticmethod
    def filled(sessions: int) -> SqliteEventStore:
        store = SqliteEventStore(":memory:")
        for number in range(sessions):
            say(store, f"s-{number}", *(f"port {each} of many" for each in range(20)))
        store.search("port")
        return store

    def worked(self, sessions: int, session: str | None) -> int:
        with closing(self.filled(sessions)) as store:
            connections = store.parts.database.file.connections()
            return steps(connections, lambda: store.search("port", session=session))

    def test_in_a_session_does_not_grow_with_the_others(self) -> None:
        assert self.worked(60, "s-1") <= 1.05 * self.worked(3, "s-1")

    def test_in_a_session_grows_with_its_texts(self) -> None:
        def work(size: int) -> int:
            store = SqliteEventStore(":memory:")
            say(store, "s", *(f"port {each} of many" for each in range(size)))
            store.search("port")
            connections = store.parts.database.file.connections()
            return steps(connections, lambda: store.search("port", session="s"))

        assert work(400) <= 2.1 * work(200)

    def test_in_all_is_bounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        lessen(monkeypatch, "RANKED", 50)
        assert self.worked(60, None) <= 1.05 * self.worked(3, None)


class TestQuery:
    @given(query=QUERIES, text=st.text(min_size=1, max_size=30))
    def test_is_data_whatever_it_holds(self, query: str, text: str) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            session.record_all([], refused=None)
            session.record("note.add", content=f"fig {text.strip() or 'x'}")
            assert {hit.version for hit in store.search(query)} <= {1, 2}
            assert len(store.search("fig")) == 1

    @given(words=st.lists(WORDS, min_size=1, max_size=5))
    def test_finds_the_words_that_were_written(self, words: list[str]) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            session.record("note.add", content=" ".join(words))
            assert 2 in [hit.version for hit in session.search(" ".join(reversed(words)))]
