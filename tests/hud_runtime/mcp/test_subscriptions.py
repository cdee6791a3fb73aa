"""Clients that listen to a session's resources are told when they change, whoever changed them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import HudStore
from hud_runtime.serve.mcp import Sessions, hud_server

anyio = pytest.importorskip("anyio", reason="the MCP SDK is not installed: make sdks")
mcp = pytest.importorskip("mcp", reason="the MCP SDK is not installed: make sdks")
types = pytest.importorskip("mcp_types", reason="the MCP SDK is not installed: make sdks")

MARKDOWN = "hud://session/s/markdown"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hud.db"


@pytest.fixture
def store(path: Path) -> Iterator[HudStore]:
    with HudStore.open(path) as opened:
        yield opened


def driven(store: HudStore, mode: str, drive: Any, **settings: Any) -> None:
    async def run() -> None:
        server = hud_server(Sessions(store, session_id="s"))
        async with mcp.Client(server, mode=mode, **settings) as client:
            with anyio.fail_after(20):
                await drive(client)

    anyio.run(run)


async def until(heard: list[Any], count: int) -> None:
    while len(heard) < count:
        await anyio.sleep(0.01)


class TestListening:
    def test_to_a_change_of_its_own(self, store: HudStore) -> None:
        async def drive(client: Any) -> None:
            async with client.listen(resource_subscriptions=[MARKDOWN, "hud://current"]) as events:
                await client.call_tool("hud", {"op": "notes.add", "content": "Port 8080"})
                ahead = aiter(events)
                told = {(await anext(ahead)).uri, (await anext(ahead)).uri}
                assert told == {MARKDOWN, "hud://current"}

        driven(store, "auto", drive)

    def test_to_what_another_process_wrote(self, store: HudStore, path: Path) -> None:
        async def drive(client: Any) -> None:
            async with client.listen(resource_subscriptions=[MARKDOWN]) as events:
                with HudStore.open(path) as other:  # another connection, as of another process
                    other.session("s").record("note.add", content="Port 8080")
                assert (await anext(aiter(events))).uri == MARKDOWN
                [content] = (await client.read_resource(MARKDOWN)).contents
                assert "Port 8080" in content.text

        driven(store, "auto", drive)


class TestSubscribing:
    def test_is_told_once_for_each_change_until_it_ends(self, store: HudStore, path: Path) -> None:
        heard: list[str] = []

        async def hear(message: Any) -> None:
            if getattr(message, "method", "") == "notifications/resources/updated":
                heard.append(message.params.uri)

        async def drive(client: Any) -> None:
            assert client.server_capabilities.resources.subscribe is True
            await client.subscribe_resource(MARKDOWN)
            await client.call_tool("hud", {"op": "notes.add", "content": "one"})
            await until(heard, 1)
            await client.call_tool("hud", {"op": "notes.list"})  # nothing changes
            with HudStore.open(path) as other:
                other.session("s").record("note.add", content="two")
            await until(heard, 2)
            await client.unsubscribe_resource(MARKDOWN)
            await client.call_tool("hud", {"op": "notes.add", "content": "three"})
            await anyio.sleep(1.2)  # the log is looked at every second
            assert heard == [MARKDOWN] * 2

        with pytest.warns(UserWarning, match="2026-07-28"):  # the SDK says that later ones listen
            driven(store, "legacy", drive, message_handler=hear)

    def test_to_what_is_not_there_is_told_when_it_is(self, store: HudStore, path: Path) -> None:
        heard: list[str] = []

        async def hear(message: Any) -> None:
            if getattr(message, "method", "") == "notifications/resources/updated":
                heard.append(message.params.uri)

        async def drive(client: Any) -> None:
            for uri in ("hud://session/later", "file:///etc/passwd"):
                await client.subscribe_resource(uri)
            with HudStore.open(path) as other:
                other.session("later").record("note.add", content="two")
            await until(heard, 1)
            await anyio.sleep(1.2)  # the log is looked at every second
            assert heard == ["hud://session/later"]

        with pytest.warns(UserWarning, match="2026-07-28"):  # the SDK says that later ones listen
            driven(store, "legacy", drive, message_handler=hear)


class TestCompletion:
    @pytest.mark.parametrize("mode", ["legacy", "auto"])
    def test_of_a_session_begins_with_the_newest(self, store: HudStore, mode: str) -> None:
        for name in ("shop-1", "shop-2", "till"):
            store.session(name).record("note.add", content="x")

        async def drive(client: Any) -> None:
            [state, _] = (await client.list_resource_templates()).resource_templates
            ref = types.ResourceTemplateReference(uri=state.uri_template)
            for prefix, found in (("sh", ["shop-2", "shop-1"]), ("shop-2", ["shop-2"]), ("x", [])):
                completed = await client.complete(ref, {"name": "id", "value": prefix})
                assert completed.completion.values == found
            other = await client.complete(
                types.PromptReference(name="compact"), {"name": "id", "value": "sh"}
            )
            assert other.completion.values == []

        driven(store, mode, drive)


def test_titles_are_for_people(store: HudStore) -> None:
    async def drive(client: Any) -> None:
        tools = (await client.list_tools()).tools
        assert {each.name: each.title for each in tools} == {
            "hud": "Agent HUD",
            "hud_compact": "Announce a compaction",
        }
        listed = (await client.list_resources()).resources
        assert [each.title for each in listed] == ["State", "HUD"]
        [prompt] = (await client.list_prompts()).prompts
        assert prompt.title

    driven(store, "auto", drive)
