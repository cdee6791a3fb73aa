"""Memory at run time: its tools, and what other tools' files remember.

In: calls of an agent, files of the founding plugin. Out: operations and events of the sections in
:mod:`hud_components.memory`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.memory._toolset import TOOLS as TOOLS
    from hud_runtime.memory._toolset import memory_toolset as memory_toolset

_names = on_demand(globals(), {"_toolset": ("TOOLS", "memory_toolset")})
__all__ = list(_names)  # pyright: ignore[reportUnsupportedDunderAll]
