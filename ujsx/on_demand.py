"""Names of a package that are imported when they are first used, so that importing it costs little."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any


def on_demand(
    package: dict[str, Any],
    homes: Mapping[str, Iterable[str]],
    former: Mapping[str, str] = MappingProxyType({}),
) -> tuple[tuple[str, ...], Callable[[str], Any], Callable[[], list[str]]]:
    """Return a package's names, and its ``__getattr__`` and ``__dir__`` (PEP 562).

    :param package: its ``globals()``.
    :param homes: the modules in it, each with the names that live there.
    :param former: names that readers know from elsewhere, each with what it is called today.

    >>> import json
    >>> names, get, _ = on_demand({**vars(json)}, {"scanner": ["py_make_scanner"]})
    >>> names, get("py_make_scanner").__module__
    (('py_make_scanner',), 'json.scanner')
    """
    place = package["__name__"]
    home_of = {name: home for home, names in homes.items() for name in names}

    def get(name: str) -> Any:
        if name not in home_of:
            hint = f"; did you mean {former[name]}?" if name in former else ""
            if _is_imported(f"{place}.{name}"):
                from ujsx.errors import did_you_mean

                hint = hint or f"; {did_you_mean(name, names())}"
                raise ImportError(f"cannot import name {name!r} from {place!r}{hint}", name=place)
            raise AttributeError(
                f"module {place!r} has no attribute {name!r}{hint}",
                name=name,
                obj=sys.modules.get(place),  # whose names are the traceback's to compare
            )
        value = package[name] = getattr(import_module(f"{place}.{home_of[name]}"), name)
        return value

    def names() -> list[str]:
        return sorted({*package, *home_of})

    return tuple(home_of), get, names


def _is_imported(module: str) -> bool:
    """Tell whether a package is asked for a name by ``from package import name``, which would drop what an
    AttributeError says; not for a module of the package that is being imported, which is found without the name.
    """
    if module in sys.modules:
        return False
    from opcode import opmap  # only mistakes need it

    asking = sys._getframe(2)  # noqa: SLF001
    return asking.f_code.co_code[asking.f_lasti] == opmap["IMPORT_FROM"]
