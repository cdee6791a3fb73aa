"""The words with which tools report a failure: a table of patterns, by tool chain."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ujsx import DefinitionError
from ujsx.errors import did_you_mean


@dataclass(frozen=True, slots=True)
class Failure:
    """A pattern in a tool's answer that means a failure."""

    pattern: str
    """A regular expression, matched with ``MULTILINE``; its group ``what`` tells the failure."""

    of: Literal["edit", "command"] = "command"
    """Whose answers are looked at: what a tool shows of a file proves nothing."""

    says: str = "{what}"
    """The message, with the pattern's groups in braces."""

    chain: str = ""
    """The tool chain whose words these are; empty for those that any command may say."""

    compiles: bool = False
    """Whether it means that the work did not compile, so that a later step of the same tool chain shows that it does."""

    last: bool = False
    """Whether the last of several matches tells it; else the first does, and how many there are more."""

    def __post_init__(self) -> None:
        """Refuse a message with a group that the pattern does not have."""
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
"""The beginning of a file's path."""

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
"""Tried in this order: they find failures that nobody marked, and words for those that are.

A pattern that looks far ahead starts at the first place where it can (``\\A(?>``): from each such
place, an answer that repeats it would take the square of its length.
"""
