"""Outputs of tools as policies see them: modes, pieces, the kinds of output, and the lines that always stay."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from hud_components import level_for
from hud_components.levels import THRESHOLDS, Level, Threshold
from hud_runtime._errors import PruningError
from hud_runtime.observe._checks import CheckKind, check_of
from hud_runtime.observe._shell import SimpleCommand, all_commands
from hud_runtime.observe._tools import ShellTool, ToolTable, scripts_of
from hud_runtime.observe.messages import grouped, names, rows
from ujsx.errors import did_you_mean, shown
from ujsx.tokens import estimate_tokens

# The modes of pruning: the amount kept of an output, by the level of the context.

ModeName: TypeAlias = Literal["normal", "aggressive", "hyper"]
"""The strength of pruning."""


@dataclass(frozen=True, slots=True)
class Mode:
    """The amount kept of an output.

    The figures of ``threshold`` and ``keep`` are those of the design document: listings above 50 lines keep
    their first and last 30, then 30 and 20, then 15 and 10. Taken literally, head and tail together are
    longer than the threshold, and one of 61 lines would be replaced with a notice. So ``keep`` lines stay at
    each end, and an output is cut only if at least :attr:`least` lines are omitted, the difference of the two
    figures: above 80, 50 and 25 lines.
    """

    name: ModeName
    threshold: int
    """Lines above which an output counts as long."""
    keep: int
    """Lines that stay at each of its ends."""
    run: int
    """Minimum consecutive similar lines that are cut."""
    elements: int
    """Elements of an array that stay at each of its ends."""
    longest: int
    """Maximum characters of an unstructured line."""
    most: int = 25_000
    """Maximum tokens of any output; the first of these figures is Claude Code's maximum for a server's tool."""

    @property
    def least(self) -> int:
        """The minimum number of lines that a cut omits."""
        return max(1, self.threshold - self.keep)

    def cuts(self, lines: int, scale: float = 1) -> bool:
        """Return whether so many lines are too many.

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
"""The modes, the mildest first."""

BY_LEVEL: Mapping[Level, ModeName] = MappingProxyType(
    {"green": "normal", "yellow": "normal", "red": "aggressive", "critical": "hyper"}
)
"""The mode of each level. The design document's strongest mode begins at 95 %; the common table of
levels, which the HUD and its warnings use too, has "critical" above 92 %.
"""

ORDER: tuple[ModeName, ...] = ("normal", "aggressive", "hyper")


def mode_for(
    percentage: float | None = None,
    *,
    level: Level | None = None,
    thresholds: tuple[Threshold, ...] = THRESHOLDS,
    modes: Mapping[ModeName, Mode] = MODES,
) -> Mode:
    """Return the mode for a used share of the context; the mildest if that is unknown.

    :param percentage: the used share of the context, in percent.
    :param level: the level, if known; it takes precedence over the percentage.
    :raises PruningError: for an unknown level.

    >>> [mode_for(used).name for used in (84.9, 85, 92, 95)]
    ['normal', 'aggressive', 'aggressive', 'hyper']
    """
    if level is None:
        known = 0.0 if percentage is None else percentage
        level = level_for(known, thresholds=thresholds)
    if level not in BY_LEVEL:
        raise PruningError(f"{shown(level)} is not a level; {did_you_mean(str(level), BY_LEVEL)}")
    return modes[BY_LEVEL[level]]


def mode_named(name: str, modes: Mapping[ModeName, Mode] = MODES) -> Mode:
    """Return a mode by its name.

    :raises PruningError: for an unknown name.
    """
    for each in modes.values():
        if each.name == name:
            return each
    raise PruningError(f"{shown(name)} is not a mode; {did_you_mean(name, modes)}")


DIGITS = 8
"""Characters of an id after ``o-``: two of 300 outputs collide in one of 100,000 sessions."""

LONGEST_SCRIPT = 20_000
"""Maximum characters of a command that are parsed for its programs."""

FILTERS = names("filter")
"""Programs that pass on lines of the previous command in a pipe."""

SILENT = names("prints little")
"""Programs that print nothing, or a few words: the script's other programs determine the output."""

SUFFIX_END = 12
"""Maximum characters of a file's suffix."""


