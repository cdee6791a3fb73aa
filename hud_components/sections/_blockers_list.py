"""The blockers section: what stops the work."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import ClassVar

from hud_components._models import HudModel, Line, PlainItem
from hud_components.declaring._form import Form, decorated
from hud_components.declaring._items_section import ItemsSection, Split
from hud_components.declaring._lists import ListShape
from hud_components.declaring._section import UNSET, ItemsProp
from hud_components.declaring._state import Width, Worth
from hud_components.folding import usual
from hud_components.sections import CodingValue
from hud_components.words._texts import line
from ujsx import Density, Disclosure, Examples, RenderContext, Rung


class BlockerDraft(HudModel):
    """Something that stops the work."""

    description: Line
    """What is in the way."""


class Blocker(PlainItem, CodingValue, BlockerDraft):
    """A blocker, open until it is resolved."""

    resolved: bool = False
    """Whether it is out of the way."""


_LINE = Form("blockers.line", ("description",), source="**⚠ Blocked:** {description}")


class BlockersList(ItemsSection[Blocker]):
    """The open blockers, all of them at every density; a single one takes one line at minimal."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL),
            Rung(Density.MINIMAL, only_if_room=True, width=Width.MOST, worth=Worth.DONE_OR_OLD),
            Rung(Density.COMPACT, worth=Worth.OBSTACLES),
            Rung(Density.COMPACT, only_if_room=True, width=Width.MOST, worth=Worth.DONE_OR_OLD),
            Rung(Density.FULL, width=Width.LONG, worth=Worth.OBSTACLES_IN_FULL),
            Rung(Density.FULL, worth=Worth.DONE_OR_OLD),
        ),
        weight=4.0,
        floor=Density.MINIMAL,
    )
    name = prop = field = "blockers"
    event = "blocker"
    draft = BlockerDraft
    from_parent = True
    done = "resolved"
    shows_done = False
    alerts = True
    stays_shown = True
    is_cut = False
    title = "⚠ Blockers"
    noun = "blocker|blockers"
    texts_without_signs = MappingProxyType(
        {"blockers.title": "Blockers", "blockers.line": "**Blocked:** {description}"}
    )
    forms = (Form("blockers.item", ("description",), source="{description}"),)
    lone_forms = (_LINE,)
    opening = ("blockers.line",)
    _most_named = 0
    verbs = (
        usual(
            "add",
            help="what stops you",
            doc="Something stops the work.",
            told="{id} in the way: {text}",
        ),
        usual(
            "resolve",
            help="a blocker",
            doc="A blocker is out of the way; it stays in the state as resolved.",
        ),
        usual("update", help="a blocker's text", doc="A blocker reads anew."),
        usual("remove", help="a mistaken blocker", doc="A blocker was none.", rare=True),
    )

    examples: ClassVar[Examples] = lambda: {
        "one open": BlockersList(
            blockers=(
                "The staging cluster has no key pair yet",
                {"description": "CI is down", "resolved": True},
            )
        ),
    }

    blockers: ItemsProp[Blocker] = UNSET
    """The blockers; those of the session when None."""

    def split(self, items: Sequence[Blocker], limit: int | None) -> Split:
        """Return all of the blockers."""
        return items, (), 0

    def shape(self, ctx: RenderContext) -> ListShape:
        """Return the shape of the list: at minimal, one line for a single blocker."""
        shape = super().shape(ctx)
        if ctx.density is not Density.MINIMAL or shape.left.total or len(shape.shown) != 1:
            return shape
        [blocker] = shape.shown
        row = (_LINE.template(ctx), line(blocker.description, ctx.width))
        row = decorated(row, blocker, ctx, show_id=self.show_ids)
        return shape._replace(name="lone", rows=(row,), at=None)
