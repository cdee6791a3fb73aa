"""What is worth keeping in mind."""

from __future__ import annotations

import re
from typing import ClassVar

from hud_components._cut import line
from hud_components._models import Note
from hud_components._section import HudSection, bound, listing, newest
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung
from ujsx._text import visible
from ujsx.elements import Item, Paragraph

_ITEM = Item()
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_LINE_EDGES = re.compile(r"[ \t]*\n[ \t]*")


class NotesSection(HudSection):
    """The agent's notes, oldest first; the newest when not all are shown."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 0),
            Rung(Density.COMPACT, 3),
            Rung(Density.FULL, 20),
            Rung(Density.FULL),
        ),
        floor=Density.MINIMAL,
    )

    notes: tuple[Note, ...] | None = None
    """The notes; those of the session when None."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        notes = bound(ctx).notes if self.notes is None else self.notes
        shown, hidden = newest(notes, ctx.limit)
        density = ctx.density
        return listing(ctx, "notes", [_item(note, density) for note in shown], hidden)


def _item(note: Note, density: Density) -> Child:
    if "\n" not in note.content or density is not Density.FULL:
        return _ITEM[line(note.content, density)]
    parts = _BLANK_LINES.split(visible(note.content).strip("\n"))
    return _ITEM[[Paragraph()[_LINE_EDGES.sub("\n", part.strip(" \t"))] for part in parts]]
