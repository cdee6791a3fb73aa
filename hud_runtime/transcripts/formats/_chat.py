"""Lists of chat messages: OpenAI's style with its dialects, Anthropic's blocks, and simulated users.

Nothing says whether a call of OpenAI's style failed.
"""

from __future__ import annotations

from collections.abc import Iterator

from hud_runtime.observation._json import Record, mapping, sequence, string
from hud_runtime.observation._observations import AnyObservation
from hud_runtime.transcripts._format import Format, RecordReader
from hud_runtime.transcripts._source import Source, history_in
from hud_runtime.transcripts.formats._messages import messages

CONTENTS = frozenset({"content", "tool_calls", "function_call", "text"})
TYPES = frozenset({"user", "assistant", "tool_result", "system"})
"""Types by which some give the role."""


def is_message(record: Record) -> bool:
    """Tell whether a record is a message."""
    has_role = string(record.get("role")) or str(record.get("type")) in TYPES
    return bool(has_role) and not CONTENTS.isdisjoint(record)


def recognises(source: Source) -> str | None:
    """Tell why a file is a list of chat messages."""
    if any(map(is_message, source.head)):
        return "its records have a role and a content"
    if any("traj" in one and isinstance(one["traj"], list) for one in source.head[:1]):
        return "its results have a list of chat messages each"
    if any(isinstance(one.get("messages"), list) for one in source.head[:1]):
        return "its lines have a list of chat messages each"
    return None


def begin(source: Source) -> RecordReader:
    """Begin a list of messages; what else there is, is counted."""

    def read(line: int, record: Record) -> Iterator[AnyObservation]:
        inner = sequence(record.get("traj")) or history_in(record)
        own = [record] if inner is None or is_message(record) else map(mapping, inner)
        yield from messages(((line, one) for one in own), source)

    return read


FORMAT = Format.of_records("chat messages", recognises, begin, estimates=True)
