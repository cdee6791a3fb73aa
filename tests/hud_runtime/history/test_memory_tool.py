"""The tool ``memory``: past sessions for an agent, and its HUD under the names of the document."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import HudSession, HudStore
from hud_runtime.history import MEMORY, memory_toolset
from hud_runtime.integrations import HostSession
from hud_runtime.tools import status_line
from tests.hud_runtime.history import databases as db_of
from tests.ids import looped
from ujsx.schema import DIALECTS, schema_tokens
from ujsx.tools import ToolResult

Call = Callable[..., ToolResult]

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "calls.jsonl").read_text("utf-8").splitlines()
]

DOCUMENTED = {
    "help", "summary", "sessions", "messages", "message", "search", "compactions", "context", "plans",
    "hud", "hud_update", "hud_note", "hud_decision", "hud_file", "hud_blocker", "hud_step", "hud_clear",
}  # fmt: skip
"""The operations that the founding documents name."""


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HudSession]:
    """A session, on a machine without OpenCode."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("UJSX_HOME", str(tmp_path / "home"))
    with HudStore.open(tmp_path / "hud.db", clock=lambda: 1_700_000_000_000) as store:
        yield store.session("ses_login", project=str(tmp_path / "shop"))


@pytest.fixture
def call(session: HudSession) -> Call:
    def made(tool: str, **arguments: Any) -> ToolResult:
        return MEMORY.call("memory", {"tool": tool, "args": arguments}, context=session)

    return made


@pytest.fixture
def past(session: HudSession, tmp_path: Path) -> Path:
    """A database of OpenCode's, found under XDG data, that has the session, too."""
    folder = tmp_path / "data" / "opencode"
    folder.mkdir(parents=True)
    return db_of.small(folder / "opencode.db")


class TestRouter:
    def test_f4_every_operation_of_the_documents_is_there(self) -> None:
        assert {*MEMORY.operations} == DOCUMENTED | {"children"}

    @looped("dialect", [*DIALECTS])
    @looped("layout", ["grouped", "flat", "loose", "separate"])
    def test_f4_it_is_one_tool_in_any_layout(self, dialect: str, layout: str) -> None:
        assert len(MEMORY.definitions(dialect, layout=layout)) == 1

    def test_f4_it_is_small(self) -> None:
        [tool] = MEMORY.definitions("mcp")
        [whole] = memory_toolset(hud=True).definitions("mcp")
        assert schema_tokens(tool) < 560
        assert schema_tokens(whole) < 1_000
        assert "hud_note" not in json.dumps(tool)
        assert "hud_note" in json.dumps(whole)

    def test_help_tells_of_all_and_of_one(self, call: Call) -> None:
        every = call("help").text
        assert all(each in every for each in DOCUMENTED)
        one = MEMORY.call("memory", {"tool": "help", "args": {"tool": "search"}})
        assert "Words that must all be there" in one.text
        assert MEMORY.call("memory", {"tool": "help", "args": {"tool": "serch"}}).is_error

    def test_f4_the_hud_and_the_memory_are_apart(self, session: HudSession) -> None:
        host = HostSession(lambda: session, toolsets=[MEMORY])
        assert [each.name for each in host.tools()] == ["hud", "hud_compact", "memory"]
        assert [each.name for each in host.tools(layout="separate")][-1] == "memory"
        assert host.call("hud", {"op": "notes.add", "content": "a"}).text.startswith("Added")
        assert host.call("memory", {"tool": "hud_note", "args": {"note": "b"}}).text.startswith(
            "Added"
        )
        assert [each.content for each in session.state().notes] == ["a", "b"]


