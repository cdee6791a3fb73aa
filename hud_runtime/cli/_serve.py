"""The command that connects an agent to its HUD: a server of the tools, over standard streams or HTTP."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from contextvars import copy_context
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from hud_runtime.cli._bridge import BRIDGED, place
from hud_runtime.cli._click import (
    Declared,
    agent_layouts_option,
    argument,
    json_option,
    look_options,
    option,
    store_options,
    together,
)
from hud_runtime.cli._commands import Options, UsageError, domain, one_of
from hud_runtime.cli._hud_file import keep_files, mark_in
from hud_runtime.cli._render import agent_layouts_of
from hud_runtime.cli._stored import existing
from hud_runtime.cli._target import look_of, name_whole_paths
from hud_runtime.cli._terminal import answer, put, remark
from hud_runtime.projects import is_object

if TYPE_CHECKING:
    from hud_runtime.serve.http import Token, Tokens
    from hud_runtime.session import AgentLayouts
    from ujsx.tools import Toolset


in_token_file: Declared = together(
    option("--tokens", metavar="FILE", help="their file (default: beside the store)"),
    option("--store", metavar="FILE", help="the store that they are of (default: your own)"),
)


def _tokens(options: Options) -> Tokens:
    from hud_runtime.serve.http import Tokens, tokens_beside

    return Tokens(Path(options.tokens) if options.tokens else tokens_beside(options.store))


def _data(token: Token) -> dict[str, object]:
    kind = "metrics" if token.project is None else "project"
    return {"id": token.id, "for": kind, "project": token.project, "made_at": token.made_at}


@argument("project", metavar="PROJECT", required=False, help="the project's name")
@option("--metrics", is_flag=True, help="a token for the figures at /metrics, and nothing else")
@in_token_file
def add_token(options: Options) -> int:
    """Make a token for a project, and print it once; it is not stored.

    A client with it reads and writes the project's sessions only, whose ids begin with PROJECT/. A
    project may have several tokens, such as one for each machine. Running servers accept it at
    once.
    """
    if (options.project is None) != options.metrics:
        raise UsageError("name one project, or give --metrics")
    tokens = _tokens(options)
    token, text = tokens.add(options.project)
    put(f"{text}\n")
    whose = "for the figures" if token.project is None else f"of {token.project}"
    remark(f"token {token.id} {whose}, in {tokens.path}; it is not shown again")
    return 0


@in_token_file
@json_option("them as data")
def listed(options: Options) -> int:
    """List the id, project and date of each token, but not the token itself."""
    tokens = _tokens(options)
    known = tokens.all()
    lines = [
        f"{each.id}  {datetime.fromtimestamp(each.made_at / 1_000, UTC):%Y-%m-%d}  "
        f"{'(metrics)' if each.project is None else each.project}"
        for each in known
    ]
    none = f"there are no tokens in {tokens.path}; `ujsx token add PROJECT` makes one"
    answer([_data(each) for each in known], lines or [none], as_json=options.json)
    return 0


@argument("id", metavar="ID", help="its id, as `ujsx token list` has it")
@in_token_file
def revoke(options: Options) -> int:
    """Revoke a token. Running servers refuse it from their next request on."""
    tokens = _tokens(options)
    tokens.revoke(options.id)
    answer(None, [f"token {options.id} is valid no more"], as_json=False)
    return 0


AGENT_LAYOUTS: tuple[AgentLayouts, ...] = ("offer", "show", "off")


@store_options(is_hosted=True)
@option("--session", metavar="ID", help="the session (default: the one of the project's folder)")
@option(
    "--project",
    metavar="DIR",
    help="the project's folder (default: the client's first root, or the current folder)",
)
@option(
    "--bridge",
    metavar="SOCKET",
    help="let the bridge answer that a coding agent's hooks ask, too; `ujsx install` writes this",
)
@option(
    "--tools",
    metavar="NAME",
    multiple=True,
    help="a toolset of your own that is served beside the HUD's tools, package.module:NAME or "
    "file.py:NAME; may be given several times",
)
@option(
    "--memory",
    is_flag=True,
    help="serve the tool memory, too: past sessions, read and searched (with --bridge, memory_compact as well)",
)
@option(
    "--to",
    metavar="FILE",
    help="with --session, keep all of its HUD in this file, for a host that reads one again with each request",
)
@option(
    "--read-tool",
    is_flag=True,
    help="serve what only reads as a tool of its own, hud_read, which a client may allow for good",
)
@option(
    "--host",
    metavar="HOST",
    words=BRIDGED,
    default=BRIDGED[0],
    help=f"with --bridge, the coding agent: {' or '.join(BRIDGED)} (default: {BRIDGED[0]})",
)
@option(
    "--http",
    metavar="[HOST:]PORT",
    help="serve over HTTP: on this machine alone, unless a host is given (needs tokens)",
)
@option(
    "--tokens", metavar="FILE", help="with --http, the file of tokens (default: beside the store)"
)
@option(
    "--allow-host",
    metavar="NAME",
    multiple=True,
    help="with --http, a name that clients ask for, such as that of a proxy; may be given several times",
)
@option(
    "--limit",
    metavar="NAME=NUMBER",
    multiple=True,
    help="with --http, another limit, such as rate=50; may be given several times",
)
@look_options()
@agent_layouts_option(AGENT_LAYOUTS)
def serve(options: Options) -> int:
    """Serve the HUD to an MCP client over standard input and output.

    A client starts this command by itself, from its configuration, and ends it by closing the
    input. Its agent gets the tools `hud` and `hud_compact`. The session belongs to the client's
    project folder, so the next conversation there continues the same HUD. At the start, the store's
    path goes to standard error, the client's log.

    With --http it serves many clients over Streamable HTTP at /mcp, until SIGTERM. Each sends a
    token of its project, made by `ujsx token`, and reaches that project's sessions only. Without a
    token file, only this machine has access, and to everything.
    """
    _READING.clear()
    name_whole_paths(options)
    for name in (options.layout, options.words):
        if name is not None and not is_object(name):
            existing(name)  # later the default applies; at the start a person can react
    if options.to is not None and (options.session is None or options.bridge or options.http):
        raise UsageError(
            "--to keeps the HUD of one session; name it with --session, without --bridge and --http"
        )
    if options.bridge is not None:
        if options.http is not None:
            raise UsageError("--bridge is for one agent on this machine, and --http for many")
        return _serve_bridged(options)
    if options.http is not None:
        return _serve_http(options)
    if options.tokens is not None or options.allow_host or options.limit:
        raise UsageError("--tokens, --allow-host and --limit are of --http; give it, too")
    from hud_runtime.serve.mcp import serve

    with _keeping_files(options):
        serve(
            options.store,
            session=options.session,
            project=options.project,
            ready=_tell,
            domain=domain(),
            look=look_of(options),
            agent_layouts=agent_layouts_of(options, AGENT_LAYOUTS),
            toolsets=_toolsets(options),
            read_tool=options.read_tool,
        )
    return 0


def _keeping_files(options: Options) -> AbstractContextManager[None]:
    """Keep the files listed for the store current, or the requested one."""
    if options.to is None:
        return keep_files(place(options))
    mark_in(Path(options.to))
    return keep_files(place(options), (options.to, options.session))


def _serve_bridged(options: Options) -> int:
    from hud_runtime.integrations.bridge._place import bridge_program
    from hud_runtime.serve.mcp import serve_bridged

    where = place(options)
    one_of(options.host, BRIDGED, "host whose hooks ask a bridge")
    own = partial(copy_context().run, domain)  # it is called in another thread
    program = bridge_program(where)
    _READING.set()
    serve_bridged(where.socket, program, own, host=options.host, memory=options.memory)
    return 0


def _serve_http(options: Options) -> int:
    if options.memory:
        raise UsageError(
            "--memory reads what this machine's user has done, and is not served over HTTP"
        )
    from hud_runtime.serve.http import ServerLimits, serve_http
    from hud_runtime.session import settings_beside

    folder = None if options.project is None else Path(options.project).resolve()
    if folder is not None and not folder.is_dir():
        raise UsageError(f"{options.project} is not a folder")
    with _keeping_files(options):
        serve_http(
            options.store,
            options.http,
            tokens=None if options.tokens is None else Path(options.tokens),
            hosts=options.allow_host,
            limits=ServerLimits.of(options.limit),
            ready=partial(
                _tell_address, has_outbox=settings_beside(options.store).outbox is not None
            ),
            domain=domain(),
            look=look_of(options),
            agent_layouts=agent_layouts_of(options, AGENT_LAYOUTS),
            toolsets=_toolsets(options),
            read_tool=options.read_tool,
            session=options.session,
            folder=folder,
        )
    return 0


def _toolsets(options: Options) -> list[Toolset]:
    """The toolsets that are served in addition to the HUD's tools."""
    given = [_toolset_of(name) for name in options.tools]
    if options.memory:
        from hud_runtime.history import MEMORY

        given.append(MEMORY)
    return given


