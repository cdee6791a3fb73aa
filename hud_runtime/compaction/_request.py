"""The request for a summary: a conversation without tools and media, and the prompt behind it.

Calls and results become words: providers refuse a history with calls where a request has no tools. Who says what
stays apart by the messages' roles, so that what a tool says cannot pose as somebody.
"""

# JSON data is Any by nature.
# pyright: basic

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal, NamedTuple, TypeAlias

from hud_runtime.messages import Part, Statement, get
from ujsx.tokens import TokenCounter

Write: TypeAlias = Callable[[Literal["user", "assistant"], str], Any]
"""Makes a message of an SDK's of who says it and what."""

LONGEST_RESULT = 2_000
"""Characters of a tool's result, and of a call's arguments: what OpenCode 1.18 keeps of them for a summary."""

OPENING = (
    "The conversation before this was replaced by the summary below, which you have written yourself. Continue"
    " from it."
)
"""What stands before the summary in the message that has it."""

EARLIER = "[Earlier messages are left out here.]"
"""What stands in the place of what is left out of a request that would be too long."""


class Line(NamedTuple):
    """What somebody says in a request for a summary."""

    role: Literal["user", "assistant"]
    text: str


def lines_of(said: Sequence[Statement]) -> list[Line]:
    """Return a conversation in words, whose roles take turns; the system's messages are no part of it.

    >>> from hud_runtime.messages import read_message
    >>> lines_of([read_message({"role": "tool", "tool_call_id": "1", "content": "a.py"})])
    [Line(role='user', text='[Result] a.py')]
    """
    found: list[tuple[Literal["user", "assistant"], str]] = []
    for each in said:
        if each.role == "system":
            continue
        for part in each.parts:
            text = _words(part).strip()
            if text:
                by_agent = each.role == "assistant" and part.kind != "result"
                found.append(("assistant" if by_agent else "user", text))
    return [
        Line(role, "\n\n".join(text for _, text in group))
        for role, group in groupby(found, key=itemgetter(0))
    ]


def _words(part: Part) -> str:
    match part.kind:
        case "call":
            return f"[Call of {part.name or 'a tool'}] {_cut(part.text)}"
        case "result":
            return f"[Result] {_cut(part.text)}"
        case "media":
            return f"[{part.text}]"
        case "thought":
            return ""
        case "other":
            return f"[{part.name or 'other'}] {_cut(part.text)}"
        case _:
            return part.text


def _cut(text: str) -> str:
    if len(text) <= LONGEST_RESULT:
        return text
    return f"{text[:LONGEST_RESULT]} … {len(text) - LONGEST_RESULT:,} more characters"


def within(lines: Sequence[Line], most: int | None, count: TokenCounter) -> list[Line]:
    """Return the newest lines that have no more tokens than that, with a word for what is left out; one at least.

    >>> lines = [Line("user", "one two three"), Line("assistant", "four"), Line("user", "five")]
    >>> [each.text for each in within(lines, 2, lambda text: len(text.split()))]
    ['[Earlier messages are left out here.]', 'four', 'five']
    """
    if most is None:
        return list(lines)
    start, total = len(lines), 0
    while start > 0:
        total += count(lines[start - 1].text)
        if total > most and start < len(lines):
            break
        start -= 1
    return _without_first(lines, start)


def newer_half(lines: Sequence[Line]) -> list[Line] | None:
    """Return what is left when the older half is left out; None where there is no half."""
    return _without_first(lines, (len(lines) + 1) // 2) if len(lines) > 1 else None


def _without_first(lines: Sequence[Line], count: int) -> list[Line]:
    if not count:
        return list(lines)
    kept = [each for each in lines[count:] if each.text != EARLIER]
    if kept and kept[0].role == "user":
        return [Line("user", f"{EARLIER}\n\n{kept[0].text}"), *kept[1:]]
    return [Line("user", EARLIER), *kept]


def request(lines: Sequence[Line], prompt: str, write: Write) -> list[Any]:
    """Return the messages of a request: what was said, and then the prompt, as the user's.

    >>> request([Line("assistant", "Done.")], "Sum it up.", lambda role, text: (role, text))
    [('user', '[Earlier messages are left out here.]'), ('assistant', 'Done.'), ('user', 'Sum it up.')]
    """
    said = list(lines)
    if said and said[0].role == "assistant":  # no provider lets the model speak first
        said.insert(0, Line("user", EARLIER))
    if said and said[-1].role == "user":
        said[-1] = Line("user", f"{said[-1].text}\n\n{prompt}")
    else:
        said.append(Line("user", prompt))
    return [write(each.role, each.text) for each in said]


def writer_like(messages: Sequence[Any]) -> Write:
    """Return what makes messages in the form of these."""
    like = messages[-1] if messages else {}

    def write(role: Literal["user", "assistant"], text: str) -> Any:
        return written(like, role, text)

    return write


def written(like: Any, role: Literal["user", "assistant"], text: str) -> Any:
    """Return a message as data, in the form of another one.

    >>> written({"role": "model", "parts": []}, "assistant", "Done.")
    {'role': 'model', 'parts': [{'text': 'Done.'}]}
    >>> written({"role": "user", "content": "Hi"}, "user", "Go on.")
    {'role': 'user', 'content': 'Go on.'}
    """
    if get(like, "info") is not None:
        return {"info": {"role": role}, "parts": [{"type": "text", "text": text}]}
    content = get(like, "content")
    if isinstance(content, list) and content and get(content[0], "type") is None:  # Bedrock's
        return {"role": role, "content": [{"text": text}]}
    if get(like, "parts") is not None:
        name = "model" if role == "assistant" else "user"
        return {"role": name, "parts": [{"text": text}]}
    return {"role": role, "content": text}
