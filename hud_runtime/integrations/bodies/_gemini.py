"""Gemini's generateContent."""

# JSON data is Any by nature.
# pyright: basic

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hud_runtime.integrations._dialogue import Message
from hud_runtime.integrations.bodies._api import (
    Api,
    Ours,
    Record,
    list_of,
    never,
    text_of,
    words,
)
from hud_runtime.observation import ToolCall, ToolResult, Usage


def _told(content: Any) -> Message:
    parts = [each for each in content.get("parts") or () if isinstance(each, dict)]
    text = text_of(content)
    if content.get("role") == "model":
        made = [each["functionCall"] for each in parts if "functionCall" in each]
        calls = tuple(
            ToolCall(name=each["name"], arguments=each.get("args") or {}, call_id=each.get("id"))
            for each in made
        )
        said = words([each for each in parts if not each.get("thought")])
        return Message(text=text, said=said, is_answer=True, calls=calls)
    answers = [each["functionResponse"] for each in parts if "functionResponse" in each]
    results = tuple(
        ToolResult(
            text=_outcome(each.get("response")),
            call_id=each.get("id"),
            status="failed" if "error" in (each.get("response") or {}) else "unknown",
        )
        for each in answers
    )
    return Message(text=text, said=words(parts), results=results)


def _outcome(response: Any) -> str:
    if not isinstance(response, dict):
        return str(response or "")
    said = response.get("error", response.get("result", response.get("output", response)))
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)


def _join(body: Record, items: Sequence[Any], system: str) -> Record:
    contents: list[Any] = []
    for item in items:
        if not isinstance(item, Ours):
            contents.append(item)
            continue
        part = {"text": item.part.text}
        if contents and contents[-1].get("role", "user") != "model":
            last = contents[-1]
            contents[-1] = {**last, "parts": [*last["parts"], part]}
        else:
            contents.append({"role": "user", "parts": [part]})
    made = {**body, "contents": contents}
    if system:
        own = body.get("systemInstruction") or {}
        made["systemInstruction"] = {**own, "parts": [*own.get("parts", ()), {"text": system}]}
    return made


def _usage(answer: Mapping[str, Any]) -> tuple[Usage | None, str | None]:
    given = answer.get("usageMetadata")
    if not given:
        return None, answer.get("modelVersion")
    usage = Usage.of_prompt(
        given.get("promptTokenCount") or 0,
        cache_read=given.get("cachedContentTokenCount") or 0,
        output=(given.get("candidatesTokenCount") or 0) + (given.get("thoughtsTokenCount") or 0),
    )
    return usage, answer.get("modelVersion")


GEMINI = Api("gemini", list_of("contents"), _told, _join, _usage, never)
