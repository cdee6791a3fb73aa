"""Right code: mypy and pyright, both strict, have nothing to say of it."""

# Sections are declared as their authors would:
# ruff: noqa: RUF012

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal, TypeAlias, assert_type

from hud_components import (
    CODING,
    UNSET,
    CodingEvent,
    ContextBar,
    ContextUsage,
    DecisionsList,
    Domain,
    Hud,
    HudItem,
    HudState,
    HudValue,
    ItemsProp,
    ItemsSection,
    Line,
    Moment,
    NextSteps,
    Note,
    NotesSection,
    State,
    TaskSection,
    ValueSection,
    Verb,
    View,
    WarningBanner,
)
from hud_components.declaring import ValueProp
from hud_components.folding import Target
from hud_components.layout import budget_for
from hud_components.levels import Threshold
from hud_runtime import EventDraft, HudSession, HudStore
from hud_runtime.history.exchange import export_session, import_session
from hud_runtime.integrations import HostSession, HostTool
from hud_runtime.transcripts import replay
from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    Element,
    Examples,
    Fragment,
    FrozenMapping,
    HostConfig,
    RenderContext,
    Rendered,
    Renderer,
    Rung,
    TransformRegistry,
    component,
    dump,
    fold,
    fragment,
    from_mdast,
    h,
    load,
    mdast,
    registry,
    render,
    render_document,
    resolve,
    to_mdast,
)
from ujsx.elements import Item, List, Paragraph, Section, code, em, link, strong
from ujsx.schema import tool_definition, tool_schema
from ujsx.tools import Operation, ToolResult, Toolset


class Row(Component):
    """A row."""

    label: str
    tags: tuple[str, ...] = ()
    ports: FrozenMapping[str, int] = FrozenMapping()

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL, 0), Rung(Density.FULL, 10)), floor=Density.MINIMAL
    )

    def render(self, ctx: RenderContext, children: Children) -> Child:
        shown = self.tags[: ctx.limit]
        return Item()[strong(self.label), " ", [code(tag) for tag in shown], children]


class WideRow(Row):
    """A row with more."""

    width: int = 80


@component
def Badge(ctx: RenderContext, children: Children, *, label: str, size: int = 1) -> Child:
    """A label, and what it labels."""
    return [em(label) if size > 1 else label, ": ", children]


class Words:
    """A host that collects the words of a tree."""

    def create_instance(self, element: Element) -> list[str]:
        return []

    def create_text(self, text: str) -> list[str]:
        return text.split()

    def append(self, parent: list[str], child: list[str]) -> None:
        parent.extend(child)

    def finish(self, root: list[str]) -> int:
        return len(root)


def rows(labels: list[str]) -> Iterator[Element[Row]]:
    for label in labels:
        yield Row(label=label).keyed(label)


labels = ["a", "b"]
section = Section(title="Rows")[List()[rows(labels)], labels and "some", len(labels) > 1 and "all"]

assert_type(section, Element[Section])
assert_type(section.component, Section)
assert_type(section.component.title, str)
assert_type(section.keyed("rows"), Element[Section])
assert_type(Row(label="a")["x"], Element[Row])
assert_type(WideRow(label="a", width=3)[None].component.width, int)
assert_type(Badge(label="new"), Component)
assert_type(Badge(label="new", size=2)["x"], Element[Component])
assert_type(fragment("a", None, ["b", section]), Element[Fragment])
assert_type(link("x", "https://example.org").component.url, str)
assert_type(h("Section", {"title": "Rows"}, "a", section), Element)
assert_type(h(Section, {"title": "Rows"}).component, Section)
assert_type(h(Badge, {"label": "new"}), Element)
assert_type(h(None, None, "a"), Element)


def card(title: str, children: Child) -> Child:
    return Section(title=title)[children]


assert_type(h(card, {"title": "Rows"}, "a"), Element)

ctx = RenderContext(density=Density.COMPACT).with_value(3)
assert_type(ctx.get(int), int | None)
assert_type(ctx.with_density("full").get(Row), Row | None)

assert_type(render(section, density="compact"), str)
assert_type(render(None), str)
assert_type(render(Section, {"title": "Notes"}, density="compact"), str)
assert_type(render_document([section, "text"]), Rendered)
assert_type(Renderer(context=ctx).render(section, density=Density.FULL).text, str)
assert_type(to_mdast(section, ctx), mdast.Root)
assert_type(load(dump(section), [Section, List, Row, Badge]), Element)
assert_type(fold(section, Words()), int)

