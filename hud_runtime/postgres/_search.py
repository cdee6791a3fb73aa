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
from dataclasses import dataclass
from functools import lru_cache

from hud_runtime._errors import SearchError, StoreLockedError, StoreReadOnlyError
from hud_runtime.events import Event
from hud_runtime.postgres._database import Bound, PostgresDatabase
from hud_runtime.store._engine import Row
from hud_runtime.store._protocol import Hit
from hud_runtime.store._reader import BEYOND
from hud_runtime.store._rows import COLUMNS, from_row
from hud_runtime.store._schema import PURGED
from hud_runtime.store._snippet import phrase_of, snippet
from hud_runtime.store._words import check_page, searchable, spaced, text_of, unspaced, words_of

PAGE = 1_000
"""Events that are indexed in one transaction."""

LONGEST = 64
"""Characters of a word that are in the index; what is longer is compared in the text."""

ROOM = 900_000
"""Bytes of different words that are indexed of a text: a tsvector holds one megabyte
(postgresql.org/docs/current/textsearch-limitations.html)."""

BEHIND = 20_000
"""Events that who cannot write looks through himself, because they are not in the index yet."""

USUAL, LESS_EACH_TIME, BY_LENGTH = 300.0, 1.2, 0.75
"""Of the rank, which is BM25's for words that all texts of the answer have: the bytes of a usual text,
how soon one more of a word counts for less, and how much of its length counts against a text."""

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

TOLD = "session_id, version, turn, timestamp, actor, type, text"

KEEP = f"COPY hud_search (position, {TOLD}, words, lexemes) FROM STDIN"

IN_ALL = "(lexemes @@ CAST(? AS tsquery) OR lexemes IS NULL)"

IN_ONE = "(lexemes @@ CAST(? AS tsquery)) IS NOT FALSE AND session_id = ?"
"""In a session its own rows are looked through: no index of words knows which of very many are a session's."""

TIMES = "(octet_length(words) - octet_length(replace(words, {0}, ''))) / octet_length({0})::float8"
"""How often a text has a phrase."""

HITS = f"""
SELECT {TOLD} FROM (
    SELECT {TOLD}, position, octet_length(words) AS size, {{times}} FROM (
        SELECT position, {TOLD}, words FROM hud_search
        WHERE {{fits}} AND session_id NOT IN ({PURGED})
        UNION ALL
        SELECT * FROM unnest(CAST(? AS bigint[]), CAST(? AS text[]), CAST(? AS bigint[]), CAST(? AS bigint[]),
            CAST(? AS bigint[]), CAST(? AS text[]), CAST(? AS text[]), CAST(? AS text[]), CAST(? AS text[]))
    ) AS found (position, {TOLD}, words)
) AS counted
WHERE {{has_all}}
ORDER BY {{rank}} DESC, position DESC LIMIT ? OFFSET ?
"""
"""The hits among what is in the index, and among what is given because it is not there yet."""


@lru_cache(maxsize=256)
def hits(phrases: int, *, in_one: bool) -> str:
    """Return the statement that looks for so many phrases, in all sessions or in one.

    What is given is the phrases, each twice, the words as a tsquery, the session where there is one, what is not in the
    index yet, and the page.
    """
    times = [f"times_{number}" for number in range(phrases)]
    share = f"{LESS_EACH_TIME} * ({1 - BY_LENGTH} + {BY_LENGTH} * size / {USUAL})"
    return HITS.format(
        times=", ".join(f"{TIMES.format('CAST(? AS text)')} AS {each}" for each in times),
        fits=IN_ONE if in_one else IN_ALL,
        has_all=" AND ".join(f"{each} > 0" for each in times),
        rank=" + ".join(f"{each} / ({each} + {share})" for each in times),
    )


