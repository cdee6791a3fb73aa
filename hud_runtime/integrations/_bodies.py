"""The requests of four APIs as JSON: what they say, and where a HUD goes.

Anthropic's Messages, OpenAI's Responses and Chat Completions, and Gemini's generateContent. Whoever sees a
request on its way, a client's middleware, a transport, a proxy, works with these; nothing here needs an SDK.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hud_runtime.delivery import Delivery, Part
from hud_runtime.integrations._anchors import interleaved
from hud_runtime.integrations._dialogue import Message
from hud_runtime.observation import ToolCall, ToolResult, Usage

Record = dict[str, Any]
"""An object of JSON."""

VOLATILE = ("cache_control", "prompt_cache_breakpoint", "id", "status", "thought_signature")
"""Fields that may differ from request to request in a message that is the same."""

BREAKPOINTS = re.compile(r"gpt-(5\.[6-9]|[6-9]|\d\d)")
"""OpenAI's models that take explicit breakpoints; the others refuse them."""

CLEARING = re.compile(r"claude-(fable-5|mythos-5|opus-4-8|opus-5|sonnet-5-5|haiku-5-5)")
"""Anthropic's models that take a message which lasts for one request."""


@dataclass(frozen=True, slots=True)
class Ours:
    """Words of ours among a host's messages."""

    part: Part


@dataclass(frozen=True, slots=True)
class Api:
    """How one of the APIs says it."""

    name: str
    messages: Callable[[Record], list[Any]]
    """The host's own messages in a request."""
    told: Callable[[Any], Message]
    """What one of them says."""
    join: Callable[[Record, Sequence[Any], str], Record]
    """Put messages, with ours among them, into a request, with the words for its system prompt."""
    usage: Callable[[Mapping[str, Any]], tuple[Usage | None, str | None]]
    """What an answer took, and its model."""
    thread: Callable[[Record], str | None]
    """The last answer of a history that the provider holds, where it does."""

    def read(self, body: Record) -> list[Message]:
        """Return what a request's messages say."""
        return [self.told(each) for each in self.messages(body)]

    def placed(self, body: Record, delivery: Delivery) -> Record:
        """Return the request with what is delivered in its place."""
        system = "\n".join(each.text for each in delivery.parts if each.place == "system")
        mixed = interleaved(self.messages(body), _without_system(delivery), Ours)
        return self.join(body, mixed, system)


def _without_system(delivery: Delivery) -> Delivery:
    import msgspec

    parts = tuple(each for each in delivery.parts if each.place != "system")
    return msgspec.structs.replace(delivery, parts=parts)


def bare(value: Any) -> Any:
    """Return a message without what may differ while it is the same.

    >>> bare({"text": "hi", "cache_control": {"type": "ephemeral"}})
    {'text': 'hi'}
    """
    if isinstance(value, list):
        return [bare(each) for each in value]
    if isinstance(value, dict):
        return {key: bare(each) for key, each in value.items() if key not in VOLATILE}
    return value


def _text_of(message: Any) -> str:
    return json.dumps(bare(message), ensure_ascii=False, sort_keys=True, default=str)


def _words(content: Any) -> str:
    """The text in a message's content, whatever form that has."""
    if isinstance(content, str):
        return content
    parts: Iterable[Any] = content if isinstance(content, list) else ()
    texts = [each.get("text") for each in parts if isinstance(each, dict)]
    return "\n".join(each for each in texts if isinstance(each, str))


def _arguments(given: Any) -> Record:
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            return {}
    return given if isinstance(given, dict) else {}


def _blocks(content: Any, kind: str) -> list[Any]:
    return [{"type": kind, "text": content}] if isinstance(content, str) else list(content or ())


def _marked(content: Any, kind: str, key: str, mark: Record) -> list[Any]:
    """A content with a breakpoint at its end."""
    *others, last = _blocks(content, kind)
    return [*others, {**last, key: mark}]


def _is_tail(item: Any) -> bool:
    return isinstance(item, Ours) and item.part.place == "tail"


# --- Anthropic's Messages ---

