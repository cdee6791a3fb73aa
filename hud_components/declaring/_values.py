"""Values in lines: their texts and formats, the patterns that read them, and the faults of a declaration."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from enum import Enum
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address
from itertools import chain
from math import isfinite
from pathlib import PurePath
from types import NoneType, TracebackType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    ParamSpec,
    Self,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
)
from uuid import UUID

from pydantic import (
    AnyUrl,
    AwareDatetime,
    BaseModel,
    EmailStr,
    FutureDate,
    FutureDatetime,
    NaiveDatetime,
    PastDate,
    PastDatetime,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)
from pydantic.fields import FieldInfo
from pydantic_core import Url
from typing_extensions import TypeAliasType

from hud_components._models import HudModel
from ujsx import DefinitionError, FrozenMapping
from ujsx.components import fields_of, members_of, plain_type
from ujsx.errors import did_you_mean, shown
from ujsx.text import one_line

# The faults of a declaration, all reported together, so that one run shows every fix.


P = ParamSpec("P")


class Faults(list[str]):
    """The faults found so far, each a sentence with the remedy.

    As a context manager it records a refusal and continues after the block: ``with faults: check(…)``. After a fault,
    any other error in a block counts as its consequence.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if isinstance(error, DefinitionError):
            self += error.faults
        return bool(self) and isinstance(error, Exception)

    def of(
        self, check: Callable[P, Iterable[str] | None], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """Record the faults that a check returns, and what it refuses."""
        with self:
            self += check(*args, **kwargs) or ()

    def check(self) -> None:
        """Refuse the declaration if there are faults.

        :raises DefinitionError: with all of them.
        """
        if self:
            raise DefinitionError(*dict.fromkeys(self))


def no_field(place: str, model: type[BaseModel], name: str) -> str:
    """Return the fault of a name that is no field of a model's, with the nearest one."""
    hint = did_you_mean(name, fields_of(model))
    return f"{place}: {model.__name__} has no field {shown(name)}; {hint}"


class Partial(str):
    """A text of only a part of a value, as in a line: "09:30" of a moment.

    It is in the field of a parsed item, and written unchanged.
    """

    __slots__ = ()


UNSET = "—"
"""The text of an unset value in a line."""

BETWEEN = ", "
"""The separator of the texts of a tuple, and of the members of a mapping or a model."""

BETWEEN_MODELS = "; "
"""The separator of several mappings or models."""


def as_text(value: Any, between: str = "") -> str:
    """Return the text of a value in a line.

    :param between: the separator of several values.

    >>> as_text(True), as_text(("a", "b")), as_text(({"Lima": 3, "Oslo": 1}, {"Rome": 2}))
    ('yes', 'a, b', 'Lima: 3, Oslo: 1; Rome: 2')
    """
    if value.__class__ is str:
        return str(value)
    if value.__class__ in (tuple, frozenset):
        return (between or _between(value)).join(_texts_of(value))
    if value.__class__ is bool:
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, timedelta):
        return str(TypeAdapter(timedelta).dump_python(value, mode="json"))
    if isinstance(value, _NAMING):
        named = _by_name(value)
        texts = (f"{name}: {as_text(named[name])}" for name in named if is_set(named[name]))
        return (between or _between(named.values())).join(texts)
    return value.isoformat() if isinstance(value, date | time) else str(value)


_NAMING = (dict, FrozenMapping, BaseModel)
"""The types of values whose members have names."""


def _between(values: Iterable[object]) -> str:
    """Return the default separator of several values."""
    return BETWEEN_MODELS if any(isinstance(each, _NAMING) for each in values) else BETWEEN


def _by_name(value: Any) -> Mapping[str, Any]:
    """Return the members of a mapping, or a model, by name."""
    named: Mapping[str, Any] = value.__dict__ if isinstance(value, BaseModel) else value
    return named


def _texts_of(values: Iterable[object]) -> list[str]:
    """Return the texts of several values; a set's are sorted."""
    texts = [as_text(each) for each in values if is_set(each)]
    return sorted(texts) if isinstance(values, frozenset) else texts


