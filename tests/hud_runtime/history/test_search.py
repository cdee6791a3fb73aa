"""I3: what was said is found, the newest first."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import HistoryError, SearchError
from hud_runtime.history import OpenCodeHistory
from tests.hud_runtime.history import databases as db_of
from tests.work import growth

Find = Callable[..., list[str]]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return db_of.small(tmp_path / "opencode.db")


@pytest.fixture
def find(database: Path, tmp_path: Path) -> Iterator[Find]:
    with OpenCodeHistory(database) as history:

        def found(query: str, **given: Any) -> list[str]:
            return [each.message for each in history.search(query, **given).found]

        yield found


class TestFound:
    def test_i3_the_newest_come_first_with_the_words_around(self, database: Path) -> None:
        with OpenCodeHistory(database) as history:
            result = history.search("jwt")
        assert [each.session for each in result.found] == ["ses_login", "ses_login"]
        assert result.found[-1].text.startswith("Add a login with *JWT*")
        created = [each.created for each in result.found]
        assert created == sorted(created, reverse=True)
        assert not result.more

    def test_all_words_must_be_there_in_any_order(self, find: Find) -> None:
        assert find("hour five") == ["msg_ses_login_000007"]
        assert find("hour six") == []
        assert find("middle", session="ses_sub") == ["msg_ses_sub_000001"]
        assert find("middleware", session="ses_docs") == []
        assert find("LOGIN.MD") == ["msg_ses_docs_000002"]

    @pytest.mark.parametrize(
        "query",
        [
            '"',
            "NOT",
            "login*",
            "a OR",
            "text:x",
            "%",
            "_",
            "'; DROP TABLE part; --",
            "\0",
            "\ud800",
            "()",
            "NEAR(a b)",
        ],
    )
    def test_nothing_in_a_query_is_an_operator(self, find: Find, query: str) -> None:
        assert isinstance(find(query), list)

    def test_fields_of_the_data_are_no_words(self, find: Find) -> None:
        assert find("callID") == []

    def test_a_search_does_not_find_itself(self, database: Path, find: Find) -> None:
        with closing(sqlite3.connect(database)) as db:
            call = db_of.ran("memory", {"query": "a wombat"}, "- `msg_1` a wombat")
            db_of.message(db, "ses_docs", 9, "assistant", [call, db_of.said("There was an ibex.")])
            db.commit()
        assert find("wombat") == []
        assert find("ibex") == ["msg_ses_docs_000009"]

    def test_pages(self, find: Find) -> None:
        every = find("login")
        assert len(every) == 6
        assert [
            *find("login", limit=2),
            *find("login", limit=2, after=2),
            *find("login", limit=9, after=4),
        ] == every
        with pytest.raises(SearchError, match="limit is 0"):
            find("login", limit=0)

    def test_a_session_that_is_not_there(self, find: Find) -> None:
        with pytest.raises(HistoryError, match="there is no session"):
            find("login", session="nothing")

    @given(
        words=st.lists(
            st.text(min_size=1, max_size=12).filter(lambda each: each.isprintable()),
            min_size=1,
            max_size=3,
        )
    )
    def test_what_was_said_is_found(
        self, tmp_path_factory: pytest.TempPathFactory, words: list[str]
    ) -> None:
        path = tmp_path_factory.mktemp("any") / "opencode.db"
        with closing(db_of.made(path)) as db:
            db_of.session(db, "s")
            db_of.message(db, "s", 1, "user", [db_of.said(" ".join(words))])
            db_of.message(db, "s", 2, "user", [db_of.said("nothing of the kind")])
            db.commit()
        query = " ".join(words)
        with OpenCodeHistory(path) as history:
            found = [one.message for one in history.search(query).found]
        assert ("msg_s_000001" in found) == any(map(str.isalnum, query))

    def test_work_grows_in_proportion(self, tmp_path: Path) -> None:
        def prepared(size: int) -> Any:
            path = db_of.large(tmp_path / f"{size}.db", size)
            history = OpenCodeHistory(path)
            return lambda: history.search("please", limit=5)

        assert growth(prepared, 150) < 2.3
