"""A session's ceiling is held to the counter that it is given."""

from __future__ import annotations

from hud_components import BUDGETS
from hud_runtime import HudSession, HudStore
from tests.ids import looped
from ujsx import Density
from ujsx.tokens import calibrated, estimate_tokens

DEARER = calibrated(counted=1_000, reported=1_500)
"""What a provider makes of a language that the estimate finds cheaper than it is."""


def told() -> HudSession:
    session = HudStore.open(":memory:", clock=lambda: 0).session("s")
    task = "Преместити књигу рачуна у нову базу, а да се при томе не изгуби ниједан догађај из дневника"
    session.record("task.set", description=task)
    session.record("step.add", description=f"Прочитати све табеле, па {task.lower()}")
    for number in range(40):
        session.record("note.add", content=f"Пакет {number} је трајао дуже него претходни")
    return session


@looped("density", Density)
def test_a_calibrated_counter_holds_the_tier(density: Density) -> None:
    session, most = told(), BUDGETS[density].most
    estimated = session.hud(density=density)
    calibrated_to = session.hud(density=density, count_tokens=DEARER)
    assert DEARER(estimated.text) > most
    assert DEARER(calibrated_to.text) == calibrated_to.tokens <= most
    assert estimate_tokens(calibrated_to.text) < estimate_tokens(estimated.text)


def test_deliveries_are_held_to_it_too() -> None:
    session = told()
    assert session.deliver(count_tokens=DEARER).text == session.hud(count_tokens=DEARER).text