class TestMalformed:
    def test_a_call_is_mended_to_what_it_says(
        self, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
    ) -> None:
        seen: list[tuple[str, dict[str, Any]]] = []
        for name, operation in MEMORY.operations.items():
            monkeypatch.setattr(
                type(operation), "answer",
                lambda self, arguments, context=None: seen.append((self.name, arguments.model_dump(exclude_unset=True))),
            )  # fmt: skip
            del name
        for case in CASES:
            if "does" not in case:
                continue
            with subtests.test(case["name"]):
                seen.clear()
                assert not MEMORY.call("memory", case["arguments"]).is_error
                [(name, given)] = seen
                assert (
                    name,
                    {key: value for key, value in given.items() if value is not None},
                ) == (
                    case["does"],
                    case["with"],
                )

    @looped("case", [each for each in CASES if "does" not in each], ids=lambda each: each["name"])
    def test_a_call_that_says_nothing_clear_is_refused(
        self, session: HudSession, case: dict[str, Any]
    ) -> None:
        before = session.version
        result = MEMORY.call("memory", case["arguments"], context=session)
        assert result.is_error
        assert case["refused"] in result.text
        assert session.version == before

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=20),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(
                        [
                            "tool",
                            "args",
                            "op",
                            "call",
                            "query",
                            "session_id",
                            "limit",
                            "section",
                            "value",
                            "read",
                        ]
                    ),
                    inner,
                    max_size=4,
                )
            ),
            max_leaves=8,
        )
    )
    def test_no_call_breaks_it(self, arguments: Any) -> None:
        with HudStore.open(":memory:") as store:
            result = memory_toolset("/nowhere.db").call(
                "memory", arguments, context=store.session("s")
            )
        assert result.exception is None or result.data["error"] == "refused"


