"""The editable parts of a HUD, and the result of an edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
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
"""The kinds of verbs in the operations of an edit."""


@dataclass(frozen=True, eq=False, slots=True)
class Editable:
    """An editable section: its forms, and the verbs that change it."""

    section: type[HudSection]
    verbs: Mapping[type[Verb], Verb]
    """The section's first verb of each kind."""

    what: str
    """The noun for an item in messages: "note"."""

    several: str
    """The noun's plural."""

    text: str
    """The field with an item's text; for a value, the first field."""

    fields: tuple[str, ...]
    """The fields in its lines, except the field for completed items."""

    forms: tuple[Form, ...]
    """Its forms of all densities: of an item in its list, or of a value under its heading."""

    lines: tuple[Form, ...]
    """Its forms as a paragraph of its own, in a dense HUD."""

    @property
    def name(self) -> str:
        """The section's name in the table of fixed texts, and the prefix of its operations."""
        return self.section.name

    @property
    def kind(self) -> Kind | None:
        """The kind that identifies its items; None for a section of one value."""
        return self.section.kind

    @property
    def done(self) -> str | None:
        """The boolean field that marks an item as completed."""
        return None if self.kind is None else self.kind.done

    def is_open(self, item: Any) -> bool:
        """Return whether an item, or a value, is still open."""
        return self.kind is None or self.kind.is_open(item)

    def verb(self, kind: type[VerbT]) -> VerbT | None:
        """Return the verb of a kind, if it has one."""
        return cast("VerbT | None", self.verbs.get(kind))

    def rewording(self, *, is_own: bool) -> Verb | None:
        """Return the verb that rewords an item, or the value: only one that sets a value makes it the session's own."""
        update = self.verb(Update)
        if self.kind is not None or (update is not None and is_own):
            return update
        sets = [each for each in verbs_of(self.section) if isinstance(each, Set)]
        return sets[-1] if sets else None

    def operation(self, verb: Verb) -> str:
        """Return an operation's full name.

        >>> from hud_components import NotesSection
        >>> notes = editable(NotesSection)
        >>> notes.operation(notes.verb(Remove))
        'notes.remove'
        """
        return f"{self.name}.{verb.name}"

    def arguments(self, verb: Verb) -> type[BaseModel]:
        """Return the model of an operation's arguments."""
        return _models(self.section)[verb.name]

    def takes(self, verb: Verb | None, field: str) -> bool:
        """Return whether an operation sets a field."""
        return verb is not None and field in self.arguments(verb).model_fields

    def templates(self, ctx: RenderContext) -> str:
        """Return its forms, as messages show them."""
        forms = self.section.forms_at(ctx.density)
        return " or ".join(dict.fromkeys(form.template(ctx).source for form in forms))


def editable(section: Any) -> Editable | None:
    """Return the forms and verbs of an editable section, or ``None`` for another one.

    >>> from hud_components import ActiveFiles, NotesSection
    >>> editable(NotesSection).fields, editable(ActiveFiles)
    (('content',), None)
    """
    return None if section.host_reported or section.read_only_reason else as_lines(section)


@lru_cache(maxsize=256)
def as_lines(section: Any) -> Editable | None:
    """Return the forms and verbs of a section, even if its text is not editable."""
    if not section.field:
        return None
    verbs = _verbs(section)
    of_values = section.kind is None
    if verbs.keys().isdisjoint(OF_A_VALUE if of_values else OF_ITEMS):
        return None
    if not of_values and not issubclass(section.value, PlainItem):
        return None  # an operation could not identify an item
    forms = dict.fromkeys(form for density in Density for form in section.forms_at(density))
    if of_values:
        dense = (*section.forms_at(Density.COMPACT), *section.forms_at(Density.MINIMAL))
        text, done, lines = next(iter(section.draft.model_fields)), None, (*dict.fromkeys(dense),)
    else:
        text, done, lines = section.kind.text, section.kind.done, section.lone_forms
    told = {name for form in (*forms, *lines) for name in (*form.fields, *form.fixed)}
    if not of_values and section.kind.end is not None:
        told.add(section.kind.end.field)  # after a completed item
    known = dict.fromkeys((text, *section.draft.model_fields, *section.value.model_fields))
    nouns = section.texts[f"{section.name}.noun"].split("|")
    return Editable(
        section,
        verbs,
        what=nouns[0],
        several=nouns[-1],
        text=text,
        fields=tuple(name for name in known if name in told and name != done),
        forms=(*forms,),
        lines=lines,
    )


def read_only_reason(section: type[HudSection]) -> str:
    """Return the reason why a section's text is not editable."""
    if section.read_only_reason:
        return section.read_only_reason
    return "hosts report it" if section.host_reported else "no operation changes it"


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
            # A section with its own function uses that.
            if isinstance(verb, kind) and verb.function is None:
                found.setdefault(kind, verb)
    if section.kind is not None and section.kind.end and len(section.kind.end.values) > 1:
        found.pop(Mark, None)  # a tick does not show which choice ends an item
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
    """A text that is not an edited HUD, or changes with unresolved problems."""


# The editable places of a HUD: its lists and its values, each with its content.


