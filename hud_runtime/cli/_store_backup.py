"""Write a backup of a store into a folder: the database and its archive, as they are at one moment.

Others may go on writing. Every event is compared with its digest before the folder gets its name, so a
backup that is there is whole. It is a store itself: --store FOLDER/hud.db looks into it.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from hud_runtime.cli._output import put_json, put_line
from hud_runtime.cli._stored import define_store, reading

if TYPE_CHECKING:
    from hud_runtime.store import Copied


def define(parser: ArgumentParser) -> None:
    parser.add_argument("target", metavar="FOLDER", help="the folder to make")
    parser.add_argument(
        "--overwrite", action="store_true", help="take the place of a backup that is there"
    )
    define_store(parser)
    parser.add_argument("--json", action="store_true", help="print what was backed up as data")


def run(options: Namespace) -> int:
    with reading(options.store) as stored:
        copied = stored.store.backup(options.target, overwrite=options.overwrite)
    if options.json:
        put_json(data_of(copied))
    else:
        put_line(f"backed up {amounts(copied)} to {copied.path}")
    return 0


def amounts(copied: Copied) -> str:
    """Return how much was copied, in words."""
    return (
        f"{copied.sessions:,} sessions, {copied.events:,} events, {copied.archive_files:,} archive"
        f" files, {copied.size:,} bytes"
    )


def data_of(copied: Copied) -> dict[str, Any]:
    """Return the account of a copy as JSON data."""
    return {
        "path": str(copied.path),
        "sessions": copied.sessions,
        "events": copied.events,
        "archive_files": copied.archive_files,
        "bytes": copied.size,
    }
