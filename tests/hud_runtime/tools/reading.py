"""Calls of the HUD's tool as a reader of transcripts takes them."""

from __future__ import annotations

from typing import Any

from hud_runtime.observe import Reader, ToolAnswer, ToolCall


def recorded(given: dict[str, Any], answer: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the events of a call that was answered, each with its payload."""
    reader = Reader()
    call = ToolCall(name="hud", arguments=given, call_id="1")
    seen = call, ToolAnswer(text=answer, call_id="1")
    return [(draft.type, {**draft.payload}) for each in seen for draft in reader.feed(each)]
