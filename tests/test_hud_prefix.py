"""What the prefix bench counts, and what its figures say of the HUD."""

from __future__ import annotations

import pytest

from hud_components import Hud, HudState, Note, Step, Task
from tests.benchmarks.delivery import SEED
from tests.benchmarks.hud_prefix import best_order, made_up, measured, new_alone, share, steps_of
from ujsx import render_document
from ujsx.testing import prefix_kept

TASK = Task(description="Move the ledger to PostgreSQL")
STEP = Step(id="s-1", description="Write the migration")


def notes(count: int) -> tuple[Note, ...]:
    return tuple(Note(id=f"n-{n}", content=f"Batch {n} is slow") for n in range(count))


class TestCount:
    HUDS = tuple(
        render_document(Hud.of(HudState(task=TASK, notes=notes(count), next_steps=(STEP,))))
        for count in (2, 3)
    )

    def test_the_order_as_it_is_keeps_what_the_texts_have_in_common(self) -> None:
        order = [node.name for node in self.HUDS[0].nodes]
        kept = share(steps_of(self.HUDS), order)
        assert kept == pytest.approx(prefix_kept(self.HUDS), abs=0.01)  # but for the last newline

    def test_a_section_that_grows_loses_nothing_where_it_stands_last(self) -> None:
        steps = steps_of(self.HUDS)
        order = [node.name for node in self.HUDS[0].nodes]
        best = best_order(order, lambda tried: share(steps, tried))
        assert best.index("NotesSection") > best.index("NextSteps")
        assert share(steps, best) == pytest.approx(new_alone(steps))

    def test_what_is_possible_is_never_less_than_what_is(self) -> None:
        found = measured([*made_up(30, SEED)])
        assert found.as_it_is <= found.best_order + 0.02
        assert found.best_order <= found.ends_only <= found.new_alone


def test_the_default_order_keeps_nearly_what_any_order_of_sections_keeps() -> None:
    found = measured([*made_up(60, SEED)])
    assert found.as_it_is > 0.7
    assert found.best_order - found.as_it_is < 0.08
