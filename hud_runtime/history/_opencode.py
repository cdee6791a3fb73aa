"""OpenCode's sessions: listed, read, and asked for what they came to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hud_components import UsageReading
from hud_runtime._errors import HistoryError
from hud_runtime.history._columns import remarks, version_of
from hud_runtime.history._compactions import checkpoints, readings
from hud_runtime.history._database import Database
from hud_runtime.history._records import (
    Checkpoint,
    ContextUse,
    Counts,
    Page,
    PastMessage,
    PastSession,
    SearchResult,
)
from hud_runtime.history._rows import (
    ANY,
    IN_ORDER,
    LONGEST_PART,
    MESSAGES,
    SESSIONS,
    message_of,
    session_of,
)
from hud_runtime.observation._json import Record, string, whole
from hud_runtime.observation._model_limits import limit_for
from hud_runtime.projection._trend import trend
from ujsx.errors import quoted

if TYPE_CHECKING:
    from sqlite3 import Connection

MOST = 1_000
"""What a question returns at most, whatever it asks for."""

AT_ONCE = 100
"""Messages that are in memory at once where all of a session are read."""

LAST = "last"
"""In place of a session's id: the one that was used last."""

NEWEST_FIRST = " ORDER BY s.updated DESC, s.id DESC LIMIT :limit OFFSET :after"
OF_PROJECT = (
    " AND (:project IS NULL OR :project IN (s.directory, p.worktree, p.id, p.name)"
    " OR substr(s.directory, 1, length(:within)) = :within)"
)
"""Of a folder, and of those in it; of a project's name or id as well."""


