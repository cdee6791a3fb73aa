"""Delete sessions for good: their events, their archive, and what a search would find.

What is deleted is overwritten, and a tombstone stays: the id is not used again. A purge that was
interrupted is finished by another one.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from hud_runtime.cli._errors import UsageError
from hud_runtime.cli._output import ask, put_json, put_line, remark
from hud_runtime.cli._progress import told
from hud_runtime.cli._stored import Stored, define_store, writing

YES = frozenset({"y", "yes"})

KEPT = 1
"""The exit status when the user, asked, said no."""


def define(parser: ArgumentParser) -> None:
    parser.add_argument("sessions", metavar="SESSION", nargs="+", help="their ids")
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
    define_store(parser)
    parser.add_argument("--json", action="store_true", help="print what was deleted as data")


def run(options: Namespace) -> int:
    with writing(options.store) as stored:
        ids = [
            _id_of(stored, each) for each in options.sessions
        ]  # all are known, or none is touched
        if not options.yes and not _is_meant(stored, ids):
            remark("nothing was deleted")
            return KEPT
        gone = {each: stored.store.purge(each) for each in told(ids, "purging", len(ids))}
    if options.json:
        put_json([{"session": each, "events": count} for each, count in gone.items()])
        return 0
    for each, count in gone.items():
        put_line(f'purged "{each}": {count:,} events')
    return 0


def _id_of(stored: Stored, name: str) -> str:
    """A session that is there, or one whose purge may not have come to its end."""
    return name if stored.log.is_purged(name) else stored.id_of(name)


def _is_meant(stored: Stored, ids: list[str]) -> bool:
    """Ask the user.

    :raises UsageError: if nobody is there to be asked.
    """
    events = sum(stored.log.head(each).version for each in ids)
    names = ", ".join(f'"{each}"' for each in ids)
    answer = ask(f"Delete {names} for good, {events:,} events? [y/N]")
    if answer is None:
        raise UsageError(f"this deletes {names} for good, {events:,} events; confirm it with --yes")
    return answer.lower() in YES
