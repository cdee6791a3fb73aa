"""What a test may give to be rendered, and what is said of anything else."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hud_components import (
    BUDGETS,
    Domain,
    ErrorsList,
    Hud,
    HudState,
    Note,
    NotesSection,
    SessionLine,
    Task,
    TaskSection,
    View,
)
from hud_runtime import HudStore
from tests.hud_runtime.editing.support import TicketSection
from tests.ids import looped
from tests.ujsx.testing.project import Project
from ujsx import (
    ChildError,
    Component,
    Density,
    RenderContext,
    RenderError,
    render_document,
)
from ujsx.components import Now
from ujsx.elements import Paragraph
from ujsx.errors import ClockWarning
from ujsx.testing import TIER_TOKENS, assert_fits, assert_inert, assert_nothing_hidden


class ShopState(HudState):
    """A state that a user extends, as for a projection of their own."""

    shop: str = "parcels"


class ShopLine(Component):
    """Reads the user's own state."""

    def render(self, ctx, children):
        state = ctx.get(ShopState)
        return Paragraph()[state and state.shop]


STATE = ShopState(task=Task(description="Ship parcels"), notes=(Note(id="n-1", content="Port 80"),))
LAYOUT = Hud()[TaskSection(), NotesSection(), ShopLine()]


@pytest.fixture
def session():
    with HudStore.open(":memory:") as store:
        session = store.session("s")
        session.record("task.set", description="Ship parcels")
        session.record("note.add", content="Port 80")
        yield session


class Clock(Component):
    """The time, as long as it is told what it is; it has no dense form."""

    def render(self, ctx, children):
        now = ctx.get(Now)
        told.append(now)
        return now and Paragraph()[f"It is {now} ms past the epoch."]


told: list[int | None] = []
"""The times that clocks were told."""


class TestNow:
    """A view may tell the time: a test says what it is."""

    def test_is_told_to_a_session_and_to_a_tree(self, session) -> None:
        session.record("session.title", title="Sign-in")
        now = session.state().session.started_at + 43 * 60_000
        tree = Hud()[SessionLine(), Clock()]
        for what, state in ((tree, session.state()), (partial(session.hud, layout=tree), None)):
            told.clear()
            assert_inert(what, state=state, now=now, densities=["full"])
            assert {*told} == {now}

    def test_is_refused_where_nothing_takes_it(self) -> None:
        with pytest.raises(RenderError, match="takes no now="):
            assert_fits(lambda density=None, budget=None: render_document("x"), 9, now=10**11)

    def test_is_taken_by_each_way_to_test(self, session) -> None:
        now = session.state().session.started_at + 43 * 60_000
        assert_fits(session, 500, now=now)
        assert_nothing_hidden(session, now=now)
        with pytest.raises(AssertionError, match=r"the floor.* has \d+ tokens"):
            assert_fits(Clock(), 1, now=1_772_440_800_000)
        with pytest.raises(AssertionError, match=r"nothing to test: of Clock .*give now="):
            assert_fits(Clock(), 1)


class ShopClock(View):
    """An author's own view that tells the time."""

    reads = ("now",)

    def render(self, ctx, children):
        now = self.time(ctx)
        return now and Paragraph()[f"Open since {now} ms."]


class TestAForgottenNow:
    """What tells the time shows less where nobody says what it is, and a test would hold that for ever."""

    LAYOUT = Hud()[TaskSection(), ShopClock(), SessionLine()]

    @pytest.mark.parametrize("by_session", [False, True])
    def test_is_warned_of_with_the_sections_at_the_line_of_the_test(
        self, session, *, by_session: bool
    ) -> None:
        session.record("session.title", title="Sign-in")
        layout: Any = partial(session.hud, layout=self.LAYOUT)
        state = None if by_session else session.state()
        for check in (
            assert_inert,
            lambda what, **how: assert_fits(what, 90, **how),
            lambda what, **how: assert_nothing_hidden(what, but=("SessionInfo.title",), **how),
        ):
            what = layout if by_session else self.LAYOUT
            with pytest.warns(
                ClockWarning, match=r"^ShopClock, SessionLine tell the time, .* give now="
            ) as caught:
                check(what, state=state)
            assert [each.filename for each in caught] == [__file__]
            check(what, state=state, now=1_772_440_800_000)  # warnings are errors here

    def test_is_none_where_nothing_more_would_be_shown(self, session) -> None:
        assert_inert(self.LAYOUT, state=session.state(), densities=["minimal"], now=10**11)
        shown = Hud()[TaskSection(), ErrorsList(), SessionLine()]
        assert_inert(shown, state=session.state(), densities=["compact"])  # there it tells no age
        assert_inert(session)  # its usual sections tell an age where somebody says what time it is
        timed = RenderContext().with_value(Now(1_772_440_800_000))
        assert_inert(self.LAYOUT, timed, state=session.state())

    def test_of_an_authors_own_section_in_the_usual_hud(self) -> None:
        with HudStore.open(":memory:", domain=Domain("shop", (ShopClock, NotesSection))) as store:
            session = store.session("s")
            session.record("note.add", content="Port 80")
            with pytest.warns(ClockWarning, match="^ShopClock tells the time"):
                assert_inert(session)
            assert_inert(session, now=1_772_440_800_000)