host: HostConfig[list[str], int] = Words()
node: Child = resolve(section, ctx)
tree: Element = from_mdast(to_mdast(node))
mine: TransformRegistry = registry.copy()


@mine.rule("ujsx -> text", Paragraph)
def paragraph(element: Element[Paragraph], transform: object) -> str:
    """A rule keeps its own type."""
    return "¶"


parameters: dict[str, object] = tool_schema(Badge, dialect="mcp")
tool: dict[str, object] = tool_definition(Row, dialect="openai", name="row")


# A domain of one's own


class TicketInfo(HudValue):
    """What the customer asks for."""

    subject: Line
    """The subject."""


class Ticket(ValueSection[TicketInfo]):
    """The ticket."""

    name = "ticket"
    lines = {"full": "**{subject}**", "compact": "**Ticket:** {subject}"}


class Remedy(HudItem):
    """Something that was tried for the customer."""

    what: Line
    """What was tried."""


def undone(value: tuple[Remedy, ...], said: Target, moment: Moment) -> tuple[Remedy, ...]:
    return tuple(remedy for remedy in value if remedy.id != said.id)


def none_any_more(value: tuple[Remedy, ...], said: object, moment: Moment) -> tuple[Remedy, ...]:
    return ()


class Remedies(ItemsSection[Remedy]):
    """What was tried, oldest first."""

    name = "remedies"
    noun = "remedy|remedies"
    lines = {"full": "**{what}**"}
    verbs = ("add", "update", Verb("undo", undone))
    on = {"ticket.clear": none_any_more}

    remedies: tuple[Remedy, ...] | None = None
    """Type checkers know the prop where it is declared."""


class Tries(ItemsSection[Remedy]):
    """What was tried, given as texts, too."""

    name = "tries"
    lines = {"full": "**{what}**"}

    tries: ItemsProp[Remedy] = UNSET


class Subject(ValueSection[TicketInfo]):
    """The ticket, given as a text, too."""

    name = "subject"
    lines = {"full": "**{subject}**", "compact": "**Subject:** {subject}"}

    subject: ValueProp[TicketInfo] = UNSET


class LongTries(Tries):
    """More of them."""

    most: int = 100


texts: list[str] = ["Restart", "New cable"]
TaskSection(task="Implement auth", density="compact")
DecisionsList(decisions=texts, limit=3)
NextSteps(steps=[*texts, {"description": "Test"}])
NotesSection(notes=(Note(content="Port 8080"), "Port 8081"), density=Density.FULL)
Subject(subject="Router")
Subject(subject=TicketInfo(subject="Router"))
Tries(tries=[Remedy(what="Restart"), *texts])
LongTries(tries=texts, most=3)
Tries()
assert_type(Remedies()[Remedy(what="Restart"), "New cable", {"what": "Wait"}], Element[Remedies])
assert_type(Remedies(limit=3)[texts], Element[Remedies])
assert_type(Tries(tries=texts).tries, tuple[Remedy, ...] | None)
assert_type(Subject(subject="Router").subject, TicketInfo | None)
assert_type(DecisionsList(decisions=texts).density, Density | None)

SUPPORT = Domain("support", sections=(Ticket, Remedies, NotesSection, ContextBar))
assert_type(SUPPORT, Domain[State])


class Errand(HudItem):
    lines = {"full": "{what}"}

    what: Line


class Goal(HudValue):
    what: Line


class Aim(View):
    reads = (Goal,)

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return str(self.read(ctx)[Goal])


ERRANDS = Domain("errands", [Goal, Errand, NotesSection, Aim])
assert_type(ERRANDS, Domain[State])
assert_type(ERRANDS.state()[Errand], tuple[Errand, ...])
assert_type(ERRANDS.state()[Goal], Goal | None)
assert_type(CODING, Domain[HudState, CodingEvent])
assert_type(CODING.with_sections(Ticket, Remedies, name="careful"), Domain[State])
assert_type(CODING | CODING.with_sections(Ticket, Remedies, name="careful"), Domain[State])

tried = Remedies(remedies=(Remedy(what="Restart"),), limit=3)
assert_type(tried.keyed("tried"), Element[Remedies])

with HudStore.open(":memory:", domain=SUPPORT) as store:
    assert_type(store, HudStore[State])
    session = store.session("t-1")
    assert_type(session, HudSession[State])
    assert_type(session.state()[Remedies], tuple[Remedy, ...])
    assert_type(session.state()[Ticket], TicketInfo | None)
    assert_type(session.state()[NotesSection], tuple[Note, ...])
    assert_type(session.known[Remedies], tuple[Remedy, ...])
    assert_type(store.session("t-2", parent=session), HudSession[State])
    with session.exclusive() as held:
        assert_type(held[Ticket], TicketInfo | None)
    session.record("remedies.add", what="Restart")
    replay([], session)

