"""Claude Code's sessions: what was taken back, sub-agents as children, resumed sessions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hud_components import HudState
from hud_runtime import HudStore, read_transcript, replay
from hud_runtime.history.exchange import replayed
from hud_runtime.transcripts import LiveTranscript
from tests.ids import looped


def _record(kind: str, uuid: str, parent: str | None, content: Any, **more: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": kind, "content": content}
    if kind == "assistant":
        message |= {"id": f"m-{uuid}"}
    return {"type": kind, "sessionId": "s", "uuid": uuid, "parentUuid": parent, "message": message, **more}  # fmt: skip


def _edit(uuid: str, parent: str, path: str, **more: Any) -> list[dict[str, Any]]:
    call = {
        "type": "tool_use",
        "id": f"t-{uuid}",
        "name": "Write",
        "input": {"file_path": path, "content": "x"},
    }
    answer = {"type": "tool_result", "tool_use_id": f"t-{uuid}", "content": "File created."}
    return [
        _record("assistant", uuid, parent, [call], **more),
        _record("user", f"{uuid}-r", uuid, [answer], **more),
    ]


def _file(path: Path, *records: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")
    return path


def _state(path: Path) -> HudState:
    with HudStore.open(":memory:") as store:
        replay(path, session := store.session("s"))
        return session.state()


def _task(path: Path) -> tuple[str, str | None]:
    task = _state(path).task
    assert task is not None
    return task.description, task.goal


class TestRewound:
    def test_prompts_are_no_longer_asked(self, tmp_path: Path) -> None:
        path = _file(
            tmp_path / "s.jsonl",
            _record("user", "u1", None, "Add a login with JWT to the web service."),
            _record("assistant", "a1", "u1", [{"type": "text", "text": "Done."}]),
            _record("user", "u2", "a1", "Forget that. Use sessions with cookies instead, please."),
            *_edit("a2", "u2", "sessions.py"),
            _record("user", "u3", "a2-r", "And a table for them, with an index."),
            _record("user", "u4", "a1", "Also limit the attempts."),
        )  # fmt: skip
        assert _task(path) == (
            "Also limit the attempts.",
            "Add a login with JWT to the web service.",
        )
        # What was done to files stays done.
        assert [one.path for one in _state(path).active_files] == ["sessions.py"]

    def test_calls_beside_one_another_take_nothing_back(self, tmp_path: Path) -> None:
        path = _file(
            tmp_path / "s.jsonl",
            _record("user", "u1", None, "Add a login with JWT to the web service."),
            *_edit("a1", "u1", "a.py"),
            *_edit("a2", "a1", "b.py"),
            _record("user", "u2", "a1-r", "Also limit the attempts."),
            _record("system", "c", None, "", subtype="compact_boundary", logicalParentUuid="u2"),
            _record("user", "u3", "c", "What is left?"),
        )
        assert _task(path)[0] == "What is left?"
        assert _task(path)[1] == "Add a login with JWT to the web service."

    def test_a_resumed_session_repeats_nothing(self, tmp_path: Path) -> None:
        first = [_record("user", "u1", None, "Add a login."), *_edit("a1", "u1", "a.py")]
        again = [{**one, "sessionId": "t"} for one in first]
        path = _file(tmp_path / "s.jsonl", *first, *again, _record("user", "u2", "a1-r", "Ship it."))  # fmt: skip
        transcript = read_transcript(path)
        assert transcript.calls == 1
        assert transcript.skipped["repeated"] == 3


class TestTasks:
    def test_outlive_a_compaction_whose_summary_names_none(self, tmp_path: Path) -> None:
        def called(uuid: str, parent: str, name: str, given: object, said: str) -> list[Any]:
            call = {"type": "tool_use", "id": f"t-{uuid}", "name": name, "input": given}
            answer = {"type": "tool_result", "tool_use_id": f"t-{uuid}", "content": said}
            return [
                _record("assistant", uuid, parent, [call]),
                _record("user", f"{uuid}-r", uuid, [answer]),
            ]

        path = _file(
            tmp_path / "s.jsonl",
            _record("user", "u1", None, "Design the modules."),
            *called("a1", "u1", "TaskCreate", {"subject": "Parser"}, "Task #1 created successfully: Parser"),
            *called("a2", "a1-r", "TaskCreate", {"subject": "Writer"}, "Task #2 created successfully: Writer"),
            *called("a3", "a2-r", "TaskUpdate", {"taskId": "1", "status": "completed"}, "Updated task #1 status"),
            _record("system", "c", None, "", subtype="compact_boundary", logicalParentUuid="a3-r"),
            _record("user", "s", "c", "Continued.", isCompactSummary=True),
            *called("a4", "s", "TaskList", {}, "No tasks found"),
        )  # fmt: skip
        steps = [(step.description, step.completed) for step in _state(path).next_steps]
        assert steps == [("Parser", True), ("Writer", False)]


class TestAsks:
    """What the user writes while a tool runs stands in one message with the tool's answer."""

    @looped(
        ("beside", "task"),
        [
            ("Can we do this in the hooks?", "Can we do this in the hooks?"),
            ("[Request interrupted by user for tool use]", "Find the leak."),
            ("<system-reminder>\nAdd tests.\n</system-reminder>", "Find the leak."),
        ],
    )
    def test_beside_an_answer_is_heard(self, tmp_path: Path, beside: str, task: str) -> None:
        call, answer = _edit("a1", "u1", "a.py")
        answer["message"]["content"].append({"type": "text", "text": beside})
        path = _file(
            tmp_path / "s.jsonl", _record("user", "u1", None, "Find the leak."), call, answer
        )
        state = _state(path)
        assert state.task is not None
        assert state.task.description == task
        assert [each.path for each in state.active_files] == ["a.py"]


