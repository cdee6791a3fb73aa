"""Names of a package that are imported when they are first used, so that importing it costs little."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def on_demand(
    package: dict[str, Any], homes: Mapping[str, Iterable[str]]
) -> tuple[tuple[str, ...], Callable[[str], Any], Callable[[], list[str]]]:
    """Return a package's names, and its ``__getattr__`` and ``__dir__`` (PEP 562).

    :param package: its ``globals()``.
    :param homes: the modules in it, each with the names that live there.

    >>> import json
    >>> names, get, _ = on_demand({**vars(json)}, {"scanner": ["py_make_scanner"]})
    >>> names, get("py_make_scanner").__module__
    (('py_make_scanner',), 'json.scanner')
    """
    place = package["__name__"]
    home_of = {name: home for home, names in homes.items() for name in names}

    def get(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {place!r} has no attribute {name!r}")
        value = package[name] = getattr(import_module(f"{place}.{home_of[name]}"), name)
        return value

    def names() -> list[str]:
        return sorted({*package, *home_of})

    return tuple(home_of), get, names
