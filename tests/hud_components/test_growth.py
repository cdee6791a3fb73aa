"""Eight times the text costs eight times the work, whatever the text: in rendering a HUD, and in reading it back."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from hud_components import (
    ActiveFile,
    CompactedContext,
    Decision,
    DecisionsList,
    Hud,
    HudState,
    Note,
    Step,
    Task,
    parse,
)
from hud_components.folding import Moment, folded
from hud_components.words import line
from tests.growth import IN_PROPORTION, growth
from tests.ids import looped
from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    Element,
    RenderContext,
    Rung,
    render,
    render_document,
)
from ujsx.elements import Brief, Paragraph, em
from ujsx.text import escaped, joined, one_line, paragraphs, unhidden, visible
from ujsx.tokens import estimate_tokens

SMALL, TIMES = 2_000, 8

RUNS: tuple[str, ...] = (
    " ", "\t", "\n", " \n", "\n \n", "\r", "a ", "\u200b", "\u200da", "<", "<|", "<|a", "[", "]", "[INST",
    "<<SYS", "<a_", "</", "]<]a", "⟦", "⟦U+", "⟦U+200B⟧", "␛", "Human", "\nHuman:", "می\u200c",
    "❤\ufe0f\u200d", "\U0001f3f4\U000e0067", "*", "`", "_a", "~~", " — ", ": ", " · ", "… ", "\\", "&",
    "|", "a.", "www.", "://", "\n- ", "\n> ", "\n\n    ",
)  # fmt: skip
"""What hostile texts repeat."""


def hud_of(text: str) -> Element[Hud]:
    """A HUD that has a text in each of its places."""
    return Hud.of(
        HudState(
            task=Task(description=text),
            decisions=(Decision(summary=text, details=text),),
            notes=(Note(content=text),),
            next_steps=(Step(description=text),),
            active_files=(ActiveFile(path=text),),
            compacted_context=text,
        )
    )


def assert_grows_with(
    work: Callable[[str], object], make: Callable[[int], str], small: int
) -> None:
    """Assert that the work grows as the text does."""
    assert growth(work, make(small), make(small * TIMES)) <= IN_PROPORTION, work


def repeated(run: str) -> Callable[[int], str]:
    return lambda size: f"x{run * (size // len(run))}x"


@pytest.mark.parametrize("run", RUNS)
def test_of_a_text_and_of_a_hud_that_is_written_and_read_back(run: str) -> None:
    for work in (line, one_line, paragraphs, visible, escaped, unhidden):
        assert_grows_with(work, repeated(run), SMALL * 4)
    assert_grows_with(lambda text: parse(render(hud_of(text))), repeated(run), SMALL // 8)


@pytest.mark.parametrize("block", ["a\n\n", "- a\n\n", "## a\n\n", "**a**\n\n", "> a\n\n"])
def test_of_what_is_no_section(block: str) -> None:
    assert_grows_with(parse, repeated(block), SMALL // 2)


@looped("part", ["a", "<|", "[IN", "\u200b", "⟦"])
def test_of_texts_that_meet(part: str) -> None:
    def work(text: str) -> object:
        return joined([part] * len(text)), render(Paragraph()[[part] * len(text)])

    assert_grows_with(work, "x".__mul__, SMALL // 4)


@looped("said", ["a < b", "می\u200cخواهم", "<|", "❤\ufe0f"])
def test_of_lines_that_share_one(said: str) -> None:
    def work(text: str) -> object:
        return render([Brief()[em(said)] for _ in text])

    assert_grows_with(work, "x".__mul__, SMALL // 8)


@looped("item_id", ["", "d-7"])
def test_of_items_without_ids_of_their_own(item_id: str) -> None:
    items = tuple(Decision(id=item_id, summary="a") for _ in range(SMALL))

    def work(text: str) -> object:
        return folded(DecisionsList, (), items[: len(text)], Moment(7, 1, 1, "agent"))

    assert_grows_with(work, "x".__mul__, SMALL // TIMES)


class TestWithinABudget:
    """The work goes by the budget, not by the text."""

    @pytest.mark.parametrize("run", ["\u200b", "x\n\n", "x", "a *b* ", "漢"])
    @pytest.mark.parametrize("how", [{"budget": 300}, {"budget": 300, "density": "compact"}])
    def test_a_text_is_cut_before_it_is_rendered(self, run: str, how: dict[str, Any]) -> None:
        counted: list[int] = []
        for size in (20_000, 40_000):
            looked = [0]

            def count(text: str, looked: list[int] = looked) -> int:
                looked[0] += len(text)
                return estimate_tokens(text)

            hud = hud_of("a" + run * (size // len(run)) + "b")
            shown = render_document(hud, context=RenderContext(count_tokens=count), **how)
            assert shown.tokens <= 300 or shown.over_budget
            assert {each.what for each in shown.omitted} >= {"texts"}
            counted.append(looked[0])
        assert abs(counted[1] - counted[0]) < 100  # the number of what is left out has a digit more
        assert counted[0] < 1_000_000

    def test_a_summary_is_read_and_measured_once(self) -> None:
        counts = Counter[str]()

        def note(frame: FrameType, event: str, _: object) -> None:
            name, module = frame.f_code.co_name, frame.f_globals.get("__name__")
            if event == "call" and name in {"quoted", "length_of"} and frame.f_back:
                is_from_elsewhere = frame.f_back.f_globals["__name__"] != module
                counts[name] += is_from_elsewhere and module.startswith("hud_components.")

        summary = CompactedContext(text="A paragraph.\n\n" * 1_000)
        sys.setprofile(note)
        try:
            shown = render_document(summary, budget=300)
        finally:
            sys.setprofile(None)
        assert 0 < shown.tokens <= 300
        assert +counts == {"quoted": 1, "length_of": 2}  # in blocks, and on a line

    def test_what_fits_is_rendered_once(self) -> None:
        seen: list[str] = []

        class Seen(Component):
            text: str
            disclosure = Disclosure(
                (Rung(Density.MINIMAL), Rung(Density.FULL, 3), Rung(Density.FULL))
            )

            def render(self, ctx: RenderContext, children: Children) -> Child:
                seen.append(self.text)
                return self.text

        assert render(Seen(text="a" * 300), budget=2**31) == "a" * 300 + "\n"
        assert seen == ["a" * 300]
