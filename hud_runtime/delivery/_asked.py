"""What a delivery is made of: what was asked for, and the HUD as it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hud_runtime.delivery._delivery import Mode, Reanchor

if TYPE_CHECKING:
    from ujsx import Child, RenderContext, Rendered


class Shown(NamedTuple):
    """A HUD, and what it was rendered from."""

    node: Child
    rendered: Rendered
    context: RenderContext
    """With the density of the rendering."""


class Asked(NamedTuple):
    """What somebody asks for who is about to send a request."""

    mode: Mode = "append"
    reader: str = "main"
    texts: tuple[str, ...] | None = None
    fresh: bool = False
    stores: bool = True
    marked: bool = False
    reanchor: Reanchor | None = None
