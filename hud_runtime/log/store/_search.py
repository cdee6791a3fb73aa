"""Full-text search over the texts of events."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from array import array
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple, TypeAlias, TypeVar

from hud_runtime._errors import SearchError, StoreDamagedError, StoreError
from hud_runtime._progress import progress
from hud_runtime.log.events import Event, Payload
from hud_runtime.log.secrets import texts_in
from hud_runtime.log.store._database import Database
from hud_runtime.log.store._files import BEYOND, LogReader, may_be_of_changed_files
from hud_runtime.log.store._protocol import Hit
from hud_runtime.log.store._rows import Row, Statements, StoreConnection

# Snippets: the words around a match.
#
# They select the same words as FTS5's ``snippet()`` (sqlite.org/fts5.html, section 5.1.3), which
# compares every pair of matches: forty thousand take it twenty seconds. Here a window passes once
# over the first thousand.

WORDS = 24
"""Words in a snippet."""

MOST = 1_000
"""Matches considered: the best of so many is good enough."""

FIRST_TIME, AGAIN = 1_000, 1
"""The score of a match: a phrase's first in the window, and each other one."""

FIRST_SENTENCE, SENTENCE = 120, 100
"""The bonus for a window that begins with the text, or with a sentence."""

MORE = "…"
"""Replaces omitted words."""

TOKEN = re.compile(r"(?:[^\W_]|[\ue000-\uf8ff])(?:[^\W_]|[\u0300-\u036f\ue000-\uf8ff])*")
"""A word as in FTS5's ``unicode61``: letters, digits, private-use characters, combining marks."""

Phrase: TypeAlias = tuple[str, ...]
"""A query's word as FTS5 splits it; the last part may be a prefix."""


class TokenPlace(NamedTuple):
    """A match of a phrase: the number of its first word in the text."""

    start: int
    phrase: int


class WordPlaces:
    """The words of a text by their offsets: two numbers each, for long texts."""

    def __init__(self) -> None:
        self.starts = array("q")
        self.ends = array("q")
        self.sentences: list[int] = []
        """The first words of sentences."""

    def __len__(self) -> int:
        return len(self.starts)


def snippet(text: str, words: Sequence[str], size: int = WORDS) -> str:
    """Return ``size`` words of the text around the matches of a query.

    :param words: the query's words, as from :func:`words_of`.

    >>> snippet("the worker listens on port 8080 since today", ["port"], size=4)
    '…on port 8080 since…'
    """
    phrases = [phrase for phrase in map(phrase_of, words) if phrase]
    read, places, is_whole = _read(text, phrases, size)
    if not len(read):
        return text
    start = _best(read, places, phrases, size) if len(read) > size else 0
    end = min(start + size, len(read))
    goes_on = end < len(read) or not is_whole
    begins = read.starts[start] if start else 0
    ends = read.ends[end - 1] if goes_on else len(text)
    return f"{MORE if start else ''}{text[begins:ends]}{MORE if goes_on else ''}"


def phrase_of(word: str) -> Phrase:
    """Return the parts of a query's word, folded.

    >>> phrase_of("src/Café")
    ('src', 'cafe')
    """
    if word.isascii():  # as :func:`folded` does, for all words at once
        return tuple(TOKEN.findall(word.lower()))
    return tuple(map(folded, TOKEN.findall(word)))


def folded(token: str) -> str:
    """Return a word in lower case without accents."""
    if token.isascii():
        return token.lower()
    return "".join(
        char
        for char in unicodedata.normalize("NFD", token.lower())
        if not unicodedata.combining(char)
    )


def _read(
    text: str, phrases: Sequence[Phrase], size: int
) -> tuple[WordPlaces, list[TokenPlace], bool]:
    """Return the text's words, the phrases' matches, and whether the whole text was read."""
    read = WordPlaces()
    places: list[TokenPlace] = []
    firsts = tuple({phrase[0] for phrase in phrases})
    longest = max((len(phrase) for phrase in phrases), default=1)
    recent: deque[str] = deque(maxlen=longest)
    enough: int | None = None
    for number, found in enumerate(TOKEN.finditer(text)):
        if _begins_sentence(text, found.start(), is_first=not number):
            read.sentences.append(number)
        read.starts.append(found.start())
        read.ends.append(found.end())
        recent.append(folded(found.group()))
        if longest > 1 or recent[-1].startswith(firsts):
            places.extend(_ending(recent, phrases, len(read)))
        if enough is None and len(places) >= MOST:
            enough = len(read) + size + longest
        if enough is not None and len(read) >= enough:
            return read, sorted(places), False
    return read, sorted(places), True


