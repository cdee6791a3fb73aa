"""The doctor's checks of stores: payloads, outboxes, damage, and secrets."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from hud_components import CODING, Domain
from hud_runtime._errors import (
    EventError,
    ProjectError,
    StoreDamagedError,
    StoreError,
    StoreLockedError,
    StoreReadOnlyError,
    StoreUnavailableError,
    StoreVersionError,
)
from hud_runtime._progress import progress
from hud_runtime.cli._commands import UsageError, domain
from hud_runtime.cli._doctor import Finding, Place, store_name, store_paths
from hud_runtime.cli._stored import moment
from hud_runtime.log.events import AS_RECORDED, Event, Stored, catalog_of
from hud_runtime.log.outbox import EventQueue, Outbox, QueuedEvents
from hud_runtime.log.projection import project, why_unread
from hud_runtime.log.secrets import SecretMatch, find, place_name, texts_in
from hud_runtime.log.store import Damage, Figure
from hud_runtime.log.store._log_store import LogStore
from hud_runtime.log.store._replace import PARTIAL, RESCUED
from hud_runtime.session._hud_store import domains_of, open_log
from ujsx.errors import listed, mistakes_of

# The check of events: whether the loaded domains can read them. Unreadable events are kept
# unchanged, and a state counts them.

SHOWN = 50
"""Maximum named groups of events for each store: of one type, unreadable for one reason."""

PLACES = 5
"""Maximum named sessions for each group, and runs of versions for each session."""

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
"""The remedies by reason. Unreadable events are kept in any case."""


@dataclass(slots=True)
class UnreadEvents:
    """Events of one type that are unreadable for one reason."""

    section: str
    type: str
    kind: str
    name: str
    why: str
    versions: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """The versions of the events, by session."""

    def finding(self, store: str) -> Finding:
        """Return the finding for a store's name."""
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
    """Versions in words, with consecutive ones as ranges.

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


def first_of(findings: Iterable[Finding], most: int, more: str) -> Iterator[Finding]:
    """Yield the first findings, and how many more there are."""
    rest = iter(findings)
    yield from islice(rest, most)
    if others := [*rest]:
        yield Finding(others[0].name, f"{len(others):,} {more}", others[0].verdict)


def look_at_payloads(name: str, store: LogStore) -> Iterator[Finding]:
    """Yield the findings about the payloads in a sound store."""
    try:
        asked = domain()
    except (UsageError, ProjectError) as error:
        yield Finding(name, "what its events say is read as the coding HUD's", "note", str(error))
        asked = CODING
    at_hand = {each.name: each for each in (CODING, asked)}
    others: set[str] = set()
    groups: dict[tuple[str, ...], UnreadEvents] = {}
    for session_id, version, each in _unread(store, at_hand, others):
        key = (each.section, each.type, each.kind, each.name)
        groups.setdefault(key, each).versions.setdefault(session_id, []).append(version)
    unread = (each.finding(name) for each in groups.values())
    yield from first_of(unread, SHOWN, "more kinds of events that cannot be read")
    if others:
        value = f"there are sessions of other domains: {listed(sorted(others))}"
        advice = "what their events say was not looked into: give --domain package.module:NAME"
        yield Finding(name, value, "note", advice)


def _unread(
    store: LogStore, at_hand: dict[str, Domain[Any]], others: set[str]
) -> Iterator[tuple[str, int, UnreadEvents]]:
    """Yield the unreadable events of sessions with loaded domains, and collect the other domains."""
    for session_id in store.sessions():
        start = _start(store, session_id)
        lost = "unknown, as the beginning is lost"
        named = lost if start is None else next(domains_of(store, session_id))
        own = at_hand.get(named)
        if start is None or own is None:
            others.add(named)
            continue
        state: Any = own.state()
        for event in progress(store.read(session_id, catalog=catalog_of(own)), "reading events"):
            before, state = state, project(state, event, own)
            is_stored = isinstance(event.payload, Stored)
            if not is_stored and len(state.unreadable) <= len(before.unreadable):
                continue
            if event.version == 1 and not is_stored:
                found = _of_start(own, start)
            else:
                found = iter([_of_event(own, event, before)])
            yield from ((session_id, event.version, each) for each in found)


def _of_event(own: Domain[Any], event: Event, before: Any) -> UnreadEvents:
    """The unreadable parts of an event, by reason."""
    kind, name = _kind(own, event)
    why = (why_unread(before, event, own) or "").removeprefix(f"{event.type}: ")
    return UnreadEvents(own.owner_of(event.type), event.type, kind, name, why)


def _kind(own: Domain[Any], event: Event) -> tuple[str, str]:
    """The reason why an event is unreadable, as in :data:`ADVICE`, and its field."""
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
        details = sorted(mistakes_of(error), key=lambda one: one["type"] != "extra_forbidden")
        return details[0]["type"], ".".join(map(str, details[0]["loc"]))
    return "", ""


def _of_start(own: Domain[Any], start: Event) -> Iterator[UnreadEvents]:
    """The missing initial data of a session."""
    assert isinstance(start.payload, Stored)
    recorded: Any = json.loads(start.payload.text)
    for place, why in own.left_out(recorded):
        name = place.partition("[")[0]
        yield UnreadEvents(
            own.owner_of(name), f"{start.type}, inherited.{name}", "inherited", why, why
        )
    for each in recorded["inherited"].get("unreadable", ()):
        yield UnreadEvents(
            each["section"], start.type, "origin", "", "its project or parent could not read it"
        )


def _start(store: LogStore, session_id: str) -> Event | None:
    """A session's first event as recorded; None if it is lost, as after a repair."""
    try:
        return next(iter(store.read(session_id, 0, 1, catalog=AS_RECORDED)), None)
    except StoreDamagedError:
        return None