class OpenCodeHistory(Database):
    """The sessions in a database of OpenCode's, or in the folder that came before it.

    :param path: the database, or a folder that it lies in; OpenCode's own when None.
    :param limits: how much of a file is read at once.
    :raises HistoryError: where there is none, or none that can be read.

    No file is written. It may be used while OpenCode writes.
    """

    # --- Sessions ---

    def counts(self) -> Counts:
        """Return how much there is of everything."""
        return self.ask(self._counts)

    def _counts(self, db: Connection) -> Counts:
        queries = {
            "projects": "SELECT count(*) FROM past_project",
            "sessions": "SELECT count(*) FROM past_session WHERE parent IS NULL",
            "sessions of subagents": "SELECT count(*) FROM past_session WHERE parent IS NOT NULL",
            "messages": "SELECT count(*) FROM past_message",
            "parts": "SELECT count(*) FROM past_part",
            "todos": "SELECT count(*) FROM past_todo",
        }
        counts: dict[str, int] = {
            name: db.execute(query).fetchone()[0] for name, query in queries.items()
        }
        [(first, last)] = db.execute("SELECT min(created), max(updated) FROM past_session")
        return Counts(
            str(self.path), version_of(db), counts, whole(first), whole(last), tuple(remarks(db))
        )

    def sessions(
        self,
        *,
        limit: int = 20,
        after: int = 0,
        project: str | None = None,
        subagents: bool = False,
    ) -> list[PastSession]:
        """Return sessions, the last used first.

        :param after: how many to pass over.
        :param project: those of a folder and the folders in it, or of a project's name or id.
        :param subagents: those of subagents as well.
        """
        where = " WHERE 1" if subagents else " WHERE s.parent IS NULL"
        folder = (project or "").rstrip("/\\") or "/"
        given = {
            "limit": _within(limit), "after": max(after, 0),
            "project": project if project is None else folder,
            "within": None if project is None else f"{folder.rstrip('/')}/",
        }  # fmt: skip
        query = f"{SESSIONS}{where}{OF_PROJECT}{NEWEST_FIRST}"
        return [session_of(row) for row in self.rows(query, given)]

    def children(self, session: str, *, limit: int = 100) -> list[PastSession]:
        """Return the sessions of a session's subagents, the last used first."""
        given = {"parent": self.session(session).id, "limit": _within(limit), "after": 0}
        query = f"{SESSIONS} WHERE s.parent = :parent{NEWEST_FIRST}"
        return [session_of(row) for row in self.rows(query, given)]

    def find(self, name: str) -> PastSession | None:
        """Return a session by its id, its id's beginning, its slug, or as "last"; None where there is none."""
        given = {"name": name, "limit": 2, "after": 0, "length": len(name)}
        ways = (
            ["s.parent IS NULL"]
            if name == LAST
            else ["s.id = :name", "s.slug = :name", "substr(s.id, 1, :length) = :name"]
        )
        for way in ways if name else ():
            found = self.rows(f"{SESSIONS} WHERE {way}{NEWEST_FIRST}", given)
            if len(found) == 1 or (found and name == LAST):
                return session_of(found[0])
        return None

    def session(self, name: str) -> PastSession:
        """Return a session, as :meth:`find` has it.

        :raises HistoryError: where there is no such session, or several.
        """
        found = self.find(name)
        if found is None:
            raise HistoryError(
                f"there is no session {quoted(name)}, or more than one id begins so; `sessions` lists them"
            )
        return found

    def about(self, name: str) -> Record:
        """Return all that the database tells of a session, by the names of the views' columns."""
        given = {"id": self.session(name).id}
        [row] = self.rows("SELECT * FROM past_session WHERE id = :id", given)
        return dict(row)

    def todos(self, name: str) -> list[tuple[str, str]]:
        """Return the todo list that a session ended with: what is to be done, and how it stands."""
        given = {"session": self.session(name).id, "limit": MOST}
        query = "SELECT content, status FROM past_todo WHERE session = :session ORDER BY position LIMIT :limit"
        return [(str(what or ""), str(status or "")) for what, status in self.rows(query, given)]

    # --- Messages ---

    def messages(self, session: str, *, limit: int = 20, before: int | None = None) -> Page:
        """Return messages of a session, oldest first: the last ones.

        :param before: those before the one of that number; all when None.
        """
        about = self.session(session)
        end = about.messages if before is None else min(max(before - 1, 0), about.messages)
        start = max(end - _within(limit), 0)
        query = f"{MESSAGES} WHERE session = :session{IN_ORDER} LIMIT :limit OFFSET :start"
        given = {"session": about.id, "limit": end - start, "start": start, "longest": LONGEST_PART}

        def work(db: Connection) -> tuple[PastMessage, ...]:
            rows = enumerate(db.execute(query, given).fetchall(), start=start + 1)
            return tuple(message_of(db, row, number) for number, row in rows)

        return Page(about, self.ask(work))

    def search(
        self,
        query: str,
        *,
        session: str | None = None,
        limit: int = 20,
        after: int = 0,
    ) -> SearchResult:
        """Return the messages that say all words of a query, the newest first, each once.

        :param session: those of one session alone.
        :param after: how many to pass over.
        :raises SearchError: for a page that cannot be, or too many words.
        :raises HistoryError: where there is no such session.
        """
        from hud_runtime.history._search import Asked, search

        within = None if session is None else self.session(session).id
        return search(self, Asked.of(query, within, limit, after))

    def all_messages(self, session: str, *, whole: bool = False) -> Iterator[PastMessage]:
        """Yield all messages of a session, oldest first, a page of them in memory at a time.

        :param whole: whether all of their parts are read, however many and however long they are.
        """
        query = f"{MESSAGES} WHERE session = :session AND (created, id) > (:created, :last){IN_ORDER} LIMIT :limit"
        given = {
            "session": session,
            "created": -1,
            "last": "",
            "limit": AT_ONCE,
            "longest": ANY if whole else LONGEST_PART,
        }
        number = 0

        def work(db: Connection) -> list[PastMessage]:
            rows = [*db.execute(query, given)]
            return [
                message_of(db, row, each, whole=whole)
                for each, row in enumerate(rows, start=number + 1)
            ]

        while page := self.ask(work):
            yield from page
            number += len(page)
            given |= {"created": page[-1].created, "last": page[-1].id}

    def message(self, name: str) -> PastMessage:
        """Return a message with all its parts.

        :raises HistoryError: where there is none of that id.
        """

        def work(db: Connection) -> PastMessage | None:
            given = {"id": name, "longest": LONGEST_PART}
            row = db.execute(f"{MESSAGES} WHERE id = :id", given).fetchone()
            if row is None:
                return None
            before = "created < :created OR (created = :created AND id <= :id)"
            query = f"SELECT count(*) FROM past_message WHERE session = :session AND ({before})"
            number = db.execute(query, {key: row[key] for key in ("session", "created", "id")})
            return message_of(db, row, number.fetchone()[0])

        found = self.ask(work)
        if found is None:
            raise HistoryError(
                f"there is no message {quoted(name)}; `messages` and `search` tell ids"
            )
        return found

    # --- Compactions, and the context ---

    def compactions(self, session: str) -> list[Checkpoint]:
        """Return the compactions of a session, the oldest first."""
        about = self.session(session)
        return self.ask(lambda db: checkpoints(db, about.id))

    def context(self, session: str) -> ContextUse | None:
        """Return how full the context was when the model last answered; None where it has not, or its size is not known."""
        about = self.session(session)
        found, is_compacted = self.ask(lambda db: readings(db, about.id))
        if not found:
            return None
        newest, usage = found[0]
        model = string(newest.data.get("modelID"))
        limit = limit_for(model, max(each.total for _, each in found))
        if limit is None:
            return None
        told = [UsageReading(used=each.total, limit=limit) for _, each in reversed(found)]
        return ContextUse(
            about.id, usage, limit, newest.id, newest.created, model, trend(told), is_compacted
        )


def _within(limit: int) -> int:
    return min(max(limit, 1), MOST)
