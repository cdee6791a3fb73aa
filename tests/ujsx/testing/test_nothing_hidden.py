"""``assert_nothing_hidden``: what is left out is named, or the assertion fails."""

from __future__ import annotations

import pickle
import re
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from hud_components import (
    Decision,
    DecisionsList,
    Hud,
    HudSection,
    HudState,
    Note,
    NotesSection,
    SessionInfo,
    SessionLine,
    Task,
    TaskSection,
)
from hud_runtime import HudStore
from tests.ids import looped
from tests.ujsx.testing.inside import AllThatIsShown
from tests.work import lines_run
from ujsx import (
    Component,
    DefinitionError,
    Density,
    Disclosure,
    RenderContext,
    RenderError,
    Rung,
    component,
    render_document,
)
from ujsx.elements import Item, List, Omitted, Paragraph, Section, code
from ujsx.testing import assert_nothing_hidden

LADDER = (Rung(Density.MINIMAL, 0), Rung(Density.COMPACT, 2), Rung(Density.FULL))


class Risk(BaseModel):
    """An item of one's own."""

    model_config = ConfigDict(frozen=True)
    id: str = ""
    name: str
    why: str = ""


class Risks(Component):
    """Names what it leaves out, if ``honest``; else as much of it as ``counted`` says."""

    disclosure = Disclosure(LADDER)
    risks: tuple[Risk, ...]
    honest: bool = True
    counted: int = 0
    with_ids: bool = False

    def render(self, ctx, children):
        shown, hidden = self.risks[: ctx.limit], self.risks[len(self.risks[: ctx.limit]) :]
        count = len(hidden) if self.honest else self.counted
        mark = Omitted(
            count=count,
            ids=tuple(each.id for each in hidden) if self.with_ids else (),
            text=f"{len(hidden)} more",
        ) if count else None  # fmt: skip
        if not shown:
            return Paragraph()[mark or f"{len(hidden)} risks"]
        why = ctx.density is Density.FULL
        lines = [Item()[each.name, why and each.why and f" ({each.why})"] for each in shown]
        return Section(title="Risks")[List()[lines], mark]


THREE = tuple(
    Risk(id=f"r-{word}", name=f"The {word} may fail") for word in ("disk", "net", "clock")
)


def complaint(*arguments: Any, **named: Any) -> str:
    with pytest.raises(AssertionError) as caught:
        assert_nothing_hidden(*arguments, **named)
    return str(caught.value)


class TestWhatIsLeftOut:
    @looped("with_ids", [False, True])
    def test_is_counted_or_listed(self, with_ids: bool) -> None:
        assert_nothing_hidden(Risks(risks=THREE, with_ids=with_ids))

    def test_fails_where_it_is_not(self) -> None:
        assert complaint(Risks(risks=THREE, honest=False)).split("\n") == [
            "at density minimal, 3 texts are neither shown nor counted in Rendered.omitted:",
            "  Risk.name of 'r-disk', in Risks: 'The disk may fail'",
            "  Risk.name of 'r-net', in Risks: 'The net may fail'",
            "  Risk.name of 'r-clock', in Risks: 'The clock may fail'",
            (
                "where a section leaves something out, it puts an Omitted(count=…) there, brief=True "
                "where a line says it already; what may be left out without a word: "
                'but=("Risk.name",)'
            ),
        ]

    @given(counted=st.integers(1, 4))
    def test_fails_where_fewer_are_counted_than_are_gone(self, counted: int) -> None:
        lying = Risks(risks=THREE, honest=False, counted=counted)
        if counted < len(THREE):
            assert f"{len(THREE) - counted} text" in complaint(lying) or counted == len(THREE) - 1
        else:
            assert_nothing_hidden(lying)

    def test_fails_where_other_ids_are_listed(self) -> None:
        class Others(Risks):
            def render(self, ctx, children):
                return Paragraph()[
                    Omitted(count=1, ids=("r-net",)) if ctx.limit == 0 else self.risks[0].name
                ]

        assert "'r-disk'" in complaint(Others(risks=THREE))

    def test_a_part_of_an_item_counts(self) -> None:
        told = tuple(each.model_copy(update={"why": f"{each.name} again"}) for each in THREE)
        message = complaint(Risks(risks=told))
        assert "at density compact" in message
        assert "Risk.why of 'r-disk'" in message
        assert_nothing_hidden(Risks(risks=told), but=["Risk.why"])
        assert_nothing_hidden(Risks(risks=told), but=["Risks"])
        assert_nothing_hidden([Risks(risks=told).keyed("a")], but=["Risks[a]"])

    def test_a_text_that_is_cut_is_left_out(self) -> None:
        @component
        def Short(ctx, children, *, text: str):
            return text if ctx.density is Density.FULL else f"{text[:7]}…"

        message = complaint(Short(text="a long text"))
        assert "Short.text, in between the sections, where nothing names it" in message

    def test_a_section_that_a_budget_hides_is_in_the_ledger(self) -> None:
        class Fleeting(Component):
            disclosure = Disclosure((Rung(Density.FULL),))
            text: str

            def render(self, ctx, children):
                return self.text

        assert render_document(Fleeting(text="hello there"), budget=0).text == ""
        assert_nothing_hidden(Fleeting(text="hello there"))

    def test_what_only_a_budget_leaves_out_is_found(self) -> None:
        class Stepwise(Component):
            """Honest at every density, and not on the rung between."""

            disclosure = Disclosure(
                (Rung(Density.MINIMAL, 0), Rung(Density.COMPACT, 1), Rung(Density.COMPACT, 2),
                 Rung(Density.FULL)), floor=Density.MINIMAL,
            )  # fmt: skip
            words: tuple[str, ...]

            def render(self, ctx, children):
                rest = len(self.words) - len(self.words[: ctx.limit])
                mark = Omitted(count=rest) if rest and ctx.limit != 1 else None
                return [Paragraph()[word] for word in self.words[: ctx.limit]], mark

        words = Stepwise(words=("first of all", "second of all", "third of all"))
        for density in Density:
            assert_nothing_hidden(render_document(words, density=density))
        assert "within" in complaint(words)


