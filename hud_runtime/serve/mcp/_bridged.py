"""The MCP server of a host whose hooks have a bridge, which answers its calls and hooks.

One process, the bridge, knows the sessions, however many servers a host starts, and this one needs no
store. A host's first request does not wait for its servers, while importing the SDK takes a second, and
starting the bridge another. So this server implements only the handshake, the list of tools and their
calls, without the SDK. It reads the offered tools from a file, until the bridge reports others.
"""

from __future__ import annotations

import json
import logging
import os
import stat
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from hud_runtime._errors import ServeError
from hud_runtime._limits import Limits
from hud_runtime.serve.mcp._messages import (
    HINTS,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    REPLACED,
    REPLACED_HINT,
    InvalidMessageError,
    Record,
    error_answer,
    next_messages,
)
from ujsx import __version__

if TYPE_CHECKING:
    from hud_components import Domain
    from hud_runtime.integrations.bridge import BridgeLink

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Versions of the protocol with a handshake, newest first. Clients of later ones fall back to it when told
that their own beginning is unknown (MCP 2026-07-28, versioning).
"""

HOOK = "hook"
"""The tool for hooks; the host's settings hide it from the model."""

ALWAYS = {"anthropic/alwaysLoad": True}
"""Puts the schema of ``hud`` into the first request: agents do not use a tool that they must search for.
The others are seldom called, so a host may defer them.
"""

BEFORE_CALL = "PreToolUse"
"""The event by which a hook announces a call of the HUD's tools."""

JOINED = 1_000
"""Calls announced by hooks and not yet received, at most."""

DESCRIBED = "tools"
"""The kind of the request for a server's tools."""

_log = logging.getLogger("hud_runtime.serve.mcp")


class _ParamsError(Exception):
    """Invalid parameters of a request."""


def _of_claude_code(meta: Record) -> dict[str, object]:
    """Return the call's id, with which hooks have announced its owner."""
    return {
        "tool_use_id": meta.get("claudecode/toolUseId"),
        "session_id": os.environ.get("CLAUDE_CODE_SESSION_ID"),
        "cwd": os.environ.get("CLAUDE_PROJECT_DIR"),
    }


def _of_codex(meta: Record) -> dict[str, object]:
    """Return the call's session and thread; a subagent has its own thread."""
    told = _record(meta.get("x-codex-turn-metadata"))
    return {"session_id": told.get("session_id"), "thread_id": told.get("thread_id")}


def _of_process(_meta: Record) -> dict[str, object]:
    """Return the server's process, for hooks that announce calls by content; a host may also name its
    session in the environment.
    """
    return {"session_id": os.environ.get("QWEN_CODE_SESSION_ID"), "server": os.getpid()}


OWNERS: Mapping[str, Callable[[Record], dict[str, object]]] = {
    "claude-code": _of_claude_code,
    "codex": _of_codex,
}
"""By host: the owner of a call, where the call or the environment identifies it better than usual."""

WITH_HOOK = frozenset({"claude-code"})
"""Hosts whose hooks call the server."""

WITH_MEMORY = "+memory"
"""The suffix of a host's name whose agents also get the tools for memory."""

FOR_MEMORY = frozenset({"memory", "memory_compact"})
"""Those tools. Calls are refused where they are not offered."""


def offered_to(host: str, *, memory: bool) -> str:
    """Return the name under which a host's tools are stored.

    >>> offered_to("codex", memory=True)
    'codex+memory'
    """
    return f"{host}{WITH_MEMORY}" if memory else host


def described(domain: Domain[Any], host: str) -> dict[str, Any]:
    """Return the server's instructions and tools for a host.

    :param host: the host's name; the suffix ``+memory`` adds access to past sessions, and
        ``memory_compact`` to request a compaction.

    >>> from hud_components import CODING
    >>> [each["name"] for each in described(CODING, "codex")["tools"]]
    ['hud', 'hud_compact']
    >>> [each["name"] for each in described(CODING, "codex+memory")["tools"]]
    ['hud', 'hud_compact', 'memory_compact', 'memory']
    """
    from hud_runtime.tools import definitions, instructions_of

    host, more = host.removesuffix(WITH_MEMORY), host.endswith(WITH_MEMORY)
    listed = definitions("mcp", domain=domain, memory_compact=more)
    if more:
        from hud_runtime.history import MEMORY

        listed += MEMORY.definitions("mcp")
    tools: list[dict[str, Any]] = [{**each, "annotations": {**HINTS}} for each in listed]
    tools[0]["_meta"] = ALWAYS
    if host in WITH_HOOK:
        about = "Answers the host's hooks; nothing for you to call."
        tools.append({"name": HOOK, "description": about, "inputSchema": {"type": "object"}})
    return {"instructions": instructions_of(domain, is_shown=True), "tools": tools}


