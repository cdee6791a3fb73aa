"""Tools and their events, as tables that a user can extend; calls of the HUD's own tool are parsed
as the tool parses them.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, cast

from pydantic import BaseModel

from hud_components import CODING, Domain, HudSection
from hud_runtime.log.events import EventType, New, catalog_of
from hud_runtime.observe import _shell
from hud_runtime.observe._failures import FAILURES, Failure
from hud_runtime.observe._observations import FileEvent, Record, sequence, string
from hud_runtime.observe.messages import rows
from hud_runtime.tools import _operations
from ujsx.tools import Operation, Toolset
from ujsx.tools import ToolResult as CallResult

# The statements worth remembering: a table of patterns, and one of events. A domain with a section
# for errors, files, steps or decisions does not remember these a second time: each rule names the
# sections that already have its matches.

Saying: TypeAlias = Literal["user", "agent", "tool"]
"""The speaker: the user, the agent in an answer, or a tool in its output."""


@dataclass(frozen=True, slots=True)
class MemoryRule:
    """A pattern in somebody's words, and the memory that it becomes."""

    pattern: re.Pattern[str]
    """A regular expression; its group ``what`` becomes the memory."""

    of: Saying
    """The speaker whose words are searched."""

    slot: str
    """The kind of memory: the name of a slot, or "pool"."""

    source: str
    """The source of such lines."""

    says: str = "{what}"
    """The text of the memory, with the pattern's groups in braces."""

    has_it: frozenset[str] = frozenset()
    """The sections, by the state's field, that make the rule needless if the domain has one of them."""


@dataclass(frozen=True, slots=True)
class MemoryEvent:
    """An event of the coding HUD that, in a domain without it, becomes a memory."""

    field: str
    """The field of the event with the text."""

    slot: str = ""
    """The kind of memory; empty for an event that ends one."""


FROM_EVENTS: Mapping[str, MemoryEvent] = MappingProxyType(
    {
        "error.encountered": MemoryEvent("message", "error"),
        "error.resolved": MemoryEvent("id"),
        "decision.record": MemoryEvent("summary", "decision"),
        "step.add": MemoryEvent("description", "todo"),
        "step.complete": MemoryEvent("id"),
        "step.remove": MemoryEvent("id"),
        "file.open": MemoryEvent("path", "pool"),
        "file.edit": MemoryEvent("path", "pool"),
        "file.close": MemoryEvent("path"),
    }
)
"""The memories of errors, decisions, steps and files, in a domain without sections for them."""

MEMORY_RULES: tuple[MemoryRule, ...] = tuple(
    MemoryRule(
        re.compile(pattern, re.MULTILINE),
        cast("Saying", of),
        slot,
        source,
        says,
        frozenset(has_it.split()),
    )
    for of, slot, has_it, says, source, pattern in rows("memory-rules")
)
"""The memories in words and output; a user's own rules may precede or follow these.

Errors, edited files, steps and answers to questions are not among them: the reader has those from
calls and their answers (:data:`FROM_EVENTS`).
"""


# The operations of the agent's own HUD tool, as events.

_FORMER: Mapping[str, EventType | None] = MappingProxyType(
    {"title": "session.title", "clear": "section.clear", "section.clear": "section.clear"}
)
"""Former operations of the tool, which transcripts may contain."""


@lru_cache(maxsize=8)
def operations_of(domain: Domain[Any, Any]) -> Mapping[str, EventType | None]:
    """Return the operations of a domain's tool, each with the type of its event; None for one that
    only reads.
    """
    own = domain.operations
    return MappingProxyType(
        {
            **{
                name: own[name].type if name in own else None
                for name in _operations.hud_toolset(None, domain=domain, layouts=True).operations
            },
            "layout.set": "layout.set",
            "layout.reset": "layout.reset",
            **{name: name for name in _operations.STANDINGS},
            **{
                f"{section.name}.{_operations.ANEW}": "section.replace"
                for section in domain.tools
                if f"{section.name}.{_operations.ANEW}" not in own
                and _operations.is_replaceable(section)
            },
            **_FORMER,
        }
    )


OPERATIONS: Mapping[str, EventType | None] = operations_of(CODING)
"""The event types by operation; None for one that only reads."""


@dataclass(frozen=True, slots=True)
class FileTool:
    """A tool that opens or edits one file."""

    event: FileEvent

    path: tuple[str, ...] = ("file_path", "filePath", "path", "filename", "file")
    """The arguments that may hold the path; the first present one counts."""

    on_open_file: bool = False
    """True if it acts on the editor's open file when no argument names one."""


