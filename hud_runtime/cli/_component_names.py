"""Components by name or as objects of somebody's code, and what is said when there is none."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_runtime._layout_components import components
from hud_runtime.cli._arguments import UsageError
from hud_runtime.cli._domain import WITH
from hud_runtime.cli._target import JSON, LAYOUTS, target_of
from hud_runtime.projects import CODE, FORMS, is_object, load_object
from ujsx.errors import did_you_mean, nearest

if TYPE_CHECKING:
    from ujsx import Component


def define_with(parser: ArgumentParser) -> None:
    """Add the option that names modules whose components may stand in layouts."""
    parser.add_argument(
        WITH,
        metavar="MODULE",
        action="append",
        default=[],
        dest="modules",
        help="a module whose components the layout may hold, package.module or file.py; may be given several times",
    )


FILES = (*LAYOUTS, JSON, ".jsonl")
"""How names end that are files, and no dotted names of modules."""


def component_of(name: str) -> Any:
    """Return what ``name`` stands for: a known component, or an object of somebody's code.

    :param name: ``DecisionsList``, ``module:NAME``, also as ``module.NAME``, or ``file.py:NAME``.
    :raises UsageError: if there is no component of that name; the message names the nearest.
    :raises ProjectError: as :func:`load_object` does.

    >>> component_of("ujsx.elements:Link") is component_of("Link")
    True
    """
    if is_object(name) or name.endswith(CODE):
        return load_object(target_of(name).name, folder=Path.cwd())
    module, separator, attribute = name.rpartition(".")
    is_file = Path(name).suffix.lower() in FILES
    if separator and not is_file and is_object(f"{module}:{attribute}"):
        return load_object(f"{module}:{attribute}", folder=Path.cwd())
    return _known(name)


def _known(name: str) -> type[Component]:
    known = components()
    if name not in known:
        own = "" if nearest(name, known) else f"; one of your own is named {FORMS}"
        raise UsageError(f'"{name}" is no component; {did_you_mean(name, known)}{own}')
    return known[name]
