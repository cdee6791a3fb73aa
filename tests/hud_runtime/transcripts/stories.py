"""One short session, told in every format: what a reader finds in each must be the same."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

FIRST = "Add a limit to the uploads, so that nobody can fill the disk."
SECOND = "Now check the types of the whole package too."
TEST = "pytest -q tests/test_upload.py"
TYPES = "mypy src"
FILE = "src/upload.py"
FAILED = "FAILED tests/test_upload.py::test_limit - assert 5 == 3\n1 failed in 0.10s"
PASSED = "1 passed in 0.10s"
WRONG = (
    'src/upload.py:3: error: Name "limit" is not defined  [name-defined]\nFound 1 error in 1 file'
)


class Ask(NamedTuple):
    """The user says something."""

    text: str


class Run(NamedTuple):
    """The agent runs a command."""

    command: str
    output: str
    code: int


class Edit(NamedTuple):
    """The agent changes a file."""

    path: str


STORY: tuple[Ask | Run | Edit, ...] = (
    Ask(FIRST), Run(TEST, FAILED, 1), Edit(FILE), Run(TEST, PASSED, 0), Ask(SECOND), Run(TYPES, WRONG, 1),
)  # fmt: skip

Writer = Callable[[Path], Path]
STORIES: dict[str, Writer] = {}


def told(name: str, file: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Enter a function that makes the records, or the value, or the text of a file."""

    def enter(make: Callable[[], Any]) -> Callable[[], Any]:
        def write(folder: Path) -> Path:
            path = folder / file
            made = make()
            if isinstance(made, str):
                path.write_text(made, "utf-8")
            elif file.endswith(".jsonl"):
                path.write_text("".join(json.dumps(one) + "\n" for one in made), "utf-8")
            else:
                path.write_text(json.dumps(made, indent=1), "utf-8")
            return path

        STORIES[name] = write
        return make

    return enter


def _given(step: Run | Edit, **names: str) -> tuple[str, dict[str, Any]]:
    if isinstance(step, Run):
        return names.get("shell", "bash"), {names.get("command", "command"): step.command}
    new = {"old_string": "a", "new_string": "b"}
    return names.get("edit", "edit_file"), {names.get("path", "path"): step.path, **new}


def _output(step: Run | Edit, *, marked: bool = False) -> str:
    if isinstance(step, Edit):
        return "The file was updated."
    return f"{step.output}\n[exit code {step.code}]" if marked else step.output


def _bad(step: Run | Edit) -> bool:
    return isinstance(step, Run) and step.code != 0


@told("Claude Code", "session.jsonl")
def claude_code() -> list[Any]:
    lines: list[Any] = []
    about = {"sessionId": "s-claude", "cwd": "/app", "gitBranch": "limits", "isSidechain": False}

    def line(kind: str, message: dict[str, Any]) -> None:
        number = len(lines)
        before = f"u{number - 1}" if number else None
        at = f"2026-06-01T09:00:{number:02}.000Z"
        lines.append({**about, "type": kind, "uuid": f"u{number}", "parentUuid": before, "timestamp": at,
                      "message": {"role": kind, **message}})  # fmt: skip

    for number, step in enumerate(STORY):
        if isinstance(step, Ask):
            line("user", {"content": step.text})
            continue
        name, given = _given(step, shell="Bash", edit="Edit", path="file_path")
        call = {"type": "tool_use", "id": f"t{number}", "name": name, "input": given}
        usage = {"input_tokens": 1_000 * number, "output_tokens": 10}
        line(
            "assistant",
            {"id": f"m{number}", "model": "claude-sonnet-4-6", "content": [call], "usage": usage},
        )
        text = f"Exit code 1\n{_output(step)}" if _bad(step) else _output(step)
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}
        line("user", {"content": [{**result, "is_error": True} if _bad(step) else result]})
    return lines


