"""Cline's tasks: the conversation with calls as XML in the text, and the messages of its window.

Newer versions write Anthropic's messages with blocks: those are chat messages. What an answer says stands in the
user's place behind "[tool for 'x'] Result:"; the user's own words stand in elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hud_runtime.observation._json import Record, arguments, mapping, prose, sequence, string, whole
from hud_runtime.observation._messages import At
from hud_runtime.observation._observations import (
    AgentMessage,
    AnyObservation,
    Compacted,
    ContextUsed,
    Failed,
    FileChanged,
    FileEvent,
    PlanWritten,
    ToolCall,
    ToolResult,
    UserMessage,
)
from hud_runtime.observation._plan import checklist
from hud_runtime.observation._usage import usage_in
from hud_runtime.transcripts._answers import exit_code_in
from hud_runtime.transcripts._format import Format
from hud_runtime.transcripts._source import Source

TOOLS = (
    "execute_command", "read_file", "write_to_file", "replace_in_file", "apply_diff", "insert_content", "search_and_replace",
    "search_files", "list_files", "list_code_definition_names", "browser_action", "use_mcp_tool", "access_mcp_resource",
    "ask_followup_question", "attempt_completion", "new_task", "plan_mode_respond", "switch_mode", "update_todo_list",
    "load_mcp_documentation", "web_fetch", "edit_file",
)  # fmt: skip
"""The tools whose calls stand in the text."""

_CALL = re.compile(
    rf"<(?P<name>{'|'.join(TOOLS)})>(?P<body>(?:[^<]++|<(?!/(?P=name)>))*+)(?:</(?P=name)>|\Z)"
)
_ARGUMENT = re.compile(
    r"<(?P<name>[a-z_]{2,40})>\n?(?P<value>(?:[^<]++|<(?!/(?P=name)>))*+)(?:</(?P=name)>|\Z)"
)
_ANSWER = re.compile(r"\A\[(?P<name>[a-z_]+)(?: for '[\s\S]*?')?\] Result:")
_PROGRESS = re.compile(r"<task_progress>(?P<list>(?:[^<]++|<(?!/task_progress>))*+)")
_WINDOW = re.compile(
    r"# Context Window Usage\n(?P<used>[\d,.]+)(?P<k>K?) / (?P<limit>[\d,.]+)(?P<of>[KM]?) tokens"
)
_WORDS = re.compile(
    r"<(?P<of>task|feedback|user_message|answer)>\s*(?P<words>(?:[^<]++|<(?!/(?P=of)>))*+)"
)
_FOLDER = re.compile(r"# Current (?:Working|Workspace) Directory \((?P<path>[^()\n]++)\)")


def recognises(source: Source) -> str | None:
    """Tell why a file is such a conversation."""
    for one in source.head[:20]:
        if "role" not in one:
            continue
        text = prose(one.get("content"))
        if one["role"] == "user" and _ANSWER.match(text):
            return "answers stand behind '[tool] Result:'"
        if (
            one["role"] == "assistant"
            and _CALL.search(text)
            and not isinstance(one.get("tool_calls"), list)
        ):
            return "calls stand in its texts"
    return None


def observations(source: Source) -> Iterator[AnyObservation]:
    """Yield what the messages tell."""
    for line, message in source.records():
        blocks = [mapping(one) for one in sequence(message.get("content"))] or [
            {"text": message.get("content")}
        ]
        if message.get("role") == "assistant":
            text = prose(message.get("content"))
            yield AgentMessage(line=line, text=text)
            for match in _CALL.finditer(text):
                given: Record = {
                    one["name"]: one["value"].strip("\n")
                    for one in _ARGUMENT.finditer(match["body"])
                }
                name, given = _tool(match["name"], given)
                yield ToolCall(line=line, name=name, arguments=given, in_text=True)
            yield from _progress(line, text)
        elif message.get("role") == "user":
            yield from _user(line, blocks, source)
        else:
            source.skip(message.get("role"))


def _tool(name: str, given: Record) -> tuple[str, Record]:
    """The tool that is called, which may be another program's."""
    if name == "use_mcp_tool" and (of := string(given.get("tool_name"))):
        return of, arguments(given.get("arguments"))
    return name, {key: value for key, value in given.items() if key != "task_progress"}


_OF_THE_PROGRAM = ("[ERROR]", "[TASK RESUMPTION]")
"""How texts begin that Cline itself writes in the user's place."""


