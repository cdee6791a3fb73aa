"""A wrapper: what is inside is shown in short."""

from __future__ import annotations

from ujsx import Child, Children, Component, ContentModel, Density, RenderContext


class Compact(Component):
    """Shows its children at compact density, or denser where the HUD is.

    >>> from ujsx import render
    >>> from hud_components import Task, TaskSection
    >>> print(render(Compact()[TaskSection(task=Task(description="Add login"))]), end="")
    **Task:** Add login
    """

    content_model = ContentModel((), is_transparent=True)

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return children

    def provide(self, ctx: RenderContext) -> RenderContext:
        """Return a context of compact density, unless it is denser already."""
        return (
            ctx if ctx.density <= Density.COMPACT else ctx.with_density(Density.COMPACT, ctx.limit)
        )
