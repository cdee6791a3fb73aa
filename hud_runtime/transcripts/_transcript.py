"""A transcript as a value: what happened in it, and what of it could not be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from hud_runtime._errors import TranscriptError
from hud_runtime._limits import Limits
from hud_runtime.events import EventDraft
from hud_runtime.observation._json import mapping
from hud_runtime.observation._markers import TASK_MARKERS, TaskMarker
from hud_runtime.observation._problem import Problem
from hud_runtime.observation._reader import Reader
from hud_runtime.observation._tools import ToolTable
from hud_runtime.transcripts._format import Format
from hud_runtime.transcripts._formats import all_formats
from hud_runtime.transcripts._source import HISTORIES, Source, opened, refuse_exported
from hud_runtime.transcripts.formats._refused import refusal
from ujsx.errors import listed


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
    reason: str = ""
    """Why the file is taken to be of that format."""
    session_id: str = ""
    """The id that the session has where it was recorded; the file's name where none is told."""
    calls: int = 0
    """How many calls of tools there are."""
    unknown: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many calls there are of which tool that is not known, so that nothing is made of them."""

    @property
    def started_at(self) -> int | None:
        """When its first event happened, in milliseconds since the epoch, if it says so."""
        return next((one.timestamp for one in self.drafts if one.timestamp is not None), None)

    @property
    def not_understood(self) -> str:
        """What was recognised and not understood, in a line; empty for nothing.

        >>> Transcript(Path("x"), "chat", (), 1, (), {}, unknown={"browser_click": 3}).not_understood
        '3 tool calls not understood: browser_click'
        """
        if not self.unknown:
            return ""
        count = sum(self.unknown.values())
        names = listed(sorted(self.unknown, key=lambda name: (-self.unknown[name], name)))
        return f"{count} tool call{'s' if count != 1 else ''} not understood: {names}"

    def __iter__(self) -> Iterator[EventDraft]:
        return iter(self.drafts)

    def __len__(self) -> int:
        return len(self.drafts)


def read_transcript(
    path: str | Path,
    *,
    table: ToolTable | None = None,
    markers: tuple[TaskMarker, ...] = TASK_MARKERS,
    limit: int | None = None,
    limits: Limits | None = None,
    is_whole: bool = True,
) -> Transcript:
    """Read a session's transcript.

    The formats that are known stand in the documentation; a package can add others. ``table`` and
    ``markers`` say what tools and prompts mean; ``limit`` is the size of the context in tokens, which else
    follows from the model. ``limits`` say how much is read at once: those of the environment when they are not
    given. ``is_whole`` says that the file is not being written any more, so that its last message is complete.

    Raises :class:`TranscriptError` for a file that is no transcript, or in no format that is read.

    >>> import json, tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    ...     json.dump([{"role": "user", "content": "Add a login."}], file)
    ...     file.flush()
    ...     transcript = read_transcript(file.name)
    >>> [(draft.type, draft.payload) for draft in transcript]
    [('task.set', {'description': 'Add a login.'})]
    """
    path = Path(path)
    source = opened(path, limits or Limits.of_environment())
    form, reason = recognised(source)
    reader = Reader(table, markers=markers, limit=limit, estimates=form.estimates)
    drafts: list[EventDraft] = []
    for seen in form.observations(source):
        drafts.extend(reader.feed(seen))
    if is_whole:
        drafts.extend(reader.finish())
    problems = (*source.problems, *reader.problems)
    return Transcript(
        path=path,
        format=form.name,
        drafts=tuple(drafts),
        turns=reader.turn,
        problems=tuple(sorted(problems, key=lambda one: one.line or 0)),
        skipped=MappingProxyType(dict(sorted((source.skipped + reader.skipped).items()))),
        reason=reason,
        calls=reader.calls,
        session_id=session_id_in(source),
        unknown=MappingProxyType(dict(reader.unknown)),
    )


def session_id_in(source: Source) -> str:
    """Return the id that a file tells of its session, else its name without the ending.

    >>> session_id_in(Source(Path("a/chat.json"), "value", ({"role": "user"},)))
    'chat'
    """
    for record in (source.first, *source.head):
        for within in ("", "payload", "info", "data"):
            place = mapping(record.get(within)) if within else record
            for name in ("sessionId", "session_id", "thread_id", *(("id",) if within else ())):
                found = place.get(name)
                if isinstance(found, str) and found.strip() and len(found) <= LONGEST_ID:
                    return found.strip()
    return source.path.name.partition(".")[0] or source.path.name


LONGEST_ID = 200
"""Characters of a session's id that are taken for one."""


def recognised(source: Source) -> tuple[Format, str]:
    """Return the format of a file, and why it is taken to be of it.

    Raises :class:`TranscriptError` for one that is in none, with what it is and what to do.
    """
    for form in all_formats():
        reason = form.recognises(source)
        if reason is not None:
            return form, reason
    path = source.path
    refuse_exported(path, source.first)
    words = refusal(source)
    if words is not None:
        raise TranscriptError(f"{path} is {words}")
    if source.kind == "folder":
        raise TranscriptError(f"{path} is a folder; name a file in it")
    names = ", ".join(form.name for form in all_formats())
    if source.kind == "value" and mapping(source.value) and len(mapping(source.value)) < 200:
        raise TranscriptError(
            f"{path} is no transcript that is known here: it has no list of messages, neither itself nor as"
            f" {' or '.join(HISTORIES)}; known formats: {names}"
        )
    raise TranscriptError(f"{path} is no transcript that is known here; known formats: {names}")
