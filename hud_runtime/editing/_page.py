"""A parsed text of a HUD: rows, and all other blocks."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import product, zip_longest
from typing import Any

from hud_components import Form, Hud, HudSection, ItemsSection, State, UnreadableNotice
from hud_components.declaring import (
    ANYTHING,
    AROUND,
    AROUND_A_VALUE,
    ItemLine,
    begins_with_words,
    parts_of_line,
    read_line,
    read_mark,
    without_mark,
)
from hud_components.folding import Mark
from hud_components.words import format_text, line, only_child, text_of
from hud_runtime.editing._editable import (
    Editable,
    EditableSection,
    EditProblem,
    editable,
    read_only_reason,
    texts_of,
)
from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Element,
    Node,
    RenderContext,
    mdast,
)
from ujsx.elements import Section
from ujsx.errors import did_you_mean, nearest, shown
from ujsx.mdast.util import as_typed, to_string

# Items and values parsed from an edited text, one at a time, by the forms that write them.
#
# A form reads plain text. People also type code spans and addresses, which are taken literally, as
# an item's text is plain. Any other markup makes an item unreadable.

BETWEEN = "\n\n"
"""The separator of paragraphs in an item with several."""


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """A place in a text; both count from 1."""

    line: int
    column: int

    @classmethod
    def of(cls, block: Any) -> SourcePlace:
        """Return the start of a parsed block."""
        if block.position is None:
            return cls(1, 1)
        return cls(block.position.start.line, block.position.start.column)

    def problem(self, message: str, section: str, field: str | None = None) -> EditProblem:
        """Return a problem of a section, or of one of its fields, at this place."""
        return EditProblem(message, self.line, self.column, section, field)


@dataclass(frozen=True, slots=True)
class Row:
    """An item, or a value, in a text."""

    values: Mapping[str, str]
    """Its fields; fields that the text lacks are missing."""

    fixed: Mapping[str, Any]
    """The fields that its form determines."""

    is_done: bool
    """True if it is struck through, ticked, or written in the form of completed items."""

    id: str | None
    """The id before it."""

    origin: str | None
    """The words after it with its author, or the origin of an inherited item."""

    place: SourcePlace

    form: Form
    """The form that reads it."""

    @property
    def text(self) -> str:
        """All its texts, for comparisons."""
        return " — ".join(self.values.values())

    @property
    def said(self) -> Mapping[str, Any]:
        """The texts of the row and its form, by field."""
        return {**self.fixed, **self.form.said(self.values)}

    @property
    def told(self) -> Mapping[str, str]:
        """The same as texts, in any format of a line, without empty fields."""
        return texts_of(self.said)


def row_of_item(item: mdast.ListItem, spot: EditableSection) -> Row | None:
    """Return the row of a list's item, or ``None`` if no form reads it."""
    kind = spot.kind
    head, *rest = item.children or (None,)
    has_paragraphs = kind.section.has_paragraphs
    if kind.kind is None or type(head) is not mdast.Paragraph or (rest and not has_paragraphs):
        return None
    if item.checked is not None and kind.verb(Mark) is None:
        return None
    parts = [_as_text(part) for part in rest]
    row = _row(head.children, _of_items(spot), spot, item, in_lines=has_paragraphs)
    if row is None or None in parts or (parts and not row.values):
        return None
    values = dict(row.values)
    if parts:
        field = [*values][-1]
        values[field] = BETWEEN.join([values[field], *map(str, parts)])
    return replace(row, values=values, is_done=row.is_done or item.checked is True)


