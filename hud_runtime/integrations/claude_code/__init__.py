"""Claude Code: what its hooks tell, and what they answer.

In: what a hook is given on its standard input. Out: what it says on its standard output. The hooks are entries of
Claude Code's settings, which :func:`install` writes and :func:`uninstall` takes out again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.integrations.claude_code._events import ClaudeCode
    from hud_runtime.integrations.claude_code._install import install, programs, uninstall

__all__ = ["ClaudeCode", "install", "programs", "uninstall"]

on_demand(
    globals(),
    {"_events": ("ClaudeCode",), "_install": ("install", "programs", "uninstall")},
)
