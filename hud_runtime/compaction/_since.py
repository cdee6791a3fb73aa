"""The rest of a history after its last compaction, and which of its messages belong together.

A summary is marked beside what it says, and not in it: text that only looks like one is text. A host that keeps its
whole history puts the marked message behind what it stands for, and asks for what counts before each request.
"""

# JSON data is Any by nature.
# pyright: basic

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from hud_runtime.messages import BEDROCK, MEDIA, MEDIA_KEYS, Statement, get, read_message, word_for

MessageT = TypeVar("MessageT")

SUMMARY, KEPT = "summary", "kept"
"""The fields of the mark: that a message is a summary, and how many messages before it stay as they are."""

MARKS = (SUMMARY, KEPT, "finish", "error")
"""Fields that are for hosts, and that no provider takes."""


def marked(message: dict[str, Any], kept: int = 0) -> dict[str, Any]:
    """Return a message as a summary of what stands before it, for a host that keeps its whole history.

    :param kept: how many messages right before it stay as they are.

    >>> marked({"role": "user", "content": "The login is done."})
    {'role': 'user', 'content': 'The login is done.', 'summary': True, 'kept': 0}
    """
    return {**message, SUMMARY: True, KEPT: kept}


def is_summary(message: Any) -> bool:
    """Tell whether a message is marked as a summary, finished and without an error.

    >>> is_summary({"role": "user", "content": "So far", "summary": True, "error": "cut off"})
    False
    """
    if _has_mark(message):
        return not message.get("error") and bool(message.get("finish", True))
    info = get(message, "info")
    if info is not None:
        is_whole = bool(get(info, "finish")) and not get(info, "error")
        return get(info, "role") == "assistant" and get(info, "summary") is True and is_whole
    return read_message(message).has("summary")


def messages_since_compaction(messages: Sequence[MessageT]) -> list[MessageT]:
    """Return the messages that count: those from the last finished compaction on, which had no error.

    System messages stay where they were, first; then the summary, without its mark, and what it leaves as it is.
    A result whose call stands before the compaction brings it along, with all other results of that message. Without
    a compaction all messages count. None is changed.

    :param messages: oldest first, in the form of any API that is known here (:mod:`hud_runtime.messages`).

    >>> history = [
    ...     {"role": "system", "content": "You write code."},
    ...     {"role": "user", "content": "Add a login."},
    ...     {"role": "assistant", "content": "Done."},
    ...     marked({"role": "user", "content": "The login is done."}),
    ...     {"role": "user", "content": "Now the API."},
    ... ]
    >>> [each["content"] for each in messages_since_compaction(history)]
    ['You write code.', 'The login is done.', 'Now the API.']
    """
    counted = what_counts(messages)
    return [_unmarked(messages[n]) if n == counted.summary else messages[n] for n in counted.order]


class Counted(NamedTuple):
    """Which messages of a history count."""

    order: list[int]
    """Their places, in the order in which a model reads them."""

    summary: int | None = None
    """The place of the summary; None where there is none."""

    brought: frozenset[int] = frozenset()
    """The places of those that are there for a result alone, whose call they have."""


def what_counts(messages: Sequence[Any]) -> Counted:
    """Return which messages of a history count: see :func:`messages_since_compaction`."""
    place = next((n for n in range(len(messages) - 1, -1, -1) if is_summary(messages[n])), None)
    if place is None:
        return Counted([*range(len(messages))])
    said = [read_message(each) for each in messages]
    start, first = _beginning(messages, place)
    whole = {*range(first, start), *range(place + 1, len(messages))}
    whole = {n for n in whole if not is_summary(messages[n])}
    system = [n for n in range(start) if said[n].role == "system" and n not in whole]
    own = {*system, *range(start, place + 1)}
    brought = _brought(whole, links(said)) - whole - own
    # A message that was brought along stands behind the summary: it belongs to what comes.
    order = [*system, *range(start, place + 1), *sorted(brought | whole)]
    return Counted(order, place, frozenset(brought))


def _beginning(messages: Sequence[Any], place: int) -> tuple[int, int]:
    """Where a compaction begins, and the first message before it that it leaves as it is."""
    info = get(messages[place], "info")
    if info is None or _has_mark(messages[place]):
        kept = get(messages[place], KEPT) if isinstance(messages[place], Mapping) else 0
        return place, max(0, place - (kept if isinstance(kept, int) else 0))
    parent = get(info, "parentID")
    for n in range(place - 1, -1, -1):
        if parent is not None and get(get(messages[n], "info"), "id") == parent:
            return n, _tail_of(messages, n)
    return place, place


def _tail_of(messages: Sequence[Any], marker: int) -> int:
    """The first message that OpenCode keeps, as the part says by which it was asked to compact."""
    parts = get(messages[marker], "parts") or ()
    names = [get(each, "tail_start_id") for each in parts if get(each, "type") == "compaction"]
    for n in range(marker):
        if get(get(messages[n], "info"), "id") in [each for each in names if each]:
            return n
    return marker


def _has_mark(message: Any) -> bool:
    return isinstance(message, Mapping) and message.get(SUMMARY) is True