@dataclass(frozen=True, slots=True)
class EditorTool:
    """A tool with several commands, each with its own event."""

    events: Mapping[str, FileEvent]
    command: str = "command"
    path: tuple[str, ...] = ("path",)


@dataclass(frozen=True, slots=True)
class ShellTool:
    """A tool that runs commands: this argument has a script, or the words of a command."""

    command: tuple[str, ...] = ("command", "cmd", "script", "commands")


@dataclass(frozen=True, slots=True)
class CodeTool:
    """A tool that runs code in a language other than shell, in the argument of this name."""

    code: tuple[str, ...] = ("code", "script", "source")


@dataclass(frozen=True, slots=True)
class PatchTool:
    """A tool that takes a patch, in the argument of this name."""

    patch: tuple[str, ...] = ("input", "patch", "patchText", "patch_text", "diff", "changes")


@dataclass(frozen=True, slots=True)
class MoveTool:
    """A tool that renames a file."""

    source: tuple[str, ...] = ("source", "src", "from", "old_path", "oldPath", "source_path")
    target: tuple[str, ...] = ("destination", "dst", "to", "new_path", "newPath", "target_path")


DONE = frozenset({"completed", "complete", "done", "finished", "closed", "x", "checked"})
DROPPED = frozenset({"cancelled", "canceled", "deleted", "removed", "skipped", "abandoned"})


@dataclass(frozen=True, slots=True)
class TodoTool:
    """A tool that writes the whole to-do list."""

    items: str = "todos"
    text: tuple[str, ...] = ("content", "description", "step", "title", "subject", "text", "task")
    done: frozenset[str] = DONE
    """The values of ``status`` that mean a step is over."""
    dropped: frozenset[str] = DROPPED
    """The values of ``status`` that mean a step is no longer in the plan."""

    @property
    def lists(self) -> tuple[str, ...]:
        """The arguments that may hold the list."""
        return (
            self.items,
            *(one for one in ("todos", "plan", "items", "task_list") if one != self.items),
        )


@dataclass(frozen=True, slots=True)
class TaskTool:
    """A tool about single steps of the plan."""

    does: Literal["create", "update", "list"]


@dataclass(frozen=True, slots=True)
class QuestionTool:
    """A tool that asks the user; the answer is a decision."""


@dataclass(frozen=True, slots=True)
class PlanTool:
    """A tool that presents a plan to the user, who approves it or asks for changes."""


@dataclass(frozen=True, slots=True)
class QuietTool:
    """A known tool without any effect on the HUD."""


@dataclass(frozen=True, slots=True)
class HudTool:
    """The agent's own tool for its HUD: an operation and its arguments.

    Every form that the tool itself accepts is read. The fields name the two arguments in another
    tool.
    """

    operation: str = "tool"
    arguments: str = "args"


Tool: TypeAlias = (
    FileTool | EditorTool | ShellTool | CodeTool | PatchTool | MoveTool | TodoTool | TaskTool | QuestionTool | PlanTool
    | QuietTool | HudTool
)  # fmt: skip

PLANS = (TodoTool, TaskTool, QuestionTool)
"""Tools for the agent's own plan: a sub-agent's plan is not its parent's."""

EDITOR = EditorTool(
    MappingProxyType(
        {
            "view": "file.open",
            "create": "file.edit",
            "write": "file.edit",
            "str_replace": "file.edit",
            "insert": "file.edit",
            "undo_edit": "file.edit",
            "edit": "file.edit",
            "delete": "file.close",
        }
    ),
    path=("path", "file_path", "filePath"),
)
"""The editor that several agents share."""

PATHS = (
    "file_path", "filePath", "path", "filename", "file", "target_file", "relative_path", "absolute_path", "notebook_path",
    "filepath", "relative_workspace_path", "uri", "AbsolutePath", "TargetFile",
)  # fmt: skip
"""Arguments that name a file."""

_KINDS: Mapping[str, Tool] = {
    "open": FileTool("file.open", PATHS),
    "edit": FileTool("file.edit", PATHS),
    "close": FileTool("file.close", PATHS),
    "move": MoveTool(),
    "patch": PatchTool(),
    "shell": ShellTool(),
    "code": CodeTool(),
    "todos": TodoTool(),
    "plan": TodoTool(items="plan"),
    "task list": TodoTool(items="task_list"),
    "create task": TaskTool("create"),
    "update task": TaskTool("update"),
    "list tasks": TaskTool("list"),
    "question": QuestionTool(),
    "approval": PlanTool(),
    "quiet": QuietTool(),
    # SWE-agent's commands
    "open command": FileTool("file.open"),
    "create command": FileTool("file.edit"),
    "edit command": FileTool("file.edit", on_open_file=True),
    "editor": EDITOR,
}

