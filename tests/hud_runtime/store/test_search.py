"""The full-text index follows the log, and never stands in its way."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import HudStore, SearchError
from hud_runtime.store import SqliteEventStore
from hud_runtime.store import _search as search
from hud_runtime.testing._contract import an_event, say

QUERIES = st.text(max_size=30) | st.text(alphabet='"*^-+(){}:,.\\ \0\u200bNEAROTD 東a', max_size=30)

WORDS = st.text(st.characters(categories=["Ll", "Nd"], max_codepoint=0x24F), min_size=1)


class TestIndex:
    def test_catches_up_in_pages(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(search, "PAGE", 3)
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

    def test_is_not_needed_to_write(self, monkeypatch: pytest.MonkeyPatch) -> None:
        missing = tuple(table.replace("fts5", "fts9") for table in search.TABLES)
        monkeypatch.setattr(search, "TABLES", missing)
        with HudStore.open(":memory:") as store:
            store.session("s").record("note.add", content="Port 8080")
            with pytest.raises(SearchError, match=r"has no full-text search \(FTS5\)"):
                store.search("port")
            assert store.purge("s") == 2

    def test_that_cannot_be_written_does_not_answer_with_less(self, tmp_path: Path) -> None:
        with closing(SqliteEventStore(tmp_path / "hud.db", busy_timeout=20)) as store:
            say(store, "s", "Port 8080")
            with closing(sqlite3.connect(tmp_path / "hud.db", isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                with pytest.raises(Exception, match="another process is writing"):
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
