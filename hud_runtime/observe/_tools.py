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
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel

from hud_components import CODING, Domain, HudSection
from hud_runtime.log.events import EventType, New, catalog_of
from hud_runtime.observe import _shell
from hud_runtime.observe._failures import FAILURES, Failure
from hud_runtime.observe._observations import FileEvent, Record, sequence, string
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

_DECISIONS, _STEPS = frozenset({"decisions"}), frozenset({"next_steps"})


def _line(words: str) -> re.Pattern[str]:
    return re.compile(words, re.MULTILINE)


PIP = _line(r"^Successfully installed (?P<what>[\w.-]+-\d[\w.!+-]*(?: [\w.-]+-\d[\w.!+-]*){0,4}+)")
UV = _line(r"^ \+ (?P<what>[\w.-]+==\S{1,80})[ \t]*$")
POETRY = _line(r"^[ \t]*- Installing (?P<what>[\w.-]+ \([^()\s]{1,80}\))")
NPM = _line(r"^\+ (?P<what>(?:@[\w.-]+/)?[\w.-]+@\d\S{0,80})[ \t]*$")
PNPM = _line(r"^\+ (?P<what>(?:@[\w.-]+/)?[\w.-]+ \d[\w.+-]*)(?: .*)?$")
YARN = _line(r"^[├└]─ (?P<what>(?:@[\w.-]+/)?[\w.-]+@\d\S{0,80})[ \t]*$")
CARGO = _line(r"^[ \t]*Adding (?P<what>[\w-]+ v\d\S{0,80}) to (?:\w+ )?dependencies")
GO = _line(
    r"^go: (?:added|upgraded) (?P<what>[\w./~-]+ v\d\S{0,80}|[\w./~-]+ v\S{1,80} => v\S{1,80})"
)
BUNDLER = _line(r"^Installing (?P<what>[\w-]+ \d[\w.]*)[ \t]*$")

CHOSEN = _line(
    r"(?:^|[.!?;:] {1,2})(?:[Oo]k(?:ay)?,? |[Yy]es,? |[Pp]lease,? |[Nn]o,? )?"
    r"(?P<what>(?:[Ll]et'?s (?:use|go with|stick (?:with|to)|switch to|keep|drop)"
    r"|[Ww]e(?:'ll| will|'re going to) (?:use|go with|stick (?:with|to)|switch to|keep|drop)"
    r"|[Ww]e (?:have )?(?:decided|agreed) (?:to|on|that)"
    r"|[Uu]se (?!(?:case|the (?:tool|following))\b)[^\n.!?]{1,60} instead of"
    r"|[Gg]o with)\b[^\n!?]{2,180}?)(?=[.!?;](?:\s|$)|$)"
)
RULED = _line(
    r"(?:^|[.!?;:] {1,2})(?:[Pp]lease,? )?(?P<what>(?:[Aa]lways|[Nn]ever|[Dd]o not ever|[Dd]on'?t ever|[Ff]rom now on,?)"
    r" [^\n!?]{2,180}?)(?=[.!?;](?:\s|$)|$)"
)
ASKED_FOR_LATER = _line(
    r"(?:^|[.!?;:] {1,2})(?:[Pp]lease,? )?(?P<what>(?:[Dd]on'?t forget to|[Rr]emember to|[Ll]ater,? (?:we|you) (?:need|have|should)"
    r"(?: to)?|[Aa]fterwards,? (?:please )?|TODO:?)[ \t]+[^\n!?]{2,180}?)(?=[.!?;](?:\s|$)|$)"
)
OPEN_BOX = _line(r"^[ \t]*[-*+] \[ \] (?P<what>\S[^\n]{0,180})$")

FOUND_OUT = _line(
    r"^[ \t]*(?:[-*+] )?(?:\*\*)?(?P<head>[Rr]oot cause|[Kk]ey (?:finding|insight|point|fact)|[Ff]inding|[Cc]onclusion|[Ii]mportant|[Nn]ote"
    r"|[Gg]otcha|[Cc]aveat)(?:\*\*)?:(?:\*\*)?[ \t]+(?P<what>\S[^\n]{2,200})"
)
CHOSE = _line(
    r"^[ \t]*(?:[-*+] )?(?:\*\*)?(?:[Dd]ecision|[Dd]ecided)(?:\*\*)?:(?:\*\*)?[ \t]+(?P<what>\S[^\n]{2,200})"
)
LEFT_TO_DO = _line(
    r"^[ \t]*(?:[-*+] )?(?:\*\*)?(?:TODO|[Ss]till to do|[Rr]emaining|[Nn]ext step)(?:\*\*)?:(?:\*\*)?[ \t]+(?P<what>\S[^\n]{2,200})"
)


