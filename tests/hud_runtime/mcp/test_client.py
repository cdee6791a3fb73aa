"""A client of the SDK drives the server: over stdio as a child process, and in this one."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from hud_runtime import HudStore
from hud_runtime.serve.mcp import Sessions
from hud_runtime.tools import INSTRUCTIONS, definitions
from tests.ids import looped
from tests.warm import python

ROOT = Path(__file__).parents[3]

anyio = pytest.importorskip("anyio", reason="the MCP SDK is not installed: make sdks")
mcp = pytest.importorskip("mcp", reason="the MCP SDK is not installed: make sdks")
types = pytest.importorskip("mcp_types", reason="the MCP SDK is not installed: make sdks")

MODES = ["legacy", "auto"]
"""With the handshake of the versions before 2026-07-28, and without."""


def text(result: Any) -> str:
    [content] = result.content
    return content.text


async def told(*folders: Path) -> Any:
    return types.ListRootsResult(roots=[types.Root(uri=each.as_uri()) for each in folders])


def driven(
    drive: Callable[[Any], Awaitable[None]], server: Any, mode: str, **settings: Any
) -> None:
    """Connect a client, and let ``drive`` work with it."""

    async def run() -> None:
        async with mcp.Client(server, mode=mode, **settings) as client:
            await drive(client)

    anyio.run(run)


@pytest.fixture
def process(tmp_path: Path) -> Any:
    """The command ``ujsx serve`` with a store of its own, to be started by a client."""
    return mcp.StdioServerParameters(
        command=sys.executable,
        args=[*python()[1:], "-m", "hud_runtime", "serve", "--store", str(tmp_path / "hud.db")],
        env={"PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
    )


@pytest.fixture
def store() -> Iterator[HudStore]:
    with HudStore.open(":memory:") as opened:
        yield opened


class TestProcess:
    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            (["--domain", "incident.py:INCIDNET"], 'incident.py has no "INCIDNET"; did you mean'),
            (["--domain", "nowhere:DOMAIN"], 'there is no module "nowhere"'),
            (["--domian", "x"], 'there is no --domian; did you mean "--domain"?'),
            (["--project", "/nowhere/at/all"], "/nowhere/at/all is not a folder"),
            (["--layout", "missing.md"], "missing.md"),
        ],
    )
    def test_that_cannot_start_tells_its_client_why(
        self, process, mode, tmp_path, arguments, problem
    ):
        (tmp_path / "incident.py").write_text("INCIDENT = 1\n", encoding="utf-8")
        process.args += arguments

        async def run() -> None:
            async with mcp.Client(mcp.stdio_client(process), mode=mode):
                raise AssertionError("it is served")

        with pytest.raises(BaseException) as caught:
            anyio.run(run)
        said = "".join(traceback.format_exception(caught.value))
        assert problem in said
        assert "Connection closed" not in said

    @pytest.mark.parametrize("mode", MODES)
    def test_serves_a_whole_session(self, process, mode, tmp_path):
        folder = tmp_path / "shop"
        folder.mkdir()

        async def drive(client: Any) -> None:
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == ["hud", "hud_compact"]

            async def hud(op: str, **arguments: Any) -> str:
                result = await client.call_tool("hud", {"call": {"op": op, **arguments}})
                assert not result.is_error, text(result)
                return text(result)

            assert (await hud("task.set", description="Add a login")).startswith("Task set.")
            assert await hud("decisions.record", summary="Use JWT") == "Recorded d-3.\n1 decision"
            await hud("steps.add", description="Write the middleware")
            await hud("steps.add", description="Test it")
            assert await hud("steps.complete", id="Write the middleware") == (
                "Completed s-4.\n1 decision · 1 step"
            )
            assert "decision.record: Use JWT" in await hud("search", query="jwt")
            assert "s-4 completed" in await hud("history", limit=1)

            wrong = await client.call_tool("hud", {"call": {"op": "notes.add", "contnet": "x"}})
            assert wrong.is_error
            lines = text(wrong).splitlines()
            assert lines[0] == '$.call.contnet: no such argument; did you mean "content"?'
            assert lines[2].startswith('$.call.content takes {"description":"The note;')
            mended = await client.call_tool(
                "hud", {"tool": "notes.add", "args": '{"content": 8080}'}
            )
            assert text(mended).startswith("Added n-7.")

            compacted = await client.call_tool("hud_compact", {"reason": "a good place"})
            assert compacted.meta["ujsx"]["action"] == "compact"
            prompt = await client.get_prompt("compact")
            assert prompt.messages[0].content.text == compacted.meta["ujsx"]["prompt"]

            resources = (await client.list_resources()).resources
            state, markdown = [
                (await client.read_resource(each.uri)).contents[0].text for each in resources
            ]
            assert json.loads(state)["session_id"] == str(folder)
            assert json.loads(state)["version"] == 8
            assert "- Use JWT" in markdown

        driven(drive, process, mode, list_roots_callback=lambda _: told(folder))
        with HudStore.open(tmp_path / "hud.db") as opened:
            assert opened.sessions() == (str(folder),)
            assert opened.keeping.verify() == ()


class TestServer:
    @pytest.fixture
    def server(self, store, tmp_path) -> Any:
        from hud_runtime.serve.mcp import hud_server

        return hud_server(Sessions(store, folder=tmp_path))

    @pytest.mark.parametrize("mode", MODES)
    def test_publishes_our_schemas_as_they_are(self, server, mode):
        async def drive(client: Any) -> None:
            tools = (await client.list_tools()).tools
            published = [(each.name, each.description, each.input_schema) for each in tools]
            assert published == [
                (each["name"], each["description"], each["inputSchema"])
                for each in definitions("mcp")
            ]
            assert client.instructions == INSTRUCTIONS

        driven(drive, server, mode)

    @looped("mode", MODES)
    @looped("name", ["hud", "hud_compact", "hudd", "notes.add", ""])
    @looped("arguments", [None, {}, {"op": 3}, {"call": []}, {"call": {"op": "x"}}])
    def test_answers_bad_arguments_with_what_to_send(self, server, mode, name, arguments):
        async def drive(client: Any) -> None:
            result = await client.call_tool(name, arguments)
            assert text(result).endswith("no task")

        driven(drive, server, mode)

    @pytest.mark.parametrize("mode", MODES)
    def test_refuses_resources_and_prompts_that_are_not_there(self, server, store, mode):
        async def drive(client: Any) -> None:
            for uri in (
                "hud://session/nobody",
                "hud://session/nobody/markdown",
                "hud://else",
                "file:///etc",
            ):
                with pytest.raises(
                    mcp.MCPError, match=r"there is no resource .*hud://session/\{id\}"
                ):
                    await client.read_resource(uri)
            with pytest.raises(mcp.MCPError, match='the only one is "compact"'):
                await client.get_prompt("compct")
            templates = (await client.list_resource_templates()).resource_templates
            assert [each.uri_template for each in templates] == [
                "hud://session/{id}",
                "hud://session/{id}/markdown",
            ]

        driven(drive, server, mode)
        assert store.sessions() == ()

    @pytest.mark.parametrize("mode", MODES)
    def test_tells_a_store_that_fails(self, server, store, mode):
        store.close()

        async def drive(client: Any) -> None:
            assert (await client.call_tool("hud", {"op": "snapshot"})).is_error

        driven(drive, server, mode)


class TestResources:
    """Of a server that learns its client's folder on the way."""

    @pytest.fixture
    def server(self, store) -> Any:
        from hud_runtime.serve.mcp import hud_server

        return hud_server(Sessions(store))

    @pytest.mark.parametrize("mode", MODES)
    def test_are_listed_and_read_from_the_start_and_begin_nothing(
        self, server, store, mode, tmp_path
    ):
        async def drive(client: Any) -> None:
            resources = (await client.list_resources()).resources
            assert [each.mime_type for each in resources] == ["application/json", "text/markdown"]
            state, markdown = [
                (await client.read_resource(each.uri)).contents[0].text for each in resources
            ]
            assert json.loads(state)["session_id"] == str(tmp_path)
            assert json.loads(state)["version"] == 0
            assert markdown == "Nothing recorded yet.\n"
            assert store.sessions() == ()
            await client.call_tool("hud", {"op": "notes.add", "content": "Port 8080"})
            for each in resources:
                assert "Port 8080" in (await client.read_resource(each.uri)).contents[0].text

        driven(drive, server, mode, list_roots_callback=lambda _: told(tmp_path))

    @pytest.mark.parametrize("mode", MODES)
    def test_say_that_their_list_changes(self, server, mode):
        async def drive(client: Any) -> None:
            assert client.server_capabilities.resources.list_changed is True

        driven(drive, server, mode)

    def test_that_change_are_told_to_who_listens(self, server, tmp_path):
        async def drive(client: Any) -> None:
            async with client.listen(resources_list_changed=True) as events:
                before = (await client.list_resources()).resources
                assert [each.uri for each in before] == ["hud://current", "hud://current/markdown"]
                await client.call_tool("hud", {"op": "snapshot"})
                with anyio.fail_after(10):
                    assert type(await anext(aiter(events))).__name__ == "ResourcesListChanged"
                after = (await client.list_resources()).resources
                assert all(each.uri.startswith("hud://session/") for each in after)
                assert (await client.read_resource("hud://current")).contents

        driven(drive, server, "auto", list_roots_callback=lambda _: told(tmp_path))

    def test_that_change_with_the_folder_are_told(self, server, tmp_path):
        folders = [tmp_path / "a", tmp_path / "b"]
        for each in folders:
            each.mkdir()
        current, heard = iter(folders), []

        async def hear(message: Any) -> None:
            heard.append(getattr(message, "method", None))

        async def drive(client: Any) -> None:
            [first, _] = (await client.list_resources()).resources
            await client.call_tool("hud", {"op": "snapshot"})
            assert "notifications/resources/list_changed" not in heard
            await client.session.send_roots_list_changed()
            await client.call_tool("hud", {"op": "snapshot"})
            [second, _] = (await client.list_resources()).resources
            assert (first.uri, second.uri) == tuple(
                f"hud://session/{quote(str(each), safe='')}" for each in folders
            )
            assert heard.count("notifications/resources/list_changed") == 1

        with pytest.warns(UserWarning, match="deprecated as of 2026-07-28"):
            driven(
                drive,
                server,
                "legacy",
                list_roots_callback=lambda _: told(next(current)),
                message_handler=hear,
            )