def rows_of_line(
    paragraph: mdast.Paragraph, spot: EditableSection
) -> tuple[list[Row | None], Any] | None:
    """Return the items, or the value, in a paragraph of a dense HUD, and its omission mark.

    An unreadable item among several is ``None``; so is the result for another paragraph.
    """
    kind, ctx, section = spot.kind, spot.ctx, spot.kind.section
    if ctx.density is Density.COMPACT and issubclass(section, ItemsSection):
        found = parts_of_line(section, paragraph, ctx)
        if found is not None:
            groups = _of_items(spot)
            return [_row(part, groups, spot, paragraph) for part in found[0]], found[1]
    forms = kind.lines
    if ctx.density is Density.FULL:  # there a line without an identifying word could be anything
        forms = tuple(form for form in forms if begins_with_words(form.line_in(ctx)))
    nodes: Sequence[Any] = paragraph.children
    mark: Any = nodes[-1] if kind.kind is not None and nodes else None
    if mark and read_mark(mark, kind.name, ctx, "more", "line.more", brief=True) is None:
        mark = None
    nodes = nodes if mark is None else without_mark(nodes)
    row = _row(nodes, (forms, _lenient(forms, kind)), spot, paragraph)
    return None if row is None else ([row], mark)


def row_of_value(paragraph: mdast.Paragraph, spot: EditableSection) -> Row | None:
    """Return the row of a value's paragraph, under its heading."""
    forms = spot.kind.section.forms_at(Density.FULL)
    keeps_lines = bool(getattr(spot.kind.section, "keeps_lines", False))
    groups = forms, _lenient(forms, spot.kind)
    return _row(paragraph.children, groups, spot, paragraph, in_lines=keeps_lines)


def plain(nodes: Sequence[Any]) -> tuple[Any, ...]:
    """Return a line with its code spans and bare addresses as the typed characters."""
    made: list[Any] = []
    for node in nodes:
        text = _typed(node)
        if text is None and type(node) in _MARKED:
            made.append(type(node)(plain(node.children)))
        elif text is None:
            made.append(node)
        elif made and type(made[-1]) is mdast.Text:
            made[-1] = mdast.Text(made[-1].value + text)
        else:
            made.append(mdast.Text(text))
    return tuple(made)


_MARKED = frozenset({mdast.Strong, mdast.Emphasis, mdast.Delete})


def _typed(node: Any) -> str | None:
    if type(node) is mdast.InlineCode:
        return mdast.to_markdown(mdast.Paragraph((node,))).rstrip("\n")
    return as_typed(node)


def _as_text(block: Any) -> str | None:
    if type(block) is not mdast.Paragraph:
        return None
    return text_of(mdast.Paragraph(plain(block.children)))


def _row(
    nodes: Sequence[Any],
    groups: Iterable[Sequence[Form]],
    spot: EditableSection,
    block: Any,
    *,
    in_lines: bool = False,
) -> Row | None:
    """Return the row of a line in a block, by the first group of forms with one that reads it."""
    kind, ctx, over = spot.kind, spot.ctx, spot.over
    around = AROUND if kind.kind is not None else AROUND_A_VALUE
    attempts = (nodes, (*nodes[:1], *plain(nodes[1:])), plain(nodes))
    for forms, attempt in product(groups, attempts):
        read, is_struck = read_line(forms, ctx, attempt, around, over), False
        if read is None and kind.verb(Mark) is not None:
            unmarked = [form for form in forms if _MARKS.isdisjoint(form.line_in(ctx))]
            read, is_struck = read_line(unmarked, ctx, attempt, _STRUCK, over), True
        if read is not None:
            texts = read.texts if in_lines else {n: line(text) for n, text in read.texts.items()}
            row = _row_of(read._replace(texts=texts), spot, SourcePlace.of(block))
            return replace(row, is_done=row.is_done or is_struck) if read.is_clear else None
    return None


_MARKS = frozenset("*~`")

_STRUCK = tuple((f"{before}~~", f"~~{behind}") for before, behind in AROUND)
"""The prefixes and suffixes of a line that is struck through."""