def _unmarked(message: Any) -> Any:
    if not _has_mark(message):
        return message
    return {key: value for key, value in message.items() if key not in MARKS}


# --- What belongs together ---


def links(said: Sequence[Statement]) -> list[tuple[int, int]]:
    """Return the pairs of messages that no provider takes without each other: a call and its result.

    Results without an id belong to the oldest call of that name that has none. Thoughts that are a message of their
    own belong to the one behind them.

    >>> call = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "ls", "arguments": "{}"}}]}
    >>> answer = {"role": "tool", "tool_call_id": "1", "content": "a.py"}
    >>> links([read_message(call), read_message(answer)])
    [(0, 1)]
    """
    found: list[tuple[int, int]] = []
    by_id: dict[str, int] = {}
    by_name: defaultdict[str, deque[int]] = defaultdict(deque)
    for place, each in enumerate(said):
        for part in each.parts:
            if part.kind == "call" and part.id is not None:
                by_id[part.id] = place
            elif part.kind == "call":
                by_name[part.name].append(place)
            elif part.kind == "result" and part.id is not None:
                found += [(by_id[part.id], place)] if part.id in by_id else []
            elif part.kind == "result" and by_name[part.name]:
                found.append((by_name[part.name].popleft(), place))
        is_thought = bool(each.parts) and all(part.kind == "thought" for part in each.parts)
        if is_thought and place + 1 < len(said):
            found.append((place, place + 1))
    return [(first, last) for first, last in found if first != last]


def cuts(said: Sequence[Statement]) -> list[bool]:
    """Tell for each place whether a history can be cut before it: nothing that belongs together is parted.

    A call that waits for its result yet is not parted from it either.

    >>> call = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "ls", "arguments": "{}"}}]}
    >>> cuts([read_message({"role": "user", "content": "Go."}), read_message(call)])
    [True, True, False]
    """
    open_ = [0] * (len(said) + 2)
    for first, last in [*links(said), *_waiting(said)]:
        open_[first + 1] += 1
        open_[last + 1] -= 1
    free: list[bool] = []
    parted = 0
    for place in range(len(said) + 1):
        parted += open_[place]
        free.append(parted == 0)
    return free


def _waiting(said: Sequence[Statement]) -> list[tuple[int, int]]:
    """The calls of the last answer that have no result yet, as if it came next."""
    last = next((n for n in range(len(said) - 1, -1, -1) if said[n].role == "assistant"), None)
    if last is None:
        return []
    answered = {part.id for each in said[last:] for part in each.parts if part.kind == "result"}
    waits = any(part.kind == "call" and part.id not in answered for part in said[last].parts)
    if not waits or (None in answered):
        return []
    return [(last, len(said))]


def _brought(whole: set[int], pairs: Sequence[tuple[int, int]]) -> set[int]:
    """The messages that those bring along, which stay."""
    partners: defaultdict[int, list[int]] = defaultdict(list)
    for first, last in pairs:
        partners[first].append(last)
        partners[last].append(first)
    found = set(whole)
    waiting = list(whole)
    while waiting:
        for other in partners[waiting.pop()]:
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


# --- Media ---


def without_media(messages: Sequence[MessageT]) -> list[MessageT]:
    """Return messages in which a word stands for each image, document and sound: ``[image]``.

    What has none is the very same message; nothing is changed in place. Messages that are no data, but objects of an
    SDK, stay as they are.

    >>> shown = [{"role": "user", "content": [{"type": "image", "source": {"data": "iVBOR"}}]}]
    >>> without_media(shown)
    [{'role': 'user', 'content': [{'type': 'text', 'text': '[image]'}]}]
    """
    return [_bare(each) for each in messages]


def _bare(value: Any, depth: int = 0) -> Any:
    if depth > DEEPEST:
        return value
    if isinstance(value, list | tuple):
        made: Any = [_bare(each, depth + 1) for each in value]
        return value if all(new is old for new, old in zip(made, value, strict=True)) else made
    if not isinstance(value, Mapping):
        return value
    stands = _stands_for(value)
    if stands is not None and depth:
        return stands
    kept = {key: _bare(each, depth + 1) if key in WITHIN else each for key, each in value.items()}
    return value if all(kept[key] is each for key, each in value.items()) else kept


WITHIN = frozenset([
    "content", "parts", "output", "functionResponse", "function_response", "toolResult", "state", "attachments",
])  # fmt: skip
"""Fields in which there may be media: not in a call's arguments, whatever they look like."""

DEEPEST = 12
"""How deep fields are looked into; no API has media deeper than six."""


def _stands_for(part: Mapping[str, Any]) -> Any:
    kind = part.get("type")
    if isinstance(kind, str) and kind in MEDIA and "role" not in part:
        word, text = MEDIA[kind]
        return {"type": text, "text": f"[{word}]"}
    if "type" in part or "role" in part:
        return None
    key = next((each for each in MEDIA_KEYS if each in part), None)
    if key is not None:
        return {"text": f"[{word_for(part[key])}]"}
    bedrock = next((each for each in BEDROCK[:-1] if isinstance(part.get(each), Mapping)), None)
    return None if bedrock is None else {"text": f"[{bedrock}]"}
