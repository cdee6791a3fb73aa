"""The place of a store: a path, a database address, or the platform's folder for user data.

Also private folders, and the session ids of a store file.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from hud_runtime._errors import StoreError

VARIABLE = "UJSX_HOME"
"""The environment variable for the folder of stores."""

FILE = "hud.db"

MEMORY = ":memory:"
"""The place of an in-memory store."""

FOLDER = 0o700
"""The mode of new folders."""

SCHEMES = ("postgresql:", "postgres:")
"""Prefixes of database addresses."""


OUTBOX = "outbox.db"
"""The file name of an outbox, which is not a store."""

PASSWORD = re.compile(
    r"(?P<before>postgres(?:ql)?:/{0,2}[^\s:/@?\"]*:)(?!\d+(?:[/?,\"\s]|$))[^\s@\"]*"
    r"|(?P<name>password=)[^\s&\"]*"
)
"""Places of a password in an address: after the user, in place of a port, or as a parameter."""


def is_address(place: str | Path) -> bool:
    """Tell whether a place is a database address rather than a path.

    >>> is_address("postgresql://db.example/hud"), is_address("hud.db")
    (True, False)
    """
    return str(place).startswith(SCHEMES)


def has_password(address: str) -> bool:
    """Tell whether an address contains a password, which others may read.

    >>> has_password("postgresql://ann:secret@db/hud"), has_password("postgresql://ann@db/hud")
    (True, False)
    """
    return PASSWORD.search(address) is not None


def without_password(text: str) -> str:
    """Return a text, such as an error message, without the passwords of its addresses.

    >>> without_password("there is no file postgresql://ann:secret@db/hud; check its path")
    'there is no file postgresql://ann:***@db/hud; check its path'
    >>> without_password("postgresql://db:5432/hud?password=secret&sslmode=require")
    'postgresql://db:5432/hud?password=***&sslmode=require'
    """
    return PASSWORD.sub(lambda found: f"{found['before'] or found['name']}***", text)


def default_path() -> Path:
    r"""Return the path of the default store, whose folder may not exist yet.

    ``$UJSX_HOME`` names the folder; otherwise it is the platform's: ``~/.local/share/ujsx`` on
    Linux, where ``$XDG_DATA_HOME`` counts, ``~/Library/Application Support/ujsx`` on macOS,
    ``%LOCALAPPDATA%\ujsx`` on Windows.

    :raises StoreError: where the user's folder is unknown.
    """
    if folder := os.environ.get(VARIABLE):
        return Path(folder).expanduser() / FILE
    from platformdirs import user_data_path

    try:
        return user_data_path("ujsx", appauthor=False).expanduser() / FILE
    except RuntimeError as error:
        raise StoreError(_HOMELESS.format(VARIABLE)) from error


def home_folder() -> Path:
    """Return the user's home folder.

    :raises StoreError: if there is neither ``$HOME`` nor a user entry.
    """
    try:
        return Path.home()
    except RuntimeError as error:
        raise StoreError(_HOMELESS.format("HOME")) from error


_HOMELESS = "your home folder is unknown; set {} to a folder of yours"


def make_folder(path: Path) -> None:
    """Make a folder and its missing parents, for the owner alone, whatever the umask.

    An existing folder keeps its mode, and may be a link, as to another disk.
    """
    if path.is_dir():
        return
    make_folder(path.parent)
    try:
        path.mkdir(mode=FOLDER)
    except FileExistsError:
        if not path.is_dir():
            raise
    else:
        path.chmod(FOLDER)  # the umask may have removed the owner's rights


SESSIONS = """
SELECT position, session_id FROM hud_event
WHERE version = 1 AND session_id NOT IN (SELECT session_id FROM hud_tombstone)
UNION SELECT first_position, session_id FROM hud_archive
WHERE first = 1 AND session_id NOT IN (SELECT session_id FROM hud_tombstone)
ORDER BY 1"""
"""The query for the ids of all sessions that have events, oldest first."""

PATIENCE = 1.0
"""Seconds to wait for a locked file."""


def session_ids(path: Path) -> list[str]:
    """Return the ids of a file's sessions, newest first; none where it cannot be read."""
    import sqlite3
    from contextlib import closing

    try:
        uri = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=PATIENCE)) as connection:
            return [str(found) for _, found in connection.execute(SESSIONS)][::-1]
    except (sqlite3.Error, OSError, ValueError):
        return []
