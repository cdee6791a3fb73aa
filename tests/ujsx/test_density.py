"""Densities, rungs and ladders."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ids import looped
from ujsx import DefinitionError, Density, DensityError, Disclosure, Rung

MINIMAL, COMPACT, FULL = Density

rungs = st.builds(Rung, st.sampled_from(Density), st.none() | st.integers(0, 9))


def reach(rung: Rung) -> tuple[int, float]:
    return rung.density.rank, float("inf") if rung.limit is None else rung.limit


ladders = st.lists(rungs, min_size=1, max_size=6, unique_by=reach).map(
    lambda each: tuple(sorted(each, key=reach))
)


class TestDensity:
    def test_is_ordered_by_how_much_it_shows(self) -> None:
        assert sorted([FULL, MINIMAL, COMPACT]) == [MINIMAL, COMPACT, FULL]
        assert MINIMAL < COMPACT < FULL
        assert FULL > COMPACT >= MINIMAL
        assert MINIMAL <= COMPACT
        assert Density("compact") <= COMPACT
        assert not MINIMAL < MINIMAL  # noqa: PLR0124

    def test_compares_with_names(self) -> None:
        assert COMPACT < "full"
        assert COMPACT >= "minimal"
        assert COMPACT > "minimal"
        assert "full" == FULL  # noqa: SIM300
        assert max(COMPACT, "full") == "full"

    def test_does_not_compare_with_other_text(self) -> None:
        with pytest.raises(DensityError):
            assert FULL > "fall"

    def test_is_its_name_as_text(self) -> None:
        assert str(FULL) == f"{FULL}" == "full"

    @looped("density", Density)
    def test_comes_from_its_name(self, density: Density) -> None:
        name: Any = density.value
        assert Density.of(name) is Density.of(density) is density

    def test_an_unknown_name_comes_with_the_nearest(self) -> None:
        bad: Any = "ful"
        with pytest.raises(DensityError, match=r"'ful' is not a density; did you mean \"full\"\?"):
            Density.of(bad)

    @looped("bad", ["somewhat", "", None, {}])
    def test_anything_else_lists_the_names(self, bad: Any) -> None:
        with pytest.raises(DensityError, match="known: compact, full, minimal"):
            Density.of(bad)

    def test_an_unknown_one_is_a_value_error(self) -> None:
        assert issubclass(DensityError, ValueError)


class TestRung:
    def test_is_shown_with_its_limit(self) -> None:
        assert [str(Rung(COMPACT, 3)), str(Rung(FULL))] == ["compact/3", "full"]

    def test_shows_no_negative_number_of_items(self) -> None:
        with pytest.raises(DefinitionError, match="0 items or more, not -1"):
            Rung(FULL, -1)

    def test_keeps_its_width_between_two_of_one_width(self) -> None:
        lower, upper = Rung(COMPACT, 1, width=44), Rung(FULL, 3, width=44)
        between = upper.between(lower, 9)
        assert {between[place].width for place in range(len(between))} == {44}

    @looped("lower", [Rung(MINIMAL, width=28), Rung(MINIMAL, 1, width=28), Rung(MINIMAL, 3)])
    def test_is_less_wide_between_two_than_the_upper(self, lower: Rung) -> None:
        between = Rung(COMPACT, 3, width=90).between(lower, 99)
        assert between[len(between) - 1].width == 89

    def test_takes_no_assignment(self) -> None:
        rung: Any = Rung(FULL)
        with pytest.raises(dataclasses.FrozenInstanceError):
            rung.limit = 3


class TestLadder:
    @looped(
        "ladder",
        [
            (Rung(FULL), Rung(MINIMAL)),
            (Rung(FULL), Rung(FULL)),
            (Rung(COMPACT, 3), Rung(COMPACT, 3)),
            (Rung(COMPACT, 5), Rung(COMPACT, 3)),
            (Rung(COMPACT), Rung(COMPACT, 3)),
            (Rung(MINIMAL), Rung(FULL, 3), Rung(COMPACT)),
        ],
    )
    def test_must_go_up(self, ladder: tuple[Rung, ...]) -> None:
        with pytest.raises(DefinitionError, match="a ladder goes up") as caught:
            Disclosure(ladder)
        assert ", ".join(map(str, ladder)) in str(caught.value)

    def test_needs_a_rung(self) -> None:
        with pytest.raises(DefinitionError, match="at least one"):
            Disclosure(())

    @given(ladder=ladders)
    def test_that_goes_up_is_taken(self, ladder: tuple[Rung, ...]) -> None:
        assert Disclosure(ladder).ladder == ladder

    @looped("weight", [0, -1.5, float("nan")])
    def test_a_weight_is_above_0(self, weight: float) -> None:
        with pytest.raises(DefinitionError, match="a weight is above 0"):
            Disclosure(weight=weight)


class TestAt:
    TABLE = (
        ((Rung(MINIMAL), Rung(COMPACT), Rung(FULL)), "minimal", "compact", "full"),
        (
            (Rung(MINIMAL, 0), Rung(COMPACT, 3), Rung(COMPACT, 5)),
            "minimal/0",
            "compact/5",
            "compact/5",
        ),
        ((Rung(FULL, 10), Rung(FULL)), "full/10", "full/10", "full/10"),
        ((Rung(COMPACT, 3), Rung(COMPACT), Rung(FULL)), "compact/3", "compact/3", "full"),
        (
            (Rung(MINIMAL), Rung(FULL, 10), Rung(FULL, 20), Rung(FULL)),
            "minimal",
            "minimal",
            "full/20",
        ),
    )

    @looped(("ladder", "minimal", "compact", "full"), TABLE)
    def test_picks_the_rung_of_each_density(
        self, ladder: tuple[Rung, ...], minimal: str, compact: str, full: str
    ) -> None:
        disclosure = Disclosure(ladder)
        picked = [str(disclosure.at(density)) for density in Density]
        assert picked == [minimal, compact, full]

    def test_takes_names(self) -> None:
        assert Disclosure().at("compact") == Rung(COMPACT)

    def test_an_unknown_name_is_a_density_error(self) -> None:
        bad: Any = "big"
        with pytest.raises(DensityError):
            Disclosure().at(bad)

    @given(ladder=ladders)
    def test_picks_a_rung_of_the_ladder_and_more_for_more(self, ladder: tuple[Rung, ...]) -> None:
        picked = [Disclosure(ladder).at(density) for density in Density]
        assert set(picked) <= set(ladder)
        assert picked == sorted(picked, key=reach)

    @given(ladder=ladders)
    def test_never_shows_more_than_asked_where_the_ladder_has_less(
        self, ladder: tuple[Rung, ...]
    ) -> None:
        for density in Density:
            rung = Disclosure(ladder).at(density)
            assert rung.density <= density or rung.density is ladder[0].density


class TestDisclosure:
    def test_compares_by_value(self) -> None:
        assert Disclosure((Rung(FULL),), weight=2) == Disclosure((Rung(FULL),), weight=2)
        assert hash(Disclosure()) == hash(Disclosure())

    def test_takes_no_assignment(self) -> None:
        disclosure: Any = Disclosure()
        with pytest.raises(dataclasses.FrozenInstanceError):
            disclosure.weight = 2

    def test_can_be_replaced(self) -> None:
        changed = dataclasses.replace(Disclosure(), ladder=(Rung(COMPACT, 3),))
        assert changed.at("full") == Rung(COMPACT, 3)


class TestOwnBudget:
    @looped("bad", [0, -5, 1.5, True, "200"])
    def test_is_a_number_of_tokens(self, bad: Any) -> None:
        with pytest.raises(DefinitionError, match="own budget is a number of tokens above 0"):
            Disclosure(budget=bad)

    def test_is_none_where_nothing_is_said(self) -> None:
        assert Disclosure().budget is None
