"""Files and stores that the user names."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory, mkstemp
from typing import IO, TYPE_CHECKING, Any, BinaryIO

from hud_runtime._errors import DomainError, StoreReadOnlyError, StoreVersionError
from hud_runtime._limits import Limits
from hud_runtime._location import default_path, is_address, make_folder
from hud_runtime.cli._commands import UsageError, domain, own_components
from hud_runtime.cli._terminal import remark, terminal_safe
from ujsx.errors import UjsxError, nearest

if TYPE_CHECKING:
    from hud_components import Domain, State
    from hud_runtime import Event, HudSession, HudStore
    from hud_runtime.log.store._log_store import LogStore

# Short descriptions: a session in a few values, an event in a line.

LONGEST = 160
"""Maximum characters of an event's text in a line; the data has all of it."""

SUBJECT = "task"
"""The field of the data with the subject of a session, under its published name."""

DATA = (
    "session", "title", SUBJECT, "project", "parent", "parent_version", "began", "changed", "events",
    "turn", "compactions",
)  # fmt: skip
"""The names in the result of :func:`summary`."""


def summary(stored: OpenStore, session_id: str) -> dict[str, Any] | None:
    """Return a session as JSON data; times are milliseconds since the epoch.

    ``None`` if it was purged meanwhile.

    :raises StoreError: if its log cannot be read.
    """
    first = next(stored.store.events(session_id, 0, 1), None)
    if first is None:
        return None
    start = first.payload.model_dump()
    try:
        state = stored.opened(session_id).state()
    except DomainError:  # without its domain, the list has the data of any log
        state = None
    head = stored.log.head(session_id)
    last = next(stored.store.events(session_id, head.version - 1), first)
    info = None if state is None else state.session
    return {
        "session": session_id,
        "title": start.get("title") if info is None else info.title,
        SUBJECT: _subject(state),
        **{name: start.get(name) for name in ("project", "parent", "parent_version")},
        "began": first.timestamp,
        "changed": last.timestamp,
        "events": head.version,
        "turn": head.turn,
        "compactions": 0 if info is None else info.compactions,
    }


def _subject(state: State | None) -> str | None:
    """The subject of a session, from its domain's single item."""
    from hud_components import Tally

    return None if state is None else Tally.of(state).subject


def event_line(event: Event, own: Domain[Any] | None) -> str:
    """Return an event on one line, for any texts.

    :param own: the session's domain; None if it is not loaded: payloads are then shown as recorded.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:", clock=lambda: 0) as store:
    ...     session = store.session("s")
    ...     event_line(session.record("note.add", content="Port 8080"), session.domain)
    '    2  1970-01-01T00:00:00Z  turn 0  agent  note.add  n-2 added: Port 8080'
    """
    head = f"{event.version:>5}  {moment(event.timestamp)}  turn {event.turn}"
    line = f"{head}  {event.actor:<5}  {event.type}"
    described = _told(event, own)
    return f"{line}  {described}" if described else line


def moment(milliseconds: int) -> str:
    """Return a time in ISO 8601, in UTC.

    >>> moment(1_700_000_000_999), moment(2**53)
    ('2023-11-14T22:13:20Z', '9007199254740992 ms')
    """
    try:
        time = datetime.fromtimestamp(milliseconds // 1000, UTC)
    except (ValueError, OverflowError, OSError):  # after the year 9999
        return f"{milliseconds} ms"
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def _told(event: Event, own: Domain[Any] | None) -> str:
    from hud_components import CODING
    from hud_runtime.log.events import Stored as Kept
    from hud_runtime.log.projection import described

    if own is None and isinstance(event.payload, Kept):
        return shortened(event.payload.text)
    return shortened(described(event, CODING if own is None else own))


def shortened(text: str) -> str:
    """Return a text for a part of a line: safe to print, and cut after :data:`LONGEST` characters."""
    text = terminal_safe(text)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


# Files that the user names.

STANDARD_INPUT = "-"
"""The name of standard input."""


def file_name(name: str) -> str:
    """Return a file's name for messages."""
    return "standard input" if name == STANDARD_INPUT else name


def existing(name: str) -> Path:
    """Return the path of an existing file.

    :raises UsageError: for a folder, or a missing file, with the nearest name in its folder.
    """
    path = Path(name)
    try:
        if path.is_dir():
            raise UsageError(f"{name} is a folder; name a file in it")
        if path.exists():
            return path
        if path.is_symlink():
            raise UsageError(f"{name} is a link to {path.readlink()}, which is not there")
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror or error}") from None
    near = file_near(name)
    hint = f'; did you mean "{near}"?' if near else "; check its path"
    raise UsageError(f"there is no file {name}{hint}")


