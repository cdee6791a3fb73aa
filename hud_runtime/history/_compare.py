"""Two sessions side by side, and a session as a transcript."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from hud_runtime.history._opencode import OpenCodeHistory
from hud_runtime.history._records import PastMessage, PastPart, PastSession, text_of
from hud_runtime.observe._observations import mapping, sequence, string, usage_in

CHANGES: dict[str, tuple[str, ...]] = {
    "edit": ("filePath", "path"),
    "multiedit": ("filePath", "path"),
    "write": ("filePath", "path"),
}
"""Tools of OpenCode that change a file, and the arguments that name it."""

MOST_FILES = 10_000
"""Files that are kept in mind of each session."""


@dataclass(slots=True)
class SessionFigures:
    """The totals of a session."""

    session: PastSession
    roles: Counter[str] = field(default_factory=Counter[str])
    """How many messages each has written."""

    tools: Counter[str] = field(default_factory=Counter[str])
    """How often each tool was called."""

    failed: int = 0
    """Calls that failed."""

    errors: int = 0
    """Answers that ended in an error."""

    compactions: int = 0
    output: int = 0
    """Tokens that the model wrote."""

    largest: int = 0
    """Tokens in the context, where it was fullest."""

    models: Counter[str] = field(default_factory=Counter[str])
    files: set[str] = field(default_factory=set[str])
    """Files that were changed."""

    def take(self, message: PastMessage) -> None:
        """Count a message."""
        self.roles[message.role] += 1
        data = message.data
        self.errors += bool(mapping(data.get("error")))
        self.compactions += data.get("summary") is True
        usage = usage_in(mapping(data.get("tokens")))
        if usage is not None:
            self.output += usage.output
            self.largest = max(self.largest, usage.total)
        if model := string(data.get("modelID")):
            self.models[model] += 1
        for part in message.parts:
            self._take_part(part)

    def _take_part(self, part: PastPart) -> None:
        if part.type == "patch":
            self._changed(each for each in sequence(part.data.get("files")))
        if part.type != "tool":
            return
        name, state = string(part.data.get("tool")) or "", mapping(part.data.get("state"))
        self.tools[name] += 1
        self.failed += state.get("status") == "error"
        if name in CHANGES and state.get("status") == "completed":
            given = mapping(state.get("input"))
            self._changed(given.get(each) for each in CHANGES[name])

    def _changed(self, paths: Iterable[object]) -> None:
        for path in paths:
            if isinstance(path, str) and path and len(self.files) < MOST_FILES:
                self.files.add(path)


@dataclass(frozen=True, slots=True)
class SessionComparison:
    """Two sessions."""

    left: SessionFigures
    right: SessionFigures
    same: int
    """How many messages they begin with that say the same: those that a fork has taken along."""


def compare(history: OpenCodeHistory, left: str, right: str) -> SessionComparison:
    """Return what two sessions have, read once, a page of messages in memory at a time.

    :raises HistoryError: where there is no such session.
    """
    one, other = (SessionFigures(history.session(each)) for each in (left, right))
    same, is_same = 0, True
    pairs = zip_longest(
        history.all_messages(one.session.id), history.all_messages(other.session.id)
    )
    for first, second in pairs:
        for figures, message in ((one, first), (other, second)):
            if message is not None:
                figures.take(message)
        is_same = (
            is_same and first is not None and second is not None and _says_the_same(first, second)
        )
        same += is_same
    return SessionComparison(one, other, same)


def _says_the_same(one: PastMessage, other: PastMessage) -> bool:
    return one.role == other.role and [*map(text_of, one.parts)] == [*map(text_of, other.parts)]


# A session as a transcript: in the form of OpenCode's own export, or as Markdown, a page in memory at a time.
#
# The first is read by :func:`hud_runtime.read_transcript`, and so by ``ujsx session import``; and by OpenCode itself.

FIELDS: Mapping[str, str] = {
    "id": "id", "slug": "slug", "project": "projectID", "workspace": "workspaceID", "directory": "directory",
    "path": "path", "parent": "parentID", "title": "title", "agent": "agent", "version": "version", "cost": "cost",
}  # fmt: skip
"""Columns of a session, and what OpenCode's export calls them."""

OBJECTS: Mapping[str, str] = {
    "model": "model", "revert": "revert", "permission": "permission", "metadata": "metadata",
}  # fmt: skip
"""Those that hold JSON."""

TIMES: Mapping[str, str] = {
    "created": "created", "updated": "updated", "compacting": "compacting", "archived": "archived",
}  # fmt: skip
SUMMARY: Mapping[str, str] = {"additions": "additions", "deletions": "deletions", "files": "files"}
TOKENS: Mapping[str, str] = {
    "tokens_input": "input", "tokens_output": "output", "tokens_reasoning": "reasoning",
}  # fmt: skip
CACHED: Mapping[str, str] = {"tokens_cache_read": "read", "tokens_cache_write": "write"}


def exported(history: OpenCodeHistory, session: str) -> Iterator[str]:
    """Yield the pieces of a JSON text: the session's info, its todo list, and its messages with their parts.

    Where a message or a part is no JSON in the database, its id stands alone.

    :raises HistoryError: where there is no such session.
    """
    about = history.about(session)
    todos = [
        {"content": what, "status": status} for what, status in history.todos(str(about["id"]))
    ]
    yield f'{{"info": {_json(_info(about))},\n"todos": {_json(todos)},\n"messages": ['
    end = ""
    for message in history.all_messages(str(about["id"]), whole=True):
        yield f"{end}\n{_json(_message(message))}"
        end = ","
    yield "\n]}\n"


def _info(about: Mapping[str, Any]) -> dict[str, Any]:
    info = _named(about, FIELDS)
    info |= {
        name: _value(about[column]) for column, name in OBJECTS.items() if about[column] is not None
    }
    summary = _named(about, SUMMARY)
    if summary:
        diffs = _value(about["diffs"])
        info["summary"] = summary | ({"diffs": diffs} if diffs is not None else {})
    tokens = _named(about, TOKENS)
    if tokens:
        info["tokens"] = tokens | {"cache": _named(about, CACHED)}
    if url := string(about["share"]):
        info["share"] = {"url": url}
    info["time"] = _named(about, TIMES)
    return info


def _named(about: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {name: about[column] for column, name in names.items() if about[column] is not None}


def _value(text: object) -> Any:
    """What a column of JSON holds, a list too."""
    try:
        return json.loads(text) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        return text


def _message(message: PastMessage) -> dict[str, Any]:
    owner = {"sessionID": message.session}
    parts = [
        {**each.data, "id": each.id, "messageID": message.id, **owner} for each in message.parts
    ]
    return {"info": {**message.data, "id": message.id, **owner}, "parts": parts}


def _json(value: object) -> str:
    """JSON, with escapes for what is no sound text; a column of bytes, as far as it is text."""
    text = json.dumps(value, ensure_ascii=False, default=_decoded)
    return text if text.isascii() or text.isprintable() else json.dumps(value, default=_decoded)


def _decoded(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else repr(value)
