"""Wrong code. Behind each mistake stand the errors that mypy and pyright give, both strict.

A line without a mark is right, and no checker has anything to say of it.
"""

# A mark stays on the line that it is for:
# fmt: off
# Sections are declared as their authors would:
# ruff: noqa: RUF012

from __future__ import annotations

from typing import ClassVar, Literal

import hud_components
import ujsx
import ujsx.elements
from hud_components import (
    ContextBar,
    DecisionsList,
    Domain,
    HudItem,
    HudValue,
    ItemsSection,
    Line,
    Moment,
    NotesSection,
    State,
    TaskSection,
    ValueSection,
    Verb,
    View,
)
from hud_components.folding import Target
from hud_runtime import HudStore
from hud_runtime.integrations import HostSession
from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    Element,
    Examples,
    RenderContext,
    Rung,
    component,
    h,
    render,
    render_document,
    to_mdast,
)
from ujsx.elements import Item, List, Paragraph, Section, Strong, link, strong


class Row(Component):
    label: str
    count: int = 0


@component
def Badge(ctx: RenderContext, children: Children, *, label: str, size: int = 1) -> Child:
    return [label, children]


rows = [Row(label="a")]
ctx = RenderContext()

# Props
Row(label=3)  # ✗ mypy: arg-type | pyright: reportArgumentType
Row(label="a", coutn=1)  # ✗ mypy: call-arg | pyright: reportCallIssue
Row()  # ✗ mypy: call-arg | pyright: reportCallIssue
Row("a")  # ✗ mypy: call-arg | pyright: reportCallIssue
Section(titel="Notes")  # ✗ mypy: call-arg | pyright: reportCallIssue
Section(title=None)  # ✗ mypy: arg-type | pyright: reportArgumentType
Row(label="a").lable.upper()  # ✗ mypy: attr-defined | pyright: reportAttributeAccessIssue, reportUnknownMemberType
Section(title="a")["x"].component.titel.upper()  # ✗ mypy: attr-defined | pyright: reportAttributeAccessIssue, reportUnknownMemberType

# Options
store = HudStore.open(":memory:")
HostSession.of(store, "s", budget=300)
HostSession.of(store, "s", bugdet=300)  # ✗ mypy: call-arg | pyright: reportCallIssue
HostSession.of(store, "s", budget="all")  # ✗ mypy: arg-type | pyright: reportArgumentType

# Children
Paragraph()[3]  # ✗ mypy: index | pyright: reportArgumentType
Paragraph()["a", 1.5]  # ✗ mypy: index | pyright: reportArgumentType
Paragraph()[["a", 3]]  # ✗ mypy: list-item | pyright: reportArgumentType
Paragraph()[b"bytes"]  # ✗ mypy: index | pyright: reportArgumentType
Paragraph()[Strong]  # ✗ mypy: index | pyright: reportArgumentType
List()[len(rows) and Item()]  # ✗ mypy: index | pyright: reportArgumentType
List()[(len(row.label) for row in rows)]  # ✗ mypy: misc | pyright: reportArgumentType
strong(3)  # ✗ mypy: arg-type | pyright: reportArgumentType
link("text", 3)  # ✗ mypy: arg-type | pyright: reportArgumentType
h(Section, {"title": "a"}, 3)  # ✗ mypy: call-overload | pyright: reportArgumentType, reportCallIssue
text: str = "see " + Strong()  # ✗ mypy: operator | pyright: reportOperatorIssue, reportUnknownVariableType
text = "see " + strong("x")  # ✗ mypy: operator | pyright: reportOperatorIssue, reportUnknownVariableType
Paragraph()["a"].children = ()  # ✗ mypy: misc | pyright: reportAttributeAccessIssue


# Components
class Wrong(Component):
    def render(self, ctx: RenderContext) -> Child:  # ✗ mypy: override | pyright: reportIncompatibleMethodOverride
        return "x"


class Asynchronous(Component):
    async def render(self, ctx: RenderContext, children: Children) -> Child:  # ✗ mypy: override | pyright: reportIncompatibleMethodOverride
        return "x"


