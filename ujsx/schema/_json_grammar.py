r"""JSON as a grammar: the texts, numbers and times that a schema's places hold.

A text stands as ``json.dumps`` writes it, with ``\u00e9`` for ``é`` or without; half of a surrogate pair
is not taken.
"""

from __future__ import annotations

import json
from typing import Any

from ujsx.schema._expressions import (
    DIGIT,
    NOTHING,
    Chars,
    Choice,
    Expression,
    Repeat,
    Rule,
    Rules,
    Sequence,
    Text,
    between,
    choice,
    optional,
    repeat,
    sequence,
)
from ujsx.schema._plain_patterns import parsed_pattern

MOST_SPACE = 20
"""Characters of white space between two marks of JSON: a model may not write it without end."""

SPACE = Rule("space")
CHAR = Rule("char")
VALUE = Rule("value")
ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
}
"""Characters that JSON writes in two."""

_HEX = Chars((("0", "9"), ("a", "f"), ("A", "F")))
_D = Chars((("d", "d"), ("D", "D")))
_UNESCAPED = Chars((("\x00", "\x1f"), ('"', '"'), ("\\", "\\"), ("\x7f", "\x7f")), negated=True)


def _dashed(*lengths: int) -> Expression:
    parts: list[Expression] = []
    for length in lengths:
        parts += [Text("-"), repeat(_HEX, length, length)]
    return sequence(parts[1:])


def _either(*texts: str) -> Expression:
    return choice(map(Text, texts))


def _two(low: int, high: int) -> Expression:
    """Numbers of two digits."""
    return _either(*(f"{number:02}" for number in range(low, high + 1)))


_LEAP = Choice((
    sequence([DIGIT, DIGIT, _either(*(f"{year:02}" for year in range(4, 100, 4)))]),
    sequence([_either(*(f"{year:02}" for year in range(4, 100, 4))), Text("00")]),
))  # fmt: skip
_YEAR = choice(
    [
        sequence([DIGIT, DIGIT, DIGIT, between("1", "9")]),
        sequence([DIGIT, DIGIT, between("1", "9"), Text("0")]),
        sequence([DIGIT, between("1", "9"), Text("00")]),
        sequence([between("1", "9"), Text("000")]),
    ]
)
"""The years that Python has: 0001 to 9999."""

_DATE = choice(
    [
        sequence([_YEAR, Text("-"), _either("01", "03", "05", "07", "08", "10", "12"), Text("-"), _two(1, 31)]),
        sequence([_YEAR, Text("-"), _either("04", "06", "09", "11"), Text("-"), _two(1, 30)]),
        sequence([_YEAR, Text("-02-"), _two(1, 28)]),
        sequence([_LEAP, Text("-02-29")]),
    ]
)  # fmt: skip
_CLOCK = sequence(
    [
        _two(0, 23), Text(":"), _two(0, 59), Text(":"), _two(0, 59),
        optional(sequence([Text("."), repeat(DIGIT, 1, 6)])),
    ]
)  # fmt: skip
_OFFSET = choice([Text("Z"), sequence([_either("+", "-"), _two(0, 23), Text(":"), _two(0, 59)])])

FORMATS: dict[str, Expression] = {
    "date": _DATE,
    "time": sequence([_CLOCK, optional(_OFFSET)]),
    "date-time": sequence([_DATE, Text("T"), _CLOCK, _OFFSET]),
    "uuid": _dashed(8, 4, 4, 4, 12),
}
"""Formats as grammars (RFC 3339; RFC 9562): a date is one that there is. A time may lack its offset."""