def _row_of(read: ItemLine, spot: EditableSection, place: SourcePlace) -> Row:
    """Return the row of a line; that it is over is not among its fields, nor in its origin."""
    done, over, origin, fixed = spot.kind.done or "", spot.over, read.whence, dict(read.form.fixed)
    if over is not None and origin is not None and over.field in read.known:
        ended = fixed[over.field] = read.known[over.field]
        origin = origin.removesuffix(over.words[ended]).removesuffix(", ") or None
    is_done = bool(read.said.get(done) or read.known.get(done))
    fixed.pop(done, None)
    values = {name: text for name, text in read.texts.items() if name != done}
    return Row(values, fixed, is_done, read.id, origin, place, read.form)


def _of_items(spot: EditableSection) -> tuple[Sequence[Form], ...]:
    """The forms of an item: those of the density, also for values of the wrong type, then the others."""
    forms = spot.kind.section.forms_at(spot.ctx.density)
    others = [form for form in spot.kind.forms if form not in forms]
    return forms, _lenient(forms, spot.kind), others


def _lenient(forms: Sequence[Form], kind: Editable) -> list[Form]:
    """The forms with patterns, which now read values of the wrong type as well."""
    return [
        replace(
            form,
            patterns=tuple(
                (name, pattern if name == kind.done else ANYTHING)
                for name, pattern in form.patterns
            ),
        )
        for form in forms
        if form.patterns
    ]


@dataclass(frozen=True, slots=True)
class FixedPart:
    """A block that is not an item: a heading, a mark, a host's report, or foreign text."""

    text: str
    """The block as Markdown."""

    block: Any
    """The parsed block; an item of a list as a list of one."""

    section: str
    """The heading above it."""

    @property
    def place(self) -> SourcePlace:
        return SourcePlace.of(self.block)


@dataclass(slots=True)
class FoundSection:
    """The part of a text that belongs to one section."""

    spot: EditableSection
    place: SourcePlace | None = None
    """Its start; None if the text lacks it."""

    rows: list[Row] = field(default_factory=list[Row])
    unreadable: list[FixedPart] = field(default_factory=list[FixedPart])
    """The blocks in place of items that no form reads."""

    def take(self, row: Row | None) -> bool:
        """Add an item, if there is one."""
        if row is not None:
            self.place = self.place or row.place
            self.rows.append(row)
        return row is not None

    @property
    def is_whole(self) -> bool:
        """True if the text has all that the section shows, in its lines."""
        spot = self.spot
        if spot.kind.kind is None and spot.size and len(self.rows) == 1:
            told = {name: line(text) for name, text in self.rows[0].told.items()}
            return told == spot.told(spot.items[0], spot.ctx)
        return len(self.rows) == spot.size

    @property
    def wants_value(self) -> bool:
        """True if it has one value, and the text has none so far."""
        return self.spot.kind.kind is None and not self.rows


