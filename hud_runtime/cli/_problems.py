"""What could not be read or recorded of a transcript, as a command tells it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hud_runtime.transcripts import Problem

NAMED = 5
"""How many problems are told one by one; ``--json`` has all of them."""


def with_problems(place: str, problems: Sequence[Problem]) -> list[str]:
    """Return the lines that say which turn is shown, and what is missing from it.

    >>> from hud_runtime.transcripts import Problem
    >>> with_problems("turn 1 of 1", [Problem(6, "not JSON")])
    ['turn 1 of 1, 1 problem: line 6: not JSON']
    """
    if not problems:
        return [place]
    if len(problems) == 1:
        return [f"{place}, 1 problem: {problems[0]}"]
    lines = [f"{place}, {len(problems)} problems:"]
    lines += [f"  {problem}" for problem in problems[:NAMED]]
    if len(problems) > NAMED:
        lines.append(f"  … {len(problems) - NAMED} more; --json has them all")
    return lines


def problems_data(problems: Sequence[Problem]) -> list[dict[str, Any]]:
    """Return the problems as the data that ``--json`` prints."""
    return [{"line": each.line, "what": each.what} for each in problems]
