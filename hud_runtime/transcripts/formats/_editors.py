"""Agents that edit together with their user: aider's chat history, Cline's tasks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from hud_runtime.observe import _observations as observed
from hud_runtime.observe._failures import refusals
from hud_runtime.observe._observations import Record, arguments, prose, string
from hud_runtime.observe._reader import LinePlace
from hud_runtime.observe._work import Todo, checklist
from hud_runtime.observe.messages import names
from hud_runtime.transcripts import formats as rows
from hud_runtime.transcripts._source import Source
from hud_runtime.transcripts.formats import Format, Table, exit_code_in, has, members, reader

# aider's chat history: Markdown with marks for the user's and the program's lines.
#
# Lines after "#### " are the user's, including slash commands. Those after "> " are the program's,
# including commands' output. All others are the model's. A file has many sessions; the last is
# read.

_START = re.compile(r"^# aider chat started at (?P<time>.+?)\s*$", re.MULTILINE)
_APPLIED = re.compile(r"Applied edit to (?P<path>.+)")
_ADDED = re.compile(r"Added (?P<path>.+) to the chat")
_COMMIT = re.compile(r"Commit (?P<hash>[0-9a-f]{6,40}) (?P<subject>.+)")
_TOKENS = re.compile(
    r"Tokens: (?P<sent>[\d.,]+)(?P<k>[kM]?) sent(?:, [^,]*cache[^,]*)*, (?P<got>[\d.,]+)(?P<l>[kM]?) received"
)
_MODEL = re.compile(r"(?:Main model|Model|aider --model):? (?P<name>[^\s,]+)")
_FAILED = re.compile(r"(?<!\d)\d{1,4} SEARCH/REPLACE blocks? failed to match")
_RUN = re.compile(r"/(?:run|test|git|lint) (?P<command>.+)")
_ECHO = "I ran this command:"
_ASKS = re.compile(r"/(?:ask|code|architect|context) +(?P<words>\S[\s\S]*)")
"""Commands with the user's words; all others are for the program, which also accepts abbreviations."""


def recognises_aider(source: Source) -> str | None:
    """Return the reason to read a file as such a history, or None."""
    return (
        "it says when aider's chats started"
        if source.kind == "text" and _START.search(source.text)
        else None
    )


def observations_aider(source: Source) -> Iterator[observed.AnyObservation]:
    """Yield the observations of the last session."""
    starts = list(_START.finditer(source.text))
    if len(starts) > 1:
        source.skipped["earlier session"] += len(starts) - 1  # known, and not requested
    ends = [*(one.start() for one in starts[1:]), len(source.text)]
    # The last session with the user's words, besides commands for the program.
    begin, end = next(
        (
            (one, end)
            for one, end in zip(reversed(starts), reversed(ends), strict=True)
            if _AIDER_WORDS.search(source.text, one.end(), end)
        ),
        (starts[-1], ends[-1]),
    )
    number = source.text.count("\n", 0, begin.end()) + 1
    timestamp = _time(begin["time"])
    block: list[str] = []
    kind = ""
    first = number
    lines = source.text[begin.end() : end].split("\n")
    # aider ends the user's lines with two spaces; the model's own headings lack these.
    ending = "  " if re.search(r"^####.*  $", source.text, re.MULTILINE) else ""
    session = _AiderSession()
    for offset, line in enumerate([*lines, "####   "]):
        of, words = _kind(line, ending)
        if of == "" and not line.strip():
            block.append("")
            continue
        if of != kind or offset == len(lines):
            if kind or any(block):
                yield from session.block({"line": first, "timestamp": timestamp}, kind, block)
            kind, block, first = of, [], number + offset
        block.append(words)
    yield from session.ended(first)


_AIDER_WORDS = re.compile(r"^#### +(?:/(?:ask|code|architect|run|test) |[^\s/])", re.MULTILINE)


