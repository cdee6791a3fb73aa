"""Fifteen domains of different trades, as their authors wrote them from the page about domains of one's own."""

from __future__ import annotations

import warnings
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Literal

from pydantic import Field

from hud_components import Domain, HudItem, HudValue, ItemsSection, Kept, ValueSection
from hud_components.declaring import LayoutWarning

warnings.filterwarnings(
    "ignore", '.* shows "—" in this line', LayoutWarning
)  # as their authors wrote them


class Hypothesis(HudItem):
    """A possible cause."""

    what: str
    confidence: float = Field(0.5, ge=0, le=1)
    tags: tuple[str, ...] = ()


class Hypotheses(ItemsSection[Hypothesis]):
    """Possible causes."""

    name = "hypotheses"
    lines = {"full": "**{what}** ({confidence:.0%}) {tags}", "compact": "{what} ({confidence:.0%})"}


class TimelineEntry(HudItem):
    """Something that happened."""

    at: datetime
    what: str


class Timeline(ItemsSection[TimelineEntry]):
    """What happened, in order."""

    name = "timeline"
    lines = {"full": "{at:%H:%M} {what}"}


INCIDENTS = Domain("incidents", sections=(Hypotheses, Timeline))


class Order(HudItem):
    """A dish to be cooked."""

    dish: str
    table: int
    ready_at: time | None = None
    allergies: tuple[str, ...] = ()
    vegetarian: bool = False


class Orders(ItemsSection[Order]):
    """Open orders."""

    name = "orders"
    lines = {
        "full": "{dish} for table {table} at {ready_at:%H:%M}, allergies: *{allergies}*, vegetarian: {vegetarian}",
        "compact": "{dish} ({table})",
    }


KITCHEN = Domain("kitchen", sections=(Orders,))


class Patient(HudValue):
    """The patient."""

    name: str
    born: date
    weight_kg: float | None = None
    allergies: tuple[str, ...] = ()


class PatientSection(ValueSection[Patient]):
    """Who is treated."""

    name = "patient"
    lines = {
        "full": "**{name}**, born {born:%d.%m.%Y}, {weight_kg:.1f} kg, allergic to {allergies}"
    }


class Dose(HudItem):
    """A medication given."""

    drug: str
    mg: int
    given_at: datetime


class Doses(ItemsSection[Dose]):
    """Medication given."""

    name = "doses"
    title = "Medication"
    lines = {"full": "`{given_at:%H:%M}` **{drug}** {mg:,} mg", "compact": "{drug} {mg} mg"}


CLINIC = Domain("clinic", sections=(PatientSection, Doses))


class Position(HudItem):
    """A holding."""

    symbol: str
    shares: int
    price: Decimal
    change: float = 0.0


class Positions(ItemsSection[Position]):
    """What we hold."""

    name = "positions"
    lines = {
        "full": "**{symbol}** {shares:,} at {price:,.2f} ({change:+.1%})",
        "compact": "{symbol} {change:+.1%}",
    }


TRADING = Domain("trading", sections=(Positions,))


class Clause(HudItem):
    """A clause under review."""

    number: str
    summary: str
    risk: Literal["low", "medium", "high"] = "low"
    deadline: date | None = None


class Clauses(ItemsSection[Clause]):
    """Clauses under review."""

    name = "clauses"
    lines = {
        "full": "**{number}** {summary} ({risk}), until {deadline}",
        "compact": "**{number}** **{summary}**",
    }


LEGAL = Domain("legal", sections=(Clauses,))


class Stop(HudItem):
    """A stop of the route."""

    place: str
    eta: datetime
    parcels: int = 1
    fragile: bool = False


class Route(ItemsSection[Stop]):
    """The stops, in order."""

    name = "route"
    lines = {"full": "{eta:%H:%M} **{place}** {parcels} parcels, fragile: {fragile}"}


LOGISTICS = Domain("logistics", sections=(Route,))


class Lesson(HudItem):
    """A lesson of the plan."""

    topic: str
    minutes: int = 45
    skills: tuple[str, ...] = ()
    taught: Kept[bool] = False


class Lessons(ItemsSection[Lesson]):
    """The plan."""

    name = "lessons"
    lines = {"full": "{topic} ({minutes} min): *{skills:, }*"}
    done = "taught"
    verbs = ("add", "update", "complete", "remove")


