"""A transcript, recorded in a store of its own for as long as it is looked at."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hud_runtime.cli._density import density_asked_for

if TYPE_CHECKING:
    from hud_components import HudState
    from hud_runtime import HudSession
    from hud_runtime.transcripts import Problem
    from ujsx import Density, Rendered


@dataclass(frozen=True, slots=True)
class Shown:
    """The HUD of one turn."""

    turn: int
    state: HudState
    density: Density | None
    """The density that was asked for or picked; ``None`` where a budget alone decides."""

    rendered: Rendered


@dataclass(frozen=True, slots=True)
class Replayed:
    """A session that was replayed: what it was at any of its turns."""

    session: HudSession
    turns: int
    """How many messages the agent wrote; turn 0 is what came before the first."""
    events: int
    problems: tuple[Problem, ...]
    """What could not be read or recorded."""

    def state(self, turn: int) -> HudState:
        """Return the state after a turn, rebuilt from the log."""
        from hud_runtime import At

        return self.session.state(at=At.turn(turn))

    def shown(self, turn: int, density: Density | None = None, budget: int | None = None) -> Shown:
        """Return the HUD after a turn; without a budget, the context's pressure picks its density."""
        from hud_components import Hud
        from ujsx import render_document

        state = self.state(turn)
        if density is None and budget is None:
            density = density_asked_for(state)
        rendered = render_document(Hud.of(state), density=density, budget=budget)
        return Shown(turn, state, density, rendered)


@contextmanager
def replayed(path: Path) -> Generator[Replayed]:
    """Record a transcript in a store in a temporary folder, which goes when the caller is done.

    :raises TranscriptError: for a file that is no transcript.
    """
    from hud_runtime import HudStore, read_transcript, replay

    transcript = read_transcript(path)
    begun = transcript.started_at or 0
    with (
        TemporaryDirectory(prefix="ujsx-") as folder,
        # A transcript without times gets the same ones each time: same input, same bytes.
        HudStore.open(Path(folder, "session.db"), clock=lambda: begun) as store,
    ):
        session = store.session("replay", started_at=transcript.started_at)
        done = replay(transcript, session)
        yield Replayed(session, transcript.turns, len(done.events), done.problems)
