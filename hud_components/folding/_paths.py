"""The path of a file as a session has it: relative to the working directory when it lies inside it.

So ``reproduce.py`` and ``/testbed/reproduce.py`` are one file.
"""

from __future__ import annotations

import posixpath
import re

DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def path_within(path: str, root: str | None, directory: str | None = None) -> str:
    """Return ``path`` relative to ``root`` when it lies inside it, else in full.

    A relative path is meant from ``directory``, which is ``root`` unless it is given.

    >>> path_within("/testbed/src/../reproduce.py", "/testbed")
    'reproduce.py'
    >>> path_within("auth.py", "/app", "/app/src"), path_within("/etc/hosts", "/app")
    ('src/auth.py', '/etc/hosts')
    """
    base = _slashes(root) if root else ""
    here = _slashes(directory) if directory else base
    full = _slashes(path)
    if not is_absolute(full) and here:
        full = posixpath.join(here, full)
    full = posixpath.normpath(full)
    around = posixpath.normpath(base).rstrip("/") + "/" if base else ""
    return full[len(around) :] if around and full.startswith(around) else full


def _slashes(path: str) -> str:
    return path.replace("\\", "/") if DRIVE.match(path) else path


def is_absolute(path: str) -> bool:
    """Tell whether a path begins at the root of a file system.

    >>> is_absolute("/app"), is_absolute("C:/app"), is_absolute("app")
    (True, True, False)
    """
    return path.startswith("/") or DRIVE.match(path) is not None