THINGS = """
import warnings
from functools import partial

import pytest

from hud_components import ErrorsList, Hud, HudState, Note, NotesSection, Task, TaskSection
from hud_runtime import HudStore
from ujsx import Component, RenderError, RenderContext, SnapshotError, render_document
from ujsx.elements import Paragraph


class ShopState(HudState):
    shop: str = "parcels"


class ShopLine(Component):
    def render(self, ctx, children):
        state = ctx.get(ShopState)
        return Paragraph()[state and f"{state.shop} {ctx.get(int)} {ctx.get(HudState) is state}"]


class Show(Component):
    hud: str = "x"

    def render(self, ctx, children):
        return self.hud


class Themed(Component):
    words: tuple[str, ...] = ()

    def render(self, ctx, children):
        return bool(self.words) and Paragraph()[f"{ctx.get(int) or 0}: ", *self.words]


class Warns(Component):
    def render(self, ctx, children):
        warnings.warn("mind the gap", stacklevel=1)
        return "x"


def test_things(tier_snapshots):
    tier_snapshots((each for each in (Paragraph()["a"], "b")), "generator")
    tier_snapshots(Show(), "prop", densities=["full"])
    tier_snapshots(partial(render_document, "x"), "function", budget=3)
    tier_snapshots(lambda **how: render_document("x", **how), "lambda", densities=["full"])
    state = ShopState(task=Task(description="Ship parcels"), notes=(Note(id="n-1", content="Port 80"),))
    layout = Hud()[TaskSection(), NotesSection(), ShopLine()]
    context = RenderContext().with_value(7)
    tier_snapshots(layout, "layout", state=state, context=context, densities=["full"])


def test_sessions(tier_snapshots):
    with HudStore.open(":memory:") as store:
        session = store.session("s")
        session.record("task.set", description="Ship parcels")
        tier_snapshots(session, "session")
        tier_snapshots(session.hud, "hud")
        session.record("note.add", content="Port 80")
        tier_snapshots(NotesSection(), "room", state=session.state(), budget=0)
        nothing = Hud(title="Mine")[ErrorsList()]
        for what, state in ((nothing, session.state()), (partial(session.hud, layout=nothing), None)):
            with pytest.raises(AssertionError, match=r"nothing to test: of .*assert .*'# Mine\\\\n'$"):
                tier_snapshots(what, "nothing", state=state, densities=["full"])


def test_what_was_given_nothing(tier_snapshots):
    for number, tree in enumerate([NotesSection(notes=()), TaskSection(task=None), Themed(words=()), [""]]):
        tier_snapshots(tree, f"nothing {number}", densities=["full"])
    for tree in (None, [], False, ()):
        with pytest.raises(RenderError, match="empty tree, such as None or .*; give a component"):
            tier_snapshots(tree, "empty")


def test_warnings(tier_snapshots):
    with pytest.warns(UserWarning, match="mind the gap") as told:
        tier_snapshots(Warns(), densities=["full"])
    assert told[0].filename == __file__


@pytest.mark.parametrize("budget", [-1, True, 1.5, [10, "x"]])
def test_budgets(tier_snapshots, budget):
    with pytest.raises(RenderError, match="a budget must be a number of tokens, 0 or more, not"):
        tier_snapshots("x", budget=budget)


def test_tiers(tier_snapshots):
    with pytest.raises(SnapshotError, match=r"densities= or budget=.*partial"):
        tier_snapshots(["x"], densities=["full"], budget=10)
    for nothing in ({"budget": []}, {"densities": []}):
        with pytest.raises(SnapshotError, match="there is nothing to compare"):
            tier_snapshots(["x"], **nothing)
"""
"""A project of somebody who gives the fixture ``tier_snapshots`` all that can be rendered, and what cannot."""


class TestRenders:
    def test_all_that_can_be_rendered(self, project: Project) -> None:
        project.write("tests/test_things.py", THINGS)
        done = project.run("--snapshot-update")
        assert done.returncode == 0, done.stdout

        def text(case: str) -> str:
            return project.read(f"snapshots/tests/test_things/{case}.md")

        for tier in ("full", "compact", "minimal"):
            assert text(f"generator.{tier}") == "a\n\nb\n"
            assert "Ship parcels" in text(f"session.{tier}") == text(f"hud.{tier}")
        assert text("room.budget-0") == ""
        assert text("prop.full") == text("function.budget-3") == text("lambda.full") == "x\n"
        shown = ("Ship parcels", "Port 80", "parcels 7 True\n")
        assert all(each in text("layout.full") for each in shown), text("layout.full")


