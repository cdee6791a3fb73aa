"""The requests of four APIs as JSON: their messages, and the HUD's position among them.

Anthropic's Messages, OpenAI's Responses and Chat Completions, and Gemini's generateContent. Middleware of a
client, transports and proxies use these; nothing here needs an SDK. Messages are parsed in
:mod:`hud_runtime.observe.messages`.
"""

# JSON data is Any by nature.
# pyright: basic

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from msgspec.structs import replace

from hud_runtime.context.delivery import Delivery, Part
from hud_runtime.integrations._dialogue import HostMessage
from hud_runtime.integrations._sending import interleaved
from hud_runtime.observe import Usage, usage_in
from hud_runtime.observe.messages import get, read_message

Record = dict[str, Any]
"""An object of JSON."""

VOLATILE = ("cache_control", "prompt_cache_breakpoint", "id", "status", "thought_signature")
"""Fields that may differ between requests in the same message."""


@dataclass(frozen=True, slots=True)
class Ours:
    """Our texts among a host's messages."""

    part: Part


class PlacedMessages(NamedTuple):
    """A request's messages with ours among them."""

    messages: list[Any]

    system: str = ""
    """The text for the system prompt."""

    unsure: Delivery | None = None
    """A delivery that the provider stores if it answers."""


def placed_in(own: Sequence[Any], delivery: Delivery) -> PlacedMessages:
    """Return a host's messages with a delivery among them, and its text for the system prompt."""
    system = [each.text for each in delivery.parts if each.place == "system"]
    others = tuple(each for each in delivery.parts if each.place != "system")
    mixed = interleaved([*own], replace(delivery, parts=others), Ours)
    return PlacedMessages(mixed, "\n".join(system))


def with_ours(
    mixed: Sequence[Any], write: Callable[[str], Any], mark: Callable[[Any], Any] | None = None
) -> list[Any]:
    """Return messages with our texts as messages of their own.

    :param write: makes a message from a text.
    :param mark: puts a breakpoint at the end of the message before a tail.
    """
    made: list[Any] = []
    for each in mixed:
        if mark is not None and made and is_tail(each):
            made[-1] = mark(made[-1])
        made.append(write(each.part.text) if isinstance(each, Ours) else each)
    return made


@dataclass(frozen=True, slots=True)
class Api:
    """The format of one of the APIs."""

    name: str
    messages: Callable[[Record], list[Any]]
    """The host's own messages in a request."""
    join: Callable[[Record, Sequence[Any], str], Record]
    """A function that puts messages, with ours among them, and the text for its system prompt into a request."""
    thread: Callable[[Record], str | None]
    """The last answer of a history that the provider holds, if it holds one."""
    figures: str = "usage"
    model: str = "model"
    """The fields of an answer with its usage, and with its model."""

    def read(self, body: Record) -> list[HostMessage]:
        """Return a request's parsed messages."""
        return [told(each) for each in self.messages(body)]

    def usage(self, answer: Mapping[str, Any]) -> tuple[Usage | None, str | None]:
        """Return an answer's usage, and its model."""
        return usage_in(answer.get(self.figures) or {}), answer.get(self.model)

    def placed(self, body: Record, delivery: Delivery) -> Record:
        """Return the request with a delivery."""
        made = placed_in(self.messages(body), delivery)
        return self.join(body, made.messages, made.system)


def bare(value: Any) -> Any:
    """Return a message without its volatile fields.

    >>> bare({"text": "hi", "cache_control": {"type": "ephemeral"}})
    {'text': 'hi'}
    """
    if isinstance(value, list):
        return [bare(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: bare(each) if isinstance(each, dict | list) else each
        for key, each in value.items()
        if key not in VOLATILE
    }


def text_of(message: Any) -> str:
    """Return a message as a text without its volatile fields."""
    return _ENCODER.encode(bare(message))


_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, default=str)


