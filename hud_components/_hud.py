"""The HUD: its sections under one title."""

from __future__ import annotations

from hud_components._active_files import ActiveFiles
from hud_components._blockers_list import BlockersList
from hud_components._context_bar import ContextBar
from hud_components._decisions_list import DecisionsList
from hud_components._errors_list import ErrorsList
from hud_components._models import ContextUsage, HudState
from hud_components._next_steps import NextSteps
from hud_components._notes_section import NotesSection
from hud_components._task_section import TaskSection
from hud_components._texts import say
from hud_components._warning_banner import WarningBanner
from ujsx import Child, Children, Component, Density, Element, PropError, RenderContext
from ujsx._errors import shown
from ujsx.elements import Section


class Hud(Component):
    """What an agent should know at every turn.

    Its children are its sections, in the author's order; without children it has the default ones.
    Sections without data of their own show the state that is bound to the context.

    >>> from ujsx import render
    >>> from hud_components import Task
    >>> print(render(Hud.of(HudState(task=Task(description="Add login"))), density="compact"))
    # HUD
    <BLANKLINE>
    **Task:** Add login
    <BLANKLINE>
    """

    title: str | None = None
    """The heading; the usual one when None, which minimal density leaves out."""

    @classmethod
    def of(cls, state: HudState, usage: ContextUsage | None = None) -> Element[Hud]:
        """Return the default layout of a state: what changes every turn stands last.

        :param usage: the use of the context; the state's last reading when ``None``.
        :raises PropError: for what is no state.
        """
        given: object = state
        if not isinstance(given, HudState):
            raise PropError(f"Hud.of takes a HudState, such as session.state(), not {shown(given)}")
        usage = usage or state.usage
        return cls()[
            TaskSection(task=state.task),
            DecisionsList(decisions=state.decisions),
            NextSteps(steps=state.next_steps),
            BlockersList(blockers=state.blockers),
            NotesSection(notes=state.notes),
            ActiveFiles(files=state.active_files),
            ErrorsList(errors=state.errors),
            WarningBanner(usage=usage),
            ContextBar(usage=usage),
        ]

    def render(self, ctx: RenderContext, children: Children) -> Child:
        sections = children or _SECTIONS
        if ctx.density is Density.MINIMAL and self.title is None:
            return sections
        return Section(title=self.title or say(ctx, "hud.title"))[sections]


_SECTIONS: Children = (
    TaskSection(),
    DecisionsList(),
    NextSteps(),
    BlockersList(),
    NotesSection(),
    ActiveFiles(),
    ErrorsList(),
    WarningBanner(),
    ContextBar(),
)
"""The default sections, without data: they take it from the context."""
