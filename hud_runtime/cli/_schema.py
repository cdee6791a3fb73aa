"""Print a component as a tool: its props are the tool's parameters.

COMPONENT is a component of the HUD, a primitive, or any component or Pydantic model by its import
path, such as `acme.layout:Badge`; modules in the current folder are found too.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_runtime.cli._errors import UsageError
from hud_runtime.cli._output import put_json
from ujsx._errors import did_you_mean

if TYPE_CHECKING:
    from ujsx import Component


def define(parser: ArgumentParser) -> None:
    parser.add_argument("component", metavar="COMPONENT", help="a name, or package.module:Class")
    parser.add_argument(
        "--dialect",
        default="json-schema",
        help="whose shape the tool has, such as openai or mcp (default: %(default)s)",
    )


def run(options: Namespace) -> int:
    name: str = options.component
    component = _imported(name) if ":" in name else _known(name)
    from ujsx.schema import tool_definition

    put_json(tool_definition(component, dialect=options.dialect))
    return 0


def components() -> dict[str, type[Component]]:
    """Return the HUD's components and the primitives by name.

    >>> "DecisionsList" in components(), "Link" in components(), "HudSection" in components()
    (True, True, False)
    """
    import hud_components
    from ujsx import Component
    from ujsx.elements import PRIMITIVES

    exported = (getattr(hud_components, name) for name in hud_components.__all__)
    hud: list[type[Component]] = [
        each
        for each in exported
        if isinstance(each, type) and issubclass(each, Component) and not each.is_primitive
    ]
    return {each.__name__: each for each in hud} | dict(PRIMITIVES)


def _known(name: str) -> type[Component]:
    known = components()
    if name not in known:
        raise UsageError(f'"{name}" is no component; {did_you_mean(name, known)}')
    return known[name]


def _imported(path: str) -> Any:
    name, _, attribute = path.partition(":")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)  # an installed command does not look there by itself
    try:
        module = import_module(name)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the user's module may do anything
        kind = type(error).__name__
        raise UsageError(f'the module "{name}" cannot be imported: {kind}: {error}') from None
    if not hasattr(module, attribute):
        hint = did_you_mean(attribute, [each for each in vars(module) if each[:1] != "_"])
        raise UsageError(f'the module "{name}" has no "{attribute}"; {hint}')
    return getattr(module, attribute)