def _kind(line: str, ending: str) -> tuple[str, str]:
    if line.startswith("####") and line[4:5] in ("", " ") and line.endswith(ending):
        return "user", line[5:].rstrip()
    if line.startswith(">"):
        return "program", line[2:].rstrip()
    return "", line


def _time(text: str) -> int | None:
    try:
        return observed.milliseconds(datetime.fromisoformat(text).isoformat())
    except ValueError:
        return None


class _AiderSession:
    def __init__(self) -> None:
        self._is_running = False
        self._model: str | None = None

    def ended(self, line: int) -> Iterator[observed.AnyObservation]:
        """Yield the remaining observations at the end."""
        if self._is_running:
            yield observed.ToolAnswer(line=line)

    def block(
        self, at: LinePlace, kind: str, lines: list[str]
    ) -> Iterator[observed.AnyObservation]:
        """Yield the observations of lines of one kind."""
        text = "\n".join(lines).strip()
        if self._is_running and kind != "program":
            self._is_running = False
            yield observed.ToolAnswer(**at)
        if kind == "user":
            run = _RUN.fullmatch(text)
            asks = _ASKS.fullmatch(text)
            if run:
                self._is_running = True
                command = run["command"] if not text.startswith("/git") else f"git {run['command']}"
                yield observed.ToolCall(**at, name="bash", arguments={"command": command})
            elif asks:
                yield observed.UserMessage(**at, text=asks["words"])
            elif text and not text.startswith((_ECHO, "/")):
                yield observed.UserMessage(**at, text=text)
        elif kind == "program":
            yield from self._program(at, lines)
        elif text:
            yield observed.AgentMessage(**at, text=text, model=self._model)

    def _program(self, at: LinePlace, lines: list[str]) -> Iterator[observed.AnyObservation]:
        if self._is_running:
            self._is_running = False
            output = "\n".join(one for one in lines if "command output to the chat" not in one)
            yield observed.ToolAnswer(**at, text=output)
        for place, words in enumerate(lines, start=at.get("line", 0)):
            here: LinePlace = {**at, "line": place}
            if match := _APPLIED.match(words):
                yield observed.FileChanged(**here, path=match["path"].strip())
            elif match := _ADDED.match(words):
                yield observed.FileChanged(**here, path=match["path"].strip(), event="file.open")
            elif match := _COMMIT.match(words):
                yield observed.Found(
                    **here, name="commit", value=f"{match['hash']} {match['subject'].strip()[:120]}"
                )
            elif match := _TOKENS.search(words):
                used = observed.count_in(match["sent"], match["k"]) + observed.count_in(
                    match["got"], match["l"]
                )
                yield observed.ContextUsed(**here, used=used or None, model=self._model)
            elif match := _MODEL.search(words):
                self._model = match["name"]
            elif _FAILED.search(words):
                yield observed.Failed(**here, message=words.strip())


AIDER = Format("aider history", recognises_aider, observations_aider)


# Cline's tasks: the conversation with calls as XML in the text, and the messages of its UI.
#
# Newer versions write Anthropic's messages with blocks: those are chat messages. An answer is in
# the user role after "[tool for 'x'] Result:"; the user's own words are in elements.

TOOLS = (
    "execute_command", "read_file", "write_to_file", "replace_in_file", "apply_diff", "insert_content", "search_and_replace",
    "search_files", "list_files", "list_code_definition_names", "browser_action", "use_mcp_tool", "access_mcp_resource",
    "ask_followup_question", "attempt_completion", "new_task", "plan_mode_respond", "switch_mode", "update_todo_list",
    "load_mcp_documentation", "web_fetch", "edit_file",
)  # fmt: skip
"""The tools whose calls are in the text."""

