"""Outputs of tools as policies see them: modes, pieces, the kinds of output, and the lines that always stay."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import Literal, TypeAlias

from hud_components import level_for
from hud_components.levels import THRESHOLDS, Level, Threshold
from hud_runtime._errors import PruningError
from hud_runtime.observe._checks import CheckKind, check_of
from hud_runtime.observe._shell import SimpleCommand, all_commands
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
    thresholds: tuple[Threshold, ...] = THRESHOLDS,
    modes: Mapping[ModeName, Mode] = MODES,
) -> Mode:
    """Return the mode for a context that is that full; the mildest where nobody knows.

    :param percentage: the used share of the context, in percent.
    :param level: the level, where somebody has found it already; it counts before the percentage.
    :raises PruningError: for a level that is none.

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


# The lines that always stay: errors, their places, and totals.
#
# Each pattern looks at a line once, and nowhere for longer than at :data:`LOOKED_AT` characters of it.

ERRORS = re.compile(
    r"[Ee]rrors?\b|ERRORS?\b|\bERR!|[a-z]Exception\b|\bException\b|\bEXCEPTION\b|\b[Ff]ail(?:ed|ure|ures|s|ing)?\b|\bFAIL(?:ED|URE)?\b"
    r"|\b[Pp]anic(?:ked)?\b|\bFATAL\b|\b[Ff]atal\b|\bCRITICAL\b|\bSEVERE\b|\bTraceback\b|\bCaused by\b|\bdenied\b|\brefused\b"
    r"|\b[Cc]annot\b|\b[Cc]an't\b|\b[Cc]ould ?n(?:ot|'t)\b|\b[Uu]nable to\b|\b[Nn]ot [Ff]ound\b|\b[Nn]o such\b|\b[Uu]ndefined\b|\b[Uu]nresolved\b"
    r"|\b[Uu]nexpected\b|\bAssert|\bassert |\b[Aa]borted\b|\b[Tt]imed out\b|\b[Kk]illed\b|\bsegfault|[Ss]egmentation fault|\bcore dumped\b"
    r"|\bCONFLICT\b|\b[Ii]nvalid\b|\b[Mm]issing\b|\brejected\b|\b[Uu]nauthorized\b|\b[Ff]orbidden\b|\b[Dd]eadlock\b|\bOOMKilled\b|BackOff\b"
    r"|Sanitizer: |\bstack smashing\b|^not ok \d|[✕✗✘×❌]|\b[Ff]ehler|\b[Ee]rreur|\b[Оо]шибк|错误|錯誤|失败|失敗|エラー|오류|\bexit(?:ed)?(?: with)?(?: code| status)?:? *[1-9]"
)
"""Words of an error."""

ALARMS = re.compile(
    r"(?: ?FAIL(?:ED|URES?)?|FATAL|ERROR|CRITICAL|PANIC|ABORTED|KILLED|Killed|Aborted|Aborting|Terminated|Interrupted|Hangup|Alarm clock|Oops|KeyboardInterrupt|\^C)(?:[\s:!]|$)"
    r"|\s*(?:[✕✗✘×❌●] \S|--> \S{1,200}:\d+:\d+|what\(\): |\d+:\d+ +error\b)|(?:[<*] )?HTTP(?:/[\d.]+)? [45]\d\d\b|[45]\d\d [A-Z][a-z]+(?: [A-Z]|$)|(?:rc|ret|errno|exit\w{0,8}|Exit)[= ]-?[1-9]\d{0,2}\s*$|Stopped \(|[EF]\d{4} \d\d:\d\d|[A-Z]{2,5}-\d{4,5}: "
    r"|(?:panic|fatal|FATAL ERROR|fatal error|Fatal error|Unhandled [\w ]{1,30}): |(?:Segmentation|Bus) (?:fault|error)|Error from server"
    r"|(?:[A-Z][a-z]+)+(?:Error|Exception)(?:: |$)|--- FAIL: |not ok \d| ! \[(?:remote )?rejected\]|Traceback \(most recent call last\)|thread '[^'\n]{1,80}' panicked|[\w./-]{1,40}: (?:fatal|error|cannot|can't|unable to)\b"
)
"""The beginnings of a program's own last words, whatever it printed before."""

