"""The engine of a store, as its parts need it: rows, transactions, and its own table of statements.

The parts speak the SQL that SQLite and PostgreSQL both understand, with ``?`` for each value. Where the
two differ, a statement stands in each engine's :class:`Statements`. A value is always bound.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol, TypeAlias

from hud_runtime.store._transaction import Transaction

Row: TypeAlias = tuple[Any, ...]


class Statements(NamedTuple):
    """The statements that two engines say in different words."""

    append: str
    """Appends a row of an event and its digest, at a position that was never given."""
    of_types: str
    """A page of a session's events of some types."""
    of_rare_types: str
    """The same, by the index of those that do not fill logs."""
    known_ids: str
    """Those of the ids that are taken."""
    add_erasure: str
    """Opens an erasure, or opens one again."""
    last_used: str
    """Each session, and when it was last recorded in or told of what happened, in milliseconds."""


class Answer(Protocol):
    """The answer to a statement."""

    @property
    def rowcount(self) -> int:
        """The number of rows that were changed."""
        ...

    def fetchall(self) -> list[Any]:
        """Return all rows."""
        ...

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """A connection within a transaction."""

    def execute(self, query: str, values: Sequence[Any] = ..., /) -> Answer:
        """Run a statement with these values."""
        ...

    def executemany(self, query: str, rows: Iterable[Sequence[Any]], /) -> object:
        """Run a statement for each of the rows."""
        ...


class Engine(Protocol):
    """A database in which a store lies."""

    statements: Statements
    place: str
    """Its name in messages; no password is in it."""

    @property
    def layout(self) -> int:
        """The newest of SQLite's layouts (``_schema.MIGRATIONS``) that has the tables that are here."""
        ...

    def rows(self, query: str, *values: object) -> list[Row]:
        """Return all rows of a query: those of the last commit, or of the caller's own transaction."""
        ...

    def writing(
        self, what: str = ..., *, has_parts: bool = ...
    ) -> AbstractContextManager[Connection]:
        """Give a connection that writes; what is written is committed at the end, and none after an error."""
        ...

    def at_one_moment(self) -> AbstractContextManager[object]:
        """Let all that this thread reads within be of one moment, whatever others write meanwhile."""
        ...

    def transaction(self) -> Transaction | None:
        """Return the transaction that the caller is in, if any."""
        ...

    def alone(self) -> AbstractContextManager[object]:
        """Keep others from archiving, purging and erasing while the context lasts."""
        ...

    def many(self, values: Collection[str]) -> object:
        """Return texts as one value of a statement."""
        ...
