"""The editable parts of a HUD, and the result of an edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, TypeVar, cast

from pydantic import BaseModel

from hud_components import Form, HudSection
from hud_components.declaring import Over, PlainItem, as_text, bound, is_set, verbs_of
from hud_components.folding import Add, Clear, Kind, Mark, Remove, Reorder, Set, Update, Verb
from hud_components.words import format_text
from ujsx import Child, Density, RenderContext, Renderer, UjsxError
from ujsx.rendering import Piece
from ujsx.transforms import MAX_HEADING_DEPTH
from ujsx.trees import disclosed_context

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
        """The yes/no field that says that an item is over."""
        return None if self.kind is None else self.kind.done

    def is_open(self, item: Any) -> bool:
        """Tell whether an item, or a value, still asks for something."""
        return self.kind is None or self.kind.is_open(item)

    def over(self, ctx: RenderContext) -> Over | None:
        """Return what stands behind an item that is over, where its form does not say so."""
        section: Any = self.section
        return None if self.kind is None or self.kind.end is None else section.over(ctx)

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
        return _models(self.section)[verb.name]

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
    return None if section.host_reported or section.read_only_reason else as_lines(section)


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
    if section.kind is not None and section.kind.end is not None:
        told.add(section.kind.end.field)  # behind an item that is over
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


def read_only_reason(section: type[HudSection]) -> str:
    """Return why a section's text cannot be edited."""
    if section.read_only_reason:
        return section.read_only_reason
    return "hosts report it" if section.host_reported else "no operation changes it"


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
    if section.kind is not None and section.kind.end and len(section.kind.end.values) > 1:
        found.pop(Mark, None)  # a tick does not tell which choice ends an item
    return MappingProxyType(found)


@lru_cache(maxsize=256)
def _models(section: Any) -> Mapping[str, type[BaseModel]]:
    declared: Any = section
    return {
        verb.name: verb.arguments_of(declared, verb.payload_of(declared))
        for verb in verbs_of(section)
        if verb.function is None
    }


# The errors of editing a HUD.
#
# ::
#
#     UjsxError
#     └── EditError    an edit that cannot be read, or must not be recorded (ValueError)


class EditError(UjsxError, ValueError):
    """A text that is not an edited HUD, or changes that still have problems."""


# The editable places of a HUD: its lists and its values, each with what it shows.


@dataclass(frozen=True, slots=True)
class KnownItem:
    """An item that a HUD shows."""

    number: int
    """Its place among all items of its section."""

    full: Mapping[str, str]
    """What it says where nothing is cut, by field."""


@dataclass(frozen=True)
class EditableSection:
    """A section that can be edited, in its place."""

    kind: Editable
    ctx: RenderContext
    """The context in which it shows its items."""

    section: Any = None
    """The section; None where the HUD does not have it, but could."""

    @property
    def title(self) -> str:
        """Its heading."""
        return format_text(self.ctx, f"{self.kind.name}.title")

    @property
    def heading(self) -> tuple[int, str]:
        """Its heading, with the depth of that."""
        return min(self.ctx.depth + 1, MAX_HEADING_DEPTH), self.title

    @property
    def unlisted(self) -> int:
        """The number of items that the section only counts."""
        return getattr(self.section, "unlisted", 0)

    @property
    def size(self) -> int:
        """The number of items in the text."""
        return int(self.value is not None) if self.kind.kind is None else len(self.shown)

    # --- A value ---

    @cached_property
    def value(self) -> Any:
        """The value of a section of one value; None where there is none."""
        if self.section is None or self.kind.kind is not None:
            return None
        return self.section.given(self.ctx)

    @cached_property
    def full(self) -> Mapping[str, str]:
        """The texts of the value where nothing is cut, by field."""
        return self._of_value(self._in_full)

    @cached_property
    def brief(self) -> Mapping[str, str]:
        """The texts of the value in the HUD, by field."""
        return self._of_value(self.ctx)

    def _of_value(self, ctx: RenderContext) -> Mapping[str, str]:
        return {} if self.value is None else self._texts(_said(self.section, ctx)[0])

    # --- Items ---

    @cached_property
    def items(self) -> tuple[Any, ...]:
        """All items that the section has: those that it can show in their order, then the others."""
        return tuple(self._given[n] for n in self._order)

    @property
    def listed(self) -> int:
        """The number of items that the section can show, where there is room."""
        return len(self._listed)

    @cached_property
    def shown(self) -> list[KnownItem]:
        """The items that the text has, in its order."""
        cut = self._numbered(self.ctx)
        if len(cut) == 1 and "id" not in cut[0]:  # a line of its own has no room for an id
            is_open = self.section.kind.is_open
            cut = [next(one for one in self._listed if is_open(self._given[int(one["id"])]))]
        place = {number: place for place, number in enumerate(self._order)}
        said = {one["id"]: self._texts(one) for one in self._listed}
        return [KnownItem(place[int(one["id"])], said[one["id"]]) for one in cut]

    def tells(self, item: Any, field: str) -> bool:
        """Tell whether the section tells a field of an item, or of a value, in its line."""
        value = item if self.kind.kind is None else (item,)
        section = self.section.model_copy(update={self.section.prop: value})
        ctx = self.ctx.with_density(self.ctx.density, None)
        return any(field in said for said in _said(section, ctx))

    @cached_property
    def _given(self) -> Sequence[PlainItem]:
        if self.section is None:
            return ()
        given = getattr(self.section, self.section.prop)
        return getattr(bound(self.ctx), self.section.field, ()) if given is None else given

    @cached_property
    def _listed(self) -> Sequence[Mapping[str, Any]]:
        return self._numbered(self._in_full)

    @cached_property
    def _order(self) -> list[int]:
        listed = [int(one["id"]) for one in self._listed]
        return [*listed, *sorted(set(range(len(self._given))) - {*listed})]

    @property
    def _in_full(self) -> RenderContext:
        return self.ctx.with_density(Density.FULL, None)

    def _numbered(self, ctx: RenderContext) -> Sequence[Mapping[str, Any]]:
        """What the section tells of its items, with their numbers in place of their ids."""
        if not self._given:
            return ()
        # Numbers in place of ids tell which item is which once the section is cut.
        items = tuple(item.model_copy(update={"id": f"{n}"}) for n, item in enumerate(self._given))
        numbered = self.section.model_copy(update={self.section.prop: items, "show_ids": True})
        return _said(numbered, ctx)

    def _texts(self, said: Mapping[str, Any]) -> Mapping[str, str]:
        """What is told of an item, or a value, as its line has it."""
        return {
            name: as_text(said[name])
            for name in self.kind.fields
            if name in said and is_set(said[name])
        }