MOST_SHOWN = 5
"""Maximum damages of a store that are reported one by one; the others are counted."""


DAMAGE_ADVICE = (
    "restore a backup: `ujsx store restore`; where there is none, `ujsx store repair` saves what can be"
    " read and keeps the damaged files"
)
DERIVED = "no event is lost; `ujsx store repair` makes it anew"
EMPTY = (
    "if it is a copy of a file in use, its events stayed behind in the write-ahead log: copy with"
    " `ujsx store backup`"
)
UNFINISHED = "searches do not find the texts, but the files may still hold bytes of them: erase the same event again, or any"
LEFT_ASIDE = (
    "a file of the store was moved or overwritten while it was open, and what was acknowledged is here: `ujsx"
    " store restore FOLDER --store FILE --force` puts it back; where it holds only a log, `ujsx store repair"
    " --store FOLDER/hud.db` comes first. Delete the folder when nothing in it is missed"
)
LEFT_HALF = (
    "a process was saving acknowledged events of a store whose file was moved; it is still running or was"
    " killed. If it was killed: `ujsx store repair --store FOLDER/hud.db` saves what can be read of it, where"
    " there is a file; restore a backup for the rest. Delete the folder when nothing in it is missed"
)
NO_RULES = (
    "the HUD of these sessions does not show what the user ruled out; take rules={false} out of the layout's Hud, or place"
    " RulesList in it"
)
"""The remedy for a store."""


def look(path: str | Path) -> Iterator[Finding]:
    """Yield the findings about a store."""
    short = store_name(path)
    name = f"store {short}"
    is_there = isinstance(path, Path) and os.path.lexists(path)
    # Opening a pipe would wait for its writer.
    if is_there and not Path(path).is_file():
        advice = (
            f"{path} is not a file, or a link that leads to none; move it elsewhere, or remove it"
        )
        yield Finding(name, "cannot be used", "unusable", advice)
        return
    try:
        with closing(open_log(path, read_only=True)) as store:
            found = [*_of_store(short, store)]
    except StoreDamagedError as error:
        yield Finding(name, "damaged", "damaged", f"{error}; {DAMAGE_ADVICE}")
    except (
        StoreVersionError,
        StoreReadOnlyError,
        StoreLockedError,
        StoreUnavailableError,
    ) as error:
        yield Finding(name, "cannot be used", "unusable", str(error))
    except StoreError as error:  # another program's
        yield Finding(name, "cannot be looked into", "note", str(error))
    else:
        yield from found


def _of_store(short: str, store: LogStore) -> Iterator[Finding]:
    name, sessions = f"store {short}", store.sessions()
    events = sum(store.head(session).version for session in sessions)
    damages = store.verify()
    if not damages:
        value = f"layout {store.layout}, sessions: {len(sessions)}, events: {events}"
        yield Finding(name, f"{value}, all as they were written")
        yield from (_held(f"held by {short}", each) for each in store.figures())
    unfinished = sum(not each.is_done for each in store.erasures())
    if unfinished:
        value = f"erasures that did not come to their end: {unfinished}"
        yield Finding(name, value, "note", UNFINISHED)
    if damages:
        yield from first_of((_damaged(name, each) for each in damages), MOST_SHOWN, "more damages")
        return
    yield from look_at_payloads(name, store)
    if unruled := [*_without_rules(store)]:
        listed = ", ".join(f'"{each}"' for each in unruled[:MOST_SHOWN])
        more = f" and {len(unruled) - MOST_SHOWN} more" if len(unruled) > MOST_SHOWN else ""
        value = f"a layout with rules={{false}} in sessions: {listed}{more}"
        yield Finding(name, value, "note", NO_RULES)
    if not events:
        yield Finding(name, "it holds nothing", "note", EMPTY)


def look_at_rescued(folder: Path, store: str = "*") -> Iterator[Finding]:
    """Yield the folders with data saved when a file of an open store was moved or overwritten.

    :param store: its file name, as a pattern.
    """
    for each in sorted(folder.glob(f"{store}.{RESCUED}-*Z*")):
        name = f"store {each.name.rpartition(f'.{RESCUED}-')[0]}"
        if each.name.endswith(PARTIAL):
            yield Finding(name, f"half rescued: {each.name}", "damaged", LEFT_HALF)
        else:
            yield Finding(name, f"rescued: {each.name}", "damaged", LEFT_ASIDE)


