"""Turns that were looked at before: cached states and pieces change no answer."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hud_runtime import HudStore
from tests.hud_runtime.preview.hostile import TEXTS
from tests.hud_runtime.preview.inside import (
    Answers,
    PreviewLook,
    ReadBlocks,
    States,
    Subject,
    by_node,
    data_of,
    loaded,
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
            assert found.at(version) == session.state(at=version)

    def test_share_what_did_not_change(self, answers):
        found = States(answers()._session)
        before, now = found.at(60), found.at(64)
        assert sum(before[each] is now[each] for each in before.sections[:10]) >= 8

    def test_of_far_off_are_read_from_a_snapshot(self, answers, monkeypatch):
        monkeypatch.setattr(states, "FARTHEST", 10)
        session = answers()._session
        assert States(session).at(100) == session.state(at=100)

    def test_that_are_kept_are_few(self, answers):
        found = States(answers()._session)
        for version in range(states.RECENT + 9):
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


class TestAnswers:
    @settings(max_examples=6)
    @given(
        st.lists(LOOKS, min_size=1, max_size=3),
        st.sampled_from([None, "tests.hud_runtime.preview.many:FEW_BOUND"]),
    )
    def test_are_those_of_a_fresh_look(self, long, looks, tree):
        subject = Subject("long", store=str(long), session="long", domain=DOMAIN, object=tree)
        with ExitStack() as held:
            kept = Answers(loaded(subject, held), "long")
            for look in looks:
                fresh = Answers(loaded(subject, held), "long")
                assert kept.view(look) == fresh.view(look)
                assert kept.rungs(look) == fresh.rungs(look)
                assert kept.change(look) == fresh.change(look)
