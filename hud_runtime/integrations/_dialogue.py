"""The requests of an agent, and the session to which each conversation belongs."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict, deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar, Unpack, get_args
from uuid import uuid4

from hud_runtime._errors import DeliveryError, PruningError
from hud_runtime.context.compaction._request import OPENING
from hud_runtime.context.delivery import Delivery, Mode, RequestMessage
from hud_runtime.context.pruning import ToolOutput
from hud_runtime.integrations import _host_session
from hud_runtime.integrations._host_session import HostSession
from hud_runtime.integrations._sending import HostSettings, SentOptions, digest_of, nothing
from hud_runtime.observe import AgentMessage, Compacted, ToolCall, Usage, UserMessage
from hud_runtime.observe._reader import calls_in, results_in
from hud_runtime.observe.messages import MessagePart, read_message, with_answers
from hud_runtime.session import HudSession, HudStore
from hud_runtime.session._offline_queue import heard
from ujsx.errors import did_you_mean, shown
from ujsx.tokens import CalibratedCounter, calibrated, calibrated_by, estimate_tokens

if TYPE_CHECKING:
    from hud_runtime.context.pruning import Pruning

REMEMBERED = 20_000
"""Maximum messages that are recognized after a history was cut."""

READINGS = 64
"""Maximum readings that correct the token estimate."""

GRAIN = 20
"""The steps of the correction: it is rounded to multiples of 1/20, or 5 %."""

LIKELY = 0.6, 1.8
"""The plausible range of the correction; outside of it, requests contain something other than text."""

HEADS = "heads"
"""The key under which a session stores its provider's newest answers."""

KEPT_HEADS = 32
"""Maximum stored answers that identify a session; a request that follows an older answer begins a session."""


class HostMessage(NamedTuple):
    """One of a host's messages."""

    text: str
    """The text that the model reads, in any form that is the same each time."""

    said: str = ""
    """The words of the user or the model in it."""

    is_answer: bool = False
    """True if the model wrote it."""

    parts: tuple[MessagePart, ...] = ()
    """Its parts; the calls and results of a new message are recorded."""

    summary: str = ""
    """The summary that replaces a compacted history."""

    @property
    def shown(self) -> str:
        """The texts of the calls in an answer, or of the results in another message."""
        if self.is_answer:
            given = (dict(each.arguments) for each in calls_in(self.parts))
            return "\n".join(json.dumps(each, ensure_ascii=False, default=str) for each in given)
        return self.text if any(results_in(self.parts)) else ""


