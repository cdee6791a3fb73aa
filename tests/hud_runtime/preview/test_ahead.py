"""The turns that a preview prepares, and the caches it fills: its answers are those of a fresh look."""

from __future__ import annotations

import signal
import sys
import time
from contextlib import ExitStack, suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hud_runtime import HudStore
from tests.hud_runtime.preview.hostile import TEXTS
from tests.hud_runtime.preview.inside import (
    EARLY,
    Answers,
    AwaitedError,
    PreviewLook,
    ReadBlocks,
    RenderedPiece,
    States,
    Subject,
    beside,
    by_node,
    data_of,
    loaded,
    process,
    spread,
)
from tests.hud_runtime.preview.inside import reading as states
from tests.hud_runtime.preview.many import FEW, long_session
from ujsx import render_document
from ujsx.elements import Paragraph, Section

TURNS = 60
DOMAIN = "tests.hud_runtime.preview.many:FEW"


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """A session of 60 turns in a domain of ten sections."""
    path = tmp_path_factory.mktemp("long") / "hud.db"
    long_session(path, TURNS, domain=FEW)
    return path


@pytest.fixture
def answers(long):
    def made(**more):
        subject = Subject("long", store=str(long), session="long", domain=DOMAIN, **more)
        return Answers(loaded(subject, held), "long")

    with ExitStack() as held:
        yield made


class TestStates:
    def test_are_those_of_the_session_in_whatever_order(self, answers):
        session = answers()._session
        found = States(session)
        for version in (40, 7, 90, 41, 40, 0, session.version):
            assert found.at(version, is_stop=version % 2 == 0) == session.state(at=version)

    def test_share_what_did_not_change(self, answers):
        found = States(answers()._session)
        before, now = found.at(60, is_stop=True), found.at(64)
        assert sum(before[each] is now[each] for each in before.sections[:10]) >= 8

    def test_of_far_off_are_read_from_a_snapshot(self, answers, monkeypatch):
        monkeypatch.setattr(states, "FARTHEST", 10)
        session = answers()._session
        assert States(session).at(100) == session.state(at=100)

    def test_that_are_kept_are_few(self, answers):
        found = States(answers()._session)
        for version in range(100):
            found.at(version)
        assert len(found._recent) == states.RECENT

    def test_forget_what_was_erased(self, tmp_path):
        with HudStore.open(tmp_path / "hud.db") as store:
            session = store.session("s")
            noted = session.record("note.add", content="sk-secret", turn=1)
            session.record("note.add", content="Port 8080", turn=2)
            found = States(session)
            assert "sk-secret" in str(found.at(noted.version))
            assert not found.is_erased()
            store.keeping.erase("s", noted.version)
            assert found.is_erased()
            assert "sk-secret" not in str(found.at(noted.version))
            assert not found.is_erased()


class TestReadings:
    @settings(max_examples=2 * settings.default.max_examples)
    @given(st.lists(st.sampled_from(TEXTS) | st.text(min_size=1, max_size=30), max_size=4))
    def test_are_those_of_the_whole_text_whatever_it_shows(self, said):
        tree = Section(title="HUD")[
            [Section(title=each or "a")[Paragraph()[each]] for each in said]
        ]
        shown = render_document(tree)
        texts = [each.text for each in shown.nodes]
        whole = by_node(shown.text, [each.start for each in shown.nodes])
        assert ReadBlocks().of(shown.text, texts) == [data_of(each) for each in whole]

    def test_of_a_rendering_are_those_of_its_whole_text(self, answers):
        shown = answers()._seen(PreviewLook(TURNS, "full", "off")).shown.rendered
        texts = [each.text for each in shown.nodes]
        whole = [
            data_of(each) for each in by_node(shown.text, [each.start for each in shown.nodes])
        ]
        assert ReadBlocks().of(shown.text, texts) == whole

    def test_are_left_between_two_texts_and_gone_on_with(self):
        parts = ["# HUD", "\n\n*Port*", "\n\nLeft"]
        asked = []

        def before_each():
            asked.append(1)
            if len(asked) == 3:
                raise AwaitedError

        readings = ReadBlocks(before_each)
        with pytest.raises(AwaitedError):
            readings.of("".join(parts), parts)
        assert readings.of("".join(parts), parts) == ReadBlocks().of("".join(parts), parts)
        assert len(asked) == 4  # the two that were read are not read again

    def test_a_definition_is_seen_from_everywhere(self):
        parts = ["[a][b]", "\n\n[b]: https://c.co", "\n\n- [ ] d"]
        assert ReadBlocks().of("".join(parts), parts)[0] == [
            ["p", "", "", [["span", "link", "https://c.co", ["a"]]]]
        ]


