"""A domain that is not the coding one: a help desk, its HUD edited as text."""

# ruff: noqa: RUF012  (declarations as an author writes them)

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from hud_components import (
    Domain,
    HudItem,
    HudValue,
    ItemsSection,
    Kept,
    Line,
    Moment,
    NotesSection,
    State,
    ValueSection,
    Verb,
    View,
    Wording,
)
from hud_components.declaring import HudModel
from hud_components.folding import Mark
from ujsx import Child, Children, RenderContext
from ujsx.elements import Paragraph


class Ticket(HudValue):
    """What a customer asks for."""

    subject: Line
    """What it is about."""
    severity: Literal["low", "high"] = "low"
    """How bad it is."""
    customer: Line | None = None
    """Who asks; no line shows it."""
    escalations: Kept[int] = 0
    """How often it went up."""


class Escalation(HudModel):
    """Why a ticket goes up."""

    why: Line
    """Why."""


def escalated(ticket: Ticket | None, said: Escalation, moment: Moment) -> Ticket | None:
    if ticket is None:
        raise ValueError("there is no ticket")
    return ticket.model_copy(update={"escalations": ticket.escalations + 1})


class TicketSection(ValueSection[Ticket]):
    """The ticket."""

    name = "ticket"
    lines = {
        "full": Wording("**{subject}** ({severity}, went up {escalations} times)"),
        "compact": "**Ticket:** {subject}",
    }
    verbs = ("set", "update", "clear", Verb("escalate", escalated))


class Desk(HudValue):
    """Who answers."""

    who: Line
    """Their name."""
    shift: Line | None = None
    """When they work."""


class DeskSection(ValueSection[Desk]):
    """Who answers: set as a whole, never cleared."""

    name = "desk"
    lines = {"full": ("{who}: **{shift}**", "{who}")}
    verbs = ("set",)


class Remedy(HudItem):
    """Something that was tried for the customer."""

    what: Line
    """What was tried."""
    outcome: Literal["worked", "failed", "unclear"] = "unclear"
    """How it went."""
    minutes: int | None = None
    """How long it took; no line shows it."""
    votes: Kept[int] = 0
    """How many colleagues think well of it."""


class Vote(HudModel):
    """A colleague thinks well of it."""

    id: Line
    """The remedy."""


def voted(remedies: tuple[Remedy, ...], said: Vote, moment: Moment) -> tuple[Remedy, ...]:
    return tuple(
        one.model_copy(update={"votes": one.votes + 1}) if one.id == said.id else one
        for one in remedies
    )


class Remedies(ItemsSection[Remedy]):
    """What was tried, in the order in which it is to be tried again."""

    name = "remedies"
    title = "Tried so far"
    noun = "remedy|remedies"
    lines = {
        "full": (Wording("**{what}** — {outcome} +{votes}"),),
        "compact": "{what}",
    }
    verbs = ("add", "update", "remove", "reorder", Verb("vote", voted))


class Promise(HudItem):
    """What the customer was told."""

    what: Line
    """What was promised."""
    due: datetime
    """By when."""
    kept: Kept[bool] = False
    """Whether it was kept."""


class Promises(ItemsSection[Promise]):
    """What was promised; it cannot be taken back."""

    name = "promises"
    noun = "promise|promises"
    done = "kept"
    lines = {
        "full": (
            Wording("~~{what}~~ (due {due})", {"kept": True}),
            Wording("{what} (due {due})"),
        ),
        "compact": (
            Wording("~~{what}~~", {"kept": True}),
            Wording("**{what}**"),
        ),
    }
    verbs = ("add", "update", Mark("keep", answer="Kept {id}."))


class Call(HudItem):
    """A call that the exchange tells of."""

    number: Line
    """Who called."""


class Calls(ItemsSection[Call]):
    """The last calls."""

    name = "calls"
    host_reported = True
    read_only_reason = "calls are reported by the telephone exchange"
    lines = {"full": "{number}"}
    verbs = ("add", "remove")


class Rule(HudItem):
    """A rule of the house."""

    words: Line
    """What it says."""


class Rules(ItemsSection[Rule]):
    """The house's rules: an operation of its own sets them."""

    name = "rules"
    prefix = "u"
    lines = {"full": "{words}"}
    verbs = ("replace",)


class Greeting(View):
    """A line that is made of the rest."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        state = ctx.get(State)
        return Paragraph()["Be kind."] if state is not None else None


SUPPORT = Domain(
    "support",
    sections=(TicketSection, DeskSection, Remedies, Promises, Rules, NotesSection, Calls, Greeting),
)

NOON = datetime(2026, 10, 1, 12, tzinfo=UTC)