class TestAliases:
    """F4: the operations on the HUD are those of the tool ``hud``."""

    @looped(
        ("tool", "arguments", "operation", "given"),
        [
            ("hud", {}, "snapshot", {}),
            ("hud", {"section": "nextSteps"}, "steps.list", {}),
            ("hud", {"section": "task"}, "task.get", {}),
            ("hud_note", {"note": "Port 8080"}, "notes.add", {"content": "Port 8080"}),
            ("hud_decision", {"decision": "JWT", "details": "why"}, "decisions.record", {"summary": "JWT", "details": "why"}),
            ("hud_step", {"step": "Test it"}, "steps.add", {"description": "Test it"}),
            ("hud_file", {"file": "a.py"}, "files.open", {"path": "a.py"}),
            ("hud_file", {"file": "README", "action": "remove"}, "files.close", {"path": "README"}),
            ("hud_blocker", {"blocker": "CI"}, "blockers.add", {"description": "CI"}),
            ("hud_blocker", {"blocker": "No access", "action": "remove"}, "blockers.remove", {"id": "No access"}),
            ("hud_update", {"section": "currentTask", "value": "Add a login"}, "task.set", {"description": "Add a login"}),
            ("hud_clear", {"section": "keyDecisions"}, "section.clear", {"section": "decisions"}),
            ("hud_note", {"note": " "}, "notes.add", {"content": " "}),
            ("hud_blocker", {"blocker": "nothing", "action": "remove"}, "blockers.remove", {"id": "nothing"}),
        ],
    )  # fmt: skip
    def test_f4_each_answers_as_the_hud_does(
        self,
        tmp_path: Path,
        tool: str,
        arguments: dict[str, Any],
        operation: str,
        given: dict[str, Any],
    ) -> None:
        answers: list[ToolResult] = []
        states: list[Any] = []
        for way in (tool, operation):
            with HudStore.open(":memory:", clock=lambda: 1_700_000_000_000) as store:
                session = store.session("s")
                session.record("file.open", path="README")
                session.record("blocker.add", description="No access")
                if way == tool:
                    answers.append(
                        MEMORY.call("memory", {"tool": tool, "args": arguments}, context=session)
                    )
                else:
                    answers.append(session.call("hud", {"call": {"op": operation, **given}}))
                states.append(session.state())
        assert answers[0].text == answers[1].text
        assert answers[0].is_error == answers[1].is_error
        assert answers[0].data == answers[1].data
        assert states[0] == states[1]

    def test_f5_a_scalar_is_replaced_and_cleared(self, call: Call, session: HudSession) -> None:
        call("hud_update", section="currentTask", value="Add a login")
        call("hud_update", section="current_task", value="Add a logout")
        assert session.state().task.description == "Add a logout"
        for nothing in (None, "", "  "):
            call("hud_update", section="currentTask", value="x")
            call("hud_update", section="currentTask", value=nothing)
            assert session.state().task is None

    def test_f5_a_list_is_replaced_as_a_whole(self, call: Call, session: HudSession) -> None:
        call("hud_decision", decision="JWT", details="no table of its own")
        kept = session.state().decisions[0]
        result = call("hud_update", section="keyDecisions", value=["bcrypt", "JWT", "bcrypt", " "])
        assert [each.summary for each in session.state().decisions] == ["bcrypt", "JWT"]
        assert session.state().decisions[1] == kept  # with its details, under its id
        assert result.text == f"Decisions: 2 now.\n{status_line(session.known)}"
        version = session.version
        call("hud_update", section="keyDecisions", value=[])
        assert (session.state().decisions, session.version) == ((), version + 1)

    def test_f5_one_section_or_all_are_cleared(self, call: Call, session: HudSession) -> None:
        for tool, arguments in (
            ("hud_note", {"note": "a"}),
            ("hud_step", {"step": "b"}),
            ("hud_file", {"file": "c"}),
        ):
            call(tool, **arguments)
        call("hud_clear", section="notes")
        assert (len(session.state().notes), len(session.state().next_steps)) == (0, 1)
        assert call("hud_clear").text == "Cleared all sections.\nno task"
        assert session.state().next_steps == session.state().active_files == ()
        assert call("hud_clear").text == "Nothing changed.\nno task"

    @pytest.mark.parametrize(
        ("tool", "arguments", "said"),
        [
            ("hud", {"section": "nots"}, 'did you mean "notes"?'),
            ("hud_update", {"section": "compactedContext", "value": "x"}, "there is no section"),
            (
                "hud_update",
                {"section": "currentTask", "value": ["a"]},
                "task is one text, and no list",
            ),
            ("hud_clear", {"section": "everything"}, "there is no section"),
        ],
    )
    def test_what_cannot_be_done_is_said(
        self, call: Call, session: HudSession, tool: str, arguments: dict[str, Any], said: str
    ) -> None:
        before = session.version
        result = call(tool, **arguments)
        assert (result.is_error, session.version) == (True, before)
        assert said in result.text

    def test_without_a_session_it_is_said(self) -> None:
        result = MEMORY.call("memory", {"tool": "hud_note", "args": {"note": "a"}})
        assert "no session is known here" in result.text

    def test_a_domain_of_ones_own(self) -> None:
        from docs.examples.support import SUPPORT  # type: ignore[import-not-found]

        with HudStore.open(":memory:", domain=SUPPORT) as store:
            session = store.session("t-1")
            answer = MEMORY.call(
                "memory", {"tool": "hud", "args": {"section": "promises"}}, context=session
            )
            assert not answer.is_error
            assert MEMORY.call(
                "memory", {"tool": "hud_step", "args": {"step": "x"}}, context=session
            ).is_error


