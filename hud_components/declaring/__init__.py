"""The declaration of a section: its items, their lines, omissions, and reading back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hud_components._models import Actor as Actor
from hud_components._models import HudModel as HudModel
from hud_components._models import Milliseconds as Milliseconds
from hud_components._models import PlainItem as PlainItem
from hud_components._models import ShareAlone as ShareAlone
from hud_components._models import in_order as in_order
from hud_components._models import milliseconds_of as milliseconds_of
from hud_components._models import usage_of as usage_of
from hud_components.words._texts import age_of_summary as age_of_summary
from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_components.declaring._checks import OF_EVERY_VERB as OF_EVERY_VERB
    from hud_components.declaring._checks import verbs_of as verbs_of
    from hud_components.declaring._domain import SectionEvent as SectionEvent
    from hud_components.declaring._domain import is_layout_text as is_layout_text
    from hud_components.declaring._form import AROUND as AROUND
    from hud_components.declaring._form import AROUND_A_VALUE as AROUND_A_VALUE
    from hud_components.declaring._form import ItemLine as ItemLine
    from hud_components.declaring._form import Over as Over
    from hud_components.declaring._form import begins_with_words as begins_with_words
    from hud_components.declaring._form import read_line as read_line
    from hud_components.declaring._form import read_mark as read_mark
    from hud_components.declaring._form import without_mark as without_mark
    from hud_components.declaring._lines import ANYTHING as ANYTHING
    from hud_components.declaring._lines import LayoutWarning as LayoutWarning
    from hud_components.declaring._lists import parts_of_line as parts_of_line
    from hud_components.declaring._section import ValueProp as ValueProp
    from hud_components.declaring._section import bound as bound
    from hud_components.declaring._spellings import OPENS_NONE as OPENS_NONE
    from hud_components.declaring._spellings import Meant as Meant
    from hud_components.declaring._spellings import SpelledName as SpelledName
    from hud_components.declaring._spellings import Spellings as Spellings
    from hud_components.declaring._spellings import local_times as local_times
    from hud_components.declaring._spellings import respelt as respelt
    from hud_components.declaring._spellings import value_shown as value_shown
    from hud_components.declaring._state import as_usual as as_usual
    from hud_components.declaring._state import can_fold as can_fold
    from hud_components.declaring._values import Partial as Partial
    from hud_components.declaring._values import as_text as as_text
    from hud_components.declaring._values import is_set as is_set

on_demand(globals())
__all__ = [
    "Actor",
    "HudModel",
    "LayoutWarning",
    "Milliseconds",
    "PlainItem",
    "ValueProp",
]
