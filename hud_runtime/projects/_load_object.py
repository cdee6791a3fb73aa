"""An object by its name, ``package.module:NAME``, from what is installed."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from hud_runtime._errors import ProjectError
from ujsx.errors import did_you_mean, quoted

_ELSEWHERE = (
    "install it, or name its folder in PYTHONPATH: the working folder is not looked into, "
    "unless PYTHONPATH=. stands before the command"
)
"""What to do where there is no such module."""

_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


def load_object(name: str) -> Any:
    """Return what a module calls by that name.

    The module is looked for where installed ones are, and in the folders of ``PYTHONPATH``. The
    working folder is none of them unless it is named there, whatever started this process.

    :param name: ``package.module:NAME``.
    :raises ProjectError: for a name of another form, a module that is not there or cannot be imported,
        and one that has nothing of that name; the message has the nearest.

    >>> load_object("hud_components:Hud").__name__
    'Hud'
    >>> load_object("hud_components:Hudd")
    Traceback (most recent call last):
    hud_runtime._errors.ProjectError: the module "hud_components" has no "Hudd"; did you mean "Hud"?
    """
    if not _NAME.fullmatch(name):
        raise ProjectError(f"an object is named package.module:NAME, not {quoted(name)}")
    module_name, _, attribute = name.partition(":")
    with without_working_folder():
        try:
            module = import_module(module_name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
                raise _failed(module_name, error) from None
            raise ProjectError(f"there is no module {quoted(module_name)}; {_ELSEWHERE}") from None
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a module may do anything
            raise _failed(module_name, error) from None
    if attribute not in vars(module):
        try:
            return getattr(module, attribute)  # some modules make their names on demand
        except AttributeError:
            known = [each for each in dir(module) if each[:1] != "_"]
            hint = did_you_mean(attribute, known)
            raise ProjectError(
                f"the module {quoted(module_name)} has no {quoted(attribute)}; {hint}"
            ) from None
    return vars(module)[attribute]


@contextmanager
def without_working_folder() -> Generator[None]:
    """Import nothing from the working folder meanwhile, unless ``PYTHONPATH`` names it."""
    named = {_real(each) for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each}
    here = _real(".")
    before = list(sys.path)
    # python -m puts the folder in front, python -c an empty name; behind that, it was installed.
    kept = [
        each
        for place, each in enumerate(before)
        if here in named or not (_is_relative(each) or (place == 0 and _real(each) == here))
    ]
    sys.path[:] = kept
    try:
        yield
    finally:
        added = [each for each in sys.path if each not in kept]
        sys.path[:] = [*before, *added]


def _is_relative(entry: str) -> bool:
    return not Path(entry).is_absolute()


def _real(folder: str) -> str:
    try:
        return str(Path(folder).resolve())
    except (OSError, RuntimeError, ValueError):
        return folder


def _failed(module: str, error: BaseException) -> ProjectError:
    return ProjectError(
        f"the module {quoted(module)} cannot be imported: {type(error).__name__}: {error}"
    )
