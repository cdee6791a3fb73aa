"""Open the HUD of a session in your editor, and record what you change in it.

The HUD is opened in full: every item with its id, nothing cut. The editor is $VISUAL, or $EDITOR. What
you add, change, strike through, move or remove becomes events of the session, all of them or none.
What is no such change is told with its line and column; then nothing is recorded, your text is
kept, and the exit status is 1.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hud_runtime.cli._arguments import define_json
from hud_runtime.cli._edited_file import EditedFile, Opened, opened_before
from hud_runtime.cli._output import is_attended, put_json, put_line, remark
from hud_runtime.cli._stored import define_named, define_store, reading, writing

if TYPE_CHECKING:
    from hud_runtime import HudSession
    from hud_runtime.editing import Changes

KEPT = 1
"""The exit status when something was edited that was not recorded."""

CONFLICT = (
    "the session was changed while you edited it, and nothing is recorded: make these changes again "
    "in the HUD as it is now; without them, the others are recorded from the kept text"
)
"""What is said, and what to do, when somebody else has changed the same."""


def define(parser: ArgumentParser) -> None:
    define_named(parser, metavar="SESSION", what="its id")
    define_store(parser)
    parser.add_argument(
        "--resume",
        metavar="FILE",
        help="open a text that was kept, in place of the HUD as it is now",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="print what would be done, and keep the text"
    )
    define_json(parser, "the changes as data")


def run(options: Namespace) -> int:
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
    from hud_runtime.editing._record import clashes_since

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


def _tell(outcome: Outcome, file: EditedFile, options: Namespace) -> None:
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
