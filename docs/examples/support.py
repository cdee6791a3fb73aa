"""A support agent's HUD: the ticket, its customer, what was tried and promised, and the clock.

`python support.py` plays a short story; `ujsx serve --domain support:SUPPORT` serves the HUD.
"""

import json
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime

from hud_components import (
    ContextBar,
    Domain,
    HudItem,
    HudValue,
    ItemsSection,
    Kept,
    Line,
    NotesSection,
    ValueSection,
    View,
    Wording,
)
from hud_components.folding import Mark, timestamp
from hud_runtime import HudStore
from hud_runtime.editing import changes, for_editing, record_changes
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung, render
from ujsx.elements import Paragraph, strong


class TicketFacts(HudValue):
    """What the customer asks for."""

    subject: Line
    """What it is about, in a few words."""
    severity: Literal["low", "normal", "high"] = "normal"
    """How bad it is for the customer."""
    answer_by: AwareDatetime | None = None
    """The latest time to answer, with its UTC offset."""


class Ticket(ValueSection[TicketFacts]):
    """The ticket that the agent works on."""

    name = "ticket"
    lines = {
        "full": ("**{subject}** ({severity}), answer by {answer_by}", "**{subject}** ({severity})"),
        "compact": "**Ticket:** {subject}",
    }
    from_parent = True


class Fact(HudItem):
    """Something that is known of the customer."""

    fact: Line
    """Their plan, their device, how they like to be addressed."""


class Customer(ItemsSection[Fact]):
    """What is known of the customer."""

    name = "customer"
    noun = "customer fact|customer facts"
    prefix = "f"
    lines = {"full": "{fact}"}
    from_parent = True


class Promise(HudItem):
    """Something that the customer was promised."""

    what: Line
    """What was promised."""
    due: AwareDatetime
    """The deadline, with its UTC offset."""
    kept: Kept[bool] = False
    kept_at: Kept[int | None] = None


KEEP = Mark("keep", answer="Kept {id}.", told="{id} kept{item}", sets={"kept_at": timestamp})


class Promises(ItemsSection[Promise]):
    """What the customer was promised, until it is kept."""

    name = "promises"
    noun = "promise|promises"
    lines = {"full": (Wording("~~{what}~~ by {due}", {"kept": True}), "**{what}** by {due}")}
    verbs = ("add", "update", KEEP, "remove")
    done = "kept"
    shows_done = False
    alerts = True
    from_parent = True


class Remedy(HudItem):
    """Something that was tried for the customer."""

    what: Line
    """What was tried."""
    outcome: Literal["worked", "failed", "unclear"] = "unclear"
    """How it went."""


class Remedies(ItemsSection[Remedy]):
    """What was tried, oldest first."""

    name = "remedies"
    title = "Tried so far"
    noun = "remedy|remedies"
    lines = {"full": "**{what}** — {outcome}", "compact": "{what}: {outcome}"}


class Clock(View):
    """How long the customer still waits for an answer."""

    reads = (Ticket, "now")
    disclosure = Disclosure((Rung(Density.MINIMAL),), layer="turn", floor=Density.MINIMAL)

    def render(self, ctx: RenderContext, children: Children) -> Child:
        ticket, now = self.read(ctx)[Ticket], self.time(ctx)
        if ticket is None or ticket.answer_by is None or now is None:
            return None
        minutes = int(ticket.answer_by.timestamp() - now / 1_000) // 60
        if minutes >= 0:
            return Paragraph()[f"{minutes} min to answer."]
        return Paragraph()[strong(f"The answer is {-minutes} min late.")]


SUPPORT = Domain(
    "support", sections=(Ticket, Customer, Promises, Remedies, NotesSection, Clock, ContextBar)
)

if __name__ == "__main__":
    now = int(datetime.fromisoformat("2026-03-02T09:40:00+01:00").timestamp()) * 1_000
    with HudStore.open(":memory:", domain=SUPPORT) as store:
        session = store.session("story")
        for call in Path(__file__).with_suffix(".jsonl").read_text("utf-8").splitlines():
            print(session.call("hud", json.loads(call)))
        for density in Density:
            print(f"\n--- {density} ---\n", session.hud(density=density, now=now), sep="\n")
        hud, version = for_editing(session.state()), session.version
        edited = render(hud).replace("the cable** — unclear", "the cable** — worked")
        for event in record_changes(session, changes(hud, edited), since=version):
            print(f"edited: {event.type} {event.payload}")
