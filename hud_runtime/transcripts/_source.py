"""A file that may be a transcript: lines, objects, or a database."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from io import BufferedReader
from itertools import chain, count, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import msgspec

from hud_runtime._errors import TranscriptError
from hud_runtime._limits import Limits
from hud_runtime.observe import _observations as observed
from hud_runtime.observe._observations import Problem, Record, is_object, mapping
from hud_runtime.observe.messages import Statement, rows

if TYPE_CHECKING:
    from sqlite3 import Connection


# SQLite files of other programs, opened read-only: no file changes, and none is created next to
# them.
#
# A plain read-only connection is not enough. For a database with a write-ahead log it creates the
# files ``-wal`` and ``-shm`` if they are missing, and otherwise writes to the second (measured with
# SQLite 3.40). So the files next to the database determine how it is opened (sqlite.org/wal.html,
# "Read-Only Databases"). The file itself is not read first: closing it would drop this process's
# locks on it (sqlite.org/howtocorrupt.html, section 2.2).

LOG, SHARED, JOURNAL = "-wal", "-shm", "-journal"
"""The suffixes of a database's write-ahead log, the log's index, and a journal."""

PATIENCE = 5.0
"""Maximum seconds that a reader waits for a writer."""


def database(path: Path) -> Connection:
    """Return a read-only connection, as of :func:`opened`."""
    return opened(path)[0]


def opened(path: Path) -> tuple[Connection, bool]:
    """Return a read-only connection, and whether it assumes that the file does not change.

    If it does, a result is valid only if the file has not changed meanwhile; otherwise the next transaction
    sees other programs' changes.

    Raises :class:`TranscriptError` for a file that cannot be opened.
    """
    import sqlite3

    try:
        place = path.resolve(strict=True)
        how = _how(place)
        db = _copied(place) if how is None else _connected(place, how)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise TranscriptError(f"{path} cannot be read: {reason}") from None
    db.row_factory = sqlite3.Row
    return db, how == STILL


STILL = "&immutable=1"
"""Opens a file without a lock, and without the files next to it."""


def _how(path: Path) -> str | None:
    """The URI's options for opening a database; None if only a copy can be read.

    With a write-ahead log and its index, another program may be writing, or was stopped while writing. The
    same holds for a journal, whose locks are respected. With neither, the file is complete; a new writer
    first creates one of them.
    """
    log, shared, journal = beside(path)
    if log.exists() and shared.exists():
        return "&readonly_shm=1"
    if log.exists() and log.stat().st_size:
        return None
    return "" if journal.exists() else STILL


def beside(path: Path) -> tuple[Path, ...]:
    """Return the possible files next to a database: its write-ahead log, the log's index, a journal."""
    return tuple(path.with_name(f"{path.name}{each}") for each in (LOG, SHARED, JOURNAL))


def mark_of(path: Path) -> object:
    """Return a value that changes once a database that was assumed to be unchanged is written.

    :raises OSError: if it is gone.
    """
    about = path.stat()
    log, _, journal = beside(path)
    return about.st_mtime_ns, about.st_size, about.st_ino, log.exists(), journal.exists()


def _connected(path: Path, how: str, **settings: Any) -> Connection:
    import sqlite3

    db: Connection = sqlite3.connect(
        f"{path.as_uri()}?mode=ro{how}",
        uri=True,
        timeout=PATIENCE,
        check_same_thread=False,
        **settings,
    )
    return db


def _copied(path: Path) -> Connection:
    """Read a log without its index, as in copies of a database, in a temporary folder."""
    import sqlite3

    class Copy(sqlite3.Connection):
        folder: TemporaryDirectory[str]

        def close(self) -> None:
            super().close()
            self.folder.cleanup()

    folder = TemporaryDirectory(prefix="ujsx-")
    copy = Path(folder.name, path.name)
    for end in ("", LOG):
        shutil.copyfile(path.with_name(f"{path.name}{end}"), copy.with_name(f"{copy.name}{end}"))
    db: Any = _connected(copy, "", factory=Copy)
    db.folder = folder
    return db  # type: ignore[no-any-return]  # its class is made here


def tables(path: Path) -> frozenset[str]:
    """Return the names of a database's tables; none if it cannot be read."""
    import sqlite3

    try:
        with closing(database(path)) as db:
            rows = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    except (sqlite3.Error, TranscriptError):
        return frozenset()
    return frozenset(str(name) for (name,) in rows)


