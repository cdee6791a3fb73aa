"""A subject that is looked at while it changes, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Self

import msgspec

from hud_runtime.preview._subject import Asked, Fault, PreviewLook, Subject

# The other end of the process that holds a subject: asks it, waits so long, and ends it.

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
        self._looked_at: PreviewLook | None = None
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
        self, what: Asked, look: PreviewLook | None = None, more: Mapping[str, object] | None = None
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
        self, what: Asked, look: PreviewLook | None, more: Mapping[str, object] | None
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

    def _asked(
        self, what: Asked, look: PreviewLook | None, more: Mapping[str, object] | None
    ) -> bytes:
        data = {
            "what": what,
            "look": msgspec.to_builtins(look or PreviewLook()),
            "more": dict(more or {}),
        }
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


PAUSE = 0.3
"""Seconds between two looks at what may have changed."""

_Stamp = tuple[tuple[int, int] | None, ...]


class Preview:
    """A subject, read by a process of its own; read anew when a file that it was read from changes.

    Threads may share it. Close it, or use it as a context.

    :param loading: seconds for the subject to be read.
    :param answering: seconds for an answer.
    """

    def __init__(
        self, subject: Subject, *, loading: float = LOADING, answering: float = ANSWERING
    ) -> None:
        self.subject = subject
        self._patience = {"loading": loading, "answering": answering}
        self._lock = threading.Lock()
        self._worker: Worker | None = None
        self._files: tuple[str, ...] = ()
        self._stamp: _Stamp = ()
        self._version: object = None
        self._is_closed = False
        self.revision = 0
        """Another number whenever something else may be shown."""
        self.fault: Fault | None = None
        """What is wrong with the subject as it is now; None where it is what is shown."""
        self._load()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @property
    def has_shown(self) -> bool:
        """True if there is a good rendering, of now or of before."""
        return self._worker is not None

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._is_closed = True
            if self._worker is not None:
                self._worker.end()

    def poll(self) -> bool:
        """Look whether something changed, read it anew where it did, and tell whether it did."""
        before = self.revision
        if _stamp(self._files) != self._stamp:
            self._load()
        worker = self._worker
        if worker is not None and worker.is_there and self.subject.is_live and not worker.is_busy():
            with suppress(FaultError):  # whoever asks for more is told
                version = worker.ask("stamp")
                if version != self._version:
                    self._version = version
                    self.revision += 1
        return self.revision != before

    def ask(self, what: Asked, look: PreviewLook | None = None, **more: object) -> Any:
        """Return what the subject's process answers, as data.

        :raises FaultError: as :meth:`answer` does.
        """
        return json.loads(self.answer(what, look, **more))

    def answer(self, what: Asked, look: PreviewLook | None = None, **more: object) -> bytes:
        """Return what the subject's process answers, as JSON.

        :raises FaultError: for what cannot be shown. A process that was stopped is started again by the
            next question.
        :raises LeftError: for what is left as somebody looks at something else by now.
        """
        while True:
            worker = self._standing()
            try:
                return worker.ask(what, look, more)
            except FaultError:
                if worker is self._worker or self._is_closed:
                    raise  # one that was replaced meanwhile could not answer any more

    def _standing(self) -> Worker:
        worker = self._worker
        if worker is None:
            raise FaultError(self.fault or Fault("nothing is shown yet"))
        if not worker.is_there:
            self._load(instead_of=worker)
            worker = self._worker
            assert worker is not None
            if not worker.is_there:
                raise FaultError(self.fault or Fault("its process ended"))
        return worker

    def _load(self, instead_of: Worker | None = None) -> None:
        """Read the subject; a process that could not is left behind, and the one before goes on.

        :param instead_of: the process whose place is to be taken, if nobody else has done that.
        """
        with self._lock:
            if self._is_closed or (instead_of is not None and self._worker is not instead_of):
                return
            stamp = _stamp(self._files)
            made = Worker(self.subject, **self._patience)
            self.fault = made.fault
            if made.fault is None:
                former, self._worker = self._worker, made
                if former is not None:
                    former.retire()
                self._files = made.files
            else:  # what was read before may be what mends it
                self._files = tuple(dict.fromkeys([*self._files, *made.files, *self.subject.files]))
            # Of a file that was changed meanwhile the stamp differs again, and it is read once more.
            known = (
                dict(zip(self._files, stamp, strict=False))
                if len(stamp) == len(self._files)
                else {}
            )
            now = _stamp(self._files)
            self._stamp = tuple(
                known.get(name, at) for name, at in zip(self._files, now, strict=True)
            )
            self._version = None
            self.revision += 1


def look_of(given: Mapping[str, str]) -> PreviewLook:
    """Return the look that the parameters of an address, or of a command, stand for.

    :raises ValueError: for a turn or a budget that is no number.
    :raises RenderError: for a budget below 0.

    >>> look_of({"turn": "3", "budget": "off"})
    PreviewLook(turn=3, density=None, budget='off')
    """
    from ujsx.rendering import token_budget

    turn, budget = given.get("turn"), given.get("budget")
    return PreviewLook(
        None if not turn else int(turn),
        given.get("density") or None,
        None if not budget else "off" if budget == "off" else token_budget(int(budget)),
    )


def _stamp(files: tuple[str, ...]) -> _Stamp:
    return tuple(map(_of_file, files))


def _of_file(name: str) -> tuple[int, int] | None:
    try:
        status = Path(name).stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size
