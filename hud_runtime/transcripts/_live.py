"""A transcript kept in a session: what is new in it is recorded, however often it is read, and by whom.

The same file gives the same drafts, and its beginning those of the whole without the end. So what a session
has already is known without a mark of its own: it is the beginning of what the file tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hud_runtime._errors import EventError, TranscriptError
from hud_runtime._limits import Limits
from hud_runtime.events import Event, EventDraft
from hud_runtime.observation._problem import Problem
from hud_runtime.session import HudSession, HudStore
from hud_runtime.transcripts._growing import GrowingTranscript, Watch, unwatched
from hud_runtime.transcripts._transcript import Transcript
from ujsx.errors import quoted

STEP = 100
"""Events that are recorded between two words to who waits."""


@dataclass(frozen=True, slots=True)
class Update:
    """What one look at a transcript brought."""

    session: HudSession[Any]
    transcript: Transcript
    events: int
    """How many events were recorded, beside the session's beginning."""
    problems: tuple[Problem, ...]
    """What could not be read, and what the session refused."""


class LiveTranscript:
    """A transcript that is kept in a session of a store, also while it is being written.

    :param store: the store; the session is made where it is not there.
    :param path: the transcript.
    :param name: the session's id; the transcript's own when None.
    :raises TranscriptError: for a file that is no transcript.

    >>> import json, tempfile
    >>> with HudStore.open(":memory:") as store, tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    ...     json.dump([{"role": "user", "content": "Add a login."}], file)
    ...     file.flush()
    ...     live = LiveTranscript(store, file.name, name="s")
    ...     (live.update().events, live.update().events)
    (1, 0)
    """

    def __init__(
        self,
        store: HudStore[Any],
        path: str | Path,
        *,
        name: str | None = None,
        limits: Limits | None = None,
        watch: Watch = unwatched,
    ) -> None:
        self._store = store
        self._path = Path(path)
        self._name = name
        self._watch = watch
        self._growing = GrowingTranscript(self._path, limits=limits, watch=watch)
        self._session: HudSession[Any] | None = None
        self._begun = 0
        self._done = 0
        self._version = 0

    @property
    def lines_read(self) -> int:
        """How many lines were read so far, all looks together."""
        return self._growing.lines_read

    def update(self) -> Update:
        """Record what is new in the file.

        Whoever else has recorded some of it meanwhile, such as another process that follows the same
        file, is noticed: nothing is recorded twice.

        :raises TranscriptError: for a file that is no transcript any more, or a session that has other
            events than the file tells.
        """
        transcript = self._growing.look()
        problems = list(transcript.problems)
        if self._session is None or self._growing.restarts != self._begun:
            self._begun = self._growing.restarts
            name = self._name or transcript.session_id
            self._session = self._store.session(name, started_at=transcript.started_at)
            self._version = 0
        session = self._session
        if self._version and self._done == len(transcript.drafts):
            return Update(session, transcript, 0, tuple(problems))

        def refused(draft: EventDraft, error: EventError) -> None:
            problems.append(Problem(None, f"turn {draft.turn or 0}: {error}"))

        with session.exclusive():
            before = session.version
            if before != self._version:
                # Who was quicker may have seen more of the file: nobody can write to the session now.
                transcript = self._growing.look()
                self._done = self._recorded(session, transcript)
            new = transcript.drafts[self._done :]
            for begin in self._watch(range(0, len(new), STEP), "recording hundreds of events"):
                session.record_all(new[begin : begin + STEP], refused=refused)
            self._done, self._version = len(transcript.drafts), session.version
        return Update(session, transcript, self._version - before, tuple(problems))

    def _recorded(self, session: HudSession[Any], transcript: Transcript) -> int:
        """Return how many of the drafts the session has; raise where it has something else."""
        known = [_told(event) for event in session.events() if event.type != "session.start"]
        taken = 0
        with HudStore.open(":memory:", domain=session.domain) as scratch:
            copy = scratch.session(session.id, started_at=transcript.started_at)
            for number, draft in enumerate(transcript.drafts):
                if taken == len(known):
                    return number
                events = copy.record_all([draft], refused=_is_left_out)
                told = [_told(event) for event in events]
                if told != known[taken : taken + len(told)]:
                    break
                taken += len(told)
        if taken == len(known):
            return len(transcript.drafts)
        raise TranscriptError(
            f"session {quoted(session.id)} has other events than {self._path} tells, from its event"
            f" {taken + 2} on; give the session another name"
        )


def _is_left_out(draft: EventDraft, error: EventError) -> None:
    """What a session refuses is told by who records it for good."""


def _told(event: Event) -> tuple[object, ...]:
    return event.type, event.turn, event.payload
