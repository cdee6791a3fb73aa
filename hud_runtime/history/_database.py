"""OpenCode's database, asked in short transactions: each question sees one moment, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from hud_runtime._errors import HistoryError, TranscriptError
from hud_runtime._limits import Limits
from hud_runtime.history._columns import define_views
from hud_runtime.history._folder import folder_as_database
from hud_runtime.history._place import database_at
from hud_runtime.transcripts._database import mark_of, opened

if TYPE_CHECKING:
    from sqlite3 import Connection

T = TypeVar("T")

TRIES = 3
"""How often a question is asked again where the file has changed under it."""


class Database:
    """A database of OpenCode's, or the folder that came before it, as views of fixed names.

    :param path: the database, or a folder that it lies in; OpenCode's own when None.
    :param limits: how much of a file is read at once.
    :raises HistoryError: where there is none, or none that can be read.
    """

    def __init__(self, path: str | Path | None = None, *, limits: Limits | None = None) -> None:
        self.path = database_at(path)
        self._limits = Limits.of_environment() if limits is None else limits
        self._mark: object = None
        self._db = self._opened()

    def _opened(self) -> Connection:
        import sqlite3

        if self.path.is_dir():
            db = folder_as_database(self.path, self._limits)
        else:
            try:
                mark = self._marked()
                db, is_still = opened(self.path)
                self._mark = mark if is_still else None
            except TranscriptError as error:
                raise HistoryError(str(error)) from None
        try:
            db.isolation_level = None
            db.text_factory = _text
            # What a database of somebody's declares is not run.
            db.execute("PRAGMA trusted_schema = OFF")
            define_views(db)
            db.execute("PRAGMA query_only = ON")
        except sqlite3.Error as error:
            db.close()
            raise self._refusal(error) from None
        except HistoryError as error:
            db.close()
            raise HistoryError(f"{self.path} cannot be read: {error}") from None
        return db

    def close(self) -> None:
        """Let go of the database."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # --- Asking ---

    def ask(self, work: Callable[[Connection], T]) -> T:
        """Return what a question finds, all of it as of one moment.

        :raises HistoryError: where the database is damaged, or somebody holds it.
        """
        import sqlite3

        for _ in range(TRIES):
            if self._has_changed():
                self._db.close()
                self._db = self._opened()
            try:
                self._db.execute("BEGIN")
                try:
                    found = work(self._db)
                finally:
                    self._db.execute("ROLLBACK")
            except sqlite3.Error as error:
                if not self._has_changed():
                    raise self._refusal(error) from None
            else:
                if not self._has_changed():
                    return found
        raise HistoryError(f"{self.path} changes while it is read; try again")

    def rows(self, query: str, given: Mapping[str, object]) -> list[Any]:
        """Return the rows of one query, with parameters that are bound."""
        return self.ask(lambda db: [*db.execute(query, given)])

    def _has_changed(self) -> bool:
        """Whether a file that is read as if nobody changed it was changed."""
        return self._mark is not None and self._mark != self._marked()

    def _marked(self) -> object:
        try:
            return mark_of(self.path)
        except OSError as error:
            raise HistoryError(f"{self.path} cannot be read: {error.strerror}") from None

    def _refusal(self, error: Exception) -> HistoryError:
        said = str(error)
        if "locked" in said or "busy" in said:
            return HistoryError(
                f"{self.path} is being written, and stays locked ({said}); try again"
            )
        if "malformed" in said or "not a database" in said or "disk I/O" in said:
            return HistoryError(
                f"{self.path} is damaged ({said}); `sqlite3 FILE .recover` saves what it has"
            )
        return HistoryError(f"{self.path} cannot be read: {said}")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