class Dialogue:
    """A host's history, and its session. Thread-safe.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:", clock=lambda: 0) as store:
    ...     dialogue = Dialogue(HostSession(store.session("s")))
    ...     _ = dialogue.host.call("hud", {"call": {"op": "notes.add", "content": "Port 8080"}})
    ...     made = dialogue.request([HostMessage(text="Add a login.", said="Add a login.")])
    ...     dialogue.answered(Usage(input=900, output=20), model="claude-x")
    >>> print(made.text, end="")  # the task stands in the message
    # HUD
    <BLANKLINE>
    ## Notes
    <BLANKLINE>
    - Port 8080
    """

    def __init__(self, host: HostSession) -> None:
        self.host = host
        self._lock = threading.Lock()
        self._heard: list[str] | None = None
        self._known: dict[str, None] = {}
        self._has_answered = False
        self._called: set[str] = set()
        self._answer = ""
        """The id of the last answer, whose parts are one message of the agent."""
        self._heads: tuple[str, ...] | None = None
        self._read: list[RequestMessage] = []
        """The words of the last request; if the provider holds the history, those that this process has seen."""
        self._passing: str | None = None
        """The newest answer, if it calls tools."""
        self._counted = 0
        """The estimated tokens of everything sent to the provider."""
        self._readings: deque[tuple[int, int]] = deque(maxlen=READINGS)

    @property
    def heads(self) -> tuple[str, ...]:
        """The ids of the provider's newest answers, or conversations, oldest first."""
        if self._heads is None:
            self._heads = tuple(self.host.kept(HEADS) or ())
        return self._heads

    def made(self, answer: str) -> bool:
        """Return whether a provider's answer belongs to this conversation, as far as this process knows."""
        return answer in (self._heads or ())

    def request(
        self,
        messages: Sequence[HostMessage],
        *,
        reads: Sequence[HostMessage] | None = None,
        held: str | None = None,
        sent: bool = True,
        mode: Mode | None = None,
    ) -> Delivery:
        """Record the new messages, and return the delivery for the request.

        No host stores the delivery: its ``replay`` goes into each request again. If the messages before an
        earlier text have changed, as when a user trims the request, the whole HUD is delivered instead.

        :param messages: the history, which the session records.
        :param reads: the messages that the model reads, if they differ from the history.
        :param held: the id of the answer or the conversation that the messages follow, if the provider holds
            the history. If it is not the newest one, the delivery is whole. Empty for the newest.
        :param sent: whether the request will certainly be sent; see :meth:`HostSession.sent`.
        """
        holds = held is not None

        def hear() -> None:
            with self._lock:
                news = list(messages) if holds else self._news(messages)
                self._counted += sum(estimate_tokens(each.text) for each in news)
                self.host.observe(*self._observations(news))

        self.host.attempt("understand what was said", hear, nothing)
        read = messages if reads is None else reads
        is_fresh = bool(held) and held not in self.heads[-1:]
        self._read = [] if is_fresh or not holds else self._read
        self._read += (
            RequestMessage(each.said or each.summary, each.is_answer, each.shown)
            for each in read
            if each.said or each.summary or each.shown
        )
        made = self.host.before_request(
            texts=None if holds else [each.text for each in read],
            fresh=is_fresh,
            host_keeps_messages=holds,
            sent=sent,
            mode=mode,
            conversation=tuple(self._read),
            count_tokens=None if holds else self._counter(),
        )
        stay = (each.text for each in made.parts if each.place == "append")
        self._counted += sum(map(estimate_tokens, stay))
        return made

    def held_mode(self, mode: Mode) -> Mode:
        """Return the mode for a history that the provider holds: append, with one warning if another mode
        was requested.
        """
        if mode != "append":
            self.host.say(
                f'the provider holds the history, where a HUD with mode="{mode}" would pile up: it is'
                " appended instead"
            )
        return "append"

    def _counter(self) -> CalibratedCounter | None:
        """The estimate, corrected by the provider's figures; None if they are too few or implausible.

        The correction is rounded, so that the content does not change with each answer.
        """
        found = calibrated_by(self._readings)
        if found is None or not LIKELY[0] <= found.share <= LIKELY[1]:
            return None
        return calibrated(counted=GRAIN, reported=round(found.share * GRAIN))

    def answered(
        self,
        usage: Usage | None = None,
        *,
        model: str | None = None,
        limit: int | None = None,
        calls: Iterable[ToolCall] = (),
        head: str | None = None,
    ) -> None:
        """Record that the model answered the last request, and its token usage.

        :param calls: the calls in the answer, if the provider holds the history, which then lacks them.
        :param head: the id of the answer, or of its conversation, for a provider that holds histories.
        """
        called = tuple(calls)
        with self._lock:
            self._has_answered = True
            self._called |= {str(each.call_id) for each in called}
            self._answer = name = uuid4().hex
            keep = {} if head is None else self._with_head(head, is_last=not called)
            if usage is not None:
                self._readings.append((self._counted, usage.prompt))
        message = AgentMessage(message_id=name, usage=usage, model=model, limit=limit)
        self.host.observe(message, *called, keep=keep)

    def _with_head(self, head: str, *, is_last: bool) -> dict[str, object]:
        """The data to store with an answer; nothing for one that calls tools.

        Only this process continues from an answer that calls tools, so the log gets one row for each run.
        """
        others = [each for each in self.heads if each not in (head, self._passing)]
        self._heads = (*others, head)[-KEPT_HEADS:]
        self._passing = None if is_last else head
        return {HEADS: list(self._heads)} if is_last else {}

    # --- What is new ---

    def _news(self, messages: Sequence[HostMessage]) -> list[HostMessage]:
        digests = [digest_of(each.text) for each in messages]
        start = self._start(messages, digests)
        self._heard = digests
        self._known.update(dict.fromkeys(digests))
        while len(self._known) > REMEMBERED:
            del self._known[next(iter(self._known))]
        compacted = [each for each in messages[:start] if each.summary] if start else []
        is_new = [each for each in compacted if each.summary not in self._known]
        self._known.update(dict.fromkeys(each.summary for each in is_new))
        return [*is_new, *messages[start:]]

    def _start(self, own: Sequence[HostMessage], digests: Sequence[str]) -> int:
        """The index of the first new message."""
        answers = [place for place, each in enumerate(own) if each.is_answer]
        if self._heard is None:
            # Another process has recorded the messages before the last answer.
            return answers[-1] if answers and self.host.is_under_way else 0
        if digests[: len(self._heard)] == self._heard:
            return len(self._heard)
        before = digests[: len(own) - self._surely_new(own, digests)]
        known = [place for place, each in enumerate(before) if each in self._known]
        if known:
            return known[-1] + 1
        return answers[-1] if answers else max(0, len(own) - 1)

    def _surely_new(self, own: Sequence[HostMessage], digests: Sequence[str]) -> int:
        """Return how many of the last messages are new, even if equal ones came before: a prompt, or a call with its
        result, unless the last request ended with the same.
        """
        end = digests[-2:]
        if not own or own[-1].is_answer or end == (self._heard or [])[-len(end) :]:
            return 0
        follows_call = len(own) > 1 and own[-2].is_answer and any(results_in(own[-1].parts))
        return 2 if follows_call else 1

    def _observations(self, news: Iterable[HostMessage]) -> list[_host_session.HostObservation]:
        seen: list[_host_session.HostObservation] = []
        is_answering = False
        for each in news:
            if each.summary:
                seen.append(Compacted(summary=each.summary))
                continue
            if each.is_answer:
                # An answer may be several messages, and may already be recorded.
                is_new = not is_answering and not self._has_answered
                if is_new:
                    self._answer = uuid4().hex
                if is_new or each.said:
                    seen.append(AgentMessage(message_id=self._answer, text=each.said))
                self._has_answered = False
            is_answering = each.is_answer
            results = [*results_in(each.parts)]
            seen += (one for one in calls_in(each.parts) if str(one.call_id) not in self._called)
            seen += results
            self._called -= {str(one.call_id) for one in results}
            if each.is_answer:
                continue
            if each.said.strip() and not self._is_summary(each.said):
                seen.append(UserMessage(text=each.said))
        return seen

    def _is_summary(self, said: str) -> bool:
        """Whether it is the message with the summary, which the user did not write."""
        if not said.startswith(OPENING):
            return False
        session = self.host.opened
        summary = None if session is None else session.known.compacted_context
        return bool(summary) and str(summary) in said


