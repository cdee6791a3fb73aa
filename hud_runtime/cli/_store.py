"""The actions on a store as a whole."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_runtime.cli._arguments import define_json
from hud_runtime.cli._output import answer
from hud_runtime.cli._stored import define_store, reading, store_path, writing

if TYPE_CHECKING:
    from hud_runtime.store import Copied, LostEvents, Repaired


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
            copied = stored.store.backup(options.target, overwrite=options.overwrite)
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


class Repair:
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


class Checkpoint:
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
            done = stored.store.checkpoint()
        if done.blocked:
            line = f"{done.after:,} bytes stay in the write-ahead log: {done.blocked}"
        else:
            line = f"the write-ahead log is empty; it had {done.before:,} bytes"
        answer(asdict(done), [line], as_json=options.json)
        return BLOCKED if done.blocked else 0
