"""SQLite as a store calls it: a test acts at a statement, or lets it fail, whatever code of ours makes it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import pytest

Act: TypeAlias = Callable[..., object]
"""Takes the text of a statement, and its values after it."""

COPY = "COPY"
"""The text that stands for a copy of a whole database."""


class Statements:
    """The acts of a test before and after each statement; what an act itself asks SQLite counts for nothing."""

    def __init__(self) -> None:
        self.before: Act | None = None
        self.after: Act | None = None
        self._acting = threading.local()

    def run(self, real: Callable[[], object], statement: str, *values: object) -> object:
        """Run a statement between the two acts."""
        self._act(self.before, statement, values)
        done = real()
        self._act(self.after, statement, values)
        return done

    def _act(self, act: Act | None, statement: str, values: tuple[object, ...]) -> None:
        if act is None or getattr(self._acting, "now", False):
            return
        self._acting.now = True
        try:
            act(statement, *values)
        finally:
            self._acting.now = False


def watched(patch: pytest.MonkeyPatch) -> Statements:
    """Watch each connection that is made from now on, until the patch is undone."""
    statements, connect = Statements(), sqlite3.connect

    class Watched(sqlite3.Connection):
        def execute(self, sql: str, values: object = (), /) -> sqlite3.Cursor:  # type: ignore[override]
            real = partial(super().execute, sql, values)  # type: ignore[arg-type]
            given = values if isinstance(values, tuple) else (values,)
            return statements.run(real, sql, *given)  # type: ignore[return-value]

        def executemany(self, sql: str, values: object, /) -> sqlite3.Cursor:  # type: ignore[override]
            return statements.run(partial(super().executemany, sql, values), sql)  # type: ignore[arg-type,return-value]

        def backup(self, target: sqlite3.Connection, **named: object) -> None:  # type: ignore[override]
            statements.run(partial(super().backup, target, **named), COPY)  # type: ignore[arg-type]

    patch.setattr(sqlite3, "connect", partial(connect, factory=Watched))
    return statements


def disk_is_full() -> sqlite3.OperationalError:
    """Return the error that SQLite raises where a write finds no room."""
    return failure("SQLITE_FULL", "database or disk is full")


def failure(code: str, told: str) -> sqlite3.OperationalError:
    """Return an error of SQLite by the name of its result code."""
    error = sqlite3.OperationalError(told)
    error.sqlite_errorname, error.sqlite_errorcode = code, getattr(sqlite3, code)
    return error


def fails(when: Callable[[str], object], error: BaseException) -> Act:
    """Return an act that fails at the statements that fit."""

    def act(statement: str, *_values: object) -> None:
        if when(statement):
            raise error

    return act


def without_patience(patch: pytest.MonkeyPatch) -> None:
    """Let SQLite wait for nobody who has a file."""
    real = sqlite3.connect
    patch.setattr(
        sqlite3, "connect", lambda *place, **named: real(*place, **{**named, "timeout": 0})
    )
