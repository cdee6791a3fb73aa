"""The resident bridge: threads that answer what is asked over a socket."""

from __future__ import annotations

import fcntl
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from hud_runtime.integrations.bridge import _place
from hud_runtime.integrations.bridge._client import LATE, TOLD, peer_of

# Threads that take turns at listening: the one that receives work does it, while another one listens.
#
# Work begins in the thread that heard of it. To start a thread for each, or to wake one, takes longer than a short piece of work.

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


IDLE = 30 * 60.0
"""Seconds without a request after which a bridge ends."""

PATIENCE = 10.0
"""Seconds in which a caller says its request, and that it got the answer."""

ABANDONED = 60.0
"""Seconds after which an event that is half written is left so for ever."""


class Bridge:
    """A bridge at a place, with what answers each kind of request.

    It ends as well when its socket is not there any more, and when it was updated: whoever asks then starts another.
    Another user is not answered, however they came to the socket.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = Path(folder, "own", "b.sock")
    ...     bridge = Bridge(place, {"shout": lambda given: _place.Answer(given.decode().upper())}, idle=0.0)
    ...     bridge.begin(), bridge.run(), place.exists()
    (True, None, False)
    """

    def __init__(
        self,
        place: Path,
        handlers: Mapping[str, _place.Handler],
        *,
        idle: float = IDLE,
        code: Path = _place.CODE,
    ) -> None:
        self._place = place
        self._handlers = handlers
        self._idle = idle
        self._asked = time.monotonic()
        self._busy = 0
        self._lock = threading.Lock()
        self._late = threading.Lock()
        self._server: socket.socket | None = None
        self._guard: int | None = None
        self._code = code
        self._own: tuple[_place.Identity, _place.Identity] | None = None
        """The socket and the code, as they were when it began."""

    def begin(self) -> bool:
        """Listen, and return whether we do: another bridge may be there already.

        :raises ServeError: where the folder is not one of ours.
        """
        _place.own_folder(self._place.parent)
        guard = os.open(f"{self._place}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(guard)
            return False
        self._guard = guard
        # By one that was killed, or did not start.
        for left in (self._place, Path(f"{self._place}{TOLD}")):
            with suppress(FileNotFoundError):
                left.unlink()
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o177)
        try:
            server.bind(str(self._place))
        finally:
            os.umask(before)
        server.listen(128)
        self._own = self._found()
        self._server = server
        return True

    def run(self) -> None:
        """Answer until nobody has asked for a while, or :meth:`end` was called."""
        turns = Turns(self._next)
        try:
            turns.run()
        finally:
            self.end()
            turns.finish(PATIENCE)

    def _next(self) -> Work | None:
        """Wait for the next request; None where none is to come."""
        while (server := self._server) is not None and not self._is_over():
            try:
                server.settimeout(min(1.0, max(0.01, self._idle)))
                wire, _ = server.accept()
            except TimeoutError:
                self._take_late()
                continue
            except OSError:  # closed by another thread
                break
            with self._lock:
                self._busy += 1
            return partial(self._serve, wire)
        self.end()
        return None

    def end(self) -> None:
        """Listen no more. What is being answered is answered."""
        with self._lock:  # several threads may end it at once
            server, self._server = self._server, None
            guard, self._guard = self._guard, None
        if server is not None:
            if self._own is not None and _place.identity(self._place) == self._own[0]:
                with suppress(FileNotFoundError):
                    self._place.unlink()
            server.close()
        if guard is not None:
            os.close(guard)

    def _is_over(self) -> bool:
        with self._lock:
            is_idle = not self._busy and time.monotonic() - self._asked >= self._idle
        return is_idle or self._found() != self._own

    def _found(self) -> tuple[_place.Identity, _place.Identity]:
        return _place.identity(self._place), _place.identity(self._code)

    def _serve(self, wire: socket.socket) -> None:
        try:
            with wire:
                wire.settimeout(PATIENCE)
                if peer_of(wire) == os.geteuid():
                    self._answer(wire)
        except Exception:  # noqa: BLE001 - one request is no reason to end
            _log.exception("a request to the bridge")
        finally:
            with self._lock:
                self._busy -= 1
                self._asked = time.monotonic()

    def _take_late(self) -> None:
        """Take in the events that nobody has answered, in their order. One that was answered late is known."""
        with self._late:
            try:
                names = sorted(os.listdir(f"{self._place}{LATE}"))  # noqa: PTH208 - before each answer
            except OSError:
                return
            for name in names:
                path = Path(f"{self._place}{LATE}", name)
                if path.suffix:  # it is being written, or whoever wrote it was killed
                    if time.time() - path.stat().st_mtime > ABANDONED:
                        path.unlink()
                    continue
                with path.open("rb") as given:
                    request = _place.read_request(given)
                if request is not None:
                    _place.answer_of(self._handlers, request)
                path.unlink()

    def _answer(self, wire: socket.socket) -> None:
        with wire.makefile("rb") as given:
            request = _place.read_request(given)
            if request is None:
                return
            if request.kind == _place.END:
                self.end()
                wire.sendall(_place.written(_place.Answer()))
                return
            if self._found() != self._own:  # without an answer it is asked again, of the next one
                self.end()
                return
            self._take_late()
            answer = _place.answer_of(self._handlers, request)
            wire.sendall(_place.written(answer))
            if answer.arrived is not None and given.read(1) == _place.ARRIVED:
                answer.arrived()
