"""A session's HUD, from a store or a transcript: shown, delivered with the next request, and edited."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import click

from hud_runtime._location import default_path
from hud_runtime.cli._click import (
    Declared,
    agent_layouts_option,
    budget_option,
    hud_amount_options,
    json_option,
    look_options,
    number,
    option,
    session_argument,
    session_options,
    store_options,
    together,
    with_option,
)
from hud_runtime.cli._commands import Options, UsageError, one_of, repeated
from hud_runtime.cli._hud_file import FileKeeper, HudFile, keep_file
from hud_runtime.cli._render import agent_layouts_of, shown_with
from hud_runtime.cli._session import ENDED, PAUSE
from hud_runtime.cli._stored import (
    BEGIN,
    STANDARD_INPUT,
    file_name,
    on_disk,
    read_text,
    reading,
    writing,
)
from hud_runtime.cli._target import (
    ShownSession,
    account,
    density_named,
    excess,
    look_of,
    of_recording,
    problems_data,
    shown_session,
)
from hud_runtime.cli._terminal import is_attended, put, put_json, put_line, remark

if TYPE_CHECKING:
    from hud_components import HudState
    from hud_runtime.context.delivery import Delivery
    from hud_runtime.editing import Changes
    from hud_runtime.session import AgentLayouts, HudSession
    from ujsx import Density


AGENT_LAYOUTS: tuple[AgentLayouts, ...] = ("show", "off")
"""The treatments of layouts that agents set, for a HUD that is only shown."""

_formed: Declared = together(
    look_options("the HUD"),
    agent_layouts_option(AGENT_LAYOUTS),
    hud_amount_options(),
    json_option("the HUD with its account, and the state"),
)


@session_options(
    what="the session's id, its project's folder, or a transcript; - for one on standard input",
    is_required=True,
)
@option(
    "--transcript",
    is_flag=True,
    help="it is a transcript, or a folder of one, and no session of a store",
)
@option(
    "--of", metavar="ID", help="which session, of a file that has several (default: the newest)"
)
@option(
    "--kept",
    is_flag=True,
    help="instead of the HUD: which decisions and steps of a transcript the agent recorded itself",
)
@_formed
def show_hud(options: Options) -> int:
    """Show the HUD of a session as its agent reads it, now or after an earlier turn.

    The session is a stored one, a file of `ujsx session export`, or a transcript: of Claude Code,
    Codex, OpenCode, Gemini CLI, a list of chat messages, or another of two dozen formats. A
    transcript is first recorded in a temporary store.

    The HUD goes to standard output. Its turn, and the parts of a transcript that could not be read,
    go to standard error. Only the present HUD shows the session's age.
    """
    if options.transcript or options.of is not None or options.kept:
        return _replay(options)
    density = density_named(options.density)
    session = shown_session(options.session, options.store, options.turn)
    about = {
        "session": session.name,
        "turn": session.turn,
        "turns": session.turns,
        "now": session.now,
    }
    status = _show(session, density, options, about)
    if session.state.unreadable and not options.json:
        remark(_unread(len(session.state.unreadable), options.store))
    return status


def _replay(options: Options) -> int:
    """Show the HUD of a transcript, or of an exported session."""
    if options.store is not None:
        raise UsageError("a transcript is in no store: leave --store out")
    if options.kept:
        return _kept(options)
    density = density_named(options.density)
    session = of_recording(options.session, options.turn, options.of)
    return _show(session, density, options, {"turn": session.turn, "turns": session.turns})


def _kept(options: Options) -> int:
    """Say how well the agent kept its HUD."""
    from hud_runtime.history.exchange import is_log
    from hud_runtime.transcripts import keeping
    from hud_runtime.transcripts._transcript import KINDS
    from ujsx.text import visible

    if options.turn is not None:
        raise UsageError("--kept covers the whole session; omit --turn")
    with on_disk(options.session) as path:
        if is_log(path):
            raise UsageError(
                f"--kept tells what of a transcript its agent recorded itself, and {file_name(options.session)} is an exported "
                "session: leave --kept out, or name the transcript"
            )
        found = keeping(path)
    if options.json:
        put_json({**asdict(found), "shown": [asdict(one) for one in found.shown]})
        return 0
    for what in KINDS:
        shown = found.of(what)
        kept = sum(one.is_kept for one in shown)
        put(f"{what}s: {kept} of {len(shown)} recorded by the agent itself\n")
        for one in shown:
            put("" if one.is_kept else f"  - not recorded, turn {one.turn}: {visible(one.text)}\n")
    if not found.has_tool:
        remark("the agent never called the tool of a HUD; it may not have had it")
    return 0


def _show(
    session: ShownSession, density: Density | None, options: Options, about: dict[str, Any]
) -> int:
    agent_layouts = agent_layouts_of(options, AGENT_LAYOUTS)
    shown, remarks = shown_with(look_of(options), session, density, options.budget, agent_layouts)
    rendered, room = shown.rendered, shown.room
    if options.json:
        put_json(
            {
                **about,
                **account(rendered, room.density, room.budget),
                "state": session.state.model_dump(mode="json"),
                "problems": problems_data(session.problems),
            }
        )
        return 0
    put(rendered.text)
    for line in (*session.place, *remarks, *excess(rendered)):
        remark(line)
    return 0


def _unread(count: int, store: str | None) -> str:
    """The command that explains why something in a store cannot be read."""
    command = f"ujsx doctor {store or default_path()}{repeated(None)}"
    return f"{count} stored {'entry' if count == 1 else 'entries'} cannot be read: `{command}` tells why"


# The delivery of a session's HUD: all of it, its changes, or nothing.

MODES = ("append", "tail", "system")

ALONE = (
    "texts", "fresh", "replay", "marked", "reanchor", "retry_of", "sent", "delivered", "json"
)  # fmt: skip
"""The options of a delivery to a reader, which do not apply to files."""


@session_argument(
    metavar="SESSION",
    what="its id, or its project's folder; with --to, by default the session that began last in the current folder",
    is_required=False,
)
@option(
    "--mode",
    metavar="M",
    words=MODES,
    default="append",
    help="append (the default), tail or system",
)
@option(
    "--reader",
    metavar="NAME",
    default="main",
    help="the name of the history's reader (default: main)",
)
@option(
    "--texts",
    metavar="FILE",
    help="what the model is going to read: a JSON array of texts, or - for standard input",
)
@option("--fresh", is_flag=True, help="the history begins anew")
@option(
    "--replay",
    is_flag=True,
    help="the history keeps none of our texts: print where each belongs; it needs --texts and --json as well",
)
@option("--marked", is_flag=True, help="a tail gets a cache breakpoint before it")
@option("--reanchor", metavar="N", type=number, help="say what matters most again after N tokens")
@option("--to", metavar="FILE", help="write all of the HUD into this file, with mode 0600")
@option("-f", "--follow", is_flag=True, help="with --to, keep the file current by yourself")
@budget_option()
@option("--retry-of", metavar="ID", help="the same as that delivery")
@option("--sent", is_flag=True, help="confirm at once that it is sent")
@option("--delivered", metavar="ID", help="only say that that delivery was sent")
@store_options()
@with_option()
@json_option("the delivery")
def deliver_hud(options: Options) -> int:
    """Print the part of a session's HUD to send with the next request: all of it, the changes, or
    nothing.

    The text goes to standard output, the reason for it and the delivery's id to standard error.
    Its reader knows it once you say that it was sent: at once, with --sent, or with --delivered ID when the
    request is on its way. A delivery that was never sent changes nothing.

    With --to FILE, the whole HUD is written to a file instead, for a host that reads one with each
    request. Every bridge, server and followed import of the store keeps it current until you remove
    it; with --follow this command does, until interrupted. The file's first line has the session's
    version and turn.
    """
    one_of(options.mode, MODES, "mode")
    if options.to is not None or options.follow:
        return _to_file(options)
    if options.session is None:
        raise UsageError(
            "one of the arguments SESSION --session is required; see ujsx deliver --help"
        )
    if options.replay and not options.json:
        raise UsageError("--replay prints the place of each text as data; add --json")
    with writing(options.store) as stored:
        session = stored.session(options.session)
        if options.delivered is not None:
            session.delivered(options.delivered)
            return 0
        made = session.deliver(
            mode=options.mode,
            reader=options.reader,
            texts=None if options.texts is None else _texts(options.texts),
            fresh=options.fresh,
            retry_of=options.retry_of,
            host_keeps_messages=not options.replay,
            has_cache_breakpoint=options.marked,
            reanchor=options.reanchor,
            budget=options.budget,
        )
        if options.sent:
            session.delivered(made.id)
    if options.json:
        import msgspec

        put_json(msgspec.to_builtins(made))
        return 0
    put(made.text)
    remark(_told(made))
    return 0


def _to_file(options: Options) -> int:
    from hud_runtime.integrations.bridge import place_of

    if options.to is None:
        raise UsageError("--follow keeps a file current; name it with --to FILE")
    if options.to == STANDARD_INPUT:
        raise UsageError("--to writes a file; ujsx hud prints all of the HUD")
    given = {name for name in ALONE if getattr(options, name)}
    if given or options.mode != "append":
        raise UsageError(
            "--to writes all of the HUD, whatever its readers know: only --follow and --budget go with it"
        )
    folder, path = str(Path.cwd()), os.path.abspath(options.to)  # noqa: PTH100 - resolve() would follow a link
    with writing(options.store) as stored:
        name = None if options.session is None else stored.id_of(options.session)
        file, keeper = HudFile(path, name, folder, options.budget), FileKeeper(stored)
        mark = keeper.write(file)
        if mark is None:
            raise UsageError(f"no session of {stored.place} began in {folder}; name one: {BEGIN}")
        if options.follow:
            while keeper.write(file) is not None:
                time.sleep(PAUSE)
            remark(f'session "{mark.session}" was purged')
            return ENDED
    keep_file(place_of(options.store), file)
    remark(f'{options.to}: version {mark.version} of session "{mark.session}"')
    return 0


def _texts(name: str) -> list[str]:
    """The texts of a file.

    :raises UsageError: for anything but an array of texts.
    """
    try:
        texts: object = json.loads(read_text(name))
    except ValueError as error:
        raise UsageError(f"{file_name(name)} is not JSON: {error}") from None
    found = cast("list[object]", texts) if isinstance(texts, list) else [None]
    read = [each for each in found if isinstance(each, str)]
    if len(read) < len(found):
        raise UsageError(
            f'{file_name(name)} is not an array of texts; write what the model reads as ["…", "…"]'
        )
    return read


def _told(made: Delivery) -> str:
    what = [
        f"{each.kind} for {each.place}"
        + ("" if each.since is None else f", since version {each.since}")
        for each in made.parts
    ]
    why = "" if made.why is None else f" ({made.why})"
    named = f"; delivery {made.id}" if made.id else ""
    return f"{'; '.join(what) or 'nothing new'}{why}{named}"


# A HUD's text in a file of its own for an editor: private, and never lost after changes.

EDIT_HEAD = (
    "<!-- Version {version}. New items have no id; ~~struck through~~ means done; what hosts report, "
    "and the summary of a compaction, cannot be changed here. -->\n\n"
)
"""The comment above the HUD: its version, and advice on editing."""

_EDIT_HEAD = re.compile(r"\A<!-- Version (\d{1,15})\.[^>]*-->")


class EditorText(NamedTuple):
    """The content that is opened for editing."""

    state: HudState
    version: int
    """The version of the session with this state."""

    text: str | None = None
    """A text that was edited before; None for the state's HUD."""


