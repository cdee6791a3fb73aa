"""The policy of compactions: when to compact, what stays, providers' refusals, and a session's compaction state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

from hud_components import UsageReading, is_above
from hud_components.levels import Level, Thresholds
from hud_runtime._breaker import tried_again
from hud_runtime.log.pressure import level_of
from hud_runtime.observe.messages import rows
from ujsx.errors import did_you_mean, shown

if TYPE_CHECKING:
    from hud_runtime.log import SessionLog
    from hud_runtime.log.events import CompactionTrigger, Event


TYPES = ("compact.before", "compact.after", "compact.failed")
"""The types of events about compactions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionState:
    """The state of a session's compactions in its log, and its context's level."""

    turn: int = 0
    """The agent's turn."""

    version: int = 0
    """The version of the last event."""

    reading: UsageReading | None = None
    """The newest valid reading of the context since the last compaction."""

    level: Level | None = None
    """The level of the context, kept as :meth:`~hud_components.levels.Thresholds.after` says; None without
    a reading.
    """

    asked: int = 0
    """The number of requested compactions."""

    asked_in: int | None = None
    """The turn in which the pending one was requested from a host; None for none."""

    wish: str | None = None
    """The agent's reason for a compaction that no host was asked for yet; None for none."""

    failed_in: int | None = None
    """The turn in which the last of them failed, if none succeeded since."""

    failed_at: int | None = None
    """The version of that failure."""

    replayed_in: int | None = None
    """The turn in which the last compaction repeated the user's interrupted request; None if it did not."""

    def after(self, event: Event) -> CompactionState:
        """Return the state after one more event of :data:`TYPES`.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     event = session.record("compact.before", reason="the login is done")
        >>> CompactionState().after(event).wish
        'the login is done'
        """
        now = replace(self, turn=max(self.turn, event.turn), version=event.version)
        said: Any = event.payload
        match event.type:
            case "compact.before" if getattr(said, "trigger", None) is not None:
                return replace(now, asked=self.asked + 1, asked_in=now.turn, wish=None)
            case "compact.before" if event.actor == "agent" and self.asked_in is None:
                return replace(now, wish=getattr(said, "reason", ""))
            case "compact.after":
                replayed_in = now.turn if getattr(said, "replayed", None) else None
                return CompactionState(
                    turn=now.turn, version=now.version, asked=self.asked, replayed_in=replayed_in
                )
            case "compact.failed":
                return replace(
                    now, asked_in=None, wish=None, failed_in=now.turn, failed_at=now.version
                )
            case _:
                return now


def standing_of(session: SessionLog[Any], thresholds: Thresholds | None = None) -> CompactionState:
    """Return a session's current state; only events about compactions are read from its log.

    :param thresholds: the limits of the levels; None for the session's.
    """
    state = session.refresh()
    standing = CompactionState()
    for event in session.events(types=TYPES):
        standing = standing.after(event)
    return replace(
        standing,
        turn=session.turn,
        version=session.version,
        reading=state.readings[-1] if state.readings else None,
        level=level_of(session, thresholds),
    )


# A session's compactions: the cause, the effect and the end of each, read from the events and
# stored nowhere.

Outcome: TypeAlias = Literal["done", "failed", "announced"]
"""The end of a compaction: with a summary, or with an error; or only its announcement so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """The changes of a file between two compactions."""

    path: str

    edits: int = 0
    """The number of edits in the log."""

    additions: int | None = None
    """Added lines, if the host counts them."""

    deletions: int | None = None
    """Removed lines, if the host counts them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """One compaction of a session."""

    number: int
    """Its number in the session, from 1."""

    outcome: Outcome

    version: int
    """The version of the event that ended it; until then, of its announcement."""

    turn: int
    timestamp: int
    """The time of that event, in milliseconds since the Unix epoch."""

    before: int | None = None
    """The version of ``compact.before``: ``session.state(at=before)`` is the state before it. None
    without an announcement.
    """

    trigger: CompactionTrigger | None = None
    """The policy's reason; None without a policy."""

    reason: str = ""
    """The reason in words."""

    summary: str = ""
    """The text that replaces the conversation."""

    error: str = ""
    """The error of a failed one."""

    tokens_before: int | None = None
    """Tokens of the context before it: as reported, else by the last reading."""

    tokens_after: int | None = None
    """Tokens of the context after it: as reported, else by the next reading."""

    messages_before: int | None = None
    messages_after: int | None = None

    replayed: bool = False
    """True if the user's interrupted request was repeated."""

    files: tuple[FileChange, ...] = ()
    """The files edited since the previous compaction, the most edited first."""

    cleared: tuple[str, ...] = ()
    """The sections that it cleared."""


