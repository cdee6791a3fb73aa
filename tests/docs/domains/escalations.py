"""A section that comes to the support agent's HUD later: a file of its own, and its name in the list."""

from hud_components import HudItem, ItemsSection, Line, Moment, Payload, Verb, Wording


class Escalation(HudItem):
    """Somebody else who looks into it."""

    to: Line
    """Who."""
    why: Line
    """What they can do that we cannot."""
    tier: int = 1
    """How far up it went."""


class Raise(Payload):
    """It goes further up."""

    by: int = 1
    """How many tiers."""


def raised(
    escalations: tuple[Escalation, ...], said: Raise, moment: Moment
) -> tuple[Escalation, ...]:
    """The newest one goes up; where there is none there is nothing to raise."""
    if not escalations:
        raise LookupError("nothing was escalated yet; escalations.add does that")
    if said.by < 1:
        raise ValueError(f"a tier higher, not {said.by}")
    *others, last = escalations
    return (*others, last.model_copy(update={"tier": last.tier + said.by}))


def closed(
    escalations: tuple[Escalation, ...], said: object, moment: Moment
) -> tuple[Escalation, ...]:
    """A new ticket: nothing is escalated any more."""
    return ()


class Escalations(ItemsSection[Escalation]):
    """Who else looks into it."""

    name = "escalations"
    noun = "escalation|escalations"
    lines = {
        "full": (Wording("**{to}**: {why}", {"tier": 1}), "**{to}** (tier {tier}): {why}"),
    }
    verbs = ("add", "update", Verb("raise", raised, told="raised by {by}"), "remove")
    on = {"ticket.clear": closed}
