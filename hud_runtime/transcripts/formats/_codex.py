"""Codex: rollouts of its sessions, and the output of ``codex exec --json``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from hud_runtime.observe import _observations as observed
from hud_runtime.observe._asks import is_of_program
from hud_runtime.observe._observations import Record, mapping, prose, string, whole
from hud_runtime.observe._reader import FolderPlace, LinePlace
from hud_runtime.observe.messages import Status, names
from hud_runtime.transcripts import formats as rows
from hud_runtime.transcripts._source import Source
from hud_runtime.transcripts.formats import Format, RecordReader, Table, has, reader
from hud_runtime.transcripts.formats._messages import ItemReader, patch

# Codex's rollouts: Responses items in envelopes, with events between them; and the bare items of 2025.
#
# A prompt appears twice, as an event and as an item; items of the user's role also have the
# program's words. The figure of the last call is the context; the other one is the sum of all
# calls. Calls from a program of the agent (its code mode) are not items, but appear as completed
# calls; so do failed calls, and the ends of commands. Versions 0.144 to 0.148 have the program
# alone: its only call is parsed from it, if its arguments are literals.

ENVELOPES = names("envelope of codex")
PROGRAM = "exec"
"""The tool that runs the agent's program, which calls other tools."""

UNREAD_PROGRAM = "a program's own calls"
"""The name for unknown calls of a program, in a rollout from which these cannot be parsed."""

_CALL = re.compile(r"\btools\s*\.\s*(?P<name>\w+)\s*\(\s*")
_SCRIPT = re.compile(
    r"""(?P<text>"(?:[^"\\]++|\\[\s\S])*+(?:"|\\?\Z))|'(?P<single>(?:[^'\\]++|\\[\s\S])*+)(?:'|\\?\Z)|(?P<key>\b[A-Za-z_]\w*)(?=\s*:)|,(?=\s*[}\]])"""
)
"""Pieces of JavaScript objects that JSON spells differently, and texts, which stay unchanged."""
_HEADER = re.compile(r"\AScript (?:completed|failed|terminated)\nWall time .*\n(?:Output:\n?)?")

QUIET = names("quiet in codex")
"""The kinds of records, events and items without meaning for the session: those of
``rollout/src/policy.rs`` and of recorded files.
"""

CHANGES: dict[str, observed.FileEvent] = {
    "add": "file.edit",
    "update": "file.edit",
    "delete": "file.close",
}


def recognises_rollout(source: Source) -> str | None:
    """Return the reason to read a file as a rollout of Codex, or None."""
    if any(
        string(one.get("type")) in ENVELOPES and isinstance(one.get("payload"), dict)
        for one in source.head
    ):
        return "its lines have a payload in an envelope"
    if source.kind == "lines" and any("record_type" in one for one in source.head):
        return "its lines have records of a state between items"
    return None


def begin_rollout(source: Source) -> RecordReader:
    """Begin a rollout."""
    return _Rollout(source).record


