"""The server over standard input and output: JSON-RPC, one message a line, in the client's session."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from logging import getLogger
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from hud_components import CODING, Domain
from hud_runtime._errors import ServeError, StoreUnavailableError
from hud_runtime._limits import Limits
from hud_runtime._location import is_address
from hud_runtime.serve.mcp._messages import (
    INTERNAL_ERROR,
    InvalidMessageError,
    Record,
    error_answer,
    next_messages,
)
from hud_runtime.session import NO_LOOK, AgentLayouts, GivenLook, HudSession, HudStore
from ujsx import UjsxError
from ujsx.tools import Toolset

_log = getLogger("hud_runtime.serve.mcp")


class Sessions:
    """The sessions of a store, and the client's own.

    A named session is used as it is. Otherwise there is one for each project, whose id is the project's
    folder, so that a client finds it again the next day.

    >>> with HudStore.open(":memory:") as store:
    ...     sessions = Sessions(store, folder=Path("/srv/shop"))
    ...     sessions.current().state().session.project
    '/srv/shop'
    """

    def __init__(
        self,
        store: HudStore[Any],
        *,
        session_id: str | None = None,
        folder: Path | None = None,
        project: str | None = None,
        look: GivenLook = NO_LOOK,
    ) -> None:
        """Find sessions in a store.

        :param folder: the project's folder; the client's first root when None.
        :param project: the project's name, if it is not a folder of this machine.
        :param look: the layout and the words of the client's session.
        """
        self._look = look
        self._store = store
        self._name = project
        self._session_id = session_id
        self._given = folder
        self._roots: Path | None = None
        self._asked = False
        self._domains: dict[str, Domain[Any]] = {}
        self._current: HudSession[Any] | None = None  # a store forgets unreferenced sessions

    @property
    def domain(self) -> Domain[Any]:
        """The domain of the tools: the session's, or that of new sessions if none has begun.

        The first access reads the store.
        """
        if self.wants_roots:
            return self._store.domain
        if self.id not in self._domains:
            try:
                found = self.find(self.id)
            except UjsxError:
                # Calls report the error; a success is cached.
                return self._store.domain
            self._domains[self.id] = self._store.domain if found is None else found.domain
        return self._domains[self.id]

    @property
    def offers_layouts(self) -> bool:
        """True if agents may lay out their HUDs."""
        return self._store.options.agent_layouts == "offer"

    @property
    def wants_roots(self) -> bool:
        """True if the client's folders would decide, and are still unknown."""
        known = (self._session_id, self._given, self._name)
        return all(each is None for each in known) and not self._asked

    def follow(self, uris: Iterable[str]) -> None:
        """Use the first of the client's folders on this machine; if there is none, our working folder."""
        folders = (folder_of(uri) for uri in uris)
        self._roots = next((each for each in folders if each and each.is_dir()), None)
        self._asked = True

    def forget(self) -> None:
        """Ask for the client's folders again: they have changed."""
        self._roots, self._asked = None, False

    @property
    def id(self) -> str:
        """The id of the client's session, begun or not."""
        return self._session_id or self._project

    @property
    def folder(self) -> Path | None:
        """The project's folder; None if it is not on this machine."""
        return None if self._name is not None else self._given or self._roots or Path.cwd()

    @property
    def _project(self) -> str:
        return str(self.folder) if self._name is None else self._name

    def current(self) -> HudSession[Any]:
        """Return the client's session; start it if it is new.

        Raises :class:`hud_runtime.StoreError` for an unusable store.
        """
        if self._current is None or self._current.id != self.id:
            self._work_in(self._store.session(self.id, self._project, as_begun=True))
        assert self._current is not None
        return self._current

    def _work_in(self, session: HudSession[Any]) -> None:
        if session is not self._current and self._look.is_given:
            session.set_look(self._look.layout, self._look.words, on_warning=_log.warning)
        self._current = session

    def version(self, session_id: str) -> int:
        """Return a session's latest version; 0 where it is unknown."""
        try:
            known = self._current
            session = known if known and known.id == session_id else self.find(session_id)
            if session is None:
                return 0
            session.state()  # reads events of other processes
        except UjsxError:  # a call or a read reports the error
            return 0
        return session.version

    def beginning(self, prefix: str) -> list[str]:
        """Return the ids of sessions with this prefix, newest first."""
        known = self._store.sessions()
        return [each for each in reversed(known) if each.startswith(prefix)]

    def find(self, session_id: str) -> HudSession[Any] | None:
        """Return the session with this id, or ``None``; does not start one."""
        return self._store.session(session_id) if session_id in self._store else None

    def shown(self, session_id: str) -> tuple[HudSession[Any] | None, bool]:
        """Return the session to show, or ``None``, and whether it is from memory because the store is away.

        Then only the client's own can be shown, if it was read or called before.
        """
        try:
            found = self.find(session_id)
        except StoreUnavailableError:
            if self._current is None or self._current.id != session_id:
                raise
            return self._current, True
        if found is not None and session_id == self.id:
            self._work_in(found)
        return found, False


