"""Full-text search over what events say."""

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
from hud_runtime.log.store._database import Database
from hud_runtime.log.store._files import BEYOND, LogReader, may_be_of_changed_files
from hud_runtime.log.store._protocol import Hit
from hud_runtime.log.store._rows import Row, Statements, StoreConnection

# The words around what a search has found.
#
# It picks the same words as FTS5's ``snippet()`` (sqlite.org/fts5.html, section 5.1.3), which looks at
# every pair of places in a text: forty thousand of them take it twenty seconds. Here a window passes
# over the places once, and over the first thousand alone.

WORDS = 24
"""Words in a snippet."""

MOST = 1_000
"""Places that are looked at: the best of so many is good enough."""

FIRST_TIME, AGAIN = 1_000, 1
"""The worth of a place: of the first of its phrase in the window, and of each other one."""

FIRST_SENTENCE, SENTENCE = 120, 100
"""The addition for a window that begins where the text or a sentence does."""

MORE = "…"
"""Stands where words were left out."""

TOKEN = re.compile(r"(?:[^\W_]|[\ue000-\uf8ff])(?:[^\W_]|[\u0300-\u036f\ue000-\uf8ff])*")
"""A word as FTS5's ``unicode61`` has it: letters, digits, private characters, combining marks."""

Phrase: TypeAlias = tuple[str, ...]
"""A word of a query as FTS5 splits it; the last part may be a beginning."""


class TokenPlace(NamedTuple):
    """The place of a phrase: the number of its first word in the text."""

    start: int
    phrase: int


class WordPlaces:
    """The words of a text, as places among its characters: two numbers each, for long texts."""

    def __init__(self) -> None:
        self.starts = array("q")
        self.ends = array("q")
        self.sentences: list[int] = []
        """The words that a sentence begins with."""

    def __len__(self) -> int:
        return len(self.starts)


def snippet(text: str, words: Sequence[str], size: int = WORDS) -> str:
    """Return ``size`` words of the text around what the query's words stand for.

    :param words: the query's words, such as :func:`words_of` gives.

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
    if word.isascii():  # as folded() has it, for all words at once
        return tuple(TOKEN.findall(word.lower()))
    return tuple(map(folded, TOKEN.findall(word)))


def folded(token: str) -> str:
    """Return a word in lower case and without accents."""
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
    """Return the text's words and the places of the phrases, and whether the text was read whole."""
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
    """Yield the places of the phrases that end with the last of ``count`` words."""
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
    """Return the number of the word that the best window begins with; of equals the first."""
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
    """The phrases within ``size`` words from some place on."""

    score: int
    first: int
    """The word that the first place in it begins with."""
    end: int
    """The word after the last place in it."""