EPHEMERAL = {"type": "ephemeral"}


def _anthropic_told(message: Any) -> Message:
    content = message.get("content")
    blocks = _blocks(content, "text")
    if message.get("role") == "assistant":
        calls = tuple(
            ToolCall(name=each["name"], arguments=_arguments(each["input"]), call_id=each["id"])
            for each in blocks
            if each.get("type") == "tool_use"
        )
        found = (each.get("content") for each in blocks if each.get("type") == "compaction")
        summary = next((each for each in found if isinstance(each, str)), "")
        return Message(text=_text_of(message), is_answer=True, calls=calls, summary=summary)
    results = tuple(
        ToolResult(
            text=_words(each.get("content")),
            call_id=each["tool_use_id"],
            status="failed" if each.get("is_error") else "unknown",
        )
        for each in blocks
        if each.get("type") == "tool_result"
    )
    texts = [each for each in blocks if each.get("type") == "text"]
    said = _words(texts) if message.get("role") == "user" else ""
    return Message(text=_text_of(message), said=said, results=results)


def _anthropic_join(body: Record, items: Sequence[Any], system: str) -> Record:
    made = dict(body)
    messages: list[Any] = []
    for item in items:
        if not isinstance(item, Ours):
            messages.append(item)
            continue
        block: Record = {"type": "text", "text": item.part.text}
        if not messages or messages[-1].get("role") != "user":
            messages.append({"role": "user", "content": [block]})
            continue
        last = messages[-1]
        content = _blocks(last["content"], "text")
        if _is_tail(item) and content:
            # The automatic breakpoint, or one of the host's own, would fall behind the HUD.
            made.pop("cache_control", None)
            messages = [_unmarked(each) for each in messages]
            content = _marked(bare_marks(content), "text", "cache_control", EPHEMERAL)
        messages[-1] = {**last, "content": [*content, block]}
    made["messages"] = messages
    if system:
        own = _blocks(body.get("system"), "text")
        made["system"] = [*own, {"type": "text", "text": system, "cache_control": EPHEMERAL}]
    return made


def bare_marks(content: list[Any]) -> list[Any]:
    """Return blocks without their breakpoints.

    >>> bare_marks([{"type": "text", "text": "a", "cache_control": {}}])
    [{'type': 'text', 'text': 'a'}]
    """
    return [
        {key: value for key, value in each.items() if key != "cache_control"} for each in content
    ]


def _unmarked(message: Any) -> Any:
    content = message.get("content")
    return {**message, "content": bare_marks(content)} if isinstance(content, list) else message


def fleeting(body: Record, text: str) -> Record:
    """Return a request with words that last for this one alone, though the provider holds the history.

    >>> fleeting({"messages": []}, "# HUD")["messages"][0]["clear_at"]
    'next_user_message'
    """
    said = {"role": "system", "content": text, "clear_at": "next_user_message"}
    return {**body, "messages": [*body["messages"], said]}


def _anthropic_usage(answer: Mapping[str, Any]) -> tuple[Usage | None, str | None]:
    given = answer.get("usage") or {}
    if "input_tokens" not in given:
        return None, answer.get("model")
    read = given.get("cache_read_input_tokens") or 0
    written = given.get("cache_creation_input_tokens") or 0
    # Anthropic counts what was cached apart.
    usage = Usage(
        input=given["input_tokens"] + read + written,
        cache_read=read,
        cache_write=written,
        output=given.get("output_tokens") or 0,
    )
    return usage, answer.get("model")


def _anthropic_thread(body: Record) -> str | None:
    thread = body.get("thread")
    return thread.get("previous_message_id") if isinstance(thread, dict) else None


# --- OpenAI's Responses ---

EXPLICIT = {"mode": "explicit"}


def _responses_messages(body: Record) -> list[Any]:
    given = body.get("input")
    return [{"role": "user", "content": given}] if isinstance(given, str) else list(given or ())


