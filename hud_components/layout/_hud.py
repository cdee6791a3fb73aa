"""The HUD: its sections under one title."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Self

from hud_components._levels import level_for
from hud_components._models import ContextUsage, HudState
from hud_components.declaring._section import HudSection
from hud_components.layout._order import warn_if_nothing_to_show, warn_if_volatile_first
from hud_components.sections._active_files import ActiveFiles
from hud_components.sections._blockers_list import BlockersList
from hud_components.sections._compacted_context import CompactedContext
from hud_components.sections._context_bar import ContextBar
from hud_components.sections._decisions_list import DecisionsList
from hud_components.sections._errors_list import ErrorsList
from hud_components.sections._hints import Hint, Hints, hints_for
from hud_components.sections._next_steps import NextSteps
from hud_components.sections._notes_section import NotesSection
from hud_components.sections._session_line import SessionLine
from hud_components.sections._stale_notice import StaleNotice
from hud_components.sections._task_section import TaskSection
from hud_components.sections._warning_banner import WARNED, WarningBanner
from hud_components.words._texts import format_text
from ujsx import (
    Child,
    Children,
    Component,
    ContentModel,
    Density,
    Element,
    PropError,
    RenderContext,
)
from ujsx.elements import Section
from ujsx.errors import shown


class SectionPlace(NamedTuple):
    """A section of the default layout, the prop for its data, and where the state has them."""

    section: type[HudSection]
    prop: str
    field: str


LAYOUT: tuple[SectionPlace, ...] = (
    SectionPlace(TaskSection, "task", "task"),
    SectionPlace(CompactedContext, "text", "compacted_context"),
    SectionPlace(DecisionsList, "decisions", "decisions"),
    SectionPlace(NextSteps, "steps", "next_steps"),
    SectionPlace(BlockersList, "blockers", "blockers"),
    SectionPlace(NotesSection, "notes", "notes"),
    SectionPlace(ActiveFiles, "files", "active_files"),
    SectionPlace(ErrorsList, "errors", "errors"),
)
"""The sections that are as stable as what is recorded, the most stable first."""


class Hud(Component):
    """What an agent should know at every turn.

    Its children are its sections, in the author's order; without children it has the default ones.
    Sections without data of their own show the state that is bound to the context; a HUD that has
    neither says so with a :class:`LayoutWarning`.

    >>> from ujsx import render
    >>> from hud_components import Task
    >>> print(render(Hud.of(HudState(task=Task(description="Add login"))), density="compact"))
    # HUD
    <BLANKLINE>
    **Task:** Add login
    <BLANKLINE>
    """

    content_model = ContentModel(("flow",), "flow")

    title: str | None = None
    """The heading; the usual one when None, which minimal density leaves out; none when empty."""

    @classmethod
    def of(
        cls, state: HudState, usage: ContextUsage | None = None, *, now: int | None = None
    ) -> Element[Self]:
        """Return the default layout of a state: what changes every turn stands last.

        What the state does not have is not in the layout, so that nothing of another state, bound
        to the context, takes its place. Asked again for the same state it gives equal nodes.

        :param usage: the use of the context; the state's last reading when ``None``.
        :param now: what time it is, in milliseconds since the Unix epoch. Without it nothing
            tells an age.
        :raises PropError: for what is no state.
        """
        given: object = state
        if not isinstance(given, HudState):
            raise PropError(f"Hud.of takes a HudState, such as session.state(), not {shown(given)}")
        hints = hints_for(state, usage)
        usage = usage or state.usage
        sections = (*_recorded(state), *_at_this_turn(state, usage, hints, now))
        return Element(cls(), sections)

    def __getitem__(self, children: Child) -> Element[Self]:
        """Attach sections, in their order.

        Says so, as a :class:`LayoutWarning`, when one that changes every turn stands before one
        that does not.

        :raises ChildError: for a child that is no node.
        """
        element = super().__getitem__(children)
        warn_if_volatile_first(element.children, attached=True, stacklevel=2)
        return element

    def render(self, ctx: RenderContext, children: Children) -> Child:
        sections = children or _SECTIONS
        if ctx.get(HudState) is None:
            warn_if_nothing_to_show(sections)
        warn_if_volatile_first(sections, attached=False, stacklevel=1)
        title = self.title
        if title is None and ctx.density is not Density.MINIMAL:
            title = format_text(ctx, "hud.title")
        return Element(Section.model_construct(title=title), sections) if title else sections


def _recorded(state: HudState) -> Iterator[HudSection]:
    """The sections of what is recorded."""
    values = vars(state)
    for section, prop, field in LAYOUT:
        if values[field] is not None:
            yield section.model_construct(**{prop: values[field]})  # a state's data are valid


def _at_this_turn(
    state: HudState, usage: ContextUsage | None, hints: tuple[Hint, ...], now: int | None
) -> Iterator[HudSection]:
    """The sections that any turn may change."""
    if state.session is not None:
        yield SessionLine(session=state.session, now=now)
    if hints:
        yield Hints.model_construct(hints=hints)
    if now is not None and state.updated_at:
        yield StaleNotice(updated_at=state.updated_at, now=now)
    if usage is not None:
        if level_for(usage.percentage) in WARNED:
            yield WarningBanner.model_construct(usage=usage)
        yield ContextBar.model_construct(usage=usage)


_SECTIONS: Children = (
    *(section() for section, _, _ in LAYOUT),
    SessionLine(),
    Hints(),
    StaleNotice(),
    WarningBanner(),
    ContextBar(),
)
"""The default sections, without data: they take it from the context."""
