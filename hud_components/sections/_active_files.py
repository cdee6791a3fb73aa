"""Which files are in use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, get_args

from hud_components._models import ActiveFile, FileStatus
from hud_components.declaring._form import Form
from hud_components.declaring._items_section import ItemsSection, Split
from hud_components.words._cut import lines
from ujsx import Density, Disclosure, RenderContext, Rung, Template


class ActiveFiles(ItemsSection):
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
    kind = prop = "files"
    field = "active_files"
    model = ActiveFile
    forms = tuple(
        Form(f"files.{status}", ("path",), {"status": status}) for status in get_args(FileStatus)
    )

    files: tuple[ActiveFile, ...] | None = None
    """The files; those of the session when None."""

    def split(self, items: Sequence[ActiveFile], limit: int | None) -> Split:
        """Return the files used last and the others, each in the order in which they came in."""
        if limit is None or len(items) <= limit:
            return items, (), 0
        places = range(len(items))
        by_use = sorted(places, key=lambda place: (items[place].last_accessed, place))
        hidden = set(by_use[: len(items) - limit])
        kept = [item for place, item in enumerate(items) if place not in hidden]
        return kept, [items[place] for place in sorted(hidden)], 0

    def rows(
        self, items: Sequence[ActiveFile], ctx: RenderContext, templates: Sequence[Template]
    ) -> Sequence[Any]:
        by_status = dict(zip(get_args(FileStatus), templates, strict=True))
        paths = lines([file.path for file in items])
        return [(by_status[file.status], path) for file, path in zip(items, paths, strict=True)]