def file_near(name: str) -> Path | None:
    """Return the file in the same folder with the most similar name, if any."""
    path = Path(name)
    try:
        if path.exists() or not path.parent.is_dir():
            return None
        neighbours = [each.name for each in path.parent.iterdir()]
    except (OSError, ValueError):
        return None
    match = nearest(path.name, neighbours)
    return None if match is None else path.with_name(match)


def is_there(name: str, what: Callable[[Path], bool]) -> bool:
    """Return whether a name is the path of such a thing; an invalid path is not.

    >>> is_there(".", Path.is_dir), is_there("x" * 9_999, Path.is_file)
    (True, False)
    """
    try:
        return what(Path(name))
    except (OSError, ValueError):  # too long, or with a null character in it
        return False


def read_text(name: str) -> str:
    """Return the text of a UTF-8 file, or of standard input for ``-``.

    :raises UsageError: for a file that cannot be read, is not text, or is too long.
    """
    limits = Limits.of_environment()
    try:
        if name == STANDARD_INPUT:
            name, data = file_name(name), limits.whole(_piped())
        else:
            with existing(name).open("rb") as file:
                data = limits.whole(file)
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror or error}") from None
    if data is None:
        raise UsageError(f"{name} {limits.refusal('read')}")
    if b"\0" in data:
        raise UsageError(f"{name} is a binary file, not UTF-8 text")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{name} is not UTF-8 text: line {line} has the byte 0x{data[error.start]:02x}; "
            "save it as UTF-8"
        ) from None


@contextmanager
def on_disk(name: str) -> Generator[Path]:
    """Provide the path of a file that can be read more than once.

    Piped input, for ``-`` or through a named pipe, is copied to a temporary file.

    :raises UsageError: if there is no such file. An error in piped input names the pipe, not the temporary
        file.
    """
    if name != STANDARD_INPUT and existing(name).is_file():
        yield existing(name)
        return
    with TemporaryDirectory(prefix="ujsx-") as folder:
        path = Path(folder, "piped")
        try:
            with path.open("wb") as file, _opened(name) as pipe:
                shutil.copyfileobj(pipe, file)
            yield path
        except UjsxError as error:
            raise UsageError(str(error).replace(str(path), file_name(name))) from None


def _opened(name: str) -> AbstractContextManager[BinaryIO]:
    return nullcontext(_piped()) if name == STANDARD_INPUT else Path(name).open("rb")


def _piped() -> BinaryIO:
    given: object = sys.stdin
    if given is None:  # its descriptor is closed
        raise UsageError("there is no standard input to read")
    return sys.stdin.buffer


@contextmanager
def new_file(name: str, *, replaces: str | None = None) -> Generator[IO[str]]:
    """Open a new file, private to its owner; it gets its name when it is complete.

    :param replaces: the beginning of an existing file that it may replace; None for no file.
    :raises UsageError: if another file has that name, or there is no room for it.
    """
    path = Path(name)
    taken = UsageError(f"{name} is there already; name a new file, or remove it")
    is_replaced = replaces is not None and _begins_with(path, replaces)
    if not is_replaced and (path.is_symlink() or path.exists()):
        raise taken
    try:
        handle, temporary = mkstemp(dir=path.parent, prefix=".ujsx-")  # with mode 0600
    except OSError as error:
        raise UsageError(f"{name} cannot be written: {error.strerror or error}") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if is_replaced and replaces is not None:
            if path.exists() and not _begins_with(path, replaces):  # somebody created it meanwhile
                raise taken
            Path(temporary).replace(path)
            return
        try:
            path.hardlink_to(temporary)  # unlike a renaming, it never replaces another file
        except FileExistsError:
            raise taken from None
        except OSError:  # some file systems have no hard links
            Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def export(pieces: Iterable[str], name: str, to: str | None, put: Callable[[str], None]) -> None:
    """Print the pieces of a session's export, or write them to a new file."""
    if to is None:
        for piece in pieces:
            put(piece)
        return
    with new_file(to) as file:
        file.writelines(pieces)
    remark(f'exported "{name}" to {to}')


def _begins_with(path: Path, text: str) -> bool:
    """Return whether a regular file begins with a text."""
    begin = text.encode()
    if path.is_symlink() or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(begin)) == begin
    except OSError:
        return False


@contextmanager
def alone(path: Path) -> Generator[None]:
    """Lock a folder against our other writers; on systems without locks, the newest version may come a
    little later.
    """
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


def rewrite(name: str, text: str) -> None:
    """Replace the text of an existing file, and keep its mode; a link stays a link.

    :raises UsageError: if the file must not or cannot be written; it is then unchanged.
    """
    path = Path(name).resolve()
    if not os.access(path, os.W_OK):
        raise UsageError(f"{name} is read-only; change its mode to have it written")
    try:
        handle, temporary = mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
            shutil.copymode(path, temporary)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UsageError(f"{name} cannot be written: {error.strerror or error}") from None


