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
    (list, TUPLE),
    (list[int], TUPLE),
    (List[int], TUPLE),
    (abc.Sequence[str], TUPLE),
    (Sequence[str], TUPLE),
    (MutableSequence[str], TUPLE),
    (Iterable[str], TUPLE),
    (dict, MAPPING),
    (dict[str, int], MAPPING),
    (Dict[str, int], MAPPING),
    (Mapping[str, int], MAPPING),
    (abc.MutableMapping[str, int], MAPPING),
    (set, FROZENSET),
    (set[int], FROZENSET),
    (Set[int], FROZENSET),
    (abc.Set[int], FROZENSET),
    (tuple[list[int], ...], TUPLE),
    (tuple[int, dict[str, int]], MAPPING),
    (frozenset[tuple[set[int], ...]], FROZENSET),
    (FrozenMapping[str, list[int]], TUPLE),
    (Optional[list[int]], TUPLE),
    (list[int] | None, TUPLE),
    (Union[int, dict[str, int]], MAPPING),
    (Annotated[list[int], Field(description="x")], TUPLE),
    (tuple[Annotated[list[int], "x"], ...], TUPLE),
    ("list[int]", TUPLE),
    (Mutable, FREEZE),
    (tuple[Mutable, ...], FREEZE),
    (Mutable | None, FREEZE),
    (FrozenOutside, TUPLE),
    (MutableRecord, "make it frozen: @dataclass(frozen=True)"),
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
    @pytest.mark.parametrize(
        ("annotation", "advice"), REFUSED, ids=[str(each[0]) for each in REFUSED]
    )
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
            component_with(list[str])
        with pytest.raises(DefinitionError, match=r"use FrozenMapping\[str, int\]$"):
            component_with(dict[str, int])

    def test_the_part_that_is_wrong_is_named(self) -> None:
        with pytest.raises(DefinitionError, match=r"list\[int\] is not hashable"):
            component_with(tuple[str, Optional[list[int]]])


class TestTaken:
    @pytest.mark.parametrize(("annotation", "value"), TAKEN, ids=[str(each[0]) for each in TAKEN])
    def test_with_a_node_that_can_be_hashed(self, annotation: Any, value: Any) -> None:
        node = component_with(annotation)(prop=value)
        assert hash(node) == hash(node[()])


class TestOpen:
    @pytest.mark.parametrize(("annotation", "value"), OPEN, ids=[str(each[0]) for each in OPEN])
    def test_is_decided_when_the_node_is_made(self, annotation: Any, value: Any) -> None:
        with pytest.raises(PropError, match="is not hashable"):
            component_with(annotation)(prop=value)
