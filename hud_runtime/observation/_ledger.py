"""The errors that are open: what made each, what closes it, and when it is too old to matter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from hud_runtime.events import EventType
from hud_runtime.observation._checks import Check

ErrorKind: TypeAlias = Literal[
    "check", "script", "packages", "git", "conflict", "edit", "tool", "command", "misuse"
]
"""What an error is of."""

LIVES: Mapping[ErrorKind, int] = MappingProxyType(
    {
        "check": 60,
        "conflict": 200,
        "script": 15,
        "packages": 15,
        "edit": 8,
        "command": 6,
        "git": 3,
        "misuse": 3,
        "tool": 3,
    }
)
"""For how many of the agent's turns an error is open when nothing closes it. What is tried again, or gone
about in another way, is so within a few turns; a check that fails is open until it passes."""

AFTER_COMMIT = 12
"""For how many turns a failing check is open once its work is committed."""

Told: TypeAlias = tuple[EventType, dict[str, object]]


@dataclass(slots=True)
class OpenError:
    """An error that is open."""

    kind: ErrorKind
    message: str
    until: int
    """The last turn in which it is open."""
    check: Check | None = None
    compiles: bool = True
    """Whether the work compiles, in spite of it."""
    chain: str = ""
    """The tool chain whose words it has."""


class Ledger:
    """The open errors by what was tried: the same again has one error at most, the latest."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], OpenError] = {}

    def failed(
        self,
        key: tuple[str, str],
        kind: ErrorKind,
        message: str,
        turn: int,
        check: Check | None = None,
        *,
        compiles: bool = True,
        chain: str = "",
    ) -> Iterator[Told]:
        """Yield what is told when something failed."""
        known = self._open.pop(key, None)
        self._open[key] = OpenError(kind, message, turn + LIVES[kind], check, compiles, chain)
        if known is not None and known.message == message:
            return
        if known is not None:
            yield from self._gone(known)
        yield "error.encountered", {"message": message}

    def resume(
        self, key: tuple[str, str], kind: ErrorKind, message: str, turn: int, check: Check | None
    ) -> None:
        """Take an error as open that was told before."""
        self._open[key] = OpenError(kind, message, turn + LIVES[kind], check)

    def has(self, key: tuple[str, str]) -> bool:
        """Tell whether an error is open."""
        return key in self._open

    @property
    def lives(self) -> dict[str, int]:
        """By message: the last turn in which each is open."""
        return {error.message: error.until for error in self._open.values()}

    def live_until(self, lives: Mapping[str, int]) -> None:
        """Let those that are open be so no longer than was meant when they were met."""
        for error in self._open.values():
            error.until = lives.get(error.message, error.until)

    def succeeded(self, key: tuple[str, str]) -> Iterator[Told]:
        """Yield what is told when the same has succeeded."""
        known = self._open.pop(key, None)
        if known is not None:
            yield from self._gone(known)

    def passed(self, check: Check, chain: str) -> Iterator[Told]:
        """Yield what is told when a check has passed: all that it covers is well.

        :param chain: the tool chain whose words it had.
        """
        yield from self._close(
            lambda error: (
                error.kind == "misuse"
                if error.check is None
                else check.covers(error.check)
                or check.installs_all(error.check)
                or (check.tool == error.check.tool and check.reruns(_words_of(error)))
                or _proves(check, chain, error.check, error.chain)
                or error.kind == "misuse"
            )
        )

    def compiled(self, check: Check) -> Iterator[Told]:
        """Yield what is told when a check got past the compiler: what did not compile there, does."""
        yield from self._close(
            lambda error: (
                not error.compiles
                and error.check is not None
                and error.check.chain == check.chain
                and check.compiles(error.message)
            )
        )

    def committed(self, turn: int) -> Iterator[Told]:
        """Yield what is told when work was committed: what was in its way no longer is."""
        yield from self._close(lambda error: error.kind not in ("check", "packages"))
        for error in self._open.values():
            error.until = min(error.until, turn + AFTER_COMMIT)

    def merged(self) -> Iterator[Told]:
        """Yield what is told when a merge is over, one way or the other."""
        yield from self._close(lambda error: error.kind == "conflict")

    def went_on(self, kind: ErrorKind) -> Iterator[Told]:
        """Yield what is told when another way was taken than the one that failed."""
        yield from self._close(lambda error: error.kind == kind)

    def begin(self, turn: int) -> Iterator[Told]:
        """Yield what is told when a turn begins: old errors no longer matter."""
        yield from self._close(lambda error: error.until < turn)

    def _close(self, is_over: Callable[[OpenError], bool]) -> Iterator[Told]:
        over = [key for key, error in self._open.items() if is_over(error)]
        for key in over:
            yield from self._gone(self._open.pop(key))

    def _gone(self, error: OpenError) -> Iterator[Told]:
        if all(each.message != error.message for each in self._open.values()):
            yield "error.resolved", {"id": error.message}


def _words_of(error: OpenError) -> str:
    """What an error says, without the command that it is of."""
    return error.message.partition(": ")[2]


def _proves(passed: Check, words: str, failed: Check, failed_words: str) -> bool:
    """Tell whether a check of the whole proves another of the same tool chain, spelled otherwise."""
    return (
        passed.kind == failed.kind
        and words == failed_words != ""
        and passed.is_whole
        and passed.kind in ("test", "build", "types", "lint", "format")
    )
