"""A compaction, run: for hosts that have none of their own.

In: a history, and who is to be asked for its summary. Out: the history with the summary in the place of what it
stands for, or the very same history and why. Asking is the caller's, so it runs beside no event loop or on one: the
steps between are the same.
"""

# JSON data is Any by nature.
# pyright: basic

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypedDict, TypeVar, Unpack, cast

from hud_components import THRESHOLDS, HudState, State
from hud_runtime.context.compaction import _policy, _request
from hud_runtime.context.compaction._policy import CompactionPolicy
from hud_runtime.log.events import EventDraft
from hud_runtime.observe.messages import Statement, read_message
from ujsx.errors import UjsxError, did_you_mean, quoted, shown
from ujsx.tokens import TokenCounter, estimate_tokens

if TYPE_CHECKING:
    from hud_runtime.log import SessionLog
    from hud_runtime.log.events import CompactionTrigger

MessageT = TypeVar("MessageT")

Ask: TypeAlias = Callable[[list[Any]], Any]
"""Asks a model, without tools, and returns what it says; or a coroutine that does, for :func:`acompact`."""

Steps: TypeAlias = "Generator[tuple[Ask, list[Any]], Any, CompactionResult[MessageT]]"
"""Yields who is asked what, takes what they say, and returns what became of a history."""

LONGEST_SUMMARY = 20_000
"""Characters of a summary that are kept."""

MOST_FILES = 200
"""Files whose lines are recorded."""

SHRINKS = 4
"""How often a request is halved that is too long for the model that is asked."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A model that was asked, and did not give a summary."""

    number: int
    """Which of those to be asked it was, from 0."""

    error: str
    """Why there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionResult(Generic[MessageT]):
    """What became of a history."""

    messages: list[MessageT]
    """What goes into the next request: the history with the summary in it; the very same one where there is none."""

    summary: str | None = None
    """The summary; None where there is none."""

    appended: list[Any] = field(default_factory=list[Any])
    """What a host that keeps its whole history adds to it: the summary, marked, and behind it what is asked again.
    :func:`messages_since_compaction` then gives what ``messages`` has."""

    error: str | None = None
    """Why there is no summary; None where there is one."""

    unrecorded: str | None = None
    """Why the session's log could not be told of it; None where it was, or there is none."""

    replayed: bool = False
    """Whether the user's interrupted request stands at the end, to be asked again."""

    tokens_before: int = 0
    tokens_after: int = 0
    messages_before: int = 0
    messages_after: int = 0

    attempts: tuple[Attempt, ...] = ()
    """The models that gave none, in the order in which they were asked."""


class CompactionOptions(TypedDict, total=False):
    """What :func:`compact` and :func:`acompact` are told beside the history and who is asked."""

    session: SessionLog[Any] | None
    """Where it is recorded, and whose HUD and last summary the prompt shows."""

    policy: CompactionPolicy | None
    """What stays, which sections are emptied, and how the summary is asked for."""

    window: _policy.ModelWindow | None
    """What the asked model takes; with it, a request is not longer than that from the start."""

    trigger: CompactionTrigger | None
    """Why it is run, from a :class:`Decision`; already recorded where that was taken by a host's session."""

    reason: str
    """The same in words."""

    replay: bool
    """That the user's last request was interrupted: it is not summed up, but stands behind the summary, without media,
    and so is asked again."""

    write: _request.Write | None
    """Makes a message of the SDK's, where messages are no data."""

    clean: Callable[[str], str]
    """What is kept of an answer; it is stripped in any case."""

    open_steps: Callable[[State, str], Iterable[EventDraft]]
    """The events of a summary's open steps, recorded before the summary; none by default."""

    count_tokens: TokenCounter
    """How tokens are counted; they are estimated without."""


def compact(
    messages: Sequence[MessageT], ask: Ask | Sequence[Ask], **options: Unpack[CompactionOptions]
) -> CompactionResult[MessageT]:
    r"""Put a summary in the place of a history, but for its newest messages.

    Nothing is lost: where nobody gives a summary, the history comes back as it is, and says why; where somebody
    interrupts, the log says that it failed. A history that is itself kept whole is compacted from its last summary on.

    :param messages: oldest first, in the form of any API that is known here; none of them is changed.
    :param ask: asks a model of your own, without tools, and returns its words; or several, of which each is asked
        after the one before has failed.
    :raises ValueError: where there is no model to ask.

    >>> history = [
    ...     {"role": "user", "content": "Add a login. " * 900},
    ...     {"role": "assistant", "content": "Done, in app.py."},
    ...     {"role": "user", "content": "Now the API."},
    ... ]
    >>> made = compact(history, lambda messages: "# Goal\n\nA login, which is done.", policy=CompactionPolicy(keep=5))
    >>> [each["content"][:40] for each in made.messages]
    ['The conversation before this was replace', 'Now the API.']
    """
    driven = _driven(_CompactionRun(_asks(ask), **options).steps(messages), _refused)
    try:
        driven.send(None)  # nothing is waited for, so it ends at once
    except StopIteration as done:
        result: CompactionResult[MessageT] = done.value
        return result
    finally:
        driven.close()
    raise AssertionError("a coroutine that waits for nothing has waited")


