"""Texts of recorded sessions, where there are any at hand: messages, calls, results, and the HUD after each turn.

``UJSX_CORPORA`` names the folder that has them in ``sessions/``. Every other session is fitted, the rest is tried.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

from hud_runtime import Limits
from hud_runtime.history.exchange import replayed
from hud_runtime.observe import AgentMessage, AnyObservation, ToolAnswer, ToolCall, UserMessage
from tests.benchmarks._inside import open_source, recognised
from tests.benchmarks.transcripts import FOLDER
from ujsx import Density, UjsxError

INVENTED = {"story", "traps"}
"""Folders whose sessions tell one story in many formats."""

MOST = 40
"""Texts of a kind that a session gives."""


def sessions() -> tuple[list[Path], list[Path]]:
    """Return the sessions that are fitted, and those that are tried: the largest goes to the first, the next to the second."""
    files = (
        path
        for path in FOLDER.glob("sessions/**/*")
        if path.is_file() and path.parent.name not in INVENTED
    )
    by_size = sorted(files, key=lambda path: (-path.stat().st_size, path.name))
    return by_size[::2], by_size[1::2]


def recorded(paths: list[Path], sizes: tuple[int, ...], lot: Random) -> dict[str, list[str]]:
    """Return texts of some sessions, by kind."""
    found: dict[str, list[str]] = {}
    for path in paths:
        for kind, texts in _texts(path, sizes, lot).items():
            lot.shuffle(texts)
            found.setdefault(kind, []).extend(texts[:MOST])
    return found


def _texts(path: Path, sizes: tuple[int, ...], lot: Random) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    try:
        source = open_source(path, Limits.of_environment())
        form, _ = recognised(source)
        seen = list(form.observations(source))
        huds = list(_huds(path))
    except UjsxError:
        return found  # it is no transcript
    for kind, text in filter(None, map(_said, seen)):
        at = 0
        while len(text) - at >= 150:
            size = lot.choice(sizes)
            found.setdefault(f"agent:recorded {kind}", []).append(text[at : at + size])
            at += size
    for density, hud in huds:
        if hud:
            found.setdefault(f"agent:recorded HUDs, {density}", []).append(hud)
    return found


def _said(seen: AnyObservation) -> tuple[str, str] | None:
    match seen:
        case UserMessage() | AgentMessage():
            return "messages", seen.text
        case ToolAnswer():
            return "results", seen.text
        case ToolCall():
            return "calls", json.dumps(
                {"name": seen.name, "input": dict(seen.arguments)}, default=str
            )
        case _:
            return None


def _huds(path: Path) -> Iterator[tuple[Density, str]]:
    with replayed(path) as session:
        for turn in range(1, session.turns + 1, 3):
            for density in Density:
                yield density, session.session.hud(density=density, turn=turn).text