class DescribedServer:
    """A server's instructions and tools, in a file beside the bridge's socket: no host waits for its start.

    :param socket: the bridge's.
    :param host: the name from :func:`offered_to`.
    """

    def __init__(self, socket: Path, host: str) -> None:
        self._path = socket.with_suffix(f".{host}.json")

    def read(self) -> Record | None:
        """Return the last stored ones; None if there are none, or those of another version or user."""
        from hud_runtime.integrations.bridge._client import is_own

        try:
            if not is_own(str(self._path.parent), stat.S_IFDIR):
                return None
            kept = _record(json.loads(self._path.read_bytes()))
        except (OSError, ValueError):
            return None
        found = _record(kept.get("described"))
        is_whole = kept.get("version") == __version__ and found.keys() >= {"instructions", "tools"}
        return found if is_whole else None

    def keep(self, offered: Record) -> None:
        """Store them for later servers.

        :raises ServeError: for a folder that is not ours.
        """
        from hud_runtime.integrations._settings_file import write_file
        from hud_runtime.integrations.bridge._place import own_folder

        own_folder(self._path.parent)
        text = json.dumps({"version": __version__, "described": offered})
        write_file(self._path, text, private=True)


class BridgedServer:
    """A server for one client.

    :param link: the connection to the bridge.
    :param domain: returns the domain of new sessions; called only if the bridge cannot be reached.
    :param host: the kind of host whose hooks use the same bridge.
    :param memory: whether to offer the tools for memory as well.
    :param kept: the stored tools.
    """

    def __init__(
        self,
        link: BridgeLink,
        domain: Callable[[], Domain[Any]],
        *,
        host: str = "claude-code",
        memory: bool = False,
        kept: DescribedServer | None = None,
    ) -> None:
        self._link = link
        self._domain = domain
        self._host = host
        self._offers = offered_to(host, memory=memory)
        self._kept = kept
        self._lock = threading.Lock()
        self._describing = threading.Lock()
        self._offered: Record | None = None
        self._is_old = False
        """Whether the offered tools are the stored ones, and the bridge was not asked yet."""
        self._is_listed = False
        self._callers: OrderedDict[str, Record] = OrderedDict()
        """Owners of announced calls, by the call's id."""
        self._methods: Mapping[str, Callable[[Record], dict[str, Any]]] = {
            "initialize": self._initialize,
            "ping": lambda _: {},
            "tools/list": self._list,
            "tools/call": self._call,
        }

    def run(self, given: BinaryIO, out: BinaryIO) -> None:
        """Answer messages, one a line and each when it is ready, to the end of the input."""
        from hud_runtime.integrations.bridge import do_at_once

        limits = Limits.of_environment()

        def heard() -> Callable[[], object] | None:
            found = next_messages(given, limits)
            return None if found is None else partial(self._serve, found, out)

        do_at_once(heard)

    def answer(self, message: Record) -> dict[str, Any] | None:
        """Return the answer to a message; None for one without.

        >>> from typing import Any
        >>> link: Any = None
        >>> BridgedServer(link, lambda: None).answer({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        {'jsonrpc': '2.0', 'id': 1, 'result': {}}
        """
        if "id" not in message or "method" not in message:  # a notification, or an answer
            return None
        request_id, method = message["id"], message["method"]
        work = self._methods.get(method)
        if work is None:
            return error_answer(request_id, METHOD_NOT_FOUND, f"Method not found: {method}")
        try:
            return {
                "jsonrpc": "2.0",
                "id": request_id,
                "result": work(_record(message.get("params"))),
            }
        except _ParamsError as error:
            return error_answer(request_id, INVALID_PARAMS, str(error))
        except Exception:  # noqa: BLE001 - one request is no reason to end
            _log.exception("a request to the server")
            problem = "the server has failed; its log says why"
            return error_answer(request_id, INTERNAL_ERROR, problem)

    def _serve(self, found: Sequence[Record | InvalidMessageError], out: BinaryIO) -> None:
        told = None
        for each in found:
            told = each.answer if isinstance(each, InvalidMessageError) else self.answer(each)
            if told is not None:
                self._write(told, out)
        if told is not None and self._is_listed and self._renewed():
            self._write({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}, out)

    def _write(self, message: object, out: BinaryIO) -> None:
        text = json.dumps(message).encode() + b"\n"
        with self._lock, suppress(OSError):  # the client has left
            out.write(text)
            out.flush()

    # --- A client's requests ---

    def _initialize(self, params: Record) -> dict[str, Any]:
        wanted = params.get("protocolVersion")
        return {
            "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "ujsx", "title": "Agent HUD", "version": __version__},
            "instructions": self._described["instructions"],
        }

    def _list(self, _params: Record) -> dict[str, Any]:
        listed = {"tools": self._described["tools"]}
        self._is_listed = True
        return listed

    @property
    def _described(self) -> Record:
        """Return the offered tools: the stored ones, or the bridge's, which has the library loaded."""
        with self._describing:  # concurrent requests, if a host does not wait for the handshake
            if self._offered is None:
                self._offered = None if self._kept is None else self._kept.read()
                self._is_old = self._offered is not None
            if self._offered is None:
                self._offered = self._ask_bridge() or described(self._domain(), self._offers)
            return self._offered

    def _renewed(self) -> bool:
        """Ask the bridge where the stored tools were offered; return whether they have changed."""
        with self._describing:
            is_old, self._is_old = self._is_old, False
            before = self._offered
            if is_old:
                self._offered = self._ask_bridge() or before
            return self._offered != before

    def _ask_bridge(self) -> Record | None:
        """Return and store the bridge's tools; None where it cannot be reached."""
        told = self._link.ask(DESCRIBED, self._offers.encode())
        if not told:
            return None
        found: Record = json.loads(told)
        if self._kept is not None and found != self._offered:
            try:
                self._kept.keep(found)
            except (OSError, ServeError):  # the next request tries again
                _log.debug("could not keep what is offered", exc_info=True)
        return found

    def _call(self, params: Record) -> dict[str, Any]:
        name, given = params.get("name"), params.get("arguments")
        if not isinstance(name, str):
            raise _ParamsError("params.name is the name of a tool")
        if not isinstance(given, dict | None):
            raise _ParamsError("params.arguments is an object")
        given = cast("object", given or {})
        if name == HOOK and self._host in WITH_HOOK:
            self._join(_record(given))
            said = self._link.ask(self._host, json.dumps(given).encode())
            return {"content": _text(said or ""), "isError": False}
        if name in FOR_MEMORY and self._offers == self._host:
            text = f"there is no tool {name} here; `ujsx install {self._host} --memory` gives it"
            return {"content": _text(text), "isError": True}
        given_meta = _record(params.get("_meta"))
        owner = OWNERS.get(self._host, _of_process)(given_meta)
        joined = self._callers.pop(str(owner.get("tool_use_id")), {})
        asked = {"tool": name, "arguments": given, **owner, **joined}
        told = self._link.ask(f"{self._host}-call", json.dumps(asked).encode())
        if not told:
            text = "the HUD cannot be reached now; go on without, and try again later"
            return {"content": _text(text), "isError": True}
        result = json.loads(told)
        meta = {} if result["meta"] is None else {"_meta": result["meta"]}
        hint = f"\n{REPLACED_HINT}" if REPLACED in given_meta else ""
        return {"content": _text(result["text"] + hint), "isError": result["is_error"], **meta}

    def _join(self, event: Record) -> None:
        """Remember the owner of a call that a hook announces."""
        call = event.get("tool_use_id")
        if event.get("hook_event_name") == BEFORE_CALL and isinstance(call, str):
            self._callers[call] = {each: event.get(each) for each in ("session_id", "agent_id")}
            while len(self._callers) > JOINED:
                self._callers.popitem(last=False)


def _record(value: object) -> Record:
    return cast("Record", value) if isinstance(value, dict) else {}


def _text(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text}]


def serve_bridged(
    socket: Path,
    program: Sequence[str],
    domain: Callable[[], Domain[Any]],
    *,
    host: str = "claude-code",
    memory: bool = False,
) -> None:
    """Serve a host whose hooks have a bridge over standard input and output, to the end of the input.

    :param socket: the bridge's.
    :param program: the command that starts the bridge if it is not running.
    :param domain: returns the domain of new sessions; called only if the bridge cannot be reached.
    :param host: the host.
    :param memory: whether to offer the tools for memory as well.
    """
    from hud_runtime.integrations.bridge import BridgeLink as Link
    from hud_runtime.integrations.bridge import own_output

    server = BridgedServer(
        Link(socket, program),
        domain,
        host=host,
        memory=memory,
        kept=DescribedServer(socket, offered_to(host, memory=memory)),
    )
    with own_output() as out:
        server.run(sys.stdin.buffer, out)
