"""Histories of conversations as data, in the form of each API: the same one, and any that Hypothesis thinks of."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import strategies as st

from tests.strategies import texts


class Turn(NamedTuple):
    """What somebody says, or a call with its result."""

    kind: str
    """system, user, picture, agent, call."""
    text: str
    number: int


def chat(turns: list[Turn]) -> list[Any]:
    """OpenAI's Chat Completions."""
    made: list[Any] = []
    for kind, text, number in turns:
        if kind in ("system", "user"):
            made.append({"role": kind, "content": text})
        elif kind == "picture":
            image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBOR"}}
            made.append({"role": "user", "content": [{"type": "text", "text": text}, image]})
        elif kind == "agent":
            made.append({"role": "assistant", "content": text})
        else:
            function = {"name": "bash", "arguments": json.dumps({"command": text})}
            call = {"id": f"c{number}", "type": "function", "function": function}
            made.append({"role": "assistant", "content": None, "tool_calls": [call]})
            made.append({"role": "tool", "tool_call_id": f"c{number}", "content": text})
    return made


def messages(turns: list[Turn]) -> list[Any]:
    """Anthropic's Messages."""
    made: list[Any] = []
    for kind, text, number in turns:
        if kind in ("system", "user"):
            made.append({"role": kind, "content": [{"type": "text", "text": text}]})
        elif kind == "picture":
            source = {"type": "base64", "media_type": "image/png", "data": "iVBOR"}
            content = [{"type": "text", "text": text}, {"type": "image", "source": source}]
            made.append({"role": "user", "content": content})
        elif kind == "agent":
            made.append({"role": "assistant", "content": text})
        else:
            use = {
                "type": "tool_use",
                "id": f"c{number}",
                "name": "bash",
                "input": {"command": text},
            }
            made.append({"role": "assistant", "content": [use]})
            block = {"type": "tool_result", "tool_use_id": f"c{number}", "content": text}
            made.append({"role": "user", "content": [block]})
    return made


def responses(turns: list[Turn]) -> list[Any]:
    """OpenAI's Responses: thoughts and calls are items of their own."""
    made: list[Any] = []
    for kind, text, number in turns:
        if kind in ("system", "user"):
            content = [{"type": "input_text", "text": text}]
            made.append({"type": "message", "role": kind, "content": content})
        elif kind == "picture":
            image = {"type": "input_image", "image_url": "data:image/png;base64,iVBOR"}
            made.append({"role": "user", "content": [{"type": "input_text", "text": text}, image]})
        elif kind == "agent":
            made.append({"role": "assistant", "content": [{"type": "output_text", "text": text}]})
        else:
            made.append({"type": "reasoning", "id": f"r{number}", "summary": []})
            given = json.dumps({"command": text})
            call = {
                "type": "function_call",
                "call_id": f"c{number}",
                "name": "bash",
                "arguments": given,
            }
            made.append(call)
            made.append({"type": "function_call_output", "call_id": f"c{number}", "output": text})
    return made


def gemini(turns: list[Turn]) -> list[Any]:
    """Gemini's contents, whose calls have no ids."""
    made: list[Any] = []
    for kind, text, _ in turns:
        if kind in ("system", "user"):
            made.append({"role": "user", "parts": [{"text": text}]})
        elif kind == "picture":
            image = {"inlineData": {"mimeType": "image/png", "data": "iVBOR"}}
            made.append({"role": "user", "parts": [{"text": text}, image]})
        elif kind == "agent":
            made.append({"role": "model", "parts": [{"text": text}]})
        else:
            call = {"functionCall": {"name": "bash", "args": {"command": text}}}
            made.append({"role": "model", "parts": [call]})
            answer = {"functionResponse": {"name": "bash", "response": {"output": text}}}
            made.append({"role": "user", "parts": [answer]})
    return made


def bedrock(turns: list[Turn]) -> list[Any]:
    """Bedrock's Converse, whose parts have a key in the place of a type."""
    made: list[Any] = []
    for kind, text, number in turns:
        if kind in ("system", "user"):
            made.append({"role": "user", "content": [{"text": text}]})
        elif kind == "picture":
            image = {"image": {"format": "png", "source": {"bytes": "iVBOR"}}}
            made.append({"role": "user", "content": [{"text": text}, image]})
        elif kind == "agent":
            made.append({"role": "assistant", "content": [{"text": text}]})
        else:
            use = {"toolUseId": f"c{number}", "name": "bash", "input": {"command": text}}
            made.append({"role": "assistant", "content": [{"toolUse": use}]})
            answer = {"toolUseId": f"c{number}", "content": [{"text": text}], "status": "success"}
            made.append({"role": "user", "content": [{"toolResult": answer}]})
    return made


FORMS: dict[str, Callable[[list[Turn]], list[Any]]] = {
    "chat": chat,
    "messages": messages,
    "responses": responses,
    "gemini": gemini,
    "bedrock": bedrock,
}

KINDS = ("user", "picture", "agent", "call")

turns = st.lists(st.tuples(st.sampled_from(KINDS), texts), min_size=1, max_size=14).map(
    lambda said: [Turn(kind, text or "x", number) for number, (kind, text) in enumerate(said)]
)
"""Any conversation, hostile words included."""

forms = st.sampled_from(sorted(FORMS))

STORY = [
    Turn("user", "Add a login. " * 40, 0),
    Turn("call", "ls src " * 60, 1),
    Turn("call", "pytest -q " * 80, 2),
    Turn("agent", "The login is there.", 3),
    Turn("picture", "It looks like this:", 4),
    Turn("agent", "I see.", 5),
    Turn("user", "Now the API.", 6),
]
"""A conversation of some hundred tokens, which ends with a question."""
