"""The verbs that a section can ask for by name, with the words that go with them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hud_components.folding._verb import (
    Add,
    Append,
    Clear,
    Mark,
    Remove,
    Reorder,
    Replace,
    Set,
    Update,
    Verb,
)

_ALL = (
    Add("add", help="one", answer="Added {id}.", told="{id} added: {text}"),
    Update(
        "update",
        help="its wording",
        alone="any of its fields",
        answer="Updated {id}.",
        told="{id} reads anew: {changes}",
        rare=True,
    ),
    Remove("remove", help="one", answer="Removed {id}.", told="{id} removed{item}"),
    Mark("complete", help="one", answer="Completed {id}.", told="{id} completed{item}"),
    Mark("resolve", help="one", answer="Resolved {id}.", told="{id} resolved{item}"),
    Reorder("reorder", help="these first", answer="Reordered.", told="{order}"),
    Append("append", help="a line to one", answer="Updated {id}.", told="{id} says more: {said}"),
    Replace(
        "replace", help="all of them", answer="Replaced.", told="{section} replaced", rare=True
    ),
    Set("set", help="it", answer="Set.", told="{section} set: {said}"),
    Clear("clear", help="it", answer="Cleared.", told="{section} cleared"),
)

VERBS: Mapping[str, Verb] = MappingProxyType({verb.name: verb for verb in _ALL})
"""The verbs by name."""