FORMS = re.compile(
    # A level, as loggers write it; a code at the line's beginning; a sign of alarm.
    r"\[[EFC]\] |\(EE\) |<[0-3]>|[EF]/[\w.$-]{1,80}(?:\( *\d+\))?: |\S{1,40}: \*\*\* |[EF]\d{3,5}\b|(?:🔴|💥|🚨|⛔|🛑)|SQLSTATE\["
    # The last line of a traceback: the class of an exception, with its module or in two words.
    r"|(?:[a-z_]\w{0,40}\.){1,8}[A-Z]\w{0,60}: \S|(?:[A-Z][a-z\d]{1,20}){2,6}: \S|Unhandled|goroutine \d+ \[|Msg \d{1,6}, Level \d"
)
"""The beginnings of lines that tell of an error by their form, in words that no table has."""

_INNER_FORMS = re.compile(
    # A level within a line.
    r"(?:[^\n]{0,80}? )?(?:ERR|ALERT|EMERG|PANIC)\b|[^\n]{0,120}?\"(?:level|severity)\": ?[56]0\b"
    # An exit code or a status that is none of success, whatever the language.
    r"|[^\n\d]{0,80}?(?:\brc|[Ee]xit[-_ ]?[Cc]ode|[Rr]eturn ?code)[:=]? ?-?[1-9]|[^\n]{0,80}?\bstatus[=:] ?[45]\d\d\b|[^\n]{0,80}?\breturned [1-9]\d{0,2} exit status"
    r"|[^\n\d]{0,60}?(?:\b[Cc]o(?:de|dice)|\b[Cc][oó]digo|\b[Kk]o[od]\w{0,3}|\b[Kk]ód|\b[Кк]од\w{0,3}|コード|代码|代碼|코드)(?!\w)[^\n\d]{0,24}[ :=]-?[1-9]\d{0,2}\W?$"
)
"""Such forms further in."""

_INNER_STEMS = (
    "err", "alert", "emerg", "panic", "level", "severity", "rc", "exit", "return", "status", "cod", "cód", "kod", "koo", "kód",
    "код", "コード", "代码", "代碼", "코드",
)  # fmt: skip
"""One of them is in each line with an inner form, in lower case."""

_HEAD = re.compile(r"[\[(<]?([^\W\d_]{3,20})[\])>]? ?:(?:\s|$)")

_QUIET = re.compile(
    r"ALT|API|AUTHOR|BUILD|CLI|COPY|DATE|DEBUG|ENV|EXAMPLE|GET|HINT|HTTP|HTTPS|IMPORTANT|INFO|INPUT|JSON|LICENSE"
    r"|LOG|NAME|NOTA|NOTE|NOTES|NOTICE|OUTPUT|PATH|POST|PUT|SUCCESS|TIP|TODO|TRACE|URL|USAGE|VERSION|WARN|WARNING"
)
"""Words in capitals at the head of lines that tell of no error."""


def has_form(line: str) -> bool:
    """Tell whether a line looks like one of an error, in whatever words.

    >>> [has_form(each) for each in ("HIBA: nincs", "NOTE: none", "pkg.Bad: x", "code de sortie 2", "rc=0")]
    [True, False, True, True, False]
    """
    if FORMS.match(line, 0, LOOKED_AT):
        return True
    if _has_one(_INNER_STEMS, line[:LOOKED_AT].lower()) and _INNER_FORMS.match(line, 0, LOOKED_AT):
        return True
    head = _HEAD.match(line)
    return head is not None and head[1].isupper() and not _QUIET.fullmatch(head[1])


STEMS = (
    "error", "err!", "exception", "fail", "panic", "fatal", "critical", "severe", "traceback", "caused by", "denied",
    "refused", "cannot", "can't", "could", "unable", "not found", "no such", "undefined", "unresolved", "unexpected",
    "assert", "aborted", "timed out", "killed", "seg", "core dumped", "conflict", "invalid", "missing", "exit", "rejected",
    "unauthorized", "forbidden", "deadlock", "backoff", "sanitizer: ", "smashing", "not ok", "✕", "✗", "✘", "×", "❌",
    "fehler", "erreur", "ошибк", "错误", "錯誤", "失败", "失敗", "エラー", "오류",
)  # fmt: skip
"""One of them is in each of these words: to look for them takes a tenth of the time."""

PHRASES = (
    "keyboardinterrupt", "corruption", "dumped core", "does not exist", "doesn't exist", "no space left", "no rule to make",
    "data race", "stack overflow", "out of memory", "out of bounds", "out of range", "uncaught", "execution halted", "halting",
    "failedscheduling", "failedmount", "unhealthy", "evicted", "exceeded", "violation", "unreachable", "broken pipe", "mismatch",
    "not permitted", "not allowed", "not supported", "not recognized", "is not defined", "attempt to call", "attempt to index",
    "too many open files", "read-only file system", "connection reset", "no route to host", "unbound variable", "already in use",
    "resource busy", "argument list too long", "non-zero", "segfault", "errimagepull", "no matching", "verification failed",
    "backtrace:", "stack trace:", ": oops", "empty list", "went wrong", "crashed", "unsupported", "unknown option",
    "verweigert", "nicht gefunden", "impossible d", "introuvable", "aucun fichier", "refusé", "échec", "no encontrad", "denegad",
    "no se pudo", "no se encontr", "errore:", "non trovat", "negato", "erro:", "não encontrad", "negada", "fout:", "niet gevonden",
    "geweigerd", "błąd", "nie znaleziono", "odmowa", "chyba:", "fel:", "fejl:", "feil:", "virhe:", "hiba:", "отказано", "не найден",
    "не удалось", "помилка", "hata:", "bulunamadı", "başarısız", "dosya ya da dizin yok", "neexistuje", "no existe", "inexistente", "inesistente", "bestaat niet",
    "finns inte", "nie ma takiego", "нет такого", "没有那个", "沒有此一", "디렉터리가 없", "ディレクトリはありません", "lỗi", "không tìm", "galat:", "kesalahan", "できません",
    "見つかりません", "拒否", "无法", "無法", "拒绝", "拒絕", "找不到", "찾을 수 없", "실패", "거부", "خطأ", "שגיאה", "त्रुटि",
    "fehler", "erreur", "ошибк", "σφάλμα", "σφαλμα", "αποτυχ", "eroare", "greška", "грешка", "ข้อผิดพลาด", "ralat:", "klaida",
    "kļūd", "napaka:", "viga:", "villa:", "gabim:", "xəta", "қате", "abbruch", "abgebrochen", "unfinished jobs",
    "econn", "enotfound", "etimedout", "ehostunreach", "sigcode=", "lvl=eror", "lvl=crit", " [e] ", "password is required",
    "wrong version number", "unknown authority", "unknown command", "unrecognized option", "not in gzip format", "terminate called",
    "corrupted", "pure virtual method", "call trace:", "kernel bug", "bail out!", "i/o timeout", "interrupted", "rolled back",
    "rollback", "canceled", "cancelled", "previously applied", "failures!", "oops: ", "💥", "nenalezen", "許可がありません", "tiedostoa ei ole",
)  # fmt: skip
"""Further words of errors, in lower case: of systems and runtimes, and of other languages."""

NO_ERROR = re.compile(
    r"^\W*(?:no|0|zero) (?:errors?|failures?|failed|issues)\b|\b(?:error|fail(?:ure|ed|ures)?|err|errors)\"?[:=] ?(?:0|null|false|none|nil|\"\"|\[\])(?=[\s,;)}]|$)",
    re.IGNORECASE,
)
"""What says that there is none."""

PLACES = re.compile(
    r"^\s*(?:-->|::: |at line \d|on line \d|line \d+,? col)|\.[A-Za-z]\w{0,4}(?::\d+:\d+|\(\d+[,:]\d+\)|:\d+): "
)
"""Where an error is: ``--> src/main.rs:3:5``, ``a.py:12: …``, ``a.ts(3,4): …``."""

SUMMARIES = re.compile(
    r"^(?:=+ [^\n]*\b(?:passed|failed|errors?|skipped|warnings?|no tests ran|short test summary info)\b|\s*(?:Tests?|Test Suites?|Test Files|Snapshots|Suites):? +\d|test result: "
    r"|Ran \d+ tests?|(?:OK|PASS|FAIL|FAILED|BUILD|DONE|SUCCESS)\b|(?:ok|FAIL|---) +\S|\s*Finished\b|Successfully |[Ff]ound \d+ |\W*\d+ (?:passed|failed|passing|failing|problems?|errors?|warnings?|issues?|"
    r"files? (?:changed|scanned|checked)|director(?:y|ies)|examples?|tests?|vulnerabilit)|[Tt]otal:? \d|added \d+ packages|Done in |All (?:checks|tests|files)|Success[:!]"
    r"|[^\n]{0,60}?\bexit(?:ed)?(?: with)?(?: code| status)?:? *\d|real\s+\d|INFO: Build completed|\d+% tests passed|coverage|TOTAL\b)",
    re.IGNORECASE,
)
"""What sums up."""

LOOKED_AT = 2_000
"""Characters of a line that are looked at."""


def seen(pattern: re.Pattern[str] | None, line: str) -> bool:
    """Tell whether a pattern is found in what is looked at of a line; never where there is no pattern."""
    return pattern is not None and pattern.search(line, 0, LOOKED_AT) is not None


_VARYING = re.compile(
    r"\b(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\b|\b0x[\da-fA-F]+\b"
    r"|\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b|\b\d+(?:\.\d+)? ?(?:ms|µs|us|ns|s|sec|seconds)\b|\[\d+\]"
)
"""What differs in an error that comes again: times, addresses, ids of requests, how long it took."""


def same_error(line: str) -> str:
    """Return an error without what differs when the same one comes again.

    >>> same_error("10:00:01 refused: db:5432 (12 ms)") == same_error("10:00:02 refused: db:5432 (9 ms)")
    True
    """
    return _VARYING.sub("#", line[:LOOKED_AT]).strip()


def is_error(line: str) -> bool:
    """Tell whether a line has the words of an error.

    >>> [is_error(each) for each in ("ValueError: x", "0 errors", "done")]
    [True, False, False]
    """
    line = uncolored(line)
    low = line[:LOOKED_AT].lower()
    has_words = _has_one(PHRASES, low) or (
        _has_one(STEMS, low) and ERRORS.search(line, 0, LOOKED_AT) is not None
    )
    is_told = has_words or ALARMS.match(line) is not None or has_form(line)
    return is_told and NO_ERROR.search(line, 0, LOOKED_AT) is None


def _has_one(words: Iterable[str], low: str) -> bool:
    # Not any(): a generator takes as long again, for each word of each line.
    for each in words:  # noqa: SIM110
        if each in low:
            return True
    return False


def uncolored(line: str) -> str:
    r"""Return a line without a terminal's colors.

    >>> uncolored("\x1b[31mFAIL\x1b[0m a.ts")
    'FAIL a.ts'
    """
    return _COLORS.sub("", line[:LOOKED_AT]) if "\x1b" in line else line


_COLORS = re.compile(r"\x1b\[[\d;]*m")

NUMBERED = re.compile(r"[ \t]+\d+\) \S")
"""The title of a failure in a list of them, as mocha and ExUnit number theirs, or of anything in a list."""

TRACED = re.compile(
    r"[ \t|]*File \"[^\"\n]{1,500}\", line \d+|\s+at \S|\s*\.\.\. \d+ (?:more|common)|\s*from \S+:\d+|\s*#\d+ +\S|\s+thrown in \S"
    r"|\s+\d+: (?:0x)?[\w<{]|\s+\([\w ]{1,60} [\d.]+\) \S+:\d+|goroutine \d+ \[|created by \S|\t\S+\.(?:go|s):\d+"
    r"|[\w./*@~\[\]{}-]++(?:\(\*\w+\)[\w.]*+)?\([\w., {}?]*\)$|(?:stack backtrace|Stack trace|Backtrace):$"
)
"""A line that belongs to the trace of the error before it, in the form of any language."""

SOURCE = re.compile(r"[ \t|]{4,}(?!File \")\S|\s*\[Previous line repeated")
"""A line of source below a frame."""


Lines: TypeAlias = Sequence[str]

SAMPLE = 200
"""Lines at each end by which an output's kind is known."""

FEWEST = 5
"""Lines that tell what kind an output is; of fewer only the tool's name does."""


@dataclass(frozen=True, slots=True)
class Detector:
    r"""A kind of output.

    :raises PruningError: for a mode that is none, a share that is no part of one, and a pattern that is not compiled.

    >>> import re
    >>> Detector("queue", line=re.compile(r"job \d+ "), dull=re.compile(r"job \d+ done$")).name
    'queue'
    """

    name: str
    tools: frozenset[str] = frozenset()
    """Tools whose answers these are, in lower case and without a server's prefix."""
    programs: frozenset[str] = frozenset()
    """Programs of a shell whose output this is: "ls", "git status"."""
    checks: frozenset[CheckKind] = frozenset()
    """The kinds of checks whose output this is."""
    line: re.Pattern[str] | None = None
    """How its lines look, searched for in each."""
    share: float = 0.6
    """The part of the lines that must look so where no name tells."""
    suffixes: frozenset[str] | None = None
    """The suffixes of the files that such a call names, where that counts."""
    has_errors: bool = True
    """Whether a line with the words of an error tells of one; a list of files, or of matches, only has them in names."""
    keys: re.Pattern[str] | None = None
    """Further lines that always stay."""
    dull: re.Pattern[str] | None = None
    """Lines that go first, however many are alike: what passed, or is under way."""
    blocks: re.Pattern[str] | None = None
    """Lines at which something begins that is told of further: the first of each of these stay."""
    similar: ModeName | None = "normal"
    """The mode from which on lines alike are cut; never when None."""
    ends: ModeName | None = "normal"
    """The mode from which on only its ends stay; never when None."""
    scale: float = 1
    """How many times as long it may be as a list of files."""

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
        """Tell whether the tool's name, or all programs that it ran, say that this is such an output."""
        if self.suffixes is not None and not self.suffixes & output.suffixes:
            return False
        if output.bare_tool in self.tools:
            return True
        if output.checks & self.checks and len(output.commands) == 1:
            return True
        return bool(output.programs) and self.programs.issuperset(output.programs)

    def breaks_off(self, line: str) -> bool:
        """Tell whether a line tells of an error among lines that only have such words in what they show.

        >>> listing = next(each for each in DETECTORS if each.name == "listing")
        >>> [listing.breaks_off(each) for each in ("src/error.py", "panic: runtime error", "FAILED", " if error:")]
        [False, True, True, False]
        """
        line = uncolored(line)
        if ALARMS.match(line):
            return True
        is_place = self.line is None and seen(PLACES, line)
        is_shown = seen(self.line, line) or seen(self.blocks, line)
        is_free = line[:1] not in ("", " ", "\t", "+", "-")
        return is_free and not is_shown and (is_place or is_error(line))

    def is_seen_in(self, lines: Lines) -> bool:
        """Tell whether most of the lines look so."""
        told = [line for line in lines if line.strip()]
        found = sum(seen(self.line, line) for line in told)
        return len(told) >= FEWEST and found >= self.share * len(told)


def _is_of_text(pattern: object) -> bool:
    source: object = getattr(pattern, "pattern", None)
    return isinstance(pattern, re.Pattern) and isinstance(source, str)


def _words(names: str) -> frozenset[str]:
    """Names, divided by commas."""
    return frozenset(each.strip() for each in names.split(","))


_STAMP = (
    r"\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d\b|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d"
    r"|\d\d/(?:\w{3}|\d\d)/\d{4}[: ]\d\d|[IWEF]\d{4} \d\d:\d\d)"
)

STAMPED = re.compile(
    rf"^[^\w\[\n]{{0,4}}(?:\S{{1,40}} [|] |[\w.-]{{1,40}}\[\d+\]: |time=\"?|\{{\"(?:time|ts|timestamp)\":\"?)?{_STAMP}"
)
"""A line of a log: with a time, perhaps behind the name of what wrote it."""

PATH_LINE = re.compile(
    r"^(?=[^\n]{0,300}?[^\W\d_])[│├└─|`+\\ \xa0-]*(?:\./|/|~/|[A-Za-z]:\\)?[\w@.+~#=,%()\[\]-]++(?:[/\\][\w@.+~#=,%()\[\] -]+)*+[/\\]?[*@|=]?$"
    r"|^[dlcbps-][r-][w-][xsS-][r-][w-][xsS-][r-][w-][xtT-][.+@]?\s"
)
"""A line of a list of files: a path alone, in a tree or not, or behind its mode and owner."""

