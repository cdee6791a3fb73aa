"""The resident bridge: it answers requests over a socket, each in its own thread."""

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

Work = Callable[[], object]

_log = logging.getLogger("hud_runtime.integrations")


def do_at_once(heard: Callable[[], Work | None], patience: float | None = None) -> None:
    """Run work as it arrives, each piece in its own thread.

    It returns once there is no more work and all is done. A failing piece does not end the others.

    :param heard: waits for the next piece of work and returns it; None at the end.
    :param patience: maximum seconds to wait for unfinished work after the end; None for no limit.

    >>> pieces = iter([lambda: print("one")])
    >>> do_at_once(lambda: next(pieces, None))
    one
    """
    threads: list[threading.Thread] = []
    try:
        while (work := heard()) is not None:
            threads = [each for each in threads if each.is_alive()]
            threads.append(threading.Thread(target=work, daemon=True))
            threads[-1].start()
    except Exception:  # noqa: BLE001 - what is under way is done all the same
        _log.exception("nothing more can be heard")
    end = time.monotonic() + (patience or 0.0)
    for each in threads:
        each.join(None if patience is None else max(0.0, end - time.monotonic()))


IDLE = 30 * 60.0
"""Seconds without a request after which a bridge ends."""

PATIENCE = 10.0
"""Maximum seconds for a caller to send its request, and to confirm the answer."""

ABANDONED = 60.0
"""Seconds after which a half-written event counts as abandoned."""


class Bridge:
    """A bridge at a place, with the handler of each kind of request.

    It also ends when its socket is gone, and after an update: the next request starts another one. It never
    answers another user.

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
        self._lock = threading.RLock()  # a signal may end it in any line of the thread that listens
        self._late = threading.Lock()
        self._server: socket.socket | None = None
        self._guard: int | None = None
        self._code = code
        self._own: tuple[_place.Identity, _place.Identity] | None = None
        """The identities of the socket and the code at the start."""

    def begin(self) -> bool:
        """Listen, and return whether that succeeded: another bridge may be there already.

        :raises ServeError: if the folder is not ours.
        """
        _place.own_folder(self._place.parent)
        guard = os.open(f"{self._place}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(guard)
            return False
        self._guard = guard
        # Left by a bridge that was killed, or did not start.
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
        """Answer until there was no request for a while, or :meth:`end` was called."""
        try:
            do_at_once(self._next, PATIENCE)
        finally:
            self.end()

    def _next(self) -> Work | None:
        """Wait for the next request; None after the last one."""
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
        """Stop listening. Requests in progress are still answered."""
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
        """Process the unanswered events in order. One that was answered late is recognized as a retry."""
        with self._late:
            try:
                names = sorted(os.listdir(f"{self._place}{LATE}"))  # noqa: PTH208 - before each answer
            except OSError:
                return
            for name in names:
                path = Path(f"{self._place}{LATE}", name)
                if path.suffix:  # it is being written, or its writer was killed
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
            if self._found() != self._own:  # unanswered, it is retried with the next bridge
                self.end()
                return
            self._take_late()
            answer = _place.answer_of(self._handlers, request)
            wire.sendall(_place.written(answer))
            if answer.arrived is not None and given.read(1) == _place.ARRIVED:
                answer.arrived()
