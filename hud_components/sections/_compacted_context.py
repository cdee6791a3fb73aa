"""The summary section: the last compaction's summary of the history."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Self
from weakref import WeakKeyDictionary

from pydantic import Field

from hud_components._models import ContextUsage
from hud_components.declaring._form import (
    Form,
    Omission,
    read_item,
    read_mark,
    titled,
    without_mark,
)
from hud_components.declaring._section import HudSection, bound, narrowed
from hud_components.declaring._state import State, Worth
from hud_components.sections._where_we_are import OF_SUMMARY
from hud_components.words._quoted import (
    Blocks,
    ShortenedBlocks,
    as_line,
    blocks_in,
    cut_blocks,
    left_to_tell,
    length_of,
    levels_in,
    paragraph,
    quotation,
    quoted,
    source_of,
)
from hud_components.words._texts import (
    SUMMARY_AGES,
    counted,
    format_text,
    handle_of,
    is_titled,
    line_of,
    only_child,
)
from ujsx import Child, Children, Density, Disclosure, Examples, RenderContext, Rung
from ujsx.elements import Omitted, Paragraph
from ujsx.mdast.util import to_string

USUAL = 500
"""The characters of a summary at full density, from the HUD's design documents."""


_LINE = Form("compacted.line", ("text",), source="**Before the compaction:** {text}")

IN_A_LINE = 160
"""The characters of a summary that is no longer new."""

_COUNTED = Rung(Density.MINIMAL, 0)
_OLD = Rung(Density.MINIMAL, 0, worth=Worth.DONE_OR_OLD)
_SPARE = Rung(Density.MINIMAL, IN_A_LINE, only_if_room=True, worth=Worth.NEWEST_FEW)
_LADDERS: tuple[tuple[Rung, ...], ...] = (
    (
        _COUNTED,
        _SPARE,
        Rung(Density.COMPACT, IN_A_LINE, worth=Worth.NEWEST_FEW),
        Rung(Density.COMPACT, 2 * IN_A_LINE, worth=Worth.SUMMARY_IN_SHORT),
        Rung(Density.COMPACT, USUAL, worth=Worth.SUMMARY_IN_SHORT),
        Rung(Density.FULL, USUAL, worth=Worth.NEWEST_IN_FULL),
        Rung(Density.FULL, worth=Worth.DONE_OR_OLD),
    ),
    (_OLD, _SPARE, Rung(Density.COMPACT, IN_A_LINE, worth=Worth.NEWEST_FEW)),
    (_OLD, Rung(Density.COMPACT, 0, worth=Worth.DONE_OR_OLD)),
)
"""The ladders of a summary, by its age; an older one is gone."""