# JSON in files: records on lines, broken values, and values that end too early.


def parsed(number: int, line: bytes, problems: list[Problem]) -> Record | None:
    """Return the record on a line; note the problem of a broken line, unless it is blank."""
    if line.isspace():
        return None
    try:
        value = loaded(line)
    except (ValueError, RecursionError) as error:
        problems.append(Problem(number, _why(line, error)))
        return None
    if is_object(value):
        return mapping(value)
    problems.append(Problem(number, "no record: it is not a JSON object"))
    return None


_DECODE = msgspec.json.Decoder().decode


def loaded(data: bytes) -> object:
    """Return the value of a JSON text; :mod:`json` decides about errors, and words them.

    It accepts texts that the other parser rejects: half a surrogate pair, NaN, a byte order mark.
    """
    try:
        return cast("object", _DECODE(data))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return cast("object", json.loads(data))


def record_of(line: bytes) -> Record | None:
    """Return the object on a line; None for anything else."""
    try:
        value = loaded(line)
    except (ValueError, RecursionError):
        return None
    return mapping(value) if is_object(value) else None


def record_in(text: object) -> Record:
    """Return the JSON object in a text, such as a column of a database; an empty one for anything else."""
    found = record_of(text.encode("utf-8", "replace")) if isinstance(text, str) else None
    return found or {}


def salvaged(data: bytes) -> object:
    """Return the complete part of a truncated JSON value; None if there is none.

    >>> salvaged(b'{"messages": [{"role": "user"}, {"role": "ass')
    {'messages': [{'role': 'user'}]}
    """
    text = data.decode("utf-8", "replace")
    end = depth = 0
    stack: list[str] = []
    for match in _STRUCTURE.finditer(text):
        sign = match[0]
        if sign in "[{":
            stack.append("]" if sign == "[" else "}")
        elif sign in "]}":
            if not stack or stack.pop() != sign:
                return None
            end, depth = match.end(), len(stack)
    # After the last closing bracket there are only opening ones.
    return observed.json_of(text[:end] + "".join(reversed(stack[:depth]))) if end else None


_STRUCTURE = re.compile(r'"(?:[^"\\]++|\\.?)*+"?+|[\[\]{}]', re.DOTALL)


def _why(line: bytes, error: Exception) -> str:
    if not line.strip(b"\0\r\n"):
        return "null bytes: writing was cut off here"
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8 text"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if not line.endswith(b"\n"):
        return f"the file ends in the middle of a record ({error})"
    return f"not JSON ({error})"


Kind: TypeAlias = Literal["lines", "value", "text", "sqlite", "zip", "folder"]
"""The kind of a file: records on lines, one JSON value, any other text, or no text."""

LOOKS = 100
"""The number of records that are examined to recognize the format."""

HISTORIES = ("history", "messages", "loglines")
"""The fields of an object, or of its ``values``, that may have a list of messages."""

EXPORTED = frozenset(
    {"ujsx", "currentTask", "keyDecisions", "projectNotes", "keyFiles", "conventions"}
)
"""Fields of the first object in a file with a session's log or state instead of a conversation."""

BINARY = b"\0"
SQLITE = b"SQLite format 3\0"
ZIP = b"PK\x03\x04"

Numbered: TypeAlias = tuple[int, Record]


