"""A model that is played over OpenAI's Responses, as Codex asks it: it keeps each request.

What it does stands in a message of the user's or the agent's: a line ``!call NAME {…}`` is a turn that calls a tool,
``!program …`` one that runs JavaScript, and a line that begins with ``!full`` says that the context is nearly full. After the
last of them it says that it is done.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Self

from tests.hosts.model import Model, Request, _Handler

_STEP = re.compile(r"^!(full )?(?:call (\S+) (\{.*\})|program (.*))$", re.MULTILINE)
_SUMMARY = "seamlessly continue the work"

FULL = 230_000
"""Tokens that are claimed where the context is to be nearly full."""


def texts_of(item: dict[str, Any]) -> list[str]:
    """Return the texts of an item."""
    content = item.get("content", item.get("output"))
    if isinstance(content, str):
        return [content]
    return [str(each.get("text") or each.get("encrypted_content") or "") for each in content or []]


@dataclass
class ResponsesRequest(Request):
    """A request that came."""

    @property
    def items(self) -> list[dict[str, Any]]:
        """What the model reads, in its order."""
        return list(self.body["input"])

    @property
    def thread(self) -> str:
        """The thread that asks."""
        return str(self.body.get("prompt_cache_key"))

    @property
    def kind(self) -> str:
        """What it is: of the main agent, of a subagent, or for a summary."""
        if _SUMMARY in "\n".join(texts_of(self.items[-1])):
            return "summary"
        is_inner = any("SUBAGENT" in text for each in self.items[:12] for text in texts_of(each)
                       if each.get("type") == "agent_message")  # fmt: skip
        return "subagent" if is_inner else "main"

    @property
    def texts(self) -> list[str]:
        """The texts of its items, in their order."""
        return [text for each in self.items for text in texts_of(each)]

    def blocks(self) -> list[str]:
        """What a provider's cache compares, item by item."""
        first = {key: self.body.get(key) for key in ("instructions", "tools")}
        return [json.dumps(each, sort_keys=True) for each in (first, *self.items)]


@dataclass
class ResponsesModel(Model):
    """The server, and the requests that it has had."""

    done: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """By thread and script: how many steps of it were made."""

    def __enter__(self) -> Self:
        super().__enter__()
        assert self.server is not None
        model = self

        class Handler(_ResponsesHandler):
            played = model

        self.server.RequestHandlerClass = Handler
        return self

    def item(self, request: ResponsesRequest) -> tuple[dict[str, Any], bool]:
        """Return what the model says, and whether the context is nearly full then."""
        number = len(self.requests)
        if request.kind == "summary":
            return _message(number, "The login was begun."), False
        script = next((t for t in reversed(request.texts) if _STEP.search(t)), "")
        steps = _STEP.findall(script)
        place = request.thread, script
        if self.done[place] >= len(steps):
            return _message(number, "Done."), False
        full, name, given, program = steps[self.done[place]]
        self.done[place] += 1
        call: dict[str, Any] = {
            "id": f"fc_{number}",
            "call_id": f"call_{number}",
            "status": "completed",
        }
        if program:
            call |= {"type": "custom_tool_call", "name": "exec", "input": program}
            return call, bool(full)
        namespace, _, own = name.rpartition("__")
        call |= {"type": "function_call", "name": own, "arguments": given}
        return call | ({"namespace": namespace} if namespace else {}), bool(full)


def _message(number: int, text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return {
        "type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": [part]
    }  # fmt: skip


class _ResponsesHandler(_Handler):
    def do_POST(self) -> None:
        began = time.perf_counter()
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        model = self.played
        if not self.path.endswith("/responses") or not isinstance(model, ResponsesModel):
            self._json({})
            return
        request = ResponsesRequest(body, began, time.time_ns() // 1_000_000)
        model.take(request)
        item, is_full = model.item(request)
        size = FULL if is_full else sum(map(len, request.blocks())) // 4
        usage = {
            "input_tokens": size, "input_tokens_details": {"cached_tokens": size - 10}, "output_tokens": 5,
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": size + 5,
        }  # fmt: skip
        response = {
            "id": f"resp_{len(model.requests)}", "object": "response", "created_at": 0, "model": body.get("model"),
            "status": "completed", "output": [item], "usage": usage, "error": None, "metadata": {},
        }  # fmt: skip
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for number, (kind, data) in enumerate(_events(response, item)):
            told = {"type": kind, "sequence_number": number, **data}
            self.wfile.write(f"event: {kind}\ndata: {json.dumps(told)}\n\n".encode())
        self.wfile.flush()
        self.close_connection = True
        request.answered = time.perf_counter()


def _events(response: dict[str, Any], item: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    yield "response.created", {"response": begun}
    yield "response.output_item.done", {"output_index": 0, "item": item}
    yield "response.completed", {"response": response}
