"""A word of warning about a state that nobody has touched for a while."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Self

from msgspec.structs import replace
from pydantic import Field

from hud_components._models import ContextUsage, Line, Milliseconds
from hud_components.declaring._checks import verbs_of
from hud_components.declaring._section import HudSection, bound
from hud_components.declaring._state import STALE, State
from hud_components.words._cut import (
    MINUTE,
    OPERATION,
    age,
    call_in,
    text_before_call,
    told_age,
    with_call,
)
from hud_components.words._texts import format_text, parse_text
from ujsx import Child, Children, Density, Disclosure, Examples, RenderContext, Rung
from ujsx.components._context import Now
from ujsx.elements import Paragraph

USUAL = 30
"""From how many minutes on a state that nobody touched counts as stale."""


class StaleNotice(HudSection):
    """That the state was last updated a while ago: a stale state misleads. Else nothing.

    It says so when it knows what time it is and when the state was last updated.

    >>> from ujsx import render
    >>> print(render(StaleNotice(updated_at=1, now=43 * 60_000)), end="")
    The HUD was last updated 40 min ago and may be stale: `hud task.update`
    """

    texts = MappingProxyType(
        {
            "stale": "The HUD was last updated {age} ago and may be stale",
            "stale.handle": "hud task.update",
        }
    )
    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL, worth=STALE), Rung(Density.COMPACT, worth=STALE)),
        layer="turn",
    )

    examples: ClassVar[Examples] = lambda: {
        "43 minutes old": StaleNotice(updated_at=1_760_000_000_000, now=1_760_002_580_000),
    }

    updated_at: Milliseconds | None = None
    """When the state was last changed; as the bound state says when None."""

    now: Milliseconds | None = None
    """What time it is; the context's ``Now`` when None."""

    after: Annotated[int, Field(ge=1)] = USUAL
    """From how many minutes on it says so."""

    refresh: Line | None = None
    """The operation that refreshes the state; that of the bound state's domain when None."""

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        if now is None or not state.updated_at:
            return None
        return cls(updated_at=state.updated_at, now=now, refresh=_refreshing(state.sections))

    def render(self, ctx: RenderContext, children: Children) -> Child:
        words = self._words(ctx)
        if words is None:
            return None
        ctx = self._worded(ctx)
        return Paragraph()[with_call(ctx, format_text(ctx, "stale", age=words), "stale")]

    def _words(self, ctx: RenderContext) -> str | None:
        """How old the state is, if it is old enough to be told."""
        updated_at = bound(ctx).updated_at if self.updated_at is None else self.updated_at
        now = ctx.get(Now) if self.now is None else self.now
        if now is None or not updated_at or now - updated_at < self.after * MINUTE:
            return None
        return None if ctx.density is Density.MINIMAL else age(ctx, now - updated_at)

    def _worded(self, ctx: RenderContext) -> RenderContext:
        """A context with its texts, and the call with which the domain refreshes its state."""
        ctx = self.with_texts(ctx)
        call = _refreshing(bound(ctx).sections) if self.refresh is None else self.refresh
        return ctx if call is None else replace(ctx, texts={**ctx.texts, _CALL: f"hud {call}"})

    def as_shown_in(self, ctx: RenderContext) -> Self | None:
        words = self._words(ctx)
        if words is None:
            return None
        call = self._worded(ctx).texts[_CALL]
        usual = call == self.with_texts(ctx).texts[_CALL]
        return self._of(words, ctx, None if usual else call.removeprefix("hud "))

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        ctx, call = cls.with_texts(ctx), call_in(blocks[0])
        usual = call == ctx.texts[_CALL]
        if not OPERATION.fullmatch(call):
            return None
        said = text_before_call(blocks[0], "stale", replace(ctx, texts={**ctx.texts, _CALL: call}))
        told = parse_text(ctx, "stale", said) if said is not None else None
        if told is None:
            return None
        section = cls._of(told.get("age", ""), ctx, None if usual else call.removeprefix("hud "))
        return None if section is None else (section, 1)

    @classmethod
    def _of(cls, words: str, ctx: RenderContext, call: str | None) -> Self | None:
        told = told_age(ctx, words)
        if told is None:
            return None
        after = min(USUAL, told // MINUTE)
        return cls(updated_at=1, now=told + 1, after=after, refresh=call)


_CALL = "stale.handle"
"""The name of the call that refreshes."""


@lru_cache(maxsize=64)
def _refreshing(sections: tuple[type[HudSection], ...]) -> str | None:
    """The operation that refreshes a state, where a domain has not the usual one: its first update, or
    else its first operation.
    """
    operations = [
        f"{section.name}.{verb.name}"
        for section in sections
        if section.value is not None and section.has_operations
        for verb in verbs_of(section)
        if verb.is_operation
    ]
    if not sections or StaleNotice.texts[_CALL].removeprefix("hud ") in operations:
        return None
    updates = (each for each in operations if each.endswith(".update"))
    return next(updates, operations[0] if operations else "help")
