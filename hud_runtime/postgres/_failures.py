"""PostgreSQL's errors as ours: from their codes to a class and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from types import MappingProxyType

import psycopg
from psycopg_pool import PoolTimeout

from hud_runtime._errors import (
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreReadOnlyError,
    StoreUnavailableError,
)

FAILURES: Mapping[str, tuple[type[StoreError], str]] = MappingProxyType(
    {
        "08": (StoreUnavailableError, "the connection broke; nothing was recorded"),
        "25006": (
            StoreReadOnlyError,
            "it can only be read: it was opened so, or the server is a standby",
        ),
        "28": (
            StoreUnavailableError,
            "the server refuses this user; check the user and the password",
        ),
        "3D": (StoreUnavailableError, "there is no such database; make it with createdb"),
        "40001": (StoreLockedError, "another session was in the way; try again"),
        "40P01": (StoreLockedError, "two writers were waiting for each other; try again"),
        "42501": (
            StoreReadOnlyError,
            "this role may not do that; `ujsx store role` prints what a role needs",
        ),
        "53100": (StoreFullError, "the server's disk is full; nothing was kept of this write"),
        "53": (StoreUnavailableError, "the server has no room for more; try again"),
        "55P03": (StoreLockedError, "another one is writing and did not finish in time; try again"),
        "57": (
            StoreUnavailableError,
            "the server went away or was told to stop; nothing was recorded, try again",
        ),
        "58": (StoreFullError, "the server's disk refused; nothing was kept of this write"),
        "XX": (StoreDamagedError, "its contents are damaged; restore a backup of the server"),
    }
)
"""By how the codes begin (postgresql.org/docs/current/errcodes-appendix.html); longer ones count first."""

REFUSALS = re.compile(
    r"does not exist|authentication failed|no password supplied|not permitted to log in"
    r"|no pg_hba\.conf entry|permission denied|does not support SSL|unrecognized configuration parameter"
    r'|definition of service ".*" not found'
)
"""The messages of a server, or of libpq, that no second try changes: with the same password it may even lock the user out.
A failed connection has no code, only words. In another language than English they are not known here, and are tried
again like all others."""


def our_error(place: str, error: psycopg.Error, secret: str | None = None) -> StoreError:
    """Return an error of PostgreSQL as one of ours.

    :param secret: what is not repeated, wherever the server or its library says it.
    """
    said = " ".join(str(error).split())
    if secret:
        said = said.replace(secret, "***")
    code = error.sqlstate or ""
    for begin in sorted(FAILURES, key=len, reverse=True):
        if code.startswith(begin):
            kind, advice = FAILURES[begin]
            return kind(f"{place}: {advice} ({said})")
    if not code and isinstance(error, psycopg.OperationalError):
        what = "no connection was free in time" if isinstance(error, PoolTimeout) else (
            "the database cannot be reached, or went away"
        )  # fmt: skip
        return StoreUnavailableError(f"{place}: {what}; nothing was recorded ({said})")
    return StoreError(f"{place}: {said}")


@contextmanager
def our_errors(place: str, secret: str | None = None) -> Generator[None]:
    """Turn what PostgreSQL raises within into one of our errors."""
    try:
        yield
    except psycopg.Error as error:
        raise our_error(place, error, secret) from _without_secret(error, secret)


def _without_secret(error: psycopg.Error, secret: str | None) -> psycopg.Error | None:
    """Return an error as a cause, unless a traceback that shows it would show the secret."""
    return None if secret and secret in str(error) else error


def is_broken(error: BaseException) -> bool:
    """Tell whether an error may mean that the connection is gone, or was not to be had yet, and another one may do."""
    if not isinstance(error, psycopg.OperationalError) or isinstance(error, PoolTimeout):
        return False
    code = error.sqlstate or ""
    if not code:
        return REFUSALS.search(str(error)) is None
    return code[:2] == "08" or code in {"53300", "57P01", "57P02", "57P03"}
