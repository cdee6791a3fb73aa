"""A compaction, run for hosts without one of their own.

In: a history, and the models for its summary. Out: the history with the summary in place of old messages, or
the identical history and the error. The caller asks the models, so it runs with or without an event loop: the
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
"""A function that asks a model, without tools, and returns its answer; or a coroutine function, for
:func:`acompact`.
"""

Steps: TypeAlias = "Generator[tuple[Ask, list[Any]], Any, CompactionResult[MessageT]]"
"""A generator that yields a model and its request, takes the answer, and returns the resulting history."""

LONGEST_SUMMARY = 20_000
"""Maximum characters of a stored summary."""

MOST_FILES = 200
"""Maximum files whose lines are recorded."""

SHRINKS = 4
"""The number of times that a request too long for its model is halved."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A model that gave no summary."""

    number: int
    """Its index among the models, from 0."""

    error: str
    """The error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionResult(Generic[MessageT]):
    """The result of a compaction."""

    messages: list[MessageT]
    """The messages of the next request: the history with the summary in it; the identical history without one."""

    summary: str | None = None
    """The summary; None for none."""

    appended: list[Any] = field(default_factory=list[Any])
    """The additions to a host's whole history: the marked summary, and then the repeated request.
    :func:`messages_since_compaction` then returns the same as ``messages``.
    """

    error: str | None = None
    """The reason for no summary; None if there is one."""

    unrecorded: str | None = None
    """The error of recording it in the session's log; None if it was recorded, or there is no log."""

    replayed: bool = False
    """True if the user's interrupted request is repeated at the end."""

    tokens_before: int = 0
    tokens_after: int = 0
    messages_before: int = 0
    messages_after: int = 0

    attempts: tuple[Attempt, ...] = ()
    """The models that gave no summary, in the order in which they were asked."""


class CompactionOptions(TypedDict, total=False):
    """The further arguments of :func:`compact` and :func:`acompact`."""

    session: SessionLog[Any] | None
    """The session that records it, and whose HUD and last summary the prompt shows."""

    policy: CompactionPolicy | None
    """The policy of what stays, which sections are cleared, and how the summary is requested."""

    window: _policy.ModelWindow | None
    """The window of the asked model; it limits the request from the start."""

    trigger: CompactionTrigger | None
    """The cause, from a :class:`Decision`; already recorded if a host's session made the decision."""

    reason: str
    """The cause in words."""

    replay: bool
    """True if the user's last request was interrupted: it is not summarized, but repeated after the
    summary, without media.
    """

    write: _request.Write | None
    """A function that makes a message of the SDK, if messages are not data."""

    clean: Callable[[str], str]
    """A function that cleans an answer; the answer is stripped in any case."""

    open_steps: Callable[[State, str], Iterable[EventDraft]]
    """The events of a summary's open steps, recorded before the summary; none by default."""

    count_tokens: TokenCounter
    """The token counter; the estimate by default."""