TEACHING = Domain("teaching", sections=(Lessons,))


class Acre(HudItem):
    """A field."""

    crop: str
    hectares: float
    moisture: float | None = Field(None, ge=0, le=1)
    sown: date | None = None


class Fields(ItemsSection[Acre]):
    """The fields."""

    name = "fields"
    lines = {
        "full": "**{crop}** {hectares:.1f} ha, moisture {moisture:.0%}, sown {sown:%Y-%m-%d}",
        "compact": "{crop} {hectares:.1f}",
    }


FARM = Domain("farm", sections=(Fields,))


class Paper(HudItem):
    """A paper that was read."""

    title: str
    authors: tuple[str, ...]
    year: int
    relevance: float = 0.5


class Papers(ItemsSection[Paper]):
    """Papers read."""

    name = "papers"
    lines = {
        "full": "**{title}** by {authors} ({year}), relevance {relevance:.2f}",
        "compact": "{title} ({year})",
    }


class Question(HudValue):
    """The question."""

    question: str


class QuestionSection(ValueSection[Question]):
    """What is asked."""

    name = "question"
    lines = {"full": "{question}"}


RESEARCH = Domain("research", sections=(QuestionSection, Papers))


class Severity(Enum):
    LOW = "low"
    HIGH = "high"


class Alert(HudItem):
    """An alert."""

    rule: str
    severity: Severity = Severity.LOW
    seen: datetime | None = None
    hosts: tuple[str, ...] = ()
    acknowledged: Kept[bool] = False


class Alerts(ItemsSection[Alert]):
    """Open alerts."""

    name = "alerts"
    prop = "alerts_shown"
    lines = {
        "full": "{severity}: {rule} on *{hosts}* at {seen:%Y-%m-%d %H:%M}, acknowledged {acknowledged}"
    }
    done = "acknowledged"
    verbs = ("add", "resolve")


SECURITY = Domain("security", sections=(Alerts,))


class Leg(HudItem):
    """A leg of the trip."""

    start: str
    end: str
    departs: datetime
    lasts: timedelta | None = None
    price: float | None = None


class Legs(ItemsSection[Leg]):
    """The trip."""

    name = "legs"
    lines = {"full": "{start} to *{end}*, {departs:%d.%m. %H:%M}, {price:.2f} EUR"}


TRAVEL = Domain("travel", sections=(Legs,))


class Level(IntEnum):
    EASY = 1
    HARD = 2


class Quest(HudItem):
    """A quest."""

    goal: str
    level: Level = Level.EASY
    progress: float = Field(0.0, ge=0, le=1)
    items: tuple[str, ...] = ()


class Quests(ItemsSection[Quest]):
    """Open quests."""

    name = "quests"
    lines = {
        "full": "**{goal}** (level {level}) {progress:.0%} [{items}]",
        "compact": "{goal} {progress:.0%}",
    }


GAME = Domain("game", sections=(Quests,))


class Segment(HudItem):
    """A part of the episode."""

    start: time
    topic: str
    guests: tuple[str, ...] = ()


class Segments(ItemsSection[Segment]):
    """The rundown."""

    name = "segments"
    lines = {"full": "[{start:%M:%S}] {topic} with *{guests}*"}


PODCAST = Domain("podcast", sections=(Segments,))


class Reading(HudItem):
    """A measurement."""

    station: str
    celsius: float
    humidity: float = Field(ge=0, le=1)
    at: datetime


class Readings(ItemsSection[Reading]):
    """Measurements."""

    name = "weather_readings"
    lines = {"full": "{at:%H:%M} {station}: {celsius:+.1f} °C, {humidity:.0%}"}


WEATHER = Domain("weather", sections=(Readings,))


class Candidate(HudItem):
    """A candidate."""

    name: str
    stage: Literal["applied", "interview", "offer"] = "applied"
    rating: int | None = None
    salary: int | None = None
    skills: tuple[str, ...] = ()
    remote: bool | None = None


class Candidates(ItemsSection[Candidate]):
    """Candidates."""

    name = "candidates"
    lines = {
        "full": "{name}, {stage}, {rating}/5, {salary:,} EUR, remote: {remote}, skills: *{skills}*",
        "compact": "{name} ({stage})",
    }


RECRUITING = Domain("recruiting", sections=(Candidates,))