def _user(line: int, blocks: list[Record], source: Source) -> Iterator[AnyObservation]:
    texts = [prose([one]) if "type" in one else prose(one.get("text")) for one in blocks]
    answer: list[str] | None = None
    for text in texts:
        window, folder = _WINDOW.search(text[:200_000]), _FOLDER.search(text[:200_000])
        if folder or window:
            directory = folder["path"] if folder else None
            yield ContextUsed(
                line=line,
                directory=directory,
                used=_number(window["used"], window["k"]) if window else None,
                limit=_number(window["limit"], window["of"]) if window else None,
            )
        words = _WORDS.search(text[:50_000])
        is_answer = _ANSWER.match(text)
        if is_answer:
            if answer is not None:
                yield _answered(line, answer)
            answer = [text[is_answer.end() :].strip()]
        elif words:
            if answer is not None:
                yield _answered(line, answer)
                answer = None
            yield UserMessage(line=line, text=words["words"])
        elif text.lstrip().startswith("<environment_details>"):
            continue
        elif answer is not None:
            answer.append(text)
        elif text.lstrip().startswith(_OF_THE_PROGRAM):
            source.skip("message of the program")
        elif text.strip():
            yield UserMessage(line=line, text=text)
    if answer is not None:
        yield _answered(line, answer)


def _answered(line: int, parts: list[str]) -> ToolResult:
    text = "\n".join(filter(None, parts))
    failed = text.startswith(("The tool execution failed", "Error", "<error>"))
    refused = text.startswith("The user denied")
    return ToolResult(
        line=line,
        text=re.sub(r"\ACommand executed\.\nOutput:\n", "", text),
        status="refused" if refused else "failed" if failed else "unknown",
        exit_code=exit_code_in(text),
    )


def _progress(line: int, text: str) -> Iterator[AnyObservation]:
    found = list(_PROGRESS.finditer(text))
    if found:
        steps = checklist(found[-1]["list"])
        yield PlanWritten(
            line=line, steps=tuple((one.text, "done" if one.done else "") for one in steps)
        )


def _number(digits: str, unit: str) -> int | None:
    try:
        number = float(digits.replace(",", ""))
    except ValueError:
        return None
    return round(number * {"K": 1_000, "M": 1_000_000}.get(unit, 1))


FORMAT = Format(
    "Cline conversation",
    recognises,
    observations,
    estimates=True,
    where="tasks/ID/api_conversation_history.json",
)


# --- The messages of its window ---

_FILES: dict[str, FileEvent] = {
    "editedExistingFile": "file.edit",
    "newFileCreated": "file.edit",
    "appliedDiff": "file.edit",
    "fileDeleted": "file.close",
    "readFile": "file.open",
}


_PROMPTS = frozenset({"task", "user_feedback"})


def recognises_ui(source: Source) -> str | None:
    """Tell why a file holds the messages of Cline's window."""
    found = any(
        "ts" in one and one.get("type") in ("say", "ask") and ("say" in one or "ask" in one)
        for one in source.head
    )
    return "its messages say and ask" if found else None


def ui(source: Source) -> Iterator[AnyObservation]:
    """Yield what the messages tell."""
    waiting = False
    for line, message in source.records():
        here: At = {"line": line, "timestamp": whole(message.get("ts")) or None}
        kind = str(message.get("say") if message.get("type") == "say" else message.get("ask"))
        text = prose(message.get("text"))
        waiting = waiting and kind in ("command_output", "api_req_started", "command")
        if kind in _PROMPTS or (kind == "text" and line == 1):
            yield UserMessage(**here, text=text)
        elif kind == "api_req_started":
            yield AgentMessage(**here, usage=usage_in(arguments(text)))
        elif kind == "command":
            if not waiting:
                yield ToolCall(**here, name="execute_command", arguments={"command": text})
            waiting = True
        elif kind == "command_output" and waiting and text:
            waiting = False
            yield ToolResult(**here, text=text, exit_code=exit_code_in(text))
        elif kind == "tool":
            said = arguments(text)
            event, path = _FILES.get(str(said.get("tool"))), string(said.get("path"))
            if event is not None and path is not None:
                yield FileChanged(**here, path=path, event=event)
        elif kind == "task_progress":
            steps = tuple((one.text, "done" if one.done else "") for one in checklist(text))
            yield PlanWritten(line=line, steps=steps)
        elif kind in ("error", "diff_error"):
            yield Failed(**here, message=text or "failed")
        elif kind == "condense_context":
            yield Compacted(**here, summary=prose(message.get("contextCondense")))
        else:
            source.skip(kind)


UI = Format("Cline window", recognises_ui, ui, estimates=True, where="tasks/ID/ui_messages.json")
