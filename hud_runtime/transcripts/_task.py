"""The task, out of the first thing that the user says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from ujsx import DefinitionError

LONGEST = 160
"""Characters of a task; longer ones are cut between sentences, or between words."""


@dataclass(frozen=True, slots=True)
class TaskMarker:
    """A pattern whose group ``task`` is the task, where a prompt is laid out in a known way."""

    name: str
    pattern: str
    """A regular expression, matched with ``MULTILINE``."""

    def __post_init__(self) -> None:
        """Refuse a pattern that could match and then tell no task."""
        if "task" not in re.compile(self.pattern).groupindex:
            raise DefinitionError(
                f'the marker "{self.name}" has no group "task": write (?P<task>…) in its pattern'
            )


TASK_MARKERS: tuple[TaskMarker, ...] = (
    TaskMarker("SWE-agent's issue", r"^ISSUE:[^\S\n]*\n\s*(?P<task>\S[^\n]*)"),
    TaskMarker(
        "SWE-agent's challenge",
        r"\A(?>[\s\S]*?solving the following CTF challenge\.)\s+"
        r"(?P<task>\S[^\n]*?)(?<=\S)\s+The description is:",
    ),
    TaskMarker(
        "an element",
        r"<(?P<name>pr_description|issue|task|user_query|problem_statement)>\s*"
        r"(?:[Tt]itle:\s*)?(?P<task>\S[^\n]*)",
    ),
    TaskMarker(
        "a heading",
        r"^#{1,6}\s+(?:Task|Goal|Objective)(?:\s*:)?[^\S\n]*\n\s*(?P<task>\S[^\n]*)",
    ),
    TaskMarker("a label", r"^(?:\*\*)?(?:Task|Goal|Objective):(?:\*\*)?\s*(?P<task>\S[^\n]*)"),
)
"""Tried in this order; the first that matches gives the task. Extend it with your own."""

NOISE = re.compile(r"<(system-reminder|environment_details)>(?:[^<]++|<(?!/?\1>))*+</\1>")
"""What hosts put around the user's words."""

GREETING = re.compile(
    r"(?:hi|hello|hey|good (?:morning|afternoon|evening))\b[^.!?\n]{0,30}[.!]\s+", re.IGNORECASE
)
"""What comes before the task among polite people."""

SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def task_in(prompt: str, markers: tuple[TaskMarker, ...] = TASK_MARKERS) -> str | None:
    r"""Return the task in a sentence or two, or None when the prompt has no words.

    >>> task_in("Hello! Can you explain decorators? I am new to Python.")
    'Can you explain decorators? I am new to Python.'
    >>> task_in("Solve this.\nISSUE:\nTimeDelta serialization precision\nHi there!")
    'TimeDelta serialization precision'
    """
    text = NOISE.sub("", prompt).strip()
    for marker in markers:
        match = re.search(marker.pattern, text, re.MULTILINE)
        if match:
            return cut(cast("str", match["task"]))
    first = GREETING.sub("", text, count=1) if GREETING.match(text) else text
    line = next((line for line in first.splitlines() if re.search(r"\w", line)), "")
    return cut(line.strip().lstrip("#>*- ")) or None


def cut(text: str, longest: int = LONGEST) -> str:
    """Return the text on one line: whole, or its first sentences, or its first words.

    >>> cut("Add a login. Use JWT.", 15)
    'Add a login.'
    >>> cut("Add a login", 8)
    'Add a…'
    """
    line = " ".join(text.split())
    if len(line) <= longest:
        return line
    kept = ""
    for sentence in SENTENCE_END.split(line):
        longer = f"{kept} {sentence}".strip()
        if len(longer) > longest:
            break
        kept = longer
    if kept:
        return kept
    start = line[: longest - 1]
    return f"{start.rpartition(' ')[0] or start}…"
