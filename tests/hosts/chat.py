"""A model that is played over OpenAI's chat completions, as Qwen Code asks it: it keeps each request.

What it does stands in a message of the user, as for :mod:`tests.hosts.model`. A line that begins with ``!full`` says that
the context is nearly full.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from tests.hosts.model import Model, Request, _Handler, texts_of

STEP = re.compile(r"^!(full )?call (\S+) (\{.*\})$", re.MULTILINE)
_SUMMARY = re.compile(r"state_snapshot|detailed summary of", re.IGNORECASE)

INNER = re.compile("^SUBAGENT", re.MULTILINE)
"""The beginning of a subagent's task; a client may put something before it."""

FULL = 170_000
"""Tokens that are claimed where the context is to be nearly full."""


@dataclass
class ChatRequest(Request):
    """A request that came."""

    @property
    def kind(self) -> str:
        """What it is: of the main agent, of a subagent, for a summary, or something small."""
        if any(_SUMMARY.search(each) for each in texts_of(self.body["messages"][-1]["content"])):
            return "summary"
        if not self.body.get("tools"):
            return "small"
        said = [each for each in self.body["messages"] if each["role"] == "user"]
        is_inner = any(
            INNER.search(text) for each in said[:2] for text in texts_of(each["content"])
        )
        return "subagent" if is_inner else "main"

    def blocks(self) -> list[str]:
        """What a provider's cache compares, message by message."""
        parts = [*(self.body.get("tools") or []), *self.body["messages"]]
        return [_bare(each) for each in parts]


def _bare(part: dict[str, Any]) -> str:
    """A part of a request without breakpoints for a cache."""
    text = json.dumps(part, sort_keys=True)
    return re.sub(r', "cache_control": \{[^}]*\}|"cache_control": \{[^}]*\}, ', "", text)


@dataclass
class ChatModel(Model):
    """The server, and the requests that it has had."""

    CLAIMED: ClassVar[int] = FULL
    """Tokens that it claims to have read where the context is to be nearly full."""

    def __enter__(self) -> Self:
        super().__enter__()
        assert self.server is not None
        model = self

        class Handler(_ChatHandler):
            played = model

        self.server.RequestHandlerClass = Handler
        return self

    def message(self, request: ChatRequest) -> tuple[dict[str, Any], bool]:
        """Return what the model says, and whether the context is nearly full then."""
        if request.kind == "summary":
            text = "<state_snapshot>\nThe login was begun.\n</state_snapshot>"
            return {"role": "assistant", "content": text}, False
        if request.kind == "small":
            return {"role": "assistant", "content": '{"title": "A title"}'}, False
        messages = request.body["messages"]
        at, steps = self._script_of(messages)
        done = sum(each["role"] == "assistant" for each in messages[at + 1 :])
        if done >= len(steps):
            return {"role": "assistant", "content": "Done."}, False
        full, name, given = steps[done]
        function = {"name": name, "arguments": given}
        call = {
            "id": f"call_{len(self.requests)}",
            "index": 0,
            "type": "function",
            "function": function,
        }
        return {"role": "assistant", "content": None, "tool_calls": [call]}, bool(full)

    def _script_of(self, messages: list[dict[str, Any]]) -> tuple[int, list[tuple[str, str, str]]]:
        """The place of the newest message that says what the model does, and its steps."""
        for at in range(len(messages) - 1, -1, -1):
            found = STEP.findall(self.script_in(messages[at]))
            if messages[at]["role"] == "user" and found:
                return at, found
        return len(messages), []

    @staticmethod
    def script_in(message: Mapping[str, Any]) -> str:
        """Return the text of a user's message in which its script may stand."""
        return "\n".join(texts_of(message["content"]))


class _ChatHandler(_Handler):
    def do_POST(self) -> None:
        began = time.perf_counter()
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        model = self.played
        if not self.path.endswith("/chat/completions") or not isinstance(model, ChatModel):
            self._json({})
            return
        request = ChatRequest(body, began, time.time_ns() // 1_000_000)
        model.take(request)
        message, is_full = model.message(request)
        size = model.CLAIMED if is_full else sum(map(len, request.blocks())) // 4
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        usage = {"prompt_tokens": size, "completion_tokens": 5, "total_tokens": size + 5}
        answer = {
            "id": f"chat_{len(model.requests)}", "created": 0, "model": body.get("model"), "usage": usage
        }  # fmt: skip
        choice = {"index": 0, "finish_reason": reason}
        if body.get("stream"):
            self._chunks(
                {**answer, "object": "chat.completion.chunk", "choices": [{**choice, "delta": message}]}
            )  # fmt: skip
        else:
            self._json(
                {**answer, "object": "chat.completion", "choices": [{**choice, "message": message}]}
            )
        request.answered = time.perf_counter()

    def _chunks(self, chunk: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode())
        self.wfile.flush()
        self.close_connection = True
