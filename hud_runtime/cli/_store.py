"""The actions on a store as a whole."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_runtime._location import is_address
from hud_runtime.cli._commands import UsageError, define_json
from hud_runtime.cli._session import KEPT, YES
from hud_runtime.cli._stored import define_store, existing, moment, reading, store_path, writing
from hud_runtime.cli._terminal import answer, ask, inert, put, remark
from hud_runtime.outbox import Letter, Letters, Outbox
from hud_runtime.session import settings_beside

if TYPE_CHECKING:
    from hud_runtime.store import Copied, LostEvents, Repaired, Swept


class Backup:
    """Write a backup of a store into a folder: the database and its archive, as they are at one moment.

    Others may go on writing. Every event is compared with its digest before the folder gets its name, so a
    backup that is there is whole. It is a store itself: --store FOLDER/hud.db looks into it.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument("target", metavar="FOLDER", help="the folder to make")
        parser.add_argument(
            "--overwrite", action="store_true", help="take the place of a backup that is there"
        )
        define_store(parser)
        define_json(parser, "what was backed up as data")

    @staticmethod
    def run(options: Namespace) -> int:
        with reading(options.store) as stored:
            copied = stored.store.keeping.backup(options.target, overwrite=options.overwrite)
        line = f"backed up {_amounts(copied)} to {copied.path}"
        answer(_data(copied), [line], as_json=options.json)
        return 0


def _amounts(copied: Copied) -> str:
    """Return how much was copied, in words."""
    return (
        f"{copied.sessions:,} sessions, {copied.events:,} events, {copied.archive_files:,} archive"
        f" files, {copied.size:,} bytes"
    )


def _data(copied: Copied) -> dict[str, Any]:
    """Return the account of a copy as JSON data."""
    return {
        "path": str(copied.path),
        "sessions": copied.sessions,
        "events": copied.events,
        "archive_files": copied.archive_files,
        "bytes": copied.size,
    }


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


class Restore:
    """Put a backup where a store is to be, after each event in it has been compared with its digest.

    A store that is there is only replaced with --force, and never while anybody has it open; it is set
    aside in a folder beside it. What was purged in it since the backup stays purged.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument("backup", metavar="BACKUP", help="the backup's folder")
        parser.add_argument(
            "--force", action="store_true", help="replace the store that is there, and set it aside"
        )
        define_store(parser)
        define_json(parser, "what was restored as data")

    @staticmethod
    def run(options: Namespace) -> int:
        from hud_runtime import HudStore

        copied = HudStore.restore(options.backup, options.store, force=options.force)
        lines = [f"restored {_amounts(copied)} to {copied.path}"]
        if copied.set_aside is not None:
            lines.append(f"what was there before is in {copied.set_aside}")
        lines += [
            f'"{each}" was purged since the backup, and stays so' for each in copied.still_purged
        ]
        data = {
            **_data(copied),
            "set_aside": _text(copied.set_aside),
            "still_purged": copied.still_purged,
        }
        answer(data, lines, as_json=options.json)
        return 0


MISSING = 1
"""The exit status when events are lost."""


class RepairStore:
    """Repair a store: make anew what is derived, and save what can be read of a damaged log.

    The damaged files are kept in a folder beside the store. What could be read and has no place in the log
    any more, because events before it are lost, is in that folder as JSON lines. The exit status is 0
    when no event is missing, 1 when some are.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        define_store(parser)
        define_json(parser, "the account as data")

    @staticmethod
    def run(options: Namespace) -> int:
        from hud_runtime import HudStore

        repaired = HudStore.repair(store_path(options.store))
        data = {
            "path": str(repaired.path),
            "whole": repaired.is_whole,
            "made_anew": repaired.made_anew,
            "sessions": repaired.sessions,
            "events": repaired.events,
            "lost": [asdict(each) for each in repaired.lost],
            "not_as_written": repaired.not_as_written,
            "set_aside": _text(repaired.set_aside),
        }
        answer(data, _repaired(repaired), as_json=options.json)
        return 0 if repaired.is_whole else MISSING


def _repaired(repaired: Repaired) -> Iterator[str]:
    counts = f"{repaired.sessions:,} sessions, {repaired.events:,} events"
    if repaired.set_aside is None:
        yield f"{repaired.path}: its log is sound: {counts}"
    else:
        yield f"{repaired.path}: saved {counts}"
        yield f"the damaged files are in {repaired.set_aside}"
    for each in repaired.made_anew:
        yield f"made anew: {each}"
    for one in repaired.lost:
        yield _lost(one)
    if repaired.not_as_written or any(one.put_beside for one in repaired.lost):
        yield "what could be read and is not in the log is there too, in not-in-the-log.jsonl"