def responses_told(item: Any) -> Message:
    """Return what an item of the Responses API says."""
    kind, role = item.get("type"), item.get("role")
    text = _text_of(item)
    if kind == "function_call":
        call = ToolCall(
            name=item["name"], arguments=_arguments(item["arguments"]), call_id=item["call_id"]
        )
        return Message(text=text, is_answer=True, calls=(call,))
    if kind == "function_call_output":
        output = item.get("output")
        result = ToolResult(text=_words(output), call_id=item["call_id"])
        return Message(text=text, results=(result,))
    if role == "user":
        return Message(text=text, said=_words(item.get("content")))
    is_answer = role == "assistant" or (role is None and kind in ("reasoning", "message"))
    return Message(text=text, is_answer=is_answer)


def responses_item(part: Part) -> Record:
    """Return a part as an item of the Responses API."""
    return {"role": "user", "content": [{"type": "input_text", "text": part.text}]}


def responses_marked(item: Record) -> Record:
    """Return an item with a breakpoint at its end, where it can have one."""
    if item.get("type") == "function_call_output":
        return {
            **item,
            "output": _marked(item["output"], "input_text", "prompt_cache_breakpoint", EXPLICIT),
        }
    if item.get("role") in ("user", "developer", "system"):
        return {
            **item,
            "content": _marked(item["content"], "input_text", "prompt_cache_breakpoint", EXPLICIT),
        }
    return item


def responses_items(items: Sequence[Any], model: str) -> list[Any]:
    """Return items with ours among them; a tail gets a breakpoint before it where the model takes one."""
    made: list[Any] = []
    for item in items:
        if not isinstance(item, Ours):
            made.append(item)
            continue
        if _is_tail(item) and made and BREAKPOINTS.search(model):
            made[-1] = responses_marked(made[-1])
        made.append(responses_item(item.part))
    return made


def _responses_join(body: Record, items: Sequence[Any], system: str) -> Record:
    made = {**body, "input": responses_items(items, str(body.get("model")))}
    if system:
        own = body.get("instructions")
        made["instructions"] = f"{own}\n\n{system}" if own else system
    return made


def _responses_usage(answer: Mapping[str, Any]) -> tuple[Usage | None, str | None]:
    given = answer.get("usage")
    if not given:
        return None, answer.get("model")
    details = given.get("input_tokens_details") or {}
    usage = Usage(
        input=given.get("input_tokens") or 0,
        cache_read=details.get("cached_tokens") or 0,
        cache_write=details.get("cache_write_tokens") or 0,
        output=given.get("output_tokens") or 0,
    )
    return usage, answer.get("model")


def _responses_thread(body: Record) -> str | None:
    previous = body.get("previous_response_id")
    if previous:
        return str(previous)
    conversation = body.get("conversation")
    if isinstance(conversation, dict):
        conversation = conversation.get("id")
    return f"conversation {conversation}" if conversation else None


# --- OpenAI's Chat Completions ---


def _chat_told(message: Any) -> Message:
    role, text = message.get("role"), _text_of(message)
    if role == "assistant":
        calls = tuple(
            ToolCall(
                name=each["function"]["name"],
                arguments=_arguments(each["function"].get("arguments")),
                call_id=each["id"],
            )
            for each in message.get("tool_calls") or ()
            if each.get("function")
        )
        return Message(text=text, is_answer=True, calls=calls)
    if role == "tool":
        result = ToolResult(
            text=_words(message.get("content")), call_id=message.get("tool_call_id")
        )
        return Message(text=text, results=(result,))
    return Message(text=text, said=_words(message.get("content")) if role == "user" else "")


def _chat_join(body: Record, items: Sequence[Any], system: str) -> Record:
    model = str(body.get("model"))
    made: list[Any] = []
    for item in items:
        if not isinstance(item, Ours):
            made.append(item)
            continue
        key, mark = _chat_mark(model)
        if _is_tail(item) and made and key and made[-1].get("content"):
            made[-1] = _chat_marked(made[-1], key, mark)
        made.append({"role": "user", "content": item.part.text})
    if system:
        roles = ("system", "developer")
        count = next((n for n, each in enumerate(made) if each["role"] not in roles), len(made))
        made.insert(count, {"role": "system", "content": system})
    return {**body, "messages": made}


