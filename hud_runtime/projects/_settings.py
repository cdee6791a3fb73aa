"""The table ``[tool.ujsx]`` of a project's ``pyproject.toml``, read from a folder of anybody's."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from io import BufferedReader
from pathlib import Path
from typing import cast

from hud_runtime._errors import ProjectError
from ujsx.errors import shown

FILE = "pyproject.toml"

LONGEST = 128 * 1024
"""Bytes of a ``pyproject.toml`` that is looked into."""

DOTS = 200
"""Dots in one of its lines: the parser's time and memory grow with their square in a key
(measured with Python 3.11: 9 s for 20,000). A file of keys of 200 takes 1.4 s at most."""

LEFT = ("layout", "domain")
"""The settings that are gone; hosts are given them now: `ujsx install HOST --layout FILE --domain NAME`."""

FORMAT = "format"
"""The table in it that says how Markdown is formatted."""


def project_of(folder: Path) -> Path | None:
    """Return the folder with a ``pyproject.toml`` that a folder is in, or ``None``."""
    try:
        real = folder.resolve()
        return next((each for each in (real, *real.parents) if os.path.lexists(each / FILE)), None)
    except (OSError, RuntimeError):
        return None


def left_settings(folder: Path) -> tuple[str, ...]:
    """Return the names in ``[tool.ujsx]`` of a project's ``pyproject.toml`` that nothing reads.

    :raises ProjectError: for a file that cannot be read.
    """
    return tuple(name for name in _table_of(folder) if name != FORMAT)


def read_format(folder: Path) -> Mapping[str, object]:
    """Return the table ``[tool.ujsx.format]`` of a project's ``pyproject.toml``; empty if it has none.

    :raises ProjectError: for a file that cannot be read, and for what is no table.
    """
    found = _table_of(folder).get(FORMAT, {})
    if not isinstance(found, dict):
        raise ProjectError(
            f"{folder.resolve() / FILE}: tool.ujsx.format is a table, not {shown(found)}"
        )
    return cast("dict[str, object]", found)


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


def _table_of(folder: Path) -> Mapping[str, object]:
    path = folder.resolve() / FILE
    data = _content(path)
    return {} if data is None or b"ujsx" not in data else _table(data, path)


def _table(data: bytes, path: Path) -> Mapping[str, object]:
    import tomllib

    if any(line.count(b".") > DOTS for line in data.splitlines()):
        raise ProjectError(f"{path} has a line of more than {DOTS} dots, and is not read")
    try:
        found: object = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):  # what is no TOML, no UTF-8, or nested without end
        raise ProjectError(f"{path} cannot be read as TOML") from None
    for name in ("tool", "ujsx"):
        if not isinstance(found, dict) or name not in found:
            return {}
        found = cast("dict[str, object]", found)[name]
    if not isinstance(found, dict):
        raise ProjectError(f"{path}: tool.ujsx is a table, not {shown(found)}")
    return cast("dict[str, object]", found)
