"""Reading the rows that are left in a database too damaged for SQLite.

SQLite finds a row from the root of its tree; where one page on the way is damaged, all below is out of
reach. Here each page is read by itself, as the file format describes it (sqlite.org/fileformat2.html,
sections 1.6 and 2.1), and gives the rows that it holds. Whether a row is as it was written, its digest
tells. A page whose own table of contents is damaged is searched for what looks like an event.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from struct import unpack
from typing import NamedTuple, TypeAlias

Value: TypeAlias = int | bytes | None

MAGIC = b"SQLite format 3\x00"
"""The first bytes of a database (section 1.3)."""

USUAL_SIZE = 4_096
"""Bytes of a page, where the header that would tell is damaged: what every store is made with."""

SIZES = frozenset(2**power for power in range(9, 17))
"""Bytes that a page can have."""

TABLE_LEAF, INDEX_LEAF = 13, 10
"""The kinds of pages that hold rows (section 1.6)."""

INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
"""Bytes of an integer, by its serial type (section 2.1)."""

LONGEST = 64
"""Bytes of a row's head at most: what claims more is no row of a store."""

EVENT_HEAD = re.compile(rb"[\x0d-\x24]\x00[\x0f-\xff]")
"""The first bytes of an event's row: the length of its head, NULL for the key, a text's kind."""


class Record(NamedTuple):
    """A row of a table, or an entry of an index."""

    rowid: int | None
    """``None`` for an entry of an index."""
    values: tuple[Value, ...]
    """A text is its bytes."""