class ValueLook(NamedTuple):
    """The form of a field's values in a line."""

    pattern: str = ""
    """A regular expression; empty for any text."""

    examples: tuple[str, ...] = ("x",)
    """Example texts: all, if there are few."""

    kind: type[Any] = str
    """The type of the values."""

    write: Callable[[Any], str] = as_text
    """Converts a value to its text."""

    read: Callable[[str], Any] | None = None
    """Converts a text to its value, or a :class:`Partial`; None if the field's own type reads it."""

    merge: Callable[[Any, str], Any] | None = None
    """Merges the previous value and an edited text, or raises a ValueError with the reason. None if the text is
    complete.
    """

    def value(self, told: Any) -> Any:
        """Return the value of a text; a text that has none, or any other value, unchanged."""
        said = self.read(told) if self.read is not None and type(told) is str else told
        kind: Any = self.kind
        try:
            return _adapter_of(kind).validate_python(said) if type(said) is str else said
        except ValidationError:
            return said


@lru_cache(maxsize=16)
def _adapter_of(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


TEXT = ValueLook()
"""Any text."""

_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_DATE = r"\d{4}-\d\d-\d\d"
_TIME = r"\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?"

LOOKS: tuple[ValueLook, ...] = (
    ValueLook(r"-?\d+", ("7", "-12"), int),
    ValueLook(f"{_NUMBER}|nan|inf|-inf", ("7.5", "-1e-07", "12.0"), float),
    ValueLook(f"{_NUMBER}|NaN|-?Infinity", ("7", "-1.50", "1E+7"), Decimal),
    ValueLook(
        f"{_DATE}[T ]{_TIME}",
        ("2026-01-31T09:30:00", "2026-01-31T09:30:00.25+01:00"),
        datetime,
    ),
    ValueLook(_DATE, ("2026-01-31",), date),
    ValueLook(_TIME, ("09:30:00", "09:30:00.25"), time),
    ValueLook(r"-?P[0-9.YMWDTHS]+", ("P1D", "-PT0.5S"), timedelta),
    ValueLook("[0-9a-f-]{36}", ("12345678-1234-5678-1234-567812345678",), UUID),
)
"""The form of values, by type."""

AS_TEXT: tuple[Any, ...] = (
    str,
    Url,
    AnyUrl,
    EmailStr,
    PurePath,
    IPv4Address,
    IPv6Address,
)
"""The types of values that their text represents completely."""

WRITTEN: tuple[type[Any], ...] = (str, Enum, *(look.kind for look in LOOKS))
"""The types of values that a line can represent."""


_SPECIAL: dict[Any, type[Any]] = {
    AwareDatetime: datetime,
    NaiveDatetime: datetime,
    PastDatetime: datetime,
    FutureDatetime: datetime,
    PastDate: date,
    FutureDate: date,
}
"""Pydantic's names for some kinds of values, which are not their classes."""


def look_of(annotation: Any) -> ValueLook | None:
    r"""Return the form of a field's values; ``None`` if no single hole can represent them.

    >>> look_of(str).pattern, look_of(int | None).pattern, look_of(Literal["a", "b"]).pattern, look_of(dict)
    ('', '-?\\d+', 'a|b', None)
    """
    annotation, *others = members_of(annotation)
    if others:
        members = (annotation, *others)
        return _either([look_of(each) for each in members if each is not NoneType])
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return _choice(inside)
    if _holds_names(annotation):
        return of_names(annotation)
    if origin in (tuple, list, frozenset):  # a list is refused, and then a tuple
        parts = [look_of(each) for each in inside if each is not Ellipsis]
        is_read = all(each and not each.read and each == parts[0] for each in parts)
        return joined() if parts and is_read else None
    annotation = _SPECIAL.get(annotation, annotation)
    if annotation is bool:
        return _choice((True, False))
    if not isinstance(annotation, type):
        return None
    if issubclass(annotation, Enum):
        return _choice([each.value for each in annotation])
    if issubclass(annotation, AS_TEXT):
        return TEXT
    return next((look for look in LOOKS if issubclass(annotation, look.kind)), None)


def _either(looks: Sequence[ValueLook | None]) -> ValueLook | None:
    """Return the form of values of one of several types; for numbers the most general one."""
    if len({*looks}) == 1:
        return looks[0]
    kinds = {look.kind if look in LOOKS else None for look in looks if look is not None}
    is_number = None not in looks and kinds <= NUMBERS
    return next(look for look in reversed(LOOKS) if look.kind in kinds) if is_number else None


NUMBERS: frozenset[type[Any] | None] = frozenset({int, float, Decimal})


def _choice(values: Sequence[Any]) -> ValueLook | None:
    known = [value for value in values if is_set(value)]
    if not known or not all(isinstance(value, str | int) for value in known):
        return None
    texts = {as_text(value): value for value in known}
    if len(texts) < len(known):
        return None
    pattern = "|".join(map(re.escape, sorted(texts, key=len, reverse=True)))  # the longest first
    if all(isinstance(value, str) for value in known):
        return ValueLook(pattern, tuple(texts))

    def read(text: str) -> Any:
        return texts.get(text, Partial(text))

    return ValueLook(pattern, tuple(texts), type(known[0]), read=read)


def _is_plain(annotation: Any) -> bool:
    """Tell whether a line can represent a value as a member: its own members have no names."""
    members = members_of(annotation)
    kinds = [each for each in members if each is not NoneType] or members
    return all(not _holds_names(each) and look_of(each) is not None for each in kinds)


def _holds_names(annotation: Any) -> bool:
    """Tell whether a type, or one in it, has members with names."""
    return _naming(annotation) is not None or any(map(_holds_names, get_args(annotation)))


def _naming(annotation: Any) -> type[Any] | None:
    """Return the class of a mapping or a model; None for anything else."""
    kind: Any = get_origin(annotation) or annotation
    is_naming = isinstance(kind, type) and issubclass(cast("type[Any]", kind), _NAMING)
    return kind if is_naming else None


def _has_names(annotation: Any) -> bool:
    """Tell whether values are mappings, or models, whose members a line can represent."""
    kind = _naming(annotation)
    if kind is None:
        return False
    is_model = issubclass(kind, BaseModel)
    fields = fields_of(kind).values() if is_model else ()
    members = [each.annotation for each in fields] if is_model else get_args(annotation)
    return bool(members) and all(map(_is_plain, members))


def _several(annotation: Any) -> Any:
    """Return the item type of a tuple of any length, or of a mapping; None for anything else."""
    inside = get_args(annotation)
    if get_origin(annotation) is tuple:
        return inside[0] if inside[1:] == (Ellipsis,) else None
    return inside[1] if inside and _naming(annotation) else None


@lru_cache(maxsize=64)
def of_names(annotation: Any) -> ValueLook | None:
    """Return the form of a mapping or a model, each member after its name, or of several; None for anything else.

    >>> counts = of_names(FrozenMapping[str, int])
    >>> counts.write({"Lima": 3, "Oslo": 1}), counts.read("Lima: 3, Oslo: 1")
    ('Lima: 3, Oslo: 1', FrozenMapping({'Lima': 3, 'Oslo': 1}))
    """
    several = not _has_names(annotation)
    if several and not _has_names(_several(annotation)):
        return None
    adapter, is_named = TypeAdapter[Any](annotation), get_origin(annotation) is not tuple

    def write(value: Any) -> str:
        return one_line(as_text(value, BETWEEN_MODELS if several else BETWEEN))

    def given(text: str) -> Any:
        if not several:
            return _members(text, BETWEEN)
        if not is_named:
            return [_members(each, BETWEEN) for each in text.split(BETWEEN_MODELS)]
        each = _members(text, BETWEEN_MODELS)
        return {name: _members(said, BETWEEN) for name, said in each.items()}

    def told(text: str) -> Any:
        """Return the value of a text; None if it is incomplete, or not in canonical form."""
        try:
            value = adapter.validate_python(given(text))
        except ValidationError:
            return None
        return value if write(value) == text else None

    def read(text: str) -> Any:
        said = told(text)
        return Partial(text) if said is None else said

    def merge(old: Any, text: str) -> Any:
        said = told(text)
        if said is None or (is_set(old) and told(write(old)) != old):
            like = shown("name: value, name: value")
            raise ValueError(f"it is changed as a whole, by an update; here it reads like {like}")
        return said

    return ValueLook(kind=dict, write=write, read=read, merge=merge)


def _members(text: str, between: str) -> dict[str, str]:
    """Return the members in a text, by name."""
    pairs = (each.partition(":") for each in text.split(between))
    return {name.strip(): said.strip() for name, _, said in pairs}


@lru_cache(maxsize=64)
def joined(between: str = BETWEEN) -> ValueLook:
    """Return the form of several texts in one hole.

    An ambiguous text is written in quotes.

    >>> joined().write(("a", "b")), joined().read("a, b")
    ('a, b', ('a', 'b'))
    >>> joined().write(("Lima, Peru", "Oslo")), joined().read('"Lima, Peru", Oslo')
    ('"Lima, Peru", Oslo', ('Lima, Peru', 'Oslo'))
    """
    edges, part = {*between.strip()}, re.escape(between)
    each_of = re.compile(f'(?:"((?:[^"]|"")+)"|(.*?))({part}|$)', re.DOTALL)

    def quoted(text: str) -> str:
        is_plain = between not in text and text != UNSET and edges.isdisjoint((text[0], text[-1]))
        if is_plain and text[0] != '"':
            return text
        return '"{}"'.format(text.replace('"', '""'))

    def write(value: Any) -> str:
        texts = (one_line(each).strip() for each in _texts_of(value))
        return between.join(map(quoted, filter(None, texts)))

    def parts(text: str) -> tuple[str, ...]:
        found: list[str] = []
        for said, plain, behind in each_of.findall(text):
            found.append(said.replace('""', '"') or plain)
            if not behind:
                break
        return tuple(found)

    def read(text: str) -> Any:
        found = parts(text)
        return Partial(text) if '"' in text and write(found) != text else found

    def merge(old: Any, text: str) -> tuple[str, ...]:
        return tuple(filter(None, map(str.strip, parts(text))))

    return ValueLook(kind=tuple, write=write, read=read, merge=merge)


def choices_of(annotation: Any) -> tuple[Any, ...] | None:
    """Return all values that a field can have, if enumerable.

    >>> choices_of(bool | None), choices_of(Literal["a"]), choices_of(str)
    ((False, True, None), ('a',), None)
    """
    annotation, *others = members_of(annotation)
    if others:
        known = [choices_of(each) for each in (annotation, *others)]
        found = [part for part in known if part is not None]
        return tuple(chain(*found)) if len(found) == len(known) else None
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    if annotation in (NoneType, None):
        return (None,)
    if annotation is bool:
        return (False, True)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return tuple(annotation)
    return None


def nothing_of(annotation: Any) -> Any:
    """Return the unset value of a field: None, or an empty text or tuple.

    >>> nothing_of(str), nothing_of(str | None), nothing_of(tuple[str, ...])
    ('', None, ())
    """
    annotation = plain_type(annotation)
    origin = get_origin(annotation)
    if origin is tuple:
        return ()
    if origin is frozenset:
        return frozenset[Any]()
    if origin in (dict, FrozenMapping):
        return FrozenMapping[Any, Any]()
    for choice in choices_of(annotation) or ():
        if not is_set(choice):
            return choice
    return "" if isinstance(annotation, type) and issubclass(annotation, str) else None


def may_be_unset(field: FieldInfo) -> bool:
    """Tell whether a field may be unset: None, or a blank text."""
    return _may_be_unset(field.annotation, field.metadata)


def _may_be_unset(annotation: Any, metadata: Sequence[Any]) -> bool:
    if isinstance(annotation, TypeAliasType):
        return _may_be_unset(annotation.__value__, metadata)
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *more = get_args(annotation)
        return _may_be_unset(inner, (*metadata, *more))
    if origin in (Union, UnionType):
        return any(_may_be_unset(each, metadata) for each in get_args(annotation))
    choices = choices_of(annotation)
    if choices is not None:
        return not all(is_set(each) for each in choices)
    if isinstance(annotation, type) and issubclass(annotation, str):
        return not any(
            isinstance(each, StringConstraints) and each.strip_whitespace and each.min_length
            for each in metadata
        )
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return all(map(may_be_unset, fields_of(annotation).values()))
    return origin in (tuple, frozenset, dict, FrozenMapping) or annotation in (NoneType, None)


def is_set(value: object) -> bool:
    """Tell whether a field is set: not None, blank, or a container of only such values."""
    if isinstance(value, Enum):
        value = value.value
    if value.__class__ in (tuple, frozenset):
        return any(map(is_set, cast("Iterable[object]", value)))
    if isinstance(value, _NAMING):
        return any(map(is_set, _by_name(value).values()))
    return value is not None and not (isinstance(value, str) and not value.strip())


# A model built from a line alone.

ModelT = TypeVar("ModelT", bound=HudModel)


def model_from_text(model: type[ModelT], said: Mapping[str, Any]) -> ModelT | None:
    """Return an item, or a value, with a line's fields; ``None`` if invalid.

    Fields not in the line are unset, even if required: nothing is invented. A cut text stays as shown, even if it
    violates a constraint. Such a model can be rendered and compared, but not stored.

    >>> from hud_components import HudItem, Line
    >>> class Remedy(HudItem):
    ...     what: Line
    ...     tries: int
    >>> model_from_text(Remedy, {"what": "Restart"})
    Remedy(id='', what='Restart')
    """
    if any(isinstance(each, Partial) for each in said.values()):
        return _in_part(model, said)
    try:
        return model(**said)
    except ValidationError:
        return _in_part(model, said)


def _in_part(model: type[ModelT], said: Mapping[str, Any]) -> ModelT | None:
    values: dict[str, Any] = {}
    for name, told in said.items():
        if name not in fields_of(model):
            return None
        values[name] = told
        if isinstance(told, Partial):  # "2026" would be read as a moment of 1970
            continue
        try:
            values[name] = adapter_at(model, name).validate_python(told)
        except ValidationError:
            is_text = look_of(fields_of(model)[name].annotation) is TEXT
            if isinstance(told, str) and not (is_text and (told.strip() or not told)):
                return None
    return model.model_construct(**values)


@lru_cache(maxsize=1024)
def adapter_at(model: type[BaseModel], name: str) -> TypeAdapter[Any]:
    """Return the adapter of a field's type, with its constraints."""
    info = fields_of(model)[name]
    kind: Any = Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation
    return TypeAdapter(kind)


# Format specs of holes, ``{at:%H:%M}`` or ``{confidence:.0%}``: how a value is written, and read back.
#
# Specs are those of Python's ``format`` and ``strftime`` that mean the same on every machine. A text that
# says only a part of a value, such as a time without its date, is read as :class:`Partial`: a text that
# is written as it stands. An edit of it is merged with the value that it was written of.


class Directive(NamedTuple):
    """A part of a date or a time in a spec, such as ``%H``."""

    part: str
    """The attribute that it shows."""
    pattern: str
    """Its text, as a regular expression."""


DIRECTIVES: Mapping[str, Directive] = {
    "Y": Directive("year", r"\d{4}"),
    "m": Directive("month", r"\d\d"),
    "d": Directive("day", r"\d\d"),
    "H": Directive("hour", r"\d\d"),
    "M": Directive("minute", r"\d\d"),
    "S": Directive("second", r"\d\d"),
    "f": Directive("microsecond", r"\d{6}"),
}
"""The directives allowed in a spec of a date or a time: digits, independent of language."""

WHOLE: Mapping[str, str] = {"F": "%Y-%m-%d", "T": "%H:%M:%S", "R": "%H:%M"}
"""Directives that combine several."""

_MONTH = "%B"

_WITH_MONTHS: Sequence[tuple[str, str]] = (
    (r"%Y[ -]%B[ -]%d|%d\.? %B(?:,? %Y)?|%B %d(?:,? %Y)?", "%Y-%m-%d"),
    (r"%B %Y", "%Y-%m"),
    (_MONTH, "%m"),
)
"""Dates with the name of a month, each in unambiguous digits."""

INSTEAD: Mapping[str, str] = {
    "c": "%Y-%m-%d %H:%M:%S",
    "x": "%Y-%m-%d",
    "D": "%Y-%m-%d",
    "X": "%H:%M:%S",
    "r": "%H:%M:%S",
    "B": _MONTH,
    "b": _MONTH,
    "h": _MONTH,
    "y": "%Y",
    "e": "%d",
    "j": "%m-%d",
    "I": "%H",
    "l": "%H",
    "k": "%H",
}
"""The replacements of directives that depend on a language, or that lose a part of the value."""

_NEEDED: Mapping[type[Any], frozenset[str]] = {
    date: frozenset({"year", "month", "day"}),
    time: frozenset({"hour", "minute"}),
    datetime: frozenset({"year", "month", "day", "hour", "minute"}),
}
"""The parts that a text needs to be read back."""

_PERCENT = re.compile(r"%([-_0^#:]*.?)", re.DOTALL)
_NUMBER_SPEC = re.compile(
    r"(?P<sign>[+-]?)(?P<pad>0\d{1,2})?(?P<group>[,_]?)(?:\.\d{1,2})?[dfFeEgG%]?"
)
_MOST_PLAIN = 15
"""The largest exponent of a number in plain digits: those that a float keeps."""

_MOST_DIGITS = 4_000
"""The most digits of a number that is read: Python's limit for integers is not much larger."""

_MOMENT = datetime(2026, 1, 31, 9, 30, 5, 250_000)  # noqa: DTZ001 - an example
_NUMBERS_WRITTEN: Mapping[type[Any], tuple[Any, ...]] = {
    int: (7, -12, 1_234_567),
    float: (0.5, -0.125, 1_234_567.0, 1e-7),
    Decimal: (Decimal("0.5"), Decimal("-0.125"), Decimal(1_234_567), Decimal("1E-7")),
}


class FormatError(ValueError):
    """An invalid spec of a hole, with the remedy."""


@lru_cache(maxsize=512)
def formatted(look: ValueLook, spec: str) -> ValueLook:
    """Return the form of values with a spec, for writing and reading back.

    :raises FormatError: for a spec that the values do not support, or that depends on a locale.

    >>> share, clock = formatted(look_of(float), ".0%"), formatted(look_of(datetime), "%H:%M")
    >>> share.write(0.874), share.read("87%"), clock.read("09:30")
    ('87%', 0.87, '09:30')
    >>> clock.merge(datetime(2026, 1, 31, 8), "09:30").isoformat()
    '2026-01-31T09:30:00'
    """
    if look.kind in _NUMBERS_WRITTEN and look.read is None:
        return _of_numbers(look.kind, spec)
    if look.kind in (datetime, date, time):
        return _of_dates(look.kind, spec)
    if look.kind is tuple:
        if spec.isprintable() and '"' not in spec:
            return joined(spec)
        raise FormatError(f"quotes and line breaks cannot separate texts; write {_hole(BETWEEN)}")
    raise FormatError("only numbers, dates, times and tuples have a format; leave it out")


# --- Numbers ---


def _of_numbers(kind: type[Any], spec: str) -> ValueLook:
    match = _NUMBER_SPEC.fullmatch(spec)
    if match is None:
        raise FormatError(_instead_of_number(kind, spec))
    try:
        examples = tuple(_number_text(each, spec) for each in _NUMBERS_WRITTEN[kind])
    except ValueError:
        instead = ".0f" if spec.endswith("d") else f"{spec}f"
        raise FormatError(f"write {_hole(instead)}") from None
    group = re.escape(match["group"])
    figures = rf"\d[\d{group}]*(?:\.\d+)?"
    is_plain = spec[-1:] in {*"dfF%"} or (kind is int and not spec[-1:].isalpha())
    exponent = "" if is_plain else r"(?:[eE][+-]?\d+)?"
    sign, behind = r"[+-]?", "%" if spec.endswith("%") else ""

    def write(value: Any) -> str:
        return _number_text(value, spec)

    def read(text: str) -> Any:
        plain = text.replace(match["group"], "") if match["group"] else text
        found = _number(kind, plain.removesuffix("%") + ("e-2" if behind else ""))
        return Partial(text) if found is None else found

    return ValueLook(f"{sign}{figures}{exponent}{behind}", examples, kind, write=write, read=read)


def _number_text(value: Any, spec: str) -> str:
    if "_" in spec:  # which a Decimal does not take
        return _number_text(value, spec.replace("_", ",")).replace(",", "_")
    try:
        text = format(value, spec)
    except OverflowError:  # a whole number beyond the largest float
        text = format(Decimal(value), spec)
    if spec[-1:] in {*"eE"} or "E" not in text.upper():
        return text
    short = Decimal(text.replace(",", ""))  # 1e+06, where people write 1000000
    if abs(short.adjusted()) > _MOST_PLAIN:
        return text
    is_rounded = "." in spec or short.adjusted() < 0
    return format(
        short if is_rounded else value,
        re.sub(r"(\.\d+)?[gG]?$", "f" if is_rounded else ".0f", spec, count=1),
    )


def _number(kind: type[Any], text: str) -> Any:
    """Return the number in a text; None if it has none of that kind."""
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
    own = re.match(_NUMBER_SPEC, spec)
    if own and own[0] and re.match(r"\s|[^\w<>=^]", behind := spec[own.end() :]):
        return f"{behind.strip()} goes behind the brace; write {_hole(own[0])}{behind}"
    plain = re.sub(r"^.?[<>=^]", "", spec).lstrip(" #z")
    plain = re.sub(r"^[1-9]\d*", "", plain)
    if _NUMBER_SPEC.fullmatch(plain) and plain != spec:
        return f"a line has no columns; write {_hole(plain)}"
    return f"write {_hole(',' if kind is int else '.2f')}, or one of f e g % d"


# --- Dates and times ---


def _of_dates(kind: type[Any], spec: str) -> ValueLook:
    spec = _PERCENT.sub(lambda match: WHOLE.get(match[1], match[0]), spec)
    pieces = [*_pieces(kind, spec)]
    parts = [piece.part for piece in pieces if isinstance(piece, Directive)]
    if not parts:
        raise FormatError(f"it shows nothing; write {_hole('%H:%M' if kind is time else '%F')}")

    def regex(part: str) -> str:
        return "".join(
            re.escape(each) if isinstance(each, str) else part.format(each.pattern)
            for each in pieces
        )

    pattern, groups = regex("{}"), re.compile(regex("({})"))

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
        except ValueError:  # an invalid day
            return Partial(text)

    def merge(old: Any, text: str) -> Any:
        said = told(text)
        if old is None and not is_whole:
            raise ValueError(f"it gives only a part of a {kind.__name__}; write all of it")
        new = kind(**said) if old is None else old.replace(**said)
        if write(new) != text:
            raise ValueError(f"it shows one part twice; write it like {shown(write(new))}")
        return new

    return ValueLook(pattern, (write(_MOMENT),), kind, write=write, read=read, merge=merge)


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
            raise FormatError(_instead_of_date(kind, name, spec))
        if not hasattr(kind, directive.part):
            raise FormatError(f"a {kind.__name__} has no {directive.part}; leave out %{name}")
        yield directive
    if end < len(spec):
        yield spec[end:]


def _plain(name: str) -> str:
    """Return the replacement of a directive: itself if it is supported."""
    plain = name.lstrip("-_0^#:")
    return f"%{plain}" if plain in DIRECTIVES or plain == "%" else INSTEAD.get(plain, "")


def _instead_of_date(kind: type[Any], name: str, spec: str) -> str:
    better = _PERCENT.sub(lambda match: _plain(match[1]), spec)
    for written, instead in _WITH_MONTHS:
        better = re.sub(written, instead, better)
    better = " ".join(better.split()).strip(", ")
    if name[-1:] in {*"aA"} and kind is not time:
        day = "" if re.search("%[dmFY]", better) else "%Y-%m-%d "
        why = f"%{name} is the name of a day, which depends on a language; a text field may show it"
        return f"{why}; write {_hole(f'{day}{better}'.strip())}"
    is_local = name[-1:] in _OF_LANGUAGE
    reason = "depends on the machine's language" if is_local else "loses part of the value"
    if name[-1:] in {*"zZ"}:
        why = "without a format, an offset is shown and read"
        return f"%{name} is not read back; {why}; write {{…}}"
    why = f"%{name} {reason}"
    return f"{why}; write {_hole(better)}" if "%" in better else f"{why}; leave it out"


_OF_LANGUAGE = frozenset("bBhcxXpPr")
"""Directives for names of months, of the halves of a day, and for a language's usual form."""


def _hole(spec: str) -> str:
    return f"{{…:{spec}}}"
