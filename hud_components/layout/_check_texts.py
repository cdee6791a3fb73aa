"""Replaced texts are checked before they are used: a HUD must not fail at its first red turn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from string import Formatter

from hud_components.declaring._apart import check_forms
from hud_components.declaring._form import Form, without_formats
from hud_components.declaring._section import HudSection
from hud_components.layout._parse import SECTIONS
from hud_components.layout._texts import forms_of
from hud_components.words._texts import COMMON, TextError
from ujsx import DefinitionError, Template
from ujsx.errors import did_you_mean, shown

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
    texts: Mapping[str, str], *, sections: Iterable[type[HudSection]] = ()
) -> Mapping[str, str]:
    """Return texts that replace fixed ones, after a check of their names and braces.

    :param texts: by name, as in ``TEXTS``; ``omitted`` and ``omitted.handle`` are known too.
    :param sections: sections of your own, such as those of a domain: their texts and lines are known too.
    :raises TextError: for an unknown name, with the nearest one; for a value that is no text; and
        for one that cannot be filled in.

    >>> check_texts({"notes.title": "Notizen", "notes.noun": "Notiz|Notizen"})["notes.title"]
    'Notizen'
    >>> check_texts({"nots.title": "Notizen"})
    Traceback (most recent call last):
    hud_components.words._texts.TextError: texts['nots.title']: there is no such text; did you mean "notes.title"?
    """
    from ujsx.transforms import TEXTS as PRIMITIVE_TEXTS

    every = tuple(dict.fromkeys((*SECTIONS, *sections)))
    known: dict[str, str] = {**PRIMITIVE_TEXTS, **COMMON}
    lines: dict[str, Form] = {}
    for section in every:
        known |= section.texts
        lines |= {form.text: form for form in forms_of(section)}
    known |= {name: form.source for name, form in lines.items()}
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
    return texts


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
        raise TextError(f'"{rule}" is no rule for plurals: {error}', path=place) from error
