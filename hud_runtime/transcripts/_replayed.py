"""A transcript as a session that can be asked for any of its turns."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hud_components import HudState
    from hud_runtime import HudSession
    from hud_runtime.observation import Problem


@dataclass(frozen=True, slots=True)
class Replayed:
    """A session that was replayed: what it was at any of its turns."""

    session: HudSession
    turns: int
    """How many messages the agent wrote; turn 0 is what came before the first."""
    events: int
    problems: tuple[Problem, ...]
    """What could not be read or recorded."""
    not_understood: str = ""
    """What was recognised and not understood."""
    others: str = ""
    """Which other sessions there are in the file."""

    def state(self, turn: int) -> HudState:
        """Return the state after a turn, rebuilt from the log."""
        from hud_runtime.store import At

        return self.session.state(at=At.turn(turn))


@contextmanager
def replayed(path: Path, session: str | None = None) -> Generator[Replayed]:
    """Record a transcript in a store in a temporary folder, which goes when the caller is done.

    :raises TranscriptError: for a file that is no transcript.
    """
    from hud_runtime.session import HudStore
    from hud_runtime.transcripts._read import read_transcript
    from hud_runtime.transcripts._replay import replay

    transcript = read_transcript(path, session=session)
    begun = transcript.started_at or 0
    with (
        TemporaryDirectory(prefix="ujsx-") as folder,
        # A transcript without times gets the same ones each time: same input, same bytes.
        HudStore.open(Path(folder, "session.db"), clock=lambda: begun) as store,
    ):
        recorded = store.session("replay", started_at=transcript.started_at)
        done = replay(transcript, recorded)
        yield Replayed(
            recorded,
            transcript.turns,
            len(done.events),
            done.problems,
            transcript.not_understood,
            transcript.other_sessions,
        )
