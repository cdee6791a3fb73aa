"""The editable places of a HUD: its lists and its values, each with what it shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hud_components import HudSection, PlainItem
from hud_components.declaring import as_text, bound, is_set
from hud_components.words import format_text
from hud_runtime.editing._editable import Editable, editable
from ujsx import Child, Density, RenderContext, Renderer
from ujsx.rendering import Piece
from ujsx.transforms import MAX_HEADING_DEPTH
from ujsx.trees import disclosed_context


@dataclass(frozen=True, slots=True)
class Known:
    """An item that a HUD shows."""

    number: int
    """Its place among all items of its section."""

    full: Mapping[str, str]
    """What it says where nothing is cut, by field."""


@dataclass(frozen=True)
class Spot:
    """A section that can be edited, in its place."""

    kind: Editable
    ctx: RenderContext
    """The context in which it shows its items."""

    section: Any = None
    """The section; None where the HUD does not have it, but could."""

    @property
    def title(self) -> str:
        """Its heading."""
        return format_text(self.ctx, f"{self.kind.name}.title")

    @property
    def heading(self) -> tuple[int, str]:
        """Its heading, with the depth of that."""
        return min(self.ctx.depth + 1, MAX_HEADING_DEPTH), self.title

    @property
    def unlisted(self) -> int:
        """The number of items that the section only counts."""
        return getattr(self.section, "unlisted", 0)

    @property
    def size(self) -> int:
        """The number of items in the text."""
        return int(self.value is not None) if self.kind.kind is None else len(self.shown)

    # --- A value ---

    @cached_property
    def value(self) -> Any:
        """The value of a section of one value; None where there is none."""
        if self.section is None or self.kind.kind is not None:
            return None
        return self.section.given(self.ctx)

    @cached_property
    def full(self) -> Mapping[str, str]:
        """The texts of the value where nothing is cut, by field."""
        return self._of_value(self._in_full)

    @cached_property
    def brief(self) -> Mapping[str, str]:
        """The texts of the value in the HUD, by field."""
        return self._of_value(self.ctx)

    def _of_value(self, ctx: RenderContext) -> Mapping[str, str]:
        return {} if self.value is None else self._texts(_said(self.section, ctx)[0])

    # --- Items ---

    @cached_property
    def items(self) -> tuple[Any, ...]:
        """All items that the section has: those that it can show in their order, then the others."""
        return tuple(self._given[n] for n in self._order)

    @property
    def listed(self) -> int:
        """The number of items that the section can show, where there is room."""
        return len(self._listed)

    @cached_property
    def shown(self) -> list[Known]:
        """The items that the text has, in its order."""
        cut = self._numbered(self.ctx)
        if len(cut) == 1 and "id" not in cut[0]:  # a line of its own has no room for an id
            is_open = self.section.kind.is_open
            cut = [next(one for one in self._listed if is_open(self._given[int(one["id"])]))]
        place = {number: place for place, number in enumerate(self._order)}
        said = {one["id"]: self._texts(one) for one in self._listed}
        return [Known(place[int(one["id"])], said[one["id"]]) for one in cut]

    def tells(self, item: Any, field: str) -> bool:
        """Tell whether the section tells a field of an item, or of a value, in its line."""
        value = item if self.kind.kind is None else (item,)
        section = self.section.model_copy(update={self.section.prop: value})
        ctx = self.ctx.with_density(self.ctx.density, None)
        return any(field in said for said in _said(section, ctx))

    @cached_property
    def _given(self) -> Sequence[PlainItem]:
        if self.section is None:
            return ()
        given = getattr(self.section, self.section.prop)
        return getattr(bound(self.ctx), self.section.field, ()) if given is None else given

    @cached_property
    def _listed(self) -> Sequence[Mapping[str, Any]]:
        return self._numbered(self._in_full)

    @cached_property
    def _order(self) -> list[int]:
        listed = [int(one["id"]) for one in self._listed]
        return [*listed, *sorted(set(range(len(self._given))) - {*listed})]

    @property
    def _in_full(self) -> RenderContext:
        return self.ctx.with_density(Density.FULL, None)

    def _numbered(self, ctx: RenderContext) -> Sequence[Mapping[str, Any]]:
        """What the section tells of its items, with their numbers in place of their ids."""
        if not self._given:
            return ()
        # Numbers in place of ids tell which item is which once the section is cut.
        items = tuple(item.model_copy(update={"id": f"{n}"}) for n, item in enumerate(self._given))
        numbered = self.section.model_copy(update={self.section.prop: items, "show_ids": True})
        return _said(numbered, ctx)

    def _texts(self, said: Mapping[str, Any]) -> Mapping[str, str]:
        """What is told of an item, or a value, as its line has it."""
        return {
            name: as_text(said[name])
            for name in self.kind.fields
            if name in said and is_set(said[name])
        }


def _said(section: HudSection, ctx: RenderContext) -> Sequence[Mapping[str, Any]]:
    """The fields that a section tells, of each item that it shows, or of its value."""
    shown = section.as_shown_in(ctx)
    if shown is None:  # nothing, or what has a field that is required, and not told
        return section.said_in(ctx)
    told: Any = getattr(shown, shown.prop)
    models: Sequence[Any] = (told,) if section.kind is None else told
    return [{name: getattr(one, name) for name in one.model_fields_set} for one in models]


def pieces_of(hud: Child, ctx: RenderContext) -> list[Piece]:
    """Return what a HUD consists of."""
    return [piece for piece in Renderer(context=ctx).pieces(hud) if not piece.is_hidden]


def spots(
    pieces: Sequence[Piece], sections: Iterable[type[HudSection]], ctx: RenderContext
) -> list[Spot]:
    """Return the sections of a HUD that can be edited, and behind them those that it could have.

    :param sections: all sections that it could have.
    """
    inside = ctx.deeper() if pieces and pieces[0].heading is not None else ctx
    found: list[Spot] = []
    for piece in pieces:
        section = piece.ladder
        if isinstance(section, HudSection):
            kind = editable(type(section))
            if kind is not None:
                at = disclosed_context(section, piece.context)
                found.append(Spot(kind, section.with_texts(at), section))
    there = {spot.kind.name for spot in found}
    kinds = [kind for section in sections if (kind := editable(section)) is not None]
    return found + [
        Spot(kind, kind.section.with_texts(inside)) for kind in kinds if kind.name not in there
    ]
