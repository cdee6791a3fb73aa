"""Which tool means which event: tables that a user can extend.

A tool is looked up by its name without a server's prefix: ``mcp__files__read`` is ``read``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

from hud_runtime.tools._operations import NAME
from hud_runtime.transcripts._failures import FAILURES, Failure
from hud_runtime.transcripts._operations import OPERATIONS

FileEvent: TypeAlias = Literal["file.open", "file.edit", "file.close"]
"""What can happen to a file."""


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
    """A tool that runs commands, in the argument of this name."""

    command: tuple[str, ...] = ("command", "cmd")


@dataclass(frozen=True, slots=True)
class TodoTool:
    """A tool that writes the whole list of what is to be done."""

    items: str = "todos"
    text: tuple[str, ...] = ("content", "description", "step")
    done: frozenset[str] = frozenset({"completed", "done"})
    """The values of ``status`` that mean a step is over."""
    dropped: frozenset[str] = frozenset({"cancelled"})
    """The values of ``status`` that mean a step is no longer in the plan."""


@dataclass(frozen=True, slots=True)
class HudTool:
    """The agent's own tool for its HUD: an operation and its arguments.

    Every form that the tool itself takes is read; the fields are what another tool calls the two.
    """

    operation: str = "tool"
    arguments: str = "args"


Tool: TypeAlias = FileTool | EditorTool | ShellTool | TodoTool | HudTool

EDITOR = EditorTool(
    MappingProxyType(
        {
            "view": "file.open",
            "create": "file.edit",
            "str_replace": "file.edit",
            "insert": "file.edit",
            "undo_edit": "file.edit",
        }
    )
)
"""The editor that several agents share."""

TOOLS: Mapping[str, Tool] = MappingProxyType(
    {
        # Claude Code
        "Read": FileTool("file.open"),
        "Edit": FileTool("file.edit"),
        "MultiEdit": FileTool("file.edit"),
        "Write": FileTool("file.edit"),
        "NotebookRead": FileTool("file.open", ("notebook_path",)),
        "NotebookEdit": FileTool("file.edit", ("notebook_path",)),
        "TodoWrite": TodoTool(),
        "Bash": ShellTool(),
        # SWE-agent
        "open": FileTool("file.open"),
        "create": FileTool("file.edit"),
        "edit": FileTool("file.edit", on_open_file=True),
        "insert": FileTool("file.edit", on_open_file=True),
        "str_replace_editor": EDITOR,
        "str_replace_based_edit_tool": EDITOR,
        "bash": ShellTool(),
        # OpenCode, and what many others call theirs
        "read": FileTool("file.open"),
        "read_file": FileTool("file.open"),
        "write": FileTool("file.edit"),
        "write_file": FileTool("file.edit"),
        "edit_file": FileTool("file.edit"),
        "delete_file": FileTool("file.close"),
        "todowrite": TodoTool(),
        "update_plan": TodoTool(items="plan"),
        "shell": ShellTool(),
        # ours: one tool, or one for each operation
        NAME: HudTool(),
        **{f"{NAME}_{operation.replace('.', '_')}": HudTool() for operation in OPERATIONS},
    }
)
"""The tools that are known, by name."""


@dataclass(frozen=True, slots=True)
class FileCommand:
    """A shell command that opens, edits or removes files."""

    event: FileEvent

    which: Literal["all", "first", "last", "open"] = "all"
    """Which operands are files; ``open`` is the editor's open file instead."""


COMMANDS: Mapping[str, FileCommand] = MappingProxyType(
    {
        "cat": FileCommand("file.open"),
        "nl": FileCommand("file.open", "last"),
        "head": FileCommand("file.open", "last"),
        "tail": FileCommand("file.open", "last"),
        "less": FileCommand("file.open"),
        "file": FileCommand("file.open"),
        "xxd": FileCommand("file.open", "last"),
        "strings": FileCommand("file.open", "last"),
        "touch": FileCommand("file.edit"),
        "tee": FileCommand("file.edit"),
        "rm": FileCommand("file.close"),
        # SWE-agent's commands
        "open": FileCommand("file.open", "first"),
        "create": FileCommand("file.edit", "first"),
        "decompile": FileCommand("file.open", "first"),
        "disassemble": FileCommand("file.open", "first"),
        "edit": FileCommand("file.edit", "open"),
        "insert": FileCommand("file.edit", "open"),
    }
)
"""The shell commands that are known, by name."""


@dataclass(frozen=True, slots=True)
class ToolTable:
    """All that a transcript's tools and their answers mean."""

    tools: Mapping[str, Tool] = field(default_factory=lambda: TOOLS)
    commands: Mapping[str, FileCommand] = field(default_factory=lambda: COMMANDS)
    failures: tuple[Failure, ...] = FAILURES

    def extended(
        self,
        *,
        tools: Mapping[str, Tool] | None = None,
        commands: Mapping[str, FileCommand] | None = None,
        failures: tuple[Failure, ...] = (),
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
        )

    def tool(self, name: str) -> Tool | None:
        """Return what is known of a tool."""
        return self.tools.get(name) or self.tools.get(name.rpartition("__")[2])
