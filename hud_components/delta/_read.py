"""The knowledge of a reader who has seen a HUD and every delta since."""

from __future__ import annotations

from collections.abc import Iterable

from hud_components.delta._change import after, read_changes
from hud_components.delta._lines import Line, lines_of
from ujsx import RenderContext


def read(
    whole: str, deltas: Iterable[str] = (), context: RenderContext | None = None
) -> tuple[Line, ...]:
    r"""Return what is known to who has read a HUD, and then these texts that say what changed.

    Lines under one heading are in their order; the headings are in none.

    :param context: the fixed texts of the renderings, if they were not the usual ones.

    >>> whole = "# HUD\n\n## Notes\n\n- Port 8080\n"
    >>> delta = "# HUD changes\n\n## Notes\n\n- Use JWT\n- *gone:* Port 8080\n"
    >>> [(line.title, line.text) for line in read(whole, [delta])]
    [('Notes', '- Use JWT')]
    """
    ctx = context or RenderContext()
    known = [each.line for each in lines_of(whole)]
    for text in deltas:
        for change in read_changes(text, ctx):
            known = after(known, change)
    return tuple(known)
