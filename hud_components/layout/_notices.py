"""Lines beside the sections: the status line, and notices of a nearly full context and of unreadable data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Self

from msgspec.structs import replace
from pydantic import Field

from hud_components._coding import CODING
from hud_components._models import ContextUsage, HudModel, Line
from hud_components.declaring._form import Form, mark_text, read_item
from hud_components.declaring._section import HudSection, bound
from hud_components.declaring._state import State, Width, Worth
from hud_components.folding import with_sections
from hud_components.levels import Level, reached, thresholds_in
from hud_components.sections._context_bar import (
    SIGNS,
    WORDS_FOR_SIGNS,
    in_steps,
    least_usage,
    levels_signed,
)
from hud_components.words._texts import (
    NUMBER,
    apart,
    counted,
    cut,
    form,
    format_text,
    handle_of,
    line,
    line_of,
    parse_count,
    parse_text,
    separated,
    text_in,
)
from ujsx import (
    Child,
    Children,
    Component,
    ContentModel,
    Density,
    Disclosure,
    Examples,
    RenderContext,
    Rung,
    mdast,
    render,
)
from ujsx.components import fields_of
from ujsx.elements import Brief, Item, List, Omitted, Paragraph, code
from ujsx.mdast import to_markdown
from ujsx.text import escaped, without_blank_lines

_WIDTH = 60
"""The characters of the task: 20 tokens, from the HUD's design documents."""


class ItemCounts(HudModel):
    """How many items a section has; of those that can be over, the open ones."""

    section: str
    """The section's name."""

    count: Annotated[int, Field(ge=0)]
    """How many."""

    alert: bool = False
    """Whether that there are some is an alert, as of blockers."""


class Tally(HudModel):
    """What a status line tells: what it is about, and how many items of each kind there are.

    >>> from hud_components import HudState, Note
    >>> Tally.of(HudState(notes=(Note(content="Port 8080"),))).counts
    (ItemCounts(section='notes', count=1, alert=False),)
    """

    about: str = "task"
    """The section of what there is one of; empty where there is none."""

    task: str | None = None
    """What there is one of, such as the task: the first words of the first value."""

    counts: tuple[ItemCounts, ...] = ()
    """How many items there are in the sections that have some; those that are an alert last."""

    unreadable: Annotated[int, Field(ge=0)] = 0
    """How much the state lacks, as it cannot be read."""

    usage: ContextUsage | None = None
    """The use of the context."""

    @property
    def subject(self) -> str | None:
        """The session's main value, in words; ``about`` names it."""
        return self.task

    @classmethod
    def of(cls, state: State) -> Tally:
        """Return the tally of a state."""
        by_field = {section.field: section for section in state.sections if section.field}
        counts: list[ItemCounts] = []
        task: str | None = None
        about = ""
        for field in fields_of(type(state)):
            section = by_field.get(field)
            if section is None or section.disclosure.is_apart:  # shown in any case
                continue
            value = getattr(state, field)
            if section.kind is not None:
                count = sum(map(section.kind.is_open, value))
                if count:
                    one = ItemCounts(section=section.name, count=count, alert=section.alerts)
                    counts.append(one)
            elif task is None:
                about = about or section.name
                if value is not None:
                    about = section.name
                    task = str(getattr(value, next(iter(fields_of(section.draft)))))
        return cls(
            about=about,
            task=task,
            counts=tuple(sorted(counts, key=attrgetter("alert"))),
            unreadable=len(state.unreadable),
            usage=state.usage,
        )


_TASK = Form("status.task", ("task",), source="**{task}**")


_VALUES = [each.name for each in CODING.fields.values() if each.kind is None]
"""The single values of the coding HUD."""


