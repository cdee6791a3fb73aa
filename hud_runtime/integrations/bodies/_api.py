"""What the requests of every API have in common, as JSON: what they say, and where a HUD goes."""

# JSON data is Any by nature.
# pyright: basic

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from hud_runtime.delivery import Delivery, Part
from hud_runtime.integrations._anchors import interleaved
from hud_runtime.integrations._dialogue import Message
from hud_runtime.observation import Usage
from hud_runtime.observation._json import json_of

Record = dict[str, Any]
"""An object of JSON."""

VOLATILE = ("cache_control", "prompt_cache_breakpoint", "id", "status", "thought_signature")
"""Fields that may differ from request to request in a message that is the same."""


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
        mixed = interleaved(self.messages(body), without_system(delivery), Ours)
        return self.join(body, mixed, system)


def without_system(delivery: Delivery) -> Delivery:
    """Return a delivery without what goes into the system prompt."""
    parts = tuple(each for each in delivery.parts if each.place != "system")
    return replace(delivery, parts=parts)


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


def text_of(message: Any) -> str:
    """Return a message as a text that is the same as long as the message is."""
    return json.dumps(bare(message), ensure_ascii=False, sort_keys=True, default=str)


def words(content: Any) -> str:
    """The text in a message's content, whatever form that has."""
    if isinstance(content, str):
        return content
    parts: Iterable[Any] = content if isinstance(content, list) else ()
    texts = [each.get("text") for each in parts if isinstance(each, dict)]
    return "\n".join(each for each in texts if isinstance(each, str))


def arguments_of(given: Any) -> Record:
    """Return a call's arguments, whatever form they have; none where they are broken."""
    if isinstance(given, str):
        given = json_of(given)
    return given if isinstance(given, dict) else {}


def blocks_of(content: Any, kind: str) -> list[Any]:
    """Return a content as blocks."""
    return [{"type": kind, "text": content}] if isinstance(content, str) else list(content or ())


def marked(content: Any, kind: str, key: str, mark: Record) -> list[Any]:
    """A content with a breakpoint at its end."""
    *others, last = blocks_of(content, kind)
    return [*others, {**last, key: mark}]


def is_tail(item: Any) -> bool:
    """Tell whether a message is ours, for one request alone."""
    return isinstance(item, Ours) and item.part.place == "tail"


def list_of(key: str) -> Callable[[Record], list[Any]]:
    """Return what reads a list of a request."""
    return lambda body: list(body.get(key) or ())


def never(_body: Record) -> None:
    """Return that no history is held, for an API whose provider holds none."""
