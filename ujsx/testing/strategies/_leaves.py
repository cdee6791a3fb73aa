"""Values of the types that hold no others, by the kind of Pydantic's core schema.

Each entry takes the schema, with its constraints, and returns a strategy for what validates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from datetime import UTC, date, datetime
from fractions import Fraction
from math import ceil, floor
from pathlib import Path, PurePath
from typing import Any, TypeAlias

from hypothesis import strategies as st

from ujsx.errors import StrategyError, shown
from ujsx.testing.strategies._texts import hostile_texts

Schema: TypeAlias = dict[str, Any]
"""A core schema (``pydantic_core.core_schema``)."""

PAST, FUTURE = datetime(2000, 1, 1), datetime(3000, 1, 1)  # noqa: DTZ001 - a bound without a zone
"""What is past or future on any day on which tests run: nothing depends on the clock."""

_URL_TAILS = ("", "example.com", "a.co/b_c_d?e=*f*&g=1#h", "a.b:8080/(x)/[y]", "x.y/%5Bz%5D|`w`")


def _strings(schema: Schema) -> st.SearchStrategy[str]:
    least, most = schema.get("min_length", 0), schema.get("max_length")
    if schema.get("pattern") is None:
        return hostile_texts(least, most)
    try:
        pattern = re.compile(schema["pattern"])
    except re.error as error:
        raise StrategyError(
            f"Python's re cannot read the pattern {shown(schema['pattern'])}: {error}"
        ) from error
    matching = st.from_regex(pattern, alphabet=st.characters(exclude_categories=["Cs"]))
    if least == 0 and most is None:
        return matching
    return matching.filter(lambda text: least <= len(text) <= (len(text) if most is None else most))


def _integers(schema: Schema) -> st.SearchStrategy[int]:
    step = schema.get("multiple_of", 1)
    least = max((_steps(schema, "ge", ceil, 0), _steps(schema, "gt", floor, 1)), key=_or_least)
    most = min((_steps(schema, "le", floor, 0), _steps(schema, "lt", ceil, -1)), key=_or_most)
    return st.integers(least, most).map(lambda steps: steps * step)


def _steps(
    schema: Schema, bound: str, rounded: Callable[[Fraction], int], beyond: int
) -> int | None:
    """A bound, counted in steps of ``multiple_of``; an exclusive one is a step ``beyond``."""
    limit = schema.get(bound)
    return (
        None
        if limit is None
        else rounded(Fraction(limit) / Fraction(schema.get("multiple_of", 1))) + beyond
    )


def _or_least(bound: int | None) -> float:
    return float("-inf") if bound is None else bound


def _or_most(bound: int | None) -> float:
    return float("inf") if bound is None else bound


def _floats(schema: Schema) -> st.SearchStrategy[float]:
    if "multiple_of" in schema:
        return _integers(schema).map(float)
    least, most = _bounds(schema)
    return st.floats(
        least,
        most,
        exclude_min=least is not None and least == schema.get("gt"),
        exclude_max=most is not None and most == schema.get("lt"),
        allow_nan=False,
        allow_infinity=False,
    )


def _decimals(schema: Schema) -> st.SearchStrategy[Any]:
    least, most = _bounds(schema)
    places, digits = schema.get("decimal_places"), schema.get("max_digits")
    if digits is not None:
        places = min(2, digits) if places is None else places
        largest = 10 ** (digits - places) - 1
        least = -largest if least is None else max(least, -largest)
        most = largest if most is None else min(most, largest)
    return st.decimals(least, most, allow_nan=False, allow_infinity=False, places=places)


def _bounds(schema: Schema) -> tuple[Any, Any]:
    """The least and the most that a schema allows, exclusive bounds taken for inclusive ones."""
    least = [schema[name] for name in ("ge", "gt") if schema.get(name) is not None]
    most = [schema[name] for name in ("le", "lt") if schema.get(name) is not None]
    return max(least, default=None), min(most, default=None)


def _datetimes(schema: Schema) -> st.SearchStrategy[datetime]:
    least, most = (bound and bound.replace(tzinfo=None) for bound in _bounds(schema))
    least = FUTURE if schema.get("now_op") == "future" else least or datetime.min  # noqa: DTZ901
    most = PAST if schema.get("now_op") == "past" else most or datetime.max  # noqa: DTZ901
    aware, naive = st.just(UTC), st.none()
    zones: Any = {"aware": aware, "naive": naive}.get(
        schema.get("tz_constraint", ""), naive | aware
    )
    return st.datetimes(least, most, timezones=zones)


def _dates(schema: Schema) -> st.SearchStrategy[date]:
    least, most = _bounds(schema)
    least = FUTURE.date() if schema.get("now_op") == "future" else least or date.min
    most = PAST.date() if schema.get("now_op") == "past" else most or date.max
    return st.dates(least, most)


def _bytes(schema: Schema) -> st.SearchStrategy[bytes]:
    return st.binary(min_size=schema.get("min_length", 0), max_size=schema.get("max_length"))


def _deltas(schema: Schema) -> st.SearchStrategy[Any]:
    least, most = _bounds(schema)
    options = {"min_value": least, "max_value": most}
    return st.timedeltas(**{name: each for name, each in options.items() if each is not None})


def _urls(schema: Schema) -> st.SearchStrategy[str]:
    schemes = st.sampled_from(schema.get("allowed_schemes") or ["https"])
    return st.builds("{}://{}".format, schemes, st.sampled_from(_URL_TAILS))


def _instances(schema: Schema) -> st.SearchStrategy[Any]:
    cls = schema["cls"]
    return _INSTANCES[cls] if cls in _INSTANCES else st.from_type(cls)


def _anything(_: Schema) -> st.SearchStrategy[Any]:
    return st.none() | st.booleans() | st.integers() | hostile_texts()


_INSTANCES: dict[type[Any], st.SearchStrategy[Any]] = {
    Hashable: _anything({}),
    Path: hostile_texts().map(Path),
    PurePath: hostile_texts().map(PurePath),
}
"""Values of classes for which Hypothesis has none, or none that attack."""

LEAVES: dict[str, Callable[[Schema], st.SearchStrategy[Any]]] = {
    "any": _anything,
    "bool": lambda _: st.booleans(),
    "bytes": _bytes,
    "complex": lambda _: st.complex_numbers(allow_nan=False, allow_infinity=False),
    "date": _dates,
    "datetime": _datetimes,
    "decimal": _decimals,
    "enum": lambda schema: st.sampled_from(schema["members"]),
    "float": _floats,
    "int": _integers,
    "is-instance": _instances,
    "literal": lambda schema: st.sampled_from(schema["expected"]),
    "none": lambda _: st.none(),
    "str": _strings,
    "time": lambda _: st.times(),
    "timedelta": _deltas,
    "url": _urls,
    "uuid": lambda _: st.uuids(),
}
