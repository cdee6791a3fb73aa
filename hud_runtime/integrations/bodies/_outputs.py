"""Tools' outputs in the messages of four APIs: found with their calls, and changed where they stand.

Calls and results stay paired, whatever is done to a text: no message, and no block, goes or moves.
"""

# JSON data is Any by nature.
# pyright: basic

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from hud_runtime._errors import PruningError
from hud_runtime.integrations.bodies._api import Api, Record
from hud_runtime.integrations.bodies._chat import CHAT
from hud_runtime.integrations.bodies._gemini import GEMINI
from hud_runtime.integrations.bodies._messages import MESSAGES
from hud_runtime.integrations.bodies._responses import RESPONSES
from hud_runtime.pruning import ToolOutput
from ujsx.errors import did_you_mean, shown

Change: TypeAlias = Callable[[str, Mapping[str, Any]], str]
"""From a text, and what holds it, to what stands in its place."""

TEXTS = ("text", "input_text", "output_text")
"""The types of blocks that are texts."""

SAID = ("result", "output", "content", "stdout", "text")
"""The fields of a response of Gemini's that hold what a tool has said."""


def outputs_in(api: Api, messages: Sequence[Any]) -> tuple[list[ToolOutput], int]:
    """Return the outputs in a request's messages, oldest first, and from which one on the model reads them first.

    >>> call = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "ls", "arguments": "{}"}}]}
    >>> found, new = outputs_in(CHAT, [call, {"role": "tool", "tool_call_id": "1", "content": "a.py"}])
    >>> found[0].tool, found[0].text, new
    ('ls', 'a.py', 0)
    """
    read = _READERS[api.name]
    calls: dict[str, tuple[str, Record]] = {}
    unanswered: list[tuple[str, Record]] = []  # of an API whose calls may have no ids
    found: list[ToolOutput] = []
    turn = new = 0
    for message in messages:
        told = api.told(message)
        if told.is_answer:
            new = len(found)
        if told.said.strip():
            turn += 1
        for call in told.calls:
            if call.call_id is not None:
                calls[call.call_id] = (call.name, {**call.arguments})
            unanswered.append((call.name, {**call.arguments}))

        def take(
            text: str, holder: Mapping[str, Any], name: str | None, call_id: str | None
        ) -> str:
            tool, given = calls.get(call_id or "", ("", {}))
            if name and not tool:
                place = next((n for n, each in enumerate(unanswered) if each[0] == name), None)
                tool, given = (name, {}) if place is None else unanswered.pop(place)
            is_synthetic = holder.get("synthetic") is True
            found.append(
                ToolOutput(
                    text=text,
                    tool=tool,
                    id=str(call_id or ""),
                    arguments=given,
                    turn=turn,  # noqa: B023 - called within this turn of the loop
                    failed=holder.get("is_error") is True,
                    synthetic=is_synthetic,
                )
            )
            return text

        read(message, take)
    return found, new


def with_outputs(api: Api, messages: Sequence[Any], texts: Sequence[str]) -> list[Any]:
    """Return messages whose outputs have these texts, in the order of :func:`outputs_in`.

    >>> with_outputs(CHAT, [{"role": "tool", "tool_call_id": "1", "content": "a.py"}], ["…"])
    [{'role': 'tool', 'tool_call_id': '1', 'content': '…'}]
    """
    left: Iterator[str] = iter(texts)
    read = _READERS[api.name]
    return [read(each, lambda _text, *_about: next(left)) for each in messages]


APIS: Mapping[str, Api] = {
    "anthropic": MESSAGES,
    "chat": CHAT,
    "responses": RESPONSES,
    "gemini": GEMINI,
}
"""The forms of messages, by the names that people know them by."""


def api_named(name: str) -> Api:
    """Return the API of a form of messages.

    :raises PruningError: for a name that is none.
    """
    if name not in APIS:
        raise PruningError(f"{shown(name)} is no form of messages; {did_you_mean(name, APIS)}")
    return APIS[name]


# --- Where they stand ---

Take: TypeAlias = Callable[[str, Mapping[str, Any], "str | None", "str | None"], str]


def _content(value: Any, take: Take, name: str | None, call_id: str | None) -> Any:
    """A result's content with other texts: a text, or blocks of which some are texts."""
    if isinstance(value, str):
        return take(value, {}, name, call_id)
    if not isinstance(value, list):
        return value
    made: list[Any] = []
    for each in value:
        if (
            isinstance(each, dict)
            and each.get("type") in TEXTS
            and isinstance(each.get("text"), str)
        ):
            text = take(each["text"], each, name, call_id)
            made.append(each if text == each["text"] else {**each, "text": text})
        else:
            made.append(each)
    return made


def _messages(message: Any, take: Take) -> Any:
    content = message.get("content")
    if message.get("role") != "user" or not isinstance(content, list):
        return message
    made = [
        _with(each, "content", take, each.get("tool_use_id"))
        if isinstance(each, dict)
        and each.get("type") == "tool_result"
        and each.get("synthetic") is not True
        else each
        for each in content
    ]
    return message if made == content else {**message, "content": made}


def _chat(message: Any, take: Take) -> Any:
    if message.get("role") != "tool":
        return message
    return _with(message, "content", take, message.get("tool_call_id"))


def _responses(item: Any, take: Take) -> Any:
    if not str(item.get("type")).endswith("_call_output"):
        return item
    return _with(item, "output", take, item.get("call_id"))


def _gemini(content: Any, take: Take) -> Any:
    parts = content.get("parts")
    if not isinstance(parts, list):
        return content
    made = [_gemini_part(each, take) for each in parts]
    return content if made == parts else {**content, "parts": made}


def _gemini_part(part: Any, take: Take) -> Any:
    answer: Any = part.get("functionResponse") if isinstance(part, dict) else None
    response: Any = answer.get("response") if isinstance(answer, dict) else None
    if not isinstance(response, dict):
        return part
    made = dict(response)
    for key in SAID:
        if isinstance(response.get(key), str):
            made[key] = take(response[key], part, answer.get("name"), answer.get("id"))
            break
    return part if made == response else {**part, "functionResponse": {**answer, "response": made}}


def _with(holder: Any, key: str, take: Take, call_id: str | None) -> Any:
    value = holder.get(key)
    made = _content(value, take, None, call_id)
    return holder if made == value else {**holder, key: made}


_READERS: Mapping[str, Callable[[Any, Take], Any]] = {
    MESSAGES.name: _messages,
    CHAT.name: _chat,
    RESPONSES.name: _responses,
    GEMINI.name: _gemini,
}
