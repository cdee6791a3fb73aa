"""The editable parts of a section, which follow from its lines and its verbs.

A section's own verbs, and fields that only verbs set, are never an edit: a line does not tell them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeVar, cast

from pydantic import BaseModel

from hud_components import Form, HudSection, PlainItem
from hud_components.declaring import Over, verbs_of
from hud_components.folding import Add, Clear, Kind, Mark, Remove, Reorder, Set, Update, Verb
from ujsx import Density, RenderContext

VerbT = TypeVar("VerbT", bound=Verb)

OF_ITEMS = (Add, Update, Mark, Remove, Reorder)
OF_A_VALUE = (Set, Update, Clear)
"""The kinds of verbs that an edit can come to."""


@dataclass(frozen=True, eq=False, slots=True)
class Editable:
    """A section that can be edited: how it is written, and what changes it."""

    section: type[HudSection]
    verbs: Mapping[type[Verb], Verb]
    """For each kind of verb the section's first one."""

    what: str
    """What it has, in a word, as messages say it: "note"."""

    several: str
    """The same of many."""

    text: str
    """The field that says what an item is; of a value, the first."""

    fields: tuple[str, ...]
    """The fields that its lines tell, whether an item is over not among them."""

    forms: Mapping[Density, tuple[Form, ...]]
    """How it is written, by density: an item in its list, a value under its heading."""

    lines: tuple[Form, ...]
    """How it is written as a paragraph of its own, where the HUD is dense."""

    @property
    def name(self) -> str:
        """The section's name in the table of fixed texts, and the first part of its operations."""
        return self.section.name

    @property
    def kind(self) -> Kind | None:
        """The kind that tells its items apart; None for a section of one value."""
        return self.section.kind

    @property
    def done(self) -> str | None:
        """The field that says that an item is over."""
        return None if self.kind is None else self.kind.done

    def over(self, ctx: RenderContext) -> Over | None:
        """Return what stands behind an item that is over, where its form does not say so."""
        section: Any = self.section
        return None if self.done is None else section.over(ctx)

    def verb(self, kind: type[VerbT]) -> VerbT | None:
        """Return the verb of that kind, if it has one."""
        return cast("VerbT | None", self.verbs.get(kind))

    def operation(self, verb: Verb) -> str:
        """Return an operation's full name.

        >>> from hud_components import NotesSection
        >>> notes = editable(NotesSection)
        >>> notes.operation(notes.verb(Remove))
        'notes.remove'
        """
        return f"{self.name}.{verb.name}"

    def arguments(self, verb: Verb) -> type[BaseModel]:
        """Return the model of what an operation takes."""
        return _arguments(self.section, verb)

    def takes(self, verb: Verb | None, field: str) -> bool:
        """Tell whether an operation sets a field."""
        return verb is not None and field in self.arguments(verb).model_fields

    def templates(self, ctx: RenderContext) -> str:
        """Return how it is written, as messages say it."""
        forms = self.forms[ctx.density]
        return " or ".join(dict.fromkeys(form.template(ctx).source for form in forms))


def editable(section: Any) -> Editable | None:
    """Return how a section is edited, or ``None`` if it cannot be.

    >>> from hud_components import ActiveFiles, NotesSection
    >>> editable(NotesSection).fields, editable(ActiveFiles)
    (('content',), None)
    """
    return None if section.is_reported or section.why_fixed else as_lines(section)


@lru_cache(maxsize=256)
def as_lines(section: Any) -> Editable | None:
    """Return how a section is written and what changes it, whether its text can be edited or not."""
    if not section.field:
        return None
    verbs = _verbs(section)
    of_values = section.kind is None
    if verbs.keys().isdisjoint(OF_A_VALUE if of_values else OF_ITEMS):
        return None
    if not of_values and not issubclass(section.value, PlainItem):
        return None  # an operation could not name an item
    forms = {density: section.forms_at(density) for density in Density}
    lines = (*forms[Density.COMPACT], *forms[Density.MINIMAL])
    if section.kind is None:
        text, done = next(iter(section.draft.model_fields)), None
    else:
        text, done, lines = section.kind.text, section.kind.done, section.lone_forms
    every = (*(form for each in forms.values() for form in each), *lines)
    told = {name for form in every for name in (*form.fields, *form.fixed)}
    known = dict.fromkeys((text, *section.draft.model_fields, *section.value.model_fields))
    nouns = section.texts[f"{section.name}.noun"].split("|")
    return Editable(
        section,
        verbs,
        what=nouns[0],
        several=nouns[-1],
        text=text,
        fields=tuple(name for name in known if name in told and name != done),
        forms=MappingProxyType(forms),
        lines=tuple(dict.fromkeys(lines)),
    )


def why_fixed(section: type[HudSection]) -> str:
    """Return why a section's text cannot be edited."""
    if section.why_fixed:
        return section.why_fixed
    return "hosts report it" if section.is_reported else "no operation changes it"


def lenient(form: Form) -> Form | None:
    """Return the form as it reads values of the wrong type, too; None where that is no difference."""
    if not form.patterns:
        return None
    return replace(form, patterns=tuple((name, ".+") for name, _ in form.patterns))


def begins_with_words(form: Form, ctx: RenderContext) -> bool:
    """Tell whether a line of that form begins with words that tell it from any other line."""
    return not form.template(ctx).source.lstrip("*_~` ").startswith("{")


def a(what: str) -> str:
    """Return a noun with its article.

    >>> a("note"), a("order")
    ('a note', 'an order')
    """
    return f"{'an' if what[:1].casefold() in 'aeiou' else 'a'} {what}"


def _verbs(section: type[HudSection]) -> Mapping[type[Verb], Verb]:
    found: dict[type[Verb], Verb] = {}
    for kind in (*OF_ITEMS, *OF_A_VALUE):
        for verb in verbs_of(section):
            # One with a function of its own does what that does.
            if isinstance(verb, kind) and verb.function is None:
                found.setdefault(kind, verb)
    return MappingProxyType(found)


def _arguments(section: type[HudSection], verb: Verb) -> type[BaseModel]:
    declared: Any = section
    return _models(declared)[verb.name]


@lru_cache(maxsize=256)
def _models(section: Any) -> Mapping[str, type[BaseModel]]:
    declared: Any = section
    return {
        verb.name: verb.arguments_of(declared, verb.payload_of(declared))
        for verb in verbs_of(section)
        if verb.function is None
    }
