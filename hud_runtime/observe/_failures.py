"""Failures: the line of a tool's answer that reports the error."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hud_runtime.observe._asks import cut
from ujsx import DefinitionError
from ujsx.errors import did_you_mean

# The patterns of tools' failures: a table by tool chain.


@dataclass(frozen=True, slots=True)
class Failure:
    """A pattern in a tool's answer that means a failure."""

    pattern: str
    """A regular expression, matched with ``MULTILINE``; its group ``what`` is the failure."""

    of: Literal["edit", "command"] = "command"
    """The tools whose answers are searched: the content of a file that a tool shows proves nothing."""

    says: str = "{what}"
    """The message, with the pattern's groups in braces."""

    chain: str = ""
    """The tool chain that prints it; empty for failures that any command may print."""

    compiles: bool = False
    """True if it means that the work did not compile; a later step of the same tool chain then
    proves that it does.
    """

    last: bool = False
    """True if the last of several matches is reported; else the first, with the number of the others."""

    def __post_init__(self) -> None:
        """Refuse a message with a group that the pattern lacks."""
        groups = re.compile(self.pattern).groupindex
        try:
            self.says.format_map(groups)
        except KeyError as error:
            raise DefinitionError(
                f"the failure {self.pattern!r} has no group {error} for its message {self.says!r};"
                f" {did_you_mean(str(error.args[0]), groups)}"
            ) from None


def _rows(chain: str, *patterns: str, compiles: bool = False) -> Iterable[Failure]:
    return (Failure(pattern, chain=chain, compiles=compiles) for pattern in patterns)


_AT = r"[^\s:(][^\s:]*"
"""The beginning of a file path."""

FAILURES: tuple[Failure, ...] = (
    Failure(
        r"\A(?>[\s\S]*?introduced new syntax error)[\s\S]*?"
        r"^ERRORS:[^\S\n]*\n\s*-\s*(?P<what>[^\n]+)",
        of="edit",
        says="edit refused: {what}",
    ),
    Failure(r"Your (?:proposed edit|changes have NOT been applied)", of="edit", says="edit refused"),
    Failure(r"^No replacement was performed[^\n]*", of="edit", says="edit refused: no match"),
    Failure(r"^(?P<what>(?:apply_patch verification failed|Failed to (?:find|apply)|Invalid patch|patch failed)[^\n]*)", of="edit"),
    Failure(
        r"\A(?:<tool_use_error>|[Ee]rror: )?(?P<what>(?i:(?:String to replace|old_?str(?:ing)?|search (?:block|string|text)|0 occurrences)"
        r"[^\n<]{0,80}? (?:not found|did not match|found)\b[^\n<]*"
        r"|(?:could not|failed to|unable to|cannot) (?:find|edit|match|locate|replace)\b[^\n<]*|no (?:match|occurrences?) (?:was |were )?found[^\n<]*))",
        of="edit",
    ),
    Failure(r"\A<tool_use_error>(?P<what>[^\n<]+)", of="edit"),
    *_rows("git", r"^(?P<what>CONFLICT \(.+)$", r"^(?P<what>Automatic merge failed.*)$"),
    *_rows("go", rf"^(?:vet: )?(?P<what>{_AT}\.go:\d+:\d+: .+)$", compiles=True),
    *_rows(
        "go",
        r"^[ \t]*--- FAIL: (?P<what>\S+)",
        r"^(?P<what>panic: .+)$",
        r"^FAIL\t(?P<what>\S.*)$",
        r"^(?P<what>no required module provides package .+|go: .*(?:not found|invalid|error).*)$",
    ),
    *_rows("golangci-lint", rf"^(?P<what>{_AT}\.go:\d+:\d+: .+)$", r"^(?P<what>[1-9]\d* issues?:.*)$"),
    *_rows(
        "pytest",
        r"^(?:FAILED|ERROR) (?P<what>[^\s\[(]+(?:\[.*?\])?(?: - .*)?)$",
        r"^=* ?(?P<what>\d+ (?:failed|errors?)\b[^=\n]*? in [\d.]+.*?) ?=*$",
        r"^ERROR: (?P<what>(?:file or directory not found|usage:|not found).*)$",
        r"^E +(?P<what>\w*(?:Error|Exception|Exit|Failed)\b.*)$",
        r"^_+ (?P<what>ERROR .+?) _+$",
        r"^_{3,} (?P<what>[\w.\[\]-]+) _{3,}$",
    ),
    *_rows(
        "unittest",
        r"^(?:FAIL|ERROR): (?P<what>\w+ \(.+\).*)$",
        r"^FAILED \((?P<what>(?:failures|errors)=.*)\)",
    ),
    *_rows(
        "tsc",
        r"^(?P<what>\S.*?\(\d+,\d+\): error TS\d+: .+)$",
        rf"^(?P<what>{_AT}:\d+:\d+ - error TS\d+: .+)$",
        r"^(?P<what>error TS\d+: .+)$",
    ),
    *_rows(
        "vitest",
        r"^[ \t]*FAIL[ \t]+(?P<what>\S.*)$",
        r"^[ \t]*(?:Test Files|Tests)[ \t]+(?P<what>[1-9]\d* failed.*)$",
    ),
    *_rows("playwright", r"^[ \t]*\d+\) (?P<what>\S.* › .*?)[ ─]*$", r"^[ \t]*(?P<what>[1-9]\d* failed)$"),
    *_rows(
        "jest",
        r"^[ \t]*● (?P<what>\S.*)$",
        r"^[ \t]*(?:✕|✗|×) (?P<what>\S.*)$",
        r"^[ \t]*(?:Tests|Test Suites): +(?P<what>[1-9]\d* failed.*)$",
        r"^[ \t]*(?P<what>[1-9]\d* failing)\b",
        r"^FAIL[ \t]+(?P<what>\S+\.\w+.*)$",
    ),
    *_rows("node", r"^[ \t]*not ok \d+ -? ?(?P<what>.+)$", r"^(?:#|ℹ) fail (?P<what>[1-9]\d*)$"),
    *_rows("cargo", r"^(?P<what>error\[E\d+\]: .+)$", compiles=True),
    *_rows(
        "cargo",
        r"^test (?P<what>\S+) \.\.\. FAILED$",
        r"^[ \t]+(?:TRY \d+ )?FAIL \[[^\]\n]*\] (?P<what>.+)$",
        r"^test result: (?P<what>FAILED.*)$",
        r"^(?P<what>error: (?!aborting|could not compile|test failed).+)$",
        r"^(?P<what>error: could not compile .+)$",
        r"^(?P<what>thread '.*' panicked at .+)$",
    ),
    *_rows(
        "gcc",
        rf"^(?P<what>{_AT}:\d+(?::\d+)?: (?:fatal )?error: .+)$",
        r"(?P<what>undefined reference to .+)$",
        r"^(?P<what>collect2: error: .+)$",
    ),
    *_rows("cmake", r"^(?P<what>CMake Error.*)$", r"^[ \t]*\d+ - (?P<what>\S+ \((?:Failed|Timeout).*)$"),
    *_rows("mypy", rf"^(?P<what>{_AT}:\d+(?::\d+)?: error: .+)$", r"^Found (?P<what>[1-9]\d* errors? in .*)$"),
    *_rows("pyright", rf"^[ \t]*(?P<what>{_AT}:\d+:\d+ - error: .+)$", r"^(?P<what>[1-9]\d* errors?, .*)$"),
    *_rows(
        "ruff",
        rf"^(?P<what>{_AT}:\d+:\d+: (?:[A-Z]+\d+|SyntaxError|error).*)$",
        r"^(?P<what>[A-Z]{1,4}\d{3,4} .+)$",
        r"^Found (?P<what>[1-9]\d* errors?\b(?!.*\(\d+ fixed, 0 remaining).*)$",
    ),
    *_rows(
        "black",
        r"^(?P<what>(?:would reformat|Would reformat:?|unformatted:) .+)$",
        r"^(?P<what>[1-9]\d* files? would be reformatted.*)$",
        r"^(?P<what>ERROR: .* Imports are incorrectly sorted.*)$",
        r"^(?P<what>error: (?:cannot format|Failed to).+)$",
    ),
    *_rows(
        "eslint",
        r"^[ \t]+(?P<what>\d+:\d+\s+error\s+.+)$",
        r"^✖ (?P<what>\d+ problems? \([1-9]\d* errors?.*)$",
        r"^Found (?P<what>[1-9]\d* errors?\.?)$",
    ),
    *_rows("prettier", r"^\[(?:warn|error)\] (?P<what>\S.*)$"),
    *_rows("shellcheck", r"^(?P<what>In .+ line \d+:)$"),
    *_rows(
        "java",
        r"^(?:\[ERROR\] )?(?P<what>\S+\.(?:java|kt|scala|groovy):(?:\d+:|\[\d+,\d+\]).*)$",
        r"^e: (?P<what>\S+\.kts?:.+)$",
        compiles=True,
    ),
    *_rows(
        "java",
        r"^(?P<what>(?!> Task )\S.* FAILED)$",
        r"^\[ERROR\] (?P<what>(?!Tests run|Failed to execute|COMPILATION ERROR|Failures:|Errors:|\s)\S.*)$",
        r"^\[ERROR\] +(?P<what>\S.*)$",
        r"^\* What went wrong:\n(?P<what>.+)$",
        r"^(?P<what>> Task \S.* FAILED)$",
        r"^(?P<what>FAILURE: Build failed.*|BUILD FAILED.*)$",
    ),
    *_rows("dotnet", r"^[ \t]*(?P<what>\S+: error [A-Z]+\d+: .+)$", compiles=True),
    *_rows("dotnet", r"^[ \t]*Failed (?P<what>\S+) \[", r"^Failed! +- (?P<what>.+)$"),
    *_rows("ruby", r"^rspec (?P<what>\S+ # .+)$", r"^(?P<what>\d+ examples?, [1-9]\d* failures?.*)$", r"^(?P<what>\S+:\d+:\d+: [CWEF]: .+)$"),
    *_rows("php", r"^\d+\) (?P<what>\S+::\S+)$", r"^(?P<what>Tests: \d++.*(?:Failures|Errors): [1-9].*)$"),
    *_rows("swift", rf"^(?P<what>{_AT}:\d+:\d+: error: .+)$", compiles=True),
    *_rows("swift", r"^Test Case '(?P<what>.+)' failed\b", r"^[✘􀢄] +Test (?P<what>.+) failed\b", r"^(?P<what>error: .+)$", r"^[ \t]*Executed (?P<what>\d+ tests?, with [1-9].*)$"),
    *_rows("elixir", r"^[ \t]+\d+\) (?P<what>test .+)$", r"^(?P<what>\d+ tests?, [1-9]\d* failures?.*)$"),
    *_rows("terraform", r"^[│| \t]*(?P<what>Error: .+)$"),
    *_rows("sql", r"^(?:psql:\S+ )?(?P<what>(?:ERROR|FATAL): .+)$", r"^(?P<what>ERROR \d+ \(\w+\).+)$", r"^(?:Parse |Runtime )?(?P<what>[Ee]rror(?: near line \d+|:).+)$"),
    *_rows("dart", r"^[ \t]*(?P<what>error • .+)$", r"^(?P<what>\S+\.dart:\d+:\d+: Error: .+)$", r"^\d+:\d+ \+\d+(?: ~\d+)? -\d+: (?P<what>.+ \[E\])$", r"^(?P<what>Some tests failed\.)$"),
    *_rows("bazel", r"^(?P<what>//\S+)[ \t].*\b(?:FAILED|TIMEOUT|FAILED TO BUILD)\b.*$", r"^ERROR: (?P<what>.+)$"),
    *_rows("docker", r"^(?P<what>ERROR: .+)$"),
    *_rows("vite", r"^error during build:\n(?P<what>.+)$", r"^(?P<what>error during build.*)$", r"^(?P<what>\S*Error: .+)$"),
    *_rows(
        "npm",
        r"^npm (?:ERR!|error) (?P<what>(?!code |path |errno |command |A complete|Lifecycle|syscall|\s).+)$",
        r"^[ \t]*(?P<what>ERR_PNPM\S* .+)$",
        r"^error (?P<what>.+)$",
    ),
    *_rows("pip", r"^ERROR: (?P<what>.+)$", r"^(?P<what>error: .+)$", r"^[ \t]*× (?P<what>.+)$"),
    *_rows("apt", r"^E: (?P<what>.+)$", r"^Error: (?P<what>.+)$"),
    *_rows(
        "git",
        r"^(?P<what>fatal: .+)$",
        r"^ ! (?P<what>\[(?:remote )?rejected\] .+)$",
        r"^(?P<what>error: .+)$",
    ),
    Failure(r"^EXECUTION TIMED OUT\b", says="execution timed out"),
    Failure(r"^(?P<what>Wrong flag!)"),
    Failure(r"^(?:\S+> )?(?P<what>Test suite (?:\S+ failed|failure for package .+))$"),
    Failure(
        r"^Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*"
        r"(?P<what>[A-Za-z_][\w.]*(?:: .*)?)$",
        last=True,
    ),
    Failure(r"^(?P<what>(?:Uncaught )?\w*Error: .+)\n\s+at .+$"),
    Failure(r"^(?:/bin/)?(?:ba|z)?sh: (?:line \d+: )?(?P<what>.*: (?:command )?not found)$"),
    Failure(r"(?P<what>Segmentation fault.*)$"),
    *_rows("make", r"^(?:FAIL|XPASS|ERROR): (?P<what>[^\s:]+)$", r"^make(?:\[\d+\])?: \*\*\* (?P<what>.+)$", r"^ninja: (?P<what>(?:build stopped|error).*)$"),
    *_rows("task", r"^\[[\w:.-]+\] (?P<what>ERROR task failed)", r"^[ \t]*(?P<what>ELIFECYCLE .+)$"),
)  # fmt: skip
"""Tried in this order: they find unmarked failures, and the message of marked ones.

A pattern that looks far ahead is anchored at its first match (``\\A(?>``): tried at every position,
it takes quadratic time on an answer that repeats it.
"""


LONGEST = 240
"""Maximum characters of an error message."""


LOOKED_AT = 50_000
"""Maximum characters that are searched, at the end of an answer: errors are printed last."""

LONGEST_LINE = 2_000
"""Maximum characters of a line that are searched."""

TAGS = re.compile(r"</?(?:tool_use_error|error|stderr|stdout)>")
DULL = re.compile(r"(?:Error: )?Exit code:? \d+|Error:?|\W*")
"""Lines that say only that something failed."""

TELLING = re.compile(
    r"\b(?:error|fail|cannot|can't|denied|refused|exception|not found)", re.IGNORECASE
)
"""Words that mark the line with the error, where a program prints others before it."""

REFUSALS: tuple[str, ...] = (
    "The user doesn't want to",
    "The user rejected",
    "User rejected",
    "[Request interrupted by user",
    "[User Cancelled]",
    "The user denied",
    "Operation cancelled by user",
)
"""Prefixes of answers that are marked as failed because the user refused the call."""

SLIPS: tuple[str, ...] = (
    "Sibling tool call errored",
    "Cancelled: parallel tool call",
    "File has not been read yet",
    "File has been modified since read",
    "File has been unexpectedly modified",
    "No changes to make",
    "Unknown skill",
    "InputValidationError",
    "write_stdin failed: stdin is closed",
    "User has answered",
    "Tool permission request failed",
    "Permission to use",
    "This Bash command contains multiple operations",
)
"""Prefixes of answers that report a tool's own error, which says nothing about the work."""

