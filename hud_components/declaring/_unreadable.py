"""Stored data that the domain of today cannot read: which items a state lacks for it, as part of the fold.

An item counts once, however many of its events cannot be read, and no longer once it is removed, or its
section is cleared or replaced. The log keeps all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from typing_extensions import TypeVar

from hud_components._models import Unreadable
from hud_components.folding import (
    Clear,
    Kind,
    Remove,
    Replace,
    Set,
    carrying,
    with_sections,
)
from ujsx.text import is_text

if TYPE_CHECKING:
    from hud_components.declaring._domain import Domain, Happening
    from hud_components.declaring._section import HudSection
    from hud_components.declaring._state import State

StateT = TypeVar("StateT", bound="State")

_KIND = Kind(text="section", key="key")


def unreadable_in(
    domain: Domain[Any], event_type: str, said: Any, version: int
) -> Iterator[Unreadable]:
    """Yield what an event that cannot be read is about.

    :param said: its payload: JSON data, or the fields of a model.
    """
    data = _fields(said)
    parts: dict[str, object] = {domain.owner_of(event_type): data}
    if event_type == "section.replace":
        parts = {domain.owner_of(name): {"items": items} for name, items in data.items()}
    elif event_type.startswith("section.") and isinstance(data.get("section"), str):
        parts = {domain.owner_of(data["section"]): {}}
    for field, about in parts.items():
        for item in _named(domain.fields.get(field), about):
            yield Unreadable(section=field, item=item, version=version)


def _named(section: type[HudSection] | None, said: object) -> Iterator[str]:
    """What names the items that an event is about; empty for an event that names none."""
    key = "id" if section is None or section.kind is None else section.kind.key
    usual = section.name if section is not None and section.kind is None else ""
    items = _fields(said).get("items")
    several = cast("Sequence[object]", items) if isinstance(items, list) else ()
    for each in several or (said,):
        name = _fields(each).get(key)
        yield name if isinstance(name, str) and is_text(name) else usual


def _fields(said: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", said) if isinstance(said, Mapping) else {}


def with_unreadable(state: StateT, found: Iterable[Unreadable]) -> StateT:
    """Return the state with more that cannot be read; what it counts already changes nothing."""
    index = _KIND.index(state.unreadable)
    for each in found:
        if each.key not in index:
            index.append(each)
    return with_sections(state, unreadable=carrying(index, state.unreadable))


def without_unreadable(state: StateT, sections: Iterable[str], item: str | None = None) -> StateT:
    """Return the state without what cannot be read of some sections, or of one item of theirs."""
    if not state.unreadable:
        return state
    index = _KIND.index(state.unreadable)
    for field in sections:
        found = index.saying(field, is_open=True)
        if item is not None:
            found = index.with_key(f"{field}/{item}")
        for number in reversed([*found]):
            index.remove(number)
    return with_sections(state, unreadable=carrying(index, state.unreadable))


def settled(state: StateT, happening: Happening | None, said: Any) -> StateT:
    """Return the state without what an event that is read takes away, or says anew."""
    if happening is None:
        return state
    section, verb = happening
    if isinstance(verb, Clear | Replace):
        return without_unreadable(state, [section.field])
    if isinstance(verb, Set):
        return without_unreadable(state, [section.field], section.name)
    if isinstance(verb, Remove) and section.kind is not None:
        return without_unreadable(state, [section.field], getattr(said, section.kind.key))
    return state
