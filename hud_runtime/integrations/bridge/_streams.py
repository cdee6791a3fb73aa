"""Answers one host over a pair of streams, in the order in which it asks, until it asks no more."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from hud_runtime.integrations.bridge._place import CODE, identity
from hud_runtime.integrations.bridge._protocol import (
    ARRIVED,
    LOST,
    Handler,
    answer_of,
    read_request,
    written,
)


@contextmanager
def own_output() -> Generator[BinaryIO]:
    """Have standard output for answers alone: whatever else is printed goes to standard error."""
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)
        try:
            yield out
        finally:
            os.dup2(out.fileno(), 1)


@contextmanager
def own_input() -> Generator[BinaryIO]:
    """Have standard input for messages alone: other code and child processes read an empty one."""
    with os.fdopen(os.dup(0), "rb") as given, Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
        try:
            yield given
        finally:
            os.dup2(given.fileno(), 0)


def serve_streams(
    given: BinaryIO, out: BinaryIO, handlers: Mapping[str, Handler], *, code: Path = CODE
) -> None:
    r"""Answer requests one after the other; return at the end of them.

    A host may ask again before it has read an answer; of each answer it says in a byte what became of it, when it
    likes. A host that has gone is not answered, but what it told last is still taken in. It returns as well, with a request
    unanswered, once it was updated: the host starts it anew, and asks again.

    >>> from io import BytesIO
    >>> from hud_runtime.integrations.bridge import Answer
    >>> out = BytesIO()
    >>> shout = lambda given: Answer(given.decode().upper(), lambda: print("arrived"))
    >>> serve_streams(BytesIO(b"shout 2\nhi" + b"\x06"), out, {"shout": shout})
    arrived
    >>> out.getvalue()
    b'2\nHI'
    """
    loaded = identity(code)
    answered: deque[Callable[[], object] | None] = deque()
    while begun := given.read(1):
        if begun in (ARRIVED, LOST):
            arrived = answered.popleft() if answered else None
            if begun == ARRIVED and arrived is not None:
                arrived()
            continue
        request = read_request(given, begun)
        if request is None or identity(code) != loaded:
            return
        answer = answer_of(handlers, request)
        answered.append(answer.arrived)
        with suppress(OSError):  # the host has gone
            out.write(written(answer))
            out.flush()