def _begins_sentence(text: str, start: int, *, is_first: bool) -> bool:
    """Tell whether a sentence begins there: after a full stop or a colon, and white space."""
    if is_first:
        return True
    place = start - 1
    while place >= 0 and text[place] in " \t\n\r":
        place -= 1
    return place != start - 1 and text[place : place + 1] in (".", ":")


def _ending(recent: Iterable[str], phrases: Sequence[Phrase], count: int) -> Iterator[TokenPlace]:
    """Yield the matches of phrases that end at the last of ``count`` words."""
    read = [*recent]
    for number, phrase in enumerate(phrases):
        part = read[-len(phrase) :]
        if (
            len(part) == len(phrase)
            and part[-1].startswith(phrase[-1])
            and part[:-1] == [*phrase[:-1]]
        ):
            yield TokenPlace(count - len(phrase), number)


def _best(
    read: WordPlaces, places: Sequence[TokenPlace], phrases: Sequence[Phrase], size: int
) -> int:
    """Return the first word of the best window; the first among equals."""
    begins = [place.start for place in places]
    sentences = [read.sentences[bisect_right(read.sentences, begin) - 1] for begin in begins]
    best, start = 0, 0
    at_places = _windows(begins, places, phrases, size)
    at_sentences = _windows(sentences, places, phrases, size)
    for begin, here, sentence, whole in zip(
        begins, at_places, sentences, at_sentences, strict=True
    ):
        if here.score > best:
            best, start = here.score, _centred(here, size, len(read))
        score = whole.score + (SENTENCE if sentence else FIRST_SENTENCE)
        if sentence < begin and score > best:
            best, start = score, sentence
    return start


class Window(NamedTuple):
    """The phrases within ``size`` words from a word on."""

    score: int
    first: int
    """The first word of its first match."""
    end: int
    """The word after its last match."""


def _windows(
    begins: Iterable[int], places: Sequence[TokenPlace], phrases: Sequence[Phrase], size: int
) -> Iterator[Window]:
    """Yield the window at each of these words, in order; each match enters and leaves once."""
    within: Counter[int] = Counter()
    low = high = different = 0
    for begin in begins:
        while high < len(places) and places[high].start < begin + size:
            within[places[high].phrase] += 1
            different += within[places[high].phrase] == 1
            high += 1
        while low < high and places[low].start < begin:
            within[places[low].phrase] -= 1
            different -= within[places[low].phrase] == 0
            low += 1
        if low == high:
            yield Window(0, begin, begin)
            continue
        last = places[high - 1]
        score = different * FIRST_TIME + (high - low - different) * AGAIN
        yield Window(score, places[low].start, last.start + len(phrases[last.phrase]))


