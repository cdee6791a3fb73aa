"""A rendering's account as data: what shows, and what was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ujsx import Density, Rendered


def account(rendered: Rendered, density: Density | None, budget: int | None) -> dict[str, Any]:
    r"""Return a rendering as JSON data.

    :param density: the density that was asked for or picked; ``None`` where a budget decides.

    >>> from ujsx import Density, render_document
    >>> account(render_document("Port 8080"), Density.FULL, None)["text"]
    'Port 8080\n'
    """
    return {
        "density": density,
        "budget": budget,
        "over_budget": rendered.over_budget,
        "tokens": rendered.tokens,
        "text": rendered.text,
        "sections": [
            {
                "name": each.name,
                "rung": None if each.rung is None else str(each.rung),
                "tokens": each.tokens,
                "start": each.start,
                "end": each.end,
                "fingerprint": each.fingerprint,
            }
            for each in rendered.sections
        ],
        "omitted": [
            {
                "section": each.section,
                "count": each.count,
                "ids": each.ids,
                "tokens": each.tokens,
                "handle": each.handle,
            }
            for each in rendered.omitted
        ],
    }


def excess(rendered: Rendered) -> list[str]:
    """Return the remark on a rendering that is over its budget, if it is."""
    if not rendered.over_budget:
        return []
    return [f"over the budget: the least that can be shown has {rendered.tokens} tokens"]
