"""What the page is told is what the library says."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hud_runtime import At, DeliveryError, HudStore
from hud_runtime.session import RenderOptions
from hud_runtime.tools import definitions
from tests.hud_runtime.preview.hostile import hostile_session
from tests.hud_runtime.preview.inside import (
    COSTS,
    PAGE,
    Answers,
    PreviewLook,
    Subject,
    loaded,
    utf16,
)
from ujsx import compare, explain

DEMO = Path(__file__).parents[3] / "hud_runtime" / "data" / "demo.jsonl"

LOOKS = st.builds(
    PreviewLook,
    turn=st.none() | st.integers(-1, 40),
    density=st.sampled_from([None, "minimal", "compact", "full"]),
    budget=st.none() | st.just("off") | st.integers(0, 900),
)


@pytest.fixture(scope="module")
def demo():
    with ExitStack() as held:
        found = loaded(Subject("demo", transcript=str(DEMO)), held)
        yield Answers(found, "demo"), found.session


def shown(session, look, turn):
    state = session.state(at=At.turn(turn))
    return session.shown(RenderOptions(density=look.density, budget=look.budget), state=state)


@given(LOOKS)
def test_a_view_is_the_rendering_of_its_turn(demo, look):
    answers, session = demo
    view = answers.view(look)
    turn = 34 if look.turn is None else min(max(look.turn, 0), 34)
    made = shown(session, look, turn)
    assert view["turn"] == turn
    assert "".join(each["text"] for each in view["nodes"]) == made.rendered.text.rstrip("\n")
    assert view["tokens"] == made.rendered.tokens
    assert (view["density"], view["budget"]) == (made.room.density, made.room.budget)
    assert [each["count"] for each in view["omitted"]] == [
        each.count for each in made.rendered.omitted
    ]
    assert len(view["reading"]) == len(view["nodes"])
    assert json.loads(json.dumps(view))["tokens"] == view["tokens"]


@settings(max_examples=3 * settings.default.max_examples // 4)
@given(LOOKS)
def test_a_change_is_the_comparison_with_the_turn_before(demo, look):
    answers, session = demo
    change = answers.change(look)
    turn = answers.view(look)["turn"]
    if turn == 0:
        assert change == {"turn": None}
        return
    before, now = (shown(session, look, each).rendered for each in (turn - 1, turn))
    found = compare(before, now)
    assert change["turn"] == turn - 1
    assert change["lost_tokens"] == found.lost_tokens
    assert (change["broken"] is None) == (found.broken is None)
    assert now.text.encode()[: change["byte"]] == now.text[: found.place].encode()
    assert change["place"] >= found.place
    if found.broken is not None:
        assert change["broken"]["field"] == found.broken.field


@settings(max_examples=2 * settings.default.max_examples // 5)
@given(LOOKS)
def test_rungs_cost_what_the_explanation_says(demo, look):
    answers, session = demo
    told = answers.rungs(look)
    made = shown(session, look, answers.view(look)["turn"])
    budget = made.rendered.tokens if made.room.budget is None else made.room.budget
    found = explain(made.node, budget, context=made.context.with_density("full"))
    assert [each["name"] for each in told["sections"]] == [each.name for each in found.sections]
    assert [[one["tokens"] for one in each["rungs"]] for each in told["sections"]] == [
        [one.tokens for one in each.rungs] for each in found.sections
    ]


@pytest.mark.parametrize(
    "look",
    [PreviewLook(20, "compact"), PreviewLook(20, "minimal"), PreviewLook(30), PreviewLook(30, None, 150), PreviewLook(9, "full", "off")],
)  # fmt: skip
def test_a_node_has_its_primitives_its_mdast_and_the_rung_above(demo, look):
    answers, _ = demo
    view = answers.view(look)
    ladders = iter(answers.rungs(look)["sections"])
    for index, each in enumerate(view["nodes"]):
        node = answers.node(look, index)
        costs = {
            one["rung"]: one["tokens"]
            for one in (next(ladders)["rungs"] if each["is_section"] else ())
        }
        assert node["index"] == index
        for _, _, _, start, end in node["mdast"]:
            assert 0 <= start <= end <= utf16(each["text"])
        if node["next"] is not None:
            assert node["next"]["tokens"] >= each["tokens"]
            assert node["next"]["text"].strip() != each["text"].strip()
            # of the same section, but for the blank line before it and the depth of its heading
            assert 0 <= costs[node["next"]["rung"]] - node["next"]["tokens"] <= 3
            places = [*costs]
            if each["rung"] in places:
                assert places.index(each["rung"]) < places.index(node["next"]["rung"])
    assert answers.node(look, len(view["nodes"])) == {"index": None}
    assert [each["path"] for each in answers.trees(look)] == [
        each["path"] for each in view["nodes"]
    ]


def test_events_of_a_turn_come_by_pages(tmp_path):
    path = tmp_path / "hud.db"
    with HudStore.open(path) as store:
        session = store.session("s")
        for number in range(2 * PAGE + 5):
            session.record("note.add", content=f"Port {number}", turn=1)
        session.record("note.add", content="later", turn=2)
    with ExitStack() as held:
        answers = Answers(loaded(Subject("s", store=str(path), session="s"), held), "s")
        after, seen = 0, []
        while after is not None:
            page = answers.events(PreviewLook(turn=1), after)
            assert len(page["events"]) <= PAGE
            seen += [each["version"] for each in page["events"]]
            after = page["after"]
        assert seen == [*range(2, 2 * PAGE + 7)]
        assert [each["words"] for each in answers.events(PreviewLook(turn=2))["events"]] == [
            "n-207 added: later"
        ]
        assert [each["type"] for each in answers.events(PreviewLook(turn=0))["events"]] == [
            "session.start"
        ]


def test_deliveries_are_those_that_were_made(tmp_path):
    path = tmp_path / "hud.db"
    with HudStore.open(path) as store:
        session = store.session("s")
        session.record("note.add", content="Port 8080", turn=1)
        session.delivered(session.deliver().id)
        session.record("note.add", content="Port 9090", turn=2)
        made = session.deliver()
    with ExitStack() as held:
        answers = Answers(loaded(Subject("s", store=str(path), session="s"), held), "s")
        told = answers.deliveries(PreviewLook())["deliveries"]
        change = answers.change(PreviewLook())
    assert [each["is_sent"] for each in told] == [False, True]
    assert told[0]["parts"][0]["text"] == made.parts[0].text == change["delta"]


def test_the_tools_are_the_sessions_own(demo):
    answers, session = demo
    told = answers.schema(PreviewLook(), "openai")
    made = definitions("openai", domain=session.domain)
    assert [json.loads(each["text"]) for each in told["tools"]] == made
    assert "openai" in told["dialects"]


def test_costs_are_the_bill(demo):
    answers, session = demo
    told = answers.cost(PreviewLook())
    while "turns" not in told:
        told = answers.cost(PreviewLook())
    bill = session.cost()
    assert [row[0] for row in told["turns"]] == [each.turn for each in bill.turns]
    assert {way: cost for way, cost, _ in told["ways"]} == bill.ways


def test_costs_are_counted_a_piece_at_a_time_and_anew_once_somebody_writes(tmp_path):
    path = tmp_path / "hud.db"
    with HudStore.open(path) as store, ExitStack() as held:
        session = store.session("s")
        for turn in (1, 2):
            session.record("note.add", content=f"Port {turn}", turn=turn)
        subject = Subject("s", store=str(path), session="s")
        answers = Answers(loaded(subject, held), "s", is_awaited=lambda: True)
        assert answers.cost(PreviewLook()) == {"counted": 1, "of": 3}
        assert answers.cost(PreviewLook())["counted"] == 2
        session.record("note.add", content="Port 3", turn=3)
        answers.view(PreviewLook())
        told = [answers.cost(PreviewLook()) for _ in range(4 + COSTS + 1)]
        assert [each["counted"] for each in told[:-1]] == [1, 2, 3, *[4] * (COSTS + 1)]
        assert [row[0] for row in told[-1]["turns"]] == [0, 1, 2, 3]
        assert answers.cost(PreviewLook()) == told[-1]


def test_what_cannot_be_counted_is_told_each_time(demo):
    answers, session = demo
    for _ in range(2):
        with pytest.raises(DeliveryError, match="is not a table of prices"):
            answers.cost(PreviewLook(), prices="gold")
    while "turns" not in (told := answers.cost(PreviewLook())):
        pass
    assert len(told["turns"]) == len(session.cost().turns)


def test_hostile_texts_are_data(tmp_path):
    path = tmp_path / "hud.db"
    hostile_session(path)
    subject = Subject("<b>", store=str(path), session="<script>s</script>")
    with ExitStack() as held:
        answers = Answers(loaded(subject, held), subject.name)
        for turn in (1, 9, answers.turns):
            look = PreviewLook(turn=turn, density="full", budget="off")
            told = [answers.view(look), answers.change(look), answers.rungs(look), answers.events(look), answers.trees(look)]  # fmt: skip
            assert json.loads(json.dumps(told))


def test_half_of_a_pair_is_data():
    assert json.loads(json.dumps({"text": "\ud800"})) == {"text": "\ud800"}
