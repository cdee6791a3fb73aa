"""Components by name or import path, and what is said when there is none."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_runtime.cli._arguments import UsageError
from hud_runtime.projects import components
from ujsx.errors import did_you_mean

if TYPE_CHECKING:
    from ujsx import Component


def component_of(name: str) -> Any:
    """Return what ``name`` stands for: a known component, or what is found under an import path.

    :param name: ``DecisionsList``, ``package.module:Class`` or ``package.module.Class``.
    :raises UsageError: if there is none; the message names the nearest.

    >>> component_of("ujsx.elements:Link") is component_of("Link")
    True
    """
    if name.endswith(".py"):
        raise UsageError(f"name a class of it: {_dotted(name)}:NAME")
    module, separator, attribute = name.rpartition(":" if ":" in name else ".")
    return _imported(module, attribute) if separator else _known(name)


def _known(name: str) -> type[Component]:
    known = components()
    if name not in known:
        raise UsageError(f'"{name}" is no component; {did_you_mean(name, known)}')
    return known[name]


def _dotted(path: str) -> str:
    """The name of the module in a file, ``acme.layout`` for ``acme/layout.py``."""
    return ".".join(Path(path).with_suffix("").parts)


def _imported(name: str, attribute: str) -> Any:
    folder = str(Path.cwd())
    if folder not in sys.path:
        # An installed command does not look there by itself; nothing there shadows what is installed.
        sys.path.append(folder)
    if name.endswith(".py"):
        raise UsageError(f"a module is named without .py: {_dotted(name)}:{attribute}")
    try:
        module = import_module(name)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the user's module may do anything
        kind = type(error).__name__
        raise UsageError(f'the module "{name}" cannot be imported: {kind}: {error}') from None
    if not hasattr(module, attribute):
        hint = did_you_mean(attribute, [each for each in vars(module) if each[:1] != "_"])
        raise UsageError(f'the module "{name}" has no "{attribute}"; {hint}')
    return getattr(module, attribute)
