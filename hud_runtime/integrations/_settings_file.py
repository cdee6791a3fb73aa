"""Settings of another program: changed where needed, kept otherwise, and put back as they were."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from hud_runtime._errors import InstallError
from hud_runtime._location import FOLDER, make_folder
from hud_runtime.integrations.bridge._place import own_folder

Edit = Callable[[str], str]
"""Changes the text of a file."""

BARE = ("", "{}")
"""Texts of settings that have nothing in them."""

HAS_DESCRIPTORS = os.open in os.supports_dir_fd
"""True where a file can be reached from the descriptor of its folder: everywhere but on Windows."""

NO_LINK = getattr(os, "O_NOFOLLOW", 0)
INNER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | NO_LINK
MADE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | NO_LINK
"""Flags to open a folder, to read a file (a pipe is not waited for), and to make one."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file of another program, and how our part of it comes and goes.

    :param path: the file; it may not be there.
    :param add: puts our part into a text that has none of it.
    :param remove: takes our part out of a text.
    :param records: the folder in which it is kept what the file was before.
    :param means: what a text says: one that says the same already is left as it is.
    :param part: tells our part from others of ours in the same file, such as those of other projects.
    :param within: the project's folder, where the file is the project's: no link below it is followed.
    """

    path: Path
    add: Edit
    remove: Edit
    records: Path
    means: Callable[[str], object] = str
    part: str = ""
    within: Path | None = None

    def check(self, *, adds: bool = True) -> None:
        """Raise :class:`InstallError` for a file that cannot be understood.

        :param adds: whether our part is to come, and not only to go.
        """
        before = self._before(self._read()) or ""
        if adds:
            self._edited(self.add, before)

    def install(self) -> bool:
        """Put our part in, and return whether the file changed.

        :raises InstallError: for a file that cannot be understood; then it is as it was.
        """
        now = self._read()
        before = self._before(now)
        text = self._edited(self.add, before or "")
        if now is not None and self.means(text) == self.means(now):
            return False
        self._keep(before, now, text)
        try:
            write_file(self.path, text, within=self.within)
        except (OSError, InstallError):
            if now == before:  # there was nothing of ours before
                self._forget()
            raise
        return True

    def uninstall(self) -> bool:
        """Take our part out, and return whether the file changed.

        :raises InstallError: for a file that cannot be understood; then it is as it was.
        """
        now = self._read()
        before = self._before(now)
        if before is None and now is not None:
            remove_file(self.path, self.within)  # a link to it was there before
        elif before is not None and before != now:
            write_file(self.path, before, within=self.within)
            self._hand_over(now, before)
        self._forget()  # not before it is as it was
        return before != now

    def _hand_over(self, now: str | None, then: str) -> None:
        """Let other parts of ours, which came behind this one, know what the file was without it."""
        ours, before = (
            self._kept(),
            self.backup.read_bytes().decode() if self.backup.exists() else "",
        )
        others = [
            (path, _record_in(path), path.with_suffix(".before"))
            for path in self.records.glob(f"{self._file}*.json")
            if path != self._record and path.with_suffix(".before").exists()
        ]
        without = {_digest(now or ""): then} | dict.fromkeys(ours.get("digests", ()), before)
        for _, record, backup in others:
            text = backup.read_bytes().decode()
            if record.get("was_there") and _digest(text) not in without:
                without[_digest(text)] = self._edited(self.remove, text)
        for path, record, backup in others:
            text = backup.read_bytes().decode()
            told = {
                **record,
                "digests": [
                    _digest(without[each]) if each in without else each
                    for each in record.get("digests", ())
                ],
            }
            if _digest(text) in ours.get("digests", ()):
                told["was_there"] = ours.get("was_there")
            write_file(backup, without.get(_digest(text), text), private=True)
            write_file(path, json.dumps(told, indent=2) + "\n", private=True)

    @property
    def backup(self) -> Path:
        """The file as it was before."""
        return self.records / f"{self._name}.before"

    @property
    def _record(self) -> Path:
        return self.records / f"{self._name}.json"

    @property
    def _file(self) -> str:
        digest = blake2b(os.fsencode(self.path.absolute()), digest_size=6).hexdigest()
        return f"{self.path.name.lstrip('.')}-{digest}"

    @property
    def _name(self) -> str:
        if not self.part:
            return self._file
        return f"{self._file}-{blake2b(os.fsencode(self.part), digest_size=6).hexdigest()}"

    def _before(self, now: str | None) -> str | None:
        """The file without our part: as it was, where nobody has changed it since; None for no file."""
        if now is None:
            return None
        kept = self._kept()
        if _digest(now) in kept.get("digests", ()):
            if not kept.get("was_there"):
                return None
            with suppress(OSError, UnicodeDecodeError):
                return self.backup.read_bytes().decode()
        left = self._edited(self.remove, now)
        # Nothing but our part was in it, and what it was before is not known: an older version has written it, or with
        # another store.
        is_bare = left != now and left.strip() in BARE and not self.path.is_symlink()
        return None if is_bare else left

    def _edited(self, edit: Edit, text: str) -> str:
        try:
            return edit(text)
        except InstallError as error:
            raise InstallError(f"{self.path}: {error}") from error

    def _kept(self) -> dict[str, Any]:
        if os.path.lexists(self.records):
            own_folder(self.records)  # what another user left there is not put into settings
        return _record_in(self._record)

    def _keep(self, before: str | None, now: str | None, text: str) -> None:
        own_folder(self.records)
        digests = [_digest(text)]
        if now is not None and _digest(now) in self._kept().get("digests", ()):
            digests.append(_digest(now))  # until the file is written, it is what it was
        write_file(self.backup, before or "", private=True)
        record = {"file": str(self.path), "digests": digests, "was_there": before is not None}
        write_file(self._record, json.dumps(record, indent=2) + "\n", private=True)

    def _forget(self) -> None:
        for each in (self._record, self.backup):
            with suppress(FileNotFoundError):
                each.unlink()

    def _read(self) -> str | None:
        return read_file(self.path, self.within)


def _record_in(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=16).hexdigest()


# --- Files that are read and written whole ---


def read_file(path: Path, within: Path | None = None) -> str | None:
    """The text of a file; None where there is none.

    :param within: a folder that the file must not leave: no link below it is followed.
    :raises InstallError: for a link below that folder, for what is not a regular file, and for what is not UTF-8.
    """
    try:
        with (
            _folder_of(path, within) as (folder, name),
            open(name, "rb", opener=lambda name, _: os.open(name, READ, dir_fd=folder)) as file,
        ):
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InstallError(f"{path}: it is not a regular file; remove it first")
            return file.read().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise InstallError(f"{path}: it is not in UTF-8; mend it first") from error


def write_file(path: Path, text: str, *, private: bool = False, within: Path | None = None) -> None:
    """Write a file whole or not at all; folders on the way are made. One that is there keeps its mode, a new one gets 0600.

    :param private: whether one that is there gets 0600 as well.
    :param within: a folder that the file must not leave: no link below it is followed. Without it, a link stays one, and
        what it leads to is written.
    :raises InstallError: for a link below that folder.
    """
    with _folder_of(path, within, makes=True) as (folder, name):
        mode = 0o600
        with suppress(FileNotFoundError):
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISREG(found.st_mode) and not private:
                mode = stat.S_IMODE(found.st_mode) & 0o777
        made = str(Path(name).with_name(f".{path.name}.{os.urandom(6).hex()}"))
        handle = os.open(made, MADE, 0o600, dir_fd=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            os.chmod(made, mode, dir_fd=folder)
            os.replace(made, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(made, dir_fd=folder)
            raise


def remove_file(path: Path, within: Path | None = None) -> None:
    """Remove a file, or the one that a link leads to; the link stays.

    :param within: a folder that the file must not leave: no link below it is followed.
    :raises InstallError: for a link below that folder.
    """
    with _folder_of(path, within) as (folder, name):
        os.unlink(name, dir_fd=folder)


@contextmanager
def _folder_of(
    path: Path, within: Path | None, *, makes: bool = False
) -> Generator[tuple[int | None, str]]:
    """The descriptor of a file's folder, and the file's name in it: what is checked is what is written.

    Where the system has no such way it is None, and the file's path.
    """
    if within is None:
        path = Path(os.path.realpath(path))
        if makes:
            make_folder(path.parent)
    else:
        _refuse_links(path, within)
    if not HAS_DESCRIPTORS:
        if makes:
            make_folder(path.parent)
        yield None, str(path)
        return
    *inner, name = path.relative_to(within or path.parent).parts
    folder = os.open(within or path.parent, INNER)
    try:
        for each in inner:
            if makes:
                with suppress(FileExistsError):
                    os.mkdir(each, FOLDER, dir_fd=folder)
            outer, folder = folder, os.open(each, INNER | NO_LINK, dir_fd=folder)
            os.close(outer)
        yield folder, name
    except OSError as error:
        error.filename = str(path)  # and not a name in some folder
        raise
    finally:
        os.close(folder)


def _refuse_links(path: Path, within: Path) -> None:
    for each in (path, *path.parents):
        if each == within:
            return
        if each.is_symlink():
            raise InstallError(
                f"{each}: it is a link, and may lead out of the project; put the folder or the file itself there, or"
                " leave --project out"
            )
