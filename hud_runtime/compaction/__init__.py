"""Compaction: when a conversation is replaced by a summary, how that is asked for, and what is left of it.

In: where a session stands, a window, messages of any SDK. Out: decisions, prompts, histories that are shorter; what
came of it is told to the session's log. A policy is data, and what it decides a pure function; its caller asks the
models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.compaction._policy import (
        REFUSALS,
        RESERVED,
        CompactionDecision,
        CompactionPolicy,
        ModelWindow,
        Refusal,
        Verdict,
        decided,
        is_overflow,
        refusal_in,
    )
    from hud_runtime.compaction._request import (
        OPENING,
        CompactionPrompt,
        Write,
        compaction_prompt,
        is_summary,
        marked,
        messages_since_compaction,
        without_media,
    )
    from hud_runtime.compaction._run import (
        Ask,
        Attempt,
        CompactionOptions,
        CompactionResult,
        acompact,
        compact,
    )
    from hud_runtime.compaction._standing import (
        Compaction,
        FileChange,
        Standing,
        compactions_of,
        standing_after,
        standing_of,
    )

__all__ = [
    "OPENING",
    "REFUSALS",
    "RESERVED",
    "Ask",
    "Attempt",
    "Compaction",
    "CompactionDecision",
    "CompactionOptions",
    "CompactionPolicy",
    "CompactionPrompt",
    "CompactionResult",
    "FileChange",
    "ModelWindow",
    "Refusal",
    "Standing",
    "Verdict",
    "Write",
    "acompact",
    "compact",
    "compaction_prompt",
    "compactions_of",
    "decided",
    "is_overflow",
    "is_summary",
    "marked",
    "messages_since_compaction",
    "refusal_in",
    "standing_after",
    "standing_of",
    "without_media",
]

on_demand(
    globals(),
    {
        "_policy": (
            "CompactionDecision",
            "CompactionPolicy",
            "ModelWindow",
            "REFUSALS",
            "RESERVED",
            "Refusal",
            "Verdict",
            "decided",
            "is_overflow",
            "refusal_in",
        ),
        "_request": (
            "CompactionPrompt",
            "OPENING",
            "Write",
            "compaction_prompt",
            "is_summary",
            "marked",
            "messages_since_compaction",
            "without_media",
        ),
        "_run": ("Ask", "Attempt", "CompactionOptions", "CompactionResult", "acompact", "compact"),
        "_standing": (
            "Compaction",
            "FileChange",
            "Standing",
            "compactions_of",
            "standing_after",
            "standing_of",
        ),
    },
)
"""The names, each from a module that is imported when it is first asked for."""
