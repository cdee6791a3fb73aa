"""The comparison and the ranking of a search: the same words, and the same statement, in each engine.

A text is cut into words here, and kept beside itself as ``words``: each folded, behind a space. A query is
cut in the same way, so that a word of it, or its beginning, is found by looking for the characters. How
well a text fits depends on that text alone; so a search need not know how often a word stands in all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from hud_runtime.events import Event
from hud_runtime.store._engine import Row
from hud_runtime.store._protocol import Hit
from hud_runtime.store._reader import BEYOND
from hud_runtime.store._snippet import phrase_of, snippet
from hud_runtime.store._words import searchable, spaced, text_of, unspaced, words_of

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


class Dialect(NamedTuple):
    """The expressions that two engines say in different words, with ``{}`` for a value."""

    size: str
    """The number of bytes of a text."""
    has: str
    """Whether ``words`` have a phrase."""


@lru_cache(maxsize=256)
def ranking(dialect: Dialect, told: str, found: str, phrases: int) -> str:
    """Return the statement that gives a page of hits, the best first, then the newest.

    It gives the columns ``told``, which begin with the position, then ``block`` and ``place``; its values are those of :func:`values`.

    :param found: the rows with ``told`` and ``words`` among which they are, and a condition that goes on with ``AND``.
    :param phrases: how many are looked for.
    """
    size = dialect.size.format
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
        has_all=f"AND {dialect.has.format(PHRASE)} " * phrases,
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
        """The phrases as they stand among the words of an :class:`Entry`.

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
class Entry:
    """The part of an event that is kept for the search."""

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
        text = spaced(text.encode("utf-8", "replace").decode())  # no halves of surrogate pairs
        return cls(position, event, text, "".join(f" {word}" for word in phrase_of(text)))

    def told(self) -> tuple[object, ...]:
        """Return the values of ``position``, :data:`TOLD` and ``words``."""
        one = self.event
        return (
            self.position, one.session_id, one.version, one.turn, one.timestamp, one.actor, one.type,
            self.text, self.words,
        )  # fmt: skip
