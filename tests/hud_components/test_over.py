"""What is over looks over at every density, in every section that says what is over."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

import pytest

from hud_components import (
    Domain,
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
from hud_components.declaring import LayoutWarning
from hud_components.folding import End, Mark
from hud_runtime import HudStore
from hud_runtime.editing import changes, for_editing
from tests.ids import looped
from ujsx import DefinitionError, Density, RenderContext, render, render_document


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


class Plant(HudItem):
    """Something that grows."""

    species: Line
    stage: Literal["sown", "growing", "harvested", "dead"]


class Plants(ItemsSection[Plant]):
    """What grows, until it is harvested, or dead."""

    name = "plants"
    lines = {"full": "**{species}** grows", "compact": "{species}"}  # noqa: RUF012 - a declaration
    verbs = (
        "add",
        "update",
        Mark("harvest", done="harvested"),
        Mark("lose", sets={"stage": "dead"}),
    )
    done = ("harvested", "dead")


class Stages(ItemsSection[Plant]):
    """A list whose line in full shows the stage."""

    name = "stages"
    noun = "stage"
    prefix = "s"
    lines = {"full": "**{species}**: {stage}", "compact": "{species}"}  # noqa: RUF012 - a declaration
    verbs = ("add", "update", "complete")
    done = {"stage": "harvested"}  # noqa: RUF012 - a declaration


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
    @looped("density", list(Density))
    @looped("section", [Remedies, Struck, Tried])
    def test_an_item_that_is_over_is_told_from_one_that_is_open(
        self, section: type[ItemsSection[Remedy]], density: Density
    ) -> None:
        texts = {
            pattern: render(section(**{section.prop: remedies(pattern)}), density=density)
            for pattern in ("ooo", "oxo", "xxo", "xxx")
        }
        assert len({*texts.values()}) == len(texts)

    @looped("density", Density)
    @looped("pattern", PATTERNS)
    @looped("section", [Remedies, Struck, Tried])
    def test_is_read_back(
        self, section: type[ItemsSection[Remedy]], pattern: str, density: Density
    ) -> None:
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


def plants(stages: str) -> tuple[Plant, ...]:
    names = {"s": "sown", "g": "growing", "h": "harvested", "d": "dead"}
    return tuple(
        Plant(species=f"Plant {number}", stage=names[each])  # type: ignore[arg-type]
        for number, each in enumerate(stages)
    )


class TestChoices:
    """A choice that ends an item is the one truth about whether it is over."""

    @looped("density", list(Density))
    @looped("section", [Plants, Stages])
    @looped("stages", ["s", "h", "d", "sh", "hs", "gdh", "hhdd", "shdg" * 4])
    def test_are_read_back(
        self, section: type[ItemsSection[Plant]], stages: str, density: Density
    ) -> None:
        made = section(**{section.prop: plants(stages)})
        text = render(made, density=density)
        shown = made.as_shown(density)
        assert shown is not None
        assert render(shown, density=density) == text
        [read] = parse(text, vocabulary=[section]).children
        assert read == shown

    def test_stand_behind_an_item_whose_line_does_not_show_them(self) -> None:
        text = render(Plants(plants=plants("shd")), density="compact")
        assert text == "**Plants:** Plant 0 · Plant 1 *harvested* · Plant 2 *dead*\n"
        assert render(Plants(plants=plants("hdd")), density="minimal") == "*3 plants done*\n"
        assert "- **Plant 1**: harvested\n" in render(Stages(stages=plants("sh")))
        assert render(Stages(stages=plants("h")), density="minimal") == "*1 stage harvested*\n"

    def test_are_set_by_the_verb_that_marks_an_item(self) -> None:
        with HudStore.open(":memory:", domain=Domain("beds", sections=(Plants, Stages))) as store:
            session = store.session("s")
            for name in ("Tomato", "Lily"):
                session.record("plants.add", species=name, stage="sown")
                session.record("stages.add", species=name, stage="sown")
            for call in ("plants.harvest", "stages.complete"):
                assert not session.call("hud", {"op": call, "id": "Tomato"}).is_error
            session.call("hud", {"op": "plants.lose", "id": "Lily"})
            session.call("hud", {"op": "stages.update", "id": "Lily", "stage": "harvested"})
            told = session.call("hud", {"op": "plants.list"}).text.splitlines()
            assert [one.stage for one in session.state()[Plants]] == ["harvested", "dead"]
            assert {one.stage for one in session.state()[Stages]} == {"harvested"}
            assert told[:2] == [
                "- `p-2` (harvested) **Tomato** grows",
                "- `p-4` (dead) **Lily** grows",
            ]
            session.record("plants.add", species="Lily", stage="sown")  # another one
            assert len(session.state()[Plants]) == 3

    @looped(
        ("old", "new", "said"),
        [
            ("**Tomato** grows", "**Tomato** grows *dead*", "plants.update id='p-2' stage='dead'"),
            ("**Rose** grows *dead*", "**Rose** grows *harvested*", "plants.update id='p-3' stage='harvested'"),
            ("**Tomato**: sown", "**Tomato**: harvested", "stages.update id='s-4' stage='harvested'"),
        ],
    )  # fmt: skip
    def test_are_changed_by_an_edit(self, old: str, new: str, said: str) -> None:
        with HudStore.open(":memory:", domain=Domain("beds", sections=(Plants, Stages))) as store:
            session = store.session("s")
            session.record("plants.add", species="Tomato", stage="sown")
            session.record("plants.add", species="Rose", stage="dead")
            session.record("stages.add", species="Tomato", stage="sown")
            page = for_editing(session.state())
            edit = changes(page, render(page).replace(old, new))
            assert [*map(str, edit.operations)] == [said]
            assert not edit.problems

    @looped(
        ("done", "ends"),
        [
            ("dead", ("dead",)),
            (("dead", "harvested"), ("harvested", "dead")),
            (["dead"], ("dead",)),
            ({"stage": "dead"}, ("dead",)),
            ({"stage": ("dead", "harvested")}, ("harvested", "dead")),
        ],
    )
    def test_have_several_forms(self, done: Any, ends: tuple[str, ...]) -> None:
        made = new_section(done)
        assert made.kind is not None
        assert made.kind.end == End("stage", ends)

    @looped(
        ("done", "said"),
        [
            ("stage", "Mine.done: Plant.stage is one of 'sown', 'growing', 'harvested', 'dead'; write which of them end it, such as done = {'stage': 'dead'}"),
            (("stage", "harvested"), "such as done = {'stage': 'harvested'}"),
            ("species", "Plant.species is not yes or no; declare it as Kept[bool] = False"),
            ("harvestd", "Mine.done: Plant has no yes/no field and no choice 'harvestd'; did you mean \"harvested\"?"),
            (("dead", "lost"), "no choice 'lost'"),
            ({"stage": "lost"}, "Plant.stage is never 'lost'"),
            ({"stge": "dead"}, "Plant has no field 'stge' with choices; did you mean \"stage\"?"),
            ({"stage": "dead", "species": "x"}, "names 2 fields, and one says that an item is over"),
            ({}, "names 0 fields"),
        ],
    )  # fmt: skip
    def test_that_there_are_not_are_refused_with_what_to_write(self, done: Any, said: str) -> None:
        with pytest.raises(DefinitionError) as refused:
            new_section(done)
        assert said in str(refused.value)

    def test_that_a_new_item_has_end_none(self) -> None:
        class Trial(HudItem):
            what: Line
            outcome: Literal["open", "won"] = "open"

        with pytest.raises(DefinitionError, match="a new Trial would be over"):

            class Trials(ItemsSection[Trial]):
                name = "trials"
                lines = {"full": "{what}"}  # noqa: RUF012 - a declaration
                done = "open"

    def test_need_a_verb_that_says_which(self) -> None:
        with pytest.raises(DefinitionError, match=re.escape("Mark('finish', done='harvested')")):
            new_section(("harvested", "dead"), its_verbs=("add", Mark("finish")))

    def test_follow_from_a_verb_that_sets_one(self) -> None:
        made = new_section(None, its_verbs=("add", Mark("lose", stage="dead")))  # type: ignore[call-arg]
        assert made.kind is not None
        assert made.kind.end == End("stage", ("dead",))


def new_section(
    end: Any, its_verbs: tuple[Any, ...] = ("add", "update", "remove")
) -> type[ItemsSection[Plant]]:
    class Mine(ItemsSection[Plant]):
        name = "mine"
        lines = {"full": "{species}"}  # noqa: RUF012 - a declaration
        done = end
        verbs = its_verbs

    return Mine


def test_a_mark_that_no_verb_sets_is_told_with_the_line_to_write() -> None:
    with pytest.warns(LayoutWarning, match=re.escape('"remove", Mark("finish"))')):
        Domain("desk", sections=(Remedies,))


class Errand(HudItem):
    """Something to fetch."""

    what: Line
    fetched: Kept[bool] = False


@looped(
    ("given", "answer"),
    [
        (
            ("add", Mark("fetch"), Mark("reopen", done=False)),
            "Nothing changed: e-2 is fetched already; errands.reopen undoes it.",
        ),
        (("add", Mark("fetch"), "update"), "Nothing changed: e-2 is fetched already."),
    ],
)
def test_a_mark_of_an_item_that_is_over_is_answered_with_its_opposite(
    given: tuple[Any, ...], answer: str
) -> None:
    class Errands(ItemsSection[Errand]):
        """What is to be fetched."""

        name = "errands"
        lines = {"full": "**{what}**"}  # noqa: RUF012 - a declaration
        done = "fetched"
        verbs = given

    with HudStore.open(":memory:", domain=Domain("errands", (Errands,))) as store:
        session = store.session("s")
        session.record("errands.add", what="Milk")
        assert "fetch: id (one: it is then fetched)" in json.dumps(session.tools("openai"))
        first, again = (session.call("hud", {"op": "errands.fetch", "id": "e-2"}) for _ in "ab")
        assert first.text.splitlines()[0] == "Marked e-2 as fetched."
        assert again.text.splitlines()[0] == answer


class TestWhatIsOpenComesFirst:
    @looped("limit", range(1, 14))
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
