"""The guard around our own faults: they end no turn of the host, and are logged and reported once."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from hud_runtime._errors import StoreError
from ujsx.errors import UjsxError
from ujsx.text import one_line, visible

T = TypeVar("T")

_log = logging.getLogger("hud_runtime.integrations")


class Guard:
    """Does things that may fail.

    :param tell: told one sentence the first time that something goes wrong in a way; where None, it
        is a warning in the log.
    """

    def __init__(self, tell: Callable[[str], object] | None = None) -> None:
        self._tell = tell
        self._told: set[str] = set()

    def run(self, what: str, work: Callable[[], T], otherwise: Callable[[], T]) -> T:
        """Return what ``work`` gives, or ``otherwise``, which may not fail.

        :param what: what is tried, as in "could not {what}".
        """
        try:
            return work()
        except Exception as error:  # noqa: BLE001 - whatever it is, the turn goes on
            self.failed(what, error)
            return otherwise()

    def failed(self, what: str, error: Exception) -> None:
        """Log what went wrong, and say it once."""
        _log.debug("could not %s", what, exc_info=error)
        # A store that cannot be used is one piece of news, whatever was tried with it.
        kind = "the store" if isinstance(error, StoreError) else f"{what} {type(error).__name__}"
        self._say(kind, sentence_of(what, error), None if _is_ours(error) else error)

    def say(self, sentence: str) -> None:
        """Say something, once."""
        self._say(sentence, sentence, None)

    def _say(self, kind: str, sentence: str, error: Exception | None) -> None:
        if kind in self._told:
            return
        self._told.add(kind)
        try:
            if self._tell is None:
                _log.warning("%s", sentence, exc_info=error)
            else:
                self._tell(sentence)
        except Exception:  # noqa: BLE001 - not even this ends the turn
            _log.exception("could not say: %s", sentence)


def nothing() -> None:
    """Go on without: what comes of work that failed, where nothing depends on it."""


def sentence_of(what: str, error: Exception) -> str:
    """Return what a person is told.

    >>> sentence_of("record", ZeroDivisionError("division by zero"))
    'ujsx could not record, and goes on without (ZeroDivisionError: division by zero)'
    """
    reason = str(error) if isinstance(error, UjsxError) else f"{type(error).__name__}: {error}"
    return f"ujsx could not {what}, and goes on without ({one_line(visible(reason))})"


def _is_ours(error: Exception) -> bool:
    return isinstance(error, UjsxError | StoreError)
