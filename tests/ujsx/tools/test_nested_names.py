"""Names in arguments' own arguments: told with what else is wrong, and with the name that is meant."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel

from tests.work import lines_run
from ujsx.tools import Operation, Toolset
from ujsx.tools._names import unknown_by_type


class Guest(BaseModel):
    name: str
    age: int = 0


class Pet(BaseModel):
    name: str
    breed: str


class Free(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str


class Renamed(BaseModel):
    name: str = Field(alias="fullName")


class Guests(RootModel[list[Guest]]):
    pass


class Tree(BaseModel):
    label: str
    below: list[Tree | Leaf] = []


class Leaf(BaseModel):
    label: str
    below: list[Tree | Leaf] = []


Tree.model_rebuild()

Aliased: TypeAlias = "Guest | None"

KINDS: dict[str, tuple[Any, Any, list[tuple[str | int, ...]]]] = {
    "a model": (Guest, {"nme": "Ann"}, [("nme",)]),
    "a model or nothing": (Guest | None, {"nme": "Ann"}, [("nme",)]),
    "by another name": (Aliased, {"nme": "Ann"}, [("nme",)]),
    "with something about it": (Annotated[Guest, Field(description="Who.")], {"nme": "A"}, [("nme",)]),
    "a list": (list[Guest], [{"name": "A"}, {"nme": "B"}], [(1, "nme")]),
    "a tuple": (tuple[Guest, ...], [{"nme": "B"}], [(0, "nme")]),
    "a root": (Guests, [{"nme": "B"}], [(0, "nme")]),
    "a dictionary": (dict[str, Guest], {"any": {"nme": "B"}}, [("any", "nme")]),
    "one of several": (Guest | Pet, {"age": 1, "breed": "x", "nme": "B"}, [("nme",)]),
    "or anything": (Guest | dict[str, int], {"nme": 1}, []),
    "or what is open": (Guest | Free, {"nme": 1}, []),
    "what complains by itself": (Closed, {"nme": 1}, []),
    "under an alias": (Renamed, {"fullName": "A", "name": "B"}, [("name",)]),
    "anything": (Any, {"nme": 1}, []),
    "a text": (str, {"nme": 1}, []),
    "itself": (Tree, {"label": "a", "below": [{"below": [{"labl": 1}]}]}, [("below", 0, "below", 0, "labl")]),
}  # fmt: skip


@pytest.mark.parametrize("case", KINDS)
def test_that_no_type_has_are_found(case: str) -> None:
    kind, value, paths = KINDS[case]

    class Asked(BaseModel):
        given: kind

    Asked.__annotations__["given"] = kind
    Asked.model_rebuild(force=True)
    assert unknown_by_type(Asked, {"given": value}) == [("given", *path) for path in paths]


class Booking(BaseModel):
    room: Literal["single", "double"]
    guests: list[Guest]


TOOLS = Toolset([Operation("book", Booking, lambda asked: asked.room)], name="hotel")


def test_are_told_with_the_name_that_is_meant_and_with_all_else() -> None:
    result = TOOLS.call("book", {"room": "twin", "guests": [{"nme": "Ann", "age": "3"}]})
    assert result.text.splitlines()[:3] == [
        '$.guests[0].nme: no such argument; did you mean "name"?',
        "$.room: input should be 'single' or 'double' (got 'twin')",
        "$.guests[0].name: required, but not given",
    ]
    assert result.text.splitlines()[-1] == (
        'for example {"room": "single" | "double", "guests": [{"age": 3, "name": "Ann"}]}'
    )


def test_that_mean_no_other_are_told_with_those_that_there_are() -> None:
    result = TOOLS.call(
        "hotel", {"op": "book", "room": "single", "guests": [{"name": "A", "x": 1}]}
    )
    assert result.text.splitlines()[0] == "$.guests[0].x: no such argument; known: age, name"


def test_are_looked_for_in_proportion() -> None:
    def deep(levels: int) -> dict[str, Any]:
        data: dict[str, Any] = {"labl": 1}
        for _ in range(levels):
            data = {"label": "a", "below": [data]}
        return data

    def wide(many: int) -> dict[str, Any]:
        return {"label": "a", "below": [{"labl": 1}] * many}

    for make in (deep, wide):
        small, large = make(20), make(40)
        unknown_by_type(Tree, small)
        counts = [
            lines_run(lambda data=data: unknown_by_type(Tree, data)) for data in (small, large)
        ]
        assert counts[1] < 2.2 * counts[0]
