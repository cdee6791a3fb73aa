"""``budget`` of a section: how many tokens it takes at most."""

from __future__ import annotations

from types import new_class
from typing import Any

import pytest

from hud_components import Domain, Hud, HudItem, HudValue, ItemsSection, Line, ValueSection, parse
from tests.ids import looped
from ujsx import DefinitionError, Density, Disclosure, Rung, render, render_document


class Remedy(HudItem):
    """Something that was tried."""

    what: Line


class Remedies(ItemsSection[Remedy]):
    """What was tried."""

    name = "remedies"
    noun = "remedy|remedies"
    lines = {"full": "**{what}**", "compact": "{what}"}  # noqa: RUF012
    budget = 60


class Ticket(HudValue):
    """What the customer wrote about."""

    subject: Line


class TicketSection(ValueSection[Ticket]):
    """What the customer wrote about."""

    name = "ticket"
    lines = {"full": "{subject}", "compact": "**Ticket:** {subject}"}  # noqa: RUF012
    budget = 6


DESK: Domain[Any] = Domain("desk", [TicketSection, Remedies])
TRIED = tuple(Remedy(id=f"r-{n}", what=f"Remedy number {n} of many") for n in range(1, 31))


def state(**values: Any) -> Any:
    return DESK.state().model_copy(update=values)


def declared(**body: Any) -> Any:
    given = {"name": "remedies", "lines": {"full": "{what}"}, "__module__": __name__, **body}
    return new_class("Own", (ItemsSection[Remedy],), {}, lambda made: made.update(given))


class TestASectionsBudget:
    @looped("budget", [None, 10_000])
    def test_is_the_most_that_it_takes(self, budget: int | None) -> None:
        rendered = render_document(Hud.of(state(remedies=TRIED)), budget=budget)
        [section] = rendered.sections
        assert section.tokens <= 60
        assert (section.rung, section.capped_at) == (Rung(Density.COMPACT, 5), 60)
        assert [each.count for each in rendered.omitted] == [25]

    def test_leaves_a_floor_that_is_larger(self) -> None:
        long = Ticket(subject="The connection is lost every evening at about eight")
        section = render_document(Hud.of(state(ticket=long))).sections[0]
        assert section.tokens > 6
        assert section.text.strip()  # whatever the least is: the full text may cost no more

    def test_is_what_is_read_back(self) -> None:
        hud = Remedies(remedies=TRIED)
        read = parse(render(hud), vocabulary=[Remedies]).children
        assert read == (hud.as_shown(),)
        assert len(getattr(read[0], "remedies")) == 5  # noqa: B009

    def test_may_stand_in_the_disclosure(self) -> None:
        own = declared(disclosure=Disclosure(Remedies.disclosure.ladder, budget=60))
        assert render_document(own(remedies=TRIED)).sections[0].capped_at == 60

    def test_is_inherited_and_can_be_lifted(self) -> None:
        class Fewer(Remedies):
            """The same."""

            disclosure = Disclosure((Rung(Density.MINIMAL, 0), Rung(Density.FULL)))

        class All(Remedies):
            """The same without it."""

            budget = None

        assert (Fewer.disclosure.budget, All.disclosure.budget) == (60, None)

    def test_counts_where_the_author_narrows_the_ladder(self) -> None:
        assert Remedies(remedies=TRIED, limit=20).disclosed().budget == 60

    def test_is_a_number_of_tokens(self) -> None:
        with pytest.raises(DefinitionError, match=r"Own\.budget: .* above 0, not 0"):
            declared(budget=0)
