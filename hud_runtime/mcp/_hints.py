"""What a client may tell its user of the HUD's tools, as the protocol has it."""

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
