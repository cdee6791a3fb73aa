"""Which files are in use."""

from __future__ import annotations

from typing import ClassVar, get_args

from hud_components._cut import line
from hud_components._models import ActiveFile, FileStatus
from hud_components._section import HudSection, bound, listing
from hud_components._texts import say
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung
from ujsx.elements import Item, code

_ITEM = Item()


class ActiveFiles(HudSection):
    """The files the agent uses; those used last when not all are shown."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 0),
            Rung(Density.COMPACT, 3),
            Rung(Density.COMPACT, 5),
            Rung(Density.FULL, 15),
            Rung(Density.FULL),
        ),
        floor=Density.MINIMAL,
    )

    files: tuple[ActiveFile, ...] | None = None
    """The files; those of the session when None."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        files = bound(ctx).active_files if self.files is None else self.files
        shown, hidden = _last_used(files, ctx.limit)
        status = {name: f" ({say(ctx, f'files.{name}')})" for name in get_args(FileStatus)}
        items = [_ITEM[code(line(file.path)), status[file.status]] for file in shown]
        return listing(ctx, "files", items, hidden)


def _last_used(
    files: tuple[ActiveFile, ...], limit: int | None
) -> tuple[list[ActiveFile], list[ActiveFile]]:
    """The files used last and the others, each in the order in which they came into use."""
    if limit is None or len(files) <= limit:
        return list(files), []
    places = range(len(files))
    by_use = sorted(places, key=lambda place: (files[place].last_accessed, place), reverse=True)
    kept = set(by_use[:limit])
    return [files[p] for p in places if p in kept], [files[p] for p in places if p not in kept]