# The session that a conversation of a host belongs to.

T = TypeVar("T")

Source: TypeAlias = HudStore[Any] | HudSession[Any] | HostSession | str | Path | None
"""The source of sessions: a store, which has one for each conversation; the path of one, or None for the
usual place; or the one session that everything belongs to.
"""

SEARCHED = 200
"""The number of sessions, newest first, that are searched for a provider's answer."""

KEPT = 1_000
"""The number of conversations in memory; others are read from the log again."""


def checked_mode(host: str, mode: Mode, allowed: tuple[Mode, ...], why: str) -> Mode:
    """Return a mode that a host allows.

    Raises :class:`DeliveryError` with the reason for another one.

    >>> checked_mode("Codex", "append", ("append",), "its hooks' texts stay")
    'append'
    """
    if mode in allowed:
        return mode
    if mode not in ("append", "tail", "system"):
        raise DeliveryError(f"{shown(mode)} is not a mode; {did_you_mean(str(mode), allowed)}")
    ways = " or ".join(f'mode="{each}"' for each in allowed)
    raise DeliveryError(f'{host} has no place for mode="{mode}": {why}; use {ways}')


class Conversations:
    """The conversations of an adapter, each with its session.

    :param source: the source of the sessions.
    :param options: those of :class:`HostSession`.
    """

    def __init__(self, source: Source = None, **options: Unpack[SentOptions]) -> None:
        self._source = source
        # Validate the mode and all options at once, and not in the middle of a run.
        self._settings = HostSettings(**options)
        self._kept: OrderedDict[str, Dialogue] = OrderedDict()
        self._lock = threading.Lock()
        self._name = f"agent-{uuid4().hex[:12]}"

    @cached_property
    def _store(self) -> HudStore[Any]:
        source = self._source
        if isinstance(source, HudStore):
            return source
        return HudStore.open(source if isinstance(source, str | Path) else None)

    @cached_property
    def _only(self) -> HostSession | None:
        """The one session, if there is only one."""
        source = self._source
        if isinstance(source, HostSession):
            return source
        if isinstance(source, HudSession):
            return HostSession(source, settings=self._settings)
        return None

    @property
    def is_one(self) -> bool:
        """True if everything belongs to one session."""
        return self._only is not None

    def of(self, conversation: str, agent: str | None = None) -> Dialogue:
        """Return the conversation with this id, without opening it.

        An agent that starts within another one's tool is its child.

        :param agent: its name, for the child's session.
        """
        with self._lock:
            kept = self._kept.get(conversation)
            if kept is None:
                kept = self._kept[conversation] = Dialogue(self._host(conversation, agent))
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(conversation)
            return kept

    def with_answer(self, answer: str) -> str | None:
        """Return the conversation of a provider's answer, in this process or an earlier one.

        None if it is not among the newest answers of the newest sessions.

        :raises StoreError: if the store cannot be read.
        """
        with self._lock:
            kept = [*self._kept.items()]
        for name, dialogue in reversed(kept):
            if dialogue.made(answer):
                return name
        store = self._store
        for name in reversed(store.sessions()[-SEARCHED:]):
            if answer in (heard(store.session(name)).kept.get(HEADS) or ()):
                return name
        return None

    def here(self) -> Dialogue:
        """Return the conversation that is :meth:`running`, else the adapter's own.

        Within a tool of another host's agent, it is a child of that agent's session.
        """
        entered = _entered.get()
        if entered is not None and entered[0] is self:
            return entered[1]
        parent = _host_session.current()
        is_alone = parent is None or self._only is not None
        return self.of(self._name if is_alone else f"{self._name}-in-{id(parent)}")

    def _host(self, name: str, agent: str | None) -> HostSession:
        if self._only is not None:
            return self._only
        parent = _host_session.current()
        if parent is not None:
            return parent.child(f"{agent or 'agent'}-{name[:8]}")
        return HostSession.of(lambda: self._store, name, settings=self._settings)

    def tools(self, dialect: str = "json-schema") -> tuple[_host_session.HostTool, ...]:
        """Return the tools to register; a call belongs to the running session, else to :meth:`here`."""
        source = self._source
        domain = source.domain if isinstance(source, HudStore) else None
        if self._only is not None:
            return self._only.tools(dialect)
        offered = self._settings.definitions(dialect, domain)
        return tuple(_host_session.HostTool.of(each, self._host_here) for each in offered)

    def _host_here(self) -> HostSession:
        return _host_session.current() or self.here().host

    @contextmanager
    def running(self, conversation: str, *, is_child: bool = False) -> Generator[HostSession]:
        """Run everything within as part of a conversation, for hosts that do not name one.

        :param is_child: whether it is a subagent's, of the running conversation.
        """
        dialogue = self._child(conversation) if is_child else self.of(conversation)
        token = _entered.set((self, dialogue))
        try:
            with dialogue.host.running() as host:
                yield host
        finally:
            _entered.reset(token)

    def _child(self, name: str) -> Dialogue:
        parent = self.here().host
        with self._lock:
            return self._kept.setdefault(f"{id(parent)}/{name}", Dialogue(parent.child(name)))