DeskEvent: TypeAlias = Literal["ticket.set", "remedies.add", "remedies.undo"]
DESK: Domain[State, DeskEvent] = Domain("desk", sections=(Ticket, Remedies))
with HudStore.open(":memory:", domain=DESK) as desk:
    assert_type(desk, HudStore[State, DeskEvent])
    desk.session("t").record("remedies.add", what="Restart")
    desk.session("t").record("session.title", title="A lamp")
    known: list[DeskEvent] = ["remedies.add"]
    for event_type in known:
        desk.session("t").record(event_type, what="New lamp")

with HudStore.open(":memory:") as coding:
    assert_type(coding, HudStore[HudState, CodingEvent])
    assert_type(coding.session("s"), HudSession[HudState, CodingEvent])
    coding.session("s").record("note.add", content="Port 8080")
    coding.session("s").record("note.add", "Port 8081")
    coding.session("s").record("session.title", title="Ports")
    coding.session("s").record_all([EventDraft(each, {}) for each in ["task.clear"]])
    anything: HudSession = coding.session("s")
    narrow: HudSession[HudState] = coding.session("s")
    assert_type(coding.session("s").state(), HudState)
    assert_type(coding.session("s").state().notes, tuple[Note, ...])
    assert_type(coding.session("s").state()[NotesSection], tuple[Note, ...])


def copied(one: HudSession[State], store: HudStore[State]) -> HudSession[State]:
    return import_session(store, export_session(one))


def both(one: HudSession, store: HudStore) -> None:
    """Without brackets, a session and a store are those of the coding HUD."""
    assert_type(one.state(), HudState)
    assert_type(store.session("s").known, HudState)


shop = Toolset(name="shop")


@shop.operation
def refund(ctx: HudSession, order: str, amount: float = 1) -> str:
    """A function stays what it is."""
    return f"{ctx.id} {order} {amount}"


@shop.operation(name="orders.list", reads=True)
async def orders(limit: int = 10) -> list[str]:
    """A coroutine function, too."""
    return ["a"] * limit


def calls(session: HudSession) -> None:
    """Names of tools and their answers have types."""
    assert_type(refund(session, "7", amount=2.5), str)
    assert_type(shop.call("refund", {"order": "7"}, context=session), ToolResult)
    host = HostSession(session, toolsets=[shop])
    session.delivered(session.deliver())
    assert_type(Threshold("red", "minimal", 85).density, Density)
    assert_type(tool_definition(Section)["name"], Any)
    assert_type(tool_definition(Section, "anthropic")["name"], Any)
    assert_type(host.tools("anthropic"), tuple[HostTool, ...])
    assert_type(Operation.of(refund).is_async, bool)


async def waits(session: HudSession) -> None:
    """What is awaited has a type."""
    assert_type(await orders(3), list[str])
    assert_type(await shop.acall("orders.list", {}), ToolResult)
    assert_type(await session.acall("hud", {}), ToolResult)
    assert_type((await HostSession(session).abefore_request()).text, str)


def guesses() -> None:
    """What can mean one thing has a type, too."""
    assert_type(ContextBar(percentage=67, density="compact").usage, ContextUsage | None)
    assert_type(ContextBar(usage="67%", step=5).step, int)
    assert_type(WarningBanner(percentage=93), WarningBanner)
    assert_type(Threshold(density="full"), Threshold)
    assert_type(budget_for("yellow") + budget_for(ContextUsage(used=3)), int)
    assert_type(HudStore(":memory:").session("s").state(), HudState)
    assert_type(render(h(NextSteps, steps=["a"]), "compact"), str)


class Shown(Component):
    """A component with examples."""

    examples: ClassVar[Examples] = lambda: {
        "new": Shown(label="new"),
        "text": Shown(label="x")["y"],
    }
    label: str


def told(session: HudSession) -> None:
    """What messages tell to write."""
    session.record("note.add", Note(content="Port 8080"))
    session.record(Note(content="Port 8080"))
    Hud(state=session.state(), usage=ContextUsage(percentage=67))
    Hud(state={"notes": ["Port 8080"]})[NotesSection()]
    render(Hud("Status")[NotesSection()["Port 8080", Note(content="Port 8081")]], budget=300)