def json_rules() -> Rules:
    """Return the rules that grammars of JSON share."""
    hexes = repeat(_HEX, 3, 3)
    code = choice(
        [
            sequence([Chars((("0", "9"), ("a", "c"), ("e", "f"), ("A", "C"), ("E", "F"))), hexes]),
            sequence([_D, between("0", "7"), repeat(_HEX, 2, 2)]),
            sequence(
                [
                    _D, Chars((("8", "9"), ("a", "b"), ("A", "B"))), repeat(_HEX, 2, 2), Text("\\u"),
                    _D, Chars((("c", "f"), ("C", "F"))), repeat(_HEX, 2, 2),
                ]
            ),
        ]
    )  # fmt: skip
    escaped = choice(
        [Chars(tuple((mark, mark) for mark in '"\\/bfnrt')), sequence([Text("u"), code])]
    )
    members = sequence([SPACE, Rule("string"), SPACE, Text(":"), SPACE, VALUE])
    return {
        "space": repeat(Chars(((" ", " "), ("\t", "\t"), ("\n", "\n"))), 0, MOST_SPACE),
        "char": choice([_UNESCAPED, Text("\x7f"), sequence([Text("\\"), escaped])]),
        "string": quoted(repeat(CHAR, 0, None)),
        "integer": sequence(
            [optional(Text("-")), choice([Text("0"), sequence([between("1", "9"), repeat(DIGIT, 0, 17)])])]
        ),
        "number": _number(),
        "boolean": _either("true", "false"),
        "null": Text("null"),
        "value": choice([Rule(each) for each in ("object", "array", "string", "number", "boolean", "null")]),
        "object": listed("{", members, "}"),
        "array": listed("[", sequence([SPACE, VALUE]), "]"),
    }  # fmt: skip


def _number() -> Expression:
    """A number that a double holds, as Python writes it: a power of ten stands behind one digit."""
    digits = sequence([Text("."), repeat(DIGIT, 1, 17)])
    power = choice([repeat(DIGIT, 1, 2), sequence([Chars((("1", "2"),)), DIGIT, DIGIT])])
    powered = sequence([
        DIGIT, optional(digits), Chars((("e", "e"), ("E", "E"))),
        optional(Chars((("+", "+"), ("-", "-")))), power,
    ])  # fmt: skip
    return choice(
        [sequence([Rule("integer"), optional(digits)]), sequence([optional(Text("-")), powered])]
    )


def listed(opening: str, item: Expression, closing: str) -> Expression:
    """Return any number of items between two marks, with commas."""
    more = repeat(sequence([SPACE, Text(","), item]), 0, None)
    return sequence([Text(opening), optional(sequence([item, more])), SPACE, Text(closing)])


def quoted(inside: Expression) -> Expression:
    """Return a text of JSON around what it says."""
    return sequence([Text('"'), inside, Text('"')])


def constant(value: Any) -> Expression:
    """Return one value."""
    return Text(json.dumps(value, ensure_ascii=False))


def text_like(schema: dict[str, Any]) -> Expression:
    """Return the texts that a schema of the dialect open-engines allows."""
    if "pattern" in schema:
        said = parsed_pattern(schema["pattern"])
        return quoted(NOTHING if said is None else _in_json(said))
    if schema.get("format") in FORMATS:
        return quoted(FORMATS[schema["format"]])
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    return Rule("string") if (least, most) == (0, None) else quoted(repeat(CHAR, least, most))


def _in_json(part: Expression) -> Expression:
    """A pattern's texts as JSON writes them: a mark that needs a backslash has one."""
    if isinstance(part, Chars):
        if part.negated:
            return _escaped(part)
        (low, high), *more = part.ranges
        return Text(low) if low == high and not more else part
    if isinstance(part, Sequence):
        return sequence(map(_in_json, part.parts))
    if isinstance(part, Choice):
        return choice(map(_in_json, part.of))
    return repeat(_in_json(part.of), part.least, part.most) if isinstance(part, Repeat) else part


def _escaped(part: Chars) -> Expression:
    """All characters but some."""
    plain = Chars((*part.ranges, *_UNESCAPED.ranges), negated=True)
    others = [mark for mark in (*ESCAPES, "\x7f") if not _has(part, mark)]
    return choice([plain, *(Text(ESCAPES.get(mark, mark)) for mark in others)])


def _has(part: Chars, mark: str) -> bool:
    return any(low <= mark <= high for low, high in part.ranges)