TOOLS: Mapping[str, Tool] = MappingProxyType(
    {
        **{name: _KINDS[kind] for kind, names in rows("tools") for name in names.split(", ")},
        # ours: one tool, or one for each operation
        **dict.fromkeys(
            (
                _operations.NAME,
                *(f"{_operations.NAME}_{each.replace('.', '_')}" for each in OPERATIONS),
            ),
            HudTool(),
        ),
    }
)
"""The known tools, by name."""

_BY_LOWER: Mapping[str, Tool] = MappingProxyType(
    {name.lower(): tool for name, tool in reversed([*TOOLS.items()])}
)


@dataclass(frozen=True, slots=True)
class ToolTable:
    """The meaning of a transcript's tools and their answers."""

    tools: Mapping[str, Tool] = field(default_factory=lambda: TOOLS)
    commands: Mapping[str, _shell.FileCommand] = field(default_factory=lambda: _shell.COMMANDS)
    failures: tuple[Failure, ...] = FAILURES
    memory: tuple[MemoryRule, ...] = MEMORY_RULES
    """The rules of a domain's working memory."""

    def extended(
        self,
        *,
        tools: Mapping[str, Tool] | None = None,
        commands: Mapping[str, _shell.FileCommand] | None = None,
        failures: tuple[Failure, ...] = (),
        memory: tuple[MemoryRule, ...] = (),
    ) -> ToolTable:
        """Return a table with more rows; a known name gets the new meaning.

        >>> table = ToolTable().extended(tools={"peek": FileTool("file.open", ("where",))})
        >>> table.tool("mcp__files__peek").event
        'file.open'
        """
        return replace(
            self,
            tools={**self.tools, **(tools or {})},
            commands={**self.commands, **(commands or {})},
            failures=(*failures, *self.failures),
            memory=(*memory, *self.memory),
        )

    def tool(self, name: str) -> Tool | None:
        """Return the entry of a tool, if known."""
        found = self.tools.get(name)
        if found is None:
            bare = re.split(r"__|[./:]", name)[-1]
            found = self.tools.get(bare) or _BY_LOWER.get(bare.lower())
        return found


# The subject of a call, by its arguments: its script, its files.

ByFiles: TypeAlias = FileTool | EditorTool | PatchTool | MoveTool | CodeTool
"""The tools whose calls name files."""


def scripts_of(given: Record, tool: ShellTool) -> str:
    r"""Return the script that a call runs, which may be a text, a command's words, or several scripts.

    >>> scripts_of({"command": ["bash", "-lc", "make test"]}, ShellTool())
    "bash -lc 'make test'"
    """
    for name in tool.command:
        value = given.get(name)
        if isinstance(value, str):
            return value
        words = [*filter(None, map(string, sequence(value)))]
        if words:
            return "\n".join(words) if name == "commands" else shlex.join(words)
    return ""


def files_of(tool: ByFiles, given: Record, original: str | None = None) -> Iterator[_shell.FileUse]:
    """Yield the files that a call of a tool names.

    :param original: the file before the call, if its host tells.
    """
    match tool:
        case FileTool():
            path = _shell.first(given, tool.path)
            yield _shell.FileUse(tool.event, path, *_shell.change_by(given, path, original))
        case EditorTool():
            command = string(given.get(tool.command))
            writes = any(
                name in given
                for name in ("content", "new_string", "new_str", "file_text", "new_text")
            )
            event = tool.events.get(command or ("edit" if writes else "view"))
            if event is not None:
                path = _shell.first(given, tool.path)
                yield _shell.FileUse(event, path, *_shell.change_by(given, path, original))
        case PatchTool():
            found = [*_shell.patched(_shell.first(given, tool.patch) or "")]
            yield from found
            if not found:
                yield _shell.FileUse(
                    "file.edit", _shell.first(given, ("path", "file_path", "filePath"))
                )
        case CodeTool():
            for written in _shell.written_by(_shell.first(given, tool.code) or ""):
                yield _shell.FileUse("file.edit", written)
        case MoveTool():
            source, target = _shell.first(given, tool.source), _shell.first(given, tool.target)
            if source and target:
                yield _shell.FileUse("file.close", source)
                yield _shell.FileUse("file.edit", target)


# Calls of the agent's own HUD tool, parsed by a toolset as the tool itself parses them: every
# layout and every repair that the tool accepts counts here too. The operations record nothing: each
# answers with the event that it would record.

