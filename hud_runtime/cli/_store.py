"""The actions on a whole store."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hud_runtime._location import is_address
from hud_runtime.cli._click import (
    Parts,
    argument,
    json_option,
    number,
    option,
    part_of,
    part_options,
    store_options,
)
from hud_runtime.cli._commands import Options, UsageError
from hud_runtime.cli._session import KEPT
from hud_runtime.cli._stored import existing, moment, reading, store_path, writing
from hud_runtime.cli._terminal import answer, is_meant, put, remark, terminal_safe
from hud_runtime.log.outbox import EventQueue, Outbox, QueuedEvents
from hud_runtime.session import settings_beside

if TYPE_CHECKING:
    from hud_runtime.log.store import BackupResult, LostEvents, RepairResult, Swept


@argument("target", metavar="FOLDER", help="the folder to make")
@option("--overwrite", is_flag=True, help="replace an existing backup")
@store_options()
@json_option("what was backed up as data")
def backup(options: Options) -> int:
    """Back up a store into a folder: the database and its archive, as of one moment.

    Other processes may write meanwhile. Every event is compared with its digest before the folder
    gets its name, so an existing backup is complete. It is a store itself: --store FOLDER/hud.db
    opens it.
    """
    with reading(options.store) as stored:
        copied = stored.store.keeping.backup(options.target, overwrite=options.overwrite)
    line = f"backed up {_amounts(copied)} to {copied.path}"
    answer(_data(copied), [line], as_json=options.json)
    return 0


def _amounts(copied: BackupResult) -> str:
    """Return the copied amounts, in words."""
    return (
        f"{copied.sessions:,} sessions, {copied.events:,} events, {copied.archive_files:,} archive"
        f" files, {copied.size:,} bytes"
    )


def _data(copied: BackupResult) -> dict[str, Any]:
    """Return a copy's amounts as JSON data."""
    return {
        "path": str(copied.path),
        "sessions": copied.sessions,
        "events": copied.events,
        "archive_files": copied.archive_files,
        "bytes": copied.size,
    }


@argument("backup", metavar="BACKUP", help="the backup's folder")
@option("--force", is_flag=True, help="replace an existing store, and set it aside")
@store_options()
@json_option("what was restored as data")
def restore(options: Options) -> int:
    """Restore a backup, after comparing each event in it with its digest.

    An existing store is replaced with --force only, and never while it is open; the old one moves
    to a folder beside it. Sessions purged since the backup stay purged.
    """
    from hud_runtime import HudStore

    copied = HudStore.restore(options.backup, options.store, force=options.force)
    lines = [f"restored {_amounts(copied)} to {copied.path}"]
    if copied.set_aside is not None:
        lines.append(f"what was there before is in {copied.set_aside}")
    lines += [f'"{each}" was purged since the backup, and stays so' for each in copied.still_purged]
    data = {
        **_data(copied),
        "set_aside": copied.set_aside and str(copied.set_aside),
        "still_purged": copied.still_purged,
    }
    answer(data, lines, as_json=options.json)
    return 0


MISSING = 1
"""The exit status if events are lost."""


@store_options()
@json_option("the account as data")
def repair_store(options: Options) -> int:
    """Repair a store: rebuild its derived data, and save the readable events of a damaged log.

    The damaged files move to a folder beside the store. Readable events that follow lost ones are
    in that folder as JSON lines. The exit status is 0 if no event is missing, else 1.
    """
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
        "set_aside": repaired.set_aside and str(repaired.set_aside),
    }
    answer(data, _repaired(repaired), as_json=options.json)
    return 0 if repaired.is_whole else MISSING


def _repaired(repaired: RepairResult) -> Iterator[str]:
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
"""The exit status if the log could not be emptied."""


def _checkpoint(options: Options) -> int:
    """Copy what is in the write-ahead log into the database, and cut the log to nothing.

    It happens by itself now and then. The exit status is 1 when somebody who reads or writes is in the way;
    nothing is lost then, and the log stays for longer.
    """
    with writing(options.store) as stored:
        done = stored.store.keeping.checkpoint()
    if done.blocked:
        line = f"{done.after:,} bytes stay in the write-ahead log: {done.blocked}"
    else:
        line = f"the write-ahead log is empty; it had {done.before:,} bytes"
    answer(asdict(done), [line], as_json=options.json)
    return BLOCKED if done.blocked else 0


