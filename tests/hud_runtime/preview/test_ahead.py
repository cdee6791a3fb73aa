"""What is kept of the turns that were looked at, and made ready of those that may be: the answers are those of a fresh look."""

from __future__ import annotations

import signal
import sys
from contextlib import ExitStack, suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hud_runtime import HudStore
from hud_runtime.preview import _process as process
from hud_runtime.preview import _states as states
from hud_runtime.preview._answers import Answers
from hud_runtime.preview._loaded import loaded
from hud_runtime.preview._reading import Readings, by_node, data_of
from hud_runtime.preview._states import States
from hud_runtime.preview._subject import Look, Subject
from tests.hud_runtime.preview.hostile import TEXTS
from tests.hud_runtime.preview.many import FEW, long_session
from ujsx import render_document
from ujsx.elements import Paragraph, Section
from ujsx.rendering._rendered_piece import RenderedPiece

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
            store.erase("s", noted.version)
            assert found.is_erased()
            assert "sk-secret" not in str(found.at(noted.version))
            assert not found.is_erased()


class TestReadings:
    @settings(max_examples=40)
    @given(st.lists(st.sampled_from(TEXTS) | st.text(min_size=1, max_size=30), max_size=4))
    def test_are_those_of_the_whole_text_whatever_it_shows(self, said):
        tree = Section(title="HUD")[
            [Section(title=each or "a")[Paragraph()[each]] for each in said]
        ]
        shown = render_document(tree)
        texts = [each.text for each in shown.nodes]
        whole = by_node(shown.text, [each.start for each in shown.nodes])
        assert Readings().of(shown.text, texts) == [data_of(each) for each in whole]

    def test_of_a_rendering_are_those_of_its_whole_text(self, answers):
        shown = answers()._seen(Look(TURNS, "full", "off")).shown.rendered
        texts = [each.text for each in shown.nodes]
        whole = [
            data_of(each) for each in by_node(shown.text, [each.start for each in shown.nodes])
        ]
        assert Readings().of(shown.text, texts) == whole

    def test_a_definition_is_seen_from_everywhere(self):
        parts = ["[a][b]", "\n\n[b]: https://c.co", "\n\n- [ ] d"]
        assert Readings().of("".join(parts), parts)[0] == [
            ["p", "", "", [["span", "link", "https://c.co", ["a"]]]]
        ]


LOOKS = st.builds(
    Look,
    turn=st.integers(0, TURNS),
    density=st.sampled_from([None, "minimal", "full"]),
    budget=st.sampled_from([None, "off", 40, 300]),
)


class TestAhead:
    @settings(max_examples=6)
    @given(st.lists(LOOKS, min_size=1, max_size=3), st.integers(0, 20))
    def test_changes_no_answer(self, long, looks, steps):
        subject = Subject("long", store=str(long), session="long", domain=DOMAIN)
        with ExitStack() as held:
            kept = Answers(loaded(subject, held), "long")
            for look in looks:
                for _ in range(steps):
                    kept.ahead()
                fresh = Answers(loaded(subject, held), "long")
                assert kept.view(look) == fresh.view(look)
                assert kept.rungs(look) == fresh.rungs(look)
                assert kept.change(look) == fresh.change(look)

    def test_leaves_little_to_do_for_a_turn_that_nobody_looked_at(self, answers, monkeypatch):
        made = []
        transformed = RenderedPiece._transformed
        monkeypatch.setattr(
            RenderedPiece, "_transformed", lambda self: made.append(1) or transformed(self)
        )
        kept = answers()
        kept.view(Look(TURNS, budget=300))
        at_first = len(made)
        assert at_first > 30
        while kept.ahead():
            pass
        made.clear()
        kept.view(Look(33, budget=300))
        assert len(made) < at_first / 5

    def test_is_nothing_for_a_tree_that_is_bound_to_a_state(self, answers, tmp_path):
        layout = tmp_path / "hud.md"
        layout.write_text("<ContextBar />\n")
        kept = answers(layout=str(layout))
        kept.view(Look())
        assert not kept.ahead()

    def test_ends_with_its_turns(self, answers):
        kept = answers()
        kept.view(Look())
        assert sum(1 for _ in iter(kept.ahead, False)) == TURNS
        kept.view(Look(budget=40))
        assert kept.ahead()


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
        assert process._step_ahead(author) is False
        assert author.given_up
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0

    def test_that_raises_is_told_to_nobody(self):
        def raising():
            raise ValueError("an old turn")

        author = self.Author(raising)
        assert process._step_ahead(author) is False
        assert not author.given_up
        leaving = self.Author(lambda: sys.exit(3))
        assert process._step_ahead(leaving) is False

    def test_tells_whether_there_is_more(self):
        assert process._step_ahead(self.Author(lambda: True)) is True
