"""What items are counted with, where their section says no noun."""

from __future__ import annotations

from pathlib import Path
from types import new_class
from typing import Any

from hud_components import Domain, HudItem, ItemsSection, Line
from hud_runtime import HudStore
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


NAMED = """
    Film films film, Films films film, OpenTasks open_tasks open task, Todos todos todo, Boxes boxes box,
    Batches batches batch, Cities cities city, Movies movies movie, Cases cases case, Classes classes class,
    Statuses statuses status, News news news, Series series series, Goods goods goods, Bus buses bus,
    Class classes class, Address addresses address, Status statuses status, Gas gases gas, Lens lenses lens,
    Canvas canvases canvas, Alias aliases alias, Analysis analyses analysis, Chaos chaoses chaos, Axis axises axis,
    Feedback feedbacks feedback
"""
"""Classes of items, each with the name of its section, and one of its items."""


@looped("named", NAMED.split(","))
def test_a_plural_is_its_own_plural(named: str) -> None:
    name, called, *one = named.split()
    item = new_class(name, (HudItem,), {}, lambda own: own.update(__annotations__={"seen": Line}))
    [made] = Domain("names", [item]).sections
    assert made.name == called
    assert made.texts[f"{called}.noun"].split("|")[0] == " ".join(one)
    assert made.former in ((), (f"{called}es",))  # under which older versions recorded a plural


def test_a_plural_is_read_under_the_name_that_it_once_had(tmp_path: Path) -> None:
    def todos() -> type[HudItem]:
        class Todos(HudItem):
            seen: Line

        return Todos

    item, body = todos(), {"__module__": __name__, "lines": "{seen}"}
    base: Any = ItemsSection
    once = new_class("Todoses", (base[todos()],), {}, lambda own: own.update(body))
    with HudStore.open(tmp_path / "day.db", domain=Domain("day", [once])) as store:
        store.session("s").record("todoses.add", "Water the beds")
    with HudStore.open(tmp_path / "day.db", domain=Domain("day", [item])) as store:
        session = store.session("s")
        assert [each["seen"] for each in session.state()[item]] == ["Water the beds"]
        session.record("todos.remove", id="Water the beds")
        assert not session.state()[item]
