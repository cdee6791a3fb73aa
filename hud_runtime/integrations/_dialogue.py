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
from hud_runtime.integrations._sending import digest_of, nothing
from hud_runtime.observe import AgentMessage, Compacted, ToolCall, Usage, UserMessage
from hud_runtime.observe._reader import calls_in, results_in
from hud_runtime.observe.messages import MessagePart, read_message, with_answers
from hud_runtime.session import HudSession, HudStore
from hud_runtime.session._offline_queue import heard
from ujsx.errors import did_you_mean, shown
from ujsx.tokens import CalibratedCounter, calibrated, calibrated_by, estimate_tokens
from ujsx.tools import ToolResult

if TYPE_CHECKING:
    from hud_runtime.context.pruning import Pruning

REMEMBERED = 20_000
"""Messages that are known again after a history was cut."""

READINGS = 64
"""Answers whose figures correct the estimate of tokens."""

GRAIN = 20
"""Parts of a whole that the correction is rounded to: each is 5 %."""

LIKELY = 0.6, 1.8
"""The shares that a tokenizer may have; beyond them something is in the requests that is no text."""

HEADS = "heads"
"""The name under which a session keeps the newest answers of its provider."""

KEPT_HEADS = 32
"""Answers that a session is found by; one that goes on from an older answer begins a session."""


class HostMessage(NamedTuple):
    """One of a host's messages."""

    text: str
    """All that the model reads of it, in any form that is the same each time."""

    said: str = ""
    """What the user says in it, or the model."""

    is_answer: bool = False
    """Whether the model wrote it."""

    parts: tuple[MessagePart, ...] = ()
    """Its parts, of which calls and results are told when the message is new."""

    summary: str = ""
    """What stands in the place of a history that was compacted."""

    @property
    def shown(self) -> str:
        """The texts of the calls in an answer, or of the results in another message."""
        if self.is_answer:
            given = (dict(each.arguments) for each in calls_in(self.parts))
            return "\n".join(json.dumps(each, ensure_ascii=False, default=str) for each in given)
        return self.text if any(results_in(self.parts)) else ""


class Dialogue:
    """A history of a host, and the session that it belongs to. Threads may share it.

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
        """The name of the last answer, whose parts are one message of the agent."""
        self._heads: tuple[str, ...] | None = None
        self._read: list[RequestMessage] = []
        """The words of the last request; of a history that the provider holds, those that this process has seen."""
        self._passing: str | None = None
        """The newest answer, if it calls tools."""
        self._counted = 0
        """The tokens of all that the provider was sent, by the estimate."""
        self._readings: deque[tuple[int, int]] = deque(maxlen=READINGS)

    @property
    def heads(self) -> tuple[str, ...]:
        """The provider's newest answers, or its conversations, by id; the newest is the last."""
        if self._heads is None:
            self._heads = tuple(self.host.kept(HEADS) or ())
        return self._heads

    def made(self, answer: str) -> bool:
        """Tell whether a provider's answer is one of this conversation's, as far as this process knows."""
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
        """Tell what is new in the messages, and return what goes with them.

        No host stores the delivery: its ``replay`` goes into each request again. Where the same messages no longer
        precede an earlier text, as when a user trims the request, the whole HUD is delivered instead.

        :param messages: the history, from which the session learns what happened.
        :param reads: the messages that the model reads, where they differ from the history.
        :param held: the id of the answer or the conversation that the messages follow, where the provider holds the
            history; the delivery is whole if another one was the newest. Empty for the newest, whatever that is.
        :param sent: whether the request goes out for sure; see :meth:`HostSession.sent`.
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
        """Return the mode where the provider holds the history: append, which is told once where another one was asked for."""
        if mode != "append":
            self.host.say(
                f'the provider holds the history, where a HUD with mode="{mode}" would pile up: it is'
                " appended instead"
            )
        return "append"

    def _counter(self) -> CalibratedCounter | None:
        """The estimate corrected by what the provider reported; None where that says too little, or nothing likely.

        It goes by steps, so that not each answer changes what fits.
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
        """Tell that the model has answered the last request, and what that took.

        :param calls: those in the answer, for a history that the provider holds, which does not show them.
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
        """What the session is to keep in mind with an answer; nothing for one that calls tools.

        Only this process goes on from an answer that calls tools: so the log takes in one row for each run.
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
        """The place of the first message that is new."""
        answers = [place for place, each in enumerate(own) if each.is_answer]
        if self._heard is None:
            # Another process has told of what stands before the last answer.
            return answers[-1] if answers and self.host.is_under_way else 0
        if digests[: len(self._heard)] == self._heard:
            return len(self._heard)
        known = [place for place, each in enumerate(digests) if each in self._known]
        if known:
            return known[-1] + 1
        return answers[-1] if answers else max(0, len(own) - 1)

    def _observations(self, news: Iterable[HostMessage]) -> list[_host_session.HostObservation]:
        seen: list[_host_session.HostObservation] = []
        is_answering = False
        for each in news:
            if each.summary:
                seen.append(Compacted(summary=each.summary))
                continue
            if each.is_answer:
                # An answer may be several messages, and may have been told of when it came.
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
        """Whether it is the message with the summary, which no user has written."""
        if not said.startswith(OPENING):
            return False
        session = self.host.opened
        summary = None if session is None else session.known.compacted_context
        return bool(summary) and str(summary) in said