@dataclass(slots=True)
class _LogReading:
    """The part of the log that was read so far."""

    found: list[Compaction] = field(default_factory=list[Compaction])
    announced: list[Event] = field(default_factory=list["Event"])
    used: int | None = None
    edits: dict[str, int] = field(default_factory=dict[str, int])
    """The edits of each file since the last completed compaction."""

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
        """A section that is cleared right after a compaction belongs to it."""
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
        """The announced compaction without an end."""
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
    wanted += ["file.edit"] if "file.edit" in session.domain.section_events else []
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


# Providers' errors for a request that exceeds their model's window.
#
# A table: each row has a provider and a source; users may add rows. Matching ignores case, and
# searches the beginning of the error, after its class. Errors about rates and quotas also mention
# tokens, and do not count.

LONGEST = 20_000
"""Maximum characters of an error that are searched: some contain the whole request."""

DEEPEST = 10
"""Maximum depth of chained errors that are searched."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A sentence, or a code, with which a provider refuses a request that is too long."""

    who: str
    """The provider."""

    pattern: re.Pattern[str]
    """The pattern of the sentence, for any figures."""

    source: str
    """The place of its documentation."""


REFUSALS: tuple[Refusal, ...] = tuple(
    Refusal(who, re.compile(pattern, re.IGNORECASE), source)
    for who, source, pattern in rows("refusals")
)
"""All known refusals."""

OTHERS = re.compile(
    r"rate.?limit|tokens per (?:min|day)|too many requests|insufficient_quota|throttl",
    re.IGNORECASE,
)
"""Words of errors about rates and quotas."""

NEAR = 300
"""The number of characters around a refusal, and at an error's beginning, that are searched for words
about rates: further away these are in the request that some errors quote.
"""


def refusal_in(error: object, table: Iterable[Refusal] = REFUSALS) -> Refusal | None:
    """Return the table's row for an error, or for one chained to it; None for any other error.

    :param error: an exception, a provider's answer as data, or a text.

    >>> refusal_in("prompt is too long: 215000 tokens > 200000 maximum").who
    'Anthropic'
    >>> refusal_in("Rate limit reached: tokens per min (TPM): Limit 200000") is None
    True
    """
    rows = tuple(table)
    for text in _texts(error):
        found = ((each, match) for each in rows if (match := each.pattern.search(text)))
        for refusal, match in islice(found, 1):
            around = text[max(0, match.start() - NEAR) : match.end() + NEAR]
            if not OTHERS.search(around) and not OTHERS.search(text[:NEAR]):
                return refusal
    return None


def _texts(error: object) -> Iterator[str]:
    """The text of an error, and then of those chained to it."""
    seen: set[int] = set()
    waiting: list[object] = [error]
    while waiting and len(seen) < DEEPEST:
        one = waiting.pop(0)
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        said = said_by(one)
        yield f"{type(one).__name__}: {said}" if isinstance(one, BaseException) else said
        if isinstance(one, BaseException):
            within: tuple[object, ...] = getattr(one, "exceptions", ())
            waiting += [getattr(one, "body", None), one.__cause__, one.__context__, *within]


def said_by(error: object) -> str:
    r"""Return the searched part of an error's text; empty if even its conversion fails.

    >>> said_by(ValueError("no\nsuch model"))
    'no such model'
    """
    try:
        said = str(error)
    except Exception:  # noqa: BLE001 - an error of somebody else's, whose words are all that is asked for
        return type(error).__name__
    return " ".join(said[:LONGEST].split()) or type(error).__name__


