"""The policy of compaction, as data: when, what stays, and how the summary is requested.

Nothing here looks at a clock, a disk or a model. What a policy decides follows from where a session stands
(:class:`~._standing.Standing`), from the window of its model, and from an error of the provider where there is one:
the same events give the same decisions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, cast, get_args

from hud_components import Level, Thresholds, is_above
from hud_runtime._breaker import tried_again
from hud_runtime.compaction._refusals import REFUSALS, Refusal, refusal_in, said_by
from hud_runtime.compaction._standing import Standing, standing_of
from hud_runtime.compaction._window import ModelWindow, is_overflow
from ujsx.errors import did_you_mean, shown

if TYPE_CHECKING:
    from hud_components import UsageReading
    from hud_runtime.compaction._session import LoggedSession
    from hud_runtime.events import CompactionTrigger

Verdict: TypeAlias = Literal["now", "soon", "not"]
"""Whether to compact: before the next request; at the next good place; not yet."""

LEVELS: tuple[Level, ...] = get_args(Level)

FIGURES = ("reserved", "keep", "patience", "pause")
"""The fields of a policy that are whole numbers, 0 or more."""

LEAST = 50.0
"""Percent of the context below which an agent's compaction is refused, by the founding documents: it wastes one."""

KEPT_SHARE, KEPT_LEAST, KEPT_MOST = 0.25, 2_000, 15_000
"""What of the window the newest messages may take that stay as they are, and between how many tokens: OpenCode
1.18, ``session/compaction.ts`` (``preserve_recent_tokens``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The answer of a policy to a host."""

    verdict: Verdict

    why: str
    """In a sentence."""

    trigger: CompactionTrigger | None = None
    """What led to it; None where nothing is asked for."""

    number: int = 0
    """Which one of the session's it is, from 1, where a compaction is asked for now."""

    keep: int = KEPT_LEAST
    """Tokens of the newest messages that are to stay as they are."""

    replay: bool = False
    """Whether the user's last request was interrupted, and is to be asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionPolicy:
    """The policy of compaction. Every part of it can be replaced.

    :raises ValueError: for a level that is none, a figure below 0, and a text in the place of several.

    >>> policy = CompactionPolicy()
    >>> from hud_components import UsageReading
    >>> full = Standing(readings=(UsageReading(used=190_000),), level="critical")
    >>> decision = policy.decide(full)
    >>> decision.verdict, decision.trigger, decision.why
    ('now', 'level', 'the context is 95% full: critical')
    >>> policy.decide(Standing(readings=(UsageReading(used=20_000),), level="green")).verdict
    'not'
    """

    auto: bool = True
    """Whether a compaction is asked for by itself; where not, by the agent alone."""

    reserved: int | None = None
    """Tokens of input that are kept free; see :meth:`ModelWindow.reserved`."""

    now: Level | None = "critical"
    """The level from which on a compaction is due; None to go by what the window leaves alone."""

    soon: Level | None = "yellow"
    """The level from which on it is time for one at the next good place; None for never."""

    thresholds: Thresholds | None = None
    """Where the levels begin; as the session has it where None."""

    least: float = LEAST
    """Percent of the context below which the agent's ``memory_compact`` is refused."""

    keep: int | None = None
    """Tokens of the newest messages that stay as they are; a quarter of the window, 2,000 to 15,000, where None."""

    resets: tuple[str, ...] = ()
    """Sections that the summary covers, and that are emptied with it. All are kept unless they are named."""

    prompt: str | None = None
    """A prompt of your own for the summary, instead of ours; see :func:`compaction_prompt`."""

    append: tuple[str, ...] = ()
    """Texts of your own behind the prompt."""

    refusals: Sequence[Refusal] = REFUSALS
    """What providers say when a request is too long."""

    patience: int = 20
    """Turns after which a compaction that was asked for, and of which nothing was heard, is asked for again."""

    pause: int = 5
    """Turns after a failure in which none is asked for by itself."""

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
        self, standing: Standing, window: ModelWindow | None = None, *, error: object = None
    ) -> Decision:
        """Return whether to compact, and why.

        What is asked for "now" is asked for once, until it is done or has failed: a host records that it was
        asked (``compact.before`` with the trigger), and so the next decision knows.

        :param standing: where the session stands.
        :param window: what its model takes; where None, the limit of the last reading.
        :param error: what the provider answered to the last request, where that failed.
        :raises ValueError: for a reserve that leaves nothing of the window.
        """
        reading = standing.reading
        if window is None:
            window = ModelWindow(context=reading.limit if reading else 0)
        refusal = refusal_in(error, self.refusals) if error is not None else None
        if refusal is not None:
            return self._refused(standing, window, refusal, error)
        if self._is_under_way(standing):
            return Decision(verdict="not", why="a compaction is under way")
        if standing.wish is not None:
            why = f"the agent asks for it: {standing.wish}" if standing.wish else ""
            return self._now(standing, window, "agent", why or "the agent asks for it")
        if not self.auto:
            return Decision(verdict="not", why="compaction is switched off")
        if reading is None:
            return Decision(verdict="not", why="no reading of the context holds")
        return self._by_size(standing, reading, window)

    def refuses(self, percentage: float | None) -> str | None:
        """Return why a compaction that the agent asks for would be wasted; None where it would not.

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
        """Return how many tokens of the newest messages stay as they are.

        >>> CompactionPolicy().kept(ModelWindow(context=32_000, output=8_000))
        6000
        """
        if self.keep is not None:
            return self.keep
        share = int((window.usable(self.reserved) or 0) * KEPT_SHARE)
        return min(max(share, KEPT_LEAST), KEPT_MOST)

    def guidance(self, usual: str) -> str:
        r"""Return what is added to the prompt of a host that has one of its own.

        :param usual: what is said to that host where the policy says nothing else.

        >>> CompactionPolicy(append=("Keep the ticket number.",)).guidance("Be brief.")
        'Be brief.\n\nKeep the ticket number.'
        """
        return "\n\n".join([usual if self.prompt is None else self.prompt, *self.append])

    # --- Why ---

    def _refused(
        self, standing: Standing, window: ModelWindow, refusal: Refusal, error: object
    ) -> Decision:
        """The provider refused a request that was too long: there is no other way, unless it was tried."""
        if not self.auto:
            return Decision(verdict="not", why="compaction is switched off")
        if standing.replayed_in is not None and standing.turn <= standing.replayed_in:
            why = "the same request was too long right after a compaction: it is so by itself"
            return Decision(verdict="not", why=why)
        if standing.failed_at is not None and standing.version <= standing.failed_at:
            why = "a compaction for this request has failed, and nothing has changed since"
            return Decision(verdict="not", why=why)
        why = f"the provider refused the request ({refusal.who}): {_brief(said_by(error))}"
        return self._now(standing, window, "error", why)

    def _by_size(self, standing: Standing, reading: UsageReading, window: ModelWindow) -> Decision:
        share = 100 * reading.used / reading.limit
        if standing.failed_in is not None and standing.turn < standing.failed_in + self.pause:
            return Decision(verdict="not", why="a compaction has failed a moment ago")
        if is_overflow(reading.used, window, reserved=self.reserved):
            usable = window.usable(self.reserved) or 0
            why = f"{reading.used:,} tokens of {usable:,} that the model can use"
            return self._now(standing, window, "overflow", why)
        level = standing.level
        why = f"the context is {int(share)}% full: {level}"
        if _reaches(level, self.now):
            return self._now(standing, window, "level", why)
        verdict: Verdict = "soon" if _reaches(level, self.soon) else "not"
        return Decision(verdict=verdict, why=why, keep=self.kept(window))

    def _now(
        self, standing: Standing, window: ModelWindow, trigger: CompactionTrigger, why: str
    ) -> Decision:
        return Decision(
            verdict="now",
            why=why,
            trigger=trigger,
            number=standing.asked + 1,
            keep=self.kept(window),
            replay=trigger == "error",
        )

    def _is_under_way(self, standing: Standing) -> bool:
        return standing.asked_in is not None and standing.turn < standing.asked_in + self.patience


def _reaches(level: Level | None, edge: Level | None) -> bool:
    return level is not None and edge is not None and not is_above(edge, level)


def _brief(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:199]}…"


@tried_again
def decided(
    session: LoggedSession,
    policy: CompactionPolicy,
    window: ModelWindow | None = None,
    *,
    error: object = None,
) -> Decision:
    """Return what a policy says of a session now, and note it in the log where it asks for a compaction.

    Of many that ask at the same time one is told to compact.

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
