"""A search over all that was said: by an index of words where it can be had, else through every part."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hud_runtime._errors import StoreError
from hud_runtime.history._database import Database
from hud_runtime.history._parts import searched_in
from hud_runtime.history._records import Found, SearchResult
from hud_runtime.history._rows import LONGEST_PART, part_of, record_in
from hud_runtime.history._word_index import WordIndex, forget, index_path
from hud_runtime.observation._json import prose, string
from hud_runtime.store._snippet import folded, snippet
from hud_runtime.store._words import check_page, expression, searchable, words_of

AT_ONCE = 200
"""Hits that are read from the database at once."""

MOST_PASSED = 20
"""Pages of hits that are read for one of those that are asked for: parts may be gone, or of one message."""

MOST_SCANNED = 2_000_000
"""Parts that are looked at where there is no index, the newest first."""

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

    expression: str
    """What FTS5 is asked for; empty where nothing is asked for."""
    words: tuple[str, ...]
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
        return cls(expression(query), words, session, limit, after)


def search(
    source: Database, asked: Asked, index: Path | None = None, at_most: int | None = None
) -> SearchResult:
    """Return what is found; see :meth:`OpenCodeHistory.search`."""
    if not asked.expression:
        return SearchResult(())
    found = _by_index(source, asked, index, at_most)
    remark = UNRANKED if found is None else ""
    page, left = (_page(_scanned(source, asked), asked), 0) if found is None else found
    if left:
        remark = f"the index is being made: about {left:,} parts are not in it yet; search again"
    return SearchResult(tuple(page[: asked.limit]), len(page) > asked.limit, remark)


UNRANKED = "there is no index here, so all was looked through: the newest come first"


def _by_index(
    source: Database, asked: Asked, path: Path | None, at_most: int | None
) -> tuple[list[Found], int] | None:
    """What the index has, and how many rows are not in it; None where there is none to be had."""
    import sqlite3

    if source.path.is_dir():  # rows of files have no numbers that stay
        return None
    place = index_path(source.path) if path is None else path
    for is_last in (False, True):
        try:
            with closing(WordIndex(source, place)) as index:
                left = index.catch_up(at_most)
                return _page(_hits(source, index, asked), asked), left
        except StoreError:  # no place for it
            return None
        except sqlite3.DatabaseError as error:
            if is_last or _is_no_damage(error):
                return None
            forget(place)
    return None


def _is_no_damage(error: Exception) -> bool:
    """Whether a new index would be no better: no full-text search, a full disk, another who writes."""
    said = str(error)
    return any(each in said for each in ("no such module", "full", "locked", "readonly"))


def _hits(source: Database, index: WordIndex, asked: Asked) -> Iterator[Found]:
    query = f"{OF_PART} WHERE p.id IN (SELECT value FROM json_each(:ids))"
    for number in range(MOST_PASSED):
        names = index.find(asked.expression, asked.session, AT_ONCE, number * AT_ONCE)
        given = {"ids": json.dumps(names), "longest": LONGEST_PART}
        rows = {row["id"]: row for row in source.rows(query, given)}
        for name in names:
            if name in rows:
                yield _found(rows[name], searched_in(part_of(rows[name])), asked.words)
        if len(names) < AT_ONCE:
            return


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


# --- Without an index ---


def _scanned(source: Database, asked: Asked) -> Iterator[Found]:
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
