"""OpenAI's Responses."""

# JSON data is Any by nature.
# pyright: basic

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hud_runtime.delivery import Part
from hud_runtime.integrations._dialogue import Message
from hud_runtime.integrations.bodies._api import (
    Api,
    Ours,
    Record,
    arguments_of,
    is_tail,
    marked,
    text_of,
    words,
)
from hud_runtime.observation import ToolCall, ToolResult, Usage

EXPLICIT = {"mode": "explicit"}
"""OpenAI's breakpoint."""

CONVERSATION = "conversation "
"""The prefix of a history's id that names a conversation, and not the newest answer."""

BREAKPOINTS = re.compile(r"gpt-(5\.[6-9]|[6-9]|\d\d)")
"""Models that take breakpoints; the others refuse them."""


def _messages(body: Record) -> list[Any]:
    given = body.get("input")
    return [{"role": "user", "content": given}] if isinstance(given, str) else list(given or ())


def responses_told(item: Any) -> Message:
    """Return what an item of the Responses API says."""
    kind, role = item.get("type"), item.get("role")
    text = text_of(item)
    if kind == "function_call":
        call = ToolCall(
            name=item["name"], arguments=arguments_of(item["arguments"]), call_id=item["call_id"]
        )
        return Message(text=text, is_answer=True, calls=(call,))
    if kind == "function_call_output":
        output = item.get("output")
        result = ToolResult(text=words(output), call_id=item["call_id"])
        return Message(text=text, results=(result,))
    if role == "user":
        return Message(text=text, said=words(item.get("content")))
    is_answer = role == "assistant" or (role is None and kind in ("reasoning", "message"))
    said = words(item.get("content")) if is_answer and kind != "reasoning" else ""
    return Message(text=text, said=said, is_answer=is_answer)


def _item(part: Part) -> Record:
    """Return a part as an item of the Responses API."""
    return {"role": "user", "content": [{"type": "input_text", "text": part.text}]}


def _with_breakpoint(item: Record) -> Record:
    """Return an item with a breakpoint at its end, where it can have one."""
    if item.get("type") == "function_call_output":
        return {
            **item,
            "output": marked(item["output"], "input_text", "prompt_cache_breakpoint", EXPLICIT),
        }
    if item.get("role") in ("user", "developer", "system"):
        return {
            **item,
            "content": marked(item["content"], "input_text", "prompt_cache_breakpoint", EXPLICIT),
        }
    return item


def responses_items(items: Sequence[Any], model: str) -> list[Any]:
    """Return items with ours among them; a tail gets a breakpoint before it where the model takes one."""
    made: list[Any] = []
    for item in items:
        if not isinstance(item, Ours):
            made.append(item)
            continue
        if is_tail(item) and made and BREAKPOINTS.search(model):
            made[-1] = _with_breakpoint(made[-1])
        made.append(_item(item.part))
    return made


def _join(body: Record, items: Sequence[Any], system: str) -> Record:
    made = {**body, "input": responses_items(items, str(body.get("model")))}
    if system:
        own = body.get("instructions")
        made["instructions"] = f"{own}\n\n{system}" if own else system
    return made


def _usage(answer: Mapping[str, Any]) -> tuple[Usage | None, str | None]:
    given = answer.get("usage")
    if not given:
        return None, answer.get("model")
    details = given.get("input_tokens_details") or {}
    usage = Usage.of_prompt(
        given.get("input_tokens") or 0,
        cache_read=details.get("cached_tokens") or 0,
        cache_write=details.get("cache_write_tokens") or 0,
        output=given.get("output_tokens") or 0,
    )
    return usage, answer.get("model")


def _thread(body: Record) -> str | None:
    previous = body.get("previous_response_id")
    if previous:
        return str(previous)
    conversation = body.get("conversation")
    if isinstance(conversation, dict):
        conversation = conversation.get("id")
    return f"{CONVERSATION}{conversation}" if conversation else None


RESPONSES = Api(
    "responses",
    _messages,
    responses_told,
    _join,
    _usage,
    _thread,
)
