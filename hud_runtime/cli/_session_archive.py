"""Compress what is long past: events from before a session's last compaction leave the database.

They go to a compressed file beside the store, and stay readable: states of the past, exports and
searches have them as before, a little later.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from hud_runtime.cli._output import put_json, put_line
from hud_runtime.cli._progress import told
from hud_runtime.cli._stored import Stored, define_store, writing


def define(parser: ArgumentParser) -> None:
    parser.add_argument("sessions", metavar="SESSION", nargs="+", help="their ids")
    define_store(parser)
    parser.add_argument("--json", action="store_true", help="print what was archived as data")


def run(options: Namespace) -> int:
    with writing(options.store) as stored:
        ids = [stored.id_of(each) for each in options.sessions]  # all are known, or none is touched
        moved = {each: stored.store.archive(each) for each in told(ids, "archiving", len(ids))}
        why = {each: _why_none(stored, each) for each, count in moved.items() if not count}
    if options.json:
        put_json([{"session": each, "events": count} for each, count in moved.items()])
        return 0
    for each, count in moved.items():
        put_line(
            f'archived {count:,} events of "{each}"'
            if count
            else f'nothing to archive of "{each}": {why[each]}'
        )
    return 0


def _why_none(stored: Stored, session_id: str) -> str:
    info = stored.opened(session_id).state().session
    if info is None or not info.compactions:
        return "it was never compacted"
    return "what came before its last compaction is archived already"
