"""What Claude Code's hooks say, within the limits that it has."""

from __future__ import annotations

import json
import re

LONGEST = 9_500
"""Characters of a text at most: of one with more than 10,000 the model gets the first 2,000."""

GUIDANCE = """\
The agent's HUD (its task, decisions, plan, notes, blockers, open files and errors) is kept outside the
conversation, and given again in full behind the summary. Do not repeat it: say what it does not hold.
Keep what the user asked for or ruled out and still holds, what was found out that the code does not tell at a
glance, what is under way, and exact names, paths and numbers."""
"""What is added to the prompt for a summary. It stands in the history once more, so it is short."""


def context(event: str, text: str, news: str = "") -> str:
    """Return what a hook prints so that the model reads a text, and the user the news.

    >>> context("UserPromptSubmit", "# HUD")
    '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"# HUD"}}'
    >>> context("UserPromptSubmit", "")
    ''
    """
    said: dict[str, object] = {}
    if text:
        said["hookSpecificOutput"] = {"hookEventName": event, "additionalContext": text}
    if news:
        said["systemMessage"] = news
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")) if said else ""


_UNFILLED = re.compile(r"\$\{[\w.]*\}")


def filled(value: object) -> str | None:
    """Return a text that a hook's template has filled in; None where there was nothing to fill in.

    >>> filled("${agent_id}"), filled(""), filled("a1")
    (None, None, 'a1')
    """
    if not isinstance(value, str) or not value or _UNFILLED.fullmatch(value):
        return None
    return value
