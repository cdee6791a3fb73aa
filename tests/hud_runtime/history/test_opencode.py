"""Past sessions of OpenCode, as its database tells them: counted, listed, read."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hud_runtime import HistoryError, read_transcript
from hud_runtime.cli import main
from hud_runtime.history import OpenCodeHistory, compare, exported, found_database, plan, plans
from tests.hud_runtime.history import databases as db_of
from tests.hud_runtime.inside import shown
from tests.ids import looped
from tests.strategies import texts as hostile_texts
from tests.work import growth, lines_run, peak, steps
from ujsx.testing import assert_inert


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return db_of.small(tmp_path / "opencode.db")


@pytest.fixture
def history(database: Path) -> Iterator[OpenCodeHistory]:
    with OpenCodeHistory(database) as opened:
        yield opened


def told(path: Path, *words: str) -> str:
    """Return what the command tells of a session."""
    with redirect_stdout(StringIO()) as out:
        assert main(["history", "show", *words, "--database", str(path)]) == 0
    return out.getvalue()


class TestWhereItLies:
    def test_i1_the_database_is_found_under_xdg_data(self, tmp_path: Path) -> None:
        folder = tmp_path / "opencode"
        folder.mkdir()
        environ = {"XDG_DATA_HOME": str(tmp_path)}
        assert found_database(environ) is None
        (folder / "storage" / "session").mkdir(parents=True)
        assert found_database(environ) == folder / "storage"
        (folder / "opencode-dev.db").touch()
        assert found_database(environ) == folder / "opencode-dev.db"
        (folder / "opencode.db").touch()
        assert found_database(environ) == folder / "opencode.db"

    def test_opencodes_own_variable_counts(self, tmp_path: Path) -> None:
        (tmp_path / "opencode").mkdir()
        other = tmp_path / "opencode" / "other.db"
        environ = {"XDG_DATA_HOME": str(tmp_path), "OPENCODE_DB": "other.db"}
        assert found_database(environ) is None
        other.touch()
        assert found_database(environ) == other

    def test_a_folder_stands_for_the_database_in_it(self, database: Path) -> None:
        with OpenCodeHistory(database.parent) as history:
            assert history.path == database

    def test_where_there_is_none_is_said(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
        with pytest.raises(HistoryError, match="OpenCode has not been used here"):
            OpenCodeHistory()
        with pytest.raises(HistoryError, match=r"has no opencode\.db in it"):
            OpenCodeHistory(tmp_path)
        with pytest.raises(HistoryError, match="there is no file"):
            OpenCodeHistory(tmp_path / "nothing.db")


class TestSessions:
    def test_i2_summary_counts_everything(self, history: OpenCodeHistory) -> None:
        counts = history.counts()
        assert counts.counts == {
            "projects": 1, "sessions": 2, "sessions of subagents": 1, "messages": 10, "parts": 14, "todos": 1,
        }  # fmt: skip
        assert (counts.version, counts.remarks) == (db_of.NEWEST, ())

    def test_i2_sessions_are_listed_by_limit_and_project(self, history: OpenCodeHistory) -> None:
        def names(**given: Any) -> list[str]:
            return [each.id for each in history.sessions(**given)]

        assert names() == ["ses_login", "ses_docs"]
        assert names(subagents=True) == ["ses_login", "ses_docs", "ses_sub"]
        assert names(limit=1) == ["ses_login"]
        assert names(limit=1, after=1) == ["ses_docs"]
        assert names(project="/srv/shop/docs") == ["ses_docs"]
        assert names(project="/srv/shop/") == ["ses_login", "ses_docs"]
        assert names(project="shop") == ["ses_login", "ses_docs"]
        assert names(project="/srv/sho") == names(project="%") == []

    def test_what_is_told_of_a_session(self, history: OpenCodeHistory) -> None:
        one = history.session("ses_login")
        assert (one.title, one.project, one.messages, one.model) == (
            "Add a login",
            "/srv/shop",
            7,
            "claude-large",
        )
        assert (
            history.session("last")
            == history.session("slug-ses_login")
            == history.session("ses_l")
            == one
        )
        assert [each.id for each in history.children("ses_login")] == ["ses_sub"]
        assert history.todos("ses_login") == [("Limit attempts", "pending")]

    def test_a_todo_list_has_its_own_order(self, tmp_path: Path) -> None:
        path = tmp_path / "opencode.db"
        with closing(db_of.made(path)) as db:
            db_of.session(db, "ses_1")
            for place in (1, 0):
                db_of.insert(
                    db, "todo", session_id="ses_1", content=f"Step {place}", status="pending", priority="low",
                    position=place, time_created=db_of.NOW, time_updated=db_of.NOW,
                )  # fmt: skip
            db.commit()
        with OpenCodeHistory(path) as history:
            assert [what for what, _ in history.todos("ses_1")] == ["Step 0", "Step 1"]
        planned = [each.payload for each in read_transcript(path) if each.type == "step.add"]
        assert [each["description"] for each in planned] == ["Step 0", "Step 1"]

    @pytest.mark.parametrize("name", ["ses_", "", "nothing", "ses_login' OR 1 --", "%"])
    def test_what_names_no_session_is_refused(self, history: OpenCodeHistory, name: str) -> None:
        with pytest.raises(HistoryError, match="there is no session"):
            history.session(name)


class TestMessages:
    def test_i2_messages_are_a_transcript(self, history: OpenCodeHistory, database: Path) -> None:
        page = history.messages("ses_login", limit=2)
        assert [(each.number, each.role) for each in page.messages] == [
            (6, "user"),
            (7, "assistant"),
        ]
        before = history.messages("ses_login", limit=3, before=page.first)
        assert [each.number for each in before.messages] == [3, 4, 5]
        assert history.messages("ses_login", before=1).messages == ()
        text = told(database, "ses_login")
        for each in ("1 failed: test_login", "pytest -q", "compacted (automatic)", "Five attempts"):
            assert each in text
        assert "Where is the middleware?" not in text  # reasoning is for the whole message

    def test_i2_one_message_is_shown_whole(self, tmp_path: Path) -> None:
        with closing(db_of.made(tmp_path / "long.db")) as db:
            db_of.session(db, "s")
            text = "long " * 5_000
            name = db_of.message(
                db, "s", 1, "user", [db_of.said(text), {"type": "reasoning", "text": "Why?"}]
            )
            db.commit()
        with OpenCodeHistory(tmp_path / "long.db") as history:
            assert history.message(name).number == 1
        path = tmp_path / "long.db"
        assert text.strip() in told(path, name, "--message")
        short = told(path, "s")
        assert len(short) < 3_000
        assert f"`message {name}`" in short
        assert "Why?" not in short

    def test_numbers_of_messages_are_the_same_everywhere(self, history: OpenCodeHistory) -> None:
        listed = history.messages("ses_login", limit=100).messages
        assert [history.message(each.id).number for each in listed] == [
            each.number for each in listed
        ]
        assert [each.id for each in history.all_messages("ses_login")] == [
            each.id for each in listed
        ]

    def test_every_kind_of_part_says_something_or_is_known_to_say_nothing(
        self, tmp_path: Path
    ) -> None:
        silent = {"snapshot", "step-start", "step-finish"}
        data = {
            "text": "t",
            "tool": "bash",
            "state": {"status": "completed", "input": {}, "output": "o"},
        }
        kinds = {
            *(
                "text",
                "reasoning",
                "tool",
                "file",
                "patch",
                "subtask",
                "agent",
                "compaction",
                "retry",
            ),
            *silent,
            "new-kind",
        }
        path = tmp_path / "kinds.db"
        with closing(db_of.made(path)) as db:
            db_of.session(db, "s")
            names = [
                db_of.message(db, "s", number, "user", [{"type": kind, **data}])
                for number, kind in enumerate(kinds)
            ]
            db.commit()
        for kind, name in zip(kinds, names, strict=True):
            said = told(path, name, "--message")
            assert ("It says nothing." in said) == (kind in silent), kind
            assert kind != "new-kind" or "a part of the kind new-kind" in said


class TestCompactionsAndContext:
    def test_i4_compactions_by_number(self, history: OpenCodeHistory) -> None:
        [one] = history.compactions("ses_login")
        assert (one.number, one.cause, one.summary[:6]) == (1, "automatic", "# Goal")
        assert history.compactions("ses_docs") == []

    def test_one_that_did_not_end_and_one_that_nobody_asked_for(self, tmp_path: Path) -> None:
        with closing(db_of.made(tmp_path / "a.db")) as db:
            db_of.session(db, "s")
            db_of.message(db, "s", 1, "assistant", [db_of.said("an old summary")], summary=True)
            db_of.message(
                db, "s", 2, "user", [{"type": "compaction", "auto": True, "overflow": True}]
            )
            asked = db_of.message(db, "s", 3, "user", [{"type": "compaction", "auto": False}])
            db_of.message(db, "s", 4, "assistant", [db_of.said("half")], summary=True, parentID=asked,
                          error={"name": "MessageAbortedError"})  # fmt: skip
            db_of.message(db, "s", 5, "user", [db_of.said('it says "compaction" and "summary"')])
            db.commit()
        with OpenCodeHistory(tmp_path / "a.db") as history:
            told = [(each.number, each.cause, each.summary) for each in history.compactions("s")]
        assert told == [(1, "", "an old summary"), (2, "overflow", ""), (3, "", "")]

    def test_i5_context_is_told_exactly(self, history: OpenCodeHistory) -> None:
        use = history.context("ses_login")
        assert use is not None
        assert (use.used, use.limit, use.level, use.is_compacted) == (
            20_000,
            200_000,
            "green",
            False,
        )
        assert history.context("ses_sub") is None

    def test_a_compaction_ends_what_was_read_before(self, tmp_path: Path) -> None:
        with closing(db_of.made(tmp_path / "a.db")) as db:
            db_of.session(db, "s")
            for number in range(1, 8):
                db_of.message(db, "s", number, "assistant", [], **db_of.answered(10_000 * number))
            db_of.message(db, "s", 8, "assistant", [], summary=True, **db_of.answered(90_000))
            db.commit()
        with OpenCodeHistory(tmp_path / "a.db") as history:
            use = history.context("s")
        assert use is not None
        assert (use.used, use.trend, use.is_compacted) == (70_000, "growing rapidly", True)
        assert "a compaction came after it" in told(tmp_path / "a.db", "s", "--context")


class TestPlans:
    def test_i5_plans_are_listed_and_read(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
        project, own = tmp_path / "shop" / "src", tmp_path / "data" / "opencode" / "plans"
        inside = tmp_path / "shop" / ".opencode" / "plans"
        for folder in (project, own, inside):
            folder.mkdir(parents=True)
        (inside / "1-quiet-otter.md").write_text("\n# The login\n\nFirst the schema.\n")
        (own / "2-loud-heron.md").write_text("The docs\n")
        (own / "no-plan.txt").write_text("x")
        assert {each.name: each.title for each in plans(project)} == {
            "1-quiet-otter.md": "The login", "2-loud-heron.md": "The docs",
        }  # fmt: skip
        assert "First the schema." in plan("1-quiet-otter", project).text
        assert [each.name for each in plans(tmp_path)] == ["2-loud-heron.md"]

    @pytest.mark.parametrize("name", ["../../secret.md", "/etc/passwd", "link.md", "", "otter"])
    def test_a_name_is_never_a_path(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
        folder = tmp_path / "opencode" / "plans"
        folder.mkdir(parents=True)
        (tmp_path / "secret.md").write_text("secret")
        (folder / "link.md").symlink_to(tmp_path / "secret.md")
        (folder / "1-quiet-otter.md").write_text("# Plan")
        with pytest.raises(HistoryError, match="there is no plan"):
            plan(name)


class TestTwoSessions:
    def test_i6_two_sessions_are_compared(self, history: OpenCodeHistory, database: Path) -> None:
        both = compare(history, "ses_login", "ses_docs")
        left, right = both.left, both.right
        assert (left.roles["user"], left.tools["bash"], left.compactions, left.largest) == (
            3,
            1,
            1,
            61_000,
        )
        assert (left.files, right.files) == (
            {"/srv/shop/login.py"},
            set[str](),
        )  # the other one's call failed
        assert (right.failed, right.errors, both.same) == (1, 1, 0)
        assert "changed in the first alone" in told(database, "ses_login", "ses_docs", "--compare")
        assert compare(history, "ses_login", "ses_login").same == 7

    def test_i6_an_export_is_a_transcript_that_is_imported(
        self, history: OpenCodeHistory, tmp_path: Path
    ) -> None:
        path = tmp_path / "session.json"
        path.write_text("".join(exported(history, "ses_login")), "utf-8")
        drafts = read_transcript(path).drafts
        assert drafts == read_transcript(history.path, session="ses_login").drafts
        assert {each.type for each in drafts} >= {
            "task.set",
            "compact.after",
            "file.edit",
            "context.snapshot",
        }

    def test_an_export_loses_nothing(self, tmp_path: Path) -> None:
        with closing(db_of.made(tmp_path / "a.db")) as db:
            db_of.session(db, "s")
            db_of.message(
                db, "s", 1, "user", [db_of.said(f"part {number} \u2028") for number in range(700)]
            )
            db.commit()
        with OpenCodeHistory(tmp_path / "a.db") as history:
            [one] = json.loads("".join(exported(history, "s")))["messages"]
            assert [each["text"][:8].strip() for each in one["parts"][::699]] == [
                "part 0",
                "part 699",
            ]
            assert history.message(one["info"]["id"]).left_out == 200


class TestVersions:
    @looped("version", [*db_of.MIGRATIONS])
    def test_every_version_tells_the_same(self, tmp_path: Path, version: str) -> None:
        path = db_of.small(tmp_path / "opencode.db", version=version)
        with OpenCodeHistory(path) as history:
            assert history.counts().version == version
            assert [each.id for each in history.sessions()] == ["ses_login", "ses_docs"]
            assert len(history.messages("ses_login").messages) == 7
            assert len(history.compactions("ses_login")) == 1
            assert [each.session for each in history.search("middleware").found] == [
                "ses_sub", "ses_login",
            ]  # fmt: skip

    def test_the_folder_of_files_tells_the_same(self, database: Path, tmp_path: Path) -> None:
        folder = db_of.as_folder(database, tmp_path / "storage")
        with OpenCodeHistory(database) as one, OpenCodeHistory(folder) as other:
            assert other.counts().counts == one.counts().counts
            for name in ("ses_login", "ses_docs"):
                assert told(database, name) == told(folder, name)
            assert other.compactions("ses_login") == one.compactions("ses_login")
            assert other.context("ses_login") == one.context("ses_login")
            assert [each.message for each in other.search("five attempts").found] == [
                "msg_ses_login_000007"
            ]

    def test_a_newer_version_is_read_and_said(self, database: Path) -> None:
        with closing(sqlite3.connect(database)) as db:
            db.execute("INSERT INTO migration VALUES ('20991231000000_much_later', 0)")
            db.execute("INSERT INTO session_message VALUES ('m', 's', 'user', 1, 1, '{}')")
            db.commit()
        with OpenCodeHistory(database) as history:
            newer, elsewhere = history.counts().remarks
            assert len(history.sessions()) == 2
        assert "20991231000000_much_later" in newer
        assert "session_message" in elsewhere

    def test_a_fork_without_folders_of_sessions(self, database: Path) -> None:
        with closing(sqlite3.connect(database)) as db:
            db.execute("ALTER TABLE session DROP COLUMN directory")
            db.commit()
        with OpenCodeHistory(database) as history:
            assert {each.project for each in history.sessions()} == {"/srv/shop"}

    def test_what_cannot_be_opencodes_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "other.db"
        with closing(sqlite3.connect(path)) as db:
            db.execute("CREATE TABLE session (id)")
            db.commit()
        with pytest.raises(
            HistoryError, match="no table message, so it is not a database of OpenCode's; known"
        ):
            OpenCodeHistory(path)
        with closing(sqlite3.connect(path)) as db:
            db.executescript("CREATE TABLE message (id, session_id); CREATE TABLE part (id)")
            db.commit()
        with pytest.raises(HistoryError, match="its table message has no column data"):
            OpenCodeHistory(path)


class TestHostile:
    @given(st.lists(hostile_texts, min_size=4, max_size=4))
    @settings(max_examples=6, deadline=None)
    def test_texts_stay_in_their_place(
        self, tmp_path_factory: pytest.TempPathFactory, texts: list[str]
    ) -> None:
        title, text, output, path = (each.replace("\0", "") for each in texts)
        file = tmp_path_factory.mktemp("hostile") / "opencode.db"
        with closing(db_of.made(file)) as db:
            db_of.session(
                db,
                "s",
                title.encode("utf-8", "replace").decode(),
                directory=path.encode("utf-8", "replace").decode(),
            )
            parts = [db_of.said(text), db_of.ran("bash", {"command": text}, output)]
            db_of.message(db, "s", 1, "assistant", parts, modelID=title, error={"name": path})
            db.commit()
        with OpenCodeHistory(file) as history:
            page = history.messages("s")
            for node in (
                shown.shown_sessions(history.sessions()), shown.shown_page(page),
                shown.shown_message(page.messages[0]),
                shown.shown_found(history.search(text[:40] or "x")),
                shown.shown_comparison(compare(history, "s", "s")),
            ):  # fmt: skip
                assert_inert(node)

    @looped(
        "data",
        [
            "",
            "no JSON",
            "[]",
            "null",
            '{"type": 7}',
            "[" * 100_000,
            '{"state": [], "type": "tool"}',
            "\udcff",
        ],
    )
    def test_data_of_any_kind_is_told_of(self, tmp_path: Path, data: str) -> None:
        path = tmp_path / "opencode.db"
        with closing(db_of.made(path)) as db:
            db_of.session(db, "s", model="{", time_updated="soon", title=b"\xff\xfe")
            name = db_of.message(db, "s", 1, "user", [data.encode("utf-8", "replace").decode()])
            db.execute("UPDATE message SET data = ?", (data.encode("utf-8", "surrogateescape"),))
            db.commit()
        with OpenCodeHistory(path) as history:
            assert history.session("s").messages == 1
            assert told(path, name, "--message")
            assert history.search("anything").found == ()
            history.compactions("s")
            history.context("s")
            "".join(exported(history, "s"))


class TestGrowth:
    def test_work_grows_in_proportion(self, tmp_path: Path) -> None:
        def prepared(size: int) -> Any:
            path = tmp_path / f"{size}.db"
            if not path.exists():
                db_of.large(path, size, sessions=1)
            history = OpenCodeHistory(path)

            def act() -> None:
                for _ in history.all_messages("ses_0000"):
                    pass
                history.compactions("ses_0000")

            act.history = history  # type: ignore[attr-defined]
            return act

        def counted(act: Any) -> int:
            return steps([act.history._db], act)

        assert growth(prepared, 120) < 2.3
        assert growth(prepared, 120, counted) < 2.3

    def test_a_page_costs_the_same_in_any_session(self, tmp_path: Path) -> None:
        def prepared(size: int) -> Any:
            history = OpenCodeHistory(db_of.large(tmp_path / f"{size}.db", size, sessions=1))
            return lambda: (history.messages("ses_0000"), history.context("ses_0000"))

        assert growth(prepared, 120, lines_run) < 1.1

    def test_memory_is_that_of_a_page(self, tmp_path: Path) -> None:
        def used(size: int) -> int:
            with OpenCodeHistory(db_of.large(tmp_path / f"{size}.db", size, sessions=1)) as history:
                return peak(lambda: [None for _ in exported(history, "ses_0000")])

        used(10)
        assert used(600) < 1.3 * used(200)
