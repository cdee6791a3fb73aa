"""OpenAI's Chat Completions, which proxies speak for other providers as well."""

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
    is_tail,
    list_of,
    marked,
    never,
    text_of,
    words,
)
from hud_runtime.integrations.bodies._messages import EPHEMERAL
from hud_runtime.integrations.bodies._responses import BREAKPOINTS, EXPLICIT
from hud_runtime.observation import ToolCall, ToolResult, Usage


def _told(message: Any) -> Message:
    role, text = message.get("role"), text_of(message)
    if role == "assistant":
        calls = tuple(
            ToolCall(
                name=each["function"]["name"],
                arguments=arguments_of(each["function"].get("arguments")),
                call_id=each["id"],
            )
            for each in message.get("tool_calls") or ()
            if each.get("function")
        )
        said = words(message.get("content"))
        return Message(text=text, said=said, is_answer=True, calls=calls)
    if role == "tool":
        result = ToolResult(text=words(message.get("content")), call_id=message.get("tool_call_id"))
        return Message(text=text, results=(result,))
    return Message(text=text, said=words(message.get("content")) if role == "user" else "")


def _join(body: Record, items: Sequence[Any], system: str) -> Record:
    model = str(body.get("model"))
    made: list[Any] = []
    for item in items:
        if not isinstance(item, Ours):
            made.append(item)
            continue
        key, mark = _mark(model)
        if is_tail(item) and made and key and made[-1].get("content"):
            made[-1] = _marked(made[-1], key, mark)
        made.append({"role": "user", "content": item.part.text})
    if system:
        roles = ("system", "developer")
        count = next((n for n, each in enumerate(made) if each["role"] not in roles), len(made))
        made.insert(count, {"role": "system", "content": system})
    return {**body, "messages": made}


def _marked(message: Record, key: str, mark: Record) -> Record:
    """A message with a breakpoint at its end; what a tool says becomes one block at Anthropic."""
    if message["role"] == "tool" and key == "cache_control":
        return {**message, key: mark}
    return {**message, "content": marked(message["content"], "text", key, mark)}


def _mark(model: str) -> tuple[str, Record]:
    """The breakpoint that a model takes; proxies speak to Anthropic's in this form as well."""
    if BREAKPOINTS.search(model):
        return "prompt_cache_breakpoint", EXPLICIT
    return ("cache_control", EPHEMERAL) if re.search("claude|anthropic", model) else ("", {})


def _usage(answer: Mapping[str, Any]) -> tuple[Usage | None, str | None]:
    given = answer.get("usage")
    if not given:
        return None, answer.get("model")
    details = given.get("prompt_tokens_details") or {}
    usage = Usage.of_prompt(
        given.get("prompt_tokens") or 0,
        cache_read=details.get("cached_tokens") or 0,
        cache_write=details.get("cache_write_tokens") or 0,
        output=given.get("completion_tokens") or 0,
    )
    return usage, answer.get("model")


CHAT = Api("chat", list_of("messages"), _told, _join, _usage, never)
