"""The HUD's words: fixed texts and plurals, what they say of values, and values read back from them."""

from hud_components.words._answers import ANSWERS
from hud_components.words._cut import cut, ends, line
from hud_components.words._first_sections import section_rank
from hud_components.words._reading import only_child, text_of
from hud_components.words._texts import COMMON, NO_TEXTS, counted, format_text

__all__ = [
    "ANSWERS",
    "COMMON",
    "NO_TEXTS",
    "counted",
    "cut",
    "ends",
    "format_text",
    "line",
    "only_child",
    "section_rank",
    "text_of",
]