@dataclass(frozen=True)
class EditableSection:
    """An editable section in its place."""

    kind: Editable
    ctx: RenderContext
    """The context in which it shows its items."""

    section: Any = None
    """The section; None if the HUD could have it, but does not."""

    @property
    def title(self) -> str:
        """Its heading."""
        return format_text(self.ctx, f"{self.kind.name}.title")

    @property
    def heading(self) -> tuple[int, str]:
        """Its heading, including its depth."""
        return min(self.ctx.depth + 1, MAX_HEADING_DEPTH), self.title

    @cached_property
    def over(self) -> Over | None:
        """The text after a completed item, unless its form shows the completion."""
        section: Any = self.kind.section
        return None if self.kind.kind is None else section.over(self.ctx)

    @property
    def unlisted(self) -> int:
        """The number of items that the section counts without listing."""
        return getattr(self.section, "unlisted", 0)

    @property
    def size(self) -> int:
        """The number of items in the text; 1 for a value."""
        return len(self.shown)

    @cached_property
    def items(self) -> tuple[Any, ...]:
        """All items of the section: those that it can show in order, then the others; or its value."""
        return tuple(self._given[place] for place in self._order)

    @cached_property
    def listed(self) -> int:
        """The number of items that the section can show, given enough room."""
        return len(self._places(self.in_full))

    @cached_property
    def shown(self) -> list[int]:
        """The items in the text, in order, each as its number among all."""
        numbers = {place: number for number, place in enumerate(self._order)}
        return [numbers[place] for place in self._places(self.ctx)]

    def told(self, item: Any, ctx: RenderContext) -> Mapping[str, str]:
        """Return the texts in the line of an item, or of a value, by field; each in one line."""
        section, values = self.kind.section, item.__dict__
        forms = section.forms_at(ctx.density)
        form = next((each for each in forms if each.fits(values)), forms[-1])
        texts = zip(form.fields, form.texts_of(values, ctx.width), strict=True)
        said = {**form.fixed, **form.said(dict(texts))}
        return texts_of({name: said[name] for name in self.kind.fields if name in said})

    @cached_property
    def _given(self) -> Sequence[Any]:
        if self.section is None:
            return ()
        if self.kind.kind is None:
            value = self.section.given(self.ctx)
            return () if value is None else (value,)
        given = getattr(self.section, self.section.prop)
        return getattr(bound(self.ctx), self.section.field, ()) if given is None else given

    @cached_property
    def _order(self) -> list[int]:
        """The places of all items: of those that it can show in order, then of the others."""
        listed = self._places(self.in_full)
        return [*listed, *sorted({*range(len(self._given))}.difference(listed))]

    @property
    def in_full(self) -> RenderContext:
        """The context in which it shows its items in full."""
        return self.ctx.with_density(Density.FULL, None)

    def _places(self, ctx: RenderContext) -> Sequence[int]:
        """The places of the shown items among those given."""
        if self.kind.kind is None or not self._given:
            return range(len(self._given))
        # The place in its id identifies an item once the section is cut.
        items = tuple(
            item.model_copy(update={"id": f"{item.origin or ''}:{place}"})
            for place, item in enumerate(self._given)
        )
        shape = self.section.model_copy(update={self.section.prop: items}).shape(ctx)
        if shape.name not in _WITH_ITEMS:
            return ()
        return [int(item.id.rpartition(":")[2]) for item in shape.shown]


_WITH_ITEMS = ("list", "line", "lone", "table")
"""The shapes of a list that show whole items."""


def texts_of(values: Mapping[str, Any]) -> dict[str, str]:
    """Return values as in any format of a line, without unset ones."""
    return {name: as_text(value) for name, value in values.items() if is_set(value)}


def pieces_of(hud: Child, ctx: RenderContext) -> list[Piece]:
    """Return the pieces of a HUD."""
    return [piece for piece in Renderer(context=ctx).pieces(hud) if not piece.is_hidden]


def spots(
    pieces: Sequence[Piece], sections: Iterable[type[HudSection]], ctx: RenderContext
) -> list[EditableSection]:
    """Return the editable sections of a HUD, and then those that it could have.

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


# The result of an edit: operations, and undecided parts.


@dataclass(frozen=True, slots=True)
class Edit:
    """One operation of the tool ``hud`` in an edit.

    >>> print(Edit("notes.remove", {"id": "n-2"}, 7))
    notes.remove id='n-2'
    """

    operation: str
    """Its name, such as "notes.update"."""

    arguments: Mapping[str, object]
    """Its arguments. An item is identified by its id; without one, by its exact text."""

    line: int
    """Its line in the edited text, from 1."""

    def __str__(self) -> str:
        given = (f"{name}={value!r}" for name, value in self.arguments.items())
        return " ".join((self.operation, *given))


@dataclass(frozen=True, slots=True)
class EditProblem:
    """A part of an edited text that is not an operation, or could be several.

    >>> print(EditProblem("there is no `n-9`", 7, 1, "Notes", "id"))
    line 7, column 1: Notes, id: there is no `n-9`
    """

    message: str
    """The problem, and the remedy."""

    line: int
    """The line of the edited text, from 1; for a missing part, its former place."""

    column: int
    """The column in that line, from 1."""

    section: str
    """The title of the section, or the component's name for a line without a title."""

    field: str | None = None
    """The field of the item; None if it concerns more than one."""

    def __str__(self) -> str:
        place = self.section if self.field is None else f"{self.section}, {self.field}"
        return f"line {self.line}, column {self.column}: {place}: {self.message}"


@dataclass(frozen=True, slots=True)
class Changes:
    """The result of editing a HUD."""

    operations: tuple[Edit, ...] = ()
    """The operations, in order."""

    problems: tuple[EditProblem, ...] = ()
    """The problems, in text order. Do not apply any operation while there are some: it may result from an
    unreadable part.
    """

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
