"""Full-text search over what events say, with the words of the SQLite store.

PostgreSQL's own parsers know words of languages, and take ``src/auth/jwt.py`` for one word. So texts are
cut into words here, as :mod:`hud_runtime.store._words` does it, and a ``tsvector`` of them finds the texts
that may fit; in those, each word of a query is looked for as it is: words that follow one another, of which
the last may go on.

The index follows the log: it takes in what is new before it answers. So no event is missing from an
answer, and an append writes no page of the index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hud_runtime._breaker import tried_again
from hud_runtime._errors import SearchError, StoreLockedError, StoreReadOnlyError
from hud_runtime.postgres._database import Bound, PostgresDatabase
from hud_runtime.store._engine import Row
from hud_runtime.store._hits import TOLD, Dialect, Entry, Query, ranking, values
from hud_runtime.store._protocol import Hit
from hud_runtime.store._rows import COLUMNS, from_row
from hud_runtime.store._schema import PURGED
from hud_runtime.store._words import check_page

PAGE = 1_000
"""Events that are indexed in one transaction."""

LONGEST = 64
"""Characters of a word that are in the index; what is longer is compared in the text."""

ROOM = 900_000
"""Bytes of different words that are indexed of a text: a tsvector holds one megabyte
(postgresql.org/docs/current/textsearch-limitations.html)."""

BEHIND = 20_000
"""Events that who cannot write looks through himself, because they are not in the index yet."""

NEW = (
    f"SELECT position, {COLUMNS}, digest FROM hud_event WHERE position > ? AND session_id NOT IN"
    f" ({PURGED}) AND (CAST(? AS TEXT) IS NULL OR session_id = ?) AND NOT EXISTS (SELECT 1 FROM"
    " hud_search WHERE hud_search.position = hud_event.position) ORDER BY position LIMIT ?"
)
"""What is not in the index, of all sessions or of one."""

IS_CURRENT = (
    "SELECT coalesce((SELECT max(position) FROM hud_event), 0)"
    " <= (SELECT max(position) FROM hud_searched)"
)

KEEP = f"COPY hud_search (position, {TOLD}, words, lexemes) FROM STDIN"

IN_ALL = "(lexemes @@ CAST(? AS tsquery) OR lexemes IS NULL)"

IN_ONE = "(lexemes @@ CAST(? AS tsquery)) IS NOT FALSE AND session_id = ?"
"""In a session its own rows are looked through: no index of words knows which of very many are a session's."""

FOUND = f"hud_search WHERE {{fits}} AND session_id NOT IN ({PURGED})"
"""What is in the index. It is read from the newest on where many may fit, and no further than that."""

FOUND_BESIDE = f"""(
    SELECT position, {TOLD}, words FROM {FOUND}
    UNION ALL
    SELECT * FROM unnest(CAST(? AS bigint[]), CAST(? AS text[]), CAST(? AS bigint[]), CAST(? AS bigint[]),
        CAST(? AS bigint[]), CAST(? AS text[]), CAST(? AS text[]), CAST(? AS text[]), CAST(? AS text[]))
) AS found (position, {TOLD}, words) WHERE TRUE"""
"""The same, and what is given because it is not there yet."""

POSTGRES = Dialect(size="octet_length({})", has="strpos(words, {}) > 0")


class TextSearch:
    """The tables ``hud_search`` and ``hud_searched``."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._db = database

    def find(self, query: str, session_id: str | None, limit: int, after: int) -> list[Hit]:
        """Return what holds all words of the query; see :meth:`EventStore.search`."""
        check_page(limit, after)
        asked = Query.of(query)
        missing: list[Entry] = []
        try:
            self.catch_up()
        except (StoreReadOnlyError, StoreLockedError):  # or another one is at it, for long
            missing = self._missing(session_id)
        if not asked.phrases:
            return []
        given = [*zip(*(entry.told() for entry in missing), strict=True)]
        found = FOUND_BESIDE if missing else FOUND
        rows = self._db.rows(
            ranking(
                POSTGRES,
                f"position, {TOLD}",
                found.format(fits=IN_ALL if session_id is None else IN_ONE),
                len(asked.phrases),
            ),
            *values(
                asked.texts,
                (
                    _expression(asked.phrases),
                    *(() if session_id is None else (session_id,)),
                    *map(list, given),
                ),
                limit,
                after,
            ),
        )
        return [asked.hit(row[1:-2]) for row in rows]

    def catch_up(self, session_id: str | None = None) -> None:
        """Index what has been appended since the last time, or what of one session is not there yet."""
        if session_id is None and self.is_current():
            return
        [(after,)] = self._db.rows("SELECT max(position) FROM hud_searched")
        if session_id is not None:
            after = 0
        while after is not None:
            after = self._index_page(after, session_id)

    @tried_again
    def _index_page(self, after: int, session_id: str | None) -> int | None:
        """Index some of what comes behind a position; return the position of the last one, or None behind the end."""
        what = "a search, which brings its index up to date"
        with self._db.writing(what, has_parts=True) as db:
            # One at a time: who waits finds little left to do.
            self._db.lock(db, "search", "", what)
            [(settled,)] = db.execute("SELECT hud_settled()").fetchall()
            rows = db.execute(NEW, (after, session_id, session_id, PAGE)).fetchall()
            self._keep(db, rows)
            last: int | None = rows[-1][0] if len(rows) == PAGE else None
            if session_id is None:
                reached = settled if last is None else min(last, settled)
                db.execute(
                    "UPDATE hud_searched SET position = ? WHERE position < ?",
                    (reached, reached),
                )
        return last

    def is_current(self) -> bool:
        """Tell whether the index has all events that there are."""
        return self._db.rows(IS_CURRENT) == [(True,)]

    def _keep(self, db: Bound, rows: Iterable[Row]) -> None:
        # Who else writes to the index waits for its lock, so what was not there is not there yet.
        db.copy(KEEP, ((*entry.told(), lexemes(entry.words)) for entry in _entries(rows)))

    def _missing(self, session_id: str | None) -> list[Entry]:
        """Return what is not in the index yet, for who cannot write it now."""
        [(after,)] = self._db.rows("SELECT max(position) FROM hud_searched")
        rows = self._db.rows(NEW, after, session_id, session_id, BEHIND + 1)
        if len(rows) > BEHIND:
            raise SearchError(
                f"{self._db.place}: more than {BEHIND:,} events are not in the search index, and it cannot"
                " be written from here; search once with a role that may write"
            )
        return [*_entries(rows)]


def lexemes(words: str) -> str | None:
    """Return the different words of an entry as a tsvector, as far as they are indexed; None for too many."""
    different = "\n".join({word[:LONGEST] for word in words.split()})
    if len(different.encode()) >= ROOM:
        return None
    return _quoted(different).replace("\n", "' '") if different else ""


def _entries(rows: Iterable[Row]) -> Iterator[Entry]:
    for position, *row in rows:
        entry = Entry.of(position, from_row(tuple(row)))
        if entry is not None:
            yield entry


def _expression(phrases: Iterable[tuple[str, ...]]) -> str:
    r"""Return what a tsvector is asked for: all parts of all phrases, the last one of each as a beginning.

    >>> _expression([("jwt", "py")])
    "'jwt' & 'py':*"
    """
    return " & ".join(
        f"{_quoted(part[:LONGEST])}{':*' if part is phrase[-1] or len(part) > LONGEST else ''}"
        for phrase in phrases
        for part in phrase
    )


def _quoted(part: str) -> str:
    """Return a word as a literal of a tsquery, or of a tsvector."""
    return "'" + part.replace("\\", "\\\\").replace("'", "''") + "'"
