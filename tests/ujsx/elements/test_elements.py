"""The primitives: what they take, and their short forms."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ids import looped
from ujsx import Component, PropError, elements, render
from ujsx.elements import (
    PRIMITIVES,
    Emphasis,
    Heading,
    InlineCode,
    Item,
    Link,
    List,
    Omitted,
    Strong,
    Table,
    code,
    em,
    link,
    strong,
)
from ujsx.schema import tool_schema

CLASSES: list[type[Component]] = [
    value
    for value in vars(elements).values()
    if isinstance(value, type)
    and issubclass(value, Component)
    and value.is_primitive
    and value is not Component
]


class TestPrimitives:
    def test_are_all_in_the_default_vocabulary_but_those_for_code_alone(self) -> None:
        assert {each.__name__ for each in CLASSES} == {
            *PRIMITIVES,
            "TrustedMarkdown",
            "Brief",
            "Shortened",
        }

    @looped("cls", CLASSES)
    def test_are_described_with_every_prop(self, cls: type[Component]) -> None:
        properties = tool_schema(cls).get("properties", {})
        assert cls.__doc__
        assert all(each.get("description") for each in properties.values())

    @looped("cls", CLASSES)
    def test_are_exported(self, cls: type[Component]) -> None:
        for_rooms = {"Brief", "Fragment", "Shortened"}
        assert (cls.__name__ in elements.__all__) is (cls.__name__ not in for_rooms)


class TestLimits:
    @looped(
        ("cls", "props", "message"),
        [
            (Heading, {"depth": 0}, "greater than or equal to 1"),
            (Heading, {"depth": 7}, "less than or equal to 6"),
            (List, {"start": -1}, "greater than or equal to 0"),
            (List, {"start": 1_000_000_000}, "less than or equal to 999999999"),
            (Omitted, {"count": 0}, "greater than or equal to 1"),
            (Table, {"align": ("middle",)}, "'left', 'right' or 'center'"),
            (Item, {"checked": "maybe"}, "valid boolean"),
        ],
    )
    def test_are_told_with_the_value(
        self, cls: type[Component], props: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(PropError, match=message) as caught:
            cls(**props)
        value = next(iter(props.values()))
        assert repr(value[0] if isinstance(value, tuple) else value) in str(caught.value)


class TestShortForms:
    def test_are_elements_of_their_class(self) -> None:
        assert strong("a", "b") == Strong()["a", "b"]
        assert em("a") == Emphasis()["a"]
        assert code("a") == InlineCode(value="a")
        assert link("a", "u", "t") == Link(url="u", title="t")["a"]
        assert link([strong("a"), "b"], "u") == Link(url="u")[strong("a"), "b"]

    def test_nest(self) -> None:
        assert render(strong("a ", em("b"), " ", code("c"))) == "**a *b* `c`**\n"

    def test_of_nothing_are_nothing(self) -> None:
        assert strong() == Strong()
        assert render(strong()) == ""
