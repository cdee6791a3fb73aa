"""The making of a delivery, whole or with changes only, and its reader's knowledge once it is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from hud_components import BUDGETS, THRESHOLDS, ContextUsage, State
from hud_components.changes import LineReader, ReaderMemory, remaining, tell, update
from hud_components.folding import Add
from hud_components.levels import Thresholds, reached
from hud_components.words import Remaining, RequestWords
from hud_runtime._breaker import tried_again
from hud_runtime._errors import DeliveryError
from hud_runtime.context.delivery import _delivery
from hud_runtime.context.delivery._delivery import Delivery, Mode, Part
from hud_runtime.log import SessionLog
from hud_runtime.log.pressure import due, intervene
from hud_runtime.log.store import EventStore, StoredDelivery
from ujsx import Density, Rendered
from ujsx.errors import did_you_mean, shown

# The valid reading of the context, as each new one costs tokens.


def counted(
    known: ContextUsage | None, now: ContextUsage | None, thresholds: Thresholds = THRESHOLDS
) -> ContextUsage | None:
    """Return the valid reading: the known one, until the level changes.

    A level ends once the context is below it by a margin, as each report in a history costs tokens.

    >>> green, red = ContextUsage(used=20_000), ContextUsage(used=170_000)
    >>> counted(green, ContextUsage(used=90_000)) is green
    True
    >>> counted(green, ContextUsage(used=150_000)).used
    150000
    >>> counted(red, ContextUsage(used=168_000)) is red
    True
    """
    if known is None or now is None:
        return now
    level = reached(known, thresholds).level
    is_same = reached(now, thresholds.after(level, now.limit)).level == level
    return known if is_same and known.limit == now.limit else now


# A reader's knowledge, stored with the log.


class SentText(msgspec.Struct, frozen=True):
    """A text sent to a reader, and its place."""

    part: Part

    before: str = ""
    """A digest of the host's messages before it, if the host stores none of our texts."""


class Base(msgspec.Struct, frozen=True):
    """A reader's knowledge after a delivery was sent."""

    version: int
    compactions: int
    told: ReaderMemory

    said: tuple[SentText, ...]
    """The texts sent since the last whole HUD, including it; if the host stores none of them, since the
    start of its history.
    """

    usage: dict[str, int | str | bool | None] | None
    """The reading of the context that it knows."""

    anchor: tuple[int, int]
    """The tokens of history, and the version, at which it last read the most important items."""

    def reading(self, now: ContextUsage | None, thresholds: Thresholds) -> ContextUsage | None:
        """Return the valid reading: the known one, until the level changes."""
        known = None if self.usage is None else ContextUsage.model_validate(self.usage)
        return counted(known, now, thresholds)


class KeptDelivery(msgspec.Struct, frozen=True):
    """A stored delivery, and its reader's knowledge after it."""

    delivery: Delivery
    base: Base | None = None
    """None for a delivery that is not stored in the history."""

    follows: str | None = None
    """The previous delivery; None for a delivery that does not depend on one."""

    is_unclear: bool = False
    """True if another delivery was sent meanwhile, so that the reader's knowledge is uncertain."""

    def stored(self, *, is_sent: bool) -> StoredDelivery:
        """Return it in the store's form."""
        one = self.delivery
        return StoredDelivery(
            one.session, one.reader, one.id, is_sent, msgspec.json.encode(self).decode()
        )


class ReaderLedger(msgspec.Struct, frozen=True):
    """The stored deliveries of one reader."""

    sent: KeptDelivery | None
    made: tuple[KeptDelivery, ...]
    """The later ones in order, sent or not."""

    @classmethod
    def of(cls, events: EventStore, session: str, reader: str) -> ReaderLedger:
        """Return a reader's ledger from a store."""
        sent: KeptDelivery | None = None
        made: list[KeptDelivery] = []
        for kept, is_sent in _kept(events, session, reader):
            if is_sent:
                sent = kept
            else:
                made.append(kept)
        return cls(sent, tuple(made))

    def find(self, name: str) -> KeptDelivery | None:
        """Return the delivery with that id."""
        kept = (*self.made, *([self.sent] if self.sent else []))
        return next((each for each in kept if each.delivery.id == name), None)


