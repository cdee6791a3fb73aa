"""What was checked, and how it went the last time: tests, builds, types, lint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self, TypeAlias

from hud_components._models import ContextUsage, HudModel, Line, Text
from hud_components.declaring._items_section import ItemsSection, Split
from hud_components.declaring._props import UNSET, ItemsProp
from hud_components.declaring._state import State
from hud_components.declaring._worth import (
    DONE_OR_OLD,
    IN_WORK,
    IN_WORK_IN_FULL,
    LAST_CHECKS,
    MOST,
    SHORT,
)
from hud_components.folding import Kind, Moment, Payload, Verb, carrying, said_again, said_now
from hud_components.sections._sources import ReportedValue
from hud_components.words._cut import line
from ujsx import Density, Disclosure, Examples, RenderContext, Rung

Outcome: TypeAlias = Literal["pass", "fail"]
"""How a check went."""


class CheckDraft(HudModel):
    """A check that was run, and how it went."""

    command: Line
    """The command as it was spelled, without pipes, redirections and ``cd``."""

    result: Outcome
    """How it went."""


class CheckResult(Payload, CheckDraft):
    """A check has run: its latest result counts."""

    name: Line
    """What is checked, however the command was spelled: "pytest tests/test_login.py"."""


class Check(ReportedValue, CheckDraft):
    """The latest result of a check."""

    name: Text = ""
    """What is checked, however the command was spelled; empty for what is not recorded."""

    in_turn: int = 0
    """The agent's turn in which it ran."""


Checks: TypeAlias = tuple[Check, ...]

_CHECKS = Kind("command", key="name")


def ran(checks: Checks, said: CheckResult, moment: Moment) -> Checks:
    """A check has run; the one that ran last stands last."""
    index = _CHECKS.index(checks)
    numbers = index.with_key(said.name)
    if not numbers:
        index.append(Check(**dict(said), in_turn=moment.turn, **said_now(Check, moment)))
        return carrying(index, checks)
    known = index[numbers[0]]
    words = {"command": said.command, "result": said.result, "in_turn": moment.turn}
    latest = said_again(known, moment, **words)
    if latest is not known:
        index.replace(numbers[0], latest)
    if checks[-1] is not known:
        index.move_to_end(numbers[0], latest)
    return carrying(index, checks)


class ChecksList(ItemsSection[Check]):
    """The latest result of each check; those that failed and those that ran last come before others."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 0, worth=LAST_CHECKS),
            Rung(Density.MINIMAL, 1, is_spare=True, width=SHORT, worth=DONE_OR_OLD),
            Rung(Density.MINIMAL, 1, is_spare=True, width=MOST, worth=DONE_OR_OLD),
            Rung(Density.COMPACT, 3, worth=LAST_CHECKS),
            Rung(Density.COMPACT, 5, worth=IN_WORK),
            Rung(Density.COMPACT, is_spare=True, worth=DONE_OR_OLD),
            Rung(Density.COMPACT, is_spare=True, width=MOST, worth=DONE_OR_OLD),
            Rung(Density.FULL, 8, worth=IN_WORK_IN_FULL),
            Rung(Density.FULL, worth=DONE_OR_OLD),
        )
    )
    name = "checks"
    event = "check"
    noun = "check|checks"
    draft = CheckDraft
    key = "name"
    text = "command"
    is_reported = True
    has_operations = False
    why_fixed = "checks are what was seen of the commands that ran"
    lines = {"full": "`{command}`: {result} in turn {in_turn}", "compact": "`{command}`: {result}"}  # noqa: RUF012 - a declaration
    verbs = (
        Verb("result", ran, doc="A check has run.", told="{name}: {result}", payload=CheckResult),
    )

    examples: ClassVar[Examples] = lambda: {
        "one failed": ChecksList(
            checks=(
                {"command": "pytest tests/test_tokens.py", "result": "fail", "in_turn": 4},
                {"command": "ruff check .", "result": "pass", "in_turn": 3},
            )
        ),
    }

    checks: ItemsProp[Check] = UNSET
    """The checks; those of the session when None."""

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        return super().of_state(state, usage, now) if getattr(state, "checks", ()) else None

    def split(self, items: Sequence[Check], limit: int | None) -> Split:
        """Return the checks that failed and those that ran last, in their order, and the others."""
        if limit is None or len(items) <= limit:
            return items, (), 0
        places = range(len(items))
        by_weight = sorted(places, key=lambda place: (items[place].result == "fail", place))
        hidden = set(by_weight[: len(items) - limit])
        kept = [item for place, item in enumerate(items) if place not in hidden]
        return kept, [items[place] for place in sorted(hidden)], 0

    def _text_of(self, item: Check, ctx: RenderContext) -> str:
        return f"{line(item.command, ctx.width)}{_HOW}{item.result}"

    @classmethod
    def _of_text(cls, text: str) -> Mapping[str, Any]:
        command, _, result = text.rpartition(_HOW)
        return {"command": command, "result": result}


_HOW = ": "
"""Between a check and how it went, where both are said in a few words."""
