"""The declaration of a section: its items, their lines, omissions, and reading back."""

from hud_components._models import milliseconds_of, usage_of
from hud_components.declaring._checks import OF_EVERY_VERB, verbs_of
from hud_components.declaring._domain import Happening
from hud_components.declaring._form import AROUND, ORIGIN, Over, read_mark, whence_of, without_mark
from hud_components.declaring._section import bound
from hud_components.declaring._spellings import Meant, SpelledName, Spellings, respelt
from hud_components.declaring._state import as_usual, can_fold
from hud_components.declaring._values import Partial, as_text, is_set
from hud_components.words._cut import age_of_summary

__all__ = [
    "AROUND",
    "OF_EVERY_VERB",
    "ORIGIN",
    "Happening",
    "Meant",
    "Over",
    "Partial",
    "SpelledName",
    "Spellings",
    "age_of_summary",
    "as_text",
    "as_usual",
    "bound",
    "can_fold",
    "is_set",
    "milliseconds_of",
    "read_mark",
    "respelt",
    "usage_of",
    "verbs_of",
    "whence_of",
    "without_mark",
]
