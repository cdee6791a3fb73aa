"""Every line that has an id is answered, whatever it is: over stdio, by the server with a bridge, and over HTTP.

``make strangers`` sends 10,000 lines; ``UJSX_LINES`` is their number.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import HudStore
from tests.growth import IN_PROPORTION, growth
from tests.hud_runtime.mcp.lines import UNKNOWN, Lines, answered, broken_lines, expected
from tests.ids import looped

NUMBER = int(os.environ.get("UJSX_LINES", "500"))

CALL = b'{"jsonrpc":"2.0","id":%b,"method":"tools/call","params":{"name":"hud","arguments":{"call":%b}}}'
ADD = b'{"op":"notes.add","content":%b}'


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lines]:
    pytest.importorskip("mcp", reason="the MCP SDK is not installed: make sdks")
    folder = tmp_path_factory.mktemp("lines")
    served = Lines("--store", str(folder / "hud.db"), "--session", "s", folder=folder)
    yield served
    assert served.end() == 0


def ids(answers: Iterable[dict[str, Any]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for each in answers:
        assert each["jsonrpc"] == "2.0"
        assert ("result" in each) != ("error" in each)
        found[json.dumps(each["id"])] += 1
    return found


def unanswered(wanted: Counter[str], answered: Counter[str]) -> Counter[str]:
    """What is missing, where an answer to a broken line may name the id that was found in it."""
    missing, more = wanted - answered, answered - wanted
    missing[UNKNOWN] -= sum(more.values())
    return +missing


class TestBrokenLines:
    def test_over_stdio_leave_no_id_without_an_answer(self, lines: Lines) -> None:
        wanted: Counter[str] = Counter()
        answered: Counter[str] = Counter()
        for line in broken_lines(NUMBER):
            lines.write(line)
            wanted += expected(line)
            while wanted.total() - answered.total() > 20:  # as many as a client may have under way
                answered += ids([lines.heard()])
        while answered.total() < wanted.total():
            answered += ids([lines.heard()])
        assert not unanswered(wanted, answered)
        assert lines.ask(CALL % (b'"last"', ADD % b'"works"'))["result"]["isError"] is False

    def test_with_a_bridge_leave_none_either(self) -> None:
        sent = [*broken_lines(NUMBER)]
        found = ids(answered(*sent))
        wanted = sum(map(expected, sent), Counter[str]())
        assert not unanswered(wanted, found)
        assert found.total() == wanted.total()

    def test_are_read_or_refused_with_the_id_that_they_were_sent_with(self) -> None:
        """Of those that are not JSON, most still show their id."""
        told = answered(*broken_lines(2_000))
        found = [each for each in told if "error" in each and each["error"]["code"] == -32700]
        named = sum(answer["id"] is not None for answer in found)
        assert len(found) > 500
        assert named / len(found) > 0.6


PING = b'{"jsonrpc":"2.0","id":%b,"method":"ping","params":{"x":%b,"id":"n-1","y":[{"id":7}]}}'
BREAKS = (
    b"nope",
    b'"\xff"',
    b"[" * 100_000 + b"]" * 100_000,
    b"'it'",
    b"{'id':9}",
    b"\x00",
    b"1 2",
)


class TestBrokenBatch:
    @looped("broken", BREAKS)
    @looped("place", range(3))
    def test_has_each_id_of_its_messages_answered_once(self, broken: bytes, place: int) -> None:
        parts = [PING % (b'"b-%d"' % each, b'"it\'s [{"') for each in range(3)]
        parts[place] = PING % (b"%d" % place, broken)
        found = answered(b"[%b]" % b",".join(parts))
        names = [f"b-{each}" if each != place else each for each in range(3)]
        assert [each["id"] for each in found] == names
        assert {each["error"]["code"] for each in found} == {-32700}

    def test_that_is_cut_has_them_answered_too(self) -> None:
        line = b"[%b, %b" % (PING % (b"1", b"2"), PING % (b'"b"', b"3"))
        assert [each["id"] for each in answered(line)] == [1, "b"]

    @looped(
        ("line", "found"),
        [
            (b"{'jsonrpc':'2.0','id':'a','method':'ping'}", "a"),
            (b"{jsonrpc:'2.0', id: 5, method: 'ping', params: {id: 6}}", 5),
            (b'{"params":{"x":"%b","id":"q"},"id":1,"z":nope}' % (b"x" * 100_000), 1),
            (b'{"jsonrpc":"2.0","id":1.5,"method":nope}', 1.5),
            (b'{"jsonrpc":"2.0","id":1e999,"method":nope}', None),
            (b'{"jsonrpc":"2.0","grid":5,"method":nope}', None),
        ],
    )
    def test_and_so_is_a_message_in_another_writing(self, line: bytes, found: object) -> None:
        assert [each["id"] for each in answered(line)] == [found]

    @looped("text", [b"[", b'{"id":1,', b'"', b"'", b'"id":', b'{"a":"\\', b"id:1,", b'"id":"'])
    def test_takes_time_by_its_length(self, text: bytes) -> None:
        small, large = (b"[{%b\xff" % (text * number) for number in (5_000, 40_000))
        assert growth(answered, small, large) <= IN_PROPORTION


class TestOneLine:
    @looped("note", [rb'"cut \ud83d"', rb'"cut \ude00"', rb'"cut \ud83d\ud83d"'])
    def test_half_a_character_in_a_call_is_replaced_and_the_rest_kept(
        self, lines: Lines, note: bytes
    ) -> None:
        result = lines.ask(CALL % (b"1", ADD % note))["result"]
        assert result["isError"] is False
        assert result["content"][0]["text"].endswith("became U+FFFD")
        state = lines.ask(
            b'{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"hud://current"}}'
        )["result"]["contents"][0]["text"]
        assert json.loads(state)["state"]["notes"][-1]["content"].rstrip("\ufffd") == "cut "

    @looped(
        ("line", "request_id", "code"),
        [
            (b'{"jsonrpc":"2.0","method":"ping","id":5', None, -32700),
            (b'{"jsonrpc":"2.0","id":5,"method":"ping",', 5, -32700),
            (b'{"jsonrpc":"2.0","id":5,"method":"ping"}}', 5, -32700),
            (b'{"jsonrpc":"2.0","id":"a-5","method":"ping","params":{"x":"\xff"}}', "a-5", -32700),
            (b'{"method":"m","params":{"id":"n-1","x":NAN},"jsonrpc":"2.0","id":5}', 5, -32700),
            (b'{"jsonrpc":"2.0,"id":5,"method":"ping"}', 5, -32700),
            (b'{"id":5,"x":' + b"[" * 100_000, 5, -32700),
            (b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b',"method":"ping"}', None, -32700),
            (b'{"jsonrpc":"2.0","id":"a\\ud83d","method":"ping"}', "a\ud83d", -32600),
            (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 1.5, -32600),
            (b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}', None, -32600),
            (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, -32600),
            (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, -32600),
            (b'{"jsonrpc":"2.0","id":{"id":1},"method":"ping"}', None, -32600),
            (b'{"jsonrpc":"1.0","id":5,"method":"ping"}', 5, -32600),
            (b'{"jsonrpc":"2.0","id":5,"params":{}}', 5, -32600),
            (b'{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}', 5, -32602),
            (b'{"jsonrpc":"2.0","id":5,"method":"nothing/such"}', 5, -32601),
            (b"7", None, -32600),
            (b"[]", None, -32600),
            (b"[[]]", None, -32600),
        ],
    )
    def test_that_is_wrong_is_refused(
        self, lines: Lines, line: bytes, request_id: object, code: int
    ) -> None:
        answer = lines.ask(line)
        assert (answer["id"], answer["error"]["code"]) == (request_id, code)

    @looped(
        "line",
        [
            b'\xef\xbb\xbf{"jsonrpc":"2.0","id":5,"method":"ping"}',
            b'{"id":4,"jsonrpc":"2.0","id":5,"method":"ping"}\r',
            b'{"jsonrpc":"2.0","id":5,"method":"ping","params":null,"more":NaN}',
            b'{"jsonrpc":"2.0","id":5,"method":"ping","result":{}}',
        ],
    )
    def test_that_readers_take_is_served(self, lines: Lines, line: bytes) -> None:
        assert lines.ask(line) == {"jsonrpc": "2.0", "id": 5, "result": {}}

    def test_with_a_huge_number_as_its_id_is_answered_with_it(self, lines: Lines) -> None:
        line = b'{"jsonrpc":"2.0","id":%b,"method":"ping"}' % (b"9" * 400)
        assert lines.ask(line)["id"] == int("9" * 400)

    def test_with_several_messages_gets_an_answer_for_each(self, lines: Lines) -> None:
        ping = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}'
        lines.write(b"[%b,7,%b]" % (ping % 1, ping % 2))
        assert ids(lines.heard() for _ in range(3)) == {"1": 1, "2": 1, "null": 1}

    def test_of_many_megabytes_is_answered(self, lines: Lines) -> None:
        answer = lines.ask(CALL % (b"5", ADD % (b'"%b"' % (b"x" * 10_000_000))))
        assert answer["result"]["isError"] is True
        assert "1,000,000 is the limit" in answer["result"]["content"][0]["text"]

    @pytest.mark.parametrize("line", [b'{"id":5,"x":"%b"}', b'{"x":"%b","jsonrpc":"2.0","id":5}'])
    def test_beyond_the_limit_is_skipped_and_refused(
        self, line: bytes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("UJSX_MAX_READ", "65536")
        ping = b'{"jsonrpc":"2.0","id":6,"method":"ping"}'
        found = {each["id"]: each for each in answered(line % (b"x" * 200_000), ping)}
        assert found[5]["error"]["code"] == -32600
        assert "more than 65,536 bytes" in found[5]["error"]["message"]
        assert found[6]["result"] == {}


def test_what_was_asked_before_the_end_of_the_input_is_answered(tmp_path: Path) -> None:
    """As where lines are piped into the server."""
    pytest.importorskip("mcp", reason="the MCP SDK is not installed: make sdks")
    served = Lines("--store", str(tmp_path / "hud.db"), "--session", "s", folder=tmp_path)
    served.write(*(CALL % (b"%d" % each, ADD % b'"x"') for each in range(10)))
    assert served.end() == 0
    answers = [served.heard() for _ in range(10)]
    assert {each["id"] for each in answers} == {*range(10)}
    assert all("result" in each for each in answers)


def test_a_tool_of_ones_own_may_return_half_a_character(tmp_path: Path) -> None:
    mcp = pytest.importorskip("mcp", reason="the MCP SDK is not installed: make sdks")
    anyio = pytest.importorskip("anyio", reason="the MCP SDK is not installed: make sdks")
    from hud_runtime.serve.mcp import Sessions, hud_server
    from ujsx.tools import Toolset

    tools = Toolset(name="shop")

    @tools.operation(reads=True)
    def find() -> dict[str, str]:
        """Find something."""
        return {"cut": "a\ud83d"}

    async def drive() -> None:
        with HudStore.open(":memory:") as store:
            server = hud_server(Sessions(store, session_id="s"), toolsets=[tools])
            async with mcp.Client(server) as client:
                answer = await client.call_tool("find", {})
                assert "a\ufffd" in answer.content[0].text
                assert answer.structured_content == {"cut": "a\ufffd"}

    anyio.run(drive)