HIT = re.compile(r"^(?:[^\s:][^:\n]{0,300}:\d+[:-]|[ \t]*(?:Line )?\d+[:-]\s?\S)")
"""A match of a search: a path, a line's number, and what stands there."""

_HIT_FILE = re.compile(r"^(?:([^\s:][^:\n]{0,300}):\d+[:-]|(\S[^:\n]*[/.]\S*):?$)")

DIFF = re.compile(r"^(?:diff --git |index [\da-f]+\.\.|@@ |\+\+\+ |--- |[+-](?! |[r-][w-][x-]))")
"""A line of a diff; one that begins like an item of a list is as likely one."""

_NAMES_A_FILE = re.compile(
    r"(?<![\w@.~+/-])(?:[\w@.~+-]++/)++[\w@.+-]*+"
    r"|(?<![\w-])[\w-]++\.(?:py|js|ts|tsx|go|rs|java|md|json|toml|c|h|cpp|rb|sh|ya?ml)\b"
)
"""A path, or a file's name: what an agent goes on with."""

_PASSED = re.compile(
    r"^(?:\s*(?:✓|✔|√|ok \d+\b|PASS\b)|=== (?:RUN|PAUSE|CONT)\b|\s*--- PASS:|test \S+ (?:- .* )?\.\.\. (?:ok|ignored)$|\S*::\S* (?:PASSED|SKIPPED|XFAIL)"
    r"|\S+\.(?:py|rb|js|ts) [.sx]+ *(?:\[ *\d+%\])?$|[.sx]{10,} *(?:\[ *\d+%\])?$|\s+PASS(?:ED)? |\S+ \(\S+\) \.\.\. ok$|\[gw\d+\] \[ *\d+%\] (?:PASSED|SKIPPED)"
    r"|\?\s+\S+\s+\[no test files\])"
)
"""What a runner of tests says of what passed."""

_WORKING = re.compile(
    r"^(?:\s*(?:Compiling|Checking|Downloading|Downloaded|Fetching|Fetched|Collecting|Using cached|Requirement already|Building wheel"
    r"|Preparing metadata|Installing|Unpacking|Selecting|Setting up|Get:\d+|Hit:\d+|Pulling|Extracting|Copying|Processing|Resolving"
    r"|Linking|Generating|Updating|Adding|Locking|Verifying|Waiting|Pushed|Layer already|Already exists|CC|CXX|LD|AR|INSTALL) "
    r"|#\d+ (?:\d+\.\d+|sha256|DONE|CACHED|transferring|extracting|resolve)|\[ *\d+(?:%|/\d+)\]|npm (?:http|timing|sill|verb) "
    r"|[^\n]{0,80}?[|\[(][=#>█▓▒░━╸╺ .-]{6,}|[^\n]{0,120}?\b\d{1,3}(?:\.\d+)?%|[\da-f]{12}: )"
)
"""What says that something is under way."""

