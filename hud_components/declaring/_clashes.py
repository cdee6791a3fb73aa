"""Whether sections can stand in one domain: what they are called, what they count, and what they write where
they are short, tells them apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, cast

from hud_components.declaring._apart import Written, common, line_of
from hud_components.declaring._checks import check_declared, verbs_of
from hud_components.declaring._section import HudSection
from hud_components.declaring._state import FACTS, State
from hud_components.declaring._view import View
from ujsx import DefinitionError, Density
from ujsx.errors import shown

FACT_EVENTS = frozenset({"session", "context", "compact", "section", "hud", "layout"})
"""What the types of other events begin with: those that tell the facts of every session."""


def check_sections(domain: str, sections: Sequence[type[HudSection]]) -> None:
    """Refuse sections that are none, or that nobody could tell apart.

    :raises DefinitionError: with what to change.
    """
    if not sections:
        raise DefinitionError(
            f"sections: {shown(domain)} has none; give it at least one, such as NotesSection"
        )
    for each in sections:
        given: object = each
        if not (isinstance(given, type) and issubclass(given, HudSection)):
            raise DefinitionError(
                f"sections: {shown(given)} is no class of sections; give the class itself, such as"
                " NotesSection"
            )
        if sections.count(each) > 1:
            raise DefinitionError(f"sections: {each.__name__} stands twice; leave one out")
        if each in {HudSection, View}:
            raise DefinitionError(
                f"sections: {each.__name__} is what sections are derived from; give one that says"
                f" what it shows: class Mine({each.__name__})"
            )
        if hasattr(each, "holds_items"):
            check_declared(each)
    _check_reads(domain, sections)
    for what in ("name", "field", "event", "prefix", "title"):
        seen: dict[str, type[HudSection]] = {}
        for section in sections:
            own = _own(section, what)
            if own in seen and own:
                raise DefinitionError(
                    f"{section.__name__} and {seen[own].__name__} have the same {what}, "
                    f"{shown(own)}; give one of them another: {what} = …"
                )
            seen[own] = section
    for section in sections:
        if section.field in FACTS or (section.field and hasattr(State, section.field)):
            raise DefinitionError(
                f"{section.__name__}: the name {shown(section.field)} is that of a fact of "
                f'every session; write name = "{domain.replace("-", "_")}_{section.field}"'
            )
        counted = _counted(section)
        for other in sections:
            if other is section:
                break
            if both := counted & _counted(other):
                own = f"{section.name.replace('_', ' ')} {min(both, key=len)}"
                raise DefinitionError(
                    f"{section.__name__} and {other.__name__} both count {shown(max(both, key=len))}; give "
                    f'one of them another: noun = "{own}"'
                )
            for one, two in product(_bare(section), _bare(other)):
                text = common(one, two)
                if text is not None:
                    raise DefinitionError(
                        f"{section.__name__} and {other.__name__} could both write {shown(text)} "
                        "where the HUD is dense; begin one of their lines with other words"
                    )
        begins = {verb.type_of(section).partition(".")[0] for verb in verbs_of(section)}
        if taken := begins & FACT_EVENTS:
            raise DefinitionError(
                f"{section.__name__}: events that begin with {shown(min(taken))} tell the facts "
                "of every session; use another name, or event ="
            )


def _check_reads(domain: str, sections: Sequence[type[HudSection]]) -> None:
    """Refuse a view of what is not there."""
    for view in sections:
        reads = view.reads if issubclass(view, View) else ()
        for each in reads:
            if not isinstance(each, str) and each not in sections:
                raise DefinitionError(
                    f"{view.__name__} reads {each.__name__}, which is no section of"
                    f" {shown(domain)}; add it to sections, or leave {view.__name__} out"
                )


def _own(section: type[HudSection], what: str) -> str:
    if what == "prefix":
        return section.kind.prefix if section.kind is not None and section.kind.key == "id" else ""
    return str(getattr(section, what, "") or "")


def _counted(section: type[HudSection]) -> set[str]:
    """The forms of the noun that a section's items are counted with."""
    if section.kind is None:
        return set()
    return set(section.texts[f"{section.name}.noun"].split("|"))


def _bare(section: type[HudSection]) -> list[Written]:
    """The lines of a section that may stand alone in a dense HUD."""
    forms: Any = getattr(section, "lone_forms", ())
    given: Any = getattr(section, "forms", {})
    if isinstance(given, Mapping):
        by_density = cast("Mapping[Density, Any]", given)
        forms = [*by_density.get(Density.COMPACT, ()), *by_density.get(Density.MINIMAL, ())]
    return [line_of(form, owner=section.__name__) for form in dict.fromkeys(forms)]
