"""What events do to the plan. Steps stand in the order in which they are worked on."""

from __future__ import annotations

from collections.abc import Iterable

from hud_components import HudState, Step
from hud_runtime.events import Event, StepAdd, StepReorder, Target, Update
from hud_runtime.projection._edits import (
    edited,
    same_if_equal,
    with_sections,
    with_values,
    without,
)
from hud_runtime.projection._items import added
from hud_runtime.projection._kinds import KINDS


def numbered(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return the steps with their places as ``order``, counted from 1."""
    return tuple(with_values(step, order=place) for place, step in enumerate(steps, start=1))


def step(new: StepAdd, item_id: str, order: int) -> Step:
    """Return the step that a draft makes."""
    return Step(id=item_id, description=new.description, completed=new.completed, order=order)


def step_add(state: HudState, event: Event, new: StepAdd) -> HudState:
    """A step is planned, after all others."""
    last = state.next_steps[-1].order if state.next_steps else 0

    def make(item_id: str) -> Step:
        return step(new, item_id, last + 1)

    steps = added(KINDS["step"], state.next_steps, event, new, make)
    return with_sections(state, next_steps=steps)


def step_update(state: HudState, _event: Event, change: Update) -> HudState:
    """A step reads anew, or is open again."""
    steps = edited(
        KINDS["step"],
        state.next_steps,
        change.id,
        lambda item: with_values(item, **change.values()),
    )
    return with_sections(state, next_steps=steps)


def step_complete(state: HudState, _event: Event, target: Target) -> HudState:
    """A step is done, and stays in the plan."""
    steps = edited(
        KINDS["step"], state.next_steps, target.id, lambda item: with_values(item, completed=True)
    )
    return with_sections(state, next_steps=steps)


def step_remove(state: HudState, _event: Event, target: Target) -> HudState:
    """A step is dropped."""
    return with_sections(state, next_steps=without(KINDS["step"], state.next_steps, target.id))


def step_reorder(state: HudState, _event: Event, order: StepReorder) -> HudState:
    """The named steps come first, in the order given; the others keep theirs, behind them."""
    places = {item_id: place for place, item_id in enumerate(order.ids)}
    steps = sorted(state.next_steps, key=lambda item: places.get(item.id, len(places)))
    return with_sections(state, next_steps=same_if_equal(state.next_steps, numbered(steps)))
