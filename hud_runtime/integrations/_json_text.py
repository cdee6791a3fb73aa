"""JSON files that other programs and people own: a member more or less, and every other byte as it was.

In: the text of a file. Out: the text with the change. Nothing is parsed and written anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from hud_runtime._errors import InstallError

Path: TypeAlias = Sequence[str | int]
"""Names of members, and numbers of items, from the root on."""

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_PLAIN = re.compile(r"[^\s,\]}]+")

_OPENS: Mapping[type, str] = {str: "{", int: "["}
"""The bracket of what holds something under a name, or a number."""

_KINDS: Mapping[str, str] = {"{": "an object", "[": "a list", "": "a plain value"}

_TOO_DEEP = "it is nested too deeply to be changed; mend it first"


@dataclass(slots=True)
class _Node:
    """A value, and where it stands in the text."""

    start: int
    end: int = 0
    opens: str = ""
    """The bracket that it begins with; empty for a plain value."""
    keys: list[str] = field(default_factory=list[str])
    starts: list[int] = field(default_factory=list[int])
    """Where each member or item begins, with its key."""
    values: list[_Node] = field(default_factory=list["_Node"])


def data_of(text: str) -> Any:
    """Return what a text holds; an empty object for one with nothing in it.

    :raises InstallError: for what is no JSON object.
    """
    if not text.strip("\ufeff \t\r\n"):
        return {}
    try:
        data = json.loads(text.removeprefix("\ufeff"))
    except RecursionError as error:
        raise InstallError(_TOO_DEEP) from error
    except ValueError as error:
        raise InstallError(f"it is no JSON ({error}); mend it first") from error
    if not isinstance(data, dict):
        raise InstallError("it holds no JSON object; mend it first")
    return cast("dict[str, Any]", data)


def with_value(text: str, path: Path, value: object) -> str:
    r"""Return the text with a value at a place: a new member, a member's new value, or a new item.

    What is missing on the way is made. A number in the path that is the list's length adds an item. Of members with
    one name the last counts, as it does for who parses the text.

    :raises InstallError: where something else stands on the way.

    >>> with_value('{\n  "a": 1\n}\n', ["b", "c"], 2)
    '{\n  "a": 1,\n  "b": {\n    "c": 2\n  }\n}\n'
    >>> with_value('{"a": [1]}', ["a", 1], 2)
    '{"a": [1, 2]}'
    """
    if not text.strip("\ufeff \t\r\n"):
        text = "{}\n"
    node, depth = _scan(text), 0
    for depth, step in enumerate(path):
        if node.opens != _OPENS[type(step)]:
            kind, at = _KINDS[_OPENS[type(step)]], _named(path[:depth])
            raise InstallError(
                f"{at} is {_KINDS[node.opens]}, where {kind} is needed; mend it first"
            )
        place = _place(node, step)
        if place is None:
            for missing in reversed(path[depth + 1 :]):
                value = {missing: value} if isinstance(missing, str) else [value]
            return _inserted(text, node, step, value)
        if depth + 1 < len(path):
            node = node.values[place]
        else:
            old = node.values[place]
            indent = _indent_at(text, node.starts[place])
            return text[: old.start] + _written(text, value, indent) + text[old.end :]
    return text


def without(text: str, path: Path) -> str:
    r"""Return the text without what stands at a place; as it is, where nothing does.

    >>> without('{\n  "a": 1,\n  "b": 2\n}\n', ["b"])
    '{\n  "a": 1\n}\n'
    """
    node = _scan(text)
    for step in path[:-1]:
        place = _place(node, step)
        if place is None or not node.values[place].opens:
            return text
        node = node.values[place]
    place = _place(node, path[-1])
    if place is None:
        return text
    if len(node.values) == 1:
        return text[: node.start + 1] + text[node.end - 1 :]
    if place:
        return text[: node.values[place - 1].end] + text[node.values[place].end :]
    return text[: node.starts[0]] + text[node.starts[1] :]


def _place(node: _Node, step: str | int) -> int | None:
    if isinstance(step, str):
        found = [place for place, key in enumerate(node.keys) if key == step]
        return found[-1] if found else None
    return step if step < len(node.values) and node.opens == "[" else None


def _inserted(text: str, node: _Node, key: str | int, value: object) -> str:
    """The text with one more member or item, behind the others, laid out like them."""
    indent = _indent_at(text, node.starts[-1]) if node.starts else None
    is_inline = "\n" not in text[node.start : node.end]
    label = f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(key, str) else ""
    if node.values and is_inline:
        new = json.dumps(value, ensure_ascii=False)
        return text[: node.values[-1].end] + f", {label}{new}" + text[node.values[-1].end :]
    line = _line_end(text)
    outer = _indent_at(text, node.start)
    inner = outer + _step(text) if indent is None else indent
    new = label + _written(text, value, inner)
    if node.values:
        end = node.values[-1].end
        return f"{text[:end]},{line}{inner}{new}{text[end:]}"
    return f"{text[: node.start + 1]}{line}{inner}{new}{line}{outer}{text[node.end - 1 :]}"


def _written(text: str, value: object, indent: str) -> str:
    step = _step(text)
    new = json.dumps(value, ensure_ascii=False, indent=step)
    return new.replace("\n", f"{_line_end(text)}{indent}")


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _step(text: str) -> str:
    """What the text indents by."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _indent_at(text: str, place: int) -> str:
    """The white space that the line of a place begins with."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _named(path: Path) -> str:
    return ".".join(map(str, path))


def _scan(text: str) -> _Node:
    """The root of a JSON text that is known to be one."""
    try:
        return _value(text, _past(text, len(text) - len(text.removeprefix("\ufeff"))))
    except RecursionError as error:
        raise InstallError(_TOO_DEEP) from error


def _past(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return place if found is None else found.end()


def _string(text: str, place: int) -> tuple[str, int]:
    """The text that begins with a quote at a place, and where it ends."""
    found, end = _DECODER.raw_decode(text, place)
    return str(found), end


def _value(text: str, place: int) -> _Node:
    node = _Node(place)
    first = text[place]
    if first == '"':
        node.end = _string(text, place)[1]
    elif first in "{[":
        node.opens = first
        place = _past(text, place + 1)
        while text[place] not in "}]":
            node.starts.append(place)
            if first == "{":
                key, place = _string(text, place)
                node.keys.append(key)
                place = _past(text, _past(text, place) + 1)
            child = _value(text, place)
            node.values.append(child)
            place = _past(text, child.end)
            if text[place] == ",":
                place = _past(text, place + 1)
        node.end = place + 1
    else:
        found = _PLAIN.match(text, place)
        node.end = place if found is None else found.end()
    return node