LOOKS = st.builds(
    PreviewLook,
    turn=st.integers(0, TURNS),
    density=st.sampled_from([None, "minimal", "full"]),
    budget=st.sampled_from([None, "off", 40, 300]),
)


class TestAhead:
    @settings(max_examples=6)
    @given(
        st.lists(LOOKS, min_size=1, max_size=3),
        st.integers(0, 20),
        st.sampled_from([None, "tests.hud_runtime.preview.many:FEW_BOUND"]),
    )
    def test_changes_no_answer(self, long, looks, steps, tree):
        subject = Subject("long", store=str(long), session="long", domain=DOMAIN, object=tree)
        with ExitStack() as held:
            kept = Answers(loaded(subject, held), "long")
            for look in looks:
                for _ in range(steps):
                    kept.ahead()
                fresh = Answers(loaded(subject, held), "long")
                assert kept.view(look) == fresh.view(look)
                assert kept.rungs(look) == fresh.rungs(look)
                assert kept.change(look) == fresh.change(look)

    @pytest.mark.parametrize("more", [{}, {"object": "tests.hud_runtime.preview.many:FEW_BOUND"}])
    def test_leaves_little_to_do_for_a_turn_that_nobody_looked_at(self, answers, monkeypatch, more):
        made = []
        transformed = RenderedPiece._transformed
        monkeypatch.setattr(
            RenderedPiece, "_transformed", lambda self: made.append(1) or transformed(self)
        )
        kept = answers(**more)
        kept.view(PreviewLook(TURNS, budget=300))
        at_first = len(made)
        assert at_first > 30
        while kept.ahead():
            pass
        made.clear()
        kept.view(PreviewLook(33, budget=300))
        assert len(made) < at_first / 5

    @pytest.mark.parametrize("more", [{}, {"object": "tests.hud_runtime.preview.many:FEW_BOUND"}])
    @pytest.mark.parametrize(
        "look", [PreviewLook(TURNS), PreviewLook(33, "compact"), PreviewLook(7, None, "off")]
    )
    def test_leaves_nothing_to_do_for_a_move_of_another_slider(
        self, answers, monkeypatch, more, look
    ):
        """The density and the budget are what a turn is looked at by next; that comes after a few turns, and before all others."""
        made = []
        transformed = RenderedPiece._transformed
        monkeypatch.setattr(
            RenderedPiece, "_transformed", lambda self: made.append(1) or transformed(self)
        )
        kept = answers(**more)
        kept.view(PreviewLook(50))
        kept.view(look)
        for _ in range(EARLY + len(beside(look))):
            assert kept.ahead()
        made.clear()
        for each in beside(look):
            kept.view(each)
        assert made == []

    def test_looks_anew_beside_a_turn_that_somebody_wrote_to(self, tmp_path):
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store, ExitStack() as held:
            session = store.session("s")
            session.record("note.add", content="Port 8080", turn=1)
            kept = Answers(loaded(Subject("s", store=str(path), session="s"), held), "s")
            kept.view(PreviewLook())
            while kept.ahead():
                pass
            session.record("note.add", content="Port 9090")
            kept.view(PreviewLook())
            assert kept._beside == beside(PreviewLook(1))[::-1]

    def test_begins_with_turns_that_lie_far_from_one_another(self):
        for count in (0, 1, 2, 3, 7, 100):
            found = spread(range(count))
            assert sorted(found) == [*range(count)]
        assert spread(range(100))[:4] == [0, 64, 32, 96]

    def test_is_left_for_what_somebody_waits_for_and_gone_on_with(self, long):
        waits = []
        subject = Subject("long", store=str(long), session="long", domain=DOMAIN)
        with ExitStack() as held:
            kept = Answers(loaded(subject, held), "long", lambda: bool(waits))
            kept.view(PreviewLook())
            waits.append(1)
            assert [kept.ahead() for _ in range(3)] == [True] * 3
            assert kept._ahead is None  # not even the states are at hand
            waits.clear()
            assert kept.ahead()
            left = kept._ahead[:]
            waits.append(1)
            assert [kept.ahead() for _ in range(3)] == [True] * 3
            assert (
                kept._ahead == left == spread(range(TURNS))[:0:-1]
            )  # the second is still to be made
            with pytest.raises(AwaitedError):
                kept.rungs(PreviewLook(7))
            assert kept.view(PreviewLook(7))["turn"] == 7  # which is what they wait for
            waits.clear()
            assert kept.rungs(PreviewLook(7))["sections"]
            left = TURNS - 1 + len(beside(PreviewLook(7)))
            assert sum(1 for _ in iter(kept.ahead, False)) == left - 1  # and the last

    def test_is_left_wherever_it_is_and_begun_again(self, long):
        """At each look at whether somebody asks: at a piece, at what an account counts, at a text that is read."""
        left, seen = [0], [0]
        subject = Subject("long", store=str(long), session="long", domain=DOMAIN)

        def is_awaited():
            left[0] -= 1
            seen[0] += 1
            return left[0] == 0

        with ExitStack() as held:
            kept = Answers(loaded(subject, held), "long", is_awaited)
            fresh = Answers(loaded(subject, held), "long")
            kept.view(PreviewLook())
            while kept._ahead is None or len(kept._ahead) > kept._later:
                kept.ahead()
            attempts = 0
            while kept._beside:
                attempts += 1
                left[0], seen[0] = attempts, 0
                before = len(kept._beside)
                assert kept.ahead()
                assert len(kept._beside) == before - (seen[0] < attempts)
            assert attempts > 60
            for each in beside(PreviewLook(TURNS)):
                assert kept.view(each) == fresh.view(each)

    def test_ends_with_its_turns(self, answers):
        kept = answers()
        kept.view(PreviewLook())
        steps = TURNS + len(beside(PreviewLook()))
        assert sum(1 for _ in iter(kept.ahead, False)) == steps - 1  # and the last
        kept.view(PreviewLook(budget=40))
        assert kept.ahead()


