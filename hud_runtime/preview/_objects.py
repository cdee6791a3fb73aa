"""An object of an author's code, from a module or a file, as a tree or a domain."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from hud_runtime._errors import ProjectError
from hud_runtime.projects import find_object, kind_of
from hud_runtime.projects._authors_code import is_of_author

if TYPE_CHECKING:
    from hud_components import Domain
    from ujsx import Child, Component

SHOWN = "a component, an element, a function that returns one, or a Domain"
"""What can be previewed of an author's code."""


def load(name: str) -> Any:
    """Return what an author's code calls by a name; the working folder is looked into, too.

    :raises ProjectError: for a module that has nothing of that name.
    :raises Exception: whatever the author's code raises.
    """
    # What is kept of a source is told from the next one by the second in which it was written.
    sys.dont_write_bytecode = True
    return find_object(name, folder=Path.cwd())


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
    what = kind_of(found if isinstance(found, type) else made)
    raise ProjectError(f"{name} is {what}, which cannot be shown; name {SHOWN}")


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


def _without_props(component: type[Component], name: str) -> Child:
    from ujsx.components import examples_of, has_examples
    from ujsx.errors import PropError

    if has_examples(component):
        return next(iter(examples_of(component).values()))
    try:
        return component()
    except PropError as error:
        raise ProjectError(
            f"{name} needs props: {error}; declare examples in its class, or name an element of it, such as"
            f" example = {name.rpartition(':')[2]}(…)"
        ) from None


def files_of(modules: Iterable[str]) -> list[str]:
    """Return the author's files among those of some modules."""
    files = (getattr(sys.modules.get(each), "__file__", None) for each in modules)
    return sorted({each for each in files if each is not None and is_of_author(each)})