def _toolset_of(name: str) -> Toolset:
    """The toolset with a name in a module."""
    from hud_runtime.projects import kind_of, load_object, with_whole_path
    from ujsx.tools import Toolset

    found = load_object(with_whole_path(name))
    if isinstance(found, Toolset):
        return found
    raise UsageError(f"{name} is {kind_of(found)}, not a Toolset")


_READING = Event()
"""Set once the server reads its client's messages."""


def refuse_client(arguments: Sequence[str], problem: str) -> None:
    """Report to an MCP client, in answer to its requests, why its server does not start.

    A person who typed the command gets it on standard error, without waiting.
    """
    if _READING.is_set() or any(each.partition("=")[0] == "--http" for each in arguments):
        return
    if sys.stdin is not None and not sys.stdin.isatty():
        from hud_runtime.serve.mcp import refuse

        refuse(sys.stdin.buffer, sys.stdout.buffer, problem)


def _tell(store: str | Path) -> None:
    _READING.set()
    # The protocol allows a server to log to standard error (MCP 2025-06-18, transports, stdio).
    remark(f"ujsx serve: the store is {store}")


def _tell_address(address: str, store: str, *, has_outbox: bool) -> None:
    remark(f"ujsx serve: {address}, the store is {store}")
    if has_outbox:
        remark(
            "ujsx serve: the outbox of context.toml is not for a server over HTTP: what it cannot record, it refuses"
        )
