"""From what a rendering left out to the calls that show exactly that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hud_components import State
from hud_runtime.tools._arguments import LONGEST_PAGE
from ujsx import OmittedItems


def calls_for(omitted: OmittedItems, state: State) -> list[dict[str, Any]]:
    """Return the arguments of ``hud`` calls whose answers show what was left out, and nothing else.

    A page of a list is a run of it, so there is a call for each run of items, and for each hundred.

    :param omitted: an entry of :attr:`ujsx.Rendered.omitted`.
    :param state: the state that was rendered.
    :return: the calls; none where the entry names no items, or the state no longer has them.

    >>> from hud_components import Hud, HudState, Note
    >>> from ujsx import render_document
    >>> state = HudState(notes=tuple(Note(id=f"n-{n}", content=str(n)) for n in range(9)))
    >>> (omitted,) = render_document(Hud.of(state), density="compact").omitted
    >>> calls_for(omitted, state)
    [{'call': {'op': 'notes.list', 'after': 0, 'limit': 6}}]
    """
    missing = set(omitted.ids)
    calls: list[dict[str, Any]] = []
    for section in state.sections:
        items: Sequence[Any] = getattr(state, section.field) if section.kind else ()
        ids = [getattr(item, "id", None) for item in items]
        for after, limit in _runs([place for place, id_ in enumerate(ids) if id_ in missing]):
            calls.append({"call": {"op": f"{section.name}.list", "after": after, "limit": limit}})
    return calls


def _runs(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield where each run of ascending places starts, and how long it is, at most a page."""
    start = 0
    for end in range(1, len(places) + 1):
        if end == len(places) or places[end] != places[end - 1] + 1 or end - start == LONGEST_PAGE:
            yield places[start], end - start
            start = end
