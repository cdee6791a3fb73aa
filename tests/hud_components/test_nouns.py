"""What items are counted with, where their section says no noun."""

from __future__ import annotations

from types import new_class
from typing import Any

from hud_components import HudItem, ItemsSection, Line
from tests.ids import looped
from ujsx import render


class Round(HudItem):
    """A round through the garden."""

    seen: Line


class LostBox(HudItem):
    """A box that is not found."""

    seen: Line


def section(item: type[HudItem], called: str) -> type[ItemsSection[HudItem]]:
    """Return a section without a noun."""
    fields = {
        "__doc__": "What was seen.",
        "__module__": __name__,
        "name": called,
        "lines": {"full": "{seen}"},
    }
    base: Any = ItemsSection
    return new_class(
        f"{item.__name__}Section", (base[item],), exec_body=lambda own: own.update(fields)
    )


@looped(
    ("item", "called", "one", "several"),
    [
        (Round, "rounds", "1 round", "2 rounds"),
        (Round, "evening_rounds", "1 evening round", "2 evening rounds"),
        (LostBox, "lost_boxes", "1 lost box", "2 lost boxes"),
        (Round, "grounds", "1 round", "2 rounds"),
        (Round, "tour", "1 round", "2 rounds"),
    ],
)
def test_it_is_the_items_class_in_the_words_of_a_name_that_is_its_plural(
    item, called, one, several
):
    made = section(item, called)
    items = [item(id=f"r-{number}", seen="·") for number in range(2)]
    told = [render(made(**{called: items[:count]}), density="minimal") for count in (1, 2)]
    assert told == [f"*{one}*\n", f"*{several}*\n"]
