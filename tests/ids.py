"""Cases of tests: names that are the same in every process, so that workers can share them, and loops over many."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")

_Param: Any = type(pytest.param())

Cases = list[tuple[str, dict[str, Any]]]


def stable(value: object, width: int = 80) -> str:
    """Return what ``repr`` says, without the address in memory."""
    return _ADDRESS.sub("", repr(value))[:width]


def _id(value: Any) -> str:
    return value.id or stable(value.values) if isinstance(value, _Param) else stable(value)


def _row(value: Any, length: int) -> Sequence[Any]:
    if isinstance(value, _Param):
        return value.values
    return value if length > 1 else (value,)


def looped(
    names: str | Sequence[str],
    values: Iterable[Any],
    *,
    ids: Callable[[Any], object] | Iterable[str] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Try a test with each case, as ``pytest.mark.parametrize`` does, but as one test.

    A test more costs about five milliseconds: each worker collects it, and one reports it. Many cases that
    take less are a loop. Each case that fails is reported with its name. Fixtures are made once for all, but
    the folder ``tmp_path``: each case has its own.
    """
    fields = names.replace(" ", "").split(",") if isinstance(names, str) else list(names)
    given = list(values)
    called = map(ids, given) if callable(ids) else ids or map(_id, given)
    rows = [_row(value, len(fields)) for value in given]
    cases: Cases = [
        (str(name), dict(zip(fields, row, strict=True)))
        for name, row in zip(called, rows, strict=True)
    ]

    def loop(test: Callable[..., None]) -> Callable[..., None]:
        inner: Cases = getattr(test, "cases", [("", {})])
        once = getattr(test, "once", test)
        product = [
            (f"{name} {other}".strip(), case | others)
            for name, case in cases
            for other, others in inner
        ]

        @wraps(once)
        def tried(*arguments: Any, subtests: Any, **fixtures: Any) -> None:
            folder = fixtures.pop("tmp_path", None)
            for number, (name, case) in enumerate(product):
                if folder is not None:
                    fixtures["tmp_path"] = folder / str(number)
                    fixtures["tmp_path"].mkdir()
                try:
                    once(*arguments, **case, **fixtures)
                except (Exception, pytest.fail.Exception, pytest.skip.Exception):
                    with subtests.test(name):
                        raise

        own = inspect.signature(once)
        left = [one for name, one in own.parameters.items() if name not in product[0][1]]
        left.append(inspect.Parameter("subtests", inspect.Parameter.KEYWORD_ONLY))
        tried.__signature__ = own.replace(parameters=left)  # type: ignore[attr-defined]
        tried.cases, tried.once = product, once  # type: ignore[attr-defined]
        return tried

    return loop
