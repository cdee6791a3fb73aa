"""A file that has all of a session's HUD, for hosts that read a file again with each request.

Its first line is a comment with the session, its version and its turn. Its writer holds a lock on its folder, and never
puts an older version in the place of a newer one.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from glob import escape
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from hud_runtime._errors import EventError
from hud_runtime._location import make_folder
from hud_runtime.cli._arguments import UsageError
from hud_runtime.cli._output import remark
from hud_runtime.cli._session_events import ENDED, PAUSE

if TYPE_CHECKING:
    from hud_components import Budget
    from hud_runtime.cli._stored import Stored
    from hud_runtime.session import HudSession

_MARK = re.compile(rb'<!-- HUD of (?P<session>"[^\n]*"), version (?P<version>\d+), turn \d+ -->\n')

PATIENCE = 1.0
"""Seconds until it is tried again, beside a server that goes on."""


class Mark(NamedTuple):
    """The session and the version in a file."""

    session: str
    version: int


def mark_in(path: Path) -> Mark | None:
    """Return the mark of a file; None where there is no file, or nothing in it.

    :raises UsageError: for a file that is none of ours.
    """
    if not path.exists():
        return None
    if not path.is_file():
        raise UsageError(f"{path} is not an ordinary file; name one, or a new one")
    data = path.read_bytes()
    found = _MARK.match(data)
    if found is None and data.strip():
        raise UsageError(f"{path} has other text, which is kept; name a file for the HUD alone")
    return found and Mark(json.loads(found["session"]), int(found["version"]))


def marked(session: HudSession[Any], budget: Budget) -> str:
    r"""Return all of a session's HUD with the file's first line.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s -->")
    ...     _ = session.record("note.add", content="Port 8080")
    ...     marked(session, None).partition("\n")[0]
    '<!-- HUD of "s --\\u003e", version 2, turn 0 -->'
    """
    name = json.dumps(session.id).replace(">", "\\u003e")
    rendered = session.hud(budget=budget)
    return (
        f"<!-- HUD of {name}, version {session.version}, turn {session.turn} -->\n{rendered.text}"
    )


def write_hud(session: HudSession[Any], path: Path, budget: Budget) -> Mark:
    """Write a session's HUD into a file, whole or not at all, and readable by its owner alone.

    :returns: the mark of the file then, of a newer version where another process has written that.
    :raises UsageError: for a file with other text.
    """
    from hud_runtime.integrations._settings_file import write_file

    session.refresh()
    text, mine = marked(session, budget), Mark(session.id, session.version)
    with alone(path):
        known = mark_in(path)
        if known is not None and known.session == mine.session and known.version > mine.version:
            return known
        for each in path.parent.glob(f".{escape(path.name)}.{'[0-9a-f]' * 12}"):
            each.unlink()  # left behind by one that was killed
        write_file(path, text, private=True)
    return mine


def keep_hud(stored: Stored, session: HudSession[Any], path: Path, budget: Budget) -> int:
    """Write a session's HUD into a file whenever it has changed, and return when the session is purged, as its file is then."""
    written: Mark | None = None
    while not stored.log.is_purged(session.id):
        now = Mark(session.id, stored.version_of(session.id))
        if now != written or mark_in(path) != written:
            try:
                written = write_hud(session, path, budget)
            except EventError:
                if stored.log.is_purged(session.id):  # meanwhile
                    break
                raise
        time.sleep(PAUSE)
    with alone(path):
        known = mark_in(path)
        if known is not None and known.session == session.id:
            path.unlink()
    remark(f'session "{session.id}" was purged')
    return ENDED


def keep_beside(store: str | None, name: str, path: Path) -> None:
    """Keep a session's HUD in a file while this process lives, in a thread of its own, from the session's first event on.

    :raises UsageError: for a file with other text.
    """
    from hud_runtime.cli._stored import writing
    from ujsx.errors import UjsxError

    mark_in(path)
    told: set[str] = set()

    def keep() -> None:
        with writing(store, make=True) as stored:
            while not stored.version_of(name):
                time.sleep(PAUSE)
            keep_hud(stored, stored.opened(name), path, None)

    def go_on() -> None:
        while True:
            try:
                return keep()
            except (UjsxError, OSError) as error:
                if str(error) not in told:
                    remark(f"the HUD's file is not current: {error}")
                told.add(str(error))
                time.sleep(PATIENCE)

    Thread(target=partial(copy_context().run, go_on), daemon=True).start()


@contextmanager
def alone(path: Path) -> Generator[None]:
    """Keep others of ours from writing into a folder; where the system has no locks, the newest version comes a little later."""
    folder = Path(os.path.realpath(path)).parent
    make_folder(folder)
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
