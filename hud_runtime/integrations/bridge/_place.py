"""Where a bridge is reached: a socket in a folder that only its owner may enter."""

from __future__ import annotations

import os
import stat
import tempfile
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, TypeAlias

import ujsx
from hud_runtime._errors import ServeError
from hud_runtime._location import default_path, is_address, make_folder
from hud_runtime.integrations._launcher import interpreter

LONGEST = 100
"""Characters of a socket's path; systems take 103 to 107."""

CLIENT = Path(__file__).with_name("_client.py")
"""The small program that asks a bridge."""

RUN = f"import sys;sys.path.insert(0,sys.argv[1]);import {CLIENT.stem} as c;c.run()"
"""Runs it from its folder: as a module, so that it is compiled once. One that is not there ends it with status 1; run by
its name, with 2, which blocks prompts."""

CODE = Path(ujsx.__file__).with_name("_version.py")
"""A file that each update puts anew: what was loaded before does not go with what would be loaded after it."""

Identity: TypeAlias = tuple[int, int, int] | None
"""What tells a file from another one that has its name later; None for none."""


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
    digest = blake2b(os.fsencode(f"{path}\n{domain or ''}"), digest_size=6).hexdigest()
    place = Place(Path(), path, domain)
    folders = [place.folder / "bridge"]
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        folders.append(Path(runtime, f"ujsx-{os.getuid()}"))
    folders += [Path(each, f"ujsx-{os.getuid()}") for each in (tempfile.gettempdir(), "/tmp")]  # noqa: S108 - own_folder makes and checks it
    sockets = [each / f"{digest}.sock" for each in folders]
    found = next((each for each in sockets if len(os.fsencode(each)) <= LONGEST), sockets[-1])
    return place._replace(socket=found)


def client_call(folder: Path, socket: Path) -> list[str]:
    """Return what runs the small program; how long it waits, what it asks, and who answers, come behind that.

    :param folder: where the program lies.
    """
    return [interpreter(), "-I", "-S", "-c", RUN, str(folder), str(socket)]


def own_folder(folder: Path) -> None:
    """Make a folder that only its owner may enter.

    :raises ServeError: for one that is another's, or that others may enter.
    """
    make_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if found.st_uid != os.getuid() or not stat.S_ISDIR(found.st_mode):
        raise ServeError(f"{folder} is not a folder of yours; remove it, or set UJSX_HOME")
    if stat.S_IMODE(found.st_mode) & 0o077:
        folder.chmod(0o700)


def identity(path: Path) -> Identity:
    """Return which file has a name now."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns
