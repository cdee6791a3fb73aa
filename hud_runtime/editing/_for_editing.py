"""The HUD as it is opened in an editor: everything that is recorded, each item with its id."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from hud_components import Hud, HudSection, State, UnreadableNotice
from hud_components.words import format_text
from hud_runtime.editing._editable import editable
from ujsx import Child, Children, Component, Element, Node, RenderContext
from ujsx.elements import Section


class OpenedHud(Hud):
    """A HUD that knows which sections it could have."""

    sections: tuple[type[HudSection], ...] = ()
    """Those of the state's domain."""


def for_editing(state: State) -> Element[Hud]:
    """Return a HUD of all that a state has, to be edited as text.

    Nothing is cut and nothing is left out, items show their ids, and a section that can be edited
    has its heading even if it is empty. What hosts report at each turn, such as how full the
    context is, is not in it.

    >>> from hud_components import HudState, Note
    >>> from ujsx import render
    >>> text = render(for_editing(HudState(notes=(Note(id="n-2", content="Port 8080"),))))
    >>> print(text.partition("## Notes")[2].partition("##")[0].strip())
    - `n-2` Port 8080
    """
    notice = UnreadableNotice.of_state(state)
    shown = (*_sections(state), *([] if notice is None else [notice]))
    return Element(OpenedHud(sections=state.sections), shown)


class EmptySection(Component):
    """The heading of a section that has nothing in it, for a first item to be written under."""

    section: type[HudSection]
    """The section."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        title = f"{self.section.name}.title"
        return Section(title=format_text(self.section.with_texts(ctx), title))


def _sections(state: State) -> Iterator[Node]:
    for section in state.sections:
        kind = editable(section)
        if kind is None and not (section.field or section.why_fixed):
            continue  # it shows what others have, or what hosts report at each turn
        made = section.of_state(state)
        if kind is not None and not _shows(made):
            yield EmptySection(section=section)
        elif made is not None:
            shown = {"limit": sys.maxsize}
            if kind is not None and kind.kind is not None:
                shown["show_ids"] = True
            yield made.model_copy(update=shown)


def _shows(section: HudSection | None) -> bool:
    """Tell whether a section shows anything where there is room for everything."""
    if section is None:
        return False
    return section.kind is None or bool(section.said_in(_EVERYTHING))


_EVERYTHING = RenderContext()
