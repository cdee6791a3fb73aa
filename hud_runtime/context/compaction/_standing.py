"""The standing of a session between two compactions, and a log of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from hud_components import THRESHOLDS, Level, Thresholds, UsageReading, reached
from hud_runtime.log.pressure import level_of
from hud_runtime.log.projection import READINGS

if TYPE_CHECKING:
    from hud_runtime.log import SessionLog
    from hud_runtime.log.events import CompactionTrigger, Event

TYPES = ("compact.before", "compact.after", "compact.failed")
"""The types of events that tell of compactions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The log's account of a session's compactions, and how full its context is."""

    turn: int = 0
    """The agent's turn."""

    version: int = 0
    """The version of the last event."""

    readings: tuple[UsageReading, ...] = ()
    """The last readings of the context since the last compaction, oldest first."""

    level: Level | None = None
    """The level of the context, held as :meth:`~hud_components.Thresholds.after` says; None without a reading."""

    compactions: int = 0
    """How many there were."""

    asked: int = 0
    """How often a host was asked for one."""

    asked_in: int | None = None
    """The turn in which a host was asked for the one that is under way; None where none is."""

    wish: str | None = None
    """Why the agent wants one, which no host was asked for yet; None where it wants none."""

    failures: int = 0
    """How many have failed since the last that was done."""

    failed_in: int | None = None
    """The turn in which the last of them failed."""

    failed_at: int | None = None
    """The version at which it did."""

    replayed_in: int | None = None
    """The turn in which the last compaction asked the user's interrupted request again; None where it did not."""

    @property
    def reading(self) -> UsageReading | None:
        """The newest reading, where one counts."""
        return self.readings[-1] if self.readings else None

    def after(self, event: Event, thresholds: Thresholds = THRESHOLDS) -> Standing:
        """Return where the session stands after one more event.

        :param thresholds: where the levels begin.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     event = session.record("compact.before", reason="the login is done")
        >>> Standing().after(event).wish
        'the login is done'
        """
        now = replace(self, turn=max(self.turn, event.turn), version=event.version)
        said: Any = event.payload
        match event.type:
            case "context.snapshot":
                reading = UsageReading(used=said.used, limit=said.limit, model=said.model)
                level = reached(reading, thresholds.after(self.level, reading.limit)).level
                return replace(now, readings=(*self.readings, reading)[-READINGS:], level=level)
            case "compact.before":
                return _asked(now, event, said)
            case "compact.after":
                return Standing(
                    turn=now.turn,
                    version=now.version,
                    compactions=self.compactions + 1,
                    asked=self.asked,
                    replayed_in=now.turn if getattr(said, "replayed", None) else None,
                )
            case "compact.failed":
                return replace(
                    now,
                    asked_in=None,
                    wish=None,
                    failures=self.failures + 1,
                    failed_in=now.turn,
                    failed_at=now.version,
                )
            case _:
                return now


def _asked(standing: Standing, event: Event, said: Any) -> Standing:
    """Where it stands after a compaction was announced: by a policy, by the agent, or by a host on its own."""
    if getattr(said, "trigger", None) is not None:
        return replace(standing, asked=standing.asked + 1, asked_in=standing.turn, wish=None)
    if event.actor == "agent" and standing.asked_in is None:
        return replace(standing, wish=getattr(said, "reason", ""))
    return standing


def standing_after(events: Iterable[Event], thresholds: Thresholds = THRESHOLDS) -> Standing:
    """Return where a session stands after these events.

    :param thresholds: where the levels begin.

    >>> standing_after([]).compactions
    0
    """
    standing = Standing()
    for event in events:
        standing = standing.after(event, thresholds)
    return standing


def standing_of(session: SessionLog[Any], thresholds: Thresholds | None = None) -> Standing:
    """Return where a session stands now: of its log, what tells of compactions alone is read.

    :param thresholds: where the levels begin; as the session has it when None.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     _ = session.record("context.snapshot", used=150_000)
    ...     standing_of(session) == standing_after(session.events())
    True
    """
    state = session.refresh()
    standing = standing_after(session.events(types=TYPES))
    return replace(
        standing,
        turn=session.turn,
        version=session.version,
        readings=tuple(state.readings),
        level=level_of(session, thresholds),
    )


# A log of a session's compactions: what led to each, what it did, and how it ended. Read off the events, kept nowhere.

