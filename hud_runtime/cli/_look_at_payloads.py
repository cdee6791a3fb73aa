"""The doctor's look at what events say: whether the domains that are at hand can read it.

What cannot be read is kept as it stands, and skipped when a state is folded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from hud_components import CODING, Domain
from hud_runtime._errors import EventError, ProjectError, StoreDamagedError
from hud_runtime._watched import watched
from hud_runtime.cli._arguments import UsageError
from hud_runtime.cli._checks import Finding
from hud_runtime.cli._domain import domain
from hud_runtime.events import Event, EventCatalog, Stored, catalog_of
from hud_runtime.session._domains_at_hand import domain_named
from hud_runtime.store._log_store import LogStore
from ujsx.errors import listed

SHOWN = 5
"""What cannot be read is told one by one so often for each store; the rest is counted."""

UNREAD = (
    "it is kept, and skipped; say what it is called today, or how it is read: former, former_fields or"
    " upcasts of the section"
)
LEFT_OUT = "the session goes on without it; its first event still has it, as it was recorded"
"""What to do about it."""


class Unread(NamedTuple):
    """Something that an event says and that its domain cannot read."""

    event: Event
    what: str
    advice: str

    def finding(self, name: str) -> Finding:
        """Return it as a finding of the store of that name."""
        event = self.event
        where = f'session "{event.session_id}", version {event.version}, {event.type}'
        return Finding(name, f"{where}: {self.what}", "unread", self.advice)


def look_at_payloads(name: str, store: LogStore) -> Iterator[Finding]:
    """Yield what there is to say of the payloads in a sound store."""
    try:
        asked = domain()
    except (UsageError, ProjectError) as error:
        yield Finding(name, "what its events say is read as the coding HUD's", "note", str(error))
        asked = CODING
    at_hand = {each.name: each for each in (CODING, asked)}
    others: set[str] = set()
    found = _unread(store, at_hand, others)
    yield from (each.finding(name) for each in islice(found, SHOWN))
    more = sum(1 for _ in found)
    if more:
        yield Finding(name, f"{more} more that cannot be read", "unread")
    if others:
        value = f"there are sessions of other domains: {listed(sorted(others))}"
        advice = "what their events say was not looked into: give --domain package.module:NAME"
        yield Finding(name, value, "note", advice)


def _unread(store: LogStore, at_hand: dict[str, Domain[Any]], others: set[str]) -> Iterator[Unread]:
    """Yield what cannot be read in sessions whose domain is at hand, and collect the other domains."""
    for session_id in store.sessions():
        start = _start(store, session_id)
        named = "unknown, as the beginning is lost" if start is None else domain_named(start)
        own = at_hand.get(named)
        if start is None or own is None:
            others.add(named)
            continue
        for event in watched(store.read(session_id, catalog=catalog_of(own)), "reading events"):
            if isinstance(event.payload, Stored):
                yield Unread(event, event.payload.reason, UNREAD)
            elif event.version == 1 and isinstance(start.payload, Stored):
                for place, why in own.left_out(json.loads(start.payload.text)):
                    yield Unread(event, f"inherited.{place} is left out: {why}", LEFT_OUT)


def _start(store: LogStore, session_id: str) -> Event | None:
    """A session's first event as it was recorded; None where it is lost, as after a repair."""
    try:
        return next(iter(store.read(session_id, 0, 1, catalog=AS_IT_STANDS)), None)
    except StoreDamagedError:
        return None


class _AsItStands(EventCatalog):
    """Reads no payload: each stays the JSON that was recorded."""

    def reader(self, event_type: str) -> Any:
        raise EventError(f'"{event_type}" is not read')


AS_IT_STANDS = _AsItStands(CODING)
"""Reads events without a look at what they say: each payload is :class:`Stored`."""
