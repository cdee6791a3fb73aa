"""The HUD's words: fixed texts and plurals, their use for values, and values read back from them."""

from hud_components.words._quoted import Remaining as Remaining
from hud_components.words._quoted import RequestMessage as RequestMessage
from hud_components.words._quoted import RequestWords as RequestWords
from hud_components.words._quoted import section_rank as section_rank
from hud_components.words._texts import ANSWERS as ANSWERS
from hud_components.words._texts import NO_TEXTS as NO_TEXTS
from hud_components.words._texts import PLURALS as PLURALS
from hud_components.words._texts import SUMMARY_AGES as SUMMARY_AGES
from hud_components.words._texts import TextError as TextError
from hud_components.words._texts import counted as counted
from hud_components.words._texts import cut as cut
from hud_components.words._texts import ends as ends
from hud_components.words._texts import format_text as format_text
from hud_components.words._texts import line as line
from hud_components.words._texts import only_child as only_child
from hud_components.words._texts import same_words as same_words
from hud_components.words._texts import text_of as text_of
from ujsx.components import Now as Now

__all__ = ["PLURALS", "TextError"]