@dataclass(frozen=True, slots=True)
class Entry:
    """What is kept of an event for the search."""

    position: int
    event: Event
    text: str
    words: str
    """The text's words as they are compared, each behind a space."""

    @classmethod
    def of(cls, position: int, event: Event) -> Entry | None:
        """Return what is kept of an event; None of one that says nothing."""
        text = text_of(event.payload)
        if not text:
            return None
        text = spaced(searchable_text(text))
        return cls(position, event, text, "".join(f" {word}" for word in phrase_of(text)))

    @property
    def lexemes(self) -> str | None:
        """The different words as a tsvector, as far as they are indexed; None where they are too many."""
        words = "\n".join({word[:LONGEST] for word in self.words.split()})
        if len(words.encode()) >= ROOM:
            return None
        return _quoted(words).replace("\n", "' '") if words else ""

    def told(self) -> tuple[object, ...]:
        """Return the values of the first columns of ``hud_search``."""
        one = self.event
        return (
            self.position, one.session_id, one.version, one.turn, one.timestamp, one.actor, one.type,
            self.text, self.words,
        )  # fmt: skip


class TextSearch:
    """The tables ``hud_search`` and ``hud_searched``."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._db = database

    def find(self, query: str, session_id: str | None, limit: int, after: int) -> list[Hit]:
        """Return what holds all words of the query; see :meth:`EventStore.search`."""
        check_page(limit, after)
        words = [*map(spaced, map(searchable, words_of(query)))]
        phrases = [phrase for phrase in map(phrase_of, words) if phrase]
        missing: list[Entry] = []
        try:
            self.catch_up()
        except (StoreReadOnlyError, StoreLockedError):  # or another one is at it, for long
            missing = self._missing(session_id)
        if not phrases:
            return []
        given = [*zip(*(entry.told() for entry in missing), strict=True)] or [()] * 9
        texts = ["".join(f" {part}" for part in phrase) for phrase in phrases]
        rows = self._db.rows(
            hits(len(phrases), in_one=session_id is not None),
            *(text for text in texts for _ in range(2)),
            _expression(phrases),
            *(() if session_id is None else (session_id,)),
            *map(list, given),
            limit,
            min(after, BEYOND),
        )
        return [_hit(row, words) for row in rows]

    def catch_up(self, session_id: str | None = None) -> None:
        """Index what has been appended since the last time, or what of one session is not there yet."""
        if session_id is None and self.is_current():
            return
        [(after,)] = self._db.rows("SELECT max(position) FROM hud_searched")
        if session_id is not None:
            after = 0
        what = "a search, which brings its index up to date"
        while after is not None:
            with self._db.writing(what, has_parts=True) as db:
                # One at a time: who waits finds little left to do.
                self._db.lock(db, "search", "", what)
                [(settled,)] = db.execute("SELECT hud_settled()").fetchall()
                rows = db.execute(NEW, (after, session_id, session_id, PAGE)).fetchall()
                self._keep(db, rows)
                is_last = len(rows) < PAGE
                after = None if is_last else rows[-1][0]
                if session_id is None:
                    reached = settled if after is None else min(after, settled)
                    db.execute(
                        "UPDATE hud_searched SET position = ? WHERE position < ?",
                        (reached, reached),
                    )

    def is_current(self) -> bool:
        """Tell whether the index has all events that there are."""
        return self._db.rows(IS_CURRENT) == [(True,)]

    def _keep(self, db: Bound, rows: Iterable[Row]) -> None:
        # Who else writes to the index waits for its lock, so what was not there is not there yet.
        db.copy(KEEP, ((*entry.told(), entry.lexemes) for entry in _entries(rows)))

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


def searchable_text(text: str) -> str:
    """Return a text without what PostgreSQL cannot keep: halves of surrogate pairs."""
    return text.encode("utf-8", "replace").decode()


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


def _hit(row: Row, words: list[str]) -> Hit:
    session_id, version, turn, timestamp, actor, kind, text = row
    return Hit(session_id, version, turn, timestamp, actor, kind, unspaced(snippet(text, words)))