def _kept(
    events: EventStore, session: str, reader: str | None = None
) -> Iterator[tuple[KeptDelivery, bool]]:
    """The stored deliveries, and whether each was sent. Those unreadable for this version count as lost."""
    for row in events.deliveries(session, reader):
        try:
            yield msgspec.json.decode(row.body, type=KeptDelivery), row.is_sent
        except (msgspec.ValidationError, msgspec.DecodeError):
            continue


def kept_deliveries(events: EventStore, session: str) -> list[tuple[Delivery, bool]]:
    """Return the stored deliveries of a session, oldest first, and whether each was sent.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     _ = session.record("note.add", content="Port 8080")
    ...     made = session.deliver()
    ...     kept_deliveries(store.session("s").log, "s") == [(made, False)]
    True
    """
    return [(kept.delivery, is_sent) for kept, is_sent in _kept(events, session)]


def holds(texts: Sequence[str], words: Iterable[SentText]) -> bool:
    r"""Return whether texts contain all words, in order.

    >>> from hud_runtime.context.delivery import Part
    >>> words = [SentText(Part(text, "delta", "append")) for text in ("a\n", "b\n")]
    >>> holds(["x", "say a", "b"], words), holds(["x", "b"], words)
    (True, False)
    """
    place, offset = 0, 0
    for each in words:
        wanted = each.part.text.strip()
        while place < len(texts):
            found = texts[place].find(wanted, offset)
            if found >= 0:
                offset = found + len(wanted)
                break
            place, offset = place + 1, 0
        else:
            return False
    return True


def stands(texts: Sequence[str], words: Iterable[SentText]) -> bool:
    """Return whether the messages before each of the words are unchanged."""
    digests = prefixes(texts)
    return all(
        each.part.behind is not None
        and each.part.behind < len(digests)
        and digests[each.part.behind] == each.before
        for each in words
    )


def prefixes(texts: Sequence[str]) -> list[str]:
    """Return digests of the first texts: of none of them, of one, and so on.

    >>> len(prefixes(["a", "b"])), prefixes(["a"])[1] == prefixes(["a", "b"])[1]
    (3, True)
    """
    running = blake2b(digest_size=8)
    digests = [running.hexdigest()]
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        running.update(len(data).to_bytes(8, "big") + data)
        digests.append(running.hexdigest())
    return digests


MODES: tuple[Mode, ...] = ("append", "tail", "system")

FEW = BUDGETS[Density.FULL].least
"""Tokens of changes that are as quick to read as a HUD: a smaller HUD is not sent again for so few."""


Show = Callable[[ContextUsage | None, bool, Remaining | None], _delivery.ShownHud]
"""A function that renders the session's HUD at a reading of the context, brief or by level, whole or the rest."""


@tried_again
def deliver(
    session: SessionLog[Any],
    asked: _delivery.DeliveryRequest,
    *,
    show: Show,
    reader: LineReader,
    new_id: Callable[[], str],
) -> Delivery:
    """Make a delivery, and store it; see :meth:`hud_runtime.HudSession.deliver`."""
    _check(asked)
    with session.exclusive() as state:
        _check_tail(asked, state.usage)
        ledger = ReaderLedger.of(session.log, session.id, asked.reader)
        made = _Making(session, asked, state, show, reader, new_id())
        retry_of = asked.retry_of
        if retry_of is not None:
            found = ledger.find(retry_of) if retry_of else made.unchanged(ledger.sent)
            if found is None:
                raise DeliveryError(
                    f"there is no delivery {shown(retry_of)} to the reader {shown(asked.reader)} any"
                    " more; make a new one: leave retry_of out"
                )
            return found.delivery
        kept = made.appended(ledger) if asked.mode == "append" else made.fleeting()
        if kept.delivery.id:
            session.log.save_delivery(kept.stored(is_sent=False))
        return kept.delivery


