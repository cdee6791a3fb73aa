"""Arguments of tools that take values of any type, dictionaries beside lists, or no object at all; each has a value."""

from __future__ import annotations

from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, RootModel
from typing_extensions import TypedDict


class SetState(BaseModel):
    """Keep a value under a key."""

    key: str
    value: Any


class CallFunction(BaseModel):
    """Call a function by its name."""

    name: str
    args: list[Any] = []
    kwargs: dict[str, Any] = {}


class HttpRequest(BaseModel):
    """Send a request."""

    method: Literal["GET", "POST", "PUT"] = "GET"
    url: str
    headers: dict[str, str] = {}
    json_body: JsonValue = None


class RunSql(BaseModel):
    """Run a query, with parameters by place or by name."""

    sql: str
    parameters: list[Any] | dict[str, Any] = []


class InsertRows(BaseModel):
    """Insert rows into a table."""

    table: str
    rows: list[dict[str, Any]]


class MongoFind(BaseModel):
    """Find documents."""

    collection: str
    filter: dict[str, Any] = {}
    sort: dict[str, Literal[1, -1]] | list[tuple[str, int]] | None = None


class SelectColumns(BaseModel):
    """Select columns, or rename them on the way."""

    columns: list[str] | dict[str, str]


class TagThings(RootModel[dict[str, list[str]]]):
    """Tags by thing."""


class RunAll(RootModel[list[str]]):
    """Commands in their order."""


class Query(RootModel[str]):
    """A search text."""


class Threshold(RootModel[Annotated[float, Field(ge=0, le=1)]]):
    """A share."""


class Day(RootModel[date]):
    """A day."""


class Mode(Enum):
    ON = "on"
    OFF = "off"


class Switch(RootModel[Mode]):
    """Whether it is on."""


class Point(BaseModel):
    x: float
    y: float


class Circle(BaseModel):
    kind: Literal["circle"]
    center: Point
    radius: float


class Polygon(BaseModel):
    kind: Literal["polygon"]
    points: list[Point]


class Draw(RootModel[Annotated[Circle | Polygon, Field(discriminator="kind")]]):
    """Draw a shape."""


class Edits(RootModel[list[Point]]):
    """Points to move to."""


class Maybe(RootModel[int | None]):
    """A number, or none."""


class Lookup(RootModel[int | str | list[int]]):
    """A row by number, by name, or several."""


class Settings(RootModel[dict[str, str | dict[str, str] | None]]):
    """Settings by name."""


class Patch(BaseModel):
    op: Literal["add", "replace", "remove"]
    path: str
    value: JsonValue = None


class JsonPatch(RootModel[list[Patch]]):
    """A JSON patch."""


class Nested(RootModel["dict[str, Nested | str]"]):
    """Folders of texts."""


class Matrix(RootModel[list[list[float]]]):
    """A matrix."""


class Pair(RootModel[tuple[str, int]]):
    """A name and a count."""


class Track(BaseModel):
    """Report an event."""

    event: str
    properties: dict[str, str | int | list[str] | dict[str, str]] = {}


class Chart(BaseModel):
    """Draw a chart."""

    data: list[dict[str, float | str | None]]
    options: JsonValue = {}


class Labels(BaseModel):
    """Label an issue, by names or with colors."""

    issue: int
    labels: list[str] | dict[str, str] | None = None


class Assert(BaseModel):
    """Compare two values."""

    actual: Any
    expected: Any
    message: str = ""


class CacheSet(BaseModel):
    """Cache values."""

    items: dict[str, Any]
    ttl: int | None = None


class Template(BaseModel):
    """Fill a template."""

    text: str
    values: dict[str, Any] | list[Any]


class Extra(BaseModel):
    """A name, and more that is not declared but here."""

    model_config = ConfigDict(extra="forbid")

    name: str
    more: dict[str, list[Any]] = {}


class Metric(TypedDict, total=False):
    name: str
    value: Any


class PushMetrics(BaseModel):
    """Push metrics."""

    metrics: list[Metric]