# The room that a model's window leaves for a conversation, and the check whether a conversation
# exceeds it.
#
# The two formulas of the founding documents on compaction: a model with its own limit on input can
# take ``limit.input − reserved``; any other ``context − max output``.

RESERVED = 20_000
"""The default maximum of tokens kept free besides the model's output: the buffer of the founding
documents (``COMPACTION_BUFFER`` in OpenCode's ``session/overflow.ts``).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelWindow:
    """The size of a model's window in tokens, as its provider or a host reports it.

    :raises ValueError: for a figure below 0, and for one that leaves nothing to the conversation.

    >>> ModelWindow(context=200_000, output=32_000).usable()
    168000
    >>> ModelWindow(context=400_000, input=272_000, output=128_000).usable()
    252000
    >>> ModelWindow(context=0).usable() is None
    True
    """

    context: int
    """Tokens of the window, including the model's output; 0 if unknown."""

    input: int | None = None
    """Maximum tokens of input, if the provider limits these separately."""

    output: int = 0
    """Maximum tokens of the model's output; 0 if unknown."""

    def __post_init__(self) -> None:
        for name in ("context", "input", "output"):
            count = getattr(self, name)
            if count is not None and count < 0:
                raise ValueError(f"{name} is a count of tokens, 0 or more, not {count:,}")
        if self.context and not self.input and self.output >= self.context:
            raise ValueError(
                f"output={self.output:,} leaves nothing of a context of {self.context:,} tokens;"
                " output is what the model may write in one answer"
            )

    def reserved(self, configured: int | None = None) -> int:
        """Return the tokens of input kept free; by default 20,000, or the model's output if that is less."""
        return min(RESERVED, self.output) if configured is None else configured

    def usable(self, reserved: int | None = None) -> int | None:
        """Return the tokens for a conversation; None if the window is unknown, and so unlimited.

        :param reserved: the tokens of input kept free, if the model has a limit on these.
        :raises ValueError: for a reserve that leaves nothing.
        """
        if not self.context:
            return None
        if not self.input:
            return self.context - self.output
        free = self.input - self.reserved(reserved)
        if free <= 0:
            raise ValueError(
                f"reserved={self.reserved(reserved):,} leaves nothing of {self.input:,} tokens of input;"
                " reserve less"
            )
        return free


Verdict: TypeAlias = Literal["now", "soon", "not"]
"""The decision: compact before the next request; at the next good place; not yet."""

LEVELS: tuple[Level, ...] = get_args(Level)

FIGURES = ("reserved", "keep", "patience", "pause")
"""The fields of a policy that are whole numbers, 0 or more."""

LEAST = 50.0
"""Percent of the context below which an agent's compaction is refused as wasteful, by the founding documents."""