def _items() -> list[Any]:
    items: list[Any] = []
    for number, step in enumerate(STORY):
        if isinstance(step, Ask):
            items.append(
                {
                    "type": "message",
                    "role": "user",
                    "content": [{"type": "input_text", "text": step.text}],
                }
            )
        elif isinstance(step, Run):
            given = json.dumps({"cmd": step.command})
            said = f"Chunk ID: a\nWall time: 1 seconds\nProcess exited with code {step.code}\nOutput:\n{step.output}"
            items.append(
                {
                    "type": "function_call",
                    "name": "exec_command",
                    "arguments": given,
                    "call_id": f"c{number}",
                }
            )
            items.append({"type": "function_call_output", "call_id": f"c{number}", "output": said})
        else:
            patch = f"*** Begin Patch\n*** Update File: {step.path}\n@@\n-a\n+b\n*** End Patch"
            items.append(
                {
                    "type": "custom_tool_call",
                    "name": "apply_patch",
                    "input": patch,
                    "call_id": f"c{number}",
                }
            )
            items.append(
                {"type": "custom_tool_call_output", "call_id": f"c{number}", "output": "Success."}
            )
    return items


told("OpenAI Responses items", "items.json")(_items)


@told("Codex rollout", "rollout.jsonl")
def codex() -> list[Any]:
    meta = {"id": "s-codex", "cwd": "/app", "git": {"branch": "limits"}}
    lines: list[Any] = [
        {"timestamp": "2026-06-01T09:00:00Z", "type": "session_meta", "payload": meta}
    ]
    context = "<environment_context>\n  <cwd>/app</cwd>\n</environment_context>"
    lines.append(
        _envelope(
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": context}],
            }
        )
    )
    for item in _items():
        lines.append(_envelope(item))
        if item.get("role") == "user":
            said = {"type": "user_message", "message": item["content"][0]["text"]}
            lines.append(
                {"timestamp": "2026-06-01T09:00:00Z", "type": "event_msg", "payload": said}
            )
    figures = {"last_token_usage": {"total_tokens": 9_000}, "model_context_window": 272_000}
    lines.append({"type": "event_msg", "payload": {"type": "token_count", "info": figures}})
    return lines


def _envelope(item: dict[str, Any]) -> dict[str, Any]:
    return {"timestamp": "2026-06-01T09:00:00Z", "type": "response_item", "payload": item}


@told("Codex rollout of 2025", "rollout.jsonl")
def codex_legacy() -> list[Any]:
    head = {
        "id": "s-old",
        "timestamp": "2025-06-01T09:00:00Z",
        "instructions": None,
        "git": {"branch": "limits"},
    }
    return [head, {"record_type": "state"}, *_items()]


def _messages(call: Callable[[int, Run | Edit], list[Any]]) -> list[Any]:
    found: list[Any] = []
    for number, step in enumerate(STORY):
        found += (
            [{"role": "user", "content": step.text}]
            if isinstance(step, Ask)
            else call(number, step)
        )
    return found


@told("chat messages", "chat.json")
def chat() -> list[Any]:
    def call(number: int, step: Run | Edit) -> list[Any]:
        name, given = _given(step)
        function = {"name": name, "arguments": json.dumps(given)}
        asked = [{"id": f"c{number}", "type": "function", "function": function}]
        answer = {
            "role": "tool",
            "tool_call_id": f"c{number}",
            "content": _output(step, marked=True),
        }
        return [{"role": "assistant", "content": None, "tool_calls": asked}, answer]

    return [{"role": "system", "content": "You are an agent."}, *_messages(call)]


@told("chat messages with function calls", "chat.json")
def chat_legacy() -> list[Any]:
    def call(number: int, step: Run | Edit) -> list[Any]:
        name, given = _given(step)
        function = {"name": name, "arguments": json.dumps(given)}
        answer = {"role": "function", "name": name, "content": _output(step, marked=True)}
        return [{"role": "assistant", "content": None, "function_call": function}, answer]

    return _messages(call)


