"""The domain that a session belongs to, and whether it is available."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from hud_components import CODING, Domain
from hud_runtime._errors import DomainError, StoreDamagedError
from hud_runtime.events import Event, Stored
from hud_runtime.projection import HUD
from hud_runtime.store import EventStore
from ujsx.errors import listed, shown

NO_SECTIONS = {
    "sections": 'write domain=Domain("…", sections=(…)), from hud_components import Domain'
}
"""The refusal of sections where their domain belongs."""

_GIVE = "give the Domain itself, such as domain=CODING"


class DomainsAtHand:
    """The domains of a store: that of new sessions, those that were given beside it, and the coding HUD.

    :raises DomainError: for what is no domain, and for two of one name.
    """

    def __init__(
        self, events: EventStore, usual: Domain[Any], others: Iterable[Domain[Any]]
    ) -> None:
        self._events = events
        self._usual = usual
        self.by_name = by_name((CODING, *others, usual))

    def of(self, session_id: str) -> Domain[Any]:
        """Return the domain that a session's first event names; that of new sessions where there is none.

        :raises DomainError: for one that is not at hand.
        """
        name = self.name_of(session_id)
        if name not in self.by_name:
            raise DomainError(
                f'session "{session_id}" belongs to the domain "{name}", which is not at hand',
                f"open the store with domain= or domains=; there are {listed([*self.by_name])}",
            )
        return self.by_name[name]

    def name_of(self, session_id: str) -> str:
        """Return the name of the domain that a session belongs to, or will belong to."""
        return next(self._named(session_id), self._usual.name)

    def _named(self, session_id: str) -> Iterator[str]:
        """The name of the domain that a session belongs to, if it has begun.

        Of one whose beginning is lost, as after a repair, a snapshot tells it.
        """
        try:
            yield from domains_of(self._events, session_id)
        except StoreDamagedError:
            newest = 2**62
            for name, each in self.by_name.items():
                for revision in (each.revision, *each.former_revisions):
                    if self._events.snapshot(session_id, HUD.name, revision, newest) is not None:
                        yield name
                        return
            raise


MOVED = "session.domain"
"""The type of the event that moves a session to another domain."""


def domains_of(events: EventStore, session_id: str) -> Iterator[str]:
    """Yield the names of the domains that a session has belonged to, the newest first.

    Few sessions have moved: those that have are found by the index of types.
    """
    moves = [*events.read(session_id, types={MOVED})]
    yield from map(domain_named, reversed(moves))
    yield from map(domain_named, events.read(session_id, 0, 1))


def domain_named(event: Event) -> str:
    """Return the name of the domain that an event names: a session's first one, or one that moved it."""
    said = event.payload
    if isinstance(said, Stored):
        return str(said.model_dump().get("domain", CODING.name))
    return str(getattr(said, "domain", CODING.name))


def by_name(domains: Iterable[Domain[Any]]) -> dict[str, Domain[Any]]:
    """Return domains by their names.

    :raises DomainError: for what is no domain, and for two of one name.
    """
    found: dict[str, Domain[Any]] = {}
    for domain in domains:
        given: object = domain
        if not isinstance(given, Domain):
            write = NO_SECTIONS["sections"] if isinstance(given, list | tuple) else _GIVE
            raise DomainError(f"{shown(given)} is no domain; {write}")
        if found.setdefault(domain.name, domain) is not domain:
            raise DomainError(f'there are two domains of the name "{domain.name}"; rename one')
    return found
