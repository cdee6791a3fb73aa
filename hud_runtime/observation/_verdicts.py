"""How each check of a script went, from its answer: the status where it tells, else the words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hud_runtime.observation._checks import Check, checks_in
from hud_runtime.observation._failure_table import FAILURES, Failure
from hud_runtime.observation._failures import failure_in, telling_line
from hud_runtime.observation._observations import ToolResult
from hud_runtime.observation._shell_words import Command


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a check went."""

    check: Check
    message: str | None
    """What is wrong; None where it passed."""


def has_failed(result: ToolResult) -> bool | None:
    """Return whether a command ended badly; None where nobody says."""
    if result.exit_code is not None:
        return result.exit_code != 0
    return {"failed": True, "done": False}.get(result.status)


def verdicts(
    commands: Sequence[Command], result: ToolResult, failures: Sequence[Failure] = FAILURES
) -> list[Verdict]:
    """Return how the checks among a script's commands went.

    The status of a script is that of its last command, or in ``a && b`` of the first that failed; behind
    a pipe it is the pipe's. So a check that the status does not tell of is judged by its words.
    """
    checks = checks_in(commands)
    if not checks or _found_nothing(result.text):
        return []
    failed = has_failed(result)
    last = len(commands) - 1
    words = {
        place: failure_in(result.text, "command", failures, one.chain) for place, one in checks
    }
    blamed = [place for place, _ in checks if words[place]]
    found: list[Verdict] = []
    for place, check in checks:
        decides = _decides(commands, place)
        message = words[place]
        if decides and failed is False:
            # A status that nobody denies is not yet one that somebody told.
            is_told = result.exit_code is not None
            message = None if is_told else failure_in(result.text, "command", failures)
        elif decides and failed:
            # Of the checks in `a && b` only one has failed: the last whose words are there, or the last.
            culprit = max((each for each in blamed if _decides(commands, each)), default=last)
            if place > culprit:
                continue  # it was not reached
            message = (message or telling_line(result.text)) if place == culprit else None
        found.append(Verdict(check, message))
    return found


def _decides(commands: Sequence[Command], place: int) -> bool:
    """Tell whether a command's failure is the script's."""
    return all(each.joint == "&&" for each in commands[place:-1])


_NOTHING = re.compile(r"no tests ran|^=*\s*\d+ deselected")
"""What pytest says when it has run nothing: that is no result."""


def _found_nothing(text: str) -> bool:
    return _NOTHING.search(text[-300:].rstrip().rpartition("\n")[2]) is not None
