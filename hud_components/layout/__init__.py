"""The HUD as a whole: its layout, its budget, its content, and a HUD read back from its text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_components.layout._documents import layout_vocabulary as layout_vocabulary
    from hud_components.layout._hud import budget_for as budget_for
    from hud_components.layout._notices import PressureNotice as PressureNotice
    from hud_components.layout._notices import UnreadableNotice as UnreadableNotice
    from hud_components.layout._notices import counts_line as counts_line
    from hud_components.layout._notices import value_line as value_line
    from hud_components.layout._parse import SECTIONS as SECTIONS
    from hud_components.layout._parse import context_of as context_of
    from hud_components.layout._parse import usable_texts as usable_texts
    from hud_components.layout._parse import words_of as words_of
    from hud_components.layout._paths import BindingError as BindingError

on_demand(globals())
__all__ = [
    "SECTIONS",
    "BindingError",
    "PressureNotice",
    "UnreadableNotice",
    "budget_for",
    "layout_vocabulary",
]
