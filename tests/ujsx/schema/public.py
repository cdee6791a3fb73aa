"""Arguments of tools in the shape of those that public servers offer, with dictionaries and recursion.

Each has a value; values of recursive models are as deep as a dialect without recursion takes by default.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from enum import Enum
from typing import Annotated, Literal

from pydantic import BaseModel, Field, RootModel


class EnvVars(RootModel[dict[str, str]]):
    """Environment variables."""


class RunCommand(BaseModel):
    """Run a command in a sandbox."""

    argv: list[str]
    env: EnvVars = EnvVars({})
    timeout: Annotated[int, Field(ge=1, le=600)] = 60


class FileNode(BaseModel):
    """A file, or a folder with what is in it."""

    name: str
    kind: Literal["file", "folder"] = "file"
    children: list[FileNode] = []


class WriteTree(BaseModel):
    """Create files and folders."""

    root: str
    tree: FileNode


class EditFiles(BaseModel):
    """Edit files, by their paths."""

    edits: dict[str, list[TextEdit]]
    dry_run: bool = False


class TextEdit(BaseModel):
    """A replacement."""

    old: str
    new: str


class CommitFiles(BaseModel):
    """Commit the contents of files, by path."""

    message: str
    files: dict[str, str | None]
    trailers: dict[str, str] = {}


class MergeConflict(BaseModel):
    """Resolve conflicts, by path and hunk."""

    choices: dict[str, dict[int, Literal["ours", "theirs", "both"]]]


class SearchIssues(BaseModel):
    """Search issues with a filter."""

    where: IssueFilter
    sort: dict[Literal["created", "updated", "comments"], Literal["asc", "desc"]] = {}
    limit: int = 20


class IssueFilter(BaseModel):
    """A condition, or several joined."""

    field: str | None = None
    equals: str | int | bool | None = None
    all_of: list[IssueFilter] = []
    none_of: list[IssueFilter] = []


class PostMessage(BaseModel):
    """Post a message of blocks to a channel."""

    channel: str
    blocks: list[Annotated[SectionBlock | ActionsBlock | ContextBlock, Field(discriminator="type")]]
    metadata: dict[str, str | int] | None = None


class SectionBlock(BaseModel):
    """Text, with fields beside it."""

    type: Literal["section"]
    text: str
    fields: dict[str, str] = {}


class ActionsBlock(BaseModel):
    """Buttons, by the value that each sends."""

    type: Literal["actions"]
    buttons: dict[str, str]


class ContextBlock(BaseModel):
    """Small print."""

    type: Literal["context"]
    elements: list[str]


class AppendBlocks(BaseModel):
    """Append blocks to a page of notes."""

    page: str
    children: list[NoteBlock]


NoteBlock = Annotated["ParagraphBlock | ToggleBlock | TodoBlock", Field(discriminator="type")]


class ParagraphBlock(BaseModel):
    """A paragraph."""

    type: Literal["paragraph"]
    text: str
    annotations: dict[Literal["bold", "italic", "code"], bool] = {}


class ToggleBlock(BaseModel):
    """A heading that hides blocks."""

    type: Literal["toggle"]
    text: str
    children: list[NoteBlock] = []


class TodoBlock(BaseModel):
    """Something to do, with what belongs to it."""

    type: Literal["to_do"]
    text: str
    checked: bool = False
    children: list[NoteBlock] = []


class CreatePage(BaseModel):
    """Create a page in a database, with values by column."""

    database: str
    properties: dict[str, PropertyValue]


class PropertyValue(BaseModel):
    """The value of a column."""

    text: str | None = None
    number: float | None = None
    when: date | None = None
    tags: list[str] = []


class EvaluateRule(BaseModel):
    """Evaluate a rule with variables."""

    rule: Rule
    variables: dict[str, str | float | bool]


class Rule(BaseModel):
    """An operator and what it takes: rules, or values."""

    op: Literal["and", "or", "not", "==", "<", "var"]
    args: list[Rule | str | float | bool]


class DescribeSchema(BaseModel):
    """Describe the body of a request."""

    path: str
    body: SchemaTree


class SchemaTree(BaseModel):
    """A type, with those inside it."""

    type: Literal["object", "array", "string", "number"]
    properties: dict[str, SchemaTree] = {}
    items: SchemaTree | None = None
    required: list[str] = []


class CallEndpoint(BaseModel):
    """Send a request."""

    method: Literal["GET", "POST", "PUT", "DELETE"] = "GET"
    url: str
    headers: dict[str, str] = {}
    query: dict[str, str | list[str]] = {}
    form: dict[str, str] | None = None


class ApplyDeployment(BaseModel):
    """Apply a deployment to a cluster."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,63}$")]
    labels: Annotated[dict[str, str], Field(min_length=1)]
    selector: LabelSelector
    containers: list[Container]


