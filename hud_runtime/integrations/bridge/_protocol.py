"""The protocol of a bridge: questions and answers, byte for byte, over any connection.

A request is a line with its kind, its length and the id of its telling, and so many bytes; one that is made again, because
there was no answer, has the same id. An answer is a line with its length, and so many
bytes of UTF-8. Who asked says with one more byte what became of it: it is passed on, or it came too late.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from hud_runtime._telling import Telling, answering, telling_of

_log = logging.getLogger("hud_runtime.integrations")

ARRIVED = b"\x06"
"""Says that an answer was passed on."""

LOST = b"\x15"
"""Says that an answer was not: whoever waited for it has gone on without."""

END = "end"
"""The request that ends a bridge, so that the next one who asks starts another: after an update, say."""

LARGEST = 64 * 2**20
"""Bytes of a request at most."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a caller."""

    text: str = ""

    arrived: Callable[[], object] | None = None
    """Called once the caller has passed it on."""


Handler = Callable[[bytes], Answer]
"""Answers a request, which is what a host's process was given."""


class Readable(Protocol):
    """What requests are read from."""

    def readline(self, size: int = -1, /) -> bytes:
        """Return a line, or as much of it as this."""
        ...

    def read(self, size: int = -1, /) -> bytes:
        """Return so many bytes, fewer at the end."""
        ...


class Request(NamedTuple):
    """What is asked."""

    kind: str
    data: bytes
    telling: Telling | None = None
    """Which telling it is; None where that is not said."""


def read_request(given: Readable, begun: bytes = b"") -> Request | None:
    r"""Return the next request; None where there is no whole one.

    :param begun: what was read of it before.

    >>> from io import BytesIO
    >>> read_request(BytesIO(b"shout 5 4f1c.17\nhello"))
    Request(kind='shout', data=b'hello', telling=Telling(teller='4f1c', number=17))
    """
    kind, size, *more = (*(begun + given.readline(200)).split(), b"", b"")
    if not size.isdigit() or int(size) > LARGEST:
        return None
    data = given.read(int(size))
    telling = telling_of(more[0].decode("utf-8", "replace"))
    return (
        None if len(data) < int(size) else Request(kind.decode("utf-8", "replace"), data, telling)
    )


def written(answer: Answer) -> bytes:
    r"""Return the bytes of an answer.

    >>> written(Answer("HELLO"))
    b'5\nHELLO'
    """
    text = answer.text.encode("utf-8", "surrogatepass")
    return b"%d\n" % len(text) + text


def answer_of(handlers: Mapping[str, Handler], request: Request) -> Answer:
    """Return what a request is answered: nothing where that fails, for asking again would not mend it.

    >>> answer_of({"shout": lambda given: Answer(given.decode().upper())}, Request("shout", b"hello")).text
    'HELLO'
    """
    handler = handlers.get(request.kind)
    try:
        with answering(request.telling):
            return Answer() if handler is None else handler(request.data)
    except Exception:  # noqa: BLE001 - one request is no reason to end
        _log.exception("a request to the bridge")
        return Answer()
