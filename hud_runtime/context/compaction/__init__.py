"""Compaction: when a summary replaces a conversation, how it is requested, and what remains.

In: a session's compaction state, a window, messages of any SDK. Out: decisions, prompts, shorter histories;
the session's log records the result. A policy is data, and its decision a pure function; its caller asks the
models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.context.compaction._policy import REFUSALS as REFUSALS
    from hud_runtime.context.compaction._policy import RESERVED as RESERVED
    from hud_runtime.context.compaction._policy import Compaction as Compaction
    from hud_runtime.context.compaction._policy import CompactionDecision as CompactionDecision
    from hud_runtime.context.compaction._policy import CompactionPolicy, ModelWindow
    from hud_runtime.context.compaction._policy import CompactionState as CompactionState
    from hud_runtime.context.compaction._policy import FileChange as FileChange
    from hud_runtime.context.compaction._policy import Refusal as Refusal
    from hud_runtime.context.compaction._policy import compactions_of as compactions_of
    from hud_runtime.context.compaction._policy import decided as decided
    from hud_runtime.context.compaction._policy import refusal_in as refusal_in
    from hud_runtime.context.compaction._policy import standing_of as standing_of
    from hud_runtime.context.compaction._request import OPENING as OPENING
    from hud_runtime.context.compaction._request import CompactionPrompt as CompactionPrompt
    from hud_runtime.context.compaction._request import Write as Write
    from hud_runtime.context.compaction._request import compaction_prompt, messages_since_compaction
    from hud_runtime.context.compaction._request import is_summary as is_summary
    from hud_runtime.context.compaction._request import marked as marked
    from hud_runtime.context.compaction._request import without_media as without_media
    from hud_runtime.context.compaction._run import Ask as Ask
    from hud_runtime.context.compaction._run import CompactionResult, acompact, compact

__all__ = [
    "CompactionPolicy",
    "CompactionResult",
    "ModelWindow",
    "acompact",
    "compact",
    "compaction_prompt",
    "messages_since_compaction",
]

on_demand(globals())
