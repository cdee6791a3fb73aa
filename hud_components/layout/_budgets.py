"""The tokens of a HUD: by its density, which follows from how full the context is."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from hud_components._levels import THRESHOLDS, USAGE, Fullness, Threshold, density_for, reached
from hud_components._models import ContextUsage, usage_of
from ujsx import Density, DensityLike
from ujsx.calls import resolving
from ujsx.rendering import token_budget


class Tier(NamedTuple):
    """From how many tokens to how many a HUD of a density has."""

    least: int
    """It has fewer only where nothing is left out."""

    most: int
    """It has more only where what is shown in any case has more."""


class _ByDensity(dict[Density, Tier]):
    def __missing__(self, name: Any) -> Tier:
        return self[Density.of(name)]  # which says what to write


BUDGETS: Mapping[Density, Tier] = MappingProxyType(
    _ByDensity(
        {
            Density.FULL: Tier(300, 500),
            Density.COMPACT: Tier(100, 150),
            Density.MINIMAL: Tier(30, 50),
        }
    )
)
"""Tokens of a HUD by its density: the ranges of the HUD's design documents."""

AIM = 24, 25
"""The share of a tier's most that a HUD aims at: the rest is for the counter, which estimates."""

if TYPE_CHECKING:
    Budget: TypeAlias = int | Literal["off"] | None
    """Tokens; "off" for as many as it takes; None for as many as the density allows."""
else:

    class Budget:
        """Tokens; "off" for as many as it takes; None for as many as the density allows."""

        def __new__(cls, tokens):  # noqa: ANN001, ANN204
            return token_budget(tokens)


@resolving(percentage=USAGE)
def budget_for(
    percentage: Fullness,
    *,
    remaining: int | None = None,
    thresholds: tuple[Threshold, ...] = THRESHOLDS,
) -> int:
    """Return how many tokens a HUD may have when the context is that full: the most of its density's tier.

    :param percentage: the used share of the context, in percent; the name of a level, or a reading.
    :param remaining: the tokens that are left, if known.
    :param thresholds: from where on each level and density holds.
    :raises ValueError: for a percentage that is negative or no number.

    >>> [budget_for(used) for used in (30, 70, 85, 93)]
    [500, 150, 50, 50]
    >>> budget_for("yellow")
    150
    """
    return BUDGETS[density_for(percentage, remaining=remaining, thresholds=thresholds)].most


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
    thresholds: tuple[Threshold, ...] = THRESHOLDS,
) -> Room:
    """Return how much of a HUD is to be shown.

    A density that nobody names is that of the context's level; full without a reading. A budget that
    nobody names is the most that :data:`BUDGETS` has for the density, less a little.

    :param budget: tokens, which then decide alone what is shown, or "off".
    :param thresholds: from where on each level holds.
    :raises DensityError: for a density that is none.
    :raises RenderError: for a budget that is neither a number of tokens nor "off".

    >>> room_for(ContextUsage(used=150_000))
    Room(density=<Density.COMPACT: 'compact'>, budget=144)
    >>> room_for(None, "full").budget
    480
    """
    named = None if density is None else Density.of(density)
    if budget is not None and budget != "off":
        return Room(named, token_budget(budget, or_else='"off"'))
    usage = usage_of(usage)
    row = next(iter(thresholds)) if usage is None else reached(usage, thresholds)
    picked = row.density if named is None else named
    if budget == "off":
        return Room(picked, None)
    share_of, whole = AIM
    return Room(picked, BUDGETS[picked].most * share_of // whole)
