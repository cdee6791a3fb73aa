"""Which answers of tools mean a failure, and the one line that tells it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hud_runtime.transcripts._task import cut
from ujsx import DefinitionError
from ujsx.errors import did_you_mean

LONGEST = 160
"""Characters of an error's message."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A pattern in a tool's answer that means a failure."""

    pattern: str
    """A regular expression, matched with ``MULTILINE``; its group ``what`` tells the failure."""

    of: Literal["edit", "command"] = "command"
    """Whose answers are looked at: what a tool shows of a file proves nothing."""

    says: str = "{what}"
    """The message, with the pattern's groups in braces."""

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


FAILURES: tuple[Failure, ...] = (
    Failure(
        r"\A(?>[\s\S]*?introduced new syntax error)[\s\S]*?"
        r"^ERRORS:[^\S\n]*\n\s*-\s*(?P<what>[^\n]+)",
        of="edit",
        says="edit refused: {what}",
    ),
    Failure(r"Your changes have NOT been applied", of="edit", says="edit refused"),
    Failure(r"^No replacement was performed[^\n]*", of="edit", says="edit refused: no match"),
    Failure(r"^EXECUTION TIMED OUT\b", says="execution timed out"),
    Failure(r"^(?P<what>Wrong flag!)"),
    Failure(
        r"^Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*"
        r"(?P<what>[A-Za-z_][\w.]*(?:: .*)?)$"
    ),
    Failure(
        r"\A(?>[\s\S]*?^=+ (?:FAILURES|ERRORS) =+$)[\s\S]*"
        r"^=* ?(?P<what>\d+ (?:failed|error)[^=\n]*?) ?=*$"
    ),
    Failure(r"^(?:/bin/)?(?:ba|z)?sh: (?:line \d+: )?(?P<what>.*: (?:command )?not found)$"),
)
"""Tried in this order: they find failures that nobody marked, and words for those that are.

A pattern that looks far ahead starts at the first place where it can (``\\A(?>``): from each such
place, an answer that repeats it would take the square of its length.
"""

LOOKED_AT = 50_000
"""Characters at the end of an answer that are searched: what went wrong is said last."""

TAGS = re.compile(r"</?(?:tool_use_error|error|stderr|stdout)>")
DULL = re.compile(r"(?:Error: )?Exit code:? \d+|Error:?|\W*")
"""Lines that say only that something failed."""

TELLING = re.compile(
    r"\b(?:error|fail|cannot|can't|denied|refused|exception|not found)", re.IGNORECASE
)
"""Words of the line that says what failed, where a program prints others before it."""

REFUSALS: tuple[str, ...] = (
    "The user doesn't want to",
    "[Request interrupted by user",
)
"""How answers begin that are marked as failed because the user said no."""


def failure_in(
    text: str, of: Literal["edit", "command"], failures: Sequence[Failure] = FAILURES
) -> str | None:
    """Return what failed according to a tool's answer, or None.

    >>> failure_in("EXECUTION TIMED OUT", "command")
    'execution timed out'
    """
    text = text[-LOOKED_AT:]
    for failure in failures:
        match = re.search(failure.pattern, text, re.MULTILINE) if failure.of == of else None
        if match:
            return cut(failure.says.format_map(match.groupdict()), LONGEST)
    return None


def telling_line(text: str) -> str:
    r"""Return the first line of an error's text that says what failed, as far as words show it.

    >>> telling_line("Exit code 1\nsrc/config.ts\n  3:1  error  'port' is not defined")
    "3:1 error 'port' is not defined"
    """
    lines = [line.strip() for line in TAGS.sub("", text).splitlines() if line.strip()]
    saying = [line for line in lines if not DULL.fullmatch(line)]
    telling = next(filter(TELLING.search, saying), None)
    return cut(telling or next(iter(saying or lines), "failed"), LONGEST)


def was_refused(text: str) -> bool:
    """Tell whether a failed call is only one that the user did not allow."""
    return text.lstrip().startswith(REFUSALS)
