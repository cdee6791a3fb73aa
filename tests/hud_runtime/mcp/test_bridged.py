"""The server of a host whose hooks have a bridge: it speaks the protocol without the SDK, and clients of the SDK drive it."""

from __future__ import annotations

import io
import json
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import CODING
from hud_runtime import HudStore
from hud_runtime.integrations.bridge import Answer, Bridge, Place, place_of
from hud_runtime.integrations.claude_code import ClaudeCode
from hud_runtime.integrations.codex import Codex
from hud_runtime.serve.mcp import BridgedServer, DescribedServer, described
from tests.ids import looped
from ujsx import __version__

ROOT = Path(__file__).parents[3]

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Those of the protocol with a handshake, the newest first."""

HOOK = "hook"
"""The tool that hooks call."""

HEAVY = ("anyio", "hud_components", "mcp", "mcp_types", "msgspec", "pydantic", "sqlite3")
"""What a server does without until it is asked for something that only these know."""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return place_of(tmp_path / "hud.db")


@pytest.fixture
def store(place: Place) -> Iterator[HudStore]:
    """A store whose bridge is there."""
    with HudStore.open(place.store) as opened:
        claude, codex = ClaudeCode(lambda: opened), Codex(lambda: opened)
        handlers: dict[str, Callable[[bytes], Answer]] = {
            "claude-code": claude.hook,
            "claude-code-call": claude.call,
            "codex": codex.hook,
            "codex-call": codex.call,
            "tools": lambda host: Answer(json.dumps(described(CODING, host.decode()))),
        }
        bridge = Bridge(place.socket, handlers)
        assert bridge.begin()
        threading.Thread(target=bridge.run, daemon=True).start()
        yield opened
        bridge.end()


def program(place: Place, host: str) -> list[str]:
    given = ["--host", host, "--bridge", str(place.socket), "--store", str(place.store)]
    return [sys.executable, "-P", "-m", "hud_runtime", "serve", *given]


class Unreachable:
    """The way to a bridge that is not there."""

    asked = 0

    def ask(self, kind: str, data: bytes) -> str | None:
        self.asked += 1
        return None


def server(host: str = "codex") -> BridgedServer:
    link: Any = Unreachable()
    return BridgedServer(link, lambda: CODING, host=host)


def ask(method: str, params: object = None, name: object = 1) -> dict[str, Any]:
    [found] = said(server(), request(method, params, name))
    return found


def request(method: str, params: object = None, name: object = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": name, "method": method, "params": params}


def said(asked: BridgedServer, *messages: object) -> list[dict[str, Any]]:
    """What a server writes to lines: messages, or bytes as they are."""
    out = io.BytesIO()
    lines = (each if isinstance(each, bytes) else json.dumps(each).encode() for each in messages)
    asked.run(io.BytesIO(b"".join(each + b"\n" for each in lines)), out)
    return [json.loads(each) for each in out.getvalue().splitlines()]


class TestClientOfTheSdk:
    @pytest.mark.parametrize("mode", ["legacy", "auto"])
    @pytest.mark.parametrize("host", ["codex", "claude-code"])
    def test_drives_it_fully(
        self, mode: str, host: str, place: Place, store: HudStore, tmp_path: Path
    ) -> None:
        anyio = pytest.importorskip("anyio", reason="the MCP SDK is not installed: make sdks")
        mcp = pytest.importorskip("mcp", reason="the MCP SDK is not installed: make sdks")
        command, *arguments = program(place, host)
        environment = {"PYTHONPATH": str(ROOT), "CLAUDE_CODE_SESSION_ID": "s"}
        process = mcp.StdioServerParameters(
            command=command, args=arguments, env=environment, cwd=tmp_path
        )
        turn = {"x-codex-turn-metadata": {"session_id": "s", "thread_id": "s"}}

        async def drive() -> None:
            async with mcp.Client(process, mode=mode) as client:
                assert client.server_info.version == __version__
                assert "`hud`" in client.instructions
                tools = (await client.list_tools()).tools
                names = [each.name for each in tools]
                assert names == ["hud", "hud_compact", *([HOOK] if host == "claude-code" else [])]
                assert tools[0].meta == {"anthropic/alwaysLoad": True}
                assert tools[0].annotations.destructive_hint is False

                async def add(number: int) -> None:
                    asked = {"call": {"op": "notes.add", "content": f"note {number}"}}
                    answer = await client.call_tool("hud", asked, meta=turn)
                    assert not answer.is_error, answer

                async with anyio.create_task_group() as group:
                    for number in range(8):
                        group.start_soon(add, number)
                wrong = await client.call_tool("hud", {"call": {"op": "notes.ad"}}, meta=turn)
                assert wrong.is_error
                assert "did you mean" in wrong.content[0].text
                compacts = await client.call_tool("hud_compact", {"reason": "now"}, meta=turn)
                assert compacts.meta["ujsx"]["action"] == "compact"
                with pytest.raises(mcp.MCPError) as caught:
                    await client.get_prompt("compact")
                assert caught.value.error.code == -32601

        anyio.run(drive)
        notes = {each.content for each in store.session("s").state().notes}
        assert notes == {f"note {number}" for number in range(8)}

    def test_speaks_all_versions_with_a_handshake(self) -> None:
        versions = pytest.importorskip("mcp_types.version", reason="the MCP SDK is not installed")
        assert VERSIONS[::-1] == versions.HANDSHAKE_PROTOCOL_VERSIONS


class TestStart:
    def test_nothing_heavy_is_loaded_while_the_bridge_answers(
        self, place: Place, store: HudStore
    ) -> None:
        script = (
            "import sys; from hud_runtime.cli import main; status = main(sys.argv[1:]);"
            f"print(status, [each for each in {HEAVY} if each in sys.modules], file=sys.stderr)"
        )
        asked = [
            request("initialize", {"protocolVersion": "2025-06-18"}),
            request("tools/list", name=2),
        ]
        done = subprocess.run(
            [sys.executable, "-c", script, *program(place, "codex")[4:]],
            input="".join(json.dumps(each) + "\n" for each in asked).encode(),
            capture_output=True,
            check=True,
            cwd=ROOT,
        )
        answers = [json.loads(each) for each in done.stdout.splitlines()]
        assert {each["id"] for each in answers} == {1, 2}
        assert done.stderr.decode().strip() == "0 []"

    def test_where_no_bridge_can_be_reached_it_offers_the_same(self) -> None:
        own = described(CODING, "codex")
        assert ask("tools/list")["result"] == {"tools": own["tools"]}
        assert ask("initialize")["result"]["instructions"] == own["instructions"]

    def test_and_a_call_says_so(self) -> None:
        told = ask("tools/call", {"name": "hud", "arguments": {}})["result"]
        assert told["isError"]
        assert "cannot be reached now" in told["content"][0]["text"]

    def test_a_hook_gets_nothing_then(self) -> None:
        asked = request("tools/call", {"name": HOOK, "arguments": {}})
        [found] = said(server("claude-code"), asked)
        assert found["result"] == {"content": [{"type": "text", "text": ""}], "isError": False}


OLD: dict[str, Any] = {"instructions": "Use it.", "tools": [{"name": "old"}]}
LISTS = request("initialize"), request("tools/list", name=2)


class Told:
    """The way to a bridge that says what is offered."""

    def __init__(self, offered: dict[str, Any]) -> None:
        self._offered = json.dumps(offered)
        self.asked: list[str] = []

    def ask(self, kind: str, data: bytes) -> str | None:
        self.asked.append(kind)
        return self._offered


class TestKept:
    """What is offered is kept, so that no session waits for a bridge that starts."""

    @pytest.fixture
    def kept(self, place: Place) -> DescribedServer:
        return DescribedServer(place.socket, "codex")

    def listed(self, link: Any, kept: DescribedServer) -> list[dict[str, Any]]:
        return said(BridgedServer(link, lambda: CODING, host="codex", kept=kept), *LISTS)

    def tools(self, told: list[dict[str, Any]]) -> object:
        [found] = (each["result"]["tools"] for each in told if each.get("id") == 2)
        return found

    def test_it_is_told_without_a_bridge(self, kept: DescribedServer) -> None:
        kept.keep(OLD)
        told = self.listed(Unreachable(), kept)
        assert self.tools(told) == OLD["tools"]
        assert len(told) == 2
        assert kept.read() == OLD

    def test_what_the_bridge_says_instead_is_told_of_and_kept(self, kept: DescribedServer) -> None:
        kept.keep(OLD)
        link = Told(own := described(CODING, "codex"))
        told = self.listed(link, kept)
        assert self.tools(told) == OLD["tools"]
        assert [each["method"] for each in told if "method" in each] == [
            "notifications/tools/list_changed"
        ]
        again = self.listed(link, kept)
        assert self.tools(again) == own["tools"]
        assert len(again) == 2
        assert link.asked == ["tools"] * 2

    @pytest.mark.parametrize(
        "text", ["", "{", "[]", '{"version": "0", "described": {"tools": [], "instructions": ""}}',
                 json.dumps({"version": __version__, "described": {}})],
    )  # fmt: skip
    def test_what_another_version_has_kept_is_asked_for_anew(
        self, kept: DescribedServer, place: Place, text: str
    ) -> None:
        kept.keep(OLD)
        path = place.socket.with_suffix(".codex.json")  # others keep theirs in the same folder
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        path.write_text(text)
        own = described(CODING, "codex")
        assert self.tools(self.listed(Told(own), kept)) == own["tools"]
        assert kept.read() == own


class TestProtocol:
    @looped("version", VERSIONS)
    def test_agrees_to_a_version_that_it_knows(self, version: str) -> None:
        told = ask("initialize", {"protocolVersion": version})["result"]
        assert told["protocolVersion"] == version

    @looped("version", ["2031-01-01", 7, None])
    def test_offers_its_newest_to_others(self, version: object) -> None:
        told = ask("initialize", {"protocolVersion": version})["result"]
        assert told["protocolVersion"] == VERSIONS[0]

    @looped(
        ("method", "params", "code"),
        [
            ("server/discover", {}, -32601),
            ("resources/list", {}, -32601),
            (7, {}, -32600),
            ("tools/call", {}, -32602),
            ("tools/call", {"name": "hud", "arguments": [1]}, -32602),
            ("tools/call", {"name": ["hud"]}, -32602),
        ],
    )
    def test_refuses_what_it_does_not_know(self, method: Any, params: object, code: int) -> None:
        assert ask(method, params, "a")["error"]["code"] == code

    @looped(
        "message",
        [
            {"method": "notifications/initialized"},
            {"method": "notifications/cancelled", "params": {"requestId": 1}},
            {"id": 4, "result": {}},
            {"id": 4, "error": {"code": -1, "message": "no"}},
        ],
    )
    def test_says_nothing_to_what_wants_no_answer(self, message: dict[str, Any]) -> None:
        whole = {"jsonrpc": "2.0", **message}
        assert said(server(), whole, [whole]) == []

    def test_answers_each_message_of_a_batch(self) -> None:
        told = said(server(), [request("ping", name=n) for n in range(3)])
        assert [each["id"] for each in told] == [0, 1, 2]

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
            lambda inner: st.lists(inner) | st.dictionaries(
                st.sampled_from(["id", "method", "params", "name", "arguments", "_meta"]) | st.text(), inner
            ),
            max_leaves=12,
        )
    )  # fmt: skip
    def test_answers_whatever_comes(self, message: object) -> None:
        for each in said(server(), message):
            assert each["jsonrpc"] == "2.0"
            assert ("result" in each) != ("error" in each)

    @looped("line", [b"{", b"\xff\xfe{", b'{"id": 1', b"[" * 100_000, b"7", b'""'])
    def test_a_broken_line_is_refused_and_the_next_one_answered(self, line: bytes) -> None:
        told = said(server(), line, b"", request("ping", name=2))
        assert {each["id"] for each in told} == {None, 2}

    def test_half_a_character_is_replaced_and_the_answer_says_so(self) -> None:
        class Bridge:
            def ask(self, kind: str, data: bytes) -> str:
                assert json.loads(data)["arguments"] == {"x": "cut \ufffd"}
                return json.dumps({"text": "Added n-1.", "is_error": False, "meta": None})

        link: Any = Bridge()
        bridged = BridgedServer(link, lambda: CODING, host="codex")
        call = {"name": "hud", "arguments": {"x": "cut \ud83d"}}
        [told] = said(bridged, [request("tools/call", call)])
        note = "half a character (a surrogate) in this call became U+FFFD"
        assert told["result"]["content"][0]["text"] == f"Added n-1.\n{note}"

    def test_a_client_that_has_gone_is_no_fault(self) -> None:
        class Gone(io.BytesIO):
            def write(self, text: Any) -> int:
                raise BrokenPipeError

        server().run(io.BytesIO(json.dumps(request("ping")).encode() + b"\n"), Gone())


def test_a_call_belongs_to_whom_a_hook_has_named_though_the_bridge_is_another(
    place: Place,
) -> None:
    """The server knows it by itself: the bridge may be killed between the hook and the call."""
    with HudStore.open(place.store) as store:

        class Bridges:
            """A bridge for each request."""

            def ask(self, kind: str, data: bytes) -> str:
                hooks = ClaudeCode(lambda: store)
                return {"claude-code": hooks.hook, "claude-code-call": hooks.call}[kind](data).text

        link: Any = Bridges()
        bridged = BridgedServer(link, lambda: CODING)

        def call(tool: str, arguments: object, **meta: object) -> None:
            params = {"name": tool, "arguments": arguments, "_meta": meta}
            bridged.answer({"id": 1, "method": "tools/call", "params": params})

        for agent in ("a1", "${agent_id}"):
            event = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_use_id": "c", "agent_id": agent}  # fmt: skip
            call("hook", event)
            note = {"call": {"op": "notes.add", "content": f"by {agent}"}}
            call("hud", note, **{"claudecode/toolUseId": "c"})
        found = {
            name: [each.content for each in store.session(name).state().notes]
            for name in store.sessions()
        }
        assert found == {"s": ["by ${agent_id}"], "s/a1": ["by a1"]}


class TestMemory:
    """F4, F6: past sessions and a compaction under the founding plugin's names, where a host was installed so."""

    def test_f4_f6_they_are_offered_where_they_were_asked_for(self) -> None:
        link: Any = Unreachable()
        asked = {"id": 1, "method": "tools/list"}
        found: Any = BridgedServer(link, lambda: CODING, host="codex", memory=True).answer(asked)
        names = [each["name"] for each in found["result"]["tools"]]
        assert names == ["hud", "hud_compact", "memory_compact", "memory"]

    @looped("tool", ["memory", "memory_compact"])
    @looped("host", ["codex", "claude-code"])
    def test_f4_f6_one_that_was_not_offered_is_not_answered(self, host: str, tool: str) -> None:
        found: Any = server(host).answer(
            {"id": 1, "method": "tools/call", "params": {"name": tool, "arguments": {}}}
        )
        assert found["result"]["isError"]
        assert f"ujsx install {host} --memory" in found["result"]["content"][0]["text"]

    @pytest.mark.parametrize("kind", [ClaudeCode, Codex])
    def test_f4_the_bridge_answers_them(self, kind: Any, place: Place) -> None:
        with HudStore.open(place.store) as store:
            hooks = kind(lambda: store)
            given = {"session_id": "s", "thread_id": "s", "tool": "memory"}

            def call(**arguments: object) -> dict[str, Any]:
                told = hooks.call(json.dumps({**given, "arguments": {"call": arguments}}).encode())
                return dict(json.loads(told.text))

            assert not call(op="hud_note", note="The test is flaky")["is_error"]
            assert "The test is flaky" in call(op="messages")["text"]
            assert "did you mean" in call(op="mesages")["text"]
