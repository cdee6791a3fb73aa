"""The place of OpenCode's sessions: its database, or the folder that came before it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from hud_runtime._errors import HistoryError

NAME = "opencode.db"
"""The database of released versions; one built from a branch is ``opencode-BRANCH.db``."""

FOLDER = "storage"
"""The folder of JSON files that OpenCode kept before it had a database (until January 2026)."""

VARIABLE = "OPENCODE_DB"
"""OpenCode's own variable: the database's path, or its name in the folder of data."""


def data_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Return the folder of OpenCode's data, which it makes of XDG's variables on every system.

    >>> data_folder({"XDG_DATA_HOME": "/data"}).as_posix()
    '/data/opencode'
    """
    environ = os.environ if environ is None else environ
    base = environ.get("XDG_DATA_HOME")
    return Path(base) / "opencode" if base else Path.home() / ".local" / "share" / "opencode"


def found_database(environ: Mapping[str, str] | None = None) -> Path | None:
    """Return the database that OpenCode uses, else its folder of JSON files; None where neither is there.

    >>> found_database({"XDG_DATA_HOME": "/nowhere"}) is None
    True
    """
    environ = os.environ if environ is None else environ
    folder = data_folder(environ)
    if (named := environ.get(VARIABLE)) and named != ":memory:":
        path = folder / named  # an absolute name is the path itself
        return path if path.is_file() else None
    if (folder / NAME).is_file():
        return folder / NAME
    others = sorted(folder.glob("opencode-*.db"), key=lambda each: each.stat().st_mtime_ns)
    if others:
        return others[-1]
    return folder / FOLDER if (folder / FOLDER / "session").is_dir() else None


def database_at(path: str | Path | None) -> Path:
    """Return the database to read: the one that is named, a folder's, or the one of the environment.

    :raises HistoryError: where there is none.
    """
    if path is None:
        found = found_database()
        if found is None:
            raise HistoryError(
                f"there is no {data_folder() / NAME}: OpenCode has not been used here, or its data lie"
                " elsewhere; name the database, or set XDG_DATA_HOME"
            )
        return found
    given = Path(path).expanduser()
    if given.is_dir():
        inside = [given / NAME, given / "opencode" / NAME, given / FOLDER, given]
        for each in inside:
            if each.is_file() or (each / "session").is_dir():
                return each
        raise HistoryError(f"{given} has no {NAME} in it, and no folder of sessions")
    if not given.exists():
        raise HistoryError(f'there is no file "{given}"')
    return given
