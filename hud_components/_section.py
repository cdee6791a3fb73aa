"""What the HUD's sections have in common."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, TypeVar

from pydantic import Field

from hud_components._models import HudModel, HudState, Identified
from hud_components._texts import HANDLES, counted, say
from ujsx import Child, Component, Density, Disclosure, RenderContext, Rung
from ujsx.elements import List, Omitted, Paragraph, Section

T = TypeVar("T")

_LIST = List()


class HudSection(Component):
    """A part of the HUD. Its data come with its props, or from the state bound to the context."""

    density: Density | None = None
    """How dense this section is, whatever the HUD is."""

    limit: Annotated[int, Field(ge=0)] | None = None
    """How many items it shows at most, whatever the HUD's density allows."""

    def disclosed(self) -> Disclosure:
        """Return the class's disclosure, narrowed by ``density`` and ``limit``."""
        if self.density is None and self.limit is None:
            return self.disclosure
        return _narrowed(self.disclosure, self.density, self.limit)


@lru_cache(maxsize=256)
def _narrowed(disclosure: Disclosure, density: Density | None, limit: int | None) -> Disclosure:
    rungs = [disclosure.at(each) for each in (Density if density is None else (density,))]
    ladder: dict[Density, Rung] = {}
    for rung in rungs:
        limits = [each for each in (rung.limit, limit) if each is not None]
        if rung.density is Density.FULL or density is not None:
            limits = limits[-1:]  # the author's limit counts, above the usual one too
        ladder[rung.density] = Rung(rung.density, min(limits, default=None))
    return Disclosure(tuple(ladder.values()), disclosure.weight, disclosure.floor, disclosure.layer)


def bound(ctx: RenderContext) -> HudState:
    """Return the state that a section without data of its own shows; an empty one if none."""
    return ctx.get(HudState) or _NOTHING


def newest(items: Sequence[T], limit: int | None) -> tuple[Sequence[T], Sequence[T]]:
    """Return the newest items, and the others; both oldest first.

    >>> newest([1, 2, 3], 2)
    ([2, 3], [1])
    """
    if limit is None or len(items) <= limit:
        return items, ()
    split = len(items) - limit
    return items[split:], items[:split]


def listing(
    ctx: RenderContext, kind: str, shown: Sequence[Child], hidden: Sequence[HudModel]
) -> Child:
    """Return a titled list of ``shown`` with a mark for ``hidden``, or the mark alone.

    :param kind: the section's name in the tables of texts and handles.
    :param shown: ``Item`` nodes.
    :param hidden: the items that are left out; their ids go into the account of the rendering.
    """
    mark = omitted(ctx, kind, hidden, brief=not shown)
    if not shown:
        return mark and Paragraph()[mark]
    return Section(title=say(ctx, f"{kind}.title"))[_LIST[shown], mark]


def omitted(
    ctx: RenderContext,
    kind: str,
    hidden: Sequence[HudModel],
    *,
    brief: bool = False,
    text: str | None = None,
) -> Omitted | None:
    """Return the mark for items that are not shown, or ``None`` when all are.

    :param brief: leave the call that shows them out of the text; the account has it.
    :param text: what the mark says; how many there are when ``None``.
    """
    if not hidden:
        return None
    return Omitted(
        count=len(hidden),
        handle=HANDLES[kind],
        text=text or counted(ctx, kind, len(hidden), "count" if brief else "more"),
        brief=brief,
        ids=tuple(item.id for item in hidden if isinstance(item, Identified) and item.id),
    )


_NOTHING = HudState()
