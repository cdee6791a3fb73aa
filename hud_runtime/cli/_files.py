"""Files that the user names."""

from __future__ import annotations

import sys
from pathlib import Path

from hud_runtime.cli._errors import UsageError
from ujsx._errors import nearest

STANDARD_INPUT = "-"
"""The name that stands for what is piped in."""


def existing(name: str) -> Path:
    """Return the path of a file that is there.

    :raises UsageError: for a folder, or nothing; the message has the nearest name beside it.
    """
    path = Path(name)
    try:
        if path.is_dir():
            raise UsageError(f"{name} is a folder; name a file in it")
        if path.exists():
            return path
        neighbours = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror or error}") from None
    match = nearest(path.name, neighbours)
    hint = f'; did you mean "{path.with_name(match)}"?' if match else "; check its path"
    raise UsageError(f"there is no file {name}{hint}")


def read_text(name: str) -> str:
    """Return the text of a UTF-8 file, or of standard input for ``-``.

    :raises UsageError: for what cannot be read, or is no text.
    """
    try:
        if name == STANDARD_INPUT:
            name, data = "standard input", sys.stdin.buffer.read()
        else:
            data = existing(name).read_bytes()
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror or error}") from None
    if b"\0" in data:
        raise UsageError(f"{name} is a binary file: Markdown is UTF-8 text")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{name} is no UTF-8 text: line {line} has the byte 0x{data[error.start]:02x}; "
            "save it as UTF-8"
        ) from None