class TestReturn:
    def test_goes_on_with_the_session_of_the_folder(self, tmp_path):
        from hud_runtime.serve.mcp import hud_server

        async def first(client: Any) -> None:
            await client.call_tool("hud", {"op": "task.set", "description": "Add a login"})

        async def second(client: Any) -> None:
            result = await client.call_tool("hud", {"op": "task.get"})
            assert text(result).startswith("Add a login")

        for drive in (first, second):
            with HudStore.open(tmp_path / "hud.db") as opened:
                driven(drive, hud_server(Sessions(opened, folder=tmp_path)), "auto")


class TestRoots:
    @pytest.fixture
    def server(self, store) -> Any:
        from hud_runtime.serve.mcp import hud_server

        return hud_server(Sessions(store))

    @pytest.mark.parametrize("mode", MODES)
    def test_are_asked_for_once(self, server, store, tmp_path, mode):
        asked: list[int] = []

        def roots(_: object) -> Any:
            asked.append(1)
            return told(tmp_path)

        async def drive(client: Any) -> None:
            for _ in range(3):
                await client.call_tool("hud", {"op": "snapshot"})

        driven(drive, server, mode, list_roots_callback=roots)
        assert store.sessions() == (str(tmp_path),)
        assert len(asked) == 1

    @pytest.mark.parametrize("mode", MODES)
    def test_that_a_client_has_not_are_the_current_folder(
        self, server, store, tmp_path, mode, monkeypatch
    ):
        monkeypatch.chdir(tmp_path)

        async def drive(client: Any) -> None:
            await client.get_prompt("compact")

        driven(drive, server, mode)
        assert store.sessions() == (str(tmp_path),)

    def test_that_a_client_fails_to_tell_are_the_current_folder(
        self, server, store, tmp_path, monkeypatch
    ):
        monkeypatch.chdir(tmp_path)

        async def failed(_: object) -> Any:
            return types.ErrorData(code=-1, message="no")

        async def drive(client: Any) -> None:
            assert not (await client.call_tool("hud", {"op": "snapshot"})).is_error

        driven(drive, server, "legacy", list_roots_callback=failed)
        assert store.sessions() == (str(tmp_path),)

    def test_that_change_change_the_session(self, server, store, tmp_path):
        folders = [tmp_path / "a", tmp_path / "b"]
        for each in folders:
            each.mkdir()
        current = iter(folders)

        async def drive(client: Any) -> None:
            await client.call_tool("hud", {"op": "snapshot"})
            await client.session.send_roots_list_changed()
            await client.call_tool("hud", {"op": "snapshot"})

        with pytest.warns(UserWarning, match="deprecated as of 2026-07-28"):
            driven(drive, server, "legacy", list_roots_callback=lambda _: told(next(current)))
        assert store.sessions() == tuple(map(str, folders))


