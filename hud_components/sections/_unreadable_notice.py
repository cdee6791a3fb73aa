"""A line about stored data that the domain of today cannot read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Self

from hud_components._models import ContextUsage, Line, Text, Unreadable
from hud_components.declaring._omission import mark_text
from hud_components.declaring._section import HudSection, bound
from hud_components.declaring._state import State
from hud_components.declaring._worth import MISSING
from hud_components.words._parse_text import parse_text
from hud_components.words._plurals import form
from hud_components.words._texts import format_text, handle_of
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung, mdast
from ujsx.elements import Brief, Omitted, Paragraph

KINDS = 6
"""Kinds that are named; the others are entries."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""The names that a notice repeats of sections that the domain does not have: whatever else a log may hold, it
does not."""


class UnreadableCount(NamedTuple):
    """A number of items, values or events of one kind that cannot be read."""

    number: int

    noun: str
    """The noun in its forms: "note|notes"."""

    noun_of: str = ""
    """The section whose noun it is, where it has one."""

    is_changed: bool = False
    """Whether the state has them, and only changes of them cannot be read."""


class UnreadableNotice(HudSection):
    """Counts of what is stored and cannot be read by the domain of today, with the call that shows it.

    Every layout of a HUD has it where the state lacks something, and never twice.

    >>> from ujsx import render
    >>> from hud_components import HudState, Unreadable
    >>> state = HudState(unreadable=(Unreadable(section="notes", item="n-2", version=2),))
    >>> print(render(UnreadableNotice.of_state(state)), end="")
    *1 note cannot be read: `hud history`*
    """

    texts = MappingProxyType(
        {
            "unreadable": "{what} cannot be read",
            "unreadable.brief": "{what} unreadable",
            "unreadable.changes": "changes to {what}",
            "unreadable.separator": ", ",
            "unreadable.noun": "entry|entries",
            "unreadable.handle": "hud history",
        }
    )
    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.COMPACT, worth=MISSING)),
        floor=Density.MINIMAL,
    )

    counts: tuple[UnreadableCount, ...] = ()
    """What cannot be read; that of the bound state where neither this nor ``what`` is given."""

    ids: tuple[Text, ...] = ()
    """The ids of the items, for the account of a rendering."""

    what: Line | None = None
    """The counts in words, where nothing else is known of them."""

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        return cls._about(state, state.unreadable)

    @classmethod
    def of_section(cls, section: type[HudSection], state: State) -> Self | None:
        """Return the notice of what a state lacks of one section; None where it lacks nothing."""
        return cls._about(state, [one for one in state.unreadable if one.section == section.field])

    @classmethod
    def _about(cls, state: State, found: Sequence[Unreadable]) -> Self | None:
        ids = tuple(each.item for each in found if each.item)
        return cls(counts=_counted(state, found), ids=ids) if found else None

    def render(self, ctx: RenderContext, children: Children) -> Child:
        told, ctx = self._told(ctx), self.with_texts(ctx)
        if told is None:
            return None
        is_brief = ctx.density is Density.MINIMAL
        name = "unreadable.brief" if is_brief else "unreadable"
        mark = Omitted(
            count=sum(each.number for each in told.counts) or 1,
            handle=handle_of(ctx, "unreadable"),
            text=format_text(ctx, name, what=told.what),
            brief=is_brief,
            ids=told.ids,
        )
        return (Brief() if is_brief else Paragraph())[mark]

    def _told(self, ctx: RenderContext) -> Self | None:
        """The notice with its counts in words."""
        if self.what is not None:
            return self
        shown = self if self.counts else type(self).of_state(bound(ctx))
        if shown is None:
            return None
        ctx, counts = self.with_texts(ctx), shown.counts
        if ctx.density is Density.MINIMAL:
            return shown.model_copy(update={"what": str(sum(each.number for each in counts))})
        if len(counts) > KINDS:
            rest = sum(each.number for each in counts[KINDS:])
            entries = UnreadableCount(rest, _ENTRY, "unreadable")
            counts = (*counts[:KINDS], entries)
        what = format_text(ctx, "unreadable.separator").join(_words(each, ctx) for each in counts)
        return shown.model_copy(update={"what": what})

    def as_shown_in(self, ctx: RenderContext) -> Self | None:
        told = self._told(ctx)
        return None if told is None else type(self)(what=told.what)

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        ctx = cls.with_texts(ctx)
        block = blocks[0]
        if type(block) is not mdast.Paragraph or len(block.children) != 1:
            return None
        for name, is_brief in (("unreadable", False), ("unreadable.brief", True)):
            said = mark_text(block.children[0], "unreadable", ctx, brief=is_brief)
            told = None if said is None else parse_text(ctx, name, said)
            if told is not None:
                return cls(what=told["what"]), 1
        return None


_ENTRY = UnreadableNotice.texts["unreadable.noun"]


def _words(one: UnreadableCount, ctx: RenderContext) -> str:
    noun = ctx.texts.get(f"{one.noun_of}.noun", one.noun)
    noun = form(noun, one.number, format_text(ctx, "plurals"))
    said = format_text(ctx, "count", count=one.number, noun=noun)
    return format_text(ctx, "unreadable.changes", what=said) if one.is_changed else said


def _counted(state: State, found: Iterable[Unreadable]) -> tuple[UnreadableCount, ...]:
    """What cannot be read by kind, in the order of the first of each."""
    sections = {section.field: section for section in state.sections if section.field}
    known: dict[str, set[str]] = {}
    counts: Counter[tuple[str, str, bool]] = Counter()
    for each in found:
        section = sections.get(each.section)
        if section is None or not _is_one(section, each.item):
            name = each.section if section is None else section.name
            noun = f"entry of {name}|entries of {name}" if _NAME.fullmatch(name) else _ENTRY
            counts[noun, "", False] += 1
            continue
        if each.section not in known:
            known[each.section] = _names(state, section)
        noun = section.texts.get(f"{section.name}.noun", section.name.replace("_", " "))
        counts[noun, section.name, each.item in known[each.section]] += 1
    return tuple(
        UnreadableCount(count, noun, name, is_changed)
        for (noun, name, is_changed), count in counts.items()
    )


def _is_one(section: type[HudSection], item: str) -> bool:
    """Whether an event was about an item of a section, or about its value."""
    return bool(item) if section.kind is not None else item == section.name


def _names(state: State, section: type[HudSection]) -> set[str]:
    """What names the items, or the value, that a state has of a section."""
    value = getattr(state, section.field)
    if section.kind is None:
        return set() if value is None else {section.name}
    return {getattr(item, section.kind.key) for item in value}
