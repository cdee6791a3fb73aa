"""The fixed parts of an edited HUD, which must stay: reports of hosts, marks, and the layout's own text."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from difflib import SequenceMatcher

from hud_components import HudSection
from hud_components.words import format_text
from hud_runtime.editing._editable import editable, why_fixed
from hud_runtime.editing._page import FixedPart, Page
from hud_runtime.editing._result import Problem
from hud_runtime.editing._rows import SourcePlace
from ujsx import RenderContext, mdast
from ujsx.errors import did_you_mean, nearest, shown

AS_A_LIST = (
    "what is shown so cannot be edited here; edit the text of for_editing(state), or with `ujsx edit`,"
    " where it is a list"
)
"""Why a section that draws itself cannot be edited, and what to do instead."""


class RestEdit:
    """Compares what cannot be edited, before and after.

    :param sections: all sections that the HUD could have.
    :param drawn: those that are shown otherwise than as their lines, such as in a table.
    """

    def __init__(
        self,
        before: Page,
        after: Page,
        sections: Sequence[type[HudSection]],
        ctx: RenderContext,
        drawn: Container[type[HudSection]] = (),
    ) -> None:
        self._drawn = drawn
        self._sections = sections
        self._before = before.rest
        self._after = after.rest
        self._ctx = ctx.deeper()
        self._end = after.end
        self._titles = [found.spot.title for found in after.found]
        self.foreign: set[str] = set()
        """The headings above what is new: it may be what is missing there."""
        self._unknown: set[str] = set()

    def problems(self) -> Iterator[Problem]:
        """Yield a problem for each block that was changed, removed or added."""
        keys = ([each.text for each in self._before], [each.text for each in self._after])
        for kind, a, b, c, d in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
            if kind == "equal":
                continue
            old, new = self._before[a:b], self._after[c:d]
            paired = min(len(old), len(new))
            for was, now in zip(old, new, strict=False):
                yield self._changed(was, now)
            for now in new[paired:]:
                if now.section not in self._unknown or type(now.block) is mdast.Heading:
                    yield self._added(now)
            place = self._after[d].place if d < len(self._after) else self._end
            for was in old[paired:]:
                yield self._problem(was, place, "is gone; put it back")

    def _changed(self, was: FixedPart, now: FixedPart) -> Problem:
        if type(now.block) is not type(was.block):
            return self._added(now)
        return self._problem(was, now.place, "was changed; put it back as it was")

    def _problem(self, was: FixedPart, place: SourcePlace, what: str) -> Problem:
        owner = self._owner(was)
        name = owner.__name__ if owner is not None else was.section or "HUD"
        is_drawn = owner is not None and owner in self._drawn
        why = AS_A_LIST if is_drawn else why_fixed(owner or HudSection)
        return Problem(f"{shown(was.text.strip())} {what}: {why}", place.line, place.column, name)

    def _owner(self, was: FixedPart) -> type[HudSection] | None:
        """The component that shows a block, if one does."""
        title = mdast.Heading(2, (mdast.Text(was.section),))
        for section in self._sections:
            if section.parse([was.block], self._ctx):
                return section
            is_fixed = editable(section) is None or section in self._drawn
            if is_fixed and section.parse([title, was.block], self._ctx):
                return section
        unread = (section for section in self._sections if not section.reads_back)
        titles = {
            format_text(each.with_texts(self._ctx), f"{each.name}.title"): each for each in unread
        }
        return titles.get(was.section)

    def _added(self, now: FixedPart) -> Problem:
        self.foreign.add(now.section)
        if type(now.block) is mdast.Heading:
            self._unknown.add(now.section)
            hint = did_you_mean(now.section, self._titles)
            what = f'there is no section "{now.section}"; {hint}, or remove it and what is under it'
            return Problem(what, now.place.line, now.place.column, now.section)
        what = "is no part of this HUD; remove it, or make it an item of a list that can be edited"
        near = nearest(now.section, self._titles)
        return Problem(
            f"{shown(now.text.strip())} {what}",
            now.place.line,
            now.place.column,
            now.section if near is None else near,
        )
