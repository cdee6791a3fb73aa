"""Sessions that nobody has used for a while, deleted."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace

from hud_runtime.cli._arguments import UsageError, define_json
from hud_runtime.cli._output import answer, ask, remark
from hud_runtime.cli._session_keep import KEPT, YES
from hud_runtime.cli._stored import define_store, writing

DAY = 24 * 60 * 60 * 1_000

UNITS = {"h": DAY // 24, "d": DAY, "w": 7 * DAY}
"""Milliseconds."""

AGE = re.compile(r"([0-9]{1,6})([hdw])")


class Expire:
    """Delete the sessions that nobody has used for so long, for good, as a purge does.

    A session was used when its last event was recorded, or happened, whichever is later. What new sessions
    of a project start with stays, and so does what children have inherited. With --dry-run it says what
    would go.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument(
            "--older-than",
            metavar="AGE",
            type=age,
            required=True,
            help="how long nobody has used them: 90d, 12w, 36h",
        )
        parser.add_argument("--dry-run", action="store_true", help="delete nothing")
        parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
        define_store(parser)
        define_json(parser, "what was deleted as data")

    @staticmethod
    def run(options: Namespace) -> int:
        with writing(options.store) as stored:
            store = stored.store
            old = store.unused_for(options.older_than)
            if old and not options.dry_run and not options.yes and not _is_meant(len(old)):
                remark("nothing was deleted")
                return KEPT
            gone = {each: stored.log.head(each).version for each in old}
            if not options.dry_run:
                gone = store.purge_all(old)
        did = "would purge" if options.dry_run else "purged"
        lines = [f'{did} "{each}": {count:,} events' for each, count in gone.items()]
        data = {
            "dry_run": options.dry_run,
            "sessions": [{"session": each, "events": count} for each, count in gone.items()],
        }
        answer(data, lines or ["every session was used since"], as_json=options.json)
        return 0


def age(text: str) -> int:
    """Read an age, in milliseconds.

    >>> age("2d") // DAY
    2
    """
    found = AGE.fullmatch(text.strip().lower())
    if found is None or not int(found[1]):
        raise ArgumentTypeError(f'"{text}" is no age; say 90d, 12w or 36h')
    return int(found[1]) * UNITS[found[2]]


def _is_meant(count: int) -> bool:
    what = f"{count:,} session{'s' if count != 1 else ''}"
    reply = ask(f"Delete {what} for good? [y/N]")
    if reply is None:
        raise UsageError(f"this deletes {what} for good; confirm it with --yes")
    return reply.lower() in YES
