"""The JSON files of the founding plugin for working memory: what a session remembers.

The founding document on working memory describes them: ``memory-core/ID.json`` has the blocks, and
``memory-working/ID.json`` the slots and the pool; files from before it had slots have ``items`` alone. Its
program writes some fields under other names than the document says: both are read. A file becomes events of
a session whose domain has memory.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, TypeAlias, cast

from pydantic import AliasChoices, BeforeValidator, ConfigDict, Field

from hud_components import Actor, Domain, Text
from hud_components.memory import POOL, block_name, blocks_of, working_memory_of
from hud_runtime._errors import ExchangeError
from hud_runtime._limits import Limits
from hud_runtime.events import LARGEST, EventDraft
from hud_runtime.exchange._state_files import as_model, content_of
from ujsx.components import DocumentedModel
from ujsx.errors import shown

SOURCES: tuple[tuple[str, Actor], ...] = (("tool:", "tool"), ("manual", "agent"))
"""How the source of an item begins, and who said it then; else the host, which kept the file."""

_IN_TURN: tuple[Actor, ...] = ("tool", "host", "agent")
"""In which order things are told: what is told last is the newest."""


def _said(value: object) -> object:
    """An item that is a text alone says nothing else."""
    return {"content": value} if isinstance(value, str) else value


class _Part(DocumentedModel):
    model_config = ConfigDict(frozen=True, extra="ignore", cache_strings="keys")


class FileBlock(_Part):
    """A block of core memory."""

    content: Annotated[Text, Field(validation_alias=AliasChoices("content", "value"))] = ""
    """What it says."""


class FileItem(_Part):
    """Something that is remembered."""

    content: Text
    """What it is."""

    type: Text = ""
    """What kind of thing it is."""

    source: Text = ""
    """Who said it: "manual", or "tool:" and a tool's name."""

    timestamp: Annotated[float, Field(ge=0, le=LARGEST)] = 0
    """When it was heard, in milliseconds since the epoch."""

    event: Annotated[
        int,
        Field(
            ge=0,
            le=LARGEST,
            validation_alias=AliasChoices("eventNumber", "lastEventCounter", "event"),
        ),
    ] = 0
    """In which of the plugin's events it was last heard."""


Items: TypeAlias = tuple[Annotated[FileItem, BeforeValidator(_said)], ...]


class MemoryFile(_Part):
    """What the files have in common."""

    session_id: Annotated[
        str, Field(min_length=1, validation_alias=AliasChoices("sessionID", "sessionId"))
    ]
    """The session."""

    updated_at: Annotated[datetime | None, Field(validation_alias="updatedAt")] = None
    """When the file was written."""

    @property
    def last_updated(self) -> int:
        """The time at which the file was written, in milliseconds since the epoch; 0 where it does not say."""
        return 0 if self.updated_at is None else max(int(self.updated_at.timestamp() * 1_000), 0)

    def drafts(self, domain: Domain[Any, Any]) -> tuple[EventDraft, ...]:
        """Return the events that make a session of a domain remember what the file says.

        :raises ExchangeError: for a domain that has no place for it.
        """
        at = self.last_updated or None
        return tuple(
            EventDraft(each.type, each.payload, timestamp=at, actor=each.actor)
            for each in self._drafts(domain)
        )

    @abstractmethod
    def _drafts(self, domain: Domain[Any, Any]) -> Iterator[EventDraft]:
        """Yield them without a time."""


class CoreMemoryFile(MemoryFile):
    """``memory-core/ID.json``: the blocks.

    >>> from hud_components.memory import CODING_MEMORY
    >>> file = CoreMemoryFile.model_validate(
    ...     {"sessionID": "s", "blocks": {"goal": {"content": "Ship it"}, "progress": {"value": ""}}}
    ... )
    >>> [(draft.type, draft.payload) for draft in file.drafts(CODING_MEMORY)]
    [('core_goal.set', {'content': 'Ship it'})]
    """

    blocks: Mapping[Text, FileBlock]
    """The blocks by name."""

    def _drafts(self, domain: Domain[Any, Any]) -> Iterator[EventDraft]:
        known = {block_name(each): each for each in blocks_of(domain)}
        for name, block in self.blocks.items():
            if not block.content.strip():
                continue
            if name not in known:
                raise ExchangeError(
                    f"blocks.{shown(name)}: the domain {shown(domain.name)} has no such block; it has"
                    f" {', '.join(known) or 'none'}"
                )
            yield EventDraft(f"{known[name].event}.set", {"content": block.content})