@told("chat messages with blocks", "chat.jsonl")
def blocks() -> list[Any]:
    def call(number: int, step: Run | Edit) -> list[Any]:
        name, given = _given(step)
        asked = {"type": "tool_use", "id": f"c{number}", "name": name, "input": given}
        said = {
            "type": "tool_result",
            "tool_use_id": f"c{number}",
            "content": _output(step),
            "is_error": _bad(step),
        }
        return [{"role": "assistant", "content": [asked]}, {"role": "user", "content": [said]}]

    return _messages(call)


@told("Bedrock Converse", "chat.json")
def bedrock() -> list[Any]:
    def call(number: int, step: Run | Edit) -> list[Any]:
        name, given = _given(step)
        asked = {"toolUse": {"toolUseId": f"c{number}", "name": name, "input": given}}
        status = "error" if _bad(step) else "success"
        said = {
            "toolResult": {
                "toolUseId": f"c{number}",
                "content": [{"text": _output(step)}],
                "status": status,
            }
        }
        return [{"role": "assistant", "content": [asked]}, {"role": "user", "content": [said]}]

    return [
        {**one, "content": [{"text": one["content"]}]} if isinstance(one["content"], str) else one
        for one in _messages(call)
    ]


@told("Vercel AI SDK", "chat.json")
def vercel() -> list[Any]:
    def call(number: int, step: Run | Edit) -> list[Any]:
        name, given = _given(step)
        about = {"toolCallId": f"c{number}", "toolName": name}
        output = {"type": "error-text" if _bad(step) else "text", "value": _output(step)}
        return [
            {"role": "assistant", "content": [{"type": "tool-call", **about, "input": given}]},
            {"role": "tool", "content": [{"type": "tool-result", **about, "output": output}]},
        ]

    return _messages(call)


@told("Vercel AI SDK, its window", "chat.json")
def vercel_ui() -> list[Any]:
    found: list[Any] = []
    for number, step in enumerate(STORY):
        if isinstance(step, Ask):
            found.append(
                {"id": f"u{number}", "role": "user", "parts": [{"type": "text", "text": step.text}]}
            )
            continue
        name, given = _given(step)
        state = "output-error" if _bad(step) else "output-available"
        said = {"errorText" if _bad(step) else "output": _output(step)}
        part = {
            "type": f"tool-{name}",
            "toolCallId": f"c{number}",
            "state": state,
            "input": given,
            **said,
        }
        found.append(
            {"id": f"a{number}", "role": "assistant", "parts": [{"type": "step-start"}, part]}
        )
    return found


def _of_gemini() -> list[Any]:
    found: list[Any] = []
    for number, step in enumerate(STORY):
        about = {"id": f"m{number}", "timestamp": f"2026-06-01T09:00:{number:02}Z"}
        if isinstance(step, Ask):
            found.append({**about, "type": "user", "content": step.text})
            continue
        name, given = _given(step, shell="run_shell_command", edit="replace", path="file_path")
        said = _output(step)
        if isinstance(step, Run):
            said = f"Command: {step.command}\nDirectory: (root)\nOutput: {said}\nError: (none)\nExit Code: {step.code}\nSignal: 0"
        response = {"functionResponse": {"name": name, "response": {"output": said}}}
        call = {
            "id": f"c{number}",
            "name": name,
            "args": given,
            "result": [response],
            "status": "success",
        }
        tokens = {"input": 900, "output": 10, "total": 910}
        found.append(
            {**about, "type": "gemini", "content": "", "tokens": tokens, "toolCalls": [call]}
        )
    return found


GEMINI = {"sessionId": "s-gemini", "projectHash": "ab"}
told("Gemini CLI", "session.json")(lambda: {**GEMINI, "messages": _of_gemini()})