class _Rollout:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._items = ItemReader(source)
        self._limit: int | None = None
        self._last_prompt: str | None = None
        self._branch: str | None = None
        self._called: set[str] = set()
        """Calls that are items, by their ids."""
        self._completed: set[str] = set()
        """Calls that were completed before their item's answer."""
        self._programs: dict[str | None, tuple[str, int]] = {}
        """The programs by their call, each with the number of calls completed before it."""

    def record(self, line: int, record: Record) -> Iterator[observed.AnyObservation]:
        """Yield the observations of one line."""
        kind = string(record.get("type")) or ""
        at: FolderPlace = {
            "line": line,
            "timestamp": observed.milliseconds(record.get("timestamp")),
        }
        payload = mapping(record.get("payload"))
        match kind:
            case "session_meta":
                yield from self._meta(payload, at)
            case "turn_context":
                self._items.model = string(payload.get("model")) or self._items.model
                self._items.directory = string(payload.get("cwd")) or self._items.directory
            case "response_item":
                yield from self._item(payload, at)
            case "event_msg":
                yield from self._event(payload, at)
            case "token_usage_record":
                yield from self._used(payload.get("usage"), at)
            case "compacted":
                yield observed.Compacting(**at, reason="")
                yield observed.Compacted(**at, summary=prose(payload.get("message")))
            case _ if "record_type" in record:
                self._source.skip("state")
            case "" if "instructions" in record or "git" in record:
                yield from self._meta(record, at)
            case _ if kind in ENVELOPES:
                self._source.skip(kind)
            case _:
                yield from self._item(record, at)

    def _meta(self, meta: Record, at: LinePlace) -> Iterator[observed.AnyObservation]:
        self._items.directory = string(meta.get("cwd")) or self._items.directory
        branch = string(mapping(meta.get("git")).get("branch"))
        if branch is not None and branch != self._branch:
            self._branch = branch
            place = self._items.directory
            yield observed.Found(**at, name="branch", value=branch, directory=place)

    def _item(self, item: Record, at: LinePlace) -> Iterator[observed.AnyObservation]:
        for seen in self._items.item(item, **at):
            if isinstance(seen, observed.ToolCall) and seen.call_id is not None:
                self._called.add(seen.call_id)
                if seen.name == PROGRAM and "input" in seen.arguments:
                    program = prose(seen.arguments["input"])
                    self._programs[seen.call_id] = (program, len(self._completed))
            if isinstance(seen, observed.ToolAnswer):
                if seen.call_id in self._completed:
                    continue
                program, before = self._programs.pop(seen.call_id, ("", -1))
                if before == len(self._completed):
                    yield from self._called_by(program, seen.text, at)
            if not isinstance(seen, observed.UserMessage):
                yield seen
                continue
            # Of several texts in the user role, some may be the program's.
            parts = [prose([one]) for one in observed.sequence(item.get("content"))] or [seen.text]
            words = "\n".join(one for one in parts if not is_of_program(one))
            yield from self._prompt(words, at)

    def _called_by(
        self, program: str, said: str, at: LinePlace
    ) -> Iterator[observed.AnyObservation]:
        """The only call of a program, with its answer, as if it were an item; else an unknown call."""
        call_id = f"{at.get('line')} of a program"
        call = _only_call(program)
        if call is None:
            yield observed.ToolCall(**at, name=UNREAD_PROGRAM, call_id=call_id)
            yield observed.ToolAnswer(**at, call_id=call_id, status="done")
            return
        output = {"type": f"{call['type']}_output", "output": _HEADER.sub("", said, count=1)}
        for item in (call, output):
            yield from self._items.item({**item, "call_id": call_id}, **at)

    def _prompt(self, text: str, at: LinePlace) -> Iterator[observed.AnyObservation]:
        if not text.strip():
            self._source.skip("meta")
        elif text.strip() != self._last_prompt:
            self._last_prompt = text.strip()
            yield observed.UserMessage(**at, text=text)

    def _event(self, event: Record, at: FolderPlace) -> Iterator[observed.AnyObservation]:
        kind = string(event.get("type")) or "untyped"
        match kind:
            case "user_message":
                self._items.end_turn()
                text = prose(event.get("message"))
                if not is_of_program(text):
                    yield from self._prompt(text, at)
            case "token_count":
                info = mapping(event.get("info"))
                self._limit = whole(info.get("model_context_window")) or self._limit
                yield from self._used(info.get("last_token_usage"), at)
            case "task_started" | "turn_started":
                self._limit = whole(event.get("model_context_window")) or self._limit
                self._last_prompt = None
            case "thread_rolled_back":
                self._last_prompt = None
                yield observed.Undone(**at, turns=whole(event.get("num_turns")) or 1)
            case "thread_name_updated":
                if name := string(event.get("name")) or string(event.get("thread_name")):
                    yield observed.Title(**at, text=name)
            case "item_completed":
                yield from self._done(mapping(event.get("item")), at)
            case "patch_apply_end":
                if event.get("success") is True:
                    yield from _changes(mapping(event.get("changes")), at)
            case _:
                self._source.skip(kind)

    def _used(self, figures: object, at: LinePlace) -> Iterator[observed.AnyObservation]:
        last = mapping(figures)
        if used := whole(last.get("total_tokens")):
            model, usage = self._items.model, observed.usage_in(last)
            yield observed.ContextUsed(**at, used=used, usage=usage, limit=self._limit, model=model)

    def _done(self, item: Record, at: FolderPlace) -> Iterator[observed.AnyObservation]:
        kind, call_id = string(item.get("type")) or "untyped", string(item.get("id"))
        if kind not in COMPLETED or call_id is None:
            self._source.skip(kind)
            return
        called, ended = COMPLETED[kind]
        if call_id not in self._called:
            yield from called(item, at)
        self._completed.add(call_id)
        yield from ended(item, at)


def _as_json(piece: re.Match[str]) -> str:
    if piece["single"] is not None:
        text = piece["single"].replace("\\'", "'").replace('"', '\\"')
        return f'"{text}"'
    return f'"{piece["key"]}"' if piece["key"] else piece["text"] or ""


def _only_call(program: str) -> Record | None:
    """The only call in a program as an item; None for several calls, and for arguments that are not literals."""
    found = [*_CALL.finditer(program)]
    if len(found) != 1 or program.count("tools") != 1:
        return None
    written = _SCRIPT.sub(_as_json, program[found[0].end() :])
    try:
        given, end = json.JSONDecoder().raw_decode(written)
    except (ValueError, RecursionError):
        return None
    if not written[end:].lstrip().startswith(")"):
        return None
    if isinstance(given, str):
        return {"type": "custom_tool_call", "name": found[0]["name"], "input": given}
    return {"type": "function_call", "name": found[0]["name"], "arguments": given}


