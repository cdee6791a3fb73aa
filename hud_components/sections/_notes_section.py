"""The notes section."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from hud_components._models import HudModel, Line, Milliseconds, PlainItem
from hud_components.declaring._form import Form, read_item
from hud_components.declaring._items_section import ItemsSection
from hud_components.declaring._section import UNSET, ItemsProp
from hud_components.declaring._state import ALL_IN_SHORT, NEWEST_IF_ROOM, Width, Worth
from hud_components.folding import timestamp, usual
from hud_components.sections import CodingValue
from hud_components.words._texts import are_lines, in_paragraphs, line, lines, may_be_cut, text_of
from ujsx import Child, Density, Disclosure, Examples, RenderContext, Rung, Template, mdast
from ujsx.elements import Item, Paragraph


class NoteDraft(HudModel):
    """Something worth keeping in mind."""

    content: Line
    """The note; it may have several lines."""


class Note(PlainItem, CodingValue, NoteDraft):
    """A kept note."""

    updated_at: Milliseconds = 0
    """When it was added or last changed."""


_UPDATED = {"updated_at": timestamp}


class NotesSection(ItemsSection[Note]):
    """The agent's notes, oldest first; a note of several lines keeps them where all is shown."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 0, worth=Worth.COUNTED),
            *NEWEST_IF_ROOM,
            Rung(Density.COMPACT, 1, worth=Worth.NEWEST),
            Rung(Density.COMPACT, 3, worth=Worth.NEWEST_FEW),
            *ALL_IN_SHORT,
            Rung(Density.FULL, 12, width=Width.LONG, worth=Worth.NEWEST_IN_FULL),
            Rung(Density.FULL, 12, worth=Worth.DONE_OR_OLD),
            Rung(Density.FULL, 20, worth=Worth.DONE_OR_OLD),
            *(
                Rung(Density.FULL, limit, only_if_room=True, worth=Worth.DONE_OR_OLD)
                for limit in (24, 32, 40, 64)
            ),
            Rung(Density.FULL, worth=Worth.DONE_OR_OLD),
        )
    )
    name = prop = field = "notes"
    event = "note"
    aliases = ("memory", "memo", "remember")
    draft = NoteDraft
    from_project = True
    accepts_child_results = True
    has_paragraphs = True
    title = "Notes"
    noun = "note|notes"
    forms = (Form("notes.item", ("content",), source="{content}"),)
    verbs = (
        usual(
            "add",
            help="what to keep in mind",
            doc="The agent keeps something in mind.",
            sets=_UPDATED,
        ),
        usual("update", help="a note's text", doc="A note reads anew.", rare=False, sets=_UPDATED),
        usual("remove", help="a note", doc="A note is no longer needed."),
    )

    examples: ClassVar[Examples] = lambda: {
        "four": NotesSection(
            notes=(
                "The schema has users and sessions",
                "JWT_SECRET and DB_URL come from the environment",
                "Tokens expire after 15 minutes\n\nRefresh tokens after 30 days",
                "The staging cluster runs PostgreSQL 16",
            )
        ),
    }

    notes: ItemsProp[Note] = UNSET
    """The notes; those of the session when None."""

    def rows(
        self, items: Sequence[Note], ctx: RenderContext, templates: Sequence[Template]
    ) -> Sequence[Any]:
        (template,) = templates
        contents = [note.content for note in items]
        told: Iterable[str] = contents
        if ctx.density is not Density.FULL:
            told = lines(contents, ctx.width)
        elif not are_lines(contents) or may_be_cut(contents, ctx.width):
            told = [
                (in_paragraphs if "\n" in content else line)(content, ctx.width)
                for content in contents
            ]
        return [(template, text) for text in told]

    def as_items(self, rows: Sequence[Any]) -> Iterable[Any]:
        return [_item(row) if "\n" in row[1] else row for row in rows]

    @classmethod
    def read(cls, item: mdast.ListItem, ctx: RenderContext) -> Mapping[str, Any] | None:
        head, *rest = item.children or (None,)
        values = read_item(cls.forms, ctx, getattr(head, "children", ()))
        parts = [text_of(part) for part in rest]
        if values is None or None in parts or item.checked is not None:
            return None
        return {**values, "content": _BETWEEN.join([values["content"], *map(str, parts)])}


_BETWEEN = "\n\n"


def _item(row: tuple[Any, ...]) -> Child:
    """Return a note of several lines, with each part as a paragraph."""
    template, content, *others = row
    first, *rest = content.split(_BETWEEN)
    return Item()[Paragraph()[template.fill(first, *others)], [Paragraph()[part] for part in rest]]
