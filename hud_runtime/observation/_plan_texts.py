"""Plans as texts: one that a prompt brings, and what a plan calls itself."""

from __future__ import annotations

import re

from hud_runtime.observation._sentences import cut, first_words

PLAN = re.compile(r"\s*(?:please )?implement (?:the following|this|the) plan\b[^\n]*\n\s*(?P<plan>[\s\S]*)", re.IGNORECASE)  # fmt: skip


def plan_in(text: str) -> str | None:
    r"""Return the plan that a prompt asks to carry out, or None.

    >>> plan_title(plan_in("Implement the following plan:\n\n# Plan: Fix the login\n\nFirst …"))
    'Fix the login'
    """
    match = PLAN.match(text)
    return match["plan"] if match and match["plan"].strip() else None


def plan_title(plan: str) -> str:
    """Return what a plan calls itself: its first heading, else its first words."""
    for line in plan.splitlines()[:50]:
        title = re.match(r"#{1,6}\s+(.*)", line)
        if title:
            words = _PLAN_LABEL.sub("", title[1], count=1).strip(" *:`")
            if words:
                return cut(words)
    return cut(first_words(plan))


_PLAN_LABEL = re.compile(
    r"(?:implementation |the )?plan[ \t]*+(?:[:–—-][ \t]*+|for[ \t]|to[ \t]|$)", re.IGNORECASE
)
