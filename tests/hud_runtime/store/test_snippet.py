"""A snippet has the words that FTS5 would pick, at a cost that grows with the text and no faster."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import HudStore
from hud_runtime.log.store import SqliteEventStore
from tests.hud_runtime.store.contract import say

VOCABULARY = (
    *[
        "port",
        "worker",
        "listens",
        "retry",
        "café",
        "Über",
        "東京",
        "tower",
        "tests/unit",
        "src/a.py",
        "8080",
        "x",
        "y",
        "z",
        "the",
    ],
    *("jwt.", "done:", "yes!", "no,", "\n", "worker.\n\n", "e\u0301", "naïve", "q"),
)

QUERIES = ("port", "wor", "tes", "cafe", "uber", "東京", "tests/unit", "80", "src/a", "z", "e", "q")


@pytest.fixture(scope="module")
def index() -> Iterator[sqlite3.Connection]:
    with sqlite3.connect(":memory:") as db:
        db.execute(
            "CREATE VIRTUAL TABLE hud_search USING fts5"
            " (text, tokenize = 'unicode61 remove_diacritics 2')"
        )
        yield db
    db.close()


@pytest.fixture(scope="module")
def store() -> Iterator[SqliteEventStore]:
    with closing(SqliteEventStore(":memory:")) as opened:
        yield opened


BREAK = "\u200b"
"""Stands after each character of a script without spaces, where FTS5 would see one word."""


def spaced(text: str) -> str:
    return "".join(f"{one}{BREAK}" if one in "東京" else one for one in text)


NUMBERS = count()


def snippet(store: SqliteEventStore, text: str, query: str) -> str | None:
    """Return the words that a search shows of a text, or None where it finds none."""
    name = f"s-{next(NUMBERS)}"
    say(store, name, text)
    found = store.search(query, session=name)
    return found[0].snippet if found else None


class TestSnippet:
    @given(
        words=st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=150),
        query=st.lists(st.sampled_from(QUERIES), min_size=1, max_size=3, unique=True),
    )
    def test_is_that_of_fts5(
        self, index: sqlite3.Connection, store: SqliteEventStore, words: list[str], query: list[str]
    ) -> None:
        text = f"port {' '.join(words)} z".replace("\n z", " z")
        index.execute("DELETE FROM hud_search")
        index.execute("INSERT INTO hud_search (rowid, text) VALUES (1, ?)", (spaced(text),))
        found = index.execute(
            "SELECT snippet(hud_search, 0, '', '', '…', 24) FROM hud_search WHERE hud_search MATCH ?",
            (" ".join(f'"{spaced(word)}"*' for word in query),),
        ).fetchone()
        expected = None if found is None else found[0].replace(BREAK, "")
        assert snippet(store, text, " ".join(query)) == expected

    @given(text=st.text(max_size=200), word=st.sampled_from(QUERIES))
    def test_is_a_part_of_any_text(self, store: SqliteEventStore, text: str, word: str) -> None:
        text = f"{word} {text} {word}"
        said = snippet(store, text, word)
        assert said is not None
        assert said.removeprefix("…").removesuffix("…") in text

    def test_finds_a_late_place(self, store: SqliteEventStore) -> None:
        said = snippet(store, "word " * 5_000 + "needle here " + "word " * 5_000, "needle")
        assert said is not None
        assert "needle here" in said
        assert (said[0], said[-1]) == ("…", "…")


def cost(places: int) -> float:
    """Return the least time of three that a search in a text with so many places takes."""
    with HudStore.open(":memory:") as store:
        store.session("s").record("note.add", content="port is " * places)
        assert len(store.search("port")) == 1
        best = 1e9
        for _ in range(3):
            begun = process_time()
            [hit] = store.search("port")
            best = min(best, process_time() - begun)
        assert hit.snippet.startswith("port is port")
        return best


class TestGrowth:
    def test_many_places_in_one_text_cost_what_they_are(self) -> None:
        # Sixteen times as many cost sixteen times as much; where each pair is looked at, 256 times.
        assert cost(32_000) < 64 * max(cost(2_000), 0.0005)

    def test_looks_at_a_thousand_places_and_no_more(self, store: SqliteEventStore) -> None:
        many = f"jwt {'word ' * 30}{'port ' * 1_100}{'port jwt ' * 1_000}"
        said = snippet(store, many, "port jwt")
        assert said is not None
        assert said.startswith("jwt word")

    def test_of_many_texts_only_those_that_are_shown_are_read(self) -> None:
        def steps(events: int) -> int:
            count = 0

            def step() -> None:
                nonlocal count
                count += 1

            with HudStore.open(":memory:") as store:
                for name in ("a", "b", "c", "d"):
                    session = store.session(name)
                    with session.exclusive():
                        for _ in range(events // 4):
                            session.record("note.add", content="port 8080")
                store.search("port", limit=5)
                connection = store._events.parts.database.file._for_reading()
                connection.set_progress_handler(step, 10)
                assert len(store.search("port", limit=5)) == 5
                connection.set_progress_handler(None, 0)
            return count

        few, many = steps(100), steps(400)
        assert few < many < 6 * few