def compact(
    messages: Sequence[MessageT], ask: Ask | Sequence[Ask], **options: Unpack[CompactionOptions]
) -> CompactionResult[MessageT]:
    r"""Replace a history with a summary, except for its newest messages.

    Nothing is lost: without a summary, the result has the unchanged history and the error; after an
    interruption, the log records a failure. A history that the host keeps whole is compacted from its last
    summary on.

    :param messages: oldest first, in the form of any API that is known here; none of them is changed.
    :param ask: asks your own model, without tools, and returns its words; or several, each of which is asked
        after the previous one has failed.
    :raises ValueError: if there is no model to ask.

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
        driven.send(None)  # without waiting, it ends at once
    except StopIteration as done:
        result: CompactionResult[MessageT] = done.value
        return result
    finally:
        driven.close()
    raise AssertionError("a coroutine that waits for nothing has waited")


async def acompact(
    messages: Sequence[MessageT], ask: Ask | Sequence[Ask], **options: Unpack[CompactionOptions]
) -> CompactionResult[MessageT]:
    """The same as :func:`compact`; the models may be coroutine functions."""
    return await _driven(_CompactionRun(_asks(ask), **options).steps(messages), _awaited)


async def _driven(steps: Steps[MessageT], wait: Callable[[Any], Any]) -> CompactionResult[MessageT]:
    """Ask the models in turn, until the result is known."""
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
    """The requests to one model after the other."""

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
        """The summary in an answer, or the error."""
        if isinstance(answer, Exception):
            return "", _policy.said_by(answer)[:500]
        if not isinstance(answer, str):
            return "", f"it returned {type(answer).__name__}; return the words of its answer"
        found = self.clean(answer).strip()
        return found, "" if found else "its answer had no words"


@dataclass(frozen=True, slots=True)
class _CompactionRun:
    """A compaction with its options: see :class:`CompactionOptions`."""

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
        """Yield a model and its request; take the answer; return the result."""
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
    """The indexes of a history's messages by their treatment."""

    system: list[int]
    summed: list[int]
    kept: list[int]
    again: list[int]


def _whole(said: Statement) -> str:
    """The text that a model reads of a message, for counting its tokens."""
    return "\n".join(f"{each.name} {each.text}" for each in said.parts)


def _parted(said: Sequence[Statement], sizes: Sequence[int], most: int, *, replay: bool) -> _Parted:
    """Split a history: its oldest messages are summarized, the newest stay within a limit, and linked
    ones stay together.

    :param most: the maximum tokens of the newest messages that stay. These begin with a user message, if
        possible; unanswered ones always stay, however long.
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
    """The index of the user's messages since the last answer, which stay; the end, if there are none."""
    end = len(said)
    last = next((n for n in range(end - 1, -1, -1) if said[n].role == "assistant"), -1)
    return next((n for n in range(last + 1, end) if said[n].is_user), end)


def _kept_of(counted: _request.CountedMessages, kept: Sequence[int], end: int) -> int:
    """The number of the whole history's messages that stay, from the first that is not there only for a result."""
    places = [counted.order[n] for n in kept]
    return end - min((each for each in places if each not in counted.brought), default=end)


ANSWER = 4_000
"""Tokens for the summary in a request that must fit a window."""


def _room(window: _policy.ModelWindow | None, policy: CompactionPolicy, prompt: int) -> int | None:
    """Tokens of a request besides its prompt and the answer, if the model's window is known."""
    usable = None if window is None else window.usable(policy.reserved)
    return None if usable is None else max(usable - prompt - ANSWER, 0)


def _no_lines(*, replay: bool) -> str:
    if replay:
        return "the request is too long by itself: there is nothing before it to summarize"
    return "there is nothing to summarize before the newest messages, which are kept"


def _bounded(text: str) -> str:
    # Neither logs nor providers accept half of a surrogate pair.
    text = text.encode("utf-8", "replace").decode()
    if len(text) <= LONGEST_SUMMARY:
        return text
    kept = text[: LONGEST_SUMMARY - 40]
    return f"{kept}\n\n… {len(text) - len(kept):,} more characters"


class _Log:
    """The recorder in a session's log, if there is a session. Errors of the log are stored as a problem."""

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
        """The prompt, with the HUD's content; the previous summary only if no message has it."""
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
        """Record the start, unless the policy recorded it with its decision."""
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
        """Record the end, and clear the sections that the summary covers, in one transaction."""
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
        """Record a failure."""
        self._is_open = False
        self._record([EventDraft("compact.failed", {"error": error[:500]}, actor="host")])

    def refused(self, error: str) -> None:
        """Record a failure before the start, if a policy requested the compaction."""
        if self._session is not None and _policy.standing_of(self._session).asked_in is not None:
            self.failed(error)

    def end(self) -> None:
        """Record an interruption, if no other end was recorded."""
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
