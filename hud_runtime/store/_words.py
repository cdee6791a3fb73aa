"""The words of an event that can be searched, and those of a query: text as words that SQLite sees.

FTS5 splits text at what is no letter and no digit. Chinese and Japanese have no such places, so an
invisible one is put between their characters, in texts and in queries alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from hud_runtime._errors import SearchError
from hud_runtime.events import Payload

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

    >>> from hud_runtime.events import PAYLOADS
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