_entered: ContextVar[tuple[Conversations, Dialogue] | None] = ContextVar("entered", default=None)
"""The conversation that was entered by :meth:`Conversations.running`."""


# Message lists with pruned outputs: for your own loops, and for outgoing requests.

Form: TypeAlias = Literal["anthropic", "chat", "responses", "gemini"]
"""The format of messages: Anthropic's, OpenAI's Chat Completions or Responses, Gemini's."""


def prune_messages(
    session: HudSession[Any] | HostSession,
    messages: Sequence[Any],
    form: Form,
    *,
    prune: Pruning | bool = True,
) -> list[Any]:
    r"""Return messages for the next request with pruned tool outputs; your own list is not changed.

    Pass the whole, unpruned list each time. Each output is shown as before, so the history stays
    byte-identical. Only old outputs are omitted, together, when that saves enough.

    :param session: the session that stores the omitted text. The agent needs its tool ``hud`` to retrieve it.
    :param messages: as JSON data, oldest first.
    :param prune: the policies; a :class:`HostSession` uses its own.
    :raises PruningError: for an unknown form.

    >>> from hud_runtime import HudStore
    >>> listing = "".join(f"src/module_{number}.py\n" for number in range(400))
    >>> messages = [
    ...     {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "glob", "arguments": "{}"}}]},
    ...     {"role": "tool", "tool_call_id": "1", "content": listing},
    ... ]
    >>> with HudStore.open(":memory:") as store:
    ...     pruned = prune_messages(store.session("s"), messages, "chat")
    >>> pruned[1]["content"].splitlines()[30], pruned[1]["tool_call_id"]
    ('… 340 more lines: hud output o-09d9c63f 31-370', '1')
    """
    host = session if isinstance(session, HostSession) else HostSession(session, prune=prune)
    if form not in (forms := get_args(Form)):
        raise PruningError(f"{shown(form)} is not a form of messages; {did_you_mean(form, forms)}")
    return pruned_list(host, messages)


