"""Which prop types are taken, and which are refused with what to write instead."""

# ruff: noqa: UP006, UP007, UP035, UP045 - the old spellings are cases

from __future__ import annotations

import re
from collections import abc
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import (
    Annotated,
    Any,
    Dict,
    FrozenSet,
    Iterable,
    List,
    Literal,
    Mapping,
    MutableSequence,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
    Union,
)

import pytest
from pydantic import BaseModel, Field
from pydantic import TypeAdapter as Adapter

from tests.ids import looped
from ujsx import Component, DefinitionError, FrozenMapping, PropError


class Mutable(BaseModel):
    x: int = 0


class Frozen(BaseModel, frozen=True):
    x: int = 0
    tags: tuple[str, ...] = ()
    other: Frozen | None = None


class FrozenOutside(BaseModel, frozen=True):
    tags: list[str] = []


@dataclass
class MutableRecord:
    x: int = 0


@dataclass(frozen=True)
class Record:
    tags: Any = ()


class Pair(NamedTuple):
    left: Any
    right: Any


class Colour(Enum):
    RED = "red"


TUPLE, FROZENSET, MAPPING = "use tuple[…, ...]", "use frozenset[…]", "use FrozenMapping[…, …]"
FREEZE = "make the model frozen: model_config = ConfigDict(frozen=True)"

REFUSED: list[tuple[Any, str]] = [
    (MutableSequence[str], TUPLE),
    (abc.MutableMapping[str, int], MAPPING),
    (tuple[int, MutableSequence[int]], TUPLE),
    (Optional[MutableSequence[int]], TUPLE),
    (Annotated[MutableSequence[int], Field(description="x")], TUPLE),
    ("MutableSequence[int]", TUPLE),
    (Mutable, FREEZE),
    (tuple[Mutable, ...], FREEZE),
    (list[Mutable], FREEZE),
    (Mutable | None, FREEZE),
    (FrozenOutside, TUPLE),
    (MutableRecord, "make it frozen: @dataclass(frozen=True)"),
]

HELD: list[tuple[Any, Any, Any]] = [
    (list, [1], (1,)),
    (list[int], [1], (1,)),
    (List[int], [1], (1,)),
    (abc.Sequence[str], ["a"], ("a",)),
    (Sequence[str], ["a"], ("a",)),
    (Iterable[str], ["a"], ("a",)),
    (dict, {"a": 1}, FrozenMapping(a=1)),
    (dict[str, int], {"a": 1}, FrozenMapping(a=1)),
    (Dict[str, int], {"a": 1}, FrozenMapping(a=1)),
    (Mapping[str, int], {"a": 1}, FrozenMapping(a=1)),
    (set, {1}, frozenset({1})),
    (set[int], {1}, frozenset({1})),
    (Set[int], {1}, frozenset({1})),
    (abc.Set[int], {1}, frozenset({1})),
    (tuple[list[int], ...], [[1]], ((1,),)),
    (tuple[int, dict[str, int]], (1, {"a": 1}), (1, FrozenMapping(a=1))),
    (frozenset[tuple[set[int], ...]], [[[1]]], frozenset({(frozenset({1}),)})),
    (FrozenMapping[str, list[int]], {"a": [1]}, FrozenMapping(a=(1,))),
    (Optional[list[int]], [1], (1,)),
    (list[int] | None, None, None),
    (Union[int, dict[str, int]], {"a": 1}, FrozenMapping(a=1)),
    (Annotated[list[int], Field(description="x")], [1], (1,)),
    (tuple[Annotated[list[int], "x"], ...], [[1]], ((1,),)),
    ("list[int]", [1], (1,)),
]

TAKEN: list[tuple[Any, Any]] = [
    (str, "x"),
    (int | None, None),
    (bytes, b"x"),
    (tuple[int, ...], (1,)),
    (Tuple[int, str], (1, "a")),
    (tuple[()], ()),
    (frozenset[str], frozenset("a")),
    (FrozenSet[str], frozenset("a")),
    (FrozenMapping[str, tuple[int, ...]], FrozenMapping(a=(1,))),
    (Literal["a", "b"], "a"),
    (Colour, Colour.RED),
    (datetime, datetime(2026, 1, 1)),  # noqa: DTZ001
    (Frozen, Frozen(tags=("a",), other=Frozen())),
    (Record, Record(("a",))),
    (Pair, Pair(1, 2)),
    (type[int], bool),
    (Callable[[], int], int),
    (Annotated[int, Field(ge=0)], 3),
    (tuple[Annotated[int, ["metadata that cannot be hashed"]], ...], (1,)),
    (Any, ("a",)),
    (object, 3),
]

