"""The parts of a message by their kinds: a table, for the eye and for a search."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from hud_runtime.history._records import PastPart
from hud_runtime.observation._json import Record, mapping, prose, sequence, string


class Said(NamedTuple):
    """Something that a part says."""

    text: str
    what: str = ""
    """What it is, in a line; empty for what somebody simply said."""
    is_code: bool = False
    """Whether it is what a program wrote or was given."""
    is_beside: bool = False
    """Whether it is beside the conversation: reasoning, and what a program put into a prompt."""


def said_by(part: PastPart) -> list[Said]:
    """Return what a part says, nothing left out; one of a kind that is not known says its kind.

    >>> said_by(PastPart("prt_1", "text", {"text": "Add a login"}))
    [Said(text='Add a login', what='', is_code=False, is_beside=False)]
    """
    tell = KINDS.get(part.type)
    return [Said("", f"a part of the kind {part.type}")] if tell is None else [*tell(part.data)]


def text_of(part: PastPart) -> str:
    """Return all that a part says."""
    return "\n".join(each for said in said_by(part) for each in (said.what, said.text) if each)


OWN = "memory"
"""The name of our tool, which some hosts write behind that of a server."""


def searched_in(part: PastPart) -> str:
    """Return what a search looks through: what a part says, but for calls of our own tool.

    They hold the words that were searched for, and what was found: a search would find itself.

    >>> searched_in(PastPart("prt_1", "tool", {"tool": "ujsx_memory", "state": {"output": "Port 8080"}}))
    ''
    """
    name = string(part.data.get("tool")) or ""
    is_own = part.type == "tool" and (name == OWN or name.endswith(f"_{OWN}"))
    return "" if is_own else text_of(part)


def _when(text: str, what: str = "", **more: bool) -> Iterator[Said]:
    """Something that is said, if it is."""
    if text:
        yield Said(text, what, **more)


def _text(data: Record) -> Iterator[Said]:
    is_added = data.get("synthetic") is True or data.get("ignored") is True
    return _when(
        prose(data.get("text")), "added by the program" if is_added else "", is_beside=is_added
    )


def _tool(data: Record) -> Iterator[Said]:
    state = mapping(data.get("state"))
    name = string(data.get("tool")) or "a tool"
    status = string(state.get("status")) or ""
    title = string(state.get("title"))
    ended = "" if status == "completed" else f" ({ENDED.get(status, status)})" if status else ""
    given = mapping(state.get("input"))
    yield Said(_arguments(given), f"{name}{ended}{f': {title}' if title else ''}", is_code=True)
    result = prose(state.get("error")) if status == "error" else prose(state.get("output"))
    if result:
        yield Said(result, "its result", is_code=True)


ENDED: Mapping[str, str] = {"error": "failed", "running": "under way", "pending": "not begun"}
"""How a call stands, in words; nothing is said of one that came to its end."""


def _arguments(given: Record) -> str:
    if len(given) == 1:
        [only] = given.values()
        if isinstance(only, str):
            return only
    return json.dumps(given, ensure_ascii=False, default=str) if given else ""


def _file(data: Record) -> Iterator[Said]:
    source = mapping(data.get("source"))
    name = string(data.get("filename")) or string(source.get("path")) or "without a name"
    kind = string(data.get("mime"))
    yield Said("", f"the file {name}{f' ({kind})' if kind else ''}")


def _patch(data: Record) -> Iterator[Said]:
    files = [each for each in sequence(data.get("files")) if isinstance(each, str)]
    yield Said("\n".join(files), "files changed", is_code=True)


def _compaction(data: Record) -> Iterator[Said]:
    cause = cause_of(data)
    yield Said("", f"the conversation was compacted{f' ({cause})' if cause else ''}")


def cause_of(data: Record) -> str:
    """Return why a compaction was, in a word."""
    words = (("overflow", "overflow"), ("auto", "automatic"))
    return next((word for name, word in words if data.get(name) is True), "")


def _retry(data: Record) -> Iterator[Said]:
    error = mapping(data.get("error"))
    message = string(mapping(error.get("data")).get("message")) or string(error.get("name")) or ""
    yield Said(message, "tried again after an error", is_code=True)


KINDS: Mapping[str, Callable[[Record], Iterable[Said]]] = {
    "text": _text,
    "reasoning": lambda data: _when(prose(data.get("text")), "reasoning", is_beside=True),
    "tool": _tool,
    "file": _file,
    "patch": _patch,
    "subtask": lambda data: [
        Said(prose(data.get("prompt")), f"a subtask: {prose(data.get('description'))}")
    ],
    "agent": lambda data: [Said("", f"the agent {string(data.get('name')) or 'without a name'}")],
    "compaction": _compaction,
    "retry": _retry,
    **dict.fromkeys(("snapshot", "step-start", "step-finish"), lambda _: ()),
}
"""By the kind of a part, as OpenCode's message schema names them, what it says."""
