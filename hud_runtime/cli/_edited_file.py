"""A HUD's text in a file of its own, for an editor: private, and never lost once it is changed."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self

from hud_runtime.cli._arguments import UsageError
from hud_runtime.cli._files import read_text
from hud_runtime.cli._output import remark

if TYPE_CHECKING:
    from hud_components import HudState
    from hud_runtime import HudSession

VARIABLES = ("VISUAL", "EDITOR")
"""The environment's names for the editor; the first that is set counts."""

USUAL = "notepad" if os.name == "nt" else "vi"
"""The editor where none is set: the one that POSIX requires, or that Windows has."""

HEAD = (
    "<!-- Version {version}. New items have no id; ~~struck through~~ means done; what hosts report, "
    "and the summary of a compaction, cannot be changed here. -->\n\n"
)
"""What stands above the HUD: the version that it shows, and how to edit it."""

_HEAD = re.compile(r"\A<!-- Version (\d{1,15})\.[^>]*-->")


class Opened(NamedTuple):
    """What is opened to be edited."""

    state: HudState
    version: int
    """The version of the session that has this state."""

    text: str | None = None
    """A text that was edited before; the state's HUD when None."""


def opened_before(name: str, session: HudSession) -> Opened:
    """Return a kept text, with the state that it was made from.

    :raises UsageError: if it cannot be read, or does not say which version it was made from.
    """
    text = read_text(name)
    head = _HEAD.match(text)
    if head is None:
        raise UsageError(
            f"{name} does not begin with <!-- Version N. … -->, as a text kept by `ujsx edit` does; "
            "put that line back"
        )
    version = int(head[1])
    if version > session.version:
        raise UsageError(
            f'{name} was made from version {version}, and session "{session.id}" has '
            f"{session.version}; it is another session's"
        )
    return Opened(session.state(at=version), version, text)


class EditedFile:
    """The file; it is removed at the end unless it is kept, or an error leaves it changed."""

    def __init__(self, opened: Opened) -> None:
        self.kept: Path | None = None
        """Where the text is kept; None if it is not."""
        self._opened = opened
        self._folder = Path()
        self._path = Path()
        self._first = ""

    def __enter__(self) -> Self:
        from hud_runtime.editing import for_editing
        from ujsx import render

        text = self._opened.text
        if text is None:
            hud = render(for_editing(self._opened.state))
            text = HEAD.format(version=self._opened.version) + hud
        self._first = text
        self._folder = Path(mkdtemp(prefix="ujsx-edit-"))  # for its owner alone
        self._path = self._folder / "hud.md"
        handle = os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None and self._is_changed():
            self.keep()
            remark(f"the text is kept in {self._path}; --resume opens it again")
        if self.kept is None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def open(self) -> None:
        """Let the user edit the file.

        :raises UsageError: if there is no such editor, or it fails.
        """
        name, command = _editor()
        try:
            done = subprocess.run([*command, str(self._path)], check=False)  # noqa: S603
        except OSError as error:
            raise UsageError(
                f'the editor "{name}" cannot be started: {error.strerror or error}; set $EDITOR'
            ) from None
        if done.returncode:
            raise UsageError(
                f'the editor "{name}" ended with status {done.returncode}; nothing is recorded'
            )

    def text(self) -> str:
        """Return the HUD's text, with empty lines where the head was, so that lines keep numbers.

        :raises UsageError: if the file is gone, or is no text.
        """
        text = read_text(str(self._path)).removeprefix("\ufeff").replace("\r\n", "\n")
        return _HEAD.sub(lambda head: "\n" * head[0].count("\n"), text)

    def keep(self) -> None:
        """Leave the file where it is."""
        self.kept = self._path

    def _is_changed(self) -> bool:
        try:
            return self._path.read_bytes() != self._first.encode()
        except OSError:
            return False


def _editor() -> tuple[str, list[str]]:
    """The editor as it was named, and as a command: words, never a shell's program."""
    name = next((found for each in VARIABLES if (found := os.environ.get(each, "").strip())), USUAL)
    try:
        command = shlex.split(name, posix=os.name != "nt")
    except ValueError as error:
        raise UsageError(f'the editor "{name}" is no command: {error}; set $EDITOR') from None
    return name, command