@dataclass(slots=True)
class Source:
    """The reader of a format: its recognition, and its records."""

    path: Path
    kind: Kind
    head: tuple[Record, ...] = ()
    """The first records of the lines or the list."""
    value: object = None
    """The one JSON value."""
    text: str = ""
    """The text, if it is not JSON."""
    problems: list[Problem] = field(default_factory=list[Problem])
    quiet: AbstractSet[str] = frozenset()
    """The kinds of records without meaning for the session's state, as the format lists them."""
    skipped: Counter[str] = field(default_factory=Counter[str])
    """The number of records of each of these kinds."""
    unread: Counter[str] = field(default_factory=Counter[str])
    """The number of records, and of messages' parts, of each kind unknown to the format."""
    seen: int = 0
    """The number of records; a message counts as its parts."""
    limits: Limits = field(default_factory=Limits)
    numbered: Iterator[Numbered] = field(default_factory=lambda: iter(()))
    """The records as they are read."""
    wanted: str | None = None
    """The id of the requested session, in a file with several; None for the newest."""
    session_id: str = ""
    """The session's id, if the format found it."""
    others: dict[str, str] = field(default_factory=dict[str, str])
    """Other sessions in the file: their titles by id."""

    @property
    def first(self) -> Record:
        """The first record, or the value itself if it is an object."""
        if self.kind == "value" and is_object(self.value):
            return mapping(self.value)
        return self.head[0] if self.head else {}

    def records(self) -> Iterator[Numbered]:
        """Yield the records, each with its number: of the lines, or of the value's list of messages."""
        return self.counted(self.numbered)

    def listed(self, records: object) -> Iterator[Numbered]:
        """Yield the objects of a list within the value, each with its number."""
        return self.counted(enumerate(map(mapping, observed.sequence(records)), start=1))

    def counted(self, records: Iterable[Numbered]) -> Iterator[Numbered]:
        """Yield records, and count them."""
        for each in records:
            self.seen += 1
            yield each

    def skip(self, kind: object) -> None:
        """Count a record of a quiet or an unknown kind."""
        name = kind if isinstance(kind, str) and kind else "untyped"
        (self.skipped if name in self.quiet else self.unread)[name] += 1

    def count_parts(self, said: Statement) -> None:
        """Count the parts of a message, and those of unknown kinds."""
        self.seen += max(0, len(said.parts) - 1)
        for part in said.parts:
            if not part.is_known:  # the key identifies a part without a type
                self.skip(part.type or next(iter(part.value), None))


def session_id_in(source: Source) -> str:
    """Return the session's id in a file, else the file's name without its suffix.

    >>> session_id_in(Source(Path("a/chat.json"), "value", ({"role": "user"},)))
    'chat'
    """
    if source.session_id:
        return source.session_id
    for record in (source.first, *source.head):
        for within in ("", "payload", "info", "data"):
            place = mapping(record.get(within)) if within else record
            for name in ("sessionId", "session_id", "thread_id", *(("id",) if within else ())):
                found = place.get(name)
                if isinstance(found, str) and found.strip() and len(found) <= LONGEST_ID:
                    return found.strip()
    return source.path.name.partition(".")[0] or source.path.name


LONGEST_ID = 200
"""Maximum characters of a session's id."""


def open_source(path: Path, limits: Limits, wanted: str | None = None) -> Source:
    """Return a file's kind and its first records.

    :param wanted: the id of the requested session, in a file with several.

    Raises :class:`TranscriptError` for anything but a file, an empty one, or one value that is too long. A
    line that is too long is a problem, and reading continues after it.
    """
    source = Source(path, "folder", limits=limits, wanted=wanted)
    if path.is_dir():
        return source
    with ExitStack() as until_read:
        file = until_read.enter_context(_opened(path))
        start = file.read(16)
        file.seek(0)
        if start.startswith(SQLITE):
            source.kind = "sqlite"
            return source
        if start.startswith(ZIP) and zipfile.is_zipfile(path):
            source.kind = "zip"
            return source
        source.kind = "lines"
        lines = _lines(file, source.problems, limits)
        first = next((each for each in lines if each[1].strip()), None)
        if first is None:
            raise TranscriptError(f"{path} is empty: there is no session in it")
        if BINARY in first[1]:
            raise TranscriptError(f"{path} is {_why_binary(first[1])}")
        record = record_of(first[1])
        if record is not None:
            second = next((each for each in lines if each[1].strip()), None)
            if second is None:
                return _of_value(source, record, first[0])
            return _of_lines(source, chain([first, second], lines), until_read)
        is_value = _opens_value(first[1])
        seen = [first] if is_value else [first, *islice(lines, 20)]
        if any(record_of(line) is not None for _, line in seen[1:]):  # only the first is broken
            return _of_lines(source, chain(seen, lines), until_read)
        known = b"".join(line for _, line in seen)
        rest = limits.whole(file, len(known))
        if rest is None:
            what = "JSON value" if is_value else "text"
            raise TranscriptError(f"{path} is one {what}, and {limits.refusal('read')}")
    if is_value:
        return _whole(source, first[0], known + rest)
    source.kind, source.text = "text", (known + rest).decode("utf-8", "replace")
    return source


