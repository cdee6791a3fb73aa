"""A session as a transcript: in the form of OpenCode's own export, or as Markdown, a page in memory at a time.

The first is read by :func:`hud_runtime.read_transcript`, and so by ``ujsx session import``; and by OpenCode itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from hud_runtime.history._opencode import OpenCodeHistory
from hud_runtime.history._records import PastMessage
from hud_runtime.observation._json import string

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