class TestPast:
    def test_f4_it_reads_opencodes_database(self, call: Call, past: Path) -> None:
        assert "last migration" in call("summary").text
        assert "`ses_docs`" in call("sessions", limit=5, project_path="/srv/shop/docs").text
        assert "Five attempts an hour." in call("messages").text  # of the current session
        assert "Write the docs" in call("messages", session_id="ses_docs").text
        assert "Where is the middleware?" in call("message", message_id="msg_ses_login_000002").text
        assert "`msg_ses_sub_000001`" in call("search", query="look middleware").text
        assert "(automatic)" in call("compactions").text
        assert "A login with JWT." in call("compactions", read=1).text
        assert "counted from 1" in call("compactions", read=2).text
        assert "20,000 of 200,000 tokens" in call("context").text
        assert "`ses_sub`" in call("children").text

    def test_the_hosts_own_figures_go_before_those_of_the_database(
        self, call: Call, past: Path, session: HudSession
    ) -> None:
        session.record("context.snapshot", used=150_000, limit=400_000, actor="host")
        assert "150,000 of 400,000" in call("context").text
        assert "30,000 of 200,000" in call("context", session_id="ses_docs").text

    def test_a_subagent_is_its_own_session_there(
        self, past: Path, session: HudSession, tmp_path: Path
    ) -> None:
        with HudStore.open(tmp_path / "other.db") as store:
            child = store.session("ses_login/ses_sub")
            answer = MEMORY.call("memory", {"tool": "messages"}, context=child)
        assert "Look for the middleware" in answer.text

    def test_long_answers_come_in_parts(self, past: Path, call: Call) -> None:
        with closing(db_of.made(past.with_name("long.db"))) as db:
            db_of.session(db, "s")
            name = db_of.message(db, "s", 1, "user", [db_of.said("word " * 8_000)])
            db.commit()
        memory = memory_toolset(past.with_name("long.db"))
        first = memory.call("memory", {"tool": "message", "args": {"message_id": name}})
        assert "Part 1 of" in first.text
        assert len(first.text) < 17_000

    def test_a_damaged_database_is_told_of(self, past: Path, call: Call) -> None:
        past.write_bytes(b"no database")
        for tool in ("summary", "sessions", "messages", "compactions"):
            result = call(tool)
            assert result.is_error
            assert str(past) in result.text
        assert not call("hud_note", note="The HUD still works").is_error


class TestWithoutOpenCode:
    """Where there is no database, the session's own log answers."""

    def test_f4_its_own_store_answers(
        self, call: Call, session: HudSession, tmp_path: Path
    ) -> None:
        call("hud_note", note="Port 8080")
        session.record("compact.after", summary="# Goal\nShip it", actor="host")
        session.record("context.snapshot", used=150_000, limit=200_000, actor="host")
        same = {
            "messages": ("history", {"limit": 20}), "search": ("search", {"query": "port", "limit": 10}),
            "compactions": ("summaries.list", {}), "context": ("context", {}),
        }  # fmt: skip
        for tool, (operation, more) in same.items():
            arguments = {"query": "port"} if tool == "search" else {}
            assert (
                call(tool, **arguments).text
                == session.call("hud", {"call": {"op": operation, **more}}).text
            )
        assert "Ship it" in call("compactions", read=1).text
        assert call("compactions", read=2).is_error
        assert "`ses_login`" in call("sessions").text
        assert call("sessions", project_path="/nowhere").text == "No sessions."
        assert "OpenCode has no database here" in call("summary").text

    def test_what_only_opencode_has_is_refused(self, call: Call) -> None:
        assert "OpenCode" in call("message", message_id="m").text
        assert "OpenCode has no database here" in call("messages", session_id="ses_other").text

    def test_pages_of_the_log(self, call: Call, session: HudSession) -> None:
        for number in range(2, 12):
            session.record("note.add", content=f"note {number}")
        assert "`6`" not in call("messages", limit=2, before=6).text
        assert "`5`" in call("messages", limit=2, before=6).text

    def test_i5_plans_are_those_of_the_projects_folder(self, call: Call, tmp_path: Path) -> None:
        folder = tmp_path / "shop" / ".opencode" / "plans"
        folder.mkdir(parents=True)
        (folder / "1-plan.md").write_text("# Login\n\nFirst the schema.\n")
        assert "`1-plan.md`" in call("plans").text
        assert "First the schema." in call("plans", read="1-plan.md").text
        assert call("plans", read="../../1-plan.md").is_error
