"""Regular expressions in the words of ECMA-262, and in words that every engine reads alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NoReturn

from ujsx.schema._dialects import Loss
from ujsx.schema._keywords import (
    LISTED,
    NAMED,
    NESTED,
    Schema,
    described,
    escape,
    is_list,
    is_object,
    phrase,
)

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


# Patterns that every engine of open models reads alike.
#
# The part of regular expressions that llama.cpp, xgrammar, llguidance and outlines-core share: a whole
# text (``^…$``) of characters, classes, groups, alternatives and repetitions. Whatever else can be said
# in it is: ``\d`` as a class, ``(?:…)`` as a group. White space (``\s``), borders of words, looking
# around, and quotes and backslashes, which JSON writes in two characters, cannot.

DEEPEST = 20
"""Groups inside each other in a pattern that is plain."""

MOST = 1_000
"""The largest number of times in a repetition that is plain; engines write them out."""

CLASSES = {"d": "0-9", "w": "a-zA-Z0-9_"}
r"""What a class for short stands for: ECMA-262 means ASCII by ``\d`` and ``\w``."""


PLAIN_ESCAPES = frozenset("^$.*+?()[]{}|/-")
"""Marks that may stand behind a backslash for themselves."""

NOT_PLAIN = frozenset({'"', "\\", *map(chr, range(0x20)), "\x7f"})
"""Characters that JSON writes in several, or that not every engine reads in a pattern."""


class _NotPlainError(Exception):
    """A pattern that has more in it."""


@lru_cache(maxsize=1024)
def plain_pattern(pattern: str) -> str | None:
    r"""Return the pattern as every engine reads it; ``None`` where there is no such form.

    :param pattern: one of ECMA-262's.

    >>> plain_pattern(r"^(?:v|(?<w>w))\d{1,3}$")
    '^(v|(w))[0-9]{1,3}$'
    >>> plain_pattern(r"^(a|b)$"), plain_pattern("^a|b$"), plain_pattern(r"\S")
    ('^(a|b)$', None, None)
    """
    if not (pattern.startswith("^") and pattern.endswith("$")):
        return None
    body = pattern[1:-1]
    reader = _PatternReader(body)
    try:
        parts = reader.sequence(0)
    except _NotPlainError:
        return None
    whole = reader.at == len(body)  # "^a|b$" is anchored at one end of each
    return f"^{''.join(parts)}$" if whole else None


class _PatternReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def group(self, depth: int) -> str:
        """Return the text between two brackets, in brackets; those around a single group go."""
        if depth > DEEPEST:
            self.fail()
        found = [self.sequence(depth)]
        while self.take("|"):
            found.append(self.sequence(depth))
        (first, *more) = found
        if not more and len(first) == 1 and first[0].startswith("(") and first[0].endswith(")"):
            return first[0]
        return f"({'|'.join(map(''.join, found))})"

    def sequence(self, depth: int) -> list[str]:
        """The parts up to an alternative or a bracket that closes."""
        parts: list[str] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            parts.append(self.repeated(self.atom(depth)))
        return parts

    def atom(self, depth: int) -> str:
        char = self.text[self.at]
        self.at += 1
        if char == "(":
            if self.take("?"):
                found = _GROUP.match(self.text, self.at)
                if found is None:
                    self.fail()
                self.at = found.end()
            inner = self.group(depth + 1)
            if not self.take(")"):
                self.fail()
            return inner
        if char == "[":
            return self.class_()
        if char == ".":
            return "."
        if char == "\\":
            return self.escaped()
        if char in "^$*+?{}]" or char in NOT_PLAIN:
            self.fail()
        return _literal(char)

    def escaped(self) -> str:
        """The character behind a backslash, outside of a class."""
        char = self.text[self.at : self.at + 1]
        self.at += 1
        if char in CLASSES:
            return _plain_class(_ranges(CLASSES[char]))
        if not char or char not in PLAIN_ESCAPES:
            self.fail()
        return _literal(char)

    def class_(self) -> str:
        negated = self.take("^")
        ranges: list[tuple[str, str]] = []
        while not self.take("]"):
            first = self.in_class()
            if isinstance(first, tuple):
                ranges += first
            elif self.text.startswith("-", self.at) and self.text[self.at + 1 : self.at + 2] != "]":
                self.at += 1
                last = self.in_class()
                if isinstance(last, tuple) or last < first:
                    self.fail()
                ranges.append((first, last))
            else:
                ranges.append((first, first))
        if not ranges or any(low <= bad <= high for low, high in ranges for bad in NOT_PLAIN):
            self.fail()
        return _plain_class(tuple(ranges), negated)

    def in_class(self) -> str | tuple[tuple[str, str], ...]:
        """A character of a class, or those that an escape stands for."""
        char = self.text[self.at : self.at + 1]
        self.at += 1
        if char == "\\":
            char = self.text[self.at : self.at + 1]
            self.at += 1
            if char in CLASSES:
                return _ranges(CLASSES[char])
            if not char or char not in PLAIN_ESCAPES:
                self.fail()
        elif not char or char == "[":
            self.fail()
        return char

    def repeated(self, part: str) -> str:
        found = _TIMES.match(self.text, self.at)
        if found is None:
            return part
        self.at = found.end()  # a lazy one takes the same texts
        least, most = _BOUNDS.get(found[0][0], (0, None))
        if found["least"] is not None:
            least = int(found["least"])
            most = (
                least if found["comma"] is None else int(found["most"]) if found["most"] else None
            )
        if max(least, most or 0) > MOST or (most is not None and most < least):
            self.fail()
        if _TIMES.match(self.text, self.at):
            self.fail()
        bounds = f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}"
        return f"{part}{_MARKS.get((least, most), bounds)}"

    def take(self, mark: str) -> bool:
        found = self.text.startswith(mark, self.at)
        self.at += len(mark) * found
        return found

    def fail(self) -> NoReturn:
        raise _NotPlainError


_GROUP = re.compile(r":|<[A-Za-z_]\w*>", re.ASCII)
_TIMES = re.compile(r"(?:[*+?]|\{(?P<least>\d{1,4})(?P<comma>,(?P<most>\d{1,4})?)?\})\??", re.ASCII)
_BOUNDS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_MARKS = {bounds: mark for mark, bounds in _BOUNDS.items()}


def _ranges(text: str) -> tuple[tuple[str, str], ...]:
    """The ranges of a class that is written as one: ``a-z_``."""
    pairs = re.findall(r"(.)-(.)|(.)", text)
    return tuple((low or one, high or one) for low, high, one in pairs)


def _literal(char: str) -> str:
    return f"\\{char}" if char in PLAIN_ESCAPES - {"/", "-"} else char


def _plain_class(ranges: tuple[tuple[str, str], ...], negated: bool = False) -> str:
    """A class; one character alone needs none."""
    if not negated and len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _literal(ranges[0][0])
    inside = "".join(
        _in_class(low) if low == high else f"{_in_class(low)}-{_in_class(high)}"
        for low, high in ranges
    )
    return f"[{'^' * negated}{inside}]"


def _in_class(char: str) -> str:
    return f"\\{char}" if char in "^]-[" else char
