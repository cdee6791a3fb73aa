"""The founding document's tools for memory: aliases of the sections' operations, with their repairs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from hud_components import CODING, Domain, NotesSection
from hud_components.memory import (
    CODING_MEMORY,
    MEMORY,
    SLOTS,
    AgentMemory,
    CoreGoal,
    Slot,
    working_memory,
)
from hud_runtime import HudSession, HudStore
from hud_runtime.integrations import HostSession
from hud_runtime.memory import TOOLS, memory_toolset
from tests.hud_components.memory.strategies import BREAKOUTS
from tests.ids import looped
from ujsx import DefinitionError
from ujsx.mdast import Heading, from_markdown
from ujsx.schema import DIALECTS, lint
from ujsx.tools import ToolResult

NAMES = [
    "core_memory_update",
    "core_memory_read",
    "working_memory_add",
    "working_memory_clear",
    "working_memory_clear_slot",
    "working_memory_remove",
]


@pytest.fixture
def session() -> Iterator[HudSession[Any]]:
    with HudStore.open(":memory:", domain=CODING_MEMORY, clock=lambda: 0) as store:
        yield store.session("s")


def call(session: HudSession[Any], tool: str, **arguments: object) -> ToolResult:
    return TOOLS.call(tool, arguments, context=session)


def goal(session: HudSession[Any]) -> str | None:
    block = session.state()[CoreGoal]
    return None if block is None else block.content


def contents(session: HudSession[Any]) -> list[str]:
    return [each.content for each in session.state()[AgentMemory]]


def test_j7_the_tools_are_those_of_the_document() -> None:
    assert [each["name"] for each in TOOLS.definitions("mcp")] == NAMES


def test_j7_core_memory_is_updated_and_read(session: HudSession[Any]) -> None:
    said = call(
        session, "core_memory_update", block="goal", operation="replace", content="Add a login"
    )
    assert said.text.startswith("Set. 11 of 1,000 characters.")
    call(session, "core_memory_update", block="goal", operation="append", content="with JWT")
    assert goal(session) == "Add a login\nwith JWT"
    read = call(session, "core_memory_read")
    assert read.data["goal"] == {"content": goal(session), "chars": 20, "max_chars": 1_000}
    assert "# goal (20 of 1,000 characters)\n\nAdd a login\nwith JWT" in read.text
    assert "# context (0 of 1,500 characters)\n\nEmpty." in read.text
    call(session, "core_memory_update", block="goal", content="")
    assert goal(session) is None


def test_j7_what_does_not_fit_is_refused_with_its_figures(session: HudSession[Any]) -> None:
    call(session, "core_memory_update", block="goal", content="x" * 990)
    for operation, content, would in (("append", "y" * 10, 1_001), ("replace", "y" * 1_001, 1_001)):
        said = call(
            session, "core_memory_update", block="goal", operation=operation, content=content
        )
        assert said.is_error
        assert "has 990 characters, and would have" in said.text
        assert f"{would:,}; it holds 1,000 at most" in said.text
    assert goal(session) == "x" * 990
    said = call(session, "core_memory_update", block="goal", operation="append", content=" ")
    assert (said.is_error, "nothing to append" in said.text) == (True, True)


def test_j7_working_memory_is_added_to_and_cleared(session: HudSession[Any]) -> None:
    call(session, "working_memory_add", content="It fails", slot="error")
    call(session, "working_memory_add", content="src/login.py")
    assert contents(session) == ["It fails", "src/login.py"]
    call(session, "working_memory_clear_slot", slot="error")
    assert contents(session) == ["src/login.py"]
    call(session, "working_memory_clear")
    assert contents(session) == []


def test_j7_an_item_is_removed_by_what_it_says(session: HudSession[Any]) -> None:
    for content in ("src/login.py is generated", "src/logout.py is generated", "src/login.py"):
        call(session, "working_memory_add", content=content)
    assert not call(
        session, "working_memory_remove", content="src/login.py"
    ).is_error  # its whole text
    assert contents(session) == ["src/login.py is generated", "src/logout.py is generated"]
    several = call(session, "working_memory_remove", content="generated")
    assert several.is_error
    assert "2 things say 'generated': 'src/login.py is" in several.text
    assert call(session, "working_memory_remove", content="nowhere").is_error
    assert not call(session, "working_memory_remove", content="LOGOUT").is_error
    assert contents(session) == ["src/login.py is generated"]
    assert not call(session, "working_memory_remove", content="m-2").is_error
    assert contents(session) == []


def test_j7_calls_are_mended_like_those_of_the_hud(session: HudSession[Any]) -> None:
    said = TOOLS.call(
        "core_memory_update", '```json\n{"Block": "Goal", "content": "Ship"}\n```', context=session
    )
    assert not said.is_error
    assert said.repairs
    assert goal(session) == "Ship"
    wrong = call(session, "working_memory_add", content="x", slot="errors")
    assert (wrong.is_error, "'error'" in wrong.text) == (True, True)


@looped("dialect", DIALECTS)
def test_j7_schemas_say_what_is_validated(dialect: str) -> None:
    for operation in TOOLS.operations.values():
        for loss in lint(operation.arguments, dialect):
            assert loss.outcome not in ("unsaid", "missing"), (operation.name, loss)
    assert TOOLS.definitions(dialect)


def test_j7_tools_name_the_blocks_and_slots_of_a_domain() -> None:
    risky = working_memory(*SLOTS, Slot("risk", 2, "Risk", "what may go wrong"))
    domain = Domain("risky", sections=(CoreGoal, risky))
    tools = memory_toolset(domain)
    schemas = {each["name"]: each["inputSchema"]["properties"] for each in tools.definitions("mcp")}
    assert schemas["core_memory_update"]["block"].get("enum", ["goal"]) == ["goal"]
    assert "risk" in schemas["working_memory_clear_slot"]["slot"]["enum"]
    with HudStore.open(":memory:", domain=domain) as store:
        session = store.session("s")
        said = tools.call(
            "working_memory_add", {"content": "Rain", "slot": "risk"}, context=session
        )
        assert not said.is_error
        refused = TOOLS.call(
            "core_memory_update", {"block": "progress", "content": "x"}, context=session
        )
        assert "have no block 'progress'; its blocks are" in refused.text
    with pytest.raises(DefinitionError, match="have no memory that tools could be for"):
        memory_toolset(Domain("bare", sections=(NotesSection,)))


def test_j7_a_session_without_memory_is_told_what_to_do() -> None:
    with HudStore.open(":memory:") as store:
        for name, arguments in (
            ("core_memory_read", {}),
            ("core_memory_update", {"block": "goal", "content": "x"}),
            ("working_memory_clear", {}),
        ):
            said = TOOLS.call(name, arguments, context=store.session("s"))
            assert said.is_error
            assert "CODING.with_sections(*MEMORY)" in said.text
    assert "no session" in TOOLS.call("core_memory_read", {}).text


@pytest.mark.parametrize("hostile", BREAKOUTS)
def test_what_is_read_is_inert(session: HudSession[Any], hostile: str) -> None:
    call(session, "core_memory_update", block="context", content=hostile)
    call(session, "working_memory_add", content=hostile, slot="error")
    text = call(session, "core_memory_read").text
    titles = [each for each in from_markdown(text).children if isinstance(each, Heading)]
    assert len(titles) == 3
    refused = call(session, "working_memory_remove", content=f"{hostile} and more").text
    assert "\n#" not in refused


def test_j7_hosts_offer_the_tools_beside_the_huds(session: HudSession[Any]) -> None:
    host = HostSession(session, toolsets=[TOOLS])
    names = [each.name for each in host.tools(layout="separate")]
    assert {*NAMES} <= {*names}
    assert not host.call("working_memory_add", {"content": "a"}).is_error
    assert not asyncio.run(
        host.acall("core_memory_update", {"block": "goal", "content": "b"})
    ).is_error
    assert (goal(session), contents(session)) == ("b", ["a"])
    assert CODING.with_sections(*MEMORY).name != CODING_MEMORY.name
