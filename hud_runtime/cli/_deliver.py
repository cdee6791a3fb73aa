"""Print what is to be sent of a session's HUD for the next request: all of it, what changed, or nothing.

The text goes to standard output, and why it is what it is, with the delivery's id, to standard error.
Its reader knows it once you say that it was sent: at once, with --sent, or with --delivered ID when the
request is on its way. A delivery that was never sent changes nothing.

With --to FILE, all of the HUD is written into a file instead, for a host that reads one again with each request; with
--follow it is kept current until it is interrupted. The file's first line has the session's version and turn.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from hud_runtime.cli._arguments import UsageError, define_json, number, one_of
from hud_runtime.cli._component_names import define_with
from hud_runtime.cli._files import as_told, read_text
from hud_runtime.cli._output import put, put_json, remark
from hud_runtime.cli._shown_hud import define_budget
from hud_runtime.cli._stored import define_named, define_store, writing

if TYPE_CHECKING:
    from hud_runtime.delivery import Delivery

MODES = ("append", "tail", "system")

ALONE = (
    "texts", "fresh", "replay", "marked", "reanchor", "retry_of", "sent", "delivered", "json"
)  # fmt: skip
"""The options of a delivery to a reader, which a file is not."""


def define(parser: ArgumentParser) -> None:
    define_named(parser, metavar="SESSION", what="its id, or its project's folder")
    parser.add_argument(
        "--mode", metavar="M", default="append", help="append (the default), tail or system"
    )
    parser.add_argument(
        "--reader", metavar="NAME", default="main", help="who reads the history (default: main)"
    )
    parser.add_argument(
        "--texts",
        metavar="FILE",
        help="what the model is going to read: a JSON array of texts, or - for standard input",
    )
    parser.add_argument("--fresh", action="store_true", help="the history begins anew")
    parser.add_argument(
        "--replay",
        action="store_true",
        help="the history keeps none of our texts: print where each belongs; it needs --texts and --json as well",
    )
    parser.add_argument(
        "--marked", action="store_true", help="a tail gets a cache breakpoint before it"
    )
    parser.add_argument(
        "--reanchor", metavar="N", type=number, help="say what matters most again after N tokens"
    )
    parser.add_argument(
        "--to", metavar="FILE", help="write all of the HUD into this file, with mode 0600"
    )
    parser.add_argument(
        "-f", "--follow", action="store_true", help="with --to, keep the file current"
    )
    define_budget(parser)
    parser.add_argument("--retry-of", metavar="ID", help="the same as that delivery")
    parser.add_argument("--sent", action="store_true", help="it is sent: its reader knows it")
    parser.add_argument("--delivered", metavar="ID", help="only say that that delivery was sent")
    define_store(parser)
    define_with(parser)
    define_json(parser, "the delivery")


def run(options: Namespace) -> int:
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


def _to_file(options: Namespace) -> int:
    from hud_runtime.cli._hud_file import keep_hud, write_hud

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
        raise UsageError(f"{as_told(name)} is no JSON: {error}") from None
    found = cast("list[object]", texts) if isinstance(texts, list) else [None]
    read = [each for each in found if isinstance(each, str)]
    if len(read) < len(found):
        raise UsageError(
            f'{as_told(name)} is no array of texts; write what the model reads as ["…", "…"]'
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
