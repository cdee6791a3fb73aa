"""The JSON state files of HUD plugins: a session's current state, and a project's defaults.

The founding document on the HUD's architecture (section 3.2 and 3.5) describes them:
``sessions/ID.json`` and ``project/HASH.json``. They hold texts alone, no ids and no history; what
they cannot hold, such as an error or a decision's details, stays in the log. A file is read into
drafts of events, so that it becomes a part of a session's log like anything else.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from hud_components import HudState
from hud_runtime._errors import ExchangeError
from hud_runtime._limits import Limits
from hud_runtime.events import LARGEST, EventDraft
from ujsx.components import DocumentedModel, fields_of
from ujsx.errors import complaint

FileT = TypeVar("FileT", bound="StateFile")
ModelT = TypeVar("ModelT", bound=BaseModel)

Texts = tuple[str, ...]


class StateFile(DocumentedModel):
    """What the files have in common: camelCase names, and fields that we do not know are left."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        alias_generator=to_camel,
        validate_by_name=True,
        serialize_by_alias=True,
        cache_strings="keys",
    )

    project_path: str = ""
    """The folder of the project."""

    last_updated: Annotated[int, Field(ge=0, le=LARGEST)] = 0
    """When the file was written, in milliseconds since the epoch."""

    def text(self) -> str:
        """Return the file's content."""
        return json.dumps(self.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"

    def drafts(self) -> tuple[EventDraft, ...]:
        """Return the events that make a session, or a project's log, say what the file says.

        Empty texts say nothing and are left out; a text that the session has already is none too
        many, since a duplicate changes nothing.

        >>> [draft.type for draft in SessionFile(session_id="s", current_task="Ship it").drafts()]
        ['task.set']
        """
        return tuple(_dated(self._drafts(), self.last_updated))

    @abstractmethod
    def _drafts(self) -> Iterator[EventDraft]:
        """Yield them without a time."""


class SessionFile(StateFile):
    """``sessions/ID.json``: what is current in a session."""

    session_id: Annotated[str, Field(min_length=1)]
    """The session."""

    current_task: str | None = None
    """What the agent is working on."""

    key_decisions: Texts = ()
    """Decisions, oldest first."""

    active_files: Texts = ()
    """Paths, the last used one last."""

    notes: Texts = ()
    """Notes, oldest first."""

    blockers: Texts = ()
    """What is in the way."""

    next_steps: Texts = ()
    """What is planned, in order."""

    compacted_context: str | None = None
    """The summary of the last compaction."""

    def _drafts(self) -> Iterator[EventDraft]:
        if _says(self.current_task):
            yield EventDraft("task.set", {"description": self.current_task})
        elif "current_task" in self.model_fields_set:
            yield EventDraft("task.clear", {})
        for text in filter(_says, self.key_decisions):
            yield EventDraft("decision.record", {"summary": text})
        for text in filter(_says, self.active_files):
            yield EventDraft("file.open", {"path": text})
        for text in filter(_says, self.notes):
            yield EventDraft("note.add", {"content": text})
        for text in filter(_says, self.blockers):
            yield EventDraft("blocker.add", {"description": text})
        for text in filter(_says, self.next_steps):
            yield EventDraft("step.add", {"description": text})
        if _says(self.compacted_context):
            yield EventDraft("compact.after", {"summary": self.compacted_context}, actor="host")


class ProjectFile(StateFile):
    """``project/HASH.json``: what new sessions of a project start with."""

    project_notes: Texts = ()
    """Notes that every session gets."""

    key_files: Texts = ()
    """Files that every session is pointed to."""

    conventions: Texts = ()
    """What holds in the project; sessions inherit it as decisions."""

    def _drafts(self) -> Iterator[EventDraft]:
        for text in filter(_says, self.project_notes):
            yield EventDraft("note.add", {"content": text}, actor="host")
        for text in filter(_says, self.key_files):
            yield EventDraft("file.open", {"path": text, "status": "referenced"}, actor="host")
        for text in filter(_says, self.conventions):
            yield EventDraft("decision.record", {"summary": text}, actor="host")


ONLY_PROJECTS = frozenset(
    to_camel(name) for name in fields_of(ProjectFile).keys() - fields_of(SessionFile).keys()
)
"""Fields that only a project's file has."""


def session_file(
    state: HudState, *, session_id: str, project_path: str = "", last_updated: int = 0
) -> SessionFile:
    """Return the file that says what a state says: what is open, of each item its text.

    A decision's details follow its summary after a dash, as the files have one text for each.

    >>> from hud_components import Note
    >>> state = HudState(notes=(Note(id="n-2", content="Port 8080"),))
    >>> session_file(state, session_id="s").notes
    ('Port 8080',)
    """
    return SessionFile(
        session_id=session_id,
        project_path=project_path,
        last_updated=last_updated,
        current_task=None if state.task is None else state.task.description,
        key_decisions=_decisions(state),
        active_files=tuple(file.path for file in state.active_files),
        notes=tuple(note.content for note in state.notes),
        blockers=tuple(one.description for one in state.blockers if not one.resolved),
        next_steps=tuple(step.description for step in state.next_steps if not step.completed),
        compacted_context=state.compacted_context,
    )


def project_file(state: HudState, *, project_path: str = "", last_updated: int = 0) -> ProjectFile:
    """Return the file that says what a project's log (:meth:`HudStore.project`) says."""
    return ProjectFile(
        project_path=project_path,
        last_updated=last_updated,
        project_notes=tuple(note.content for note in state.notes),
        key_files=tuple(file.path for file in state.active_files),
        conventions=_decisions(state),
    )


def read_session_file(path: str | Path, *, limits: Limits | None = None) -> SessionFile:
    """Read ``sessions/ID.json``; ``limits`` are those of the environment when they are not given.

    Raises :class:`ExchangeError` that names the file and the field.
    """
    return _read(path, SessionFile, limits)


def read_project_file(path: str | Path, *, limits: Limits | None = None) -> ProjectFile:
    """Read ``project/HASH.json``; ``limits`` are those of the environment when they are not given.

    Raises :class:`ExchangeError` that names the file and the field.
    """
    return _read(path, ProjectFile, limits)


def _read(path: str | Path, model: type[FileT], limits: Limits | None) -> FileT:
    return as_model(path, model, content_of(path, limits))


def content_of(path: str | Path, limits: Limits | None) -> bytes:
    """Return what a file holds.

    Raises :class:`ExchangeError` for one that cannot be read, or is too large.
    """
    limits = Limits.of_environment() if limits is None else limits
    try:
        with Path(path).open("rb") as file:
            data = limits.whole(file)
    except OSError as error:
        raise ExchangeError(f"{path}: it cannot be read: {error.strerror}") from error
    if data is None:
        raise ExchangeError(f"{path} {limits.refusal('read')}")
    return data


def as_model(path: str | Path, model: type[ModelT], data: bytes) -> ModelT:
    """Return a file's content as a model.

    Raises :class:`ExchangeError` that names the file and the field.
    """
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        said = complaint(first)
        place = ".".join(map(str, first["loc"])) or "the file"
        raise ExchangeError(f"{path}: {place}: {said[:1].lower()}{said[1:]}") from error


def _says(text: str | None) -> bool:
    return text is not None and bool(text.strip())


def _dated(drafts: Iterator[EventDraft], at: int) -> Iterator[EventDraft]:
    for draft in drafts:
        yield EventDraft(draft.type, draft.payload, timestamp=at or None, actor=draft.actor)


def _decisions(state: HudState) -> Texts:
    return tuple(
        f"{one.summary} — {one.details}" if one.details else one.summary for one in state.decisions
    )
