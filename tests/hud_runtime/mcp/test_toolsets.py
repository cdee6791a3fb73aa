"""Toolsets of one's own, served beside the HUD's tools."""

from __future__ import annotations

import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import HudSession, HudStore, ServeError
from hud_runtime.serve.mcp import Sessions, serve
from tests.hud_runtime.history.databases import small
from tests.warm import python
from ujsx.tools import Toolset

anyio = pytest.importorskip("anyio", reason="the MCP SDK is not installed: make sdks")
mcp = pytest.importorskip("mcp", reason="the MCP SDK is not installed: make sdks")

ROOT = Path(__file__).parents[3]

SHOP = '''
from decimal import Decimal

from hud_runtime import HudSession
from ujsx.tools import Toolset

SHOP = Toolset(name="shop")


@SHOP.operation
def refund(ctx: HudSession, order: str, amount: Decimal) -> str:
    """Pay an order back."""
    ctx.record("note.add", content=f"Refunded {amount} for {order}", actor="tool")
    return f"Refunded {amount}."


@SHOP.operation(reads=True)
async def price(order: str) -> str:
    """What an order cost."""
    return f"{order}: 9.50"


@SHOP.operation
def burn() -> str:
    raise ZeroDivisionError


NOTHING = 3
'''


@pytest.fixture
def process(tmp_path: Path) -> Any:
    (tmp_path / "shop.py").write_text(SHOP)
    arguments = [*python()[1:], "-m", "hud_runtime", "serve", "--store", str(tmp_path / "hud.db")]
    return mcp.StdioServerParameters(
        command=sys.executable,
        args=[*arguments, "--tools", "shop:SHOP"],
        env={"PYTHONPATH": f"{ROOT}:{tmp_path}"},
        cwd=tmp_path,
    )


def test_of_the_command_are_called_and_write_into_the_hud(process: Any) -> None:
    async def run() -> None:
        async with mcp.Client(process) as client:
            tools = {each.name: each for each in (await client.list_tools()).tools}
            assert [*tools] == ["hud", "hud_compact", "refund", "price", "burn"]
            assert tools["price"].annotations.read_only_hint is True
            assert tools["refund"].annotations.read_only_hint is False
            assert set(tools["refund"].input_schema["properties"]) == {"order", "amount"}

            async def call(name: str, **arguments: Any) -> tuple[bool, str]:
                result = await client.call_tool(name, arguments)
                return result.is_error, result.content[0].text

            assert await call("refund", order="A-7", amount="9.50") == (False, "Refunded 9.50.")
            assert await call("price", order="A-7") == (False, "A-7: 9.50")
            is_error, text = await call("refund", order="A-7")
            assert is_error
            assert "amount" in text
            is_error, text = await call("burn")
            assert is_error
            assert "ZeroDivisionError" in text
            assert "Refunded 9.50 for A-7" in (await call("hud", op="notes.list"))[1]

    anyio.run(run)


def test_f4_the_tool_memory_is_one_tool_beside_the_huds(process: Any, tmp_path: Path) -> None:
    process.args = [*process.args[:-2], "--memory"]
    process.env = {**process.env, "XDG_DATA_HOME": str(tmp_path), "UJSX_HOME": str(tmp_path)}
    small(_folder(tmp_path / "opencode") / "opencode.db")

    async def run() -> None:
        async with mcp.Client(process) as client:
            tools = {each.name: each for each in (await client.list_tools()).tools}
            assert [*tools] == ["hud", "hud_compact", "memory"]
            assert tools["memory"].annotations.read_only_hint is False

            async def call(**arguments: Any) -> str:
                return str((await client.call_tool("memory", arguments)).content[0].text)

            assert "`ses_login`" in await call(tool="sessions", args={})
            assert "msg_ses_login_000007" in await call(
                call={"op": "search", "query": "attempts hour"}
            )
            assert "Added" in await call(op="hud_note", note="Port 8080")
            notes = await client.call_tool("hud", {"op": "notes.list"})
            assert "Port 8080" in notes.content[0].text

    anyio.run(run)


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def test_cannot_have_the_name_of_another_tool(tmp_path: Path) -> None:
    from hud_runtime.serve.mcp import hud_server

    own = Toolset(name="own")

    @own.operation
    def price(order: str) -> str:
        return order

    clash = Toolset(name="clash")

    @clash.operation(name="hud")
    def anything(ctx: HudSession, amount: Decimal) -> str:
        return f"{ctx} {amount}"

    with HudStore.open(":memory:") as store:
        for toolsets in ([own, own], [clash]):
            with pytest.raises(ServeError, match=r"there is a tool \w+ already"):
                hud_server(Sessions(store), toolsets=toolsets)
    with pytest.raises(ServeError, match="there is a tool hud already"):
        serve(tmp_path / "hud.db", session="s", toolsets=[clash])


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("shop:NOTHING", "shop:NOTHING is of the type int, not a Toolset"),
        ("shop:SHAP", "SHAP"),
        ("nowhere:SHOP", "nowhere"),
    ],
)
def test_that_are_none_are_told(
    name: str,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from hud_runtime.cli import main

    (tmp_path / "shop.py").write_text(SHOP)
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["serve", "--store", str(tmp_path / "hud.db"), "--tools", name]) == 2
    assert told in capsys.readouterr().err
    sys.modules.pop("shop", None)


def test_what_only_reads_is_a_tool_of_its_own_where_that_is_asked_for(
    process: Any, tmp_path: Path
) -> None:
    process.args.append("--read-tool")

    async def run() -> None:
        async with mcp.Client(process) as client:
            tools = {each.name: each for each in (await client.list_tools()).tools}
            assert [*tools][:3] == ["hud", "hud_read", "hud_compact"]
            assert tools["hud_read"].annotations.read_only_hint is True
            assert tools["hud"].annotations.read_only_hint is False
            assert "notes.list" in str(tools["hud_read"].input_schema)
            assert "notes.add" not in str(tools["hud_read"].input_schema)
            assert "notes.list" not in str(tools["hud"].input_schema)

            async def call(name: str, **arguments: Any) -> tuple[bool, str]:
                result = await client.call_tool(name, arguments)
                return result.is_error, result.content[0].text

            assert (await call("hud", op="notes.add", content="Port 8080"))[0] is False
            assert "Port 8080" in (await call("hud_read", op="notes.list"))[1]
            assert "Port 8080" in (await call("hud", op="notes.list"))[1]  # as it always was
            is_error, text = await call("hud_read", op="notes.add", content="Port 9090")
            assert is_error
            assert "call the tool hud" in text
            assert "Port 9090" not in (await call("hud_read", op="snapshot"))[1]
            told = (await call("hud_read", op="help"))[1]
            assert "notes: list with ids\n" in told

    anyio.run(run)