@told("Gemini CLI, in lines", "session.jsonl")
def gemini_lines() -> list[Any]:
    lines: list[Any] = [{**GEMINI, "kind": "main"}]
    for one in _of_gemini():
        early = {name: value for name, value in one.items() if name != "toolCalls"}
        lines += [early, {"$set": {"lastUpdated": "x"}}, one]
    gone = {"id": "gone", "type": "user", "content": "Delete everything."}
    return [*lines, gone, {"$rewindTo": "gone"}]


@told("Gemini contents", "contents.json")
def gemini_contents() -> list[Any]:
    found: list[Any] = []
    for step in STORY:
        if isinstance(step, Ask):
            found.append({"role": "user", "parts": [{"text": step.text}]})
            continue
        name, given = _given(step)
        key = "error" if _bad(step) else "output"
        found.append({"role": "model", "parts": [{"functionCall": {"name": name, "args": given}}]})
        found.append(
            {
                "role": "user",
                "parts": [{"functionResponse": {"name": name, "response": {key: _output(step)}}}],
            }
        )
    return found


def _of_opencode() -> list[tuple[dict[str, Any], list[Any]]]:
    found: list[tuple[dict[str, Any], list[Any]]] = []
    for number, step in enumerate(STORY):
        time = {"created": 1_000 + number}
        about = {"id": f"msg_{number}", "sessionID": "ses_1", "time": time}
        if isinstance(step, Ask):
            reminder = {"type": "text", "text": "Be brief.", "synthetic": True}
            found.append(
                ({**about, "role": "user"}, [reminder, {"type": "text", "text": step.text}])
            )
            continue
        name, given = _given(step, edit="edit", path="filePath")
        metadata = {"exit": step.code} if isinstance(step, Run) else {}
        state = {
            "status": "completed",
            "input": given,
            "output": _output(step),
            "metadata": metadata,
        }
        part = {"type": "tool", "callID": f"c{number}", "tool": name, "state": state}
        tokens = {"input": 900, "output": 10, "cache": {"read": 90, "write": 0}}
        info = {
            **about,
            "role": "assistant",
            "modelID": "gpt-5",
            "tokens": tokens,
            "path": {"cwd": "/app"},
        }
        found.append((info, [{"type": "step-start"}, part]))
    return found


OPENCODE = {"id": "ses_1", "directory": "/app", "title": "A limit"}


@told("OpenCode", "export.json")
def opencode() -> dict[str, Any]:
    return {
        "info": OPENCODE,
        "messages": [{"info": info, "parts": parts} for info, parts in _of_opencode()],
    }


def _opencode_database(folder: Path) -> Path:
    path = folder / "opencode.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(
            "CREATE TABLE session(id, directory, title, time_updated);"
            "CREATE TABLE message(id, session_id, time_created, data);"
            "CREATE TABLE part(id, message_id, session_id, data);"
        )
        db.execute(
            "INSERT INTO session VALUES ('ses_1', '/app', 'A limit', 2), ('ses_0', '/', 'Other', 1)"
        )
        for number, (info, parts) in enumerate(_of_opencode()):
            db.execute(
                "INSERT INTO message VALUES (?, 'ses_1', ?, ?)",
                (info["id"], number, json.dumps(info)),
            )
            for place, part in enumerate(parts):
                row = (f"prt_{number:03}_{place}", info["id"], json.dumps(part))
                db.execute("INSERT INTO part VALUES (?, ?, 'ses_1', ?)", row)
        db.commit()
    return path


def _opencode_folder(folder: Path) -> Path:
    root = folder / "storage"

    def put(place: str, value: object) -> None:
        path = root / f"{place}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), "utf-8")

    put("session/p/ses_1", OPENCODE)
    for info, parts in _of_opencode():
        put(f"message/ses_1/{info['id']}", info)
        for place, part in enumerate(parts):
            put(f"part/{info['id']}/prt_{place}", part)
    return root


STORIES["OpenCode's database"] = _opencode_database
STORIES["OpenCode's folder"] = _opencode_folder


