"""The other end of the process that holds a subject: asks it, waits so long, and ends it."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

import msgspec

from hud_runtime.preview._subject import Asked, Fault, Look, Subject

LOADING = 60.0
"""Seconds in which a subject is read, with all that its code imports."""

ANSWERING = 30.0
"""Seconds in which an answer comes."""

COMMAND = (sys.executable, "-P", "-m", "hud_runtime.preview._process")


class FaultError(Exception):
    """What a process says is wrong with its subject."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


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
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )
        self._lines: SimpleQueue[str] = SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        self._turn = threading.Lock()
        self.files: tuple[str, ...] = ()
        """The files that the subject was read from, or would be."""
        self.fault: Fault | None = None
        """Why it could not be read."""
        self._send(msgspec.json.encode(subject).decode())
        try:
            opening = self._received(loading)
            self.files = tuple(opening.get("files", ()))
            self.fault = _fault(opening)
        except FaultError as error:
            self.fault = error.fault
        if self.fault is not None:
            self.end()

    @property
    def is_there(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    def ask(
        self, what: Asked, look: Look | None = None, more: Mapping[str, object] | None = None
    ) -> Any:
        """Return what it answers.

        :raises FaultError: for what it cannot answer. One that does not answer in time is ended.
        """
        with self._turn:
            return self._asked(what, look, more)

    def is_busy(self) -> bool:
        """Tell whether it is being asked."""
        return self._turn.locked()

    def _asked(self, what: Asked, look: Look | None, more: Mapping[str, object] | None) -> Any:
        data = {"what": what, "look": msgspec.to_builtins(look or Look()), "more": dict(more or {})}
        self._send(json.dumps(data))
        received = self._received(self._answering)
        fault = _fault(received)
        if fault is not None:
            raise FaultError(fault)
        return received["answer"]

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
        try:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        except (OSError, ValueError):  # it is gone; that is told where its answer is missing
            return

    def _received(self, seconds: float) -> dict[str, Any]:
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
        received: dict[str, Any] = json.loads(line)
        return received

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as answers:
            for line in answers:
                self._lines.put(line)
        self._lines.put("")


def _fault(received: Mapping[str, Any]) -> Fault | None:
    told = received.get("fault")
    return None if told is None else msgspec.convert(told, Fault)