def opened_before(name: str, session: HudSession) -> EditorText:
    """Return a kept text, with the state from which it was made.

    :raises UsageError: if it cannot be read, or has no version.
    """
    text = read_text(name)
    head = _EDIT_HEAD.match(text)
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
    return EditorText(session.state(at=version), version, text)


@contextmanager
def edited_file(opened: EditorText) -> Generator[EditedFile]:
    """Yield the file; it is removed at the end, unless it is kept, or has changes after an error."""
    from hud_runtime.editing import for_editing
    from hud_runtime.log.store._files import private_file
    from ujsx import render

    text = opened.text
    if text is None:
        text = EDIT_HEAD.format(version=opened.version) + render(for_editing(opened.state))
    folder = Path(mkdtemp(prefix="ujsx-edit-"))
    file = EditedFile(folder / "hud.md")
    with private_file(file.path) as written:
        written.write(text.encode())
    try:
        yield file
    except BaseException:
        with suppress(OSError):
            file.is_kept = file.path.read_bytes() != text.encode()
        file.tell()
        raise
    finally:
        if not file.is_kept:
            shutil.rmtree(folder, ignore_errors=True)


@dataclass(slots=True)
class EditedFile:
    """A text in a file that only its owner can read."""

    path: Path
    is_kept: bool = False

    def open(self) -> None:
        """Let the user edit the file, in $VISUAL, $EDITOR, or the system's default editor.

        :raises UsageError: if there is no such editor, or it fails.
        """
        try:
            click.edit(filename=str(self.path))
        except (click.ClickException, ValueError) as error:  # for an unclosed quotation
            raise UsageError(f"{error}; nothing is recorded; set $EDITOR") from None

    def text(self) -> str:
        """Return the HUD's text, with empty lines instead of the comment, so that line numbers stay.

        :raises UsageError: if the file is gone, or is not text.
        """
        text = read_text(str(self.path)).removeprefix("\ufeff").replace("\r\n", "\n")
        return _EDIT_HEAD.sub(lambda head: "\n" * head[0].count("\n"), text)

    def tell(self) -> None:
        """Report where the text is kept, if it is."""
        if self.is_kept:
            remark(f"the text is kept in {self.path}; --resume opens it again")


