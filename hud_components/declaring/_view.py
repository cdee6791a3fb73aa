"""Sections that only show: what other sections and the facts of the session come to."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from hud_components._models import ContextUsage, Milliseconds
from hud_components.declaring._section import HudSection, bound
from hud_components.declaring._state import FACTS, State
from hud_components.words._age import Now
from ujsx import DefinitionError, RenderContext
from ujsx.errors import did_you_mean, shown


class View(HudSection):
    r"""A section without a value and without verbs: it is made of what others have.

    It says what that is, in ``reads``, and finds it in :meth:`read` when it renders; nothing else of
    the state is there, so that it is made anew only when that changes.

    >>> from hud_components import HudState, NotesSection
    >>> from ujsx import render
    >>> class NoteCount(View):
    ...     reads = (NotesSection,)
    ...     def render(self, ctx, children):
    ...         return f"{len(self.read(ctx)[NotesSection])} notes"
    >>> render(NoteCount.of_state(HudState()))
    '0 notes\n'
    """

    reads: ClassVar[tuple[type[HudSection] | str, ...]] = ()
    """The sections, and the facts by name ("session", "usage" …), that it is made of; "now", where
    it tells the time."""

    state: State | None = None
    """The part of a state that it is made of; that of the bound state when None."""

    now: Milliseconds | None = None
    """What time it is, where it reads that; the context's ``Now`` when None."""

    def read(self, ctx: RenderContext) -> Any:
        """Return the state that it reads: ``self.read(ctx)[Ticket]`` is a section's value."""
        return bound(ctx) if self.state is None else self.state

    def time(self, ctx: RenderContext) -> int | None:
        """Return what time it is, in milliseconds since the Unix epoch, where that is known."""
        return ctx.get(Now) if self.now is None else self.now

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        if cls.verbs or cls.on:
            raise DefinitionError(
                f"{cls.__name__}: a view has no value that something could happen to; make it an "
                "ItemsSection or a ValueSection, or leave verbs out"
            )
        for each in cls.reads:
            if isinstance(each, str) and each not in (*FACTS, NOW):
                raise DefinitionError(
                    f"{cls.__name__}.reads: there is no fact {shown(each)};"
                    f" {did_you_mean(each, (*FACTS, NOW))}"
                )

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        names = [each if isinstance(each, str) else each.field for each in cls.reads]
        facts = {**vars(state), "usage": usage}
        known = {name: facts[name] for name in names if name in facts}
        read = type(state).model_construct(**known) if known else None
        return cls.model_construct(state=read, now=now if NOW in names else None)


NOW = "now"
"""What a view reads that tells the time."""
