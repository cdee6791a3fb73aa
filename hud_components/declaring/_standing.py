"""Sections that the user or the agent pinned open or folded, and the ladders that this gives them.

It is a fact of the session, so it holds over turns and compactions, in every process, until it is taken
back. A pin raises what a section's rungs are worth, and no density is a ceiling to it; a budget still is.
What is folded shows its least, whatever there is room for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from hud_components._models import HudModel
from hud_components.declaring._worth import FOLDED, PINNED, PINNED_IN_SHORT, SHORT
from hud_components.folding import with_values
from ujsx import Density, Disclosure, Rung

if TYPE_CHECKING:
    from hud_components.declaring._section import HudSection
    from hud_components.declaring._state import State

StateT = TypeVar("StateT", bound=HudModel)

Standing: TypeAlias = Literal["pinned", "folded", "usual"]
"""Pinned: shown in full, as far as the budget goes. Folded: shown at its least. Usual: neither, whatever
the bound state says."""


def standing_of(section: type[HudSection], state: State) -> Standing | None:
    """Return how a section stands in a state; ``None`` where nobody pinned or folded it.

    >>> from hud_components import HudState, NotesSection
    >>> standing_of(NotesSection, HudState(folded_sections=("notes",)))
    'folded'
    """
    if not section.field:
        return None
    if section.field in state.pinned_sections:
        return "pinned"
    return "folded" if section.field in state.folded_sections and can_fold(section) else None


def can_fold(section: type[HudSection]) -> bool:
    """Tell whether a section can be folded: what has to be seen cannot."""
    return not section.stays_shown


def as_usual(state: StateT) -> StateT:
    """Return a state in which no section is pinned or folded: what it holds, whoever looks.

    >>> from hud_components import HudState
    >>> as_usual(HudState(folded_sections=("notes",))).folded_sections
    ()
    """
    return with_values(state, pinned_sections=(), folded_sections=())


@lru_cache(maxsize=256)
def disclosed_as(section: Any, standing: Standing, narrowed: Disclosure | None) -> Disclosure:
    """Return the disclosure of a section that is pinned or folded.

    :param section: its class.
    :param narrowed: its disclosure where its props narrow it.
    """
    disclosure: Disclosure = section.disclosure if narrowed is None else narrowed
    if standing == "folded":
        return _folded(disclosure, has_count=section.kind is not None and section.is_cut)
    return replace(disclosure, ladder=tuple(_pinned(disclosure.ladder)), is_pinned=True)


FEW = 3
"""Items that a pinned list says in short before all else."""


def _pinned(ladder: Sequence[Rung]) -> Iterator[Rung]:
    """The rungs, worth more; a spare one is for any budget where all above show at least as much.

    A list that is counted at its least has rungs above that which say its newest few items in short.
    """
    least, *others = ladder
    if least.limit == 0 and all(rung.is_spare or rung.density > least.density for rung in others):
        most = ladder[-1].limit
        short = [Rung(least.density, 1, width=SHORT), Rung(Density.COMPACT, FEW, width=SHORT)]
        short = [each for each in short if most is None or _reach(each) <= most]
        yield replace(least, worth=min(least.worth, PINNED))
        yield from (replace(each, worth=PINNED_IN_SHORT) for each in short)
        dense = [each for each in others if each.density > least.density]
        ladder = [each for each in dense if not short or _reach(each) >= _reach(short[-1])]
    for place, rung in enumerate(ladder):
        above = [each for each in ladder[place + 1 :] if not each.is_spare]
        is_spare = rung.is_spare and any(_reach(each) < _reach(rung) for each in above[:1])
        yield replace(rung, worth=min(rung.worth, PINNED), is_spare=is_spare)


def _reach(rung: Rung) -> float:
    return float("inf") if rung.limit is None else rung.limit


def _folded(disclosure: Disclosure, *, has_count: bool) -> Disclosure:
    """A ladder that leads no higher than its least: of a list a count, with the call that shows all."""
    rungs = (
        (Rung(Density.MINIMAL, 0), Rung(Density.COMPACT, 0)) if has_count else disclosure.ladder[:1]
    )
    return replace(
        disclosure,
        ladder=tuple(replace(rung, worth=FOLDED) for rung in rungs),
        floor=disclosure.floor and rungs[0].density,
        whole=disclosure.top,
    )
