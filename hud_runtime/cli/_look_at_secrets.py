"""The doctor's look for secrets that are stored: where they are, and never what they are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

from hud_runtime._errors import StoreError
from hud_runtime._watched import watched
from hud_runtime.cli._checks import Finding, Place, store_name, store_paths
from hud_runtime.events import AS_RECORDED, Stored
from hud_runtime.secrets import Found, find, place_name, texts_in
from hud_runtime.session._open_log import open_log
from hud_runtime.store._log_store import LogStore

SHOWN = 100
"""Secrets of a store that are told one by one; the others are counted."""

ADVICE = "ujsx session erase {session} {version} --secrets masks it; then make a new one where it is from"


def look_at_secrets(place: Place) -> Iterator[Finding]:
    """Yield where the stores hold what looks like a secret."""
    for path in store_paths(place):
        yield from _of_store(path)


def _of_store(place: str | Path) -> Iterator[Finding]:
    name = f"secrets in {store_name(place)}"
    try:
        with closing(open_log(place, read_only=True)) as store:
            found = _findings(name, store)
            shown = list(islice(found, SHOWN))
            more = sum(1 for _ in found)
    except StoreError:  # the look into the store says why
        return
    if not shown:
        yield Finding(name, "none is known for one")
    yield from shown
    if more:
        yield Finding(name, f"{more:,} more", "secret")


def _findings(name: str, store: LogStore) -> Iterator[Finding]:
    for session_id in store.sessions():
        for event in watched(store.read(session_id, catalog=AS_RECORDED), "looking for secrets"):
            assert isinstance(event.payload, Stored)
            data: Any = json.loads(event.payload.text)
            for place, text in texts_in(data):
                for found in find(text):
                    where = f'session "{session_id}", version {event.version}, {event.type}'
                    what = f"{where}, {place_name(place)}: {_told(found)}"
                    advice = ADVICE.format(session=session_id, version=event.version)
                    yield Finding(name, what, "secret", advice)
    for table, column, session_id, text in store.other_texts():
        for found in find(text):
            where = f'session "{session_id}", {table}, {column}'
            yield Finding(name, f"{where}: {_told(found)}", "secret", OTHERS)


OTHERS = "it is kept beside the log; purge the session, or wait for the table's sweep"


def _told(found: Found) -> str:
    begins = f', begins with "{found.begins}"' if found.begins else ""
    return f"{found.kind}{begins}"
