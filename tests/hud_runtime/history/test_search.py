"""I3: what was said is found, by an index that follows the database, and without one."""

from __future__ import annotations

import json
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import HistoryError, SearchError
from hud_runtime.history import OpenCodeHistory, _word_index
from hud_runtime.history._word_index import WordIndex, index_path
from tests.hud_runtime.history import databases as db_of
from tests.secret_shapes import filled
from tests.work import growth

Find = Callable[..., list[str]]

NOWHERE = Path("/dev/null/index.db")
"""No folder can be there."""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return db_of.small(tmp_path / "opencode.db")


@pytest.fixture
def find(database: Path, tmp_path: Path) -> Iterator[Find]:
    """Search, by an index of its own."""
    with OpenCodeHistory(database) as history:

        def found(query: str, **given: Any) -> list[str]:
            given.setdefault("index", tmp_path / "index" / "words.db")
            return [each.message for each in history.search(query, **given).found]

        yield found


class TestFound:
    def test_i3_the_best_come_first_with_the_words_around(
        self, database: Path, tmp_path: Path
    ) -> None:
        with OpenCodeHistory(database) as history:
            result = history.search("jwt", index=tmp_path / "i.db")
        assert [each.session for each in result.found] == ["ses_login", "ses_login"]
        assert result.found[0].text.startswith("Add a login with *JWT*")
        assert (result.more, result.remark) == (False, "")

    @pytest.mark.parametrize("index", [None, NOWHERE])
    def test_all_words_must_be_there_in_any_order(self, find: Find, index: Path | None) -> None:
        given = {} if index is None else {"index": index}
        assert find("hour five", **given) == ["msg_ses_login_000007"]
        assert find("hour six", **given) == []
        assert find("middle", session="ses_sub", **given) == ["msg_ses_sub_000001"]
        assert find("middleware", session="ses_docs", **given) == []
        assert find("LOGIN.MD", **given) == ["msg_ses_docs_000002"]

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
    @pytest.mark.parametrize("index", [None, NOWHERE])
    def test_nothing_in_a_query_is_an_operator(
        self, find: Find, query: str, index: Path | None
    ) -> None:
        assert isinstance(find(query, **({} if index is None else {"index": index})), list)

    def test_fields_of_the_data_are_no_words(self, find: Find) -> None:
        assert find("callID") == find("callID", index=NOWHERE) == []

    @pytest.mark.parametrize("index", [None, NOWHERE])
    def test_a_search_does_not_find_itself(
        self, database: Path, find: Find, index: Path | None
    ) -> None:
        with closing(sqlite3.connect(database)) as db:
            call = db_of.ran("memory", {"query": "a wombat"}, "- `msg_1` a wombat")
            db_of.message(db, "ses_docs", 9, "assistant", [call, db_of.said("There was an ibex.")])
            db.commit()
        given = {} if index is None else {"index": index}
        assert find("wombat", **given) == []
        assert find("ibex", **given) == ["msg_ses_docs_000009"]

    def test_the_index_has_no_secret(self, database: Path, find: Find, tmp_path: Path) -> None:
        key = filled("ghp_{36:a}", 1)
        with closing(sqlite3.connect(database)) as db:
            db_of.message(db, "ses_docs", 9, "user", [db_of.said(f"An ibex has {key}.")])
            db.commit()
        assert find("ibex") == ["msg_ses_docs_000009"]
        assert find(key.removeprefix("ghp_")) == []
        files = [path.read_bytes() for path in (tmp_path / "index").rglob("*") if path.is_file()]
        assert key[4:].lower().encode() not in b"".join(files).lower()

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
    def test_both_ways_find_what_is_there(
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
            ways = [history.search(query, index=each) for each in (path.with_name("i.db"), NOWHERE)]
        asks = any(map(str.isalnum, query))
        for each in ways:
            assert ("msg_s_000001" in [one.message for one in each.found]) == asks or not asks


class TestIndex:
    def test_its_file_is_its_owners_alone(
        self, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("UJSX_HOME", str(tmp_path / "home"))
        with OpenCodeHistory(database) as history:
            history.search("login")
        place = index_path(database)
        assert place.is_relative_to(tmp_path / "home")
        assert stat.S_IMODE(place.stat().st_mode) == 0o600
        assert (
            stat.S_IMODE(place.parent.stat().st_mode)
            == stat.S_IMODE((tmp_path / "home").stat().st_mode)
            == 0o700
        )

    def test_no_text_is_kept_in_it(self, find: Find, tmp_path: Path) -> None:
        find("middleware")
        assert b"Look for the middleware" not in (tmp_path / "index" / "words.db").read_bytes()

    def test_what_is_new_is_found_and_nothing_is_indexed_twice(
        self, database: Path, find: Find, tmp_path: Path
    ) -> None:
        find("login")
        with closing(sqlite3.connect(database)) as db:
            db_of.message(db, "ses_docs", 9, "user", [db_of.said("a zebra")])
            db.commit()
        assert find("zebra") == ["msg_ses_docs_000009"]
        with closing(sqlite3.connect(tmp_path / "index" / "words.db")) as index:
            before = index.execute("SELECT * FROM reached").fetchall()
            find("zebra")
            assert index.execute("SELECT * FROM reached").fetchall() == before

    def test_a_part_that_is_being_written_is_looked_at_again(
        self, database: Path, find: Find
    ) -> None:
        with closing(sqlite3.connect(database)) as db:
            parts = [
                {"type": "text", "text": "half", "time": {"start": 1}},
                db_of.ran("bash", {"command": "sleep"}, "", status="running"),
            ]
            db_of.message(db, "ses_docs", 9, "assistant", parts)
            db.commit()
            assert find("half") == find("sleep") == ["msg_ses_docs_000009"]
            texts = (
                {"type": "text", "text": "half and all of it", "time": {"start": 1, "end": 2}},
                db_of.ran("bash", {"command": "sleep"}, "an okapi"),
            )
            for place, part in enumerate(texts):
                name = f"prt_ses_docs_000009_{place:03}"
                db.execute("UPDATE part SET data = ? WHERE id = ?", (json.dumps(part), name))
            db.commit()
        assert find("half all") == find("okapi") == ["msg_ses_docs_000009"]

    def test_what_is_gone_is_not_found_and_its_numbers_are_given_out_again(
        self, database: Path, find: Find
    ) -> None:
        assert find("of the login") == ["msg_ses_docs_000001"]
        with closing(sqlite3.connect(database)) as db:
            db.execute("PRAGMA foreign_keys = ON")
            db.execute(
                "DELETE FROM session WHERE id = 'ses_docs'"
            )  # its parts have the last numbers
            db_of.session(db, "ses_new")
            db_of.message(db, "ses_new", 1, "user", [db_of.said("a new giraffe")])
            db_of.message(db, "ses_new", 2, "user", [db_of.said("an old giraffe")])
            db.commit()
        assert find("of the login") == []
        assert sorted(find("giraffe")) == ["msg_ses_new_000001", "msg_ses_new_000002"]

    def test_rows_that_are_numbered_anew(self, database: Path, find: Find) -> None:
        before = sorted(find("login"))
        with closing(sqlite3.connect(database, isolation_level=None)) as db:
            db.execute("DELETE FROM part WHERE id = 'prt_ses_login_000002_000'")
            db.execute("VACUUM")
        assert sorted(find("login")) == before
        assert find("hour") == ["msg_ses_login_000007"]

    def test_another_database_in_the_same_place(self, database: Path, find: Find) -> None:
        find("login")
        database.unlink()
        with closing(db_of.made(database)) as db:
            db_of.session(db, "s")
            for number in range(40):
                db_of.message(db, "s", number, "user", [db_of.said(f"walrus {number}")])
            db.commit()
        with OpenCodeHistory(database) as history:
            index = database.parent / "index" / "words.db"
            assert len(history.search("walrus", limit=100, index=index).found) == 40
            assert history.search("login", index=index).found == ()

    @pytest.mark.parametrize("content", [b"", b"no database at all", None])
    def test_one_that_is_damaged_is_made_anew(
        self, find: Find, tmp_path: Path, content: bytes | None
    ) -> None:
        expected = find("login")
        place = tmp_path / "index" / "words.db"
        if content is None:
            data = bytearray(place.read_bytes())
            data[4_096 : len(data)] = b"\xff" * (len(data) - 4_096)
            content = bytes(data)
        place.write_bytes(content)
        assert find("login") == expected
        assert find("login") == expected

    def test_an_abort_in_the_middle_leaves_it_whole(
        self, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        place = tmp_path / "i.db"
        calls = iter(range(100))

        def failing(part: Any) -> str:
            if next(calls) == 5:
                raise KeyboardInterrupt
            return "walrus"

        with OpenCodeHistory(database) as history, monkeypatch.context() as patched:
            patched.setattr(_word_index, "searched_in", failing)
            with pytest.raises(KeyboardInterrupt):
                history.search("walrus", index=place)
        with OpenCodeHistory(database) as history:
            assert history.search("walrus", index=place).found == ()
            assert len(history.search("login", index=place).found) == 6

    def test_two_at_once_index_everything_once(self, tmp_path: Path) -> None:
        path = db_of.large(tmp_path / "opencode.db", 300)
        found: list[int] = []

        def search() -> None:
            with OpenCodeHistory(path) as history:
                found.append(
                    len(history.search("please", limit=1_000, index=tmp_path / "i.db").found)
                )

        threads = [threading.Thread(target=search) for _ in range(3)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert found == [150, 150, 150]
        with closing(sqlite3.connect(tmp_path / "i.db")) as index:
            [(parts, places)] = index.execute(
                "SELECT count(*), (SELECT place FROM reached) FROM part"
            )
        assert parts == places == 450

    def test_it_is_made_in_steps_where_one_may_not_wait(self, tmp_path: Path) -> None:
        path = db_of.large(tmp_path / "opencode.db", 300)
        with OpenCodeHistory(path) as history:
            first = history.search("please", limit=1_000, index=tmp_path / "i.db", at_most=100)
            assert "parts are not in it yet" in first.remark
            last = history.search("please", limit=1_000, index=tmp_path / "i.db", at_most=1_000)
        assert len(first.found) < len(last.found) == 150
        assert last.remark == ""

    def test_it_is_bounded(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = db_of.large(tmp_path / "opencode.db", 200)
        monkeypatch.setattr(_word_index, "MOST", 100)
        monkeypatch.setattr(_word_index, "LONGEST_TEXT", 10)
        with OpenCodeHistory(path) as history:
            assert len(history.search("step", limit=1_000, index=tmp_path / "i.db").found) <= 100
            with closing(sqlite3.connect(tmp_path / "i.db")) as index:
                assert index.execute("SELECT count(*) FROM part").fetchone()[0] <= 100

    def test_without_full_text_search_all_is_looked_through(
        self, find: Find, monkeypatch: pytest.MonkeyPatch, database: Path
    ) -> None:
        def no_module(*_: Any) -> None:
            raise sqlite3.OperationalError("no such module: fts5")

        monkeypatch.setattr(WordIndex, "catch_up", no_module)
        with OpenCodeHistory(database) as history:
            result = history.search("hour", index=database.with_name("i.db"))
        assert [each.message for each in result.found] == ["msg_ses_login_000007"]
        assert "no index here" in result.remark

    def test_work_grows_in_proportion(self, tmp_path: Path) -> None:
        def prepared(size: int) -> Any:
            path = db_of.large(tmp_path / f"{size}.db", size)
            history = OpenCodeHistory(path)
            return lambda: history.search("please", limit=5, index=tmp_path / f"{size}.index.db")

        assert growth(prepared, 150) < 2.3

    def test_what_is_known_costs_nothing_again(self, tmp_path: Path) -> None:
        def prepared(size: int) -> Any:
            path, index = db_of.large(tmp_path / f"{size}.db", size), tmp_path / f"{size}.index.db"
            history = OpenCodeHistory(path)
            history.search("please", index=index)
            return lambda: history.search("nowhere", index=index)

        assert growth(prepared, 150) < 1.1