class TestRefusals:
    @looped(
        ("what", "error", "message"),
        [
            (
                render_document("x"),
                RenderError,
                "rendered already, at one density; give .* the session",
            ),
            (lambda: render_document("x"), RenderError, "cannot render tiers: .* density= or"),
            (lambda density: render_document("x"), RenderError, "cannot render tiers"),
            (
                "# Rendered",
                RenderError,
                r"a text .*escaped.*read_layout.*Paragraph.*MarkdownSnapshot",
            ),
            (3, ChildError, "int"),
            (ShopLine, AssertionError, "of ShopLine nothing is shown"),
        ],
    )
    def test_what_renders_nothing(self, what: Any, error: type[Exception], message: str) -> None:
        with pytest.raises(error, match=message):
            assert_fits(what, 9)

    def test_a_function_that_gives_text(self) -> None:
        with pytest.raises(RenderError, match="gave 'x', and not a Rendered"):
            assert_fits(lambda **_: "x", 9)  # type: ignore[arg-type, return-value]

    def test_a_context_beside_a_session(self, session) -> None:
        for own in ({"state": session.state()}, {"context": RenderContext()}):
            with pytest.raises(RenderError, match=r"HudSession renders its own state.*partial"):
                assert_fits(session, 9, **own)

    @pytest.mark.parametrize(
        "test", [partial(assert_fits, budget=9), assert_inert, assert_nothing_hidden]
    )
    def test_a_session_where_a_state_or_a_context_is_meant(self, session, test: Any) -> None:
        with pytest.raises(RenderError, match=r"not a HudSession; write state=session\.state\(\)"):
            test(LAYOUT, state=session)
        with pytest.raises(RenderError, match=r"context= takes a RenderContext, .*state="):
            test(LAYOUT, context=session)
        with pytest.raises(RenderError, match="not the class HudState; make one"):
            test(LAYOUT, state=HudState)

    @looped("state", [{"wheels": []}, [], "x", 3, ()])
    def test_what_is_no_state(self, state: Any) -> None:
        kind = type(state).__name__
        with pytest.raises(
            RenderError, match=rf"state= takes a state such as session\.state\(\), not a {kind}"
        ):
            assert_inert(LAYOUT, state=state)

    def test_a_state_in_place_of_what_shows_it(self) -> None:
        with pytest.raises(RenderError, match="give the session, or a layout with state="):
            assert_inert(STATE)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("now", "advice"),
        [
            (datetime(2026, 1, 1, tzinfo=UTC), r"int\(moment\.timestamp\(\) \* 1000\)"),
            (1_772_440_800, "give now=1772440800000"),
            (1_772_440_800.5, r"int\(time\.time\(\) \* 1000\)"),
            ("today", "a whole number"),
            (True, "a whole number"),
        ],
    )
    def test_a_moment_that_is_none(self, session, now: Any, advice: str) -> None:
        for what, state in ((session, None), (LAYOUT, STATE)):
            with pytest.raises(RenderError, match=rf"milliseconds since the Unix epoch.*{advice}"):
                assert_inert(what, state=state, now=now)


class Themed(Component):
    """Looks for what need not be there, and may have nothing to show."""

    words: tuple[str, ...] = ()

    def render(self, ctx, children):
        return bool(self.words) and Paragraph()[f"{ctx.get(int) or 0}: ", *self.words]


class TestNothingToTest:
    """What shows nothing passes every test, so that is no test."""

    @looped("test", [assert_inert, assert_nothing_hidden, lambda what: assert_fits(what, 9)])
    @looped("layout", [Hud()[TaskSection(), NotesSection(limit=2)], TaskSection()])
    @pytest.mark.filterwarnings("ignore::hud_components.declaring.LayoutWarning")
    def test_where_the_state_is_forgotten(self, layout: Any, test: Any) -> None:
        with pytest.raises(
            AssertionError,
            match=r"nothing to test: of TaskSection.* State is looked .*give state=, such as session\.state",
        ):
            test(layout)

    @looped("tree", [NotesSection(notes=()), TaskSection(task=None), Themed(words=()), [""], None])
    def test_is_not_what_was_given_nothing(self, tree: Any) -> None:
        assert_inert(tree)
        assert_nothing_hidden(tree)
        assert_fits(tree, 9)

    @looped("test", [assert_inert, assert_nothing_hidden, partial(assert_fits, budget=99)])
    def test_a_section_of_another_domain_fails_beside_one_that_shows(self, test: Any) -> None:
        layout = Hud()[TaskSection(), TicketSection()]
        with pytest.raises(
            AssertionError,
            match=r"nothing to test: TicketSection shows nothing: it is not a section of the domain",
        ):
            test(layout, state=STATE)
        with HudStore.open(":memory:") as store:
            own = partial(store.session("s").hud, layout=layout)
            with pytest.raises(AssertionError, match="TicketSection shows nothing"):
                test(own)

    @given(st.just(TaskSection()))
    @settings(max_examples=1)
    def test_is_not_one_of_many_examples(self, section: Any) -> None:
        assert_inert(section)

    def test_is_not_a_state_that_has_nothing_of_it(self, session) -> None:
        layout = Hud(title="Mine")[ErrorsList()]
        for what, state in (
            (layout, session.state()),
            (partial(session.hud, layout=layout), None),
        ):
            assert_inert(what, state=state)
            assert_nothing_hidden(what, state=state)


class TestTiers:
    def test_have_the_tokens_of_the_design(self) -> None:
        assert {*TIER_TOKENS.items()} == {(each, (*BUDGETS[each],)) for each in Density}
