"""The tool ``memory``: past sessions for the agent that has them, and its HUD under the names of a document.

One tool, so that a request pays for one schema. Where OpenCode has no database here, or does not know the session,
the operations on the session answer from its own log, as those of the tool ``hud`` do.
"""

from __future__ import annotations

from pathlib import Path

from hud_runtime._errors import HistoryError
from hud_runtime.history import _aliases
from hud_runtime.history._opencode import OpenCodeHistory
from hud_runtime.history._own_log import (
    newer_than,
    own_answer,
    own_compactions,
    own_counts,
    own_sessions,
)
from hud_runtime.history._place import found_database
from hud_runtime.history._plans import plan, plans
from hud_runtime.history._records import context_data, data_of
from hud_runtime.history._shown import (
    checkpoint_of,
    shown_checkpoint,
    shown_checkpoints,
    shown_context,
    shown_counts,
    shown_found,
    shown_message,
    shown_page,
    shown_plan,
    shown_plans,
    shown_sessions,
    written,
)
from ujsx import Child
from ujsx.errors import quoted
from ujsx.tools import LONGEST_ANSWER, Operation, ToolResult, Toolset

NAME = "memory"

DESCRIPTION = (
    "Past sessions: read, searched; without session_id the current one. help(tool) tells more. "
    'E.g. {"call":{"op":"search","query":"…"}}'
)

MOST = 100
"""What a call returns at most, whatever it asks for."""


def memory_toolset(
    database: str | Path | None = None, *, hud: bool = False, limit: int = LONGEST_ANSWER
) -> Toolset:
    """Return the tool ``memory``, to be given to a host or a server beside the HUD's tools.

    :param database: OpenCode's database; when None, the one that is found at each call, if there is one.
    :param hud: whether the schema has the operations on the HUD, ``hud_note`` and so on: for agents that have not
        the tool ``hud``. They can be called in any case, and ``help`` tells of them.
    :param limit: characters of an answer at most.

    >>> from hud_runtime import HudStore
    >>> memory = memory_toolset("/nowhere/opencode.db")
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     print(memory.call("memory", {"tool": "hud_note", "args": {"note": "Port 8080"}}, context=session))
    Added n-2.
    no task · 1 note
    """
    asked = _Memory(database)
    made: list[Toolset] = []

    def help(ctx: object, tool: str | None = None) -> str:  # noqa: A001 - as the operation is called
        """On an operation and its arguments, or on all."""
        del ctx
        return made[0].describe(tool)

    reading = (
        asked.summary, asked.sessions, asked.messages, asked.message, asked.search, asked.compactions,
        asked.context, asked.plans,
    )  # fmt: skip
    operations = [
        *(Operation.of(each, reads=True) for each in reading),
        Operation.of(asked.children, reads=True, rare=True),
        *_aliases.operations(rare=not hud),
        Operation.of(help, reads=True),
    ]
    made.append(Toolset(operations, name=NAME, description=DESCRIPTION, limit=limit, one_tool=True))
    return made[0]


