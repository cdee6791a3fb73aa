"""The HUD as it is opened in an editor: everything that is recorded, each item with its id."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hud_components import (
    ActiveFiles,
    CompactedContext,
    ErrorsList,
    Hud,
    HudState,
    TaskSection,
)
from hud_components.words import format_text
from hud_runtime.editing._kinds import EDITABLE, TASK
from ujsx import Child, Children, Component, Element, Node, RenderContext
from ujsx.elements import Section


def for_editing(state: HudState) -> Element[Hud]:
    """Return a HUD of all that a state has, to be edited as text.

    Nothing is cut and nothing is left out, items show their ids, and a section that can be edited
    has its heading even if it is empty. What hosts report at each turn, such as how full the
    context is, is not in it.

    >>> from hud_components import Note
    >>> from ujsx import render
    >>> text = render(for_editing(HudState(notes=(Note(id="n-2", content="Port 8080"),))))
    >>> print(text.partition("## Notes")[2].strip())
    - `n-2` Port 8080
    """
    return Element(Hud(), tuple(_sections(state)))


class EmptySection(Component):
    """The heading of a section that has nothing in it, for a first item to be written under."""

    name: str
    """The section's name in the table of fixed texts."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Section(title=format_text(ctx, f"{self.name}.title"))


def _sections(state: HudState) -> Iterator[Node]:
    yield TaskSection(task=state.task) if state.task else EmptySection(name=TASK)
    if state.compacted_context:
        text = state.compacted_context
        yield CompactedContext(text=text, limit=len(text))
    for name, kind in EDITABLE.items():
        items = kind.kind.items(state)
        if any(kind.shows(item) for item in items):
            props: dict[str, Any] = {kind.prop: items, "limit": len(items), "show_ids": True}
            yield kind.section(**props)
        else:
            yield EmptySection(name=name)
    if state.active_files:
        yield ActiveFiles(files=state.active_files, limit=len(state.active_files))
    if state.errors:
        yield ErrorsList(errors=state.errors, limit=len(state.errors))