@told("OpenHands trajectory", "trajectory.json")
def openhands() -> list[Any]:
    found: list[Any] = []
    for step in STORY:
        number = len(found)
        if isinstance(step, Ask):
            args = {"content": step.text}
            found.append({"id": number, "source": "user", "action": "message", "args": args})
            continue
        if isinstance(step, Run):
            kind, args, extras = (
                "run",
                {"command": step.command},
                {"metadata": {"exit_code": step.code}},
            )
        else:
            kind, args, extras = "edit", {"command": "str_replace", "path": step.path}, {}
        found.append({"id": number, "source": "agent", "action": kind, "args": args})
        found.append({"id": number + 1, "source": "agent", "cause": number, "observation": kind,
                      "content": _output(step), "extras": extras})  # fmt: skip
    return found


def _of_openhands_v1() -> list[Any]:
    found: list[Any] = []
    for number, step in enumerate(STORY):
        if isinstance(step, Ask):
            message = {"role": "user", "content": [{"type": "text", "text": step.text}]}
            found.append(
                {
                    "kind": "MessageEvent",
                    "id": f"e{number}",
                    "source": "user",
                    "llm_message": message,
                }
            )
            continue
        call = {"tool_call_id": f"c{number}", "tool_name": "terminal"}
        if isinstance(step, Run):
            action: dict[str, Any] = {"kind": "TerminalAction", "command": step.command}
            said: dict[str, Any] = {"exit_code": step.code, "is_error": False}
        else:
            call["tool_name"] = "file_editor"
            action, said = (
                {"kind": "FileEditorAction", "command": "str_replace", "path": step.path},
                {},
            )
        content = [{"type": "text", "text": _output(step)}]
        about = {"source": "agent", "llm_response_id": f"r{number}"}
        found.append({"kind": "ActionEvent", "id": f"e{number}", **about, **call, "action": action})
        observation = {**said, "content": content, "kind": "Observation"}
        found.append(
            {
                "kind": "ObservationEvent",
                "action_id": f"e{number}",
                **call,
                "observation": observation,
            }
        )
    return found


told("OpenHands events", "events.jsonl")(_of_openhands_v1)


def _openhands_folder(folder: Path) -> Path:
    root = folder / "conversation"
    (root / "events").mkdir(parents=True)
    for number, event in enumerate(_of_openhands_v1()):
        (root / "events" / f"event-{number:05}-x.json").write_text(json.dumps(event), "utf-8")
    return root


STORIES["OpenHands' folder"] = _openhands_folder


@told("ATIF trajectory", "trajectory.json")
def atif() -> dict[str, Any]:
    steps: list[Any] = []
    for number, step in enumerate(STORY):
        if isinstance(step, Ask):
            steps.append({"step_id": number, "source": "user", "message": step.text})
            continue
        name, given = _given(step)
        call = {"tool_call_id": f"c{number}", "function_name": name, "arguments": given}
        results = [{"source_call_id": f"c{number}", "content": _output(step, marked=True)}]
        steps.append({"step_id": number, "source": "agent", "message": "", "tool_calls": [call],
                      "observation": {"results": results}})  # fmt: skip
    return {
        "schema_version": "ATIF-v1.10",
        "session_id": "s-atif",
        "agent": {"name": "a"},
        "steps": steps,
    }


@told("SWE-agent", "run.traj")
def swe_agent() -> dict[str, Any]:
    history: list[Any] = [{"role": "system", "content": "An agent.", "agent": "main"}]
    for step in STORY:
        if isinstance(step, Ask):
            history.append({"role": "user", "content": step.text, "agent": "main"})
            continue
        command = step.command if isinstance(step, Run) else f"sed -i s/a/b/ {step.path}"
        history.append(
            {
                "role": "assistant",
                "content": f"```\n{command}\n```",
                "action": command,
                "agent": "main",
            }
        )
        said = _output(step) if isinstance(step, Run) else ""
        status = "\n(Open file: n/a)\n(Current directory: /app)\nbash-$"
        history.append({"role": "user", "content": said + status, "agent": "main"})
    return {"trajectory": [], "history": history, "info": {}}


