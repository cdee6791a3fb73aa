"""Where a store's file comes to be: private from its first byte."""

from __future__ import annotations

import os
from pathlib import Path

from hud_runtime._errors import StoreError, StoreReadOnlyError


def prepare(path: Path) -> None:
    """Make sure that there is a file at ``path`` that nobody else may read.

    A new folder gets mode 0700, a new file 0600; what exists keeps its mode. SQLite gives the
    files that it puts beside it the same mode.

    Raises :class:`StoreReadOnlyError` when the system refuses, :class:`StoreError` for a folder.
    """
    if path.is_dir():
        raise StoreError(f"{path} is a folder; name a file in it, such as {path / 'hud.db'}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDONLY, 0o600))
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise StoreReadOnlyError(f"{path}: the store cannot be made there: {reason}") from error
