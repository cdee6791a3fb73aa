"""Tools as a host registers them: what a model is told of each, and what answers a call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from hud_runtime._errors import PruningError
from ujsx.tools import ToolResult


@dataclass(frozen=True, slots=True)
class HostTool:
    """A tool for any host.

    A call takes the arguments as they came, an object or its JSON text, broken or not, so that
    every repair of :meth:`ujsx.tools.Toolset.call` works. It never raises: a refusal is a result with ``is_error``,
    which the host reports in its own form.
    """

    name: str

    definition: Mapping[str, Any]
    """The whole definition, in the shape that the dialect's API takes."""

    call: Callable[[object], ToolResult] = field(repr=False)

    acall: Callable[[object], Awaitable[ToolResult]] = field(repr=False)
    """The same for asynchronous hosts: what touches the disk does so beside the event loop."""

    @property
    def description(self) -> str:
        """The purpose of the tool."""
        return str(_inner(self.definition).get("description", ""))

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of its arguments, in the dialect of the definition."""
        inner = _inner(self.definition)
        found: dict[str, Any] = {}
        return next((inner[each] for each in _PARAMETERS if each in inner), found)


_PARAMETERS = ("parameters", "input_schema", "inputSchema", "parameters_json_schema")


def _inner(definition: Mapping[str, Any]) -> Mapping[str, Any]:
    function = definition.get("function")
    return cast("Mapping[str, Any]", function) if isinstance(function, Mapping) else definition


def name_of(definition: Mapping[str, Any]) -> str:
    """Return the name that a definition gives its tool.

    >>> name_of({"type": "function", "function": {"name": "hud"}})
    'hud'
    """
    return str(_inner(definition)["name"])


def check_prunes(prune: object, *, tools: bool) -> None:
    """Raise :class:`PruningError` for pruning without the tool that brings an output back.

    >>> check_prunes(False, tools=False)
    """
    if prune is not False and not tools:
        raise PruningError(
            "prune=True names calls of the tool hud, by which an output is brought back; leave the agent its"
            " tools (tools=True), or do not prune"
        )