def _lost(one: LostEvents) -> str:
    stretches = [
        f"{first}" if first == last else f"{first} to {last}" for first, last in one.missing
    ]
    beside = f", {one.put_beside:,} put beside" if one.put_beside else ""
    return (
        f'session "{one.session_id}": missing: version {", ".join(stretches)};'
        f" {one.kept:,} events kept{beside}"
    )


BLOCKED = 1
"""The exit status when the log could not be emptied."""


class CheckpointStore:
    """Copy what is in the write-ahead log into the database, and cut the log to nothing.

    It happens by itself now and then. The exit status is 1 when somebody who reads or writes is in the way;
    nothing is lost then, and the log stays for longer.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        define_store(parser)
        define_json(parser, "what was done as data")

    @staticmethod
    def run(options: Namespace) -> int:
        with writing(options.store) as stored:
            done = stored.store.keeping.checkpoint()
        if done.blocked:
            line = f"{done.after:,} bytes stay in the write-ahead log: {done.blocked}"
        else:
            line = f"the write-ahead log is empty; it had {done.before:,} bytes"
        answer(asdict(done), [line], as_json=options.json)
        return BLOCKED if done.blocked else 0


# Whole stores moved between engines, and the rights of who uses one in a database server.


class Copy:
    """Copy a whole store into another one: from a file into a database server, back, or between two.

    Sessions keep their ids, versions, times and digests; snapshots, deliveries, kept outputs, what was purged
    and what was erased come along. A copy that was interrupted is gone on with. At the end each event is
    compared with the one it was copied from. What the target has beside that stays there.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument("source", metavar="FROM", help="a store: a file, or postgresql://...")
        parser.add_argument("target", metavar="TO", help="another one, which is made if need be")
        define_json(parser, "what was copied as data")

    @staticmethod
    def run(options: Namespace) -> int:
        from hud_runtime.session._hud_store import open_log
        from hud_runtime.store._backup import copy_store

        source, target = options.source, options.target
        if source == target or (
            not is_address(source)
            and not is_address(target)
            and existing(source).resolve() == Path(target).resolve()
        ):
            raise UsageError("these are one store; name another one to copy to")
        place = source if is_address(source) else existing(source)
        with (
            closing(open_log(place, read_only=True)) as given,
            closing(open_log(target)) as made,
        ):
            done = copy_store(given, made)
            line = (
                f"{done.sessions:,} sessions, {done.events:,} events are the same in {made.place};"
                f" {done.copied:,} of them are new there, {done.archived:,} archived"
            )
        answer(asdict(done), [line], as_json=options.json)
        return 0


class Role:
    """Print the SQL that lets a role of a PostgreSQL server record in a store, or only read it.

    The log can be added to and not changed: the server refuses it. Archiving, purging and erasing are left
    to the owner of the tables. Run it as that owner: `ujsx store role fleet | psql DATABASE`.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument("role", metavar="ROLE", help="the role's name")
        parser.add_argument("--read", action="store_true", help="it may only read and search")
        parser.add_argument(
            "--schema",
            metavar="NAME",
            default="public",
            help="where the tables are (default: public)",
        )

    @staticmethod
    def run(options: Namespace) -> int:
        from hud_runtime.postgres import role_script

        script = role_script(options.role, "read" if options.read else "record", options.schema)
        put(f"{script}\n")
        return 0


# Sessions that nobody has used for a while, deleted.

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
            old = store.keeping.unused_for(options.older_than)
            if old and not options.dry_run and not options.yes and not _is_meant(len(old)):
                remark("nothing was deleted")
                return KEPT
            gone = {each: stored.log.head(each).version for each in old}
            if not options.dry_run:
                gone = store.keeping.purge_all(old)
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


# The events that wait on this machine for a database server, and those that the server's store has refused.


class InOutbox:
    """List what waits in an outbox for a database server, and what its store has refused; deliver it, or remove it.

    What waits is recorded by itself when the store is opened with this outbox. Where a store has moved, --from gives it
    what waits for its old address.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument(
            "--folder", metavar="FOLDER", help="the outbox (default: that of context.toml)"
        )
        parser.add_argument(
            "--deliver", action="store_true", help="record now what waits for the store of --store"
        )
        parser.add_argument(
            "--from",
            dest="place",
            metavar="ADDRESS",
            help="deliver what waits for this address, as it is listed, and what was refused there, too",
        )
        parser.add_argument(
            "--forget", metavar="NUMBER", type=int, help="remove a letter for good, unrecorded"
        )
        define_store(parser)
        define_json(parser, "the letters as data")

    @staticmethod
    def run(options: Namespace) -> int:
        outbox = Outbox(options.folder) if options.folder else settings_beside(None).outbox
        if outbox is None:
            raise UsageError(
                "no outbox is set: name one with --folder, or write [outbox] into context.toml"
            )
        letters = Letters(outbox, "", "")
        letters.check()
        for aside in letters.set_aside():
            remark(f"{aside} was damaged and is set aside: what could be read in it waits on")
        if options.forget is not None:
            if not letters.forget(options.forget):
                raise UsageError(f"there is no letter {options.forget} in {outbox.path}")
            remark(f"letter {options.forget} was removed")
        if options.deliver or options.place:
            _deliver(options.store, outbox, options.place)
        found = letters.all()
        if not found and not options.json:
            remark(f"nothing waits in {outbox.path}")
        answer([*map(data, found)], map(_line, found), as_json=options.json)
        return 0


