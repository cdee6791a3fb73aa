"""Put a backup where a store is to be, after each event in it has been compared with its digest.

A store that is there is only replaced with --force, and never while anybody has it open; it is set
aside in a folder beside it. What was purged in it since the backup stays purged.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from hud_runtime.cli._output import put_json, put_line
from hud_runtime.cli._store_backup import amounts, data_of
from hud_runtime.cli._stored import define_store


def define(parser: ArgumentParser) -> None:
    parser.add_argument("backup", metavar="BACKUP", help="the backup's folder")
    parser.add_argument(
        "--force", action="store_true", help="replace the store that is there, and set it aside"
    )
    define_store(parser)
    parser.add_argument("--json", action="store_true", help="print what was restored as data")


def run(options: Namespace) -> int:
    from hud_runtime import HudStore

    copied = HudStore.restore(options.backup, options.store, force=options.force)
    aside = None if copied.set_aside is None else str(copied.set_aside)
    if options.json:
        still_purged = [*copied.still_purged]
        put_json({**data_of(copied), "set_aside": aside, "still_purged": still_purged})
        return 0
    put_line(f"restored {amounts(copied)} to {copied.path}")
    if aside is not None:
        put_line(f"what was there before is in {aside}")
    for session_id in copied.still_purged:
        put_line(f'"{session_id}" was purged since the backup, and stays so')
    return 0