@dataclass(frozen=True, kw_only=True)
class ToolOutput:
    """A tool's answer.

    >>> ToolOutput(text="a.py", tool="Bash", arguments={"command": "cd src && find . | head -20"}).programs
    ('find',)
    """

    text: str
    tool: str = ""
    id: str = ""
    """The id of its call, from the host."""
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])
    """The arguments of its call; a shell command is parsed for its programs."""
    turn: int = 0
    """The user's turn of its call."""
    tokens: int | None = None
    """The number of its tokens, if counted; else they are estimated."""
    failed: bool = False
    """True if the call failed: then each line with error words counts as an error."""
    synthetic: bool = False
    """True if a host created it instead of a tool: then nothing of it is cut."""

    @cached_property
    def size(self) -> int:
        """The number of its tokens."""
        return estimate_tokens(self.text) if self.tokens is None else self.tokens

    @cached_property
    def bare_tool(self) -> str:
        """The tool's name in lower case, without a server's prefix."""
        return bare(self.tool)

    @cached_property
    def commands(self) -> tuple[SimpleCommand, ...]:
        """The commands whose output it is, if a shell ran them."""
        tool = _TABLE.tool(self.tool)
        if not isinstance(tool, ShellTool):
            return ()
        found = all_commands(scripts_of({**self.arguments}, tool)[:LONGEST_SCRIPT])
        return tuple(_telling([each for each in found if each.words]))

    @cached_property
    def programs(self) -> tuple[str, ...]:
        """Their names, each with its subcommand, if it has one."""
        return tuple(dict.fromkeys(name for each in self.commands if (name := _name(each))))

    @cached_property
    def checks(self) -> frozenset[str]:
        """The kind of check: "test", "build", "types", "lint", "packages"; empty for anything else."""
        found = (check_of(each.words) for each in self.commands)
        return frozenset(each.kind for each in found if each is not None)

    @cached_property
    def suffixes(self) -> frozenset[str]:
        """The suffixes of the files in the call."""
        named = [each for each in self.arguments.values() if isinstance(each, str)]
        words = [word for each in self.commands for word in each.words[1:]]
        paths = words if self.commands else [each for each in named if "\n" not in each]
        return frozenset(
            f".{suffix.lower()}"
            for each in paths
            if "." in each and len(suffix := each[-SUFFIX_END:].rpartition(".")[2]) < SUFFIX_END
        )


def output_id(text: str) -> str:
    """Return the id of an output, which its text determines: equal texts have equal ids.

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
    """The commands that determine the output: in a pipe, the last that is not a filter."""
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


_WITH_COMMANDS = names("has subcommands")
"""Programs whose first argument is a subcommand."""

_TABLE = ToolTable()


# A text in pieces, and without some of them: one line describes each gap.

SHORTEST = 120
"""Characters of a gap that are fewer than those of its notice."""

WORDS: Mapping[str, str] = {
    "more": "{count:,} more lines",
    "alike": "{count:,} lines like these",
    "passed": "{count:,} lines of what passed or is under way",
    "libraries": "{count:,} lines of libraries, or said before",
    "elements": "{count:,} more elements",
    "long": "{characters:,} characters",
}
"""The notice of a gap, by its reason."""

CALL = "hud output {id}"
"""The call that shows the whole output: the tool, its operation, the output's id. Lines may follow."""

_ENDS = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")


@dataclass(frozen=True, slots=True)
class Cut:
    """A gap."""

    start: int
    """Its start in the whole text, in characters."""
    end: int
    """Its end."""
    first: int
    """Its first line, from 1; a line feed ends a line."""
    last: int
    """Its last line."""
    why: str
    """A key of :data:`WORDS`."""


def lines_of(text: str) -> list[str]:
    r"""Return the lines of a text with their ends; a line that a terminal overwrites counts, too.

    >>> lines_of("10%\r50%\rdone\r\nend")
    ['10%\r', '50%\r', 'done\r\n', 'end']
    """
    return [each for each in _ENDS.split(text) if each]


