"""A recorded file as a session that can be asked for any of its turns: a transcript, or a session that was exported."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from hud_components import CODING
from hud_runtime._errors import ExchangeError
from hud_runtime._limits import Limits

if TYPE_CHECKING:
    from hud_components import Domain, HudState
    from hud_runtime import HudSession
    from hud_runtime.delivery import TurnWords
    from hud_runtime.observation import Problem


@dataclass(frozen=True, slots=True)
class Replayed:
    """A session that was replayed: what it was at any of its turns."""

    session: HudSession[Any]
    turns: int
    """How many messages the agent wrote; turn 0 is what came before the first."""
    events: int
    problems: tuple[Problem, ...] = ()
    """What could not be read or recorded."""
    not_understood: str = ""
    """What was recognised and not understood."""
    others: str = ""
    """Which other sessions there are in the file."""
    transcript: tuple[Path, str | None] | None = None
    """The file, and the id of the session in it that was asked for; None for an exported session."""

    def state(self, turn: int) -> HudState:
        """Return the state after a turn, rebuilt from the log."""
        from hud_runtime.store import At

        state: HudState = self.session.state(at=At.turn(turn))
        return state

    def words(self) -> Mapping[int, TurnWords] | None:
        """Return what each turn adds to the conversation; None for an exported session, which has no messages."""
        from hud_runtime.transcripts._read import turn_words

        return None if self.transcript is None else turn_words(*self.transcript)


@contextmanager
def replayed(
    path: Path, session: str | None = None, *, domain: Domain[Any] = CODING
) -> Generator[Replayed]:
    """Record a file in a store in a temporary folder, which goes when the caller is done.

    :param session: the id of one, in a transcript that has several; the newest when None.
    :param domain: that of an exported session, unless it is the coding HUD's, as a transcript's is.
    :raises TranscriptError: for a file that is neither a transcript nor an exported session.
    :raises ExchangeError: for an exported session that cannot be read; the message has the line.
    :raises DomainError: for an exported session of a domain that is not at hand.
    """
    with TemporaryDirectory(prefix="ujsx-") as folder:
        place = Path(folder, "session.db")
        if is_log(path):
            yield from _of_log(path, place, session, domain)
        else:
            yield from _of_transcript(path, place, session)


def _of_log(
    path: Path, place: Path, session: str | None, domain: Domain[Any]
) -> Iterator[Replayed]:
    from hud_runtime.exchange._json_lines import import_log
    from hud_runtime.session import HudStore
    from hud_runtime.session._inherit import PROJECT

    with HudStore.open(place, domain=domain) as store:
        try:
            name = import_log(store, log_lines(path))
        except ExchangeError as error:
            raise ExchangeError(f"{path}: {error}") from error
        if session is not None and session != name:
            raise ExchangeError(f'{path} has no session "{session}": it is that of "{name}" alone')
        is_project = name.startswith(PROJECT)
        found = store.project(name.removeprefix(PROJECT)) if is_project else store.session(name)
        yield Replayed(found, found.turn, found.version)


def _of_transcript(path: Path, place: Path, session: str | None) -> Iterator[Replayed]:
    from hud_runtime.session import HudStore
    from hud_runtime.transcripts._read import read_transcript
    from hud_runtime.transcripts._replay import replay

    transcript = read_transcript(path, session=session)
    begun = transcript.started_at or 0
    # A transcript without times gets the same ones each time: same input, same bytes.
    with HudStore.open(place, clock=lambda: begun) as store:
        recorded = store.session("replay", started_at=transcript.started_at)
        done = replay(transcript, recorded)
        yield Replayed(
            recorded,
            transcript.turns,
            len(done.events),
            done.problems,
            transcript.not_understood,
            transcript.other_sessions,
            (path, session),
        )


def is_log(path: Path) -> bool:
    """Tell whether a file's first line is that of an exported log."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        first = Limits.of_environment().line(file)
    try:
        header: object = json.loads((first or b"").decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    return isinstance(header, dict) and "ujsx" in header


def log_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file, each with its line end.

    :raises ExchangeError: for a line that is too long, or is no text; the message has its number.
    """
    limits = Limits.of_environment()
    with path.open("rb") as file:
        for number in count(1):
            line = limits.line(file)
            if line is None:
                raise ExchangeError(f"line {number} {limits.refusal('read')}")
            if not line:
                return
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                raise ExchangeError(f"line {number} is no UTF-8 text") from None