class StatusLine(HudSection):
    """The task, how many items of each kind there are, and what is amiss, in one line.

    >>> from ujsx import render
    >>> counts = (ItemCounts(section="notes", count=3), ItemCounts(section="blockers", count=1, alert=True))
    >>> tally = Tally(task="Add login", counts=counts)
    >>> print(render(StatusLine(tally=tally)), end="")
    **Add login** · 3 notes · ⚠ 1 blocker
    """

    _hints: ClassVar[Mapping[str, str]] = MappingProxyType(
        dict.fromkeys(
            ("usage", "percentage", "used", "info", "context_info"),
            "it is the state's; ContextBar shows one that you give: write ContextBar(percentage=67)",
        )
    )
    texts = {  # noqa: RUF012 - a declaration
        "status.count": "{count} {noun}",
        "status.alert": "⚠ {count} {noun}",
        "status.unreadable": "⚠ {count} unreadable",
        "status.usage": "{sign} {percent}%",
        "status.nothing": "{what} not set",
        **{f"status.no {each}": f"no {each}" for each in _VALUES},
        "status.empty": "nothing open",
        **SIGNS,
    }
    texts_without_signs = {  # noqa: RUF012 - a declaration
        "status.alert": "{count} {noun}",
        "status.unreadable": "{count} unreadable",
        **WORDS_FOR_SIGNS,
    }
    other_forms = (_TASK,)
    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.FULL)), layer="turn", floor=Density.MINIMAL
    )

    examples: ClassVar[Examples] = lambda: {
        "in work": StatusLine(
            tally=Tally(
                task="Let users sign in",
                counts=(
                    ItemCounts(section="notes", count=2),
                    ItemCounts(section="errors", count=1, alert=True),
                ),
                usage=ContextUsage(used=150_000),
            )
        ),
    }

    state: State | None = None
    """What to sum up; the session's state when None."""

    tally: Tally | None = None
    """The sum itself, in place of a state."""

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        if usage is not state.usage:
            state = state.model_copy(update={"usage": usage})
        return cls.model_construct(state=state)

    def render(self, ctx: RenderContext, children: Children) -> Child:
        tally, ctx = self.tally or Tally.of(self.state or bound(ctx)), _worded(ctx, self.state)
        parts: list[Child] = []
        if ctx.density is Density.FULL and tally.task is not None:
            parts.append(_TASK.template(ctx).fill(cut(line(tally.task), _WIDTH)))
        elif ctx.density is Density.FULL and tally.about:
            parts.append(_nothing(tally.about, ctx))
        parts += _counts(tally, ctx)
        return Paragraph()[separated(parts, ctx)] if parts else None

    # --- Reading ---

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        told: dict[str, Any] = {}
        counts: list[ItemCounts] = []
        ctx = _worded(ctx)
        parts = apart(line_of(blocks[0]), ctx)
        for part in parts:
            text = text_in(part)
            read = read_item([_TASK], ctx, part) or _read(text, ctx)
            count = None if read is not None else _read_count(text, ctx)
            if read is not None:
                told.update(read)
            elif count is not None:
                counts.append(count)
            else:
                return None
        return (cls(tally=Tally(**told, counts=tuple(counts))), 1) if parts != [[]] else None


def counts_line(state: State, tally: Tally, ctx: RenderContext) -> str:
    """Return the counts of a state as a line of Markdown, with the lack of a task; empty for neither.

    It equals a :class:`StatusLine` without the task, written without the renderer, as it contains only an author's
    words.

    :param tally: the state's own.
    """
    ctx = _worded(ctx, state)
    parts = [_nothing(tally.about, ctx)] if tally.about and tally.task is None else []
    line = format_text(ctx, "status.separator").join([*parts, *_counts(tally, ctx)])
    shown = escaped(line).strip(" \t\r\n")
    if not shown:
        return ""
    text = without_blank_lines(shown) if "\n" in shown else shown
    return to_markdown(mdast.Paragraph((mdast.Text(text),)))


def value_line(state: State, tally: Tally, ctx: RenderContext) -> str:
    """Return the first value of a state in short, with its name; empty without one, and for a task.

    :param tally: the state's own.
    """
    section: Any = next((each for each in state.sections if each.name == tally.about), None)
    if tally.task is None or section in CODING.sections or not section.forms:
        return ""
    shown = section(**{section.prop: getattr(state, section.field)})
    return render(shown, density=Density.MINIMAL, context=replace(ctx, text_width=Width.BRIEF))


def _counts(tally: Tally, ctx: RenderContext) -> Iterator[str]:
    """Return the counts of items by kind, the unreadable events, and the context usage."""
    for each in tally.counts:
        if each.count:
            name = "status.alert" if each.alert else "status.count"
            yield counted(ctx, each.section, each.count, name)
    if tally.unreadable:
        yield format_text(ctx, "status.unreadable", count=tally.unreadable)
    if tally.usage is not None:
        sign = format_text(ctx, f"context.{reached(tally.usage, thresholds_in(ctx)).level}")
        yield format_text(ctx, "status.usage", sign=sign, percent=in_steps(tally.usage))


def _sections(ctx: RenderContext, state: State | None = None) -> tuple[type[HudSection], ...]:
    """Return the counted sections: those of the state, or of the coding HUD without one."""
    given = state or ctx.get(State)
    return CODING.sections if given is None else given.sections


def _worded(ctx: RenderContext, state: State | None = None) -> RenderContext:
    """Return a context with the texts of the counted sections, including their nouns."""
    return replace(ctx, texts={**_texts(_sections(ctx, state)), **ctx.texts})


@lru_cache(maxsize=64)
def _texts(sections: tuple[type[HudSection], ...]) -> Mapping[str, str]:
    known: dict[str, str] = {}
    for section in sections:
        known |= section.texts
    return {**known, **StatusLine.texts}


def _nothing(section: str, ctx: RenderContext) -> str:
    own = ctx.texts.get(f"status.no {section}")
    what = section.replace("_", " ")
    return format_text(ctx, "status.nothing", what=what) if own is None else own


