"""The HUD's words: fixed texts and plurals, what they say of values, and values read back from them."""

from hud_components.words._cut import SUMMARY_AGES, cut, ends, line, only_child, text_of
from hud_components.words._quoted import section_rank
from hud_components.words._request_words import Remaining, RequestMessage, RequestWords
from hud_components.words._texts import ANSWERS, COMMON, NO_TEXTS, counted, format_text

__all__ = [
    "ANSWERS",
    "COMMON",
    "NO_TEXTS",
    "SUMMARY_AGES",
    "Remaining",
    "RequestMessage",
    "RequestWords",
    "counted",
    "cut",
    "ends",
    "format_text",
    "line",
    "only_child",
    "section_rank",
    "text_of",
]