def written(
    pieces: Sequence[str], cuts: Mapping[int, str], name: str
) -> tuple[str, tuple[Cut, ...]]:
    r"""Return a text without some of its pieces, with a notice in each gap, and the gaps.

    A gap of less than :data:`SHORTEST` characters stays.

    :param cuts: the reason for each omitted piece, by its index.
    :param name: the id of the whole output.

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
    """Alternating groups of pieces that stay, and that are omitted."""
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
    # For a gap inside a line, the notice is inside as well.
    end = "\n" if text.endswith(("\n", "\r")) else " " if cut.why in ("long", "elements") else ""
    begin = " " if cut.why in ("long", "elements") and not end.startswith("\n") else ""
    return f"{begin}… {words}: {CALL.format(id=name)}{where}{end}"


# Tools of any server whose answers stay whole.

NEVER = frozenset({"skill", "activate_skill", "hud", "hud_read", "hud_compact", "memory_compact", "todowrite", "todoread"})  # fmt: skip
"""Tools whose answers are never cut: lasting instructions, and the HUD's own answers."""


def protected(names: Iterable[str]) -> frozenset[str]:
    """Return names of tools in their compared form: in lower case, without a server's prefix.

    :raises PruningError: for a single text, and for anything but texts.

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
    """Return whether an output is from one of these tools; a host may write a server's name and ``_``
    before it.

    >>> is_protected(ToolOutput(text="", tool="ujsx_hud"), NEVER)
    True
    """
    tool = output.bare_tool
    return tool in names or any(tool.endswith(f"_{each}") for each in names)


# The lines that always stay: errors, their places, and totals.
#
# Each pattern is searched once in a line, in its first :data:`LOOKED_AT` characters. What tells of an
# error is a table: ``hud_runtime/data/error-words.tsv``.

_TOLD: Mapping[str, Sequence[str]] = grouped("error-words")

STEMS, _INNER_STEMS, PHRASES, STATEMENTS = (
    tuple(word for row in _TOLD[kind] for word in row.split("|"))
    for kind in ("stem", "inner stem", "phrase", "statement")
)
"""Plain words, in lower case: searching for stems takes a tenth of the time of their patterns."""

ERRORS, FORMS, _INNER_FORMS = (
    re.compile("|".join(_TOLD[kind])) for kind in ("word", "form", "inner")
)
"""Words of an error; forms at a line's beginning, and within it."""

ALARMS = re.compile(f"(?:{'|'.join(_TOLD['prefix'])})?(?:{'|'.join(_TOLD['start'])})")
"""The beginnings of a program's last words, perhaps behind what a runner puts before each line."""

_PHRASES = {
    is_ascii: tuple(each for each in PHRASES if each.isascii() or not is_ascii)
    for is_ascii in (True, False)
}
"""The phrases that a line of ASCII, and any other, may have."""

_STATEMENTS = frozenset(STATEMENTS)

_HEAD = re.compile(r"[\[(<]?([^\W\d_]{3,20})[\])>]? ?:(?:\s|$)")

_QUIET = re.compile("|".join(_TOLD["quiet"]))
"""Capitalized words at the start of lines that are not errors."""


def has_form(line: str) -> bool:
    """Return whether a line has the form of an error, in any words.

    >>> [has_form(each) for each in ("HIBA: nincs", "NOTE: none", "pkg.Bad: x", "code de sortie 2", "rc=0")]
    [True, False, True, True, False]
    """
    if FORMS.match(line, 0, LOOKED_AT):
        return True
    if _has_one(_INNER_STEMS, line[:LOOKED_AT].lower()) and _INNER_FORMS.match(line, 0, LOOKED_AT):
        return True
    head = _HEAD.match(line)
    return head is not None and head[1].isupper() and not _QUIET.fullmatch(head[1])


NO_ERROR = re.compile("|".join(_TOLD["none"]), re.IGNORECASE)
"""Statements that there is no error."""

PLACES = re.compile("|".join(_TOLD["place"]))
"""The place of an error: ``--> src/main.rs:3:5``, ``a.py:12: …``, ``a.ts(3,4): …``."""

SUMMARIES = re.compile(f"^(?:{'|'.join(_TOLD['total'])})", re.IGNORECASE)
"""Lines with totals."""

LOOKED_AT = 2_000
"""Maximum characters of a line that are searched."""


def seen(pattern: re.Pattern[str] | None, line: str) -> bool:
    """Return whether the searched part of a line matches a pattern; False without a pattern."""
    return pattern is not None and pattern.search(line, 0, LOOKED_AT) is not None


_VARYING = re.compile(
    r"\b(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\b|\b0x[\da-fA-F]+\b"
    r"|\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b|\b\d+(?:\.\d+)? ?(?:ms|µs|us|ns|s|sec|seconds)\b|\[\d+\]"
)
"""The varying parts of a repeated error: times, addresses, ids of requests, durations."""


