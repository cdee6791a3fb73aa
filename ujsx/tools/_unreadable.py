"""Data that JSON can write and validation cannot read: half of a surrogate pair, and what is too deep."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from pydantic import ValidationError

from ujsx.tools._json import CallError, as_list, as_object
from ujsx.tools._place import place

Path: TypeAlias = tuple[str | int, ...]

_HALF = re.compile("[\ud800-\udfff]")
"""JSON may write half of a surrogate pair alone (RFC 8259, section 8.2); it is no character."""


def check_readable(error: ValidationError, data: dict[str, Any], at: tuple[str, ...]) -> None:
    """Say what to send in place of data that validation could not read as JSON.

    :param at: where the data stood in what came.
    :raises CallError: if that is what ``error`` complains of.
    """
    reasons = [each["msg"] for each in error.errors() if each["type"] == "json_invalid"]
    if not reasons:
        return
    for path, text, which in _texts(data, at):
        if half := _HALF.search(text):
            raise CallError(
                f"character {half.start() + 1} of the {which} is {ascii(half[0])[1:-1]}, half of a "
                "surrogate pair; send the whole character, or leave it out",
                path=place(path),
            ) from None
    if "recursion" in reasons[0]:
        raise CallError("nested too deep; send it again, flatter", path=place(at)) from None


def _texts(data: object, at: Path) -> Iterator[tuple[Path, str, str]]:
    """Yield the names and the texts in data, in their order: where, what, and which of the two."""
    left: list[tuple[Path, object]] = [(at, data)]
    while left:
        path, value = left.pop()
        if isinstance(value, str):
            yield path, value, "text"
        members = as_object(value) or {}
        yield from (((*path, name), name, "name") for name in members)
        inside = [*members.items(), *enumerate(as_list(value) or ())]
        left += (((*path, part), each) for part, each in reversed(inside))