BEGIN = (
    "`ujsx install claude-code` gives an agent one, `ujsx session import FILE` makes one of a transcript, and "
    "`ujsx record NAME session.start` begins one"
)
"""The ways to a store's first session."""

LISTED = 5
"""Maximum sessions that an error names, if none is near."""


@dataclass(frozen=True, slots=True)
class OpenStore:
    """An open store."""

    place: str
    """Its path or address, without a password."""
    log: LogStore
    store: HudStore[Any]
    _folders: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    """The folder in which each session began."""

    def ids(self) -> tuple[str, ...]:
        """Return the ids of all sessions, including the projects' defaults (``project:NAME``)."""
        return self.log.sessions()

    def find(self, name: str) -> str | None:
        """Return the id of a session: ``name`` itself, or that of the newest session in a folder of that name.

        `ujsx serve` names a project's session after its folder; hosts give theirs ids of their own.
        """
        if self.version_of(name):
            return name
        folder = str(Path(name).resolve()) if is_there(name, Path.is_dir) else None
        return None if folder is None else self.newest_in(folder)

    def newest_in(self, folder: str) -> str | None:
        """Return the id of the newest session that began in a folder; None for none."""
        return next(
            (each for each in reversed(self.ids()) if self._folder_of(each) == folder), None
        )

    def _folder_of(self, name: str) -> str | None:
        if name not in self._folders:
            project = self.opened(name).begun_with("project")
            self._folders[name] = name if project is None else project
        return self._folders[name]

    def id_of(self, name: str) -> str:
        """Return the id of an existing session.

        :raises UsageError: if it is missing, with the nearest id.
        """
        found = self.find(name)
        if found is not None:
            return found
        if self.log.is_purged(name):
            raise UsageError(f'session "{name}" was purged; its id is not used again')
        what = f'no session "{name}"'
        if is_there(name, Path.is_dir):
            what = f"no session that began in {Path(name).resolve()}"
        raise UsageError(f"{self.place} has {what}; {_hint(name, self.ids())}")

    def session(self, name: str) -> HudSession[Any]:
        """Return an existing session.

        :raises UsageError: if it is missing.
        """
        return self.opened(self.id_of(name))

    def opened(self, session_id: str) -> HudSession[Any]:
        """Return the session with an existing id."""
        from hud_runtime.session._parent import PROJECT

        if session_id.startswith(PROJECT):
            return self.store.project(session_id.removeprefix(PROJECT))
        return self.store.session(session_id)

    def version_of(self, name: str) -> int:
        """Return the last version of the session with this id; 0 if there is none.

        :raises UsageError: for an invalid id.
        """
        try:
            return self.log.head(name).version
        except UnicodeEncodeError:  # invalid UTF-8 became half of a surrogate pair
            raise UsageError(f"the session {name!r} is not UTF-8 text") from None


@contextmanager
def reading(name: str | None) -> Generator[OpenStore]:
    """Open a store for reading.

    :param name: its file; the default store when ``None``.
    :raises UsageError: if there is none.
    """
    place = _place(name)
    if isinstance(place, Path) and place.stat().st_size == 0:
        raise UsageError(f"{place} is an empty file, not a store")
    from hud_runtime.session._hud_store import open_log

    try:
        log = open_log(place, read_only=True)
    except StoreVersionError:  # an older one is upgraded; a newer one raises again
        log = open_log(place)
    with closing(log):
        yield _of_log(log, place)


@contextmanager
def writing(name: str | None, *, make: bool = False) -> Generator[OpenStore]:
    """Open a store for writing.

    :param make: whether to create a missing one.
    :raises UsageError: if it is missing and must not be created.
    """
    from hud_runtime.session._hud_store import open_log

    place = name if make else _place(name)
    with closing(open_log(place)) as log:
        yield _of_log(log, place)


def _of_log(log: LogStore, place: str | Path | None) -> OpenStore:
    """The store of an open log, with its user's settings, and the requested domain and components."""
    from hud_runtime import HudStore
    from hud_runtime.session import settings_beside

    settings = settings_beside(place)
    store = HudStore(log, domain=domain(), settings=settings, components=own_components())
    return OpenStore(log.place, log, store)


@contextmanager
def searching(name: str | None) -> Generator[OpenStore]:
    """Open a store for searching: its index is updated if it is writable.

    :raises UsageError: if there is none.
    """
    with ExitStack() as stack:
        try:
            stored = stack.enter_context(writing(name))
        except StoreReadOnlyError:
            stored = stack.enter_context(reading(name))
        yield stored


def _place(name: str | None) -> str | Path:
    """Return the named address, or the path of an existing store."""
    return name if name is not None and is_address(name) else store_path(name)


def store_path(name: str | None) -> Path:
    """Return the path of an existing store.

    :raises UsageError: if it is missing, and for the address of a database.
    """
    if name is not None and is_address(name):
        raise UsageError("this needs a store in a file; use the database server's own tools")
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
