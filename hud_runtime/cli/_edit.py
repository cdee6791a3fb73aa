"""Open the HUD of a session in your editor, and record what you change in it.

The HUD is opened in full: every item with its id, nothing cut. The editor is $VISUAL, or $EDITOR. What
you add, change, strike through, move or remove becomes events of the session, all of them or none.
What is no such change is told with its line and column; then nothing is recorded, your text is
kept, and the exit status is 1.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self

import click

from hud_runtime.cli._click import json_option, option, session_argument, store_options
from hud_runtime.cli._commands import Options, UsageError
from hud_runtime.cli._stored import read_text, reading, writing
from hud_runtime.cli._terminal import is_attended, put_json, put_line, remark

if TYPE_CHECKING:
    from hud_components import HudState
    from hud_runtime import HudSession
    from hud_runtime.editing import Changes

# A HUD's text in a file of its own, for an editor: private, and never lost once it is changed.

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
        """Let the user edit the file, in $VISUAL, $EDITOR, or what is usual on this system.

        :raises UsageError: if there is no such editor, or it fails.
        """
        try:
            click.edit(filename=str(self._path))
        except (click.ClickException, ValueError) as error:  # of a quotation that does not end
            raise UsageError(f"{error}; nothing is recorded; set $EDITOR") from None

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


KEPT = 1
"""The exit status when something was edited that was not recorded."""

CONFLICT = (
    "the session was changed while you edited it, and nothing is recorded: make these changes again "
    "in the HUD as it is now; without them, the others are recorded from the kept text"
)
"""What is said, and what to do, when somebody else has changed the same."""


@session_argument(metavar="SESSION", what="its id")
@store_options()
@option(
    "--resume", metavar="FILE", help="open a text that was kept, in place of the HUD as it is now"
)
@option("--dry-run", is_flag=True, help="print what would be done, and keep the text")
@json_option("the changes as data")
def run(options: Options) -> int:
    with (reading if options.dry_run else writing)(options.store) as stored:
        session = stored.session(options.session)
        if options.resume is None:
            begun = Opened(session.state(), session.version)
        else:
            begun = opened_before(options.resume, session)
        with EditedFile(begun) as file:
            outcome = _edited(session, begun, file, is_dry=options.dry_run)
            if outcome.complaint or (options.dry_run and outcome.edit.operations):
                file.keep()
    _tell(outcome, file, options)
    return KEPT if outcome.complaint else 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an edit."""

    edit: Changes
    is_recorded: bool = False
    complaint: str | None = None
    """Why nothing was recorded, where something was to be."""


def _edited(session: HudSession, begun: Opened, file: EditedFile, *, is_dry: bool) -> Outcome:
    from hud_runtime import ConcurrencyError
    from hud_runtime.editing import changes, for_editing, record_changes
    from hud_runtime.editing._changes import clashes_since

    before = for_editing(begun.state)
    while True:
        file.open()
        edit = changes(before, file.text())
        if not edit.problems:
            break
        for problem in edit.problems:
            remark(str(problem))
        if not _is_asked_again():
            count = len(edit.problems)
            problems = f"{count} {'problem' if count == 1 else 'problems'}"
            return Outcome(edit, complaint=f"{problems}, and nothing is recorded")
    if is_dry or not edit.operations:
        return Outcome(edit)
    try:
        record_changes(session, edit, since=begun.version)
    except ConcurrencyError:
        for change in clashes_since(session, edit, begun.version):
            remark(f"line {change.line}: somebody else has changed it meanwhile: {change}")
        return Outcome(edit, complaint=CONFLICT)
    return Outcome(edit, is_recorded=True)


def _is_asked_again() -> bool:
    """Offer the text back, where somebody is there to be asked."""
    if not is_attended():
        return False
    remark("Enter opens the text again; n and Enter leaves it as it is.")
    reply = sys.stdin.readline()
    return reply.strip().casefold() in {"", "y", "yes"} and reply != ""


def _tell(outcome: Outcome, file: EditedFile, options: Options) -> None:
    edit = outcome.edit
    if options.json:
        kept = None if file.kept is None else str(file.kept)
        put_json({**edit.data(), "recorded": outcome.is_recorded, "kept": kept})
    elif not edit.problems:
        for change in edit.operations:
            put_line(str(change))
    if outcome.complaint:
        remark(outcome.complaint)
    if not edit.operations and not edit.problems:
        remark("nothing was changed")
    if file.kept is not None:
        remark(f"the text is kept in {file.kept}; --resume opens it again")
