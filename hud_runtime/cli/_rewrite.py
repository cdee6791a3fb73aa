"""A file's text replaced in one step: whoever reads it sees the old text or the new one."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from hud_runtime.cli._errors import UsageError


def rewrite(name: str, text: str) -> None:
    """Replace the text of a file that is there, and keep its mode; a link stays a link.

    :raises UsageError: if the file must not or cannot be written; it is left as it was.
    """
    path = Path(name).resolve()
    if not os.access(path, os.W_OK):
        raise UsageError(f"{name} is read-only; change its mode to have it written")
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
            shutil.copymode(path, temporary)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UsageError(f"{name} cannot be written: {error.strerror or error}") from None
