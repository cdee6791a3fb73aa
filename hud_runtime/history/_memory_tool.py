"""The tool ``memory``: an agent's past sessions."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hud_runtime._errors import HistoryError
from hud_runtime._limits import Limits
from hud_runtime.history import _records, _shown
from hud_runtime.history._opencode import OpenCodeHistory
from hud_runtime.history._records import Counts, PastSession, Plan, context_data, data_of
from hud_runtime.transcripts._opencode_database import data_folder, found_database
from ujsx import Child
from ujsx.errors import did_you_mean, quoted
from ujsx.tools import LONGEST_ANSWER, Operation, ToolResult, Toolset

# The answers of the tool ``memory`` from the session's own log, without another program's sessions.


def newer_than(ctx: object, before: int | None) -> int:
    """The number of events to skip, so that those before a number come first."""
    return 0 if before is None else max(_records.hud_of(ctx).version - max(before, 1) + 1, 0)


def own_compactions(ctx: object, read: int | None) -> ToolResult:
    """The summaries of the session's own compactions, or one of them by its number."""
    if read is None:
        return _records.called(ctx, "summaries.list")
    found = _records.hud_of(ctx).summaries()
    if not 1 <= read <= len(found):
        raise HistoryError(f"there is no compaction {read}: there are {len(found)}, counted from 1")
    return _records.called(ctx, "summaries.get", id=str(found[read - 1].version))


def own_sessions(ctx: object, project: str | None) -> list[PastSession]:
    """The sessions of the store, the most recently used first."""
    from hud_runtime.session._parent import PROJECT

    log: Any = _records.hud_of(ctx).log
    found: list[PastSession] = []
    for name in log.sessions():
        if name.startswith(PROJECT):
            continue
        version = log.head(name).version
        first = next(iter(log.read(name, 0, 1)), None)
        last = next(iter(log.read(name, version - 1)), None)
        if first is None or last is None:  # purged meanwhile
            continue
        about = first.payload.model_dump()
        folder = about.get("project") or ""
        if project is None or folder == project or folder.startswith(f"{project.rstrip('/')}/"):
            title, parent = about.get("title") or "", about.get("parent")
            found.append(
                PastSession(name, title, folder, first.timestamp, last.timestamp, version, parent)
            )
    return sorted(found, key=lambda each: (-each.updated, each.id))


def own_counts(ctx: object) -> ToolResult:
    """The amount of data in the store."""
    found = own_sessions(ctx, None)
    counts = {"sessions": len(found), "events": sum(each.messages for each in found)}
    first = min((each.created for each in found), default=0)
    last = max((each.updated for each in found), default=0)
    remark = "OpenCode has no database here: these are the sessions of the HUD's store"
    told = Counts("", "", counts, first, last, (remark,))
    return ToolResult(_shown.written(_shown.shown_counts(told)), data=counts)


# Plans of OpenCode's agents: Markdown files in folders of its own, listed and read by name.
#
# OpenCode writes them to ``.opencode/plans`` of a project under version control, else to ``plans``
# next to its database, as ``TIME-SLUG.md``: the session's start time, and its slug.

INSIDE = Path(".opencode", "plans")
"""The folder of plans in a project."""

MOST = 1_000
"""Maximum files of a folder that are examined."""

BEGINNING = 4_096
"""Bytes in which the title is searched."""


def plan_folders(project: Path | None) -> list[Path]:
    """Return the possible folders of plans: those of a project and its parents, then OpenCode's own.

    :param project: the working folder, from the caller, never from a database.
    """
    inside = [] if project is None else [each / INSIDE for each in (project, *project.parents)]
    return [each for each in (*inside, data_folder() / "plans") if each.is_dir()]


def plans(project: Path | None = None, *, limit: int = 50) -> list[Plan]:
    """Return the plans, the most recently written first."""
    found = [plan for folder in plan_folders(project) for plan in _in(folder)]
    found.sort(key=lambda each: (-each.changed, each.name))
    return found[: max(limit, 1)]


