"""What a domain's HUD says, how it is read back, and that nobody's text becomes a part of it."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import Domain, Hud, as_shown, parse
from hud_runtime import HudSession, HudStore
from tests.docs.domains.cases import CASES, Case
from tests.hud_runtime.clock import Ticking
from tests.hud_runtime.drafts import event_drafts_of
from tests.ids import looped
from ujsx import Density, render
from ujsx.testing import assert_inert
from ujsx.testing.strategies import INJECTIONS

DENSITIES = tuple(Density)


def hud_of(session: HudSession[Any], case: Case) -> Any:
    return Hud.of(session.state(), now=case.now)


def test_at_each_density(case, played, tier_snapshots):
    tier_snapshots(partial(played.hud, now=case.now), case.name)


def test_within_budgets(case, played, tier_snapshots):
    tier_snapshots(
        partial(played.hud, now=case.now),
        f"{case.name}_within",
        budget=(40, 80),
        or_floor=case.name == "remembering",
    )


def test_the_state_is_known_by_section(case, played):
    state = played.state()
    for section in case.domain.fields.values():
        assert state[section] is getattr(state, section.field)
        found = state[section] if isinstance(state[section], tuple) else (state[section],)
        assert all(each is None or type(each) is section.value for each in found)


def test_a_budget_is_held_and_what_is_left_out_is_told(case, played):
    least = played.hud(now=case.now, budget=1).tokens
    full = played.hud(now=case.now, density="full").tokens
    for budget in range(least, full + 20, 7):
        hud = played.hud(now=case.now, budget=budget)
        assert hud.tokens <= budget
        assert not hud.over_budget
        for each in hud.omitted:
            assert each.count > 0
            assert each.handle
            shown = played.call("hud", {"op": each.handle.removeprefix("hud ")})
            assert not shown.is_error
            assert all(f"`{item}`" in shown.text for item in each.ids)


@pytest.mark.parametrize("density", DENSITIES)
def test_it_is_read_back(case, played, density):
    node = hud_of(played, case)
    check_read_back(case.domain, node, density)


def check_read_back(domain: Domain[Any], node: Any, density: Density) -> None:
    text = render(node, density=density)
    read = parse(text, vocabulary=domain.sections)
    assert read == as_shown(node, density=density)
    stands = any(getattr(each, "standing", None) for each in node.children)  # which no text tells
    if read.children and not stands:  # a HUD without any would have those of a coding session
        assert render(read, density=density) == text


@given(case=st.sampled_from(CASES), data=st.data())
def test_whatever_is_recorded_is_read_back_and_inert(case, data):
    drafts = data.draw(st.lists(event_drafts_of(case.domain), max_size=12))
    with HudStore.open(":memory:", domain=case.domain, clock=Ticking()) as store:
        session = store.session("any")
        session.record_all(drafts, refused=lambda draft, error: None)
        node = hud_of(session, case)
        for density in DENSITIES:
            check_read_back(case.domain, node, density)
        assert_inert(node)


@pytest.fixture(scope="module")
def plain_titles() -> dict[str, set[str]]:
    """By the domain's name, the titles that the HUD of its story has without an attack."""
    titles = {}
    for case in CASES:
        clock = Ticking(1_772_438_400_000, 1_000)
        with HudStore.open(":memory:", domain=case.domain, clock=clock, entropy=bytes) as store:
            lines = case.played(store, "plain").hud().text.splitlines()
            titles[case.name] = {line for line in lines if line.startswith("#")}
    return titles


@looped(("number", "hostile"), enumerate(INJECTIONS))
def test_hostile_text_stays_text(case, store, plain_titles, number, hostile):
    session = store.session(f"hostile {number}")
    for call in case.calls:
        said = {name: attacked(value, hostile, name) for name, value in call.items()}
        session.call("hud", said)
    assert_inert(hud_of(session, case))
    titles = [line for line in session.hud().text.splitlines() if line.startswith("#")]
    assert set(titles) <= plain_titles[case.name]


def attacked(value: object, hostile: str, name: str) -> object:
    """The value of an argument with an attack in it, where it is free text."""
    free = {
        "subject",
        "fact",
        "what",
        "claim",
        "because",
        "question",
        "shows",
        "file",
        "to",
        "why",
        "content",
        "text",
    }
    return f"{value} {hostile}" if name in free else value


def test_an_empty_hud_has_a_title_alone(case, store):
    session = store.session("empty")
    assert session.hud(now=case.now).text == "# HUD\n"
    assert session.hud(density="minimal").text == ""


def test_a_layout_may_name_the_sections(case, played):
    layout = Hud(title="Mine")[[section() for section in case.domain.fields.values()]]
    text = played.hud(layout=layout, density="full").text
    assert text.startswith("# Mine\n")
    whole = played.hud(density="full").text
    assert text.partition("\n")[2].rstrip() in whole


@pytest.mark.parametrize("density", DENSITIES)
def test_what_is_handed_on_says_where_it_is_from(case, store, played, density):
    child = store.session("child", parent=played)
    check_read_back(case.domain, Hud.of(child.state()), density)
    if any(section.from_parent for section in case.domain.fields.values()):
        assert "*from the parent session*" in child.hud(density="full").text
