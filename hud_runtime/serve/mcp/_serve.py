"""Standard input and output: messages of JSON-RPC, one on each line."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from hud_components import CODING, Domain
from hud_runtime._errors import ServeError
from hud_runtime._limits import Limits
from hud_runtime._location import is_address
from hud_runtime.serve.mcp._messages import (
    INTERNAL_ERROR,
    InvalidMessageError,
    Record,
    error_answer,
    next_messages,
)
from hud_runtime.serve.mcp._sessions import Sessions
from hud_runtime.session import NO_LOOK, AgentLayouts, GivenLook, HudStore
from ujsx.tools import Toolset

if TYPE_CHECKING:
    from mcp.server import Server


def serve(
    store: str | Path | None = None,
    *,
    session: str | None = None,
    project: str | Path | None = None,
    ready: Callable[[str | Path], object] | None = None,
    domain: Domain[Any] = CODING,
    agent_layouts: AgentLayouts = "show",
    toolsets: Sequence[Toolset] = (),
    read_tool: bool = False,
    look: GivenLook = NO_LOOK,
) -> None:
    """Serve a HUD over standard input and output, and return when the client is done.

    :param store: the store's file, or its address; the user's own when ``None``, see :meth:`HudStore.open`.
    :param session: the session's id; the project's session when ``None``.
    :param project: the project's folder; the client's first root when ``None``, or else the
        folder that this process runs in.
    :param ready: called with the store's file, or its address without a password, once it is open, before the client is answered.
    :param domain: that of new sessions, and of the tools.
    :param agent_layouts: what becomes of layouts that agents set; see :class:`HudStore`.
    :param toolsets: tools of your own beside the HUD's, one for each operation; a function's parameter
        ``ctx`` gets the session.
    :param read_tool: whether what only reads is a tool of its own.
    :param look: the layout and the words of the session that the client works in.
    :raises ServeError: where the SDK is not installed, the folder is none, or two tools have one name.
    :raises StoreError: where the store cannot be used.
    """
    folder = None if project is None else Path(project).resolve()
    if folder is not None and not folder.is_dir():
        raise ServeError(f"{project} is not a folder")
    _check_sdk()
    with HudStore.open(
        store, domain=domain, agent_layouts=agent_layouts, components=look.components
    ) as opened:
        sessions = Sessions(opened, session_id=session, folder=folder, look=look)
        if session is not None:
            sessions.current()  # an id that cannot be is told now, not in the first call
        if ready is not None:
            is_file = store is None or not is_address(store)
            ready(Path(opened.place).absolute() if is_file else opened.place)
        _served(sessions, toolsets, read_tool=read_tool)


def refuse(given: BinaryIO, out: BinaryIO, problem: str) -> None:
    r"""Answer what a client asks with why it is not served, until it has asked to begin, or has gone.

    >>> from io import BytesIO
    >>> out = BytesIO()
    >>> refuse(BytesIO(b'{"jsonrpc": "2.0", "id": 1, "method": "initialize"}\n'), out, "no domain")
    >>> out.getvalue()
    b'{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no domain"}}\n'
    """
    with suppress(OSError, ValueError):  # closed, on either side
        while (found := next_messages(given, Limits())) is not None:
            for each in found:
                if isinstance(each, InvalidMessageError):
                    _put(out, each.answer)
                elif each.keys() >= {"id", "method"}:
                    _put(out, error_answer(each["id"], INTERNAL_ERROR, problem))
                    if each["method"] == "initialize":  # newer clients ask something else before
                        return


def _put(out: BinaryIO, answer: Record) -> None:
    out.write(json.dumps(answer, separators=(",", ":")).encode() + b"\n")
    out.flush()


def _check_sdk() -> None:
    if find_spec("mcp") is None or find_spec("mcp_types") is None:
        raise ServeError('the MCP SDK is not installed; pip install "ujsx[mcp]"')


def _served(sessions: Sessions, toolsets: Sequence[Toolset], *, read_tool: bool) -> None:
    from hud_runtime.serve.mcp._server import hud_server

    _run(hud_server(sessions, toolsets=toolsets, read_tool=read_tool))


def _run(server: Server[Any]) -> None:
    import anyio

    from hud_runtime.integrations.bridge import own_input, own_output
    from hud_runtime.serve.mcp._server import serve_lines

    with own_input() as given, own_output() as out:
        anyio.run(serve_lines, server, given, out)