_CALL = re.compile(
    rf"<(?P<name>{'|'.join(TOOLS)})>(?P<body>(?:[^<]++|<(?!/(?P=name)>))*+)(?:</(?P=name)>|\Z)"
)
_ARGUMENT = re.compile(
    r"<(?P<name>[a-z_]{2,40})>\n?(?P<value>(?:[^<]++|<(?!/(?P=name)>))*+)(?:</(?P=name)>|\Z)"
)
_ANSWER = re.compile(r"\A\[(?P<name>[a-z_]+)(?: for '[\s\S]*?')?\] Result:")
_TELLS_WORDS = frozenset(["attempt_completion", "plan_mode_respond", "new_task"])
"""Tools whose answers contain the user's words."""
_PROGRESS = re.compile(r"<task_progress>(?P<list>(?:[^<]++|<(?!/task_progress>))*+)")
_WINDOW = re.compile(
    r"# Context Window Usage\n(?P<used>[\d,.]+)(?P<k>K?) / (?P<limit>[\d,.]+)(?P<of>[KM]?) tokens"
)
_CLINE_WORDS = re.compile(
    r"<(?P<of>task|feedback|user_message|answer)>\s*(?P<words>(?:[^<]++|<(?!/(?P=of)>))*+)"
)
_FOLDER = re.compile(r"# Current (?:Working|Workspace) Directory \((?P<path>[^()\n]++)\)")


def recognises_cline(source: Source) -> str | None:
    """Return the reason to read a file as such a conversation, or None."""
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


def begin_cline(source: Source) -> rows.RecordReader:
    """Begin a conversation."""

    def read(line: int, message: Record) -> Iterator[observed.AnyObservation]:
        content = message.get("content")
        if message.get("role") == "assistant":
            yield from _said(line, prose(content))
        elif message.get("role") == "user":
            blocks = [*map(observed.mapping, observed.sequence(content))]
            yield from _user(line, blocks or [{"text": content}], source)
        else:
            source.skip(message.get("role"))

    return read


def _said(line: int, text: str) -> Iterator[observed.AnyObservation]:
    yield observed.AgentMessage(line=line, text=text)
    for match in _CALL.finditer(text):
        found = _ARGUMENT.finditer(match["body"])
        name, given = _tool(match["name"], {one["name"]: one["value"].strip("\n") for one in found})
        is_other = match["name"] == "use_mcp_tool"
        yield observed.ToolCall(
            line=line, name=name, arguments=given, in_text=True, of_server=is_other
        )
    if progress := [*_PROGRESS.finditer(text)]:
        yield observed.PlanWritten(line=line, steps=_steps(checklist(progress[-1]["list"])))


def _tool(name: str, given: Record) -> tuple[str, Record]:
    """The called tool, which may be an MCP server's."""
    if name == "use_mcp_tool" and (of := string(given.get("tool_name"))):
        return of, arguments(given.get("arguments"))
    return name, {key: value for key, value in given.items() if key != "task_progress"}


_OF_THE_PROGRAM = ("[ERROR]", "[TASK RESUMPTION]")
"""Prefixes of Cline's own texts in the user role."""


def _user(line: int, blocks: list[Record], source: Source) -> Iterator[observed.AnyObservation]:
    answer: list[str] | None = None
    is_output = False
    """Whether the next text is a tool's output, whatever its words."""
    for one in blocks:
        text = prose([one]) if "type" in one else prose(one.get("text"))
        header = None if is_output else _ANSWER.match(text)
        words = None if is_output or header else _CLINE_WORDS.search(text[:50_000])
        if is_output:
            is_output = False
            answer = [text]
        elif text.lstrip().startswith("<environment_details>"):
            yield _environment(line, text)
        elif header or words:
            if answer is not None:
                yield _answered(line, answer)
            answer = None
            if words:
                yield observed.UserMessage(line=line, text=words["words"])
            elif header:
                answer = [text[header.end() :].strip()]
                is_output = not answer[0] and header["name"] not in _TELLS_WORDS
        elif answer is not None:
            answer.append(text)
        elif text.lstrip().startswith(_OF_THE_PROGRAM):
            source.skip("message of the program")
        elif text.strip():
            yield observed.UserMessage(line=line, text=text)
    if answer is not None:
        yield _answered(line, answer)


