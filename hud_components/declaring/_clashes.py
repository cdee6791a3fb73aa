"""The check for clashes between the sections of a domain: names, nouns, and what they write when they are short."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, cast

from hud_components.declaring._apart import Written, common, line_of
from hud_components.declaring._checks import check_declared, name_like, such_as, verbs_of
from hud_components.declaring._faults import Faults
from hud_components.declaring._section import HudSection
from hud_components.declaring._state import FACTS, State
from hud_components.declaring._view import View
from ujsx import DefinitionError, Density
from ujsx.errors import shown

FACT_EVENTS = frozenset({"session", "context", "compact", "section", "hud", "layout"})
"""What the types of other events begin with: those that tell the facts of every session."""


_NAME = re.compile(r"[a-z][a-z0-9_-]*")
"""The form of a domain's name."""


def check_sections(domain: str, sections: Sequence[type[HudSection]]) -> None:
    """Refuse sections that are none, or that nobody could tell apart.

    :raises DefinitionError: with what to change in each.
    """
    faults = Faults()
    for each in dict.fromkeys(sections):
        with faults:
            _check_section(each, sections.count(each))
    are_sections, name = not faults, cast("object", domain)
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        faults.append(
            f"{shown(name)} is no name of a domain; use lower-case letters, digits, - and _{such_as(name)}"
        )
    if not sections:
        faults.append(
            f"sections: {shown(name)} has none; give it at least one, such as NotesSection"
        )
    if are_sections:
        _check_reads(domain, sections, faults)
        for number, section in enumerate(sections):
            with faults:
                _check_facts(domain, section)
            for other in sections[:number]:
                faults += _alike(section, other, sections)
    faults.check()


def _check_section(section: type[HudSection], count: int) -> None:
    """Refuse what is no section with a declaration of its own."""
    given: object = section
    if not (isinstance(given, type) and issubclass(given, HudSection)):
        raise DefinitionError(
            f"sections: {shown(given)} is no class of sections; give the class itself, such as"
            " NotesSection"
        )
    if count > 1:
        raise DefinitionError(f"sections: {section.__name__} stands twice; leave one out")
    if section in {HudSection, View}:
        raise DefinitionError(
            f"sections: {section.__name__} is what sections are derived from; give one that says"
            f" what it shows: class Mine({section.__name__})"
        )
    if hasattr(section, "holds_items"):
        check_declared(section)


def _check_facts(domain: str, section: type[HudSection]) -> None:
    """Refuse the names of what every session has."""
    own = f"{domain.replace('-', '_')}_{section.field}"
    if section.field in FACTS or (section.field and hasattr(State, section.field)):
        raise DefinitionError(
            f"{section.__name__}: the name {shown(section.field)} is that of a fact of "
            f'every session; write name = "{own}"'
        )
    begins = {verb.type_of(section).partition(".")[0] for verb in verbs_of(section)}
    if taken := begins & FACT_EVENTS:
        raise DefinitionError(
            f"{section.__name__}: events that begin with {shown(min(taken))} tell the facts "
            f'of every session; use another name, or event = "{own}"'
        )


def _alike(
    section: type[HudSection], other: type[HudSection], sections: Sequence[type[HudSection]]
) -> Iterator[str]:
    """Yield in what two sections are alike: what they are called, or write where the HUD is dense."""
    both = f"{section.__name__} and {other.__name__}"
    own = other if section.__module__.startswith("hud_components.") else section
    for what in ("name", "field", "event", "prefix", "title"):
        same = _own(section, what)
        if same and same == _own(other, what):
            taken = {_own(each, what) for each in sections}
            yield (
                f"{both} have the same {what}, {shown(same)}; give one of them another: {what} ="
                f" {_another(own, what, taken)} in {own.__name__}"
            )
            if what == "name":
                return  # from which the others follow
    if counted := _counted(section) & _counted(other):
        noun = f"{own.name.replace('_', ' ')} {min(counted, key=len)}"
        yield (
            f"{both} both count {shown(max(counted, key=len))}; give one of them another: noun ="
            f' "{noun}"'
        )
    for one, its in product(_bare(section), _bare(other)):
        text = common(one, its)
        if text is not None:
            line = (
                f"**{own.texts[f'{own.name}.title']}:** {(one if own is section else its).source}"
            )
            yield (
                f"{both} could both write {shown(text)} where the HUD is dense; begin one of their"
                f" lines with other words, such as {line!r} in {own.__name__}"
            )
            return


def _another(section: type[HudSection], what: str, taken: Container[str]) -> str:
    """What to write in place of a name that another section has."""
    words = name_like(_WORD.sub(" ", section.__name__)) or section.name
    options = {
        "prefix": [section.name[:length] for length in range(2, len(section.name) + 1)],
        "title": [words.replace("_", " ").capitalize()],
    }.get(what, [words])
    free = [each for each in (*options, f"{options[-1]}_2") if each not in taken]
    return shown(free[0]).replace("'", '"') if free else "…"


_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def _check_reads(domain: str, sections: Sequence[type[HudSection]], faults: Faults) -> None:
    """Note a view of what is not there."""
    for view in sections:
        reads = view.reads if issubclass(view, View) else ()
        faults += (
            f"{view.__name__} reads {each.__name__}, which is no section of {shown(domain)}; add it to"
            f" sections, or leave {view.__name__} out"
            for each in reads
            if not isinstance(each, str) and each not in sections
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
