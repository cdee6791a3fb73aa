"""What the tool of a domain of one's own says of the verbs that are asked for by name."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from hud_components import (
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
from hud_components.folding import Update
from hud_runtime.tools import definitions, hud_toolset


class Fact(HudItem):
    """Something that is known."""

    fact: Line
    """What is known."""
    sure: Kept[bool] = False


class Trial(HudItem):
    """Something that was tried."""

    what: Line
    """What was tried."""
    outcome: Literal["worked", "failed", "unclear"] = "unclear"
    """How it went."""


class Judged(Target):
    """How something went."""

    outcome: Literal["worked", "failed"]
    """How it went."""


def judge(trials: tuple[Trial, ...], said: Judged, moment: Moment) -> tuple[Trial, ...]:
    return tuple(
        one.model_copy(update={"outcome": said.outcome}) if one.id == said.id else one
        for one in trials
    )


class Facts(ItemsSection[Fact]):
    name = "facts"
    lines = {"full": "{fact}"}


class Trials(ItemsSection[Trial]):
    name = "trials"
    lines = {"full": "**{what}** {outcome}"}


class JudgedTrials(Trials):
    verbs = ("add", "update", Verb("judge", judge))


class HostsTrials(Trials):
    verbs = ("add", "update", Verb("judge", judge, is_operation=False))


class OwnUpdate(Trials):
    verbs = ("add", Update("update", help="as it stands", rare=True))


class Ticket(HudValue):
    """What is asked for."""

    subject: Line
    """What it is about."""
    severity: Literal["low", "high"] = "low"
    """How bad it is."""


class Tickets(ValueSection[Ticket]):
    name = "ticket"
    lines = {"full": "**{subject}** ({severity})"}


@pytest.mark.parametrize(
    ("section", "help_", "rare"),
    [
        (Facts, "its wording", True),
        (Trials, "any of its fields", False),
        (JudgedTrials, "its wording", True),
        (HostsTrials, "any of its fields", False),
        (OwnUpdate, "as it stands", True),
        (Tickets, "any of its fields", False),
    ],
    ids=lambda each: getattr(each, "__name__", str(each)),
)
def test_update_is_rare_only_where_it_changes_the_wording_alone(
    section: Any, help_: str, rare: bool
) -> None:
    domain = Domain("own", sections=(section,))
    update = hud_toolset(None, domain=domain).operations[f"{section.name}.update"]
    assert (update.help, update.rare) == (help_, rare)
    [hud, _] = definitions("anthropic", domain=domain)
    assert (f"{section.name}.update" in repr(hud)) is not rare
