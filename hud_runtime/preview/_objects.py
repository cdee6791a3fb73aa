"""What an author's code calls something, from a module or a file, as a tree or a domain."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from hud_runtime._errors import ProjectError
from hud_runtime.preview._faults import is_of_author
from ujsx.errors import did_you_mean, quoted

if TYPE_CHECKING:
    from hud_components import Domain
    from ujsx import Child

SHOWN = "a component, an element, a function that returns one, or a Domain"
"""What can be previewed of an author's code."""

PREVIEWED = "_previewed"
"""The name of a module that is a file alone."""


def load(name: str) -> Any:
    """Return what an author's code calls by a name; the working folder is looked into, too.

    :raises ProjectError: for a module that has nothing of that name.
    :raises Exception: whatever the author's code raises.
    """
    place, _, attribute = name.rpartition(":")
    # What is kept of a source is told from the next one by the second in which it was written.
    sys.dont_write_bytecode = True
    module: object = _of_file(Path(place)) if place.endswith(".py") else _of_module(place)
    try:
        return getattr(module, attribute)
    except AttributeError:
        hint = did_you_mean(attribute, [each for each in dir(module) if each[:1] != "_"])
        raise ProjectError(f"{place} has no {quoted(attribute)}; {hint}") from None


def _of_module(name: str) -> Any:
    _look_into(Path.cwd())
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # one that the author's module imports
        raise ProjectError(
            f"there is no module {quoted(name)}, neither installed nor in {Path.cwd()}; a file is named"
            " folder/file.py:NAME"
        ) from None


def _of_file(path: Path) -> Any:
    _look_into(path.parent.resolve())
    if _is_module(path):  # that of ``--domain``, say: a second one would have other classes
        return import_module(path.stem)
    spec = spec_from_file_location(PREVIEWED, path.resolve())
    if spec is None or spec.loader is None:
        raise ProjectError(f"{path} is no file of Python")
    module = module_from_spec(spec)
    sys.modules[PREVIEWED] = module  # Pydantic looks there for what annotations name
    spec.loader.exec_module(module)
    return module


def _is_module(path: Path) -> bool:
    """Tell whether a file is what is imported by its name."""
    try:
        spec = find_spec(path.stem) if path.stem.isidentifier() else None
    except ValueError:  # a module that has no spec, such as ``__main__``
        return False
    return spec is not None and spec.origin == str(path.resolve())


def _look_into(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.append(str(folder))  # last: nothing there shadows what is installed


def shown_of(found: object, name: str) -> Domain[Any] | Child:
    """Return what is to be shown of an author's object: a domain, or a tree.

    :raises ProjectError: for what is neither, with what would be.
    """
    from hud_components import Domain
    from ujsx import Component, Element

    if isinstance(found, type) and issubclass(found, Component):
        return _without_props(found, name)
    shown = (Domain, Component, Element, str, list, tuple)
    made: Any = cast("Any", found) if isinstance(found, shown) else _called(found, name)
    if isinstance(made, Domain):
        return made  # pyright: ignore[reportUnknownVariableType]
    if isinstance(made, Component | Element | str | list | tuple):
        return cast("Child", made)
    kind = type(made).__name__
    raise ProjectError(f"{name} is of the type {kind}, which cannot be shown; name {SHOWN}")


def _called(found: Any, name: str) -> Any:
    if not callable(found):
        return found
    try:
        signature(found).bind()
    except TypeError as error:
        raise ProjectError(f"{name} cannot be called without arguments: {error}") from None
    except ValueError:  # of what is written in C
        pass
    return found()


def _without_props(component: Callable[[], Child], name: str) -> Child:
    from ujsx.errors import PropError

    try:
        return component()
    except PropError as error:
        raise ProjectError(
            f"{name} needs props: {error}; name an element of it, such as"
            f" example = {name.rpartition(':')[2]}(…)"
        ) from None


def files_of(modules: Iterable[str]) -> list[str]:
    """Return the author's files among those of some modules."""
    files = (getattr(sys.modules.get(each), "__file__", None) for each in modules)
    return sorted({each for each in files if each is not None and is_of_author(each)})
