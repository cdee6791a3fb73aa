"""A transcript kept in a session: what is new in it is recorded, however often it is read, and by whom.

The same file gives the same drafts, and its beginning those of the whole without the end. So what a session
has already is known without a mark of its own: it is the beginning of what the file tells.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hud_runtime._breaker import tried_again
from hud_runtime._errors import EventError, TranscriptError
from hud_runtime._limits import Limits
from hud_runtime._watched import Watch, watched
from hud_runtime.events import Event, EventDraft
from hud_runtime.observation._problem import Problem
from hud_runtime.session import HudSession, HudStore
from hud_runtime.transcripts._growing import GrowingTranscript
from hud_runtime.transcripts._transcript import Transcript
from ujsx.errors import quoted

CHILD = "/"
"""What stands between the ids of a session and of its sub-agent's."""

BATCH = 100
"""Events that are recorded between two words to who waits."""


@dataclass(frozen=True, slots=True)
class Update:
    """The result of one look at a transcript."""

    session: HudSession[Any]
    transcript: Transcript
    events: int
    """How many events were recorded, beside the session's beginning."""
    problems: tuple[Problem, ...]
    """What could not be read, and what the session refused."""
    children: tuple[Update, ...] = ()
    """The same of the sessions of its sub-agents."""


class LiveTranscript:
    """A transcript that is kept in a session of a store, also while it is being written.

    :param store: the store; the session is made where it is not there.
    :param path: the transcript.
    :param name: the session's id; the transcript's own when None.
    :param session: the id of one, in a file that has several; the newest when None.
    :param parent: the id of the session that this one was begun by.
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
        session: str | None = None,
        parent: str | None = None,
        limits: Limits | None = None,
        watch: Watch = watched,
    ) -> None:
        self._store = store
        self._path = Path(path)
        self._name = name
        self._parent = parent
        self._limits = limits
        self._watch = watch
        self._growing = GrowingTranscript(
            self._path, limits=limits, session=session, watch=watch, domain=store.domain
        )
        self._begun = 0
        self._kept: dict[str, _Kept] = {}
        self._files: dict[Path, LiveTranscript] = {}

    @property
    def lines_read(self) -> int:
        """The number of lines read so far, in all looks together."""
        return self._growing.lines_read

    @property
    def reads_on(self) -> bool:
        """True if the file is read on where it ended, and not as a whole whenever it changes: of formats in
        which a record can change what an earlier one told, and of files that are written as a whole, it is
        not. Known after the first look.
        """
        return self._growing.reads_on

    def update(self) -> Update:
        """Record what is new in the file, and in the sessions of its sub-agents.

        Whoever else has recorded some of it meanwhile, such as another process that follows the same
        file, is noticed: nothing is recorded twice.

        :raises TranscriptError: for a file that is no transcript any more, or a session that has other
            events than the file tells.
        """
        transcript = self._growing.look()
        if self._growing.restarts != self._begun:
            self._begun = self._growing.restarts
            self._kept.clear()
        own = self._bring("", transcript)
        children = [
            self._bring(f"{CHILD}{one.session_id}", transcript) for one in transcript.children
        ]
        for path in child_files(self._path):
            if path not in self._files:
                name = f"{own.session.id}{CHILD}{path.stem}"
                self._files[path] = LiveTranscript(
                    self._store,
                    path,
                    name=name,
                    parent=own.session.id,
                    limits=self._limits,
                    watch=self._watch,
                )
            children.append(self._files[path].update())
        return replace(own, children=tuple(children))

    @tried_again
    def _bring(self, place: str, transcript: Transcript) -> Update:
        """Record what is new of the session, or of the one of a sub-agent in the same file."""
        kept = self._kept.get(place)
        if kept is None:
            name = self._name or transcript.session_id
            parent = name if place else self._parent
            told = _at(place, transcript)
            session = self._store.session(
                f"{name}{place}", parent=parent, started_at=told.started_at
            )
            kept = self._kept[place] = _Kept(session)
        told = _at(place, transcript)
        problems = list(told.problems)
        if kept.version and kept.done == len(told.drafts):
            return Update(kept.session, told, 0, tuple(problems))

        def refused(draft: EventDraft, error: EventError) -> None:
            problems.append(Problem(None, f"turn {draft.turn or 0}: {error}"))

        session = kept.session
        with session.exclusive():
            before = session.version
            if before != kept.version:
                # Who was quicker may have seen more of the file: nobody can write to the session now.
                told = _at(place, self._growing.look())
                kept.done = self._recorded(session, told)
            new = told.drafts[kept.done :]
            for begin in self._watch(range(0, len(new), BATCH), "recording hundreds of events"):
                session.record_all(new[begin : begin + BATCH], refused=refused)
            version = session.version
        kept.done, kept.version = len(told.drafts), version
        return Update(session, told, kept.version - before, tuple(problems))

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
            f" {taken + 2} on: the file is another one, was written anew, or was imported by a version that"
            f" read it otherwise; import it under another name (`--name`, or `name`)"
        )


@dataclass(slots=True)
class _Kept:
    """The progress of a session."""

    session: HudSession[Any]
    done: int = 0
    version: int = 0


def _at(place: str, transcript: Transcript) -> Transcript:
    """The session's own transcript, or that of a sub-agent."""
    children = (one for one in transcript.children if f"{CHILD}{one.session_id}" == place)
    return next(children) if place else transcript


def child_files(path: Path) -> list[Path]:
    """Return the files of a session's sub-agents, which lie in a folder of its name."""
    folder = path.with_suffix("") / "subagents"
    return sorted(folder.glob("agent-*.jsonl")) if path.suffix == ".jsonl" else []


def _is_left_out(draft: EventDraft, error: EventError) -> None:
    """What a session refuses is told by who records it for good."""


def _told(event: Event) -> tuple[object, ...]:
    """What an event is known again by. How a summary is laid out differs between versions of this package."""
    return event.type, event.turn, None if event.type == "compact.after" else event.payload