def _windows(
    begins: Iterable[int], places: Sequence[TokenPlace], phrases: Sequence[Phrase], size: int
) -> Iterator[Window]:
    """Yield the window at each of the words, which are in order: each place comes and goes once."""
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
    """Return where a window of this size begins that has the places in its middle."""
    spare = size - (window.end - window.first)
    begin = window.first - (spare // 2 if spare >= 0 else -(-spare // 2))  # towards 0, as C has it
    return max(min(begin, count - size), 0)


# The words of an event that can be searched, and those of a query: text as words that SQLite sees.
#
# FTS5 splits text at what is no letter and no digit. Chinese and Japanese have no such places, so an
# invisible one is put between their characters, in texts and in queries alike.

NOT_TEXT = frozenset({"id", "ids", "status", "section", "parent", "model"})
"""Fields of payloads that name something and say nothing."""

BREAK = "\u200b"
"""ZERO WIDTH SPACE: stands between characters, is no part of a word, and is taken out again."""

WITHOUT_SPACES = re.compile(
    "(?<=[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"
)
"""After a character of a script that writes without spaces: kana, and Han with its extensions."""

MOST_WORDS = 64
"""Words in a query: far more than anybody types, few enough for SQLite's parser."""


LONGEST_PAGE = 1_000
"""Hits that are asked for at once: no reader reads more, and they are held in memory."""


def check_page(limit: int, after: int) -> None:
    """Raise :class:`SearchError` for a page of hits that cannot be."""
    if not 1 <= limit <= LONGEST_PAGE or after < 0:
        raise SearchError(
            f"limit is {limit} and after {after}: give a limit from 1 to {LONGEST_PAGE},"
            " and how many hits to pass over"
        )


def text_of(payload: Payload) -> str:
    r"""Return all that a payload says, one piece a line; empty when it says nothing.

    >>> from hud_runtime.log.events import PAYLOADS
    >>> text_of(PAYLOADS["decision.record"](id="d-2", summary="Use JWT", details="Stateless"))
    'Use JWT\nStateless'
    >>> text_of(PAYLOADS["step.complete"](id="s-3"))
    ''
    """
    return "\n".join(_texts(payload.model_dump(exclude_none=True)))


def spaced(text: str) -> str:
    """Return the text with its words where FTS5 finds them.

    >>> spaced("Port 8080"), spaced("東京 tower").split(BREAK)
    ('Port 8080', ['東', '京', ' tower'])
    """
    return WITHOUT_SPACES.sub(BREAK, text)


def unspaced(text: str) -> str:
    """Return a text as a person reads it."""
    return text.replace(BREAK, "")


def words_of(query: str) -> list[str]:
    """Return the words of a query that ask for something, each once.

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
    """Return a word without what SQLite cannot be asked for.

    A null character ends its text, and half of a surrogate pair is none.
    """
    return word.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, one in value.items():  # pyright: ignore[reportUnknownVariableType]
            if name not in NOT_TEXT:
                yield from _texts(one)  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, Sequence):
        for one in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _texts(one)  # pyright: ignore[reportUnknownArgumentType]


# The comparison and the ranking of a search: the same words, and the same statement, in each engine.
#
# A text is cut into words here, and kept beside itself as ``words``: each folded, behind a space. A query is
# cut in the same way, so that a word of it, or its beginning, is found by looking for the characters. How
# well a text fits depends on that text alone; so a search need not know how often a word stands in all others.

RANKED = 10_000
"""Hits that are ranked among each other, of the newest on; those before them come next, so many at a time.

A rank is made of the whole text: so many take a database some hundredths of a second."""

USUAL, LESS_EACH_TIME, BY_LENGTH = 300.0, 1.2, 0.75
"""Of the rank, which is BM25's for words that all texts of the answer have: the bytes of a usual text,
how soon one more of a word counts for less, and how much of its length counts against a text."""

TOLD = "session_id, version, turn, timestamp, actor, type, text"
"""The columns that a hit is made of."""

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
    """Return the statement that gives a page of hits, the best first, then the newest.

    It gives the columns ``told``, which begin with the position, then ``block`` and ``place``; its values are those of :func:`values`.

    :param found: the rows with ``told`` and ``words`` among which they are, and a condition that goes on with ``AND``.
    :param phrases: how many are looked for.
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
    """Return the values of :func:`ranking`, for so many hits after so many others."""
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
    """A query, as its words and their parts."""

    words: tuple[str, ...]
    """The query's words as they stand in a text."""
    phrases: tuple[tuple[str, ...], ...]
    """The parts of each, folded: they follow one another, and the last may be a beginning."""

    @classmethod
    def of(cls, query: str) -> Query:
        """Return what a query asks for. Raises :class:`SearchError` for too many words."""
        words = tuple(map(spaced, map(searchable, words_of(query))))
        return cls(words, tuple(phrase for phrase in map(phrase_of, words) if phrase))

    @property
    def texts(self) -> list[str]:
        """The phrases as they stand among the words of an :class:`SearchedEvent`.

        >>> Query.of("Café src/a").texts
        [' cafe', ' src a']
        """
        return ["".join(f" {part}" for part in phrase) for phrase in self.phrases]

    def hit(self, told: Row) -> Hit:
        """Return a hit, given what is :data:`TOLD` of it."""
        session_id, version, turn, timestamp, actor, kind, text = told
        said = unspaced(snippet(text, self.words))
        return Hit(session_id, version, turn, timestamp, actor, kind, said)


@dataclass(frozen=True, slots=True)
class SearchedEvent:
    """The part of an event that is kept for the search."""

    position: int
    event: Event
    text: str
    words: str
    """The text's words as they are compared, each behind a space."""

    @classmethod
    def of(cls, position: int, event: Event) -> SearchedEvent | None:
        """Return what is kept of an event; None of one that says nothing."""
        text = text_of(event.payload)
        if not text:
            return None
        text = spaced(text.encode("utf-8", "replace").decode())  # no halves of surrogate pairs
        return cls(position, event, text, "".join(f" {word}" for word in phrase_of(text)))

    def told(self) -> tuple[object, ...]:
        """Return the values of ``position``, :data:`TOLD` and ``words``."""
        one = self.event
        return (
            self.position, one.session_id, one.version, one.turn, one.timestamp, one.actor, one.type,
            self.text, self.words,
        )  # fmt: skip


PAGE = 1_000
"""Events that are indexed in one transaction, so that other writers get their turn."""

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
"""The index: how far it is, the texts of events with their words, so that what is archived can still be found,
and which texts have a word. The words are cut and folded already; all that ``ascii`` has to do is to part them at
spaces (sqlite.org/fts5.html, section 4.3.2). Ranks are none of FTS5's, so it keeps no sizes.

Each word is found twice: as it is, and behind the name of who owns it. FTS5 goes through all that have a word, whosesoever
they are; so a session has words of its own."""

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
"""The best are found without the texts: what is sorted away is not held. It is one statement, so that it
sees one moment: others may throw the index away at any time."""

GIVEN_UP = -1
"""The position of an index that a purge is taking apart: nobody asks it any more, a search makes a new
one."""

ResultT = TypeVar("ResultT")


class SearchIndex:
    """The full-text index of a log, made when something is first searched for."""

    def __init__(self, database: Database, log: LogReader) -> None:
        self._db = database
        self._log = log

    def find(self, query: str, session_id: str | None, limit: int, after: int) -> list[Hit]:
        """Return what holds all words of the query; see :meth:`EventStore.search`."""
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
        """Index what has been appended since the last time."""
        behind = iter(self.is_current, True)  # page by page, until it is
        for _ in progress(behind, f"indexing events, {PAGE:,} at a time"):
            with self._db.writing("a search, which brings its index up to date") as db:
                if self.reached() is None:
                    drop_tables(db)
                    self._make(db)
                self._index_page(db)

    def is_current(self) -> bool:
        """Tell whether the index has all events that there are."""
        reached = self.reached()
        return reached is not None and reached >= self._log.last_position()

    def reached(self) -> int | None:
        """Return the position up to which the log is indexed; ``None`` where there is no index.

        One that was given up is none, and so is one of an older layout, which has other tables. Raises
        :class:`StoreDamagedError` when the index does not know.
        """
        there = self._tables()
        if there != frozenset(TABLES):
            return None
        try:
            [(position,)] = self._db.rows("SELECT max(position) FROM hud_searched")
        except StoreError:
            if self._tables() == there:
                raise
            return self.reached()  # somebody has thrown it away in between
        if position is None:
            raise StoreDamagedError(
                f"{self._db.place}: the search index does not know how far it is"
            )
        return None if position == GIVEN_UP else int(position)

    def was_given_up(self) -> bool:
        """Tell whether something is left of an index that nobody asks any more."""
        return bool(self._tables()) and self.reached() is None

    def _tables(self) -> frozenset[str]:
        marks = ", ".join("?" * len(TABLES))
        found = self._db.rows(f"SELECT name FROM sqlite_schema WHERE name IN ({marks})", *TABLES)
        return frozenset(name for (name,) in found)

    def drop(self) -> None:
        """Throw the index away; where it is so damaged that SQLite cannot, tear it out.

        What it held is overwritten. Raises :class:`StoreDamagedError` when even that cannot be.
        """
        try:
            with self._db.writing() as db:
                drop_tables(db)
        except StoreError as error:
            if not _is_damage(error):
                raise
            self._tear_out()

    def _tear_out(self) -> None:
        """Forget the tables without reading them, and write the file anew without their pages."""
        with self._db.writing() as db:
            db.execute("PRAGMA writable_schema = ON")
            try:
                db.execute("DELETE FROM sqlite_schema WHERE tbl_name GLOB 'hud_search*'")
            finally:
                db.execute("PRAGMA writable_schema = RESET")
        self._db.rewrite()

    def _mended(self, answer: Callable[[], ResultT]) -> ResultT:
        """Answer from the index; if it is damaged, from one that is made anew.

        One that somebody else has thrown away in the middle looks like a damaged one. So the second
        try, and the third one, with an index that is new, keep the others from writing.
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
        self.catch_up()  # in pages, so that there is little left to do
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
    """Say within a transaction that the index, if there is one, is not to be asked any more."""
    if db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'hud_searched'").fetchone():
        db.execute("UPDATE hud_searched SET position = ?", (GIVEN_UP,))


def is_given_up(db: sqlite3.Connection) -> bool:
    """Tell whether what is there of an index, if anything, is not asked by anybody."""
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
    """Return the name that a session's own words have before them: of one length, and of letters and digits.

    Two may share one, and are told apart by their ids: it is short, as each word has it.
    """
    return sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:6]


def _expression(asked: Query, owner: str = "") -> str:
    """Return what FTS5 is asked for: every word of the query, or its beginning, in any order.

    Each is quoted, and has nothing but letters, digits and marks.

    >>> _expression(Query.of('port OR "src/a'))
    'words : (" port"* " or"* " src a"*)'

    :param owner: whose words alone they are.
    """
    texts = asked.texts
    if owner:
        texts = [text.replace(" ", f" {owner}{BREAK}") for text in texts]
    phrases = " ".join(f'"{text}"*' for text in texts)
    return f"{'own' if owner else 'words'} : ({phrases})"


def _is_damage(error: StoreError) -> bool:
    """Tell whether the index may be to blame: SQLite says of some damage no more than "error", or that a row is there twice.

    A file that was moved, or a store that was closed, says nothing of the index.
    """
    cause = error.__cause__
    if type(error) is not StoreError or not isinstance(cause, sqlite3.DatabaseError):
        return isinstance(error, StoreDamagedError)
    return hasattr(cause, "sqlite_errorcode") and not may_be_of_changed_files(cause)