def told(message: Any) -> HostMessage:
    """Return a parsed message, in the form of any API or SDK."""
    said = read_message(message)
    if isinstance(message, Mapping):
        text = text_of(message)
    else:
        text = "\n".join(f"{each.id} {each.name} {each.text}" for each in said.parts)
    summaries = [each.text for each in said.parts if each.kind == "summary"]
    # A separate summary item of OpenAI's is nobody's turn.
    is_turn = len(summaries) < len(said.parts) or get(message, "role") is not None
    return HostMessage(
        text=text,
        said=said.text if said.role in ("user", "assistant") else "",
        is_answer=said.role == "assistant" and is_turn,
        parts=said.parts,
        summary=summaries[0] if summaries else "",
    )


def blocks_of(content: Any, kind: str) -> list[Any]:
    """Return a content as blocks."""
    return [{"type": kind, "text": content}] if isinstance(content, str) else list(content or ())


def marked(content: Any, kind: str, key: str, mark: Record) -> list[Any]:
    """A content with a breakpoint at its end."""
    *others, last = blocks_of(content, kind)
    return [*others, {**last, key: mark}]


def is_tail(item: Any) -> bool:
    """Return whether a message is ours, for one request only."""
    return isinstance(item, Ours) and item.part.place == "tail"


def list_of(key: str) -> Callable[[Record], list[Any]]:
    """Return the function that reads a list of a request."""
    return lambda body: list(body.get(key) or ())


def never(_body: Record) -> None:
    """Return None, for an API whose provider holds no history."""


# --- Anthropic's Messages ---

EPHEMERAL = {"type": "ephemeral"}
"""Anthropic's breakpoint."""

CLEARING = re.compile(r"claude-(fable-5|mythos-5|opus-4-8|opus-5|sonnet-5-5|haiku-5-5)")
"""Models that accept a message which lasts for one request."""

SPEAKING = re.compile(r"claude-(fable-5|mythos-5|opus-4-8|opus-5|sonnet-5|haiku-5-5)")
"""Models that accept a system message in the middle of a conversation."""


def _messages_join(
    body: Record, items: Sequence[Any], system: str, *, as_system: bool = False
) -> Record:
    made = dict(body)
    messages: list[Any] = []
    for place, item in enumerate(items):
        if not isinstance(item, Ours):
            messages.append(item)
            continue
        block: Record = {"type": "text", "text": item.part.text}
        last = messages[-1] if messages else {}
        content = blocks_of(last.get("content"), "text")
        if is_tail(item) and content and last["role"] == "user":
            # The automatic breakpoint, or one of the host's own, would come after the HUD.
            made.pop("cache_control", None)
            messages = [_unmarked(each) for each in messages]
            content = marked(bare_marks(content), "text", "cache_control", EPHEMERAL)
            messages[-1] = {**last, "content": content}
        if as_system and last.get("role") == "user" and _may_speak(items[place + 1 :]):
            messages.append({"role": "system", "content": [block]})
        elif last.get("role") in ("user", "system"):
            messages[-1] = {**last, "content": [*content, block]}
        else:
            messages.append({"role": "user", "content": [block]})
    made["messages"] = messages
    if system:
        own = blocks_of(body.get("system"), "text")
        made["system"] = [*own, {"type": "text", "text": system, "cache_control": EPHEMERAL}]
    return made


def _may_speak(rest: Sequence[Any]) -> bool:
    """Return whether a system message may precede these: only an answer may follow one."""
    following = next((each for each in rest if not isinstance(each, Ours)), None)
    return following is None or following.get("role") == "assistant"


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
    """Return a request with a text for this request only, although the provider holds the history.

    >>> fleeting({"messages": []}, "# HUD")["messages"][0]["clear_at"]
    'next_user_message'
    """
    said = {"role": "system", "content": text, "clear_at": "next_user_message"}
    return {**body, "messages": [*body["messages"], said]}


def _messages_thread(body: Record) -> str | None:
    thread = body.get("thread")
    return thread.get("previous_message_id") if isinstance(thread, dict) else None


MESSAGES = Api("messages", list_of("messages"), _messages_join, _messages_thread)

SPOKEN = dataclasses.replace(MESSAGES, join=partial(_messages_join, as_system=True))
"""The same, with the HUD in system messages after those of the user."""


