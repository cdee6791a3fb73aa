"""The tables of words, and their check before they are used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from string import Formatter
from types import MappingProxyType
from typing import Any, cast

from hud_components.declaring._checks import verbs_of
from hud_components.declaring._form import Form, without_formats
from hud_components.declaring._lines import check_forms
from hud_components.declaring._section import HudSection
from hud_components.declaring._state import State
from hud_components.layout._parse import SECTIONS
from hud_components.words._texts import COMMON, TextError
from ujsx import DefinitionError, Density, RenderContext, Template
from ujsx.errors import did_you_mean, shown

# The tables of words: every fixed text of the coding HUD by name, as its sections declare them.


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


_ALIKE: tuple[frozenset[str], ...] = (
    frozenset(
        {
            "context.full",
            "context.full.model",
            "context.exact",
            "context.exact.model",
            "context.compact",
            "context.minimal",
        }
    ),
    frozenset({"warning.red", "warning.red.short"}),
    frozenset({"warning.critical", "warning.critical.short"}),
)
"""Texts that are given the same values, whether their default says all of them or not."""


def check_texts(
    texts: Mapping[str, str],
    *,
    sections: Iterable[type[HudSection]] = (),
    complete: bool = False,
) -> Mapping[str, str]:
    """Return texts that replace fixed ones, after a check of their names and braces.

    :param texts: by name, as in ``TEXTS``; ``omitted`` and ``omitted.handle`` are known too.
    :param sections: sections of your own, such as those of a domain: their texts and lines are known too.
    :param complete: whether every text has to be translated that has words in it: those of ``sections``, and of what
        all domains share; of the coding HUD where no sections are given.
    :raises TextError: for texts that are not translated, all of them; for an unknown name, with the nearest one; for a value that is no text; and
        for one that cannot be filled in.

    >>> check_texts({"notes.title": "Notizen", "notes.noun": "Notiz|Notizen"})["notes.title"]
    'Notizen'
    >>> check_texts({"nots.title": "Notizen"})
    Traceback (most recent call last):
    hud_components.words._texts.TextError: texts['nots.title']: there is no such text; did you mean "notes.title"?
    """
    from ujsx.transforms import TEXTS as PRIMITIVE_TEXTS

    own = tuple(sections)
    lines = {form.text: form for each in (*SECTIONS, *own) for form in forms_of(each)}
    known = {**PRIMITIVE_TEXTS, **COMMON, **_texts_of((*SECTIONS, *own))}
    for name, text in texts.items():
        place = f"texts[{name!r}]"
        given: object = text
        if name not in known:
            hint = did_you_mean(str(name), known)
            raise TextError(f"there is no such text; {hint}", path=place)
        if not isinstance(given, str):
            raise TextError(f"a text is a str, not {shown(given)}", path=place)
        if name == "plurals":
            _check_patterns(text, place)
        else:
            _check_fields(text, _fields(name, known), place)
            if name in lines:
                _check_line(lines[name], known[name], text, place)
    if complete:
        needed = {**PRIMITIVE_TEXTS, **COMMON, **_texts_of(own or SECTIONS)}
        missing = [
            name for name, text in needed.items() if name not in texts and _is_said(name, text)
        ]
        if missing:
            raise TextError(f"not translated: {', '.join(missing)}")
    return texts


def usable_texts(
    texts: Mapping[str, str], sections: Iterable[type[HudSection]]
) -> tuple[Mapping[str, str], list[TextError]]:
    """Return the texts that can be used as declarations are now, and why the others cannot.

    >>> usable, problems = usable_texts({"notes.title": "Notizen", "more": "{number} weitere"}, ())
    >>> usable, len(problems)
    ({'notes.title': 'Notizen'}, 1)
    """
    own = tuple(sections)
    try:
        return check_texts(texts, sections=own), []
    except TextError:
        usable: dict[str, str] = {}
        problems: list[TextError] = []
        for name, text in texts.items():
            try:
                usable |= check_texts({name: text}, sections=own)
            except TextError as error:
                problems.append(error)
        return usable, problems


@lru_cache(maxsize=64)
def _usable(look: Any, sections: tuple[type[HudSection], ...]) -> Mapping[str, str]:
    return usable_texts(look.words, sections)[0]


def words_of(state: State) -> Mapping[str, str]:
    """Return the words that a person gave the HUD of a state, as far as they can be used; empty for none."""
    look: Any = state.look
    return _NONE if look is None else _usable(look, state.sections)


def context_of(state: State) -> RenderContext:
    """Return the context in which the words are written that a person gave the HUD of a state."""
    return _PLAIN if state.look is None else RenderContext(texts=words_of(state))


_PLAIN = RenderContext()

_NONE: Mapping[str, str] = MappingProxyType({})


def _texts_of(sections: Iterable[type[HudSection]]) -> dict[str, str]:
    """The texts of sections by name, and the sources of their lines."""
    known: dict[str, str] = {}
    for each in sections:
        lines = {form.text: form.source for form in forms_of(each)}
        known |= {**each.texts, **lines, **dict(answers_of(each))}
    return known


_HOLE = re.compile(r"\{[^{}]*\}")


def _is_said(name: str, text: str) -> bool:
    """Whether a text has words of a language: it is neither a call, nor of holes and signs alone."""
    return not name.endswith(".handle") and any(map(str.isalpha, _HOLE.sub("", text)))


_FORMATTED = re.compile(r"\{\w+:[^{}]*\}")


def _check_line(form: Form, usual: str, text: str, place: str) -> None:
    """Refuse a line that could not be read back, or that leaves out what it is there to show."""
    needed = _fields_in(usual)
    for hole in _FORMATTED.findall(text):
        if hole not in usual:
            raise TextError(
                f"the format of {hole} is the declaration's: {shown(usual)}", path=place
            )
    bare = without_formats(text)
    patterns = {name: each for name, each in form.patterns if f"{{{name}}}" in bare}
    try:
        line = Template(bare, needed, patterns=patterns)
    except DefinitionError as error:
        raise TextError(str(error), path=place) from error
    for field in needed:
        if field not in line.holes:
            raise TextError(f'"{text}" does not show {{{field}}}', path=place)
    if form.examples:  # what fills its holes is known
        try:
            check_forms("its text", (replace(form, source=text),))
        except DefinitionError as error:
            raise TextError(str(error), path=place) from error


def _fields(name: str, known: Mapping[str, str]) -> frozenset[str]:
    """The values that a text is given."""
    names = next((alike for alike in _ALIKE if name in alike), frozenset({name}))
    return frozenset(field for each in names for field in _fields_in(known[each]))


def _fields_in(template: str) -> list[str]:
    return [field for _, field, _, _ in Formatter().parse(template) if field is not None]


def _check_fields(text: str, allowed: frozenset[str], place: str) -> None:
    if not allowed:  # it is shown as it stands, braces included
        return
    try:
        used = _fields_in(text)
    except ValueError as error:
        raise TextError(f'"{text}": {error}; write {{{{ for a brace', path=place) from error
    unknown = next((field for field in used if field not in allowed), None)
    if unknown is not None:
        hint = did_you_mean(unknown, allowed)
        raise TextError(f'"{text}" has no value for {{{unknown}}}; {hint}', path=place)


def _check_patterns(rule: str, place: str) -> None:
    try:
        for pattern in rule.split():
            re.compile(pattern)
    except re.error as error:
        raise TextError(f'"{rule}" is not a rule for plurals: {error}', path=place) from error
