"""A store that the user names, and the sessions in it.

Who only looks opens the file to be read, so that looking changes nothing and makes nothing.
"""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser
from collections.abc import Generator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_runtime._errors import StoreReadOnlyError, StoreVersionError
from hud_runtime._location import default_path, is_address
from hud_runtime.cli._arguments import UsageError
from hud_runtime.cli._domain import define_domain, domain, own_components
from hud_runtime.cli._files import existing, is_there
from ujsx.errors import nearest

if TYPE_CHECKING:
    from hud_runtime import HudSession, HudStore
    from hud_runtime.store._log_store import LogStore

BEGIN = (
    "`ujsx install claude-code` gives an agent one, `ujsx session import FILE` makes one of a transcript, and "
    "`ujsx record NAME session.start` begins one"
)
"""How a store gets its first session."""

LISTED = 5
"""Sessions that a refusal names one by one, where none is near."""


@dataclass(frozen=True, slots=True)
class Stored:
    """An open store."""

    place: str
    """Where it is, without a password."""
    log: LogStore
    store: HudStore[Any]

    def ids(self) -> tuple[str, ...]:
        """Return the ids of all sessions, and those of the projects' defaults (``project:NAME``)."""
        return self.log.sessions()

    def find(self, name: str) -> str | None:
        """Return the id of a session: ``name`` itself, or the folder that it is the path of.

        `ujsx serve` calls the session of a project by its folder, so ``.`` is the one of here.
        """
        if self.version_of(name):
            return name
        folder = str(Path(name).resolve()) if is_there(name, Path.is_dir) else None
        return folder if folder is not None and self.version_of(folder) else None

    def id_of(self, name: str) -> str:
        """Return the id of a session that is there.

        :raises UsageError: if it is not; the message has the nearest id.
        """
        found = self.find(name)
        if found is not None:
            return found
        if self.log.is_purged(name):
            raise UsageError(f'session "{name}" was purged; its id is not used again')
        raise UsageError(f'{self.place} has no session "{name}"; {_hint(name, self.ids())}')

    def session(self, name: str) -> HudSession[Any]:
        """Return a session that is there.

        :raises UsageError: if it is not.
        """
        return self.opened(self.id_of(name))

    def opened(self, session_id: str) -> HudSession[Any]:
        """Return the session of an id that is there."""
        from hud_runtime.session._inherit import PROJECT

        if session_id.startswith(PROJECT):
            return self.store.project(session_id.removeprefix(PROJECT))
        return self.store.session(session_id)

    def version_of(self, name: str) -> int:
        """Return the last version of the session with this id; 0 if there is none.

        :raises UsageError: for what can be no id.
        """
        try:
            return self.log.head(name).version
        except UnicodeEncodeError:  # a byte that is no UTF-8 came as half of a surrogate pair
            raise UsageError(f"the session {name!r} is no UTF-8 text") from None


def define_store(parser: ArgumentParser) -> None:
    """Add the option that names a store."""
    parser.add_argument(
        "--store",
        metavar="FILE",
        help="the store, or postgresql://... (default: your own, in your data folder)",
    )
    define_domain(parser)


def define_named(parser: ArgumentParser, *, metavar: str, what: str) -> None:
    """Add the session that a command is about: by its place, or as ``--session``."""
    either = parser.add_mutually_exclusive_group(required=True)
    # Suppressed, since the default of a place that is empty would overwrite the option.
    either.add_argument("session", metavar=metavar, nargs="?", default=SUPPRESS, help=what)
    either.add_argument("--session", metavar=metavar, help="the same, as an option")


@contextmanager
def reading(name: str | None) -> Generator[Stored]:
    """Open a store to look into it.

    :param name: its file; the default store when ``None``.
    :raises UsageError: if there is none.
    """
    place = _place(name)
    if isinstance(place, Path) and place.stat().st_size == 0:
        raise UsageError(f"{place} is an empty file, and no store")
    from hud_runtime import HudStore
    from hud_runtime.session import settings_beside
    from hud_runtime.session._open_log import open_log

    try:
        log = open_log(place, read_only=True)
    except StoreVersionError:  # an older one is brought up to date; a newer one refuses again
        log = open_log(place)
    with closing(log):
        settings = settings_beside(place)
        store = HudStore(log, domain=domain(), settings=settings, components=own_components())
        yield Stored(log.place, log, store)


@contextmanager
def writing(name: str | None, *, make: bool = False) -> Generator[Stored]:
    """Open a store to change it.

    :param make: whether one that is not there yet is made.
    :raises UsageError: if there is none and none is to be made.
    """
    from hud_runtime import HudStore
    from hud_runtime.session import settings_beside
    from hud_runtime.session._open_log import open_log

    place = name if make else _place(name)
    with closing(open_log(place)) as log:
        settings = settings_beside(place)
        store = HudStore(log, domain=domain(), settings=settings, components=own_components())
        yield Stored(log.place, log, store)


@contextmanager
def searching(name: str | None) -> Generator[Stored]:
    """Open a store to search it: its index takes in what is new, where it can be written.

    :raises UsageError: if there is none.
    """
    with ExitStack() as stack:
        try:
            stored = stack.enter_context(writing(name))
        except StoreReadOnlyError:
            stored = stack.enter_context(reading(name))
        yield stored


def _place(name: str | None) -> str | Path:
    """Return the address that is named, or the path of a store that is there."""
    return name if name is not None and is_address(name) else store_path(name)


def store_path(name: str | None) -> Path:
    """Return the path of a store that is there.

    :raises UsageError: if it is not, and for the address of a database.
    """
    if name is not None and is_address(name):
        raise UsageError("this is about a store in a file; a database server has tools of its own")
    if name is not None:
        return existing(name)
    path = default_path()
    if not path.exists():
        raise UsageError(
            f"there is no store at {path} yet; its first session makes it: {BEGIN}; --store FILE names another"
        )
    return path


def _hint(name: str, ids: Sequence[str]) -> str:
    match = nearest(name, ids) or next((each for each in ids if name and name in each), None)
    if match is not None:
        return f'did you mean "{match}"?'
    if not ids:
        return f"there are none yet: {BEGIN}"
    if len(ids) <= LISTED:
        return "known: " + ", ".join(f'"{each}"' for each in ids)
    return f"`ujsx session list` has all {len(ids):,}"