MISUSES = re.compile(
    r"Missing script:|No rule to make target (?!.*needed by)|(?:command|program) not found|is not recognized as"
    r"|[Uu]nknown (?:flag|(?:compiler )?option|command|shorthand|argument|subcommand|task)|[Uu]nrecognized (?:arguments?|option)"
    r"|[Nn]o such (?:command|option|subcommand|task)|invalid (?:option|choice)|\b[Uu]sage:|unexpected argument"
    r"|file or directory not found|not found in (?:the )?file|No replacement was performed|did not appear verbatim"
    r"|[Mm]ultiple occurrences|Found \d+ matches|edit refused: no match|no task named|Could not find task"
    r"|[Uu]nrecognized CLI|Problem configuring task .* from command line|does not contain recipe"
)
"""Messages that report wrong usage of a tool: nothing was checked, or edited."""

USAGE = re.compile(
    r"^[^\w\n]{0,6}(?:[\w./ +-]{1,40}: ){0,3}(?:[Ee]rror |[Ff]atal )?"
    r"(?:(?:unknown|unrecogni[sz]ed|unexpected|invalid|illegal|undefined|bad|no such)(?: (?!keyword|positional)[\w-]+){0,2}"
    r" (?:option|argument|arg|flag|parameter|switch|shorthand|command|subcommand|task|goal|target|script)s?\b"
    r"|flag provided but not defined|(?:command|program) not found|missing script|no rule to make target"
    r"|[^\n:]{1,60} is not (?:a valid (?:option|flag|command)|expected in this context)|usage:)",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that reports wrong usage of a tool, which then checked nothing."""

TROUBLE = re.compile(
    r"^(?!.{0,80}\b(?:0|no|zero|without) (?:errors?|failures?|failed|issues))[^\n]{0,80}?"
    r"(?:\berror(?: |:|\[)|\bfatal:|\bfailed to\b|\bcannot\b|\bcan't\b|\bcould ?n[o']t\b|\bunable to\b|\bnot found\b"
    r"|\bno such\b|\bdoes(?: not|n't) exist\b|\bunknown\b|\bunsupported\b|\binvalid\b|\bun?recognized\b|\bwent wrong\b"
    r"|\brequires (?:exactly|at least)\b|^no [\w ]{1,40} (?:found|with)\b|\bdid not match\b|\bnot the \w+ command\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that may report a failed check: without a known status, the check does not count as passed."""

SUCCESSES: Mapping[str, re.Pattern[str]] = {
    chain: re.compile(pattern, re.MULTILINE)
    for chain, pattern in {
        "pytest": r"^=* ?\d+ passed",
        "unittest": r"^OK(?: \((?:skipped|expected|unexpected)[^)\n]*\))?$",
        "jest": r"^Tests: +(?:\d+ (?:skipped|todo), )*\d+ passed|^ *\d+ passing",
        "vitest": r"^ *Tests +\d+ passed",
        "go": r"^ok[ \t]+\S+",
        "cargo": r"^test result: ok\.|^ +Finished |^ +Summary \[[^\]\n]*\] +\d+ tests? run: \d+ passed(?!.*failed)",
        "java": r"BUILD SUCCESS",
        "dotnet": r"^ *Passed! |^Build succeeded",
        "golangci-lint": r"^0 issues",
        "ruff": r"^All checks passed",
        "mypy": r"^Success: no issues found",
        "pyright": r"^0 errors, ",
        "swift": r"^[ \t]*Executed \d+ tests?, with 0 failures",
        "elixir": r"^\d+ tests?, 0 failures",
        "ruby": r"^\d+ examples?, 0 failures|^\d+ runs, .* 0 failures, 0 errors",
        "php": r"^OK \(\d+ tests",
        "black": r"files? (?:already formatted|left unchanged|would be left unchanged)",
        "cmake": r"^100% tests passed",
        "playwright": r"^ *\d+ passed \([\d.]+m?s\)",
        "bazel": r"^INFO: Build completed successfully|^Executed .*: \d+ tests? pass(?:es)?\.",
        "prettier": r"^All matched files use Prettier",
    }.items()
}
"""Patterns of success, by tool chain."""

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


def plain(text: str) -> str:
    r"""Return the end of an answer without color codes.

    >>> plain("\x1b[31mFAIL\x1b[0m a")
    'FAIL a'
    """
    text = text[-LOOKED_AT:]
    text = _ANSI.sub("", text) if "\x1b" in text else text
    text = text.replace("\r\n", "\n") if "\r" in text else text
    if max(map(len, text.split("\n"))) > LONGEST_LINE:
        text = "\n".join(line[:LONGEST_LINE] for line in text.split("\n"))
    return _without_prefixes(text) if _PREFIX.search(text) else text


_PREFIX = re.compile(
    r"^(?:[\w@/.-]+ [a-z][\w:-]*: |[\w@/.-]+:[a-z][\w:-]*: |[\w.-]+ +\| |\[\d+\] )(?=.*\S)",
    re.MULTILINE,
)
"""The prefix that task runners put before each line: ``web test: ``, ``web:test: ``, ``web-1  | ``."""


def _without_prefixes(text: str) -> str:
    """The lines without the prefixes of tasks; a prefix that occurs once belongs to its line."""
    often = {one for one, count in Counter(_PREFIX.findall(text)).items() if count > 1}
    return _PREFIX.sub(lambda match: "" if match[0] in often else match[0], text)


Compiled: TypeAlias = tuple[tuple[Failure, re.Pattern[str]], ...]

_CACHE: dict[tuple[int, str, str | None], tuple[Sequence[Failure], Compiled]] = {}
"""Compiled patterns by a table's identity, the tools and the tool chain: hashing a long table is
slower than searching.
"""


def _compiled(failures: Sequence[Failure], of: str, chain: str | None) -> Compiled:
    key = (id(failures), of, chain)
    known = _CACHE.get(key)
    if known is None or known[0] is not failures:
        if len(_CACHE) > _MOST_KEPT:
            _CACHE.clear()
        asked = (one for one in failures if one.of == of and _is_asked_for(one.chain, chain))
        made = tuple((one, re.compile(one.pattern, re.MULTILINE)) for one in asked)
        known = _CACHE[key] = (failures, made)
    return known[1]


_MOST_KEPT = 500


@dataclass(frozen=True, slots=True)
class FailureFound:
    """The failure that an answer reports."""

    message: str
    failure: Failure
    """The pattern that matched."""


def finding_in(
    text: str,
    of: Literal["edit", "command"],
    failures: Sequence[Failure] = FAILURES,
    chain: str | None = None,
) -> FailureFound | None:
    """Return the failure that a tool's answer reports, or None.

    :param chain: the tool chain whose patterns are tried in addition to those of any command; empty
        for all, None for no others.
    """
    text = plain(text)
    for failure, pattern in _compiled(failures, of, chain):
        found = list(pattern.finditer(text))
        if found:
            match = found[-1 if failure.last else 0]
            message = failure.says.format_map(match.groupdict())
            more = 0 if failure.last else len({each[0] for each in found}) - 1
            behind = f" (+{more} more)" if more else ""
            return FailureFound(f"{cut(message, LONGEST - len(behind))}{behind}", failure)
    return None


def failure_in(
    text: str,
    of: Literal["edit", "command"],
    failures: Sequence[Failure] = FAILURES,
    chain: str | None = None,
) -> str | None:
    """Return the message of the failure that :func:`finding_in` finds.

    >>> failure_in("EXECUTION TIMED OUT", "command")
    'execution timed out'
    >>> failure_in("a.go:1:2: undefined: x", "command", chain="go")
    'a.go:1:2: undefined: x'
    """
    found = finding_in(text, of, failures, chain)
    return None if found is None else found.message


def _is_asked_for(of: str, wanted: str | None) -> bool:
    return not of or (wanted is not None and (not wanted or of in (wanted, "task")))


def telling_line(text: str) -> str:
    r"""Return the first line of an error's text that states the error, as far as its words show.

    >>> telling_line("Exit code 1\nsrc/config.ts\n  3:1  error  'port' is not defined")
    "3:1 error 'port' is not defined"
    """
    lines = [line.strip() for line in TAGS.sub("", plain(text)).splitlines() if line.strip()]
    saying = [line for line in lines if not DULL.fullmatch(line)]
    telling = next(filter(TELLING.search, saying), None)
    return cut(telling or next(iter(saying or lines), "failed"), LONGEST)


def was_refused(text: str) -> bool:
    """Return whether a call failed only because the user refused it."""
    return TAGS.sub("", text[:500]).lstrip().startswith(REFUSALS)


def is_slip(text: str) -> bool:
    """Return whether a failed call is a tool's own error, which says nothing about the work."""
    return TAGS.sub("", text[:500]).lstrip().removeprefix("Error: ").startswith(SLIPS)


def is_misuse(message: str) -> bool:
    """Return whether a message only reports wrong usage of a tool.

    >>> is_misuse('Missing script: "tset"'), is_misuse("1 failed, 3 passed")
    (True, False)
    """
    return MISUSES.search(message) is not None


def is_usage(text: str) -> bool:
    r"""Return whether an answer reports wrong usage of a tool.

    >>> is_usage("ruff failed\nerror: unexpected argument '--foo' found"), is_usage("TypeError: unexpected keyword argument 'a'")
    (True, False)
    """
    return USAGE.search(plain(text)) is not None


def is_troubled(text: str) -> bool:
    """Return whether an answer contains error words of any program.

    >>> is_troubled("No test files found, exiting with code 1"), is_troubled("3 files, 0 errors")
    (True, False)
    """
    return TROUBLE.search(plain(text)) is not None


def success_in(text: str, *, of: str = "") -> str:
    r"""Return the tool chain whose success an answer reports; empty for none.

    :param of: the only chain to look for; empty for any.

    >>> success_in("ok  \texample.com/a\t0.2s")
    'go'
    """
    text = plain(text)
    for chain, pattern in SUCCESSES.items():
        if (not of or of == chain) and pattern.search(text):
            return chain
    return ""
