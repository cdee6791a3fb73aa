"""The other end of the process that holds a subject: asks it, waits so long, and ends it."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue

import msgspec

from hud_runtime.preview._subject import Asked, Fault, Look, Subject

LOADING = 60.0
"""Seconds in which a subject is read, with all that its code imports."""

ANSWERING = 30.0
"""Seconds in which an answer comes."""

URGENT: frozenset[Asked] = frozenset({"view"})
"""What somebody waits for who moves a slider: the process leaves other questions for it."""

OF_A_LOOK: frozenset[Asked] = frozenset({"change", "rungs", "node"})
"""What nobody wants to know any more once a slider was moved on."""

HURRY = json.dumps({"what": "hurry"})
"""What says that something urgent is going to be asked."""

COMMAND = (sys.executable, "-P", "-m", "hud_runtime.preview._process")


class FaultError(Exception):
    """What a process says is wrong with its subject."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


class _Received(msgspec.Struct):
    """A line of what a process answers. The answer itself is not read: it goes on to whoever asked."""

    answer: msgspec.Raw = msgspec.Raw(b"null")
    fault: Fault | None = None
    files: tuple[str, ...] = ()

    stepped_aside: bool = False
    """Whether it left the question, as somebody asks for what is urgent."""


class _SteppedAsideError(Exception):
    """A process left a question for one that is urgent."""


class LeftError(Exception):
    """A question was left, as somebody looks at something else by now."""


class Worker:
    """A process that holds a subject.

    :param loading: seconds for the subject to be read.
    :param answering: seconds for an answer.
    """

    def __init__(
        self, subject: Subject, *, loading: float = LOADING, answering: float = ANSWERING
    ) -> None:
        self._answering = answering
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        self._turn = threading.Lock()
        self._others = threading.Condition()
        self._urgent = 0
        self._looked_at: Look | None = None
        self.files: tuple[str, ...] = ()
        """The files that the subject was read from, or would be."""
        self.fault: Fault | None = None
        """Why it could not be read."""
        self._send(msgspec.json.encode(subject).decode())
        try:
            opening = self._received(loading)
            self.files, self.fault = opening.files, opening.fault
        except FaultError as error:
            self.fault = error.fault
        if self.fault is not None:
            self.end()

    @property
    def is_there(self) -> bool:
        """True if it can be asked."""
        return self._process.poll() is None

    def ask(
        self, what: Asked, look: Look | None = None, more: Mapping[str, object] | None = None
    ) -> bytes:
        """Return what it answers, as JSON.

        :raises FaultError: for what it cannot answer. One that does not answer in time is ended.
        :raises LeftError: for what tells of one look, once somebody looks at another.
        """
        if what not in URGENT:
            return self._at_leisure(what, look, more)
        with self._others:
            self._urgent += 1
            self._looked_at = look
            if self._turn.locked():
                self._send(HURRY)
        try:
            with self._turn:
                return self._asked(what, look, more)
        finally:
            with self._others:
                self._urgent -= 1
                self._others.notify_all()

    def _at_leisure(
        self, what: Asked, look: Look | None, more: Mapping[str, object] | None
    ) -> bytes:
        """Ask when nobody waits for what is urgent, and again where that came in between.

        A question of a look that is in sight no more would only be in the way of those of the next one.
        """
        begun = self._looked_at
        while True:
            with self._others:
                self._others.wait_for(lambda: not self._urgent)
                looked_at = self._looked_at
            if what in OF_A_LOOK and looked_at not in (begun, look):
                raise LeftError
            with self._turn, suppress(_SteppedAsideError):
                return self._asked(what, look, more)

    def is_busy(self) -> bool:
        """Tell whether it is being asked."""
        return self._turn.locked()

    def _asked(self, what: Asked, look: Look | None, more: Mapping[str, object] | None) -> bytes:
        data = {"what": what, "look": msgspec.to_builtins(look or Look()), "more": dict(more or {})}
        self._send(json.dumps(data))
        received = self._received(self._answering)
        if received.fault is not None:
            raise FaultError(received.fault)
        if received.stepped_aside:
            raise _SteppedAsideError
        return bytes(received.answer)

    def retire(self) -> None:
        """End the process once it has answered what it was asked."""
        with self._turn:
            self.end()

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdin is not None
        with suppress(OSError):  # what was not sent is of no use any more
            self._process.stdin.close()

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        try:  # a line is written at once, whoever else writes one
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()
        except (OSError, ValueError):  # it is gone; that is told where its answer is missing
            return

    def _received(self, seconds: float) -> _Received:
        try:
            line = self._lines.get(timeout=seconds)
        except Empty:
            self.end()
            raise FaultError(
                Fault(
                    f"it took longer than {seconds:g} seconds, so it was stopped; is there a loop"
                    " without an end?"
                )
            ) from None
        if not line:
            status = self._process.wait()
            raise FaultError(Fault(f"its process ended by itself, with the status {status}"))
        return msgspec.json.decode(line, type=_Received)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as answers:
            for line in answers:
                self._lines.put(line)
        self._lines.put(b"")
