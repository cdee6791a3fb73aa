"""The format of a transcript: how a file of it is recognized, and what is seen in it.

Files of lines are read a record at a time, so that one that is being written is read on where it ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Self, TypeAlias

from hud_runtime.observation._json import Record
from hud_runtime.observation._observations import AnyObservation
from hud_runtime.transcripts._source import Source

Sign: TypeAlias = Callable[[Source], str | None]
"""Tells why a file is of a format, in a few words; None for one that is not."""


def has(reason: str, is_one: Callable[[Record], object]) -> Sign:
    """Return the sign of files of which one of the first records is of a kind.

    :param reason: what such a file has.
    :param is_one: tells a record of that kind.
    """
    return lambda source: f"it has {reason}" if any(map(is_one, source.head)) else None


RecordReader: TypeAlias = Callable[[int, Record], Iterable[AnyObservation]]
"""Tells what one record tells, by its number and what it is; it remembers what came before."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format of transcripts.

    A package adds its own as an entry point of the group ``ujsx.transcripts``; those are asked first.
    """

    name: str
    """What it is called."""

    recognises: Sign

    observations: Callable[[Source], Iterator[AnyObservation]]
    """What is seen in a file, in the order in which it happened."""

    estimates: bool = False
    """Whether the context's size has to be estimated, because nothing in the file tells it."""

    where: str = ""
    """Where files of it lie."""

    begin: Callable[[Source], RecordReader] | None = None
    """For formats of which one record is told after the other: begins a file. None where a record can change
    what an earlier one has told."""

    quiet: AbstractSet[str] = frozenset()
    """Kinds of records that are known to tell nothing of the session's state; what else a format skips is counted
    as not understood."""

    @classmethod
    def of_records(
        cls,
        name: str,
        recognises: Sign,
        begin: Callable[[Source], RecordReader],
        *,
        estimates: bool = False,
        where: str = "",
        quiet: AbstractSet[str] = frozenset(),
    ) -> Self:
        """Return a format that is told record by record, so that a file can be followed while it is written."""

        def observations(source: Source) -> Iterator[AnyObservation]:
            told = begin(source)
            for number, record in source.records():
                yield from told(number, record)

        return cls(name, recognises, observations, estimates, where, begin, quiet)
