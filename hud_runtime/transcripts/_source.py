"""A file that may be a transcript: lines, objects, or a database."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from hud_runtime.observe.messages import Statement

if TYPE_CHECKING:
    from sqlite3 import Connection


# SQLite files of others, opened to be read and nothing else: no file changes, and none comes to be beside them.
#
# A plain read-only connection is not enough. To a database with a write-ahead log it makes the files ``-wal`` and
# ``-shm`` where they are not there, and writes to the second where it is (measured with SQLite 3.40). So what lies
# beside the file says how it is opened (sqlite.org/wal.html, "Read-Only Databases"). The file itself is not looked
# into first: closing it would drop the locks that this process has on it (sqlite.org/howtocorrupt.html, section 2.2).

LOG, SHARED, JOURNAL = "-wal", "-shm", "-journal"
"""What comes after the database's name in those of its write-ahead log, of the log's index, and of a journal."""

PATIENCE = 5.0
"""Seconds that a reader waits for somebody who writes."""


def database(path: Path) -> Connection:
    """Return a connection that reads, as :func:`opened` has it."""
    return opened(path)[0]


def opened(path: Path) -> tuple[Connection, bool]:
    """Return a connection that reads, and whether it takes the file as one that nobody changes.

    If it does, what is read is right only if the file has not changed meanwhile; otherwise what somebody else
    writes is seen by the next transaction.

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
"""Opens a file without what lies beside it, and without a lock."""


def _how(path: Path) -> str | None:
    """How a database is opened; None where only a copy can be.

    Where a write-ahead log and its index are there, somebody may be writing, or was stopped in the middle of it;
    so it is with a journal, which has locks that are kept to. Where neither is there, all is in the file; who begins
    to write makes one of them first.
    """
    log, shared, journal = beside(path)
    if log.exists() and shared.exists():
        return "&readonly_shm=1"
    if log.exists() and log.stat().st_size:
        return None
    return "" if journal.exists() else STILL


def beside(path: Path) -> tuple[Path, ...]:
    """Return what may lie beside a database: its write-ahead log, the log's index, a journal."""
    return tuple(path.with_name(f"{path.name}{each}") for each in (LOG, SHARED, JOURNAL))


def mark_of(path: Path) -> object:
    """Return what is another value once a database that was taken as still has been written.

    :raises OSError: where it is gone.
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
    """Read a log that came without its index, as copies of a database do, in a folder that goes again."""
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
    """Return the names of a database's tables; none where it cannot be read."""
    import sqlite3

    try:
        with closing(database(path)) as db:
            rows = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    except (sqlite3.Error, TranscriptError):
        return frozenset()
    return frozenset(str(name) for (name,) in rows)


# JSON as it stands in files: records on lines, values that are broken or end too early.


def parsed(number: int, line: bytes, problems: list[Problem]) -> Record | None:
    """Return the record that a line is; note why there is none, unless the line is blank."""
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
    """Return the value of a JSON text; :mod:`json` has the last word on what is none, and on why.

    It takes some that the other refuses: half a surrogate pair, NaN, a byte order mark.
    """
    try:
        return cast("object", _DECODE(data))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return cast("object", json.loads(data))


def record_of(line: bytes) -> Record | None:
    """Return the object that a line is; None where it is none."""
    try:
        value = loaded(line)
    except (ValueError, RecursionError):
        return None
    return mapping(value) if is_object(value) else None


def salvaged(data: bytes) -> object:
    """Return a JSON value of which the end is missing, as far as it goes; None where nothing is left.

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
    # Behind the last end brackets have only begun.
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
"""What a file is: records on lines, one JSON value, any other text, or what is no text."""

LOOKS = 100
"""How many records are looked at to tell the format."""

HISTORIES = ("history", "messages", "loglines")
"""The fields of an object, or of its ``values``, that may hold a list of messages."""

EXPORTED = frozenset(
    {"ujsx", "currentTask", "keyDecisions", "projectNotes", "keyFiles", "conventions"}
)
"""Fields of the first object in a file that has a session's log or state, and no conversation."""

BINARY = b"\0"
SQLITE = b"SQLite format 3\0"
ZIP = b"PK\x03\x04"

Numbered: TypeAlias = tuple[int, Record]


