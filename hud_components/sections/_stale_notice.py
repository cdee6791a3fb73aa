"""A word of warning about a state that nobody has touched for a while."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field

from hud_components._models import ContextUsage, Milliseconds
from hud_components.declaring._section import HudSection, bound
from hud_components.declaring._state import State
from hud_components.words._age import MINUTE, Now, age, told_age
from hud_components.words._call import text_before_call, with_call
from hud_components.words._parse_text import parse_text
from hud_components.words._reading import text_of
from hud_components.words._texts import format_text
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung
from ujsx.elements import Paragraph

USUAL = 30
"""From how many minutes on a state that nobody touched counts as stale."""


class StaleNotice(HudSection):
    """That the state was last updated a while ago: a stale state misleads. Else nothing.

    It says so when it knows what time it is and when the state was last updated.

    >>> from ujsx import render
    >>> print(render(StaleNotice(updated_at=1, now=43 * 60_000)), end="")
    The HUD was last updated 40 min ago and may be stale: `hud help`
    """

    texts = MappingProxyType(
        {
            "stale": "The HUD was last updated {age} ago and may be stale",
            "stale.short": "Last updated {age} ago",
            "stale.handle": "hud help",
        }
    )
    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.COMPACT)),
        layer="turn",
        floor=Density.MINIMAL,
    )

    updated_at: Milliseconds | None = None
    """When the state was last changed; as the bound state says when None."""

    now: Milliseconds | None = None
    """What time it is; the context's ``Now`` when None."""

    after: Annotated[int, Field(ge=1)] = USUAL
    """From how many minutes on it says so."""

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        if now is None or not state.updated_at:
            return None
        return cls(updated_at=state.updated_at, now=now)

    def render(self, ctx: RenderContext, children: Children) -> Child:
        words = self._words(ctx)
        if words is None:
            return None
        ctx = self.with_texts(ctx)
        if ctx.density is Density.MINIMAL:
            return Paragraph()[format_text(ctx, "stale.short", age=words)]
        return Paragraph()[with_call(ctx, format_text(ctx, "stale", age=words), "stale")]

    def _words(self, ctx: RenderContext) -> str | None:
        """How old the state is, if it is old enough to be told."""
        updated_at = bound(ctx).updated_at if self.updated_at is None else self.updated_at
        now = ctx.get(Now) if self.now is None else self.now
        if now is None or not updated_at or now - updated_at < self.after * MINUTE:
            return None
        return age(ctx, now - updated_at)

    def as_shown_in(self, ctx: RenderContext) -> Self | None:
        words = self._words(ctx)
        return None if words is None else self._of(words, ctx)

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        ctx = cls.with_texts(ctx)
        said = text_before_call(blocks[0], "stale", ctx)
        told = parse_text(ctx, "stale", said) if said is not None else None
        if told is None:
            told = parse_text(ctx, "stale.short", text_of(blocks[0]) or "")
        section = None if told is None else cls._of(told.get("age", ""), ctx)
        return None if section is None else (section, 1)

    @classmethod
    def _of(cls, words: str, ctx: RenderContext) -> Self | None:
        told = told_age(ctx, words)
        if told is None:
            return None
        return cls(updated_at=1, now=told + 1, after=min(USUAL, told // MINUTE))
