"""The table ``[tool.ujsx]`` of a project's ``pyproject.toml``, read from a folder of anybody's."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, cast

from hud_runtime._errors import ProjectError
from hud_runtime.projects._load_object import module_files
from ujsx.errors import did_you_mean, quoted, shown

FILE = "pyproject.toml"

LONGEST = 128 * 1024
"""Bytes of a ``pyproject.toml`` that is looked into."""

DOTS = 200
"""Dots in one of its lines: the parser's time and memory grow with their square in a key
(measured with Python 3.11: 9 s for 20,000). A file of keys of 200 takes 1.4 s at most."""

KEYS = ("layout", "domain")

UNREADABLE = ""
"""Stands for the digest of a file that cannot be read."""

FORMAT = "format"
"""The table in it that says how Markdown is formatted. It leads to no code, and needs no trust."""


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """What a project asks for."""

    folder: Path
    """The project's folder, without links in its path."""

    layout: str | None = None
    """The layout's file, below the folder."""

    domain: str | None = None
    """The domain, as ``package.module:NAME``."""

    @property
    def digest(self) -> str:
        """The digest of the values, without the files that they name."""
        data = json.dumps({"layout": self.layout, "domain": self.domain}, sort_keys=True)
        return hashlib.sha256(data.encode()).hexdigest()

    @property
    def files(self) -> dict[str, str]:
        """The digests of the files that the settings name, by their paths: the layout, and the domain's modules.

        A module whose path does not lead through the project's folder is not among them: no change of the project
        changes it. Nothing is imported.
        """
        found: dict[str, str] = {}
        try:
            path = self.layout_path
        except ProjectError:
            path = None
        if self.layout is not None:
            found[self.layout] = UNREADABLE if path is None else _digest_of(path)
        for path in module_files(self.domain or ""):
            if any(each.resolve().is_relative_to(self.folder) for each in (path, *path.parents)):
                found[os.path.relpath(path.resolve(), self.folder)] = _digest_of(path)
        return found

    @property
    def layout_path(self) -> Path | None:
        """The layout's file.

        :raises ProjectError: for one that lies outside of the folder, or is not there.
        """
        if self.layout is None:
            return None
        path = self.folder / self.layout
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError, ValueError):  # a circle of links is a RuntimeError
            raise ProjectError(f"{path} is not there, or cannot be read") from None
        if not real.is_relative_to(self.folder):
            raise ProjectError(f"{path} leads out of the project's folder")
        if not real.is_file():
            raise ProjectError(f"{path} is no file")
        return real

    def __str__(self) -> str:
        given = {"layout": self.layout, "domain": self.domain}
        return ", ".join(f"{name} {quoted(value)}" for name, value in given.items() if value)


def project_of(folder: Path) -> Path | None:
    """Return the folder with a ``pyproject.toml`` that a folder is in, or ``None``."""
    try:
        real = folder.resolve()
        return next((each for each in (real, *real.parents) if os.path.lexists(each / FILE)), None)
    except (OSError, RuntimeError):
        return None


def read_settings(folder: Path) -> ProjectSettings | None:
    """Return what a project's ``pyproject.toml`` asks for, or ``None`` if it asks for nothing.

    :raises ProjectError: for a file that cannot be read, and settings that are none.
    """
    path = folder.resolve() / FILE
    data = _content(path)
    if data is None or b"ujsx" not in data:
        return None
    table = _table(data, path)
    if table is None:
        return None
    table = {name: value for name, value in table.items() if name != FORMAT}
    if not table:
        return None
    for name, value in table.items():
        if name not in KEYS:
            hint = did_you_mean(name, (*KEYS, FORMAT))
            raise ProjectError(f"{path}: [tool.ujsx] has no {quoted(name)}; {hint}")
        if not isinstance(value, str):
            raise ProjectError(f"{path}: {name} is a text, not {shown(value)}")
    layout: Any = table.get("layout")
    if layout is not None and not _is_below(layout):
        raise ProjectError(f"{path}: the layout {quoted(layout)} is no path below the folder")
    return ProjectSettings(path.parent, layout, cast("Any", table.get("domain")))


def read_format(folder: Path) -> Mapping[str, object]:
    """Return the table ``[tool.ujsx.format]`` of a project's ``pyproject.toml``; empty if it has none.

    :raises ProjectError: for a file that cannot be read, and for what is no table.
    """
    path = folder.resolve() / FILE
    data = _content(path)
    table = None if data is None or b"ujsx" not in data else _table(data, path)
    found = (table or {}).get(FORMAT, {})
    if not isinstance(found, dict):
        raise ProjectError(f"{path}: tool.ujsx.format is a table, not {shown(found)}")
    return cast("dict[str, object]", found)


def _digest_of(path: Path) -> str:
    file = _opened(path)
    if file is None:
        return UNREADABLE
    with file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _opened(path: Path) -> BufferedReader | None:
    """A regular file; ``None`` where there is none."""
    try:
        # Opening a pipe would wait for whoever writes into it.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    return None


def _content(path: Path) -> bytes | None:
    """The bytes of a regular file that is not too long; ``None`` where there is nothing."""
    file = _opened(path)
    if file is None:
        return None
    with file:
        data = file.read(LONGEST + 1)
    if len(data) > LONGEST:
        if b"ujsx" not in data:
            return None
        raise ProjectError(f"{path} is longer than {LONGEST:,} bytes, and is not read")
    return data


def _table(data: bytes, path: Path) -> Mapping[str, object] | None:
    import tomllib

    if any(line.count(b".") > DOTS for line in data.splitlines()):
        raise ProjectError(f"{path} has a line of more than {DOTS} dots, and is not read")
    try:
        found: object = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):  # what is no TOML, no UTF-8, or nested without end
        raise ProjectError(f"{path} cannot be read as TOML") from None
    for name in ("tool", "ujsx"):
        if not isinstance(found, dict) or name not in found:
            return None
        found = cast("dict[str, object]", found)[name]
    if not isinstance(found, dict):
        raise ProjectError(f"{path}: tool.ujsx is a table, not {shown(found)}")
    return cast("dict[str, object]", found) or None


def _is_below(name: str) -> bool:
    """Whether a text is a path that stays below where it begins, on any platform."""
    if not name.strip() or any(ord(each) < 32 for each in name):
        return False
    for path in (PurePosixPath(name), PureWindowsPath(name)):
        if path.anchor or ".." in path.parts:
            return False
    return True