def _deliver(store: str | None, outbox: Outbox, place: str | None) -> None:
    from hud_runtime.session._posting import Posting

    if store is None or not is_address(store):
        raise UsageError("--store names the database that it is delivered to: postgresql://...")
    with writing(store) as stored:
        letters = Letters(outbox, stored.place, str(stored.log.identity))
        if place is not None and not letters.adopt(place):
            raise UsageError(f"nothing waits for {place} in {outbox.path}")
        Posting(letters, stored.log, stored.opened).deliver()


def data(letter: Letter) -> dict[str, Any]:
    """Return a letter as JSON data, without what its events say."""
    return {
        "number": letter.number,
        "store": letter.place,
        "session": letter.session_id,
        "posted_at": letter.posted_at,
        "events": [
            {"id": event_id, "type": draft.type}
            for event_id, draft in zip(letter.ids, letter.drafts, strict=True)
        ],
        "refusal": letter.refusal,
    }


def _line(letter: Letter) -> str:
    types = ", ".join(draft.type for draft in letter.drafts)
    why = "" if letter.refusal is None else f"; refused: {letter.refusal}"
    told = f'{letter.number}  {moment(letter.posted_at)}  session "{letter.session_id}": {types}'
    return inert(f"{told}, for {letter.place}{why}")


# Old outputs of tools, and what sweeps have done with them.

FAILED = 1
"""The exit status when something stood in the way."""


class Sweep:
    """Let go of the texts of old tool outputs, which were kept when they were pruned.

    It happens by itself, each 500 events: of each session the newest 300 stay, and none for more than 7 days. With
    --log nothing is done, and the last sweeps are told. The exit status is 1 when something stood in the way.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument(
            "--newest", metavar="N", type=int, help="outputs of a session that stay"
        )
        parser.add_argument("--days", metavar="N", type=int, help="days after which one goes")
        parser.add_argument(
            "--log", action="store_true", help="tell what the last sweeps have done"
        )
        define_store(parser)
        define_json(parser, "what was done as data")

    @staticmethod
    def run(options: Namespace) -> int:
        from hud_runtime.store import SweepRules

        if options.log:
            with reading(options.store) as stored:
                found = stored.store.keeping.sweeps()
            if not found and not options.json:
                remark("nothing was swept yet")
            answer([asdict(each) for each in found], map(_sweep_line, found), as_json=options.json)
            return 0
        usual = SweepRules()
        newest = usual.newest if options.newest is None else options.newest
        days = usual.days if options.days is None else options.days
        if min(newest, days) < 1:
            raise UsageError("--newest and --days are whole numbers above 0")
        with writing(options.store) as stored:
            done = stored.store.keeping.sweep(SweepRules(newest=newest, days=days))
        answer(asdict(done), [_sweep_line(done)], as_json=options.json)
        return FAILED if done.errors else 0


def _sweep_line(swept: Swept) -> str:
    told = f"{swept.scanned:,} looked at, {swept.deleted:,} let go of, {swept.bytes:,} bytes"
    errors = "".join(f"; {inert(each)}" for each in swept.errors)
    return f"{moment(swept.at)}  {told}{errors}"
