"""The tools and the events that they mean: tables that a user can extend.

A tool is looked up by its name without a server's prefix: ``mcp__files__read`` is ``read``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

from hud_runtime.observation._commands import COMMANDS, FileCommand
from hud_runtime.observation._failure_table import FAILURES, Failure
from hud_runtime.observation._memory_rules import MEMORY_RULES, MemoryRule
from hud_runtime.observation._observations import FileEvent
from hud_runtime.observation._operations import OPERATIONS
from hud_runtime.tools._operations import NAME


@dataclass(frozen=True, slots=True)
class FileTool:
    """A tool that opens or edits one file."""

    event: FileEvent

    path: tuple[str, ...] = ("file_path", "filePath", "path", "filename", "file")
    """The arguments that may hold the path; the first that is there counts."""

    on_open_file: bool = False
    """Whether it acts on the editor's open file when no argument names one."""


@dataclass(frozen=True, slots=True)
class EditorTool:
    """A tool with commands of its own, of which each means another event."""

    events: Mapping[str, FileEvent]
    command: str = "command"
    path: tuple[str, ...] = ("path",)


@dataclass(frozen=True, slots=True)
class ShellTool:
    """A tool that runs commands, in the argument of this name: a script, or the words of a command."""

    command: tuple[str, ...] = ("command", "cmd", "script", "commands")


@dataclass(frozen=True, slots=True)
class CodeTool:
    """A tool that runs code that is no shell's, in the argument of this name."""

    code: tuple[str, ...] = ("code", "script", "source")


@dataclass(frozen=True, slots=True)
class PatchTool:
    """A tool that takes a patch, in the argument of this name."""

    patch: tuple[str, ...] = ("input", "patch", "patchText", "patch_text", "diff", "changes")


@dataclass(frozen=True, slots=True)
class MoveTool:
    """A tool that gives a file another name."""

    source: tuple[str, ...] = ("source", "src", "from", "old_path", "oldPath", "source_path")
    target: tuple[str, ...] = ("destination", "dst", "to", "new_path", "newPath", "target_path")


@dataclass(frozen=True, slots=True)
class TodoTool:
    """A tool that writes the whole list of what is to be done."""

    items: str = "todos"
    text: tuple[str, ...] = ("content", "description", "step", "title", "subject", "text", "task")
    done: frozenset[str] = frozenset({"completed", "done"})
    """The values of ``status`` that mean a step is over."""
    dropped: frozenset[str] = frozenset({"cancelled", "deleted"})
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
    """A tool that lays a plan before the user, who approves it or says what to change."""


@dataclass(frozen=True, slots=True)
class QuietTool:
    """A tool that is known, and changes nothing that a HUD shows."""


@dataclass(frozen=True, slots=True)
class HudTool:
    """The agent's own tool for its HUD: an operation and its arguments.

    Every form that the tool itself takes is read; the fields are what another tool calls the two.
    """

    operation: str = "tool"
    arguments: str = "args"


Tool: TypeAlias = (
    FileTool | EditorTool | ShellTool | CodeTool | PatchTool | MoveTool | TodoTool | TaskTool | QuestionTool | PlanTool
    | QuietTool | HudTool
)  # fmt: skip

PLANS = (TodoTool, TaskTool, QuestionTool)
"""Tools by which an agent plans; what it plans is its own, and a subagent's is not its parent's."""

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

_PATHS = (
    "file_path", "filePath", "path", "filename", "file", "target_file", "relative_path", "absolute_path", "notebook_path",
    "filepath", "relative_workspace_path", "uri", "AbsolutePath", "TargetFile",
)  # fmt: skip

_OPEN, _EDIT, _CLOSE = (
    FileTool("file.open", _PATHS),
    FileTool("file.edit", _PATHS),
    FileTool("file.close", _PATHS),
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
             "working_memory_remove", "image_generation", "wait_for_task", "update_memory", "get_goal", "create_goal", "update_goal", "multi_tool_use.parallel", "parallel", "codesearch", "invalid", "batch"),
            QuietTool(),
        ),
        # ours: one tool, or one for each operation
        NAME: HudTool(),
        **{f"{NAME}_{operation.replace('.', '_')}": HudTool() for operation in OPERATIONS},
    }
)  # fmt: skip
"""The tools that are known, by name."""

_BY_LOWER: Mapping[str, Tool] = MappingProxyType(
    {name.lower(): tool for name, tool in reversed([*TOOLS.items()])}
)


@dataclass(frozen=True, slots=True)
class ToolTable:
    """All that a transcript's tools and their answers mean."""

    tools: Mapping[str, Tool] = field(default_factory=lambda: TOOLS)
    commands: Mapping[str, FileCommand] = field(default_factory=lambda: COMMANDS)
    failures: tuple[Failure, ...] = FAILURES
    memory: tuple[MemoryRule, ...] = MEMORY_RULES
    """What is remembered of what is said, in a domain with working memory."""

    def extended(
        self,
        *,
        tools: Mapping[str, Tool] | None = None,
        commands: Mapping[str, FileCommand] | None = None,
        failures: tuple[Failure, ...] = (),
        memory: tuple[MemoryRule, ...] = (),
    ) -> ToolTable:
        """Return a table with more rows; a name that is there already means the new thing.

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
        """Return what is known of a tool."""
        found = self.tools.get(name)
        if found is None:
            bare = re.split(r"__|[./:]", name)[-1]
            found = self.tools.get(bare) or _BY_LOWER.get(bare.lower())
        return found