def _why_binary(line: bytes) -> str:
    if line.strip(b"\0 \r\n"):
        return "a binary file: a transcript is JSON text"
    return (
        "cut off: it begins with null bytes, as where writing was interrupted; delete them, or restore"
        " the file"
    )


def _whole(source: Source, number: int, data: bytes) -> Source:
    try:
        return _of_value(source, loaded(data), number)
    except (ValueError, RecursionError) as error:
        lines = list(enumerate(data.splitlines(keepends=True), start=number))
        records = [each for _, line in lines if (each := record_of(line)) is not None]
        # Neither one value nor a record on the first line: only that line is broken, or the end is
        # missing.
        if records and not data.lstrip().startswith(b"["):
            return _of_lines(source, lines)
        value = None if isinstance(error, RecursionError) else salvaged(data)
        if value is not None:
            source.problems.append(
                Problem(
                    None,
                    f"the file ends in the middle of its value, and is read up to there ({error})",
                )
            )
            return _of_value(source, value, number)
        return _of_lines(source, lines)


def _of_value(source: Source, value: object, number: int) -> Source:
    source.kind, source.value = "value", value
    history = observed.sequence(value) if observed.is_list(value) else history_in(mapping(value))
    if history is None:
        source.head = (mapping(value),)
        source.numbered = iter([(number, mapping(value))])
        return source
    source.head = tuple(mapping(one) for one in history[:LOOKS] if is_object(one))
    source.numbered = _from_history(history, source.problems)
    return source


def _of_lines(
    source: Source, lines: Iterable[tuple[int, bytes]], file: ExitStack | None = None
) -> Source:
    """Records on lines.

    :param file: the open file, until they are read.
    """
    read_on = lines if file is None else _closing(file.pop_all(), lines)
    records = _from_lines(read_on, source.problems)
    seen = list(islice(records, LOOKS))
    source.head = tuple(record for _, record in seen)
    source.numbered = chain(seen, records)
    return source


def history_in(value: Record) -> Sequence[object] | None:
    """Return the list of messages in an object, if there is one."""
    for holder in (value, mapping(value.get("values"))):
        for name in HISTORIES:
            if observed.is_list(holder.get(name)):
                return observed.sequence(holder[name])
    return None


def refuse_exported(path: Path, first: Record) -> None:
    """Raise the error with advice for an exported session, which is not a transcript."""
    if first.keys() & EXPORTED:
        raise TranscriptError(
            f"{path} is a session that was exported, not a transcript: `ujsx session import {path}` "
            "puts it into a store; then name its id"
        )


def _lines(
    file: BufferedReader, problems: list[Problem], limits: Limits
) -> Iterator[tuple[int, bytes]]:
    for number in count(1):
        line = limits.line(file)
        if line is None:
            problems.append(Problem(number, f"the line {limits.refusal('read')}"))
        elif line:
            yield number, line
        else:
            return


def _closing(file: ExitStack, lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    with file:
        yield from lines


def _opened(path: Path) -> BufferedReader:
    try:
        return path.open("rb")
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or error
        raise TranscriptError(f"{path} cannot be read: {reason}") from None


def _from_history(history: Sequence[object], problems: list[Problem]) -> Iterator[Numbered]:
    for number, message in enumerate(history, start=1):
        if is_object(message):
            yield number, mapping(message)
        else:
            problems.append(Problem(number, "no message: it is not a JSON object"))


def _from_lines(lines: Iterable[tuple[int, bytes]], problems: list[Problem]) -> Iterator[Numbered]:
    for number, line in lines:
        record = parsed(number, line, problems)
        if record is not None:
            yield number, record


def _opens_value(line: bytes) -> bool:
    return line.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{")


# Known files that cannot be read: the description of each, and how to get a readable one, are a
# table (hud_runtime/data/unread-files.tsv).


def refusal(source: Source) -> str | None:
    """Return the description of a known file that cannot be read, with advice."""
    found: dict[str, list[set[str]]] = {
        "kind": [{source.kind}],
        "tables": [{*tables(source.path)}] if source.kind == "sqlite" else [],
        "first": [{*source.first, f"type={source.first.get('type')}"}],
        "head": [{*one} for one in source.head],
    }
    return next(
        (
            advice
            for where, signs, advice in rows("unread-files")
            if any({*signs.split()} <= each for each in found[where])
        ),
        None,
    )