# The session that a conversation of a host belongs to.

T = TypeVar("T")

Source: TypeAlias = HudStore[Any] | HudSession[Any] | HostSession | str | Path | None
"""Where sessions come from: a store, which has one for each conversation; the path of one, or None for the
usual place; or the one session that all belongs to."""

SEARCHED = 200
"""Sessions in which a provider's answer is looked for, the newest ones."""

KEPT = 1_000
"""Conversations that are kept in mind; what is forgotten is read from the log again."""


def checked_mode(host: str, mode: Mode, allowed: tuple[Mode, ...], why: str) -> Mode:
    """Return a mode that a host allows.

    Raises :class:`DeliveryError`, which says why, for another one.

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
    """The conversations that an adapter has a part in, each with its session.

    :param source: where the sessions come from.
    :param options: those of :class:`HostSession`.
    """

    def __init__(self, source: Source = None, **options: Unpack[_host_session.SentOptions]) -> None:
        self._source = source
        # The mode and all else is checked at once, and not in the middle of a run.
        self._settings = _host_session.HostSettings(**options)
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
        """The one session, where there is one."""
        source = self._source
        if isinstance(source, HostSession):
            return source
        if isinstance(source, HudSession):
            return HostSession(source, settings=self._settings)
        return None

    @property
    def is_one(self) -> bool:
        """True if all belongs to one session."""
        return self._only is not None

    def of(self, conversation: str, agent: str | None = None) -> Dialogue:
        """Return the conversation with this id. Nothing is opened yet.

        An agent that begins while another one's tool runs is its child.

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
        """Return the conversation that a provider's answer belongs to, in this process or an earlier one.

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

        Within a tool of another host's agent that is a child of its session.
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
        """Return the tools to register; a call belongs to the session that runs, else to :meth:`here`."""
        source = self._source
        domain = source.domain if isinstance(source, HudStore) else None
        if self._only is not None:
            return self._only.tools(dialect)
        return tuple(map(self._tool, self._settings.definitions(dialect, domain)))

    def _tool(self, definition: dict[str, Any]) -> _host_session.HostTool:
        name = _host_session.name_of(definition)

        def call(arguments: object) -> ToolResult:
            return (_host_session.current() or self.here().host).call(name, arguments)

        async def acall(arguments: object) -> ToolResult:
            return await (_host_session.current() or self.here().host).acall(name, arguments)

        return _host_session.HostTool(name, definition, call, acall)

    @contextmanager
    def running(self, conversation: str, *, is_child: bool = False) -> Generator[HostSession]:
        """Let all that is asked within be part of a conversation, for hosts that name none.

        :param is_child: whether it is that of a subagent of the conversation that is running.
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


# Message lists with pruned outputs: for loops of one's own, and for requests on their way.

Form: TypeAlias = Literal["anthropic", "chat", "responses", "gemini"]
"""Whose messages they are: Anthropic's, OpenAI's Chat Completions or Responses, Gemini's."""


def prune_messages(
    session: HudSession[Any] | HostSession,
    messages: Sequence[Any],
    form: Form,
    *,
    prune: Pruning | bool = True,
) -> list[Any]:
    r"""Return messages for the next request, with outputs of tools pruned; yours stay as they are.

    Pass the whole list each time, unpruned: what was shown of an output before is shown again, so the
    history stays the same to the byte, but for old outputs, which go together when that wins enough.

    :param session: the session that keeps what is cut. The agent needs its tool ``hud`` to bring it back.
    :param messages: as JSON data, oldest first.
    :param prune: the policies; for a :class:`HostSession` its own count.
    :raises PruningError: for a form that is none.

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
    """Return a request's messages with pruned outputs; as they are, where anything goes wrong."""

    def prune() -> list[Any]:
        outputs, new = outputs_in(messages)
        texts = host.pruned_history(outputs, new=new)
        return with_outputs(messages, texts)

    return host.attempt("prune the outputs of tools", prune, lambda: [*messages])


def outputs_in(messages: Sequence[Any]) -> tuple[list[ToolOutput], int]:
    """Return the outputs in a request's messages, oldest first, and from which one on the model reads them first.

    >>> call = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "ls", "arguments": "{}"}}]}
    >>> found, new = outputs_in([call, {"role": "tool", "tool_call_id": "1", "content": "a.py"}])
    >>> found[0].tool, found[0].text, new
    ('ls', 'a.py', 0)
    """
    calls: dict[str, MessagePart] = {}
    unanswered: list[MessagePart] = []  # of an API whose calls may have no ids
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
