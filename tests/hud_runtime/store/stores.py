"""Stores for the tests of keeping them: several sessions, an archive, a search index, a tombstone."""

from __future__ import annotations

import shutil
from pathlib import Path

from hud_runtime import Event, HudStore
from tests.hud_runtime.clock import Ticking

SESSIONS = ("archived", "live", "short")
"""One with an archived past, one with long notes, and one of two events."""


LAYOUT_1, LAYOUT_3 = (Path(__file__).with_name(f"layout_{number}.sql") for number in (1, 3))
"""The tables of an empty store of the first layout; what made them those of the third."""


def fill(path: Path) -> None:
    """Make a store with these sessions; it is the same one each time."""
    with HudStore.open(path, clock=Ticking(), entropy=bytes) as store:
        archived, live = store.session("archived"), store.session("live")
        gone = store.session("gone")
        for number in range(30):
            archived.record("note.add", content=f"old note {number}")
            live.record("note.add", content=f"note {number} {'word ' * (7 * number)}")
            gone.record("note.add", content=f"purged secret {number}")
        archived.record("compact.after", summary="so far")
        store.keeping.archive("archived")
        for number in range(10):
            archived.record("note.add", content=f"new note {number}")
        live.record("note.add", content=f"very long {'text ' * 4_000}")
        store.session("short").record("task.set", description="Ship it")
        store.search("note")
        store.keeping.purge("gone")
        store.search("note")


def of_twenty_notes(path: Path) -> Path:
    """Make a store with one session, ``s``, and return where it is."""
    with HudStore.open(path) as store:
        session = store.session("s")
        for number in range(20):
            session.record("note.add", content=f"note {number} {'x' * 200}")
    return path


def events_of(path: Path) -> dict[str, list[Event]]:
    """Return what each session of a store tells."""
    with HudStore.open(path) as store:
        return {name: list(store.session(name).events()) for name in store.sessions()}


def copy_of(path: Path, copy: Path) -> Path:
    """Return a copy of a closed store."""
    shutil.copy(path, copy)
    folder = path.with_name(f"{path.name}-archive")
    if folder.is_dir():
        shutil.copytree(folder, copy.with_name(f"{copy.name}-archive"))
    return copy
