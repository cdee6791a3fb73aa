"""Toolsets of one's own, beside the HUD's tools: a tool for each operation, or one for all, as its definitions have it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import mcp_types as types

from hud_runtime._errors import ServeError
from hud_runtime.session import HudSession
from ujsx.tools import Operation, ToolResult, Toolset


class OwnTools:
    """The tools of toolsets, by name.

    :param taken: names that they cannot have.
    :raises ServeError: for a name that is taken, or that two tools have.
    """

    def __init__(self, toolsets: Iterable[Toolset], taken: Iterable[str]) -> None:
        self.listed: list[types.Tool] = []
        self._by_name: dict[str, Toolset] = {}
        self._operations: dict[str, Operation] = {}
        names = {*taken}
        for toolset in toolsets:
            operations = {each.tool_name: each for each in toolset.operations.values()}
            for tool in _tools_of(toolset, operations):
                if tool.name in names:
                    raise ServeError(
                        f"{toolset.name}: there is a tool {tool.name} already; give the operation another name"
                    )
                names.add(tool.name)
                self.listed.append(tool)
                self._by_name[tool.name] = toolset
                if tool.name in operations:
                    self._operations[tool.name] = operations[tool.name]

    def output_of(self, name: str, result: ToolResult) -> Any:
        """Return an answer's data as the tool's output schema has it; None where it has none."""
        operation = self._operations.get(name)
        return None if operation is None or result.is_error else operation.output(result.data)

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    async def call(self, name: str, arguments: object, session: HudSession[Any]) -> ToolResult:
        """Answer a call; a function's parameter ``ctx`` gets the session."""
        return await self._by_name[name].acall(name, arguments, context=session)


def _tools_of(toolset: Toolset, operations: Mapping[str, Operation]) -> Iterator[types.Tool]:
    all_read = all(each.repeatable for each in operations.values())
    for each in toolset.definitions("mcp"):
        operation = operations.get(each["name"])  # none, where they share one tool
        yield types.Tool(
            name=each["name"],
            description=each["description"],
            input_schema=each["inputSchema"],
            output_schema=None if operation is None else operation.output_schema,
            annotations=types.ToolAnnotations(
                read_only_hint=all_read if operation is None else operation.repeatable
            ),
        )
