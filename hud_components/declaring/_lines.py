"""The lines of a declaration: templates for each density, as the forms that write and read items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from string import Formatter
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from pydantic import BaseModel

from hud_components._models import SOURCE
from hud_components.declaring._form import Form
from hud_components.declaring._values import Look, choices_of, is_set, look_of, may_be_unset
from ujsx import DefinitionError, Density, DensityError, RenderContext
from ujsx.components import fields_of
from ujsx.errors import did_you_mean, shown


class Wording(NamedTuple):
    """A line for items of which something holds: ``Wording("~~{what}~~", {"done": True})``."""

    template: str
    when: Mapping[str, Any] = MappingProxyType({})


Lines: TypeAlias = "Mapping[Any, str | Wording | Sequence[str | Wording]]"
"""Lines by density: one, or several of which the first is written whose fields are set."""


def forms_of(
    section: str, name: str, model: type[BaseModel], lines: Lines
) -> dict[Density, tuple[Form, ...]]:
    """Return the forms of each density; one that has no lines takes those of the next fuller one.

    :param section: the class's name, for messages.
    :param name: the section's name, under which a table of words may replace the lines.
    :raises DefinitionError: for a density that is none, a hole that no field fills, a field that no
        hole can hold, and an item that no line could write.
    """
    given = _by_density(section, lines)
    found: dict[Density, tuple[Form, ...]] = {}
    for density in reversed(Density):
        if density in given:
            forms = tuple(_forms(section, f"{name}.{density}", model, given[density]))
            _check_complete(section, density, forms, model)
            found[density] = forms
        else:
            found[density] = list(found.values())[-1]
    return found


def labelled(lines: Lines, texts: Mapping[str, str]) -> Lines:
    """Return the lines of a value with dense ones that say what it is, where none are given.

    :param texts: the section's, its title among them.
    """
    given: object = lines
    if not isinstance(given, Mapping) or len(lines) != 1 or Density.FULL not in lines:
        return lines
    title = next((text for name, text in texts.items() if name.endswith(".title")), "")
    wordings = [
        each if isinstance(each, Wording) else Wording(each)
        for each in _wordings("", lines[Density.FULL])
    ]
    if (
        not title
        or not _MARKS.isdisjoint(title)
        or all(_begins_with_words(one.template) for one in wordings)
    ):
        return lines
    label = title.replace("{", "{{").replace("}", "}}")
    return {
        Density.FULL: wordings,
        Density.COMPACT: [
            one._replace(template=f"**{label}:** {one.template}") for one in wordings
        ],
    }


def _begins_with_words(template: str) -> bool:
    return has_words(next((literal for literal, _, _, _ in Formatter().parse(template)), ""))


def has_words(template: str) -> bool:
    """Tell whether a line says something by itself, beside its holes and marks."""
    return any(
        each.isalnum() for literal, _, _, _ in Formatter().parse(template) for each in literal
    )


def _by_density(section: str, lines: Lines) -> dict[Density, tuple[str | Wording, ...]]:
    by_density: object = lines
    if not isinstance(by_density, Mapping):
        raise DefinitionError(
            f"{section}.lines: {shown(lines)} does not say for which density; write"
            f' lines = {{"full": {shown(lines)}}}'
        )
    try:
        given = {Density.of(key): _wordings(section, value) for key, value in lines.items()}
    except DensityError as error:
        raise DefinitionError(f"{section}.lines: {error}") from None
    if not given.get(Density.FULL) or not all(given.values()):
        raise DefinitionError(
            f'{section}.lines: say at least how an item is written in full: {{"full": "{{…}}"}}'
        )
    return given


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


def _forms(
    section: str, name: str, model: type[BaseModel], wordings: Sequence[str | Wording]
) -> Iterator[Form]:
    for number, each in enumerate(wordings, start=1):
        template, when = each if isinstance(each, Wording) else Wording(each)
        place = name if number == 1 else f"{name}.{number}"
        looks = _holes(section, template, model)
        for field, value in when.items():
            _check_when(section, field, value, model)
        form = Form(
            place,
            tuple(looks),
            when,
            template,
            tuple((field, look.pattern) for field, look in looks.items() if look.pattern),
            {field: look.examples for field, look in looks.items()},
        )
        try:
            form.template(RenderContext())
        except DefinitionError as error:
            raise DefinitionError(f"{section}.lines: {error}") from None
        yield form


def _holes(section: str, template: str, model: type[BaseModel]) -> dict[str, Look]:
    """What each hole of a line holds, in their order."""
    try:
        names = [name for _, name, _, _ in Formatter().parse(template) if name is not None]
    except ValueError as error:
        raise DefinitionError(
            f"{section}.lines: {shown(template)}: {error}; a brace is written twice"
        ) from None
    if not names:
        raise DefinitionError(
            f"{section}.lines: {shown(template)} shows nothing of {model.__name__}; give it a hole,"
            f" such as {{{next(iter(_shown_fields(model)), 'what')}}}"
        )
    looks: dict[str, Look] = {}
    for name in names:
        if name in _STORES:
            raise DefinitionError(
                f"{section}.lines: {{{name}}} is shown where it is asked for; leave it out of"
                f" {shown(template)}"
            )
        _check_field(section, name, model)
        annotation = fields_of(model)[name].annotation
        look = look_of(annotation)
        if look is None and bool in _parts(annotation):
            raise DefinitionError(
                f"{section}.lines: {{{name}}} is yes or no; give each its own line, such as"
                f' Wording("…", {{"{name}": True}})'
            )
        if look is None:
            raise DefinitionError(
                f"{section}.lines: {{{name}}} holds no single value that could be read back from a "
                "line; show a str, a number, a date or a choice, or override rows and read"
            )
        looks[name] = look
    return looks


def _parts(annotation: Any) -> set[type]:
    return {type(each) for each in choices_of(annotation) or ()}


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


def _check_complete(
    section: str, density: Density, forms: Sequence[Form], model: type[BaseModel]
) -> None:
    """Refuse lines that leave an item without one: where a field is unset, or nothing else fits."""
    names = sorted({name for form in forms for name in form.fixed})
    values: list[list[Any]] = []
    for name in names:
        choices = choices_of(fields_of(model)[name].annotation)
        told = [form.fixed[name] for form in forms if name in form.fixed]
        values.append([*told, _OTHER] if choices is None else [*choices])
    for each in product(*values):
        case = dict(zip(names, each, strict=True))
        fitting = [
            form for form in forms if all(case[name] == is_ for name, is_ in form.fixed.items())
        ]
        if any(not list(_unset(form, case, model)) for form in fitting):
            continue
        where = f"{section}.lines, {density}"
        if not fitting:
            case_told = ", ".join(
                f"{name} {shown(is_)}" for name, is_ in case.items() if is_ is not _OTHER
            )
            raise DefinitionError(
                f"{where}: nothing is written of an item with {case_told or 'another ' + names[0]};"
                " add a line without a condition as the last one"
            )
        hole = next(_unset(fitting[-1], case, model))
        raise DefinitionError(
            f"{where}: {model.__name__}.{hole} may be empty, and then no line is written; declare it"
            f" as a Line, or add a line without {{{hole}}} behind {shown(fitting[-1].source)}"
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

_MARKS = frozenset("*~`")

_OTHER: Any = object()
"""Any other value."""
