"""Records of past sessions, as data, from any program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from typing import Any, cast

from hud_components import Level, Trend, level_for
from hud_runtime.observation._json import Record
from hud_runtime.observation._observations import Usage


@dataclass(frozen=True, slots=True)
class PastSession:
    """A session, in a line."""

    id: str
    title: str
    project: str
    """The folder that it worked in; empty where nobody says."""

    created: int
    """When it began, in milliseconds since the Unix epoch; so are all times here."""

    updated: int
    """When something last happened in it."""

    messages: int
    """How many messages it has."""

    parent: str | None = None
    """The session whose subagent it was."""

    agent: str | None = None
    model: str | None = None
    cost: float | None = None
    """What it cost, in the currency of the host; None where the host does not say."""

    version: str | None = None
    """The version of the host that began it."""


@dataclass(frozen=True, slots=True)
class PastPart:
    """A part of a message: what was said, thought or called."""

    id: str
    type: str
    """What kind of part it is, in the host's words: "text", "tool", "compaction" …"""

    data: Record = field(repr=False)
    """What the host tells of it; empty where it cannot be read."""

    length: int = 0
    """Characters of it in the database."""


@dataclass(frozen=True, slots=True)
class PastMessage:
    """A message of a session."""

    id: str
    session: str
    number: int
    """Which one of its session, counted from 1; 0 where that was not asked for."""

    role: str
    created: int
    parts: tuple[PastPart, ...] = ()
    data: Record = field(default_factory=dict[str, object], repr=False)
    """What the host tells of it."""

    left_out: int = 0
    """Parts that it has beside those that are given."""


@dataclass(frozen=True, slots=True)
class Page:
    """Messages that follow each other, oldest first, and where they stand in their session."""

    session: PastSession
    messages: tuple[PastMessage, ...]

    @property
    def first(self) -> int:
        """The number of the first; one more than there are messages where it is empty."""
        return self.messages[0].number if self.messages else self.session.messages + 1


@dataclass(frozen=True, slots=True)
class Found:
    """A message that says the words of a search."""

    session: str
    title: str
    message: str
    role: str
    created: int
    text: str
    """The words around what was found."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits of a search."""

    found: tuple[Found, ...]
    more: bool = False
    """Whether there is more behind the page."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A compaction, and what stands for the conversation before it."""

    number: int
    """Which one of its session, counted from 1, the oldest first."""

    message: str
    """The id of the message that has the summary; of the one that asked for it where there is none."""

    created: int
    summary: str
    """Empty where the compaction did not come to its end."""

    cause: str = ""
    """Why it was: "automatic", "overflow", or empty where somebody asked for it."""


@dataclass(frozen=True, slots=True)
class ContextUse:
    """The size of a session's context when its model last answered.

    >>> use = ContextUse("ses_1", Usage(2_000, 48_000, 0, 100), limit=200_000)
    >>> use.used, use.percentage, use.level
    (50100, 25.05, 'green')
    """

    session: str
    usage: Usage
    limit: int
    """Tokens that the model's context holds: by its name, as the database does not say."""

    message: str = ""
    created: int = 0
    model: str | None = None
    trend: Trend | None = None
    is_compacted: bool = False
    """Whether a compaction came after it, so that less is used now."""

    @property
    def used(self) -> int:
        """Tokens in the context: input, output, and cached ones."""
        return self.usage.total

    @property
    def percentage(self) -> float:
        """The used share of the limit, in percent."""
        return 100 * self.used / self.limit

    @property
    def level(self) -> Level:
        """The level of the context, in one word."""
        return level_for(self.percentage)


@dataclass(frozen=True, slots=True)
class Counts:
    """The number of sessions, messages and parts."""

    place: str
    """The database."""

    version: str | None
    """The last migration that OpenCode notes; None where it notes none."""

    counts: dict[str, int]
    """By what is counted: projects, sessions, subagents' sessions, messages, parts, todos, compactions."""

    first: int = 0
    """When the first session began; 0 where there is none."""

    last: int = 0
    """When something last happened."""

    remarks: tuple[str, ...] = ()
    """What is not read, in sentences."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan that an agent has written, in a file of its own."""

    name: str
    """The file's name, by which it is read."""

    title: str
    size: int
    """Bytes."""

    changed: int
    """When it was written, in milliseconds since the epoch."""

    folder: str
    text: str = ""
    """What it says, where it was asked for."""


def data_of(found: object) -> Any:
    """Return records as JSON data.

    >>> data_of([Plan("a.md", "A", 1, 2, "/plans")])[0]["name"]
    'a.md'
    """
    if isinstance(found, list | tuple):
        return [data_of(each) for each in cast("Sequence[object]", found)]
    return asdict(found) if is_dataclass(found) and not isinstance(found, type) else found


def context_data(use: ContextUse | None) -> dict[str, Any] | None:
    """Return how full a context was, with what follows from it."""
    derived = ("used", "percentage", "level")
    return (
        None if use is None else {**asdict(use), **{each: getattr(use, each) for each in derived}}
    )