class EditedPage:
    """A parsed text.

    :param spots: the sections that can be edited.
    :param known: the blocks that are no items; None if there may be any.
    """

    def __init__(
        self, text: str, spots: Sequence[EditableSection], known: Container[str] | None
    ) -> None:
        self.found = [FoundSection(spot) for spot in spots]
        self.rest: list[FixedPart] = []
        self.order: list[int] = []
        """The numbers of the sections, in the order of their headings."""
        self.end = SourcePlace(max(text.rstrip("\n").count("\n") + 1, 1), 1)
        self._known = known
        self._above = ""
        self._inside: FoundSection | None = None
        for block in mdast.from_markdown(text).children:
            self._take(block)

    def _take(self, block: Any) -> None:
        inside = self._inside
        if type(block) is mdast.Heading:
            self._open(block)
        elif type(block) is mdast.List:
            for item in block.children:
                if inside is None or not inside.take(row_of_item(item, inside.spot)):
                    alone = mdast.List(
                        ordered=block.ordered, children=(item,), position=item.position
                    )
                    self._keep(alone, inside)
        elif type(block) is mdast.Paragraph and self._take_line(block):
            self._inside = None
        else:
            is_known = self._keep(block, inside if inside and inside.wants_value else None)
            # A section's items end at the HUD's next block, and later ones are not its own.
            if inside is not None and is_known and not _is_mark(block, inside.spot):
                self._inside = None

    def _open(self, heading: mdast.Heading) -> None:
        title = to_string(heading)
        self._above = title
        same = [
            n for n, each in enumerate(self.found) if each.spot.heading == (heading.depth, title)
        ]
        if len(same) > 1:  # an empty section has no heading
            same = [n for n in same if self.found[n].spot.size] or same
        # Sections with the same title are in the HUD's order.
        number = next((n for n in same if n not in self.order), same[-1] if same else None)
        if number is None:
            self._inside = None
            self._keep(heading)
            return
        self.order.append(number)
        self._inside = found = self.found[number]
        found.place = found.place or SourcePlace.of(heading)

    def _take_line(self, paragraph: mdast.Paragraph) -> bool:
        inside = self._inside
        row = None
        if inside is not None and inside.wants_value:
            row = row_of_value(paragraph, inside.spot)
        if inside is not None and inside.take(row):
            return True
        is_known = self._known is not None and _markdown(paragraph) in self._known
        return not is_known and any(
            self._take_dense(paragraph, each) for each in self.found if self._has_room(each)
        )

    def _has_room(self, found: FoundSection) -> bool:
        """Return whether a line may belong to this section: of several similar ones, each has one."""
        alike = [each for each in self.found if each.spot.kind is found.spot.kind]
        return found is alike[-1] or (found.spot.size > 0 and not found.rows)

    def _take_dense(self, paragraph: mdast.Paragraph, found: FoundSection) -> bool:
        """Add a paragraph in a section's dense form."""
        read = rows_of_line(paragraph, found.spot)
        if read is None:
            return False
        rows, mark = read
        found.place = found.place or SourcePlace.of(paragraph)
        if mark is not None:
            self._keep(mdast.Paragraph((mark,), position=paragraph.position))
        if None in rows:
            self._keep(paragraph, found)
        else:
            found.rows += filter(None, rows)
        return True

    def _keep(self, block: Any, inside: FoundSection | None = None) -> bool:
        """Store a block that is not an item; return whether the HUD has it.

        :param inside: the section in whose place it is.
        """
        text = _markdown(block)
        is_known = self._known is None or text in self._known
        parts = self.rest if inside is None or is_known else inside.unreadable
        parts.append(FixedPart(text, block, self._above))
        return is_known


def _markdown(block: Any) -> str:
    return mdast.to_markdown(mdast.Root((block,)))


def _is_mark(block: Any, spot: EditableSection) -> bool:
    """Return whether a paragraph is a section's omission mark."""
    name, own = spot.kind.name, f"{spot.kind.name}.more"
    names = ("more", own) if own in spot.ctx.texts else ("more",)
    return (
        spot.kind.kind is not None
        and read_mark(only_child(block), name, spot.ctx, *names) is not None
    )


# The fixed parts of an edited HUD, which must stay: hosts' reports, marks, and the layout's own
# text.

AS_A_LIST = (
    "text in this form cannot be edited here; edit the text of for_editing(state), or with `ujsx edit`,"
    " where it is a list"
)
"""The reason why a section in another form than its lines is not editable, and the remedy."""


