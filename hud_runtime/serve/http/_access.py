"""Access of clients to a server: tokens, one project each, in a file that only its owner may read; and limits.

A token is shown once, when it is made; only its SHA-256 is stored. It has 256 random bits, so a slow hash
would add nothing.
"""

from __future__ import annotations

import json
import os
import re
import stat
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from secrets import token_hex, token_urlsafe
from typing import Any, Self

from hud_runtime._errors import LimitError, ServeError, StoreError, StoreLockedError
from hud_runtime._location import MEMORY, default_path, is_address, make_folder
from hud_runtime.log.store._files import private_file, process_lock
from ujsx.errors import did_you_mean, quoted

FILE = "tokens.json"
"""The name of the file beside a store."""

LONGEST = 8 * 1024 * 1024
"""Bytes of the file at most, some 50,000 tokens; a longer one counts as damaged."""

PATIENCE = 5_000
"""Milliseconds that a change waits for another one."""

PREFIX = "ujsx"
"""The prefix of all tokens, which identifies a leaked one."""

_PROJECT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?")
_TOKEN = re.compile(r"ujsx_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
_ID, _HASH = re.compile(r"[0-9a-f]{12}"), re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Token:
    """A token as stored."""

    id: str
    """The public part of the token, by which it is listed and revoked."""

    project: str | None
    """The project whose sessions it reads and writes; None for one that only reads the metrics at ``/metrics``."""

    digest: str
    """The SHA-256 of the token, in hex."""

    made_at: int
    """The time of creation, in milliseconds since the epoch."""


UNKNOWN = sha256().hexdigest()
"""The digest to compare a token of an unknown id with, so that it takes as long."""


class Tokens:
    """The tokens in a file.

    A server reloads the file when it changes. A file that cannot be read, or that others may read, admits
    nobody.

    :raises ServeError: by each method, for an unusable file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tokens = Tokens(Path(folder) / "tokens.json")
    ...     token, text = tokens.add("shop")
    ...     tokens.of(text).project, tokens.of(text.upper()), tokens.revoke(token.id), tokens.of(text)
    ('shop', None, None, None)
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self._clock = clock
        self._read_as: tuple[int, ...] | None = None
        self._known: Mapping[str, Token] = {}

    def all(self) -> tuple[Token, ...]:
        """Return all tokens, oldest first; none without a file."""
        return tuple(sorted(self._current().values(), key=lambda each: (each.made_at, each.id)))

    def exists(self) -> bool:
        """Tell whether there is a file."""
        return os.path.lexists(self.path)

    def of(self, text: str) -> Token | None:
        """Return the token for a client's text, or None for an invalid one.

        The time does not depend on how much of it is right.
        """
        known = self._current()
        match = _TOKEN.fullmatch(text)
        if match is None:
            return None
        token = known.get(match[1])
        given = sha256(text.encode("ascii")).hexdigest()
        return token if compare_digest(given, token.digest if token else UNKNOWN) else None

    def add(self, project: str | None) -> tuple[Token, str]:
        """Make a token of a project, or for the metrics if None; return it, and its text.

        The text is not stored. A project may have several tokens.
        """
        if project is not None and not _PROJECT.fullmatch(project):
            raise ServeError(
                f"{quoted(project)} is not a valid name for a project: it has 1 to 64 letters from a to z, digits,"
                ' ".", "_" or "-", and begins and ends with a letter or a digit'
            )
        with self._changing() as known:
            new_id = next(each for each in iter(lambda: token_hex(6), None) if each not in known)
            text = f"{PREFIX}_{new_id}_{token_urlsafe(32)}"
            digest = sha256(text.encode("ascii")).hexdigest()
            token = Token(new_id, project, digest, int(self._clock() * 1_000))
            self._write({**known, new_id: token})
        return token, text

    def revoke(self, token_id: str) -> None:
        """Revoke a token.

        :raises ServeError: for an unknown id, with the nearest one.
        """
        if not self.exists():
            raise ServeError(f"there is no token {quoted(token_id)}; there are none in {self.path}")
        with self._changing() as known:
            if token_id not in known:
                hint = did_you_mean(token_id, known) if known else "there are none"
                raise ServeError(f"there is no token {quoted(token_id)}; {hint}")
            self._write({name: each for name, each in known.items() if name != token_id})

    @contextmanager
    def _changing(self) -> Generator[Mapping[str, Token]]:
        """Lock the file for a change, and yield its tokens."""
        try:
            make_folder(self.path.parent)
            with process_lock(self.path, PATIENCE):
                self._read_as = None
                yield self._current()
        except StoreLockedError:
            raise ServeError(
                f"{self.path}: another process is changing it and did not finish in time; try again"
            ) from None
        except StoreError as error:
            raise ServeError(str(error)) from None
        except OSError as error:
            raise ServeError(f"{self.path}: {error.strerror}") from None

    def _current(self) -> Mapping[str, Token]:
        """Return the tokens now in the file."""
        try:
            found = self.path.stat()
            as_now = (found.st_mtime_ns, found.st_size, found.st_ino, found.st_mode, found.st_uid)
            if as_now != self._read_as:
                self._known = {}  # if it cannot be read, no token is valid
                self._read_as = None
                self._known = self._read()
                self._read_as = as_now
        except FileNotFoundError:
            self._known, self._read_as = {}, None
        except OSError as error:
            raise ServeError(f"{self.path}: {error.strerror}") from None
        return self._known

    def _read(self) -> Mapping[str, Token]:
        with self.path.open("rb") as file:
            status = os.fstat(file.fileno())
            if os.name != "nt" and status.st_uid != os.getuid():
                raise ServeError(f"{self.path} is another user's; give a file of your own")
            if os.name != "nt" and status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise ServeError(
                    f"others may read {self.path}; make new tokens if somebody did, and then: chmod 600"
                )
            data = file.read(LONGEST)
        try:
            told: Any = json.loads(data)
            return {name: _token(name, each) for name, each in told["tokens"].items()}
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise ServeError(
                f"{self.path} is damaged; remove it, and make the tokens again"
            ) from None

    def _write(self, tokens: Mapping[str, Token]) -> None:
        told = {
            each.id: {"project": each.project, "sha256": each.digest, "made_at": each.made_at}
            for each in tokens.values()
        }
        temporary = self.path.with_name(f".ujsx-{token_hex(8)}")
        try:
            with private_file(temporary) as file:
                file.write(json.dumps({"tokens": told}, indent=2).encode() + b"\n")
            temporary.replace(self.path)
        finally:
            temporary.unlink(missing_ok=True)


def _token(name: str, told: Any) -> Token:
    project, digest, made_at = told["project"], told["sha256"], told["made_at"]
    if not (
        _ID.fullmatch(name)
        and _HASH.fullmatch(digest)
        and type(made_at) is int
        and (project is None or _PROJECT.fullmatch(project))
    ):
        raise ValueError(name)
    return Token(name, project, digest, made_at)


def tokens_beside(place: str | Path | None) -> Path:
    """Return the default path of a store's tokens: beside its file.

    :param place: a path, or the address of a database, whose tokens are beside the default store; None for
        the default store.

    >>> str(tokens_beside("data/hud.db"))
    'data/tokens.json'
    """
    is_file = place is not None and str(place) != MEMORY and not is_address(place)
    return (Path(str(place)) if is_file else default_path()).parent / FILE


# A server's limits on its clients, as one table: the purpose and the unit of each.

KNOWN = "ujsx.known"
"""The key in a request's scope by which an application marks its client as authenticated; unauthenticated
connections are closed first.
"""


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """The limits of one server process.

    >>> ServerLimits.of(["rate=50", "body=100000"]).rate
    50
    """

    rate: int = 20
    """Requests of a token per second, on average."""

    burst: int = 100
    """Requests of a token at once, after a pause."""

    connections: int = 4_000
    """Connections at once, at most the process's descriptors less 64; beyond it an idle one is closed."""

    head: int = 10
    """Seconds that a client may take for a request's head."""

    body: int = 4 * 1024 * 1024
    """Bytes of a request."""

    sending: int = 30
    """Seconds that a client may take to send its body."""

    at_once: int = 128
    """Requests that are answered at the same time."""

    at_once_of_token: int = 32
    """Requests of one token that are answered at the same time."""

    streams: int = 1_000
    """Clients that listen at the same time."""

    streams_of_token: int = 100
    """Clients of one token that listen at the same time."""

    sessions: int = 1_000
    """Sessions kept in memory, most recently used first; the store has them all."""

    workers: int = 8
    """Threads that query the store, as many as its connections."""

    stopping: int = 10
    """Seconds that requests may take after the server is told to stop."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not isinstance(value, int) or not 1 <= value <= 2**40:
                raise LimitError(f"the limit {each.name} must be a positive integer, not {value!r}")

    @classmethod
    def of(cls, given: Iterable[str]) -> Self:
        """Return the default limits with changes, each as ``NAME=NUMBER``.

        :raises LimitError: for an unknown name, and for a value that is not a positive integer.
        """
        made, names = cls(), [each.name for each in fields(cls)]
        for each in given:
            name, _, text = each.partition("=")
            if name not in names:
                raise LimitError(f"there is no limit {quoted(name)}; {did_you_mean(name, names)}")
            if not (text.isascii() and text.isdecimal() and len(text) < 14):
                raise LimitError(f"the limit {name} must be a positive integer, not {quoted(text)}")
            made = replace(made, **{name: int(text)})
        return made


class Buckets:
    """A rate limiter: a token bucket for each client token.

    >>> now = 0.0
    >>> buckets = Buckets(rate=2, burst=1, clock=lambda: now)
    >>> buckets.wait("a"), buckets.wait("a"), buckets.wait("b")
    (0.0, 0.5, 0.0)
    """

    def __init__(
        self, *, rate: int, burst: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._full_at: dict[str, float] = {}
        """The time at which each bucket will be full, without further requests."""

    def wait(self, key: str) -> float:
        """Take one from a bucket, and return 0; or return the seconds until one is available."""
        now = self._clock()
        if len(self._full_at) > 1_000:  # full buckets need no entry
            self._full_at = {name: full for name, full in self._full_at.items() if full > now}
        full_at = max(self._full_at.get(key, now), now) + 1 / self._rate
        excess = full_at - now - self._burst / self._rate
        if excess > 1e-9:
            return excess
        self._full_at[key] = full_at
        return 0.0
