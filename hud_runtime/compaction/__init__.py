"""Compaction: when a conversation is replaced by a summary, how that is asked for, and what is left of it.

In: where a session stands, a window, messages of any SDK. Out: decisions, prompts, histories that are shorter; what
came of it is told to the session's log. A policy is data, and what it decides a pure function; its caller asks the
models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.compaction._log import Compaction, FileChange, compactions_of
    from hud_runtime.compaction._policy import CompactionPolicy, Decision, Verdict, decided
    from hud_runtime.compaction._prompt import CompactionPrompt, compaction_prompt
    from hud_runtime.compaction._refusals import REFUSALS, Refusal, refusal_in
    from hud_runtime.compaction._request import OPENING, Write
    from hud_runtime.compaction._run import Ask, Attempt, Compacted, Options, acompact, compact
    from hud_runtime.compaction._session import LoggedSession
    from hud_runtime.compaction._since import (
        is_summary,
        marked,
        messages_since_compaction,
        without_media,
    )
    from hud_runtime.compaction._standing import Standing, standing_after, standing_of
    from hud_runtime.compaction._window import RESERVED, ModelWindow, is_overflow

__all__ = [
    "OPENING",
    "REFUSALS",
    "RESERVED",
    "Ask",
    "Attempt",
    "Compacted",
    "Compaction",
    "CompactionPolicy",
    "CompactionPrompt",
    "Decision",
    "FileChange",
    "LoggedSession",
    "ModelWindow",
    "Options",
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
        "_log": ("Compaction", "FileChange", "compactions_of"),
        "_policy": ("CompactionPolicy", "Decision", "Verdict", "decided"),
        "_prompt": ("CompactionPrompt", "compaction_prompt"),
        "_refusals": ("REFUSALS", "Refusal", "refusal_in"),
        "_request": ("OPENING", "Write"),
        "_run": ("Ask", "Attempt", "Compacted", "Options", "acompact", "compact"),
        "_session": ("LoggedSession",),
        "_since": ("is_summary", "marked", "messages_since_compaction", "without_media"),
        "_standing": ("Standing", "standing_after", "standing_of"),
        "_window": ("RESERVED", "ModelWindow", "is_overflow"),
    },
)
"""The names, each from a module that is imported when it is first asked for."""