def _of_mini(
    call: Callable[[str], dict[str, Any]], answer: Callable[[str, int], dict[str, Any]]
) -> dict[str, Any]:
    found: list[Any] = []
    for step in STORY:
        if isinstance(step, Ask):
            found.append({"role": "user", "content": f"Please solve this issue: {step.text}"})
            continue
        command = (
            step.command if isinstance(step, Run) else f"cat <<'EOF' > {step.path}\nx = 1\nEOF"
        )
        code, said = (step.code, step.output) if isinstance(step, Run) else (0, "")
        found += [call(command), answer(said, code)]
    return {
        "info": {"mini_version": "2"},
        "messages": found,
        "trajectory_format": "mini-swe-agent-1.1",
    }


told("mini-swe-agent", "run.traj.json")(
    lambda: _of_mini(
        lambda command: {"role": "assistant", "content": f"```mswea_bash_command\n{command}\n```"},
        lambda said, code: {
            "role": "user",
            "content": f"<returncode>{code}</returncode>\n<output>\n{said}</output>",
        },
    )
)
told("mini-swe-agent with calls", "run.traj.json")(
    lambda: _of_mini(
        lambda command: {"role": "assistant", "content": "", "tool_calls": [
            {"id": "c", "function": {"name": "bash", "arguments": json.dumps({"command": command})}}]},
        lambda said, code: {"role": "tool", "tool_call_id": "c",
                            "content": json.dumps({"returncode": code, "output": said})},
    )
)  # fmt: skip


@told("Cline conversation", "api_conversation_history.json")
def cline() -> list[Any]:
    found: list[Any] = []
    for number, step in enumerate(STORY):
        if isinstance(step, Ask):
            of = "feedback" if number else "task"
            found.append(
                {
                    "role": "user",
                    "content": [{"type": "text", "text": f"<{of}>\n{step.text}\n</{of}>"}],
                }
            )
            continue
        if isinstance(step, Run):
            name, call = "execute_command", f"<command>{step.command}</command>"
        else:
            name, call = "replace_in_file", f"<path>{step.path}</path>\n<diff>\n-a\n+b\n</diff>"
        found.append(
            {
                "role": "assistant",
                "content": [{"type": "text", "text": f"<{name}>\n{call}\n</{name}>"}],
            }
        )
        said = [
            {"type": "text", "text": f"[{name} for 'x'] Result:"},
            {"type": "text", "text": _output(step, marked=True)},
        ]
        found.append({"role": "user", "content": said})
    return found


@told("Cline window", "ui_messages.json")
def cline_ui() -> list[Any]:
    found: list[Any] = []
    for number, step in enumerate(STORY):
        about = {"ts": 1_700_000_000_000 + number}
        if isinstance(step, Ask):
            of = "user_feedback" if number else "task"
            found.append({**about, "type": "say", "say": of, "text": step.text})
            continue
        figures = json.dumps({"tokensIn": 900, "tokensOut": 10})
        found.append({**about, "type": "say", "say": "api_req_started", "text": figures})
        if isinstance(step, Run):
            found.append({**about, "type": "ask", "ask": "command", "text": step.command})
            found.append({**about, "type": "say", "say": "command_output", "text": step.output})
        else:
            tool = json.dumps({"tool": "editedExistingFile", "path": step.path})
            found.append({**about, "type": "say", "say": "tool", "text": tool})
    return found