def _changes(changes: Record, at: LinePlace) -> Iterator[observed.AnyObservation]:
    for path, said in changes.items():
        change = mapping(said)
        moved = string(change.get("move_path"))
        event = CHANGES.get(str(change.get("type")), "file.edit")
        yield observed.FileChanged(**at, path=path, event="file.close" if moved else event)
        if moved:
            yield observed.FileChanged(**at, path=moved)


# Completed items, in a rollout and in the output of ``codex exec --json``: the call, and its
# result.


def _changed(item: Record) -> Iterator[tuple[str, object]]:
    for path, change in mapping(item.get("changes")).items():
        yield path, mapping(change).get("type")
    for change in map(mapping, observed.sequence(item.get("changes"))):
        yield prose(change.get("path")), change.get("kind")


def _status(item: Record) -> Status:
    status, code = STATUSES.get(str(item.get("status")), "unknown"), item.get("exit_code")
    if "exit_code" not in item or status == "refused":
        return status
    # A command's status repeats its exit status, which is judged elsewhere.
    return "cancelled" if isinstance(code, int) and code < 0 else "unknown"


def _output(item: Record) -> str:
    text = prose(item.get("aggregated_output")) or prose(mapping(item.get("result")).get("content"))
    return text or f"{prose(item.get('stdout'))}{prose(item.get('stderr'))}"


STATUSES: dict[str, Status] = {"completed": "done", "failed": "failed", "declined": "refused"}
ENDED = rows.result(text=_output, call_id="id", exit_code="exit_code", status=_status)
SHELL = (
    rows.call(name="=shell", arguments=lambda item: {"command": item.get("command")}, call_id="id"),
    ENDED,
)
PATCH = (
    rows.call(name="=apply_patch", arguments=lambda item: patch(_changed(item)), call_id="id"),
    ENDED,
)

COMPLETED = {
    "CommandExecution": SHELL,
    "FileChange": PATCH,
    "McpToolCall": (
        rows.call(
            name=lambda item: f"mcp__{item.get('server')}__{item.get('tool')}",
            arguments="arguments",
            call_id="id",
        ),
        ENDED,
    ),
}

ROLLOUT = Format.of_records(
    "Codex rollout",
    recognises_rollout,
    begin_rollout,
    quiet=QUIET,
)


# Output of ``codex exec --json``: items that began, continued and ended, without the prompt.

EVENTS = frozenset(
    {"turn.started", "turn.completed", "turn.failed", "item.started", "item.completed"}
)
FAILED = rows.failed(message="error.message|message|=failed")


def _steps(item: Record) -> tuple[tuple[str, str], ...]:
    entries = map(mapping, observed.sequence(item.get("items")))
    return tuple(
        (prose(one.get("text")), "completed" if one.get("completed") is True else "pending")
        for one in entries
    )


ITEMS: Table = {
    "command_execution": SHELL,
    "file_change": PATCH,
    "todo_list": rows.plan(steps=_steps),
    "mcp_tool_call": (
        rows.call(name="tool|=mcp", arguments="arguments", call_id="id", of_server=lambda _: True),
        ENDED,
    ),
    "web_search": rows.call(name="=web_search", call_id="id"),
}


def _is_event(one: Record) -> bool:
    kind = string(one.get("type"))
    return kind == "thread.started" or (kind in EVENTS and "item" in one)


def begin_exec(source: Source) -> RecordReader:
    """Begin a stream."""
    speaks = False
    read = reader(source, ITEMS)

    def event(line: int, record: Record) -> Iterator[observed.AnyObservation]:
        nonlocal speaks
        kind, item = record.get("type"), mapping(record.get("item"))
        of = item.get("type")
        if kind == "item.completed" or (kind == "item.updated" and of == "todo_list"):
            if of == "agent_message" or not speaks:
                speaks = True
                yield observed.AgentMessage(line=line, text=prose(item.get("text")))
            yield from read(line, item)
        elif kind == "turn.completed":
            speaks = False
            usage = mapping(record.get("usage"))
            source.skip("usage of all calls")
            if whole(usage.get("input_tokens")) + whole(usage.get("output_tokens")):
                yield observed.ContextUsed(line=line)
        elif kind in ("turn.failed", "error"):
            yield from FAILED(record, {"line": line})
        elif kind not in ("thread.started", "turn.started", "item.started", "item.updated"):
            source.skip(kind)

    return event


EXEC = Format.of_records(
    "codex exec --json",
    has("a thread and its items", _is_event),
    begin_exec,
    quiet={"agent_message", "reasoning", "usage of all calls"},
)
