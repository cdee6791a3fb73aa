"""OpenCode's sessions: listed, read and searched, with their compactions and context use."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hud_components import UsageReading
from hud_runtime._errors import HistoryError
from hud_runtime.history._records import (
    Checkpoint,
    ContextUse,
    Counts,
    MessageMatch,
    Page,
    PastMessage,
    PastPart,
    PastSession,
    SearchResult,
    cause_of,
    searched_in,
)
from hud_runtime.log.projection import READINGS, trend
from hud_runtime.log.store._search import check_page, folded, searchable, snippet, words_of
from hud_runtime.observe._observations import Record, Usage, mapping, prose, string, usage_in, whole
from hud_runtime.observe._reader import limit_for
from hud_runtime.transcripts._opencode_database import OpenCodeDatabase, remarks, version_of
from hud_runtime.transcripts._source import record_in
from hud_runtime.transcripts.formats._opencode import kind_of, said_in
from ujsx.errors import quoted

if TYPE_CHECKING:
    from sqlite3 import Connection

# The rows of OpenCode's database as records; and their queries, on views of fixed names.

LONGEST_PART = 4_000_000
"""Maximum characters of a message or a part that are read; for a longer one, only its length is reported."""

MOST_PARTS = 500
"""Maximum parts of a message that are read."""

ANY = 2**62
"""A number above all limits."""

SESSIONS = (
    "SELECT s.*, p.worktree AS worktree,"
    " (SELECT count(*) FROM past_message m WHERE m.session = s.id) AS messages"
    " FROM past_session s LEFT JOIN past_project p ON p.id = s.project"
)
MESSAGES = (
    "SELECT id, session, created, length(data) AS length,"
    " CASE WHEN length(data) <= :longest THEN data END AS data FROM past_message"
)
IN_ORDER = " ORDER BY created, id"
PARTS = (
    "SELECT id, length(data) AS length, CASE WHEN length(data) <= :longest THEN data END AS data"
    " FROM past_part WHERE message = :message ORDER BY id LIMIT :limit"
)


def session_of(row: Mapping[str, Any]) -> PastSession:
    """Return the session of a row."""
    model = record_in(row["model"])
    cost = row["cost"]
    return PastSession(
        id=str(row["id"]),
        title=prose(row["title"]),
        project=string(row["directory"]) or string(row["worktree"]) or "",
        created=whole(row["created"]),
        updated=whole(row["updated"]),
        messages=row["messages"],
        parent=string(row["parent"]),
        agent=string(row["agent"]),
        model=string(model.get("id")) or string(model.get("modelID")),
        cost=cost if isinstance(cost, int | float) else None,
        version=string(row["version"]),
    )


def about_of(row: Mapping[str, Any], number: int = 0) -> PastMessage:
    """Return the message of a row, without its parts."""
    data = record_in(row["data"])
    created = row["created"] if isinstance(row["created"], int) else 0
    role = string(data.get("role")) or "unknown"
    return PastMessage(str(row["id"]), str(row["session"]), number, role, created, data=data)


def message_of(
    db: Connection, row: Mapping[str, Any], number: int, *, whole: bool = False
) -> PastMessage:
    """Return the message of a row, with its parts."""
    about = about_of(row, number)
    given = {
        "message": about.id, "limit": ANY if whole else MOST_PARTS, "longest": ANY if whole else LONGEST_PART
    }  # fmt: skip
    parts = tuple(map(part_of, db.execute(PARTS, given)))
    left_out = 0
    if len(parts) == MOST_PARTS and not whole:
        query = "SELECT count(*) FROM past_part WHERE message = ?"
        left_out = db.execute(query, (about.id,)).fetchone()[0] - MOST_PARTS
    return PastMessage(
        about.id, about.session, number, about.role, about.created, parts, about.data, left_out
    )


def part_of(row: Mapping[str, Any]) -> PastPart:
    """Return the part of a row."""
    data = record_in(row["data"])
    kind = string(data.get("type")) or ("too long" if row["data"] is None else "unreadable")
    return PastPart(str(row["id"]), kind, data, whole(row["length"]))


# A session's compactions, and its context's use after the last one.


def checkpoints(db: Connection, session: str) -> list[Checkpoint]:
    """Return the compactions of a session, the oldest first.

    A message with a request part asks for one; the summary is its answer. Older versions lack the part, and
    have the summary alone.
    """
    asked = _asked(db, session)
    found: list[Checkpoint] = []
    waiting: dict[str, tuple[int, str]] = {}
    query = (
        f"{MESSAGES} WHERE session = :session"
        " AND (instr(data, '\"summary\"') > 0 OR id IN (SELECT value FROM json_each(:asked)))"
        f"{IN_ORDER}"
    )
    given = {"session": session, "longest": LONGEST_PART, "asked": json.dumps([*asked])}
    for row in db.execute(query, given):
        one = about_of(row)
        if one.id in asked:
            waiting[one.id] = (one.created, asked[one.id])
        elif kind_of(one.data) == "summary":
            created, cause = waiting.pop(str(one.data.get("parentID")), (one.created, ""))
            text = _summary(db, one.id) if not mapping(one.data.get("error")) else ""
            found.append(Checkpoint(0, one.id, created, text, cause))
    found += [Checkpoint(0, name, at, "", cause) for name, (at, cause) in waiting.items()]
    found.sort(key=lambda each: (each.created, each.message))
    return [replace(one, number=number) for number, one in enumerate(found, start=1)]


def _asked(db: Connection, session: str) -> dict[str, str]:
    """The messages that request a compaction, each with its reason."""
    query = "SELECT message, data FROM past_part WHERE session = ? AND instr(data, '\"compaction\"') > 0"
    rows = ((str(owner), record_in(data)) for owner, data in db.execute(query, (session,)))
    return {owner: cause_of(data) for owner, data in rows if data.get("type") == "compaction"}


def _summary(db: Connection, message: str) -> str:
    given = {"message": message, "limit": ANY, "longest": LONGEST_PART}
    return said_in(part_of(row).data for row in db.execute(PARTS, given))


def readings(db: Connection, session: str) -> tuple[list[tuple[PastMessage, Usage]], bool]:
    """The last readings of the context, newest first, and whether a compaction followed them.

    A reading from before a compaction is outdated, so it is returned only if there is none since.
    """
    query = f"{MESSAGES} WHERE session = :session ORDER BY created DESC, id DESC"
    found: list[tuple[PastMessage, Usage]] = []
    is_compacted = False
    for row in db.execute(query, {"session": session, "longest": LONGEST_PART}):
        one = about_of(row)
        if kind_of(one.data) == "summary":
            if found:
                break
            is_compacted = True
            continue
        usage = usage_in(mapping(one.data.get("tokens")))
        if usage is not None:
            found.append((one, usage))
            if len(found) == READINGS:
                break
    return found, is_compacted


MOST = 1_000
"""Maximum results of a query, whatever it requests."""

AT_ONCE = 100
"""Messages in memory at once while a whole session is read."""

LAST = "last"
"""The id for the most recently used session."""

NEWEST_FIRST = " ORDER BY s.updated DESC, s.id DESC LIMIT :limit OFFSET :after"
OF_PROJECT = (
    " AND (:project IS NULL OR :project IN (s.directory, p.worktree, p.id, p.name)"
    " OR substr(s.directory, 1, length(:within)) = :within)"
)
"""The condition for a folder, and those in it; also for a project's name or id."""


