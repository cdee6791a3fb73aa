"""The lines of a rendering that differ from an earlier one, part by part.

Parts are matched by where they stand in the tree; of one that changed, the lines that both begin and end with
are left out. That is one walk over both texts, whatever is in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ujsx import Rendered


def changed_parts(before: Rendered, now: Rendered) -> list[dict[str, Any]]:
    """Return the parts that changed, came or went: their paths, and the lines that went and that came.

    >>> from ujsx import render_document
    >>> from ujsx.elements import Paragraph
    >>> changed_parts(*(render_document(Paragraph()[each]) for each in ("Port 1", "Port 2")))
    [{'path': 'Paragraph', 'gone': ['Port 1'], 'new': ['Port 2']}]
    """
    old, new = dict(_placed(before)), dict(_placed(now))
    return [
        {"path": place[0], **told}
        for place in dict.fromkeys([*new, *old])
        if (told := _changed(old.get(place, ""), new.get(place, ""))) is not None
    ]


def _placed(rendered: Rendered) -> Iterator[tuple[tuple[str, int], str]]:
    counts: dict[str, int] = {}
    for node in rendered.nodes:
        counts[node.path] = counts.get(node.path, -1) + 1
        yield (node.path, counts[node.path]), node.text


def _changed(old: str, new: str) -> dict[str, list[str]] | None:
    before, after = old.strip("\n").split("\n"), new.strip("\n").split("\n")
    if before == after:
        return None
    shared = min(len(before), len(after))
    first = next((at for at in range(shared) if before[at] != after[at]), shared)
    rest = shared - first
    last = next((at for at in range(rest) if before[-1 - at] != after[-1 - at]), rest)
    gone, came = before[first : len(before) - last], after[first : len(after) - last]
    return {"gone": [each for each in gone if each], "new": [each for each in came if each]}
