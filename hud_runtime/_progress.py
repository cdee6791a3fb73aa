"""The progress of long work, reported from its loop; who started it decides whether anybody hears of it."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

ThingT = TypeVar("ThingT")


class WatchedWork(Protocol):
    """Passes things on, and tells somebody meanwhile how many there were."""

    def __call__(self, things: Iterable[ThingT], doing: str, /) -> Iterable[ThingT]:
        """Return the things; ``doing`` says what is done with them."""
        ...


_watch: ContextVar[WatchedWork | None] = ContextVar("watch", default=None)


def progress(things: Iterable[ThingT], doing: str, /) -> Iterable[ThingT]:
    """Return the things; whoever watches is told of each.

    >>> [*progress([1, 2], "counting")]
    [1, 2]
    """
    watch = _watch.get()
    return things if watch is None else watch(things, doing)


@contextmanager
def watching(watch: WatchedWork) -> Generator[None]:
    """Let ``watch`` be told of what is done meanwhile."""
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)
