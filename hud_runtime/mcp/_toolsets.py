"""Toolsets of one's own, beside the HUD's tools: a tool for each operation, or one for all, as its definitions have it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import mcp_types as types

from hud_runtime._errors import ServeError
from hud_runtime.session import HudSession
from ujsx.tools import ToolResult, Toolset


class OwnTools:
    """The tools of toolsets, by name.

    :param taken: names that they cannot have.
    :raises ServeError: for a name that is taken, or that two tools have.
    """

    def __init__(self, toolsets: Iterable[Toolset], taken: Iterable[str]) -> None:
        self.listed: list[types.Tool] = []
        self._by_name: dict[str, Toolset] = {}
        names = {*taken}
        for toolset in toolsets:
            for tool in _tools_of(toolset):
                if tool.name in names:
                    raise ServeError(
                        f"{toolset.name}: there is a tool {tool.name} already; give the operation another name"
                    )
                names.add(tool.name)
                self.listed.append(tool)
                self._by_name[tool.name] = toolset

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    async def call(self, name: str, arguments: object, session: HudSession[Any]) -> ToolResult:
        """Answer a call; a function's parameter ``ctx`` gets the session."""
        return await self._by_name[name].acall(name, arguments, context=session)


def _tools_of(toolset: Toolset) -> Iterator[types.Tool]:
    operations = {each.tool_name: each for each in toolset.operations.values()}
    all_read = all(each.repeatable for each in operations.values())
    for each in toolset.definitions("mcp"):
        only_reads = all_read if toolset.one_tool else operations[each["name"]].repeatable
        yield types.Tool(
            name=each["name"],
            description=each["description"],
            input_schema=each["inputSchema"],
            annotations=types.ToolAnnotations(read_only_hint=only_reads),
        )
