"""A line about stored data that the domain of today cannot read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Self

from hud_components._models import ContextUsage, Line
from hud_components.declaring._form import mark_text
from hud_components.declaring._section import HudSection, bound
from hud_components.declaring._state import MISSING, State
from hud_components.folding import with_sections
from hud_components.words._texts import form, format_text, handle_of, parse_text
from ujsx import Child, Children, Density, Disclosure, Examples, RenderContext, Rung, mdast
from ujsx.elements import Brief, Omitted, Paragraph

KINDS = 6
"""Kinds of entries that are named; the others are counted together."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""The names of sections that are repeated where the domain has no such section: they come from a log."""


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
            "unreadable.noun": "entry|entries",
            "unreadable.noun_of": "entry of {section}|entries of {section}",
            "unreadable.separator": ", ",
            "unreadable.handle": "hud history",
        }
    )
    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.COMPACT, worth=MISSING)),
        floor=Density.MINIMAL,
    )

    examples: ClassVar[Examples] = lambda: {
        "two notes": UnreadableNotice(what="2 notes"),
    }

    state: State | None = None
    """The state that lacks something; the bound one when None."""

    what: Line | None = None
    """What it lacks, in words, where that is all that is known."""

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        return cls.model_construct(state=state) if state.unreadable else None

    @classmethod
    def of_section(cls, section: type[HudSection], state: State) -> Self | None:
        """Return the notice of what a state lacks of one section; None where it lacks nothing."""
        found = tuple(one for one in state.unreadable if one.section == section.field)
        return cls.of_state(with_sections(state, unreadable=found))

    def render(self, ctx: RenderContext, children: Children) -> Child:
        shown, ctx = self.as_shown_in(ctx), self.with_texts(ctx)
        if shown is None:
            return None
        lacking = self._state(ctx).unreadable
        is_brief = ctx.density is Density.MINIMAL
        mark = Omitted(
            count=len(lacking) or 1,
            handle=handle_of(ctx, "unreadable"),
            text=format_text(ctx, f"unreadable{'.brief' if is_brief else ''}", what=shown.what),
            brief=is_brief,
            ids=tuple(each.item for each in lacking if each.item),
        )
        return (Brief() if is_brief else Paragraph())[mark]

    def _state(self, ctx: RenderContext) -> State:
        found: State = bound(ctx) if self.state is None else self.state
        return found

    def as_shown_in(self, ctx: RenderContext) -> Self | None:
        if self.what is not None:
            return self
        state, ctx = self._state(ctx), self.with_texts(ctx)
        if not state.unreadable:
            return None
        if ctx.density is Density.MINIMAL:
            return type(self)(what=str(len(state.unreadable)))
        return type(self)(what=format_text(ctx, "unreadable.separator").join(_kinds(state, ctx)))

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        ctx = cls.with_texts(ctx)
        if type(blocks[0]) is not mdast.Paragraph or len(blocks[0].children) != 1:
            return None
        for name, is_brief in (("unreadable", False), ("unreadable.brief", True)):
            said = mark_text(blocks[0].children[0], "unreadable", ctx, brief=is_brief)
            told = None if said is None else parse_text(ctx, name, said)
            if told is not None:
                return cls(what=told["what"]), 1
        return None


def _kinds(state: State, ctx: RenderContext) -> Iterator[str]:
    """What a state lacks, by kind, in the order of the first of each."""
    counts = [*Counter(_nouns(state, ctx)).items()]
    others = sum(count for _, count in counts[KINDS:])
    rest = [((format_text(ctx, "unreadable.noun"), False), others)] if others else []
    for (noun, is_changed), count in (*counts[:KINDS], *rest):
        noun_form = form(noun, count, format_text(ctx, "plurals"))
        said = format_text(ctx, "count", count=count, noun=noun_form)
        yield format_text(ctx, "unreadable.changes", what=said) if is_changed else said


def _nouns(state: State, ctx: RenderContext) -> Iterator[tuple[str, bool]]:
    """The noun of each thing that a state lacks, and whether it only lacks changes of that."""
    sections = {section.field: section for section in state.sections if section.field}
    known: dict[str, set[str]] = {}
    for each in state.unreadable:
        section = sections.get(each.section)
        name = each.section if section is None else section.name
        if section is not None and (each.item if section.kind else each.item == name):
            if each.section not in known:
                known[each.section] = _names(section, getattr(state, each.section))
            usual = section.texts.get(f"{name}.noun", name.replace("_", " "))
            yield ctx.texts.get(f"{name}.noun", usual), each.item in known[each.section]
        elif _NAME.fullmatch(name):
            yield format_text(ctx, "unreadable.noun_of", section=name), False
        else:
            yield format_text(ctx, "unreadable.noun"), False


def _names(section: type[HudSection], value: Any) -> set[str]:
    """What names the items, or the value, that a state has of a section."""
    if section.kind is None:
        return set() if value is None else {section.name}
    return {getattr(item, section.kind.key) for item in value}