def same_error(line: str) -> str:
    """Return an error without the parts that vary when it is repeated.

    >>> same_error("10:00:01 refused: db:5432 (12 ms)") == same_error("10:00:02 refused: db:5432 (9 ms)")
    True
    """
    return _VARYING.sub("#", line[:LOOKED_AT]).strip()


def is_error(line: str) -> bool:
    """Return whether a line has the words of an error.

    >>> [is_error(each) for each in ("ValueError: x", "0 errors", "done")]
    [True, False, False]
    """
    line = uncolored(line)
    low = line[:LOOKED_AT].lower()
    has_words = (
        _has_one(_PHRASES[low.isascii()], low)
        or (_has_one(STEMS, low) and ERRORS.search(line, 0, LOOKED_AT) is not None)
        or not _STATEMENTS.isdisjoint(each.strip(_MARKS) for each in low.split(":"))
    )
    is_told = has_words or ALARMS.match(line) is not None or has_form(line)
    return is_told and NO_ERROR.search(line, 0, LOOKED_AT) is None


_MARKS = " \t\r\n.!()[]"


def _has_one(words: Iterable[str], low: str) -> bool:
    # Not any(): for each word of each line, a generator takes twice the time.
    for each in words:  # noqa: SIM110
        if each in low:
            return True
    return False


def uncolored(line: str) -> str:
    r"""Return a line without terminal colors.

    >>> uncolored("\x1b[31mFAIL\x1b[0m a.ts")
    'FAIL a.ts'
    """
    return _COLORS.sub("", line[:LOOKED_AT]) if "\x1b" in line else line


_COLORS = re.compile(r"\x1b\[[\d;]*m")

NUMBERED = re.compile(r"[ \t]+\d+\) \S")
"""The title of a numbered failure, as in mocha and ExUnit, or of any numbered item."""

TRACED = re.compile("|".join(_TOLD["trace"]))
"""A line in the trace of the previous error, in any language's form."""

SOURCE = re.compile(r"[ \t|]{4,}(?!File \")\S|\s*\[Previous line repeated")
"""A line of source below a frame."""


Lines: TypeAlias = Sequence[str]

SAMPLE = 200
"""Lines at each end that determine an output's kind."""

FEWEST = 5
"""Minimum lines that determine an output's kind; with fewer, only the tool's name does."""


@dataclass(frozen=True, slots=True)
class Detector:
    r"""A kind of output.

    :raises PruningError: for an unknown mode, a share outside of 0 to 1, and a pattern that is not compiled.

    >>> import re
    >>> Detector("queue", line=re.compile(r"job \d+ "), dull=re.compile(r"job \d+ done$")).name
    'queue'
    """

    name: str
    tools: frozenset[str] = frozenset()
    """Tools with such answers, in lower case and without a server's prefix."""
    programs: frozenset[str] = frozenset()
    """Shell programs with such output: "ls", "git status"."""
    checks: frozenset[CheckKind] = frozenset()
    """The kinds of checks with such output."""
    line: re.Pattern[str] | None = None
    """The form of its lines, searched for in each."""
    share: float = 0.6
    """The minimum share of lines with this form, if no name determines the kind."""
    suffixes: frozenset[str] | None = None
    """The suffixes of the files in such a call, if they matter."""
    has_errors: bool = True
    """True if a line with error words is an error; in lists of files or matches, only names have them."""
    keys: re.Pattern[str] | None = None
    """Further lines that always stay."""
    dull: re.Pattern[str] | None = None
    """Lines that are omitted first, however many are similar: of passed tests, or of progress."""
    blocks: re.Pattern[str] | None = None
    """Lines that begin a block: the first line of each block stays."""
    similar: ModeName | None = "normal"
    """The mildest mode that cuts similar lines; None for never."""
    ends: ModeName | None = "normal"
    """The mildest mode that keeps only its ends; None for never."""
    scale: float = 1
    """Its maximum length, as a multiple of a list of files'."""

    def __post_init__(self) -> None:
        for mode in (self.similar, self.ends):
            if mode is not None and mode not in ORDER:
                raise PruningError(f"{shown(mode)} is not a mode; {did_you_mean(str(mode), ORDER)}")
        if not 0 < self.share <= 1 or not self.scale > 0:
            raise PruningError(
                f"the detector {shown(self.name)} has a share above 0 and up to 1, and a scale above 0"
            )
        for name in ("line", "keys", "dull", "blocks"):
            pattern: object = getattr(self, name)
            if pattern is not None and not _is_of_text(pattern):
                raise PruningError(
                    f"the detector {shown(self.name)} has {name}={shown(pattern)}; write"
                    f' {name}=re.compile(r"…"), a pattern of text'
                )
        for name in ("tools", "programs", "checks"):
            if isinstance(getattr(self, name), str):
                raise PruningError(
                    f"the detector {shown(self.name)} has a text as its {name}; write"
                    f' {name}=frozenset({{"…"}})'
                )

    def is_told_by(self, output: ToolOutput) -> bool:
        """Return whether the tool's name, or all programs that it ran, have such output."""
        if self.suffixes is not None and not self.suffixes & output.suffixes:
            return False
        if output.bare_tool in self.tools:
            return True
        if output.checks & self.checks and len(output.commands) == 1:
            return True
        return bool(output.programs) and self.programs.issuperset(output.programs)

    def breaks_off(self, line: str) -> bool:
        """Return whether a line is an error among lines that only quote such words.

        >>> listing = next(each for each in DETECTORS if each.name == "listing")
        >>> [listing.breaks_off(each) for each in ("src/error.py", "panic: runtime error", "FAILED", " if error:")]
        [False, True, True, False]
        """
        line = uncolored(line)
        said = line.strip(_MARKS).lower()
        if ALARMS.match(line) or (" " in said and said in _STATEMENTS):
            return True
        is_place = self.line is None and seen(PLACES, line)
        is_shown = seen(self.line, line) or seen(self.blocks, line)
        is_free = line[:1] not in ("", " ", "\t", "+", "-")
        return is_free and not is_shown and (is_place or is_error(line))

    def is_seen_in(self, lines: Lines) -> bool:
        """Return whether most of the lines have the form."""
        told = [line for line in lines if line.strip()]
        found = sum(seen(self.line, line) for line in told)
        return len(told) >= FEWEST and found >= self.share * len(told)