@dataclass(slots=True)
class Source:
    """The reader of a format: what it recognizes, and how it reads it."""

    path: Path
    kind: Kind
    head: tuple[Record, ...] = ()
    """The first records, of lines or of a list."""
    value: object = None
    """The one JSON value."""
    text: str = ""
    """The text of what is no JSON."""
    problems: list[Problem] = field(default_factory=list[Problem])
    quiet: AbstractSet[str] = frozenset()
    """The kinds of records that tell nothing of the session's state, as its format lists them."""
    skipped: Counter[str] = field(default_factory=Counter[str])
    """The number of records of each of these kinds."""
    unread: Counter[str] = field(default_factory=Counter[str])
    """The number of records, and of messages' parts, of each kind that the format does not know."""
    seen: int = 0
    """The number of records; a message counts as its parts."""
    limits: Limits = field(default_factory=Limits)
    numbered: Iterator[Numbered] = field(default_factory=lambda: iter(()))
    """The records as they are read."""
    wanted: str | None = None
    """The id of the session that is asked for, in a file that has several; None for the newest."""
    session_id: str = ""
    """The session's id, where the format found it."""
    others: dict[str, str] = field(default_factory=dict[str, str])
    """Other sessions in the file, by their ids, with what they are called."""

    @property
    def first(self) -> Record:
        """The first record, or the value itself where it is an object."""
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
        """Count a record of a kind that tells nothing, or that nobody knows."""
        name = kind if isinstance(kind, str) and kind else "untyped"
        (self.skipped if name in self.quiet else self.unread)[name] += 1

    def count_parts(self, said: Statement) -> None:
        """Count the parts of a message, and those of kinds that nobody knows."""
        self.seen += max(0, len(said.parts) - 1)
        for part in said.parts:
            if not part.is_known:  # one without a type is told by its key
                self.skip(part.type or next(iter(part.value), None))


def session_id_in(source: Source) -> str:
    """Return the id that a file tells of its session, else its name without the ending.

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
"""Characters of a session's id that are taken for one."""


def open_source(path: Path, limits: Limits, wanted: str | None = None) -> Source:
    """Return what a file is, and its first records.

    :param wanted: the id of the session that is asked for, in a file that has several.

    Raises :class:`TranscriptError` for what is no file, is empty, or is one value that is too long. A line
    that is too long is a problem, and the reading goes on behind it.
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
        if any(record_of(line) is not None for _, line in seen[1:]):  # the first is broken
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
        # Neither one value nor, at its first line, a record: only that line is broken, or the end is missing.
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

    :param file: what is open until they are read.
    """
    read_on = lines if file is None else _closing(file.pop_all(), lines)
    records = _from_lines(read_on, source.problems)
    seen = list(islice(records, LOOKS))
    source.head = tuple(record for _, record in seen)
    source.numbered = chain(seen, records)
    return source


def history_in(value: Record) -> Sequence[object] | None:
    """Return the list of messages that an object holds, if it does."""
    for holder in (value, mapping(value.get("values"))):
        for name in HISTORIES:
            if observed.is_list(holder.get(name)):
                return observed.sequence(holder[name])
    return None


def refuse_exported(path: Path, first: Record) -> None:
    """Raise the error that says what to do with a session that is no transcript, if it is one."""
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


# Files that are known and not read: what each is, and how to come by one that is.

Sign = Callable[[Source], bool]


def _tables(source: Source) -> frozenset[str]:
    return tables(source.path) if source.kind == "sqlite" else frozenset()


REFUSED: tuple[tuple[Sign, str], ...] = (
    (lambda source: {"blobs", "meta"} <= _tables(source),
     "the store of Cursor's command line, in a form of its own; name its agent-transcripts/ID/ID.jsonl"),
    (lambda source: "cursorDiskKV" in _tables(source) or "ItemTable" in _tables(source),
     "the state of Cursor's editor; export the chat, or name its agent-transcripts/ID/ID.jsonl"),
    (lambda source: "hud_event" in _tables(source),
     "a store of ujsx: name one of its sessions, and this file with --store; `ujsx session list --store FILE` shows them"),
    (lambda source: source.kind == "sqlite",
     "a SQLite database that has no session in a form that is known"),
    (lambda source: "mapping" in source.first and "current_node" in source.first,
     "an export of ChatGPT; copy the conversation's messages into a list of {role, content}"),
    (lambda source: "composerId" in source.first or "fullConversationHeadersOnly" in source.first,
     "the headers of a chat in Cursor, without its messages; name its agent-transcripts/ID/ID.jsonl"),
    (lambda source: "chatMessages" in source.first and "sessionId" in source.first,
     "a history of Copilot before events; sessions since then are in ~/.copilot/session-state/ID/events.jsonl"),
    (lambda source: "protocol_version" in source.first and source.first.get("type") == "metadata",
     "a wire log of Kimi; export the session's messages with its own command"),
    (lambda source: any("step_index" in one and "source" in one for one in source.head),
     "a log of Antigravity, which is not read yet; export the conversation as chat messages"),
    (lambda source: "agent" in source.first and "persistence_dir" in mapping(source.first),
     "the state of an OpenHands conversation, without its events: name the folder events beside it"),
    (lambda source: source.kind == "zip",
     "a zip file that holds no samples of Inspect; unpack it first"),
)  # fmt: skip
"""How each is told, and what to do instead."""


def refusal(source: Source) -> str | None:
    """Return what a file is that is known and not read, with what to do instead."""
    return next((words for sign, words in REFUSED if sign(source)), None)