# --- OpenAI's Responses ---

EXPLICIT = {"mode": "explicit"}
"""OpenAI's breakpoint."""

CONVERSATION = "conversation "
"""The prefix of a history's id that names a conversation instead of the newest answer."""

BREAKPOINTS = re.compile(r"gpt-(5\.[6-9]|[6-9]|\d\d)")
"""Models that accept breakpoints; the others reject them."""


def _responses_items(body: Record) -> list[Any]:
    given = body.get("input")
    return [{"role": "user", "content": given}] if isinstance(given, str) else list(given or ())


def _responses_item(text: str) -> Record:
    return {"role": "user", "content": blocks_of(text, "input_text")}


def _with_breakpoint(item: Record) -> Record:
    """Return an item with a breakpoint at its end, if it can have one."""
    is_output = item.get("type") == "function_call_output"
    if not is_output and item.get("role") not in ("user", "developer", "system"):
        return item
    key = "output" if is_output else "content"
    return {**item, key: marked(item[key], "input_text", "prompt_cache_breakpoint", EXPLICIT)}


def responses_items(items: Sequence[Any], model: str) -> list[Any]:
    """Return items with ours among them; a tail gets a breakpoint before it if the model accepts one."""
    mark = _with_breakpoint if BREAKPOINTS.search(model) else None
    return with_ours(items, _responses_item, mark)


def _responses_join(body: Record, items: Sequence[Any], system: str) -> Record:
    made = {**body, "input": responses_items(items, str(body.get("model")))}
    if system:
        own = body.get("instructions")
        made["instructions"] = f"{own}\n\n{system}" if own else system
    return made


def _responses_thread(body: Record) -> str | None:
    previous = body.get("previous_response_id")
    if previous:
        return str(previous)
    conversation = body.get("conversation")
    if isinstance(conversation, dict):
        conversation = conversation.get("id")
    return f"{CONVERSATION}{conversation}" if conversation else None


RESPONSES = Api("responses", _responses_items, _responses_join, _responses_thread)


# --- OpenAI's Chat Completions, which proxies speak for other providers as well ---


def _chat_join(body: Record, items: Sequence[Any], system: str) -> Record:
    mark = partial(_chat_marked, *_chat_mark(str(body.get("model"))))
    made = with_ours(items, lambda text: {"role": "user", "content": text}, mark)
    if system:
        roles = ("system", "developer")
        count = next((n for n, each in enumerate(made) if each["role"] not in roles), len(made))
        made.insert(count, {"role": "system", "content": system})
    return {**body, "messages": made}


def _chat_marked(key: str, mark: Record, message: Record) -> Record:
    """A message with a breakpoint at its end; for Anthropic, a tool's answer becomes one block."""
    if not key or not message.get("content"):
        return message
    if message["role"] == "tool" and key == "cache_control":
        return {**message, key: mark}
    return {**message, "content": marked(message["content"], "text", key, mark)}


def _chat_mark(model: str) -> tuple[str, Record]:
    """The breakpoint for a model; proxies use this format for Anthropic's models as well."""
    if BREAKPOINTS.search(model):
        return "prompt_cache_breakpoint", EXPLICIT
    return ("cache_control", EPHEMERAL) if re.search("claude|anthropic", model) else ("", {})


CHAT = Api("chat", list_of("messages"), _chat_join, never)


# --- Gemini's generateContent ---


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


GEMINI = Api("gemini", list_of("contents"), _gemini_join, never, "usageMetadata", "modelVersion")


# --- All of them ---

ENDS = {
    "/messages": MESSAGES,
    "/responses": RESPONSES,
    "/chat/completions": CHAT,
    ":generateContent": GEMINI,
    ":streamGenerateContent": GEMINI,
}
"""The ends of requests' paths."""


def api_of(path: str) -> Api | None:
    """Return the API of a path.

    >>> api_of("/v1/messages?beta=true").name, api_of("/v1/embeddings")
    ('messages', None)
    """
    way = path.partition("?")[0].rstrip("/")
    return next((api for end, api in ENDS.items() if way.endswith(end)), None)
