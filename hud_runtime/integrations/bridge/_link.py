"""The ways to a bridge: from a process of ours, and over a pair of streams."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from hud_runtime.integrations.bridge import _client as client
from hud_runtime.integrations.bridge._place import (
    ARRIVED,
    CODE,
    LOST,
    Handler,
    answer_of,
    identity,
    read_request,
    written,
)


class BridgeLink:
    """Asks a bridge, which is started where it is not there.

    :param place: its socket.
    :param program: starts it.
    :param patience: seconds that an answer may take.
    """

    def __init__(self, place: Path, program: Sequence[str], *, patience: float = 10.0) -> None:
        self._place = str(place)
        self._program = [*program]
        self._patience = patience

    def ask(self, kind: str, data: bytes) -> str | None:
        """Return the answer, or None where there is none in time."""
        try:
            found = client.answered(self._place, self._patience, kind, self._program, data)
        except OSError:  # it does not start
            return None
        if found is None:
            return None
        answer, wire = found
        try:
            wire.sendall(b"\x06")
        except OSError:
            pass
        finally:
            wire.close()
        return answer.decode("utf-8", "surrogatepass")


# Answers one host over a pair of streams, in the order in which it asks, until it asks no more.


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
