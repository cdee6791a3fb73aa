"""The share of a session's decisions and steps that its agent recorded itself.

What a session shows is told by other tools: answered questions, approved plans, to-do lists. What the agent
recorded is told by the calls of its HUD's tool. The two are compared by their words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from hud_runtime._limits import Limits
from hud_runtime.events import EventDraft, EventType
from hud_runtime.observation._reader import Reader
from hud_runtime.observation._tools import ToolTable
from hud_runtime.transcripts._source import opened
from hud_runtime.transcripts._transcript import recognised

SHOWN: Mapping[EventType, tuple[str, frozenset[str]]] = MappingProxyType(
    {
        "decision.record": ("decision", frozenset({"decision.record", "note.add", "note.update"})),
        "step.add": ("step", frozenset({"step.add", "step.update", "step.complete"})),
    }
)
"""The events that show something to keep, what it is, and the events by which an agent keeps it."""

KINDS: tuple[str, ...] = tuple(dict.fromkeys(what for what, _ in SHOWN.values()))
"""What is shown, in the order in which it is told."""

ALIKE = 0.5
"""The share of the words of the shorter text that both have, from which on they say the same."""

_WORD = re.compile(r"[^\W_]{3,}")


@dataclass(frozen=True, slots=True)
class Shown:
    """A decision or a step that the session shows."""

    what: str
    """Which of the two: ``decision`` or ``step``."""

    text: str
    turn: int
    is_kept: bool
    """Whether the agent recorded it itself."""


@dataclass(frozen=True, slots=True)
class Keeping:
    """The contents of a session, and which of them the agent recorded itself."""

    shown: tuple[Shown, ...]
    recorded: int
    """How many events the agent recorded through its HUD's tool."""

    has_tool: bool
    """Whether it called that tool at all; where it never did, nobody knows whether it had it."""

    def of(self, what: str) -> tuple[Shown, ...]:
        """Return the decisions, or the steps."""
        return tuple(one for one in self.shown if one.what == what)


def keeping(
    path: str | Path, *, table: ToolTable | None = None, limits: Limits | None = None
) -> Keeping:
    r"""Return how well the agent of a transcript kept its HUD.

    :raises TranscriptError: for a file that is no transcript.

    >>> import json, tempfile
    >>> call = {"id": "1", "function": {"name": "ask_user", "arguments": '{"question": "Which store?"}'}}
    >>> with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    ...     messages = [{"role": "assistant", "tool_calls": [call]},
    ...         {"role": "tool", "tool_call_id": "1", "content": "SQLite"}]
    ...     json.dump(messages, file)
    ...     file.flush()
    ...     kept = keeping(file.name)
    >>> kept.has_tool, [(one.what, one.text, one.is_kept) for one in kept.shown]
    (False, [('decision', 'SQLite Which store?', False)])
    """
    source = opened(Path(path), limits or Limits.of_environment())
    form, _ = recognised(source)
    reader = Reader(table, estimates=form.estimates)
    drafts = [draft for seen in form.observations(source) for draft in reader.feed(seen)]
    own = {id(draft) for draft in reader.recorded}
    kept = [(draft.type, _words(_text(draft))) for draft in reader.recorded]
    shown = [
        Shown(
            SHOWN[draft.type][0],
            _text(draft),
            draft.turn or 0,
            any(
                of in SHOWN[draft.type][1] and _are_alike(_words(_text(draft)), said)
                for of, said in kept
            ),
        )
        for draft in drafts
        if draft.type in SHOWN and id(draft) not in own
    ]
    return Keeping(tuple(shown), len(reader.recorded), reader.has_hud)


def _text(draft: EventDraft) -> str:
    return " ".join(_texts(draft.payload)).strip()


def _texts(payload: Mapping[str, object]) -> Iterator[str]:
    for name in ("summary", "description", "content", "details"):
        if isinstance(said := payload.get(name), str) and said:
            yield said


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    shorter = min(len(one), len(other))
    return shorter > 0 and len(one & other) >= ALIKE * shorter