def _is_of_text(pattern: object) -> bool:
    source: object = getattr(pattern, "pattern", None)
    return isinstance(pattern, re.Pattern) and isinstance(source, str)


_FIELDS: Mapping[str, Callable[[str], object]] = {
    **dict.fromkeys(("tools", "programs", "checks"), lambda names: frozenset(names.split("|"))),
    **dict.fromkeys(("line", "keys", "dull", "blocks"), re.compile),
    **dict.fromkeys(("share", "scale"), float),
    **dict.fromkeys(("similar", "ends"), lambda mode: None if mode == "never" else mode),
    "has_errors": "yes".__eq__,
}
"""The meaning of a cell, by the field."""


def _detectors() -> Iterator[Detector]:
    found: dict[str, dict[str, str]] = {}
    for name, field_name, value in rows("outputs"):
        fields = found.setdefault(name, {})
        fields[field_name] = value.replace("{dull}", fields.get("dull", ""))
    for name, fields in found.items():
        given: dict[str, Any] = {key: _FIELDS[key](value) for key, value in fields.items()}
        yield Detector(name, **given)


DETECTORS: tuple[Detector, ...] = tuple(_detectors())
"""The known kinds. The first with a matching name counts, else the first with the form of most lines."""

PLAIN = Detector("output", ends="aggressive", scale=3)
"""Anything else."""


def detector_of(
    output: ToolOutput, lines: Lines, detectors: Iterable[Detector] = DETECTORS
) -> Detector:
    r"""Return the kind of an output.

    >>> detector_of(ToolOutput(text="", tool="Glob"), ()).name
    'listing'
    >>> text = "2026-01-02 10:00:00 INFO started\n" * 5
    >>> detector_of(ToolOutput(text=text, tool="Bash"), text.splitlines()).name
    'log'
    """
    known = [*detectors]
    sample = [*lines[:SAMPLE], *lines[SAMPLE:][-SAMPLE:]]
    told = next((each for each in known if each.is_told_by(output)), None)
    # A file of logs is a log, whichever program shows it.
    if told is not None and told.name == "reading" and output.suffixes & LOGS:
        told = None
    if told is not None:
        return told
    return next((each for each in known if each.is_seen_in(sample)), PLAIN)


LOGS = frozenset({".log", ".out", ".err"})
"""Suffixes of files that nobody edits."""
