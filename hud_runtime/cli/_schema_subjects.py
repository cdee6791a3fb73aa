"""The subjects of `ujsx schema`: components and models, toolsets and functions, the tools of the HUD."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import isfunction, ismethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_runtime._layout_components import components
from hud_runtime.cli._arguments import UsageError
from hud_runtime.cli._component_names import component_of
from hud_runtime.projects import found_in
from ujsx.errors import did_you_mean
from ujsx.schema import Loss, as_model, lint, tool_definition

if TYPE_CHECKING:
    from hud_components import Domain
    from ujsx.tools import Operation, Toolset

TOOLS = "tools"
"""The name of all tools of the HUD."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One tool, in whatever dialect it is asked for."""

    name: str
    define: Callable[[str], dict[str, Any]]
    """Its definition in a dialect.

    :raises SchemaError: where the dialect cannot take it.
    """
    lint: Callable[[str], list[Loss]]
    """What becomes of its keywords in a dialect."""


def subjects_of(name: str, layout: str | None) -> tuple[list[Subject], bool]:
    """Return the tools that a name stands for, and whether they are told as several.

    :param layout: how a toolset's operations share a tool; None for the usual way.
    :raises UsageError: if there is nothing of that name, and for a layout of what is one tool anyway.
    :raises SchemaError: for what is no tool.
    """
    is_path = ":" in name or "." in name
    if not is_path and name not in components():
        own = {each.name: each for each in _of_the_hud(layout)}
        if name == TOOLS:
            return [*own.values()], True
        if name in own:
            return [own[name]], False
        raise UsageError(_unknown(name, [TOOLS, *own, *components()]))
    found = component_of(name)
    from hud_components import Domain
    from ujsx.tools import Operation, Toolset

    if isinstance(found, Domain):
        domain: Domain[Any] = found  # pyright: ignore[reportUnknownVariableType]
        return [*_of_the_hud(layout, domain)], True
    if isinstance(found, Toolset):
        return [*_of_toolset(found, layout)], layout in {None, "separate"}
    if layout is not None:
        raise UsageError(
            f"--layout is for the operations of a toolset, and {name} is one tool by itself"
        )
    if isfunction(found) or ismethod(found):
        found = Operation.of(found)
    return [_of_operation(found) if isinstance(found, Operation) else of_model(found)], False


def _unknown(name: str, known: Sequence[str]) -> str:
    """What is said of a name that stands for nothing: what the working folder has by it is named otherwise."""
    return f'"{name}" is no component; {found_in(Path.cwd(), name) or did_you_mean(name, known)}'


def all_components() -> list[Subject]:
    """Return those of all components of the HUD, and of the primitives."""
    return [of_model(each) for each in components().values()]


def of_model(model: Any) -> Subject:
    """Return the tool that a component or a model is.

    :raises SchemaError: for what is neither.
    """

    def define(dialect: str) -> dict[str, Any]:
        return tool_definition(model, dialect=dialect)

    return Subject(as_model(model).__name__, define, partial(lint, model))


def _of_operation(operation: Operation) -> Subject:
    """The tool of an operation by itself."""
    from ujsx.tools import Toolset

    alone = Toolset([operation], name=f"{operation.name}.alone")
    return Subject(
        operation.tool_name,
        lambda dialect: alone.definitions(dialect)[0],
        lambda dialect: alone.lint(dialect)[operation.tool_name],
    )


def _of_toolset(toolset: Toolset, layout: str | None) -> Iterator[Subject]:
    way = layout or "separate"
    if way == "separate" and not toolset.one_tool:
        named = toolset.lint("json-schema")  # what tells of the others is no tool by itself
        operations = toolset.operations.values()
        yield from (_of_operation(each) for each in operations if each.tool_name in named)
        return

    def define(dialect: str) -> dict[str, Any]:
        return toolset.definitions(dialect, layout=way)[0]

    def losses(dialect: str) -> list[Loss]:
        return toolset.lint(dialect, layout=way)[toolset.name]

    yield Subject(toolset.name, define, losses)


def _of_the_hud(layout: str | None, domain: Domain[Any] | None = None) -> Iterator[Subject]:
    """The tools that an agent keeps its HUD with.

    :param domain: whose HUD it is; the coding HUD when None.
    """
    from hud_runtime.tools import definitions

    way = layout or "signatures"
    for place, whole in enumerate(definitions("json-schema", layout=way, domain=domain)):

        def define(dialect: str, place: int = place) -> dict[str, Any]:
            return definitions(dialect, layout=way, domain=domain)[place]

        yield Subject(whole["name"], define, partial(_lint_brief, whole))


def _lint_brief(tool: dict[str, Any], dialect: str) -> list[Loss]:
    """What becomes of a tool that leaves to ``help`` what arguments are for: that they do not say it is no finding."""
    return [loss for loss in lint(tool, dialect) if loss.outcome != "missing"]
