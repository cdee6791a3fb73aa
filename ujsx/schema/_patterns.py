"""Patterns in the words of ECMA-262, which JSON Schema means by ``pattern`` (2020-12, core, 6.4).

A model's patterns are written for Rust's or Python's engine. What these write in their own way is
written in ECMA-262's where it has one; what it has no form for is described.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ujsx.schema._keywords import LISTED, NAMED, NESTED, Schema, escape, is_list, is_object
from ujsx.schema._loss import Loss
from ujsx.schema._node import described, phrase

ANCHORS = {r"\A": "^", r"\z": "$", r"\Z": "$"}
"""The ends of a text, as other engines write them."""

GROUPS = ("(?:", "(?=", "(?!", "(?<=", "(?<!")
"""Beginnings of groups, beside named ones, that ECMA-262 has."""

ESCAPES = frozenset("dDwWsSbBtnvfr0123456789cxukpP")
"""Letters and digits that ECMA-262 gives a meaning behind a backslash."""

SYNTAX = frozenset(r"^$\.*+?()[]{}|/")
"""What ECMA-262 takes behind a backslash for itself, in its Unicode mode."""

_TOKEN = re.compile(
    r"(?P<escape>\\x\{|\\.)"
    r"|\(\?P<(?P<named>\w+)>"
    r"|\(\?P=(?P<again>\w+)\)"
    r"|(?P<comment>\(\?#[^)]*\))"
    r"|(?P<group>\(\?(?:<[=!]|<\w+>|.))"
    r"|(?P<most>\{,(?=\d+\}))"
    r"|(?P<possessive>[*+?}]\+)"
    r"|(?P<cls>\[\^?\]?)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_IN_CLASS = re.compile(r"(?P<escape>\\x\{|\\.)|(?P<end>\])|(?P<set>\[|&&|--|~~)|.", re.DOTALL)


def ecma(pattern: str) -> str | None:
    r"""Return the pattern as ECMA-262 writes it, or ``None`` where it has no form for it.

    >>> ecma(r"\A(?P<year>\d{4})\z"), ecma("(?i)a")
    ('^(?<year>\\d{4})$', None)
    """
    parts: list[str] = []
    place = 0
    while found := _TOKEN.match(pattern, place):
        part = _class(pattern, found) if found["cls"] else (_said(found), found.end())
        if part is None or part[0] is None:
            return None
        parts.append(part[0])
        place = part[1]
    return "".join(parts)


def _said(found: re.Match[str]) -> str | None:
    """One token outside of classes."""
    if found["escape"]:
        return ANCHORS.get(found[0]) or _escape(found[0], in_class=False)
    if found["named"]:
        return f"(?<{found['named']}>"
    if found["again"]:
        return rf"\k<{found['again']}>"
    if found["comment"]:
        return ""
    if found["most"]:
        return "{0,"
    if found["possessive"]:
        return None
    group = found["group"]
    if group and group not in GROUPS and not group.endswith(">"):
        return None
    return None if group == "(?>" else found[0]


def _class(pattern: str, opening: re.Match[str]) -> tuple[str, int] | None:
    """A class of characters, and where it ends."""
    parts = [opening[0].replace("]", r"\]")]
    place = opening.end()
    while found := _IN_CLASS.match(pattern, place):
        place = found.end()
        if found["set"]:
            return None
        part = _escape(found[0], in_class=True) if found["escape"] else found[0]
        if part is None:
            return None
        parts.append(part)
        if found["end"]:
            return "".join(parts), place
    return None


def _escape(text: str, *, in_class: bool) -> str | None:
    """What stands behind a backslash; a mark that needs none stands without."""
    char = text[1]
    if char.isascii() and char.isalnum():
        return text if char in ESCAPES and text != r"\x{" else None
    return text if char in SYNTAX or (in_class and char == "-") else char


def in_ecma(schema: Schema) -> tuple[Schema, list[Loss]]:
    """Return a schema whose patterns are ECMA-262's, and what became of each that was not."""
    losses: list[Loss] = []
    return _translated(schema, "", "", losses), losses


def _translated(schema: Any, keyword: str, pointer: str, losses: list[Loss]) -> Any:
    if keyword in LISTED and is_list(schema):
        return [
            _translated(each, "", f"{pointer}/{place}", losses) for place, each in enumerate(schema)
        ]
    if not is_object(schema):
        return schema
    if keyword in NAMED:
        losses.extend(_of_names(schema, pointer) if keyword == "patternProperties" else ())
        return {
            (ecma(name) or name) if keyword == "patternProperties" else name: _translated(
                each, "", f"{pointer}/{escape(name)}", losses
            )
            for name, each in schema.items()
        }
    if keyword and keyword not in NESTED:
        return schema
    said = {key: _translated(each, key, f"{pointer}/{key}", losses) for key, each in schema.items()}
    given = schema.get("pattern")
    written = ecma(given) if isinstance(given, str) else given
    if written == given:
        return said
    if written is not None:
        losses.append(Loss(pointer, "pattern", given, "kept", "written as ECMA-262 writes it"))
        return {**said, "pattern": written}
    why = "ECMA-262, whose patterns JSON Schema means, has no form for it"
    losses.append(Loss(pointer, "pattern", given, "described", why))
    text = described(said.get("description", ""), [phrase("pattern", given)])
    return {**{key: each for key, each in said.items() if key != "pattern"}, "description": text}


def _of_names(schema: Schema, pointer: str) -> Iterator[Loss]:
    """What becomes of the patterns of names."""
    above = pointer.removesuffix("/patternProperties")
    for name in schema:
        written = ecma(name)
        if written is None:
            why = "ECMA-262, whose patterns JSON Schema means, has no form for it"
            yield Loss(above, "patternProperties", name, "refused", why)
        elif written != name:
            yield Loss(above, "patternProperties", name, "kept", "written as ECMA-262 writes it")