class TestWhereTextsAre:
    @looped(
        "tree",
        [
            pytest.param(lambda drop: drop(text="so it is"), id="prop"),
            pytest.param(lambda drop: drop()["so it is"], id="child"),
            pytest.param(lambda drop: drop()[Paragraph()[code("so it is")]], id="inside a child"),
            pytest.param(lambda drop: drop(more=(("k", ("so it is",)),)), id="nested tuples"),
            pytest.param(lambda drop: drop(any=Plain("so it is")), id="data class"),
            pytest.param(lambda drop: Section(title="t")[drop(text="so it is")], id="in a section"),
            pytest.param(lambda drop: Wrap()[drop(text="so it is")], id="in a composite"),
        ],
    )
    def test_are_found(self, tree: Any) -> None:
        assert "'so it is'" in complaint(tree(Drops))
        assert_nothing_hidden(tree(Shows))

    def test_in_what_is_bound_to_the_context(self) -> None:
        class Bound(HudSection):
            disclosure: ClassVar[Disclosure] = Disclosure(LADDER, floor=Density.MINIMAL)

            def render(self, ctx, children):
                state = ctx.get(HudState)
                return [note.content for note in state.notes][: ctx.limit] if state else None

        class Mine(HudState):
            """A state that a user extends."""

        state = Mine(notes=(Note(id="n-1", content="Port 8080 is taken"),))
        assert "Note.content of 'n-1', in Bound: 'Port 8080 is taken'" in complaint(
            Hud()[Bound()], state=state
        )
        assert_nothing_hidden(Hud()[NotesSection()], state=state)

    def test_hidden_characters_and_markup_are_the_same_text(self) -> None:
        texts = ("a\u200bb *c*", "line\n\n# line", "<|im_start|>`x`", "x  \t y", "1. [a](b)")
        assert_nothing_hidden(Risks(risks=tuple(Risk(name=text) for text in texts)))
        assert "im_start" in complaint(Risks(honest=False, risks=(Risk(name="<|im_start|> z"),)))

    def test_a_part_of_another_text_is_not_shown_by_itself(self) -> None:
        class Titled(Risks):
            """Shows a name or counts it; never an id."""

        own = Risk(id="shop-1", name="Work on shop-1", why="shop")
        assert_nothing_hidden(Titled(risks=(own,)))
        session = SessionInfo(id="shop-1", title="Work on shop-1 today", project="shop")
        with pytest.raises(AssertionError) as caught:
            assert_nothing_hidden([SessionLine(session=session)])
        assert "SessionInfo.title, in SessionLine: 'Work on shop-1 today'" in str(caught.value)
        assert "SessionInfo.id" not in str(caught.value)

    def test_where_it_stands_alone_it_is_shown_by_itself(self) -> None:
        class Both(Component):
            disclosure = Disclosure((Rung(Density.MINIMAL), Rung(Density.FULL)))
            title: str
            number: str

            def render(self, ctx, children):
                is_full = ctx.density is Density.FULL
                return Paragraph()[f"{self.title} ({self.number})" if is_full else "…"]

        told = complaint(Both(title="Work on shop-1", number="shop-1"))
        assert "Both.number, in Both: 'shop-1'" in told
        assert "Both.title, in Both" in told

    def test_costs_in_proportion_to_the_texts(self) -> None:
        def lines(count: int) -> int:
            risks = tuple(
                Risk(id=f"r{number}", name=f"Risk {number} of r{number}") for number in range(count)
            )
            given = AllThatIsShown(render_document([Risks(risks=risks)]))
            re.purge()  # each text is a pattern, and of either size all are made
            return lines_run(lambda: [given.places(each.id) for each in risks])

        assert lines(32) < 2.5 * lines(16)

    def test_fixed_texts_are_none(self) -> None:
        state = HudState(task=Task(description="Ship parcels"))
        assert_nothing_hidden(Hud.of(state))


