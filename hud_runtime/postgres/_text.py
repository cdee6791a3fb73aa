"""Text as PostgreSQL takes it: all of Unicode but the null character, which is written as two others.

Ids and texts of agents may hold one. Every text goes through here, both ways; what has neither a null nor
the character that stands for it, which is nearly all there is, is as it was, for SQL and for people.
"""

from __future__ import annotations

from typing import TypeAlias

from psycopg.adapt import Dumper, Loader

STANDS_FOR = "\x1a"
"""SUBSTITUTE, which means that here was something that cannot be written."""

NULL, ITSELF = f"{STANDS_FOR}0", f"{STANDS_FOR}1"

Raw: TypeAlias = "bytes | bytearray | memoryview[int]"


def without_nulls(text: str) -> str:
    r"""Return a text as it is stored.

    >>> without_nulls("a\0b"), without_nulls("\x1a"), without_nulls("Port 8080")
    ('a\x1a0b', '\x1a1', 'Port 8080')
    """
    if STANDS_FOR in text:
        text = text.replace(STANDS_FOR, ITSELF)
    return text.replace("\0", NULL) if "\0" in text else text


def with_nulls(text: str) -> str:
    r"""Return a text as it was before it was stored.

    >>> with_nulls(without_nulls("\0\x1a01\x1a")) == "\0\x1a01\x1a"
    True
    """
    if STANDS_FOR not in text:
        return text
    return text.replace(NULL, "\0").replace(ITSELF, STANDS_FOR)


class TextDumper(Dumper):
    """Writes texts. Their type is left open, as of a literal: the statement has it."""

    oid = 0

    def dump(self, obj: str) -> bytes:
        """Return a text as PostgreSQL reads it. Raises UnicodeEncodeError for half of a surrogate pair."""
        return without_nulls(obj).encode()


class TextLoader(Loader):
    """Reads texts."""

    def load(self, data: Raw) -> str:
        """Return a text as it was written."""
        return with_nulls(bytes(data).decode())