class Workflow(BaseModel):
    """Steps with what each is given."""

    steps: list[Step]


class Step(BaseModel):
    uses: str
    with_: dict[str, str | bool | int] | list[str] = Field({}, alias="with")
    then: list[Step] = []


class Compare(BaseModel):
    """Two lists of anything."""

    left: list[Any]
    right: list[Any]


class Choose(BaseModel):
    """Choose one, several, or by weight."""

    choice: str | list[str] | dict[str, float]


class Env(BaseModel):
    """Variables as lines or by name, as in a compose file."""

    environment: dict[str, str | None] | list[str]
    volumes: dict[str, JsonValue] = {}


class Answer(BaseModel):
    """The final answer."""

    answer: JsonValue
    confidence: float = 1.0


class Remember(BaseModel):
    """Remember facts."""

    facts: list[str | dict[str, str]]


class Deep(BaseModel):
    """Dictionaries of dictionaries of anything."""

    tree: dict[str, dict[str, Any]]


class Args(RootModel[list[Any]]):
    """Arguments by place."""


class Either(RootModel[list[int] | dict[str, int]]):
    """Numbers, or numbers by name."""


class Flags(RootModel[bool | dict[str, bool]]):
    """All flags, or some."""


NESTED: Any = {"a": [1, 2.5, None, {"b": []}], "c": {"key": "k", "value": True}}

VALUES: list[BaseModel] = [
    SetState(key="a", value=NESTED),
    CallFunction(name="f", args=[1, "2", [3], None], kwargs={"a": "1", "b": {"c": [True]}}),
    HttpRequest(url="/", json_body=[NESTED, "5", 5]),
    RunSql(sql="select ?", parameters={"a": 1, "b": None}),
    InsertRows(table="t", rows=[{"id": 1, "tags": ["a"], "at": None}, {}]),
    MongoFind(collection="c", filter={"$or": [{"a": 1}, {"b": {"$gt": 2}}]}, sort={"a": 1}),
    SelectColumns(columns={"a": "b"}),
    TagThings({"a": ["x"], "root": []}),
    RunAll(["ls", "pwd"]),
    Query("port"),
    Threshold(0.5),
    Day(date(2026, 11, 28)),
    Switch(Mode.ON),
    Draw(Polygon(kind="polygon", points=[Point(x=0, y=1)])),
    Edits([Point(x=1, y=2)]),
    Maybe(None),
    Lookup([1, 2]),
    Settings({"a": {"b": "c"}, "root": None}),
    JsonPatch([Patch(op="add", path="/a", value={"b": [1]}), Patch(op="remove", path="/c")]),
    Nested({"a": Nested({"b": "text"}), "root": "x"}),
    Matrix([[1, 0], [0, 1]]),
    Pair(("a", 1)),
    Track(event="e", properties={"a": 1, "b": ["x"], "c": {"d": "e"}, "f": {}}),
    Chart(data=[{"x": 1.5, "y": "a", "z": None}], options={"legend": {"show": True}}),
    Labels(issue=1, labels={"bug": "red"}),
    Assert(actual=[1, 2], expected="[1, 2]"),
    CacheSet(items={"a": 1, "b": [1], "c": {}}),
    Template(text="{a}", values={"a": ["b"]}),
    Extra(name="a", more={"b": [1, "c", {}]}),
    PushMetrics(metrics=[{"name": "a", "value": 1}, {"name": "b", "value": {"b": 1}}]),
    Workflow(steps=[Step(uses="a", **{"with": {"x": True}}, then=[Step(uses="b")])]),
    Compare(left=[{}], right=[[]]),
    Choose(choice={"a": 0.5}),
    Env(environment={"A": "1", "B": None}, volumes={"data": {}, "log": None}),
    Answer(answer={"as": ["you", "like"]}),
    Remember(facts=["a", {"b": "c"}]),
    Deep(tree={"a": {"b": [{}]}, "c": {}}),
    Args([1, [2], {"a": 3}]),
    Either({"a": 1}),
    Flags({"a": True}),
]
