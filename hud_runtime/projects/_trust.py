"""Which folders' settings the user trusts: a file of their own, which nobody else can write."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkstemp
from typing import Any, cast

from hud_runtime._errors import ProjectError
from hud_runtime._location import make_folder
from hud_runtime.projects._settings import UNREADABLE, ProjectSettings
from ujsx.errors import listed

VARIABLE = "UJSX_CONFIG"
"""Names the folder of the user's own settings, for who wants them elsewhere."""

FILE = "trust.json"

LONGEST = 4 * 1024 * 1024
"""Bytes of the file: some 20,000 folders."""


@dataclass(frozen=True, slots=True)
class TrustedFolder:
    """A folder, and the settings that were trusted."""

    folder: Path
    digest: str
    settings: str
    """What they were, for a reader."""


class Trust:
    """The folders that are trusted, kept in a file.

    :raises ProjectError: for a file that cannot be used, such as one that others may write.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def folders(self) -> tuple[TrustedFolder, ...]:
        """Return all folders that are trusted, by their names."""
        return tuple(
            TrustedFolder(Path(folder), each.get("digest", ""), each.get("settings", ""))
            for folder, each in sorted(self._read().items())
        )

    def holds(self, settings: ProjectSettings) -> bool:
        """Tell whether just these settings of this folder are trusted, with the files that they name as they are now."""
        return self.objection(settings) is None

    def objection(self, settings: ProjectSettings, layout: bytes | None = None) -> str | None:
        """Return why settings are not trusted, and what to do; ``None`` for those that are.

        :param layout: the bytes of the layout, where they were read already.
        """
        entry = self._read().get(str(settings.folder), {})
        again = f"ujsx trust {settings.folder}"
        if entry.get("digest") != settings.digest:
            return (
                f"{settings.folder} asks for {settings}, and is not trusted, so that is left out; if you trust "
                f"it: {again}"
            )
        now, then = settings.files, entry.get("files", {})
        if layout is not None and settings.layout is not None:
            now[settings.layout] = hashlib.sha256(layout).hexdigest()
        changed = [each for each in {**now, **then} if now.get(each) != then.get(each)]
        changed = changed or [each for each, digest in now.items() if digest == UNREADABLE]
        if not changed:
            return None
        why = f"{listed(changed)} in {settings.folder} changed since you trusted it"
        try:
            _ = settings.layout_path
        except ProjectError as error:
            why = str(error)
        return (
            f"{why}, so {settings} is left out; look at it, and if you trust it as it is: {again}"
        )

    def add(self, settings: ProjectSettings) -> None:
        """Trust these settings of their folder, with the files that they name, in place of others of it."""
        entry = {"digest": settings.digest, "settings": str(settings), "files": settings.files}
        self._write({**self._read(), str(settings.folder): entry})

    def remove(self, folder: Path) -> bool:
        """Trust a folder no more, and tell whether it was trusted."""
        known = dict(self._read())
        if known.pop(str(folder), None) is None:
            return False
        self._write(known)
        return True

    def _read(self) -> Mapping[str, Mapping[str, Any]]:
        try:
            data = self._content()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise ProjectError(f"{self.path}: {error.strerror or error}") from None
        try:
            told: Any = json.loads(data)
        except (ValueError, RecursionError):
            told = None
        folders: Any = told.get("folders") if _is_table(told) else None
        entries: list[Any] = list(folders.values()) if _is_table(folders) else [None]
        if not all(_is_table(each) and _is_table(each.get("files", {})) for each in entries):
            raise ProjectError(f"{self.path} is damaged; remove it, and trust the folders again")
        return cast("dict[str, dict[str, Any]]", folders)

    def _content(self) -> bytes:
        with self.path.open("rb") as file:
            status = os.fstat(file.fileno())
            is_own = os.name == "nt" or status.st_uid == os.getuid()
            is_shared = os.name != "nt" and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
            if not is_own or is_shared:
                raise ProjectError(
                    f"others may write {self.path}; look at what is in it, then: chmod 600"
                )
            return file.read(LONGEST)

    def _write(self, folders: Mapping[str, Mapping[str, Any]]) -> None:
        folder = self.path.parent
        try:
            make_folder(folder)
            if os.name != "nt" and stat.S_IMODE(folder.stat().st_mode) != 0o700:
                folder.chmod(0o700)
            handle, temporary = mkstemp(dir=folder, prefix=".ujsx-")  # with mode 0600
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump({"folders": folders}, file, indent=2, sort_keys=True)
                    file.write("\n")
                    file.flush()
                    os.fsync(file.fileno())
                Path(temporary).replace(self.path)
            finally:
                with suppress(FileNotFoundError):
                    Path(temporary).unlink()
        except OSError as error:
            raise ProjectError(f"{self.path}: {error.strerror or error}") from None


def default_trust() -> Trust:
    """Return the user's own: below ``$UJSX_CONFIG``, or the platform's folder for settings."""
    if folder := os.environ.get(VARIABLE):
        return Trust(Path(folder).expanduser() / FILE)
    from platformdirs import user_config_path

    return Trust(user_config_path("ujsx", appauthor=False) / FILE)


def _is_table(value: object) -> bool:
    return isinstance(value, dict)