@tried_again
def delivered(session: SessionLog[Any], delivery_id: str) -> _delivery.Acknowledged:
    """Move a reader's base; see :meth:`hud_runtime.HudSession.delivered`."""
    if not delivery_id:
        return "known"
    with session.exclusive():
        rows = session.log.deliveries(session.id)
        row = next((row for row in rows if row.id == delivery_id), None)
        if row is not None and row.is_sent:
            return "known"
        if row is not None:
            ledger = ReaderLedger.of(session.log, session.id, row.reader)
            kept = ledger.find(delivery_id)
            if kept is None or kept.base is None:
                _intervened(session, kept)
                return "fleeting"
            _sent(session, ledger, kept)
            return "sent"
    if any(row.id > delivery_id for row in rows):  # ids are ascending
        return "superseded"
    raise DeliveryError(
        f"there is no delivery {shown(delivery_id)} in the session {shown(session.id)}; pass the id that deliver() returned"
    )


def _intervened(session: SessionLog[Any], kept: KeptDelivery | None) -> None:
    """Record that the agent was warned about its context, if the sent delivery has the warning."""
    if kept is not None and any(each.kind == "notice" for each in kept.delivery.parts):
        intervene(session)


def _sent(session: SessionLog[Any], ledger: ReaderLedger, kept: KeptDelivery) -> KeptDelivery:
    _intervened(session, kept)
    last = None if ledger.sent is None else ledger.sent.delivery.id
    if kept.delivery.why is None and kept.follows != last:
        kept = replace(kept, is_unclear=True)
    session.log.save_delivery(kept.stored(is_sent=True))
    return kept


LOOK = "session.look"
"""The event with which a session gets another layout and other words."""


