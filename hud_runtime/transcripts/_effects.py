"""What a call has done, once its answer is there: files touched, steps done, errors met.

An edit that was refused has edited nothing, so nothing is told before the answer. An error
belongs to what was tried, such as one command or the edit of one file; when the same succeeds
later, the error is resolved.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hud_runtime.events import Actor, EventType
from hud_runtime.transcripts._failures import LONGEST, failure_in, telling_line, was_refused
from hud_runtime.transcripts._hud_calls import recorded
from hud_runtime.transcripts._json import Record, string
from hud_runtime.transcripts._moments import Call, Result
from hud_runtime.transcripts._paths import shown
from hud_runtime.transcripts._shell import Touched, edits_open_file, touched
from hud_runtime.transcripts._task import cut
from hud_runtime.transcripts._todos import Todo, changes, todos_in
from hud_runtime.transcripts._tools import (
    EditorTool,
    FileCommand,
    FileTool,
    HudTool,
    ShellTool,
    TodoTool,
    Tool,
    ToolTable,
)
from ujsx.schema import ARGS, TOOL

COMMAND_SHOWN = 60
"""Characters of a command that an error repeats."""

Effect: TypeAlias = tuple[EventType, dict[str, object], Actor]
"""The type, the payload and the actor of an event."""


@dataclass(slots=True)
class Workspace:
    """Where the agent works."""

    root: str | None = None
    """The first working directory that the transcript names; paths are shown from here."""

    directory: str | None = None
    """The working directory now."""

    open_file: str | None = None
    """The file in the agent's editor, as it is shown."""

    def enter(self, directory: str | None) -> None:
        """Be in this directory from now on, unless it is None."""
        if directory is not None:
            self.directory = directory
            self.root = self.root or directory

    def shown(self, path: str) -> str:
        """Return a path as it is shown."""
        return shown(path, self.root, self.directory)


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a call tried: the same again is an equal attempt."""

    kind: str
    """A tool's name, or what happens to a file."""

    target: str
    """The path, the command, or the arguments."""

    label: str
    """What an error's message begins with."""

    of: Literal["edit", "command"] | None
    """Whose failures its answer is searched for."""


class Effects:
    """The effects of a session's calls, one after the other."""

    def __init__(self, table: ToolTable, workspace: Workspace) -> None:
        self._table = table
        self._workspace = workspace
        self._files: set[str] = set()
        self._todos: list[Todo] = []
        self._errors: dict[Attempt, list[str]] = {}

    def of(self, call: Call, result: Result) -> Iterator[Effect]:
        """Yield what the answered call has done.

        Raises :class:`ValueError` for a call of the HUD's tool that the tool does not understand.
        """
        tool = self._table.tool(call.name)
        files = list(self._touched(tool, call.arguments))
        attempt = _attempt(tool, call, files, self._table.commands)
        message = self._failure(attempt, result)
        self._workspace.enter(result.directory)
        if message is not None:
            yield from self._failed(attempt, message)
        elif not result.failed:
            yield from self._done(call, tool, files, result)
            yield from self._succeeded(attempt)
        yield from self._shows(result.open_file)

    def _done(
        self, call: Call, tool: Tool | None, files: list[Touched], result: Result
    ) -> Iterator[Effect]:
        for file in files:
            yield from self._file(file)
        match tool:
            case TodoTool():
                todos = todos_in(call.arguments, tool)
                for event_type, payload in changes(self._todos, todos):
                    yield event_type, payload, "agent"
                self._todos = todos
            case HudTool():
                yield from _operation(tool, call, result.text)
            case _:
                pass

    def _touched(self, tool: Tool | None, given: Record) -> Iterator[Touched]:
        match tool:
            case FileTool():
                path = _first(given, tool.path)
                yield from self._resolved(Touched(tool.event, path), tool.on_open_file)
            case EditorTool():
                event = tool.events.get(string(given.get(tool.command)) or "")
                if event is not None:
                    yield from self._resolved(Touched(event, _first(given, tool.path)), False)
            case ShellTool():
                for one in touched(_script(given, tool), self._table.commands):
                    yield from self._resolved(one, True)
            case _:
                return

    def _resolved(self, one: Touched, or_open_file: bool) -> Iterator[Touched]:
        if one.path is not None:
            yield Touched(one.event, self._workspace.shown(one.path))
        elif or_open_file and self._workspace.open_file:
            yield Touched(one.event, self._workspace.open_file)

    def _file(self, one: Touched) -> Iterator[Effect]:
        path = one.path or ""
        if one.event != "file.close":
            self._files.add(path)
            yield one.event, {"path": path}, "tool"
            return
        for known in sorted(self._files):
            if known == path or known.startswith(f"{path}/"):
                self._files.discard(known)
                yield "file.close", {"path": known}, "tool"

    def _shows(self, open_file: str | None) -> Iterator[Effect]:
        if open_file is None:
            return
        file = self._workspace.shown(open_file) if open_file else None
        if file is not None and file != self._workspace.open_file and file not in self._files:
            yield from self._file(Touched("file.open", file))
        self._workspace.open_file = file

    def _failure(self, attempt: Attempt, result: Result) -> str | None:
        text = result.text
        found = None
        if attempt.of is not None:
            found = failure_in(text, attempt.of, self._table.failures)
        if result.failed:
            return None if was_refused(text) else found or telling_line(text)
        return found

    def _failed(self, attempt: Attempt, message: str) -> Iterator[Effect]:
        said = cut(f"{attempt.label}: {message}", LONGEST)
        known = self._errors.setdefault(attempt, [])
        if said not in known:
            known.append(said)
            yield "error.encountered", {"message": said}, "tool"

    def _succeeded(self, attempt: Attempt) -> Iterator[Effect]:
        for message in self._errors.pop(attempt, ()):
            yield "error.resolved", {"id": message}, "tool"


def _attempt(
    tool: Tool | None, call: Call, files: list[Touched], commands: Mapping[str, FileCommand]
) -> Attempt:
    edited = next((one.path for one in files if one.event == "file.edit"), None)
    match tool:
        case ShellTool():
            script = _script(call.arguments, tool).strip()
            if edited is not None and edits_open_file(script, commands):
                return Attempt("file.edit", edited, edited, "edit")
            first = script.partition("\n")[0]
            return Attempt(
                "command", " ".join(script.split()), cut(first, COMMAND_SHOWN), "command"
            )
        case FileTool() | EditorTool() if files:
            event, path = files[0].event, files[0].path or ""
            return Attempt(event, path, path, "edit" if event == "file.edit" else None)
        case None:
            given = json.dumps(dict(call.arguments), sort_keys=True, default=str)
            return Attempt(call.name, given, call.name, "command")
        case _:
            return Attempt(call.name, "", call.name, None)


def _script(given: Record, tool: ShellTool) -> str:
    return _first(given, tool.command) or ""


def _first(given: Record, names: tuple[str, ...]) -> str | None:
    return next(filter(None, (string(given.get(name)) for name in names)), None)


def _operation(tool: HudTool, call: Call, answer: str) -> Iterator[Effect]:
    ours = {tool.operation: TOOL, tool.arguments: ARGS}
    given = {ours.get(name, name): value for name, value in call.arguments.items()}
    found = recorded(call.name, given, answer)
    if found is not None:
        yield *found, "agent"
