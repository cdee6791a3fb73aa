"""JSON-RPC messages as bytes: each is parsed, or refused with an error as its answer.

In: a line of standard input, or a request's body. Out: messages with a valid envelope by JSON-RPC 2.0 and
the protocol; an error for everything else, with its sender's id where one is found. The SDK is not
imported, so that a server with a bridge starts without it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, cast

from hud_runtime._limits import Limits

Record = Mapping[str, Any]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
"""Codes of errors: JSON-RPC 2.0, section 5.1."""

SEARCHED = 65_536
"""Bytes searched for ids at either end of a line beyond the limit."""

REPLACED = "ujsx/replaced"
"""The key of ``_meta`` by which a request notes that unpaired surrogates were replaced."""

REPLACED_HINT = "half a character (a surrogate) in this call became U+FFFD"
"""The note on that in the answer to a call."""

_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""The beginning of an escape that may be an unpaired surrogate."""

_NUMBER = r"-?\d{1,300}+(?:\.\d{1,300}+)?(?:[eE][+-]?\d{1,3}+)?"
_TEXT = r'"(?:[^"\\]|\\.)*+"|\'(?:[^\'\\]|\\.)*+\''
_ID = rf"""(?:"id"|'id'|(?<![\w"'])id)\s*:\s*({_TEXT}|{_NUMBER})\s*"""
_ANY_ID = re.compile(_ID + "[,}]")
_LAST_ID = re.compile(_ID + r'(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$')
_PART = re.compile(rf"[\[{{]+|[\]}}]+|{_ID}(?=[,}}])|{_TEXT}|[\"'].*+", re.DOTALL)
"""The parts that determine the depth of an id: brackets, and texts, in which brackets do not count."""


class InvalidMessageError(Exception):
    """A message that cannot be served, with its answer.

    :param code: one of JSON-RPC's.
    :param request_id: the id to answer; None where it is not known.
    """

    def __init__(self, code: int, problem: str, request_id: object = None) -> None:
        super().__init__(problem)
        self.answer = error_answer(request_id, code, problem)


def error_answer(request_id: object, code: int, problem: str) -> dict[str, Any]:
    """Return the error answer to a request."""
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": problem}}


def next_messages(given: BinaryIO, limits: Limits) -> Sequence[Record | InvalidMessageError] | None:
    r"""Return the messages of the next non-blank line; None at the end of the input.

    A line beyond the limit is skipped and refused.

    >>> from io import BytesIO
    >>> given = BytesIO(b'\n{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n{"id": 2, "method": "ping"}\n')
    >>> [next_messages(given, Limits()) for _ in range(3)]
    [[{'jsonrpc': '2.0', 'id': 1, 'method': 'ping'}], [InvalidMessageError('"jsonrpc" must be "2.0"')], None]
    """
    while line := given.readline(limits.read + 1):
        if len(line) > limits.read:
            return _skipped(line, given, limits)
        if line.strip():
            return messages(line)
    return None


def _skipped(line: bytes, given: BinaryIO, limits: Limits) -> Sequence[InvalidMessageError]:
    first, last = line[:SEARCHED], line
    while not line.endswith(b"\n") and (line := given.readline(SEARCHED)):
        last = last[-SEARCHED:] + line
    return _refused(INVALID_REQUEST, f"the line {limits.refusal('read')}", first + last[-SEARCHED:])


def _refused(code: int, problem: str, data: bytes) -> Sequence[InvalidMessageError]:
    """Return the errors for unreadable messages: one for each id, at least one."""
    return [
        InvalidMessageError(code, problem, each) for each in _ids_in(data.decode(errors="replace"))
    ]


def messages(data: bytes) -> Sequence[Record | InvalidMessageError]:
    r"""Return the messages in a line or a body: one, or those of a batch (MCP 2025-03-26).

    Unpaired surrogates, from texts cut inside an emoji, become U+FFFD, since no encoding can write them;
    the request's ``_meta`` notes that.

    >>> messages(b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"cut": "\\ud83d"}}')
    [{'jsonrpc': '2.0', 'id': 1, 'method': 'ping', 'params': {'cut': '\ufffd', '_meta': {'ujsx/replaced': True}}}]
    >>> [refused] = messages(b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": ')
    >>> refused.answer["id"], refused.answer["error"]["code"]
    (7, -32700)
    """
    try:
        text = data.decode("utf-8-sig")
        value: object = json.loads(text)
        several = [value]
        if isinstance(value, list) and value:
            several = cast("list[object]", value)
        whole = [*map(_without_halves, several)] if _HALF.search(text) else several
    except UnicodeDecodeError as error:
        problem = (
            f"the message is not UTF-8: byte {error.start + 1} is {error.object[error.start]:#04x}"
        )
    except RecursionError:
        problem = "the message is nested too deep; send it flatter"
    except ValueError as error:
        problem = f"the message cannot be read as JSON: {error}"
    else:
        return [_message(*each) for each in zip(several, whole, strict=True)]
    return _refused(PARSE_ERROR, problem, data)


