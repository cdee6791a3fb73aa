"""The coding HUD with a section that fails while there is a file ``broken`` in the store's folder."""

from __future__ import annotations

import os
from pathlib import Path

from hud_components import CODING, View
from ujsx import Child, Children, RenderContext


class Fragile(View):
    """Shows nothing, or fails."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        home = os.environ.get("UJSX_HOME")
        if home is not None and Path(home, "broken").exists():
            raise ZeroDivisionError("a component of somebody's")
        return None


BROKEN = CODING.with_sections(Fragile, name="fragile")