@told("Copilot CLI", "events.jsonl")
def copilot() -> list[Any]:
    found: list[Any] = [
        {
            "type": "session.start",
            "data": {"sessionId": "s-copilot", "context": {"cwd": "/app", "branch": "limits"}},
        }
    ]
    for number, step in enumerate(STORY):
        if isinstance(step, Ask):
            found.append({"type": "user.message", "data": {"content": step.text}})
            continue
        name, given = _given(step, edit="edit")
        call = {"toolCallId": f"c{number}", "name": name, "arguments": given}
        found.append({"type": "assistant.message", "data": {"content": "", "toolRequests": [call]}})
        start = {"toolCallId": f"c{number}", "toolName": name, "arguments": given}
        found.append({"type": "tool.execution_start", "data": start})
        code = step.code if isinstance(step, Run) else 0
        said = {"content": f"{_output(step)}\n<exited with exit code {code}>"}
        end = {"toolCallId": f"c{number}", "success": True, "result": said}
        found.append({"type": "tool.execution_complete", "data": end})
    return found


@told("messages in lines", "agent.jsonl")
def wrapped() -> list[Any]:
    found: list[Any] = [{"type": "session", "id": "s-pi", "cwd": "/app"}]
    for number, step in enumerate(STORY):
        if isinstance(step, Ask):
            message: dict[str, Any] = {
                "role": "user",
                "content": [{"type": "text", "text": step.text}],
            }
            found.append({"type": "message", "message": message})
            continue
        name, given = _given(step, edit="edit")
        call = {"type": "toolCall", "id": f"c{number}", "name": name, "arguments": given}
        said = {
            "role": "toolResult",
            "toolCallId": f"c{number}",
            "content": _output(step, marked=True),
            "isError": False,
        }
        found.append({"type": "message", "message": {"role": "assistant", "content": [call]}})
        found.append({"type": "message", "message": said})
    return found


@told("aider history", ".aider.chat.history.md")
def aider() -> str:
    lines = ["# aider chat started at 2026-06-01 08:00:00", "", "#### Something else.  ", "",
             "# aider chat started at 2026-06-01 09:00:00", "", "> Main model: gpt-5 with diff edit format  "]  # fmt: skip
    for step in STORY:
        if isinstance(step, Ask):
            lines += ["", f"#### {step.text}  ", "", "I see.", ""]
        elif isinstance(step, Run):
            lines += [
                "",
                f"#### /run {step.command}  ",
                "",
                *(f"> {line}  " for line in step.output.split("\n")),
                "",
            ]
        else:
            lines += [
                "",
                "> Tokens: 9.1k sent, 80 received. Cost: $0.01 message.  ",
                f"> Applied edit to {step.path}  ",
                "",
            ]
    return "\n".join(lines)


@told("pydantic-ai", "messages.json")
def pydantic_ai() -> list[Any]:
    found: list[Any] = []
    for number, step in enumerate(STORY):
        if isinstance(step, Ask):
            found.append(
                {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": step.text}]}
            )
            continue
        name, given = _given(step)
        about = {"tool_name": name, "tool_call_id": f"c{number}"}
        outcome = "failed" if _bad(step) else "success"
        found.append(
            {"kind": "response", "parts": [{"part_kind": "tool-call", **about, "args": given}]}
        )
        part = {"part_kind": "tool-return", **about, "content": _output(step), "outcome": outcome}
        found.append({"kind": "request", "parts": [part]})
    return found


def _of_langchain() -> list[tuple[str, dict[str, Any]]]:
    found: list[tuple[str, dict[str, Any]]] = []
    for number, step in enumerate(STORY):
        if isinstance(step, Ask):
            found.append(("human", {"content": step.text}))
            continue
        name, given = _given(step)
        call = {"name": name, "args": given, "id": f"c{number}"}
        status = "error" if _bad(step) else "success"
        found.append(("ai", {"content": "", "tool_calls": [call]}))
        found.append(
            ("tool", {"content": _output(step), "tool_call_id": f"c{number}", "status": status})
        )
    return found


NAMES = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}
told("LangChain messages", "m.json")(
    lambda: [{"type": kind, "data": data} for kind, data in _of_langchain()]
)
told("LangChain messages, flat", "m.json")(
    lambda: [{"type": kind, **data} for kind, data in _of_langchain()]
)
told("LangChain messages, dumped", "m.json")(
    lambda: [
        {"lc": 1, "type": "constructor", "id": ["x", NAMES[kind]], "kwargs": data}
        for kind, data in _of_langchain()
    ]
)
told("LangGraph checkpoint", "m.json")(
    lambda: {"values": {"messages": [{"type": kind, **data} for kind, data in _of_langchain()]}}
)


