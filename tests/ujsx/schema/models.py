"""Models that are hard to export, each with one thing that some dialect cannot say."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from ipaddress import IPv4Address
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar
from uuid import UUID

from pydantic import AnyUrl, BaseModel, ConfigDict, Field, RootModel, StringConstraints
from typing_extensions import TypedDict

from ujsx import Component, FrozenMapping
from ujsx.schema import DIALECTS, tool_definition, tree_schema

T = TypeVar("T")


class Described(BaseModel):
    model_config = ConfigDict(use_attribute_docstrings=True, extra="forbid")


class Colour(StrEnum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


class Priority(IntEnum):
    LOW = 1
    HIGH = 9


class Mixed(Enum):
    ONE = 1
    TWO = "two"
    YES = True


class Enums(Described):
    """Enums of each kind."""

    colour: Colour
    """A string."""

    priority: Priority = Priority.LOW
    """A number."""

    mixed: Mixed
    """Either."""

    word: Literal["a", "b"]
    """One of two."""

    digit: Literal[1, 2] | None = None
    """A digit."""

    maybe: Literal["a", None]  # noqa: PYI061 - in one enum with null, as Pydantic writes it
    """A word or null."""

    only: Literal["this"]
    """One word."""

    one: Literal[1] = 1
    """One number."""


class Optionals(Described):
    """What may be left out, in all ways."""

    text: str = "some"
    """Some text."""

    nothing: str | None = None
    """Text or nothing."""

    both: int | None = 3
    """Three, unless it is nothing."""

    made: tuple[int, ...] = Field(default_factory=tuple)
    """Made when it is needed."""

    needed: str | None
    """Has to be given, null or not."""


class Constraints(Described):
    """Limits of each kind."""

    short: Annotated[str, Field(min_length=2, max_length=4)]
    line: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=3)]
    code: Annotated[str, Field(pattern=r"^[a-z]{2}\d$")]
    count: Annotated[int, Field(ge=1, lt=10)]
    above: Annotated[int, Field(gt=-5, le=5)] = 0
    share: Annotated[float, Field(gt=0, lt=1)]
    even: Annotated[int, Field(multiple_of=2)]
    some: Annotated[tuple[int, ...], Field(min_length=1, max_length=3)]
    many: Annotated[tuple[int, ...], Field(min_length=2)]
    once: frozenset[int] = frozenset({3, 1, 2})
    groups: tuple[frozenset[str], ...] = (frozenset({"one", "two", "three", "four", "five"}),)


class Formats(Described):
    """Texts that mean something."""

    at: datetime
    on: date
    when: time
    lasts: timedelta
    id: UUID
    host: IPv4Address
    url: AnyUrl | None = None
    price: Decimal


class Pair(NamedTuple):
    left: int
    right: str


class Tuples(Described):
    """Lists whose places differ."""

    point: tuple[float, float]
    pair: tuple[int, str]
    named: Pair = Pair(1, "a")
    empty: tuple[()] = ()
    words: tuple[str, ...] = ()


class Cat(Described):
    """A cat."""

    kind: Literal["cat"] = "cat"
    lives: int = 9


class Dog(Described):
    """A dog."""

    kind: Literal["dog"] = "dog"
    colour: Colour = Colour.RED


class Pets(Described):
    """A union that is told apart by a field."""

    pet: Annotated[Cat | Dog, Field(discriminator="kind")]
    """Whichever it is."""

    others: tuple[Annotated[Cat | Dog, Field(discriminator="kind")], ...] = ()
    """More of them."""


class Shapes(Described):
    """A union that is told apart by nothing."""

    size: int | float | str | bool
    where: tuple[int, ...] | Cat | None = None


class Node(Described):
    """A tree."""

    name: str
    """What it is called."""

    left: Node | None = None
    """What comes before."""

    rest: tuple[Node, ...] = ()
    """What comes after."""


class Ping(Described):
    """One half of a loop."""

    pong: Pong | None = None


class Pong(Described):
    """The other half."""

    ping: Ping | None = None


class Loop(Described):
    """A loop that the root is no part of."""

    first: Ping


class Box(Described, Generic[T]):
    """A box."""

    item: T


class Boxes(Described):
    """Generic models."""

    number: Box[int]
    nested: Box[Box[str]]


class Shared(Described):
    """One definition in several places, each with its own description."""

    first: Cat
    """The first."""

    second: Cat = Cat()
    """The second."""

    third: Cat


@dataclass
class Point:
    """A point."""

    x: int
    y: int = 0


class Movie(TypedDict, total=False):
    """A film."""

    title: str


class Foreign(Described):
    """What is no model."""

    point: Point
    film: Movie


class Aliased(BaseModel):
    """Names that differ from those in Python, and titles that an author wrote."""

    inner: int = Field(alias="outer-name", title="The inner one", examples=[1, 2])
    old: str = Field(default="x", deprecated=True)
    extra: int = Field(default=0, json_schema_extra={"x-unit": "m"})


class Deep(Described):
    """Twelve objects inside each other, without a reference between them."""

    model_config = ConfigDict(json_schema_extra=lambda schema: schema.update(_deep(12)))


def _deep(levels: int) -> dict[str, Any]:
    if levels == 0:
        return {"type": "string"}
    inner = {"a": _deep(levels - 1)}
    return {"type": "object", "properties": inner, "required": ["a"], "additionalProperties": False}


class Ported(Component):
    """A component with a mapping."""

    ports: FrozenMapping[str, int] = FrozenMapping()
    """Ports by service."""


class Keyed(Described):
    """A dictionary whose keys have a pattern."""

    ports: dict[Annotated[str, Field(pattern="^[a-z]+$")], int]


class Open(Described):
    """A dictionary of anything."""

    more: dict[str, Any]


class ListOrKeyed(Described):
    """A list or a dictionary, of which a list of entries could be either."""

    ports: tuple[int, ...] | dict[str, int]


class Loose(BaseModel):
    """A model that takes more than it declares."""

    model_config = ConfigDict(extra="allow")

    name: str


class Anything(Described):
    """A field of any type."""

    value: Any
    """Whatever."""


class Untyped(Described):
    """A list of anything."""

    values: list[Any]


class Words(RootModel[tuple[str, ...]]):
    """A list alone."""


class Called(BaseModel):
    """What no schema describes."""

    call: Callable[[], None]


SAID: list[type[BaseModel]] = [
    Enums, Optionals, Constraints, Formats, Tuples, Pets, Shapes, Boxes, Shared, Foreign,
    Aliased, Node, Ping, Loop, Ported, Keyed, Open, ListOrKeyed, Anything, Untyped, Words,
]  # fmt: skip
"""Models that every dialect takes, if not as they stand."""

REFUSED: list[tuple[type[BaseModel], str, str]] = [
    (Deep, "openai-strict", "takes at most 10 objects inside each other"),
]
"""Models, the dialects that cannot take them, and why."""

MODELS: list[type[BaseModel]] = [*SAID, Loose, *(model for model, _, _ in REFUSED)]


def all_said() -> str:
    """All that a dialect can say, in every dialect."""
    tools = [[tool_definition(each, dialect=dialect) for each in SAID] for dialect in DIALECTS]
    return json.dumps([tools, [tree_schema(dialect=dialect) for dialect in DIALECTS]])
