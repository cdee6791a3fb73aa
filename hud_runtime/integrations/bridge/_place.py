"""Where a bridge is reached: a socket in a folder that only its owner may enter."""

from __future__ import annotations

import os
import stat
import tempfile
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from hud_runtime._errors import ServeError
from hud_runtime._location import default_path, is_address

LONGEST = 100
"""Characters of a socket's path; systems take 103 to 107."""

CLIENT = Path(__file__).with_name("_client.py")
"""The small program that asks a bridge."""


class Place(NamedTuple):
    """A bridge's socket, and whose sessions are behind it."""

    socket: Path
    store: str | Path
    domain: str | None

    @property
    def folder(self) -> Path:
        """The folder of what lies beside the store; for an address, beside the default one."""
        return default_path().parent if isinstance(self.store, str) else self.store.parent


def place_of(store: str | Path | None = None, domain: str | None = None) -> Place:
    """Return where the bridge of a store and a domain is reached; the folder may not be there yet."""
    path: str | Path
    if store is not None and is_address(store):
        path = str(store)
    else:
        path = Path(default_path() if store is None else store).absolute()
    digest = blake2b(f"{path}\n{domain or ''}".encode(), digest_size=6).hexdigest()
    place = Place(Path(), path, domain)
    socket = place.folder / "bridge" / f"{digest}.sock"
    if len(os.fsencode(socket)) > LONGEST:
        runtime = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
        socket = Path(runtime, f"ujsx-{os.getuid()}", f"{digest}.sock")
    return place._replace(socket=socket)


def own_folder(folder: Path) -> None:
    """Make a folder that only its owner may enter.

    :raises ServeError: for one that is another's, or that others may enter.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if found.st_uid != os.getuid() or not stat.S_ISDIR(found.st_mode):
        raise ServeError(f"{folder} is not a folder of yours; remove it, or set UJSX_HOME")
    if stat.S_IMODE(found.st_mode) & 0o077:
        folder.chmod(0o700)
