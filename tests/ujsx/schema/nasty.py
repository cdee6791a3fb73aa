"""More models that are hard to export: with those of ``models`` more than fifty."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntFlag, StrEnum
from ipaddress import IPv6Address
from pathlib import PurePosixPath
from typing import Annotated, Any, Generic, Literal, TypeVar
from uuid import UUID

from annotated_types import Len
from pydantic import (
    UUID4,
    AwareDatetime,
    Base64Bytes,
    BaseModel,
    ConfigDict,
    Field,
    Json,
    NaiveDatetime,
    PastDate,
    RootModel,
    SecretStr,
    StringConstraints,
    create_model,
    field_validator,
)
from typing_extensions import NotRequired, TypeAliasType, TypedDict

from tests.ujsx.schema.models import MODELS, Colour, Described, Node
from tests.ujsx.schema.rough import ROUGH

T = TypeVar("T")


class Nothing(Described):
    """No fields."""


class Quoted(BaseModel):
    """Names that are hard to write."""

    quote: str = Field(alias='say "hi"')
    slash: str = Field(alias="a/b~c")
    umlaut: str = Field(default="ü", alias="größe")


class Shadows(Described):
    """Names of keywords."""

    type: str
    properties: dict[str, int] = {}
    required: list[str] = []
    ref: str = Field(default="", alias="$ref")
    enum: Literal["enum"] = "enum"


class Emojis(Described):
    """Values beyond ASCII."""

    mood: Literal["😀", "naïve", 'say "hi"', "a\\b", "line\nbreak"]
    default: str = "“quoted”\n"


Wide: Any = create_model(
    "Wide",
    __doc__="Sixty optional properties.",
    **{f"field_{number}": (int | None, None) for number in range(60)},  # type: ignore[call-overload]
)


class Flags(IntFlag):
    READ = 1
    WRITE = 2


class Large(StrEnum):
    """Three hundred values."""

    locals().update({f"V{number:03}": f"value number {number:03}" for number in range(300)})


class Listed(Described):
    """Enums that are large, of one value, and of flags."""

    large: Large
    one: Literal[Colour.RED] = Colour.RED
    flags: Flags = Flags.READ


class Bounds(Described):
    """Numbers between bounds of each kind."""

    negative: Annotated[int, Field(ge=-128, lt=0)]
    around: Annotated[int, Field(ge=-9, le=9)]
    large: Annotated[int, Field(ge=0, le=2**53 - 1)]
    none: Annotated[int, Field(gt=3, lt=5)] = 4
    share: Annotated[float, Field(ge=0, le=1, multiple_of=0.25)] = 0.5
    money: Annotated[Decimal, Field(max_digits=6, decimal_places=2)] = Decimal("1.00")


class Texts(Described):
    """Patterns of each kind."""

    slug: Annotated[str, Field(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$", max_length=40)]
    flagged: Annotated[str, Field(pattern=r"(?i)^yes$")]
    ahead: Annotated[str, StringConstraints(pattern=r"^\w+\s\w+$")]
    quoted: Annotated[str, Field(pattern=r'^"[^"]*"$')]
    dotted: Annotated[str, Field(pattern=r"^.{1,3}\.(py|md|)$")]
    either: Annotated[str, Field(pattern=r"^a$|^b$")]
    blank: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=5)]
    never: Annotated[str, Field(max_length=0)] = ""


class Moments(Described):
    """Times of each kind."""

    aware: AwareDatetime
    naive: NaiveDatetime
    past: PastDate
    between: Annotated[date, Field(ge=date(2020, 1, 1), lt=date(2030, 1, 1))]
    span: Annotated[timedelta, Field(gt=timedelta(0))]
    at: time | None = None
    either: datetime | date | int = 0


class Formatted(Described):
    """Texts that mean something, less usual ones."""

    host: IPv6Address
    path: PurePosixPath
    secret: SecretStr
    encoded: Base64Bytes
    inner: Json[list[int]]
    four: UUID4
    any_version: UUID | None = None
    raw: bytes = b""


class Keys(Described):
    """Dictionaries with keys of each kind."""

    by_number: dict[int, str] = {}
    by_word: dict[Literal["a", "b"], int] = {}
    by_uuid: dict[UUID, int] = {}
    by_colour: dict[Colour, list[dict[str, bool | None]]] = {}
    some: Annotated[dict[str, int], Len(1, 3)]


class AnyKey(Described):
    """Dictionaries of anything."""

    data: dict[str, Any]
    nested: dict[str, dict[str, Any]] = {}


class Sets(Described):
    """What has no order, and what holds nothing twice."""

    unique: set[str]
    frozen: frozenset[Literal[1, 2, 3]] = frozenset({1})
    empty: Annotated[list[int], Len(0, 0)] = []
    exactly: Annotated[list[bool], Len(3, 3)]


class Places(Described):
    """Tuples inside lists inside tuples."""

    grid: list[tuple[int, tuple[str, bool], list[float]]]
    open_ended: tuple[tuple[int, int], ...] = ()
    maybe: tuple[int, int] | None = None


class Left(Described):
    kind: Literal["left", "l"]
    value: int


class Right(Described):
    kind: Literal["right"]
    value: str
    both: Left | Right | None = None


class Nested(Described):
    """A union inside a union, told apart by a field."""

    side: Annotated[Left | Right, Field(discriminator="kind")]
    sides: dict[str, Annotated[Left | Right, Field(discriminator="kind")]] = {}
    optional: Annotated[Left | Right | None, Field(discriminator="kind")] = None


class Alike(Described):
    """A union of models that overlap."""

    one: Left | Right | str | list[Left | str]
    nullable: None = None


class Wrapped(RootModel[dict[str, int]]):
    """A dictionary with a name."""


class Roots(Described):
    """Root models inside."""

    counts: Wrapped
    several: list[RootModel[Literal["a", "b"]]] = []


class Page(Described, Generic[T]):
    """A page of something."""

    items: list[T]
    next: Page[T] | None = None


class Pages(Described):
    """Generic models that recur."""

    words: Page[str]
    points: Page[tuple[int, int]] | None = None


class Option(TypedDict):
    name: str
    value: NotRequired[int | None]


class Dicts(Described):
    """Typed dictionaries, closed and not."""

    options: list[Option]
    first: Option | None = None


JsonValue = TypeAliasType(
    "JsonValue", "dict[str, JsonValue] | list[JsonValue] | str | int | float | bool | None"
)


class Data(Described):
    """JSON inside JSON."""

    value: JsonValue


class Mutual(Described):
    """Three that refer to each other in a ring."""

    name: str
    second: Second | None = None


class Second(Described):
    third: list[Third] = []


class Third(Described):
    first: Mutual | None = None


class Needed(Described):
    """A ring without a way out but an empty list."""

    children: list[Needed]


class Checked(Described):
    """Validators that no schema knows."""

    even: int

    @field_validator("even")
    @classmethod
    def is_even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("has to be even")
        return value


class Titled(BaseModel):
    """Titles, examples, deprecations and words of one's own."""

    model_config = ConfigDict(title="A title", json_schema_extra={"examples": [{"a": 1}]})

    a: int = Field(title="The a", examples=[1, 2], json_schema_extra={"x-order": 1})
    b: str | None = Field(default=None, deprecated="use a", description="Of old.")
    text: str = Field(default="", description='Says "x", <b>bold</b>, `code`, and\nmore.')


