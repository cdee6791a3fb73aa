"""Codex: what its hooks tell, and what they answer.

In: what a hook is given on its standard input, and the rollout in which Codex writes what happens. Out: what the hook
says on its standard output. Hooks and the MCP server are entries of Codex's settings, which :func:`install`
writes and :func:`uninstall` takes out again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.integrations.codex._events import Codex
    from hud_runtime.integrations.codex._install import install, programs, uninstall

__all__ = ["Codex", "install", "programs", "uninstall"]

on_demand(globals(), {"_events": ("Codex",), "_install": ("install", "programs", "uninstall")})
