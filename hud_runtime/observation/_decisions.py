"""The user's decisions: answers to questions, plans that were approved or sent back."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hud_runtime.observation._json import Record, mapping, sequence, string
from hud_runtime.observation._ledger import Told
from hud_runtime.observation._plan_texts import plan_title
from hud_runtime.observation._sentences import cut

_ANSWERED = re.compile(r'"(?P<question>[^"\n]{1,400})"\s*=\s*"(?P<answer>[^"\n]{1,400})"')
_APPROVED = re.compile(
    r"user has approved|plan (?:was |has been )?approved|approved (?:the|your|exiting) ",
    re.IGNORECASE,
)


def answers(given: Record, answer: str, data: Record) -> Iterator[Told]:
    """Yield the decisions that the answers to questions are.

    >>> list(answers({}, 'User has answered your questions: "Which store?"="SQLite".', {}))
    [('decision.record', {'summary': 'SQLite', 'details': 'Which store?'})]
    """
    pairs = list(_told_apart(data)) or [
        (match["question"], match["answer"]) for match in _ANSWERED.finditer(answer[:20_000])
    ]
    if not pairs:
        asked = _asked(given)
        words = cut(string(data.get("answer")) or answer)
        if asked and words:
            pairs = [(asked, words)]
    for question, said in pairs:
        if said.strip():
            yield "decision.record", {"summary": cut(said), "details": cut(question)}


def _told_apart(data: Record) -> Iterator[tuple[str, str]]:
    for question, answer in mapping(data.get("answers")).items():
        if isinstance(answer, str):
            yield question, answer
        else:
            chosen = [*filter(None, map(string, sequence(answer)))]
            chosen += [*filter(None, map(string, sequence(mapping(answer).get("answers"))))]
            if chosen:
                yield question, ", ".join(chosen)


def _asked(given: Record) -> str | None:
    questions = [mapping(one) for one in sequence(given.get("questions"))]
    told = [string(one.get("question")) for one in questions] or [
        string(one) for one in sequence(given.get("questions"))
    ]
    first = next(filter(None, told), None) or string(given.get("question"))
    return cut(first) if first else None


def plan_of(given: Record, answer: str, data: Record) -> str | None:
    """Return the title of a plan that was approved, or None where it was not."""
    plan = string(data.get("plan")) or string(given.get("plan")) or string(given.get("content"))
    approved = _APPROVED.search(answer[:2_000]) is not None or data.get("approved") is True
    if not approved or data.get("approved") is False:
        return None
    if plan is None:
        match = re.search(r"^#+ .+", answer, re.MULTILINE)
        plan = match[0] if match else None
    return plan_title(plan) if plan else None