def folder_of(uri: str) -> Path | None:
    """Return the folder of a ``file:`` URI, or ``None``.

    >>> folder_of("file:///srv/my%20shop")
    PosixPath('/srv/my shop')
    """
    parts = urlsplit(uri)
    if parts.scheme != "file" or "\0" in unquote(parts.path):
        return None
    folder = Path(url2pathname(parts.path))
    return folder if folder.is_absolute() else None


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
    """Serve a HUD over standard input and output, to the end of the input.

    :param store: the store's file or address; the user's own when ``None``, see :meth:`HudStore.open`.
    :param session: the session's id; the project's session when ``None``.
    :param project: the project's folder; when ``None``, the client's first root, or this process's working
        folder.
    :param ready: called with the store's file, or its address without a password, once it is open, before
        the first answer.
    :param domain: the domain of new sessions, and of the tools.
    :param agent_layouts: the policy for agents' layouts; see :class:`HudStore`.
    :param toolsets: tools of your own beside the HUD's, one for each operation; a function's parameter
        ``ctx`` receives the session.
    :param read_tool: whether operations that only read have a tool of their own.
    :param look: the layout and the words of the client's session.
    :raises ServeError: where the SDK is not installed, the folder is invalid, or two tools have one name.
    :raises StoreError: for an unusable store.
    """
    folder = None if project is None else Path(project).resolve()
    if folder is not None and not folder.is_dir():
        raise ServeError(f"{project} is not a folder")
    check_sdk()
    with HudStore.open(
        store, domain=domain, agent_layouts=agent_layouts, components=look.components
    ) as opened:
        sessions = Sessions(opened, session_id=session, folder=folder, look=look)
        if session is not None:
            sessions.current()  # reports an invalid id now rather than in the first call
        if ready is not None:
            is_file = store is None or not is_address(store)
            ready(Path(opened.place).absolute() if is_file else opened.place)
        _run(sessions, toolsets, read_tool=read_tool)


def refuse(given: BinaryIO, out: BinaryIO, problem: str) -> None:
    r"""Answer a client's requests with the problem, up to its handshake or its end.

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
                    if each["method"] == "initialize":  # newer clients send another request first
                        return


def _put(out: BinaryIO, answer: Record) -> None:
    out.write(json.dumps(answer, separators=(",", ":")).encode() + b"\n")
    out.flush()


def check_sdk(*more: str) -> None:
    """Check that the SDK is installed, and more modules of its extra.

    :raises ServeError: if they are not, with the command that installs them.
    """
    if any(find_spec(each) is None for each in ("mcp", "mcp_types", *more)):
        raise ServeError('the MCP SDK is not installed; pip install "ujsx[mcp]"')


def _run(sessions: Sessions, toolsets: Sequence[Toolset], *, read_tool: bool) -> None:
    import anyio

    from hud_runtime.integrations.bridge import own_input, own_output
    from hud_runtime.serve.mcp._server import hud_server, serve_lines

    server = hud_server(sessions, toolsets=toolsets, read_tool=read_tool)
    with own_input() as given, own_output() as out:
        anyio.run(serve_lines, server, given, out)
