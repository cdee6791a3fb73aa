"""A telling: what a host's side says once, and says again where it got no answer.

Who tells gives each telling an id of its own, the same when it is told again: a name of its own for as long as it runs, and a
number that grows. What a telling leads to is recorded together with its id, so that it is recorded once, even
if another process receives it a second time.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

_WRITTEN = re.compile(r"([\w-]{1,40})(?:\.(\d{1,15}))?", re.ASCII)


class RequestId(NamedTuple):
    """The id of a telling."""

    teller: str
    """Who tells: a program, for as long as it runs."""

    number: int = 0
    """Of those of one teller, an earlier one has a lower number, and is told earlier."""

    def __str__(self) -> str:
        return f"{self.teller}.{self.number}"


def telling_of(text: str) -> RequestId | None:
    """Return the telling that an id names; None for what is no id.

    >>> telling_of("4f1c2d.17"), telling_of("4f1c2d"), telling_of("")
    (RequestId(teller='4f1c2d', number=17), RequestId(teller='4f1c2d', number=0), None)
    """
    found = _WRITTEN.fullmatch(text)
    return None if found is None else RequestId(found[1], int(found[2] or 0))


_answered: ContextVar[RequestId | None] = ContextVar("answered", default=None)


def current_request_id() -> RequestId | None:
    """Return the telling that is being answered here; None where what is told has no id."""
    return _answered.get()


@contextmanager
def answering(telling: RequestId | None) -> Generator[None]:
    """Let all that is recorded within be what a telling leads to."""
    token = _answered.set(telling)
    try:
        yield
    finally:
        _answered.reset(token)


_taken: ContextVar[str | None] = ContextVar("taken", default=None)


def current_batch() -> str | None:
    """Return what goes with what is posted here, if anything does."""
    return _taken.get()


@contextmanager
def taking_in(text: str) -> Generator[None]:
    """Let what is posted within wait in the outbox, with this beside it: delivered, both are there, or neither.

    :param text: what is to be kept of the tellings, as whoever delivers it reads it.
    """
    token = _taken.set(text)
    try:
        yield
    finally:
        _taken.reset(token)
