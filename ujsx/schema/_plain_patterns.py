r"""Patterns that every engine of open models reads alike, and that a grammar can hold.

The part of regular expressions that llama.cpp, xgrammar, llguidance and outlines-core share: a whole
text (``^…$``) of characters, classes, groups, alternatives and repetitions. Whatever else can be said
in it is: ``\d`` as a class, ``(?:…)`` as a group. White space (``\s``), borders of words, looking
around, and quotes and backslashes, which JSON writes in two characters, cannot.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NoReturn

from ujsx.schema._expressions import Chars, Choice, Expression, Repeat, Sequence

DEEPEST = 20
"""Groups inside each other in a pattern that is plain."""

MOST = 1_000
"""The largest number of times in a repetition that is plain; engines write them out."""

CLASSES = {"d": "0-9", "w": "a-zA-Z0-9_"}
r"""What a class for short stands for: ECMA-262 means ASCII by ``\d`` and ``\w``."""


SYNTAX = frozenset("^$.*+?()[]{}|/-")
"""Marks that may stand behind a backslash for themselves."""

NOT_PLAIN = frozenset({'"', "\\", *map(chr, range(0x20)), "\x7f"})
"""Characters that JSON writes in several, or that not every engine reads in a pattern."""


ANY = Chars((("\n", "\n"), ("\r", "\r")), negated=True)
"""What a point stands for."""


class _NotPlainError(Exception):
    """A pattern that has more in it."""


def plain_pattern(pattern: str) -> str | None:
    r"""Return the pattern as every engine reads it; ``None`` where there is no such form.

    :param pattern: one of ECMA-262's.

    >>> plain_pattern(r"^(?:v|(?<w>w))\d{1,3}$")
    '^(v|(w))[0-9]{1,3}$'
    >>> plain_pattern(r"^(a|b)$"), plain_pattern("^a|b$"), plain_pattern(r"\S")
    ('^(a|b)$', None, None)
    """
    read = parsed_pattern(pattern)
    return None if read is None else f"^{_written(read, top=True)}$"


@lru_cache(maxsize=1024)
def parsed_pattern(pattern: str) -> Expression | None:
    """Return what a pattern says of a whole text; ``None`` where it is not plain."""
    if not (pattern.startswith("^") and pattern.endswith("$")):
        return None
    body = pattern[1:-1]
    reader = _Reader(body)
    try:
        read = reader.sequence(0)
    except _NotPlainError:
        return None
    return read if reader.at == len(body) else None  # "^a|b$" is anchored at one end of each


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def choice(self, depth: int) -> Expression:
        if depth > DEEPEST:
            self.fail()
        found = [self.sequence(depth)]
        while self.take("|"):
            found.append(self.sequence(depth))
        return found[0] if len(found) == 1 else Choice(tuple(found))

    def sequence(self, depth: int) -> Expression:
        parts: list[Expression] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            parts.append(self.repeated(self.atom(depth)))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def atom(self, depth: int) -> Expression:
        char = self.text[self.at]
        self.at += 1
        if char == "(":
            if self.take("?"):
                found = _GROUP.match(self.text, self.at)
                if found is None:
                    self.fail()
                self.at = found.end()
            inner = self.choice(depth + 1)
            if not self.take(")"):
                self.fail()
            return inner if isinstance(inner, Choice) else Choice((inner,))
        if char == "[":
            return self.class_()
        if char == ".":
            return ANY
        if char == "\\":
            return self.escaped()
        if char in "^$*+?{}]" or char in NOT_PLAIN:
            self.fail()
        return Chars(((char, char),))

    def escaped(self) -> Chars:
        """What stands behind a backslash, outside of a class."""
        char = self.text[self.at : self.at + 1]
        self.at += 1
        if char in CLASSES:
            return Chars(_ranges(CLASSES[char]))
        if not char or char not in SYNTAX:
            self.fail()
        return Chars(((char, char),))

    def class_(self) -> Chars:
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
        return Chars(tuple(ranges), negated)

    def in_class(self) -> str | tuple[tuple[str, str], ...]:
        """A character of a class, or those that an escape stands for."""
        char = self.text[self.at : self.at + 1]
        self.at += 1
        if char == "\\":
            char = self.text[self.at : self.at + 1]
            self.at += 1
            if char in CLASSES:
                return _ranges(CLASSES[char])
            if not char or char not in SYNTAX:
                self.fail()
        elif not char or char == "[":
            self.fail()
        return char

    def repeated(self, part: Expression) -> Expression:
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
        return Repeat(part, least, most)

    def take(self, mark: str) -> bool:
        found = self.text.startswith(mark, self.at)
        self.at += len(mark) * found
        return found

    def fail(self) -> NoReturn:
        raise _NotPlainError


_GROUP = re.compile(r":|<[A-Za-z_]\w*>", re.ASCII)
_TIMES = re.compile(r"(?:[*+?]|\{(?P<least>\d{1,4})(?P<comma>,(?P<most>\d{1,4})?)?\})\??", re.ASCII)
_BOUNDS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


def _ranges(text: str) -> tuple[tuple[str, str], ...]:
    """The ranges of a class that is written as one: ``a-z_``."""
    pairs = re.findall(r"(.)-(.)|(.)", text)
    return tuple((low or one, high or one) for low, high, one in pairs)


def _written(part: Expression, *, top: bool = False) -> str:
    if isinstance(part, Chars):
        return _chars(part)
    if isinstance(part, Sequence):
        return "".join(map(_written, part.parts))
    if isinstance(part, Choice):
        return f"({'|'.join(map(_written, part.of))})"
    if not isinstance(part, Repeat):
        return ""  # a pattern has neither rules nor texts
    least, most = part.least, part.most
    marks = {(0, None): "*", (1, None): "+", (0, 1): "?"}
    bounds = f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}"
    return f"{_written(part.of)}{marks.get((least, most), bounds)}"


def _chars(part: Chars) -> str:
    if part == ANY:
        return "."
    if not part.negated and len(part.ranges) == 1 and part.ranges[0][0] == part.ranges[0][1]:
        char = part.ranges[0][0]
        return f"\\{char}" if char in SYNTAX - {"/", "-"} else char
    inside = "".join(
        _in_class(low) if low == high else f"{_in_class(low)}-{_in_class(high)}"
        for low, high in part.ranges
    )
    return f"[{'^' * part.negated}{inside}]"


def _in_class(char: str) -> str:
    return f"\\{char}" if char in "^]-[" else char
