"""Print what is to be sent of a session's HUD for the next request: all of it, what changed, or nothing.

The text goes to standard output, and why it is what it is, with the delivery's id, to standard error.
Its reader knows it once you say that it was sent: at once, with --sent, or with --delivered ID when the
request is on its way. A delivery that was never sent changes nothing.

With --to FILE, all of the HUD is written into a file instead, for a host that reads one again with each request; with
--follow it is kept current until it is interrupted. The file's first line has the session's version and turn.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from glob import escape
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from hud_runtime._errors import EventError
from hud_runtime._location import make_folder
from hud_runtime.cli._click import option
from hud_runtime.cli._commands import Options, UsageError, one_of
from hud_runtime.cli._options import (
    budget_option,
    json_option,
    number,
    session_argument,
    store_options,
    with_option,
)
from hud_runtime.cli._session import ENDED, PAUSE
from hud_runtime.cli._stored import as_told, read_text, writing
from hud_runtime.cli._terminal import put, put_json, remark

if TYPE_CHECKING:
    from hud_components import Budget
    from hud_runtime.cli._stored import OpenStore
    from hud_runtime.context.delivery import Delivery
    from hud_runtime.session import HudSession

MODES = ("append", "tail", "system")

ALONE = (
    "texts", "fresh", "replay", "marked", "reanchor", "retry_of", "sent", "delivered", "json"
)  # fmt: skip
"""The options of a delivery to a reader, which a file is not."""


@session_argument(metavar="SESSION", what="its id, or its project's folder")
@option(
    "--mode",
    metavar="M",
    words=MODES,
    default="append",
    help="append (the default), tail or system",
)
@option("--reader", metavar="NAME", default="main", help="who reads the history (default: main)")
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
@option("-f", "--follow", is_flag=True, help="with --to, keep the file current")
@budget_option()
@option("--retry-of", metavar="ID", help="the same as that delivery")
@option("--sent", is_flag=True, help="it is sent: its reader knows it")
@option("--delivered", metavar="ID", help="only say that that delivery was sent")
@store_options()
@with_option()
@json_option("the delivery")
def run(options: Options) -> int:
    one_of(options.mode, MODES, "mode")
    if options.to is not None or options.follow:
        return _to_file(options)
    if options.replay and not options.json:
        raise UsageError("--replay says where each text belongs, which is data; add --json")
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
            stores=not options.replay,
            marked=options.marked,
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

    if options.to is None:
        raise UsageError("--follow keeps a file current; name it with --to FILE")
    given = {name for name in ALONE if getattr(options, name)}
    if given or options.mode != "append":
        raise UsageError(
            "--to writes all of the HUD, whatever its readers know: only --follow and --budget go with it"
        )
    with writing(options.store) as stored:
        session = stored.session(options.session)
        path = Path(options.to)
        if options.follow:
            return keep_hud(stored, session, path, options.budget)
        mark = write_hud(session, path, options.budget)
        remark(f"{path}: version {mark.version}")
    return 0


def _texts(name: str) -> list[str]:
    """The texts of a file.

    :raises UsageError: for what is no array of texts.
    """
    try:
        texts: object = json.loads(read_text(name))
    except ValueError as error:
        raise UsageError(f"{as_told(name)} is not JSON: {error}") from None
    found = cast("list[object]", texts) if isinstance(texts, list) else [None]
    read = [each for each in found if isinstance(each, str)]
    if len(read) < len(found):
        raise UsageError(
            f'{as_told(name)} is not an array of texts; write what the model reads as ["…", "…"]'
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


# A file that has all of a session's HUD, for hosts that read a file again with each request.
#
# Its first line is a comment with the session, its version and its turn. Its writer holds a lock on its folder, and never
# puts an older version in the place of a newer one.

_MARK = re.compile(rb'<!-- HUD of (?P<session>"[^\n]*"), version (?P<version>\d+), turn \d+ -->\n')

PATIENCE = 1.0
"""Seconds until it is tried again, beside a server that goes on."""


class FileMark(NamedTuple):
    """The session and the version in a file."""

    session: str
    version: int


def mark_in(path: Path) -> FileMark | None:
    """Return the mark of a file; None where there is no file, or nothing in it.

    :raises UsageError: for a file that is none of ours.
    """
    if not path.exists():
        return None
    if not path.is_file():
        raise UsageError(f"{path} is not an ordinary file; name one, or a new one")
    data = path.read_bytes()
    found = _MARK.match(data)
    if found is None and data.strip():
        raise UsageError(f"{path} has other text, which is kept; name a file for the HUD alone")
    return found and FileMark(json.loads(found["session"]), int(found["version"]))


def marked(session: HudSession[Any], budget: Budget) -> str:
    r"""Return all of a session's HUD with the file's first line.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s -->")
    ...     _ = session.record("note.add", content="Port 8080")
    ...     marked(session, None).partition("\n")[0]
    '<!-- HUD of "s --\\u003e", version 2, turn 0 -->'
    """
    name = json.dumps(session.id).replace(">", "\\u003e")
    rendered = session.hud(budget=budget)
    return (
        f"<!-- HUD of {name}, version {session.version}, turn {session.turn} -->\n{rendered.text}"
    )


def write_hud(session: HudSession[Any], path: Path, budget: Budget) -> FileMark:
    """Write a session's HUD into a file, whole or not at all, and readable by its owner alone.

    :returns: the mark of the file then, of a newer version where another process has written that.
    :raises UsageError: for a file with other text.
    """
    from hud_runtime.integrations._settings_file import write_file

    session.refresh()
    text, mine = marked(session, budget), FileMark(session.id, session.version)
    with alone(path):
        known = mark_in(path)
        if known is not None and known.session == mine.session and known.version > mine.version:
            return known
        for each in path.parent.glob(f".{escape(path.name)}.{'[0-9a-f]' * 12}"):
            each.unlink()  # left behind by one that was killed
        write_file(path, text, private=True)
    return mine


def keep_hud(stored: OpenStore, session: HudSession[Any], path: Path, budget: Budget) -> int:
    """Write a session's HUD into a file whenever it has changed, and return when the session is purged, as its file is then."""
    written: FileMark | None = None
    while not stored.log.is_purged(session.id):
        now = FileMark(session.id, stored.version_of(session.id))
        if now != written or mark_in(path) != written:
            try:
                written = write_hud(session, path, budget)
            except EventError:
                if stored.log.is_purged(session.id):  # meanwhile
                    break
                raise
        time.sleep(PAUSE)
    with alone(path):
        known = mark_in(path)
        if known is not None and known.session == session.id:
            path.unlink()
    remark(f'session "{session.id}" was purged')
    return ENDED


def keep_beside(store: str | None, name: str, path: Path) -> None:
    """Keep a session's HUD in a file while this process lives, in a thread of its own, from the session's first event on.

    :raises UsageError: for a file with other text.
    """
    from hud_runtime.cli._stored import writing
    from ujsx.errors import UjsxError

    mark_in(path)
    told: set[str] = set()

    def keep() -> None:
        with writing(store, make=True) as stored:
            while not stored.version_of(name):
                time.sleep(PAUSE)
            keep_hud(stored, stored.opened(name), path, None)

    def go_on() -> None:
        while True:
            try:
                return keep()
            except (UjsxError, OSError) as error:
                if str(error) not in told:
                    remark(f"the HUD's file is not current: {error}")
                told.add(str(error))
                time.sleep(PATIENCE)

    Thread(target=partial(copy_context().run, go_on), daemon=True).start()


@contextmanager
def alone(path: Path) -> Generator[None]:
    """Keep others of ours from writing into a folder; where the system has no locks, the newest version comes a little later."""
    folder = Path(os.path.realpath(path)).parent
    make_folder(folder)
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
