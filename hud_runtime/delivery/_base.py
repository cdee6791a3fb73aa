"""The knowledge of a reader, as it is kept beside the log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

import msgspec

from hud_components import ContextUsage, Thresholds
from hud_components.delta import Told
from hud_runtime.delivery._delivery import Delivery, Part
from hud_runtime.delivery._reading import counted
from hud_runtime.store import EventStore, StoredDelivery


class Said(msgspec.Struct, frozen=True):
    """A text that a reader was sent, and where it stands."""

    part: Part

    before: str = ""
    """A digest of the host's messages before it, where the host stores none of ours."""


class Base(msgspec.Struct, frozen=True):
    """What a reader knows once a delivery was sent."""

    version: int
    compactions: int
    told: Told

    said: tuple[Said, ...]
    """What it was sent since the last time that it was sent all, that included; where the host stores
    none of ours, since its history began."""

    usage: dict[str, int | str | None] | None
    """The reading of the context that it knows."""

    anchor: tuple[int, int]
    """The tokens of history, and the version, at which it last read what matters most."""

    def reading(self, now: ContextUsage | None, thresholds: Thresholds) -> ContextUsage | None:
        """Return the reading that counts: the one that is known, until the level is another one."""
        known = None if self.usage is None else ContextUsage.model_validate(self.usage)
        return counted(known, now, thresholds)


class Kept(msgspec.Struct, frozen=True):
    """A delivery as it is kept: what to send, and what its reader knows then."""

    delivery: Delivery
    base: Base | None = None
    """None for one that leaves no trace."""

    follows: str | None = None
    """The delivery that it goes on from; None for one that goes on from none."""

    is_unclear: bool = False
    """Whether it was sent although another was meanwhile, so that nobody knows what is known."""

    def stored(self, *, is_sent: bool) -> StoredDelivery:
        """Return it as a store keeps it."""
        one = self.delivery
        return StoredDelivery(
            one.session, one.reader, one.id, is_sent, msgspec.json.encode(self).decode()
        )


class Ledger(msgspec.Struct, frozen=True):
    """What is kept for one reader."""

    sent: Kept | None
    made: tuple[Kept, ...]
    """What was made since, in that order, sent or not."""

    @classmethod
    def of(cls, events: EventStore, session: str, reader: str) -> Ledger:
        """Return what a store keeps."""
        sent: Kept | None = None
        made: list[Kept] = []
        for kept, is_sent in _kept(events, session, reader):
            if is_sent:
                sent = kept
            else:
                made.append(kept)
        return cls(sent, tuple(made))

    def find(self, name: str) -> Kept | None:
        """Return the delivery with that id."""
        kept = (*self.made, *([self.sent] if self.sent else []))
        return next((each for each in kept if each.delivery.id == name), None)


def _kept(
    events: EventStore, session: str, reader: str | None = None
) -> Iterator[tuple[Kept, bool]]:
    """What a store keeps, and whether it was sent. What this version cannot read counts as lost."""
    for row in events.deliveries(session, reader):
        try:
            yield msgspec.json.decode(row.body, type=Kept), row.is_sent
        except (msgspec.ValidationError, msgspec.DecodeError):
            continue


def kept_deliveries(events: EventStore, session: str) -> list[tuple[Delivery, bool]]:
    """Return the deliveries of a session that are kept, oldest first, and whether each was sent.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     _ = session.record("note.add", content="Port 8080")
    ...     made = session.deliver()
    ...     kept_deliveries(store.session("s").log, "s") == [(made, False)]
    True
    """
    return [(kept.delivery, is_sent) for kept, is_sent in _kept(events, session)]


def holds(texts: Sequence[str], words: Iterable[Said]) -> bool:
    r"""Tell whether all words stand in texts, in their order.

    >>> from hud_runtime.delivery import Part
    >>> words = [Said(Part(text, "delta", "append")) for text in ("a\n", "b\n")]
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


def stands(texts: Sequence[str], words: Iterable[Said]) -> bool:
    """Tell whether the same messages stand before all words as when they were said."""
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
