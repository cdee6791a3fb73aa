"""The answers of tools in messages that are JSON data, with other texts where they stand.

Calls and results stay paired, whatever is done to a text: no message, and no part, goes or moves.
"""

# JSON data is Any by nature.
# pyright: basic

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

from hud_runtime.messages._reader import Part, parts_of, read_message
from hud_runtime.messages._tables import KINDS

Change: TypeAlias = Callable[[str, Part, Mapping[str, Any]], str]
"""From a text, the answer that it is in, and the object that holds it, to what stands in its place."""

SAID = ("result", "output", "content", "stdout", "text")
"""The fields of a response of Gemini's that hold what a tool has said."""


def with_answers(message: Any, change: Change) -> Any:
    """Return a message whose tools said other texts; the very same one where none differs.

    >>> with_answers({"role": "tool", "tool_call_id": "1", "content": "a.py"}, lambda *_: "…")
    {'role': 'tool', 'tool_call_id': '1', 'content': '…'}
    """
    if message.get("role") == "tool" and "parts" not in message:
        return _with(message, "content", partial(_texts, read_message(message).parts[0], change))
    if KINDS.get(str(message.get("type"))) == "result":
        return _part(change, message)
    if message.get("role") in ("assistant", "model"):
        return message
    for key in ("content", "parts"):
        if isinstance(message.get(key), list):
            message = _with(message, key, lambda parts: [_part(change, each) for each in parts])
    return message


def _with(holder: Any, key: str, made_of: Callable[[Any], Any]) -> Any:
    made = made_of(holder.get(key))
    return holder if made == holder.get(key) else {**holder, key: made}


def _part(change: Change, part: Any) -> Any:
    if not isinstance(part, dict) or part.get("synthetic") is True:
        return part
    found = next((each for each in parts_of(part) if each.kind == "result"), None)
    if found is None:
        return part
    if isinstance(part.get("functionResponse"), dict):
        answer = _with(
            part["functionResponse"], "response", partial(_response, found, change, part)
        )
        return _with(part, "functionResponse", lambda _: answer)
    key = "output" if "output" in part else "content"
    return _with(part, key, partial(_texts, found, change))


def _response(found: Part, change: Change, part: Any, response: Any) -> Any:
    if not isinstance(response, dict):
        return response
    key = next((each for each in SAID if isinstance(response.get(each), str)), None)
    return response if key is None else {**response, key: change(response[key], found, part)}


def _texts(found: Part, change: Change, content: Any) -> Any:
    """An answer with other texts: a text itself, or a list of parts some of which are texts."""
    if isinstance(content, str):
        return change(content, found, {})
    if not isinstance(content, list):
        return content
    made: list[Any] = []
    for each in content:
        is_text = isinstance(each, dict) and isinstance(each.get("text"), str)
        if is_text and KINDS.get(str(each.get("type"))) == "text":
            made.append(_with(each, "text", _changing(change, found, each)))
        else:
            made.append(each)
    return made


def _changing(change: Change, found: Part, holder: Any) -> Callable[[str], str]:
    return lambda text: change(text, found, holder)