def _environment(line: int, text: str) -> observed.ContextUsed:
    window, folder = _WINDOW.search(text[:200_000]), _FOLDER.search(text[:200_000])
    return observed.ContextUsed(
        line=line,
        directory=folder["path"] if folder else None,
        used=observed.count_in(window["used"], window["k"]) if window else None,
        limit=observed.count_in(window["limit"], window["of"]) if window else None,
    )


def _answered(line: int, parts: list[str]) -> observed.ToolAnswer:
    text = "\n".join(filter(None, parts))
    failed = text.startswith(("The tool execution failed", "Error", "<error>"))
    refused = text.startswith(refusals("cline"))
    return observed.ToolAnswer(
        line=line,
        text=re.sub(r"\ACommand executed\.\nOutput:\n", "", text),
        status="refused" if refused else "failed" if failed else "unknown",
        exit_code=exit_code_in(text),
    )


def _steps(found: Iterable[Todo]) -> tuple[tuple[str, str], ...]:
    return tuple((one.text, "done" if one.done else "") for one in found)


CLINE = Format.of_records(
    "Cline conversation",
    recognises_cline,
    begin_cline,
    estimates=True,
    quiet={"message of the program"},
)


# --- The messages of its window ---

_FILES: dict[str, observed.FileEvent] = {
    "editedExistingFile": "file.edit",
    "newFileCreated": "file.edit",
    "appliedDiff": "file.edit",
    "fileDeleted": "file.close",
    "readFile": "file.open",
}


def _is_ui(one: Record) -> bool:
    return "ts" in one and one.get("type") in ("say", "ask") and ("say" in one or "ask" in one)


def _changed_file(message: Record) -> tuple[observed.FileEvent | None, str | None]:
    said = arguments(message.get("text"))
    return _FILES.get(str(said.get("tool"))), string(said.get("path"))


MESSAGES: Table = {
    **dict.fromkeys(("task", "user_feedback", "the first text"), rows.user(text="text")),
    **dict.fromkeys(("error", "diff_error"), rows.failed(message="text|=failed")),
    "api_req_started": rows.agent(
        usage=lambda one: observed.usage_in(arguments(prose(one.get("text"))))
    ),
    "command": rows.call(
        name="=execute_command", arguments=lambda one: {"command": prose(one.get("text"))}
    ),
    "command_output": rows.result(text="text"),
    "tool that changes a file": rows.changed(
        path=lambda one: _changed_file(one)[1], event=lambda one: _changed_file(one)[0]
    ),
    "task_progress": rows.plan(steps=lambda one: _steps(checklist(prose(one.get("text"))))),
    "condense_context": rows.compacted(summary="contextCondense"),
}


UI_QUIET = names("quiet in cline")
"""The kinds without meaning for the session's state, of Cline's ``ClineAsk`` and ``ClineSay``."""


def begin_ui(source: Source) -> rows.RecordReader:
    """Begin the messages of a UI."""
    waiting = False
    """Whether a command runs: it is then recorded a second time, and its output comes in pieces."""

    def kind_of(message: Record) -> str:
        nonlocal waiting
        kind = str(message.get("say" if message.get("type") == "say" else "ask"))
        was, waiting = waiting, waiting and kind in ("command", "command_output", "api_req_started")
        match kind:
            case "tool" if all(_changed_file(message)):
                return "tool that changes a file"
            case "command":
                waiting = True
                return "command again" if was else kind
            case "command_output":
                waiting = was and not prose(message.get("text"))
                return kind if was and not waiting else "more of an output"
            case _:
                return kind

    read = reader(source, MESSAGES, kind_of, members(timestamp="ts"))

    def read_on(line: int, message: Record) -> Iterable[observed.AnyObservation]:
        is_first = line == 1 and message.get("say") == "text"
        return read(line, {**message, "say": "the first text"} if is_first else message)

    return read_on


CLINE_UI = Format.of_records(
    "Cline window",
    has("messages that say and ask", _is_ui),
    begin_ui,
    estimates=True,
    quiet=UI_QUIET,
)