MEMORY_RULES: tuple[MemoryRule, ...] = (
    MemoryRule(PIP, "tool", "dependency", "pip install: its last line"),
    MemoryRule(UV, "tool", "dependency", "uv add, uv pip install, uv sync"),
    MemoryRule(POETRY, "tool", "dependency", "poetry add, poetry install"),
    MemoryRule(NPM, "tool", "dependency", "npm install, up to npm 6"),
    MemoryRule(PNPM, "tool", "dependency", "pnpm add"),
    MemoryRule(YARN, "tool", "dependency", "yarn add, yarn 1"),
    MemoryRule(CARGO, "tool", "dependency", "cargo add"),
    MemoryRule(GO, "tool", "dependency", "go get"),
    MemoryRule(BUNDLER, "tool", "dependency", "bundle install"),
    MemoryRule(
        CHOSEN, "user", "decision", "a user's choice between ways, in a sentence", has_it=_DECISIONS
    ),
    MemoryRule(
        RULED,
        "user",
        "decision",
        "a user's standing rule, in a sentence",
        has_it=frozenset({"rules"}),
    ),
    MemoryRule(
        ASKED_FOR_LATER, "user", "todo", "what a user wants done beside the request", has_it=_STEPS
    ),
    MemoryRule(OPEN_BOX, "user", "todo", "an open box of a list in Markdown", has_it=_STEPS),
    MemoryRule(FOUND_OUT, "agent", "pool", "a labelled line in an answer", says="{head}: {what}"),
    MemoryRule(CHOSE, "agent", "decision", "a labelled line in an answer", has_it=_DECISIONS),
    MemoryRule(LEFT_TO_DO, "agent", "todo", "a labelled line in an answer", has_it=_STEPS),
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

_OPEN, _EDIT, _CLOSE = (
    FileTool("file.open", PATHS),
    FileTool("file.edit", PATHS),
    FileTool("file.close", PATHS),
)

TOOLS: Mapping[str, Tool] = MappingProxyType(
    {
        **dict.fromkeys(
            ("Read", "NotebookRead", "read", "read_file", "readFile", "view", "view_file", "open_file", "cat",
             "fs_read", "ReadFile", "get_file_contents", "read_text_file", "read_files"),
            _OPEN,
        ),
        **dict.fromkeys(
            ("Edit", "MultiEdit", "Write", "NotebookEdit", "Create", "write", "write_file", "writeFile", "edit_file",
             "editFile", "multiedit", "multi_edit", "replace", "write_to_file", "replace_in_file", "apply_diff",
             "insert_content", "search_and_replace", "search_replace", "str_replace", "create_file", "createFile",
             "replace_string_in_file", "insert_edit_into_file", "edit_notebook", "edit_notebook_file", "fs_write",
             "WriteFile", "StrReplaceFile", "StrReplace", "new_file", "append_file", "update_file", "save_file", "write_to_path"),
            _EDIT,
        ),
        **dict.fromkeys(("delete_file", "deleteFile", "Delete", "remove_file"), _CLOSE),
        **dict.fromkeys(("move_file", "rename_file", "moveFile"), MoveTool()),
        **dict.fromkeys(("apply_patch", "applyPatch", "patch", "ApplyPatch"), PatchTool()),
        **dict.fromkeys(
            ("Bash", "bash", "shell", "exec_command", "execute_bash", "run_shell_command", "run_terminal_cmd",
             "run_in_terminal", "local_shell", "container.exec", "terminal", "execute_command", "run_commands",
             "run_command", "runCommand", "shell_command", "Shell", "Execute", "exec", "cmd", "sh", "powershell", "unified_exec",
             "run_terminal_command", "run_terminal", "terminal_command", "developer__shell", "execute", "run"),
            ShellTool(),
        ),
        **dict.fromkeys(
            ("execute_ipython_cell", "python", "run_python", "execute_code", "code_interpreter", "run_code", "executeCode"),
            CodeTool(),
        ),
        **dict.fromkeys(
            ("TodoWrite", "todowrite", "todo_write", "write_todos", "update_todos", "manage_todo_list", "update_todo_list",
             "SetTodoList", "todo", "todos", "update_todo"),
            TodoTool(),
        ),
        "update_plan": TodoTool(items="plan"),
        "task_tracker": TodoTool(items="task_list"),
        "task_tracking": TodoTool(items="task_list"),
        "TaskCreate": TaskTool("create"),
        "TaskUpdate": TaskTool("update"),
        "TaskList": TaskTool("list"),
        **dict.fromkeys(
            ("AskUserQuestion", "ask_user", "ask_followup_question", "request_user_input", "question", "ask_question",
             "ask_user_question"),
            QuestionTool(),
        ),
        **dict.fromkeys(("ExitPlanMode", "exit_plan_mode", "plan_exit", "exitPlanMode", "plan_mode_respond"), PlanTool()),
        # SWE-agent
        "open": FileTool("file.open"),
        "create": FileTool("file.edit"),
        "edit": FileTool("file.edit", on_open_file=True),
        "insert": FileTool("file.edit", on_open_file=True),
        **dict.fromkeys(
            ("str_replace_editor", "str_replace_based_edit_tool", "text_editor", "edit_file_v2", "editor", "file_editor"), EDITOR
        ),
        **dict.fromkeys(
            ("Grep", "Glob", "LS", "Task", "Agent", "Skill", "WebFetch", "WebSearch", "BashOutput", "KillShell", "KillBash",
             "TaskOutput", "TaskStop", "TaskGet", "EnterPlanMode", "enter_plan_mode", "ToolSearch", "LSP", "SlashCommand", "ListMcpResourcesTool",
             "ReadMcpResourceTool", "EnterWorktree", "ExitWorktree", "SendMessage", "TeamCreate", "TeamDelete", "StructuredOutput", "Monitor",
             "ScheduleWakeup", "CronCreate", "CronList", "CronDelete", "PushNotification", "NotebookList",
             "grep", "glob", "ls", "list", "list_dir", "list_directory", "list_files", "search_files", "grep_search",
             "search_file_content", "file_search", "codebase_search", "find_file", "search_dir", "search_file", "find",
             "read_many_files", "webfetch", "websearch", "web_fetch", "web_search", "google_web_search", "fetch", "task",
             "skill", "lsp", "todoread", "save_memory", "activate_skill", "delegate_to_agent", "write_stdin", "view_image",
             "list_mcp_resources", "read_mcp_resource", "tool_search", "spawn_agent", "wait", "wait_agent", "send_input",
             "close_agent", "think", "finish", "submit", "scroll_up", "scroll_down", "goto", "attempt_completion",
             "list_code_definition_names", "new_task", "switch_mode", "report_intent", "sql", "read_bash", "stop_bash",
             "write_bash", "store_memory", "search_code", "read_lints", "recall", "delegate", "browse", "message",
             "core_memory_update", "core_memory_read", "working_memory_add", "working_memory_clear", "working_memory_clear_slot",
             "working_memory_remove", "image_generation", "computer_call", "wait_for_task", "update_memory", "get_goal", "create_goal", "update_goal", "multi_tool_use.parallel", "parallel", "codesearch", "invalid", "batch"),
            QuietTool(),
        ),
        # ours: one tool, or one for each operation
        _operations.NAME: HudTool(),
        **{f"{_operations.NAME}_{operation.replace('.', '_')}": HudTool() for operation in OPERATIONS},
    }
)  # fmt: skip
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


def files_of(tool: ByFiles, given: Record) -> Iterator[_shell.FileUse]:
    """Yield the files that a call of a tool names."""
    match tool:
        case FileTool():
            yield _shell.FileUse(
                tool.event, _shell.first(given, tool.path), _shell.put_in_by(given)
            )
        case EditorTool():
            command = string(given.get(tool.command))
            writes = any(
                name in given
                for name in ("content", "new_string", "new_str", "file_text", "new_text")
            )
            event = tool.events.get(command or ("edit" if writes else "view"))
            if event is not None:
                yield _shell.FileUse(event, _shell.first(given, tool.path), _shell.put_in_by(given))
        case PatchTool():
            patch = _shell.first(given, tool.patch) or ""
            found, new = list(_shell.patched(patch)), _shell.put_in_by_patch(patch)
            for change, changed in found:
                yield _shell.FileUse(change, changed, new.get(changed, ""))
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