class Number(Component):
    def render(self, ctx: RenderContext, children: Children) -> Child:
        return 3  # ✗ mypy: return-value | pyright: reportReturnType


class Ladder(Component):
    disclosure: ClassVar[Disclosure] = Disclosure(ladder=(Rung("fulll"),))  # ✗ mypy: arg-type | pyright: reportArgumentType
    layer: ClassVar[Disclosure] = Disclosure(layer="sometimes")  # ✗ mypy: arg-type | pyright: reportArgumentType


# Components written as functions
Badge(label=3)  # ✗ mypy: arg-type | pyright: reportArgumentType
Badge(lable="new")  # ✗ mypy: call-arg | pyright: reportCallIssue
Badge()  # ✗ mypy: call-arg | pyright: reportCallIssue
Badge("new")  # ✗ mypy: call-arg | pyright: reportCallIssue


@component  # ✗ mypy: arg-type | pyright: reportArgumentType
def NoChildren(ctx: RenderContext, *, label: str) -> Child:
    return label


@component  # ✗ mypy: arg-type | pyright: reportArgumentType
async def Waiting(ctx: RenderContext, children: Children) -> Child:
    return children


# Densities and contexts
render(Section(title="a"), density="fulll")  # ✗ mypy: call-overload | pyright: reportArgumentType
render_document("a", density=1)  # ✗ mypy: arg-type | pyright: reportArgumentType
ctx.with_density("tiny")  # ✗ mypy: arg-type | pyright: reportArgumentType
ctx.density = Density.FULL  # ✗ mypy: misc | pyright: reportAttributeAccessIssue
length: int = ctx.get(int)  # ✗ mypy: assignment | pyright: reportAssignmentType
width: str | None = ctx.get(int)  # ✗ mypy: assignment | pyright: reportAssignmentType
render(3)  # ✗ mypy: call-overload | pyright: reportArgumentType
to_mdast("a", "compact")  # ✗ mypy: arg-type | pyright: reportArgumentType

# What types survive
paragraph: Element[Paragraph] = Section(title="a")["x"]  # ✗ mypy: assignment | pyright: reportAssignmentType
name: int = Section(title="a")["x"].component.title  # ✗ mypy: assignment | pyright: reportAssignmentType


# Sections
class Remedy(HudItem):
    what: Line


class TicketInfo(HudValue):
    subject: Line


class Ticket(ValueSection[TicketInfo]):
    name = "ticket"
    lines = {"full": "**{subject}**", "compact": "**Ticket:** {subject}"}


class Remedies(ItemsSection[Remedy]):
    name = "remedies"
    lines = {"full": "{what}"}


class Numbers(ItemsSection[int]):  # ✗ mypy: type-var | pyright: reportInvalidTypeArguments
    name = "numbers"


class Words(ValueSection[str]):  # ✗ mypy: type-var | pyright: reportInvalidTypeArguments
    name = "words"


class Components(ItemsSection[Row]):  # ✗ mypy: type-var | pyright: reportInvalidTypeArguments
    name = "components"


def two(value: tuple[Remedy, ...], said: Target) -> tuple[Remedy, ...]:
    return value


def keyword(value: tuple[Remedy, ...], said: Target, *, moment: Moment) -> tuple[Remedy, ...]:
    return value


def at_turn(value: tuple[Remedy, ...], said: Target, turn: int) -> tuple[Remedy, ...]:
    return value


class Odd(ItemsSection[Remedy]):
    name = 3  # ✗ mypy: assignment | pyright: reportAssignmentType
    verbs = ("add", 3)  # ✗ mypy: assignment | pyright: reportAssignmentType
    on = {"ticket.clear": two}  # ✗ mypy: dict-item | pyright: reportAssignmentType
    done = True  # ✗ mypy: assignment | pyright: reportAssignmentType
    lines = 3  # ✗ mypy: assignment | pyright: reportAssignmentType


