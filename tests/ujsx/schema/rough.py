"""Models as applications have them, each with something that a converter may trip over."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, ClassVar, Generic, Literal, NamedTuple, TypeVar
from uuid import UUID

from annotated_types import Len
from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ByteSize,
    ConfigDict,
    Discriminator,
    Field,
    FiniteFloat,
    HttpUrl,
    NonNegativeInt,
    PlainSerializer,
    PositiveInt,
    RootModel,
    StrictBool,
    StrictInt,
    StrictStr,
    Tag,
    WithJsonSchema,
    computed_field,
    conint,
    conlist,
    constr,
    model_validator,
)
from pydantic.alias_generators import to_camel
from typing_extensions import TypedDict

T = TypeVar("T")


class Rough(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Keywords(Rough):
    """Names that are words of Python and of JSON Schema."""

    class_: str = Field(alias="class")
    from_: int = Field(0, alias="from")
    definitions: dict[str, str] = {}
    defs: list[str] = Field([], alias="$defs")
    description: str = ""
    title: str = ""
    default: str = "default"
    items: list[int] = []
    any_of: list[str] = Field([], alias="anyOf")
    const: Literal["const"] = "const"
    more: bool = Field(False, alias="additionalProperties")
    nullable: bool | None = None
    format: str = "date"


class Dollars(Rough):
    """Names that begin with a sign, a digit, a dash."""

    id: str = Field(alias="$id")
    schema_: str = Field("", alias="$schema")
    at: str = Field("", alias="@type")
    digit: int = Field(0, alias="1st")
    dash: int = Field(0, alias="x-rate-limit")
    dot: int = Field(0, alias="user.name")
    under: int = Field(0, alias="_private")


class Languages(Rough):
    """Names in other scripts."""

    name: str = Field(alias="名前")
    word: str = Field("", alias="имя")
    size: float = Field(0.0, alias="größe")
    flag: bool = Field(False, alias="ñ")
    emoji: int = Field(0, alias="😀")


class Camel(BaseModel):
    """Names that a generator makes."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")

    first_name: str
    last_seen_at: datetime | None = None
    is_active_now: bool = True


class Elsewhere(Rough):
    """Names that are one of several, or a path."""

    one: str = Field(validation_alias=AliasChoices("one", "uno"))
    deep: str = Field("", validation_alias=AliasPath("outer", "inner"))


class Cat(Rough):
    sound: Literal["meow"] = "meow"
    lives: Annotated[int, Field(ge=0, le=9)] = 9


class Dog(Rough):
    sound: Literal["woof", "bark"]
    good: bool = True


class Undiscriminated(Rough):
    """A union that only its shape tells apart."""

    pet: Cat | Dog
    pets: list[Cat | Dog | None] = []
    text_or_list: str | list[str] = ""
    number: int | float | Decimal | str = 0
    three: int | list[int | None] | dict[str, int | None] | None = None


def _tag(value: Any) -> str:
    return (
        "dog"
        if (value.get("good") if isinstance(value, dict) else hasattr(value, "good"))
        else "cat"
    )


class Called(Rough):
    """A union that a function tells apart."""

    pet: Annotated[Annotated[Cat, Tag("cat")] | Annotated[Dog, Tag("dog")], Discriminator(_tag)]


class Circle(Rough):
    type: Literal["circle"]
    radius: Annotated[float, Field(gt=0, lt=1e6)]


class Square(Rough):
    type: Literal["square"]
    side: Annotated[float, Field(gt=0)]
    inner: Shape | None = None


class Group(Rough):
    type: Literal["group"]
    shapes: list[Shape] = []


Shape = Annotated[Circle | Square | Group, Field(discriminator="type")]


class Drawing(Rough):
    """Shapes inside shapes, told apart by a field."""

    root: Shape
    layers: dict[str, list[Shape]] = {}


class Expression(Rough):
    """An expression of a small language."""

    op: Literal["+", "-", "*", "/", "&&", "||", "!", "=="]
    left: Expression | float | str
    right: Expression | float | str | None = None


class Tree(Rough):
    """A tree by name, in both directions."""

    name: str
    children: dict[str, Tree] = {}
    parent: Tree | None = None


class Address(Rough):
    """Where somebody lives."""

    street: str = "Main Street 1"
    zip: Annotated[str, Field(pattern=r"^\d{5}(-\d{4})?$")] = "12345"


class DefaultModels(Rough):
    """Defaults that are models, and lists of them."""

    home: Address = Address()
    others: list[Address] = [Address(street="x"), Address(zip="00000-0000")]
    by_name: dict[str, Address] = {"work": Address()}
    made: Address = Field(default_factory=Address)
    when: datetime = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    every: timedelta = timedelta(hours=1, seconds=0.5)
    who: UUID = UUID(int=7)
    cost: Decimal = Decimal("1.10")


