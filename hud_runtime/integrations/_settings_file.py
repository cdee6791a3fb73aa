"""Settings of another program: changed where needed, kept otherwise, and put back as they were."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from hud_runtime._errors import InstallError
from hud_runtime._location import make_folder

Edit = Callable[[str], str]
"""Changes the text of a file."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file of another program, and how our part of it comes and goes.

    :param path: the file; it may not be there.
    :param add: puts our part into a text that has none of it.
    :param remove: takes our part out of a text.
    :param records: the folder in which it is kept what the file was before.
    :param means: what a text says: one that says the same already is left as it is.
    :param part: tells our part from others of ours in the same file, such as those of other projects.
    """

    path: Path
    add: Edit
    remove: Edit
    records: Path
    means: Callable[[str], object] = str
    part: str = ""

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
            write_file(self.path, text)
        except OSError:
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
            self.path.resolve().unlink()  # a link to it was there before
        elif before is not None and before != now:
            write_file(self.path, before)
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
        return self._edited(self.remove, now)

    def _edited(self, edit: Edit, text: str) -> str:
        try:
            return edit(text)
        except InstallError as error:
            raise InstallError(f"{self.path}: {error}") from error

    def _kept(self) -> dict[str, Any]:
        return _record_in(self._record)

    def _keep(self, before: str | None, now: str | None, text: str) -> None:
        make_folder(self.records)
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
        try:
            return self.path.read_bytes().decode()
        except FileNotFoundError:
            return None
        except UnicodeDecodeError as error:
            raise InstallError(f"{self.path}: it is not in UTF-8; mend it first") from error


def _record_in(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=16).hexdigest()


def write_file(path: Path, text: str, *, private: bool = False) -> None:
    """Write a file whole or not at all; one that is a link stays one."""
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = 0o600
    if not private:
        with suppress(FileNotFoundError):
            mode = target.stat().st_mode & 0o777
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        with suppress(FileNotFoundError):
            Path(name).unlink()
        raise