class _Memory:
    """The operations on past sessions."""

    def __init__(self, database: str | Path | None) -> None:
        self._database = database

    def _opened(self) -> OpenCodeHistory | None:
        """OpenCode's history; None where there is none here."""
        place = found_database() if self._database is None else Path(self._database)
        return OpenCodeHistory(place) if place is not None and place.exists() else None

    def summary(self, ctx: object) -> ToolResult:
        """How much there is."""
        history = self._opened()
        if history is None:
            return own_counts(ctx)
        with history:
            found = history.counts()
        return _told(shown_counts(found), found)

    def sessions(
        self, ctx: object, limit: int = 20, after: int = 0, project_path: str | None = None
    ) -> ToolResult:
        """The last used first.

        :param after: How many to pass over.
        :param project_path: Those of a folder, and of the folders in it.
        """
        limit, after = _within(limit), max(after, 0)
        history = self._opened()
        if history is None:
            own = own_sessions(ctx, project_path)
            found, is_last = own[after : after + limit], len(own) <= after + limit
        else:
            with history:
                found = history.sessions(limit=limit + 1, after=after, project=project_path)
            is_last = len(found) <= limit
            found = found[:limit]
        return _told(shown_sessions(found, after, more=not is_last), found)

    def children(self, ctx: object, session_id: str | None = None, limit: int = 20) -> ToolResult:
        """Sessions of a session's subagents.

        :param session_id: The current one when it is not given.
        """
        history, name = self._session(ctx, session_id)
        if history is None:
            own = [each for each in own_sessions(ctx, None) if each.parent == name]
            return _told(shown_sessions(own[: _within(limit)]), own)
        with history:
            found = history.children(name, limit=_within(limit))
        return _told(shown_sessions(found), found)

    def messages(
        self, ctx: object, session_id: str | None = None, limit: int = 20, before: int | None = None
    ) -> ToolResult:
        """A session as a transcript, its last messages.

        :param session_id: The current one when it is not given, or "last".
        :param before: Those before the message of that number.
        """
        history, name = self._session(ctx, session_id)
        if history is None:
            return own_answer(ctx, "history", limit=_within(limit), after=newer_than(ctx, before))
        with history:
            page = history.messages(name, limit=_within(limit), before=before)
        return _told(shown_page(page), page)

    def message(self, ctx: object, message_id: str) -> ToolResult:
        """One, whole."""
        del ctx
        history = self._opened()
        if history is None:
            raise HistoryError(
                "messages are kept by OpenCode, which has no database here; `messages` tells what was recorded"
            )
        with history:
            found = history.message(message_id)
        return _told(shown_message(found), found)

    def search(
        self,
        ctx: object,
        query: str,
        session_id: str | None = None,
        limit: int = 10,
        after: int = 0,
    ) -> ToolResult:
        """In all that was said.

        :param query: Words that must all be there, in any order.
        :param session_id: In one session alone.
        """
        limit, after = _within(limit), max(after, 0)
        history = self._opened()
        if history is None:
            return own_answer(ctx, "search", query=query, limit=limit, after=after)
        with history:
            found = history.search(query, session=session_id, limit=limit, after=after)
        return _told(shown_found(found, after), found)

    def compactions(
        self, ctx: object, session_id: str | None = None, read: int | None = None
    ) -> ToolResult:
        """Summaries, listed or read.

        :param session_id: The current one when it is not given.
        :param read: The number of the one to read, from 1 on.
        """
        history, name = self._session(ctx, session_id)
        if history is None:
            return own_compactions(ctx, read)
        with history:
            found = history.compactions(name)
        if read is None:
            return _told(shown_checkpoints(found), found)
        one = checkpoint_of(found, read)
        return _told(shown_checkpoint(one, len(found)), one)

    def context(self, ctx: object, session_id: str | None = None) -> ToolResult:
        """How full it is, exactly.

        :param session_id: The current one when it is not given.
        """
        if session_id is None and ctx is not None and _aliases.hud_of(ctx).context() is not None:
            # The host tells the window, and OpenCode's database does not.
            return own_answer(ctx, "context")
        history, name = self._session(ctx, session_id)
        if history is None:
            return own_answer(ctx, "context")
        with history:
            use = history.context(name)
        return ToolResult(written(shown_context(use)), data=context_data(use))

    def plans(self, ctx: object, read: str | None = None) -> ToolResult:
        """Plan files, listed or read.

        :param read: The name of the one to read.
        """
        folder = _project(ctx)
        if read is None:
            found = plans(folder, limit=MOST)
            return _told(shown_plans(found), found)
        one = plan(read, folder)
        return _told(shown_plan(one), one)

    def _session(self, ctx: object, name: str | None) -> tuple[OpenCodeHistory | None, str]:
        """The history that has a session, and its id there; no history where the session's own log answers.

        :raises HistoryError: for a session that is named and that nobody has.
        """
        own = None if ctx is None else str(_aliases.hud_of(ctx).id)
        history = self._opened()
        is_own = name is None or name == own
        if history is not None:
            found = history.find((own or "last").rpartition("/")[2] if name is None else name)
            if found is not None:
                return history, found.id
            history.close()
        if is_own and own is not None:
            return None, own
        if history is None:
            raise HistoryError(
                f"OpenCode has no database here, and this session's own log is all that can be read: leave"
                f" session_id out, not {quoted(name or '')}"
            )
        raise HistoryError(f"there is no session {quoted(name or '')}; `sessions` lists them")


def _within(limit: int) -> int:
    return min(max(limit, 1), MOST)


def _told(node: Child, found: object) -> ToolResult:
    return ToolResult(written(node), data=data_of(found))


def _project(ctx: object) -> Path | None:
    """The folder that the host says the session works in; where this process runs when it says none."""
    info = None if ctx is None else getattr(_aliases.hud_of(ctx).known, "session", None)
    named = None if info is None else info.project
    path = Path.cwd() if named is None else Path(named)
    return path if path.is_absolute() else None


MEMORY = memory_toolset()
"""The tool, over OpenCode's database where it is found: ``ujsx serve --tools hud_runtime.history:MEMORY``."""
