"""How many tokens a HUD may have: by its density, and by how full the context is."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from hud_components._levels import THRESHOLDS, Level, Threshold, level_for, reached
from hud_components._models import ContextUsage
from ujsx import Density, DensityLike
from ujsx.rendering import token_budget


class Tier(NamedTuple):
    """From how many tokens to how many a HUD of a density has."""

    least: int
    """It has fewer only where nothing is left out."""

    most: int
    """It has more only where what is shown in any case has more."""


TIERS: Mapping[Density, Tier] = MappingProxyType(
    {Density.FULL: Tier(300, 500), Density.COMPACT: Tier(100, 150), Density.MINIMAL: Tier(30, 50)}
)
"""Tokens by density, of the default layout: the ranges of the HUD's design documents."""

AIM = 24, 25
"""The share of a tier's most that is aimed at: what is left is for the counter, which estimates."""

Budget: TypeAlias = int | Literal["off"] | None
"""Tokens; "off" for as many as it takes; None for as many as the density and the level allow."""

BUDGETS: Mapping[Level, int] = MappingProxyType(
    {"green": 1_000, "yellow": 500, "red": 200, "critical": 100}
)
"""Tokens by level: the upper ends of the HUD's design documents (green 700–1,000, yellow 300–500, red
100–200); critical has the lower end of red."""


def budget_for(
    percentage: float,
    *,
    remaining: int | None = None,
    thresholds: tuple[Threshold, ...] = THRESHOLDS,
    budgets: Mapping[Level, int] = BUDGETS,
) -> int:
    """Return how many tokens a HUD may have when the context is that full.

    :param percentage: the used share of the context, in percent.
    :param remaining: the tokens that are left, if known.
    :param thresholds: from where on each level holds.
    :param budgets: the tokens of each level.
    :raises ValueError: for a percentage that is negative or no number.

    >>> [budget_for(used) for used in (30, 70, 85, 93)]
    [1000, 500, 200, 100]
    """
    return budgets[level_for(percentage, remaining=remaining, thresholds=thresholds)]


class Room(NamedTuple):
    """How much of a HUD is to be shown."""

    density: Density | None
    """The most that is shown of anything; None where the budget alone decides."""

    budget: int | None
    """Tokens; None for as many as it takes."""


def room_for(
    usage: ContextUsage | None,
    density: DensityLike | None = None,
    budget: Budget = None,
    *,
    is_default: bool = True,
    thresholds: tuple[Threshold, ...] = THRESHOLDS,
) -> Room:
    """Return how much of a HUD is to be shown.

    A density that nobody names is that of the context's level; full without a reading. A budget that
    nobody names is the most of the density's tier, less a little; in a layout of one's own, which knows no tiers, what
    :data:`BUDGETS` has for the level, or for the emptiest level with the density that was named.

    :param budget: tokens, which then decide alone what is shown, or "off".
    :param is_default: whether the layout is the default one.
    :param thresholds: from where on each level holds.
    :raises DensityError: for a density that is none.
    :raises RenderError: for a budget that is neither a number of tokens nor "off".

    >>> room_for(ContextUsage(used=150_000))
    Room(density=<Density.COMPACT: 'compact'>, budget=144)
    >>> room_for(ContextUsage(used=150_000), is_default=False).budget, room_for(None, "full").budget
    (500, 480)
    """
    named = None if density is None else Density.of(density)
    if budget is not None and budget != "off":
        return Room(named, token_budget(budget, or_else='"off"'))
    row = thresholds[0] if usage is None else reached(usage, thresholds)
    picked = row.density if named is None else named
    if budget == "off":
        return Room(picked, None)
    if is_default:
        share_of, whole = AIM
        return Room(picked, TIERS[picked].most * share_of // whole)
    if named is None:
        return Room(picked, BUDGETS[row.level])
    known = [each for each in thresholds if each.density is named]
    rows = known or [each for each in THRESHOLDS if each.density is named]
    return Room(picked, max(BUDGETS[each.level] for each in rows))
