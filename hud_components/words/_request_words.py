"""The words that a request has already, so that a delivery need not repeat them.

In: the messages of the request, and what deliveries told before. Out: for each text whether it is there, and the values
of a state without what is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple

from ujsx import RenderContext

_BREAKS = re.compile(r"[\r\n]+|…| — | ← ")
"""The joints of a text that the HUD puts together: lines in another order, a cut, an answer behind an ask, and an ask
before another one."""

_JOINTS = re.compile(r": |, | in |\(\+\d+ more\)")
"""The joints of what hosts report of several texts of calls and results."""

_QUOTES = str.maketrans("", "", "\"'`")
"""Quotes, which commands have and what hosts report of them has not."""

_MARKS = "#*>- \t"
"""Characters around a line that are not part of its words."""


_UNSPACED = "\u2e80"
"""The first of the characters that are written without spaces between words."""

NEAR, FAR = 80_000, 160_000
"""Bytes at the end of a request, about 20,000 and 40,000 tokens. What tools were asked and answered in the first of them is
not told; what stands within the second does not make a delivery by itself."""

CUT = "…"
"""Stands where a text is cut, which may be within a word."""

TELLING = 12
"""Characters of the longest piece from which on the pieces of a text count one by one."""

SURE = 24
"""Characters that stand in a text by no chance, even within a longer word."""


class RequestMessage(NamedTuple):
    """A message of the request: what the user, the model or the host's summary says in it."""

    text: str

    is_answer: bool = False
    """Whether the model wrote it. Its words are never the user's."""

    shown: str = ""
    """The texts of the calls of tools in an answer, or of the results in any other message: nobody's words."""


class RequestWords:
    r"""The words of a request's messages, and those of the deliveries in it.

    :param messages: the messages of the conversation, oldest first, without the deliveries.
    :param told: the lines that deliveries told and that hold.
    :param told_keys: the ids of the items of these lines.
    :param changed: finds the ids of the items that the agent alone has changed since; asked at most once.

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
        changed: Callable[[], Container[str]] = tuple,
    ) -> None:
        self._messages = [*messages]
        newest_first = self._messages[::-1]
        self._prompts = _Texts(each.text for each in newest_first if not each.is_answer)
        self._answers = _Texts(each.text for each in newest_first if each.is_answer)
        self._told = _Texts(told)
        self._told_keys = frozenset(told_keys)
        self._find_changed = changed

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

    @cached_property
    def changed(self) -> Container[str]:
        """The ids of the items that the agent alone has changed since the last delivery, by calls that the request has."""
        return self._find_changed()

    @cached_property
    def newest(self) -> str:
        """A digest of the newest message and the one before it; empty where there is none."""
        return self._digests[-1] if self._messages else ""

    def shows(
        self,
        texts: Iterable[str],
        *,
        in_calls: bool = False,
        after: str | None = None,
        within: int = NEAR,
    ) -> bool:
        """Tell whether all texts stand word for word near the end of the request.

        :param in_calls: whether only the calls count that the model has made.
        :param after: the digest of the message that they stand behind; without that message none does.
        :param within: how many bytes at the end count.

        >>> calls = [RequestMessage("", True, "notes.add Port 8080"), RequestMessage("", False, "Added n-2.")]
        >>> words = RequestWords(calls)
        >>> words.shows(["Port 8080"], in_calls=True), words.shows(["n-2"], in_calls=True), words.shows(["n-2"])
        (True, False, True)
        """
        start = 0 if after is None else self._places.get(after, len(self._messages)) + 1
        found = [
            each.calls if in_calls else each.words
            for each in self._near
            if each.number >= start and each.behind < within
        ]
        pieces = [
            (piece, CUT not in each and len(piece) < SURE)
            for each in texts
            for piece in (_pieces(each) if in_calls else _reported(each))
        ]
        return bool(pieces) and all(
            any(_is_in(text, piece, is_whole=is_whole) for text in found)
            for piece, is_whole in pieces
        )

    @cached_property
    def _near(self) -> Sequence[_NearMessage]:
        """The messages near the end, the newest first."""
        found: list[_NearMessage] = []
        behind = 0
        for number in reversed(range(len(self._messages))):
            if behind >= FAR:
                break
            text, is_answer, shown = self._messages[number]
            calls = _plain(_unescaped(shown[-FAR:]))
            words = f"{_plain(text[-FAR:])}\n{calls}".translate(_QUOTES)
            found.append(_NearMessage(number, behind, words, calls if is_answer else ""))
            behind += len(f"{text}{shown}".encode("utf-8", "surrogatepass"))
        return found

    @cached_property
    def _places(self) -> Mapping[str, int]:
        """The number of each message, by its digest; of equal ones, that of the last."""
        return {each: number for number, each in enumerate(self._digests)}

    @cached_property
    def _digests(self) -> Sequence[str]:
        """A digest of each message with the one before it: many calls have the same short result."""
        alone = [b"", *map(_digest, self._messages)]
        return [_digest_of(before + own) for before, own in pairwise(alone)]


class _NearMessage(NamedTuple):
    """A message near the end of a request."""

    number: int
    behind: int
    """Bytes of the request behind it."""
    words: str
    """All that stands in it."""
    calls: str
    """The texts of the model's calls in it."""


def _unescaped(shown: str) -> str:
    """Texts as they were before they were written as JSON."""
    return shown.replace("\\n", "\n").replace('\\"', '"') if "\\" in shown else shown


def _digest(message: RequestMessage) -> bytes:
    data = f"{message.text}\0{message.shown}".encode("utf-8", "surrogatepass")
    return _digest_of(data).encode()


def _digest_of(data: bytes) -> str:
    return blake2b(data, digest_size=8).hexdigest()


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
    parts = _BREAKS.split(text)
    pieces = [each for one in parts if (each := _plain(one.strip(_MARKS)))]
    return pieces or [each for one in parts if (each := _plain(one))]  # nothing but marks


def _reported(text: str) -> list[str]:
    """The pieces of what hosts report of calls and results: a command and its message, names in a row, a count of more."""
    text = text.translate(_QUOTES)
    pieces = [each for one in _JOINTS.split(text) for each in _pieces(one)]
    return pieces if any(len(each) >= TELLING for each in pieces) else _pieces(text)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _is_in(text: str, piece: str, *, is_whole: bool = True) -> bool:
    """Whether a text has a piece, as whole words or anywhere."""
    start = text.find(piece)
    if not is_whole:
        return start >= 0
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

    reduced: frozenset[str] = frozenset()
    """The names of the sections of these values. Where nothing of one value is left to tell, what was told of it before is
    older than the words of the request."""


def left_to_tell(value: Any, ctx: RenderContext) -> Any:
    """Return what of a value is to be rendered: all of it, but in a delivery what the request does not have."""
    remaining = ctx.get(Remaining) if value else None
    if remaining is None:
        return value
    return next(
        (rest for whole, rest in remaining.pairs if whole is value or whole == value), value
    )
