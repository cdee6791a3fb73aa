"""The bill of a session, counted a piece at a time, so that a moved slider need not wait for its end."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hud_runtime import HudSession
    from hud_runtime.delivery import Bill

PIECE = 0.2
"""Seconds that are counted before it is told how far it is."""


class Counting:
    """The bill of one version of a session.

    :param turns: the last turn.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     _ = session.record("note.add", content="Port 8080", turn=1)
    ...     counting = Counting(session, 1, "anthropic")
    ...     counting.go_on(lambda: True), counting.done, counting.go_on(lambda: False).session
    (None, 1, 's')
    """

    def __init__(self, session: HudSession[Any], turns: int, prices: str) -> None:
        self.version = session.version
        self.prices = prices
        self.of = turns + 1
        """How many turns there are to count, that of the start included."""
        self.done = 0
        """How many of them are counted."""
        self._bill: Bill | None = None
        self._counted = session.billing(prices)

    def go_on(self, is_awaited: Callable[[], bool]) -> Bill | None:
        """Count for a while; the bill once it is there.

        :param is_awaited: tells whether somebody waits for something else. One thing is counted all the same.
        """
        end = time.monotonic() + PIECE
        while self._bill is None:
            self._bill = next(self._counted)
            # The costs of the ways of sending come behind them.
            self.done = min(self.done + 1, self.of)
            if is_awaited() or time.monotonic() >= end:
                break
        return self._bill
