"""The decisions section."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from hud_components._models import HudModel, Line, Milliseconds, PlainItem, Text
from hud_components.declaring._form import Form, said_by
from hud_components.declaring._items_section import ItemsSection
from hud_components.declaring._section import UNSET, ItemsProp
from hud_components.declaring._state import ALL_IN_SHORT, NEWEST_IF_ROOM, Width, Worth
from hud_components.folding import Add, timestamp, usual
from hud_components.sections import CodingValue
from hud_components.words._texts import line, lines
from ujsx import Child, Density, Disclosure, Examples, RenderContext, Rung, Template
from ujsx.elements import Item, code, strong


class DecisionDraft(HudModel):
    """A choice that later work relies on."""

    summary: Line
    """The decision in one line."""

    details: Text = ""
    """Why, and what was weighed."""

    label: Line | None = None
    """A word or two that stand for the decision where space is short."""


class Decision(PlainItem, CodingValue, DecisionDraft):
    """A recorded decision."""

    recorded_at: Milliseconds = 0
    """When it was recorded."""


class DecisionsList(ItemsSection[Decision]):
    """The decisions that later work relies on, oldest first."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 0),
            *NEWEST_IF_ROOM,
            Rung(Density.COMPACT, 1, worth=Worth.NEWEST),
            Rung(Density.COMPACT, 3, worth=Worth.NEWEST_FEW),
            Rung(Density.COMPACT, 5, worth=Worth.MORE_IN_SHORT),
            *ALL_IN_SHORT,
            Rung(Density.FULL, 10, width=Width.LONG, worth=Worth.NEWEST_IN_FULL),
            Rung(Density.FULL, 10, worth=Worth.DONE_OR_OLD),
            Rung(Density.FULL, worth=Worth.DONE_OR_OLD),
        ),
        weight=3.0,
        floor=Density.MINIMAL,
    )
    name = prop = field = "decisions"
    aliases = ("key_decisions", "decide", "choice")
    event = "decision"
    draft = DecisionDraft
    from_project = from_parent = True
    title = "Decisions"
    noun = "decision|decisions"
    forms = (
        Form("decisions.item", ("summary", "details"), source="**{summary}** — {details}"),
        Form("decisions.short", ("summary",), source="{summary}"),
    )
    verbs = (
        Add(
            "record",
            help="what later work relies on",
            doc="The agent decides something.",
            answer="Recorded {id}.",
            told="{id} recorded: {text}{details}",
            sets={"recorded_at": timestamp},
        ),
        usual("update", help="a decision's text", doc="A decision reads anew."),
        usual("remove", help="an outdated decision", doc="A decision no longer holds."),
    )

    @classmethod
    def listing(cls, item: Decision, ctx: RenderContext) -> Child:
        details = [" — ", line(item.details)] if item.details else []
        return Item()[code(item.id), " ", strong(line(item.summary)), details, said_by(item, ctx)]

    examples: ClassVar[Examples] = lambda: {
        "three": DecisionsList(
            decisions=(
                {
                    "summary": "Use JWT instead of sessions",
                    "details": "Services verify tokens offline",
                    "label": "JWT",
                },
                "Hash passwords with bcrypt",
                {"summary": "Limit each client to 100 requests a minute", "label": "100/min"},
            )
        ),
    }

    decisions: ItemsProp[Decision] = UNSET
    """The decisions; those of the session when None."""

    def rows(
        self, items: Sequence[Decision], ctx: RenderContext, templates: Sequence[Template]
    ) -> Sequence[Any]:
        if ctx.density is Density.FULL:
            return super().rows(items, ctx, templates)
        labels = [each.label or each.summary for each in items]
        return [(templates[1], text) for text in lines(labels, ctx.width)]