def _read_count(text: str, ctx: RenderContext) -> ItemCounts | None:
    for alert, name in ((False, "status.count"), (True, "status.alert")):
        for section in _sections(ctx):
            if section.kind is None:
                continue
            numbers = parse_count(ctx, section.name, text, name)
            if numbers is not None:
                return ItemCounts(section=section.name, count=numbers.get("count", 0), alert=alert)
    return None


def _read(text: str, ctx: RenderContext) -> dict[str, Any] | None:
    for section in _sections(ctx):
        if section.name and section.kind is None and text == _nothing(section.name, ctx):
            return {"about": section.name}
    told = parse_text(ctx, "status.unreadable", text, count=NUMBER)
    if told is not None:
        return {"unreadable": int(told["count"])}
    told = parse_text(ctx, "status.usage", text, percent=NUMBER)
    if told is None:
        return None
    levels = levels_signed(told.get("sign", ""), ctx)
    usage = least_usage(int(told["percent"]), levels, thresholds_in(ctx))
    return None if usage is None else {"usage": usage}


# The notice about a nearly full context: its fullness, and the possible actions.

ACTIONS: Mapping[str, str] = {
    "pressure.compact": "hud_compact",
    "pressure.record": "hud",
    "pressure.trim": "hud section.fold",
}
"""The possible actions, by the names of their texts, with the call for each."""


class PressureNotice(Component):
    """How full the context is, in the words of the working memory of 004, and what can be done about it.

    It stands in no HUD, whose :class:`WarningBanner` warns as long as there is reason to: it is what an
    intervention says, once.

    >>> from ujsx import render
    >>> print(render(PressureNotice(usage=ContextUsage(used=174_000))), end="")
    [Memory Pressure: 87% (high) - 174,000/200,000 tokens]
    <BLANKLINE>
    What can be done while there is room:
    <BLANKLINE>
    - A compaction can be asked for; what the HUD holds survives it: `hud_compact`
    - What only the conversation tells can be recorded in the HUD before that: `hud`
    - What no longer holds can be removed from the HUD, and sections can be folded: `hud section.fold`
    """

    content_model = ContentModel(("flow",))
    takes_children = False

    usage: ContextUsage
    """The use of the context."""

    level: Level | None = None
    """The level that holds; that of the use, by the thresholds of the context, when None."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        usage = self.usage
        level = self.level or reached(usage, thresholds_in(ctx)).level
        notice = format_text(
            ctx,
            "pressure.share" if usage.is_share else "pressure.notice",
            percent=int(usage.percentage),
            level=format_text(ctx, f"pressure.{level}"),
            used=f"{usage.used:,}",
            limit=f"{usage.limit:,}",
        )
        joint = format_text(ctx, "call")
        actions = [
            Item()[format_text(ctx, name), joint, code(call)] for name, call in ACTIONS.items()
        ]
        about = format_text(ctx, "pressure.actions")
        return [Paragraph()[notice], Paragraph()[about], List()[actions]]


# A line about stored data that the current domain cannot read.

KINDS = 6
"""The most kinds of entries that are named; the others are counted together."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""The form of unknown section names that may be shown: they come from a log."""


class UnreadableNotice(HudSection):
    """Counts of what is stored and cannot be read by the domain of today, with the call that shows it.

    Every layout of a HUD has it where the state lacks something, and never twice.

    >>> from ujsx import render
    >>> from hud_components import HudState, Unreadable
    >>> state = HudState(unreadable=(Unreadable(section="notes", item="n-2", version=2),))
    >>> print(render(UnreadableNotice.of_state(state)), end="")
    *1 note cannot be read: `hud history`*
    """

    texts = {  # noqa: RUF012 - a declaration
        "unreadable": "{what} cannot be read",
        "unreadable.brief": "{what} unreadable",
        "unreadable.changes": "changes to {what}",
        "unreadable.noun": "entry|entries",
        "unreadable.noun_of": "entry of {section}|entries of {section}",
        "unreadable.separator": ", ",
        "unreadable.handle": "hud history",
    }
    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.COMPACT, worth=Worth.MISSING)),
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
        """Return the notice about a state's missing data of one section, or None."""
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
    """Return a state's missing data by kind, in the order of the first of each."""
    counts = [*Counter(_nouns(state, ctx)).items()]
    others = sum(count for _, count in counts[KINDS:])
    rest = [((format_text(ctx, "unreadable.noun"), False), others)] if others else []
    for (noun, is_changed), count in (*counts[:KINDS], *rest):
        noun_form = form(noun, count, format_text(ctx, "plurals"))
        said = format_text(ctx, "count", count=count, noun=noun_form)
        yield format_text(ctx, "unreadable.changes", what=said) if is_changed else said


def _nouns(state: State, ctx: RenderContext) -> Iterator[tuple[str, bool]]:
    """Yield the noun of each missing item, and whether only changes of it are missing."""
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
    """Return the ids of a section's items, or its value, in a state."""
    if section.kind is None:
        return set() if value is None else {section.name}
    return {getattr(item, section.kind.key) for item in value}
