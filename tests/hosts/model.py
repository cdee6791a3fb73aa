"""A model that is played: it answers Anthropic's messages on loopback, and keeps each request.

What it does stands in the newest message of the user: a line ``!call NAME {…}`` is a turn that calls a tool, and after
the last of them it says that it is done. A request without tools, or for a summary, is answered as such.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Self

_CALL = re.compile(r"^!call (\S+) (\{.*\})$", re.MULTILINE)
_SUMMARY = re.compile(
    r"detailed summary of|summarize (?:the|this|our) conversation|here is the conversation so far",
    re.IGNORECASE,
)


def texts_of(content: Any) -> list[str]:
    """Return the texts of a message, those of results included."""
    if isinstance(content, str):
        return [content]
    found: list[str] = []
    for block in content or []:
        if block.get("type") == "text":
            found.append(block["text"])
        elif block.get("type") == "tool_result":
            found += texts_of(block.get("content"))
    return found


@dataclass
class Request:
    """A request that came."""

    body: dict[str, Any]
    began: float
    """By a clock that only goes on."""
    time: int
    """Milliseconds since the epoch."""
    answered: float = 0.0

    @property
    def kind(self) -> str:
        """What it is: of the main agent, of a subagent, for a summary, or something small."""
        last = [each for each in self.body["messages"] if each["role"] == "user"][-1]
        if _SUMMARY.search("\n".join(texts_of(last["content"]))):
            return "summary"
        if not self.body.get("tools"):
            return "small"
        first = texts_of(self.body["messages"][0]["content"])
        return "subagent" if any(each.startswith("SUBAGENT") for each in first) else "main"

    @property
    def session(self) -> str:
        """The session that it is of, where the client says so."""
        told = json.loads((self.body.get("metadata") or {}).get("user_id") or "{}")
        return str(told.get("session_id", ""))

    @property
    def texts(self) -> list[str]:
        """The texts of its messages, in their order."""
        return [text for each in self.body["messages"] for text in texts_of(each["content"])]

    def blocks(self) -> list[str]:
        """What a provider's cache compares, block by block; breakpoints apart."""
        found = [json.dumps(each, sort_keys=True) for each in self.body.get("tools") or []]
        system = self.body.get("system") or []
        found += map(_bare, [system] if isinstance(system, str) else system)
        for message in self.body["messages"]:
            content = message["content"]
            own = [content] if isinstance(content, str) else content
            found += (message["role"] + _bare(each) for each in own)
        return found


def _bare(block: Any) -> str:
    if isinstance(block, str):
        block = {"type": "text", "text": block}
    return json.dumps(
        {key: value for key, value in block.items() if key != "cache_control"}, sort_keys=True
    )


@dataclass
class Model:
    """The server, and the requests that it has had."""

    requests: list[Request] = field(default_factory=list[Request])
    full: int = 0
    """Tokens that the next answer to an agent says it has read, once; 0 for those that it has."""
    meanwhile: dict[int, Callable[[], object]] = field(
        default_factory=dict[int, Callable[[], object]]
    )
    """What happens while the model answers the request of a number."""
    server: ThreadingHTTPServer | None = None

    def __enter__(self) -> Self:
        model = self

        class Handler(_Handler):
            played = model

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()

    @property
    def address(self) -> str:
        """Where it is reached."""
        assert self.server is not None
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def take(self, request: Request) -> None:
        """Keep a request, and let happen what is to happen now."""
        self.requests.append(request)
        self.meanwhile.pop(len(self.requests), lambda: None)()

    def answer(self, request: Request) -> tuple[list[dict[str, Any]], str]:
        """Return what the model says, and why it stops."""
        if request.kind == "summary":
            return [
                _text("<analysis>x</analysis>\n<summary>\nThe login was begun.\n</summary>")
            ], "end_turn"
        if request.kind == "small":
            return [_text('{"title": "A title"}')], "end_turn"
        messages = request.body["messages"]
        script, at = self._script(messages)
        done = sum(1 for each in messages[at + 1 :] if each["role"] == "assistant")
        if done < len(script):
            name, given = script[done]
            call = {
                "type": "tool_use",
                "id": f"toolu_{len(self.requests)}",
                "name": name,
                "input": given,
            }
            return [call], "tool_use"
        return [_text("Done.")], "end_turn"

    @staticmethod
    def _script(messages: list[dict[str, Any]]) -> tuple[list[tuple[str, Any]], int]:
        for at in range(len(messages) - 1, -1, -1):
            if messages[at]["role"] != "user":
                continue
            blocks = messages[at]["content"]
            own = blocks if isinstance(blocks, str) else "\n".join(
                each["text"] for each in blocks if each.get("type") == "text"
            )  # fmt: skip
            if found := _CALL.findall(own):
                return [(name, json.loads(given)) for name, given in found], at
        return [], len(messages)


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


class _Handler(BaseHTTPRequestHandler):
    played: ClassVar[Model]
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._json({})

    def do_POST(self) -> None:
        began = time.perf_counter()
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        if "/v1/messages" not in self.path or "count_tokens" in self.path:
            self._json({"input_tokens": 1})
            return
        request = Request(body, began, time.time_ns() // 1_000_000)
        self.played.take(request)
        content, stop = self.played.answer(request)
        size = sum(map(len, request.blocks())) // 4
        if request.kind == "main" and self.played.full:
            size, self.played.full = self.played.full, 0
        usage = {
            "input_tokens": 10, "cache_read_input_tokens": size, "cache_creation_input_tokens": 0, "output_tokens": 5
        }  # fmt: skip
        message = {
            "id": f"msg_{len(self.played.requests)}", "type": "message", "role": "assistant",
            "model": body.get("model"), "content": content, "stop_reason": stop, "stop_sequence": None, "usage": usage,
        }  # fmt: skip
        if not body.get("stream"):
            self._json(message)
        else:
            self._stream(message)
        request.answered = time.perf_counter()

    def _json(self, data: dict[str, Any]) -> None:
        text = json.dumps(data).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    def _stream(self, message: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for kind, data in _events(message):
            self.wfile.write(
                f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()
            )
        self.wfile.flush()
        self.close_connection = True


def _events(message: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "message_start", {"message": {**message, "content": [], "stop_reason": None}}
    for number, block in enumerate(message["content"]):
        if block["type"] == "text":
            yield (
                "content_block_start",
                {"index": number, "content_block": {"type": "text", "text": ""}},
            )
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            yield "content_block_start", {"index": number, "content_block": {**block, "input": {}}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield "content_block_delta", {"index": number, "delta": delta}
        yield "content_block_stop", {"index": number}
    yield (
        "message_delta",
        {"delta": {"stop_reason": message["stop_reason"]}, "usage": message["usage"]},
    )
    yield "message_stop", {}
