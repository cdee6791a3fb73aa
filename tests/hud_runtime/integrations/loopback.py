"""A model played on loopback: it records what an SDK really sends, and answers by a script.

It speaks Anthropic's Messages, OpenAI's Responses and Chat, and Gemini's generateContent, whole and as a
stream, and keeps the histories that providers keep themselves. A request counts as read from the cache as far as
an earlier one begins alike.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

MARKS = ("cache_control", "prompt_cache_breakpoint")


@dataclass
class Call:
    """The model calls a tool; the arguments may be broken."""

    name: str
    arguments: str = "{}"


@dataclass
class Refusal:
    """The provider answers with an error."""

    status: int


Reply = str | Call | Refusal | list[str | Call]


@dataclass
class Block:
    """What a model reads at one place of its prompt."""

    role: str
    text: str
    is_marked: bool = False
    is_gone: bool = False
    """Whether the provider does not show it to the model any more."""


@dataclass
class Asked:
    """A request that came in."""

    api: str
    body: dict[str, Any]
    headers: dict[str, str]
    blocks: list[Block]
    """In the order in which the model reads them, with what the provider kept itself."""
    cache_read: int = 0
    cache_write: int = 0
    plain: int = 0
    kept: float = 1.0
    """The share of the request before it that it begins with."""
    error: BaseException | None = None

    @property
    def input(self) -> int:
        return self.cache_read + self.cache_write + self.plain

    @property
    def tools(self) -> set[str]:
        given = self.body.get("tools") or []
        return {
            str(name)
            for each in given
            for one in (each.get("functionDeclarations") or [each])
            if (name := (one.get("function") or one).get("name"))
        }

    def ours(self) -> list[Block]:
        """Return the texts of the HUD that the model reads, in that order."""
        last = self.blocks[-1]
        return [
            each
            for each in self.blocks
            if not each.is_gone
            and ("# HUD" in each.text or (each is last and each.text.startswith("## ")))
        ]

    def place(self, block: Block) -> int:
        """How many blocks stand behind one."""
        return len(self.blocks) - 1 - next(n for n, each in enumerate(self.blocks) if each is block)


class Model:
    """Plays a model while the context lasts.

    :param script: what it says, request by request; then "done".
    :param seen: told of each request before it is answered, while the client waits.
    """

    def __init__(
        self, script: Sequence[Reply] = (), seen: Callable[[Asked], object] | None = None
    ) -> None:
        self.script = list(script)
        self.seen = seen
        self.asked: list[Asked] = []
        self._held: dict[str, dict[str, Any]] = {}
        self._prompts: list[str] = []
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: object) -> None:
                pass

            def do_HEAD(self) -> None:
                send(self, 200, {})

            def do_GET(self) -> None:
                send(self, 200, {"data": [], "models": []})

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length") or 0))
                model._serve(self, json.loads(raw or b"{}"))

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _serve(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        api = _api(handler.path)
        if api is None:
            send(handler, 404, {"error": {"message": f"no such path: {handler.path}"}})
            return
        if api == "count":
            send(handler, 200, {"input_tokens": 1})
            return
        whole = self._whole(api, body)
        asked = Asked(api, body, dict(handler.headers.items()), list(_blocks(api, whole)))
        with self._lock:
            self._charge(asked)
            self.asked.append(asked)
            number = len(self.asked)
            reply = self.script.pop(0) if self.script else "done"
        if self.seen is not None:
            try:
                self.seen(asked)
            except BaseException as error:  # noqa: BLE001 - told by the test, not to the client
                asked.error = error
        if isinstance(reply, Refusal):
            send(handler, reply.status, {"error": {"type": "api_error", "message": "no"}})
            return
        parts = reply if isinstance(reply, list) else [reply]
        answer = _ANSWERS[api](asked, whole, parts, number, self._held)
        is_stream = bool(body.get("stream")) or ":stream" in handler.path
        if is_stream:
            stream(handler, _STREAMS[api](asked, answer))
        else:
            send(handler, 200, answer)

    def _whole(self, api: str, body: dict[str, Any]) -> dict[str, Any]:
        """The body with what the provider holds of the history."""
        thread = body.get("thread") or {}
        if api == "messages" and thread.get("type") == "continue":
            old = self._held[thread["previous_message_id"]]
            return {**old, **body, "messages": [*old["messages"], *body["messages"]]}
        before = body.get("previous_response_id") or _conversation(body)
        if api == "responses" and before:
            held = self._held.get(before, {"input": []})
            return {**body, "input": [*held["input"], *_items(body.get("input"))]}
        return body

    def _charge(self, asked: Asked) -> None:
        prompt = "\0".join(each.text for each in asked.blocks if not each.is_gone)
        best = max((_common(prompt, old) for old in self._prompts), default=0)
        if self._prompts:
            last = self._prompts[-1]
            asked.kept = _common(prompt, last) / max(1, len(last))
        self._prompts.append(prompt)
        total = len(prompt) // 4 + 1
        asked.cache_read = best // 4
        if asked.api != "gemini":
            asked.cache_write = (total - asked.cache_read) // 2
        asked.plain = total - asked.cache_read - asked.cache_write


def _conversation(body: dict[str, Any]) -> str | None:
    given = body.get("conversation")
    return given.get("id") if isinstance(given, dict) else given


def _common(one: str, other: str) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def _api(path: str) -> str | None:
    bare = path.partition("?")[0].rstrip("/")
    ends = {
        "/count_tokens": "count",
        "/messages": "messages",
        "/responses": "responses",
        "/chat/completions": "chat",
    }
    found = next((api for end, api in ends.items() if bare.endswith(end)), None)
    return found or ("gemini" if "enerateContent" in bare else None)


def _items(given: Any) -> list[Any]:
    return [{"role": "user", "content": given}] if isinstance(given, str) else list(given or [])


def _blocks(api: str, body: dict[str, Any]) -> Iterator[Block]:
    if api == "gemini":
        for part in (body.get("systemInstruction") or {}).get("parts", []):
            yield _block("system", part)
        for content in body["contents"]:
            for part in content["parts"]:
                yield _block(content.get("role", "user"), part)
        return
    for part in _parts(body.get("system") or body.get("instructions")):
        yield _block("system", part)
    messages = _items(body.get("messages") if api != "responses" else body.get("input"))
    users = [place for place, each in enumerate(messages) if each.get("role") == "user"]
    is_automatic = api == "messages" and "cache_control" in body
    for place, each in enumerate(messages):
        if "content" not in each:
            yield _block(str(each.get("type")), each)
            continue
        parts = _parts(each["content"])
        is_last = place == len(messages) - 1
        for number, part in enumerate(parts):
            block = _block(each["role"], part)
            block.is_marked |= is_automatic and is_last and number == len(parts) - 1
            fleeting = each.get("clear_at") == "next_user_message"
            block.is_gone = fleeting and place < max(users, default=0)
            yield block
        for call in each.get("tool_calls") or []:
            yield _block("assistant", call)


def _parts(content: Any) -> list[Any]:
    if content is None:
        return []
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _block(role: str, part: Any) -> Block:
    if not isinstance(part, dict):
        return Block(role, str(part))
    text = part.get("text")
    is_marked = any(part.get(each) for each in MARKS)
    output = part.get("output")
    if isinstance(output, list):
        is_marked |= any(one.get(each) for one in output for each in MARKS)
        bare = [{key: value for key, value in one.items() if key not in MARKS} for one in output]
        output = bare[0]["text"] if len(bare) == 1 else bare
    if not isinstance(text, str):
        skipped = (*MARKS, "id", "status")
        bare = {key: value for key, value in part.items() if key not in skipped}
        if output is not None:
            bare["output"] = output
        text = json.dumps(bare, ensure_ascii=False)
    return Block(role, text, is_marked)


# --- Answers ---


def _messages(
    asked: Asked, whole: dict[str, Any], parts: list[Any], number: int, held: dict[str, Any]
) -> dict[str, Any]:
    content = [
        {
            "type": "tool_use",
            "id": f"toolu_{number}_{place}",
            "name": each.name,
            "input": _parsed(each.arguments),
            "raw": each.arguments,
        }
        if isinstance(each, Call)
        else {"type": "text", "text": each}
        for place, each in enumerate(parts)
    ]
    name = f"msg_{number}"
    bare = [{key: value for key, value in each.items() if key != "raw"} for each in content]
    kept = {key: whole[key] for key in ("system", "tools") if key in whole}
    history = [*whole["messages"], {"role": "assistant", "content": bare}]
    held[name] = {**kept, "messages": history}
    is_call = any(isinstance(each, Call) for each in parts)
    return {
        "id": name,
        "type": "message",
        "role": "assistant",
        "model": asked.body.get("model"),
        "content": content if asked.body.get("stream") else bare,
        "stop_reason": "tool_use" if is_call else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": asked.plain,
            "cache_read_input_tokens": asked.cache_read,
            "cache_creation_input_tokens": asked.cache_write,
            "output_tokens": 7,
        },
    }


def _messages_stream(asked: Asked, answer: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    empty = {**answer, "content": [], "stop_reason": None}
    yield "message_start", {"type": "message_start", "message": empty}
    for place, each in enumerate(answer["content"]):
        if each["type"] == "tool_use":
            start = {"type": "tool_use", "id": each["id"], "name": each["name"], "input": {}}
            delta = {"type": "input_json_delta", "partial_json": each["raw"]}
        else:
            start = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": each["text"]}
        begin = {"type": "content_block_start", "index": place, "content_block": start}
        yield "content_block_start", begin
        yield (
            "content_block_delta",
            {"type": "content_block_delta", "index": place, "delta": delta},
        )
        yield "content_block_stop", {"type": "content_block_stop", "index": place}
    stop = {"stop_reason": answer["stop_reason"], "stop_sequence": None}
    usage = {"output_tokens": 7}
    yield "message_delta", {"type": "message_delta", "delta": stop, "usage": usage}
    yield "message_stop", {"type": "message_stop"}


def _responses(
    asked: Asked, whole: dict[str, Any], parts: list[Any], number: int, held: dict[str, Any]
) -> dict[str, Any]:
    items: list[dict[str, Any]] = []
    for place, each in enumerate(parts):
        if isinstance(each, Call):
            items.append(
                {
                    "type": "function_call",
                    "id": f"fc_{number}_{place}",
                    "call_id": f"call_{number}_{place}",
                    "name": each.name,
                    "arguments": each.arguments,
                    "status": "completed",
                }
            )
        else:
            text = {"type": "output_text", "text": each, "annotations": [], "logprobs": []}
            items.append(
                {
                    "type": "message",
                    "id": f"msg_{number}_{place}",
                    "role": "assistant",
                    "status": "completed",
                    "content": [text],
                }
            )
    name = f"resp_{number}"
    held[name] = {"input": [*_items(whole.get("input")), *items]}
    held[_conversation(whole) or name] = held[name]
    return {
        "id": name,
        "object": "response",
        "created_at": 0,
        "model": asked.body.get("model"),
        "status": "completed",
        "output": items,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "temperature": 1.0,
        "top_p": 1.0,
        "usage": {
            "input_tokens": asked.input,
            "input_tokens_details": {
                "cached_tokens": asked.cache_read,
                "cache_write_tokens": asked.cache_write,
            },
            "output_tokens": 7,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": asked.input + 7,
        },
    }


def _responses_stream(asked: Asked, answer: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    events: list[dict[str, Any]] = [
        {
            "type": "response.created",
            "response": {**answer, "status": "in_progress", "output": [], "usage": None},
        }
    ]
    for place, item in enumerate(answer["output"]):
        key = {"item_id": item["id"], "output_index": place}
        empty = {**item, "status": "in_progress"}
        empty |= {"arguments": ""} if "arguments" in item else {"content": []}
        added = {"type": "response.output_item.added", "output_index": place, "item": empty}
        events.append(added)
        if "arguments" in item:
            given = item["arguments"]
            part = {"type": "response.function_call_arguments.delta", "delta": given, **key}
            done = {"type": "response.function_call_arguments.done", "arguments": given, **key}
            events += [part, {**done, "name": item["name"]}]
        else:
            text = item["content"][0]["text"]
            spot = {**key, "content_index": 0}
            part = {
                "type": "response.content_part.added",
                "part": {**item["content"][0], "text": ""},
            }
            events.append({**part, **spot})
            delta = {"type": "response.output_text.delta", "delta": text, "logprobs": [], **spot}
            done = {"type": "response.output_text.done", "text": text, "logprobs": [], **spot}
            end = {"type": "response.content_part.done", "part": item["content"][0], **spot}
            events += [delta, done, end]
        events.append({"type": "response.output_item.done", "output_index": place, "item": item})
    events.append({"type": "response.completed", "response": answer})
    for number, each in enumerate(events):
        yield each["type"], {**each, "sequence_number": number}


def _chat(
    asked: Asked, whole: dict[str, Any], parts: list[Any], number: int, held: dict[str, Any]
) -> dict[str, Any]:
    calls = [
        {
            "id": f"call_{number}_{place}",
            "type": "function",
            "function": {"name": each.name, "arguments": each.arguments},
        }
        for place, each in enumerate(parts)
        if isinstance(each, Call)
    ]
    text = "".join(each for each in parts if isinstance(each, str)) or None
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": message}
    return {
        "id": f"chat_{number}",
        "object": "chat.completion",
        "created": 0,
        "model": asked.body.get("model"),
        "choices": [choice],
        "usage": {
            "prompt_tokens": asked.input,
            "completion_tokens": 7,
            "total_tokens": asked.input + 7,
            "prompt_tokens_details": {
                "cached_tokens": asked.cache_read,
                "cache_write_tokens": asked.cache_write,
            },
        },
    }


def _chat_stream(asked: Asked, answer: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    base = {
        "id": answer["id"],
        "object": "chat.completion.chunk",
        "created": 0,
        "model": answer["model"],
    }
    [choice] = answer["choices"]
    message = choice["message"]
    delta: dict[str, Any] = {"role": "assistant", "content": message["content"] or ""}
    if "tool_calls" in message:
        delta["tool_calls"] = [{"index": n, **one} for n, one in enumerate(message["tool_calls"])]
    yield "", {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    yield "", {**base, "choices": [end]}
    if (asked.body.get("stream_options") or {}).get("include_usage"):
        yield "", {**base, "choices": [], "usage": answer["usage"]}
    yield "", "[DONE]"


def _gemini(
    asked: Asked, whole: dict[str, Any], parts: list[Any], number: int, held: dict[str, Any]
) -> dict[str, Any]:
    content = [
        {
            "functionCall": {
                "name": each.name,
                "args": _parsed(each.arguments),
                "id": f"call_{number}_{place}",
            }
        }
        if isinstance(each, Call)
        else {"text": each}
        for place, each in enumerate(parts)
    ]
    candidate = {"content": {"role": "model", "parts": content}, "finishReason": "STOP", "index": 0}
    return {
        "candidates": [candidate],
        "modelVersion": "gemini-x",
        "responseId": f"r{number}",
        "usageMetadata": {
            "promptTokenCount": asked.input,
            "cachedContentTokenCount": asked.cache_read,
            "candidatesTokenCount": 7,
            "totalTokenCount": asked.input + 7,
        },
    }


def _gemini_stream(asked: Asked, answer: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "", answer


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return {}


_ANSWERS = {"messages": _messages, "responses": _responses, "chat": _chat, "gemini": _gemini}
_STREAMS = {
    "messages": _messages_stream,
    "responses": _responses_stream,
    "chat": _chat_stream,
    "gemini": _gemini_stream,
}


def send(handler: BaseHTTPRequestHandler, status: int, body: Any) -> None:
    data = json.dumps(body, ensure_ascii=False).encode()
    handler.send_response(status)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", str(len(data)))
    handler.send_header("connection", "close")  # so that no client leaves a connection open
    handler.end_headers()
    handler.wfile.write(data)
    handler.close_connection = True


def stream(handler: BaseHTTPRequestHandler, events: Iterator[tuple[str, Any]]) -> None:
    handler.send_response(200)
    handler.send_header("content-type", "text/event-stream")
    handler.send_header("connection", "close")
    handler.end_headers()
    for name, data in events:
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
        head = f"event: {name}\n" if name else ""
        handler.wfile.write(f"{head}data: {text}\n\n".encode())
        handler.wfile.flush()
    handler.close_connection = True