class KeyedByKind(Rough):
    """Dictionaries whose keys have a pattern."""

    by_slug: dict[Annotated[str, Field(pattern=r"^[a-z]+$")], int] = {}
    by_code: dict[Annotated[str, Field(min_length=2, max_length=2)], list[str]] = {}
    by_date: dict[date, float] = {}
    by_pair: dict[tuple[int, int], str] = {}
    by_bool: dict[bool, int] = {}


LONG = "A sentence that says what this is for, and when it is not to be used. " * 120


class Long(Rough):
    """Descriptions that are very long."""

    text: str = Field(description=LONG)
    other: int = Field(
        0,
        description='\n\n  Indented,\n\twith tabs\r\nand \x00 \u2028 \u202e characters. ```json {"a": 1}``` </tool>',
    )
    blank: str = Field("", description="   ")


class Odd(Enum):
    SPACE = " "
    EMPTY = ""
    QUOTE = '"'
    LINE = "a\nb"
    NULL = "null"
    TRUE = "true"
    NUMBER = "1"


class Big(IntEnum):
    MIN = -(2**53)  # at -(2**63) llguidance 1.9.1 ends the process, in any other dialect
    MAX = 2**63 - 1
    ZERO = 0


class OddEnums(Rough):
    """Enums with odd values."""

    odd: Odd = Odd.EMPTY
    big: Big = Big.ZERO
    lists: list[Odd] = []
    keyed: dict[Odd, Big] = {}
    literal: Literal["", " ", "null", "NULL", "1", 1, "true", True, -1] = ""
    nested: Literal["a", "b", "c"] = "a"


class Point(NamedTuple):
    x: int
    y: int = 0


class MoreTuples(Rough):
    """Tuples of each kind."""

    point: Point
    pair: tuple[str, int]
    triple: tuple[str, int, Annotated[float, Field(ge=0)]] = ("a", 1, 2.0)
    empty: tuple[()] = ()
    many: Annotated[tuple[int, ...], Len(1, 4)] = (1,)
    inner: tuple[tuple[Literal["k"], Address], ...] = ()
    alike: tuple[int, int, int] = (1, 2, 3)


@dataclass
class Line:
    """A line of text."""

    words: list[str] = field(default_factory=list)
    next: Line | None = None


class Movie(TypedDict, total=False):
    name: str
    year: int


class MoreForeign(Rough):
    """Dataclasses, typed dictionaries, named tuples."""

    line: Line
    movie: Movie = {}
    movies: list[Movie] = []


class Numbers(Rough):
    """Numbers with constraints of each kind."""

    positive: PositiveInt
    natural: NonNegativeInt = 0
    finite: FiniteFloat = 0.0
    percent: Annotated[float, Field(ge=0, le=100)] = 0
    step: Annotated[int, Field(multiple_of=5)] = 0
    tiny: Annotated[float, Field(gt=1e-300, lt=1e-10)] = 1e-20
    huge: Annotated[int, Field(ge=-(10**30), le=10**30)] = 0
    digits: Annotated[Decimal, Field(max_digits=10, decimal_places=2, ge=0)] = Decimal("0.00")
    size: ByteSize = ByteSize(0)
    strict: StrictInt = 1
    truth: StrictBool = False
    word: StrictStr = ""
    old: conint(ge=1, le=3) = 1  # type: ignore[valid-type]


class MoreTexts(Rough):
    """Texts with constraints of each kind."""

    url: HttpUrl
    code: constr(pattern=r"^[A-Z]{3}-\d{2,4}$", to_upper=True) = "ABC-12"  # type: ignore[valid-type]
    unanchored: Annotated[str, Field(pattern=r"\d+")] = "1"
    unicode: Annotated[str, Field(pattern=r"^[а-яё]+$")] = "я"
    astral: Annotated[str, Field(pattern=r"^[😀-😎]$")] = "😀"
    compiled: Annotated[str, Field(pattern=re.compile(r"^\S+@\S+\.\S+$"))] = "a@b.c"
    dot: Annotated[str, Field(pattern=r"^a.c$", min_length=3, max_length=3)] = "abc"
    blank: Annotated[str, Field(pattern=r"^$")] = ""
    nested: Annotated[str, Field(pattern=r"^(?:(?:a|b){2,3}(?:c(?:d|e)?)*)+$")] = "aa"
    quote: Annotated[str, Field(pattern=r"^['\"\\/]+$")] = "/"
    newline: Annotated[str, Field(pattern=r"^a\nb\t$")] = "a\nb\t"