class _Making(NamedTuple):
    """A delivery in the making."""

    session: SessionLog[Any]
    asked: _delivery.DeliveryRequest
    state: State
    show: Show
    reader: LineReader
    id: str

    def fleeting(self) -> KeptDelivery:
        """Return a delivery outside of the history: a tail, or one for the system prompt."""
        left = self._remaining(self._request(None)) if self.asked.mode == "tail" else None
        rendered = self.show(self.state.usage, False, left).rendered
        whole = Part(rendered.text, "whole", "tail", breakpoint="before")
        parts = [whole] if self.asked.mode == "tail" else list(_by_layer(rendered))
        parts += self._notice("tail")
        return KeptDelivery(self._delivery(tuple(each for each in parts if each.text)))

    def appended(self, ledger: ReaderLedger) -> KeptDelivery:
        """Return the delivery to append to the history."""
        asked, texts = self.asked, self.asked.texts
        sent = ledger.sent
        if texts is not None and asked.host_keeps_messages:
            sent = self._heard(ledger, texts)
        why = self._why_all(sent)
        base = None if sent is None else sent.base
        if why is None and sent is not None and base is not None:
            made = self._changed(base, sent.delivery.id)
            if isinstance(made, KeptDelivery):
                return made if made.delivery.parts else self._noted(sent, base, made)
            why = made
        return self._whole(why or "start", base)

    def unchanged(self, sent: KeptDelivery | None) -> KeptDelivery | None:
        """Return a repeated delivery without changes; None for a reader without knowledge."""
        base = None if sent is None else sent.base
        return None if base is None else self._nothing(base)

    def _noted(self, sent: KeptDelivery, base: Base, made: KeptDelivery) -> KeptDelivery:
        """Note in the last delivery which items the request shows its reader: these need no delivery, but
        their removal may.
        """
        if made.base is not None and made.base.told.entries != base.told.entries:
            base = replace(base, told=made.base.told)
            self.session.log.save_delivery(replace(sent, base=base).stored(is_sent=True))
        return self._nothing(base)

    def _nothing(self, base: Base) -> KeptDelivery:
        made = replace(self._delivery(()), id="", version=base.version, replay=self._replay(base))
        return KeptDelivery(made, base)

    def _replay(self, base: Base) -> tuple[Part, ...]:
        """The texts that a host that stores none of them must repeat."""
        return () if self.asked.host_keeps_messages else tuple(each.part for each in base.said)

    def _heard(self, ledger: ReaderLedger, texts: Sequence[str]) -> KeptDelivery | None:
        """The last sent delivery: an unconfirmed one counts as sent if the request contains its texts."""
        sent = ledger.sent
        said = () if sent is None or sent.base is None else sent.base.said
        before = said if holds(texts, said) else ()
        for kept in reversed(ledger.made):
            if kept.base is None or not kept.delivery.parts:
                continue
            is_whole = kept.delivery.why is not None
            follows = is_whole or kept.follows == (None if sent is None else sent.delivery.id)
            if follows and holds(texts, (*before, *kept.base.said) if is_whole else kept.base.said):
                return _sent(self.session, ledger, kept)
        return sent

    def _why_all(self, sent: KeptDelivery | None) -> _delivery.Why | None:
        base = None if sent is None else sent.base
        if sent is None or base is None or not base.said:
            return "start"
        if self.asked.fresh:
            return "fresh"
        if sent.is_unclear:
            return "unclear"
        if base.version > self.session.version:
            return "restored"
        if base.compactions != _compactions(self.state):
            return "compaction"
        if self.state.look is not None and any(self.session.events(base.version, types=[LOOK])):
            return "unsaid"  # with other headings and words
        texts = self.asked.texts
        if texts is None:
            return None
        is_there = (
            holds(texts, base.said) if self.asked.host_keeps_messages else stands(texts, base.said)
        )
        return None if is_there else "cut"

    def _changed(self, base: Base, follows: str) -> KeptDelivery | _delivery.Why:
        """The changes since then, or the reason to send the whole HUD instead."""
        asked = self.asked
        usage = base.reading(self.state.usage, asked.thresholds)
        request = self._request(base.told, base.version)
        node, rendered, context, *_ = self.show(usage, False, self._remaining(request))
        said = update(base.told, node, rendered, context, self.reader, request=request)
        if said is None:
            return "unsaid"
        if said.text and rendered.count_tokens(said.text) > max(rendered.tokens, FEW):
            return "grown"
        parts: list[Part] = []
        if said.text:
            parts.append(Part(said.text, "delta", "append", base.version, breakpoint="behind"))
        brief = self._brief(base)
        if brief:
            parts.append(Part(brief, "brief", "append", breakpoint="behind"))
        parts += self._notice("append")
        anchor = self._anchor() if brief else base.anchor
        now = Base(
            self.session.version, base.compactions, said.told, base.said, _data(usage), anchor
        )
        return self._kept(parts, now, follows)

    def _still_there(self, base: Base | None) -> tuple[SentText, ...]:
        """The texts to repeat after the same messages, so that no byte changes."""
        texts = self.asked.texts
        if base is None or texts is None or self.asked.host_keeps_messages or self.asked.fresh:
            return ()
        return base.said if stands(texts, base.said) else ()

    def _may_be_read(self, base: Base | None) -> bool:
        """Whether a history that the host stores may still have earlier texts, whatever it has lost."""
        if base is None or not self.asked.host_keeps_messages or self.asked.fresh:
            return False
        texts = self.asked.texts
        return bool(base.said) if texts is None else any(holds(texts, [one]) for one in base.said)

    def _whole(self, why: _delivery.Why, known: Base | None) -> KeptDelivery:
        before = self._still_there(known)
        usage = self.state.usage
        request = self._request(None)
        node, rendered, context, *_ = self.show(usage, False, self._remaining(request))
        told = tell(node, rendered, context, self.reader, request=request)
        # A title alone is needed only to replace earlier texts.
        text = rendered.text if told.entries or before or self._may_be_read(known) else ""
        parts = [Part(text, "whole", "append", breakpoint="behind")]
        parts += self._notice("append")
        compactions = _compactions(self.state)
        base = Base(self.session.version, compactions, told, before, _data(usage), self._anchor())
        return self._kept([each for each in parts if each.text], base, None, why)

    def _kept(
        self,
        parts: Sequence[Part],
        base: Base,
        follows: str | None,
        why: _delivery.Why | None = None,
    ) -> KeptDelivery:
        texts = self.asked.texts or ()
        before = ""
        if not self.asked.host_keeps_messages:
            before = prefixes(texts)[-1]
            parts = [replace(each, behind=len(texts)) for each in parts]
        said = (*base.said, *(SentText(each, before) for each in parts))
        delivery = replace(self._delivery(tuple(parts)), replay=self._replay(base), why=why)
        return KeptDelivery(delivery, replace(base, said=said), follows)

    def _delivery(self, parts: tuple[Part, ...]) -> Delivery:
        session, asked = self.session, self.asked
        return Delivery(self.id, session.id, asked.reader, asked.mode, session.version, parts)

    def _notice(self, place: Mode) -> list[Part]:
        """The warning about the agent's context, if it is due and requested."""
        made = due(self.session, self.asked.words) if self.asked.intervenes else None
        if made is None:
            return []
        side: Literal["before", "behind"] = "before" if place == "tail" else "behind"
        return [Part(made.text, "notice", place, breakpoint=side)]

    def _brief(self, base: Base) -> str:
        """The most important items again, if that is due."""
        reanchor, (tokens, version) = self.asked.reanchor, base.anchor
        if reanchor is None:
            return ""
        used = self._anchor()[0]
        is_far = reanchor.tokens is not None and used - tokens >= reanchor.tokens
        if not is_far and reanchor.errors is not None:
            alerts = [
                each.type
                for each in self.session.domain.section_events.values()
                if each.section.alerts and isinstance(each.verb, Add)
            ]
            wrong = sum(1 for _ in self.session.events(version, types=alerts))
            is_far = wrong >= reanchor.errors
        return self.show(self.state.usage, True, None).rendered.text if is_far else ""

    def _request(self, told: ReaderMemory | None, since: int = 0) -> RequestWords | None:
        """The words of the request; None without a conversation.

        :param since: the version of the reader's knowledge.
        """
        conversation = self.asked.conversation
        if conversation is None:
            return None
        entries = [] if told is None else [each for each in told.entries if each.is_told]
        return RequestWords(
            conversation,
            (each.line.name for each in entries),
            (each.key for each in entries),
            partial(self._changed_by_agent, since),
        )

    def _changed_by_agent(self, since: int) -> frozenset[str]:
        """The ids of the items that only the agent has changed since a version."""
        found: dict[bool, set[str]] = {True: set(), False: set()}
        for each in self.session.events(since):
            found[each.actor == "agent"].add(getattr(each.payload, "id", ""))
        return frozenset(found[True] - found[False])

    def _remaining(self, request: RequestWords | None) -> Remaining | None:
        """The rest of the state's values that the request's words do not have."""
        return None if request is None else remaining(self.state, request)

    def _anchor(self) -> tuple[int, int]:
        usage = self.state.usage
        return (0 if usage is None else usage.used), self.session.version


