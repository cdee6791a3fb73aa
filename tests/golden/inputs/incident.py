"""An incident: its severity, the services that it hits as a table, and what was done, in a log."""

import warnings
from typing import Annotated, Literal

from pydantic import Field

from hud_components import (
    ContextBar,
    Domain,
    HudItem,
    HudValue,
    ItemsSection,
    Kept,
    Line,
    Moment,
    NotesSection,
    TableSection,
    Target,
    Text,
    ValueSection,
    Verb,
    Wording,
)
from hud_components.declaring import LayoutWarning
from hud_components.folding import Mark, timestamp

warnings.filterwarnings("ignore", r"Actions\.lines, full, line 3", LayoutWarning)  # as stored


class Impact(HudValue):
    """What users notice."""

    summary: Line
    """What does not work, in a sentence."""
    severity: Literal["sev1", "sev2", "sev3"] = "sev3"
    """How bad it is."""
    users: Annotated[int | None, Field(ge=0)] = None
    """How many users notice it."""


class ImpactSection(ValueSection[Impact]):
    """The impact of the incident."""

    name = "impact"
    lines = {
        "full": ("**{severity}**, **{users}** users: {summary}", "**{severity}**: {summary}"),
        "compact": "**Impact:** {severity}: {summary}",
    }
    alerts = True
    from_parent = True


class Service(HudItem):
    """A service and its health."""

    service: Line
    """Its name."""
    errors: Annotated[float, Field(ge=0, le=100)]
    """Failed requests in percent."""
    owners: tuple[Line, ...] = ()
    """The teams to call."""


class Services(TableSection[Service]):
    """The services that are affected."""

    name = "services"
    noun = "service|services"
    columns = ("service", "errors", "owners")
    lines = {"full": "**{service}**: {errors} %", "compact": "{service}"}


class Action(HudItem):
    """A mitigation."""

    action: Line
    """What is to be done."""
    details: Text | None = None
    """How, in as many lines as it takes."""
    result: Kept[Literal["helped", "no effect", "made worse"] | None] = None
    ended_at: Kept[int | None] = None


class Result(Target):
    """The result of a mitigation."""

    result: Literal["helped", "no effect", "made worse"]
    """What it changed."""


def conclude(known: tuple[Action, ...], said: Result, moment: Moment) -> tuple[Action, ...]:
    """Give an action its result, once."""
    if any(one.id == said.id and one.result for one in known):
        raise ValueError(f"{said.id} has a result already; add another action")
    new = {"result": said.result, "ended_at": moment.timestamp}
    return tuple(one.model_copy(update=new) if one.id == said.id else one for one in known)


class Actions(ItemsSection[Action]):
    """Mitigations, oldest first."""

    name = "actions"
    noun = "action|actions"
    prefix = "a"
    lines = {
        "full": (
            "*{result}*: **{action}** — {details}",
            "**{action}** — {details}",
            "**{action}**",
        ),
        "compact": ("*{result}*: {action}", "{action}"),
    }
    verbs = (
        "add",
        "update",
        Verb("conclude", conclude, answer="Concluded {id}.", told="{id}: {result}"),
        "reorder",
        "remove",
    )


class Question(HudItem):
    """A question for the review after the incident."""

    question: Line
    """The question."""
    closed: Kept[bool] = False
    closed_at: Kept[int | None] = None


class Questions(ItemsSection[Question]):
    """Questions for the review."""

    name = "questions"
    title = "For the review"
    noun = "question|questions"
    lines = {"full": (Wording("~~{question}~~", {"closed": True}), "{question}")}
    verbs = (
        "add",
        Mark("close", told="{id} closed{item}", sets={"closed_at": timestamp}),
        "remove",
    )
    done = "closed"


DOMAIN = Domain(
    "incident", sections=(ImpactSection, Services, Actions, Questions, NotesSection, ContextBar)
)
