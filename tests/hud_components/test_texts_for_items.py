"""A text where an item or a value is taken: it stands for the first required text field."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Literal

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from hud_components import (
    Decision,
    DecisionsList,
    Domain,
    HudItem,
    HudState,
    HudValue,
    ItemsSection,
    Line,
    NextSteps,
    Step,
    Task,
    TaskSection,
    ValueSection,
)
from hud_components.declaring import HudModel
from tests.ids import looped
from ujsx import ChildError, Component, Element, PropError, h, load, read_layout, render
from ujsx.schema import tool_schema


class Remedy(HudItem):
    what: Line
    outcome: Line = "unclear"


class Remedies(ItemsSection[Remedy]):
    name = "remedies"
    noun = "remedy|remedies"
    lines = {"full": "**{what}** — {outcome}", "compact": "{what}"}  # noqa: RUF012


class Promise(HudItem):
    due: int
    to: Line
    what: Line


class Promises(ItemsSection[Promise]):
    name = "promises"
    lines = {"full": "**{what}** to *{to}* by {due}"}  # noqa: RUF012

    promises: tuple[Promise, ...] | None = None


class Customer(HudValue):
    who: Line
    plan: Line | None = None


class CustomerSection(ValueSection[Customer]):
    name = "customer"
    lines = {"full": ("**{who}** ({plan})", "**{who}**"), "compact": "**Customer:** {who}"}  # noqa: RUF012


DESK = Domain("desk", sections=(Remedies, CustomerSection))

TASK = TaskSection(task=Task(description="Implement auth"), density="compact")
DECISIONS = DecisionsList(decisions=(Decision(summary="Use JWT"), Decision(summary="Use Go")))
STEPS = NextSteps(steps=(Step(description="a"), Step(description="b")))

GIVEN: list[tuple[Callable[[], Component], Component]] = [
    (lambda: TaskSection(task="Implement auth", density="compact"), TASK),
    (lambda: DecisionsList(decisions=["Use JWT", Decision(summary="Use Go")]), DECISIONS),
    (lambda: DecisionsList(decisions=[{"summary": "Use JWT"}, "Use Go"]), DECISIONS),
    (lambda: NextSteps(steps=("a", "b")), STEPS),
    (lambda: NextSteps("a", "b"), STEPS),  # type: ignore[call-arg]
    (lambda: Remedies(remedies=["Restart"]), Remedies(remedies=(Remedy(what="Restart"),))),  # type: ignore[call-arg]
    (lambda: CustomerSection(customer="Ada"), CustomerSection(customer=Customer(who="Ada"))),  # type: ignore[call-arg]
]


@looped(("made", "meant"), GIVEN)
def test_a_prop_takes_a_text(made: Callable[[], Component], meant: Component) -> None:
    assert made() == meant
    assert render(made()) == render(meant)


@looped(
    ("layout", "meant"),
    [
        ('<TaskSection task="Implement auth" density="compact"/>', TASK),
        ('<DecisionsList decisions={["Use JWT", "Use Go"]}/>', DECISIONS),
        ('<NextSteps steps={["a", {"description": "b"}]}/>', STEPS),
    ],
)
def test_a_layout_takes_a_text(layout: str, meant: Component) -> None:
    assert read_layout(layout, [TaskSection, DecisionsList, NextSteps]) == meant[()]


@looped(
    ("made", "meant"),
    [
        (lambda: DecisionsList()["Use JWT", Decision(summary="Use Go")], DECISIONS),
        (lambda: DecisionsList()[{"summary": "Use JWT"}, None, False, ["Use Go"]], DECISIONS),
        (lambda: NextSteps()[(text for text in "ab")], STEPS),
        (lambda: NextSteps(limit=1)["a", "b"], STEPS.model_copy(update={"limit": 1})),
        (lambda: h("NextSteps", None, "a", "b"), STEPS),
        (lambda: h(NextSteps, {"key": "plan"}, "a", "b"), STEPS.keyed("plan")),
        (lambda: Remedies()["Restart"], Remedies(remedies=(Remedy(what="Restart"),))),  # type: ignore[call-arg]
        (lambda: Remedies()[()], Remedies()),
    ],
)
def test_items_are_a_section_s_children(made: Callable[[], Component], meant: Component) -> None:
    assert made() == (meant if isinstance(meant, Element) else meant[()])
    assert render(made()) == render(meant)


def test_children_that_are_no_items_are_refused() -> None:
    with pytest.raises(PropError, match="a text or the fields of Step"):
        NextSteps()[3.5]  # type: ignore[index]
    with pytest.raises(ChildError, match="it has its items already"):
        STEPS["c"]


def test_several_texts_of_a_value_are_one_and_none_are_none() -> None:
    assert TaskSection()["Add ", "a login"] == TaskSection()["Add a login"]
    assert TaskSection()[()] == TaskSection()[[]] == Element(TaskSection())


def test_data_take_a_text() -> None:
    data = {"type": "DecisionsList", "props": {"decisions": ["Use JWT", "Use Go"]}}
    assert load(data, [DecisionsList]) == DECISIONS[()]
    assert h(DecisionsList, {"decisions": ["Use JWT", "Use Go"]}) == DECISIONS[()]
    state = HudState.model_validate({"task": "Implement auth", "decisions": ["Use JWT"]})
    assert (state.task, state.decisions) == (TASK.task, (Decision(summary="Use JWT"),))
    own = DESK.state.model_validate({"customer": "Ada", "remedies": ["Restart"]})
    assert (own[CustomerSection], own[Remedies]) == (Customer(who="Ada"), (Remedy(what="Restart"),))


def test_a_text_that_is_not_enough_is_refused_with_the_line_to_write() -> None:
    with pytest.raises(PropError) as refused:
        Promises(promises=["Ada"])  # type: ignore[list-item]
    assert str(refused.value) == (
        "Promises.promises.0: Promise also requires due, what; write Promise(to='Ada', due=…, what=…) (got 'Ada')"
    )


def test_a_text_is_held_to_the_rules_of_its_field() -> None:
    with pytest.raises(PropError, match=r"decisions\.0\.summary: String should have at least 1"):
        DecisionsList(decisions=[" "])


def test_what_has_no_required_text_is_told_by_its_fields() -> None:
    class Gauge(HudValue):
        level: int

    class Level(ValueSection[Gauge]):
        name = "level"
        lines = {"full": "Level: {level}"}  # noqa: RUF012

    with pytest.raises(PropError, match=r"a text cannot stand for Gauge; write Gauge\(level=…\)"):
        Level(level="high")  # type: ignore[call-arg]


def test_exported_schemas_ask_for_objects_and_their_json_is_what_they_say() -> None:
    schema = tool_schema(DecisionsList)
    [items] = [schema["properties"]["decisions"]["items"]]
    assert "$ref" in items or items["type"] == "object"
    for given in ('{"decisions": ["Use JWT"]}', '{"task": "Implement auth"}'):
        with pytest.raises(ValidationError):
            TypeAdapter(HudState).validate_json(given)
        assert HudState.model_validate_json(given) == HudState.model_validate(json.loads(given))


def test_models_of_several_kinds_are_told_apart_as_before() -> None:
    class Click(HudModel):
        kind: Literal["click"] = "click"
        at: Line

    class Type(HudModel):
        kind: Literal["type"] = "type"
        text: Line

    class Plan(HudModel):
        step: Annotated[Click | Type, Field(discriminator="kind")]

    assert Plan.model_validate({"step": {"kind": "type", "text": "a"}}).step == Type(text="a")


def test_a_models_own_reading_of_a_text_stays() -> None:
    class Pair(HudItem):
        left: Line
        right: Line

        @classmethod
        def of(cls, text: str) -> Pair:
            left, _, right = text.partition("=")
            return cls(left=left, right=right)

    class Pairs(ItemsSection[Pair]):
        name = "pairs"
        lines = {"full": "**{left}** is {right}"}  # noqa: RUF012

    assert Pairs(pairs=[Pair.of("a=b")]).pairs == (Pair(left="a", right="b"),)  # type: ignore[call-arg,attr-defined]


def test_a_section_without_data_is_one_node() -> None:
    assert DecisionsList() is DecisionsList()
