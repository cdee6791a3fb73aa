"""A tool's output as policies see it, and the program that wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256

from hud_runtime.observation._call_arguments import scripts_of
from hud_runtime.observation._checks import check_of
from hud_runtime.observation._shell_scripts import all_commands
from hud_runtime.observation._shell_words import Command
from hud_runtime.observation._tools import ShellTool, ToolTable
from ujsx.tokens import estimate_tokens

DIGITS = 8
"""Characters of an id behind ``o-``: among 300 outputs two are alike once in 100,000 sessions."""

LONGEST_SCRIPT = 20_000
"""Characters of a command that are read for its programs."""

FILTERS = frozenset(
    {"head", "tail", "sort", "uniq", "less", "more", "tee", "column", "cat", "nl", "tac", "rev"}
)
"""Programs that pass on lines of what stands before them in a pipe."""

SILENT = frozenset(
    {"cd", "pushd", "popd", "export", "set", "source", ".", "echo", "printf", "true", "sleep", "mkdir", "touch", "rm",
     "mv", "cp", "chmod", "ln", "unset", "shopt", "trap", "exit", "wait", "kill", "test", "["}
)  # fmt: skip
"""Programs that print nothing, or a few words: what else a script runs is what its output tells of."""

SUFFIX_END = 12
"""Characters that a file's suffix has at most."""


@dataclass(frozen=True, kw_only=True)
class ToolOutput:
    """An answer of a tool.

    >>> ToolOutput(text="a.py", tool="Bash", arguments={"command": "cd src && find . | head -20"}).programs
    ('find',)
    """

    text: str
    tool: str = ""
    id: str = ""
    """The call's id, as its host names it."""
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])
    """What the tool was called with; a shell's command is read for its programs."""
    turn: int = 0
    """The user's turn in which it was called."""
    tokens: int | None = None
    """How many it has, where somebody has counted; else they are estimated."""
    failed: bool = False
    """Whether the call ended as an error: then each line with the words of one tells of it."""
    synthetic: bool = False
    """Whether a host has put it there, and no tool: then nothing of it is cut."""

    @cached_property
    def size(self) -> int:
        """Tokens of it."""
        return estimate_tokens(self.text) if self.tokens is None else self.tokens

    @cached_property
    def bare_tool(self) -> str:
        """The tool's name in lower case, without a server's prefix."""
        return bare(self.tool)

    @cached_property
    def commands(self) -> tuple[Command, ...]:
        """The commands whose output it is, where a shell has run some."""
        tool = _TABLE.tool(self.tool)
        if not isinstance(tool, ShellTool):
            return ()
        found = all_commands(scripts_of({**self.arguments}, tool)[:LONGEST_SCRIPT])
        return tuple(_telling([each for each in found if each.words]))

    @cached_property
    def programs(self) -> tuple[str, ...]:
        """Their names, each with its first word behind it where that is a command of its own."""
        return tuple(dict.fromkeys(name for each in self.commands if (name := _name(each))))

    @cached_property
    def checks(self) -> frozenset[str]:
        """The kind of check: "test", "build", "types", "lint", "packages"; empty for anything else."""
        found = (check_of(each.words) for each in self.commands)
        return frozenset(each.kind for each in found if each is not None)

    @cached_property
    def suffixes(self) -> frozenset[str]:
        """The suffixes of the files that the call names."""
        named = [each for each in self.arguments.values() if isinstance(each, str)]
        words = [word for each in self.commands for word in each.words[1:]]
        paths = words if self.commands else [each for each in named if "\n" not in each]
        return frozenset(
            f".{suffix.lower()}"
            for each in paths
            if "." in each and len(suffix := each[-SUFFIX_END:].rpartition(".")[2]) < SUFFIX_END
        )


def output_id(text: str) -> str:
    """Return the id of an output, which follows from what it says: the same text has the same id.

    >>> output_id("Port 8080")
    'o-7dbc24e3'
    """
    return f"o-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:DIGITS]}"


def bare(tool: str) -> str:
    """Return a tool's name without a server's prefix, in lower case.

    >>> bare("mcp__files__Read")
    'read'
    """
    return tool.replace(".", "__").replace("/", "__").replace(":", "__").rpartition("__")[2].lower()


def _telling(commands: list[Command]) -> list[Command]:
    """The commands whose words the output has: of a pipe the last that is no filter."""
    found: list[Command] = []
    pipe: list[Command] = []
    for each in commands:
        pipe.append(each)
        if each.joint == "|":
            continue
        sources = [one for place, one in enumerate(pipe) if not place or not _filters(one)]
        if _base(sources[-1]) not in SILENT:
            found.append(sources[-1])
        pipe = []
    return found or pipe[-1:]


def _filters(command: Command) -> bool:
    name = _base(command)
    return name in FILTERS or name in ("grep", "rg", "egrep") or command.words[:2] == ["sed", "-n"]


def _base(command: Command) -> str:
    return command.words[0].rpartition("/")[2]


def _name(command: Command) -> str:
    name = _base(command)
    rest = [each for each in command.words[1:3] if each[:1].isalpha()]
    return f"{name} {rest[0]}" if name in _WITH_COMMANDS and rest else name


_WITH_COMMANDS = frozenset(
    {"git", "docker", "npm", "pnpm", "yarn", "pip", "pip3", "uv", "cargo", "go", "kubectl", "gh", "brew", "apt",
     "apt-get", "poetry", "conda", "bundle", "gem", "composer", "terraform", "helm", "podman"}
)  # fmt: skip
"""Programs whose first word says what they do."""

_TABLE = ToolTable()
