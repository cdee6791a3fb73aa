"""Failures: the line of a tool's answer that reports the error."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from hud_runtime.observe._asks import cut
from hud_runtime.observe.messages import grouped, rows
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

    expression: re.Pattern[str] = field(init=False, repr=False, compare=False)
    """The compiled pattern."""

    def __post_init__(self) -> None:
        """Compile the pattern, and refuse a message with a group that it lacks."""
        object.__setattr__(self, "expression", re.compile(self.pattern, re.MULTILINE))
        groups = self.expression.groupindex
        try:
            self.says.format_map(groups)
        except KeyError as error:
            raise DefinitionError(
                f"the failure {self.pattern!r} has no group {error} for its message {self.says!r};"
                f" {did_you_mean(str(error.args[0]), groups)}"
            ) from None


FAILURES: tuple[Failure, ...] = tuple(
    Failure(
        pattern,
        "edit" if of == "edit" else "command",
        says,
        chain,
        compiles=extra == "compiles",
        last=extra == "last",
    )
    for of, chain, extra, says, pattern in rows("failures")
)
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

_ANSWERS = grouped("answers")

SLIPS = tuple(_ANSWERS["slip"])
"""Prefixes of answers that report a tool's own error, which says nothing about the work."""

MISUSES = re.compile("|".join(_ANSWERS["misuse"]))
"""Messages that report wrong usage of a tool: nothing was checked, or edited."""

USAGE = re.compile(
    r"^[^\w\n]{0,6}(?:[\w./ +-]{1,40}: ){0,3}(?:[Ee]rror |[Ff]atal )?"
    r"(?:(?:unknown|unrecogni[sz]ed|unexpected|invalid|illegal|undefined|bad|no such)(?: (?!keyword|positional)[\w-]+){0,2}"
    r" (?:option|argument|arg|flag|parameter|switch|shorthand|command|subcommand|task|goal|target|script)s?\b"
    r"|flag provided but not defined|(?:command|program) not found|missing script|no rule to make target"
    r"|[^\n:]{1,60} is not (?:a valid (?:option|flag|command)|expected in this context)|usage:)"
    # A shell that could not start a command says so in any language.
    r"|^(?:/bin/)?(?:ba|z|da|k|fi)?sh: (?:[^\s:]{1,20} \d+: )?(?!warning)[\w./-]{1,60} ?: \S"
    r"|^['\w./-]{1,60}(?: : [^\n]{0,80}|: [^\n]{0,80})? is not recognized as ",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that reports wrong usage of a tool, which then checked nothing."""

TROUBLE = re.compile(
    r"^(?!.{0,80}\b(?:0|no|zero|without) (?:errors?|failures?|failed|issues))[^\n]{0,80}?"
    r"(?:\berror(?: |:|\[)|\bfatal:|\bfailed to\b|\bcannot\b|\bcan't\b|\bcould ?n[o']t\b|\bunable to\b|\bnot found\b"
    r"|\bno such\b|\bno module named\b|\bdoes(?: not|n't) exist\b|\bunknown\b|\bunsupported\b|\binvalid\b|\bun?recognized\b|\bwent wrong\b"
    r"|(?:\b(?:erreur|fehler|errore|błąd)|ошибка|错误|エラー) ?[:：\[]"
    r"|\brequires (?:exactly|at least)\b|^(?:warning: )?no [\w ]{1,40} (?:found|with)\b|\bdid not match\b|\bnot the \w+ command\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that may report a failed check: without a known status, the check does not count as passed."""

SUCCESSES: Mapping[str, re.Pattern[str]] = {
    chain: re.compile(pattern, re.MULTILINE) for chain, pattern in rows("successes")
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
    chains = {"", "task", chain} if chain else {""}
    for failure in failures:
        if failure.of != of or not (chain == "" or failure.chain in chains):
            continue
        found = list(failure.expression.finditer(text))
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


def telling_line(text: str) -> str:
    r"""Return the first line of an error's text that states the error, as far as its words show.

    >>> telling_line("Exit code 1\nsrc/config.ts\n  3:1  error  'port' is not defined")
    "3:1 error 'port' is not defined"
    """
    lines = [line.strip() for line in TAGS.sub("", plain(text)).splitlines() if line.strip()]
    saying = [line for line in lines if not DULL.fullmatch(line)]
    telling = next(filter(TELLING.search, saying), None)
    return cut(telling or next(iter(saying or lines), "failed"), LONGEST)


def refusals(host: str) -> tuple[str, ...]:
    """Return the beginnings of a host's own answers in place of calls that the user refused.

    >>> refusals("cline")
    ('The user denied this operation',)
    """
    return tuple(_ANSWERS[f"refusal in {host}"])


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