def _without_halves(value: object) -> object:
    """Return the identical value if nothing is replaced."""
    from hud_runtime.observe._observations import replace_surrogates  # slow to import

    found = replace_surrogates(value)
    return value if found == value else found


def _message(sent: object, value: object) -> Record | InvalidMessageError:
    """Return a message, or the error in its envelope.

    :param sent: the original message, whose id is answered.
    """
    if not isinstance(sent, dict) or not isinstance(value, dict):
        return InvalidMessageError(INVALID_REQUEST, "a message must be an object")
    message, request_id = cast("Record", value), cast("Record", sent).get("id")
    if "method" not in message and not message.keys().isdisjoint({"result", "error"}):
        return message  # a client's answer, which gets none
    if not _can_be_said(request_id):
        request_id = None
    if "id" in message and (request_id != message["id"] or not isinstance(request_id, str | int)):
        problem = '"id" must be a string of whole characters or an integer'
    elif message.get("jsonrpc") != "2.0":
        problem = '"jsonrpc" must be "2.0"'
    elif not isinstance(message.get("method"), str):
        problem = '"method" must be a string'
    elif not isinstance(message.get("params"), dict | None):
        return InvalidMessageError(INVALID_PARAMS, '"params" must be an object', request_id)
    else:
        return message if value is sent else _marked(message)
    return InvalidMessageError(INVALID_REQUEST, problem, request_id)


def _marked(message: Record) -> Record:
    params = cast("Record", message.get("params") or {})
    meta = params.get("_meta")
    noted = {**(cast("Record", meta) if isinstance(meta, dict) else {}), REPLACED: True}
    return {**message, "params": {**params, "_meta": noted}}


def _can_be_said(request_id: object) -> bool:
    """Tell whether an id can be in an answer: a string or a number (JSON-RPC 2.0, section 5)."""
    if isinstance(request_id, float):
        return math.isfinite(request_id)
    return isinstance(request_id, str | int) and not isinstance(request_id, bool)


def _ids_in(text: str) -> Sequence[object]:
    """Return the ids in invalid JSON: those at the messages' own depth, or the one at the end, or the only one.

    >>> _ids_in('{"id": 5, "params": {"id": "n-1", '), _ids_in('{"params": {"id": "n-1", x}, "id": 5}'), _ids_in("{")
    ([5], [5], [None])
    >>> _ids_in('[{"id": 5, "params": {"id": "n-1"}}, {"id": "b", x}')
    [5, 'b']
    """
    found: dict[str, None] = {}
    depth, own = 0, 2 if text.lstrip().startswith("[") else 1
    for part in _PART.finditer(text):
        if part[1] is None:
            depth += len(part[0]) * {"[": 1, "{": 1, "]": -1, "}": -1}.get(part[0][0], 0)
        elif depth == own:
            found[part[1]] = None
    if not found and (last := _LAST_ID.search(text, max(len(text) - SEARCHED, 0))):
        found[last[1]] = None
    if not found and len(others := {*_ANY_ID.findall(text, 0, SEARCHED)}) == 1:
        found = dict.fromkeys(others)
    return [*map(_read, found)] or [None]


def _read(literal: str) -> object:
    try:
        found: object = json.loads(f'"{literal[1:-1]}"' if literal[0] == "'" else literal)
    except ValueError:  # a text with an invalid escape
        return None
    return found if _can_be_said(found) else None


# Hints about the HUD's tools, in the protocol's form, for clients to show.

HINTS: Mapping[str, bool] = {
    "readOnlyHint": False,
    "destructiveHint": False,
    "idempotentHint": False,
    "openWorldHint": False,
}
"""Hints on tools that write. Nothing is destroyed, as the log keeps everything."""

READS: Mapping[str, bool] = {"readOnlyHint": True, "openWorldHint": False}
"""Hints on the tool that only reads."""