DETECTORS: tuple[Detector, ...] = (
    Detector(
        "log",
        programs=_words(
            "journalctl, dmesg, docker logs, kubectl logs, docker compose, docker-compose"
        ),
        line=STAMPED,
        share=0.5,
        keys=re.compile(r"\b(?:WARN(?:ING)?|ERROR|FATAL|CRITICAL|SEVERE|ALERT|EMERG|PANIC)\b"),
    ),
    # What an agent reads it edits next: a file's text stays, unless hardly anything else fits.
    Detector(
        "reading",
        tools=_words(
            "read, notebookread, read_file, readfile, view, view_file, open_file, cat, fs_read, get_file_contents,"
            " read_text_file, read_files, read_many_files, str_replace_editor, str_replace_based_edit_tool, text_editor,"
            " open, scroll_up, scroll_down, goto, edit, create, file_editor, read_multiple_files"
        ),
        programs=_words("cat, head, tail, sed, nl, bat, less, more, awk, open, git show, scroll_down, scroll_up, goto"),
        has_errors=False,
        keys=re.compile(
            r"^[ \t\d:→|]{0,16}(?:(?:export|public|private|protected|static|async|abstract|final|pub(?:\(\w+\))?|default|unsafe) )*+"
            r"(?:def|class|function|func|fn|interface|struct|enum|trait|impl|type|module|namespace|const|#{1,6}) "
        ),
        similar=None,
        ends="hyper",
        scale=16,
    ),
    # What was written to be read: by a subagent, on a page.
    Detector(
        "answer",
        tools=_words(
            "task, agent, delegate, spawn_agent, wait_agent, delegate_to_agent, webfetch, web_fetch, websearch, web_search,"
            " google_web_search, fetch, browse, memory, history, ask_user, askuserquestion, exitplanmode, think, taskoutput"
        ),
        has_errors=False,
        keys=_NAMES_A_FILE,
        similar=None,
        ends="hyper",
        scale=10,
    ),
    Detector(
        "diff",
        programs=_words("git diff, git log, git show, diff, git stash"),
        line=DIFF,
        share=0.25,
        has_errors=False,
        keys=re.compile(r"^(?:diff --git |@@ |\+\+\+ |--- |commit [\da-f]{7,})"),
        similar=None,
        ends="hyper",
        scale=16,
    ),
    Detector(
        "tests",
        checks=frozenset(("test",)),
        line=re.compile(
            rf"{_PASSED.pattern}|^=+ (?:test session starts|FAILURES|ERRORS|short test summary info)|^(?:FAILED|ERROR) \S+::|^running \d+ tests?$"
            r"|^\s*--- (?:FAIL|SKIP):|^test result: |^Tests?:? |^\s*(?:✕|✗|×|●) |^E  "
        ),
        share=0.4,
        keys=re.compile(
            r"^(?:E  |>  |\s*--- FAIL|FAILED\b|ERROR\b|FAIL\b|_{3,} |---- |\s*(?:✕|✗|×|●) |not ok |test \S+ \.\.\. FAILED|\s*(?:[Ee]xpected|[Rr]eceived|[Aa]ctual|left|right|got|want)\b ?[:=])"
        ),
        dull=_PASSED,
        ends="aggressive",
        scale=3,
    ),
    Detector(
        "build",
        checks=frozenset(("build", "packages")),
        programs=_words(
            "pip install, pip3 install, uv pip, uv sync, npm install, npm ci, pnpm install, yarn install, apt install, apt-get install,"
            " apt update, apt-get update, docker pull, docker push, cargo build, cargo fetch, brew install, curl, wget, git clone, git fetch"
        ),
        line=_WORKING,
        share=0.4,
        dull=_WORKING,
    ),
    Detector(
        "search",
        tools=_words("grep, grep_search, search_file_content, search_files, search_code, search_dir, search_file, codebase_search, ripgrep, codesearch"),
        programs=_words("grep, rg, ag, ack, git grep, egrep, fgrep"),
        line=HIT,
        share=0.7,
        has_errors=False,
        keys=re.compile(r"^(?:Binary file |grep: |rg: |Found \d+ |\(Results are truncated|End of matches)"),
        blocks=_HIT_FILE,
        similar=None,
        scale=1.5,
    ),
    Detector(
        "listing",
        tools=_words("ls, list, list_dir, list_directory, list_files, glob, find, find_file, file_search, tree, directory_tree, list_code_definition_names"),
        programs=_words("ls, find, fd, tree, du, dir, wc, md5sum, sha256sum, sha1sum, cksum, stat, file, git ls-files, rg --files, exa, eza, locate"),
        line=PATH_LINE,
        share=0.85,
        has_errors=False,
        keys=re.compile(r"^(?:total \d|\d+ director|ls: |find: |fd: |tree: |\S{0,200}: *(?:Permission denied|No such file)|\(Results are truncated)"),
        similar=None,
    ),
)  # fmt: skip
"""The kinds that are known. The first that a name tells counts, else the first that most lines look like."""

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
    # A file of logs is a log, whoever shows it.
    if told is not None and told.name == "reading" and output.suffixes & LOGS:
        told = None
    if told is not None:
        return told
    return next((each for each in known if each.is_seen_in(sample)), PLAIN)


LOGS = frozenset({".log", ".out", ".err"})
"""Suffixes of files that are written for nobody to edit."""
