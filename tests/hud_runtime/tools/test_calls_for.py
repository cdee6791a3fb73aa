"""From the account of a rendering to the calls that show exactly what is missing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hud_components import HudState, Note
from hud_runtime import HudStore
from hud_runtime.tools import calls_for
from tests.ids import looped
from ujsx import Density, OmittedItems

SMALL = st.integers(0, 9)


class TestCalls:
    @given(
        notes=st.integers(0, 30),
        decisions=SMALL,
        steps=SMALL,
        errors=SMALL,
        done=st.sets(SMALL),
        density=st.sampled_from(Density),
    )
    def test_show_what_was_left_out_and_nothing_else(
        self,
        *,
        notes: int,
        decisions: int,
        steps: int,
        errors: int,
        done: set[int],
        density: Density,
    ) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            for number in range(notes):
                session.record("note.add", content=f"note {number}")
            for number in range(decisions):
                session.record("decision.record", summary=f"decision {number}")
            for number in range(errors):
                session.record("error.encountered", message=f"error {number}")
            for number in range(steps):
                session.record("step.add", description=f"step {number}")
            for number, step in enumerate(session.state().next_steps):
                if number in done:
                    session.record("step.complete", id=step.id)
            state = session.state()
            for omitted in session.hud(density=density).omitted:
                answers = [session.call("hud", call) for call in calls_for(omitted, state)]
                shown = [item["id"] for answer in answers for item in answer.data["items"]]
                assert sorted(shown) == sorted(omitted.ids)

    def test_take_several_pages_where_one_is_too_short(self) -> None:
        state = HudState(notes=tuple(Note(id=f"n-{n}", content="x") for n in range(250)))
        omitted = OmittedItems("NotesSection", 230, tuple(f"n-{n}" for n in range(5, 235)), 9, None)
        pages = [
            (call["call"]["after"], call["call"]["limit"]) for call in calls_for(omitted, state)
        ]
        assert pages == [(5, 100), (105, 100), (205, 30)]

    @looped("ids", [(), ("n-99",)])
    def test_are_none_where_nothing_is_named_or_known(self, ids: tuple[str, ...]) -> None:
        state = HudState(notes=(Note(id="n-1", content="x"),))
        assert calls_for(OmittedItems("NotesSection", 1, ids, 9, None), state) == []