class LabelSelector(BaseModel):
    """Which pods are meant."""

    match_labels: dict[str, str] = {}
    expressions: list[tuple[str, Literal["In", "NotIn"], list[str]]] = []


class Container(BaseModel):
    """A container."""

    image: str
    ports: dict[str, Annotated[int, Field(ge=1, le=65535)]] = {}
    limits: dict[Literal["cpu", "memory"], str] = {}


class PatchConfigMap(BaseModel):
    """Change the data of a config map; null removes a key."""

    namespace: str = "default"
    data: dict[Annotated[str, Field(pattern=r"^[-._a-zA-Z0-9]+$")], str | None]


class WriteCells(BaseModel):
    """Write cells of a sheet, by address."""

    sheet: str
    cells: dict[Annotated[str, Field(pattern=r"^[A-Z]+[0-9]+$")], str | float | bool | None]


class PivotTable(BaseModel):
    """Make a pivot table."""

    rows: list[str]
    values: dict[str, Literal["sum", "mean", "count"]]
    filters: dict[str, list[str]] = {}


class QueryTable(BaseModel):
    """Query a table."""

    table: str
    where: Condition | None = None
    bind: dict[str, int | str] = {}


class Condition(BaseModel):
    """A comparison, or one of others."""

    column: str | None = None
    op: Literal["=", "<", ">", "and", "or"]
    value: str | float | None = None
    left: Condition | None = None
    right: Condition | None = None


class InsertRows(BaseModel):
    """Insert rows, by column."""

    table: str
    rows: list[dict[str, str | float | None]]


class Translate(BaseModel):
    """Set translations, by key and language."""

    messages: dict[str, dict[Literal["de", "en", "fr"], str]]


class Thread(BaseModel):
    """A comment with its replies."""

    author: str
    text: str
    reactions: dict[str, int] = {}
    replies: list[Thread] = []


class ImportThread(BaseModel):
    """Import a discussion."""

    forum: str
    first: Thread


class PlanTrip(BaseModel):
    """Plan a trip by day."""

    days: dict[date, list[Stop]]


class Stop(BaseModel):
    """A stop."""

    place: str
    at: datetime | None = None
    notes: dict[str, str] = {}


class Menu(BaseModel):
    """A menu with others inside."""

    label: str
    href: str | None = None
    entries: list[Menu] | None = None


class SetMenus(BaseModel):
    """Set the menus of a site, by where they stand."""

    menus: dict[Literal["header", "footer"], Menu]


class Grid(BaseModel):
    """Rows and columns of widgets."""

    direction: Literal["row", "column"]
    sizes: dict[str, float] = {}
    items: list[Grid | Widget]


class Widget(BaseModel):
    """A widget with options."""

    name: str
    options: dict[str, str | int | bool] = {}


class SaveDashboard(BaseModel):
    """Save a dashboard."""

    title: str
    layout: Grid


class Level(Enum):
    """How loud."""

    LOW = "low"
    HIGH = "high"


class SetAlerts(BaseModel):
    """Set alerts, by how loud they are."""

    by_level: dict[Level, list[str]]
    mute: dict[str, datetime] = {}


class SendEvents(BaseModel):
    """Send events with attributes."""

    events: list[TrackedEvent]


class TrackedEvent(BaseModel):
    """An event."""

    name: str
    attributes: dict[str, str | float | bool | list[str]]


class Span(BaseModel):
    """A span of a trace, with those that it began."""

    name: str
    tags: dict[str, str] = {}
    children: dict[str, Span] = {}


class RecordTrace(BaseModel):
    """Record a trace."""

    service: str
    root: Span


class UpdateGraph(BaseModel):
    """Update a graph of entities."""

    entities: dict[str, Entity]
    edges: list[tuple[str, str, str]] = []


class Entity(BaseModel):
    """An entity."""

    kind: str
    facts: dict[str, list[str]] = {}


class Budget(BaseModel):
    """Set a budget by category and month."""

    limits: dict[str, dict[Annotated[int, Field(ge=1, le=12)], float]]


class OrgUnit(BaseModel):
    """A unit of a company, with those below."""

    head: str
    seats: int = 1
    units: dict[str, OrgUnit] = {}


