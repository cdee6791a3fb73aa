"""What a format is: how a file of it is recognised, and what is seen in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hud_runtime.observation._observations import AnyObservation
from hud_runtime.transcripts._source import Source


@dataclass(frozen=True, slots=True)
class Format:
    """A format of transcripts.

    A package adds its own as an entry point of the group ``ujsx.transcripts``; those are asked first.
    """

    name: str
    """What it is called."""

    recognises: Callable[[Source], str | None]
    """Tells why a file is of this format, in a few words; None for one that is not."""

    observations: Callable[[Source], Iterator[AnyObservation]]
    """What is seen in a file, in the order in which it happened."""

    estimates: bool = False
    """Whether the context's size has to be estimated, because nothing in the file tells it."""

    where: str = ""
    """Where files of it lie."""