class WorkingMemoryFile(MemoryFile):
    """``memory-working/ID.json``: the slots and the pool, or ``items`` alone.

    >>> from hud_components.memory import CODING_MEMORY
    >>> file = WorkingMemoryFile.model_validate(
    ...     {"sessionID": "s", "items": [{"type": "error", "content": "It fails"}, {"content": "a.py"}]}
    ... )
    >>> file.drafts(CODING_MEMORY)[0].payload["found"]
    [{'content': 'It fails', 'slot': 'error'}, {'content': 'a.py', 'slot': 'pool'}]
    """

    slots: Mapping[Text, Items] = Field(default_factory=dict[Text, Items])
    """What is in each slot."""

    pool: Items = ()
    """What is in none."""

    items: Items = ()
    """All of it, in files from before there were slots."""

    def _drafts(self, domain: Domain[Any, Any]) -> Iterator[EventDraft]:
        section = working_memory_of(domain)
        if section is None:
            raise ExchangeError(f"the domain {shown(domain.name)} has no working memory")
        kinds = {each.name for each in section.slots}
        told: list[tuple[str, FileItem]] = [(each.type, each) for each in self.items]
        told += [(POOL, each) for each in self.pool]
        told += [(slot, each) for slot, several in self.slots.items() for each in several]
        told = [(slot, each) for slot, each in told if each.content.strip()]
        told.sort(key=lambda one: (one[1].event, one[1].timestamp))
        for actor in _IN_TURN:
            found = [
                {"content": item.content, "slot": slot if slot in kinds else POOL}
                for slot, item in told
                if _speaker(item) == actor
            ]
            if found:
                yield EventDraft(f"{section.event}.notice", {"found": found}, actor=actor)


def _speaker(item: FileItem) -> Actor:
    for start, actor in SOURCES:
        if item.source.startswith(start):
            return actor
    return "host"


OTHER_FILES: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"interventionsSent"}), "readings of the pressure"),
    (frozenset({"thresholds", "current"}), "readings of the pressure"),
    (frozenset({"compactionCount"}), "a log of compactions"),
    (frozenset({"results", "eventCounter"}), "a log of sweeps"),
    (frozenset({"fullOutput"}), "a tool's output"),
)
"""Fields of the plugin's other files, which remember nothing, and what each of them holds."""


def memory_file_kind(data: Mapping[str, Any]) -> type[MemoryFile] | None:
    """Return which of the files this is, as its fields tell; None for another one.

    :raises ExchangeError: for a file of the plugin that remembers nothing.
    """
    for fields, what in OTHER_FILES:
        if fields <= data.keys():
            raise ExchangeError(
                f"it holds {what}, and no memory; import memory-core/ID.json and memory-working/ID.json"
            )
    if "blocks" in data:
        return CoreMemoryFile
    return WorkingMemoryFile if data.keys() & {"slots", "pool", "items"} else None


def read_memory_file(path: str | Path, *, limits: Limits | None = None) -> MemoryFile:
    """Read one of the files; ``limits`` are those of the environment when they are not given.

    Raises :class:`ExchangeError` that names the file and the field.
    """
    content = content_of(path, limits)
    try:
        data: object = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ExchangeError(f"{path}: it is no JSON: {error}") from None
    known = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    try:
        kind = memory_file_kind(known)
    except ExchangeError as error:
        raise ExchangeError(f"{path}: {error}") from None
    if kind is None:
        raise ExchangeError(f'{path}: it has neither "blocks" nor "slots", "pool" or "items"')
    return as_model(path, kind, content)