class OpenCodeHistory(OpenCodeDatabase):
    """The sessions in a database of OpenCode, or in its former folder.

    :param path: the database, or its folder; None for OpenCode's own.
    :param limits: the limits of what is read at once.
    :raises HistoryError: if there is none, or it cannot be read.

    No file is written. It may be used while OpenCode writes.
    """

    # --- Sessions ---

    def counts(self) -> Counts:
        """Return the numbers of sessions, messages and parts."""
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
        """Return sessions, the most recently used first.

        :param after: the number to skip.
        :param project: a folder, including the folders in it, or a project's name or id.
        :param subagents: whether to include those of subagents.
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
        """Return the sessions of a session's subagents, the most recently used first."""
        given = {"parent": self.session(session).id, "limit": _within(limit), "after": 0}
        query = f"{SESSIONS} WHERE s.parent = :parent{NEWEST_FIRST}"
        return [session_of(row) for row in self.rows(query, given)]

    def find(self, name: str) -> PastSession | None:
        """Return a session by its id, an id's prefix, its slug, or as "last"; None for none."""
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
        """Return a session, found as by :meth:`find`.

        :raises HistoryError: if there is no such session, or several.
        """
        found = self.find(name)
        if found is None:
            raise HistoryError(
                f"there is no session {quoted(name)}, or more than one id begins so; `sessions` lists them"
            )
        return found

    def about(self, name: str) -> Record:
        """Return all columns of a session, by the views' names."""
        given = {"id": self.session(name).id}
        [row] = self.rows("SELECT * FROM past_session WHERE id = :id", given)
        return dict(row)

    def todos(self, name: str) -> list[tuple[str, str]]:
        """Return a session's final todo list: the text and status of each item."""
        given = {"session": self.session(name).id, "limit": MOST}
        query = "SELECT content, status FROM past_todo WHERE session = :session ORDER BY position LIMIT :limit"
        return [(str(what or ""), str(status or "")) for what, status in self.rows(query, given)]

    # --- Messages ---

    def messages(self, session: str, *, limit: int = 20, before: int | None = None) -> Page:
        """Return a session's last messages, oldest first.

        :param before: only those before this number; None for all.
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
        """Return the messages with all words of a query, the newest first, each once.

        :param session: only those of this session.
        :param after: the number to skip.
        :raises SearchError: for an invalid page, or too many words.
        :raises HistoryError: if there is no such session.
        """
        within = None if session is None else self.session(session).id
        check_page(limit, after)
        words = tuple(map(searchable, words_of(query)))
        page: dict[str, MessageMatch] = {}
        for each in _hits(self, words, within) if words else ():
            page.setdefault(each.message, each)
            if len(page) > after + limit:
                break
        found = tuple(page.values())[after:]
        return SearchResult(found[:limit], len(found) > limit)

    def all_messages(self, session: str, *, whole: bool = False) -> Iterator[PastMessage]:
        """Yield all messages of a session, oldest first, one page in memory at a time.

        :param whole: whether to read all of their parts, regardless of number and length.
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

        :raises HistoryError: if there is none with that id.
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
        """Return the context's use at the model's last answer; None without one, or if its size is unknown."""
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


