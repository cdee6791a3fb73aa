"""A grammar of the layouts that an agent may bring, as trees in JSON.

``layout.set`` takes a layout as a document and as a tree; an open model that an engine holds to a
grammar writes the tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from pydantic import BaseModel

from hud_components.declaring._section import HudSection
from hud_components.declaring._state import State
from hud_components.layout._agent_layout import SETTINGS, agent_vocabulary
from hud_components.layout._bound import Bound
from hud_components.layout._each import Each
from hud_components.layout._hud import Hud
from hud_components.layout._paths import ITEM, BindingError, Kinds, items_in, kinds_at
from ujsx.components import ComponentClass
from ujsx.schema import Schema, tree_grammar

PATHS = ("has", "lacks", "field", "of")
"""The props that hold a path."""

DEEPEST = 2
"""Names in a path of the grammar; deeper ones are read, and not offered."""


def layout_grammar(state: type[State], *, syntax: str = "gbnf") -> str:
    """Return a grammar of the layouts that an agent may bring for states of a class, as trees in JSON.

    It holds what may stand where, which props may be set, and the paths that there are. What only
    the whole can tell is left to :func:`agent_layout_of_data` and its check: the order in which
    sections change, that there is a condition and a comparison names a field, where a path begins inside
    ``Each``, and that something of the session is shown.

    :param syntax: "gbnf" for llama.cpp and xgrammar, "lark" for llguidance and Lark.
    :raises SchemaError: for an unknown syntax.

    >>> from hud_components import HudState
    >>> grammar = layout_grammar(HudState)
    >>> "NotesSection" in grammar, "blockers" in grammar, "Link" in grammar
    (True, True, False)
    """
    paths = sorted({*paths_of(state), *paths_of_items(state)})
    one: Schema = {"type": "string", "enum": paths}
    maybe: Schema = {"anyOf": [one, {"type": "null"}]}

    def props(cls: ComponentClass) -> Mapping[str, Schema | None] | None:
        kind = cast("type[BaseModel]", cls)
        if issubclass(kind, HudSection):
            names = () if kind.stays_shown else SETTINGS
            return {name: None for name in names if name in kind.model_fields}
        if not issubclass(kind, Bound):
            return None
        return {
            name: (one if field.is_required() else maybe) if name in PATHS else None
            for name, field in kind.model_fields.items()
            if not (kind is Each and name == "handle")
        }

    return tree_grammar(agent_vocabulary(state), syntax=syntax, root=Hud, props=props)


def paths_of(state: Any) -> Iterator[str]:
    """Yield the paths that lead somewhere in a state, or in an item.

    >>> from hud_components import Task
    >>> "description" in set(paths_of(Task))
    True
    """
    scopes: tuple[Kinds, ...] = ((state,),)
    waiting = [""]
    while waiting:
        path = waiting.pop()
        kinds: Kinds = kinds_at(scopes, path) if path else (state,)
        if path:
            yield path
        if path.count(".") >= DEEPEST - 1 and path:
            continue
        for kind in kinds:
            for name in getattr(kind, "model_fields", ()) or ():
                inner = f"{path}.{name}" if path else name
                if _leads(scopes, inner):
                    waiting.append(inner)


def paths_of_items(state: Any) -> Iterator[str]:
    """Yield the paths that begin in an item of a list of the state, and the item itself."""
    yield ITEM
    for path in paths_of(state):
        for item in items_in(kinds_at(((state,),), path)) or ():
            if isinstance(item, type) and issubclass(item, BaseModel):
                yield from paths_of(item)


def _leads(scopes: tuple[Kinds, ...], path: str) -> bool:
    try:
        kinds_at(scopes, path)
    except BindingError:
        return False
    return True
