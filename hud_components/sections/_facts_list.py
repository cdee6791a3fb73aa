"""The facts section: the branch, the pull request, the last commit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeAlias

from hud_components._models import HudModel, Line, Text
from hud_components.declaring._items_section import ItemsSection
from hud_components.declaring._section import UNSET, ItemsProp
from hud_components.declaring._state import ALL_IN_SHORT, NEWEST_IF_ROOM, Worth
from hud_components.folding import Kind, Moment, Payload, Verb, report, with_index
from hud_components.sections import ReportedValue
from hud_components.words._texts import line
from ujsx import Density, Disclosure, Examples, RenderContext, Rung

COMMIT = "commit"
"""The name of the fact for the last commit."""


FOUND = "fact.set"
"""The event of a fact."""


class FactDraft(HudModel):
    """Something that is so, by its name."""

    name: Line
    """What it is: "branch", "pull request", "commit"."""

    value: Line
    """What is so: "main"."""


class FactSet(Payload):
    """Something is so from now on."""

    name: Line
    """What it is: "branch", "pull request", "commit"."""

    value: Text
    """What is so; empty where it no longer is."""


class Fact(ReportedValue, FactDraft):
    """Something that is so."""


Facts: TypeAlias = tuple[Fact, ...]

_FACTS = Kind("value", key="name")


def found(facts: Facts, said: FactSet, moment: Moment) -> Facts:
    """Something is so, in the place of what was; or it no longer is."""
    index, value = _FACTS.index(facts), said.value.strip()
    if value:
        report(_FACTS, index, Fact, said.name, moment, value=value)
    for number in () if value else index.with_key(said.name):
        index.remove(number)
    return with_index(index, facts)


class FactsList(ItemsSection[Fact]):
    """What hosts and transcripts tell of where the work stands."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 0, worth=Worth.WHERE_IT_STANDS),
            *NEWEST_IF_ROOM,
            Rung(Density.COMPACT, 5, worth=Worth.WHERE_IT_STANDS),
            *ALL_IN_SHORT,
            Rung(Density.FULL, 10, worth=Worth.IN_WORK_IN_FULL),
            Rung(Density.FULL, worth=Worth.DONE_OR_OLD),
        )
    )
    name = "facts"
    event = "fact"
    noun = "fact|facts"
    draft = FactDraft
    key = "name"
    text = "value"
    host_reported = True
    has_operations = False
    _is_shown_empty = False
    read_only_reason = "facts are what hosts and transcripts tell"
    lines = {"full": "{name}: `{value}`"}  # noqa: RUF012 - a declaration
    verbs = (Verb("set", found, doc="Something is so.", told="{name}: {value}", payload=FactSet),)

    examples: ClassVar[Examples] = lambda: {
        "branch and commit": FactsList(
            facts=(
                {"name": "branch", "value": "sign-in"},
                {"name": "commit", "value": "3f1c2ab Rotate refresh tokens"},
            )
        ),
    }

    facts: ItemsProp[Fact] = UNSET
    """The facts; those of the session when None."""

    def _text_of(self, item: Fact, ctx: RenderContext) -> str:
        name = line(item.name, ctx.width)
        return "" if _IS in name else f"{name}{_IS}{line(item.value, ctx.width)}"

    @classmethod
    def _of_text(cls, text: str) -> Mapping[str, Any]:
        name, _, value = text.partition(_IS)
        return {"name": name, "value": value}


_IS = ": "
"""The separator between a fact's name and value in short form."""
