"""The progress of long work, reported from its loop to the caller that watches, if any."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

ThingT = TypeVar("ThingT")


class WatchedWork(Protocol):
    """Passes things on, and reports their number to a watcher."""

    def __call__(self, things: Iterable[ThingT], doing: str, /) -> Iterable[ThingT]:
        """Return the things; ``doing`` describes the work."""
        ...


_watch: ContextVar[WatchedWork | None] = ContextVar("watch", default=None)


def progress(things: Iterable[ThingT], doing: str, /) -> Iterable[ThingT]:
    """Return the things, and report each to the watcher.

    >>> [*progress([1, 2], "counting")]
    [1, 2]
    """
    watch = _watch.get()
    return things if watch is None else watch(things, doing)


@contextmanager
def watching(watch: WatchedWork) -> Generator[None]:
    """Report the progress of the work within to ``watch``."""
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)
