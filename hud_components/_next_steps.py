"""What comes next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from hud_components._cut import line
from hud_components._models import Step
from hud_components._section import HudSection, bound, omitted
from hud_components._texts import counted, say
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung
from ujsx.elements import Item, List, Omitted, Paragraph, Section, Strikethrough, strong

_ITEM, _DONE = Item(), Strikethrough()


class NextSteps(HudSection):
    """The plan in its order, completed steps struck through; from the next step on when short."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 1),
            Rung(Density.COMPACT, 3),
            Rung(Density.FULL, 10),
            Rung(Density.FULL),
        ),
        weight=3.0,
        floor=Density.MINIMAL,
    )

    steps: tuple[Step, ...] | None = None
    """The steps; those of the session when None."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        steps = sorted(
            bound(ctx).next_steps if self.steps is None else self.steps,
            key=lambda step: step.order,
        )
        if not steps:
            return None
        start, end = _window(steps, ctx.limit)
        shown, hidden = steps[start:end], [*steps[:start], *steps[end:]]
        if ctx.density is Density.MINIMAL and len(shown) <= 1:
            return _one_line(steps, shown, ctx)
        if not shown:
            return Paragraph()[omitted(ctx, "steps", hidden, brief=True)]
        return Section(title=say(ctx, "steps.title"))[
            List(ordered=True, start=start + 1)[[_item(step, ctx) for step in shown]],
            _mark(hidden, ctx),
        ]


def _window(steps: Sequence[Step], limit: int | None) -> tuple[int, int]:
    """Which run of the plan to show: from the first open step on, or up to the end of the plan.

    A larger limit shows everything that a smaller one does.
    """
    if limit is None or len(steps) <= limit:
        return 0, len(steps)
    first_open = next((n for n, step in enumerate(steps) if not step.completed), len(steps))
    start = min(first_open, len(steps) - limit)
    return start, start + limit


def _mark(hidden: Sequence[Step], ctx: RenderContext) -> Omitted | None:
    done = sum(step.completed for step in hidden)
    text = counted(ctx, "steps", len(hidden), "steps.more", done=done) if done else None
    return omitted(ctx, "steps", hidden, text=text)


def _one_line(steps: Sequence[Step], shown: Sequence[Step], ctx: RenderContext) -> Child:
    """The next step, and how many more are open."""
    to_do = [step for step in steps if not step.completed]
    if not to_do:
        return Paragraph()[say(ctx, "steps.done", count=len(steps))]
    if not shown:
        return Paragraph()[omitted(ctx, "steps", to_do, brief=True)]
    text = line(to_do[0].description, ctx.density)
    rest = omitted(
        ctx, "steps", to_do[1:], brief=True, text=counted(ctx, "steps", len(to_do) - 1, "more")
    )
    return Paragraph()[strong(say(ctx, "steps.next")), " ", text, " " if rest else None, rest]


def _item(step: Step, ctx: RenderContext) -> Child:
    text = line(step.description, ctx.density)
    return _ITEM[_DONE[text]] if step.completed else _ITEM[text]
