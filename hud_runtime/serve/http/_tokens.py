"""The tokens that let clients ask a server: each of a project, in a file that only its owner may read.

A token is shown once, when it is made. What is kept is its SHA-256: it has 256 random bits, so that a slow hash
would add nothing.
"""

from __future__ import annotations

import json
import os
import re
import stat
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from secrets import token_hex, token_urlsafe
from typing import Any

from hud_runtime._errors import ServeError, StoreError, StoreLockedError
from hud_runtime._location import MEMORY, default_path, is_address, make_folder
from hud_runtime.log.store._files import private_file, process_lock
from ujsx.errors import did_you_mean, quoted

FILE = "tokens.json"
"""The name of the file beside a store."""

LONGEST = 8 * 1024 * 1024
"""Bytes of the file that are read, some 50,000 tokens: a longer one is damaged."""

PATIENCE = 5_000
"""Milliseconds that one waits for another who changes the file."""

PREFIX = "ujsx"
"""The beginning of each token, by which whoever finds one can tell what it belongs to."""

_PROJECT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?")
_TOKEN = re.compile(r"ujsx_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
_ID, _HASH = re.compile(r"[0-9a-f]{12}"), re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is kept."""

    id: str
    """By which it is named, listed and revoked; it is a part of the token, and no secret."""

    project: str | None
    """The project whose sessions it reads and writes; None for one that only reads the figures at ``/metrics``."""

    digest: str
    """The SHA-256 of the token, in hex."""

    made_at: int
    """The time of its making, in milliseconds since the epoch."""


UNKNOWN = sha256().hexdigest()
"""The digest that a token with an unknown id is compared with, so that it takes as long."""


class Tokens:
    """The tokens in a file.

    A server reads it again when it has changed. One that cannot be read, or that others may read, lets nobody in.

    :raises ServeError: by each method, for a file that cannot be used.

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
        """Return all tokens, in the order of their making; none where there is no file."""
        return tuple(sorted(self._current().values(), key=lambda each: (each.made_at, each.id)))

    def exists(self) -> bool:
        """Tell whether there is a file."""
        return os.path.lexists(self.path)

    def of(self, text: str) -> Token | None:
        """Return the token that a client has sent, or None for one that is not valid.

        It takes as long for one that is nearly right as for one that is not.
        """
        known = self._current()
        match = _TOKEN.fullmatch(text)
        if match is None:
            return None
        token = known.get(match[1])
        given = sha256(text.encode("ascii")).hexdigest()
        return token if compare_digest(given, token.digest if token else UNKNOWN) else None

    def add(self, project: str | None) -> tuple[Token, str]:
        """Make a token of a project, or for the figures where it is None; return it, and its text.

        The text is kept nowhere. A project may have several tokens.
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
        """Let a token be valid no more.

        :raises ServeError: for an id that no token has; the message has the nearest one.
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
        """Keep others from changing the file, and give what is in it."""
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
        """The tokens in the file as it is now."""
        try:
            found = self.path.stat()
            as_now = (found.st_mtime_ns, found.st_size, found.st_ino, found.st_mode, found.st_uid)
            if as_now != self._read_as:
                self._known = {}  # if it cannot be read, nobody is known
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
    """Return where the tokens of a store are, when nobody says it: beside its file.

    :param place: its path, or the address of a database, whose tokens stand beside the default store; the default one
        when None.

    >>> str(tokens_beside("data/hud.db"))
    'data/tokens.json'
    """
    is_file = place is not None and str(place) != MEMORY and not is_address(place)
    return (Path(str(place)) if is_file else default_path()).parent / FILE