Outcome: TypeAlias = Literal["done", "failed", "announced"]
"""How a compaction ended: with a summary, or with an error; or it was announced, and nothing was heard of it yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """The changes of a file between two compactions."""

    path: str

    edits: int = 0
    """How often it was edited, as the log has it."""

    additions: int | None = None
    """Lines that were added, where the host counts them."""

    deletions: int | None = None
    """Lines that were removed, where the host counts them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """One compaction of a session."""

    number: int
    """Which one it is, from 1."""

    outcome: Outcome

    version: int
    """The version of the event by which it ended; of its announcement, where it has not."""

    turn: int
    timestamp: int
    """When that was, in milliseconds since the Unix epoch."""

    before: int | None = None
    """The version of ``compact.before``: ``session.state(at=before)`` is the state as it was. None where nobody said."""

    trigger: CompactionTrigger | None = None
    """Why a policy asked for it; None where none did."""

    reason: str = ""
    """Why, in words."""

    summary: str = ""
    """What stands for the conversation from then on."""

    error: str = ""
    """Why it failed."""

    tokens_before: int | None = None
    """Tokens of the context before: as it was told, else by the last reading."""

    tokens_after: int | None = None
    """The same after it: as it was told, else by the next reading."""

    messages_before: int | None = None
    messages_after: int | None = None

    replayed: bool = False
    """Whether the user's interrupted request was asked again."""

    files: tuple[FileChange, ...] = ()
    """The files that were edited since the compaction before, the most often edited first."""

    cleared: tuple[str, ...] = ()
    """The sections that were emptied with it."""


@dataclass(slots=True)
class _LogReading:
    """The part of the log that was read so far."""

    found: list[Compaction] = field(default_factory=list[Compaction])
    announced: list[Event] = field(default_factory=list["Event"])
    used: int | None = None
    edits: dict[str, int] = field(default_factory=dict[str, int])
    """By file, since the last compaction that was done."""

    def take(self, event: Event) -> None:
        said: Any = event.payload
        match event.type:
            case "context.snapshot":
                self._measured(said.used)
            case "file.edit":
                self.edits[said.path] = self.edits.get(said.path, 0) + 1
            case "section.clear":
                self._cleared(event, getattr(said, "section", None))
            case "compact.before":
                self.announced.append(event)
            case _:
                self._ended(event, said)

    def _measured(self, used: int) -> None:
        last = self.found[-1] if self.found else None
        if last is not None and last.outcome == "done" and last.tokens_after is None:
            self.found[-1] = replace(last, tokens_after=used)
        self.used = used

    def _cleared(self, event: Event, section: str | None) -> None:
        """A section that is emptied right behind a compaction was emptied with it."""
        last = self.found[-1] if self.found else None
        if last is not None and section and last.version + 1 + len(last.cleared) == event.version:
            self.found[-1] = replace(last, cleared=(*last.cleared, section))

    def _ended(self, event: Event, said: Any) -> None:
        is_done = event.type == "compact.after"
        told = getattr(said, "tokens_before", None)
        figures: dict[str, Any] = {
            name: getattr(said, name, None)
            for name in ("tokens_after", "messages_before", "messages_after")
        }
        self.found.append(
            Compaction(
                **self._begun(event),
                **figures,
                outcome="done" if is_done else "failed",
                summary=getattr(said, "summary", ""),
                error=getattr(said, "error", ""),
                tokens_before=self.used if told is None else told,
                replayed=bool(getattr(said, "replayed", None)),
                files=_files(self.edits, getattr(said, "files", None) or ()),
            )
        )
        self.announced = []
        if is_done:
            self.used, self.edits = None, {}

    def announced_last(self) -> Compaction | None:
        """The one that nothing was heard of yet."""
        if not self.announced:
            return None
        return Compaction(
            **self._begun(self.announced[-1]),
            outcome="announced",
            tokens_before=self.used,
            files=_files(self.edits, ()),
        )

    def _begun(self, event: Event) -> dict[str, Any]:
        said: list[Any] = [each.payload for each in self.announced]
        return {
            "number": len(self.found) + 1,
            "version": event.version,
            "turn": event.turn,
            "timestamp": event.timestamp,
            "before": self.announced[-1].version if self.announced else None,
            "trigger": next(
                (one for each in said if (one := getattr(each, "trigger", None))), None
            ),
            "reason": next((one for each in said if (one := getattr(each, "reason", ""))), ""),
        }


def compactions_of(session: SessionLog[Any]) -> tuple[Compaction, ...]:
    """Return the compactions of a session, oldest first; see :meth:`hud_runtime.HudSession.compactions`."""
    session.refresh()
    wanted = [*TYPES, "context.snapshot", "section.clear"]
    wanted += ["file.edit"] if "file.edit" in session.domain.happenings else []
    reading = _LogReading()
    for event in session.events(types=wanted):
        reading.take(event)
    last = reading.announced_last()
    return (*reading.found, *([] if last is None else [last]))


def _files(edits: dict[str, int], told: Any) -> tuple[FileChange, ...]:
    lines = {each.path: (each.additions, each.deletions) for each in told}
    found = [
        FileChange(
            path=path,
            edits=edits.get(path, 0),
            additions=lines[path][0] if path in lines else None,
            deletions=lines[path][1] if path in lines else None,
        )
        for path in dict.fromkeys((*edits, *lines))
    ]
    return tuple(sorted(found, key=lambda each: -each.edits))


# The session as a compaction needs it: to read its log and state, and to record.