def plan(name: str, project: Path | None = None) -> Plan:
    """Return a plan with its text.

    :param name: the name of a listed plan; it is compared, and never used as a path.
    :raises HistoryError: if there is no such plan, or it cannot be read.
    """
    limits = Limits.of_environment()
    listed = {each.name: each for each in reversed(plans(project, limit=MOST))}
    found = listed.get(name) or listed.get(f"{name}.md")
    if found is None:
        hint = did_you_mean(name, listed) if listed else "there are no plans"
        raise HistoryError(f"there is no plan {quoted(name)}; {hint}")
    try:
        handle = os.open(Path(found.folder, found.name), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(handle, "rb") as file:
            data = limits.whole(file)
    except OSError as error:
        raise HistoryError(f"the plan {quoted(name)} cannot be read: {error.strerror}") from None
    if data is None:
        raise HistoryError(f"the plan {quoted(name)} {limits.refusal('read')}")
    text = data.decode("utf-8", "replace")
    return Plan(found.name, found.title, found.size, found.changed, found.folder, text)


def _in(folder: Path) -> Iterator[Plan]:
    try:
        paths = sorted(folder.glob("*.md"))[:MOST]
    except OSError:
        return
    for path in paths:
        try:
            about = path.lstat()
            if not stat.S_ISREG(about.st_mode):  # a link may have any target
                continue
            with path.open("rb") as file:
                beginning = file.read(BEGINNING).decode("utf-8", "replace")
        except OSError:
            continue
        changed = about.st_mtime_ns // 1_000_000
        yield Plan(path.name, _title(beginning), about.st_size, changed, str(folder))


def _title(beginning: str) -> str:
    """The first heading, else the first line with words."""
    lines = [each.strip() for each in beginning.splitlines() if each.strip()]
    heading = next((each for each in lines if each.startswith("# ")), "")
    return (heading or next(iter(lines), "")).lstrip("# ")


NAME = "memory"

DESCRIPTION = (
    "Past sessions: read, searched; without session_id the current one. help(tool) tells more. "
    'E.g. {"call":{"op":"search","query":"…"}}'
)

MOST_PLANS = 100
"""Maximum plans in a result, whatever the call requests."""


def memory_toolset(
    database: str | Path | None = None, *, hud: bool = False, limit: int = LONGEST_ANSWER
) -> Toolset:
    """Return the tool ``memory``, for a host or a server in addition to the HUD's tools.

    :param database: OpenCode's database; None for the one found at each call, if any.
    :param hud: whether the schema has the operations on the HUD, such as ``hud_note``, for agents without the
        tool ``hud``. They can be called in any case, and ``help`` lists them.
    :param limit: maximum characters of an answer.

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
        *_records.operations(rare=not hud),
        Operation.of(help, reads=True),
    ]
    made.append(Toolset(operations, name=NAME, description=DESCRIPTION, limit=limit, one_tool=True))
    return made[0]


class _Memory:
    """The operations on past sessions."""

    def __init__(self, database: str | Path | None) -> None:
        self._database = database

    def _opened(self) -> OpenCodeHistory | None:
        """OpenCode's history; None if there is none."""
        place = found_database() if self._database is None else Path(self._database)
        return OpenCodeHistory(place) if place is not None and place.exists() else None

    def summary(self, ctx: object) -> ToolResult:
        """How much there is."""
        history = self._opened()
        if history is None:
            return own_counts(ctx)
        with history:
            found = history.counts()
        return _told(_shown.shown_counts(found), found)

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
        return _told(_shown.shown_sessions(found, after, more=not is_last), found)

    def children(self, ctx: object, session_id: str | None = None, limit: int = 20) -> ToolResult:
        """Sessions of a session's subagents.

        :param session_id: The current one when it is not given.
        """
        history, name = self._session(ctx, session_id)
        if history is None:
            own = [each for each in own_sessions(ctx, None) if each.parent == name]
            return _told(_shown.shown_sessions(own[: _within(limit)]), own)
        with history:
            found = history.children(name, limit=_within(limit))
        return _told(_shown.shown_sessions(found), found)

    def messages(
        self, ctx: object, session_id: str | None = None, limit: int = 20, before: int | None = None
    ) -> ToolResult:
        """A session as a transcript, its last messages.

        :param session_id: The current one when it is not given, or "last".
        :param before: Those before the message of that number.
        """
        history, name = self._session(ctx, session_id)
        if history is None:
            return _records.called(
                ctx, "history", limit=_within(limit), after=newer_than(ctx, before)
            )
        with history:
            page = history.messages(name, limit=_within(limit), before=before)
        return _told(_shown.shown_page(page), page)

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
        return _told(_shown.shown_message(found), found)

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
            return _records.called(ctx, "search", query=query, limit=limit, after=after)
        with history:
            found = history.search(query, session=session_id, limit=limit, after=after)
        return _told(_shown.shown_found(found, after), found)

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
            return _told(_shown.shown_checkpoints(found), found)
        one = _shown.checkpoint_of(found, read)
        return _told(_shown.shown_checkpoint(one, len(found)), one)

    def context(self, ctx: object, session_id: str | None = None) -> ToolResult:
        """How full it is, exactly.

        :param session_id: The current one when it is not given.
        """
        if session_id is None and ctx is not None and _records.hud_of(ctx).context() is not None:
            # The host reports the window; OpenCode's database does not have it.
            return _records.called(ctx, "context")
        history, name = self._session(ctx, session_id)
        if history is None:
            return _records.called(ctx, "context")
        with history:
            use = history.context(name)
        return ToolResult(_shown.written(_shown.shown_context(use)), data=context_data(use))

    def plans(self, ctx: object, read: str | None = None) -> ToolResult:
        """Plan files, listed or read.

        :param read: The name of the one to read.
        """
        folder = _project(ctx)
        if read is None:
            found = plans(folder, limit=MOST_PLANS)
            return _told(_shown.shown_plans(found), found)
        one = plan(read, folder)
        return _told(_shown.shown_plan(one), one)

    def _session(self, ctx: object, name: str | None) -> tuple[OpenCodeHistory | None, str]:
        """The history with a session, and its id there; no history if the session's own log answers.

        :raises HistoryError: for a named session that does not exist.
        """
        own = None if ctx is None else str(_records.hud_of(ctx).id)
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
    return min(max(limit, 1), MOST_PLANS)


def _told(node: Child, found: object) -> ToolResult:
    return ToolResult(_shown.written(node), data=data_of(found))


def _project(ctx: object) -> Path | None:
    """The session's working folder according to the host; else this process's."""
    info = None if ctx is None else getattr(_records.hud_of(ctx).known, "session", None)
    named = None if info is None else info.project
    path = Path.cwd() if named is None else Path(named)
    return path if path.is_absolute() else None


MEMORY = memory_toolset()
"""The tool, for OpenCode's database if there is one: ``ujsx serve --tools hud_runtime.history:MEMORY``."""
