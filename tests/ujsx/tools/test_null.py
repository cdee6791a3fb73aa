"""Null in a call: a value where it is one, else nothing; and never one of two things that are said."""

from __future__ import annotations

from itertools import product
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from hud_runtime import HudStore
from tests.ids import looped
from ujsx.tools import Operation, ToolResult, Toolset


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Optional(Arguments):
    value: int | None = 30
    other: int = 0


class Needed(Arguments):
    value: int | None
    other: int = 0


class Converted(Arguments):
    value: Annotated[int, BeforeValidator(lambda each: 0 if each is None else each)]
    other: int = 0


class Plain(Arguments):
    value: int = 30
    other: int = 0


class NeededPlain(Arguments):
    value: int
    other: int = 0


class Anything(Arguments):
    value: Any = 30
    other: int = 0


MODELS: list[type[Arguments]] = [Optional, Needed, Converted, Anything, Plain, NeededPlain]
NULLABLE: list[type[Arguments]] = [Optional, Needed, Converted, Anything]
REQUIRED: list[type[Arguments]] = [Needed, Converted, NeededPlain]


def given_(asked: BaseModel) -> ToolResult:
    return ToolResult("Done.", data=asked.model_dump(exclude_unset=True))


def name_of(model: type[BaseModel]) -> str:
    return model.__name__.lower()


TOOLS = Toolset([Operation(name_of(each), each, given_) for each in MODELS], name="tool")

LAYOUTS: dict[str, Any] = {
    "args": lambda op, inner, outer: {"op": op, "args": inner, **outer},
    "loose": lambda op, inner, outer: {**outer, "tool": op, "args": inner},
    "call": lambda op, inner, outer: {"call": {"op": op, **inner}, **outer},
    "call and args": lambda op, inner, outer: {"call": {"op": op, **outer, "args": inner}},
    "args outside a call": lambda op, inner, outer: {"call": {"op": op, **outer}, "args": inner},
    "envelope": lambda op, inner, outer: {"function": {"name": op, "arguments": inner}, **outer},
    "key": lambda op, inner, outer: {op: inner, **outer},
    "key in a call": lambda op, inner, outer: {"call": {op: inner, **outer}},
    "tool as key": lambda op, inner, outer: {"tool": {"op": op, **inner}, **outer},
}
"""Ways to say some arguments inside of something, and others beside it."""

ABSENT = "absent"
SAID: list[Any] = [ABSENT, None, 4, 5]


def arguments(value: Any) -> dict[str, Any]:
    return {} if value == ABSENT else {"value": value}


class TestInsideAndOutside:
    @looped(("model", "layout"), [*product(MODELS, LAYOUTS)])
    def test_null_counts_as_said_where_it_is_a_value(
        self, model: type[Arguments], layout: str
    ) -> None:
        for inner, outer in product(SAID, SAID):
            if "key" in layout and outer not in {ABSENT, None}:
                continue  # beside something else that is said, a name is not taken for a call's
            call = LAYOUTS[layout](
                name_of(model), {"other": 1, **arguments(inner)}, arguments(outer)
            )
            said = {each for each in (inner, outer) if each != ABSENT}
            meant = said if model in NULLABLE else said - {None}
            result = TOOLS.call("tool", call)
            if len(meant) > 1:
                assert result.is_error, call
                assert "'value' is given twice" in result.text, call
                assert "send it once" in result.text
            elif meant:
                value = 0 if model is Converted and meant == {None} else next(iter(meant))
                assert result.data == {"value": value, "other": 1}, (call, result.text)
            elif model in REQUIRED:
                assert result.is_error, call
                assert "value: " in result.text, call
            else:
                assert result.data == {"other": 1}, (call, result.text)

    def test_what_is_refused_names_both(self) -> None:
        result = TOOLS.call("tool", {"op": "optional", "value": None, "args": {"value": 4}})
        assert result.text.splitlines()[0] == (
            "$.args: 'value' is given twice, as 4 and outside as null; send it once"
        )

    def test_another_spelling_is_not_passed_over(self) -> None:
        call = {"op": "optional", "Value": None, "args": {"value": 4}}
        result = TOOLS.call("tool", call)
        assert result.text.startswith('$.Value: no such argument; did you mean "value"?')

    def test_null_in_another_spelling_is_null(self) -> None:
        assert TOOLS.call("tool", {"op": "optional", "Value": None}).data == {"value": None}
        assert TOOLS.call("tool", {"op": "plain", "Value": None}).data == {}

    @looped("key", ["input", "arguments", "params"])
    def test_null_for_a_holder_beside_another_says_nothing(self, key: str) -> None:
        for call in (
            {"op": "plain", "args": {"value": 4}, key: None},
            {"op": "plain", key: None, "args": {"value": 4}},
        ):
            assert TOOLS.call("tool", call).data == {"value": 4}


class TestNull:
    """It is a value of an argument that takes it, and otherwise says that the argument is left out."""

    def test_is_one_under_each_name_of_an_argument(self) -> None:
        class Aliased(BaseModel):
            model_config = ConfigDict(populate_by_name=True)

            inner: int | None = Field(default=1, alias="outer-name")
            many: int | None = Field(default=1, validation_alias=AliasChoices("first", "second"))
            plain: int = Field(default=1, alias="Simple")

        tools = Toolset([Operation("aliased", Aliased, given_)], name="t")
        names = ["inner", "outer-name", "outerName", "first", "second", "plain", "Simple", "none"]
        said = [tools.call("aliased", {name: None}).data for name in names]
        assert said == [{"inner": None}] * 3 + [{"many": None}] * 2 + [{}] * 3

    def test_is_none_where_a_validator_fails_on_it(self) -> None:
        def inverse(value: Any) -> Any:
            return value if value == 4 else 1 / 0

        class Broken(Arguments):
            value: Annotated[int, BeforeValidator(inverse)]

        tools = Toolset([Operation("broken", Broken, given_)], name="t")
        call = {"op": "broken", "value": None, "args": {"value": 4}}
        assert tools.call("t", call).data == {"value": 4}

    def test_is_one_under_the_name_alone_where_any_name_is_taken(self) -> None:
        class Open(BaseModel):
            model_config = ConfigDict(extra="allow")

            value: int | None = 3

        tools = Toolset([Operation("open", Open, given_)], name="t")
        said = [tools.call("open", {name: None}).data for name in ("value", "Value")]
        assert said == [{"value": None}, {}]


def test_a_task_that_is_null_outside_and_set_inside_is_refused() -> None:
    with HudStore.open(":memory:") as store:
        session = store.session("s")
        session.call("hud", {"op": "task.set", "description": "Keep"})
        call = {"op": "task.set", "description": None, "args": {"description": "Ship"}}
        assert session.call("hud", call).is_error
        task = session.state().task
        assert task is not None
        assert task.description == "Keep"
