"""A file with a session's whole HUD, for hosts that read a file again with each request.

Its first line is a comment with the session, its version and its turn. Its writer locks its folder, and never
replaces a newer version with an older one. A list next to the store names the files to keep current: every bridge
and server of the store, and every import that follows a transcript, reads it, and writes each file whose session has
changed. A removed file leaves the list.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from hud_runtime._location import without_password
from hud_runtime.cli._commands import UsageError
from hud_runtime.cli._terminal import remark
from ujsx.errors import UjsxError

if TYPE_CHECKING:
    from hud_components import Budget
    from hud_runtime.cli._stored import OpenStore
    from hud_runtime.integrations.bridge import Place
    from hud_runtime.session import HudSession

KEPT_FILES = "hud-files.json"
"""The list of the files that are kept current, next to the store."""

LOOK, RETRY = 0.25, 1.0
"""Seconds between two checks of a store, and before a retry."""

_MARK = re.compile(rb'<!-- HUD of (?P<session>"[^\n]*"), version (?P<version>\d+), turn \d+ -->\n')


class FileMark(NamedTuple):
    """The session and the version of a file."""

    session: str
    version: int


class HudFile(NamedTuple):
    """A file for a session's HUD."""

    path: str
    session: str | None
    """The session's id; None for the most recently started session in the folder."""
    folder: str
    budget: int | Literal["off"] | None = None


def mark_in(path: Path) -> FileMark | None:
    """Return the mark of a file; None for a missing or an empty file.

    :raises UsageError: for another file.
    """
    if not path.exists():
        return None
    if not path.is_file():
        raise UsageError(f"{path} is not an ordinary file; name one, or a new one")
    data = path.read_bytes()
    found = _MARK.match(data)
    if found is None and data.strip():
        raise UsageError(f"{path} has other text, which stays; name a file for the HUD alone")
    return found and FileMark(json.loads(found["session"]), int(found["version"]))


def marked(session: HudSession[Any], budget: Budget) -> str:
    r"""Return a session's whole HUD after the file's first line.

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


def write_hud(session: HudSession[Any], path: Path, budget: Budget) -> FileMark:
    """Write a session's HUD into a file atomically, readable only by its owner.

    :returns: the file's mark, which is newer if another process has written a newer version.
    :raises UsageError: for a file with other text.
    """
    from hud_runtime.cli._stored import alone
    from hud_runtime.integrations._settings_file import write_file

    session.refresh()
    text, mine = marked(session, budget), FileMark(session.id, session.version)
    with alone(path):
        known = mark_in(path)
        if known is not None and known.session == mine.session and known.version > mine.version:
            return known
        for each in path.parent.glob(f".{escape(path.name)}.{'[0-9a-f]' * 12}"):
            each.unlink()  # left by a process that was killed
        write_file(path, text, private=True)
    return mine


class FileKeeper:
    """Updates files when their sessions in a store change."""

    def __init__(self, stored: OpenStore) -> None:
        self._stored = stored
        self._written: dict[str, FileMark] = {}

    def session_of(self, file: HudFile) -> str | None:
        """Return the session of a file; None for none."""
        if file.session is not None:
            return file.session if self._stored.version_of(file.session) else None
        return self._stored.newest_in(file.folder)

    def write(self, file: HudFile) -> FileMark | None:
        """Write a file whose session has changed, and return its mark; None without a session.

        The file of a session that was purged is removed.
        """
        name, path, before = self.session_of(file), Path(file.path), self._written.get(file.path)
        if name is not None:
            now = FileMark(name, self._stored.version_of(name))
            if now == before and mark_in(path) == before:
                return before
            try:
                made = write_hud(self._stored.opened(name), path, file.budget)
            except UjsxError:
                if not self._stored.log.is_purged(name):
                    raise
            else:
                self._written[file.path] = made
                if not self._stored.log.is_purged(name):  # it may have gone meanwhile
                    return made
        from hud_runtime.cli._stored import alone

        with alone(path):
            known = mark_in(path)
            if known is not None and self._stored.log.is_purged(known.session):
                path.unlink()
        return None


def kept_files(place: Place) -> list[HudFile]:
    """Return the files that are kept current with a store, without removed ones."""
    path = place.folder / KEPT_FILES
    files = _read(path, place)
    if all(Path(each.path).exists() for each in files):
        return files
    return _changed(path, place, lambda each: Path(each.path).exists())


def keep_file(place: Place, file: HudFile) -> None:
    """Register a file that every bridge, server and followed import of a store keeps current."""
    _changed(place.folder / KEPT_FILES, place, lambda each: each.path != file.path, file)


def _changed(
    path: Path, place: Place, stays: Callable[[HudFile], bool], *new: HudFile
) -> list[HudFile]:
    from hud_runtime.cli._stored import alone
    from hud_runtime.integrations._settings_file import write_file

    with alone(path):
        files = [*filter(stays, _read(path, place)), *new]
        lists = {**_lists(path), _key(place): files}
        write_file(
            path, json.dumps({name: each for name, each in lists.items() if each}), private=True
        )
    return files


def _read(path: Path, place: Place) -> list[HudFile]:
    return _lists(path).get(_key(place), [])


def _lists(path: Path) -> dict[str, list[HudFile]]:
    """The files of each store in a folder.

    :raises UsageError: for another file.
    """
    import msgspec

    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, list[HudFile]])
    except FileNotFoundError:
        return {}
    except msgspec.MsgspecError as error:
        raise UsageError(f"{path} is not a list of files with HUDs ({error}); remove it") from None


def _key(place: Place) -> str:
    return without_password(str(place.store))


@contextmanager
def keep_files(where: Place, *only: tuple[str, str]) -> Generator[None]:
    """Keep the listed files of a store current in a thread, until the last event.

    :param only: a file to keep instead, and its session.
    """
    over = threading.Event()
    told: set[str] = set()

    def attempt(work: Callable[[], object], *refusals: type[Exception]) -> None:
        caught: tuple[type[Exception], ...] = (OSError, *refusals)
        try:
            work()
        except caught as error:
            if str(error) not in told:
                remark(f"a file with a HUD is not current: {error}")
            told.add(str(error))

    def keep() -> None:
        while not only and not (where.folder / KEPT_FILES).exists():
            if over.wait(LOOK):
                return
        from hud_runtime.cli._stored import writing

        asked_for = [HudFile(path, name, "") for path, name in only]
        with writing(str(where.store), make=True) as stored:
            keeper = FileKeeper(stored)
            while True:
                is_last = over.is_set()
                for each in asked_for or kept_files(where):
                    attempt(partial(keeper.write, each), UsageError)
                if is_last:
                    return
                over.wait(LOOK)

    def go_on() -> None:
        while True:
            attempt(keep, UjsxError)
            if over.wait(RETRY):
                return

    thread = threading.Thread(target=partial(copy_context().run, go_on), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(RETRY)
