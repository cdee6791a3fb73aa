"""A transcript as a value: what happened in it, and what of it could not be read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hud_runtime._errors import TranscriptError
from hud_runtime.events import EventDraft
from hud_runtime.observation._json import mapping
from hud_runtime.observation._problem import Problem
from hud_runtime.transcripts._format import Format
from hud_runtime.transcripts._formats import all_formats
from hud_runtime.transcripts._json_text import record_of
from hud_runtime.transcripts._source import HISTORIES, Source, refuse_exported, session_id_in
from hud_runtime.transcripts.formats._refused import refusal
from ujsx.errors import listed, quoted
from ujsx.text import one_line, visible
from ujsx.tokens import Calibrated

OTHERS_SHOWN = 10
"""How many other sessions of a file are named."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """The session in a file. Iterating it yields the drafts of its events."""

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
    records: int = 0
    """The number of records; a message counts as its parts."""
    unread: Mapping[str, int] = field(default_factory=dict[str, int])
    """The number of records of each kind that the format does not know, the most frequent first."""
    reason: str = ""
    """Why the file is taken to be of that format."""
    session_id: str = ""
    """The id that the session has where it was recorded; the file's name where none is told."""
    calls: int = 0
    """How many calls of tools there are."""
    unknown: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many calls there are of which tool that is not known, so that nothing is made of them."""
    children: tuple[Transcript, ...] = ()
    """The sessions of sub-agents that stand in the same file."""
    others: Mapping[str, str] = field(default_factory=dict[str, str])
    """Other sessions in the same file, by their ids, with what they are called."""
    calibration: Calibrated | None = None
    """The estimate of tokens, corrected by the figures that the host reported; None where it reported too little."""

    @property
    def started_at(self) -> int | None:
        """The time of its first event, in milliseconds since the epoch, if it says so."""
        return next((one.timestamp for one in self.drafts if one.timestamp is not None), None)

    @property
    def understood(self) -> float:
        """The share of its records that the format knows, from 0 to 1.

        >>> Transcript(Path("x"), "chat", (), 1, (), {}, records=120, unread={"foo": 14, "bar": 6}).understood
        0.8333333333333334
        """
        return 1 - min(1.0, sum(self.unread.values()) / max(1, self.records))

    @property
    def not_understood(self) -> str:
        """The kinds of records, and the tools, that are not known, in a line; empty for none.

        >>> found = Transcript(
        ...     Path("x"), "chat", (), 1, (), {},
        ...     records=120, unread={"foo": 14, "bar": 6}, unknown={"browser_click": 3},
        ... )  # fmt: skip
        >>> found.not_understood
        'understood 83 % of 120 records; not understood: 14 × foo, 6 × bar; 3 tool calls not understood: browser_click'
        """
        said: list[str] = []
        if self.unread:
            # Rounded down: what is not understood is never 0 %.
            kinds = listed(
                [f"{count:,} × {visible(one_line(kind))}" for kind, count in self.unread.items()]
            )
            share = math.floor(100 * self.understood)
            said.append(
                f"understood {share} % of {self.records:,} records; not understood: {kinds}"
            )
        if self.unknown:
            count = sum(self.unknown.values())
            names = listed(sorted(self.unknown, key=lambda name: (-self.unknown[name], name)))
            said.append(f"{count} tool call{'s' if count != 1 else ''} not understood: {names}")
        return "; ".join(said)

    @property
    def other_sessions(self) -> str:
        """The other sessions in the file, in a line; empty for none.

        >>> Transcript(Path("x"), "OpenCode", (), 1, (), {}, others={"ses_2": "Fix the login"}).other_sessions
        '1 other session in it: ses_2 (Fix the login)'
        """
        if not self.others:
            return ""
        count = len(self.others)
        told = [f"{name} ({title})" if title else name for name, title in self.others.items()]
        shown = ", ".join(visible(one) for one in told[:OTHERS_SHOWN])
        more = f", and {count - OTHERS_SHOWN} more" if count > OTHERS_SHOWN else ""
        return f"{count} other session{'s' if count != 1 else ''} in it: {shown}{more}"

    def __iter__(self) -> Iterator[EventDraft]:
        return iter(self.drafts)

    def __len__(self) -> int:
        return len(self.drafts)


def recognised(source: Source) -> tuple[Format, str]:
    """Return the format of a file, and why it is taken to be of it; from here on the file is counted by its tables.

    Raises :class:`TranscriptError` for one that is in none, with what it is and what to do.
    """
    for form in all_formats():
        reason = form.recognises(source)
        if reason is not None:
            source.quiet = form.quiet
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
    if source.kind == "text" and (words := _before_json(source.text)):
        raise TranscriptError(
            f"{path} is JSON behind other words ({quoted(words)}): delete what stands before the JSON"
        )
    raise TranscriptError(f"{path} is no transcript that is known here; known formats: {names}")


def _before_json(text: str) -> str:
    """The words before a JSON value that a text ends with; empty where there is none."""
    start = min((place for mark in "{[" if (place := text.find(mark)) > 0), default=0)
    words = " ".join(text[:start].split())
    return words[:80] if start and record_of(text[start:].encode()) is not None else ""


def check_wanted(source: Source) -> None:
    """Refuse a session that was asked for, and that a file has not.

    :raises TranscriptError: with the sessions that there are.
    """
    wanted = source.wanted
    if wanted is None or wanted == session_id_in(source):
        return
    there = [session_id_in(source), *source.others]
    raise TranscriptError(
        f"{source.path} has no session {quoted(wanted)}; it has {listed(there[:OTHERS_SHOWN])}"
    )
