"""The verdict on each check of a script, from its answer: by the status if there is one, else by the words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hud_runtime.observation._check_tools import KINDS
from hud_runtime.observation._checks import Check
from hud_runtime.observation._failure_table import FAILURES, Failure
from hud_runtime.observation._failures import (
    Finding,
    failure_in,
    finding_in,
    is_usage,
    success_in,
    telling_line,
)
from hud_runtime.observation._observations import ToolResult
from hud_runtime.observation._shell_words import Command


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a check."""

    check: Check
    message: str | None
    """What is wrong; None where it passed."""

    compiles: bool = True
    """Whether it got past the compiler."""

    chain: str = ""
    """The tool chain whose words were printed; empty where nobody's were."""


def has_failed(result: ToolResult) -> bool | None:
    """Return whether a command ended badly; None where nobody says."""
    if result.exit_code is not None:
        return result.exit_code != 0
    return {"failed": True, "done": False}.get(result.status)


def verdicts(
    commands: Sequence[Command],
    checks: Sequence[tuple[int, Check]],
    result: ToolResult,
    failures: Sequence[Failure] = FAILURES,
) -> list[Verdict]:
    """Return how the checks among a script's commands went, each with its command's place.

    The status of a script is that of its last command, or in ``a && b`` of the first that failed; behind
    a pipe it is the pipe's. So a check that the status does not tell of is judged by its words.
    """
    if not checks or _found_nothing(result.text):
        return []
    failed = has_failed(result)
    last = len(commands) - 1
    words = _words(commands, checks, result.text, failures)
    blamed = [place for place, _ in checks if words[place]]
    found: list[Verdict] = []
    for place, check in checks:
        decides = _decides(commands, place)
        finding = words[place]
        message = None if finding is None else finding.message
        if decides and failed is False:
            # A status that nobody denies is not yet one that somebody told.
            is_told = result.exit_code is not None
            message = None if is_told else failure_in(result.text, "command", failures)
            if message is None and not is_told and is_usage(result.text):
                continue
        elif decides and failed:
            # Of the checks in `a && b` only one has failed: the last whose words are there, or the last.
            culprit = max((each for each in blamed if _decides(commands, each)), default=last)
            if place > culprit:
                continue  # it was not reached
            message = (message or telling_line(result.text)) if place == culprit else None
        elif (
            message is None
            and (commands[place].written or is_usage(result.text))
            and not success_in(result.text, of=check.chain)
        ):
            continue  # what it said stands in a file, or it was called wrongly
        compiles = message is None or finding is None or not finding.failure.compiles
        said = (
            finding.failure.chain
            if finding and message
            else success_in(result.text, of=check.chain)
        )
        found.append(Verdict(check, message, compiles, said or check.chain))
    return found


def _words(
    commands: Sequence[Command],
    checks: Sequence[tuple[int, Check]],
    text: str,
    failures: Sequence[Failure],
) -> dict[int, Finding | None]:
    """What the answer has against each check, by its place; the same words are of one check only."""
    words = {place: finding_in(text, "command", failures, one.chain) for place, one in checks}
    by_message: dict[str, list[tuple[int, Check]]] = {}
    for place, check in checks:
        finding = words[place]
        if finding is not None:
            by_message.setdefault(finding.message, []).append((place, check))
    for same in by_message.values():
        likely = [one for one in same if _can_say(words[one[0]], one[1], text)] or same
        for place, _ in same:
            if place != likely[-1][0]:
                words[place] = None
    return words


def _can_say(finding: Finding | None, check: Check, text: str) -> bool:
    """Tell whether a check may have printed these words: its kind fits, and it was begun at all."""
    if finding is None:
        return False
    chain = finding.failure.chain
    begun = _BEGUN.get(chain) if check.kind == "test" else None
    return check.kind in KINDS.get(chain, (check.kind,)) and (
        begun is None or begun.search(text) is not None
    )


_BEGUN: Mapping[str, re.Pattern[str]] = {
    "go": re.compile(r"^(?:ok|FAIL|---|===|\?)[ \t]", re.MULTILINE),
    "cargo": re.compile(r"^(?:running \d+ tests?|test result:|     Running |error: could not compile .*\(.*test\))", re.MULTILINE),
}  # fmt: skip
"""What tests print once they are built, by tool chain."""


def _decides(commands: Sequence[Command], place: int) -> bool:
    """Tell whether a command's failure is the script's."""
    return all(each.joint == "&&" for each in commands[place:-1])


_NOTHING = re.compile(
    r"no tests ran|^=*\s*\d+ deselected|^nothing to commit|^no changes added to commit|^nothing added to commit"
)
"""What is said when nothing was run, or there was nothing to do: that is no result."""


def _found_nothing(text: str) -> bool:
    return _NOTHING.search(text[-300:].rstrip().rpartition("\n")[2]) is not None
