"""Lines of a client of MCP that are broken in every way, by a seed, and the answers that each has to get."""

from __future__ import annotations

import io
import json
import math
import queue
import random
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hud_components import CODING
from hud_runtime.serve.mcp import BridgedServer
from tests.warm import python

ROOT = Path(__file__).parents[3]

UNKNOWN = "null"
"""The id of an answer to a line whose id is not known, as JSON."""

GREETING = (
    {
        "jsonrpc": "2.0",
        "id": "greeting",
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
)

CALLS: tuple[tuple[str, dict[str, Any] | None], ...] = (
    ("ping", None),
    ("tools/list", {}),
    ("tools/call", {"name": "hud", "arguments": {"call": {"op": "notes.add", "content": "Größe 🙂"}}}),
    ("tools/call", {"name": "hud", "arguments": {"call": {"op": "notes.remove", "id": "n-99"}}}),
    ("tools/call", {"name": "hud", "arguments": {"op": "task", "title": 'A "quoted" \\ title'}}),
    ("tools/call", {"name": "nothing", "arguments": {"id": 7, "nested": [[{"id": None}]]}}),
    ("resources/list", None),
    ("resources/read", {"uri": "hud://current"}),
    ("prompts/get", {"name": "compact", "arguments": {"id": "x"}}),
    ("logging/setLevel", {"level": "info"}),
)  # fmt: skip

HOSTILE = (
    r'"cut \ud83d"', r'"\udc00\ud83d"', "NaN", "-Infinity", "1e999", "9" * 400, "9" * 5_000, "-0.0", "true", "null",
    '""', "[]", "{}", '"\\u0000"', "1.5", "[" * 300 + "]" * 300, "[" * 3_000 + "]" * 3_000, '{"id": 3}', '"\\x"', "'a'",
    '"2.0"', '"ping"', "{" * 50,
)  # fmt: skip
"""Values that stand where another one stood, and texts that are none."""

BYTES = (b"\xff", b"\xc3", b"\xed\xa0\xbd", b"\x00", b"\xef\xbb\xbf", b"\r", b'"', b"{", b"]", b"\\", b"\xe2\x80\xa8")  # fmt: skip


def broken_lines(number: int, seed: int = 1) -> Iterator[bytes]:
    """So many lines, of which each was a request with an id of its own; some still are."""
    chance = random.Random(seed)
    for each in range(number):
        yield _broken(chance, each)


def _broken(chance: random.Random, number: int) -> bytes:
    line = _written(chance, number)
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
        line = chance.choice(MUTATIONS)(chance, line)
    return line.replace(b"\n", b" ")


def _written(chance: random.Random, number: int) -> bytes:
    method, params = chance.choice(CALLS)
    request_id = chance.choice((number, f"id-{number}"))
    known = {} if params is None else {"params": params}
    first: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id, "method": method, **known}
    last: dict[str, Any] = {"method": method, **known, "jsonrpc": "2.0", "id": request_id}
    message: Any = chance.choice((first, last))
    if chance.random() < 0.05:
        message = [message, {**message, "id": f"second-{number}"}, 7][: chance.randrange(1, 4)]
    return json.dumps(message, ensure_ascii=chance.random() < 0.5).encode()


def _replaced(chance: random.Random, line: bytes) -> bytes:
    """A value becomes another one."""
    places = [at for at, byte in enumerate(line) if byte == ord(":")]
    if not places:
        return line
    begin = chance.choice(places) + 1
    try:
        _, length = json.JSONDecoder().raw_decode(line[begin:].decode(errors="replace").lstrip())
    except (ValueError, RecursionError):
        length = 1
    return line[:begin] + chance.choice(HOSTILE).encode() + line[begin + 1 + length :]


def _inserted(chance: random.Random, line: bytes) -> bytes:
    at = chance.randrange(len(line) + 1)
    return line[:at] + chance.choice(BYTES) + line[at:]


def _flipped(chance: random.Random, line: bytes) -> bytes:
    at = chance.randrange(len(line) + 1)
    return line[:at] + bytes([chance.randrange(256)]) + line[at + 1 :]


