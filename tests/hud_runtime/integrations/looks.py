"""A team's domain, layout and words, as a package of theirs has them."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from hud_components import (
    CODING,
    ActiveFiles,
    DecisionsList,
    Hud,
    HudItem,
    ItemsSection,
    Line,
    NotesSection,
    TaskSection,
    View,
)
from ujsx.elements import Paragraph


class Risk(HudItem):
    """What may go wrong."""

    what: Line
    """What."""


class Risks(ItemsSection[Risk]):
    """What may go wrong, oldest first."""

    name = "risks"
    noun = "risk|risks"
    lines = MappingProxyType({"full": "**{what}**"})


class Rule(View):
    """A rule of the team's."""

    reads = (Risks,)
    count: int | None = None

    @classmethod
    def of_state(cls, state: Any, usage: Any = None, now: Any = None) -> Rule:
        return cls(count=len(state[Risks]))

    def render(self, ctx: Any, children: Any) -> Any:
        return Paragraph()[ctx.texts.get("rule", "Ask before a deployment.")]


CAREFUL = CODING.with_sections(Risks, name="careful")

LAYOUT = Hud()[Rule(), TaskSection(), Risks(), DecisionsList(), NotesSection(), ActiveFiles()]

WORDS = {
    "task.title": "Aufgabe",
    "risks.title": "Risiken",
    "decisions.title": "Entscheidungen",
    "notes.title": "Notizen",
    "notes.noun": "Notiz|Notizen",
    "files.title": "Dateien",
    "delta.new": "neu",
    "delta.changed": "anders",
    "delta.now": "jetzt",
    "delta.gone": "weg",
    "status.no task": "keine Aufgabe",
}
