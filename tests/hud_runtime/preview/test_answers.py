"""What the page is told is what the library says."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hud_runtime import At, HudStore
from hud_runtime.history.exchange import replayed
from hud_runtime.preview import FaultError, PreviewLook, Subject
from hud_runtime.session import HudLook
from hud_runtime.tools import definitions
from tests.hud_runtime.preview.conftest import DEMO
from tests.hud_runtime.preview.hostile import hostile_session
from ujsx import compare, explain

PAGE = 100
"""Events, or deliveries, in one answer."""

LOOKS = st.builds(
    PreviewLook,
    turn=st.none() | st.integers(-1, 40),
    density=st.sampled_from([None, "minimal", "compact", "full"]),
    budget=st.none() | st.just("off") | st.integers(0, 900),
)


@pytest.fixture(scope="module")
def session():
    """The session that ``demo`` shows."""
    with replayed(DEMO) as found:
        yield found.session


def shown(session, look, turn):
    state = session.state(at=At.turn(turn))
    return session.shown(HudLook(density=look.density, budget=look.budget), state=state)


def text_of(view):
    return "".join(each["text"] for each in view["nodes"])


def check_parts(parts, before, now):
    """The lines that went were there before, and those that came are there now."""
    assert bool(parts) == (before != now)
    for part in parts:
        assert {*part["gone"]} <= {*before.split("\n")}
        assert {*part["new"]} <= {*now.split("\n")}


@given(LOOKS)
def test_a_view_is_the_rendering_of_its_turn(demo, session, look):
    view = demo.ask("view", look)
    turn = 34 if look.turn is None else min(max(look.turn, 0), 34)
    made = shown(session, look, turn)
    assert view["turn"] == turn
    assert text_of(view) == made.rendered.text.rstrip("\n")
    assert view["tokens"] == made.rendered.tokens
    assert (view["density"], view["budget"]) == (made.room.density, made.room.budget)
    assert [each["count"] for each in view["omitted"]] == [
        each.count for each in made.rendered.omitted
    ]
    assert len(view["reading"]) == len(view["nodes"])


@settings(max_examples=3 * settings.default.max_examples // 4)
@given(LOOKS)
def test_a_change_is_the_comparison_with_the_turn_before(demo, session, look):
    change = demo.ask("change", look)
    turn = demo.ask("view", look)["turn"]
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
    check_parts(change["parts"], before.text, now.text)
    if found.broken is not None:
        assert change["broken"]["field"] == found.broken.field


@settings(max_examples=2 * settings.default.max_examples // 5)
@given(LOOKS)
def test_rungs_cost_what_the_explanation_says(demo, session, look):
    told = demo.ask("rungs", look)
    made = shown(session, look, demo.ask("view", look)["turn"])
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
    view = demo.ask("view", look)
    ladders = iter(demo.ask("rungs", look)["sections"])
    for index, each in enumerate(view["nodes"]):
        node = demo.ask("node", look, index=index)
        costs = {
            one["rung"]: one["tokens"]
            for one in (next(ladders)["rungs"] if each["is_section"] else ())
        }
        assert node["index"] == index
        for _, _, _, start, end in node["mdast"]:
            assert 0 <= start <= end <= len(each["text"].encode("utf-16-le")) // 2
        if node["next"] is not None:
            assert node["next"]["tokens"] >= each["tokens"]
            assert node["next"]["text"].strip() != each["text"].strip()
            # of the same section, but for the blank line before it and the depth of its heading
            assert 0 <= costs[node["next"]["rung"]] - node["next"]["tokens"] <= 3
            places = [*costs]
            if each["rung"] in places:
                assert places.index(each["rung"]) < places.index(node["next"]["rung"])
    assert demo.ask("node", look, index=len(view["nodes"])) == {"index": None}
    assert [each["path"] for each in demo.ask("trees", look)] == [
        each["path"] for each in view["nodes"]
    ]


def test_events_of_a_turn_come_by_pages(tmp_path, preview):
    path = tmp_path / "hud.db"
    with HudStore.open(path) as store:
        session = store.session("s")
        for number in range(2 * PAGE + 5):
            session.record("note.add", content=f"Port {number}", turn=1)
        session.record("note.add", content="later", turn=2)
    made = preview(Subject("s", store=str(path), session="s"))
    after, seen = 0, []
    while after is not None:
        page = made.ask("events", PreviewLook(turn=1), after=after)
        assert len(page["events"]) <= PAGE
        seen += [each["version"] for each in page["events"]]
        after = page["after"]
    assert seen == [*range(2, 2 * PAGE + 7)]
    [later] = made.ask("events", PreviewLook(turn=2))["events"]
    assert later["words"] == "n-207 added: later"
    [start] = made.ask("events", PreviewLook(turn=0))["events"]
    assert start["type"] == "session.start"


def test_deliveries_are_those_that_were_made(tmp_path, preview):
    path = tmp_path / "hud.db"
    with HudStore.open(path) as store:
        session = store.session("s")
        session.record("note.add", content="Port 8080", turn=1)
        session.delivered(session.deliver().id)
        session.record("note.add", content="Port 9090", turn=2)
        made = session.deliver()
    shown = preview(Subject("s", store=str(path), session="s"))
    told = shown.ask("deliveries")["deliveries"]
    assert [each["is_sent"] for each in told] == [False, True]
    assert told[0]["parts"][0]["text"] == made.parts[0].text == shown.ask("change")["delta"]


def test_the_tools_are_the_sessions_own(demo, session):
    told = demo.ask("schema", dialect="openai")
    made = definitions("openai", domain=session.domain)
    assert [json.loads(each["text"]) for each in told["tools"]] == made
    assert "openai" in told["dialects"]


def counted(shown, **more):
    """How far the costs were counted each time that they were asked for, and the costs."""
    parts = []
    while "turns" not in (told := shown.ask("cost", **more)):
        parts.append(told["counted"])
        assert told["of"] >= told["counted"] > 0
    return parts, told


def test_costs_are_the_bill(demo, session):
    for _ in range(2):  # a refusal is told each time, and leaves the next answer whole
        with pytest.raises(FaultError, match="is not a table of prices"):
            demo.ask("cost", prices="gold")
    parts, told = counted(demo)
    assert parts == sorted(parts)
    bill = session.cost()
    assert [row[0] for row in told["turns"]] == [each.turn for each in bill.turns]
    assert {way: cost for way, cost, _ in told["ways"]} == bill.ways
    assert counted(demo) == ([], told), "it is counted once"


def test_costs_are_counted_anew_once_somebody_writes(tmp_path, preview):
    path = tmp_path / "hud.db"
    with HudStore.open(path) as store:
        session = store.session("s")
        for turn in (1, 2):
            session.record("note.add", content=f"Port {turn}", turn=turn)
        shown = preview(Subject("s", store=str(path), session="s"))
        _, first = counted(shown)
        session.record("note.add", content="Port 3", turn=3)
        shown.ask("view")
        _, told = counted(shown)
    assert [row[0] for row in first["turns"]] == [0, 1, 2]
    assert [row[0] for row in told["turns"]] == [0, 1, 2, 3]


def test_hostile_texts_are_data(tmp_path, preview):
    path = tmp_path / "hud.db"
    hostile_session(path)
    shown = preview(Subject("<b>", store=str(path), session="<script>s</script>"))
    for turn in (1, 9, None):
        look = PreviewLook(turn=turn, density="full", budget="off")
        view = shown.ask("view", look)
        assert len(shown.ask("events", look)["events"]) >= 10
        assert len(shown.ask("trees", look)) == len(view["nodes"])
        assert shown.ask("rungs", look)["sections"]
        before = shown.ask("view", PreviewLook(view["turn"] - 1, "full", "off"))
        check_parts(shown.ask("change", look)["parts"], text_of(before), text_of(view))