# Whole stores copied between engines, and the rights of users in a database server.


@argument("source", metavar="FROM", help="a store: a file, or postgresql://...")
@argument("target", metavar="TO", help="another store, which is made if needed")
@json_option("what was copied as data")
def copy(options: Options) -> int:
    """Copy a whole store: from a file to a database server, back, or between two.

    Sessions keep their ids, versions, times and digests. Snapshots, deliveries, outputs, tombstones
    and erasures are copied, too. Repeat an interrupted copy to continue it. At the end each event
    is compared with its original. Other sessions of the target stay.
    """
    from hud_runtime.log.store._backup import copy_store
    from hud_runtime.session._hud_store import open_log

    source, target = options.source, options.target
    if source == target or (
        not is_address(source)
        and not is_address(target)
        and existing(source).resolve() == Path(target).resolve()
    ):
        raise UsageError("these are one store; name another one to copy to")
    place = source if is_address(source) else existing(source)
    with closing(open_log(place, read_only=True)) as given, closing(open_log(target)) as made:
        done = copy_store(given, made)
        line = (
            f"{done.sessions:,} sessions, {done.events:,} events are the same in {made.place};"
            f" {done.copied:,} of them are new there, {done.archived:,} archived"
        )
    answer(asdict(done), [line], as_json=options.json)
    return 0


@argument("role", metavar="ROLE", help="the role's name")
@option("--read", is_flag=True, help="it may only read and search")
@option("--schema", metavar="NAME", default="public", help="where the tables are (default: public)")
def role(options: Options) -> int:
    """Print the SQL that lets a role of a PostgreSQL server record in a store, or only read it.

    The role can append to the log, not change it. Archiving, purging and erasing are left to the
    owner of the tables. Run it as that owner: `ujsx store role fleet | psql DATABASE`.
    """
    from hud_runtime.log.postgres import role_script

    script = role_script(options.role, "read" if options.read else "record", options.schema)
    put(f"{script}\n")
    return 0


# Unused sessions, deleted.

DAY = 24 * 60 * 60 * 1_000

