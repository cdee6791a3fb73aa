"""The tiers of a test: densities or budgets, and how many tokens are meant to go with each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, cast

from ujsx import Density, Rendered
from ujsx._density import DensityLike
from ujsx.errors import SnapshotError
from ujsx.rendering import token_budget
from ujsx.testing._renders import Renders

TIER_TOKENS: Mapping[Density, tuple[int, int]] = MappingProxyType(
    {Density.FULL: (300, 500), Density.COMPACT: (100, 150), Density.MINIMAL: (30, 50)}
)
"""From how many tokens to how many a HUD is meant to have at each density, in a session as usual.

The figures are those of the HUD's design documents. They are aims for a whole HUD, and no limits: what
has a floor is not counted, and a component of one's own takes a part of them."""


@dataclass(frozen=True, slots=True)
class Tier:
    """One way to render what is tested."""

    name: str
    """What stands in the names of its files: ``compact``, ``budget-300``."""

    how: Mapping[str, Any]
    """The argument that asks for it."""

    tokens: tuple[int, int]
    """From how many tokens to how many it is meant to have."""

    @property
    def budget(self) -> int | None:
        """How many tokens it may have; None for a density."""
        return self.how.get("budget")

    def render(self, what: Renders) -> Rendered:
        """Return the rendering of this tier."""
        return what(**self.how)

    @classmethod
    def at(cls, density: DensityLike) -> Tier:
        """Return the tier of a density."""
        one = Density.of(density)
        return cls(one.value, {"density": one}, TIER_TOKENS[one])

    @classmethod
    def within(cls, budget: int) -> Tier:
        """Return the tier of a budget.

        :raises RenderError: for what is no number of tokens.
        """
        token_budget(budget)
        return cls(f"budget-{budget}", {"budget": budget}, (0, budget))


def tiers(
    densities: Iterable[DensityLike] | None, budget: int | Iterable[int] | None
) -> tuple[Tier, ...]:
    """Return the tiers that are asked for; all densities when nothing is.

    :raises SnapshotError: for both densities and budgets, and for none of either.

    >>> [tier.name for tier in tiers(None, None)], [tier.name for tier in tiers(None, [100, 300])]
    (['minimal', 'compact', 'full'], ['budget-100', 'budget-300'])
    """
    if budget is not None and densities is not None:
        raise SnapshotError(
            "give densities= or budget=; a budget under a ceiling is one of "
            "partial(render_document, node, density=…)"
        )
    if budget is None:
        wanted = tuple(map(Tier.at, Density if densities is None else _several(densities)))
    else:
        wanted = tuple(map(Tier.within, _several(budget)))
    if not wanted:
        raise SnapshotError("there is nothing to compare: no density and no budget is given")
    return wanted


def _several(given: Any) -> Iterable[Any]:
    """What is given, or it alone: a text is one thing."""
    is_one = isinstance(given, str) or not isinstance(given, Iterable)
    return cast("Iterable[Any]", (given,) if is_one else given)


@dataclass(frozen=True, slots=True)
class TierTokens:
    """How many tokens a tier had in its snapshot, and has in its rendering.

    >>> print(TierTokens(Tier.at("compact"), 142, 171))
    compact 142 → 171 tokens
    """

    tier: Tier
    before: int | None
    """``None`` where there is no snapshot."""

    after: int

    def __str__(self) -> str:
        was = "" if self.before in (None, self.after) else f"{self.before:,} → "
        return f"{self.tier.name} {was}{self.after:,} tokens"


def tokens_table(rows: Sequence[TierTokens]) -> str:
    """Return the tokens of tiers as a table, with what they are meant to have.

    What a whole HUD is meant to have at a density says nothing of what is smaller than one at each of them, and is left out there.

    >>> print(tokens_table([TierTokens(Tier.at("compact"), 12, 140), TierTokens(Tier.within(9), None, 9)]))
    tokens    before  after  meant
    compact       12    140  100–150
    budget-9       –      9  at most 9
    >>> print(tokens_table([TierTokens(Tier.at("compact"), 18, 19)]))
    tokens   before  after
    compact      18     19
    """
    sizes = [(each, size) for each in rows for size in (each.before, each.after)]
    is_told = any(size is not None and size >= each.tier.tokens[0] for each, size in sizes)
    cells = [
        (each.tier.name, "–" if each.before is None else f"{each.before:,}", f"{each.after:,}")
        for each in rows
    ]
    header = ("tokens", "before", "after")
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    meant = (
        ["  meant", *(f"  {_meant(each.tier)}" for each in rows)]
        if is_told
        else [""] * (len(rows) + 1)
    )
    return "\n".join(
        f"{name:<{widths[0]}}  {before:>{widths[1]}}  {after:>{widths[2]}}{aim}"
        for (name, before, after), aim in zip([header, *cells], meant, strict=True)
    )


def _meant(tier: Tier) -> str:
    least, most = tier.tokens
    return f"{least:,}–{most:,}" if least else f"at most {most:,}"