class RestEdit:
    """Compares the parts that are not editable, before and after.

    :param sections: all sections that the HUD could have.
    """

    def __init__(
        self,
        before: EditedPage,
        after: EditedPage,
        sections: Sequence[type[HudSection]],
        ctx: RenderContext,
    ) -> None:
        self._sections = sections
        self._before, self._after = before, after
        self._ctx = ctx.deeper()
        self._titles = [found.spot.title for found in after.found]
        self.foreign: set[str] = set()
        """The headings above new parts, which may be the missing ones."""
        self._unknown: set[str] = set()

    def problems(self) -> Iterator[EditProblem]:
        """Yield a problem for each block that was changed, removed or added."""
        old, new = self._before.rest, self._after.rest
        keys = ([each.text for each in old], [each.text for each in new])
        for kind, a, b, c, d in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
            if kind == "equal":
                continue
            end = new[d].place if d < len(new) else self._after.end
            for was, now in zip_longest(old[a:b], new[c:d]):
                if now is None:
                    yield self._problem(was, end, "is gone; put it back")
                elif was is None or type(now.block) is not type(was.block):
                    yield from self._added(now)
                else:
                    yield self._problem(was, now.place, "was changed; put it back as it was")

    def _problem(self, was: FixedPart, place: SourcePlace, what: str) -> EditProblem:
        owner = self._owner(was)
        name = owner.__name__ if owner is not None else was.section or "HUD"
        is_other_form = owner is not None and editable(owner) is not None
        why = AS_A_LIST if is_other_form else read_only_reason(owner or HudSection)
        return place.problem(f"{shown(was.text.strip())} {what}: {why}", name)

    def _owner(self, was: FixedPart) -> type[HudSection] | None:
        """Return the component that shows a block, if any."""
        title = mdast.Heading(2, (mdast.Text(was.section),))
        for section in self._sections:
            if section.parse([was.block], self._ctx):
                return section
            # A list under the heading of an editable section is the layout's own.
            is_its = editable(section) is None or type(was.block) is not mdast.List
            if is_its and section.parse([title, was.block], self._ctx):
                return section
        unread = (section for section in self._sections if not section.reads_back)
        titles = {
            format_text(each.with_texts(self._ctx), f"{each.name}.title"): each for each in unread
        }
        return titles.get(was.section)

    def _added(self, now: FixedPart) -> Iterator[EditProblem]:
        self.foreign.add(now.section)
        if type(now.block) is mdast.Heading:
            self._unknown.add(now.section)
            hint = did_you_mean(now.section, self._titles)
            what = f'there is no section "{now.section}"; {hint}, or remove it and what is under it'
            yield now.place.problem(what, now.section)
        elif now.section not in self._unknown:
            what = "is not part of this HUD; remove it, or make it an item of a list that can be edited"
            near = nearest(now.section, self._titles) or now.section
            yield now.place.problem(f"{shown(now.text.strip())} {what}", near)


# The HUD as opened in an editor: everything recorded, each item with its id.


class OpenedHud(Hud):
    """A HUD that knows which sections it could have."""

    sections: tuple[type[HudSection], ...] = ()
    """Those of the state's domain."""


def for_editing(state: State) -> Element[Hud]:
    """Return a HUD of a whole state, for editing as text.

    Nothing is shortened or omitted, items show their ids, and an editable section has its heading even if it
    is empty. Hosts' reports at each turn, such as the context's use, are not in it.

    >>> from hud_components import HudState, Note
    >>> from ujsx import render
    >>> text = render(for_editing(HudState(notes=(Note(id="n-2", content="Port 8080"),))))
    >>> print(text.partition("## Notes")[2].partition("##")[0].strip())
    - `n-2` Port 8080
    """
    notice = UnreadableNotice.of_state(state)
    shown = (*_sections(state), *([] if notice is None else [notice]))
    return Element(OpenedHud(sections=state.sections), shown)


class EmptySection(Component):
    """The heading of a section that has nothing in it, for a first item to be written under."""

    section: type[HudSection]
    """The section."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        title = f"{self.section.name}.title"
        return Section(title=format_text(self.section.with_texts(ctx), title))


def _sections(state: State) -> Iterator[Node]:
    for section in state.sections:
        kind = editable(section)
        if kind is None and not (section.field or section.read_only_reason):
            continue  # it shows other sections' items, or hosts' reports
        made = section.of_state(state)
        if kind is not None and not _shows(made):
            yield EmptySection(section=section)
        elif made is not None:
            shown = {"limit": sys.maxsize}
            if kind is not None and kind.kind is not None:
                shown["show_ids"] = True
            yield made.model_copy(update=shown)


def _shows(section: Any) -> bool:
    """Return whether a section shows anything, given enough room."""
    return section is not None and (section.kind is None or bool(section.listed(_EVERYTHING)))


_EVERYTHING = RenderContext()