def nobody():
    return False


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="only where there is a timer")
class TestAStep:
    """One in the process that an author's code runs in."""

    class Author:
        def __init__(self, step):
            self.ahead, self.given_up = step, False

        def give_up(self):
            self.given_up = True

    def test_without_an_end_is_given_up(self, monkeypatch):
        def endless():
            while True:
                with suppress(Exception):  # as an author may write it
                    sum(range(100))

        monkeypatch.setattr(process, "LONG", 0.05)
        author = self.Author(endless)
        assert process._step_ahead(author, nobody) is False
        assert author.given_up
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0

    @pytest.mark.parametrize("waits", [False, True])
    def test_that_takes_long_without_a_processor_is_given_up_for_somebody_who_waits(
        self, monkeypatch, waits
    ):
        """Other work on the machine, and an author's pauses, hold nobody up who does not wait."""
        monkeypatch.setattr(process, "LONG", 0.05)
        author = self.Author(lambda: time.sleep(0.3) or True)
        assert process._step_ahead(author, lambda: waits) is not waits
        assert author.given_up is waits
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0

    def test_that_raises_is_told_to_nobody(self):
        def raising():
            raise ValueError("an old turn")

        author = self.Author(raising)
        assert process._step_ahead(author, nobody) is False
        assert not author.given_up
        leaving = self.Author(lambda: sys.exit(3))
        assert process._step_ahead(leaving, nobody) is False

    def test_tells_whether_there_is_more(self):
        assert process._step_ahead(self.Author(lambda: True), nobody) is True