class CompactedContext(HudSection):
    """The summary of the history before the last compaction: the older it is, the less of it.

    Its rungs count characters: 500, as the HUD's design documents have it. Some turns behind the compaction
    it is a line, then only said to be there, then gone (``SUMMARY_AGES``).

    >>> from ujsx import render
    >>> summary = CompactedContext(text="Goal: sign-in. Done: the schema.", limit=20)
    >>> print(render(summary, density="compact"), end="")
    **Before the compaction:** Goal: sign-in.… *… 18 more characters: `hud snapshot`*
    >>> print(render(CompactedContext(text=summary.text, age=2)), end="")
    *a summary from before the compaction: `hud snapshot`*
    """

    texts = {  # noqa: RUF012 - a declaration
        "compacted.title": "Before the compaction",
        "compacted.handle": "hud snapshot",
        "compacted.count": "a summary from before the compaction",
        "characters.noun": "character|characters",
    }
    other_forms = (_LINE,)
    opening = ("compacted.title", "compacted.line")
    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=_LADDERS[0], weight=3.0, layer="static", floor=Density.MINIMAL
    )

    stays_shown = True
    told_in_changes = "missing"
    read_only_reason = "the summary is that of the last compaction"

    examples: ClassVar[Examples] = lambda: {
        "two paragraphs": CompactedContext(
            text="Users sign in with short-lived tokens.\n\n"
            "The schema and password hashing are done; rotating refresh tokens and the middleware are open."
        ),
    }

    text: str | None = None
    """The summary; that of the session when None."""

    limit: Annotated[int, Field(ge=1)] | None = None
    """How many characters it shows at most, whatever the HUD's density allows."""

    unlisted: Annotated[int, Field(ge=0)] = 0
    """How many characters there are beside those given: they are among what is left out."""

    age: Annotated[int, Field(ge=0, le=len(SUMMARY_AGES))] = 0
    """How old it is, in steps."""

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        text, age = state.compacted_context, _age_of(state)
        if text is None or age == len(SUMMARY_AGES):
            return None
        return cls.model_construct(text=text, age=age) if age else cls.model_construct(text=text)

    def disclosed(self) -> Disclosure:
        """Return the disclosure of a summary of that age, narrowed by ``density`` and ``limit``."""
        if not self.age:
            return super().disclosed()
        return _aged(self.age, self.density, self.limit)

    def in_context(self, ctx: RenderContext) -> Self:
        """Return the section with its age in the bound state."""
        age = _age_of(bound(ctx)) if self.text is None else self.age
        return self if age == self.age else self.model_copy(update={"age": age})

    def render(self, ctx: RenderContext, children: Children) -> Child:
        shown, hidden = self._cut(ctx)
        ctx = self.with_texts(ctx)
        if not shown:
            return hidden > 0 and self._count(hidden, ctx)
        mark = hidden > 0 and Omitted(
            count=hidden,
            handle=handle_of(ctx, "compacted"),
            text=counted(ctx, "characters", hidden, "more"),
        )
        if ctx.density is Density.FULL and not self.age:
            title = titled(format_text(ctx, "compacted.title"))
            return title[quotation(shown, ctx.depth + 1), mark and Paragraph()[mark]]
        filled = _LINE.template(ctx).fill(to_string(shown))
        return Paragraph()[filled, mark and [" ", mark]]

    def _count(self, hidden: int, ctx: RenderContext) -> Child:
        """Return the mention of a summary, with the call that shows it."""
        is_brief = ctx.density is Density.MINIMAL
        mark = Omitted(
            count=hidden,
            handle=handle_of(ctx, "compacted"),
            text=format_text(ctx, "compacted.count"),
            brief=is_brief,
        )
        return (self.brief() if is_brief else Paragraph())[mark]

    def _cut(self, ctx: RenderContext) -> ShortenedBlocks:
        """Return the shown blocks, a paragraph for a line, and the number of hidden characters."""
        whole = bound(ctx).compacted_context if self.text is None else self.text
        text = left_to_tell(whole, ctx)
        if self.age == len(SUMMARY_AGES):
            return ShortenedBlocks((), 0)
        is_line = self.age > 0 or ctx.density is not Density.FULL
        blocks, length = self._quoted(text or "", levels_in(ctx), is_line=is_line)
        shown, missing = blocks, 0
        limit = ctx.longest_text if ctx.limit is None else ctx.limit
        if limit == 0:
            shown, missing = (), length
        elif limit is not None and limit < length:
            shown, missing = cut_blocks(blocks, limit, length)
        return ShortenedBlocks(shown, missing + self.unlisted)

    def _quoted(self, text: str, levels: int, *, is_line: bool) -> tuple[Blocks, int]:
        """Return the blocks of the summary and their length, parsed once for all rungs."""
        read = _READ.setdefault(self, {})
        key = text, levels, is_line
        if key not in read:
            blocks = (
                quoted(text, levels)
                if not is_line
                else as_line(self._quoted(text, levels, is_line=False)[0])
            )
            read[key] = blocks, length_of(blocks)
        return read[key]

    # --- Reading ---

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        nodes, ctx = line_of(blocks[0]), cls.with_texts(ctx)
        if is_titled(blocks, format_text(ctx, "compacted.title"), ctx):
            quote, behind = blocks[1], blocks[2:3]
            shown = blocks_in(quote, ctx)
            if shown is None:
                return None
            mark = _read_mark(only_child(behind[0]), ctx) if behind else None
            taken = 2 if mark is None else 3
            return cls._of(shown, mark.total if mark else 0, is_line=False), taken
        only = only_child(blocks[0])
        for is_brief in (True, False):
            count = read_mark(
                only, "compacted", ctx, "compacted.count", noun="characters", brief=is_brief
            )
            if count is not None:
                return cls._unsaid(), 1
        mark = _read_mark(nodes[-1], ctx) if nodes else None
        said = read_item([_LINE], ctx, without_mark(nodes) if mark else nodes)
        if said is None:
            return None
        return cls._of(paragraph(said["text"]), mark.total if mark else 0, is_line=True), 1

    @classmethod
    def _unsaid(cls) -> Self:
        """Return the summary of which only the existence is shown."""
        return cls(text="", unlisted=1, age=len(_LADDERS) - 1)

    @classmethod
    def _of(cls, shown: Blocks, unlisted: int, *, is_line: bool) -> Self:
        """Return the summary with this text: one in a line has the age of one that is a line in full."""
        length = length_of(shown)
        limit = length if length > (IN_A_LINE if is_line else USUAL) else None
        return cls(text=source_of(shown), unlisted=unlisted, limit=limit, age=int(is_line))


@lru_cache(maxsize=64)
def _aged(age: int, density: Density | None, limit: int | None) -> Disclosure:
    ladder = _LADDERS[min(age, len(_LADDERS) - 1)]
    if limit is not None and age == 1:  # the author's counts, even above the default
        ladder = (_OLD, Rung(Density.COMPACT, limit, worth=Worth.NEWEST_FEW))
    own = dataclasses.replace(CompactedContext.disclosure, ladder=ladder, floor=None)
    return own if density is None and limit is None else narrowed(own, density, limit)


def _age_of(state: State) -> int:
    """Return the age of a state's summary: one whose content moved to sections is only said to be there."""
    said = {getattr(each, "speaker", "") for each in getattr(state, "where", ())}
    is_moved = not said.isdisjoint(OF_SUMMARY)
    return max(state.summary_age, len(_LADDERS) - 1) if is_moved else state.summary_age


def _read_mark(node: Any, ctx: RenderContext) -> Omission | None:
    return read_mark(node, "compacted", ctx, "more", noun="characters")


_READ: WeakKeyDictionary[CompactedContext, dict[tuple[str, int, bool], tuple[Blocks, int]]] = (
    WeakKeyDictionary()
)
"""Parsed summaries, for the lifetime of their sections."""