class TestContext:
    @looped(("used", "limit"), [(150_000, 200_000), (347_201, 1_000_000), (1_200_000, None)])
    def test_is_of_a_size_that_its_maker_has(
        self, tmp_path: Path, used: int, limit: int | None
    ) -> None:
        spoke = _record("assistant", "a1", "u1", [{"type": "text", "text": "Done."}])
        spoke["message"] |= {"model": "claude-opus-4-8", "usage": {"input_tokens": used}}
        path = _file(tmp_path / "s.jsonl", _record("user", "u1", None, "Add a login."), spoke)
        usage = _state(path).usage
        assert (usage and (usage.used, usage.limit)) == (limit and (used, limit))


class TestSubAgents:
    def records(self) -> list[dict[str, Any]]:
        side = {"isSidechain": True, "agentId": "e1"}
        return [
            _record("user", "u1", None, "Add a login."),
            _record("user", "c1", None, "Look for the routes, and write them down.", **side),
            *_edit("c2", "c1", "routes.md", **side),
            _record("user", "d1", None, "Review the tests.", isSidechain=True),
            _record("assistant", "d2", "d1", [{"type": "text", "text": "Fine."}], isSidechain=True),
            *_edit("a1", "u1", "login.py"),
        ]

    def test_of_the_same_file_are_children(self, tmp_path: Path) -> None:
        path = _file(tmp_path / "s.jsonl", *self.records())
        with HudStore.open(tmp_path / "hud.db") as store:
            update = LiveTranscript(store, path).update()
            assert [one.session.id for one in update.children] == ["s/agent-e1", "s/agent-d1"]
            child = store.session("s/agent-e1").state()
            assert child.task is not None
            assert child.task.description == "Look for the routes, and write them down."
            assert [one.path for one in child.active_files] == ["routes.md"]
            own = store.session("s").state()
            assert own.task is not None
            assert own.task.description == "Add a login."
            assert [one.path for one in own.active_files] == ["routes.md", "login.py"]
        with HudStore.open(tmp_path / "hud.db") as store:  # as after a restart
            again = LiveTranscript(store, path).update()
            assert [again.events, *(one.events for one in again.children)] == [0, 0, 0]

    def test_are_told_apart_from_a_session_that_has_no_message_yet(self, tmp_path: Path) -> None:
        first = {"type": "system", "sessionId": "s", "uuid": "x", "subtype": "session_start"}
        path = _file(tmp_path / "s.jsonl", first, {**first, "uuid": "y"})
        with HudStore.open(":memory:") as store:
            live = LiveTranscript(store, path)
            live.update()
            _file(path, first, {**first, "uuid": "y"}, *self.records())
            assert len(live.update().children) == 2
            task = store.session("s").state().task
            assert task is not None
            assert task.description == "Add a login."

    def test_of_their_own_files_are_children(self, tmp_path: Path) -> None:
        path = _file(tmp_path / "s.jsonl", *self.records()[:1], *_edit("a1", "u1", "login.py"))
        side = {"isSidechain": True, "agentId": "e1"}
        inner = [
            _record("user", "c1", None, "Look for the routes.", **side),
            *_edit("c2", "c1", "routes.md", **side),
        ]
        own = _file(tmp_path / "s" / "subagents" / "agent-e1.jsonl", *inner)
        with HudStore.open(tmp_path / "hud.db") as store:
            live = LiveTranscript(store, path)
            [child] = live.update().children
            assert child.session.id == "s/agent-e1"
            assert child.events > 1
            _file(own, *inner, *_edit("c3", "c2-r", "more.md", **side))
            [child] = live.update().children
            assert [one.path for one in child.session.state().active_files] == [
                "routes.md",
                "more.md",
            ]
        with HudStore.open(tmp_path / "hud.db") as store:
            assert LiveTranscript(store, path).update().children[0].events == 0

    def test_told_as_they_work_are_children_once(self, tmp_path: Path) -> None:
        inner = [
            _record("user", "c1", None, "Look for the routes."),
            *_edit("c2", "c1", "routes.md"),
        ]
        told = [
            _record("progress", f"p{number}", "u1", [], data={"agentId": "e1", "message": one})
            for number, one in enumerate(inner)
        ]
        path = _file(tmp_path / "s.jsonl", self.records()[0], *told, *_edit("a1", "p2", "login.py"))
        with HudStore.open(":memory:") as store:
            [child] = LiveTranscript(store, path).update().children
            assert child.session.id == "s/agent-e1"
            task = child.session.state().task
            assert task is not None
            assert task.description == "Look for the routes."
            own = store.session("s").state()
            assert own.task is not None
            assert own.task.description == "Add a login."
            assert [one.path for one in own.active_files] == ["routes.md", "login.py"]
        with replayed(path) as found:
            [words, *_] = (found.words() or {}).values()
        assert "routes.md" not in str(words)  # the session's model has not read it
        side = [{**one, "isSidechain": True, "agentId": "e1"} for one in inner]
        _file(tmp_path / "s" / "subagents" / "agent-e1.jsonl", *side)
        with HudStore.open(":memory:") as store:
            [child] = LiveTranscript(store, path).update().children
            assert [one.path for one in child.session.state().active_files] == ["routes.md"]