OPEN: list[tuple[Any, Any]] = [
    (Any, [1]),
    (object, {}),
    (tuple, ([],)),
    (tuple[Any, ...], ({},)),
    (Any | None, [1]),
    (Record, Record([])),
    (Pair, Pair([], 1)),
]


def component_with(annotation: Any) -> type[Component]:
    made: type[Component] = type(Component)(
        "Some", (Component,), {"__annotations__": {"prop": annotation}, "__module__": __name__}
    )
    return made


class TestRefused:
    @looped(("annotation", "advice"), REFUSED, ids=[str(each[0]) for each in REFUSED])
    def test_when_the_class_is_written_with_what_to_write_instead(
        self, annotation: Any, advice: str
    ) -> None:
        with pytest.raises(DefinitionError) as caught:
            component_with(annotation)
        assert str(caught.value).startswith("Some.prop: ")
        told = re.sub(r"(?<=use )(\w+)\[.*?(, \.\.\.)?\]$", r"\1[…\2]", str(caught.value))
        assert told.endswith(f"is not hashable; {advice.replace('…, …', '…')}")

    def test_what_to_write_instead_holds_the_same(self) -> None:
        with pytest.raises(DefinitionError, match=r"use tuple\[str, \.\.\.\]$"):
            component_with(MutableSequence[str])
        with pytest.raises(DefinitionError, match=r"use FrozenMapping\[str, int\]$"):
            component_with(abc.MutableMapping[str, int])

    def test_a_model_in_a_list_says_nothing_of_the_lists_default(self) -> None:
        with pytest.raises(DefinitionError, match=re.escape(FREEZE) + "$"):

            class Listing(Component):
                """Rows."""

                rows: list[Mutable] = []  # noqa: RUF012

    def test_the_part_that_is_wrong_is_named(self) -> None:
        with pytest.raises(DefinitionError, match=r"MutableSequence\[int\] is not hashable"):
            component_with(tuple[str, Optional[MutableSequence[int]]])


class TestHeld:
    @looped(("annotation", "given", "held"), HELD, ids=[str(each[0]) for each in HELD])
    def test_as_what_cannot_change(self, annotation: Any, given: Any, held: Any) -> None:
        node = component_with(annotation)(prop=given)
        value: Any = vars(node)["prop"]
        assert (value, type(value)) == (held, type(held))
        assert hash(node) == hash(node[()])

    def test_with_the_schema_of_what_was_written(self) -> None:
        class Lists(BaseModel):
            words: list[str] = []
            ports: dict[str, list[int]] = {}
            tags: set[str] = Field(default_factory=set, max_length=3)

        class Held(Component):
            words: list[str] = []  # noqa: RUF012 - it is held as a tuple
            ports: dict[str, list[int]] = {}  # noqa: RUF012
            tags: set[str] = Field(default_factory=set, max_length=3)

        assert Held() == Held(words=[], ports={}, tags=set())
        written, held = (Adapter(each).json_schema()["properties"] for each in (Lists, Held))
        assert {**held, "tags": {**held["tags"], "default": []}} == {
            **written,
            "tags": {**written["tags"], "default": []},
        }

    def test_by_those_that_extend_it(self) -> None:
        class Base(Component):
            words: list[str]

        class More(Base):
            ports: list[int] = [8080]  # noqa: RUF012

        assert More(words=["a"]) == More(words=("a",), ports=(8080,))


class TestTaken:
    @looped(("annotation", "value"), TAKEN, ids=[str(each[0]) for each in TAKEN])
    def test_with_a_node_that_can_be_hashed(self, annotation: Any, value: Any) -> None:
        node = component_with(annotation)(prop=value)
        assert hash(node) == hash(node[()])


class TestOpen:
    @looped(("annotation", "value"), OPEN, ids=[str(each[0]) for each in OPEN])
    def test_is_decided_when_the_node_is_made(self, annotation: Any, value: Any) -> None:
        with pytest.raises(PropError, match="is not hashable"):
            component_with(annotation)(prop=value)
