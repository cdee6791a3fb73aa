"""A wrapper: what is inside says whose it is."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Annotated

from msgspec.structs import replace
from pydantic import StringConstraints

from hud_components.layout._parse import SECTIONS
from hud_components.words._cut import line
from hud_components.words._label import Label
from hud_components.words._texts import COMMON, format_text
from ujsx import Child, Children, Component, ContentModel, RenderContext


class Labelled(Component):
    """Puts a label before what its sections begin with: "Backend: Decisions".

    So that two of a kind can stand in one HUD, such as the decisions of an agent and of its
    parent. Labels nest, the outer one first. A component of your own finds its label in the
    context: ``ctx.get(Label)``.

    >>> from ujsx import render
    >>> from hud_components import Task, TaskSection
    >>> task = TaskSection(task=Task(description="Add login"))
    >>> print(render(Labelled(label="Backend")[task]), end="")
    # Backend: Task
    <BLANKLINE>
    Add login
    """

    content_model = ContentModel((), is_transparent=True)

    label: Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^[^*~`{}]+$")]
    """What stands before each title, and before ": ". It becomes part of templates, so it may not
    have what means something there: asterisks, tildes, backticks, braces."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return children

    def provide(self, ctx: RenderContext) -> RenderContext:
        """Return a context whose opening texts have the label before them."""
        outer, label = ctx.get(Label), line(self.label)
        if outer is None:
            own = Label(label, ctx.texts)
        else:
            own = Label(f"{outer.text}: {label}", outer.unlabelled)
        bare = replace(ctx, texts=own.unlabelled)
        texts = {name: own.before(format_text(bare, name)) for name in _opening(bare)}
        return replace(ctx, texts=MappingProxyType({**bare.texts, **texts})).with_value(own)


def _opening(ctx: RenderContext) -> Iterator[str]:
    """The names of the texts that sections begin with; what they say themselves, they label themselves."""
    yield from ("count", "count.newest")
    yield from (name for name in {**COMMON, **ctx.texts} if name.endswith((".title", ".line")))
    others = {name for section in SECTIONS for name in section.opening}
    yield from (name for name in ctx.texts if name in others)
