"""Sessions of a domain in a store: what is told of them, handed on, moved, and shared."""

from __future__ import annotations

import subprocess
from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import TaskSection
from hud_runtime import At, HudStore, SnapshotPolicy, project
from hud_runtime.history.exchange import export_session, import_session
from tests.docs.domains.cases import CASES, ESCALATED, EXAMPLES, ROOT, SUPPORT
from tests.hud_runtime.clock import Ticking
from tests.hud_runtime.drafts import event_drafts_of
from tests.ids import looped
from tests.warm import python


def folded(session: Any) -> Any:
    domain = session.domain
    return reduce(
        lambda state, event: project(state, event, domain), session.events(), domain.state()
    )


def test_a_state_is_the_fold_of_its_events(case, played):
    assert folded(played) == played.state()
    assert played.state(at=At.version(played.version)) == played.state()


@given(case=st.sampled_from(CASES), data=st.data())
def test_whatever_is_tried_a_state_is_the_fold_and_a_new_reader_finds_it(
    case, data, tmp_path_factory
):
    drafts = data.draw(st.lists(event_drafts_of(case.domain), max_size=15))
    path = tmp_path_factory.mktemp("store") / "hud.db"
    kept = SnapshotPolicy(every=3)
    with HudStore.open(path, domain=case.domain, clock=Ticking(), snapshots=kept) as store:
        session = store.session("any")
        session.record_all(drafts, refused=lambda draft, error: None)
        state = session.state()
        assert folded(session) == state
    with HudStore.open(path, domains=[case.domain]) as store:
        assert store.session("any").state() == state


def test_the_history_tells_every_call(case, played):
    text = played.call("hud", {"op": "history", "limit": 50}).text
    assert all(f"- `{version}` " in text for version in range(1, played.version + 1))
    assert "{" not in text, "a hole of the words is not filled"


def test_events_are_found_by_their_words(case, store, played):
    [hit, *_] = played.search(case.found)
    assert case.found in hit.snippet.casefold()
    assert [each.version for each in store.search(case.found)] == [
        each.version for each in played.search(case.found)
    ]
    assert case.found in played.call("hud", {"op": "search", "query": case.found}).text


def test_a_child_starts_with_what_its_sections_hand_on(case, store, played):
    child = store.session("child", parent=played).state()
    before = played.state()
    for section in case.domain.fields.values():
        mine, theirs = child[section], before[section]
        if not section.from_parent:
            assert not mine
        elif section.kind is None:
            assert (
                mine.model_copy(update={"origin": None}) == theirs
                if "origin" in vars(mine)
                else mine == theirs
            )
        else:
            assert [one.id for one in mine] == [
                f"parent:{one.id}" for one in theirs if section.kind.is_open(one)
            ]


def test_what_a_child_does_is_its_own(case, store, played):
    before = played.state()
    case.played(store, "other")
    child = store.session("child", parent=played)
    for call in case.calls[:3]:
        child.call("hud", dict(call))
    assert played.state() == before


def test_a_session_is_exported_and_imported(case, played):
    lines = [*export_session(played)]
    with HudStore.open(":memory:", domain=case.domain) as other:
        moved = import_session(other, lines)
        assert moved.state() == played.state()
        assert [*export_session(moved)] == lines
    with HudStore.open(":memory:", domains=[case.domain]) as other:
        renamed = import_session(other, lines, session_id="renamed")
        assert renamed.domain is case.domain
        for section in case.domain.fields.values():
            assert renamed.state()[section] == played.state()[section]


def test_one_store_holds_sessions_of_several_domains(case, tmp_path):
    path = tmp_path / "hud.db"
    with HudStore.open(path) as store:
        store.session("code").record("task.set", description="Add a login")
    with HudStore.open(path, domain=case.domain) as store:
        session = case.played(store, "mine")
        assert store.session("code").state()[TaskSection].description == "Add a login"
    with HudStore.open(path) as store:
        assert set(store.sessions()) == {"code", "mine"}
        with pytest.raises(LookupError, match=f'"mine" belongs to the domain "{case.domain.name}"'):
            store.session("mine")
    with HudStore.open(path, domains=[case.domain]) as store:
        again = store.session("mine")
        assert again.state() == session.known
        assert store.session("another").domain.name == "coding"


def test_a_section_that_came_later_is_empty_in_an_older_session(tmp_path):
    path = tmp_path / "hud.db"
    with HudStore.open(path, domain=SUPPORT.domain, snapshots=SnapshotPolicy(every=2)) as store:
        before = SUPPORT.played(store).state()
    with HudStore.open(path, domain=ESCALATED.domain) as store:
        session = store.session("story")
        for section in SUPPORT.domain.fields.values():
            assert session.state()[section] == before[section]
        assert session.state().escalations == ()
        assert not session.call("hud", dict(ESCALATED.calls[-2])).is_error
        assert len(session.state().escalations) == 1
    with HudStore.open(path, domain=SUPPORT.domain) as store:  # and without it again
        for section in SUPPORT.domain.fields.values():
            assert store.session("story").state()[section] == before[section]


def test_another_section_hears_of_an_event():
    with HudStore.open(":memory:", domain=ESCALATED.domain) as store:
        session = ESCALATED.played(store)
        assert session.state().escalations[0].tier == 3
        session.record("ticket.clear")
        assert session.state().escalations == ()


WRITER = """
import sys
from {module} import {name}
from hud_runtime import HudStore

with HudStore.open(sys.argv[1], domain={name}) as store:
    session = store.session("shared")
    for number in range(20):
        session.record({type!r}, **{{{field!r}: f"{{sys.argv[2]}}_{{number}}"}}, **{more!r})
"""


@looped(
    ("module", "name", "section", "field", "more"),
    [
        ("support", "SUPPORT", "remedies", "what", {"outcome": "failed"}),
        ("analyst", "ANALYST", "datasets", "table", {"rows": 3, "columns": ["id"]}),
    ],
)
def test_processes_share_a_session(module, name, section, field, more, tmp_path):  # noqa: PLR0917
    path = tmp_path / "hud.db"
    script = WRITER.format(module=module, name=name, type=f"{section}.add", field=field, more=more)
    command = [*python(), "-c", script, str(path)]
    started = [
        subprocess.Popen([*command, who], env={"PYTHONPATH": f"{ROOT}:{EXAMPLES}"}) for who in "ab"
    ]
    assert [each.wait(60) for each in started] == [0, 0]
    domain = next(case.domain for case in CASES if case.name == module)
    with HudStore.open(path, domain=domain) as store:
        session = store.session("shared")
        items = getattr(session.state(), section)
        assert sorted(getattr(one, field) for one in items) == sorted(
            f"{who}_{number}" for who in "ab" for number in range(20)
        )
        assert len({one.id for one in items}) == 40
        assert [event.version for event in session.events()] == [*range(1, 42)]
        assert folded(session) == session.state()


def test_two_sessions_of_a_process_see_what_the_other_records(case, tmp_path):
    path = tmp_path / "hud.db"
    with (
        HudStore.open(path, domain=case.domain) as one,
        HudStore.open(path, domain=case.domain) as two,
    ):
        there = two.session("story")
        here = case.played(one)
        assert there.state() == here.state()
        assert there.hud(now=case.now).text == here.hud(now=case.now).text