class TestBackground:
    def test_a_command_ends_when_another_call_says_so(self, tmp_path: Path) -> None:
        run = {
            "type": "tool_use",
            "id": "t1",
            "name": "Bash",
            "input": {"command": "go test ./...", "run_in_background": True},
        }
        begun = {
            "type": "tool_result",
            "tool_use_id": "t1",
            "content": "Command running in background with ID: b4f. Output is being written to: /tmp/b4f.output",
        }
        look = {
            "type": "tool_use",
            "id": "t2",
            "name": "TaskOutput",
            "input": {"task_id": "b4f", "block": True},
        }
        ended = {
            "type": "tool_result",
            "tool_use_id": "t2",
            "content": (
                "<retrieval_status>success</retrieval_status>\n\n<task_id>b4f</task_id>\n\n<status>failed</status>\n\n"
                "<exit_code>1</exit_code>\n\n<output>\n--- FAIL: TestClock (0.00s)\nFAIL\n</output>"
            ),
        }
        records = [
            _record("user", "u1", None, "Run the tests."),
            _record("assistant", "a1", "u1", [run]),
            _record("user", "a2", "a1", [begun]),
            _record("assistant", "a3", "a2", [look]),
        ]
        path = _file(tmp_path / "s.jsonl", *records)
        assert not _state(path).errors
        assert not _state(path).checks
        _file(path, *records, _record("user", "a4", "a3", [ended]))
        assert [one.message for one in _state(path).errors] == ["go test ./...: TestClock"]
        assert [(one.name, one.result) for one in _state(path).checks] == [("go test", "fail")]
        other = {**look, "name": "Bash", "input": {"command": "cat notes.txt"}}
        others = [*records[:3], _record("assistant", "a3", "a2", [other])]
        _file(path, *others, _record("user", "a4", "a3", [ended]))
        assert not _state(path).checks
        told = "<task-notification>\n<task-id>b4f</task-id>\n<status>completed</status>\n<summary>Background command completed (exit code 0)</summary>\n</task-notification>"
        _file(path, *records[:3], _record("user", "u2", "a2", told))
        assert [(one.name, one.result) for one in _state(path).checks] == [("go test", "pass")]


class TestPrinted:
    """What ``claude -p`` and ``qwen`` print with ``--output-format stream-json``."""

    def test_a_subagents_prompt_is_nobodys_ask(self, tmp_path: Path) -> None:
        def said(kind: str, content: object, parent: str | None = None) -> dict[str, object]:
            message = {"role": kind, "content": content}
            return {"type": kind, "message": message, "parent_tool_use_id": parent, "session_id": "s"}  # fmt: skip

        run = {"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "pytest -q"}}
        done = {"type": "tool_result", "tool_use_id": "t2", "content": "1 passed", "is_error": False}  # fmt: skip
        records = [
            {"type": "system", "subtype": "init", "session_id": "s"},
            said("assistant", [{"type": "tool_use", "id": "t1", "name": "Task", "input": {}}]),
            said("user", [{"type": "text", "text": "Rewrite all of it, please. Never push to main."}], "t1"),
            said("assistant", [{"type": "text", "text": "I do."}, run], "t1"),
            said("user", [done], "t1"),
            said("assistant", [{"type": "text", "text": "Done."}]),
            {"type": "result", "subtype": "success", "session_id": "s"},
        ]  # fmt: skip
        path = tmp_path / "out.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in records))
        found = read_transcript(path)
        kinds = [each.type for each in found.drafts]
        assert not {"task.set", "rule.add"} & {*kinds}
        assert "check.result" in kinds
        assert [child.session_id for child in found.children] == ["agent-t1"]
        assert "task.set" in [each.type for each in found.children[0].drafts]
        assert (found.not_understood, found.turns) == ("", 2)
