"""A model that is played over Google's Gemini API, as Gemini CLI asks it: it keeps each request.

What it does stands in a message of the user, as for :mod:`tests.hosts.chat`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

from tests.hosts.chat import STEP
from tests.hosts.model import Model, Request, _Handler

FULL = 600_000
"""Tokens that are claimed where the context is to be so full that the client compacts."""


def texts_of(content: dict[str, Any]) -> Iterator[str]:
    """Yield the texts of a message, those of results included."""
    for part in content.get("parts") or []:
        if "text" in part:
            yield part["text"]
        answer = part.get("functionResponse", {}).get("response", {})
        yield from (str(answer[each]) for each in ("output", "error") if each in answer)


@dataclass
class GeminiRequest(Request):
    """A request that came."""

    @property
    def contents(self) -> list[dict[str, Any]]:
        """The messages."""
        return self.body.get("contents") or []

    @property
    def kind(self) -> str:
        """What it is: of the main agent, for a summary, or something small."""
        if any("state_snapshot" in text for text in texts_of(self.contents[-1])):
            return "summary"
        return "main" if self.body.get("tools") else "small"

    @property
    def texts(self) -> list[str]:
        """The texts of its messages, in their order."""
        return [text for each in self.contents for text in texts_of(each)]

    def blocks(self) -> list[str]:
        """What a provider's cache compares, message by message."""
        parts = (self.body.get("systemInstruction"), self.body.get("tools"), *self.contents)
        return [json.dumps(_bare(each), sort_keys=True) for each in parts]


def _bare(part: Any) -> Any:
    """A message without the signatures that go with the newest ones alone."""
    if not isinstance(part, dict) or "parts" not in part:
        return part
    own = [{k: v for k, v in each.items() if k != "thoughtSignature"} for each in part["parts"]]
    return {**part, "parts": own}


@dataclass
class GeminiModel(Model):
    """The server, and the requests that it has had."""

    def __enter__(self) -> Self:
        super().__enter__()
        assert self.server is not None
        model = self

        class Handler(_GeminiHandler):
            played = model

        self.server.RequestHandlerClass = Handler
        return self

    def part(self, request: GeminiRequest) -> tuple[dict[str, Any], bool]:
        """Return what the model says, and whether the context is nearly full then."""
        if request.kind == "summary":
            text = "<state_snapshot>\nThe login was begun.\n</state_snapshot>"
            return {"text": text}, False
        if request.kind == "small":
            return {"text": "{}"}, False
        for at in range(len(request.contents) - 1, -1, -1):
            each = request.contents[at]
            found = STEP.findall("\n".join(texts_of(each))) if each["role"] == "user" else []
            if found:
                done = sum(one["role"] == "model" for one in request.contents[at + 1 :])
                if done < len(found):
                    full, name, given = found[done]
                    call = {
                        "name": name,
                        "args": json.loads(given),
                        "id": f"call_{len(self.requests)}",
                    }
                    return {"functionCall": call}, bool(full)
                break
        return {"text": "Done."}, False


class _GeminiHandler(_Handler):
    def do_POST(self) -> None:
        began = time.perf_counter()
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        model = self.played
        if "enerateContent" not in self.path or not isinstance(model, GeminiModel):
            self._json({"totalTokens": 1})
            return
        request = GeminiRequest(body, began, time.time_ns() // 1_000_000)
        model.take(request)
        part, is_full = model.part(request)
        size = FULL if is_full else sum(map(len, request.blocks())) // 4
        answer = {
            "candidates": [{"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [part]}}],
            "usageMetadata": {
                "promptTokenCount": size, "candidatesTokenCount": 5, "totalTokenCount": size + 5
            },
            "modelVersion": "gemini-2.5-pro",
        }  # fmt: skip
        if "stream" not in self.path:
            self._json(answer)
        else:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            self.wfile.write(f"data: {json.dumps(answer)}\r\n\r\n".encode())
            self.wfile.flush()
            self.close_connection = True
        request.answered = time.perf_counter()
