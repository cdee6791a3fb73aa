r"""Grammars written down: as GBNF, which llama.cpp and xgrammar read, and as Lark, which llguidance reads.

GBNF: ``ggml-org/llama.cpp``, ``grammars/README.md``. Lark: the notation of ``lark-parser/lark``, of which
``guidance-ai/llguidance``, ``docs/syntax.md``, reads a part. There, a rule that refers to no other is a
terminal, a regular expression: a text of JSON is one word to the lexer.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ujsx.schema._expressions import (
    START,
    Chars,
    Choice,
    Expression,
    Repeat,
    Rule,
    Rules,
    Sequence,
    Text,
    rules_in,
    sequence,
)

_TIMES: dict[tuple[int, int | None], str] = {(0, None): "*", (1, None): "+", (0, 1): "?"}
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}


def gbnf(rules: Rules) -> str:
    """Return a grammar in GBNF, a rule in a line."""
    return "\n".join(f"{name} ::= {_gbnf(each)}" for name, each in rules.items())


def _gbnf(part: Expression) -> str:
    match part:
        case Text():
            return _text(part.text)
        case Rule():
            return part.name
        case Chars():
            return _class(part, _gbnf_char)
        case Sequence():
            return " ".join(map(_gbnf, part.parts)) or '""'
        case Choice():
            return f"({' | '.join(_gbnf(each) for each in part.of)})"
        case Repeat():
            inner = _gbnf(part.of)
            single = isinstance(part.of, Rule | Chars | Choice) or (
                isinstance(part.of, Text) and bool(part.of.text)
            )
            return f"{inner if single else f'({inner})'}{_times(part)}"


def _times(part: Repeat) -> str:
    known = _TIMES.get((part.least, part.most))
    if known is not None:
        return known
    if part.least == part.most:
        return f"{{{part.least}}}"
    return f"{{{part.least},{'' if part.most is None else part.most}}}"


def _text(text: str) -> str:
    """A text in double quotes."""
    return f'"{"".join(_quoted_char(char) for char in text)}"'


def _quoted_char(char: str) -> str:
    if char == '"':
        return '\\"'
    return _ESCAPES.get(char) or (f"\\x{ord(char):02x}" if _is_control(char) else char)


def _is_control(char: str) -> bool:
    return char < " " or char == "\x7f"


def _gbnf_char(char: str) -> str:
    """A character of a class."""
    if char in "[]":
        return f"\\{char}"
    if char in "^-":
        return f"\\x{ord(char):02X}"
    return _ESCAPES.get(char) or (f"\\x{ord(char):02x}" if _is_control(char) else char)


def _class(part: Chars, write: Callable[[str], str]) -> str:
    inside = "".join(
        write(low) if low == high else f"{write(low)}-{write(high)}" for low, high in part.ranges
    )
    return f"[{'^' * part.negated}{inside}]"


def lark(rules: Rules) -> str:
    """Return a grammar in Lark's notation, a rule in a line; it starts at ``start``."""
    writer = _Lark(rules)
    lines = [f"{writer.names[name]}: {writer.said(each)}" for name, each in writer.of_words.items()]
    words = (name for name in writer.terminals if name in writer.asked)
    lines += (f"{writer.names[name]}: /{writer.terminals[name]}/" for name in words)
    if SPACE in writer.asked:
        lines.append(f"SPACE: /{_regex(repeat_of_space(rules), {})}/")
    return "\n".join(lines)


def repeat_of_space(rules: Rules) -> Expression:
    """White space that is there: a terminal takes one character at least."""
    space = rules[SPACE]
    return Repeat(space.of, 1, space.most) if isinstance(space, Repeat) else space


SPACE = "space"
"""The rule of white space between the words of a grammar, which may be none."""


