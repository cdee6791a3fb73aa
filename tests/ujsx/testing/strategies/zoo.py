"""Components with every kind of prop that a schema can describe."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Hashable
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from ipaddress import IPv4Address
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import (
    AfterValidator,
    AliasChoices,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ByteSize,
    ConfigDict,
    Field,
    FutureDate,
    HttpUrl,
    Json,
    NaiveDatetime,
    PastDatetime,
    RootModel,
    SecretStr,
    StringConstraints,
    model_validator,
)

from ujsx import Child, Children, Component, Element, FrozenMapping, RenderContext
from ujsx.elements import Item, List, Paragraph, Section


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Colour(Enum):
    RED = "r"
    GREEN = "g"


class Cat(Frozen):
    kind: Literal["cat"]
    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Dog(Frozen):
    kind: Literal["dog"]
    age: Annotated[int, Field(ge=0, lt=30)] = 3


class Span(Frozen):
    start: Annotated[int, Field(ge=0, le=9)]
    end: Annotated[int, Field(ge=0, le=9)]

    @model_validator(mode="after")
    def in_order(self) -> Span:
        if self.end < self.start:
            raise ValueError("the end is before the start")
        return self


class Tags(RootModel[tuple[str, ...]]):
    model_config = ConfigDict(frozen=True)


@dataclass(frozen=True)
class Point:
    x: int
    label: str = "here"


class Pair(NamedTuple):
    left: int
    right: str


class Scalars(Component):
    text: str
    short: Annotated[str, Field(max_length=3)]
    long: Annotated[str, Field(min_length=40)]
    exact: Annotated[str, Field(min_length=5, max_length=5)]
    slug: Annotated[str, Field(pattern=r"^[a-z]+(-[a-z]+)*$")]
    code: Annotated[str, Field(pattern="[0-9]{3}", max_length=9)]
    line: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    shout: Annotated[str, AfterValidator(str.upper)]
    any_text: Annotated[str, BeforeValidator(str)]
    whole: Annotated[int, Field(ge=1, le=6)]
    odd: Annotated[int, Field(gt=0, lt=20, multiple_of=7)]
    share: Annotated[float, Field(gt=0, lt=1)]
    real: float
    half: Annotated[float, Field(multiple_of=0.5, ge=0, le=10)]
    price: Annotated[Decimal, Field(max_digits=5, decimal_places=2, gt=0)]
    big: Decimal
    yes: bool
    raw: Annotated[bytes, Field(min_length=1, max_length=4)]
    nothing: None
    direction: Literal["up", "down", 3]
    colour: Colour


class Times(Component):
    day: Annotated[dt.date, Field(ge=dt.date(2020, 1, 1))]
    moment: dt.datetime
    aware: AwareDatetime
    naive: NaiveDatetime
    past: PastDatetime
    future: FutureDate
    clock: dt.time
    span: Annotated[dt.timedelta, Field(ge=dt.timedelta(0))]


class Compounds(Component):
    names: tuple[str, ...]
    few: Annotated[tuple[int, ...], Field(min_length=2, max_length=3)]
    pair: tuple[int, str]
    either: str | int | None
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]
    pets: tuple[Cat | Dog, ...]
    colours: Annotated[frozenset[Colour], Field(min_length=1)]
    ports: FrozenMapping[str, int]
    by_number: FrozenMapping[int, tuple[str, ...]]
    span: Span
    spans: tuple[Span, ...]
    tags: Tags
    point: Point
    two: Pair
    aliased: Annotated[int, Field(alias="wire")]
    either_name: Annotated[int, Field(validation_alias=AliasChoices("first", "second"))]
    huge: Annotated[int, Field(gt=10**20, lt=10**20 + 3, multiple_of=2)]


class Others(Component):
    anything: Any
    hashable: Hashable
    file: Path
    address: IPv4Address
    site: HttpUrl
    id: uuid.UUID
    secret: SecretStr
    size: ByteSize
    data: Json[tuple[int, ...]]


class Tree(Component):
    label: str
    kids: tuple[Tree, ...] = ()
    named: FrozenMapping[str, Tree] = FrozenMapping()
    next: Tree | None = None

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return List()[Item()[self.label, children, self.kids, self.next]]


class Required(Component):
    """Never ends: each has another one."""

    inner: Required


class Optional(Component):
    title: str = "Notes"
    count: int = 1

    def render(self, ctx: RenderContext, children: Children) -> Element:
        return Section(title=self.title)[Paragraph()[children, f" {self.count}"]]


ALL: tuple[type[Component], ...] = (Scalars, Times, Compounds, Others, Tree, Optional)