class Pages:
    """The pages of a database, with those of its write-ahead log in their place."""

    def __init__(self, content: bytes, log: bytes = b"") -> None:
        self._content = content
        told = int.from_bytes(content[16:18]) if content.startswith(MAGIC) else 0
        told = 65_536 if told == 1 else told
        from_log = int.from_bytes(log[8:12])
        self.size = told if told in SIZES else from_log if from_log in SIZES else USUAL_SIZE
        self._newer = dict(_committed(log, self.size))
        last = max(self._newer, default=0)
        self.count = max(-(-len(content) // self.size), last)

    def page(self, number: int) -> bytes:
        """Return a page, counted from 1; what is beyond the end is empty."""
        newer = self._newer.get(number)
        return (
            self._content[(number - 1) * self.size : number * self.size] if newer is None else newer
        )

    def records(self) -> Iterator[Record]:
        """Yield all rows and entries that can be read, page by page."""
        for number in range(1, self.count + 1):
            page = self.page(number)
            if page.count(0) != len(page):
                yield from self._of_page(page, 100 if number == 1 else 0)

    def _of_page(self, page: bytes, start: int) -> Iterator[Record]:
        kind = page[start] if start < len(page) else 0
        places = _pointers(page, start) if kind in (TABLE_LEAF, INDEX_LEAF) else None
        found = [] if places is None else [*self._at(page, places, kind)]
        yield from found
        if places is None or len(found) < len(places):
            # An inner page, a part of a long row, or one whose head or kind is damaged.
            yield from self._at(page, _likely(page), TABLE_LEAF)

    def _at(self, page: bytes, places: Iterable[int], kind: int) -> Iterator[Record]:
        for place in places:
            with suppress(ValueError, IndexError):
                yield self._cell(page, place, kind)

    def _cell(self, page: bytes, place: int, kind: int) -> Record:
        """Return what a cell holds. Raises ValueError or IndexError where there is none."""
        length, place = _varint(page, place)
        rowid = None
        if kind == TABLE_LEAF:
            rowid, place = _varint(page, place)
        kinds, head = _kinds(page, place)
        widths = [*map(_width, kinds)]
        if head + sum(widths) != length:
            raise ValueError(length)
        local = _local(length, self.size, kind)
        payload = page[place : place + local]
        if local < length:
            number = int.from_bytes(page[place + local : place + local + 4])
            payload += self._overflow(number, length - local)
        if len(payload) < length:
            raise ValueError(length)
        return Record(_signed(rowid), tuple(_values(payload[head:], kinds, widths)))

    def _overflow(self, number: int, length: int) -> bytes:
        """Return the rest of a long row, which is in a chain of pages (section 1.6)."""
        parts: list[bytes] = []
        while length > 0 and 0 < number <= self.count:
            page = self.page(number)
            parts.append(page[4 : 4 + length])
            length -= len(parts[-1])
            number = int.from_bytes(page[:4])
            if not parts[-1]:
                break
        return b"".join(parts)


def read_pages(database: Path) -> Pages:
    """Read a database and the write-ahead log beside it, or one of them. Not to be called while it is in use."""
    log = database.with_name(f"{database.name}-wal")
    return Pages(*(each.read_bytes() if each.exists() else b"" for each in (database, log)))


def _pointers(page: bytes, start: int) -> list[int] | None:
    """Return where the cells of a leaf begin; ``None`` where its head cannot be right."""
    count, first = int.from_bytes(page[start + 3 : start + 5]), start + 8
    end = first + 2 * count
    if not count or end > len(page):
        return None
    return [int.from_bytes(page[place : place + 2]) for place in range(first, end, 2)]


def _local(length: int, usable: int, kind: int) -> int:
    """Return how much of a row lies in its own page (section 1.6)."""
    most = usable - 35 if kind == TABLE_LEAF else (usable - 12) * 64 // 255 - 23
    if length <= most:
        return length
    least = (usable - 12) * 32 // 255 - 23
    rest = least + (length - least) % (usable - 4)
    return rest if rest <= most else least


def _likely(page: bytes) -> Iterator[int]:
    """Yield where an event's row may begin: at most two numbers before what looks like its head."""
    for found in EVENT_HEAD.finditer(page):
        yield from range(max(found.start() - 18, 0), found.start() - 1)


def _kinds(page: bytes, start: int) -> tuple[list[int], int]:
    """Return the serial types of a row's values, and the length of its head (section 2.1)."""
    head, place = _varint(page, start)
    if head > LONGEST:
        raise ValueError(head)
    kinds: list[int] = []
    while place < start + head:
        kind, place = _varint(page, place)
        kinds.append(kind)
    if place != start + head or not kinds:
        raise ValueError(head)
    return kinds, head


def _width(kind: int) -> int:
    """Return how many bytes a value has. Raises ValueError for a kind that no store has."""
    if kind in INTEGERS:
        return INTEGERS[kind]
    if kind in (0, 8, 9):
        return 0
    if kind < 12:
        raise ValueError(kind)
    return (kind - 12) // 2


def _values(body: bytes, kinds: Iterable[int], widths: Iterable[int]) -> Iterator[Value]:
    """Yield the values of a row (section 2.1)."""
    place = 0
    for kind, width in zip(kinds, widths, strict=True):
        part = body[place : place + width]
        place += width
        if kind >= 12:
            yield part
        elif kind in INTEGERS:
            yield int.from_bytes(part, signed=True)
        else:
            yield None if kind == 0 else kind - 8


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """Return a number of one to nine bytes, and the place after it (section 1.6)."""
    value = 0
    for last in range(place, place + 8):
        byte = data[last]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, last + 1
    return value << 8 | data[place + 8], place + 9


def _signed(number: int | None) -> int | None:
    return number - 2**64 if number is not None and number >= 2**63 else number


def _committed(log: bytes, size: int) -> Iterator[tuple[int, bytes]]:
    """Yield the pages of a write-ahead log that were committed, the older ones first (section 4)."""
    if len(log) < 32 or int.from_bytes(log[:4]) not in (0x377F0682, 0x377F0683):
        return
    order = "big" if log[3] & 1 else "little"
    sums = checksum(log[:24], order, (0, 0))
    waiting: list[tuple[int, bytes]] = []
    for start in range(32, len(log) - size - 23, size + 24):
        head, page = log[start : start + 24], log[start + 24 : start + 24 + size]
        sums = checksum(page, order, checksum(head[:8], order, sums))
        told = int.from_bytes(head[16:20]), int.from_bytes(head[20:24])
        if head[8:16] != log[16:24] or sums != told:
            return
        waiting.append((int.from_bytes(head[:4]), page))
        if int.from_bytes(head[4:8]):  # the last page of a commit
            yield from waiting
            waiting.clear()


def checksum(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """Return the checksum of a write-ahead log, which goes on from the one before (section 4.2)."""
    one, two = sums
    words = unpack(f"{'>' if order == 'big' else '<'}{len(data) // 4}I", data)
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two
