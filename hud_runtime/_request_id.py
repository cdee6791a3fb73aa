"""Request ids: the id of a host's request, the same for a retry, and the current one.

A sender gives each request an id, and a retry the same one: a name for the sender's run, and a growing
number. The effects of a request are recorded together with its id, so that they are recorded once, even if
another process receives the retry.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

_WRITTEN = re.compile(r"([\w-]{1,40})(?:\.(\d{1,15}))?", re.ASCII)


class RequestId(NamedTuple):
    """The id of a request."""

    teller: str
    """The sender: a program, for as long as it runs."""

    number: int = 0
    """The sender's earlier requests have lower numbers, and arrive earlier."""

    def __str__(self) -> str:
        return f"{self.teller}.{self.number}"


def telling_of(text: str) -> RequestId | None:
    """Parse a request id; return None for an invalid one.

    >>> telling_of("4f1c2d.17"), telling_of("4f1c2d"), telling_of("")
    (RequestId(teller='4f1c2d', number=17), RequestId(teller='4f1c2d', number=0), None)
    """
    found = _WRITTEN.fullmatch(text)
    return None if found is None else RequestId(found[1], int(found[2] or 0))


_answered: ContextVar[RequestId | None] = ContextVar("answered", default=None)


def current_request_id() -> RequestId | None:
    """Return the id of the request in progress; None if it has none."""
    return _answered.get()


@contextmanager
def answering(telling: RequestId | None) -> Generator[None]:
    """Attribute all that is recorded within to a request."""
    token = _answered.set(telling)
    try:
        yield
    finally:
        _answered.reset(token)


_taken: ContextVar[str | None] = ContextVar("taken", default=None)


def current_batch() -> str | None:
    """Return the record that is stored with events posted here, if any."""
    return _taken.get()


@contextmanager
def taking_in(text: str) -> Generator[None]:
    """Store a record with the events that are posted within: the outbox delivers both or neither.

    :param text: the record of the requests, in the format of its reader.
    """
    token = _taken.set(text)
    try:
        yield
    finally:
        _taken.reset(token)