def _check(asked: _delivery.DeliveryRequest) -> None:
    given: object = asked.mode
    if given not in MODES:
        raise DeliveryError(f"{shown(given)} is not a mode; {did_you_mean(str(given), MODES)}")
    reader: object = asked.reader
    if not isinstance(reader, str):
        raise DeliveryError(f'a reader is a text, not {shown(reader)}; write reader="main"')
    if not asked.host_keeps_messages and asked.texts is None:
        raise DeliveryError(
            "host_keeps_messages=False needs the texts of the request that the model is going to read: pass texts="
        )


def _check_tail(asked: _delivery.DeliveryRequest, usage: ContextUsage | None) -> None:
    if asked.mode != "tail" or asked.has_cache_breakpoint:
        return
    history = "the whole history" if usage is None else f"all {usage.used:,} tokens of history"
    raise DeliveryError(
        f"a tail makes most providers bill {history} anew with each request, over 100 turns about 9"
        " times as much as without a HUD, unless a cache breakpoint stands right before it, and the"
        " host sends the history itself: then it is about 1.05 times as much. Confirm that with"
        ' has_cache_breakpoint=True, or where the provider keeps the longest prefix; else use mode="append"'
    )


def _by_layer(rendered: Rendered) -> Iterable[Part]:
    """The static part for the system prompt, and the rest for the end of the history."""
    static, *others = rendered.layers
    yield Part(static.text, "whole", "system", layer="static", breakpoint="behind")
    rest = "\n".join(each.text for each in others if each.text)
    yield Part(rest, "whole", "tail", layer="session", breakpoint="before")


def _compactions(state: State) -> int:
    return 0 if state.session is None else state.session.compactions


def _data(usage: ContextUsage | None) -> dict[str, int | str | bool | None] | None:
    return None if usage is None else msgspec.to_builtins(usage.model_dump())
