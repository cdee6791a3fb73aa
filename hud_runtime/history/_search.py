"""The search of past sessions: SQLite's LIKE through every part, the newest first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hud_runtime.history._database import Database
from hud_runtime.history._parts import searched_in
from hud_runtime.history._records import Found, SearchResult
from hud_runtime.history._rows import LONGEST_PART, part_of, record_in
from hud_runtime.observation._json import prose, string
from hud_runtime.store._snippet import folded, snippet
from hud_runtime.store._words import check_page, searchable, words_of

AT_ONCE = 200
"""Hits that are read from the database at once."""

MOST_SCANNED = 2_000_000
"""Parts that are looked at, the newest."""

OF_PART = (
    "SELECT p.position, p.id, p.message, p.session, length(p.data) AS length,"
    " CASE WHEN length(p.data) <= :longest THEN p.data END AS data, m.data AS about,"
    " m.created AS created, s.title AS title"
    " FROM past_part p JOIN past_message m ON m.id = p.message"
    " LEFT JOIN past_session s ON s.id = p.session"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question."""

    words: tuple[str, ...]
    """Empty where nothing is asked for."""
    session: str | None
    limit: int
    after: int

    @classmethod
    def of(cls, query: str, session: str | None, limit: int, after: int) -> Asked:
        """Return what a query asks for; all of it is data.

        :raises SearchError: for a page that cannot be, or too many words.
        """
        check_page(limit, after)
        words = tuple(map(searchable, words_of(query)))
        return cls(words, session, limit, after)


def search(source: Database, asked: Asked) -> SearchResult:
    """Return what is found; see :meth:`OpenCodeHistory.search`."""
    page = _page(_hits(source, asked), asked) if asked.words else []
    return SearchResult(tuple(page[: asked.limit]), len(page) > asked.limit)


def _page(hits: Iterator[Found], asked: Asked) -> list[Found]:
    """A page of the messages that are found, each once, and one more where there is one."""
    page: dict[str, Found] = {}
    for each in hits:
        page.setdefault(each.message, each)
        if len(page) > asked.after + asked.limit:
            break
    return [*page.values()][asked.after :]


def _found(row: Any, text: str, words: Sequence[str]) -> Found:
    about = record_in(row["about"])
    return Found(
        str(row["session"]),
        prose(row["title"]),
        str(row["message"]),
        string(about.get("role")) or "unknown",
        row["created"] if isinstance(row["created"], int) else 0,
        snippet(text, words),
    )


def _hits(source: Database, asked: Asked) -> Iterator[Found]:
    """Yield the parts that say all words, the newest first: what SQLite's LIKE finds is looked at once more."""
    patterns = {f"word{number}": _pattern(word) for number, word in enumerate(asked.words)}
    likes = " AND ".join(f"p.data LIKE :{name} ESCAPE '\\'" for name in patterns)
    query = f"{OF_PART} WHERE {NEWEST} AND {likes} ORDER BY p.position DESC LIMIT :limit"
    [(newest,)] = source.rows("SELECT coalesce(max(position), 0) FROM past_part", {})
    given: dict[str, Any] = {
        **patterns, "before": newest + 1, "oldest": newest - MOST_SCANNED, "session": asked.session,
        "limit": AT_ONCE, "longest": LONGEST_PART,
    }  # fmt: skip
    said = [folded(each) for each in asked.words]
    while rows := source.rows(query, given):
        for row in rows:
            text = searched_in(part_of(row))
            plain = folded(text)
            if all(each in plain for each in said):  # and not the names of its fields alone
                yield _found(row, text, asked.words)
        given["before"] = rows[-1]["position"]


NEWEST = (
    "p.position < :before AND p.position >= :oldest AND (:session IS NULL OR p.session = :session)"
)


def _pattern(word: str) -> str:
    """What LIKE finds a word by, as it stands in JSON; accents and case beyond ASCII are not told apart by it."""
    stored = json.dumps(word, ensure_ascii=False)[1:-1]
    plain = "".join(each if each.isascii() else "_" for each in stored)
    marked = plain.replace("\\", "\\\\").replace("%", "\\%")
    return f"%{marked}%"
