"""Recording a transcript in a session, as if it happened there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hud_runtime._errors import EventError
from hud_runtime.events import Event, EventDraft
from hud_runtime.observation._problem import Problem
from hud_runtime.session import HudSession
from hud_runtime.transcripts._read import read_transcript
from hud_runtime.transcripts._transcript import Transcript
from ujsx.calls import resolving


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of replaying a transcript."""

    events: tuple[Event, ...]
    """As they stand in the log."""
    problems: tuple[Problem, ...]
    """What could not be read, and what the session refused."""


@resolving(write='write replay("session.jsonl", store.session("s-1"))')
def replay(source: str | Path | Iterable[EventDraft], session: HudSession[Any]) -> Replay:
    """Record a transcript, or any drafts, in one transaction.

    A draft that the session refuses, such as the removal of a note that is not there, is left
    out and told as a problem.

    Raises :class:`TranscriptError` for a file that is no transcript.

    >>> from hud_runtime import EventDraft, HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     done = replay([EventDraft("note.remove", {"id": "n-1"})], store.session("s"))
    >>> print(done.problems[0])
    turn 0: note.remove: there is no "n-1" in notes; there are none
    """
    drafts = read_transcript(source) if isinstance(source, (str, Path)) else source
    problems = list(drafts.problems) if isinstance(drafts, Transcript) else []

    def refused(draft: EventDraft, error: EventError) -> None:
        problems.append(Problem(None, f"turn {draft.turn or 0}: {error}"))

    return Replay(session.record_all(drafts, refused=refused), tuple(problems))