# The search of past sessions: SQLite's LIKE over every part, the newest first.

HITS_AT_ONCE = 200
"""Matches that are read from the database at once."""

MOST_SCANNED = 2_000_000
"""Maximum parts that are searched, newest first."""

OF_PART = (
    "SELECT p.position, p.id, p.message, p.session, length(p.data) AS length,"
    " CASE WHEN length(p.data) <= :longest THEN p.data END AS data, m.data AS about,"
    " m.created AS created, s.title AS title"
    " FROM past_part p JOIN past_message m ON m.id = p.message"
    " LEFT JOIN past_session s ON s.id = p.session"
)


def _found(row: Any, text: str, words: Sequence[str]) -> MessageMatch:
    about = record_in(row["about"])
    return MessageMatch(
        str(row["session"]),
        prose(row["title"]),
        str(row["message"]),
        string(about.get("role")) or "unknown",
        row["created"] if isinstance(row["created"], int) else 0,
        snippet(text, words),
    )


def _hits(
    source: OpenCodeDatabase, words: Sequence[str], session: str | None
) -> Iterator[MessageMatch]:
    """Yield the parts with all words, the newest first: SQLite's LIKE matches are checked again."""
    patterns = {f"word{number}": _pattern(word) for number, word in enumerate(words)}
    likes = " AND ".join(f"p.data LIKE :{name} ESCAPE '\\'" for name in patterns)
    query = f"{OF_PART} WHERE {NEWEST} AND {likes} ORDER BY p.position DESC LIMIT :limit"
    [(newest,)] = source.rows("SELECT coalesce(max(position), 0) FROM past_part", {})
    given: dict[str, Any] = {
        **patterns, "before": newest + 1, "oldest": newest - MOST_SCANNED, "session": session,
        "limit": HITS_AT_ONCE, "longest": LONGEST_PART,
    }  # fmt: skip
    said = [folded(each) for each in words]
    while rows := source.rows(query, given):
        for row in rows:
            text = searched_in(part_of(row))
            plain = folded(text)
            if all(each in plain for each in said):  # and not only in names of fields
                yield _found(row, text, words)
        given["before"] = rows[-1]["position"]


NEWEST = (
    "p.position < :before AND p.position >= :oldest AND (:session IS NULL OR p.session = :session)"
)


def _pattern(word: str) -> str:
    """The LIKE pattern of a word in JSON, which ignores accents, and case beyond ASCII."""
    stored = json.dumps(word, ensure_ascii=False)[1:-1]
    plain = "".join(each if each.isascii() else "_" for each in stored)
    marked = plain.replace("\\", "\\\\").replace("%", "\\%")
    return f"%{marked}%"
