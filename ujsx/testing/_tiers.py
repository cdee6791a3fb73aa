"""The tiers of a test: densities or budgets, and how many tokens are meant to go with each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, cast

from ujsx import Density
from ujsx._density import DensityLike
from ujsx.errors import SnapshotError, shown
from ujsx.rendering import token_budget

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

    mode: str = ""
    """The name of its mode; empty for the usual words."""

    @property
    def budget(self) -> int | None:
        """The most tokens that it may have; None for a density."""
        return self.how.get("budget")

    @classmethod
    def at(cls, density: DensityLike) -> Tier:
        """Return the tier of a density."""
        one = Density.of(density)
        return cls(one.value, {"density": one})

    @classmethod
    def within(cls, budget: int) -> Tier:
        """Return the tier of a budget.

        :raises RenderError: for what is no number of tokens.
        """
        token_budget(budget)
        return cls(f"budget-{budget}", {"budget": budget})


def tiers(
    densities: Iterable[DensityLike] | None,
    budget: int | Iterable[int] | None,
    modes: Mapping[str, Mapping[str, str]] | None = None,
) -> tuple[Tier, ...]:
    """Return the tiers that are asked for; all densities when nothing is.

    :param modes: words by the names of modes; each tier is there once more in each of them.
    :raises SnapshotError: for both densities and budgets, for none of either, and for modes that are not words by
        names.

    >>> [tier.name for tier in tiers(None, None)], [tier.name for tier in tiers(None, [100, 300])]
    (['minimal', 'compact', 'full'], ['budget-100', 'budget-300'])
    >>> [tier.name for tier in tiers("full", None, {"de": {"notes.title": "Notizen"}})]
    ['full', 'de.full']
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
    _check_modes(modes)
    return (
        *wanted,
        *(
            replace(tier, name=f"{name}.{tier.name}", mode=name)
            for name in modes or ()
            for tier in wanted
        ),
    )


def _check_modes(modes: object) -> None:
    for name, words in (
        cast("Any", modes or {}).items() if _is_mapping(modes or {}) else ((modes, None),)
    ):
        if not isinstance(name, str) or not _MODE.fullmatch(name) or not _is_mapping(words):
            raise SnapshotError(
                'modes= takes words by the names of modes, such as {"no-emoji": NO_EMOJI}; a name has letters, digits, '
                f"- and _; not {shown(modes)}"
            )


def _is_mapping(given: object) -> bool:
    return isinstance(given, Mapping)


_MODE = re.compile(r"(?!budget-\d)[\w-]+")
"""The names of modes: they stand in the names of files, before the tier."""


def _several(given: Any) -> Iterable[Any]:
    """What is given, or it alone: a text is one thing."""
    is_one = isinstance(given, str) or not isinstance(given, Iterable)
    return cast("Iterable[Any]", (given,) if is_one else given)


@dataclass(frozen=True, slots=True)
class TierTokens:
    """The tokens of a tier in its snapshots and in their renderings."""

    tier: str
    before: int | None
    """None where there is no snapshot."""

    after: int

    @property
    def meant(self) -> tuple[int, int] | None:
        """From how many tokens to how many a whole HUD is meant to have at the tier, which may be one of a mode; None
        for a text that is none of a tier.
        """
        name = self.tier.rpartition(".")[2]
        budget = name.removeprefix("budget-")
        return (0, int(budget)) if budget != name else TIER_TOKENS.get(cast("Density", name))


def tokens_table(rows: Sequence[TierTokens], *, is_one: bool = True) -> str:
    """Return the tokens of tiers as a table, with what they are meant to have.

    What a whole HUD is meant to have at a density says nothing of what is smaller than one at each of them, and is left out there.

    :param is_one: whether the rows are of one case; the sums of several are not what one is meant to have.

    >>> print(tokens_table([TierTokens("compact", 12, 140), TierTokens("budget-9", None, 9)]))
    tokens    before  after  meant
    compact       12    140  100–150
    budget-9       –      9  at most 9
    >>> print(tokens_table([TierTokens("de.compact", 18, 19)]))
    tokens      before  after
    de.compact      18     19
    """
    sizes = [(each, size) for each in rows for size in (each.before, each.after)]
    is_told = is_one and any(
        size is not None and each.meant is not None and size >= each.meant[0]
        for each, size in sizes
    )
    cells = [
        (each.tier, "–" if each.before is None else f"{each.before:,}", f"{each.after:,}")
        for each in rows
    ]
    header = ("tokens", "before", "after")
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    meant = (
        ["  meant", *(f"  {_meant(each)}" for each in rows)] if is_told else [""] * (len(rows) + 1)
    )
    return "\n".join(
        f"{name:<{widths[0]}}  {before:>{widths[1]}}  {after:>{widths[2]}}{aim}"
        for (name, before, after), aim in zip([header, *cells], meant, strict=True)
    )


def _meant(row: TierTokens) -> str:
    if row.meant is None:
        return "–"
    least, most = row.meant
    return f"{least:,}–{most:,}" if least else f"at most {most:,}"
