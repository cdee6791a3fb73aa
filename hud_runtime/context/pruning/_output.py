"""Outputs of tools as policies see them: modes, pieces, and what stays whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import Literal, TypeAlias

from hud_components import level_for
from hud_components._levels import THRESHOLDS, Level, Threshold
from hud_runtime._errors import PruningError
from hud_runtime.observe._checks import check_of
from hud_runtime.observe._shell_words import SimpleCommand, all_commands
from hud_runtime.observe._tools import ShellTool, ToolTable, scripts_of
from ujsx.errors import did_you_mean, shown
from ujsx.tokens import estimate_tokens

# The modes of pruning: how much of an output is kept, by how full the context is.

ModeName: TypeAlias = Literal["normal", "aggressive", "hyper"]
"""How hard an output is pruned."""


@dataclass(frozen=True, slots=True)
class Mode:
    """The amount kept of an output.

    The figures of ``threshold`` and ``keep`` are those of the design document: listings above 50 lines keep
    their first and last 30, then 30 and 20, then 15 and 10. Taken by the letter, head and tail together
    are longer than what is said to be too long, and of 61 lines one would go, for a line that says so. So
    ``keep`` is what stays at each end, and an output is cut where at least as many lines go as the two
    figures differ by (:attr:`least`): above 80, 50 and 25 lines.
    """

    name: ModeName
    threshold: int
    """Lines above which an output is long."""
    keep: int
    """Lines that stay at each end of it."""
    run: int
    """Lines alike, one after the other, from which on they are cut."""
    elements: int
    """Elements of an array that stay at each end of it."""
    longest: int
    """Characters of a line that has no parts."""
    most: int = 25_000
    """Tokens of an output that is never told whole, whatever it is; the first of these figures is what Claude Code takes
    of a server's tool at most."""

    @property
    def least(self) -> int:
        """Lines that must go, or nothing does."""
        return max(1, self.threshold - self.keep)

    def cuts(self, lines: int, scale: float = 1) -> bool:
        """Tell whether so many lines are too many.

        >>> [mode.cuts(count) for mode, count in zip(MODES.values(), (80, 51, 26), strict=True)]
        [False, True, True]
        """
        return lines > max(self.threshold, 2 * self.keep + self.least) * scale


MODES: Mapping[ModeName, Mode] = MappingProxyType(
    {
        "normal": Mode(
            "normal", threshold=50, keep=30, run=12, elements=10, longest=12_000, most=25_000
        ),
        "aggressive": Mode(
            "aggressive", threshold=30, keep=20, run=8, elements=6, longest=6_000, most=25_000
        ),
        "hyper": Mode(
            "hyper", threshold=15, keep=10, run=5, elements=3, longest=3_000, most=12_500
        ),
    }
)
"""The modes, from the mildest."""

BY_LEVEL: Mapping[Level, ModeName] = MappingProxyType(
    {"green": "normal", "yellow": "normal", "red": "aggressive", "critical": "hyper"}
)
"""The mode of each level. The design document has its hardest mode from 95 % on; the one table of levels, by
which the HUD and its warnings go as well, has "critical" above 92 %."""

ORDER: tuple[ModeName, ...] = ("normal", "aggressive", "hyper")


def mode_for(
    percentage: float | None = None,
    *,
    level: Level | None = None,
    remaining: int | None = None,
    thresholds: tuple[Threshold, ...] = THRESHOLDS,
    modes: Mapping[ModeName, Mode] = MODES,
) -> Mode:
    """Return the mode for a context that is that full; the mildest where nobody knows.

    :param percentage: the used share of the context, in percent.
    :param level: the level, where somebody has found it already; it counts before the percentage.
    :param remaining: tokens that are left, for very large windows.
    :raises PruningError: for a level that is none.

    >>> [mode_for(used).name for used in (84.9, 85, 92, 95)]
    ['normal', 'aggressive', 'aggressive', 'hyper']
    """
    if level is None:
        known = 0.0 if percentage is None else percentage
        level = level_for(known, remaining=remaining, thresholds=thresholds)
    if level not in BY_LEVEL:
        raise PruningError(f"{shown(level)} is not a level; {did_you_mean(str(level), BY_LEVEL)}")
    return modes[BY_LEVEL[level]]


def mode_named(name: str, modes: Mapping[ModeName, Mode] = MODES) -> Mode:
    """Return a mode by its name.

    :raises PruningError: for a name that is none.
    """
    for each in modes.values():
        if each.name == name:
            return each
    raise PruningError(f"{shown(name)} is not a mode; {did_you_mean(name, modes)}")


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
    def commands(self) -> tuple[SimpleCommand, ...]:
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


def _telling(commands: list[SimpleCommand]) -> list[SimpleCommand]:
    """The commands whose words the output has: of a pipe the last that is no filter."""
    found: list[SimpleCommand] = []
    pipe: list[SimpleCommand] = []
    for each in commands:
        pipe.append(each)
        if each.joint == "|":
            continue
        sources = [one for place, one in enumerate(pipe) if not place or not _filters(one)]
        if _base(sources[-1]) not in SILENT:
            found.append(sources[-1])
        pipe = []
    return found or pipe[-1:]


def _filters(command: SimpleCommand) -> bool:
    name = _base(command)
    return name in FILTERS or name in ("grep", "rg", "egrep") or command.words[:2] == ["sed", "-n"]


def _base(command: SimpleCommand) -> str:
    return command.words[0].rpartition("/")[2]