class SetOrgChart(BaseModel):
    """Set the chart of a company."""

    company: str
    top: OrgUnit


class Expression(RootModel["Number | BinaryOperation"]):
    """A number, or an operation."""


class Number(BaseModel):
    """A number."""

    value: float


class BinaryOperation(BaseModel):
    """An operation on two expressions."""

    op: Literal["+", "-", "*"]
    left: Expression
    right: Expression


class Compute(BaseModel):
    """Compute an expression."""

    expression: Expression


class Workflow(BaseModel):
    """Steps by name, which may be workflows."""

    steps: dict[str, Step | Workflow]


class Step(BaseModel):
    """A step."""

    uses: str
    inputs: dict[str, str] = {}


class TagResources(BaseModel):
    """Tag cloud resources."""

    tags: dict[str, dict[str, str]]
    remove: list[str] = []


class SetPermissions(BaseModel):
    """Set who may do what."""

    grants: dict[str, set[Literal["read", "write", "admin"]]]


class Outline(BaseModel):
    """An outline."""

    title: str
    sections: list[Outline] = []


class CreateForm(BaseModel):
    """Create a form."""

    title: str
    fields: dict[str, Annotated[TextInput | Choice | Group, Field(discriminator="kind")]]


class TextInput(BaseModel):
    """A text."""

    kind: Literal["text"]
    required: bool = False


class Choice(BaseModel):
    """One of several."""

    kind: Literal["choice"]
    choices: dict[str, str]


class Group(BaseModel):
    """Fields together."""

    kind: Literal["group"]
    fields: dict[str, Annotated[TextInput | Choice | Group, Field(discriminator="kind")]]


class Person(BaseModel):
    """A person with ancestors."""

    name: str
    mother: Person | None = None
    father: Person | None = None


class SetFeatureFlags(BaseModel):
    """Set feature flags, by environment."""

    flags: dict[str, dict[str, bool]]


class LabelImages(BaseModel):
    """Label images with boxes."""

    labels: dict[str, list[tuple[float, float, float, float]]]


class SetPrices(BaseModel):
    """Set prices by product, in cents, with tiers by quantity."""

    prices: dict[str, dict[int, int]]
    currency: str = "EUR"


class RunNotebook(BaseModel):
    """Run a notebook with parameters."""

    path: str
    parameters: dict[str, str | int | float | bool] = {}
    cells: list[int] | None = None


NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)

for _model in [*globals().values()]:
    if isinstance(_model, type) and _model.__module__ == __name__ and issubclass(_model, BaseModel):
        _model.model_rebuild()

