"""The doctor's look into a store: its layout, what it holds, and whether that is as it was written.

The file is opened to be read and is not changed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from hud_runtime._errors import (
    StoreDamagedError,
    StoreError,
    StoreLockedError,
    StoreReadOnlyError,
    StoreUnavailableError,
    StoreVersionError,
)
from hud_runtime.cli._checks import Finding, store_name
from hud_runtime.cli._look_at_payloads import look_at_payloads
from hud_runtime.session._open_log import open_log
from hud_runtime.store import Damage, Figure
from hud_runtime.store._log_store import LogStore
from hud_runtime.store._replace import PARTIAL
from hud_runtime.store._rescue import RESCUED

SHOWN = 5
"""Damages of a store that are told one by one; the others are counted."""


ADVICE = (
    "restore a backup: `ujsx store restore`; where there is none, `ujsx store repair` saves what can be"
    " read and keeps the damaged files"
)
DERIVED = "no event is lost; `ujsx store repair` makes it anew"
EMPTY = (
    "if it is a copy of a file in use, its events stayed behind in the write-ahead log: copy with"
    " `ujsx store backup`"
)
UNFINISHED = "nobody finds the texts, but bytes of them may be in the files: erase the same event again, or any"
LEFT_ASIDE = (
    "a file of the store was moved or overwritten while it was open, and what was acknowledged is here: `ujsx"
    " store restore FOLDER --store FILE --force` puts it back; where it holds only a log, `ujsx store repair"
    " --store FOLDER/hud.db` comes first. Delete the folder when nothing in it is missed"
)
LEFT_HALF = (
    "a process that was saving what was acknowledged to a store, whose file was moved, is still at it or was"
    " killed. If it was killed: `ujsx store repair --store FOLDER/hud.db` saves what can be read of it, where"
    " there is a file; restore a backup for the rest. Delete the folder when nothing in it is missed"
)
NO_RULES = (
    "the HUD of these sessions does not show what the user ruled out; take rules={false} out of the layout's Hud, or place"
    " RulesList in it"
)
"""What to do about a store."""


def look(path: str | Path) -> Iterator[Finding]:
    """Yield what there is to say of a store."""
    short = store_name(path)
    name = f"store {short}"
    is_there = isinstance(path, Path) and os.path.lexists(path)
    # Opening a pipe would wait for whoever writes into it.
    if is_there and not Path(path).is_file():
        advice = f"{path} is no file, or a link that leads to none; move it elsewhere, or remove it"
        yield Finding(name, "cannot be used", "unusable", advice)
        return
    try:
        with closing(open_log(path, read_only=True)) as store:
            sessions = store.sessions()
            events = sum(store.head(session).version for session in sessions)
            value = f"layout {store.layout}, sessions: {len(sessions)}, events: {events}"
            damages = store.verify()
            held = () if damages else store.figures()
            unfinished = [each for each in store.erasures() if not each.is_done]
            unread = () if damages else tuple(look_at_payloads(name, store))
            unruled = () if damages else tuple(_without_rules(store))
    except StoreDamagedError as error:
        yield Finding(name, "damaged", "damaged", f"{error}; {ADVICE}")
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
        if not damages:
            yield Finding(name, f"{value}, all as they were written")
        yield from (_held(f"held by {short}", each) for each in held)
        if unfinished:
            yield Finding(
                name,
                f"erasures that did not come to their end: {len(unfinished)}",
                "note",
                UNFINISHED,
            )
        yield from unread
        if unruled:
            listed = ", ".join(f'"{each}"' for each in unruled[:SHOWN])
            more = f" and {len(unruled) - SHOWN} more" if len(unruled) > SHOWN else ""
            value = f"a layout with rules={{false}} in sessions: {listed}{more}"
            yield Finding(name, value, "note", NO_RULES)
        for damage in damages[:SHOWN]:
            advice = DERIVED if damage.is_derived else ADVICE
            yield Finding(name, _sentence(damage), "damaged", advice)
        if not damages and not events:
            yield Finding(name, "it holds nothing", "note", EMPTY)
        if len(damages) > SHOWN:
            yield Finding(name, f"{len(damages) - SHOWN} more damages", "damaged")


def look_at_rescued(folder: Path, store: str = "*") -> Iterator[Finding]:
    """Yield the folders with what was saved when a file of an open store was moved or overwritten.

    :param store: the name of its file, as a pattern.
    """
    for each in sorted(folder.glob(f"{store}.{RESCUED}-*Z*")):
        name = f"store {each.name.rpartition(f'.{RESCUED}-')[0]}"
        if each.name.endswith(PARTIAL):
            yield Finding(name, f"half rescued: {each.name}", "damaged", LEFT_HALF)
        else:
            yield Finding(name, f"rescued: {each.name}", "damaged", LEFT_ASIDE)


def _without_rules(store: LogStore) -> Iterator[str]:
    """Yield the sessions whose layout leaves out the user's rules."""
    for session in store.sessions():
        layout: object = None
        for event in store.read(session, types=("session.look",)):
            layout = getattr(event.payload, "layout", None)
        if isinstance(layout, str) and _NO_RULES.search(layout) and "<RulesList" not in layout:
            yield session


_NO_RULES = re.compile(r"<Hud\b[^<>]*\brules=\{false\}")
"""The tag of a layout that leaves the rules out."""


def _held(name: str, figure: Figure) -> Finding:
    """How much there is of a kind, and what to do where it is much."""
    rows = f"{figure.rows:,} rows, " if figure.rows else ""
    value = f"{figure.kind}: {rows}{figure.size:,} bytes"
    if figure.is_near:
        advice = f"bound: {figure.bound.limit}; {figure.bound.advice}"
        return Finding(name, value, "note", advice)
    return Finding(name, value)


def _sentence(damage: Damage) -> str:
    if damage.session_id is None:
        return damage.what
    return f'session "{damage.session_id}", version {damage.version}: {damage.what}'
