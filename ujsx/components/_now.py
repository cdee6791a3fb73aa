"""The time of a rendering: a value of its context, as it reads no clock."""

from __future__ import annotations


class Now(int):
    """The moment of a rendering, in milliseconds since the Unix epoch, as a value of the context.

    A rendering reads no clock: whoever renders says what time it is.

    >>> from ujsx import RenderContext
    >>> RenderContext().with_value(Now(1_700_000_000_000)).get(Now)
    1700000000000
    """
