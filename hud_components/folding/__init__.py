"""The effects of events on a section: payloads, verbs, and edits that keep what does not change."""

from hud_components.folding._items import EMPTY as EMPTY
from hud_components.folding._items import LARGEST as LARGEST
from hud_components.folding._items import Change as Change
from hud_components.folding._items import End as End
from hud_components.folding._items import Index as Index
from hud_components.folding._items import ItemChange as ItemChange
from hud_components.folding._items import Items as Items
from hud_components.folding._items import Kind as Kind
from hud_components.folding._items import Moment as Moment
from hud_components.folding._items import New as New
from hud_components.folding._items import Payload as Payload
from hud_components.folding._items import Target as Target
from hud_components.folding._items import changed_where as changed_where
from hud_components.folding._items import choice_of as choice_of
from hud_components.folding._items import duplicate as duplicate
from hud_components.folding._items import is_absolute as is_absolute
from hud_components.folding._items import known_items as known_items
from hud_components.folding._items import least_trusted as least_trusted
from hud_components.folding._items import made_id as made_id
from hud_components.folding._items import path_within as path_within
from hud_components.folding._items import replaced as replaced
from hud_components.folding._items import report as report
from hud_components.folding._items import said_again as said_again
from hud_components.folding._items import said_anew as said_anew
from hud_components.folding._items import said_now as said_now
from hud_components.folding._items import same_if_equal as same_if_equal
from hud_components.folding._items import with_index as with_index
from hud_components.folding._items import with_indexes as with_indexes
from hud_components.folding._items import with_sections as with_sections
from hud_components.folding._items import with_values as with_values
from hud_components.folding._verb import DONE as DONE
from hud_components.folding._verb import REOPENED as REOPENED
from hud_components.folding._verb import VERBS as VERBS
from hud_components.folding._verb import (
    Add,
    Append,
    Clear,
    Mark,
    Remove,
    Reopen,
    Reorder,
    Replace,
    Set,
    Update,
    VerbError,
    timestamp,
)
from hud_components.folding._verb import Verb as Verb
from hud_components.folding._verb import folded as folded
from hud_components.folding._verb import items_of as items_of
from hud_components.folding._verb import room_of as room_of
from hud_components.folding._verb import text_field as text_field
from hud_components.folding._verb import usual as usual

__all__ = [
    "Add",
    "Append",
    "Clear",
    "Mark",
    "Remove",
    "Reopen",
    "Reorder",
    "Replace",
    "Set",
    "Update",
    "VerbError",
    "timestamp",
]