_ID = r"`?(?P<id>[\w.:-]+?)`?"
"""An id as printed in an answer."""


def recorded(
    name: str, given: Mapping[str, object], answer: str, domain: Domain[Any, Any] = CODING
) -> list[tuple[EventType, dict[str, Any]]]:
    """Return the events of an answered call, each with its payload; none for a call that only reads.

    A new item gets the id in the answer, which later calls use.

    Raises :class:`ValueError` for a call that the tool rejects.

    >>> recorded("hud", {"call": {"op": "notes.add", "content": "Port 8080"}}, "Added n-3.")
    [('note.add', {'content': 'Port 8080', 'id': 'n-3'})]
    """
    result = _calls(domain).call(_tool(name, domain), dict(given))
    if result.is_error:
        if result.operation is not None and operations_of(domain)[result.operation] is None:
            return []
        raise ValueError(f"{name}: {_why(result)}")
    several = result.operation is None
    one = {"op": result.operation, "data": result.data}
    calls: list[dict[str, Any]] = result.data if several else [one]
    lines = answer.splitlines() if several else [answer]
    told = lines if len(lines) in (len(calls), len(calls) + 1) else [""] * len(calls)  # the status
    events = (_event(each, line, domain) for each, line in zip(calls, told, strict=False))
    return [event for event in events if event is not None]


def _event(
    call: Mapping[str, Any], answer: str, domain: Domain[Any, Any]
) -> tuple[EventType, dict[str, Any]] | None:
    """The event of one call; None for one that only reads."""
    operation = call["op"]
    event = operations_of(domain)[operation]
    if event is None:
        return None
    payload: dict[str, Any] = call["data"]
    told = _told_id(operation, answer, domain)
    if told is not None and issubclass(catalog_of(domain)[event], New):
        payload.setdefault("id", told)
    return event, payload


@lru_cache(maxsize=8)
def _calls(domain: Domain[Any, Any]) -> Toolset:
    own = _operations.hud_toolset(None, domain=domain, layouts=True).operations
    events = operations_of(domain)
    former = {name: event for name, event in events.items() if event and name not in own}
    return Toolset(
        [
            *(replace(each, handler=_handler(each, domain)) for each in own.values()),
            *(Operation(name, catalog_of(domain)[former[name]], _payload) for name in former),
        ],
        name=_operations.NAME,
        meant=_operations.meaning(domain, own.values()),
        transaction=nullcontext,
    )


def _handler(operation: Operation, domain: Domain[Any, Any]) -> Callable[[Any], CallResult]:
    """The function that answers a call with the event that it records."""
    event = operations_of(domain).get(operation.name)
    if event == "layout.set":
        return partial(_document, domain)
    if event in _operations.STANDINGS:
        return _section
    section = _section_of(operation.name, domain) if event == "section.replace" else None
    return _payload if section is None else partial(_items, section.field)


def _payload(arguments: BaseModel) -> CallResult:
    return CallResult("", data=arguments.model_dump(mode="json", exclude_unset=True))


def _items(field: str, asked: BaseModel) -> CallResult:
    return CallResult("", data={field: _operations.items_in(asked)})


def _section_of(operation: str, domain: Domain[Any, Any]) -> type[HudSection] | None:
    name = operation.rpartition(".")[0]
    return next((each for each in domain.tools if each.name == name), None)


def _document(domain: Domain[Any, Any], asked: _operations.Layout) -> CallResult:
    return CallResult("", data={"layout": _operations.document(asked.layout, domain.state)})


def _section(asked: _operations.SectionChoice) -> CallResult:
    return CallResult("", data={"section": asked.section})


def _tool(name: str, domain: Domain[Any, Any]) -> str:
    """The tool's own name, without a server's prefix; a user may have renamed it."""
    bare = name.rpartition("__")[2]
    return bare if _calls(domain).has(bare) else _operations.NAME


def _told_id(operation: str, answer: str, domain: Domain[Any, Any]) -> str | None:
    section_event = domain.operations.get(operation)
    if section_event is None:
        return None
    pattern = re.escape(section_event.verb.answer_in(section_event.section)).replace(
        re.escape("{id}"), _ID
    )
    rest = "$" if section_event.verb.also is None else r"(?: [^\n]*)?$"
    found = re.match(f"{pattern}{rest}", answer, re.MULTILINE)
    return None if found is None else found.groupdict().get("id")


def _why(result: CallResult) -> str:
    problems: list[dict[str, Any]] = result.data["problems"]
    return "; ".join(
        ": ".join(each[name] for name in ("path", "problem") if name in each) for each in problems
    )