async def acompact(
    messages: Sequence[MessageT], ask: Ask | Sequence[Ask], **options: Unpack[CompactionOptions]
) -> CompactionResult[MessageT]:
    """Do as :func:`compact` does, where those that are asked may be coroutine functions."""
    return await _driven(_CompactionRun(_asks(ask), **options).steps(messages), _awaited)


async def _driven(steps: Steps[MessageT], wait: Callable[[Any], Any]) -> CompactionResult[MessageT]:
    """Ask who is to be asked, until it is known what became of the history."""
    answer: Any = None
    try:
        while True:
            who, given = steps.send(answer)
            try:
                answer = who(given)
                if inspect.isawaitable(answer):
                    answer = await wait(answer)
            except Exception as error:  # noqa: BLE001 - whatever a model's client raises, the next one is asked
                answer = error
    except StopIteration as done:
        result: CompactionResult[MessageT] = done.value
        return result
    finally:
        steps.close()


async def _awaited(answer: Any) -> Any:
    return await answer


async def _refused(answer: Any) -> Any:
    close = getattr(answer, "close", None)
    if close is not None:
        close()
    raise TypeError("it is asynchronous; call acompact instead")


def _asks(ask: Ask | Sequence[Ask]) -> tuple[Ask, ...]:
    given = cast("Sequence[object]", ask if isinstance(ask, list | tuple) else (ask,))
    wrong = next((each for each in given if not callable(each)), None)
    if not given or wrong is not None or None in given:
        whom = f"{shown(wrong)} cannot be asked" if given else "there is no model to ask"
        raise ValueError(f"{whom}; give a callable that asks a model, or a list of them")
    return cast("tuple[Ask, ...]", tuple(given))


@dataclass(slots=True)
class _ModelRequest:
    """The requests that are made of one model after the other."""

    lines: list[_request.SpokenLine]
    prompt: str
    write: _request.Write
    clean: Callable[[str], str]
    refusals: CompactionPolicy
    attempts: list[Attempt] = field(default_factory=list)

    def summary(self, asks: Sequence[Ask]) -> Generator[tuple[Ask, list[Any]], Any, str | None]:
        for number, ask in enumerate(asks):
            lines = self.lines
            for _ in range(SHRINKS + 1):
                answer = yield ask, _request.request(lines, self.prompt, self.write)
                half = _request.newer_half(lines) if self._is_too_long(answer) else None
                if half is None:
                    found, error = self._read(answer)
                    break
                lines = half
            else:
                found, error = "", "the request is too long for it, however short"
            if not error:
                return _bounded(found)
            self.attempts.append(Attempt(number, error))
        return None

    def _is_too_long(self, answer: object) -> bool:
        return (
            isinstance(answer, Exception)
            and _policy.refusal_in(answer, self.refusals.refusals) is not None
        )

    def _read(self, answer: object) -> tuple[str, str]:
        """The summary in an answer, or why it has none."""
        if isinstance(answer, Exception):
            return "", _policy.said_by(answer)[:500]
        if not isinstance(answer, str):
            return "", f"it returned {type(answer).__name__}; return the words of its answer"
        found = self.clean(answer).strip()
        return found, "" if found else "its answer had no words"


