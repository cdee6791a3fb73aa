"""Threads that take turns at listening: the one that receives work does it, while another one listens.

Work begins in the thread that heard of it. To start a thread for each, or to wake one, takes longer than a short piece of work.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

Work = Callable[[], object]

SPARE = 2
"""Threads that stay to listen when there is less to do again."""

_log = logging.getLogger("hud_runtime.integrations")


class Turns:
    """Does what is heard of, each piece in a thread of its own, until no more is to be heard.

    :param heard: waits for the next piece of work and returns it; None at the end. It is called by one thread at a
        time.

    >>> pieces = iter([lambda: print("one"), lambda: print("two")])
    >>> turns = Turns(lambda: next(pieces, None))
    >>> turns.run()
    one
    two
    >>> turns.finish()
    """

    def __init__(self, heard: Callable[[], Work | None]) -> None:
        self._heard = heard
        self._ear = threading.Lock()
        """Whose it is, listens."""
        self._state = threading.Condition()
        self._free = 0
        """Threads that listen, or wait to."""
        self._busy = 0
        self._is_over = False

    def run(self) -> None:
        """Return once no more is to be heard. What is under way goes on."""
        with self._state:
            self._add_thread()
            self._state.wait_for(lambda: self._is_over)

    def finish(self, patience: float | None = None) -> None:
        """Return once all is done, or after so many seconds."""
        with self._state:
            self._state.wait_for(lambda: not self._busy, patience)

    def _add_thread(self) -> None:
        self._free += 1
        threading.Thread(target=self._take_turns, daemon=True).start()

    def _take_turns(self) -> None:
        while (work := self._next()) is not None:
            try:
                work()
            except BaseException:  # noqa: BLE001 - one piece of work is no reason to hear of no other
                _log.exception("what a thread was to do")
            if not self._stays():
                return

    def _next(self) -> Work | None:
        """Listen, and see to it that another thread does when there is work for this one."""
        with self._ear:
            work = None if self._is_over else self._heard_of()
            with self._state:
                self._free -= 1
                if work is None:
                    self._is_over = True
                    self._state.notify_all()
                else:
                    self._busy += 1
                    if not self._free:
                        self._add_thread()
        return work

    def _heard_of(self) -> Work | None:
        try:
            return self._heard()
        except BaseException:  # noqa: BLE001 - who waits in run() is to go on
            _log.exception("nothing more can be heard")
            return None

    def _stays(self) -> bool:
        """Note that a piece is done; tell whether its thread is to listen again."""
        with self._state:
            self._busy -= 1
            self._state.notify_all()
            stays = self._free < SPARE
            self._free += stays
            return stays
