"""The amount shown of a HUD or a layout, and the account of it: as data, and as remarks."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from hud_runtime.cli._arguments import budget, tokens

if TYPE_CHECKING:
    from hud_components import HudState
    from hud_runtime.observation import Problem
    from ujsx import Density, DensityLike, Rendered

NAMED = 5
"""How many problems are told one by one; ``--json`` has all of them."""


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
        "--budget", metavar="N", type=tokens, help=f"how many tokens {what} may have"
    )


def define_how_much_of_a_hud(parser: ArgumentParser) -> None:
    """Give a command what says how much of a session's HUD it shows: it has a ceiling by itself."""
    parser.add_argument(
        "--density",
        metavar="D",
        help="full, compact or minimal (default: what the context's pressure picks)",
    )
    define_budget(parser)


def define_budget(parser: ArgumentParser) -> None:
    """Add the option for how many tokens a HUD may have."""
    parser.add_argument(
        "--budget",
        metavar="N",
        type=budget,
        help="how many tokens the HUD may have, or off (default: what its density and the level allow)",
    )


def account(rendered: Rendered, density: Density | None, budget: int | None) -> dict[str, Any]:
    r"""Return a rendering as JSON data.

    :param density: the density that was asked for or picked; ``None`` where a budget decides.

    >>> from ujsx import Density, render_document
    >>> account(render_document("Port 8080"), Density.FULL, None)["text"]
    'Port 8080\n'
    """
    return {
        "density": density,
        "budget": budget,
        "over_budget": rendered.over_budget,
        "tokens": rendered.tokens,
        "text": rendered.text,
        "sections": [
            {
                "name": each.name,
                "rung": None if each.rung is None else str(each.rung),
                "tokens": each.tokens,
                "start": each.start,
                "end": each.end,
                "fingerprint": each.fingerprint,
            }
            for each in rendered.sections
        ],
        "omitted": [
            {
                "section": each.section,
                "count": each.count,
                "ids": each.ids,
                "tokens": each.tokens,
                "handle": each.handle,
                "what": each.what,
            }
            for each in rendered.omitted
        ],
    }


def excess(rendered: Rendered) -> list[str]:
    """Return the remark on a rendering that is over its budget, if it is."""
    if not rendered.over_budget:
        return []
    return [f"over the budget: the least that can be shown has {rendered.budgeted} tokens"]


def with_problems(place: str, problems: Sequence[Problem]) -> list[str]:
    """Return the lines that say which turn is shown, and what is missing from it.

    >>> from hud_runtime.observation import Problem
    >>> with_problems("turn 1 of 1", [Problem(6, "not JSON")])
    ['turn 1 of 1, 1 problem: line 6: not JSON']
    """
    if not problems:
        return [place]
    if len(problems) == 1:
        return [f"{place}, 1 problem: {problems[0]}"]
    lines = [f"{place}, {len(problems)} problems:"]
    lines += [f"  {problem}" for problem in problems[:NAMED]]
    if len(problems) > NAMED:
        lines.append(f"  … {len(problems) - NAMED} more; --json has them all")
    return lines


def problems_data(problems: Sequence[Problem]) -> list[dict[str, Any]]:
    """Return the problems as the data that ``--json`` prints."""
    return [{"line": each.line, "what": each.what} for each in problems]
