from typing import Literal

from hud_components import Domain, HudItem, ItemsSection, Line


class Remedy(HudItem):
    """Something that was tried."""

    what: Line
    """What it was."""
    outcome: Literal["worked", "failed", "unclear"] = "unclear"
    """How it went."""


class Remedies(ItemsSection[Remedy]):
    """What was tried for the customer, oldest first."""

    name = "remedies"
    title = "Tried so far"
    lines = {"full": "**{what}** — {outcome}", "compact": "{what}: {outcome}"}


DESK = Domain("desk", sections=(Remedies,))
