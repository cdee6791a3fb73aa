"""The tables of words: every fixed text of the coding HUD by name, as its sections declare them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Any, cast

from hud_components.declaring._checks import verbs_of
from hud_components.declaring._form import Form
from hud_components.declaring._section import HudSection
from hud_components.layout._parse import SECTIONS
from hud_components.words._texts import COMMON
from ujsx import Density


def forms_of(section: type[HudSection]) -> Iterator[Form]:
    """Return all ways in which a section writes an item, its value, or a part of itself."""
    given: Any = getattr(section, "forms", ())
    by_density = cast("Mapping[Density, tuple[Form, ...]]", given)
    ways = by_density.values() if isinstance(given, Mapping) else (given,)
    return chain(*ways, section.lone_forms, section.other_forms)


def answers_of(section: type[HudSection]) -> Iterator[tuple[str, str]]:
    """Return what a tool answers when a verb of a section is done, by name: ``notes.add.answer``; and how it marks what is over."""
    done: str | None = getattr(section, "done", None)
    if done is not None:
        yield f"{section.name}.{done}", done
    for verb in verbs_of(section):
        if verb.is_operation:
            yield f"{section.name}.{verb.name}.answer", verb.answer


def _said(section: type[HudSection]) -> Iterator[tuple[str, str]]:
    """What a section says in fixed words, by name; calls are no words."""
    yield from ((name, text) for name, text in section.texts.items() if not name.endswith(_CALL))
    yield from ((form.text, form.source) for form in forms_of(section))
    yield from answers_of(section)


_CALL = ".handle"

TEXTS: Mapping[str, str] = MappingProxyType({**COMMON, **dict(chain(*map(_said, SECTIONS)))})
"""The texts by name: what ``RenderContext(texts={…})`` may replace."""

NO_EMOJI: Mapping[str, str] = MappingProxyType(
    dict(chain(*(section.texts_without_signs.items() for section in SECTIONS)))
)
"""Texts that say in words what ``TEXTS`` says in signs: ``RenderContext(texts=NO_EMOJI)``."""