VALUES: list[BaseModel] = [
    RunCommand(argv=["make", "test"], env=EnvVars({"CI": "1", "": "empty"})),
    WriteTree(
        root="/srv",
        tree=FileNode(
            name="app",
            kind="folder",
            children=[FileNode(name="src", kind="folder", children=[FileNode(name="main.py")])],
        ),
    ),
    EditFiles(edits={"a/b.py": [TextEdit(old="x", new="y")], "key": [], "value": []}),
    CommitFiles(message="Fix", files={"a.py": "print()", "old.py": None}, trailers={"Fixes": "#1"}),
    MergeConflict(choices={"a.py": {1: "ours", 2: "both"}, "b.py": {}}),
    SearchIssues(
        where=IssueFilter(
            all_of=[
                IssueFilter(field="state", equals="open"),
                IssueFilter(none_of=[IssueFilter(field="bot", equals=True)]),
            ]
        ),
        sort={"created": "desc"},
    ),
    PostMessage(
        channel="#ops",
        blocks=[
            SectionBlock(type="section", text="Deploy?", fields={"Build": "7"}),
            ActionsBlock(type="actions", buttons={"yes": "Yes", "no": "No"}),
            ContextBlock(type="context", elements=["by CI"]),
        ],
        metadata={"build": 7, "branch": "main"},
    ),
    AppendBlocks(
        page="p-1",
        children=[
            ToggleBlock(
                type="toggle",
                text="Plan",
                children=[
                    TodoBlock(
                        type="to_do",
                        text="Ship",
                        children=[
                            ParagraphBlock(type="paragraph", text="b", annotations={"bold": True})
                        ],
                    )
                ],
            )
        ],
    ),
    CreatePage(
        database="d",
        properties={"Name": PropertyValue(text="A"), "Due": PropertyValue(when=date(2026, 5, 1))},
    ),
    EvaluateRule(
        rule=Rule(op="and", args=[Rule(op="<", args=[Rule(op="var", args=["age"]), 18.0]), True]),
        variables={"age": 17.0, "name": "Kim", "member": False},
    ),
    DescribeSchema(
        path="/orders",
        body=SchemaTree(
            type="object",
            properties={"lines": SchemaTree(type="array", items=SchemaTree(type="string"))},
            required=["lines"],
        ),
    ),
    CallEndpoint(url="https://example.org", headers={"Accept": "*/*"}, query={"q": ["a", "b"], "p": "1"}),
    ApplyDeployment(
        name="web",
        labels={"app": "web", "tier": "front"},
        selector=LabelSelector(match_labels={"app": "web"}, expressions=[("env", "In", ["prod"])]),
        containers=[Container(image="web:1", ports={"http": 80}, limits={"cpu": "500m"})],
    ),
    PatchConfigMap(data={"log.level": "debug", "old": None}),
    WriteCells(sheet="Q1", cells={"A1": "Sum", "B1": 3.5, "C1": True, "D1": None}),
    PivotTable(rows=["city"], values={"amount": "sum"}, filters={"year": ["2026"]}),
    QueryTable(
        table="orders",
        where=Condition(
            op="and",
            left=Condition(op="=", column="state", value="open"),
            right=Condition(
                op="or", left=Condition(op=">", column="sum", value=10.0), right=Condition(op="<", column="age")
            ),
        ),
        bind={"limit": 5},
    ),
    InsertRows(table="t", rows=[{"a": "x", "b": 1.5}, {"a": None}, {}]),
    Translate(messages={"hello": {"de": "Hallo", "en": "Hello"}}),
    ImportThread(
        forum="f",
        first=Thread(
            author="a",
            text="?",
            reactions={"👍": 2},
            replies=[Thread(author="b", text="!", replies=[Thread(author="a", text="Thanks")])],
        ),
    ),
    PlanTrip(days={date(2026, 5, 1): [Stop(place="Ulm", at=NOON, notes={"hotel": "Adler"})]}),
    SetMenus(menus={"header": Menu(label="Docs", entries=[Menu(label="API", href="/api")])}),
    SaveDashboard(
        title="Ops",
        layout=Grid(
            direction="row",
            sizes={"left": 0.5},
            items=[
                Widget(name="cpu", options={"unit": "%", "max": 100, "fill": True}),
                Grid(direction="column", items=[Widget(name="log")]),
            ],
        ),
    ),
    SetAlerts(by_level={Level.HIGH: ["disk"], Level.LOW: []}, mute={"ops": NOON}),
    SendEvents(events=[TrackedEvent(name="buy", attributes={"n": 2.0, "tags": ["a"], "vip": True})]),
    RecordTrace(service="s", root=Span(name="a", children={"b": Span(name="b", tags={"k": "v"})})),
    UpdateGraph(entities={"kim": Entity(kind="person", facts={"likes": ["tea"]})}, edges=[("a", "b", "c")]),
    Budget(limits={"food": {1: 300.0, 12: 450.5}}),
    SetOrgChart(company="C", top=OrgUnit(head="a", units={"it": OrgUnit(head="b", seats=4)})),
    Compute(
        expression=Expression(
            BinaryOperation(
                op="*",
                left=Expression(Number(value=2.0)),
                right=Expression(
                    BinaryOperation(op="+", left=Expression(Number(value=1.0)), right=Expression(Number(value=4.0)))
                ),
            )
        )
    ),
    Workflow(steps={"build": Step(uses="make", inputs={"target": "all"}), "test": Workflow(steps={"unit": Step(uses="t")})}),
    TagResources(tags={"vm-1": {"env": "prod"}, "vm-2": {}}),
    SetPermissions(grants={"kim": {"read", "write"}}),
    Outline(title="Book", sections=[Outline(title="One", sections=[Outline(title="A", sections=[Outline(title="a")])])]),
    CreateForm(
        title="Order",
        fields={
            "name": TextInput(kind="text", required=True),
            "address": Group(kind="group", fields={"country": Choice(kind="choice", choices={"de": "Germany"})}),
        },
    ),
    Person(name="a", mother=Person(name="b", father=Person(name="c")), father=Person(name="d")),
    SetFeatureFlags(flags={"prod": {"beta": False}}),
    LabelImages(labels={"a.png": [(0.0, 0.0, 1.0, 1.0)]}),
    SetPrices(prices={"tea": {1: 300, 10: 250}}),
    RunNotebook(path="a.ipynb", parameters={"n": 3, "rate": 0.5, "name": "x", "fast": True}),
]  # fmt: skip
"""A value of each tool."""
