"""What calls and answers mean: tables, and the small rules that read them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components.folding import path_within
from hud_runtime import HudStore, ToolTable, Transcript, read_transcript, replay
from hud_runtime.log.events import EventDraft
from hud_runtime.observe import (
    OPERATIONS,
    Failure,
    FileTool,
    HudTool,
    TaskMarker,
    task_in,
)
from hud_runtime.tools import definitions, hud_toolset
from tests.hud_runtime.clock import Ticking
from tests.hud_runtime.observation.inside import Todo, changes, touched
from tests.ids import looped
from ujsx import DefinitionError

Step = tuple[str, dict[str, object], str, bool]
"""A tool, its arguments, its answer, and whether it failed."""


def session_of(path: Path, *steps: Step, table: ToolTable | None = None) -> Transcript:
    """Write a session in which the agent makes one call a turn, and read it."""
    lines: list[object] = [_line("user", "Add a login")]
    for number, (name, arguments, answer, failed) in enumerate(steps):
        call = {"type": "tool_use", "id": f"t{number}", "name": name, "input": arguments}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": answer}
        lines.append(_line("assistant", [call], id=f"m{number}"))
        lines.append(_line("user", [{**result, "is_error": failed}]))
    path.write_text("\n".join(map(json.dumps, lines)))
    return read_transcript(path, table=table)


def _line(role: str, content: object, **more: object) -> dict[str, object]:
    message = {"role": role, "content": content, **more}
    return {"type": role, "sessionId": "s", "cwd": "/app", "message": message}


def told(
    transcript: Sequence[EventDraft] | Transcript, but: str = "check.result"
) -> list[tuple[str, object]]:
    """Return the types with the one value that tells the most, after the task, but for one type."""
    drafts = [draft for draft in transcript if draft.type != but]
    return [(draft.type, next(iter(draft.payload.values()))) for draft in drafts][1:]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


class TestTask:
    @looped(
        ("prompt", "task"),
        [
            ("Hello Claude! Can you help me?", "Can you help me?"),
            ("# Add a login\n\nDetails follow.", "Add a login"),
            ("<pr_description>\nTitle: Fix it\nmore\n</pr_description>", "Fix it"),
            ("Intro.\n\n## Task\n\nAdd a login\nwith JWT", "Add a login"),
            ("<system-reminder>\nTask: no\n</system-reminder>\nAdd a login", "Add a login"),
            ("ISSUE:\r\nTimeDelta precision\r\n", "TimeDelta precision"),
            ("***\n---", None),
            ("", None),
        ],
    )
    def test_is_cut_out_of_the_first_prompt(self, prompt: str, task: str | None) -> None:
        assert task_in(prompt) == task

    @given(prompt=st.text())
    def test_is_one_line_that_is_not_long(self, prompt: str) -> None:
        task = task_in(prompt)
        assert task is None or (task.strip() and len(task) <= 160 and "\n" not in task)

    def test_can_be_found_by_a_users_marker(self) -> None:
        marker = TaskMarker("a ticket", r"^TICKET-\d+: (?P<task>.+)$")
        assert task_in("Hi.\nTICKET-7: Add a login", (marker,)) == "Add a login"

    def test_needs_a_marker_that_tells_it(self) -> None:
        with pytest.raises(DefinitionError, match='"a ticket" has no group "task"'):
            TaskMarker("a ticket", "^TICKET")


class TestIssues:
    @pytest.mark.parametrize(
        ("tool", "given", "answer", "issue"),
        [
            (
                "mcp__tracker__create_issue",
                {"title": "x"},
                '{"id": "7f", "identifier": "AB-7"}',
                "AB-7",
            ),
            (
                "mcp__github__create_issue",
                {"title": "x"},
                '{"html_url": "https://x.com/a/b/issues/9"}',
                "#9",
            ),
            ("mcp__jira__createJiraIssue", {"summary": "x"}, '{"key": "OPS-12"}', "OPS-12"),
            (
                "Bash",
                {"command": "gh issue create -t x"},
                "https://github.com/a/b/issues/12",
                "#12",
            ),
            ("mcp__tracker__get_issue", {"id": "AB-7"}, '{"identifier": "AB-7"}', None),
            ("mcp__tracker__create_issue", {"title": "x"}, "no team is named so", None),
        ],
    )
    def test_that_were_made_are_facts(
        self, path: Path, tool: str, given: dict[str, object], answer: str, issue: str | None
    ) -> None:
        transcript = session_of(path, (tool, given, answer, False))
        facts = [dict(draft.payload) for draft in transcript if draft.type == "fact.set"]
        assert facts == ([{"name": "issue", "value": issue}] if issue else [])


class TestFiles:
    def test_are_touched_when_the_answer_is_there(self, path: Path) -> None:
        transcript = session_of(
            path,
            ("Read", {"file_path": "/app/a.py"}, "x", False),
            ("Edit", {"file_path": "a.py"}, "done", False),
            ("NotebookEdit", {"notebook_path": "/app/n.ipynb"}, "done", False),
            ("Write", {"file_path": "/etc/hosts"}, "denied", True),
        )
        assert told(transcript)[:3] == [
            ("file.open", "a.py"),
            ("file.edit", "a.py"),
            ("file.edit", "n.ipynb"),
        ]
        assert [kind for kind, _ in told(transcript)[3:]] == ["error.encountered"]

    @pytest.mark.parametrize(
        ("script", "seen"),
        [
            ("make > /tmp/out.txt", "file.open"),
            ("make > build/out.txt", "file.edit"),
            ("make > /etc/out.txt", "file.edit"),
        ],
    )
    def test_that_a_command_leaves_among_temporary_ones_are_not_work(
        self, path: Path, script: str, seen: str
    ) -> None:
        step = ("Bash", {"command": script}, "", False)
        assert [kind for kind, _ in told(session_of(path, step))] == [seen]

    def test_of_a_users_own_tool_are_found(self, path: Path) -> None:
        table = ToolTable().extended(tools={"peek": FileTool("file.open", ("where",))})
        step = ("mcp__my__peek", {"where": "a.py"}, "x", False)
        assert told(session_of(path, step, table=table)) == [("file.open", "a.py")]

    def test_that_are_removed_are_closed_if_they_were_known(self, path: Path) -> None:
        transcript = session_of(
            path,
            ("Read", {"file_path": "src/a.py"}, "x", False),
            ("Bash", {"command": "rm -rf src unknown.py"}, "", False),
        )
        assert told(transcript, but="fact.set") == [
            ("file.open", "src/a.py"),
            ("file.close", "src/a.py"),
        ]

    @looped(
        ("script", "gone"),
        [
            ("rm src/a.py src/b/c.py", "a.py, b/c.py in src"),
            ("rm a.py", "a.py"),
            ("rm -rf build /tmp/a.py ../b.py *.pyc", None),
            ("mv a.py b.py", "a.py"),
            ("rm a.py; touch a.py", None),
        ],
    )
    def test_that_are_removed_are_told_until_a_commit(
        self, path: Path, script: str, gone: str | None
    ) -> None:
        steps = [("Bash", {"command": script}, "", False)]
        facts = [dict(each.payload) for each in session_of(path, *steps) if each.type == "fact.set"]
        assert facts == ([{"name": "deleted", "value": gone}] if gone else [])
        steps.append(("Bash", {"command": "git commit -m x"}, "[main 1a2b3c4] x", False))
        told = {
            each.payload["name"]: each.payload["value"]
            for each in session_of(path, *steps)
            if each.type == "fact.set"
        }
        assert not told.get("deleted")

    @looped(
        ("path", "root", "directory", "as_shown"),
        [
            ("/app/a.py", "/app", None, "a.py"),
            ("/app/a.py", "/app/", None, "a.py"),
            ("/apple/a.py", "/app", None, "/apple/a.py"),
            ("a/../b.py", "/app", None, "b.py"),
            ("../b.py", "/app", "/app/src", "b.py"),
            ("a.py", None, None, "a.py"),
            ("C:\\app\\src\\a.py", "C:\\app", None, "src/a.py"),
        ],
    )
    def test_have_one_name_each(
        self, path: str, root: str | None, directory: str | None, as_shown: str
    ) -> None:
        assert path_within(path, root, directory) == as_shown


class TestShell:
    @looped(
        ("script", "files"),
        [
            ("cat a.py", [("file.open", "a.py")]),
            ("cat a.py 2>/dev/null | head -n 5", [("file.open", "a.py")]),
            ("cd src && rm -f 'a b.py'", [("file.close", "src/a b.py")]),
            ("cat > a.py <<'EOF'\nrm b.py\nEOF", [("file.edit", "a.py")]),
            ("cat <<EOF\nrm b.py\nEOF\nrm c.py", [("file.close", "c.py")]),
            ("rm *.pyc $HOME/x `x`", []),
            ("echo hello > /dev/null 2>&1", []),
            ("cat 'unclosed", []),
            ("python a.py", []),
            ("edit 1:2\nrm x.py\nend_of_edit", [("file.edit", None)]),
        ],
    )
    def test_touches_what_its_words_say(
        self, script: str, files: list[tuple[str, str | None]]
    ) -> None:
        assert [(one.event, one.path) for one in touched(script)] == files

    @given(script=st.text(alphabet="rm cat>|&;'\"\\\n<EOF$a.-/", max_size=40))
    def test_never_fails(self, script: str) -> None:
        list(touched(script))


class TestErrors:
    def test_are_resolved_when_the_same_succeeds(self, path: Path) -> None:
        run = {"command": "pytest tests"}
        transcript = session_of(
            path,
            ("Bash", run, "Exit code 1\n1 failed", True),
            ("Bash", {"command": "pytest other"}, "ok", False),
            ("Bash", run, "1 passed", False),
        )
        message = "pytest tests: 1 failed"
        assert told(transcript) == [("error.encountered", message), ("error.resolved", message)]

    def test_are_seen_in_a_commands_output_without_a_mark(self, path: Path) -> None:
        trace = 'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: no port\n'
        transcript = session_of(path, ("Bash", {"command": "python a.py"}, trace, False))
        assert told(transcript) == [("error.encountered", "python a.py: ValueError: no port")]

    def test_are_not_seen_in_a_file_that_is_read(self, path: Path) -> None:
        trace = "Traceback (most recent call last):\nValueError: no port\n"
        transcript = session_of(path, ("Read", {"file_path": "log.txt"}, trace, False))
        assert told(transcript) == [("file.open", "log.txt")]

    def test_are_not_what_the_user_did_not_allow(self, path: Path) -> None:
        said = "The user doesn't want to proceed with this tool use."
        assert told(session_of(path, ("Bash", {"command": "rm a"}, said, True))) == []

    def test_of_a_users_own_kind_are_found(self, path: Path) -> None:
        table = ToolTable().extended(failures=(Failure(r"^PANIC: (?P<what>.+)$"),))
        step = ("Bash", {"command": "make"}, "PANIC: out of ink", False)
        assert told(session_of(path, step, table=table)) == [
            ("error.encountered", "make: out of ink")
        ]

    def test_need_a_message_that_can_be_written(self) -> None:
        with pytest.raises(DefinitionError, match="has no group 'whta'"):
            Failure("^PANIC: (?P<what>.+)$", says="{whta}")


class TestHudCalls:
    def test_are_the_events_that_they_record(self, path: Path) -> None:
        note = {"tool": "notes.add", "args": {"content": "Port 8080"}}
        as_text = {"tool": "notes.add", "args": json.dumps({"content": "Port 9090"})}
        read_only = {"tool": "notes.list", "args": {}}
        transcript = session_of(
            path,
            ("mcp__ujsx__hud", note, "Note kept.", False),
            ("hud", as_text, "Note kept.", False),
            ("hud", read_only, "2 notes", False),
        )
        assert told(transcript) == [("note.add", "Port 8080"), ("note.add", "Port 9090")]

    @pytest.mark.parametrize(
        ("name", "call"),
        [
            ("hud", {"call": {"op": "notes.add", "content": "Port 8080"}}),
            ("hud", {"call": json.dumps({"op": "notes.add", "content": "Port 8080"})}),
            ("hud", {"op": "notes.add", "content": "Port 8080", "id": None}),
            ("hud", {"op": "notesAdd", "args": {"Content": "Port 8080"}}),
            ("hud", {"notes.add": {"content": "Port 8080"}}),
            ("mcp__ujsx__hud_notes_add", {"content": "Port 8080"}),
        ],
    )
    def test_are_read_in_every_form_that_the_tool_takes(
        self, path: Path, name: str, call: dict[str, object]
    ) -> None:
        transcript = session_of(path, (name, call, "Done.", False))
        assert (told(transcript), transcript.problems) == ([("note.add", "Port 8080")], ())

    def test_may_stand_in_a_code_fence(self, path: Path) -> None:
        text = '```json\n{"op": "notes.add", "content": "Port 8080"}\n```'
        function = {"name": "hud", "arguments": text}
        lines = (
            {"role": "user", "content": "Add a login"},
            {"role": "assistant", "tool_calls": [{"id": "1", "function": function}]},
            {"role": "tool", "tool_call_id": "1", "content": "Added n-3."},
        )
        path.write_text("\n".join(map(json.dumps, lines)))
        drafts = [each for each in read_transcript(path) if each.type == "note.add"]
        assert [each.payload for each in drafts] == [{"content": "Port 8080", "id": "n-3"}]

    def test_of_a_tool_with_other_words_are_read(self, path: Path) -> None:
        table = ToolTable().extended(tools={"memory": HudTool("action", "fields")})
        call = {"action": "notes.add", "fields": {"content": "Port 8080"}}
        transcript = session_of(path, ("memory", call, "ok", False), table=table)
        assert told(transcript) == [("note.add", "Port 8080")]

    def test_are_all_known(self) -> None:
        operations = hud_toolset(None).operations
        assert set(operations) <= set(OPERATIONS)
        tools = definitions("mcp", layout="separate", rare=True)
        names = {tool["name"] for tool in tools} - {"hud_compact"}
        assert len(names) == len(operations)
        assert all(isinstance(ToolTable().tool(name), HudTool) for name in names)

    def test_name_items_by_the_ids_that_were_answered(self, path: Path) -> None:
        with HudStore.open(":memory:", clock=Ticking()) as store:
            live = store.session("live")
            live.record("note.add", content="before the transcript")
            steps: list[Step] = []
            for call in (
                {"op": "steps.add", "description": "Write"},
                {"op": "steps.add", "description": "Test"},
                {"op": "files.edit", "path": "a.py"},
            ):
                answer = live.call("hud", {"call": call})
                steps.append(("hud", {"call": call}, answer.text, answer.is_error))
            first = live.state().next_steps[0].id
            answer = live.call("hud", {"call": {"op": "steps.complete", "id": first}})
            done = {"call": {"op": "steps.complete", "id": first}}
            steps.append(("hud", done, answer.text, answer.is_error))
            session = store.session("replayed")
            told = replay(session_of(path, *steps), session)
            assert told.problems == ()
            assert session.state().next_steps == live.state().next_steps
            assert [file.path for file in session.state().active_files] == ["a.py"]

    def test_that_make_no_sense_are_problems(self, path: Path) -> None:
        transcript = session_of(
            path,
            ("hud", {"tool": "notes.ad", "args": {}}, "?", False),
            ("hud", {"tool": "notes.add", "args": {"colour": "x"}}, "?", False),
        )
        assert told(transcript) == []
        assert [str(problem) for problem in transcript.problems] == [
            (
                'line 2: hud: $.tool: there is no operation "notes.ad"; did you mean "notes.add", '
                "or notes.list, notes.update?"
            ),
            (
                "line 4: hud: $.args.colour: no such argument; known: content; "
                "$.args.content: required, but not given"
            ),
        ]

    def test_that_the_session_refuses_are_problems(self, path: Path) -> None:
        step = ("hud", {"tool": "notes.remove", "args": {"id": "n-9"}}, "?", False)
        with HudStore.open(":memory:", clock=Ticking()) as store:
            done = replay(session_of(path, step), store.session("s"))
        assert [str(problem) for problem in done.problems] == [
            'turn 1: note.remove: there is no "n-9" in notes; there are none'
        ]


class TestTodos:
    lists = st.lists(
        st.builds(Todo, st.sampled_from("abcdef"), st.booleans(), st.none()),
        unique_by=lambda todo: todo.text,
    )

    @given(versions=st.lists(lists, max_size=4))
    def test_lead_from_any_list_to_any_other(self, versions: list[list[Todo]]) -> None:
        with HudStore.open(":memory:", clock=Ticking()) as store:
            session = store.session("s")
            old: list[Todo] = []
            for new in versions:
                session.record_all([EventDraft(kind, data) for kind, data in changes(old, new)])
                plan = [(step.description, step.completed) for step in session.state().next_steps]
                assert plan == [(todo.text, todo.done) for todo in new]
                old = new

    def test_with_ids_are_reworded(self) -> None:
        found = list(changes([Todo("a", key="1")], [Todo("b", key="1")]))
        assert found == [("step.update", {"id": "a", "description": "b"})]
