"""The part of a state that a delivery has to tell, beside the words of its request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hud_components.declaring._state import State
from hud_components.words._request_words import Remaining, RequestWords


def remaining(state: State, request: RequestWords) -> Remaining:
    """Return what is left to tell of a state's values. Bound to the context of a rendering, it leaves the rest out.

    >>> from hud_components import Hud, HudState, Task
    >>> from hud_components.words import RequestMessage
    >>> from ujsx import RenderContext, render
    >>> state = HudState(task=Task(description="Add a login.", goal="A shop", said_by="user"))
    >>> left = remaining(state, RequestWords([RequestMessage("Please go on. Add a login.")]))
    >>> print(render(Hud.of(state), context=RenderContext().with_value(left)), end="")
    # HUD
    <BLANKLINE>
    ## Task
    <BLANKLINE>
    *goal:* A shop
    """
    found = [*_changed(state, request)]
    names = frozenset(name for name, _, _ in found)
    return Remaining(tuple((value, rest) for _, value, rest in found), names)


def _changed(state: State, request: RequestWords) -> Iterator[tuple[str, Any, Any]]:
    """Yield the values of which the request has something: the section, the value and what is left of it."""
    for section in state.sections:
        value = getattr(state, section.field) if section.field else None
        rest = section.beyond(value, request) if value else value
        if rest != value:
            yield section.__name__, value, rest
    summary = state.compacted_context
    if summary and request.has(summary):
        yield "CompactedContext", summary, ""
