"""Format specs of holes, ``{at:%H:%M}`` or ``{confidence:.0%}``: how a value is written, and read back.

Specs are those of Python's ``format`` and ``strftime`` that mean the same on every machine. A text that
says only a part of a value, such as a time without its date, is read as :class:`Partial`: a text that
is written as it stands. An edit of it is merged with the value that it was written of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from math import isfinite
from typing import Any, NamedTuple

from hud_components.declaring._values import BETWEEN, Look, Partial, joined
from ujsx.errors import shown


class Directive(NamedTuple):
    """A part of a date or a time in a spec, such as ``%H``."""

    part: str
    """The attribute that it shows."""
    pattern: str
    """What it writes, as a regular expression."""


DIRECTIVES: Mapping[str, Directive] = {
    "Y": Directive("year", r"\d{4}"),
    "m": Directive("month", r"\d\d"),
    "d": Directive("day", r"\d\d"),
    "H": Directive("hour", r"\d\d"),
    "M": Directive("minute", r"\d\d"),
    "S": Directive("second", r"\d\d"),
    "f": Directive("microsecond", r"\d{6}"),
}
"""What a spec of a date or a time may hold: figures, which are the same in every language."""

WHOLE: Mapping[str, str] = {"F": "%Y-%m-%d", "T": "%H:%M:%S", "R": "%H:%M"}
"""Directives that stand for several."""

INSTEAD: Mapping[str, str] = {
    "c": "%Y-%m-%d %H:%M:%S",
    "x": "%Y-%m-%d",
    "D": "%Y-%m-%d",
    "X": "%H:%M:%S",
    "r": "%H:%M:%S",
    "B": "%m",
    "b": "%m",
    "h": "%m",
    "y": "%Y",
    "e": "%d",
    "j": "%m-%d",
    "I": "%H",
    "l": "%H",
    "k": "%H",
}
"""What to write for directives that depend on a language, or that do not tell all. Others are left out."""

_NEEDED: Mapping[type[Any], frozenset[str]] = {
    date: frozenset({"year", "month", "day"}),
    time: frozenset({"hour", "minute"}),
    datetime: frozenset({"year", "month", "day", "hour", "minute"}),
}
"""What a text says at least that says all of a value."""

_PERCENT = re.compile(r"%([-_0^#:]*.?)", re.DOTALL)
_NUMBER = re.compile(r"(?P<sign>[+-]?)(?P<pad>0\d{1,2})?(?P<group>[,_]?)(?:\.\d{1,2})?[dfFeEgG%]?")
_MOST_DIGITS = 4_000
"""Digits of a number that is read: Python reads no whole number of many more."""

_MOMENT = datetime(2026, 1, 31, 9, 30, 5, 250_000)  # noqa: DTZ001 - an example
_NUMBERS: Mapping[type[Any], tuple[Any, ...]] = {
    int: (7, -12, 1_234_567),
    float: (0.5, -0.125, 1_234_567.0, 1e-7),
    Decimal: (Decimal("0.5"), Decimal("-0.125"), Decimal(1_234_567), Decimal("1E-7")),
}


class FormatError(ValueError):
    """A spec that a hole cannot have, with what to write instead."""


@lru_cache(maxsize=512)
def formatted(look: Look, spec: str) -> Look:
    """Return how values of a look are written with a spec, and read back.

    :raises FormatError: for a spec that the values have not, or that depends on a locale.

    >>> from hud_components.declaring._values import look_of
    >>> share, clock = formatted(look_of(float), ".0%"), formatted(look_of(datetime), "%H:%M")
    >>> share.write(0.874), share.read("87%"), clock.read("09:30")
    ('87%', 0.87, '09:30')
    >>> clock.merge(datetime(2026, 1, 31, 8), "09:30").isoformat()
    '2026-01-31T09:30:00'
    """
    if look.kind in _NUMBERS and look.read is None:
        return _of_numbers(look.kind, spec)
    if look.kind in (datetime, date, time):
        return _of_dates(look.kind, spec)
    if look.kind is tuple:
        if spec.isprintable():
            return joined(spec)
        raise FormatError(f"a line has no line breaks; write {_hole(BETWEEN)}")
    raise FormatError("only numbers, dates, times and tuples have a format; leave it out")


# --- Numbers ---


def _of_numbers(kind: type[Any], spec: str) -> Look:
    match = _NUMBER.fullmatch(spec)
    if match is None:
        raise FormatError(_instead_of_number(kind, spec))
    try:
        examples = tuple(_number_text(each, spec) for each in _NUMBERS[kind])
    except ValueError:
        instead = ".0f" if spec.endswith("d") else spec.replace("_", ",")
        raise FormatError(f"write {_hole(instead)}") from None
    group = re.escape(match["group"])
    figures = rf"\d[\d{group}]*(?:\.\d+)?"
    exponent = r"(?:[eE][+-]?\d+)?" if any("e" in each.lower() for each in examples) else ""
    sign, behind = r"[+-]?", "%" if spec.endswith("%") else ""

    def write(value: Any) -> str:
        return _number_text(value, spec)

    def read(text: str) -> Any:
        plain = text.replace(match["group"], "") if match["group"] else text
        found = _number(kind, plain.removesuffix("%") + ("e-2" if behind else ""))
        return Partial(text) if found is None else found

    return Look(f"{sign}{figures}{exponent}{behind}", examples, kind, write=write, read=read)


def _number_text(value: Any, spec: str) -> str:
    try:
        return format(value, spec)
    except OverflowError:  # a whole number beyond the largest float
        return format(Decimal(value), spec)


def _number(kind: type[Any], text: str) -> Any:
    """The number that a text says; None where it says none of that kind."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if kind is Decimal:
        return number
    if kind is float:
        return float(number) if isfinite(float(number)) else None
    if not number.is_finite() or abs(number.adjusted()) > _MOST_DIGITS:
        return None
    return int(number) if number == int(number) else None