@dataclass(frozen=True, slots=True)
class _CompactionRun:
    """A compaction, with all that was asked for: see :class:`CompactionOptions`."""

    asks: tuple[Ask, ...]
    session: SessionLog[Any] | None = None
    policy: CompactionPolicy | None = None
    window: _policy.ModelWindow | None = None
    trigger: CompactionTrigger | None = None
    reason: str = ""
    replay: bool = False
    write: _request.Write | None = None
    clean: Callable[[str], str] = str.strip
    open_steps: Callable[[State, str], Iterable[EventDraft]] = lambda *_: ()
    count_tokens: TokenCounter = estimate_tokens

    def steps(self, messages: Sequence[MessageT]) -> Steps[MessageT]:
        """Yield who is asked what; take what they say; return what became of the history."""
        policy, count = self.policy or CompactionPolicy(), self.count_tokens
        counted = _request.what_counts(messages)
        whole = _request.messages_since_compaction(messages)
        said = [read_message(each) for each in whole]
        sizes = [count(_whole(each)) for each in said]
        tokens = sum(sizes)
        parted = _parted(
            said,
            sizes,
            policy.kept(self.window or _policy.ModelWindow(context=0)),
            replay=self.replay,
        )
        log = _Log(self.session, policy, self.open_steps)

        def nothing(error: str) -> CompactionResult[MessageT]:
            return CompactionResult(
                messages=whole, error=error, attempts=tuple(asked.attempts), unrecorded=log.problem,
                tokens_before=tokens, tokens_after=tokens, messages_before=len(whole), messages_after=len(whole),
            )  # fmt: skip

        writes = self.write or partial(_request.written, whole[-1] if whole else {})
        prompt = log.prompt(said)
        lines = _request.lines_of([said[n] for n in parted.summed])
        asked = _ModelRequest(
            _request.within(lines, _room(self.window, policy, count(prompt)), count),
            prompt,
            writes,
            self.clean,
            policy,
        )
        if not lines:
            log.refused(_no_lines(replay=self.replay))
            return nothing(_no_lines(replay=self.replay))
        log.begin(self.trigger, self.reason)
        try:
            summary = yield from asked.summary(self.asks)
            if summary is None:
                error = "; ".join(each.error for each in asked.attempts)
                log.failed(error)
                return nothing(error)
            told = writes("user", f"{_request.OPENING}\n\n{summary}")
            again = _request.without_media([whole[n] for n in parted.again])
            made = [
                *(whole[n] for n in parted.system),
                told,
                *(whole[n] for n in parted.kept),
                *again,
            ]
            after = sum(count(_whole(read_message(each))) for each in made)
            if after >= tokens:
                error = f"the summary would not make it shorter: {tokens:,} tokens before, {after:,} after"
                log.failed(error)
                return nothing(error)
            figures: dict[str, Any] = {
                "tokens_before": tokens, "tokens_after": after,
                "messages_before": len(whole), "messages_after": len(made),
            }  # fmt: skip
            lines_of_files = _request.changed_lines(said[n] for n in parted.summed)
            log.done(summary, replayed=bool(again), figures=figures, files=lines_of_files)
            kept = _kept_of(counted, parted.kept, len(messages))
            mark = _request.marked(told, kept) if isinstance(told, dict) else told
            return CompactionResult(
                messages=made, summary=summary, appended=[mark, *again], replayed=bool(again),
                attempts=tuple(asked.attempts), unrecorded=log.problem, **figures,
            )  # fmt: skip
        finally:
            log.end()


@dataclass(frozen=True, slots=True)
class _Parted:
    """The distribution of messages: which go where."""

    system: list[int]
    summed: list[int]
    kept: list[int]
    again: list[int]


def _whole(said: Statement) -> str:
    """All that a model reads of a message: its tokens are counted by it."""
    return "\n".join(f"{each.name} {each.text}" for each in said.parts)


def _parted(said: Sequence[Statement], sizes: Sequence[int], most: int, *, replay: bool) -> _Parted:
    """Part a history: its oldest messages are summed up, the newest stay, as far as they may and hold together.

    :param most: tokens of the newest that stay. They begin with what the user says, where that is possible; what
        nobody has answered yet is among them, however long.
    """
    system = [n for n, each in enumerate(said) if each.role == "system"]
    others = [n for n, each in enumerate(said) if each.role != "system"]
    if replay:
        again = [n for n in others if said[n].is_user][-1:]
        return _Parted(system, [n for n in others if n not in again], [], again)
    end, free = len(said), _request.cuts(said)
    behind = [0, *accumulate(reversed(sizes))][::-1]
    places = [n for n in range(_unanswered(said) + 1) if free[n]]
    fitting = [n for n in places if behind[n] <= most] or places[-1:]
    begun = [n for n in fitting if n < end and said[n].is_user]
    start = min(begun or fitting, default=0)
    return _Parted(system, [n for n in others if n < start], [n for n in others if n >= start], [])


def _unanswered(said: Sequence[Statement]) -> int:
    """The place of what the user has said since the last answer, which stays; the end, where that is nothing."""
    end = len(said)
    last = next((n for n in range(end - 1, -1, -1) if said[n].role == "assistant"), -1)
    return next((n for n in range(last + 1, end) if said[n].is_user), end)


