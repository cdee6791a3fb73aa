"""Between two densities of a list, a budget shows one item more in detail, and the others in short."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hud_components import HudItem, ItemsSection, Line, TableSection, parse
from tests.hud_components.declarations import Declared, sections
from tests.ids import looped
from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    RenderContext,
    Rung,
    render,
    render_document,
)
from ujsx.errors import DefinitionError

BOUNDED = settings(max_examples=4 * settings.default.max_examples // 5)


class Order(HudItem):
    """What somebody wants."""

    what: Line
    baker: Line = ""
    note: Line = ""


class Orders(ItemsSection[Order]):
    """The orders of a bakery."""

    name = "orders"
    title = "Orders"
    noun = "order|orders"
    lines = {"full": "**{what}** — *{baker}* — {note}", "compact": "{what}"}  # noqa: RUF012

    orders: tuple[Order, ...] | None = None


class OrderTable(TableSection[Order]):
    """The same, as a table where all of it is shown."""

    name = "order_table"
    title = "Orders"
    noun = "order|orders"
    columns = ("what", "baker", "note")
    lines = {"full": "**{what}** — *{baker}* — {note}", "compact": "{what}"}  # noqa: RUF012


def order(number: int, note: str = "for the wedding at the lake, with salt") -> Order:
    return Order(id=f"o-{number}", what=f"Batch {number}", baker=f"Ann {number}", note=note)


def orders(count: int) -> tuple[Order, ...]:
    return tuple(order(number) for number in range(1, count + 1))


def shown(section: Any, budget: int) -> tuple[set[str], set[str]]:
    """What a budget shows in detail, and what it shows at all, by the names of the items."""
    lines = render_document(section, budget=budget).text.splitlines()
    said = [line.removeprefix("- ") for line in lines if line.startswith(("- B", "- **"))]
    detailed = {line.split("**")[1] for line in said if line.startswith("**")}
    return detailed, detailed | {line for line in said if not line.startswith("**")}


class TestWhatABudgetShows:
    def test_is_the_newest_in_detail_and_the_others_in_short(self) -> None:
        text = render_document(Orders(orders=orders(6)), budget=85).text
        assert text.splitlines()[2:7] == [
            "- Batch 2",
            "- Batch 3",
            "- Batch 4",
            "- **Batch 5** — *Ann 5* — for the wedding at the lake, with salt",
            "- **Batch 6** — *Ann 6* — for the wedding at the lake, with salt",
        ]

    @pytest.mark.parametrize("kind", [Orders, OrderTable])
    def test_is_worth_its_tokens(self, kind: Any) -> None:
        """What is left over is less than one more item in detail takes, and the mark of those left out."""
        section = kind(**{kind.prop: orders(6)})
        quarters = RenderContext(count_tokens=lambda text: -(-len(text) // 4))
        most = render_document(section, budget=1_000, context=quarters).tokens
        for budget in range(50, most):
            shown = render_document(section, budget=budget, context=quarters)
            assert budget - shown.tokens <= 31

    @given(st.integers(1, 40), st.lists(st.integers(0, 900), min_size=2, max_size=6).map(sorted))
    def test_grows_with_it(self, count: int, budgets: list[int]) -> None:
        node = Orders(orders=orders(count))
        for less, more in pairwise(shown(node, budget) for budget in budgets):
            assert less[0] <= more[0]
            assert less[1] <= more[1]

    @BOUNDED
    @given(st.data(), sections(), st.integers(0, 400))
    def test_is_read_back(self, data: st.DataObject, declared: Declared, budget: int) -> None:
        node = declared.filled(data.draw(declared.values))
        rendered = render_document(node, budget=budget)
        [stood] = rendered.sections
        if stood.rung is None:
            return
        meant = node.as_shown_in(RenderContext().on_rung(stood.rung))
        read = parse(rendered.text, vocabulary=(declared.section,))
        assert read.children == (() if meant is None else (meant,)), rendered.text


class Place(HudItem):
    """Somewhere to go."""

    where: Line
    place: int = 0


class Route(ItemsSection[Place]):
    """Where to go, in this order."""

    name = "route"
    noun = "place|places"
    order = "place"
    lines = {"full": "**{where}**", "compact": "{where}"}  # noqa: RUF012

    route: tuple[Place, ...] | None = None


@looped("limit", [1, 2, 5, 11])
def test_of_items_that_have_an_order_the_first_are_shown_with_numbers(limit: int) -> None:
    places = tuple(Place(id=f"p-{n}", where=f"Bay {n:02}", place=n) for n in range(1, 13))
    text = render(Route(route=places, limit=limit))
    assert text.count("Bay") == limit
    assert all(f"{n}. **Bay {n:02}**" in text for n in range(1, limit + 1))
    assert parse(text, vocabulary=(Route,)).children == (
        Route(route=places, limit=limit).as_shown(),
    )


class Names(Component):
    """Somebody's list, which knows of no items in detail."""

    disclosure = Disclosure((Rung(Density.COMPACT, 3), Rung(Density.FULL, 6)))
    names: tuple[str, ...]

    def render(self, ctx: RenderContext, children: Children) -> Child:
        more = " and all that there is to say of it" if ctx.density is Density.FULL else ""
        return ", ".join(f"{name}{more}" for name in self.names[: ctx.limit])


def test_a_component_that_knows_of_none_climbs_as_it_did() -> None:
    names = Names(names=tuple(f"name {number}" for number in range(6)))
    rungs = {str(render_document(names, budget=budget).sections[0].rung) for budget in range(120)}
    assert not [rung for rung in rungs if "in detail" in rung]


def test_a_number_below_zero_is_refused() -> None:
    with pytest.raises(DefinitionError, match="0 items or more in detail, not -1"):
        Rung(Density.FULL, 5, detailed_items=-1)
