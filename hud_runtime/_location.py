"""The place of a store: a path, the address of a database, or by default the platform's folder for a user's data; and
folders that are private to their owner, and the ids of a store's sessions.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from hud_runtime._errors import StoreError

VARIABLE = "UJSX_HOME"
"""Names the folder of stores, for who wants them elsewhere."""

FILE = "hud.db"

MEMORY = ":memory:"
"""The place of a store that is kept in memory."""

FOLDER = 0o700
"""The mode of a folder that is made."""

SCHEMES = ("postgresql:", "postgres:")
"""How the address of a database begins."""


OUTBOX = "outbox.db"
"""The name of an outbox's file, which is no store."""

PASSWORD = re.compile(
    r"(?P<before>postgres(?:ql)?:/{0,2}[^\s:/@?\"]*:)(?!\d+(?:[/?,\"\s]|$))[^\s@\"]*"
    r"|(?P<name>password=)[^\s&\"]*"
)
"""Where a password may stand in an address: behind the user, or where no port can be, or as a parameter."""


def is_address(place: str | Path) -> bool:
    """Tell whether a place is the address of a database, and no path.

    >>> is_address("postgresql://db.example/hud"), is_address("hud.db")
    (True, False)
    """
    return str(place).startswith(SCHEMES)


def has_password(address: str) -> bool:
    """Tell whether a password stands in an address, where others may read it.

    >>> has_password("postgresql://ann:secret@db/hud"), has_password("postgresql://ann@db/hud")
    (True, False)
    """
    return PASSWORD.search(address) is not None


def without_password(text: str) -> str:
    """Return a text, such as a message about an argument, without the passwords of addresses in it.

    >>> without_password("there is no file postgresql://ann:secret@db/hud; check its path")
    'there is no file postgresql://ann:***@db/hud; check its path'
    >>> without_password("postgresql://db:5432/hud?password=secret&sslmode=require")
    'postgresql://db:5432/hud?password=***&sslmode=require'
    """
    return PASSWORD.sub(lambda found: f"{found['before'] or found['name']}***", text)


def default_path() -> Path:
    r"""Return the path of the default store; its folder may not be there yet.

    ``$UJSX_HOME`` names the folder; otherwise it is the platform's: ``~/.local/share/ujsx`` on
    Linux, where ``$XDG_DATA_HOME`` counts, ``~/Library/Application Support/ujsx`` on macOS,
    ``%LOCALAPPDATA%\ujsx`` on Windows.

    :raises StoreError: where nobody knows the user's folder.
    """
    if folder := os.environ.get(VARIABLE):
        return Path(folder).expanduser() / FILE
    from platformdirs import user_data_path

    try:
        return user_data_path("ujsx", appauthor=False).expanduser() / FILE
    except RuntimeError as error:
        raise StoreError(_HOMELESS.format(VARIABLE)) from error


def home_folder() -> Path:
    """Return the user's own folder.

    :raises StoreError: where nobody knows it: there is neither ``$HOME`` nor an entry for the user.
    """
    try:
        return Path.home()
    except RuntimeError as error:
        raise StoreError(_HOMELESS.format("HOME")) from error


_HOMELESS = "your home folder is unknown; set {} to a folder of yours"


def make_folder(path: Path) -> None:
    """Make a folder, and those above it that are missing, for its owner alone, whatever the umask.

    A folder that exists keeps its mode, and may be a link: to put one's data on another disk is no trap.
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
        path.chmod(FOLDER)  # a umask may have taken more away than others' rights


SESSIONS = """
SELECT position, session_id FROM hud_event
WHERE version = 1 AND session_id NOT IN (SELECT session_id FROM hud_tombstone)
UNION SELECT first_position, session_id FROM hud_archive
WHERE first = 1 AND session_id NOT IN (SELECT session_id FROM hud_tombstone)
ORDER BY 1"""
"""Asks for the ids of all sessions that have events, in the order of their beginning."""

PATIENCE = 1.0
"""Seconds to wait for a file that is locked."""


def session_ids(path: Path) -> list[str]:
    """Return the ids of a file's sessions, the last begun first; none where it cannot be read."""
    import sqlite3
    from contextlib import closing

    try:
        uri = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=PATIENCE)) as connection:
            return [str(found) for _, found in connection.execute(SESSIONS)][::-1]
    except (sqlite3.Error, OSError, ValueError):
        return []
