"""Attributes of a section's body that are of another kind are refused where they stand."""

from __future__ import annotations

from types import new_class
from typing import Any

import pytest

from hud_components import Domain, HudItem, ItemsSection, Kept, Line, Moment, Verb
from hud_components.declaring import HudModel
from hud_components.folding import Add
from tests.ids import looped
from ujsx import DefinitionError, Density, Disclosure, Rung, render


class Risk(HudItem):
    """Something that may go wrong."""

    what: Line
    size: int = 0


def declared(model: Any = Risk, **body: Any) -> Any:
    said = {"__module__": __name__, "name": "risks", "lines": {"full": "{what}"}, **body}
    section = new_class("Risks", (ItemsSection[model],), {}, lambda made: made.update(said))
    Domain("watch", [section])
    return section


class Turned(HudModel):
    """What is turned."""

    turn: int


class Named(HudModel):
    """What is named."""

    what: Line


def turned(risks: tuple[Risk, ...], said: Turned, moment: Moment) -> tuple[Risk, ...]:
    return risks


def named(risks: tuple[Risk, ...], said: Named, moment: Moment) -> tuple[Risk, ...]:
    return risks


@looped(
    ("body", "answer"),
    [
        ({"former": "old"}, "Risks.former: 'old' is not several texts; write former = ('old',)"),
        ({"alerts": "yes"}, "Risks.alerts: 'yes' is not yes or no; write alerts = True"),
        ({"revision": "1"}, "Risks.revision: '1' is not a whole number; write revision = 2"),
        ({"done": ["done"]}, "Risks.done: Risk has no yes/no field and no choice 'done'"),
        ({"on": [1]}, "Risks.on: [1] is not something by names"),
        ({"texts": ["a"]}, "Risks.texts: ['a'] is not texts by their names"),
        ({"texts": {"risks.title": 3}}, "is not texts by their names"),
        ({"former_fields": ["a"]}, "is not something by names"),
        (
            {"read_only_reason": 3},
            "Risks.read_only_reason: 3 is not a text; write read_only_reason = '3'",
        ),
        ({"event": "My Event"}, "is not what types of events begin with"),
        ({"field": "my field"}, "is not a name of lower-case letters"),
        ({"prefix": "parent:x"}, "is not what ids begin with: letters, digits, - and _"),
        ({"prefix": "X Y"}, "is not what ids begin with"),
        ({"order": "what"}, "Risk.what is not a position; declare it as Kept[int] = 0"),
        ({"upcasts": {"risks.add": 3}}, "'risks.add' has no function"),
        ({"verbs": (Add("add", sets={"size": "large"}),)}, "sets Risk.size to 'large'"),
        ({"verbs": (Verb("turn", turned),)}, "Turned.turn has the name of something that every"),
        ({"verbs": (Verb("name", named, answer=3),)}, "its answer is a text, not 3"),  # type: ignore[arg-type]
        (
            {"verbs": (Verb("name", named, is_operation="no"),)},  # type: ignore[arg-type]
            "is_operation is True or False, not 'no'",
        ),
    ],
)
def test_of_another_kind_are_refused(body: dict[str, Any], answer: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        declared(**body)
    assert answer in str(refused.value)


@looped(("name", "kind", "value"), [("id", int, 0), ("said_by", str, "me")])
def test_the_stores_fields_are_not_declared_anew(name: str, kind: type, value: object) -> None:
    body = {"__module__": __name__, "__annotations__": {"what": Line, name: kind}, name: value}
    with pytest.raises(DefinitionError, match="is a name that every event"):
        declared(type("Own", (HudItem,), body))


def test_a_domains_name_is_a_text() -> None:
    with pytest.raises(DefinitionError, match="3 is not a valid name for a domain"):
        Domain(3, [declared()])  # type: ignore[arg-type]


class Placed(HudItem):
    """Something with a place."""

    what: Line
    over: Kept[bool] = False
    place: Kept[int] = 0


def test_what_is_right_stands() -> None:
    declared(
        Placed, former=("old",), done="over", order="place", prefix="x-1", verbs=["add", "complete"]
    )


def test_an_item_that_was_read_may_lack_a_field() -> None:
    read = Risk.model_construct(id="risk-1")
    assert getattr(read, "what", None) is None
    with pytest.raises(AttributeError, match="no attribute 'what'"):
        read.what  # noqa: B018


@looped(
    "body",
    [
        {"compact": "**{what}**", "full": ""},
        {"max_items": 3},
        {"limit": 3},
        {"limit": 30},
        {"page_size": "many"},
    ],
)
def test_the_line_that_an_answer_writes_works_when_it_is_written(body: dict[str, Any]) -> None:
    def section(own: dict[str, Any]) -> Any:
        said = {"__module__": __name__, "name": "risks", **own}
        return new_class("Risks", (ItemsSection[Risk],), {}, lambda made: made.update(said))

    with pytest.raises(DefinitionError) as refused:
        section(body)
    line = str(refused.value).partition("; write ")[2].partition(", from ujsx")[0]
    written: dict[str, Any] = {}
    exec(line, {"Density": Density, "Disclosure": Disclosure, "Rung": Rung}, written)
    assert "**R9**" in render(section(written)(risks=[f"R{number}" for number in range(10)]))


def test_a_line_for_each_density_is_written_by_its_name() -> None:
    body = {"full": "**{what}**", "compact": "{what}!", "__module__": __name__, "name": "risks"}
    section: Any = new_class("Risks", (ItemsSection[Risk],), {}, lambda made: made.update(body))
    shown = [render(section(risks=["R1"]), density=each) for each in ("full", "compact")]
    assert shown == ["# Risks\n\n- **R1**\n", "**Risks:** R1!\n"]
