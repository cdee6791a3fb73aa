"""The hints about the HUD's tools that a client may show its user, as the protocol has them."""

from __future__ import annotations

from collections.abc import Mapping

HINTS: Mapping[str, bool] = {
    "readOnlyHint": False,
    "destructiveHint": False,
    "idempotentHint": False,
    "openWorldHint": False,
}
"""Of those that write. Nothing is destroyed: the log keeps what was."""

READS: Mapping[str, bool] = {"readOnlyHint": True, "openWorldHint": False}
"""Of the one that only reads."""
