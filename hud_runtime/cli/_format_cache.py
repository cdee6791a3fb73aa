"""Texts that `ujsx format` leaves as they are, known by their digests in the user's cache folder.

The cache is a file of digests, one a line, the newest last. A digest is of a text, the settings and the versions of all that
decides, so nothing in it becomes wrong. Without a folder to write to, each text is formatted.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from hud_runtime._errors import InstallError
from hud_runtime.cli._hud_file import alone
from ujsx import __version__

if TYPE_CHECKING:
    from hud_runtime.cli._format_settings import FormatSettings

MOST = 50_000
"""Digests that are kept: 33 bytes each."""

_FILE = "formatted"
_LENGTH = 32
_READERS = ("markdown-it-py", "mistune")


class UnchangedTexts:
    """The texts that formatting with some settings does not change."""

    def __init__(self, settings: FormatSettings) -> None:
        readers = [f"{name} {version(name)}" for name in _READERS]
        options = sorted(settings.options.items())
        decides = (__version__, readers, options, settings.canonical, settings.extensions)
        self._start = sha256(repr(decides).encode())
        self._path = _path()
        self._known = dict.fromkeys(_digests(self._path))
        self._new: dict[str, None] = {}

    def __contains__(self, text: str) -> bool:
        digest = self._digest(text)
        if digest not in self._known:
            return False
        self._new[digest] = None  # the oldest go first
        return True

    def add(self, text: str) -> None:
        """Note that a text stays as it is."""
        self._new[self._digest(text)] = None

    def save(self) -> None:
        """Write what is noted, and what other processes have noted meanwhile; the file is whole at any time."""
        if self._path is None or self._new.keys() <= self._known.keys():
            return
        from hud_runtime.integrations._settings_file import write_file

        try:
            with alone(self._path):
                every = {**dict.fromkeys(_digests(self._path))}
                for digest in self._new:
                    every.pop(digest, None)
                every |= self._new
                lines = [f"{digest}\n" for digest in [*every][-MOST:]]
                write_file(self._path, "".join(lines), private=True)
        except (OSError, InstallError):
            return

    def _digest(self, text: str) -> str:
        found = self._start.copy()
        found.update(text.encode())
        return found.hexdigest()[:_LENGTH]


@contextmanager
def unchanged_texts(settings: FormatSettings) -> Generator[UnchangedTexts]:
    """Give the texts that are known to stay as they are; those that are added are kept, also on an interruption."""
    texts = UnchangedTexts(settings)
    try:
        yield texts
    finally:
        texts.save()


def _path() -> Path | None:
    from platformdirs import user_cache_path

    try:
        return user_cache_path("ujsx", appauthor=False) / _FILE
    except RuntimeError:  # nobody knows the user's folder
        return None


def _digests(path: Path | None) -> list[str]:
    try:
        lines = [] if path is None else path.read_text("ascii").split("\n")
    except (OSError, UnicodeDecodeError):
        return []
    return [line for line in lines if len(line) == _LENGTH]