class TestEventLoop:
    def test_goes_on_while_the_store_is_busy(self, store, monkeypatch):
        """What blocks until the loop does something else would block for good on the loop itself."""
        import threading

        from hud_runtime.serve.mcp import hud_server
        from hud_runtime.session import HudSession

        has_begun, may_end = threading.Event(), threading.Event()
        real = HudSession.call

        def call(self: HudSession, tool: str, arguments: object) -> Any:
            has_begun.set()
            assert may_end.wait(20)
            return real(self, tool, arguments)

        monkeypatch.setattr(HudSession, "call", call)

        async def drive(client: Any) -> None:
            answers: list[str] = []

            async def search() -> None:
                call = {"op": "search", "query": "port"}
                answers.append(text(await client.call_tool("hud", {"call": call})))

            async with anyio.create_task_group() as group:
                group.start_soon(search)
                while not has_begun.is_set():
                    await anyio.sleep(0.001)
                assert len((await client.list_tools()).tools) == 2
                assert answers == []
                may_end.set()
            assert answers[0].startswith("Nothing found.")

        driven(drive, hud_server(Sessions(store, session_id="s")), "auto")

    def test_takes_calls_one_at_a_time_and_in_order(self, store):
        async def drive(client: Any) -> None:
            async def note(number: int) -> None:
                call = {"op": "notes.add", "content": f"note {number}"}
                await client.call_tool("hud", {"call": call})

            async with anyio.create_task_group() as group:
                for number in range(20):
                    group.start_soon(note, number)

        from hud_runtime.serve.mcp import hud_server

        driven(drive, hud_server(Sessions(store, session_id="s")), "auto")
        assert len(store.session("s").state().notes) == 20


class TestAgentLayouts:
    @looped("mode", MODES)
    @looped("choice", ["offer", "show", "off"])
    def test_are_offered_shown_or_neither(self, mode, choice):
        from hud_runtime.serve.mcp import hud_server

        async def drive(client: Any) -> None:
            (hud, _) = (await client.list_tools()).tools
            assert ("layout" in json.dumps(hud.input_schema)) is (choice == "offer")
            layout = '<Hud title="Mine">\n<TaskSection/>\n</Hud>'
            call = {"call": {"op": "layout.set", "layout": layout}}
            done = await client.call_tool("hud", call)
            assert done.is_error is (choice != "offer")
            if choice != "offer":
                assert "--agent-layouts offer" in text(done)
                session.record("layout.set", layout=layout)
            (content,) = (await client.read_resource("hud://session/s/markdown")).contents
            assert content.text.startswith("# HUD" if choice == "off" else "# Mine")

        with HudStore.open(":memory:", agent_layouts=choice) as opened:
            session = opened.session("s")
            session.record("task.set", description="Add a login")
            driven(drive, hud_server(Sessions(opened, session_id="s")), mode)
