"""Names and patterns that are made when they are first used, so that importing a package costs little.

Each of the three packages also answers to the public names of the other two: see :func:`on_demand`. The import of a module
that they do not have is answered, too, with the line to write.
"""

from __future__ import annotations

import re
import sys
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from types import CodeType
from typing import Any, cast


class LatePattern:
    """A regular expression that is compiled when one of its methods is first used."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self.flags = flags

    def __getattr__(self, name: str) -> Any:
        """Return a method of the compiled pattern, which is an attribute of this object from then on."""
        method = getattr(re.compile(self.pattern, self.flags), name)
        setattr(self, name, method)
        return method


def late_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled on first use: most are for rare texts, and a hundred take 15 ms.

    >>> late_pattern("[0-9]+").search("port 8080")[0]
    '8080'
    """
    return cast("re.Pattern[str]", LatePattern(pattern, flags))


def on_demand(package: dict[str, Any]) -> None:
    """Give a package names that are imported on first use, and an answer to every name that it lacks.

    It sets the package's ``__getattr__`` and ``__dir__`` (PEP 562) in its ``globals()``, where type checkers do not
    see them: to a checker, a name that is not there does not exist. At run time a room of the package is imported when
    it is asked for, and each of the three packages has the public names of the other two. ``dir()`` lists ``__all__``.

    The names are those that the package imports under ``if TYPE_CHECKING:``, before this call.

    :param package: its ``globals()``.

    >>> import ujsx
    >>> ujsx.Density.__module__, "Density" in dir(ujsx)
    ('ujsx._density', True)
    """
    place = package["__name__"]
    importing = sys._getframe(1).f_code  # noqa: SLF001 - imports that type checkers alone run stand in the code only
    home_of = _imports(importing) if "__path__" in package else {}

    def get(name: str) -> Any:
        if name.startswith("__"):  # as the import of a name from a module asks for its __path__
            raise AttributeError(f"module {place!r} has no attribute {name!r}")
        if name in home_of:
            value = package[name] = getattr(import_module(home_of[name]), name)
            return value
        try:
            return _found(place, name)
        except LookupError:
            pass
        except ImportError:  # of a package that is not installed
            if _is_imported():
                raise
        # Where another thread imports it right now, Python waits, and finds it among the modules.
        if f"{place}.{name}" in sys.modules or not _is_imported():
            from ujsx.calls import MissingAttributeError  # only mistakes need it

            raise MissingAttributeError(f"module {place!r}", name, place)
        from ujsx._other_names import answer

        message = f"cannot import name {name!r} from {place!r}{answer(place, name)}"
        raise ImportError(message, name=place)

    def names() -> list[str]:
        return sorted(package.get("__all__") or {*package, *home_of})

    package.update(__getattr__=get, __dir__=names)


def _imports(importing: CodeType) -> dict[str, str]:
    """The names that a package imports before it calls ``globals()``, each with its module, run or not.

    A code object has its names in the order in which they are first used: a module, then what is imported from it.
    """
    found: dict[str, str] = {}
    module = ""
    for name in importing.co_names[: importing.co_names.index("globals")]:
        if "." in name or name in PACKAGES:
            module = name
        elif module:
            found[name] = module
    return found


class _MissingModules:
    """The last finder of modules: of one that a package of ours does not have, it refuses the import."""

    @staticmethod
    def find_spec(name: str, *_path_and_target: object) -> None:
        package, _, within = name.partition(".")
        asking = sys._getframe(2)  # noqa: SLF001 - only an import is refused; others may ask whether a module is there
        if not within or package not in PACKAGES or asking.f_code.co_name != _IMPORTING:
            return
        while asking.f_back and asking.f_code.co_filename.startswith("<frozen importlib"):
            asking = asking.f_back
        from ujsx.calls import MissingModuleError  # only mistakes need it

        raise MissingModuleError(name, asking.f_code, asking.f_lasti)


_IMPORTING = "_find_and_load_unlocked"

PACKAGES = ("ujsx", "hud_components", "hud_runtime")

sys.meta_path.append(_MissingModules)


def _found(place: str, name: str) -> Any:
    """The room of a package, or what another package has under a name.

    :raises LookupError: where there is neither.
    """
    if name.startswith("_"):
        raise LookupError
    if hasattr(sys.modules[place], "__path__") and find_spec(f"{place}.{name}"):
        return import_module(f"{place}.{name}")
    from ujsx._other_names import home_of, of_call  # only what is not here needs it

    home, said = of_call(home_of(place, name))
    module, _, own = home.rpartition(".")
    if not module:
        raise LookupError
    if module.rpartition(".")[2][0].isupper():  # a class, whose method it is
        return getattr(_found(place, module.rpartition(".")[2]), own)
    try:
        found = getattr(import_module(module), own)
        return partial(found, **said) if said else found
    except AttributeError:  # a room whose package is not installed
        return import_module(f"{module}.{own}")


def _is_imported() -> bool:
    """Tell whether a package is asked for a name by ``from package import name``, which would drop what an
    AttributeError says.
    """
    from opcode import opmap  # only mistakes need it

    asking = sys._getframe(2)  # noqa: SLF001
    return asking.f_code.co_code[asking.f_lasti] == opmap["IMPORT_FROM"]