def _centred(window: Window, size: int, count: int) -> int:
    """Return the start of a window of this size with its matches in the middle."""
    spare = size - (window.end - window.first)
    begin = window.first - (spare // 2 if spare >= 0 else -(-spare // 2))  # towards 0, as in C
    return max(min(begin, count - size), 0)


# The searchable words of an event, and those of a query, as SQLite splits them.
#
# FTS5 splits text between letters and digits. Chinese and Japanese have no separators, so an
# invisible one is inserted between their characters, in texts and queries.

NOT_TEXT = frozenset({"id", "ids", "status", "section", "parent", "model"})
"""Fields of payloads that hold names rather than text."""

BREAK = "\u200b"
"""ZERO WIDTH SPACE: separates characters, and is removed again."""

WITHOUT_SPACES = re.compile(
    "(?<=[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"
)
"""The position after a character of a script without spaces: kana, and Han with its extensions."""

MOST_WORDS = 64
"""Words of a query: more than people type, few enough for SQLite's parser."""


LONGEST_PAGE = 1_000
"""Hits of one page: more than people read, few enough for memory."""


def check_page(limit: int, after: int) -> None:
    """Raise :class:`SearchError` for an invalid page of hits."""
    if not 1 <= limit <= LONGEST_PAGE or after < 0:
        raise SearchError(
            f"limit is {limit} and after {after}: give a limit from 1 to {LONGEST_PAGE},"
            " and how many hits to pass over"
        )


def text_of(payload: Payload) -> str:
    r"""Return all texts of a payload, one a line; empty if it has none.

    >>> from hud_runtime.log.events import PAYLOADS
    >>> text_of(PAYLOADS["decision.record"](id="d-2", summary="Use JWT", details="Stateless"))
    'Use JWT\nStateless'
    >>> text_of(PAYLOADS["step.complete"](id="s-3"))
    ''
    """
    texts = texts_in(payload.model_dump(exclude_none=True))
    return "\n".join(text for place, text in texts if NOT_TEXT.isdisjoint(place))


def spaced(text: str) -> str:
    """Return a text with separators where FTS5 splits words.

    >>> spaced("Port 8080"), spaced("東京 tower").split(BREAK)
    ('Port 8080', ['東', '京', ' tower'])
    """
    return WITHOUT_SPACES.sub(BREAK, text)


def unspaced(text: str) -> str:
    """Return a text without those separators."""
    return text.replace(BREAK, "")


def words_of(query: str) -> list[str]:
    """Return the distinct searchable words of a query.

    Raises :class:`SearchError` for more than 64 of them.

    >>> words_of('port -- "8080" port')
    ['port', '8080']
    """
    found = (word for word in query.replace('"', " ").split() if any(map(str.isalnum, word)))
    words = list(dict.fromkeys(found))
    if len(words) > MOST_WORDS:
        raise SearchError(
            f"the query has {len(words)} words; give at most {MOST_WORDS} that tell what you look for"
        )
    return words


def searchable(word: str) -> str:
    """Return a word without characters that SQLite cannot search for.

    A null character ends its text; an unpaired surrogate is not text.
    """
    return word.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


# Matching and ranking: the same words, and the same statement, in each engine.
#
# Each text is split into words here, stored beside it as ``words``: folded, each after a space. A
# query is split in the same way, so that a substring search finds a word or its prefix. The rank of
# a text depends on that text alone, without the frequency of words in others.

RANKED = 10_000
"""Hits that are ranked together, the newest first; older ones follow in blocks of this size.

Ranking reads the whole text: this number takes a database some hundredths of a second.
"""

USUAL, LESS_EACH_TIME, BY_LENGTH = 300.0, 1.2, 0.75
"""Parameters of the rank, which is BM25's for words that all hits have: bytes of a usual text, saturation
of repeated words, and weight of the length.
"""

TOLD = "session_id, version, turn, timestamp, actor, type, text"
"""The columns of a hit."""

PHRASE = "CAST(? AS text)"

RANKING = """
SELECT {told}, block, {rank} AS place FROM (
    SELECT {told}, CAST(size AS double precision) AS size, {times}, (row_number() OVER (ORDER BY position DESC) - 1) / ? AS block
    FROM (
        SELECT {told}, words, {size} AS size FROM {found} {has_all} ORDER BY position DESC LIMIT ? OFFSET ?
    ) AS newest
) AS counted
ORDER BY block, place DESC, position DESC LIMIT ? OFFSET ?
"""


@lru_cache(maxsize=256)
def ranking(engine: Statements, told: str, found: str, phrases: int) -> str:
    """Return the statement for a page of hits, best first, then newest.

    Its columns are ``told``, which begin with the position, then ``block`` and ``place``; its values are
    those of :func:`values`.

    :param found: the source rows with ``told`` and ``words``, and a condition to continue with ``AND``.
    :param phrases: the number of phrases.
    """
    size = engine.size.format
    names = [f"times_{number}" for number in range(phrases)]
    without = f"replace(words, {PHRASE}, '')"
    times = f"(size - {size(without)}) / CAST({size(PHRASE)} AS double precision)"
    share = f"{LESS_EACH_TIME} * ({1 - BY_LENGTH} + {BY_LENGTH} * size / {USUAL})"
    return RANKING.format(
        told=told,
        rank=" + ".join(f"{each} / ({each} + {share})" for each in names),
        times=", ".join(f"{times} AS {each}" for each in names),
        size=size("words"),
        found=found,
        has_all=f"AND {engine.has.format(PHRASE)} " * phrases,
    )


def values(
    phrases: Sequence[str], of_found: Sequence[object], limit: int, after: int
) -> tuple[object, ...]:
    """Return the values of :func:`ranking` for ``limit`` hits after ``after`` others."""
    after = min(after, BEYOND)
    first = after // RANKED
    last = (after + limit - 1) // RANKED
    return (
        *(text for text in phrases for _ in range(2)),
        RANKED,
        *of_found,
        *phrases,
        RANKED * (last - first + 1),
        RANKED * first,
        limit,
        after - RANKED * first,
    )


@dataclass(frozen=True, slots=True)
class Query:
    """A query: its words and their parts."""

    words: tuple[str, ...]
    """The query's words as written."""
    phrases: tuple[tuple[str, ...], ...]
    """The folded parts of each word, which follow one another; the last may be a prefix."""

    @classmethod
    def of(cls, query: str) -> Query:
        """Parse a query. Raises :class:`SearchError` for too many words."""
        words = tuple(map(spaced, map(searchable, words_of(query))))
        return cls(words, tuple(phrase for phrase in map(phrase_of, words) if phrase))

    @property
    def texts(self) -> list[str]:
        """The phrases in the form of :attr:`SearchedEvent.words`.

        >>> Query.of("Café src/a").texts
        [' cafe', ' src a']
        """
        return ["".join(f" {part}" for part in phrase) for phrase in self.phrases]

    def hit(self, told: Row) -> Hit:
        """Return the hit for the columns :data:`TOLD`."""
        session_id, version, turn, timestamp, actor, kind, text = told
        said = unspaced(snippet(text, self.words))
        return Hit(session_id, version, turn, timestamp, actor, kind, said)


@dataclass(frozen=True, slots=True)
class SearchedEvent:
    """The searchable part of an event."""

    position: int
    event: Event
    text: str
    words: str
    """The folded words of the text, each after a space."""

    @classmethod
    def of(cls, position: int, event: Event) -> SearchedEvent | None:
        """Return the searchable part of an event; None for one without text."""
        text = text_of(event.payload)
        if not text:
            return None
        text = spaced(text.encode("utf-8", "replace").decode())  # without unpaired surrogates
        return cls(position, event, text, "".join(f" {word}" for word in phrase_of(text)))

    def told(self) -> tuple[object, ...]:
        """Return the values of ``position``, :data:`TOLD` and ``words``."""
        one = self.event
        return (
            self.position, one.session_id, one.version, one.turn, one.timestamp, one.actor, one.type,
            self.text, self.words,
        )  # fmt: skip


PAGE = 1_000
"""Events that are indexed in one transaction, so that other writers get a turn."""

TABLES: Mapping[str, str] = MappingProxyType(
    {
        "hud_searched": "CREATE TABLE hud_searched (position INTEGER NOT NULL) STRICT",
        "hud_search_texts": """CREATE TABLE hud_search_texts (
            position INTEGER PRIMARY KEY, session_id TEXT NOT NULL, version INTEGER NOT NULL,
            turn INTEGER NOT NULL, timestamp INTEGER NOT NULL, actor TEXT NOT NULL, type TEXT NOT NULL,
            text TEXT NOT NULL, words TEXT NOT NULL, owner TEXT NOT NULL) STRICT""",
        "hud_search_words": f"""CREATE VIEW hud_search_words AS SELECT position, words,
            replace(words, ' ', ' ' || owner || char({ord(BREAK)})) AS own, session_id FROM hud_search_texts""",
        "hud_search": """CREATE VIRTUAL TABLE hud_search USING fts5(
            words, own, session_id UNINDEXED, content = 'hud_search_words', content_rowid = 'position',
            columnsize = 0, tokenize = 'ascii')""",
    }
)
"""The index: its position, the texts of events with their words, so that archived events are found, and the
texts of each word. Words are split and folded already; ``ascii`` only splits at spaces
(sqlite.org/fts5.html, section 4.3.2). FTS5's ranks are unused, so it stores no sizes.

Each word is stored twice: as it is, and after its session's prefix. FTS5 scans all texts with a word, of
any session; so each session has words of its own.
"""

KEEP = (
    f"INSERT INTO hud_search_texts (position, {TOLD}, words, owner)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)

FIND = (
    "INSERT INTO hud_search (rowid, words, own, session_id)"
    " SELECT position, words, own, session_id FROM hud_search_words WHERE position = ?"
)

IN_ALL = "(SELECT rowid AS position, words FROM hud_search WHERE hud_search MATCH ?) WHERE TRUE"

IN_ONE = (
    "(SELECT rowid AS position, words FROM hud_search WHERE hud_search MATCH ? AND session_id = ?)"
    " WHERE TRUE"
)

HITS = f"""
SELECT {TOLD} FROM ({{ranking}}) CROSS JOIN hud_search_texts USING (position)
ORDER BY block, place DESC, position DESC
"""
"""The best hits are selected without their texts, so that those sorted away use no memory. One statement
sees one moment: others may delete the index at any time.
"""

GIVEN_UP = -1
"""The position of an index that a purge is deleting: it is not used any more, and the next search makes a new one."""

ResultT = TypeVar("ResultT")


class SearchIndex:
    """The full-text index of a log, built by the first search."""

    def __init__(self, database: Database, log: LogReader) -> None:
        self._db = database
        self._log = log

    def find(self, query: str, session_id: str | None, limit: int, after: int) -> list[Hit]:
        """Return the events with all words of the query; see :meth:`EventStore.search`."""
        check_page(limit, after)
        asked = Query.of(query)
        found: str = IN_ALL
        among: tuple[str, ...] = (_expression(asked),)
        if session_id is not None:
            found, among = IN_ONE, (_expression(asked, owner_of(session_id)), session_id)
        hits = HITS.format(
            ranking=ranking(self._db.statements, "position", found, len(asked.phrases))
        )

        def answer() -> list[Hit]:
            self.catch_up()
            if not asked.phrases:
                return []
            return [
                asked.hit(row)
                for row in self._db.rows(hits, *values(asked.texts, among, limit, after))
            ]

        return self._mended(answer)

    def catch_up(self) -> None:
        """Index the events appended since the last time."""
        behind = iter(self.is_current, True)  # page by page, until it is current
        for _ in progress(behind, f"indexing events, {PAGE:,} at a time"):
            with self._db.writing("a search, which brings its index up to date") as db:
                if self.reached() is None:
                    drop_tables(db)
                    self._make(db)
                self._index_page(db)

    def is_current(self) -> bool:
        """Tell whether the index has all events."""
        reached = self.reached()
        return reached is not None and reached >= self._log.last_position()

    def reached(self) -> int | None:
        """Return the indexed position; ``None`` without an index.

        An index that is being deleted, or has an older layout, does not count. Raises
        :class:`StoreDamagedError` if the index has no position.
        """
        there = self._tables()
        if there != frozenset(TABLES):
            return None
        try:
            [(position,)] = self._db.rows("SELECT max(position) FROM hud_searched")
        except StoreError:
            if self._tables() == there:
                raise
            return self.reached()  # another process has deleted it meanwhile
        if position is None:
            raise StoreDamagedError(
                f"{self._db.place}: the search index does not know how far it is"
            )
        return None if position == GIVEN_UP else int(position)

    def was_given_up(self) -> bool:
        """Tell whether an index remains that is being deleted."""
        return bool(self._tables()) and self.reached() is None

    def _tables(self) -> frozenset[str]:
        marks = ", ".join("?" * len(TABLES))
        found = self._db.rows(f"SELECT name FROM sqlite_schema WHERE name IN ({marks})", *TABLES)
        return frozenset(name for (name,) in found)

    def drop(self) -> None:
        """Delete the index, even if it is so damaged that SQLite cannot.

        Its content is overwritten. Raises :class:`StoreDamagedError` if even that fails.
        """
        try:
            with self._db.writing() as db:
                drop_tables(db)
        except StoreError as error:
            if not _is_damage(error):
                raise
            self._tear_out()

    def _tear_out(self) -> None:
        """Drop the tables without reading them, and rewrite the file without their pages."""
        with self._db.writing() as db:
            db.execute("PRAGMA writable_schema = ON")
            try:
                db.execute("DELETE FROM sqlite_schema WHERE tbl_name GLOB 'hud_search*'")
            finally:
                db.execute("PRAGMA writable_schema = RESET")
        self._db.rewrite()

    def _mended(self, answer: Callable[[], ResultT]) -> ResultT:
        """Answer from the index; if it is damaged, rebuild it first.

        An index that another process has just deleted looks damaged. So the second and third attempt, with
        a new index, lock out other writers.
        """
        try:
            return answer()
        except StoreError as error:
            if not _is_damage(error):
                raise
        try:
            return self._alone(answer)
        except StoreError as error:
            if not _is_damage(error):
                raise
        try:
            self.drop()
            return self._alone(answer)
        except StoreDamagedError as error:
            raise StoreDamagedError(
                f"{error}; the search index could not be made anew: `ujsx store repair`"
            ) from error

    def _alone(self, answer: Callable[[], ResultT]) -> ResultT:
        self.catch_up()  # in pages, so that little remains under the lock
        with self._db.writing("a search", has_parts=True):
            return answer()

    def _make(self, db: sqlite3.Connection) -> None:
        try:
            for statement in TABLES.values():
                db.execute(statement)
            db.execute("INSERT INTO hud_searched VALUES (0)")
        except sqlite3.OperationalError as error:
            if "no such module" not in str(error):
                raise
            raise SearchError(
                "this Python's SQLite has no full-text search (FTS5);"
                " use a Python whose SQLite has it: the log needs no change"
            ) from error

    def _index_page(self, db: sqlite3.Connection) -> None:
        position = None
        for position, event in islice(self._log.read_all(self.reached() or 0), PAGE):
            if entry := SearchedEvent.of(position, event):
                db.execute(KEEP, (*entry.told(), owner_of(event.session_id)))
                db.execute(FIND, (position,))
        if position is not None:
            db.execute("UPDATE hud_searched SET position = ?", (position,))


def give_up(db: sqlite3.Connection) -> None:
    """Mark the index, if any, as being deleted, within a transaction."""
    if db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'hud_searched'").fetchone():
        db.execute("UPDATE hud_searched SET position = ?", (GIVEN_UP,))


def is_given_up(db: sqlite3.Connection) -> bool:
    """Tell whether the existing index, if any, is being deleted."""
    if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'hud_searched'").fetchone():
        return True
    [(position,)] = db.execute("SELECT max(position) FROM hud_searched")
    return position in (None, GIVEN_UP)


def drop_tables(db: StoreConnection) -> None:
    """Drop the index within a transaction."""
    db.execute("DROP TABLE IF EXISTS hud_search")
    db.execute("DROP VIEW IF EXISTS hud_search_words")
    db.execute("DROP TABLE IF EXISTS hud_search_texts")
    db.execute("DROP TABLE IF EXISTS hud_searched")


def owner_of(session_id: str) -> str:
    """Return the prefix of a session's own words: letters and digits of fixed length.

    It is short, because each word has it. Two sessions may share one; their ids tell them apart.
    """
    return sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:6]


def _expression(asked: Query, owner: str = "") -> str:
    """Return the FTS5 query: every word of the query, or its prefix, in any order.

    Each is quoted, and has only letters, digits and marks.

    >>> _expression(Query.of('port OR "src/a'))
    'words : (" port"* " or"* " src a"*)'

    :param owner: the session's prefix, to search its words alone.
    """
    texts = asked.texts
    if owner:
        texts = [text.replace(" ", f" {owner}{BREAK}") for text in texts]
    phrases = " ".join(f'"{text}"*' for text in texts)
    return f"{'own' if owner else 'words'} : ({phrases})"


def _is_damage(error: StoreError) -> bool:
    """Tell whether the index may be the cause: for some damage SQLite only reports "error", or a duplicate row.

    A moved file or a closed store does not point to the index.
    """
    cause = error.__cause__
    if type(error) is not StoreError or not isinstance(cause, sqlite3.DatabaseError):
        return isinstance(error, StoreDamagedError)
    return hasattr(cause, "sqlite_errorcode") and not may_be_of_changed_files(cause)
