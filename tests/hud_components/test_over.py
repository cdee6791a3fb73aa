"""What is over looks over at every density, in every section that says what is over."""

from __future__ import annotations

from itertools import product

import pytest

from hud_components import (
    Hud,
    HudItem,
    ItemsSection,
    Kept,
    Line,
    NextSteps,
    Step,
    TableSection,
    Wording,
    parse,
)
from ujsx import Density, RenderContext, render, render_document


class Remedy(HudItem):
    """Something that was tried."""

    what: Line
    tries: int = 1
    rejected: Kept[bool] = False


class Remedies(ItemsSection[Remedy]):
    """What was tried."""

    name = "remedies"
    title = "Tried so far"
    noun = "remedy|remedies"
    lines = {"full": "**{what}** in {tries}", "compact": "{what}"}  # noqa: RUF012 - a declaration
    done = "rejected"


class Struck(ItemsSection[Remedy]):
    """A list whose lines in full say themselves what is over."""

    name = "struck"
    noun = "remedy|remedies"
    lines = {"full": (Wording("~~{what}~~", {"rejected": True}), "{what}"), "compact": "{what}"}  # noqa: RUF012 - a declaration
    done = "rejected"


class Tried(TableSection[Remedy]):
    """A table without a column that says what is over."""

    name = "tried"
    noun = "remedy|remedies"
    columns = ("what", "tries")
    lines = {"full": "{what}, {tries}"}  # noqa: RUF012 - a declaration
    done = "rejected"


PATTERNS = ("x", "o", "xo", "ox", "xoo", "oxo", "xxx", "oxxxxxxxxxxxxo", "x" * 14, "oooooooooxoo")
"""Lists of items: o for one that is open, x for one that is over."""


def remedies(pattern: str) -> tuple[Remedy, ...]:
    return tuple(
        Remedy(id=f"r-{n}", what=f"Try {n}", rejected=each == "x") for n, each in enumerate(pattern)
    )


def read_back(text: str, context: RenderContext | None = None) -> tuple[Remedy, ...]:
    [read] = parse(text, vocabulary=[Remedies], context=context).children
    found: tuple[Remedy, ...] = getattr(read, Remedies.prop)
    return found


class TestLook:
    @pytest.mark.parametrize("density", list(Density))
    @pytest.mark.parametrize("section", [Remedies, Struck, Tried])
    def test_an_item_that_is_over_is_told_from_one_that_is_open(
        self, section: type[ItemsSection[Remedy]], density: Density
    ) -> None:
        texts = {
            pattern: render(section(**{section.prop: remedies(pattern)}), density=density)
            for pattern in ("ooo", "oxo", "xxo", "xxx")
        }
        assert len({*texts.values()}) == len(texts)

    @pytest.mark.parametrize("section", [Remedies, Struck, Tried])
    def test_is_read_back(
        self, section: type[ItemsSection[Remedy]], subtests: pytest.Subtests
    ) -> None:
        for pattern, density in product(PATTERNS, Density):
            with subtests.test(pattern, density=density):
                made = section(**{section.prop: remedies(pattern)})
                text = render(made, density=density)
                shown = made.as_shown(density)
                assert shown is not None
                assert render(shown, density=density) == text
                [read] = parse(text, vocabulary=[section]).children
                assert read == shown
                if density is not Density.MINIMAL:
                    listed, _, _ = made.split(
                        made.given(RenderContext()), section.disclosure.at(density).limit
                    )
                    assert [each.rejected for each in getattr(read, section.prop)] == [
                        each.rejected for each in listed
                    ]

    def test_its_word_is_in_the_table_of_words(self) -> None:
        own = RenderContext(texts={"remedies.over": "verworfen"})
        text = render(Remedies(remedies=remedies("xo")), density="compact", context=own)
        assert text == "**Tried so far:** Try 0 *verworfen* · Try 1\n"
        assert [each.rejected for each in read_back(text, own)] == [True, False]

    def test_it_stands_behind_who_said_it(self) -> None:
        said = Remedy(id="parent:r-1", what="Restart", rejected=True)
        text = render(Remedies(remedies=(said,)))
        assert "- **Restart** in 1 *from the parent session, rejected*\n" in text
        assert read_back(text)[0].rejected

    def test_a_text_that_reads_like_it_is_no_item_that_is_over(self) -> None:
        text = render(Remedies(remedies=(Remedy(what="Restart *rejected*"),)), density="compact")
        [read] = read_back(text)
        assert read.what == "Restart *rejected*"
        assert not read.rejected


class TestWhatIsOpenComesFirst:
    @pytest.mark.parametrize("limit", range(1, 14))
    def test_nothing_that_is_over_is_named_while_something_open_is_left_out(
        self, limit: int
    ) -> None:
        given = remedies("xoxxooxoxxxoox")
        shown, hidden, _ = Remedies(limit=limit).split(given, limit)
        assert not any(each.rejected for each in shown)
        assert len(shown) <= limit
        assert sorted(each.id for each in (*shown, *hidden)) == sorted(each.id for each in given)

    def test_what_is_left_out_is_counted_with_what_of_it_is_over(self) -> None:
        made = Remedies(remedies=remedies("oxxxxxxxxxxxxo"))
        assert (
            render(made, density="compact") == "**Tried so far:** Try 0 · Try 13 · *12 rejected*\n"
        )
        assert "*… 12 more remedies, 12 rejected: `hud remedies.list`*" in render(made)
        assert render(made, density="minimal") == "*2 remedies*\n"
        over = Remedies(remedies=remedies("x" * 14))
        assert render(over, density="minimal") == "*14 remedies rejected*\n"

    def test_the_newest_that_is_named_is_open(self) -> None:
        made = Hud()[Remedies(remedies=remedies("oox"))]
        text = render_document(made, density="minimal", budget=20).text
        assert text == "*2 remedies: Try 1*\n"

    def test_a_plan_says_the_same_of_a_session_at_every_density(self) -> None:
        plan = tuple(
            Step(id=f"s-{n}", description=f"Do {n}", completed=n < 8, order=n) for n in range(10)
        )
        made = NextSteps(steps=plan)
        assert render(made, density="compact") == "**Next steps:** Do 8 · Do 9 · *8 done*\n"
        assert render(made, density="minimal") == "**Next:** Do 8 *1 more*\n"
