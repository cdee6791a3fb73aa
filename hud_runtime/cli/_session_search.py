"""Search what the sessions of a store have recorded: events that say all of the words, the best first.

A word also finds longer ones that begin with it, in any case. A line has the session, and the event's
version, time (UTC), turn, actor, type and the words around what was found. No session is changed; the
store's index takes in what is new.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING

from hud_runtime.cli._event_line import moment
from hud_runtime.cli._output import inert, put, put_json, remark
from hud_runtime.cli._stored import define_store, searching
from hud_runtime.cli._style import style_for
from hud_runtime.cli._turns import number

if TYPE_CHECKING:
    from hud_runtime.store import Hit

LIMIT = 20
"""Hits when nobody says how many, as :meth:`HudStore.search` has it."""


def define(parser: ArgumentParser) -> None:
    parser.add_argument("words", metavar="WORDS", nargs="+", help="what to look for")
    parser.add_argument("--session", metavar="ID", help="look through this session alone")
    parser.add_argument(
        "--limit",
        metavar="N",
        type=number,
        default=LIMIT,
        help="how many hits at most (default: %(default)s)",
    )
    define_store(parser)
    parser.add_argument("--json", action="store_true", help="print the hits as data")


def run(options: Namespace) -> int:
    words = " ".join(options.words)
    with searching(options.store) as stored:
        session_id = None if options.session is None else stored.id_of(options.session)
        hits = stored.store.search(words, session=session_id, limit=options.limit)
    if options.json:
        put_json([asdict(hit) for hit in hits])
    elif hits:
        style = style_for()
        put("".join(f"{style.fitting(_line(hit))}\n" for hit in hits))
    else:
        remark(f'nothing says "{words}"')
    return 0


def _line(hit: Hit) -> str:
    head = f"{hit.session_id}  {hit.version:>5}  {moment(hit.timestamp)}  turn {hit.turn}"
    return inert(f"{head}  {hit.actor:<5}  {hit.type}  {hit.snippet}")