def _name(command: SimpleCommand) -> str:
    name = _base(command)
    rest = [each for each in command.words[1:3] if each[:1].isalpha()]
    return f"{name} {rest[0]}" if name in _WITH_COMMANDS and rest else name


_WITH_COMMANDS = frozenset(
    {"git", "docker", "npm", "pnpm", "yarn", "pip", "pip3", "uv", "cargo", "go", "kubectl", "gh", "brew", "apt",
     "apt-get", "poetry", "conda", "bundle", "gem", "composer", "terraform", "helm", "podman"}
)  # fmt: skip
"""Programs whose first word says what they do."""

_TABLE = ToolTable()


# A text in pieces, and the text again without some of them: each gap is named in one line.

SHORTEST = 120
"""Characters of a gap that are less than what is said of it."""

WORDS: Mapping[str, str] = {
    "more": "{count:,} more lines",
    "alike": "{count:,} lines like these",
    "passed": "{count:,} lines of what passed or is under way",
    "libraries": "{count:,} lines of libraries, or said before",
    "elements": "{count:,} more elements",
    "long": "{characters:,} characters",
}
"""What is said of a gap, by why it is there."""

CALL = "hud output {id}"
"""The call that shows the whole: the tool, its operation, the output's id. Lines may stand behind it."""

_ENDS = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")


@dataclass(frozen=True, slots=True)
class Cut:
    """A gap."""

    start: int
    """Where it begins in the whole text, in characters."""
    end: int
    """Where it ends."""
    first: int
    """The first line of it, from 1; lines end where there is a line feed."""
    last: int
    """The last line of it."""
    why: str
    """A key of :data:`WORDS`."""


def lines_of(text: str) -> list[str]:
    r"""Return the lines of a text with their ends; what a terminal writes over is a line as well.

    >>> lines_of("10%\r50%\rdone\r\nend")
    ['10%\r', '50%\r', 'done\r\n', 'end']
    """
    return [each for each in _ENDS.split(text) if each]


def written(
    pieces: Sequence[str], cuts: Mapping[int, str], name: str
) -> tuple[str, tuple[Cut, ...]]:
    r"""Return a text without some of its pieces, with a line in each gap, and the gaps.

    A gap of less than :data:`SHORTEST` characters stays.

    :param cuts: why each of the pieces goes, by its number.
    :param name: the id of the whole.

    >>> written(["a\n", "b" * 200 + "\n", "c\n"], {1: "more"}, "o-1")[0]
    'a\n… 1 more lines: hud output o-1 2-2\nc\n'
    """
    made: list[str] = []
    found: list[Cut] = []
    has_lines = any("\n" in each for each in pieces)
    start, line = 0, 1
    for numbers in _groups(len(pieces), cuts):
        text = "".join(pieces[each] for each in numbers)
        end, lines = start + len(text), text.count("\n")
        if numbers[0] in cuts and len(text) >= SHORTEST:
            last = line + lines - text.endswith("\n")
            cut = Cut(start, end, line, last, _why(numbers, cuts))
            found.append(cut)
            made.append(_said(cut, len(numbers), name, text, has_lines=has_lines))
        else:
            made.append(text)
        start, line = end, line + lines
    return "".join(made), tuple(found)


def _groups(count: int, cuts: Mapping[int, str]) -> Iterator[range]:
    """Pieces that stay, and those that go, in turns."""
    start = 0
    for number in range(1, count + 1):
        if number == count or (number in cuts) != (start in cuts):
            yield range(start, number)
            start = number


def _why(numbers: range, cuts: Mapping[int, str]) -> str:
    reasons = {cuts[each] for each in numbers}
    return reasons.pop() if len(reasons) == 1 else "more"


def _said(cut: Cut, count: int, name: str, text: str, *, has_lines: bool) -> str:
    words = WORDS[cut.why].format(count=count, characters=cut.end - cut.start)
    where = f" {cut.first}-{cut.last}" if has_lines else ""
    # Where the gap is inside a line, so is what is said of it.
    end = "\n" if text.endswith(("\n", "\r")) else " " if cut.why in ("long", "elements") else ""
    begin = " " if cut.why in ("long", "elements") and not end.startswith("\n") else ""
    return f"{begin}… {words}: {CALL.format(id=name)}{where}{end}"


# Tools whose answers stay whole, from any server.

NEVER = frozenset({"skill", "activate_skill", "hud", "hud_read", "hud_compact", "memory_compact", "todowrite", "todoread"})  # fmt: skip
"""Tools whose answers are never cut: instructions that hold on, and the HUD's own answers."""


def protected(names: Iterable[str]) -> frozenset[str]:
    """Return names of tools as they are compared: in lower case, without a server's prefix.

    :raises PruningError: for one text in the place of several, and for what is no text.

    >>> sorted(protected(["Glob", "mcp__files__Read"]))
    ['glob', 'read']
    """
    known: list[object] = [names] if isinstance(names, str) else [*names]
    texts = [each for each in known if isinstance(each, str) and each]
    if isinstance(names, str) or len(texts) < len(known):
        wrong = next((each for each in known if each not in texts), names)
        raise PruningError(
            f"never is a list of the names of tools, such as ['skill'], not {shown(wrong)}"
        )
    return frozenset(map(bare, texts))


def is_protected(output: ToolOutput, names: frozenset[str]) -> bool:
    """Tell whether an output is of one of these tools; a host may write a server's name and ``_`` before it.

    >>> is_protected(ToolOutput(text="", tool="ujsx_hud"), NEVER)
    True
    """
    tool = output.bare_tool
    return tool in names or any(tool.endswith(f"_{each}") for each in names)
