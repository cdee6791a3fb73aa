"""The client of a request: the project of its token, and the session that it names."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_runtime.mcp._server import Client
from hud_runtime.mcp._sessions import Sessions
from hud_runtime.serving._project_log import SEPARATOR, ProjectLog
from hud_runtime.session import NO_LOOK, GivenLook, HudStore
from hud_runtime.store import EventStore

if TYPE_CHECKING:
    from hud_runtime.serving._news import News

NAME = re.compile(r"(?!\s)[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{1,200}(?<!\s)")
"""A session's name in a request: up to 200 characters on one line, without white space at its edges."""


class Clients:
    """The sessions that requests are of, those used last in memory.

    :param store_of: makes a store of a log.
    :param most: sessions in memory at most.
    :param recorded: told of how many events were appended.
    :param session: the session of requests that name none, where there are no projects.
    :param folder: the project's folder, likewise.
    :param look: the layout and the words of the sessions.
    """

    def __init__(
        self,
        log: EventStore,
        store_of: Callable[[EventStore], HudStore[Any]],
        news: News,
        *,
        most: int,
        recorded: Callable[[int], object],
        session: str | None = None,
        folder: Path | None = None,
        look: GivenLook = NO_LOOK,
    ) -> None:
        self._look = look
        self._log = log
        self._store_of = store_of
        self._news = news
        self._most = most
        self._recorded = recorded
        self._session = session
        self._folder = folder
        self._stores: dict[str | None, HudStore[Any]] = {}
        self._known: OrderedDict[tuple[str | None, str | None], Client] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def of(self, project: str | None, name: str | None) -> Client:
        """Return the client of a request.

        :param project: its token's; None where there are no tokens, and then all sessions are its.
        :param name: the session, as the request calls it: ``main`` and ``shop/main`` are the same of ``shop``. The
            project's own when None.
        """
        session_id = self._session if name is None else name
        if project is not None:
            session_id = _within(project, name)
        key = project, session_id
        client = self._known.pop(key, None) or self._made(project, session_id)
        self._known[key] = client
        while len(self._known) > self._most:
            self._known.popitem(last=False)
        return client

    def _made(self, project: str | None, session_id: str | None) -> Client:
        store = self._stores.get(project)
        if store is None:
            log = ProjectLog(self._log, project, self._recorded)
            store = self._stores[project] = self._store_of(log)
        folder = self._folder if project is None else None
        sessions = Sessions(
            store, session_id=session_id, folder=folder, project=project, look=self._look
        )
        return Client(sessions, _Pause(self._news))


class _Pause:
    """Waits for news as one who waits, so that none is missed between two waits."""

    def __init__(self, news: News) -> None:
        self._news = news

    def __call__(self, ids: list[str]) -> Awaitable[None]:
        return self._news.wait(self, ids)


def _within(project: str, name: str | None) -> str:
    """Return the id of a project's session.

    >>> _within("shop", None), _within("shop", "main"), _within("shop", "shop/main")
    ('shop', 'shop/main', 'shop/main')
    """
    if name is None or name == project or name.startswith(f"{project}{SEPARATOR}"):
        return project if name is None else name
    return f"{project}{SEPARATOR}{name}"