KEPT_SHARE, KEPT_LEAST, KEPT_MOST = 0.25, 2_000, 15_000
"""The share of the window for the newest messages that stay unchanged, and its minimum and maximum
tokens: OpenCode 1.18, ``session/compaction.ts`` (``preserve_recent_tokens``).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionDecision:
    """A policy's answer to a host."""

    verdict: Verdict

    why: str
    """The reason in a sentence."""

    trigger: CompactionTrigger | None = None
    """Its cause; None if no compaction is requested."""

    number: int = 0
    """Its number in the session, from 1, if a compaction is due now."""

    keep: int = KEPT_LEAST
    """Tokens of the newest messages that stay unchanged."""

    replay: bool = False
    """True if the user's last request was interrupted, and must be repeated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionPolicy:
    """The policy of compaction. Every part of it can be replaced.

    :raises ValueError: for a level that is none, a figure below 0, and a text in the place of several.

    >>> policy = CompactionPolicy()
    >>> from hud_components import UsageReading
    >>> full = CompactionState(reading=UsageReading(used=190_000), level="critical")
    >>> decision = policy.decide(full)
    >>> decision.verdict, decision.trigger, decision.why
    ('now', 'level', 'the context is 95% full: critical')
    >>> policy.decide(CompactionState(reading=UsageReading(used=20_000), level="green")).verdict
    'not'
    """

    auto: bool = True
    """True if compactions are automatic; otherwise only the agent requests them."""

    reserved: int | None = None
    """Tokens of input kept free; see :meth:`ModelWindow.reserved`."""

    now: Level | None = "critical"
    """The level at which a compaction is due; None to use the window's room alone."""

    soon: Level | None = "yellow"
    """The level at which one is due at the next good place; None for never."""

    thresholds: Thresholds | None = None
    """The limits of the levels; None for the session's."""

    least: float = LEAST
    """Percent of the context below which the agent's ``memory_compact`` is refused."""

    keep: int | None = None
    """Tokens of the newest messages that stay unchanged; None for a quarter of the window, 2,000 to 15,000."""

    resets: tuple[str, ...] = ()
    """Sections that the summary covers, and that are cleared with it. By default all are kept."""

    prompt: str | None = None
    """Your own prompt for the summary; see :func:`compaction_prompt`."""

    append: tuple[str, ...] = ()
    """Your own texts after the prompt."""

    refusals: Sequence[Refusal] = REFUSALS
    """The patterns of providers' errors for a request that is too long."""

    patience: int = 20
    """Turns after which a requested compaction without any result is requested again."""

    pause: int = 5
    """Turns after a failure without automatic compactions."""

    def __post_init__(self) -> None:
        for problem in self._problems():
            raise ValueError(problem)

    def _problems(self) -> Iterator[str]:
        if not isinstance(cast("object", self.auto), bool):
            yield f"auto is true or false, not {shown(self.auto)}"
        for name in ("now", "soon"):
            level: object = getattr(self, name)
            if level is not None and level not in LEVELS:
                hint = did_you_mean(str(level), LEVELS)
                yield f"{name} is a level, or None for never, not {shown(level)}; {hint}"
        for name, most in (("least", 100.0), *((each, None) for each in FIGURES)):
            figure: object = getattr(self, name)
            if figure is None and name in ("reserved", "keep"):
                continue
            kinds = int if most is None else (int, float)
            if isinstance(figure, bool) or not isinstance(figure, kinds) or not figure >= 0:
                yield f"{name} is a number, 0 or more, not {shown(figure)}"
            elif most is not None and figure > most:
                yield f"{name} is percent of the context, {most:g} at most, not {shown(figure)}"
        for name in ("resets", "append"):
            several: object = getattr(self, name)
            if isinstance(several, str) or not all(
                isinstance(each, str) for each in cast("Iterable[object]", several)
            ):
                yield f'{name} has several texts, such as ("notes",), not {shown(several)}'
        if self.prompt is not None and not isinstance(cast("object", self.prompt), str):
            yield f"prompt is a text, not {shown(self.prompt)}"

    def decide(
        self, standing: CompactionState, window: ModelWindow | None = None, *, error: object = None
    ) -> CompactionDecision:
        """Return whether to compact, and why.

        A compaction is requested "now" only once, until it succeeds or fails: a host records the request
        (``compact.before`` with the trigger), which the next decision reads.

        :param standing: the session's compaction state.
        :param window: the model's window; None for the limit of the last reading.
        :param error: the provider's error for the last request, if it failed.
        :raises ValueError: for a reserve that leaves nothing of the window.
        """
        reading = standing.reading
        if window is None:
            window = ModelWindow(context=reading.limit if reading else 0)
        refusal = refusal_in(error, self.refusals) if error is not None else None
        if refusal is not None:
            return self._refused(standing, window, refusal, error)
        if self._is_under_way(standing):
            return CompactionDecision(verdict="not", why="a compaction is under way")
        if standing.wish is not None:
            why = f"the agent asks for it: {standing.wish}" if standing.wish else ""
            return self._now(standing, window, "agent", why or "the agent asks for it")
        if not self.auto:
            return CompactionDecision(verdict="not", why="compaction is switched off")
        if reading is None:
            return CompactionDecision(verdict="not", why="no reading of the context holds")
        return self._by_size(standing, reading, window)

    def refuses(self, percentage: float | None) -> str | None:
        """Return the reason why a compaction requested by the agent would be wasted; None if it would not.

        >>> CompactionPolicy().refuses(31.5)
        'the context is 31% full; a compaction is worth its price from 50% on'
        """
        if percentage is None or percentage >= self.least:
            return None
        return (
            f"the context is {int(percentage)}% full; a compaction is worth its price from"
            f" {self.least:g}% on"
        )

    def kept(self, window: ModelWindow) -> int:
        """Return the tokens of the newest messages that stay unchanged.

        >>> CompactionPolicy().kept(ModelWindow(context=32_000, output=8_000))
        6000
        """
        if self.keep is not None:
            return self.keep
        share = int((window.usable(self.reserved) or 0) * KEPT_SHARE)
        return min(max(share, KEPT_LEAST), KEPT_MOST)

    def guidance(self, usual: str) -> str:
        r"""Return the addition to the prompt of a host that has one of its own.

        :param usual: the host's default addition, if the policy has none.

        >>> CompactionPolicy(append=("Keep the ticket number.",)).guidance("Be brief.")
        'Be brief.\n\nKeep the ticket number.'
        """
        return "\n\n".join([usual if self.prompt is None else self.prompt, *self.append])

    # --- Why ---

    def _refused(
        self, standing: CompactionState, window: ModelWindow, refusal: Refusal, error: object
    ) -> CompactionDecision:
        """Decide after a refused request, which leaves no choice but to compact, unless that was tried."""
        if not self.auto:
            return CompactionDecision(verdict="not", why="compaction is switched off")
        if standing.replayed_in is not None and standing.turn <= standing.replayed_in:
            why = "the same request was too long right after a compaction: it is so by itself"
            return CompactionDecision(verdict="not", why=why)
        if standing.failed_at is not None and standing.version <= standing.failed_at:
            why = "a compaction for this request has failed, and nothing has changed since"
            return CompactionDecision(verdict="not", why=why)
        why = f"the provider refused the request ({refusal.who}): {_brief(said_by(error))}"
        return self._now(standing, window, "error", why)

    def _by_size(
        self, standing: CompactionState, reading: UsageReading, window: ModelWindow
    ) -> CompactionDecision:
        share = 100 * reading.used / reading.limit
        if standing.failed_in is not None and standing.turn < standing.failed_in + self.pause:
            return CompactionDecision(verdict="not", why="a compaction has failed a moment ago")
        usable = window.usable(self.reserved)
        if usable is not None and reading.used >= usable:
            why = f"{reading.used:,} tokens of {usable:,} that the model can use"
            return self._now(standing, window, "overflow", why)
        level = standing.level
        why = f"the context is {int(share)}% full: {level}"
        if _reaches(level, self.now):
            return self._now(standing, window, "level", why)
        verdict: Verdict = "soon" if _reaches(level, self.soon) else "not"
        return CompactionDecision(verdict=verdict, why=why, keep=self.kept(window))

    def _now(
        self, standing: CompactionState, window: ModelWindow, trigger: CompactionTrigger, why: str
    ) -> CompactionDecision:
        return CompactionDecision(
            verdict="now",
            why=why,
            trigger=trigger,
            number=standing.asked + 1,
            keep=self.kept(window),
            replay=trigger == "error",
        )

    def _is_under_way(self, standing: CompactionState) -> bool:
        return standing.asked_in is not None and standing.turn < standing.asked_in + self.patience


def _reaches(level: Level | None, edge: Level | None) -> bool:
    return level is not None and edge is not None and not is_above(edge, level)


def _brief(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:199]}…"


@tried_again
def decided(
    session: SessionLog[Any],
    policy: CompactionPolicy,
    window: ModelWindow | None = None,
    *,
    error: object = None,
) -> CompactionDecision:
    """Return a policy's decision for a session, and record a requested compaction in the log.

    Of several concurrent callers, only one is told to compact.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     _ = session.record("context.snapshot", used=199_000)
    ...     [decided(session, CompactionPolicy()).verdict for _ in range(2)]
    ['now', 'not']
    """
    found = policy.decide(standing_of(session, policy.thresholds), window, error=error)
    if found.verdict != "now":
        return found
    with session.exclusive():
        found = policy.decide(standing_of(session, policy.thresholds), window, error=error)
        if found.verdict == "now":
            session.record("compact.before", trigger=found.trigger, reason=found.why, actor="host")
    return found