class Lists(Rough):
    """Lists with constraints of each kind."""

    some: conlist(int, min_length=2, max_length=3)  # type: ignore[valid-type]
    matrix: list[Annotated[list[float], Len(3, 3)]] = []
    sequence: Sequence[str] = ()
    deep: list[list[list[list[list[str]]]]] = []
    unique: set[Annotated[int, Field(ge=0)]] = set()
    anything: list[Any] = []
    long: Annotated[list[str], Len(0, 1000)] = []


class Maps(Rough):
    """Mappings of each kind."""

    mapping: Mapping[str, int] = {}
    ordered: OrderedDict[str, int] = OrderedDict()
    bounded: Annotated[dict[str, str], Len(1, 5)]
    nested: dict[str, dict[str, dict[str, bool]]] = {}
    optional: dict[str, int | None] | None = None
    bare: dict[str, Any] = {}


class Whatever(Rough):
    """Values of any type."""

    value: Any = None
    given: Any
    thing: object = None
    values: list[Any] = []


class Hand(Rough):
    """Schemas written by hand."""

    any_: Annotated[Any, WithJsonSchema({"type": ["string", "integer", "null"]})] = None
    not_: Annotated[str, WithJsonSchema({"type": "string", "not": {"enum": ["x"]}})] = ""
    conditional: Annotated[
        dict[str, Any],
        WithJsonSchema(
            {
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
                "if": {"required": ["a"]},
                "then": {"required": ["b"]},
                "dependentRequired": {"b": ["a"]},
            }
        ),
    ] = {}
    contains: Annotated[
        list[Any],
        WithJsonSchema({"type": "array", "contains": {"const": 1}, "items": {"type": "integer"}}),
    ] = []
    all_: Annotated[
        dict[str, Any],
        WithJsonSchema(
            {
                "allOf": [
                    {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                    {"type": "object", "properties": {"b": {"type": "integer"}}},
                ]
            }
        ),
    ] = {"a": ""}
    boolean: Annotated[Any, WithJsonSchema({})] = None


class Lazy(Rough):
    """Validators before, after and around."""

    trimmed: Annotated[str, BeforeValidator(str.strip)]
    even: Annotated[int, AfterValidator(lambda value: value)] = 0
    shown: Annotated[datetime, PlainSerializer(lambda value: value.isoformat())] = datetime(
        2026, 1, 1, tzinfo=UTC
    )

    @model_validator(mode="after")
    def _is_whole(self) -> Lazy:
        return self


class Computed(Rough):
    """Fields that are computed, of the class, or left out."""

    KIND: ClassVar[str] = "computed"
    width: int
    hidden: str = Field("secret", exclude=True)
    frozen: int = Field(1, frozen=True)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def area(self) -> int:
        return self.width**2


class Base(Rough):
    """What all have."""

    id: UUID
    created: datetime


class Derived(Base):
    """A subclass that narrows a field."""

    created: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    id: UUID = UUID(int=0)


class Result(Rough, Generic[T]):
    """A result of something, or an error."""

    ok: bool
    value: T | None = None
    errors: list[str] = []


class Results(Rough):
    """Generic models of several things."""

    point: Result[Point]
    shape: Result[Circle | Square]
    nested: Result[Result[list[int]]] | None = None


class Filter(RootModel[dict[str, "Filter | str | int | list[Filter]"]]):
    """A root model that recurs."""


class Query(Rough):
    """A query as databases have them."""

    where: Filter = Filter({})
    select: list[str] = ["*"]
    order_by: list[tuple[str, Literal["asc", "desc"]]] = []
    limit: Annotated[int, Field(ge=1, le=10_000)] = 100


class SameName(Rough):
    """A model whose inner model has its name."""

    class Rough(BaseModel):
        """The inner one."""

        value: int = 0

    inner: Rough
    outer: SameName | None = None


class Slash(Rough):
    """Names that a JSON pointer escapes."""

    slash: int = Field(0, alias="a/b")
    tilde: Address = Field(Address(), alias="a~1b")
    percent: Address = Field(Address(), alias="%25")
    hash: int = Field(0, alias="#/x")


class Permissive(BaseModel):
    """Takes more, of one type."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int]

    known: str


class Ignoring(BaseModel):
    """Passes over what it does not know."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True, str_min_length=1)

    name: str
    mail: str | None = None
    states: list[StateOf] = []


class StateOf(BaseModel):
    at: time
    state: Literal["on", "off"] | None = None


ROUGH: list[type[BaseModel]] = [
    Keywords, Dollars, Languages, Camel, Elsewhere, Undiscriminated, Called, Drawing, Expression,
    Tree, DefaultModels, KeyedByKind, Long, OddEnums, MoreTuples, MoreForeign, Numbers, MoreTexts, Lists, Maps,
    Whatever, Hand, Lazy, Computed, Base, Derived, Results, Filter, Query, SameName, Slash,
    Permissive, Ignoring,
]  # fmt: skip
"""All of them."""