class _Lark:
    """Rules in Lark's notation. Between two places where white space may be stands a word."""

    def __init__(self, rules: Rules) -> None:
        self.terminals = _words(rules)
        self.of_words = {
            name: each
            for name, each in rules.items()
            if name == START or name not in {SPACE, *self.terminals}
        }
        self.names = {
            name: "start" if name == START else self._name(name) for name in (*rules, SPACE)
        }
        self.asked: dict[str, None] = {}

    def _name(self, name: str) -> str:
        plain = name.replace("-", "_")
        return plain if name in self.of_words else plain.upper()

    def said(self, part: Expression) -> str:
        """An expression of words."""
        if self._is_word(part) and not _is_choice_of_words(part) and not _may_be_empty(part):
            return f"/{_regex(part, self.terminals)}/"
        match part:
            case Rule():
                if part.name not in self.of_words:
                    self.asked[part.name] = None
                return f"{self.names[part.name]}{'?' * (part.name == SPACE)}"
            case Text():
                return _text(part.text)
            case Sequence():
                return " ".join(map(self.said, self._words(part.parts)))
            case Choice():
                return f"({' | '.join(map(self.said, part.of))})"
            case Repeat():
                return self._repeated(part)
            case Chars():
                return f"/{_regex(part, self.terminals)}/"

    def _is_word(self, part: Expression) -> bool:
        return all(rule in self.terminals for rule in rules_in(part))

    def _words(self, parts: tuple[Expression, ...]) -> list[Expression]:
        """The parts, those of one word as one."""
        found: list[Expression] = []
        for part in parts:
            if found and self._is_word(part) and self._is_word(found[-1]):
                found[-1] = sequence([found[-1], part])
            else:
                found.append(part)
        return found

    def _repeated(self, part: Repeat) -> str:
        """A repetition; one with other bounds than none and one is written out."""
        inner = f"({self.said(part.of)})"
        known = _TIMES.get((part.least, part.most))
        if known is not None:
            return f"{inner}{known}"
        needed = [inner] * part.least
        if part.most is None:
            return " ".join([*needed, f"{inner}*"])
        more = ""
        for _ in range(part.most - part.least):
            more = f"({inner} {more})?" if more else f"{inner}?"
        return " ".join([*needed, *([more] if more else [])])


def _words(rules: Rules) -> dict[str, str]:
    """The rules that are words; a choice of such is none, unless it is a part of a word."""
    terminals = _terminals(rules)
    parts = {
        name
        for rule, each in rules.items()
        if rule in terminals and not _is_choice_of_words(each)
        for name in rules_in(each)
    }
    waiting = [*parts]
    while waiting:
        more = set(rules_in(rules[waiting.pop()])) - parts
        parts |= more
        waiting += more
    return {
        name: said
        for name, said in terminals.items()
        if name in parts or not _is_choice_of_words(rules[name])
    }


def _is_choice_of_words(part: Expression) -> bool:
    """Whether it is one of several rules and texts, each a word of its own."""
    several = part.of if isinstance(part, Choice) else (part,)
    return all(isinstance(each, Rule | Text) for each in several)


def _terminals(rules: Rules) -> dict[str, str]:
    """The rules that are words, as regular expressions: no white space may stand in them."""
    found: dict[str, str] = {}
    left = {name: each for name, each in rules.items() if name not in {SPACE, START}}
    while True:
        words = {
            name: each
            for name, each in left.items()
            if all(rule in found for rule in rules_in(each))
        }
        if not words:
            return found
        for name, each in words.items():
            del left[name]
            if not _may_be_empty(each):
                found[name] = _regex(each, found)


def _may_be_empty(part: Expression) -> bool:
    """Tell whether an expression takes the empty text; a rule that is a word does not."""
    match part:
        case Text():
            return not part.text
        case Sequence():
            return all(map(_may_be_empty, part.parts))
        case Choice():
            return any(map(_may_be_empty, part.of))
        case Repeat():
            return part.least == 0 or _may_be_empty(part.of)
        case _:
            return False


def _regex(part: Expression, known: dict[str, str]) -> str:
    match part:
        case Text():
            return "".join(_regex_char(char) for char in part.text)
        case Rule():
            return f"({known[part.name]})"
        case Chars():
            return _class(part, _regex_in_class)
        case Sequence():
            return "".join(_regex(each, known) for each in part.parts)
        case Choice():
            return f"({'|'.join(_regex(each, known) for each in part.of)})"
        case Repeat():
            inner = _regex(part.of, known)
            single = isinstance(part.of, Chars | Choice | Rule)
            return f"{inner if single else f'({inner})'}{_times(part)}"


def _regex_char(char: str) -> str:
    if char == "/":
        return "\\/"
    return _regex_control(char) or (re.escape(char) if char.isascii() and char != '"' else char)


def _regex_in_class(char: str) -> str:
    return _regex_control(char) or (f"\\{char}" if char in "^-[]/&~" else char)


def _regex_control(char: str) -> str | None:
    return _ESCAPES.get(char) or (f"\\x{ord(char):02x}" if _is_control(char) else None)
