"""A transcript as a value: what happened in it, and what of it could not be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from hud_runtime._errors import TranscriptError
from hud_runtime._limits import Limits
from hud_runtime.events import EventDraft
from hud_runtime.transcripts import _chat, _claude_code
from hud_runtime.transcripts._derive import Derivation
from hud_runtime.transcripts._json import Record
from hud_runtime.transcripts._moments import AnyMoment
from hud_runtime.transcripts._source import Problem, records, refuse_exported
from hud_runtime.transcripts._task import TASK_MARKERS, TaskMarker
from hud_runtime.transcripts._tools import ToolTable

LIMIT = 200_000
"""Tokens that a context holds when nobody says otherwise."""

LOOKS = 100
"""How many records are looked at to tell the format."""

Records: TypeAlias = Iterable[tuple[int, Record]]


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be read."""

    name: str
    recognises: Callable[[Record], bool]
    moments: Callable[[Records, Counter[str]], Iterator[AnyMoment]]
    estimates: bool
    """Whether the context's size has to be estimated."""


FORMATS: tuple[Format, ...] = (
    Format("Claude Code", _claude_code.recognises, _claude_code.moments, estimates=False),
    Format("chat messages", _chat.recognises, _chat.moments, estimates=True),
)
"""The formats that are known; the first that recognises a record reads the file."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a file tells of a session. Iterating it yields the drafts of its events."""

    path: Path
    format: str
    """The name of the format it is in."""
    drafts: tuple[EventDraft, ...]
    turns: int
    """How many messages the agent has written."""
    problems: tuple[Problem, ...]
    """Lines that could not be read, and calls that made no sense, each with its line."""
    skipped: Mapping[str, int]
    """How many records of which kind tell nothing of the session's state."""

    @property
    def started_at(self) -> int | None:
        """When its first event happened, in milliseconds since the epoch, if it says so."""
        return next((one.timestamp for one in self.drafts if one.timestamp is not None), None)

    def __iter__(self) -> Iterator[EventDraft]:
        return iter(self.drafts)

    def __len__(self) -> int:
        return len(self.drafts)


def read_transcript(
    path: str | Path,
    *,
    table: ToolTable | None = None,
    markers: tuple[TaskMarker, ...] = TASK_MARKERS,
    limit: int = LIMIT,
    limits: Limits | None = None,
) -> Transcript:
    """Read a session's transcript.

    Known are Claude Code's files, lists of chat messages (in one JSON value or one on each
    line; with tool calls, blocks or commands in the text), and SWE-agent's trajectories.
    ``table`` and ``markers`` say what tools and prompts mean; ``limit`` is the size of the
    context in tokens. ``limits`` say how much is read at once: those of the environment when they
    are not given.

    Raises :class:`TranscriptError` for a file that is none of these.

    >>> import json, tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    ...     json.dump([{"role": "user", "content": "Add a login."}], file)
    ...     file.flush()
    ...     transcript = read_transcript(file.name)
    >>> [(draft.type, draft.payload) for draft in transcript]
    [('task.set', {'description': 'Add a login.'})]
    """
    path = Path(path)
    problems: list[Problem] = []
    skipped: Counter[str] = Counter()
    form, found = _recognised(path, records(path, problems, limits or Limits.of_environment()))
    derivation = Derivation(
        table=ToolTable() if table is None else table,
        markers=markers,
        limit=limit,
        estimates=form.estimates,
        problems=problems,
        skipped=skipped,
    )
    drafts: list[EventDraft] = []
    for moment in form.moments(found, skipped):
        drafts.extend(derivation.feed(moment))
    drafts.extend(derivation.finish())
    return Transcript(
        path=path,
        format=form.name,
        drafts=tuple(drafts),
        turns=derivation.turn,
        problems=tuple(sorted(problems, key=lambda one: one.line or 0)),
        skipped=MappingProxyType(dict(sorted(skipped.items()))),
    )


def _recognised(
    path: Path, found: Iterator[tuple[int, Record]]
) -> tuple[Format, Iterator[tuple[int, Record]]]:
    seen: list[tuple[int, Record]] = []
    for number, record in found:
        seen.append((number, record))
        for form in FORMATS:
            if form.recognises(record):
                return form, chain(seen, found)
        if len(seen) == LOOKS:
            break
    if seen:
        refuse_exported(path, seen[0][1])
    names = ", ".join(form.name for form in FORMATS)
    raise TranscriptError(f"{path} is no transcript that is known here; known formats: {names}")
