"""A subject that is looked at while it changes: the last good one is shown, and what is wrong with the newest."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from hud_runtime.preview._subject import Asked, Fault, Look, Subject
from hud_runtime.preview._worker import ANSWERING, LOADING, FaultError, Worker

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

    def ask(self, what: Asked, look: Look | None = None, **more: object) -> Any:
        """Return what the subject's process answers, as data.

        :raises FaultError: as :meth:`answer` does.
        """
        return json.loads(self.answer(what, look, **more))

    def answer(self, what: Asked, look: Look | None = None, **more: object) -> bytes:
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


def look_of(given: Mapping[str, str]) -> Look:
    """Return the look that the parameters of an address, or of a command, stand for.

    :raises ValueError: for a turn or a budget that is no number.
    :raises RenderError: for a budget below 0.

    >>> look_of({"turn": "3", "budget": "off"})
    Look(turn=3, density=None, budget='off')
    """
    from ujsx.rendering import token_budget

    turn, budget = given.get("turn"), given.get("budget")
    return Look(
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
