"""How much of a HUD is shown: at the density that was named or asked for, or within a budget."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import TYPE_CHECKING, cast

from hud_runtime.cli._turns import number

if TYPE_CHECKING:
    from hud_components import HudState
    from ujsx import Density, DensityLike


def density_named(name: str | None) -> Density | None:
    """Return the density of that name, or ``None`` when none was named.

    :raises DensityError: if there is none; the message names the nearest.

    >>> density_named("compact")
    <Density.COMPACT: 'compact'>
    """
    from ujsx import Density

    return None if name is None else Density.of(cast("DensityLike", name))


def density_asked_for(state: HudState) -> Density:
    """Return the density that the last reading of the context asks for; full without one.

    >>> from hud_components import ContextUsage, HudState
    >>> density_asked_for(HudState(usage=ContextUsage(used=150_000)))
    <Density.COMPACT: 'compact'>
    """
    from hud_components import density_for
    from ujsx import Density

    return Density.FULL if state.usage is None else density_for(state.usage.percentage)


def define_how_much(parser: ArgumentParser, what: str) -> None:
    """Give a command the two ways to say how much it shows: a density, or a budget.

    :param what: what has the tokens of the budget.
    """
    how_much = parser.add_mutually_exclusive_group()
    how_much.add_argument(
        "--density",
        metavar="D",
        help="full, compact or minimal (default: what the context's pressure picks)",
    )
    how_much.add_argument(
        "--budget", metavar="N", type=number, help=f"how many tokens {what} may have"
    )