def _kept_of(counted: _request.CountedMessages, kept: Sequence[int], end: int) -> int:
    """How many of the whole history's messages stay as they are, from the first that is not there for another."""
    places = [counted.order[n] for n in kept]
    return end - min((each for each in places if each not in counted.brought), default=end)


ANSWER = 4_000
"""Tokens that are left to the summary in a request that has to fit a window."""


def _room(window: _policy.ModelWindow | None, policy: CompactionPolicy, prompt: int) -> int | None:
    """Tokens of a request beside its prompt and the answer, where the window of the asked model is known."""
    usable = None if window is None else window.usable(policy.reserved)
    return None if usable is None else max(usable - prompt - ANSWER, 0)


def _no_lines(*, replay: bool) -> str:
    if replay:
        return "the request is too long by itself: there is nothing before it to summarize"
    return "there is nothing to summarize before the newest messages, which are kept"


def _bounded(text: str) -> str:
    # No log and no provider takes half of a surrogate pair.
    text = text.encode("utf-8", "replace").decode()
    if len(text) <= LONGEST_SUMMARY:
        return text
    kept = text[: LONGEST_SUMMARY - 40]
    return f"{kept}\n\n… {len(text) - len(kept):,} more characters"


class _Log:
    """The reports to a session's log; without a session, none. What it does not take is kept as a problem."""

    def __init__(
        self,
        session: SessionLog[Any] | None,
        policy: CompactionPolicy,
        open_steps: Callable[[State, str], Iterable[EventDraft]],
    ) -> None:
        self._session = session
        self._policy = policy
        self._open_steps = open_steps
        self._is_open = False
        self.problem: str | None = None
        if session is not None:
            for each in policy.resets:
                if each not in session.domain.fields:
                    hint = did_you_mean(each, session.domain.fields)
                    raise ValueError(f"resets: there is no section {quoted(each)}; {hint}")

    def prompt(self, said: Sequence[Statement]) -> str:
        """The prompt, with what the HUD holds; the summary before only where no message has it."""
        session = self._session
        state: Any = HudState() if session is None else session.refresh()
        before = state.compacted_context
        prior = not (before and any(before in each.text for each in said))
        policy = self._policy
        return _request.compaction_prompt(
            state,
            prior=prior,
            replace=policy.prompt,
            append=policy.append,
            thresholds=THRESHOLDS if session is None else session.thresholds,
        )

    def begin(self, trigger: CompactionTrigger | None, reason: str) -> None:
        """Say that it begins, where a policy has not said so when it asked for it."""
        if self._session is None:
            return
        self._is_open = True
        if _policy.standing_of(self._session).asked_in is None:
            said: dict[str, Any] = (
                {"reason": reason} if trigger is None else {"reason": reason, "trigger": trigger}
            )
            self._record([EventDraft("compact.before", said, actor="host")])

    def done(
        self,
        summary: str,
        *,
        replayed: bool,
        figures: dict[str, Any],
        files: dict[str, tuple[int, int]],
    ) -> None:
        """Say that it is done, and empty the sections that the summary covers, all at once."""
        said: dict[str, Any] = {"summary": summary, **figures}
        if replayed:
            said["replayed"] = True
        if files:
            said["files"] = [
                {"path": path, "additions": added, "deletions": removed}
                for path, (added, removed) in [*files.items()][:MOST_FILES]
            ]
        state = None if self._session is None else self._session.refresh()
        drafts = [] if state is None else [*self._open_steps(state, summary)]
        drafts.append(EventDraft("compact.after", said, actor="host"))
        drafts += [
            EventDraft("section.clear", {"section": each}, actor="host")
            for each in self._policy.resets
        ]
        self._is_open = not self._record(drafts)

    def failed(self, error: str) -> None:
        """Say that it failed."""
        self._is_open = False
        self._record([EventDraft("compact.failed", {"error": error[:500]}, actor="host")])

    def refused(self, error: str) -> None:
        """Say that it failed before it began, where a policy has asked for it."""
        if self._session is not None and _policy.standing_of(self._session).asked_in is not None:
            self.failed(error)

    def end(self) -> None:
        """Say that it was interrupted, where nothing else was said of how it ended."""
        if self._is_open:
            self.failed(self.problem or "it was interrupted")

    def _record(self, drafts: Sequence[EventDraft]) -> bool:
        if self._session is None:
            return True
        try:
            self._session.record_all(drafts)
        except UjsxError as error:
            self.problem = str(error)
            return False
        return True
