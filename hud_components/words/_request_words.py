"""The words that a request has already, so that a delivery need not repeat them.

In: the messages of the request, and what deliveries told before. Out: for each text whether it is there, and the values
of a state without what is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from ujsx import RenderContext

_BREAKS = re.compile(r"[\r\n]+|…| — | ← ")
"""The joints of a text that the HUD puts together: lines in another order, a cut, an answer behind an ask, and an ask
before another one."""

_MARKS = "#*>- \t"
"""Characters around a line that are not part of its words."""


_UNSPACED = "\u2e80"
"""The first of the characters that are written without spaces between words."""


class RequestMessage(NamedTuple):
    """A message of the request: what the user, the model or the host's summary says in it."""

    text: str

    is_answer: bool = False
    """Whether the model wrote it. Its words are never the user's."""


class RequestWords:
    r"""The words of a request's messages, and those of the deliveries in it.

    :param messages: the messages of the conversation, oldest first, without the deliveries.
    :param told: the lines that deliveries told and that hold.
    :param told_keys: the ids of the items of these lines.

    >>> words = RequestWords([RequestMessage("Never push to main. Add a login."), RequestMessage("Done.", True)])
    >>> words.has("Never push to main."), words.has("push"), words.has("Done."), words.has("Add a logi")
    (True, True, False, False)
    >>> words.has("Done.", of_model=True)
    True
    """

    def __init__(
        self,
        messages: Iterable[RequestMessage],
        told: Iterable[str] = (),
        told_keys: Iterable[str] = (),
    ) -> None:
        newest_first = [*messages][::-1]
        self._prompts = _Texts(each.text for each in newest_first if not each.is_answer)
        self._answers = _Texts(each.text for each in newest_first if each.is_answer)
        self._told = _Texts(told)
        self._told_keys = frozenset(told_keys)

    def has(self, text: str, *, of_model: bool = False) -> bool:
        """Tell whether a text is there word for word, in one piece or in the pieces that it is put together of.

        :param of_model: whether it may be the model's; else it is the user's or the summary's.
        """
        return self._prompts.have(text) or (of_model and self._answers.have(text))

    def completes(self, text: str) -> bool:
        """Tell whether the messages have a text, or all pieces of it that deliveries did not tell."""
        pieces = _pieces(text)
        has = [self._prompts.has(each) for each in pieces]
        return any(has) and all(
            one or self._told.has(each) for one, each in zip(has, pieces, strict=True)
        )

    def tells(self, text: str) -> bool:
        """Tell whether a delivery told a text whole."""
        return self._told.have(text)

    def tells_item(self, key: str) -> bool:
        """Tell whether a delivery told of the item with this id."""
        return key in self._told_keys


class _Texts:
    """Texts that are searched in their order. Each is read when a search first comes to it."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._unread = iter(texts)
        self._read: list[str] = []

    def have(self, text: str) -> bool:
        return all(map(self.has, _pieces(text)))

    def has(self, piece: str) -> bool:
        for place, text in enumerate(self._each()):
            if _is_in(text, piece):
                self._read.insert(
                    0, self._read.pop(place)
                )  # the next piece is likely to be there, too
                return True
        return False

    def _each(self) -> Iterator[str]:
        yield from self._read
        for text in self._unread:
            self._read.append(_plain(text))
            yield self._read[-1]


def _pieces(text: str) -> list[str]:
    """The pieces that a text is put together of."""
    return [each for one in _BREAKS.split(text) if (each := _plain(one.strip(_MARKS)))]


def _plain(text: str) -> str:
    return " ".join(text.split())


def _is_in(text: str, piece: str) -> bool:
    """Whether a text has a piece as whole words."""
    start = text.find(piece)
    while start >= 0:
        end = start + len(piece)
        if not (_joins(text[max(start - 1, 0) : start + 1]) or _joins(text[end - 1 : end + 1])):
            return True
        start = text.find(piece, start + 1)
    return False


def _joins(pair: str) -> bool:
    """Whether the two characters around an edge belong to one word."""
    return len(pair) > 1 and pair.isalnum() and max(pair) < _UNSPACED


@dataclass(frozen=True, slots=True)
class Remaining:
    """The rest that is left to tell of a state's values: pairs of a value and what of it the request does not have."""

    pairs: tuple[tuple[Any, Any], ...] = ()

    silent: frozenset[str] = frozenset()
    """The names of the sections of one value of which nothing is left to tell: what was told of it before is older than
    the words of the request."""


def left_to_tell(value: Any, ctx: RenderContext) -> Any:
    """Return what of a value is to be rendered: all of it, but in a delivery what the request does not have."""
    remaining = ctx.get(Remaining) if value else None
    if remaining is None:
        return value
    return next((rest for whole, rest in remaining.pairs if whole is value), value)
