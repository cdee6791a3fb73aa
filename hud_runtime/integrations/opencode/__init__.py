"""OpenCode: what its plugin tells, and what it is answered.

In: what OpenCode's hooks and events say, passed on by ``plugin.js``, which runs inside OpenCode and needs nothing but
it. Out: what stands where in the next request, and answers to calls of the HUD's tools. :func:`install` puts the
plugin where OpenCode looks for plugins, and :func:`uninstall` takes it out again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.integrations.opencode._events import OpenCode
    from hud_runtime.integrations.opencode._install import install, programs, uninstall

__all__ = ["OpenCode", "install", "programs", "uninstall"]

on_demand(globals(), {"_events": ("OpenCode",), "_install": ("install", "programs", "uninstall")})