class Mail(Described):
    """An address."""

    to: Annotated[str, Field(json_schema_extra={"format": "email"})]


class Colours(Enum):
    NONE = None
    RED = "red"
    ONE = 1.5


class Odd(Described):
    """Enums of null and floats, and long texts."""

    colour: Colours
    maybe: Literal["a", None, True, 3]  # noqa: PYI061
    long: Literal[
        "x" * 200  # pyright: ignore[reportInvalidTypeForm]
    ] = "x" * 200  # type: ignore[assignment,valid-type]


class Defaults(Described):
    """Defaults of each kind."""

    data: dict[str, list[int]] = {"a": [1, 2]}
    node: Node = Node(name="leaf")
    nothing: int | None = None
    truth: bool = True
    number: float = 1e-7
    colours: tuple[Colour, ...] = (Colour.RED, Colour.BLUE)


class Layers(Described):
    """Lists of lists of lists."""

    cube: Annotated[list[Annotated[list[Annotated[list[int], Len(1)]], Len(1, 2)]], Len(1, 2)]


class Kept(BaseModel):
    """Takes more than it declares, inside too."""

    model_config = ConfigDict(extra="allow")

    known: Kept | None = None


NASTY: list[type[BaseModel]] = [
    *MODELS, Nothing, Quoted, Shadows, Emojis, Wide, Listed, Bounds, Texts, Moments, Formatted, Keys,
    AnyKey, Sets, Places, Nested, Alike, Roots, Pages, Dicts, Data, Mutual, Needed, Checked, Titled,
    Mail, Odd, Defaults, Layers, Kept, Left, Right, Wrapped, *ROUGH,
]  # fmt: skip
"""All of them."""
