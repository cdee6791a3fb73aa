"""The remains of a damaged store: its events by session and version, wherever they lie.

In: the pages of a database, and the files of its archive. An event counts when its digest fits, so
nothing is invented; what looks like one and does not fit is kept apart. What an index or a tombstone
tells is used to know what is missing, and what must not come back.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeGuard

import msgspec

from hud_runtime.store._archive import Archived
from hud_runtime.store._engine import Row
from hud_runtime.store._erasures import without
from hud_runtime.store._pages import Pages, Record, Value
from hud_runtime.store._rows import digest

LARGEST_POSITION = 2**48
"""More events than any store has: a greater position is damage."""


class Tombstone(NamedTuple):
    """A row of ``hud_tombstone``."""

    session_id: str
    events: int
    position: int
    purged_at: int


class ErasedTexts(NamedTuple):
    """A row of ``hud_erasure``."""

    session_id: str
    version: int
    recorded_at: int
    fields: tuple[str, ...]
    erased_at: int


class Salvaged(NamedTuple):
    """An event that is as it was written: its row with the digest, and where it was."""

    row: Row
    position: int
    is_archived: bool

    @property
    def version(self) -> int:
        return int(self.row[2])


class SavedState(NamedTuple):
    """A row of ``hud_snapshot``."""

    session_id: str
    version: int
    turn: int
    projection: str
    revision: int
    state: str
    digest: bytes


class Leftover(NamedTuple):
    """A row that looks like an event, and is not as it was written."""

    row: Row
    position: int


@dataclass(slots=True)
class Remains:
    """All that could be read of a damaged store."""

    events: dict[str, dict[int, Salvaged]] = field(default_factory=dict[str, dict[int, Salvaged]])
    """By session and version."""
    leftovers: list[Leftover] = field(default_factory=list[Leftover])
    known: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    """Versions that an index tells of."""
    tombstones: dict[str, Tombstone] = field(default_factory=dict[str, Tombstone])
    erasures: dict[tuple[str, int], ErasedTexts] = field(
        default_factory=dict[tuple[str, int], ErasedTexts]
    )
    snapshots: list[SavedState] = field(default_factory=list[SavedState])
    """Those whose digest fits."""


def remains_of(pages: Pages, archive: Iterable[Path]) -> Remains:
    """Read everything that can be read."""
    remains = Remains()
    for record in pages.records():
        with suppress(UnicodeDecodeError):
            _take(remains, record)
    for file in archive:
        for position, row in readable_rows(file):
            _take_event(remains, row, position, is_archived=True)
    for session_id in remains.tombstones:
        remains.events.pop(session_id, None)
        remains.known.pop(session_id, None)
    gone = remains.tombstones.keys()
    remains.leftovers = [one for one in remains.leftovers if one.row[1] not in gone]
    remains.snapshots = [one for one in remains.snapshots if one.session_id not in gone]
    _leave_erased(remains)
    return remains


def _leave_erased(remains: Remains) -> None:
    """Leave out what was erased: what an erasure has not come to may still be there with its texts."""
    for (session_id, version), one in remains.erasures.items():
        found = remains.events.get(session_id, {}).get(version)
        if found is not None:
            row = (*found.row[:8], without(found.row[8], version, one.fields))
            remains.events[session_id][version] = found._replace(row=(*row, digest(row)))
        remains.leftovers = [
            each for each in remains.leftovers if each.row[1:3] != (session_id, version)
        ]
        remains.snapshots = [
            each
            for each in remains.snapshots
            if each.session_id != session_id or not version <= each.version < one.recorded_at
        ]


def readable_rows(file: Path) -> Iterator[tuple[int, Row]]:
    """Yield the events of an archive file that can be read, up to where it cannot be unpacked."""
    unpacker, text = zlib.decompressobj(wbits=31), b""
    with suppress(zlib.error):
        content = file.read_bytes()
        for start in range(0, len(content), 256):  # what comes out before an error counts
            text += unpacker.decompress(content[start : start + 256])
    for line in text.split(b"\n"):
        with suppress(msgspec.MsgspecError, ValueError):
            found = msgspec.json.decode(line, type=Archived)
            yield found.position, found.row()


def _take(remains: Remains, record: Record) -> None:
    """Take a record for what its values show it to be: each table has a pattern of its own."""
    values = record.values
    if record.rowid is not None and len(values) == 12 and values[0] is None:
        row = _event_row(values[1:11])
        if row is not None:
            _take_event(remains, row, record.rowid, is_archived=False)
    elif record.rowid is not None and len(values) == 4 and _are(values, bytes, int, int, int):
        session_id, *numbers = values
        tombstone = Tombstone(_text(session_id), *map(_whole, numbers))
        remains.tombstones[tombstone.session_id] = tombstone
    elif record.rowid is None and len(values) == 3 and _are(values, bytes, int, int):
        remains.known.setdefault(_text(values[0]), set()).add(_whole(values[1]))
    elif record.rowid is None and _are(values, bytes, int, int, bytes, int, int):
        _take_erasure(remains, values)
    elif record.rowid is None and len(values) == 7:
        _take_snapshot(remains, values)


def _take_erasure(remains: Remains, values: tuple[Value, ...]) -> None:
    session_id, version, recorded_at, fields, erased_at, _ = values
    with suppress(msgspec.MsgspecError):
        names = msgspec.json.decode(_text(fields), type=tuple[str, ...])
        numbers = _whole(version), _whole(recorded_at)
        one = ErasedTexts(_text(session_id), *numbers, names, _whole(erased_at))
        remains.erasures[one.session_id, one.version] = one


def _event_row(values: tuple[Value, ...]) -> Row | None:
    """Return the columns of an event and its digest, texts as texts; ``None`` for what is none."""
    kinds = (bytes, bytes, int, bytes, int, int, bytes, int, bytes, bytes)
    if not _are(values, *kinds):
        return None
    texts = [
        one.decode("utf-8", "replace") if isinstance(one, bytes) else one for one in values[:9]
    ]
    return (*texts, values[9])


def _take_event(remains: Remains, row: Row, position: int, *, is_archived: bool) -> None:
    position = position if 0 < position < LARGEST_POSITION else 0
    if not _is_sound(row):
        remains.leftovers.append(Leftover(row, position))
        return
    versions = remains.events.setdefault(row[1], {})
    there = versions.get(row[2])
    if there is None or (there.is_archived and not is_archived):
        versions[row[2]] = Salvaged(row, position, is_archived)


def _is_sound(row: Row) -> bool:
    try:
        return bool(digest(row[:-1]) == row[-1])
    except OverflowError:  # no number of ours is so large
        return False


def _take_snapshot(remains: Remains, values: tuple[Value, ...]) -> None:
    if not _are(values, bytes, bytes, int, int, int, bytes, bytes):
        return
    session_id, projection, revision, version, turn, state, written = values
    saved = SavedState(
        _text(session_id), _whole(version), _whole(turn), _text(projection), _whole(revision),
        _text(state), written if _is_bytes(written) else b"",
    )  # fmt: skip
    if digest(saved[:-1]) == saved.digest:
        remains.snapshots.append(saved)


def _are(values: tuple[Value, ...], *kinds: type) -> bool:
    return len(values) == len(kinds) and all(map(isinstance, values, kinds))


def _is_bytes(value: Value) -> TypeGuard[bytes]:
    return isinstance(value, bytes)


def _text(value: Value) -> str:
    return value.decode() if _is_bytes(value) else ""


def _whole(value: Value) -> int:
    return value if isinstance(value, int) else 0
