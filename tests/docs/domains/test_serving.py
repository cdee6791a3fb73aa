"""The examples as MCP servers, driven by a client of the SDK."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import pytest

from tests.docs.domains.cases import ANALYST, EXAMPLES, ROOT, SUPPORT
from tests.warm import python

anyio = pytest.importorskip("anyio", reason="the MCP SDK is not installed: make sdks")
mcp = pytest.importorskip("mcp", reason="the MCP SDK is not installed: make sdks")


@pytest.mark.parametrize("case", [SUPPORT, ANALYST], ids=lambda case: case.name)
def test_an_example_serves_its_tools_and_its_hud(case, tmp_path):
    server = mcp.StdioServerParameters(
        command=sys.executable,
        args=[
            *python()[1:],
            "-m",
            "hud_runtime",
            "serve",
            "--domain",
            f"{case.name}:{case.name.upper()}",
        ],
        env={"PYTHONPATH": f"{ROOT}{os.pathsep}{EXAMPLES}", "UJSX_HOME": str(tmp_path)},
        cwd=tmp_path,
    )

    async def drive() -> None:
        async with mcp.Client(server) as client:
            tools = (await client.list_tools()).tools
            said = json.dumps([tool.input_schema for tool in tools])
            assert all(call["op"] in said for call in case.calls)
            for call in case.calls:
                assert not (await told(client, call)).is_error
            for call, begins in case.refused:
                answer = await told(client, call)
                assert answer.is_error
                assert answer.content[0].text.replace("$.call.", "$.").startswith(begins)
            resources = (await client.list_resources()).resources
            [hud] = [each for each in resources if each.name == "hud"]
            [content] = (await client.read_resource(hud.uri)).contents
            assert case.found in content.text

    async def told(client: Any, call: Any) -> Any:
        return await client.call_tool("hud", {"call": dict(call)})

    anyio.run(drive)
