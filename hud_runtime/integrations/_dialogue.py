"""The dialogue of an agent and its model, request by request.

An adapter shows the host's messages; what is new among them is told to the session, and a delivery comes
back for the request. So that works for every host that shows its history, whatever its hooks can tell.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from uuid import uuid4

from hud_runtime.compaction._request import OPENING
from hud_runtime.delivery import Delivery, Mode, RequestMessage
from hud_runtime.integrations._anchors import digest_of
from hud_runtime.integrations._guard import nothing
from hud_runtime.integrations._host_session import HostSession
from hud_runtime.integrations._lifecycle import HostObservation
from hud_runtime.messages import Part
from hud_runtime.observation import AgentMessage, Compacted, ToolCall, Usage, UserMessage
from hud_runtime.observation._messages import calls_in, results_in
from ujsx.tokens import Calibrated, calibrated, calibrated_by, estimate_tokens

REMEMBERED = 20_000
"""Messages that are known again after a history was cut."""

READINGS = 64
"""Answers whose figures correct the estimate of tokens."""

STEPS = 20
"""Steps of that correction in a whole: each is 5 %."""

LIKELY = 0.6, 1.8
"""The shares that a tokenizer may have; beyond them something is in the requests that is no text."""

HEADS = "heads"
"""The name under which a session keeps the newest answers of its provider."""

KEPT_HEADS = 32
"""Answers that a session is found by; one that goes on from an older answer begins a session."""


class Message(NamedTuple):
    """One of a host's messages."""

    text: str
    """All that the model reads of it, in any form that is the same each time."""

    said: str = ""
    """What the user says in it, or the model."""

    is_answer: bool = False
    """Whether the model wrote it."""

    parts: tuple[Part, ...] = ()
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
    ...     made = dialogue.request([Message(text="Add a login.", said="Add a login.")])
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
        messages: Sequence[Message],
        *,
        reads: Sequence[Message] | None = None,
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
            stores=holds,
            sent=sent,
            mode=mode,
            conversation=tuple(self._read),
            count_tokens=None if holds else self._counter(),
        )
        stay = (each.text for each in made.parts if each.place == "append")
        self._counted += sum(map(estimate_tokens, stay))
        return made

    def _counter(self) -> Calibrated | None:
        """The estimate corrected by what the provider reported; None where that says too little, or nothing likely.

        It goes by steps, so that not each answer changes what fits.
        """
        found = calibrated_by(self._readings)
        if found is None or not LIKELY[0] <= found.share <= LIKELY[1]:
            return None
        return calibrated(counted=STEPS, reported=round(found.share * STEPS))

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

    def _news(self, messages: Sequence[Message]) -> list[Message]:
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

    def _start(self, own: Sequence[Message], digests: Sequence[str]) -> int:
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

    def _observations(self, news: Iterable[Message]) -> list[HostObservation]:
        seen: list[HostObservation] = []
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