def _instead_of_number(kind: type[Any], spec: str) -> str:
    if spec.endswith("n"):
        return f"n depends on the machine's locale; write {_hole(',')}"
    plain = re.sub(r"^.?[<>=^]", "", spec).lstrip(" #z")
    plain = re.sub(r"^[1-9]\d*", "", plain)
    if _NUMBER.fullmatch(plain) and plain != spec:
        return f"a line has no columns; write {_hole(plain)}"
    return f"write {_hole(',' if kind is int else '.2f')}, or one of f e g % d"


# --- Dates and times ---


def _of_dates(kind: type[Any], spec: str) -> Look:
    spec = _PERCENT.sub(lambda match: WHOLE.get(match[1], match[0]), spec)
    pieces = [*_pieces(kind, spec)]
    parts = [piece.part for piece in pieces if isinstance(piece, Directive)]
    if not parts:
        raise FormatError(f"it shows nothing; write {_hole('%H:%M' if kind is time else '%F')}")
    pattern = "".join(
        re.escape(piece) if isinstance(piece, str) else piece.pattern for piece in pieces
    )
    groups = re.compile(
        "".join(
            re.escape(each) if isinstance(each, str) else f"({each.pattern})" for each in pieces
        )
    )

    def write(value: Any) -> str:
        return "".join(
            piece if isinstance(piece, str) else f"{getattr(value, piece.part):0{_width(piece)}}"
            for piece in pieces
        )

    is_whole = _NEEDED[kind] <= {*parts}

    def told(text: str) -> dict[str, int]:
        match = groups.fullmatch(text)
        if match is None:
            raise ValueError(f"write it like {shown(write(_MOMENT))}")
        return dict(zip(parts, map(int, match.groups()), strict=True))

    def read(text: str) -> Any:
        try:
            return kind(**told(text)) if is_whole else Partial(text)
        except ValueError:  # there is no such day
            return Partial(text)

    def merge(old: Any, text: str) -> Any:
        said = told(text)
        if old is None and not is_whole:
            raise ValueError(f"it says only a part of a {kind.__name__}, and there is none yet")
        new = kind(**said) if old is None else old.replace(**said)
        if write(new) != text:
            raise ValueError(f"it says one thing twice; write it like {shown(write(new))}")
        return new

    return Look(pattern, (write(_MOMENT),), kind, write=write, read=read, merge=merge)


def _width(directive: Directive) -> int:
    return {"year": 4, "microsecond": 6}.get(directive.part, 2)


def _pieces(kind: type[Any], spec: str) -> Iterator[str | Directive]:
    end = 0
    for match in _PERCENT.finditer(spec):
        if match.start() > end:
            yield spec[end : match.start()]
        end, name = match.end(), match[1]
        if name == "%":
            yield "%"
            continue
        directive = DIRECTIVES.get(name)
        if directive is None:
            raise FormatError(_instead_of_date(name, spec))
        if not hasattr(kind, directive.part):
            raise FormatError(f"a {kind.__name__} has no {directive.part}; leave out %{name}")
        yield directive
    if end < len(spec):
        yield spec[end:]


def _plain(name: str) -> str:
    """What to write for a directive: the same where it is one of ours."""
    plain = name.lstrip("-_0^#:")
    return f"%{plain}" if plain in DIRECTIVES or plain == "%" else INSTEAD.get(plain, "")


def _instead_of_date(name: str, spec: str) -> str:
    better = " ".join(_PERCENT.sub(lambda match: _plain(match[1]), spec).split())
    why = f"%{name} is not the same on every machine, or does not tell all"
    return f"{why}; write {_hole(better)}" if "%" in better else f"{why}; leave it out"


def _hole(spec: str) -> str:
    return f"{{…:{spec}}}"
