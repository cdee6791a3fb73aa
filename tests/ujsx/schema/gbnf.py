"""A reader of GBNF, a judge of texts by its rules, and texts out of them: what is written is what is tested."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import strategies as st

from ujsx.schema._expressions import (
    Chars,
    Choice,
    Expression,
    Repeat,
    Rule,
    Rules,
    Sequence,
    Text,
)

_TOKEN = re.compile(
    r'\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<chars>\[(?:[^\]\\]|\\.)*\])|(?P<name>[a-z][a-z0-9-]*)'
    r"|(?P<times>\{\d+(?:,\d*)?\}|[*+?])|(?P<mark>[()|]))"
)
_CHAR = re.compile(r"\\x(?P<code>[0-9a-fA-F]{2})|\\(?P<mark>.)|(?P<plain>.)", re.DOTALL)
_MEANT = {"n": "\n", "r": "\r", "t": "\t"}


def read_gbnf(text: str) -> Rules:
    """Return the rules of a grammar."""
    rules: Rules = {}
    for line in text.splitlines():
        name, _, body = line.partition(" ::= ")
        assert name not in rules
        tokens = list(_TOKEN.finditer(body))
        assert "".join(each[0] for each in tokens) == body, body
        rules[name], left = _choice(tokens)
        assert not left, body
    return rules


def _choice(tokens: list[Any]) -> tuple[Expression, list[Any]]:
    several: list[Any] = []
    while True:
        parts: list[Any] = []
        while tokens and tokens[0]["mark"] not in {"|", ")"}:
            part, tokens = _atom(tokens)
            while tokens and tokens[0]["times"]:
                part, tokens = _repeated(part, tokens[0]["times"]), tokens[1:]
            parts.append(part)
        several.append(parts[0] if len(parts) == 1 else Sequence(tuple(parts)))
        if not tokens or tokens[0]["mark"] != "|":
            return several[0] if len(several) == 1 else Choice(tuple(several)), tokens
        tokens = tokens[1:]


def _atom(tokens: list[Any]) -> tuple[Any, list[Any]]:
    first, rest = tokens[0], tokens[1:]
    if first["mark"] == "(":
        inner, rest = _choice(rest)
        assert rest[0]["mark"] == ")"
        return inner, rest[1:]
    if first["text"]:
        return Text("".join(char for char, _ in _chars(first["text"][1:-1]))), rest
    if first["chars"]:
        return _class(first["chars"][1:-1]), rest
    return Rule(first["name"]), rest


def _chars(text: str) -> list[tuple[str, bool]]:
    """The characters of a text, each with whether it came without a backslash."""
    return [
        (chr(int(found["code"], 16)), False)
        if found["code"]
        else (_MEANT.get(found["mark"], found["mark"]), False)
        if found["mark"]
        else (found["plain"], True)
        for found in _CHAR.finditer(text)
    ]


def _class(text: str) -> Chars:
    negated = text.startswith("^")
    chars = _chars(text[negated:])
    ranges: list[tuple[str, str]] = []
    while chars:
        low = chars.pop(0)[0]
        if len(chars) > 1 and chars[0] == ("-", True):
            ranges.append((low, chars[1][0]))
            del chars[:2]
        else:
            ranges.append((low, low))
    return Chars(tuple(ranges), negated)


def _repeated(part: Any, times: str) -> Repeat:
    if times in "*+?":
        return Repeat(part, int(times == "+"), 1 if times == "?" else None)
    least, comma, most = times[1:-1].partition(",")
    return Repeat(part, int(least), (int(most) if most else None) if comma else int(least))


class Judge:
    """Tells whether a text follows the rules: all ends of each rule at each place, found once."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    def __call__(self, text: str) -> bool:
        self.text = text
        self.known: dict[tuple[str, int], frozenset[int]] = {}
        return len(text) in self._ends(Rule("root"), 0)

    def _ends(self, part: Expression, at: int) -> frozenset[int]:
        if isinstance(part, Text):
            fits = self.text.startswith(part.text, at)
            return frozenset({at + len(part.text)} if fits else ())
        if isinstance(part, Chars):
            char = self.text[at : at + 1]
            fits = bool(char) and any(a <= char <= b for a, b in part.ranges) is not part.negated
            return frozenset({at + 1} if fits else ())
        if isinstance(part, Rule):
            if (part.name, at) not in self.known:
                self.known[part.name, at] = self._ends(self.rules[part.name], at)
            return self.known[part.name, at]
        if isinstance(part, Choice):
            return frozenset().union(*(self._ends(each, at) for each in part.of))
        if isinstance(part, Sequence):
            ends = frozenset({at})
            for each in part.parts:
                ends = frozenset().union(*(self._ends(each, end) for end in ends))
            return ends
        ends, seen, count = frozenset({at}), frozenset[int](), 0
        found = ends if part.least == 0 else frozenset[int]()
        while ends and (part.most is None or count < part.most):
            ends = frozenset().union(*(self._ends(part.of, end) for end in ends))
            count += 1
            if count >= part.least:
                ends -= seen
                seen |= ends
                found |= ends
        return found


def texts_of(rules: Rules, size: int = 60) -> st.SearchStrategy[str]:
    """Return texts that follow the rules, not too long."""

    depths = _depths(rules)

    @st.composite
    def made(draw: st.DrawFn) -> str:
        out: list[str] = []
        budget = size

        def write(part: Expression, depth: int) -> None:
            nonlocal budget
            budget -= 1
            if isinstance(part, Text):
                out.append(part.text)
            elif isinstance(part, Chars):
                out.append(draw(_char(part)))
            elif isinstance(part, Rule):
                write(rules[part.name], depth + 1)
            elif isinstance(part, Sequence):
                for each in part.parts:
                    write(each, depth)
            elif isinstance(part, Choice):
                few = [each for each in part.of if depth + _depth(each, depths) < 60]
                if budget < 0:
                    few = [min(part.of, key=lambda each: _depth(each, depths))]
                write(draw(st.sampled_from(few or list(part.of))), depth)
            else:
                most = part.least + 2 if part.most is None else min(part.most, part.least + 2)
                count = draw(st.integers(part.least, most)) if budget > 0 else part.least
                for _ in range(count):
                    write(part.of, depth)

        write(Rule("root"), 0)
        return "".join(out)

    return made()


def _char(part: Chars) -> st.SearchStrategy[str]:
    if not part.negated:
        return st.one_of(
            [
                st.characters(min_codepoint=ord(low), max_codepoint=ord(high))
                for low, high in part.ranges
            ]
        )
    return st.characters(exclude_categories=["Cs"]).filter(
        lambda char: not any(low <= char <= high for low, high in part.ranges)
    )


def _depths(rules: Rules) -> dict[str, int]:
    """How many rules a text of each rule has to go through at the least."""
    known = dict.fromkeys(rules, _DEEP)
    while True:
        found = {name: 1 + _depth(each, known) for name, each in rules.items()}
        if found == known:
            return known
        known = found


_DEEP = 1_000


def _depth(part: Expression, known: dict[str, int]) -> int:
    if isinstance(part, Rule):
        return known[part.name]
    if isinstance(part, Sequence):
        return max((_depth(each, known) for each in part.parts), default=0)
    if isinstance(part, Choice):
        return min(_depth(each, known) for each in part.of)
    if isinstance(part, Repeat):
        return _depth(part.of, known) if part.least else 0
    return 0
