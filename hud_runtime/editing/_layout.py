"""Where a HUD has what can be edited: its lists and its task, each with what it shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from hud_components import HudSection, Task, TaskSection
from hud_components.declaring import bound
from hud_components.words import format_text
from hud_runtime.editing._kinds import EDITABLE, TASK, Editable
from hud_runtime.projection import Item
from ujsx import Child, Density, RenderContext
from ujsx.components import Fragment, normalize_children
from ujsx.rendering import outline
from ujsx.transforms import MAX_HEADING_DEPTH
from ujsx.trees import disclosed_context


@dataclass(frozen=True, slots=True)
class Known:
    """An item that a HUD shows."""

    number: int
    """Its place among all items of its section, shown or not."""

    full: Mapping[str, Any]
    """Its fields as they read where nothing is cut."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A section that can be edited, in its place."""

    name: str
    """Its name in the table of fixed texts."""

    ctx: RenderContext
    """The context in which it shows its items."""

    section: HudSection | None = None
    """The section; None where the HUD does not have it, but could."""

    @property
    def title(self) -> str:
        """Its heading."""
        return format_text(self.ctx, f"{self.name}.title")

    @property
    def heading(self) -> tuple[int, str]:
        """Its heading, with the depth of that."""
        return min(self.ctx.depth + 1, MAX_HEADING_DEPTH), self.title

    @property
    def unlisted(self) -> int:
        """How many items the section only counts."""
        return getattr(self.section, "unlisted", 0)

    @property
    def task(self) -> Task | None:
        """The task that the section has, if it is that of the task."""
        if not isinstance(self.section, TaskSection):
            return None
        return self.section.task or bound(self.ctx).task

    def items(self, kind: Editable) -> tuple[Item, ...]:
        """Return all items that the section has, shown or not, in the order of the text."""
        if self.section is None:
            return ()
        given = getattr(self.section, kind.prop)
        items = getattr(bound(self.ctx), kind.kind.section) if given is None else given
        if kind.name == "steps":
            return tuple(sorted(items, key=attrgetter("order")))
        return tuple(items)

    @property
    def size(self) -> int:
        """How many items the text has."""
        if self.name == TASK:
            return int(self.task is not None)
        return len(self.shown(EDITABLE[self.name]))

    def shown(self, kind: Editable) -> list[Known]:
        """Return the items that the text has, in its order."""
        items = self.items(kind)
        if not items or self.section is None:
            return []
        # Numbers in place of ids tell which item is which once the section is cut.
        numbered = [item.model_copy(update={"id": f"{n}"}) for n, item in enumerate(items)]
        section = self.section.model_copy(update={kind.prop: tuple(numbered), "show_ids": True})
        full = _items(section.as_shown_in(self.ctx.with_density(Density.FULL, None)), kind)
        cut = _items(section.as_shown_in(self.ctx), kind)
        if len(cut) == 1 and not cut[0].id:  # the line with the next step has no room for an id
            cut = [next(step for step in full if not getattr(step, "completed", False))]
        said = {int(item.id): item.model_dump(include={*kind.fields}) for item in full}
        return [Known(int(item.id), said[int(item.id)]) for item in cut]


def spots(hud: Child, ctx: RenderContext) -> list[Spot]:
    """Return the sections of a HUD that can be edited, and behind them those that it could have."""
    pieces = outline(normalize_children(hud, Fragment()), ctx)
    inside = ctx.deeper() if pieces and pieces[0].heading is not None else ctx
    found = [
        Spot(name, disclosed_context(piece.ladder, piece.context), piece.ladder)
        for piece in pieces
        if isinstance(piece.ladder, HudSection)
        for name in _names(piece.ladder)
    ]
    there = {spot.name for spot in found}
    return found + [Spot(name, inside) for name in (TASK, *EDITABLE) if name not in there]


def _names(section: HudSection) -> Iterator[str]:
    if isinstance(section, TaskSection):
        yield TASK
    for name, kind in EDITABLE.items():
        if isinstance(section, kind.section):
            yield name


def _items(section: HudSection | None, kind: Editable) -> list[Any]:
    return [] if section is None else list(getattr(section, kind.prop))
