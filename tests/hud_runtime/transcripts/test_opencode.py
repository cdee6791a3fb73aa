"""OpenCode's store with several sessions: which one is read, and what is said of the others."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hud_runtime import TranscriptError, read_transcript
from hud_runtime.cli import main
from tests.ids import looped


def _database(folder: Path) -> Path:
    path = folder / "opencode.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE session (id, parent_id, directory, title, time_updated)")
        db.execute("CREATE TABLE message (id, session_id, time_created, data)")
        db.execute("CREATE TABLE part (id, message_id, session_id, data)")
        rows = [
            ("ses_a", None, "Fix the login", 10),
            ("ses_b", None, "Docs\x1b[31m", 20),
            ("ses_c", "ses_b", "A search", 30),
        ]
        for name, parent, title, at in rows:
            db.execute("INSERT INTO session VALUES (?, ?, '/app', ?, ?)", (name, parent, title, at))
            db.execute(
                "INSERT INTO message VALUES (?, ?, 1, ?)",
                (f"m-{name}", name, json.dumps({"role": "user"})),
            )
            text = json.dumps({"type": "text", "text": f"Ask of {name} in words."})
            db.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?)", (f"p-{name}", f"m-{name}", name, text)
            )
        db.commit()
    return path


def _ask(path: Path, session: str | None = None) -> object:
    drafts = read_transcript(path, session=session).drafts
    return next(one.payload["description"] for one in drafts if one.type == "task.set")


class TestSeveral:
    def test_the_newest_that_no_other_has_begun_is_read(self, tmp_path: Path) -> None:
        path = _database(tmp_path)
        assert _ask(path) == "Ask of ses_b in words."
        transcript = read_transcript(path)
        assert transcript.session_id == "ses_b"
        assert transcript.other_sessions.startswith(
            "2 other sessions in it: ses_c (A search), ses_a"
        )

    def test_any_is_read_by_its_id(self, tmp_path: Path) -> None:
        path = _database(tmp_path)
        assert [_ask(path, one) for one in ("ses_a", "ses_c")] == [
            "Ask of ses_a in words.", "Ask of ses_c in words.",
        ]  # fmt: skip
        assert "Docs\x1b" not in read_transcript(path, session="ses_a").other_sessions

    def test_one_that_is_not_there_is_refused_with_those_that_are(self, tmp_path: Path) -> None:
        with pytest.raises(TranscriptError, match=r'no session "ses_x"; it has .*ses_a'):
            read_transcript(_database(tmp_path), session="ses_x")

    def test_one_with_a_broken_text_is_read(self, tmp_path: Path) -> None:
        path = _database(tmp_path)
        with closing(sqlite3.connect(path)) as db:
            db.execute("UPDATE session SET title = CAST(x'41ff42' AS TEXT)")
            db.commit()
        assert _ask(path) == "Ask of ses_b in words."
        assert "ses_a (A\ufffdB)" in read_transcript(path).other_sessions

    def test_the_command_says_what_there_is(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = str(_database(tmp_path))
        assert main(["replay", path, "--of", "ses_a"]) == 0
        said = capsys.readouterr()
        assert "Ask of ses" in said.out
        assert "--of ID reads it" in said.err
        store = ["--store", str(tmp_path / "hud.db")]
        assert main(["session", "import", path, "--of", "ses_a", *store]) == 0
        assert main(["session", "import", path, *store]) == 0
        assert 'into "ses_b"' in capsys.readouterr().out


@looped(
    "prompt",
    [
        "Create a new anchored summary from the conversation history above.\n<conversation>",
        "Provide a detailed prompt for continuing our conversation above.",
    ],
)
def test_the_prompt_for_a_summary_is_no_task(tmp_path: Path, prompt: str) -> None:
    said = [
        ("user", "Make uploads retry"),
        ("assistant", "ok"),
        ("user", prompt),
        ("assistant", "go"),
    ]
    messages = [
        {"info": {"id": f"m{n}", "role": role}, "parts": [{"type": "text", "text": text}]}
        for n, (role, text) in enumerate(said)
    ]
    info = {"id": "ses_1", "title": "t", "directory": "/w", "time": {"created": 1}}
    path = tmp_path / "e.json"
    path.write_text(json.dumps({"info": info, "messages": messages}))
    asks = [one.payload["description"] for one in read_transcript(path) if one.type == "task.set"]
    assert asks == ["Make uploads retry"]


def _tool(name: str, status: str, given: object, **state: object) -> dict[str, object]:
    known = {"status": status, "input": given, "structured": {}, "content": [], **state}
    return {"type": "tool", "id": f"call-{name}-{status}", "name": name, "state": known}


class TestSecondVersion:
    """Messages that have a type, as the types of the SDK 1.19.3 have them."""

    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        failed = {"type": "unknown", "message": "FAILED tests/test_a.py::test_total - assert 1 == 2"}  # fmt: skip
        did = [
            {"type": "reasoning", "id": "r", "text": "The user wants me to push to main."},
            {"type": "text", "id": "t", "text": "I look at it."},
            _tool("bash", "error", {"command": "pytest -q"}, error=failed),
            _tool("write", "completed", {"filePath": "/app/a.py", "content": ""}, content=[{"type": "text", "text": "ok"}]),
            _tool("bash", "running", {"command": "make"}),
            {"type": "hologram"},
        ]  # fmt: skip
        tokens = {"input": 10, "output": 5, "reasoning": 0, "cache": {"read": 100, "write": 0}}
        messages = [
            {"type": "agent-switched", "agent": "build"},
            {"type": "user", "text": "Limit wrong attempts at the login."},
            {"type": "synthetic", "sessionID": "ses_1", "text": "Never push to main."},
            {"type": "assistant", "agent": "build", "model": {"id": "claude-opus-5", "providerID": "anthropic"}, "content": did, "tokens": tokens},
            {"type": "shell", "callID": "sh", "command": "git status", "output": "clean"},
            {"type": "compaction", "reason": "auto", "summary": "It was begun.", "recent": ""},
            {"type": "telepathy"},
        ]  # fmt: skip
        told = [{"id": f"m{n}", "time": {"created": 1_780_000_000_000 + n}, **each} for n, each in enumerate(messages)]  # fmt: skip
        info = {"id": "ses_1", "title": "Login", "location": {"directory": "/app"}}
        path = tmp_path / "export.json"
        path.write_text(json.dumps({"info": info, "messages": told}))
        return path

    def test_is_read(self, path: Path) -> None:
        found = read_transcript(path)
        told = [(each.type, each.payload) for each in found.drafts]
        assert ("task.set", {"description": "Limit wrong attempts at the login."}) in told
        assert [each["result"] for kind, each in told if kind == "check.result"] == ["fail"]
        assert [each["path"] for kind, each in told if kind == "file.edit"] == ["a.py"]
        assert found.calls == 4
        assert found.session_id == "ses_1"
        readings = [each for kind, each in told if kind == "context.snapshot"]
        assert (readings[0]["model"], readings[0]["used"]) == ("claude-opus-5", 115)
        assert not [each for kind, each in told if kind == "rule.add" or "main" in str(each)]

    def test_says_what_is_not_known(self, path: Path) -> None:
        assert read_transcript(path).unread == {"hologram": 1, "telepathy": 1}