UNITS = {"h": DAY // 24, "d": DAY, "w": 7 * DAY}
"""The units in milliseconds."""

AGE = re.compile(r"([0-9]{1,6})([hdw])")


def age(text: str) -> int:
    """Read an age in milliseconds.

    >>> age("2d") // DAY
    2
    """
    found = AGE.fullmatch(text.strip().lower())
    if found is None or not int(found[1]):
        raise click.BadParameter(f'"{text}" is not an age; write 90d, 12w or 36h')
    return int(found[1]) * UNITS[found[2]]


def _expire(options: Options) -> int:
    """Delete the sessions that nobody has used for so long, for good, as a purge does.

    A session was used when its last event was recorded, or happened, whichever is later. What new sessions
    of a project start with stays, and so does what children have inherited. With --dry-run it says what
    would go.
    """
    if options.older_than is None:
        raise UsageError("--sessions needs --older-than AGE: how long nobody has used them")
    with writing(options.store) as stored:
        store = stored.store
        old = store.keeping.unused_for(options.older_than)
        what = f"{len(old):,} session{'s' if len(old) != 1 else ''} for good"
        is_sure = not old or options.dry_run or options.yes
        if not is_sure and not is_meant(f"Delete {what}", f"deletes {what}"):
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


# The events that wait on this machine for a database server, and those that the server's store
# refused.


@option("--folder", metavar="FOLDER", help="the outbox (default: that of context.toml)")
@option("--deliver", is_flag=True, help="deliver the records that wait for --store")
@option(
    "--from",
    "place",
    metavar="ADDRESS",
    help="deliver what waits for this address, as it is listed, and what was refused there, too",
)
@option("--forget", metavar="NUMBER", type=int, help="remove a record for good")
@store_options()
@json_option("the letters as data")
def in_outbox(options: Options) -> int:
    """List the records that wait in an outbox for a database server, and refused ones; deliver or
    remove them.

    Waiting records are delivered when the store is opened with this outbox. If the store has moved,
    --from delivers those for its old address.
    """
    outbox = Outbox(options.folder) if options.folder else settings_beside(None).outbox
    if outbox is None:
        raise UsageError(
            "no outbox is set: name one with --folder, or write [outbox] into context.toml"
        )
    letters = EventQueue(outbox, "", "")
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
    nothing = f"nothing waits in {outbox.path}"
    answer([*map(data, found)], map(_line, found), as_json=options.json, nothing=nothing)
    return 0


def _deliver(store: str | None, outbox: Outbox, place: str | None) -> None:
    from hud_runtime.session._offline_queue import OfflineQueue

    if store is None or not is_address(store):
        raise UsageError("--store names the database that it is delivered to: postgresql://...")
    with writing(store) as stored:
        letters = EventQueue(outbox, stored.place, str(stored.log.identity))
        if place is not None and not letters.adopt(place):
            raise UsageError(f"nothing waits for {place} in {outbox.path}")
        OfflineQueue(letters, stored.log, stored.opened).deliver()


def data(letter: QueuedEvents) -> dict[str, Any]:
    """Return a letter as JSON data, without its events' payloads."""
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


def _line(letter: QueuedEvents) -> str:
    types = ", ".join(draft.type for draft in letter.drafts)
    why = "" if letter.refusal is None else f"; refused: {letter.refusal}"
    told = f'{letter.number}  {moment(letter.posted_at)}  session "{letter.session_id}": {types}'
    return terminal_safe(f"{told}, for {letter.place}{why}")


# Old tool outputs, and the history of their sweeps.

FAILED = 1
"""The exit status after an obstacle."""


def _sweep_outputs(options: Options) -> int:
    """Let go of the texts of old tool outputs, which were kept when they were pruned.

    It happens by itself, each 500 events: of each session the newest 300 stay, and none for more than 7 days. With
    --log nothing is done, and the last sweeps are told. The exit status is 1 when something stood in the way.
    """
    from hud_runtime.log.store import SweepRules

    if options.log:
        with reading(options.store) as stored:
            found = stored.store.keeping.sweeps()
        data, nothing = [asdict(each) for each in found], "nothing was swept yet"
        answer(data, map(_sweep_line, found), as_json=options.json, nothing=nothing)
        return 0
    usual = SweepRules()
    newest = usual.newest if options.newest is None else options.newest
    days = usual.days if options.days is None else options.days
    if min(newest, days) < 1:
        raise UsageError("--newest and --days must be positive integers")
    with writing(options.store) as stored:
        done = stored.store.keeping.sweep(SweepRules(newest=newest, days=days))
    answer(asdict(done), [_sweep_line(done)], as_json=options.json)
    return FAILED if done.errors else 0


def _sweep_line(swept: Swept) -> str:
    told = f"{swept.scanned:,} looked at, {swept.deleted:,} let go of, {swept.bytes:,} bytes"
    errors = "".join(f"; {terminal_safe(each)}" for each in swept.errors)
    return f"{moment(swept.at)}  {told}{errors}"


SWEPT: Parts = {
    "sessions": (
        _expire,
        "instead, delete the sessions that nobody has used for so long, for good, as a purge does",
    ),
    "checkpoint": (
        _checkpoint,
        "instead, copy what is in the write-ahead log into the database, and empty the log",
    ),
}
"""Sweeps of other data than outputs, by their options."""


@option(
    "--newest", type=number, instead_of=tuple(SWEPT), help="number of outputs that a session keeps"
)
@option(
    "--days", type=number, instead_of=tuple(SWEPT), help="days after which an output is deleted"
)
@option(
    "--log",
    is_flag=True,
    instead_of=tuple(SWEPT),
    help="only report the last sweeps",
)
@part_options(SWEPT)
@option(
    "--older-than",
    metavar="AGE",
    type=age,
    goes_with=("sessions",),
    help="with --sessions, how long nobody has used them: 90d, 12w, 36h",
)
@option("--dry-run", is_flag=True, goes_with=("sessions",), help="with --sessions, delete nothing")
@option("-y", "--yes", is_flag=True, goes_with=("sessions",), help="with --sessions, do not ask")
@store_options()
@json_option("what was done as data")
def sweep(options: Options) -> int:
    """Delete old texts of tool outputs or whole sessions, or empty the write-ahead log.

    Stored outputs are swept automatically, every 500 events: the newest 300 of a session stay, for
    at most 7 days. A session's last use is when its last event was recorded or happened, whichever
    is later. Defaults of projects stay, and so do items that children inherited. SQLite also
    empties the log itself. The exit status is 1 if an obstacle was met, or the question was
    declined.
    """
    return part_of(options, SWEPT, _sweep_outputs)(options)
