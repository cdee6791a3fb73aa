"""Recorded sessions, turn by turn: the HUD's tokens at each density, and how much prefix is kept.

The sessions are not part of the repository: ``UJSX_CORPORA`` names the folder that has them in
``sessions/``; without it, the folder is ``../shared/data``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from hud_components import Hud
from hud_runtime import At, HudStore, read_transcript, replay
from ujsx import Density, Rendered, Renderer, compare

FOLDER = Path(os.environ.get("UJSX_CORPORA") or Path(__file__).parents[3] / "shared" / "data")

DENSITIES = tuple(reversed(Density))


def turns(path: Path) -> Iterator[dict[Density, Rendered]]:
    """Yield the HUD after each turn of a transcript, at each density."""
    transcript = read_transcript(path)
    renderers = {density: Renderer() for density in Density}
    with (
        TemporaryDirectory() as folder,
        HudStore.open(Path(folder, "session.db"), clock=lambda: 0) as store,
    ):
        session = store.session("replay", started_at=transcript.started_at)
        replay(transcript, session)
        for turn in range(1, transcript.turns + 1):
            layout = Hud.of(session.state(at=At.turn(turn)))
            yield {
                density: renderer.render(layout, density=density)
                for density, renderer in renderers.items()
            }


def main() -> None:
    """Print a table for each session."""
    paths = sorted(FOLDER.glob("sessions/*.jsonl")) + sorted(FOLDER.glob("sessions/*.traj"))
    if not paths:
        print(f"Recorded sessions: there are none in {FOLDER / 'sessions'}; see UJSX_CORPORA\n")
    for path in paths:
        print_session(path)


def print_session(path: Path) -> None:
    """Print a session's tokens and prefixes, turn by turn."""
    huds = list(turns(path))
    print(f"{path.stem}, {len(huds)} turns: tokens, and the share of the turn before that is kept")
    rows = ["turn", *(str(turn) for turn in range(1, len(huds) + 1))]
    print(_row(rows))
    for density in DENSITIES:
        print(_row([density, *(str(hud[density].tokens) for hud in huds)]))
        kept = [compare(one[density], other[density]).kept for one, other in pairwise(huds)]
        print(_row(["  kept %", "", *(f"{100 * each:.0f}" for each in kept)]))
    print()


def _row(cells: list[str]) -> str:
    first, *others = cells
    return f"{first:9}" + "".join(f"{each:>5}" for each in others)


if __name__ == "__main__":
    main()
