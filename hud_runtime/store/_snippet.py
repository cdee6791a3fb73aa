"""The words around what a search has found.

It picks the same words as FTS5's ``snippet()`` (sqlite.org/fts5.html, section 5.1.3), which looks at
every pair of places in a text: forty thousand of them take it twenty seconds. Here a window passes
over the places once, and over the first thousand alone.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

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


class Words:
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


def _read(text: str, phrases: Sequence[Phrase], size: int) -> tuple[Words, list[TokenPlace], bool]:
    """Return the text's words and the places of the phrases, and whether the text was read whole."""
    read = Words()
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


def _best(read: Words, places: Sequence[TokenPlace], phrases: Sequence[Phrase], size: int) -> int:
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