KEPT = 1
"""The exit status after an edit that was not recorded."""

CONFLICT = (
    "the session was changed while you edited it, and nothing is recorded: make these changes again "
    "in the HUD as it is now; without them, the others are recorded from the kept text"
)
"""The message, with the remedy, if somebody else has changed the same items."""


@session_argument(metavar="SESSION", what="its id")
@store_options()
@option("--resume", metavar="FILE", help="open a saved text instead of the present HUD")
@option("--dry-run", is_flag=True, help="print the changes, record nothing, and keep the text")
@json_option("the changes as data")
def edit_hud(options: Options) -> int:
    """Open the HUD of a session in your editor, and record what you change in it.

    The HUD is opened in full: every item with its id, nothing cut. The editor is $VISUAL, or
    $EDITOR. Lines that you add, change, strike through, move or remove become events of the
    session, all of them or none. Any other change is reported with its line and column; then
    nothing is recorded, your text is kept, and the exit status is 1.
    """
    with (reading if options.dry_run else writing)(options.store) as stored:
        session = stored.session(options.session)
        if options.resume is None:
            begun = EditorText(session.state(), session.version)
        else:
            begun = opened_before(options.resume, session)
        with edited_file(begun) as file:
            outcome = _edited(session, begun, file, is_dry=options.dry_run)
            is_left = options.dry_run and bool(outcome.edit.operations)
            file.is_kept = is_left or outcome.complaint is not None
    _tell(outcome, file, options)
    return KEPT if outcome.complaint else 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an edit."""

    edit: Changes
    is_recorded: bool = False
    complaint: str | None = None
    """The reason why nothing was recorded, if changes were intended."""


def _edited(session: HudSession, begun: EditorText, file: EditedFile, *, is_dry: bool) -> Outcome:
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
    """Offer the text back, if a person can answer."""
    if not is_attended():
        return False
    remark("Enter opens the text again; n and Enter leaves it as it is.")
    reply = sys.stdin.readline()
    return reply.strip().casefold() in {"", "y", "yes"} and reply != ""


def _tell(outcome: Outcome, file: EditedFile, options: Options) -> None:
    edit = outcome.edit
    if options.json:
        kept = str(file.path) if file.is_kept else None
        put_json({**edit.data(), "recorded": outcome.is_recorded, "kept": kept})
    elif not edit.problems:
        for change in edit.operations:
            put_line(str(change))
    if outcome.complaint:
        remark(outcome.complaint)
    if not edit.operations and not edit.problems:
        remark("nothing was changed")
    file.tell()