def _sample() -> dict[str, Any]:
    def call(number: int, step: Run | Edit) -> list[Any]:
        name, given = _given(step)
        asked = [{"id": f"c{number}", "function": name, "arguments": given}]
        said = {"role": "tool", "tool_call_id": f"c{number}", "content": _output(step, marked=True)}
        return [{"role": "assistant", "content": "", "tool_calls": asked}, said]

    return {"id": 1, "epoch": 1, "messages": _messages(call), "attachments": {}}


told("Inspect log", "log.json")(
    lambda: {"version": 2, "eval": {}, "plan": {}, "samples": [_sample()]}
)


def _inspect_zip(folder: Path) -> Path:
    path = folder / "log.eval"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("header.json", "{}")
        file.writestr("samples/1_epoch_1.json", json.dumps(_sample()))
    return path


STORIES["Inspect log, zipped"] = _inspect_zip


@told("tau-bench results", "results.json")
def tau_bench() -> list[Any]:
    return [{"task_id": 1, "reward": 1.0, "traj": chat()}]


@told("gemini --output-format stream-json", "gemini.jsonl")
def gemini_stream() -> list[Any]:
    lines: list[Any] = [{"type": "init", "session_id": "s", "model": "gemini-3-pro"}]
    for number, step in enumerate(STORY):
        if isinstance(step, Ask):
            lines.append({"type": "message", "role": "user", "content": step.text})
            continue
        name, given = _given(step, shell="run_shell_command", edit="replace", path="file_path")
        pieces = ("I do", " this.")
        lines += [
            {"type": "message", "role": "assistant", "content": one, "delta": True}
            for one in pieces
        ]
        lines.append(
            {"type": "tool_use", "tool_name": name, "tool_id": f"t{number}", "parameters": given}
        )
        status = "error" if _bad(step) else "success"
        output = _output(step, marked=True)
        lines.append(
            {"type": "tool_result", "tool_id": f"t{number}", "status": status, "output": output}
        )
    lines.append({"type": "result", "status": "success", "stats": {"total_tokens": 900}})
    return [{**one, "timestamp": f"2026-06-01T09:00:{at:02}.000Z"} for at, one in enumerate(lines)]  # fmt: skip


@told("droid exec --output-format stream-json", "droid.jsonl")
def droid_stream() -> list[Any]:
    lines: list[Any] = [
        {"type": "system", "subtype": "init", "cwd": "/app", "model": "claude-sonnet-4-5"}
    ]
    for number, step in enumerate(STORY):
        if isinstance(step, Ask):
            lines.append({"type": "message", "role": "user", "id": f"u{number}", "text": step.text})
            continue
        name, given = _given(step, shell="Execute", edit="Edit", path="file_path")
        lines.append(
            {"type": "message", "role": "assistant", "id": f"m{number}", "text": "I do this."}
        )
        lines.append(
            {"type": "tool_call", "id": f"t{number}", "toolName": name, "parameters": given}
        )
        value = _output(step, marked=True)
        lines.append(
            {"type": "tool_result", "id": f"t{number}", "isError": _bad(step), "value": value}
        )
    lines.append({"type": "completion", "finalText": "Done.", "numTurns": 4})
    return [{**one, "session_id": "s", "timestamp": 1_780_000_000_000 + at} for at, one in enumerate(lines)]  # fmt: skip