class Overview(View):
    reads = (3,)  # ✗ mypy: assignment | pyright: reportAssignmentType


# Verbs
Verb("undo", two)  # ✗ mypy: arg-type | pyright: reportArgumentType
Verb("undo", keyword)  # ✗ mypy: arg-type | pyright: reportArgumentType
Verb("undo", at_turn)  # ✗ mypy: arg-type | pyright: reportArgumentType
Verb("undo", "undo")  # ✗ mypy: arg-type | pyright: reportArgumentType
Verb("undo", function=None, arguments=Target(id="r-1"))  # ✗ mypy: arg-type | pyright: reportArgumentType
Verb("undo", payload=int)  # ✗ mypy: arg-type | pyright: reportArgumentType

# Names of elsewhere, which are answered and do not exist
hud_components.ContextInfo()  # ✗ mypy: attr-defined | pyright: reportAttributeAccessIssue, reportUnknownMemberType
ujsx.createElement()  # ✗ mypy: attr-defined | pyright: reportAttributeAccessIssue, reportUnknownMemberType
ujsx.elements.ListItem()  # ✗ mypy: attr-defined | pyright: reportAttributeAccessIssue, reportUnknownMemberType

# Domains
DecisionsList(decisions=[3])  # ✗ mypy: list-item | pyright: reportArgumentType
DecisionsList(decisionz=["Use JWT"])  # ✗ mypy: call-arg | pyright: reportCallIssue
TaskSection(task=3)  # ✗ mypy: arg-type | pyright: reportArgumentType
TaskSection(density="fulll")  # ✗ mypy: arg-type | pyright: reportArgumentType

SUPPORT = Domain("support", sections=(Ticket, Remedies, NotesSection, ContextBar))
Domain("support", sections=(Remedies(),))  # ✗ mypy: arg-type | pyright: reportArgumentType
Domain("support", state=Remedy, sections=())  # ✗ mypy: type-var | pyright: reportArgumentType
HudStore.open(":memory:", domain=Remedies)  # ✗ mypy: arg-type | pyright: reportArgumentType
HudStore.open(":memory:", domain="support")  # ✗ mypy: arg-type | pyright: reportArgumentType

# Misspelt events, where the types of a domain's events are known
HudStore.open(":memory:").session("s").record("note.ad", content="x")  # ✗ mypy: arg-type | pyright: reportArgumentType
HudStore.open(":memory:").project("p").record("notes.add", content="x")  # ✗ mypy: arg-type | pyright: reportArgumentType
DESK: Domain[State, Literal["remedies.add"]] = Domain("desk", sections=(Ticket, Remedies))
HudStore.open(":memory:", domain=DESK).session("t").record("remedy.add")  # ✗ mypy: arg-type | pyright: reportArgumentType
HudStore.open(":memory:", domain=DESK).session("t").record("note.add")  # ✗ mypy: arg-type | pyright: reportArgumentType

# What a state has
state = HudStore.open(":memory:", domain=SUPPORT).session("t-1").state()
state[int]  # ✗ mypy: index | pyright: reportArgumentType, reportCallIssue
state[ContextBar]  # ✗ mypy: index | pyright: reportArgumentType, reportCallIssue
state["remedies"]  # ✗ mypy: call-overload | pyright: reportArgumentType, reportCallIssue
state[Remedies][0].waht.upper()  # ✗ mypy: attr-defined | pyright: reportAttributeAccessIssue, reportUnknownMemberType
state[Ticket].subject.upper()  # ✗ mypy: union-attr | pyright: reportOptionalMemberAccess
ticket: tuple[TicketInfo, ...] = state[Ticket]  # ✗ mypy: assignment | pyright: reportAssignmentType
HudStore.open(":memory:").session("s").state().nots.count(1)  # ✗ mypy: attr-defined | pyright: reportAttributeAccessIssue, reportUnknownMemberType


class Shown(Component):
    examples: ClassVar[Examples] = lambda: {"new": Shown(lable="new")}  # ✗ mypy: call-arg | pyright: reportCallIssue
    label: str
