"""Clients that wait for news of a session: woken by the database server where it tells, and now and then otherwise."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, WeakSet

import anyio
from anyio import to_thread

from hud_runtime._errors import StoreError

if TYPE_CHECKING:
    from hud_runtime.store._log_store import LogStore

LOOK_EVERY = 1.0
"""Seconds between two looks at a store where nobody tells of new events."""

NET = 5.0
"""The same where a server tells of them: for what was missed while a connection was made."""

GATHERED = 0.05
"""Seconds in which what a busy session goes on to is told as one."""

EVERY = 0.5
"""Seconds after which the thread that hears notices looks whether anybody waits."""

_log = logging.getLogger("ujsx.serving")


class _Waiter:
    """Somebody who waits for sessions. What comes between two waits wakes the next one."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.woken = anyio.Event()


class News:
    """New events of a log, for who waits for some of its sessions.

    While anybody waits, one thread with a connection of its own hears what a database server tells.
    """

    def __init__(self, log: LogStore) -> None:
        self._log = log
        self._waiters: WeakKeyDictionary[object, _Waiter] = WeakKeyDictionary()
        self._by_number: dict[int, WeakSet[_Waiter]] = {}
        self._wanted_until = 0.0
        self._thread: threading.Thread | None = None

    async def wait(self, who: object, ids: list[str]) -> None:
        """Return when one of these sessions may have gone on since the last time, or after a while."""
        if not ids:  # of what is none of ours there is no news
            await anyio.sleep(NET)
            return
        waiter = self._waiters.setdefault(who, _Waiter())
        try:
            tells = await self._know(waiter, ids)
        except StoreError:  # it is away: who looks, hears so
            tells = False
        if not tells:
            await anyio.sleep(LOOK_EVERY)
            return
        self._hear()
        with anyio.move_on_after(NET):
            await waiter.woken.wait()
            await anyio.sleep(GATHERED)
        waiter.woken = anyio.Event()

    async def _know(self, waiter: _Waiter, ids: list[str]) -> bool:
        """Learn by which numbers the sessions are told of; return whether anybody tells."""
        for each in ids:
            if each not in waiter.numbers:
                number = await to_thread.run_sync(self._log.number_of, each)
                if number is None:
                    return False
                waiter.numbers[each] = number
                self._forget()
                self._by_number.setdefault(number, WeakSet()).add(waiter)
        return True

    def _forget(self) -> None:
        """Sessions for which nobody waits any more are known no more."""
        for number in [number for number, who in self._by_number.items() if not who]:
            del self._by_number[number]

    def _hear(self) -> None:
        """Let the thread run for as long as anybody waits, and a little longer."""
        self._wanted_until = time.monotonic() + 2 * NET
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(
                target=self._listen,
                args=(asyncio.get_running_loop(),),
                name="ujsx notices",
                daemon=True,
            )
            self._thread.start()

    def end(self) -> None:
        """Hear nothing more."""
        self._wanted_until = 0.0

    def _is_over(self) -> bool:
        return time.monotonic() > self._wanted_until

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        while not self._is_over():
            try:
                for number in self._log.notices(self._is_over, every=EVERY):
                    if number is not None and number in self._by_number:
                        with suppress(RuntimeError):  # the server has ended
                            loop.call_soon_threadsafe(self._wake, number)
            except StoreError as error:
                _log.info("notices are not heard: %s", type(error).__name__)
                time.sleep(EVERY)

    def _wake(self, number: int) -> None:
        for waiter in self._by_number.get(number, ()):
            waiter.woken.set()