def _removed(chance: random.Random, line: bytes) -> bytes:
    at = chance.randrange(len(line) + 1)
    return line[:at] + line[at + chance.choice((1, 1, 5, 40)) :]


def _cut(chance: random.Random, line: bytes) -> bytes:
    return line[: chance.randrange(len(line) + 1)]


def _twice(chance: random.Random, line: bytes) -> bytes:
    return line + chance.choice((b"", b",", b" ")) + line


def _member(chance: random.Random, line: bytes) -> bytes:
    """A member is named twice, or has another name."""
    name = chance.choice((b"id", b"jsonrpc", b"method", b"params"))
    if chance.random() < 0.5:
        return line.replace(b'"%b"' % name, b'"%b_"' % name, 1)
    return line.replace(b"{", b'{"%b": %b, ' % (name, chance.choice(HOSTILE).encode()), 1)


def _requoted(_: random.Random, line: bytes) -> bytes:
    return line.replace(b'"', b"'")


MUTATIONS = (_replaced, _replaced, _inserted, _flipped, _removed, _cut, _twice, _member, _requoted)


def answered(*lines: bytes) -> list[dict[str, Any]]:
    """Return what a server with a bridge answers to lines, in this process; its bridge is never asked."""
    link: Any = None
    out = io.BytesIO()
    BridgedServer(link, lambda: CODING, host="codex").run(io.BytesIO(b"\n".join(lines)), out)
    return [json.loads(each) for each in out.getvalue().splitlines()]


def expected(line: bytes) -> Counter[str]:
    """The ids that a line is to be answered with, as JSON; :data:`UNKNOWN` where JSON does not tell it."""
    try:
        message: object = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return Counter({UNKNOWN: len(answered(line))} if line.strip() else {})
    several = message if isinstance(message, list) and message else [message]
    return Counter(filter(None, map(_expected, several)))


def _expected(message: object) -> str | None:
    if not isinstance(message, dict):
        return UNKNOWN
    if "method" not in message and ("result" in message or "error" in message):
        return None
    if "id" in message:
        request_id = message["id"]
        is_id = isinstance(request_id, (str, int, float)) and not isinstance(request_id, bool)
        return json.dumps(request_id) if is_id and math.isfinite(_number(request_id)) else UNKNOWN
    is_notification = (
        message.get("jsonrpc") == "2.0"
        and isinstance(message.get("method"), str)
        and isinstance(message.get("params"), (dict, type(None)))
    )
    return None if is_notification else UNKNOWN


def _number(request_id: str | float) -> float:
    return request_id if isinstance(request_id, float) else 0.0


class Lines:
    """A server over stdio, which is written to line by line."""

    def __init__(self, *command: str, folder: Path) -> None:
        self.process = subprocess.Popen(
            [*python(), "-m", "hud_runtime", "serve", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={"PYTHONPATH": str(ROOT), "UJSX_HOME": str(folder)},
        )
        self.answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self._ear = threading.Thread(target=self._hear, daemon=True)
        self._ear.start()
        self.write(*(json.dumps(each).encode() for each in GREETING))
        assert self.heard()["id"] == "greeting"

    def _hear(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.answers.put(json.loads(line.decode()))  # valid JSON, in valid UTF-8

    def write(self, *lines: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(line + b"\n" for line in lines))
        self.process.stdin.flush()

    def heard(self, patience: float = 60) -> dict[str, Any]:
        """The next answer: what the server itself asks or notes is none."""
        end = time.monotonic() + patience
        while True:
            answer = self.answers.get(timeout=max(end - time.monotonic(), 0.01))
            if "method" not in answer:
                return answer

    def ask(self, line: bytes) -> dict[str, Any]:
        self.write(line)
        return self.heard()

    def end(self) -> int:
        with self.process:
            assert self.process.stdin is not None
            self.process.stdin.close()
            try:
                return self.process.wait(30)
            finally:
                self.process.kill()
                self._ear.join(30)
