"""Lists of messages, whatever their form: what is understood of each is told.

The reader of messages knows the forms (:mod:`hud_runtime.messages`); a format says how its files are told apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from hud_runtime.messages import KINDS, ROLES, Part, Role, read_message
from hud_runtime.observation._json import Record, mapping, milliseconds, sequence, string
from hud_runtime.observation._messages import Place, calls_in
from hud_runtime.observation._observations import (
    AgentMessage,
    AnyObservation,
    Background,
    Compacted,
    UserMessage,
)
from hud_runtime.transcripts._answers import answers_in
from hud_runtime.transcripts._rows import at as at_path
from hud_runtime.transcripts._rows import members, placed
from hud_runtime.transcripts._source import Numbered, Source

SUMMARIES = (
    "Context summary:",
    "<SYSTEM_NOTICE>\nEarlier context was compacted",
    "This session is being continued from a previous conversation",
)
"""How texts in the user's place begin that stand for what was before."""

PROMPT = "system-prompt"
"""The type of a system prompt among the parts of a request."""

TIME = at_path("timestamp|ts|time", milliseconds)


def _time(message: Record) -> int | None:
    """The time of a message, or of the prompt in it."""
    parts = map(mapping, sequence(message.get("parts")))
    prompts = (one for one in parts if one.get("part_kind") == "user-prompt")
    return TIME(message) or next(map(TIME, prompts), None)


PLACE = members(timestamp=_time, directory="cwd")
ABOUT = members(
    model="model|model_name|modelInfo.id|metadata.model|response_metadata.model_name",
    usage="usage|response_metadata.usage|usage_metadata|usageMetadata|metrics",
    used="usageMetadata.totalTokenCount",
)
"""Places of what a message tells beside its words."""


def messages(records: Iterable[Numbered], source: Source) -> Iterator[AnyObservation]:
    """Yield what messages tell."""
    for line, message in records:
        yield from message_seen(message, source, placed(line, PLACE(message)))


def message_seen(
    message: Record, source: Source, at: Place, **about: Any
) -> Iterator[AnyObservation]:
    """Yield what one message tells.

    :param about: what is known of it beside.
    """
    word = string(message.get("role")) or string(message.get("type")) or string(message.get("kind"))
    said = read_message(message)
    if word not in SPEAKERS and not said.has("call", "result"):
        source.skip(word or "no role")
        return
    own = "\n".join(each.words for each in said.parts if _is_own(each))
    if said.role == "assistant":
        yield AgentMessage(**at, text=own, **{**ABOUT(message), **about})
    for part in said.parts:
        if part.type == PROMPT:
            yield Background(**at, text=part.words)
        elif part.kind == "summary":
            yield Compacted(**at, summary=part.words)
        elif part.type and _tells_nothing(part, said.role):
            source.skip(part.type)
        yield from calls_in([part], **at)
        # A message that is an answer itself does not say whether the call failed.
        is_whole = part.type == message.get("type")
        yield from answers_in([part._replace(type="") if is_whole else part], **at)
    if ROLES.get(word or "") == "system":
        yield Background(**at, text=own)
    elif said.role != "assistant" and (own.strip() or said.has("media")):
        yield from _of_user(message, own, source, at)


def _is_own(part: Part) -> bool:
    """Whether it is the words of the speaker, in a part of a known type."""
    return part.kind == "text" and bool(part.value) and _is_known(part) and part.type != PROMPT


def _tells_nothing(part: Part, role: Role) -> bool:
    if part.type == "retry-prompt" and part.id is None:
        return True
    by_agent = role == "assistant"
    return part.kind == "other" or (part.kind == "media" and by_agent) or not _is_known(part)


def _is_known(part: Part) -> bool:
    return part.kind != "text" or part.type in KINDS or not part.type


def _of_user(message: Record, text: str, source: Source, at: Place) -> Iterator[AnyObservation]:
    if "synthetic_reason" in message:
        source.skip("message of the program")
    elif text.lstrip().startswith(SUMMARIES):
        yield Compacted(**at, summary=text)
    else:
        yield UserMessage(**at, text=text)


SPEAKERS = frozenset({*ROLES, "tool_result", "request", "response"})
"""Roles, and types of messages that have none."""
