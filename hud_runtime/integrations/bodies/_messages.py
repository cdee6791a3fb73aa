"""Anthropic's Messages."""

# JSON data is Any by nature.
# pyright: basic

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hud_runtime.integrations._dialogue import Message
from hud_runtime.integrations.bodies._api import (
    Api,
    Ours,
    Record,
    arguments_of,
    blocks_of,
    is_tail,
    list_of,
    marked,
    text_of,
    words,
)
from hud_runtime.observation import ToolCall, ToolResult, Usage

EPHEMERAL = {"type": "ephemeral"}
"""Anthropic's breakpoint."""

CLEARING = re.compile(r"claude-(fable-5|mythos-5|opus-4-8|opus-5|sonnet-5-5|haiku-5-5)")
"""Models that take a message which lasts for one request."""


def _told(message: Any) -> Message:
    content = message.get("content")
    blocks = blocks_of(content, "text")
    if message.get("role") == "assistant":
        calls = tuple(
            ToolCall(name=each["name"], arguments=arguments_of(each["input"]), call_id=each["id"])
            for each in blocks
            if each.get("type") == "tool_use"
        )
        found = (each.get("content") for each in blocks if each.get("type") == "compaction")
        summary = next((each for each in found if isinstance(each, str)), "")
        said = words([each for each in blocks if each.get("type") == "text"])
        return Message(
            text=text_of(message), said=said, is_answer=True, calls=calls, summary=summary
        )
    results = tuple(
        ToolResult(
            text=words(each.get("content")),
            call_id=each["tool_use_id"],
            status="failed" if each.get("is_error") else "unknown",
        )
        for each in blocks
        if each.get("type") == "tool_result"
    )
    texts = [each for each in blocks if each.get("type") == "text"]
    said = words(texts) if message.get("role") == "user" else ""
    return Message(text=text_of(message), said=said, results=results)


def _join(body: Record, items: Sequence[Any], system: str) -> Record:
    made = dict(body)
    messages: list[Any] = []
    for item in items:
        if not isinstance(item, Ours):
            messages.append(item)
            continue
        block: Record = {"type": "text", "text": item.part.text}
        if not messages or messages[-1].get("role") != "user":
            messages.append({"role": "user", "content": [block]})
            continue
        last = messages[-1]
        content = blocks_of(last["content"], "text")
        if is_tail(item) and content:
            # The automatic breakpoint, or one of the host's own, would fall behind the HUD.
            made.pop("cache_control", None)
            messages = [_unmarked(each) for each in messages]
            content = marked(bare_marks(content), "text", "cache_control", EPHEMERAL)
        messages[-1] = {**last, "content": [*content, block]}
    made["messages"] = messages
    if system:
        own = blocks_of(body.get("system"), "text")
        made["system"] = [*own, {"type": "text", "text": system, "cache_control": EPHEMERAL}]
    return made


def bare_marks(content: list[Any]) -> list[Any]:
    """Return blocks without their breakpoints.

    >>> bare_marks([{"type": "text", "text": "a", "cache_control": {}}])
    [{'type': 'text', 'text': 'a'}]
    """
    return [
        {key: value for key, value in each.items() if key != "cache_control"} for each in content
    ]


def _unmarked(message: Any) -> Any:
    content = message.get("content")
    return {**message, "content": bare_marks(content)} if isinstance(content, list) else message


def fleeting(body: Record, text: str) -> Record:
    """Return a request with words that last for this one alone, though the provider holds the history.

    >>> fleeting({"messages": []}, "# HUD")["messages"][0]["clear_at"]
    'next_user_message'
    """
    said = {"role": "system", "content": text, "clear_at": "next_user_message"}
    return {**body, "messages": [*body["messages"], said]}


def _usage(answer: Mapping[str, Any]) -> tuple[Usage | None, str | None]:
    given = answer.get("usage") or {}
    if "input_tokens" not in given:
        return None, answer.get("model")
    usage = Usage(  # what was cached is counted apart
        input=given["input_tokens"],
        cache_read=given.get("cache_read_input_tokens") or 0,
        cache_write=given.get("cache_creation_input_tokens") or 0,
        output=given.get("output_tokens") or 0,
    )
    return usage, answer.get("model")


def _thread(body: Record) -> str | None:
    thread = body.get("thread")
    return thread.get("previous_message_id") if isinstance(thread, dict) else None


MESSAGES = Api(
    "messages",
    list_of("messages"),
    _told,
    _join,
    _usage,
    _thread,
)
