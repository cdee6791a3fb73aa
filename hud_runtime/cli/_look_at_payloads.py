"""The doctor's look at what events say: whether the domains that are at hand can read it.

What cannot be read is kept as it stands; a state counts it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from hud_components import CODING, Domain
from hud_runtime._errors import EventError, ProjectError, StoreDamagedError
from hud_runtime._watched import watched
from hud_runtime.cli._arguments import UsageError
from hud_runtime.cli._checks import Finding
from hud_runtime.cli._domain import domain
from hud_runtime.events import AS_RECORDED, Event, Stored, catalog_of
from hud_runtime.projection import project, why_unread
from hud_runtime.session._domains_at_hand import domains_of
from hud_runtime.store._log_store import LogStore
from ujsx.errors import listed

SHOWN = 50
"""Groups of events that are named for each store: events of one type that cannot be read for one reason."""

PLACES = 5
"""Sessions that are named for each group, and runs of versions for each session."""

ADVICE: Mapping[str, str] = MappingProxyType(
    {
        "section": 'if the section has another name today, give it former = ("{prefix}",)',
        "verb": "the section has no such verb today: keep it in verbs, with is_operation=False where agents are not to"
        ' have it, and keep the section\'s event = "{prefix}"',
        "missing": 'give the field a default, or fill it in: upcasts = {{"{type}": function}}',
        "extra_forbidden": "name what the field is called today, or None for one that is gone: former_fields ="
        ' {{"{name}": …}}',
        "upcast": "repair the function in upcasts, and raise the section's revision by one",
        "refused": "the section's own rules refuse it: let its verb, or its model, take what was recorded, and raise"
        " its revision by one",
        "inherited": "the session goes on without it, and its first event still has it, as it was recorded: give the"
        " section former, former_fields or upcasts",
        "origin": "the log that it was to come from still has it; a session that begins once that can be read has it",
        "": 'turn what was recorded into what fits: upcasts = {{"{type}": function}}',
    }
)
"""The remedies, by why something cannot be read. It is kept in any case."""


@dataclass(slots=True)
class Unread:
    """Events of one type that cannot be read for one reason."""

    section: str
    type: str
    kind: str
    name: str
    why: str
    versions: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """The versions of the events, by session."""

    def finding(self, store: str) -> Finding:
        """Return it as a finding of the store of that name."""
        places = [f'session "{each}", {_versions(one)}' for each, one in self.versions.items()]
        more = len(places) - PLACES
        where = "; ".join(
            [*places[:PLACES], *([f"and {more:,} more sessions"] if more > 0 else [])]
        )
        count = sum(map(len, self.versions.values()))
        what = f"{count:,} {'entry' if count == 1 else 'entries'} of {self.type}"
        value = f"{self.section}: {what} cannot be read: {self.why} ({where})"
        prefix = self.type.rpartition(".")[0]
        advice = ADVICE.get(self.kind, ADVICE[""])
        return Finding(
            store, value, "unread", advice.format(type=self.type, prefix=prefix, name=self.name)
        )


def _versions(versions: list[int]) -> str:
    """Versions in words, those in a row as one.

    >>> _versions([2, 3, 4, 7]), _versions([5])
    ('versions 2–4, 7', 'version 5')
    """
    runs: list[list[int]] = []
    for each in dict.fromkeys(versions):
        if runs and each == runs[-1][-1] + 1:
            runs[-1].append(each)
        else:
            runs.append([each])
    told = [f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    cut = [*told[:PLACES], "…"] if len(told) > PLACES else told
    return f"version{'' if told == [str(versions[0])] else 's'} {', '.join(cut)}"


def look_at_payloads(name: str, store: LogStore) -> Iterator[Finding]:
    """Yield what there is to say of the payloads in a sound store."""
    try:
        asked = domain()
    except (UsageError, ProjectError) as error:
        yield Finding(name, "what its events say is read as the coding HUD's", "note", str(error))
        asked = CODING
    at_hand = {each.name: each for each in (CODING, asked)}
    others: set[str] = set()
    groups: dict[tuple[str, ...], Unread] = {}
    for session_id, version, each in _unread(store, at_hand, others):
        key = (each.section, each.type, each.kind, each.name)
        groups.setdefault(key, each).versions.setdefault(session_id, []).append(version)
    yield from (each.finding(name) for each in islice(groups.values(), SHOWN))
    if len(groups) > SHOWN:
        yield Finding(
            name, f"{len(groups) - SHOWN} more kinds of events that cannot be read", "unread"
        )
    if others:
        value = f"there are sessions of other domains: {listed(sorted(others))}"
        advice = "what their events say was not looked into: give --domain package.module:NAME"
        yield Finding(name, value, "note", advice)


def _unread(
    store: LogStore, at_hand: dict[str, Domain[Any]], others: set[str]
) -> Iterator[tuple[str, int, Unread]]:
    """Yield what cannot be read in sessions whose domain is at hand, and collect the other domains."""
    for session_id in store.sessions():
        start = _start(store, session_id)
        lost = "unknown, as the beginning is lost"
        named = lost if start is None else next(domains_of(store, session_id))
        own = at_hand.get(named)
        if start is None or own is None:
            others.add(named)
            continue
        state: Any = own.state()
        for event in watched(store.read(session_id, catalog=catalog_of(own)), "reading events"):
            before, state = state, project(state, event, own)
            is_stored = isinstance(event.payload, Stored)
            if not is_stored and len(state.unreadable) <= len(before.unreadable):
                continue
            if event.version == 1 and not is_stored:
                found = _of_start(own, start)
            else:
                found = iter([_of_event(own, event, before)])
            yield from ((session_id, event.version, each) for each in found)


def _of_event(own: Domain[Any], event: Event, before: Any) -> Unread:
    """What cannot be read of an event, and why, by its kind."""
    kind, name = _kind(own, event)
    why = (why_unread(before, event, own) or "").removeprefix(f"{event.type}: ")
    return Unread(own.owner_of(event.type), event.type, kind, name, why)


def _kind(own: Domain[Any], event: Event) -> tuple[str, str]:
    """Why an event cannot be read, as :data:`ADVICE` has it, and the field that it lies in."""
    if not isinstance(event.payload, Stored):
        return "refused", ""
    try:
        _, read = catalog_of(own).reader(event.type)
    except EventError:
        return "verb" if own.owner_of(event.type) in own.fields else "section", ""
    try:
        read(event.payload.text)
    except EventError:
        return "upcast", ""
    except ValidationError as error:
        details = sorted(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
        return details[0]["type"], ".".join(map(str, details[0]["loc"]))
    return "", ""


def _of_start(own: Domain[Any], start: Event) -> Iterator[Unread]:
    """What a session was to begin with, and does not have."""
    assert isinstance(start.payload, Stored)
    recorded: Any = json.loads(start.payload.text)
    for place, why in own.left_out(recorded):
        name = place.partition("[")[0]
        yield Unread(own.owner_of(name), f"{start.type}, inherited.{name}", "inherited", why, why)
    for each in recorded["inherited"].get("unreadable", ()):
        yield Unread(
            each["section"], start.type, "origin", "", "its project or parent could not read it"
        )


def _start(store: LogStore, session_id: str) -> Event | None:
    """A session's first event as it was recorded; None where it is lost, as after a repair."""
    try:
        return next(iter(store.read(session_id, 0, 1, catalog=AS_RECORDED)), None)
    except StoreDamagedError:
        return None