def _without_rules(store: LogStore) -> Iterator[str]:
    """Yield the sessions whose layout omits the user's rules."""
    for session in store.sessions():
        layout: object = None
        for event in store.read(session, types=("session.look",)):
            layout = getattr(event.payload, "layout", None)
        if isinstance(layout, str) and _NO_RULES.search(layout) and "<RulesList" not in layout:
            yield session


_NO_RULES = re.compile(r"<Hud\b[^<>]*\brules=\{false\}")
"""The tag of a layout that omits the rules."""


def _held(name: str, figure: Figure) -> Finding:
    """The number of a kind, and the remedy for a large one."""
    rows = f"{figure.rows:,} rows, " if figure.rows else ""
    value = f"{figure.kind}: {rows}{figure.size:,} bytes"
    if figure.is_near:
        advice = f"bound: {figure.bound.limit}; {figure.bound.advice}"
        return Finding(name, value, "note", advice)
    return Finding(name, value)


def _damaged(name: str, damage: Damage) -> Finding:
    where = f'session "{damage.session_id}", version {damage.version}: '
    what = damage.what if damage.session_id is None else f"{where}{damage.what}"
    return Finding(name, what, "damaged", DERIVED if damage.is_derived else DAMAGE_ADVICE)


# The check of an outbox: its waiting and its refused letters.

OUTBOX_SHOWN = 5
"""Maximum letters that a finding names; the others are counted."""

ASIDE = (
    "the letters that could be read in it wait in the new file; any others were recorded nowhere. Look into it, and"
    " then move it elsewhere, or remove it"
)
"""The advice on a damaged outbox file that was set aside."""
DAMAGED = (
    "it is set aside when a store is opened with it, or by `ujsx store outbox`: no file is deleted, and the letters"
    " that can be read wait on in a new one"
)
"""The advice on a damaged outbox file that is still in its place."""


def look_at_outbox(outbox: Outbox) -> Iterator[Finding]:
    """Yield the findings about an outbox, if it exists, without changing it."""
    name, letters = "outbox", EventQueue(outbox, "", "")
    for aside in letters.set_aside():
        yield Finding(name, f"{aside}: set aside, since it was damaged", "damaged", ASIDE)
    if not os.path.lexists(outbox.path):
        return
    fault = letters.fault()
    if fault is not None:
        yield Finding(name, fault, "damaged", DAMAGED)
        return
    found = letters.all()
    waiting = [each for each in found if each.refusal is None]
    refused = [each for each in found if each.refusal is not None]
    if not found:
        yield Finding(name, f"{outbox.path}: nothing waits")
    for place in dict.fromkeys(each.place for each in waiting):
        these = [each for each in waiting if each.place == place]
        events = sum(len(each.drafts) for each in these)
        value = f"events that wait for {place}: {events:,}, since {moment(these[0].posted_at)}"
        advice = "they are recorded when the store is opened and its server is back: `ujsx store outbox --deliver`"
        yield Finding(name, value, "note", advice)
    yield from first_of(
        (_refused(outbox, each) for each in refused), OUTBOX_SHOWN, "more were refused"
    )


def _refused(outbox: Outbox, letter: QueuedEvents) -> Finding:
    what = f'letter {letter.number}, session "{letter.session_id}": {letter.refusal}'
    advice = (
        f"it is kept, and recorded nowhere: look into {outbox.path}, record it anew, and then"
        f" `ujsx store outbox --forget {letter.number}`"
    )
    return Finding("outbox", what, "refused", advice)


# The check for stored secrets: their places, and never their texts.

SECRETS_SHOWN = 100
"""Maximum secrets of a store that are reported one by one; the others are counted."""

SECRETS_ADVICE = "ujsx session erase {session} {version} --secrets masks it; then make a new one where it is from"


def look_at_secrets(place: Place) -> Iterator[Finding]:
    """Yield the places in stores that look like secrets."""
    for path in store_paths(place):
        name = f"secrets in {store_name(path)}"
        with suppress(StoreError), closing(open_log(path, read_only=True)) as store:
            found = [*first_of(_secrets(name, store), SECRETS_SHOWN, "more")]
            yield from found or [Finding(name, "none is known for one")]


def _secrets(name: str, store: LogStore) -> Iterator[Finding]:
    for session_id in store.sessions():
        for event in progress(store.read(session_id, catalog=AS_RECORDED), "looking for secrets"):
            assert isinstance(event.payload, Stored)
            data: Any = json.loads(event.payload.text)
            for place, text in texts_in(data):
                for found in find(text):
                    where = f'session "{session_id}", version {event.version}, {event.type}'
                    what = f"{where}, {place_name(place)}: {_told(found)}"
                    advice = SECRETS_ADVICE.format(session=session_id, version=event.version)
                    yield Finding(name, what, "secret", advice)
    for table, column, session_id, text in store.other_texts():
        for found in find(text):
            where = f'session "{session_id}", {table}, {column}'
            yield Finding(name, f"{where}: {_told(found)}", "secret", OTHERS)


OTHERS = "it is kept beside the log; purge the session, or wait for the table's sweep"


def _told(found: SecretMatch) -> str:
    begins = f', begins with "{found.begins}"' if found.begins else ""
    return f"{found.kind}{begins}"
