"""The conversation: the newest ask, what the session is about, and what the user decided."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hud_components import Task
from hud_runtime.observe._asks import (
    LONGEST,
    TURNS,
    TaskMarker,
    answers_in,
    ask_in,
    command_in,
    cut,
    first_words,
    is_of_program,
    is_short,
    said_by_user,
)
from hud_runtime.observe._observations import Record, mapping, sequence, string
from hud_runtime.observe._standing_rules import StandingRules
from hud_runtime.observe._verdicts import Told

# Plans as texts: one that a prompt brings, and what a plan calls itself.

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


REMEMBERED = 50
"""How many messages of the user can be taken back."""


TAKEN_OVER = 5
"""How many of them can be taken back where another reader goes on."""


class Conversation:
    """The task of a session as the user's messages change it.

    The newest ask is the task. The goal is the first ask that later ones only add to: it changes with a
    plan, with an ask that takes the place of the one before, and with the next one after work was committed.
    """

    def __init__(self, markers: tuple[TaskMarker, ...]) -> None:
        self._markers = markers
        self._ask: str | None = None
        self._asked_for = ""
        """The ask without the answer behind it."""
        self._goal: str | None = None
        self._told_goal = False
        self.is_done = False
        """Whether the work so far is: the next ask may be about something else."""
        self.rules = StandingRules()
        """What the user ruled for the whole session."""
        self._ruled: list[list[str]] = []
        """The rules of each of the last messages of the user."""
        self._before: list[tuple[str, str | None, str | None]] = []
        """Before each message of the user: its id, the ask and the goal."""

    def resume(self, task: Task | None) -> None:
        """Go on from the task that a session has."""
        if task is not None:
            self._ask, self._goal = task.description, task.goal or task.description
            self._asked_for = task.description
            self._told_goal = task.goal is not None and task.goal != task.description

    @property
    def before(self) -> list[tuple[str, str | None, str | None]]:
        """Before each of the last messages of the user: its id, the ask and the goal."""
        return self._before[-TAKEN_OVER:]

    @before.setter
    def before(self, told: list[tuple[str, str | None, str | None]]) -> None:
        self._before = told

    def said(
        self, text: str, *, is_plan: bool = False, message_id: str = "", heard: str = ""
    ) -> Iterator[Told]:
        """Yield what a message of the user changes.

        :param heard: what the agent said last, where the user answers it.
        """
        if not is_of_program(text):
            before = (message_id, self._ask, self._goal)
            self._before = [*self._before[1 - REMEMBERED :], before]
            self._ruled = [*self._ruled[1 - REMEMBERED :], []]
        command = command_in(text)
        if command is not None:
            if command:
                yield from self.ruled(command)
                yield from self._asked(command)
            return
        if is_of_program(text):
            return
        words = said_by_user(text)
        plan = words if is_plan else plan_in(words)
        if plan is not None:
            title = plan_title(plan)
            if title:
                yield from self.approved(title)
                yield from self._asked(f"Implement the plan: {title}", is_new=True)
            return
        ask = ask_in(text, self._markers)
        is_answer = ask is None or (self._ask is not None and answers_in(text, heard))
        if ask is not None:
            yield from self._answered(ask) if is_answer else self._asked(ask)
        if is_answer and heard and words:
            yield "message.said", {"text": cut(words)}
        yield from self.ruled(words)

    def ruled(self, words: str) -> Iterator[Told]:
        """Yield what words of the user rule for the whole session, and which rules they lift."""
        for event_type, payload in self.rules.said(words):
            if event_type == "rule.add" and self._ruled:
                self._ruled[-1].append(str(payload["text"]))
            yield event_type, payload

    def undone(self, messages: int, since: str = "") -> Iterator[Told]:
        """Yield what it changes that the last messages of the user no longer count."""
        ids = [one[0] for one in self._before]
        if since:
            messages = len(ids) - ids.index(since) if since in ids else 0
        messages = min(messages, len(ids))
        if not messages:
            return
        _, ask, goal = self._before[-messages]
        del self._before[-messages:]
        yield from self.rules.lifted(rule for said in self._ruled[-messages:] for rule in said)
        del self._ruled[-messages:]
        if ask is not None:
            self._goal = goal
            yield from self._asked(ask)
        self._ask, self._goal = ask, goal

    def approved(self, title: str) -> Iterator[Told]:
        """Yield what is told when the user approves a plan."""
        yield "decision.record", {"summary": f"Plan approved: {title}"}

    def committed(self) -> None:
        """Take the work so far as done: the next ask may be about something else."""
        self.is_done = True

    def _answered(self, answer: str) -> Iterator[Told]:
        """The task stays what it is, with the answer behind it."""
        asked = cut(self._asked_for, LONGEST - len(answer) - len(_ANSWER))
        self._ask = f"{asked}{_ANSWER}{answer}"
        yield "task.set", {"description": self._ask}

    def _asked(self, ask: str, *, is_new: bool = False) -> Iterator[Told]:
        if ask == self._ask:
            return
        self._ask = self._asked_for = ask
        goal = self._goal
        replaces = is_new or TURNS.match(ask) is not None
        if goal is None or replaces or (not is_short(ask) and (self.is_done or is_short(goal))):
            self._goal, self.is_done = ask, False
        yield "task.set", {"description": ask}
        if self._goal != ask or self._told_goal:
            yield "task.goal", {"goal": self._goal}
            self._told_goal = self._goal != ask


_ANSWER = " — "
"""Between what the user asked for and the answer to what the agent asked then."""


# The user's decisions: answers to questions, plans that were approved or sent back.

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