def pruned_list(host: HostSession, messages: Sequence[Any]) -> list[Any]:
    """Return a request's messages with pruned outputs; unchanged if anything fails."""

    def prune() -> list[Any]:
        outputs, new = outputs_in(messages)
        texts = host.pruned_history(outputs, new=new)
        return with_outputs(messages, texts)

    return host.attempt("prune the outputs of tools", prune, lambda: [*messages])


def outputs_in(messages: Sequence[Any]) -> tuple[list[ToolOutput], int]:
    """Return the outputs in a request's messages, oldest first, and the index of the first new one.

    >>> call = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "ls", "arguments": "{}"}}]}
    >>> found, new = outputs_in([call, {"role": "tool", "tool_call_id": "1", "content": "a.py"}])
    >>> found[0].tool, found[0].text, new
    ('ls', 'a.py', 0)
    """
    calls: dict[str, MessagePart] = {}
    unanswered: list[MessagePart] = []  # of an API whose calls may lack ids
    found: list[ToolOutput] = []
    turn = new = 0

    def take(text: str, result: MessagePart, holder: Mapping[str, Any]) -> str:
        call = calls.get(result.id or "")
        if call is None and result.name:
            place = next((n for n, each in enumerate(unanswered) if each.name == result.name), None)
            call = result if place is None else unanswered.pop(place)
        found.append(
            ToolOutput(
                text=text,
                tool="" if call is None else call.name,
                id=result.id or "",
                arguments={} if call is None or call is result else call.arguments,
                turn=turn,
                failed=result.status == "failed",
                synthetic=holder.get("synthetic") is True,
            )
        )
        return text

    for message in messages:
        told = read_message(message)
        if told.role == "assistant" and told.parts:
            new = len(found)
        turn += told.role in ("user", "assistant") and bool(told.text.strip())
        for part in told.parts:
            if part.kind == "call":
                calls[part.id or ""] = part
                unanswered.append(part)
        calls.pop("", None)
        with_answers(message, take)
    return found, new


def with_outputs(messages: Sequence[Any], texts: Sequence[str]) -> list[Any]:
    """Return messages whose outputs have these texts, in the order of :func:`outputs_in`.

    >>> with_outputs([{"role": "tool", "tool_call_id": "1", "content": "a.py"}], ["…"])
    [{'role': 'tool', 'tool_call_id': '1', 'content': '…'}]
    """
    left: Iterator[str] = iter(texts)

    def next_text(*_about: Any) -> str:
        return next(left)

    return [with_answers(each, next_text) for each in messages]
