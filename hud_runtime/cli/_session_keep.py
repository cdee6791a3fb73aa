"""Sessions that are long past, or not wanted any more: archived, and purged."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from hud_runtime._errors import DomainError
from hud_runtime.cli._arguments import UsageError, define_json
from hud_runtime.cli._output import answer, ask, remark
from hud_runtime.cli._stored import Stored, define_store, writing
from hud_runtime.cli._terminal import told


class Archive:
    """Compress what is long past: events from before a session's last compaction leave the database.

    They go to a compressed file beside the store, and stay readable: states of the past, exports and
    searches have them as before, a little later.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument("sessions", metavar="SESSION", nargs="+", help="their ids")
        define_store(parser)
        define_json(parser, "what was archived as data")

    @staticmethod
    def run(options: Namespace) -> int:
        with writing(options.store) as stored:
            # All are known, or none is touched.
            ids = [stored.id_of(each) for each in options.sessions]
            moved = {each: stored.store.archive(each) for each in told(ids, "archiving", len(ids))}
            why = {each: _why_none(stored, each) for each, count in moved.items() if not count}
        lines = [
            f'archived {count:,} events of "{each}"'
            if count
            else f'nothing to archive of "{each}": {why[each]}'
            for each, count in moved.items()
        ]
        answer(_data(moved), lines, as_json=options.json)
        return 0


def _why_none(stored: Stored, session_id: str) -> str:
    try:
        info = stored.opened(session_id).state().session
    except DomainError:
        return "nothing of it came before a compaction, or that is archived already"
    if info is None or not info.compactions:
        return "it was never compacted"
    return "what came before its last compaction is archived already"


YES = frozenset({"y", "yes"})

KEPT = 1
"""The exit status when the user, asked, said no."""


class Purge:
    """Delete sessions for good: their events, their archive, and what a search would find.

    What is deleted is overwritten, and a tombstone stays: the id is not used again. A purge that was
    interrupted is finished by another one.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument("sessions", metavar="SESSION", nargs="+", help="their ids")
        parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
        define_store(parser)
        define_json(parser, "what was deleted as data")

    @staticmethod
    def run(options: Namespace) -> int:
        with writing(options.store) as stored:
            ids = [_id_of(stored, each) for each in options.sessions]  # all or none, here too
            if not options.yes and not _is_meant(stored, ids):
                remark("nothing was deleted")
                return KEPT
            gone = {each: stored.store.purge(each) for each in told(ids, "purging", len(ids))}
        lines = [f'purged "{each}": {count:,} events' for each, count in gone.items()]
        answer(_data(gone), lines, as_json=options.json)
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
    reply = ask(f"Delete {names} for good, {events:,} events? [y/N]")
    if reply is None:
        raise UsageError(f"this deletes {names} for good, {events:,} events; confirm it with --yes")
    return reply.lower() in YES


def _data(counts: dict[str, int]) -> list[dict[str, object]]:
    return [{"session": each, "events": count} for each, count in counts.items()]
