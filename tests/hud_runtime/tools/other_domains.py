"""Domains of other agents, as their authors would declare them first: of support, of research, of a kitchen, of a library."""

from __future__ import annotations

from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field

from hud_components import (
    CODING,
    Domain,
    HudItem,
    HudValue,
    ItemsSection,
    Kept,
    Line,
    Moment,
    Target,
    ValueSection,
    Verb,
)
from hud_components.folding import Mark


class Ticket(HudValue):
    """What the customer asks for."""

    subject: Line
    """In a line."""
    severity: Literal["low", "high"] = "low"


class TicketSection(ValueSection[Ticket]):
    """TicketSection."""

    name = "ticket"
    lines = MappingProxyType({"full": "**{subject}** ({severity})"})


class Attempt(HudItem):
    """What was tried."""

    what: Line
    outcome: Literal["open", "worked", "failed"] = "open"


class Attempts(ItemsSection[Attempt]):
    """Attempts."""

    name = "attempts"
    lines = MappingProxyType({"full": "{what}: {outcome}"})


class Promise(HudItem):
    """What the customer was promised."""

    text: Line
    kept: Kept[bool] = False


class Promises(ItemsSection[Promise]):
    """Promises."""

    name = "promises"
    done = "kept"
    lines = MappingProxyType({"full": "{text}"})
    verbs = ("add", "update", Mark("keep", help="one"), "remove")


class Fact(HudItem):
    """Something known of the customer."""

    fact: Line


class Facts(ItemsSection[Fact]):
    """Facts."""

    name = "facts"
    lines = MappingProxyType({"full": "{fact}"})


SUPPORT = Domain("support", sections=(TicketSection, Attempts, Promises, Facts))


class Goal(HudValue):
    """What is to be found out."""

    question: Line


class GoalSection(ValueSection[Goal]):
    """GoalSection."""

    name = "goal"
    lines = MappingProxyType({"full": "{question}"})


class Hypothesis(HudItem):
    """What may be so."""

    claim: Line
    confidence: Annotated[float, Field(ge=0, le=1)] = 0.5
    settled: Kept[bool] = False


class Hypotheses(ItemsSection[Hypothesis]):
    """Hypotheses."""

    name = "hypotheses"
    done = "settled"
    lines = MappingProxyType({"full": "{claim} ({confidence:.0%})"})
    verbs = ("add", "update", Mark("settle", help="one"), "remove")


class Source(HudItem):
    """Where something is written."""

    title: Line
    url: Line | None = None


class Sources(ItemsSection[Source]):
    """Sources."""

    name = "sources"
    lines = MappingProxyType({"full": "{title}"})
    verbs = ("add", "update", "remove", "reorder")


RESEARCH = Domain("research", sections=(GoalSection, Hypotheses, Sources))


class Menu(HudValue):
    """What is cooked today."""

    name: Line
    guests: int = 2


class MenuSection(ValueSection[Menu]):
    """MenuSection."""

    name = "menu"
    lines = MappingProxyType({"full": "{name} for {guests}"})


class Dish(HudItem):
    """A dish."""

    what: Line
    portions: int = 2
    served: Kept[bool] = False


class Spice(Target):
    """What a dish is seasoned with."""

    spice: Line


def season(dishes: tuple[Dish, ...], said: Spice, moment: Moment) -> tuple[Dish, ...]:
    return tuple(
        d.model_copy(update={"what": f"{d.what} with {said.spice}"}) if d.id == said.id else d
        for d in dishes
    )


class Dishes(ItemsSection[Dish]):
    """Dishes."""

    name = "dishes"
    done = "served"
    lines = MappingProxyType({"full": "{what}"})
    verbs = (
        "add",
        "update",
        Mark("serve", help="one"),
        "remove",
        "reorder",
        Verb("season", season),
    )


class Grocery(HudItem):
    """Something to buy."""

    item: Line
    amount: Line | None = None
    bought: Kept[bool] = False


class Groceries(ItemsSection[Grocery]):
    """Groceries."""

    name = "groceries"
    aliases = ("shopping_list",)
    done = "bought"
    lines = MappingProxyType({"full": "{item}"})
    verbs = ("add", Mark("buy", help="one"), "remove")


COOKING = Domain("cooking", sections=(MenuSection, Dishes, Groceries))


class Loan(HudItem):
    """A book that a reader has."""

    book: Line
    reader: Line
    due: str = ""
    returned: Kept[bool] = False


class Loans(ItemsSection[Loan]):
    """Loans."""

    lines = MappingProxyType(
        {"full": ("**{book}** to *{reader}*, due {due}", "**{book}** to {reader}")}
    )
    done = "returned"
    verbs = ("add", "update", "remove", "complete", "reopen")


class Hold(HudItem):
    """A reservation."""

    book: Line
    status: Literal["waiting", "ready", "expired"] = "waiting"


class Holds(ItemsSection[Hold]):
    """Holds."""

    lines = MappingProxyType({"full": "{book} ({status})"})


class Fine(HudItem):
    """What a reader owes."""

    reason: Line
    cents: int
    waived: Kept[bool] = False


class Fines(ItemsSection[Fine]):
    """Fines."""

    lines = MappingProxyType({"full": "{reason}: {cents}"})
    done = "waived"
    verbs = ("add", "complete", "remove")


LIBRARY = Domain("library", sections=(Loans, Holds, Fines))


SEEDS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "coding": [
        ("task.set", {"description": "Add a login"}),
        ("decision.record", {"summary": "Use JWT"}),
        ("step.add", {"description": "Add tests"}),
        ("note.add", {"content": "Port 8080"}),
        ("blocker.add", {"description": "No key"}),
        ("file.edit", {"path": "src/a.py"}),
        ("error.encountered", {"message": "Timeout in CI"}),
    ],
    "support": [
        ("ticket.set", {"subject": "Refund"}),
        ("attempts.add", {"what": "Restart"}),
        ("promises.add", {"text": "Call back"}),
        ("facts.add", {"fact": "Pays yearly"}),
    ],
    "research": [
        ("goal.set", {"question": "Why is it slow?"}),
        ("hypotheses.add", {"claim": "The cache is cold"}),
        ("sources.add", {"title": "The paper"}),
    ],
    "cooking": [
        ("menu.set", {"name": "Supper"}),
        ("dishes.add", {"what": "Soup"}),
        ("groceries.add", {"item": "Milk"}),
    ],
    "library": [
        ("loans.add", {"book": "Emma", "reader": "Bo"}),
        ("holds.add", {"book": "Ubik"}),
        ("fines.add", {"reason": "late return", "cents": 100}),
    ],
}
"""What is known in a session of each."""

DOMAINS: dict[str, Domain[Any]] = {
    "coding": CODING,
    "support": SUPPORT,
    "research": RESEARCH,
    "cooking": COOKING,
    "library": LIBRARY,
}
