"""Runs the server over HTTP until it is told to stop."""

from __future__ import annotations

import logging
import signal
import socket
import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_components import CODING, Domain
from hud_runtime._errors import ServeError
from hud_runtime.serving._server_limits import ServerLimits
from hud_runtime.serving._tokens import Tokens, tokens_beside
from hud_runtime.session import NO_LOOK, AgentLayouts, GivenLook, settings_beside
from hud_runtime.session._open_log import open_log
from ujsx.errors import quoted, shown
from ujsx.tools import Toolset

if TYPE_CHECKING:
    from hud_runtime.serving._application import Application

HOST = "127.0.0.1"
"""The host that it listens on when none is given."""

NEEDED = ("mcp", "starlette", "uvicorn")
"""The modules that it needs; the SDK brings the others."""


def serve_http(
    store: str | Path | None,
    address: str,
    *,
    tokens: Path | None = None,
    hosts: Collection[str] = (),
    limits: ServerLimits | None = None,
    ready: Callable[[str, str], object] | None = None,
    domain: Domain[Any] = CODING,
    look: GivenLook = NO_LOOK,
    agent_layouts: AgentLayouts = "show",
    toolsets: Sequence[Toolset] = (),
    read_tool: bool = False,
    session: str | None = None,
    folder: Path | None = None,
) -> None:
    """Serve a store over HTTP, and return when the process was told to stop (SIGTERM).

    :param store: the store's file, or its address; the user's own when ``None``.
    :param address: ``PORT`` or ``HOST:PORT``; without a host this machine alone can ask. Port 0 is one that is free.
    :param tokens: the file of tokens; the one beside the store when ``None``. Where there is none, everybody on this
        machine may ask for everything, and no other address is listened on.
    :param hosts: further names that clients know the server by.
    :param limits: how much it takes from its clients.
    :param ready: called with the address to ask, and the store's place, once it is asked.
    :param domain: that of new sessions, and of the tools.
    :param look: the layout and the words of sessions that clients work in.
    :param agent_layouts: what becomes of layouts that agents set; see :class:`HudStore`.
    :param toolsets: tools of your own; a function's parameter ``ctx`` gets the session.
    :param read_tool: whether what only reads is a tool of its own.
    :param session: the session of who names none, without tokens.
    :param folder: the project's folder, without tokens; the current one when ``None``.
    :raises ServeError: for an address that cannot be listened on, or not without tokens; for tokens that cannot be used;
        where the SDK is not installed.
    :raises StoreError: where the store cannot be used.
    """
    check_extra()
    host, port = host_and_port(address)
    family, place, is_here = _place(host, port)
    known = Tokens(tokens or tokens_beside(store))
    is_guarded = known.exists() or tokens is not None
    if is_guarded and (session is not None or folder is not None):
        raise ServeError(
            "with tokens, requests name their sessions and tokens their projects; leave --session and --project"
            " out"
        )
    if not is_here:
        _check_open(host, known, hosts)
    elif is_guarded:
        known.all()  # a file that cannot be used is told now
    names = {_bare(host), *(each.lower() for each in hosts)} - {"0.0.0.0", "[::]"}  # noqa: S104
    with closing(open_log(store)) as log:
        from hud_runtime.serving._application import Application
        from hud_runtime.serving._asked import LOOPBACK
        from hud_runtime.serving._http import listening_socket

        app = Application(
            log,
            known,
            is_open=not is_guarded,
            hosts=names | {*LOOPBACK} if is_here else names,
            limits=limits,
            domain=domain,
            look=look,
            agent_layouts=agent_layouts,
            toolsets=toolsets,
            read_tool=read_tool,
            settings=settings_beside(store),
            session=session,
            folder=None if is_guarded else (folder or Path.cwd()),
        )
        try:
            listening = listening_socket(family, place)
        except OSError as error:
            raise ServeError(
                f"{host}:{port} cannot be listened on: {error.strerror or error}"
            ) from None
        with listening:
            own = listening.getsockname()[1]
            where = (
                log.place
                if log.place.startswith("postgresql:")
                else str(Path(log.place).absolute())
            )
            _run(app, listening, lambda: ready and ready(f"http://{_bare(host)}:{own}/mcp", where))


def check_extra() -> None:
    """Look whether the extra is installed.

    :raises ServeError: where it is not, with how it can be.
    """
    if any(find_spec(each) is None for each in NEEDED):
        raise ServeError('the MCP SDK is not installed; pip install "ujsx[mcp]"')


def host_and_port(address: str) -> tuple[str, int]:
    """Return the two parts of an address.

    :raises ServeError: for what is none.

    >>> host_and_port("8080"), host_and_port("[::1]:8080")
    (('127.0.0.1', 8080), ('::1', 8080))
    """
    host, _, port = address.rpartition(":")
    is_port = port.isascii() and port.isdecimal() and len(port) < 6 and int(port) < 65_536
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not is_port or (not host and ":" in address) or (":" in bare) != (bare != host):
        raise ServeError(f"{quoted(address)} is no address; say PORT, HOST:PORT or [HOST]:PORT")
    return bare or HOST, int(port)


def _place(host: str, port: int) -> tuple[socket.AddressFamily, tuple[str, int], bool]:
    """Return what to listen on, and whether this machine alone can reach it."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise ServeError(
            f"there is no host {shown(host)}; give a name or a number of this machine"
        ) from None
    family, *_, place = found[0]
    is_here = all(ip_address(str(each[4][0]).partition("%")[0]).is_loopback for each in found)
    return family, (str(place[0]), port), is_here


def _bare(host: str) -> str:
    return f"[{host}]" if ":" in host else host.lower()


def _check_open(host: str, tokens: Tokens, hosts: Collection[str]) -> None:
    """Refuse to be reached by other machines without tokens, and without a name."""
    if not any(each.project is not None for each in tokens.all()):
        raise ServeError(
            f"other machines could reach {host}, and there is no token in {tokens.path}:"
            " `ujsx token add PROJECT` makes one, or leave the host out"
        )
    if host in {"0.0.0.0", "::"} and not hosts:  # noqa: S104 - it is asked for
        raise ServeError(
            f"{host} is no name that clients ask for; say which they do: --allow-host hud.example"
        )


def _passed_over(number: int, frame: object) -> None:
    """Do nothing for a signal."""


def _run(app: Application, listening: socket.socket, ready: Callable[[], object]) -> None:
    from hud_runtime.serving._http import HttpServer

    # What the SDK logs of a broken request may hold its texts, and goes to standard error by default.
    sdk = logging.getLogger("mcp")
    if not sdk.handlers:
        sdk.addHandler(logging.NullHandler())

    async def stop() -> None:
        app.stop()

    server = HttpServer(
        app,
        listening,
        connections=app.limits.connections,
        head=app.limits.head,
        stopping=app.limits.stopping,
        begun=ready,
        ends=stop,
        refused=lambda why: app.metrics.count("ujsx_refused_total", why=why),
    )
    app.metrics.gauges["ujsx_connections_now"] = lambda: len(server.connections)
    # uvicorn hands a signal on when it has stopped, to end the process by it; to stop is no failure.
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, _passed_over) if is_main else None
    try:
        server.run()
    finally:
        if is_main:
            signal.signal(signal.SIGTERM, before)