def _said(section: HudSection, ctx: RenderContext) -> Sequence[Mapping[str, Any]]:
    """The fields that a section tells, of each item that it shows, or of its value."""
    shown = section.as_shown_in(ctx)
    if shown is None:  # nothing, or what has a field that is required, and not told
        return section.said_in(ctx)
    told: Any = getattr(shown, shown.prop)
    models: Sequence[Any] = (told,) if section.kind is None else told
    return [{name: getattr(one, name) for name in one.model_fields_set} for one in models]


def pieces_of(hud: Child, ctx: RenderContext) -> list[Piece]:
    """Return what a HUD consists of."""
    return [piece for piece in Renderer(context=ctx).pieces(hud) if not piece.is_hidden]


def spots(
    pieces: Sequence[Piece], sections: Iterable[type[HudSection]], ctx: RenderContext
) -> list[EditableSection]:
    """Return the sections of a HUD that can be edited, and behind them those that it could have.

    :param sections: all sections that it could have.
    """
    inside = ctx.deeper() if pieces and pieces[0].heading is not None else ctx
    found: list[EditableSection] = []
    for piece in pieces:
        section = piece.ladder
        if isinstance(section, HudSection):
            kind = editable(type(section))
            if kind is not None:
                at = disclosed_context(section, piece.context)
                found.append(EditableSection(kind, section.with_texts(at), section))
    there = {spot.kind.name for spot in found}
    kinds = [kind for section in sections if (kind := editable(section)) is not None]
    return found + [
        EditableSection(kind, kind.section.with_texts(inside))
        for kind in kinds
        if kind.name not in there
    ]


# The result of an edit: operations, and what cannot be decided.


@dataclass(frozen=True, slots=True)
class Edit:
    """One operation of the tool ``hud`` that an edit stands for.

    >>> print(Edit("notes.remove", {"id": "n-2"}, 7))
    notes.remove id='n-2'
    """

    operation: str
    """Its name, such as "notes.update"."""

    arguments: Mapping[str, object]
    """Its arguments. An item is named by its id; one that has none yet, by its exact text."""

    line: int
    """The line of the edited text that it comes from, counted from 1."""

    def __str__(self) -> str:
        given = (f"{name}={value!r}" for name, value in self.arguments.items())
        return " ".join((self.operation, *given))


@dataclass(frozen=True, slots=True)
class EditProblem:
    """Something in an edited text that is no operation, or could be several.

    >>> print(EditProblem("there is no `n-9`", 7, 1, "Notes", "id"))
    line 7, column 1: Notes, id: there is no `n-9`
    """

    message: str
    """What it is, and what to do."""

    line: int
    """The line of the edited text, counted from 1; of what is missing, where it is missed."""

    column: int
    """The column in that line, counted from 1."""

    section: str
    """The title of the section, or the component's name where a line has no title."""

    field: str | None = None
    """The field of the item that it is about; None when it is about more."""

    def __str__(self) -> str:
        place = self.section if self.field is None else f"{self.section}, {self.field}"
        return f"line {self.line}, column {self.column}: {place}: {self.message}"


@dataclass(frozen=True, slots=True)
class Changes:
    """The result of editing a HUD."""

    operations: tuple[Edit, ...] = ()
    """What to do, in this order."""

    problems: tuple[EditProblem, ...] = ()
    """What cannot be decided, in the order of the text. Nothing should be done until it is empty:
    an operation may be there because of what could not be read."""

    def data(self) -> dict[str, Any]:
        """Return both as JSON data.

        >>> Changes((Edit("notes.remove", {"id": "n-2"}, 7),)).data()["operations"]
        [{'op': 'notes.remove', 'arguments': {'id': 'n-2'}, 'line': 7}]
        """
        return {
            "operations": [
                {"op": each.operation, "arguments": dict(each.arguments), "line": each.line}
                for each in self.operations
            ],
            "problems": [asdict(each) for each in self.problems],
        }