class TestWhatIsGiven:
    def test_a_session(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            session.record("task.set", description="Ship parcels")
            for number in range(30):
                session.record("note.add", content=f"Note number {number}")
            assert_nothing_hidden(session)
            session.record("decision.record", summary="Use JWT", details="no server state")
            assert_nothing_hidden(session)  # details that a dense HUD does not tell are named
            lying = partial(
                session.hud, layout=Hud()[NotesSection(), Risks(risks=THREE, honest=False)]
            )
            assert "Risk.name of 'r-disk', in Risks" in complaint(lying)
            assert_nothing_hidden(lying, but={"Risks"})

    def test_a_rendering_is_looked_at_as_it_stands(self) -> None:
        lying = Risks(risks=THREE, honest=False)
        assert_nothing_hidden(render_document(lying))
        message = complaint(render_document(lying, density="minimal"), but=("Risk.nam",))
        assert message.startswith("3 texts are neither")
        assert message.endswith(
            'but= names "Risk.nam", which is not there: did you mean "Risk.name"?'
        )

    def test_a_rendering_that_was_pickled_has_forgotten(self) -> None:
        rendered = pickle.loads(pickle.dumps(render_document(Paragraph()["x"])))
        with pytest.raises(RenderError, match="was pickled"):
            assert_nothing_hidden(rendered)

    def test_names_are_a_collection(self) -> None:
        with pytest.raises(DefinitionError, match=r"collection of names.*not 'Risk.name'"):
            assert_nothing_hidden("x", but="Risk.name")

    def test_a_rung_that_the_author_fixed(self) -> None:
        decisions = tuple(Decision(id=f"d-{n}", summary=f"Keep table {n}") for n in range(30))
        assert_nothing_hidden(Hud()[DecisionsList(decisions=decisions, limit=4), TaskSection()])


@dataclass(frozen=True)
class Plain:
    word: str


class Shows(Component):
    """Shows all that it is given."""

    disclosure = Disclosure()
    text: str = ""
    more: tuple[Any, ...] = ()
    any: Annotated[Any, None] = None

    def render(self, ctx: RenderContext, children: Any) -> Any:
        word = self.any.word if isinstance(self.any, Plain) else ""
        return [self.text, *(each for _, inner in self.more for each in inner), word, children]


class Drops(Shows):
    """Says less than it is given, and not a word of that."""

    def render(self, ctx: RenderContext, children: Any) -> Any:
        return super().render(ctx, children) if ctx.density is Density.FULL else "little"


@component
def Wrap(ctx, children):
    return Section(title="around")[children]


class Deaf(Component):
    """Has children given, and does not show them."""

    label: str

    def render(self, ctx: RenderContext, children: Any) -> Any:
        return Paragraph()[self.label]


class TestChildren:
    def test_that_a_component_never_shows_are_found(self) -> None:
        for tree in (
            Deaf(label="label")["a rule", Paragraph()["another"]],
            Section(title="Rules")[Wrap()[Deaf(label="label")[Paragraph()["a rule"]]]],
            List()[Item()["first", Deaf(label="label")["a rule"]]],
        ):
            with pytest.raises(AssertionError, match=r"Deaf shows none of its children.*'a rule'"):
                assert_nothing_hidden(tree)

    def test_may_be_dropped_where_the_test_says_so(self) -> None:
        tree = Deaf(label="label")["a rule"]
        assert_nothing_hidden(tree, but=("Deaf",))
        assert_nothing_hidden(tree, but=("Deaf.children",))

    def test_that_are_shown_are_none_of_these(self) -> None:
        assert_nothing_hidden([Wrap()["a rule"], Deaf(label="label"), Deaf(label="label")[" "]])

    def test_that_are_shown_where_there_is_room_are_none_of_these(self) -> None:
        @component
        def Quiet(ctx: RenderContext, children: Any) -> Any:
            return children if ctx.density is Density.FULL else None

        assert_nothing_hidden([Quiet()["only when full"]], but=("str.text", "Quiet.children"))
        with pytest.raises(AssertionError, match="neither shown nor counted"):
            assert_nothing_hidden([Quiet()["only when full"]])
