"""A transcript read as a whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_components import CODING, Domain
from hud_components.words import RequestMessage
from hud_runtime._errors import TranscriptError
from hud_runtime._limits import Limits
from hud_runtime.observation._markers import TASK_MARKERS, TaskMarker
from hud_runtime.observation._observations import (
    AgentMessage,
    AnyObservation,
    Background,
    Compacted,
    OfChild,
    ToolCall,
    ToolResult,
    UserMessage,
)
from hud_runtime.observation._reader import Reader
from hud_runtime.observation._tools import ToolTable
from hud_runtime.transcripts._reading import Reading
from hud_runtime.transcripts._source import opened
from hud_runtime.transcripts._transcript import Transcript, check_wanted, recognised
from ujsx.errors import listed
from ujsx.text import one_line, visible
from ujsx.tokens import estimate_tokens

if TYPE_CHECKING:
    from hud_runtime.delivery import TurnWords


def read_transcript(
    path: str | Path,
    *,
    table: ToolTable | None = None,
    markers: tuple[TaskMarker, ...] = TASK_MARKERS,
    limit: int | None = None,
    limits: Limits | None = None,
    is_whole: bool = True,
    session: str | None = None,
    domain: Domain[Any, Any] = CODING,
) -> Transcript:
    """Read a session's transcript.

    The formats that are known stand in the documentation; a package can add others. ``table`` and
    ``markers`` say what tools and prompts mean; ``limit`` is the size of the context in tokens, which else
    follows from the model. ``limits`` say how much is read at once: those of the environment when they are not
    given. ``is_whole`` says that the file is not being written any more, so that its last message is complete.
    ``session`` is the id of one, in a file that has several; else the newest is read. ``domain``
    is that of the session that it becomes: what is remembered goes by that.

    Raises :class:`TranscriptError` for a file that is no transcript, is in no format that is read, or says nothing
    that is understood.

    >>> import json, tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    ...     json.dump([{"role": "user", "content": "Add a login."}], file)
    ...     file.flush()
    ...     transcript = read_transcript(file.name)
    >>> [(draft.type, draft.payload) for draft in transcript]
    [('task.set', {'description': 'Add a login.'})]
    """
    path = Path(path)
    source = opened(path, limits or Limits.of_environment(), session)
    form, reason = recognised(source)
    reading = Reading(
        estimates=form.estimates, table=table, markers=markers, limit=limit, domain=domain
    )
    for seen in form.observations(source):
        reading.take(seen)
    check_wanted(source)
    if not is_whole:
        return reading.transcript(path, source, form, reason)
    reading.finish()
    transcript = reading.transcript(path, source, form, reason)
    counts = {**transcript.unread, **transcript.skipped}
    if counts and not (transcript.drafts or transcript.turns or transcript.children):
        kinds = listed([f"{count} {visible(one_line(kind))}" for kind, count in counts.items()])
        raise TranscriptError(
            f"{path} is taken for {form.name} ({reason}), and nothing that it says is understood: {kinds}"
        )
    return transcript


def turn_words(path: str | Path, session: str | None = None) -> dict[int, TurnWords]:
    """Return what each turn of a transcript adds to the conversation, by the turn.

    :param session: the id of one, in a file that has several; else the newest is read.
    :raises TranscriptError: for a file that is no transcript.

    >>> import json, tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    ...     json.dump([{"role": "user", "content": "Add a login."}], file)
    ...     file.flush()
    ...     turn_words(file.name)[0].messages
    (RequestMessage(text='Add a login.', is_answer=False, shown=''),)
    """
    from hud_runtime.delivery import TurnWords

    source = opened(Path(path), Limits.of_environment(), session)
    form, _ = recognised(source)
    reader = Reader()
    found: dict[int, TurnWords] = {}
    for seen in form.observations(source):
        if isinstance(seen, OfChild):
            continue
        for _draft in reader.feed(seen):
            pass  # what it means counts the turns
        text, is_said = _text_of(seen)
        if isinstance(seen, Compacted):
            found[reader.turn] = TurnWords(begins=True)
        if not text:
            continue
        tokens, messages, begins = found.get(reader.turn, TurnWords())
        if is_said:
            messages += (RequestMessage(text, isinstance(seen, AgentMessage)),)
        found[reader.turn] = TurnWords(tokens + estimate_tokens(text), messages, begins)
    return found


def _text_of(seen: AnyObservation) -> tuple[str, bool]:
    """The words of an observation that the model reads, and whether somebody says it in the conversation."""
    match seen:
        case UserMessage() | AgentMessage():
            return seen.text, True
        case Compacted():
            return seen.summary, True
        case ToolResult() | Background():
            return seen.text, False
        case ToolCall(in_text=False):
            return json.dumps(dict(seen.arguments), ensure_ascii=False, default=str), False
        case _:
            return "", False
