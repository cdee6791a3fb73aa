"""The lines of a declaration: templates for each density, as the forms that write and read items."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from inspect import formatannotation
from itertools import product
from string import Formatter
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, get_args, get_origin

from pydantic import BaseModel

from hud_components._models import SOURCE
from hud_components.declaring._apart import warn_of
from hud_components.declaring._faults import Faults
from hud_components.declaring._form import Form
from hud_components.declaring._formats import FormatError, formatted
from hud_components.declaring._values import (
    TEXT,
    UNSET,
    Look,
    choices_of,
    is_set,
    look_of,
    may_be_unset,
    nothing_of,
)
from ujsx import DefinitionError, Density, DensityError, RenderContext
from ujsx.components import fields_of
from ujsx.errors import did_you_mean, shown


class Wording(NamedTuple):
    """A line for items of which something holds: ``Wording("~~{what}~~", {"done": True})``."""

    template: str
    when: Mapping[str, Any] = MappingProxyType({})


LinesOf: TypeAlias = "str | Wording | Sequence[str | Wording]"
"""The line of a density, or several of which the first is written whose fields are set."""

Lines: TypeAlias = "Mapping[Any, LinesOf] | LinesOf"
"""Lines by density; alone, those in full."""


def lines_by_density(lines: Any) -> Mapping[Any, Any]:
    """Return lines by density, where those in full may stand alone."""
    return lines if hasattr(lines, "items") else {"full": lines}


def forms_of(
    section: str, name: str, model: type[BaseModel], lines: Lines, *, reads_back: bool = True
) -> dict[Density, tuple[Form, ...]]:
    """Return the forms of each density; one that has no lines takes those of the next fuller one.

    :param section: the class's name, for messages.
    :param name: the section's name, under which a table of words may replace the lines.
    :param reads_back: whether they are read back; else a hole holds any value, as its text.
    :raises DefinitionError: for a density that is none, a hole that no field fills, a field that no
        hole can hold, and an item that no line could write.
    """
    given = _by_density(section, lines, model)
    faults = Faults()
    found: dict[Density, tuple[Form, ...]] = {}
    for density in reversed(Density):
        if density not in given:
            found[density] = list(found.values())[-1]
            continue
        forms: list[Form] = []
        for number, each in enumerate(given[density], start=1):
            place = f"{name}.{density}" if number == 1 else f"{name}.{density}.{number}"
            wording = each if isinstance(each, Wording) else Wording(each)
            with faults:
                forms.append(_form(section, place, model, wording, reads_back))
        found[density] = tuple(forms)
        if not faults:
            with faults:
                found[density] = _completed(section, density, forms, model)
    faults.check()
    blank = {
        field: nothing_of(fields_of(model)[field].annotation)
        for forms in found.values()
        for form in forms
        for field in form.dashed
    }
    if not blank:
        return found
    known = {form: replace(form, blank=blank) for forms in found.values() for form in forms}
    return {density: tuple(known[form] for form in forms) for density, forms in found.items()}


def labelled(
    name: str, title: str, forms: Mapping[Density, tuple[Form, ...]]
) -> Mapping[Density, tuple[Form, ...]]:
    """Return the lines in full of a value with dense ones that say what it is.

    :param name: the section's, under which a table of words may replace the lines.
    """
    full = forms[Density.FULL]
    begin = all(_begins_with_words(form.source) for form in full)
    if not title or not _MARKS.isdisjoint(title) or begin:
        return forms
    label = title.replace("{", "{{").replace("}", "}}")
    dense = tuple(
        replace(
            form,
            text=form.text.replace(f"{name}.full", f"{name}.compact", 1),
            source=f"**{label}:** {form.source}",
        )
        for form in full
    )
    return {Density.FULL: full, Density.COMPACT: dense, Density.MINIMAL: dense}


def _begins_with_words(template: str) -> bool:
    return has_words(next((literal for literal, _, _, _ in Formatter().parse(template)), ""))


def has_words(template: str) -> bool:
    """Tell whether a line says something by itself, beside its holes and marks."""
    return any(
        each.isalnum() for literal, _, _, _ in Formatter().parse(template) for each in literal
    )


def _by_density(
    section: str, lines: Lines, model: type[BaseModel]
) -> dict[Density, tuple[str | Wording, ...]]:
    by_density = lines_by_density(lines)
    try:
        given = {Density.of(key): _wordings(section, value) for key, value in by_density.items()}
    except DensityError as error:
        flag = next((name for name in by_density if name in fields_of(model)), None)
        hint = "" if flag is None else f"; write lines = {{{_conditional(by_density, flag)}}}"
        raise DefinitionError(f"{section}.lines: {error}{hint}") from None
    if not given.get(Density.FULL) or not all(given.values()):
        raise DefinitionError(
            f'{section}.lines: say at least how an item is written in full: {{"full": "{{…}}"}}'
        )
    return given


def _conditional(lines: Mapping[Any, Any], flag: str) -> str:
    """The lines in full with the one for items of which something holds, as source text."""
    full = lines.get("full", "…")
    return f'"full": (Wording({lines[flag]!r}, {{{flag!r}: True}}), {full!r})'


def _wordings(section: str, value: Any) -> tuple[str | Wording, ...]:
    several: Any = value
    if isinstance(value, str | Wording) or not isinstance(value, Iterable):
        several = (several,)
    given: tuple[Any, ...] = tuple(several)
    for each in given:
        if not isinstance(each, str | Wording):
            raise DefinitionError(
                f"{section}.lines: {shown(each)} is no line; write a text with holes, such as"
                ' "{what}", or a Wording'
            )
    return given


def _form(
    section: str, place: str, model: type[BaseModel], wording: Wording, reads_back: bool
) -> Form:
    """The form of a line."""
    template, when = wording
    faults = Faults()
    looks: dict[str, Look] = {}
    for hole, spec in _formats_of(section, template, model).items():
        looks[hole] = _plain_look(hole, model)
        with faults:
            if hole in _STORES:
                raise DefinitionError(
                    f"{section}.lines: {{{hole}}} is shown where it is asked for; leave it out of"
                    f" {shown(template)}"
                )
            looks[hole] = _look(section, hole, spec, model, reads_back)
    for field, value in when.items():
        with faults:
            _check_when(section, field, value, model)
    patterns = {hole: look.pattern for hole, look in looks.items() if look.pattern}
    if not reads_back:
        patterns = {hole: look.pattern or ANYTHING for hole, look in looks.items()}
    form = Form(
        place,
        tuple(looks),
        when,
        template,
        tuple(patterns.items()),
        {hole: look.examples for hole, look in looks.items() if reads_back},
        {hole: look for hole, look in looks.items() if look is not TEXT},
    )
    with faults:
        form = _decodable(section, form, is_right=not faults)
    faults.check()
    return form


def _decodable(section: str, form: Form, *, is_right: bool) -> Form:
    """Return a line whose holes can be told apart when it is read: the same, or one with other marks.

    :param is_right: whether nothing else is wrong with it: else the line is refused anyway, and its author
        writes another.
    :raises DefinitionError: for a line that no mark makes so.
    """
    try:
        form.template(RenderContext())
    except DefinitionError as error:
        found = next(_marked(form), None)
        if found is None:
            raise DefinitionError(f"{section}.lines: {error}") from None
    else:
        return form
    name, better = found
    why = (
        f"does not tell where {{{name}}} starts, as it and what stands before it may be any text"
        if name
        else "has marks that are not in pairs, or nest"
    )
    if is_right:
        warn_of(f"{section}.lines: {form.source!r} {why}", form.source, better)
    return replace(form, source=better)


def _marked(form: Form) -> Iterator[tuple[str, str]]:
    """Lines whose holes can be told apart: with marks around texts, or, where the marks are wrong, with other ones;
    each with the first hole that gets a mark, where it is only that.
    """
    texts = [name for name in form.fields if name not in dict(form.patterns)]
    for plain in (form.source, *(form.source.replace(mark, "") for mark in "*~`")):
        marked = plain
        for name in ("", *texts[1:]):
            hole = rf"(?<![*~`])\{{{name}(?::[^{{}}]*)?\}}(?![*~`])"
            marked = re.sub(hole, r"*\g<0>*", marked) if name else marked
            if marked != form.source and _is_template(form, marked):
                yield name if plain == form.source else "", marked


def _is_template(form: Form, source: str) -> bool:
    try:
        replace(form, source=source).template(RenderContext())
    except DefinitionError:
        return False
    return True


def _formats_of(section: str, template: str, model: type[BaseModel]) -> dict[str, str]:
    """The holes of a line, in their order, each with its format; empty where it has none."""
    try:
        parts = [*Formatter().parse(template)]
    except ValueError as error:
        raise DefinitionError(
            f"{section}.lines: {shown(template)}: {error}; a brace is written twice"
        ) from None
    specs: dict[str, str] = {}
    for _, name, spec, conversion in parts:
        if name is None:
            continue
        if conversion or name in specs:
            why = f"has !{conversion}" if conversion else "is in this line already"
            raise DefinitionError(
                f"{section}.lines: {shown(template)}: {{{name}}} {why}; write {{{name}}} once"
            )
        specs[name] = spec or ""
    if not specs:
        raise DefinitionError(
            f"{section}.lines: {shown(template)} shows nothing of {model.__name__}; give it a hole,"
            f" such as {{{next(iter(_shown_fields(model)), 'what')}}}"
        )
    return specs


def _look(section: str, name: str, spec: str, model: type[BaseModel], reads_back: bool) -> Look:
    """What a hole of a line holds."""
    _check_field(section, name, model)
    look = look_of(fields_of(model)[name].annotation)
    if look is None and not reads_back and not spec:
        return Look()
    if look is None:
        raise DefinitionError(
            f"{section}.lines: {{{name}}} holds what no text could be read back as; {_shown_as(name, model)},"
            " or say reads_back = False in the section"
        )
    try:
        return formatted(look, spec) if spec else look
    except FormatError as error:
        advice = str(error).replace("{…", f"{{{name}")
        raise DefinitionError(f"{section}.lines: {{{name}:{spec}}}: {advice}") from None


def _shown_as(name: str, model: type[BaseModel]) -> str:
    """What to declare in place of a field that no hole can hold."""
    annotation: Any = fields_of(model)[name].annotation
    inside = get_args(annotation)
    if isinstance(get_origin(annotation), type) and len(inside) == 1 and look_of(inside[0]):
        kind = formatannotation(inside[0])
        is_empty = fields_of(model)[name].get_default(call_default_factory=True) in (set(), [])
        return f"declare {model.__name__}.{name} as tuple[{kind}, ...]{' = ()' if is_empty else ''}"
    return "show a text, a number, a date, a choice or a tuple of texts"


def _plain_look(name: str, model: type[BaseModel]) -> Look:
    """What stands in for a hole that is refused, so that the rest of its line is looked at."""
    info = None if name in _STORES else fields_of(model).get(name)
    return (None if info is None else look_of(info.annotation)) or Look(ANYTHING)


def _shown_fields(model: type[BaseModel]) -> Iterator[str]:
    for name, info in fields_of(model).items():
        if name not in _STORES and look_of(info.annotation) is not None:
            yield name


def _check_field(section: str, name: str, model: type[BaseModel]) -> None:
    if name not in fields_of(model):
        raise DefinitionError(
            f"{section}.lines: no field of {model.__name__} fills {{{name}}};"
            f" {did_you_mean(name, _shown_fields(model))}"
        )


def _check_when(section: str, name: str, value: Any, model: type[BaseModel]) -> None:
    if name not in fields_of(model):
        raise DefinitionError(
            f"{section}.lines: {model.__name__} has no field {shown(name)};"
            f" {did_you_mean(name, fields_of(model))}"
        )
    choices = choices_of(fields_of(model)[name].annotation)
    if choices is not None and value not in choices:
        raise DefinitionError(
            f"{section}.lines: {model.__name__}.{name} is never {shown(value)}; it is one of"
            f" {', '.join(map(shown, choices))}"
        )


def _completed(
    section: str, density: Density, forms: Sequence[Form], model: type[BaseModel]
) -> tuple[Form, ...]:
    """Return lines of which one fits every item: where nothing else does, the last one shows a dash for
    what says nothing. Lines whose conditions leave an item without one are refused.
    """
    names = sorted({name for form in forms for name in form.fixed})
    values: list[list[Any]] = []
    for name in names:
        choices = choices_of(fields_of(model)[name].annotation)
        told = [form.fixed[name] for form in forms if name in form.fixed]
        values.append([*told, _OTHER] if choices is None else [*choices])
    dashed: dict[int, set[str]] = defaultdict(set)
    for each in product(*values):
        case = dict(zip(names, each, strict=True))
        fitting = [
            number
            for number, form in enumerate(forms)
            if all(case[name] == is_ for name, is_ in form.fixed.items())
        ]
        if not fitting:
            case_told = ", ".join(
                f"{name} {shown(is_)}" for name, is_ in case.items() if is_ is not _OTHER
            )
            raise DefinitionError(
                f"{section}.lines, {density}: nothing is written of an item with"
                f" {case_told or 'another ' + names[0]}; add a line without a condition as the last one"
            )
        if all([*_unset(forms[number], case, model)] for number in fitting):
            dashed[fitting[-1]] |= {*_unset(forms[fitting[-1]], case, model)}
    return tuple(_dashed(form, dashed[number]) for number, form in enumerate(forms))


def _dashed(form: Form, fields: set[str]) -> Form:
    """The form that shows a dash for some fields that say nothing."""
    patterns = {
        name: f"{pattern}|{UNSET}" if name in fields else pattern for name, pattern in form.patterns
    }
    examples = {
        name: (*texts, UNSET) if name in fields and name in patterns else texts
        for name, texts in form.examples.items()
    }
    return replace(
        form, patterns=tuple(patterns.items()), examples=examples, dashed=frozenset(fields)
    )


def _unset(form: Form, case: Mapping[str, Any], model: type[BaseModel]) -> Iterator[str]:
    """The holes of a line that may have nothing to hold."""
    for name in form.fields:
        known = case.get(name, _OTHER)
        is_unset = may_be_unset(fields_of(model)[name]) if known is _OTHER else not is_set(known)
        if is_unset:
            yield name


_STORES = frozenset({"id", "origin", *SOURCE})
"""What stands around a line, and in none."""

ANYTHING = ".+"
"""What a hole reads whose line is not read back."""

_MARKS = frozenset("*~`")

_OTHER: Any = object()
"""Any other value."""
