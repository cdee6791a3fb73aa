"""The place of the task in prompts that are laid out in a known way."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ujsx import DefinitionError


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
        r"<(?P<name>pr_description|issue_description|issue|task|user_query|problem_statement)>\s*"
        r"(?:[Tt]itle:\s*)?(?P<task>\S[^\n]*)",
    ),
    TaskMarker(
        "a heading",
        r"^#{1,6}\s+(?:Task|Goal|Objective|Problem [Ss]tatement|User [Rr]equest)(?:\s*:)?[^\S\n]*\n\s*(?P<task>\S[^\n]*)",
    ),
    TaskMarker("a label", r"^(?:\*\*)?(?:Task|Goal|Objective):(?:\*\*)?\s*(?P<task>\S[^\n]*)"),
)
"""Tried in this order; the first that matches gives the task. Extend it with your own."""