def _chat_marked(message: Record, key: str, mark: Record) -> Record:
    """A message with a breakpoint at its end; what a tool says becomes one block at Anthropic."""
    if message["role"] == "tool" and key == "cache_control":
        return {**message, key: mark}
    return {**message, "content": _marked(message["content"], "text", key, mark)}


def _chat_mark(model: str) -> tuple[str, Record]:
    """The breakpoint that a model takes; proxies speak to Anthropic's in this form as well."""
    if BREAKPOINTS.search(model):
        return "prompt_cache_breakpoint", EXPLICIT
    return ("cache_control", EPHEMERAL) if re.search("claude|anthropic", model) else ("", {})


def _chat_usage(answer: Mapping[str, Any]) -> tuple[Usage | None, str | None]:
    given = answer.get("usage")
    if not given:
        return None, answer.get("model")
    details = given.get("prompt_tokens_details") or {}
    usage = Usage(
        input=given.get("prompt_tokens") or 0,
        cache_read=details.get("cached_tokens") or 0,
        cache_write=details.get("cache_write_tokens") or 0,
        output=given.get("completion_tokens") or 0,
    )
    return usage, answer.get("model")


# --- Gemini's generateContent ---


def _gemini_told(content: Any) -> Message:
    parts = [each for each in content.get("parts") or () if isinstance(each, dict)]
    text = _text_of(content)
    if content.get("role") == "model":
        made = [each["functionCall"] for each in parts if "functionCall" in each]
        calls = tuple(
            ToolCall(name=each["name"], arguments=each.get("args") or {}, call_id=each.get("id"))
            for each in made
        )
        return Message(text=text, is_answer=True, calls=calls)
    answers = [each["functionResponse"] for each in parts if "functionResponse" in each]
    results = tuple(
        ToolResult(
            text=_gemini_words(each.get("response")),
            call_id=each.get("id"),
            status="failed" if "error" in (each.get("response") or {}) else "unknown",
        )
        for each in answers
    )
    return Message(text=text, said=_words(parts), results=results)


def _gemini_words(response: Any) -> str:
    if not isinstance(response, dict):
        return str(response or "")
    said = response.get("error", response.get("result", response.get("output", response)))
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)


def _gemini_join(body: Record, items: Sequence[Any], system: str) -> Record:
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


def _gemini_usage(answer: Mapping[str, Any]) -> tuple[Usage | None, str | None]:
    given = answer.get("usageMetadata")
    if not given:
        return None, answer.get("modelVersion")
    usage = Usage(
        input=given.get("promptTokenCount") or 0,
        cache_read=given.get("cachedContentTokenCount") or 0,
        output=(given.get("candidatesTokenCount") or 0) + (given.get("thoughtsTokenCount") or 0),
    )
    return usage, answer.get("modelVersion")


def _list_of(key: str) -> Callable[[Record], list[Any]]:
    return lambda body: list(body.get(key) or ())


def _never(_body: Record) -> None:
    return None


MESSAGES = Api(
    "messages",
    _list_of("messages"),
    _anthropic_told,
    _anthropic_join,
    _anthropic_usage,
    _anthropic_thread,
)
RESPONSES = Api(
    "responses",
    _responses_messages,
    responses_told,
    _responses_join,
    _responses_usage,
    _responses_thread,
)
CHAT = Api("chat", _list_of("messages"), _chat_told, _chat_join, _chat_usage, _never)
GEMINI = Api("gemini", _list_of("contents"), _gemini_told, _gemini_join, _gemini_usage, _never)


def api_of(path: str) -> Api | None:
    """Return the API that a path belongs to.

    >>> api_of("/v1/messages?beta=true").name, api_of("/v1/embeddings")
    ('messages', None)
    """
    way = path.partition("?")[0].rstrip("/")
    if way.endswith(":generateContent") or way.endswith(":streamGenerateContent"):
        return GEMINI
    ends = {"/messages": MESSAGES, "/responses": RESPONSES, "/chat/completions": CHAT}
    return next((api for end, api in ends.items() if way.endswith(end)), None)
